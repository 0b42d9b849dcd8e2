//! Rows of the arithmetic half of a bundle.

use super::shorthand::*;
use super::{Extensions, Row, Slot, Unit};
use crate::field::fields::{CC1, IMM6, IMM12, IMM18, MODE, SET};
use crate::operand::{OperandKind, Reads};
use crate::source;
use serde::{Deserialize, Serialize};

operations! {
    /// Operation of the arithmetic half of a bundle (bits 63:32), such as a sum, a product or a comparison. Its row in
    /// the table of operations ([`Self::row`]) tells the rest.
    Arith, Arithmetic,
    "D, S, T and Q are the 64-bit floating-point registers that the operation names, `hi` their bits 63:32 and `lo` bits \
     31:0. Complex numbers have the real part in `hi`; pairwise is for each half on its own; `imm` is an immediate.",
    0x00 Nop "nop" [] Nop NONE 0 NOTHING "No operation.";
    0x02 C "c" [imm(OperandKind::Condition), imm(OperandKind::Format), w(OperandKind::Cc(CC1)), CS, CT] Arithmetic P 0 COMPARE
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
    0x0e Mfc "mfc" [WD, r(OperandKind::Creg)] Creg P 0 CREG "D := (0, FCSR or FCCR).";
    0x0f Mtc "mtc" [part(Reads::Lo, RD), w(OperandKind::Creg)] Creg P 0 CREG "FCSR or FCCR := D.lo.";
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
    0x2f Qsdot "qsdot" [part(Reads::Kept, RWD), RS2, RT2, imm(OperandKind::Unsigned(MODE))] Arithmetic FPART 7 DOT
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
    0x44 Addi "addi" [WD, RS, imm(OperandKind::Signed(IMM12))] Arithmetic P 0 BITS "Both halves S + imm12, wrapping.";
    0x45 Subi "subi" [WD, RS, imm(OperandKind::Signed(IMM12))] Arithmetic P 0 BITS "Both halves S - imm12, wrapping.";
    0x46 Inci "inci" [RWD, imm(OperandKind::Signed(IMM18))] Arithmetic P 0 BITS "Both halves D + imm18, wrapping.";
    0x47 Deci "deci" [RWD, imm(OperandKind::Signed(IMM18))] Arithmetic P 0 BITS "Both halves D - imm18, wrapping.";
    0x48 And "and" [WD, RS, RT] Arithmetic P 0 BITS "D := S and T, 64 bits.";
    0x49 Or "or" [WD, RS, RT] Arithmetic P 0 BITS "D := S or T, 64 bits.";
    0x4a Xor "xor" [WD, RS, RT] Arithmetic P 0 BITS "D := S xor T, 64 bits.";
    0x4b Not "not" [WD, RS] Arithmetic P 0 BITS "D := not S, 64 bits.";
    0x4c Lshift "lshift" [WD, RS, part(Reads::Lo, RT)] Arithmetic P 0 BITS "Logical shift of both halves by T.lo[5:0], signed, positive left.";
    0x4d Lshifti "lshifti" [WD, RS, imm(OperandKind::Signed(IMM6))] Arithmetic P 0 BITS "Logical shift of both halves by imm6, positive left.";
    0x4e Ashift "ashift" [WD, RS, part(Reads::Lo, RT)] Arithmetic P 0 BITS "Arithmetic shift of both halves by T.lo[5:0], signed, positive left.";
    0x4f Ashifti "ashifti" [WD, RS, imm(OperandKind::Signed(IMM6))] Arithmetic P 0 BITS "Arithmetic shift of both halves by imm6, positive left.";
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
    0x35 Amtsa "amtsa" [w(OperandKind::SectionSet(SET)), RHALF] ToAddress P 0 BITS
        "Section address of rK := low bits of a half of S, in every section its own.", needs SECTION_ADDRESSING;
}
