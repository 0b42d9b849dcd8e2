//! Rows of the exchange half of a bundle.

use super::shorthand::*;
use super::{Extensions, Row, Slot, Unit};
use crate::field::fields::{
    CNT10, DREG, DTYP, FA, FA_HALF, GS, GT, IMM13, SECN, SETI_IMM, SREG, STYP,
};
use crate::operand::{OperandKind, Reads};
use crate::source;
use serde::{Deserialize, Serialize};

operations! {
    /// Operation of the exchange half of a bundle (bits 28:0): loads and stores, moves between registers, flow of
    /// control. Its row in the table of operations ([`Self::row`]) tells the rest.
    Exch, Exchange,
    "F is the floating-point register that the operation names, GPR a general and IREG an index register; An, Nn and Mn \
     are address, step and mode of the address set that it names. Words are those of local memory in every section unless \
     another memory is named. In the names of loads and stores `lw` and `sw` move one word, `ld` and `sd` two, and the end \
     tells the address: `i` an immediate; `o`, `np` and `nm` An, which then steps by an offset, Nn or -Nn; `sa` the section \
     address of each section, which then steps by an offset.",
    0x00 Nop "nop" [] Nop NONE 0 IDLE "No operation.";
    0x01 Move "move" [w(OperandKind::MoveReg(DREG, DTYP)), r(OperandKind::MoveReg(SREG, STYP))] Scalar NONE 0 REGISTER
        "Copy between general, control, address and index registers.";
    0x02 Clr "clr" [imm(OperandKind::AddressSet)] Scalar NONE 0 ADDRESS "An := 0, Nn := 1, Mn := 0x1fff.";
    0x03 Ret "ret" [] Jump CALL 0 FLOW "Return; one delay slot.";
    0x04 Enddo "enddo" [] Jump LOOP 0 FLOW "Forget the innermost hardware loop.";
    0x05 Sync "sync" [] Sync CTL 0 HOST "Wait until everything issued before has completed.";
    0x08 Stopi "stopi" [imm(OperandKind::Unsigned(IMM13))] Stop CTL 0 HOST "Stop with an immediate stop code.";
    0x09 Stop "stop" [RGS] Stop CTL 0 HOST "Stop with the stop code of a GPR.";
    0x0a Runi "runi" [TARGET] Stop RUN 0 HOST "Start at an address; from the host FIFO only.";
    0x0b Run "run" [RGS] Stop RUN 0 HOST "Start at the address of a GPR; from the host FIFO only.";
    0x10 Lwi "lwi" [W1, WORD] Load NONE 0 MEMORY "Load one word, immediate address.";
    0x11 Lwo "lwo" [W1, OFFSET] Load NONE 0 MEMORY "Load one word; An then steps by the offset.";
    0x12 Lwnp "lwnp" [W1, PLUS_N] Load NONE 0 MEMORY "Load one word; An then steps by +Nn.";
    0x13 Lwnm "lwnm" [W1, MINUS_N] Load NONE 0 MEMORY "Load one word; An then steps by -Nn.";
    0x14 Swi "swi" [R1, WORD] Store NONE 0 MEMORY "Store one word, immediate address.";
    0x15 Swo "swo" [R1, OFFSET] Store NONE 0 MEMORY "Store one word; An then steps by the offset.";
    0x16 Swnp "swnp" [R1, PLUS_N] Store NONE 0 MEMORY "Store one word; An then steps by +Nn.";
    0x17 Swnm "swnm" [R1, MINUS_N] Store NONE 0 MEMORY "Store one word; An then steps by -Nn.";
    0x18 Ldi "ldi" [W2, WORD] Load DBL 0 MEMORY "Load two words, immediate address.";
    0x19 Ldo "ldo" [W2, OFFSET] Load DBL 0 MEMORY "Load two words; An then steps by the offset.";
    0x1a Ldnp "ldnp" [W2, PLUS_N] Load DBL 0 MEMORY "Load two words; An then steps by +Nn.";
    0x1b Ldnm "ldnm" [W2, MINUS_N] Load DBL 0 MEMORY "Load two words; An then steps by -Nn.";
    0x1c Sdi "sdi" [R2, WORD] Store DBL 0 MEMORY "Store two words, immediate address.";
    0x1d Sdo "sdo" [R2, OFFSET] Store DBL 0 MEMORY "Store two words; An then steps by the offset.";
    0x1e Sdnp "sdnp" [R2, PLUS_N] Store DBL 0 MEMORY "Store two words; An then steps by +Nn.";
    0x1f Sdnm "sdnm" [R2, MINUS_N] Store DBL 0 MEMORY "Store two words; An then steps by -Nn.";
    0x20 Seti "seti" [w(OperandKind::SetReg), imm(OperandKind::Unsigned(SETI_IMM))] Scalar NONE 0 SETTING
        "GPR, An, Nn or Mn := imm16, zero-extended.";
    0x21 Updaddr "updaddr" [OFFSET] Scalar NONE 0 ADDRESS "An steps by the offset.";
    0x22 Updaddrnp "updaddrnp" [PLUS_N] Scalar NONE 0 ADDRESS "An steps by +Nn.";
    0x23 Updaddrnm "updaddrnm" [MINUS_N] Scalar NONE 0 ADDRESS "An steps by -Nn.";
    0x24 Doi "doi" [imm(OperandKind::Unsigned(CNT10)), TARGET] Loop LOOP 0 FLOW "Hardware loop to the bundle after `end`, immediate count.";
    0x25 Do "do" [RGS, TARGET] Loop LOOP 0 FLOW "Hardware loop to the bundle after `end`, count from a GPR.";
    0x26 Calli "calli" [TARGET] Loop CALL 0 FLOW "Call; one delay slot.";
    0x27 Call "call" [RGS] Loop CALL 0 FLOW "Call the address of a GPR; one delay slot.";
    0x28 Jumpi "jumpi" [TARGET] Jump JMP 0 HOST "Jump; one delay slot.";
    0x29 Jump "jump" [RGS] Jump JMP 0 HOST "Jump to the address of a GPR; one delay slot.";
    0x2e CheckDma "check_dma" [w(OperandKind::Gpr(GT))] Dma NONE 0 DMA "GPR := DMA state: bit 0 busy, 1 waits for sync, 2 moving data.";
    0x2f StartDma "start_dma" [] Dma NONE 0 DMA "Release a DMA descriptor that waits for sync.";
    0x30 Mtfpr "mtfpr" [W1, r(OperandKind::GprOrIreg), imm(OperandKind::Section(SECN, 4))] ToFpr NONE 0 EXCHANGE "FPR of one section, or of all, := GPR or IREG.";
    0x31 Mffpr "mffpr" [w(OperandKind::GprOrIreg), R1, imm(OperandKind::Section(SECN, 3))] FromFpr NONE 0 EXCHANGE "GPR or IREG := FPR of one section.";
    0x32 Psprmsgn0 "psprmsgn0" [w(OperandKind::FprPermute(0)), part(Reads::Moved, R2), SELECT[0], SELECT[1], SELECT[2], SELECT[3]] Permute P 0 EXCHANGE
        "The words of F and next are 0 F.lo, 1 F.hi, 2 next.lo, 3 next.hi; those named become D.lo, D.hi, next D.lo, next D.hi (f0..f32), `-` flips a sign.";
    0x33 Psprmsgn1 "psprmsgn1" [w(OperandKind::FprPermute(32)), part(Reads::Moved, R2), SELECT[0], SELECT[1], SELECT[2], SELECT[3]] Permute P 0 EXCHANGE
        "The words of F and next are 0 F.lo, 1 F.hi, 2 next.lo, 3 next.hi; those named become D.lo, D.hi, next D.lo, next D.hi (f32..f63), `-` flips a sign.";
    0x34 Lwsa "lwsa" [W1, OWN] Load NONE 0 MEMORY "Load one word, each section at its own address; those step by the offset.", needs SECTION_ADDRESSING;
    0x35 Swsa "swsa" [R1, OWN] Store NONE 0 MEMORY "Store one word, each section at its own address; those step by the offset.", needs SECTION_ADDRESSING;
    0x36 Ldsa "ldsa" [W2, OWN] Load DBL 0 MEMORY "Load two words, each section at its own address; those step by the offset.", needs SECTION_ADDRESSING;
    0x37 Sdsa "sdsa" [R2, OWN] Store DBL 0 MEMORY "Store two words, each section at its own address; those step by the offset.", needs SECTION_ADDRESSING;
    0x38 Setsa "setsa" [WSET, r(OperandKind::Gpr(GT))] Scalar NONE 0 ADDRESS "Section addresses of rK := GPR, one value in all.", needs SECTION_ADDRESSING;
    0x39 Mtsa "mtsa" [WSET, RADDRESS] ToAddress NONE 0 EXCHANGE "Section address of rK := low bits of a half of an FPR, in every section its own.", needs SECTION_ADDRESSING;
    0x3a Lwfa "lwfa" [W1, part(Reads::Named, r(OperandKind::FprHalf(FA, FA_HALF)))] Load NONE 0 MEMORY
        "Load one word, each section at the address in the low bits of a half of an FPR.", needs SECTION_ADDRESSING;
    0x2a Mlwsa "mlwsa" [W1, OWN] Load PZERO 0 MEMORY
        "`lwsa` in the sections that the predicate enables; in the others F := 0 and the address stays.", needs SECTION_ADDRESSING | SECTION_COUNTERS;
    0x3c Mldsa "mldsa" [W2, OWN] Load PDBLZERO 0 MEMORY
        "`ldsa` in the sections that the predicate enables; in the others both registers := 0 and the address stays.", needs SECTION_ADDRESSING | SECTION_COUNTERS;
    0x3d Mswsa "mswsa" [R1, OWN] Store P 0 MEMORY
        "`swsa` in the sections that the predicate enables; in the others memory and address stay.", needs SECTION_ADDRESSING | SECTION_COUNTERS;
    0x3e Msdsa "msdsa" [R2, OWN] Store PDBL 0 MEMORY
        "`sdsa` in the sections that the predicate enables; in the others memory and address stay.", needs SECTION_ADDRESSING | SECTION_COUNTERS;
    0x3f Mxfpr "mxfpr" [w(OperandKind::Gpr(GS)), RADDRESS] FromFpr NONE 0 EXCHANGE
        "GPR := the largest of a half of an FPR in all sections, as unsigned 32-bit numbers.", needs SECTION_COUNTERS;
    0x3b Setq "setq" [WSHARED, r(OperandKind::Gpr(GT))] Scalar NONE 0 ADDRESS "Shared address of rK := GPR.", needs SHARED_MEMORY;
    0x40 Lqi "lqi" [W1, SHARED_WORD] Load NONE 0 MEMORY
        "Load four words of shared memory from an immediate address on, one into each section.", needs SHARED_MEMORY;
    0x41 Lqo "lqo" [W1, SHARED] Load NONE 0 MEMORY
        "Load four words of shared memory, one into each section; the shared address then steps by the offset.", needs SHARED_MEMORY;
    0x42 Lqbi "lqbi" [W1, SHARED_WORD] Load NONE 0 MEMORY
        "Load one word of shared memory into all sections, immediate address.", needs SHARED_MEMORY;
    0x43 Lqbo "lqbo" [W1, SHARED] Load NONE 0 MEMORY
        "Load one word of shared memory into all sections; the shared address then steps by the offset.", needs SHARED_MEMORY;
    0x44 Sqi "sqi" [R1, SHARED_WORD] Store NONE 0 MEMORY
        "Store the words of the sections into four of shared memory from an immediate address on.", needs SHARED_MEMORY;
    0x45 Sqo "sqo" [R1, SHARED] Store NONE 0 MEMORY
        "Store the words of the sections into four of shared memory; the shared address then steps by the offset.", needs SHARED_MEMORY;
    0x46 Sqsi "sqsi" [R1, SHARED_WORD, STORED_SECTION] Store NONE 0 MEMORY
        "Store the word of one section into shared memory, immediate address.", needs SHARED_MEMORY;
    0x47 Sqso "sqso" [R1, SHARED, STORED_SECTION] Store NONE 0 MEMORY
        "Store the word of one section into shared memory; the shared address then steps by the offset.", needs SHARED_MEMORY;
    0x48 Lh32np "lh32np" [WRUN, PLUS_N, PART] Load NONE 0 MEMORY
        "Load a 32-bit word; An counts 32-bit words in half imm1 of local memory and steps by +Nn.", needs WORD_ACCESS;
    0x49 Lh32nm "lh32nm" [WRUN, MINUS_N, PART] Load NONE 0 MEMORY
        "Load a 32-bit word; An counts 32-bit words in half imm1 of local memory and steps by -Nn.", needs WORD_ACCESS;
    0x4a Sh32np "sh32np" [RRUN, PLUS_N, PART] Store NONE 0 MEMORY
        "Store a 32-bit word; An counts 32-bit words in half imm1 of local memory and steps by +Nn.", needs WORD_ACCESS;
    0x4b Sh32nm "sh32nm" [RRUN, MINUS_N, PART] Store NONE 0 MEMORY
        "Store a 32-bit word; An counts 32-bit words in half imm1 of local memory and steps by -Nn.", needs WORD_ACCESS;
    0x4c Lhgnp "lhgnp" [WRUN, PLUS_N, RHALF_GPR] Load NONE 0 MEMORY
        "Load the half of a word that bit 0 of a GPR names; An then steps by +Nn.", needs WORD_ACCESS;
    0x4d Lhgnm "lhgnm" [WRUN, MINUS_N, RHALF_GPR] Load NONE 0 MEMORY
        "Load the half of a word that bit 0 of a GPR names; An then steps by -Nn.", needs WORD_ACCESS;
    0x4e Shgnp "shgnp" [RRUN, PLUS_N, RHALF_GPR] Store NONE 0 MEMORY
        "Store to the half of a word that bit 0 of a GPR names; An then steps by +Nn.", needs WORD_ACCESS;
    0x4f Shgnm "shgnm" [RRUN, MINUS_N, RHALF_GPR] Store NONE 0 MEMORY
        "Store to the half of a word that bit 0 of a GPR names; An then steps by -Nn.", needs WORD_ACCESS;
    0x50 Clwi "clwi" [W1, WORD] Load P 0 MEMORY "`lwi` in the sections that the predicate enables.", needs CONDITIONAL_MEMORY;
    0x51 Clwo "clwo" [W1, OFFSET] Load P 0 MEMORY "`lwo` in the sections that the predicate enables; An steps.", needs CONDITIONAL_MEMORY;
    0x52 Clwnp "clwnp" [W1, PLUS_N] Load P 0 MEMORY "`lwnp` in the sections that the predicate enables; An steps.", needs CONDITIONAL_MEMORY;
    0x53 Clwnm "clwnm" [W1, MINUS_N] Load P 0 MEMORY "`lwnm` in the sections that the predicate enables; An steps.", needs CONDITIONAL_MEMORY;
    0x54 Cswi "cswi" [R1, WORD] Store P 0 MEMORY "`swi` in the sections that the predicate enables.", needs CONDITIONAL_MEMORY;
    0x55 Cswo "cswo" [R1, OFFSET] Store P 0 MEMORY "`swo` in the sections that the predicate enables; An steps.", needs CONDITIONAL_MEMORY;
    0x56 Cswnp "cswnp" [R1, PLUS_N] Store P 0 MEMORY "`swnp` in the sections that the predicate enables; An steps.", needs CONDITIONAL_MEMORY;
    0x57 Cswnm "cswnm" [R1, MINUS_N] Store P 0 MEMORY "`swnm` in the sections that the predicate enables; An steps.", needs CONDITIONAL_MEMORY;
    0x58 Cldi "cldi" [W2, WORD] Load PDBL 0 MEMORY "`ldi` in the sections that the predicate enables.", needs CONDITIONAL_MEMORY;
    0x59 Cldo "cldo" [W2, OFFSET] Load PDBL 0 MEMORY "`ldo` in the sections that the predicate enables; An steps.", needs CONDITIONAL_MEMORY;
    0x5a Cldnp "cldnp" [W2, PLUS_N] Load PDBL 0 MEMORY "`ldnp` in the sections that the predicate enables; An steps.", needs CONDITIONAL_MEMORY;
    0x5b Cldnm "cldnm" [W2, MINUS_N] Load PDBL 0 MEMORY "`ldnm` in the sections that the predicate enables; An steps.", needs CONDITIONAL_MEMORY;
    0x5c Csdi "csdi" [R2, WORD] Store PDBL 0 MEMORY "`sdi` in the sections that the predicate enables.", needs CONDITIONAL_MEMORY;
    0x5d Csdo "csdo" [R2, OFFSET] Store PDBL 0 MEMORY "`sdo` in the sections that the predicate enables; An steps.", needs CONDITIONAL_MEMORY;
    0x5e Csdnp "csdnp" [R2, PLUS_N] Store PDBL 0 MEMORY "`sdnp` in the sections that the predicate enables; An steps.", needs CONDITIONAL_MEMORY;
    0x5f Csdnm "csdnm" [R2, MINUS_N] Store PDBL 0 MEMORY "`sdnm` in the sections that the predicate enables; An steps.", needs CONDITIONAL_MEMORY;
    0x60 Lhi "lhi" [WH, WORD, HALF] Load NONE 0 MEMORY "Load one half of a word into one half of F, immediate address.", needs WORD_ACCESS;
    0x64 Lho "lho" [WH, OFFSET, HALF] Load NONE 0 MEMORY "Load one half of a word into one half of F; An then steps by the offset.", needs WORD_ACCESS;
    0x68 Lhnp "lhnp" [WH, PLUS_N, HALF] Load NONE 0 MEMORY "Load one half of a word into one half of F; An then steps by +Nn.", needs WORD_ACCESS;
    0x6c Lhnm "lhnm" [WH, MINUS_N, HALF] Load NONE 0 MEMORY "Load one half of a word into one half of F; An then steps by -Nn.", needs WORD_ACCESS;
    0x70 Shi "shi" [RH, WORD, HALF] Store NONE 0 MEMORY "Store one half of F into one half of a word, immediate address.", needs WORD_ACCESS;
    0x74 Sho "sho" [RH, OFFSET, HALF] Store NONE 0 MEMORY "Store one half of F into one half of a word; An then steps by the offset.", needs WORD_ACCESS;
    0x78 Shnp "shnp" [RH, PLUS_N, HALF] Store NONE 0 MEMORY "Store one half of F into one half of a word; An then steps by +Nn.", needs WORD_ACCESS;
    0x7c Shnm "shnm" [RH, MINUS_N, HALF] Store NONE 0 MEMORY "Store one half of F into one half of a word; An then steps by -Nn.", needs WORD_ACCESS;
}
