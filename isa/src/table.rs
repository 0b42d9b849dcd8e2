//! The one table: every operation of CP2 with its encoding, operands and effects.
//!
//! A row is written once, here. The enums [`Arith`] and [`Exch`] come from the rows, so a `match`
//! that lacks an operation does not compile.

use crate::field::fields::{ADDRESS_HALF, FA, FA_HALF, RN, SET};
use crate::field::fields::{
    CC1, CNT10, FD, FQ, FS, FT, FT2, GS, GT, IMM6, IMM12, IMM13, IMM16, IMM18, MODE, SETI_IMM,
};
use crate::field::fields::{DREG, DST_HALF, DTYP, SRC_HALF, SREG, STYP};
use crate::field::fields::{RUN_GPR, RUN_PART, RUN_REGISTER, WORD_MEMORY, WORD_REGISTER};
use crate::field::fields::{SECN, SHARED_SECTION};
use crate::operand::{AddressForm, Kind, Operand, Reads};
use crate::rules::flags::Flags;
use crate::source::{self, Source};
use serde::{Deserialize, Serialize};

/// The half of a bundle that an operation occupies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// Bits 63:32.
    Arithmetic,
    /// Bits 28:0.
    Exchange,
}

/// The functional unit of an operation; together with a resource it selects a latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// No effect.
    Nop,
    /// The arithmetic pipeline.
    Arithmetic,
    /// `mfc` and `mtc`: the arithmetic pipeline; what `mtc` writes replaces FCSR, and does not join it.
    Creg,
    /// Local memory to FPR.
    Load,
    /// FPR to local memory.
    Store,
    /// `psprmsgn`.
    Permute,
    /// GPR or IREG to FPR.
    ToFpr,
    /// FPR to GPR or IREG.
    FromFpr,
    /// Writes to general, index, address and control registers.
    Scalar,
    /// FPR to section addresses, from either half of a bundle.
    ToAddress,
    /// `do`, `call`: operands are read one bundle earlier than by a jump.
    Loop,
    /// `jump`, `ret`, `enddo`.
    Jump,
    /// `stop`, `run`: operands are read two bundles earlier than by a jump.
    Stop,
    /// `sync`.
    Sync,
    /// `start_dma`, `check_dma`.
    Dma,
}

bitflags::bitflags! {
    /// What an operation does besides its operands.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Effects: u16 {
        /// Replaces FCSR.cause and accumulates FCSR.flags and STATUS.FPE.
        const FLAGS = 1;
        /// Reads the coefficient at RIND, then RIND steps.
        const COEFFICIENT = 1 << 1;
        /// Obeys the predicate.
        const PREDICATED = 1 << 2;
        /// Changes the flow of control; not allowed in a delay slot or at the end of a loop.
        const CONTROL = 1 << 3;
        /// Has a delay slot.
        const DELAY_SLOT = 1 << 4;
        /// Allowed only from the host FIFO.
        const HOST_ONLY = 1 << 5;
        /// Two FPRs are read or written by one memory access.
        const DOUBLE = 1 << 6;
        /// Changes the loop stack.
        const LOOPS = 1 << 7;
        /// Changes the call stack.
        const CALLS = 1 << 8;
        /// Puts something beside bits of D that stay as they are, and computes with none of them: it may
        /// be the first of several that fill a register.
        const FILLS = 1 << 9;
        /// In the sections that the predicate disables the FPRs get 0 instead of staying as they are.
        const ZEROES = 1 << 10;
    }
}

bitflags::bitflags! {
    /// Extensions of the architecture that programs know of; the bit number is that of `[D]` 4.2 less one, and
    /// those that are not there yet have none. What belongs to one is refused on a core whose bit is off.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub struct Extensions: u16 {
        /// 32-bit loads and stores.
        const WORD_ACCESS = 1;
        /// Address registers per section.
        const SECTION_ADDRESSING = 1 << 1;
        /// Predicated loads and stores.
        const CONDITIONAL_MEMORY = 1 << 2;
        /// Loop counts per section.
        const SECTION_COUNTERS = 1 << 3;
        /// A memory common to the sections.
        const SHARED_MEMORY = 1 << 4;
        /// CONTROL.I is written by kernels.
        const FFT_DIRECTION = 1 << 5;
        /// More than 64 FPRs, and bundles of two words; it follows from their number.
        const MORE_FPRS = 1 << 7;
    }
}

impl Extensions {
    /// Their names as users write them, with commas.
    pub fn names(self) -> String {
        let name = |(name, _): (&str, Self)| name.to_lowercase().replace('_', "-");
        self.iter_names().map(name).collect::<Vec<_>>().join(", ")
    }

    /// What `--enable` takes to switch them on; of a size the least that it takes.
    pub fn switches(self) -> String {
        self.names().replace(", ", ",").replace("more-fprs", "more-fprs=128")
    }
}

/// One operation.
#[derive(Debug)]
pub struct Row {
    /// Half of the bundle.
    pub slot: Slot,
    /// Opcode in `op` or `op2`.
    pub code: u8,
    /// Mnemonic. Comparisons add `.relation.format`.
    pub name: &'static str,
    /// Operands in the order of the text.
    pub operands: &'static [Operand],
    /// Unit that executes it.
    pub unit: Unit,
    /// Effects besides the operands.
    pub effects: Effects,
    /// Exceptions that it can raise.
    pub raises: Flags,
    /// Float additions, subtractions, multiplications and functions in one section.
    pub flops: u8,
    /// Extension that the operation belongs to; empty for the base machine.
    pub extension: Extensions,
    /// What it does, one line.
    pub doc: &'static str,
    /// Where the facts come from. How many flops an operation counts is said of `cbutterfly` alone, and
    /// follows from the steps of the others.
    pub sources: &'static [Source],
}

const fn op(kind: Kind, reads: Reads, write: bool) -> Operand {
    Operand { kind, reads, write }
}
const fn r(kind: Kind) -> Operand {
    op(kind, Reads::Both, false)
}
const fn w(kind: Kind) -> Operand {
    op(kind, Reads::Nothing, true)
}
const fn rw(kind: Kind) -> Operand {
    op(kind, Reads::Both, true)
}
/// An operand that names no register.
const fn imm(kind: Kind) -> Operand {
    op(kind, Reads::Nothing, false)
}
/// An operand of which only a part is looked at.
const fn part(reads: Reads, operand: Operand) -> Operand {
    op(operand.kind, reads, operand.write)
}

const WD: Operand = w(Kind::Fpr(FD));
const RD: Operand = r(Kind::Fpr(FD));
const RWD: Operand = rw(Kind::Fpr(FD));
const RS: Operand = r(Kind::Fpr(FS));
const WS: Operand = w(Kind::Fpr(FS));
const RWS: Operand = rw(Kind::Fpr(FS));
const RS2: Operand = r(Kind::FprPair(FS));
const RT: Operand = r(Kind::Fpr(FT));
const RT2: Operand = r(Kind::FprPair(FT));
const WQ: Operand = w(Kind::Fpr(FQ));
/// A comparison looks at what its format compares.
const CS: Operand = part(Reads::Compared, RS);
const CT: Operand = part(Reads::Compared, RT);
const WHALF: Operand = w(Kind::FprHalf(FD, DST_HALF));
const RHALF: Operand = part(Reads::Named, r(Kind::FprHalf(FS, SRC_HALF)));
/// The half that is not computed from raises E and V all the same.
const RHALF_FLAGS: Operand = part(Reads::Both, RHALF);
const UIMM16: Operand = imm(Kind::Unsigned(IMM16));

const W1: Operand = w(Kind::Fpr(FT2));
const R1: Operand = r(Kind::Fpr(FT2));
const W2: Operand = w(Kind::FprPair(FT2));
const R2: Operand = r(Kind::FprPair(FT2));
const WORD: Operand = imm(Kind::WordAddress);
const OFFSET: Operand = imm(Kind::Address(AddressForm::Offset));
const PLUS_N: Operand = imm(Kind::Address(AddressForm::PlusN));
const MINUS_N: Operand = imm(Kind::Address(AddressForm::MinusN));
/// The section addresses of a set, all of them.
const WSET: Operand = w(Kind::SectionSet(RN));
/// The half of a register that holds an address in every section.
const RADDRESS: Operand = part(Reads::Named, r(Kind::FprHalf(FT2, ADDRESS_HALF)));
const OWN: Operand = imm(Kind::SectionAddress);
/// The shared address of a set.
const WSHARED: Operand = w(Kind::SharedSet);
/// Words of shared memory, by number or from a shared address on.
const SHARED_WORD: Operand = imm(Kind::SharedWord);
const SHARED: Operand = imm(Kind::SharedAddress);
const STORED_SECTION: Operand = imm(Kind::Section(SHARED_SECTION, 3));
/// Half of a register in a word access, and the half of the word in memory.
const WH: Operand = w(Kind::FprHalf(FT2, WORD_REGISTER));
const RH: Operand = part(Reads::Named, r(Kind::FprHalf(FT2, WORD_REGISTER)));
const HALF: Operand = imm(Kind::Unsigned(WORD_MEMORY));
/// The same where the run tells the half in memory.
const WRUN: Operand = w(Kind::FprHalf(FT2, RUN_REGISTER));
const RRUN: Operand = part(Reads::Named, r(Kind::FprHalf(FT2, RUN_REGISTER)));
const RHALF_GPR: Operand = r(Kind::Gpr(RUN_GPR));
const PART: Operand = imm(Kind::Unsigned(RUN_PART));
const RGS: Operand = r(Kind::Gpr(GS));
const TARGET: Operand = imm(Kind::Target);
const SELECT: [Operand; 4] =
    [imm(Kind::Select(0)), imm(Kind::Select(1)), imm(Kind::Select(2)), imm(Kind::Select(3))];

/// What an operation does besides its operands: the effects and the exceptions of its row.
#[derive(Clone, Copy)]
struct Does {
    effects: Effects,
    raises: Flags,
}

/// Effects of an operation that raises nothing.
const fn quiet(effects: Effects) -> Does {
    Does { effects, raises: Flags::empty() }
}

/// A float operation that obeys the predicate and can raise these exceptions.
const fn float(raises: Flags) -> Does {
    Does { effects: FLAGS_AND_P, raises }
}

const FLAGS_AND_P: Effects = Effects::FLAGS.union(Effects::PREDICATED);
const DOUBLE_AND_P: Effects = Effects::DOUBLE.union(Effects::PREDICATED);
const JUMPS: Effects = Effects::CONTROL.union(Effects::DELAY_SLOT);

const NONE: Does = quiet(Effects::empty());
const P: Does = quiet(Effects::PREDICATED);
const PPART: Does = quiet(Effects::PREDICATED.union(Effects::FILLS));
/// Sums and products: all but a division by zero.
const F: Does = float(Flags::all().difference(Flags::Z));
const FPART: Does = Does { effects: Effects::FLAGS.union(Effects::FILLS), ..F };
const FC: Does = Does { effects: FLAGS_AND_P.union(Effects::COEFFICIENT), ..F };
/// Floats whose exceptions are fewer: those that the name says.
const F_NONE: Does = float(Flags::empty());
const F_I: Does = float(Flags::I);
const F_VE: Does = float(Flags::V.union(Flags::E));
const F_IVE: Does = float(Flags::I.union(F_VE.raises));
const F_IZVE: Does = float(Flags::Z.union(F_IVE.raises));
const F_IUZVE: Does = float(Flags::U.union(F_IZVE.raises));
const PC: Does = quiet(Effects::PREDICATED.union(Effects::COEFFICIENT));
const CTL: Does = quiet(Effects::CONTROL);
const JMP: Does = quiet(JUMPS);
const RUN: Does = quiet(Effects::CONTROL.union(Effects::HOST_ONLY));
const DBL: Does = quiet(Effects::DOUBLE);
const PDBL: Does = quiet(DOUBLE_AND_P);
const PZERO: Does = quiet(Effects::PREDICATED.union(Effects::ZEROES));
const PDBLZERO: Does = quiet(DOUBLE_AND_P.union(Effects::ZEROES));
const LOOP: Does = quiet(Effects::CONTROL.union(Effects::LOOPS));
const CALL: Does = quiet(JUMPS.union(Effects::CALLS));

macro_rules! operations {
    ($(#[$doc:meta])* $name:ident, $slot:ident, $(
        $code:literal $variant:ident $text:literal [$($operand:expr),*]
        $unit:ident $effects:ident $flops:literal $source:ident $line:literal $(, needs $($extension:ident)|+)?;
    )*) => {
        $(#[$doc])*
        #[allow(rustdoc::broken_intra_doc_links, reason = "lines like `D.hi[31:16]` are no links")]
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        pub enum $name {
            $(#[doc = $line] $variant,)*
        }

        impl $name {
            /// Every operation, in the order of the opcodes.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            const ROWS: &'static [Row] = &[$(Row {
                slot: Slot::$slot,
                code: $code,
                name: $text,
                operands: &[$($operand),*],
                unit: Unit::$unit,
                effects: $effects.effects,
                raises: $effects.raises,
                flops: $flops,
                extension: Extensions::empty()$($(.union(Extensions::$extension))+)?,
                doc: $line,
                sources: source::$source,
            }),*];

            const BY_CODE: [Option<Self>; 256] = {
                let mut table = [None; 256];
                $(table[$code] = Some(Self::$variant);)*
                table
            };

            /// The row of the table.
            #[inline]
            pub fn row(self) -> &'static Row {
                &Self::ROWS[self as usize]
            }

            /// The operation with this opcode.
            #[inline]
            pub fn from_code(code: u32) -> Option<Self> {
                Self::BY_CODE.get(code as usize).copied().flatten()
            }

            /// The operation with this mnemonic (without the suffixes of a comparison).
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($text => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

operations! {
    /// Arithmetic operations.
    Arith, Arithmetic,
    0x00 Nop "nop" [] Nop NONE 0 NOTHING "No operation.";
    0x02 C "c" [imm(Kind::Condition), imm(Kind::Format), w(Kind::Cc(CC1)), CS, CT] Arithmetic P 0 COMPARE
        "FCCR[cc1] := S relation T; formats s (float lo), w (int lo), ps and pw (lo to cc1, hi to cc1+1).";
    0x03 Clear "clear" [WD, WS] Arithmetic P 0 BITS "D := 0, S := 0.";
    0x04 Copy "copy" [WD, RS] Arithmetic P 0 BITS "D := S.";
    0x05 Swaphl "swaphl" [WD, RS] Arithmetic P 0 BITS "D := (S.lo, S.hi).";
    0x06 Swap64 "swap64" [RWD, RWS] Arithmetic P 0 BITS "Exchange D and S.";
    0x07 Section "section" [WD] Arithmetic P 0 BITS "D := (0, section number).";
    0x08 Li3 "li3" [RWD, UIMM16] Arithmetic PPART 0 PART "D.hi[31:16] := imm16, the rest of D kept.";
    0x09 Li2 "li2" [RWD, UIMM16] Arithmetic PPART 0 PART "D.hi[15:0] := imm16, the rest of D kept.";
    0x0a Li1 "li1" [RWD, UIMM16] Arithmetic PPART 0 PART "D.lo[31:16] := imm16, the rest of D kept.";
    0x0b Li0 "li0" [RWD, UIMM16] Arithmetic PPART 0 PART "D.lo[15:0] := imm16, the rest of D kept.";
    0x0e Mfc "mfc" [WD, r(Kind::Creg)] Creg P 0 CREG "D := (0, FCSR or FCCR).";
    0x0f Mtc "mtc" [part(Reads::Lo, RD), w(Kind::Creg)] Creg P 0 CREG "FCSR or FCCR := D.lo.";
    0x10 Cadd "cadd" [WD, RS, RT] Arithmetic F 2 FLOAT "Complex D := S + T.";
    0x11 Csub "csub" [WD, RS, RT] Arithmetic F 2 FLOAT "Complex D := S - T.";
    0x12 Caddsub "caddsub" [WD, RS, RT, WQ] Arithmetic F 4 FLOAT "Complex D := S + T, Q := S - T.";
    0x13 Cneg "cneg" [WD, RS] Arithmetic F_VE 0 FLOAT "Complex D := -S.";
    0x14 Cmul "cmul" [WD, RS, RT] Arithmetic F 6 FLOAT "Complex D := S * T.";
    0x15 Cmadd "cmadd" [RWD, RS, RT] Arithmetic F 8 FLOAT "Complex D := D + S * T.";
    0x16 Cmsub "cmsub" [RWD, RS, RT] Arithmetic F 8 FLOAT "Complex D := D - S * T.";
    0x17 Cmuli "cmuli" [WD, RS] Arithmetic F_VE 6 FLOAT "Complex D := S * (0, 1), as a complex multiplication.";
    0x18 Cmulni "cmulni" [WD, RS] Arithmetic F_VE 6 FLOAT "Complex D := S * (0, -1), as a complex multiplication.";
    0x19 Cconj "cconj" [WD, RS] Arithmetic F_VE 0 FLOAT "D := (S.hi, -S.lo).";
    0x1a Cbutterfly "cbutterfly" [RWD, RWS] Arithmetic FC 10 TURN
        "w := coefficient(RIND); D := D + S * w, S := D - S * w; then RIND steps.";
    0x1b Cbutterfly2 "cbutterfly2" [RWD, RWS, RT] Arithmetic F 10 FLOAT "D := D + S * T, S := D - S * T (complex).";
    0x1c Chmul "chmul" [WD, RS, RT] Arithmetic F 6 FLOAT "Complex D := S * conj(T).";
    0x1d Chmadd "chmadd" [RWD, RS, RT] Arithmetic F 8 FLOAT "Complex D := D + S * conj(T).";
    0x1e Chmsub "chmsub" [RWD, RS, RT] Arithmetic F 8 FLOAT "Complex D := D - S * conj(T).";
    0x20 Psadd "psadd" [WD, RS, RT] Arithmetic F 2 FLOAT "Pairwise D := S + T.";
    0x21 Pssub "pssub" [WD, RS, RT] Arithmetic F 2 FLOAT "Pairwise D := S - T.";
    0x22 Psaddsub "psaddsub" [WD, RS, RT, WQ] Arithmetic F 4 FLOAT "Pairwise D := S + T, Q := S - T.";
    0x23 Psneg "psneg" [WD, RS] Arithmetic F_VE 0 FLOAT "Pairwise D := -S.";
    0x24 Psmul "psmul" [WD, RS, RT] Arithmetic F 2 FLOAT "Pairwise D := S * T.";
    0x25 Psmadd "psmadd" [RWD, RS, RT] Arithmetic F 4 FLOAT "Pairwise D := D + S * T.";
    0x26 Psmsub "psmsub" [RWD, RS, RT] Arithmetic F 4 FLOAT "Pairwise D := D - S * T.";
    0x27 Psabs "psabs" [WD, RS] Arithmetic F_VE 0 FLOAT "Pairwise D := magnitude of S.";
    0x28 Mvmul "mvmul" [RD, RS, RT, WQ] Arithmetic F 6 FLOAT "Q := M * T, M the 2x2 matrix with rows S, D.";
    0x29 Mtvmul "mtvmul" [RD, RS, RT, WQ] Arithmetic F 6 FLOAT "Q := transposed M * T, M with rows S, D.";
    0x2a Mvmadd "mvmadd" [RWD, RS2, RT] Arithmetic F 8 FLOAT "D := D + M * T, M with rows S and the next register.";
    0x2b Mtvmadd "mtvmadd" [RWD, RS2, RT] Arithmetic F 8 FLOAT "D := D + transposed M * T, M with rows S and the next register.";
    0x2c Mvmsub "mvmsub" [RWD, RS2, RT] Arithmetic F 8 FLOAT "D := D - M * T, M with rows S and the next register.";
    0x2d Mtvmsub "mtvmsub" [RWD, RS2, RT] Arithmetic F 8 FLOAT "D := D - transposed M * T, M with rows S and the next register.";
    0x2e Mtrans "mtrans" [WD, RS, RT, WQ] Arithmetic P 0 BITS "D := (S.hi, T.hi), Q := (S.lo, T.lo).";
    0x2f Qsdot "qsdot" [part(Reads::Kept, RWD), RS2, RT2, imm(Kind::Unsigned(MODE))] Arithmetic FPART 7 DOT
        "Dot product of the four floats of S and next with T and next, into D.lo (mode 0) or D.hi (mode 1).";
    0x30 Pscopysign "pscopysign" [WD, RS, RT] Arithmetic F_VE 0 FLOAT "Pairwise magnitude of S with the sign of T.";
    0x31 Psgetexp "psgetexp" [WD, RS] Arithmetic F_VE 0 FLOAT "Pairwise unbiased exponent of S as an integer.";
    0x32 Psgetman "psgetman" [WD, RS] Arithmetic F_VE 0 FLOAT "Pairwise significand of S in [1, 2), with its sign.";
    0x33 Psscale "psscale" [WD, RS, RT] Arithmetic F 2 FLOAT "Pairwise S * 2^T, T an integer (low 9 bits, signed).";
    0x34 Getcoeff "getcoeff" [WD] Arithmetic PC 0 ANGLE "D := coefficient(RIND); then RIND steps.";
    0x40 Add "add" [WD, RS, RT] Arithmetic P 0 BITS "Both halves S + T, 32-bit integers, wrapping.";
    0x41 Sub "sub" [WD, RS, RT] Arithmetic P 0 BITS "Both halves S - T, 32-bit integers, wrapping.";
    0x42 Abs "abs" [WD, RS] Arithmetic P 0 BITS "Both halves |S|; 0x80000000 gives 0x7fffffff.";
    0x43 Neg "neg" [WD, RS] Arithmetic P 0 BITS "Both halves -S; 0x80000000 gives 0x7fffffff.";
    0x44 Addi "addi" [WD, RS, imm(Kind::Signed(IMM12))] Arithmetic P 0 BITS "Both halves S + imm12, wrapping.";
    0x45 Subi "subi" [WD, RS, imm(Kind::Signed(IMM12))] Arithmetic P 0 BITS "Both halves S - imm12, wrapping.";
    0x46 Inci "inci" [RWD, imm(Kind::Signed(IMM18))] Arithmetic P 0 BITS "Both halves D + imm18, wrapping.";
    0x47 Deci "deci" [RWD, imm(Kind::Signed(IMM18))] Arithmetic P 0 BITS "Both halves D - imm18, wrapping.";
    0x48 And "and" [WD, RS, RT] Arithmetic P 0 BITS "D := S and T, 64 bits.";
    0x49 Or "or" [WD, RS, RT] Arithmetic P 0 BITS "D := S or T, 64 bits.";
    0x4a Xor "xor" [WD, RS, RT] Arithmetic P 0 BITS "D := S xor T, 64 bits.";
    0x4b Not "not" [WD, RS] Arithmetic P 0 BITS "D := not S, 64 bits.";
    0x4c Lshift "lshift" [WD, RS, part(Reads::Lo, RT)] Arithmetic P 0 BITS "Logical shift of both halves by T.lo[5:0], signed, positive left.";
    0x4d Lshifti "lshifti" [WD, RS, imm(Kind::Signed(IMM6))] Arithmetic P 0 BITS "Logical shift of both halves by imm6, positive left.";
    0x4e Ashift "ashift" [WD, RS, part(Reads::Lo, RT)] Arithmetic P 0 BITS "Arithmetic shift of both halves by T.lo[5:0], signed, positive left.";
    0x4f Ashifti "ashifti" [WD, RS, imm(Kind::Signed(IMM6))] Arithmetic P 0 BITS "Arithmetic shift of both halves by imm6, positive left.";
    0x58 Pwtops "pwtops" [WD, RS] Arithmetic F_I 0 FLOAT "Pairwise integer to float.";
    0x59 Pstopw "pstopw" [WD, RS] Arithmetic F_IVE 0 FLOAT "Pairwise float to integer; out of range or NaN gives 0x7fffffff.";
    0x5a Split8 "split8" [WD, RS] Arithmetic P 0 BITS "Per half: bits 15:8 of S, sign-extended.";
    0x5b Split16 "split16" [WD, RS] Arithmetic P 0 BITS "Per half: bits 31:16 of S, sign-extended.";
    0x5c Split32 "split32" [WD, part(Reads::Hi, RS)] Arithmetic P 0 BITS "D := (0, S.hi).";
    0x5d Extsign8h "extsign8h" [RWD] Arithmetic P 0 PART "Low byte of each 16-bit quarter of D, sign-extended to 16 bits.";
    0x5e Extsign8w "extsign8w" [RWD] Arithmetic P 0 PART "Low byte of each half of D, sign-extended to 32 bits.";
    0x5f Extsign16w "extsign16w" [RWD] Arithmetic P 0 PART "Low 16 bits of each half of D, sign-extended to 32 bits.";
    0x60 Join8 "join8" [RWD, RS] Arithmetic PPART 0 PART "Per half: ((D & 0xff) | (S << 8)) & 0xffff.";
    0x61 Join16 "join16" [RWD, RS] Arithmetic PPART 0 PART "Per half: (D & 0xffff) | (S << 16).";
    0x62 Join32 "join32" [part(Reads::Lo, RWD), part(Reads::Lo, RS)] Arithmetic PPART 0 PART "D.hi := S.lo.";
    0x63 Unpck16wstops "unpck16wstops" [WD, WS, RT] Arithmetic F_NONE 0 FLOAT
        "Four signed 16-bit integers of T to floats: D from T.hi, S from T.lo.";
    0x70 Recip "recip" [WHALF, RHALF_FLAGS] Arithmetic F_IUZVE 1 FUNCTION "1 / x, from one half of S to one half of D, truncated; flags of both halves of S.";
    0x71 Sinc "sinc" [WHALF, RHALF_FLAGS] Arithmetic F_IVE 1 FUNCTION "sin(pi/2 x) / x for |x| <= 1, truncated; flags of both halves of S.";
    0x72 Atanc "atanc" [WHALF, RHALF] Arithmetic F_IVE 1 FUNCTION "(2/pi) atan(x) / x for |x| <= 1, truncated.";
    0x73 Log2c "log2c" [WHALF, RHALF] Arithmetic F_IVE 1 FUNCTION "log2(x) / (x - 1) for x in [1, 2), truncated.";
    0x74 Exp2 "exp2" [WHALF, RHALF] Arithmetic F 1 FUNCTION "2^x, truncated.";
    0x75 Rsqrt "rsqrt" [WHALF, RHALF] Arithmetic F_IZVE 1 FUNCTION "1 / sqrt(x): recip of the truncated square root.";
    0x78 Rrcossin "rrcossin" [WD, part(Reads::Lo, RS)] Arithmetic F_IVE 2 REDUCE "D := (rrcos(S.lo), rrsin(S.lo)).";
    0x79 Rrsin "rrsin" [WD, RS] Arithmetic F_VE 2 REDUCE "Pairwise argument reduction for the sine, period 4; exact.";
    0x7a Rrcos "rrcos" [WD, RS] Arithmetic F_IVE 2 REDUCE "Pairwise argument reduction for the cosine, period 4; rounded by RM where |x| < 1.";
    0x7b Rrlog2 "rrlog2" [WD, RS, WQ] Arithmetic F_VE 0 REDUCE
        "Pairwise D := significand in [1, 2) with sign, Q := unbiased exponent as a float.";
    0x35 Amtsa "amtsa" [w(Kind::SectionSet(SET)), RHALF] ToAddress P 0 BITS
        "Section address of rK := low bits of a half of S, in every section its own.", needs SECTION_ADDRESSING;
}

operations! {
    /// Exchange and control operations.
    Exch, Exchange,
    0x00 Nop "nop" [] Nop NONE 0 IDLE "No operation.";
    0x01 Move "move" [w(Kind::MoveReg(DREG, DTYP)), r(Kind::MoveReg(SREG, STYP))] Scalar NONE 0 REGISTER
        "Copy between general, control, address and index registers.";
    0x02 Clr "clr" [imm(Kind::AddressSet)] Scalar NONE 0 ADDRESS "An := 0, Nn := 1, Mn := 0x1fff.";
    0x03 Ret "ret" [] Jump CALL 0 FLOW "Return; one delay slot.";
    0x04 Enddo "enddo" [] Jump LOOP 0 FLOW "Forget the innermost hardware loop.";
    0x05 Sync "sync" [] Sync CTL 0 HOST "Wait until everything issued before has completed.";
    0x08 Stopi "stopi" [imm(Kind::Unsigned(IMM13))] Stop CTL 0 HOST "Stop with an immediate stop code.";
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
    0x20 Seti "seti" [w(Kind::SetReg), imm(Kind::Unsigned(SETI_IMM))] Scalar NONE 0 SETTING
        "GPR, An, Nn or Mn := imm16, zero-extended.";
    0x21 Updaddr "updaddr" [OFFSET] Scalar NONE 0 ADDRESS "An steps by the offset.";
    0x22 Updaddrnp "updaddrnp" [PLUS_N] Scalar NONE 0 ADDRESS "An steps by +Nn.";
    0x23 Updaddrnm "updaddrnm" [MINUS_N] Scalar NONE 0 ADDRESS "An steps by -Nn.";
    0x24 Doi "doi" [imm(Kind::Unsigned(CNT10)), TARGET] Loop LOOP 0 FLOW "Hardware loop to the bundle after `end`, immediate count.";
    0x25 Do "do" [RGS, TARGET] Loop LOOP 0 FLOW "Hardware loop to the bundle after `end`, count from a GPR.";
    0x26 Calli "calli" [TARGET] Loop CALL 0 FLOW "Call; one delay slot.";
    0x27 Call "call" [RGS] Loop CALL 0 FLOW "Call the address of a GPR; one delay slot.";
    0x28 Jumpi "jumpi" [TARGET] Jump JMP 0 HOST "Jump; one delay slot.";
    0x29 Jump "jump" [RGS] Jump JMP 0 HOST "Jump to the address of a GPR; one delay slot.";
    0x2e CheckDma "check_dma" [w(Kind::Gpr(GT))] Dma NONE 0 DMA "GPR := DMA state: bit 0 busy, 1 waits for sync, 2 moving data.";
    0x2f StartDma "start_dma" [] Dma NONE 0 DMA "Release a DMA descriptor that waits for sync.";
    0x30 Mtfpr "mtfpr" [W1, r(Kind::GprOrIreg), imm(Kind::Section(SECN, 4))] ToFpr NONE 0 EXCHANGE "FPR of one section, or of all, := GPR or IREG.";
    0x31 Mffpr "mffpr" [w(Kind::GprOrIreg), R1, imm(Kind::Section(SECN, 3))] FromFpr NONE 0 EXCHANGE "GPR or IREG := FPR of one section.";
    0x32 Psprmsgn0 "psprmsgn0" [w(Kind::FprPermute(0)), part(Reads::Moved, R2), SELECT[0], SELECT[1], SELECT[2], SELECT[3]] Permute P 0 EXCHANGE
        "The words of F and next are 0 F.lo, 1 F.hi, 2 next.lo, 3 next.hi; those named become D.lo, D.hi, next D.lo, next D.hi (f0..f32), `-` flips a sign.";
    0x33 Psprmsgn1 "psprmsgn1" [w(Kind::FprPermute(32)), part(Reads::Moved, R2), SELECT[0], SELECT[1], SELECT[2], SELECT[3]] Permute P 0 EXCHANGE
        "The words of F and next are 0 F.lo, 1 F.hi, 2 next.lo, 3 next.hi; those named become D.lo, D.hi, next D.lo, next D.hi (f32..f63), `-` flips a sign.";
    0x34 Lwsa "lwsa" [W1, OWN] Load NONE 0 MEMORY "Load one word, each section at its own address; those step by the offset.", needs SECTION_ADDRESSING;
    0x35 Swsa "swsa" [R1, OWN] Store NONE 0 MEMORY "Store one word, each section at its own address; those step by the offset.", needs SECTION_ADDRESSING;
    0x36 Ldsa "ldsa" [W2, OWN] Load DBL 0 MEMORY "Load two words, each section at its own address; those step by the offset.", needs SECTION_ADDRESSING;
    0x37 Sdsa "sdsa" [R2, OWN] Store DBL 0 MEMORY "Store two words, each section at its own address; those step by the offset.", needs SECTION_ADDRESSING;
    0x38 Setsa "setsa" [WSET, r(Kind::Gpr(GT))] Scalar NONE 0 ADDRESS "Section addresses of rK := GPR, one value in all.", needs SECTION_ADDRESSING;
    0x39 Mtsa "mtsa" [WSET, RADDRESS] ToAddress NONE 0 EXCHANGE "Section address of rK := low bits of a half of an FPR, in every section its own.", needs SECTION_ADDRESSING;
    0x3a Lwfa "lwfa" [W1, part(Reads::Named, r(Kind::FprHalf(FA, FA_HALF)))] Load NONE 0 MEMORY
        "Load one word, each section at the address in the low bits of a half of an FPR.", needs SECTION_ADDRESSING;
    0x2a Mlwsa "mlwsa" [W1, OWN] Load PZERO 0 MEMORY
        "`lwsa` in the sections that the predicate enables; in the others F := 0 and the address stays.", needs SECTION_ADDRESSING | SECTION_COUNTERS;
    0x3c Mldsa "mldsa" [W2, OWN] Load PDBLZERO 0 MEMORY
        "`ldsa` in the sections that the predicate enables; in the others both registers := 0 and the address stays.", needs SECTION_ADDRESSING | SECTION_COUNTERS;
    0x3d Mswsa "mswsa" [R1, OWN] Store P 0 MEMORY
        "`swsa` in the sections that the predicate enables; in the others memory and address stay.", needs SECTION_ADDRESSING | SECTION_COUNTERS;
    0x3e Msdsa "msdsa" [R2, OWN] Store PDBL 0 MEMORY
        "`sdsa` in the sections that the predicate enables; in the others memory and address stay.", needs SECTION_ADDRESSING | SECTION_COUNTERS;
    0x3f Mxfpr "mxfpr" [w(Kind::Gpr(GS)), RADDRESS] FromFpr NONE 0 EXCHANGE
        "GPR := the largest of a half of an FPR in all sections, as unsigned 32-bit numbers.", needs SECTION_COUNTERS;
    0x3b Setq "setq" [WSHARED, r(Kind::Gpr(GT))] Scalar NONE 0 ADDRESS "Shared address of rK := GPR.", needs SHARED_MEMORY;
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
