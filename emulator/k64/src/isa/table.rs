//! The one table: every operation with its encoding, operands and meaning.
//!
//! A row is written once, here. The enum [`Operation`] comes from the rows, and what translates operations
//! matches on it without a catch-all, so a row without a meaning does not compile. Facts: the MIPS64
//! architecture, releases 1 and 2; for coprocessor 2 `[L]`.

use super::operand::Operand;
use super::pattern::Fixed;

/// The release of the architecture that has an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Release {
    /// MIPS64 release 1.
    R1,
    /// MIPS64 release 2.
    #[default]
    R2,
}

/// One operation.
#[derive(Debug)]
pub struct Row {
    /// What it is.
    pub operation: Operation,
    /// From which release on.
    pub release: Release,
    /// Encoding, see [`super::pattern`].
    pub pattern: &'static str,
    /// The fixed bits of the pattern.
    pub fixed: Fixed,
    /// Mnemonic; `?` stands for the relation of a comparison.
    pub name: &'static str,
    /// Operands in the order of the text.
    pub operands: &'static [Operand],
    /// What it does, one line.
    pub doc: &'static str,
    /// Heading that it stands under.
    pub section: &'static str,
}

macro_rules! operations {
    ($($section:literal { $(
        $variant:ident $release:ident $pattern:literal $name:literal [$($operand:ident),*] $doc:literal;
    )* })*) => {
        /// What an instruction is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Operation {
            $($(#[doc = concat!("`", $doc, "`")] $variant,)*)*
        }

        static ROWS: &[Row] = &[$($(Row {
            operation: Operation::$variant,
            release: Release::$release,
            pattern: $pattern,
            fixed: const { Fixed::of($pattern) },
            name: $name,
            operands: &[$(Operand::$operand),*],
            doc: $doc,
            section: $section,
        },)*)*];
    };
}

operations! {
    "Integer arithmetic" {
        Add R1 "000000 sssss ttttt ddddd 00000 100000" "add" [Rd, Rs, Rt]
            "rd = rs + rt in 32 bits, sign-extended; overflow is an exception";
        Addu R1 "000000 sssss ttttt ddddd 00000 100001" "addu" [Rd, Rs, Rt]
            "rd = rs + rt in 32 bits, sign-extended";
        Sub R1 "000000 sssss ttttt ddddd 00000 100010" "sub" [Rd, Rs, Rt]
            "rd = rs - rt in 32 bits, sign-extended; overflow is an exception";
        Subu R1 "000000 sssss ttttt ddddd 00000 100011" "subu" [Rd, Rs, Rt]
            "rd = rs - rt in 32 bits, sign-extended";
        Dadd R1 "000000 sssss ttttt ddddd 00000 101100" "dadd" [Rd, Rs, Rt]
            "rd = rs + rt; overflow is an exception";
        Daddu R1 "000000 sssss ttttt ddddd 00000 101101" "daddu" [Rd, Rs, Rt]
            "rd = rs + rt";
        Dsub R1 "000000 sssss ttttt ddddd 00000 101110" "dsub" [Rd, Rs, Rt]
            "rd = rs - rt; overflow is an exception";
        Dsubu R1 "000000 sssss ttttt ddddd 00000 101111" "dsubu" [Rd, Rs, Rt]
            "rd = rs - rt";
        Addi R1 "001000 sssss ttttt iiiiiiiiiiiiiiii" "addi" [Rt, Rs, Imm]
            "rt = rs + imm in 32 bits, sign-extended; overflow is an exception";
        Addiu R1 "001001 sssss ttttt iiiiiiiiiiiiiiii" "addiu" [Rt, Rs, Imm]
            "rt = rs + imm in 32 bits, sign-extended";
        Daddi R1 "011000 sssss ttttt iiiiiiiiiiiiiiii" "daddi" [Rt, Rs, Imm]
            "rt = rs + imm; overflow is an exception";
        Daddiu R1 "011001 sssss ttttt iiiiiiiiiiiiiiii" "daddiu" [Rt, Rs, Imm]
            "rt = rs + imm";
        And R1 "000000 sssss ttttt ddddd 00000 100100" "and" [Rd, Rs, Rt]
            "rd = rs and rt";
        Or R1 "000000 sssss ttttt ddddd 00000 100101" "or" [Rd, Rs, Rt]
            "rd = rs or rt";
        Xor R1 "000000 sssss ttttt ddddd 00000 100110" "xor" [Rd, Rs, Rt]
            "rd = rs xor rt";
        Nor R1 "000000 sssss ttttt ddddd 00000 100111" "nor" [Rd, Rs, Rt]
            "rd = not (rs or rt)";
        Andi R1 "001100 sssss ttttt iiiiiiiiiiiiiiii" "andi" [Rt, Rs, UImm]
            "rt = rs and imm, zero-extended";
        Ori R1 "001101 sssss ttttt iiiiiiiiiiiiiiii" "ori" [Rt, Rs, UImm]
            "rt = rs or imm, zero-extended";
        Xori R1 "001110 sssss ttttt iiiiiiiiiiiiiiii" "xori" [Rt, Rs, UImm]
            "rt = rs xor imm, zero-extended";
        Lui R1 "001111 00000 ttttt iiiiiiiiiiiiiiii" "lui" [Rt, UImm]
            "rt = imm in bits 31:16, sign-extended";
        Slt R1 "000000 sssss ttttt ddddd 00000 101010" "slt" [Rd, Rs, Rt]
            "rd = 1 if rs < rt, signed, else 0";
        Sltu R1 "000000 sssss ttttt ddddd 00000 101011" "sltu" [Rd, Rs, Rt]
            "rd = 1 if rs < rt, unsigned, else 0";
        Slti R1 "001010 sssss ttttt iiiiiiiiiiiiiiii" "slti" [Rt, Rs, Imm]
            "rt = 1 if rs < imm, signed, else 0";
        Sltiu R1 "001011 sssss ttttt iiiiiiiiiiiiiiii" "sltiu" [Rt, Rs, Imm]
            "rt = 1 if rs < sign-extended imm, unsigned, else 0";
        Clz R1 "011100 sssss ----- ddddd 00000 100000" "clz" [Rd, Rs]
            "rd = number of zero bits above the highest one in rs[31:0]";
        Clo R1 "011100 sssss ----- ddddd 00000 100001" "clo" [Rd, Rs]
            "rd = number of one bits above the highest zero in rs[31:0]";
        Dclz R1 "011100 sssss ----- ddddd 00000 100100" "dclz" [Rd, Rs]
            "rd = number of zero bits above the highest one in rs";
        Dclo R1 "011100 sssss ----- ddddd 00000 100101" "dclo" [Rd, Rs]
            "rd = number of one bits above the highest zero in rs";
        Movz R1 "000000 sssss ttttt ddddd 00000 001010" "movz" [Rd, Rs, Rt]
            "rd = rs if rt is 0";
        Movn R1 "000000 sssss ttttt ddddd 00000 001011" "movn" [Rd, Rs, Rt]
            "rd = rs if rt is not 0";
        Movf R1 "000000 sssss nnn 0 0 ddddd 00000 000001" "movf" [Rd, Rs, Cc]
            "rd = rs if condition cc is false";
        Movt R1 "000000 sssss nnn 0 1 ddddd 00000 000001" "movt" [Rd, Rs, Cc]
            "rd = rs if condition cc is true";
    }
    "Multiplication and division" {
        Mul R1 "011100 sssss ttttt ddddd 00000 000010" "mul" [Rd, Rs, Rt]
            "rd = low 32 bits of rs * rt, sign-extended; HI and LO stay";
        Mult R1 "000000 sssss ttttt 00000 00000 011000" "mult" [Rs, Rt]
            "HI, LO = rs * rt, signed, 32 bits each";
        Multu R1 "000000 sssss ttttt 00000 00000 011001" "multu" [Rs, Rt]
            "HI, LO = rs * rt, unsigned, 32 bits each";
        Dmult R1 "000000 sssss ttttt 00000 00000 011100" "dmult" [Rs, Rt]
            "HI, LO = rs * rt, signed, 64 bits each";
        Dmultu R1 "000000 sssss ttttt 00000 00000 011101" "dmultu" [Rs, Rt]
            "HI, LO = rs * rt, unsigned, 64 bits each";
        Div R1 "000000 sssss ttttt 00000 00000 011010" "div" [Rs, Rt]
            "LO, HI = quotient and remainder of rs and rt, signed, 32 bits";
        Divu R1 "000000 sssss ttttt 00000 00000 011011" "divu" [Rs, Rt]
            "LO, HI = quotient and remainder of rs and rt, unsigned, 32 bits";
        Ddiv R1 "000000 sssss ttttt 00000 00000 011110" "ddiv" [Rs, Rt]
            "LO, HI = quotient and remainder of rs and rt, signed, 64 bits";
        Ddivu R1 "000000 sssss ttttt 00000 00000 011111" "ddivu" [Rs, Rt]
            "LO, HI = quotient and remainder of rs and rt, unsigned, 64 bits";
        Madd R1 "011100 sssss ttttt 00000 00000 000000" "madd" [Rs, Rt]
            "HI, LO = HI, LO + rs * rt, signed, 32 bits each";
        Maddu R1 "011100 sssss ttttt 00000 00000 000001" "maddu" [Rs, Rt]
            "HI, LO = HI, LO + rs * rt, unsigned, 32 bits each";
        Msub R1 "011100 sssss ttttt 00000 00000 000100" "msub" [Rs, Rt]
            "HI, LO = HI, LO - rs * rt, signed, 32 bits each";
        Msubu R1 "011100 sssss ttttt 00000 00000 000101" "msubu" [Rs, Rt]
            "HI, LO = HI, LO - rs * rt, unsigned, 32 bits each";
        Mfhi R1 "000000 00000 00000 ddddd 00000 010000" "mfhi" [Rd]
            "rd = HI";
        Mflo R1 "000000 00000 00000 ddddd 00000 010010" "mflo" [Rd]
            "rd = LO";
        Mthi R1 "000000 sssss 00000 00000 00000 010001" "mthi" [Rs]
            "HI = rs";
        Mtlo R1 "000000 sssss 00000 00000 00000 010011" "mtlo" [Rs]
            "LO = rs";
    }
    "Shifts and bit fields" {
        Sll R1 "000000 00000 ttttt ddddd aaaaa 000000" "sll" [Rd, Rt, Sa]
            "rd = rt[31:0] << sa, sign-extended";
        Srl R1 "000000 00000 ttttt ddddd aaaaa 000010" "srl" [Rd, Rt, Sa]
            "rd = rt[31:0] >> sa with zeros, sign-extended";
        Sra R1 "000000 00000 ttttt ddddd aaaaa 000011" "sra" [Rd, Rt, Sa]
            "rd = rt[31:0] >> sa with signs";
        Dsll R1 "000000 00000 ttttt ddddd aaaaa 111000" "dsll" [Rd, Rt, Sa]
            "rd = rt << sa";
        Dsrl R1 "000000 00000 ttttt ddddd aaaaa 111010" "dsrl" [Rd, Rt, Sa]
            "rd = rt >> sa with zeros";
        Dsra R1 "000000 00000 ttttt ddddd aaaaa 111011" "dsra" [Rd, Rt, Sa]
            "rd = rt >> sa with signs";
        Dsll32 R1 "000000 00000 ttttt ddddd aaaaa 111100" "dsll32" [Rd, Rt, Sa]
            "rd = rt << (sa + 32)";
        Dsrl32 R1 "000000 00000 ttttt ddddd aaaaa 111110" "dsrl32" [Rd, Rt, Sa]
            "rd = rt >> (sa + 32) with zeros";
        Dsra32 R1 "000000 00000 ttttt ddddd aaaaa 111111" "dsra32" [Rd, Rt, Sa]
            "rd = rt >> (sa + 32) with signs";
        Sllv R1 "000000 sssss ttttt ddddd 00000 000100" "sllv" [Rd, Rt, Rs]
            "rd = rt[31:0] << rs[4:0], sign-extended";
        Srlv R1 "000000 sssss ttttt ddddd 00000 000110" "srlv" [Rd, Rt, Rs]
            "rd = rt[31:0] >> rs[4:0] with zeros, sign-extended";
        Srav R1 "000000 sssss ttttt ddddd 00000 000111" "srav" [Rd, Rt, Rs]
            "rd = rt[31:0] >> rs[4:0] with signs";
        Dsllv R1 "000000 sssss ttttt ddddd 00000 010100" "dsllv" [Rd, Rt, Rs]
            "rd = rt << rs[5:0]";
        Dsrlv R1 "000000 sssss ttttt ddddd 00000 010110" "dsrlv" [Rd, Rt, Rs]
            "rd = rt >> rs[5:0] with zeros";
        Dsrav R1 "000000 sssss ttttt ddddd 00000 010111" "dsrav" [Rd, Rt, Rs]
            "rd = rt >> rs[5:0] with signs";
        Rotr R2 "000000 00001 ttttt ddddd aaaaa 000010" "ror" [Rd, Rt, Sa]
            "rd = rt[31:0] rotated right by sa, sign-extended";
        Drotr R2 "000000 00001 ttttt ddddd aaaaa 111010" "dror" [Rd, Rt, Sa]
            "rd = rt rotated right by sa";
        Drotr32 R2 "000000 00001 ttttt ddddd aaaaa 111110" "dror32" [Rd, Rt, Sa]
            "rd = rt rotated right by sa + 32";
        Rotrv R2 "000000 sssss ttttt ddddd 00001 000110" "rorv" [Rd, Rt, Rs]
            "rd = rt[31:0] rotated right by rs[4:0], sign-extended";
        Drotrv R2 "000000 sssss ttttt ddddd 00001 010110" "drorv" [Rd, Rt, Rs]
            "rd = rt rotated right by rs[5:0]";
        Wsbh R2 "011111 00000 ttttt ddddd 00010 100000" "wsbh" [Rd, Rt]
            "rd = bytes swapped within the halves of rt[31:0], sign-extended";
        Seb R2 "011111 00000 ttttt ddddd 10000 100000" "seb" [Rd, Rt]
            "rd = rt[7:0], sign-extended";
        Seh R2 "011111 00000 ttttt ddddd 11000 100000" "seh" [Rd, Rt]
            "rd = rt[15:0], sign-extended";
        Dsbh R2 "011111 00000 ttttt ddddd 00010 100100" "dsbh" [Rd, Rt]
            "rd = bytes swapped within the halves of rt";
        Dshd R2 "011111 00000 ttttt ddddd 00101 100100" "dshd" [Rd, Rt]
            "rd = the four halves of rt in reverse order";
        Ext R2 "011111 sssss ttttt ddddd aaaaa 000000" "ext" [Rt, Rs, Lsb, Size]
            "rt = size bits of rs from lsb, sign-extended from bit 31";
        Dextm R2 "011111 sssss ttttt ddddd aaaaa 000001" "dext" [Rt, Rs, Lsb, SizeUpper]
            "rt = more than 32 bits of rs from lsb";
        Dextu R2 "011111 sssss ttttt ddddd aaaaa 000010" "dext" [Rt, Rs, LsbUpper, Size]
            "rt = size bits of rs from lsb, which is 32 or more";
        Dext R2 "011111 sssss ttttt ddddd aaaaa 000011" "dext" [Rt, Rs, Lsb, Size]
            "rt = size bits of rs from lsb";
        Ins R2 "011111 sssss ttttt ddddd aaaaa 000100" "ins" [Rt, Rs, Lsb, Msb]
            "size bits of rt from lsb = rs, in 32 bits, sign-extended";
        Dinsm R2 "011111 sssss ttttt ddddd aaaaa 000101" "dins" [Rt, Rs, Lsb, MsbUpper]
            "size bits of rt from lsb = rs, ending above bit 31";
        Dinsu R2 "011111 sssss ttttt ddddd aaaaa 000110" "dins" [Rt, Rs, LsbUpper, MsbBoth]
            "size bits of rt from lsb = rs, lsb being 32 or more";
        Dins R2 "011111 sssss ttttt ddddd aaaaa 000111" "dins" [Rt, Rs, Lsb, Msb]
            "size bits of rt from lsb = rs";
    }
    "Branches and jumps" {
        Beq R1 "000100 sssss ttttt iiiiiiiiiiiiiiii" "beq" [Rs, Rt, Branch]
            "branch if rs = rt";
        Bne R1 "000101 sssss ttttt iiiiiiiiiiiiiiii" "bne" [Rs, Rt, Branch]
            "branch if rs is not rt";
        Blez R1 "000110 sssss 00000 iiiiiiiiiiiiiiii" "blez" [Rs, Branch]
            "branch if rs <= 0";
        Bgtz R1 "000111 sssss 00000 iiiiiiiiiiiiiiii" "bgtz" [Rs, Branch]
            "branch if rs > 0";
        Bltz R1 "000001 sssss 00000 iiiiiiiiiiiiiiii" "bltz" [Rs, Branch]
            "branch if rs < 0";
        Bgez R1 "000001 sssss 00001 iiiiiiiiiiiiiiii" "bgez" [Rs, Branch]
            "branch if rs >= 0";
        Bltzal R1 "000001 sssss 10000 iiiiiiiiiiiiiiii" "bltzal" [Rs, Branch]
            "$31 = address after the delay slot; branch if rs < 0";
        Bgezal R1 "000001 sssss 10001 iiiiiiiiiiiiiiii" "bgezal" [Rs, Branch]
            "$31 = address after the delay slot; branch if rs >= 0";
        BeqLikely R1 "010100 sssss ttttt iiiiiiiiiiiiiiii" "beql" [Rs, Rt, Branch]
            "branch if rs = rt; if not taken, the delay slot does nothing";
        BneLikely R1 "010101 sssss ttttt iiiiiiiiiiiiiiii" "bnel" [Rs, Rt, Branch]
            "branch if rs is not rt; if not taken, the delay slot does nothing";
        BlezLikely R1 "010110 sssss 00000 iiiiiiiiiiiiiiii" "blezl" [Rs, Branch]
            "branch if rs <= 0; if not taken, the delay slot does nothing";
        BgtzLikely R1 "010111 sssss 00000 iiiiiiiiiiiiiiii" "bgtzl" [Rs, Branch]
            "branch if rs > 0; if not taken, the delay slot does nothing";
        BltzLikely R1 "000001 sssss 00010 iiiiiiiiiiiiiiii" "bltzl" [Rs, Branch]
            "branch if rs < 0; if not taken, the delay slot does nothing";
        BgezLikely R1 "000001 sssss 00011 iiiiiiiiiiiiiiii" "bgezl" [Rs, Branch]
            "branch if rs >= 0; if not taken, the delay slot does nothing";
        BltzalLikely R1 "000001 sssss 10010 iiiiiiiiiiiiiiii" "bltzall" [Rs, Branch]
            "$31 = address after the delay slot; branch if rs < 0; if not taken, the delay slot does nothing";
        BgezalLikely R1 "000001 sssss 10011 iiiiiiiiiiiiiiii" "bgezall" [Rs, Branch]
            "$31 = address after the delay slot; branch if rs >= 0; if not taken, the delay slot does nothing";
        J R1 "000010 jjjjjjjjjjjjjjjjjjjjjjjjjj" "j" [Jump]
            "jump";
        Jal R1 "000011 jjjjjjjjjjjjjjjjjjjjjjjjjj" "jal" [Jump]
            "$31 = address after the delay slot; jump";
        Jr R1 "000000 sssss 00000 00000 00000 001000" "jr" [Rs]
            "jump to rs";
        JrHb R2 "000000 sssss 00000 00000 10000 001000" "jr.hb" [Rs]
            "jump to rs; hazards are settled";
        Jalr R1 "000000 sssss 00000 ddddd 00000 001001" "jalr" [Rd, Rs]
            "rd = address after the delay slot; jump to rs";
        JalrHb R2 "000000 sssss 00000 ddddd 10000 001001" "jalr.hb" [Rd, Rs]
            "as jalr; hazards are settled";
    }
    "Loads and stores" {
        Lb R1 "100000 sssss ttttt iiiiiiiiiiiiiiii" "lb" [Rt, Memory]
            "rt = byte, sign-extended";
        Lh R1 "100001 sssss ttttt iiiiiiiiiiiiiiii" "lh" [Rt, Memory]
            "rt = half, sign-extended";
        Lwl R1 "100010 sssss ttttt iiiiiiiiiiiiiiii" "lwl" [Rt, Memory]
            "left part of an unaligned word into the upper bytes of rt[31:0]";
        Lw R1 "100011 sssss ttttt iiiiiiiiiiiiiiii" "lw" [Rt, Memory]
            "rt = word, sign-extended";
        Lbu R1 "100100 sssss ttttt iiiiiiiiiiiiiiii" "lbu" [Rt, Memory]
            "rt = byte, zero-extended";
        Lhu R1 "100101 sssss ttttt iiiiiiiiiiiiiiii" "lhu" [Rt, Memory]
            "rt = half, zero-extended";
        Lwr R1 "100110 sssss ttttt iiiiiiiiiiiiiiii" "lwr" [Rt, Memory]
            "right part of an unaligned word into the lower bytes of rt[31:0]";
        Lwu R1 "100111 sssss ttttt iiiiiiiiiiiiiiii" "lwu" [Rt, Memory]
            "rt = word, zero-extended";
        Ldl R1 "011010 sssss ttttt iiiiiiiiiiiiiiii" "ldl" [Rt, Memory]
            "left part of an unaligned doubleword into the upper bytes of rt";
        Ldr R1 "011011 sssss ttttt iiiiiiiiiiiiiiii" "ldr" [Rt, Memory]
            "right part of an unaligned doubleword into the lower bytes of rt";
        Ld R1 "110111 sssss ttttt iiiiiiiiiiiiiiii" "ld" [Rt, Memory]
            "rt = doubleword";
        Ll R1 "110000 sssss ttttt iiiiiiiiiiiiiiii" "ll" [Rt, Memory]
            "rt = word, sign-extended; begins an atomic sequence";
        Lld R1 "110100 sssss ttttt iiiiiiiiiiiiiiii" "lld" [Rt, Memory]
            "rt = doubleword; begins an atomic sequence";
        Sb R1 "101000 sssss ttttt iiiiiiiiiiiiiiii" "sb" [Rt, Memory]
            "byte = rt";
        Sh R1 "101001 sssss ttttt iiiiiiiiiiiiiiii" "sh" [Rt, Memory]
            "half = rt";
        Swl R1 "101010 sssss ttttt iiiiiiiiiiiiiiii" "swl" [Rt, Memory]
            "left part of an unaligned word = upper bytes of rt[31:0]";
        Sw R1 "101011 sssss ttttt iiiiiiiiiiiiiiii" "sw" [Rt, Memory]
            "word = rt";
        Sdl R1 "101100 sssss ttttt iiiiiiiiiiiiiiii" "sdl" [Rt, Memory]
            "left part of an unaligned doubleword = upper bytes of rt";
        Sdr R1 "101101 sssss ttttt iiiiiiiiiiiiiiii" "sdr" [Rt, Memory]
            "right part of an unaligned doubleword = lower bytes of rt";
        Swr R1 "101110 sssss ttttt iiiiiiiiiiiiiiii" "swr" [Rt, Memory]
            "right part of an unaligned word = lower bytes of rt[31:0]";
        Sd R1 "111111 sssss ttttt iiiiiiiiiiiiiiii" "sd" [Rt, Memory]
            "doubleword = rt";
        Sc R1 "111000 sssss ttttt iiiiiiiiiiiiiiii" "sc" [Rt, Memory]
            "word = rt if the sequence is still atomic; rt = 1 if so, else 0";
        Scd R1 "111100 sssss ttttt iiiiiiiiiiiiiiii" "scd" [Rt, Memory]
            "doubleword = rt if the sequence is still atomic; rt = 1 if so, else 0";
        Pref R1 "110011 sssss hhhhh iiiiiiiiiiiiiiii" "pref" [Hint, Memory]
            "a hint about the line at the address; nothing is loaded";
        Cache R1 "101111 sssss hhhhh iiiiiiiiiiiiiiii" "cache" [CacheOp, Memory]
            "operation on the cache line at the address; needs coprocessor 0";
        Synci R2 "000001 sssss 11111 iiiiiiiiiiiiiiii" "synci" [Memory]
            "instructions at the address are as stored before";
        Sync R1 "000000 00000 00000 00000 yyyyy 001111" "sync" [Stype]
            "loads and stores before it are seen before those after it";
    }
    "Traps and the system" {
        Tge R1 "000000 sssss ttttt xxxxxxxxxx 110000" "tge" [Rs, Rt, TrapCode]
            "exception if rs >= rt, signed";
        Tgeu R1 "000000 sssss ttttt xxxxxxxxxx 110001" "tgeu" [Rs, Rt, TrapCode]
            "exception if rs >= rt, unsigned";
        Tlt R1 "000000 sssss ttttt xxxxxxxxxx 110010" "tlt" [Rs, Rt, TrapCode]
            "exception if rs < rt, signed";
        Tltu R1 "000000 sssss ttttt xxxxxxxxxx 110011" "tltu" [Rs, Rt, TrapCode]
            "exception if rs < rt, unsigned";
        Teq R1 "000000 sssss ttttt xxxxxxxxxx 110100" "teq" [Rs, Rt, TrapCode]
            "exception if rs = rt";
        Tne R1 "000000 sssss ttttt xxxxxxxxxx 110110" "tne" [Rs, Rt, TrapCode]
            "exception if rs is not rt";
        Tgei R1 "000001 sssss 01000 iiiiiiiiiiiiiiii" "tgei" [Rs, Imm]
            "exception if rs >= imm, signed";
        Tgeiu R1 "000001 sssss 01001 iiiiiiiiiiiiiiii" "tgeiu" [Rs, Imm]
            "exception if rs >= imm, unsigned";
        Tlti R1 "000001 sssss 01010 iiiiiiiiiiiiiiii" "tlti" [Rs, Imm]
            "exception if rs < imm, signed";
        Tltiu R1 "000001 sssss 01011 iiiiiiiiiiiiiiii" "tltiu" [Rs, Imm]
            "exception if rs < imm, unsigned";
        Teqi R1 "000001 sssss 01100 iiiiiiiiiiiiiiii" "teqi" [Rs, Imm]
            "exception if rs = imm";
        Tnei R1 "000001 sssss 01110 iiiiiiiiiiiiiiii" "tnei" [Rs, Imm]
            "exception if rs is not imm";
        Syscall R1 "000000 xxxxxxxxxxxxxxxxxxxx 001100" "syscall" [SyscallCode]
            "system call";
        Break R1 "000000 xxxxxxxxxxxxxxxxxxxx 001101" "break" [Code]
            "breakpoint";
        Rdhwr R2 "011111 00000 ttttt ccccc 00000 111011" "rdhwr" [Rt, Hwr]
            "rt = hardware register: 0 processor, 1 step of synci, 2 cycles, 3 their resolution, 29 thread pointer";
        Mfc0 R1 "010000 00000 ttttt ccccc 00000000 eee" "mfc0" [Rt, C0]
            "rt = low word of a register of coprocessor 0, sign-extended";
        Dmfc0 R1 "010000 00001 ttttt ccccc 00000000 eee" "dmfc0" [Rt, C0]
            "rt = register of coprocessor 0";
        Mtc0 R1 "010000 00100 ttttt ccccc 00000000 eee" "mtc0" [Rt, C0]
            "register of coprocessor 0 = rt[31:0]";
        Dmtc0 R1 "010000 00101 ttttt ccccc 00000000 eee" "dmtc0" [Rt, C0]
            "register of coprocessor 0 = rt";
        Di R2 "010000 01011 ttttt 01100 00000 000000" "di" [Rt]
            "rt = Status; interrupts are off";
        Ei R2 "010000 01011 ttttt 01100 00000 100000" "ei" [Rt]
            "rt = Status; interrupts are on";
        Tlbr R1 "010000 1 0000000000000000000 000001" "tlbr" []
            "EntryHi, EntryLo, PageMask = TLB entry Index";
        Tlbwi R1 "010000 1 0000000000000000000 000010" "tlbwi" []
            "TLB entry Index = EntryHi, EntryLo, PageMask";
        Tlbwr R1 "010000 1 0000000000000000000 000110" "tlbwr" []
            "TLB entry Random = EntryHi, EntryLo, PageMask";
        Tlbp R1 "010000 1 0000000000000000000 001000" "tlbp" []
            "Index = TLB entry that EntryHi hits, negative if none";
        Eret R1 "010000 1 0000000000000000000 011000" "eret" []
            "return from an exception";
        Wait R1 "010000 1 xxxxxxxxxxxxxxxxxxx 100000" "wait" [WaitCode]
            "wait for an interrupt";
    }
    "Floating point: loads, stores, moves" {
        Lwc1 R1 "110001 sssss TTTTT iiiiiiiiiiiiiiii" "lwc1" [Ft, Memory]
            "ft[31:0] = word";
        Ldc1 R1 "110101 sssss TTTTT iiiiiiiiiiiiiiii" "ldc1" [Ft, Memory]
            "ft = doubleword";
        Swc1 R1 "111001 sssss TTTTT iiiiiiiiiiiiiiii" "swc1" [Ft, Memory]
            "word = ft[31:0]";
        Sdc1 R1 "111101 sssss TTTTT iiiiiiiiiiiiiiii" "sdc1" [Ft, Memory]
            "doubleword = ft";
        Lwxc1 R1 "010011 sssss ttttt 00000 DDDDD 000000" "lwxc1" [Fd, Indexed]
            "fd[31:0] = word at base + index";
        Ldxc1 R1 "010011 sssss ttttt 00000 DDDDD 000001" "ldxc1" [Fd, Indexed]
            "fd = doubleword at base + index";
        Luxc1 R1 "010011 sssss ttttt 00000 DDDDD 000101" "luxc1" [Fd, Indexed]
            "fd = doubleword at base + index without its low three bits";
        Swxc1 R1 "010011 sssss ttttt SSSSS 00000 001000" "swxc1" [Fs, Indexed]
            "word at base + index = fs[31:0]";
        Sdxc1 R1 "010011 sssss ttttt SSSSS 00000 001001" "sdxc1" [Fs, Indexed]
            "doubleword at base + index = fs";
        Suxc1 R1 "010011 sssss ttttt SSSSS 00000 001101" "suxc1" [Fs, Indexed]
            "doubleword at base + index without its low three bits = fs";
        Prefx R1 "010011 sssss ttttt hhhhh 00000 001111" "prefx" [HintX, Indexed]
            "a hint about the line at base + index";
        Mfc1 R1 "010001 00000 ttttt SSSSS 00000000000" "mfc1" [Rt, Fs]
            "rt = fs[31:0], sign-extended";
        Dmfc1 R1 "010001 00001 ttttt SSSSS 00000000000" "dmfc1" [Rt, Fs]
            "rt = fs";
        Mfhc1 R2 "010001 00011 ttttt SSSSS 00000000000" "mfhc1" [Rt, Fs]
            "rt = fs[63:32], sign-extended";
        Mtc1 R1 "010001 00100 ttttt SSSSS 00000000000" "mtc1" [Rt, Fs]
            "fs[31:0] = rt";
        Dmtc1 R1 "010001 00101 ttttt SSSSS 00000000000" "dmtc1" [Rt, Fs]
            "fs = rt";
        Mthc1 R2 "010001 00111 ttttt SSSSS 00000000000" "mthc1" [Rt, Fs]
            "fs[63:32] = rt";
        Cfc1 R1 "010001 00010 ttttt ccccc 00000000000" "cfc1" [Rt, Fcr]
            "rt = control register of the FPU";
        Ctc1 R1 "010001 00110 ttttt ccccc 00000000000" "ctc1" [Rt, Fcr]
            "control register of the FPU = rt";
        Bc1f R1 "010001 01000 nnn 00 iiiiiiiiiiiiiiii" "bc1f" [CcOrNone, Branch]
            "branch if condition cc is false";
        Bc1t R1 "010001 01000 nnn 01 iiiiiiiiiiiiiiii" "bc1t" [CcOrNone, Branch]
            "branch if condition cc is true";
        Bc1fLikely R1 "010001 01000 nnn 10 iiiiiiiiiiiiiiii" "bc1fl" [CcOrNone, Branch]
            "branch if condition cc is false; if not, the delay slot does nothing";
        Bc1tLikely R1 "010001 01000 nnn 11 iiiiiiiiiiiiiiii" "bc1tl" [CcOrNone, Branch]
            "branch if condition cc is true; if not, the delay slot does nothing";
    }
    "Floating point: single precision" {
        AddS R1 "010001 10000 TTTTT SSSSS DDDDD 000000" "add.s" [Fd, Fs, Ft]
            "fd = fs + ft";
        SubS R1 "010001 10000 TTTTT SSSSS DDDDD 000001" "sub.s" [Fd, Fs, Ft]
            "fd = fs - ft";
        MulS R1 "010001 10000 TTTTT SSSSS DDDDD 000010" "mul.s" [Fd, Fs, Ft]
            "fd = fs * ft";
        DivS R1 "010001 10000 TTTTT SSSSS DDDDD 000011" "div.s" [Fd, Fs, Ft]
            "fd = fs / ft";
        SqrtS R1 "010001 10000 00000 SSSSS DDDDD 000100" "sqrt.s" [Fd, Fs]
            "fd = square root of fs";
        AbsS R1 "010001 10000 00000 SSSSS DDDDD 000101" "abs.s" [Fd, Fs]
            "fd = fs without its sign; no exception";
        MovS R1 "010001 10000 00000 SSSSS DDDDD 000110" "mov.s" [Fd, Fs]
            "fd = fs";
        NegS R1 "010001 10000 00000 SSSSS DDDDD 000111" "neg.s" [Fd, Fs]
            "fd = fs with the other sign; no exception";
        RecipS R1 "010001 10000 00000 SSSSS DDDDD 010101" "recip.s" [Fd, Fs]
            "fd = 1 / fs";
        RsqrtS R1 "010001 10000 00000 SSSSS DDDDD 010110" "rsqrt.s" [Fd, Fs]
            "fd = 1 / square root of fs, both rounded";
        RoundLS R1 "010001 10000 00000 SSSSS DDDDD 001000" "round.l.s" [Fd, Fs]
            "fd = fs to a 64-bit integer, to nearest";
        TruncLS R1 "010001 10000 00000 SSSSS DDDDD 001001" "trunc.l.s" [Fd, Fs]
            "fd = fs to a 64-bit integer, toward zero";
        CeilLS R1 "010001 10000 00000 SSSSS DDDDD 001010" "ceil.l.s" [Fd, Fs]
            "fd = fs to a 64-bit integer, upward";
        FloorLS R1 "010001 10000 00000 SSSSS DDDDD 001011" "floor.l.s" [Fd, Fs]
            "fd = fs to a 64-bit integer, downward";
        RoundWS R1 "010001 10000 00000 SSSSS DDDDD 001100" "round.w.s" [Fd, Fs]
            "fd = fs to a 32-bit integer, to nearest";
        TruncWS R1 "010001 10000 00000 SSSSS DDDDD 001101" "trunc.w.s" [Fd, Fs]
            "fd = fs to a 32-bit integer, toward zero";
        CeilWS R1 "010001 10000 00000 SSSSS DDDDD 001110" "ceil.w.s" [Fd, Fs]
            "fd = fs to a 32-bit integer, upward";
        FloorWS R1 "010001 10000 00000 SSSSS DDDDD 001111" "floor.w.s" [Fd, Fs]
            "fd = fs to a 32-bit integer, downward";
        CvtWS R1 "010001 10000 00000 SSSSS DDDDD 100100" "cvt.w.s" [Fd, Fs]
            "fd = fs to a 32-bit integer, by the rounding mode";
        CvtLS R1 "010001 10000 00000 SSSSS DDDDD 100101" "cvt.l.s" [Fd, Fs]
            "fd = fs to a 64-bit integer, by the rounding mode";
        MovzS R1 "010001 10000 ttttt SSSSS DDDDD 010010" "movz.s" [Fd, Fs, Rt]
            "fd = fs if rt is 0";
        MovnS R1 "010001 10000 ttttt SSSSS DDDDD 010011" "movn.s" [Fd, Fs, Rt]
            "fd = fs if rt is not 0";
        MovfS R1 "010001 10000 nnn 00 SSSSS DDDDD 010001" "movf.s" [Fd, Fs, Cc]
            "fd = fs if condition cc is false";
        MovtS R1 "010001 10000 nnn 01 SSSSS DDDDD 010001" "movt.s" [Fd, Fs, Cc]
            "fd = fs if condition cc is true";
        CS R1 "010001 10000 TTTTT SSSSS nnn 00 11kkkk" "c.?.s" [CcOut, Fs, Ft]
            "condition cc = fs related to ft";
        MaddS R1 "010011 RRRRR TTTTT SSSSS DDDDD 100000" "madd.s" [Fd, Fr, Fs, Ft]
            "fd = fs * ft + fr; product and sum are rounded each";
        MsubS R1 "010011 RRRRR TTTTT SSSSS DDDDD 101000" "msub.s" [Fd, Fr, Fs, Ft]
            "fd = fs * ft - fr; product and sum are rounded each";
        NmaddS R1 "010011 RRRRR TTTTT SSSSS DDDDD 110000" "nmadd.s" [Fd, Fr, Fs, Ft]
            "fd = -(fs * ft + fr); product and sum are rounded each";
        NmsubS R1 "010011 RRRRR TTTTT SSSSS DDDDD 111000" "nmsub.s" [Fd, Fr, Fs, Ft]
            "fd = -(fs * ft - fr); product and sum are rounded each";
    }
    "Floating point: double precision" {
        AddD R1 "010001 10001 TTTTT SSSSS DDDDD 000000" "add.d" [Fd, Fs, Ft]
            "fd = fs + ft";
        SubD R1 "010001 10001 TTTTT SSSSS DDDDD 000001" "sub.d" [Fd, Fs, Ft]
            "fd = fs - ft";
        MulD R1 "010001 10001 TTTTT SSSSS DDDDD 000010" "mul.d" [Fd, Fs, Ft]
            "fd = fs * ft";
        DivD R1 "010001 10001 TTTTT SSSSS DDDDD 000011" "div.d" [Fd, Fs, Ft]
            "fd = fs / ft";
        SqrtD R1 "010001 10001 00000 SSSSS DDDDD 000100" "sqrt.d" [Fd, Fs]
            "fd = square root of fs";
        AbsD R1 "010001 10001 00000 SSSSS DDDDD 000101" "abs.d" [Fd, Fs]
            "fd = fs without its sign; no exception";
        MovD R1 "010001 10001 00000 SSSSS DDDDD 000110" "mov.d" [Fd, Fs]
            "fd = fs";
        NegD R1 "010001 10001 00000 SSSSS DDDDD 000111" "neg.d" [Fd, Fs]
            "fd = fs with the other sign; no exception";
        RecipD R1 "010001 10001 00000 SSSSS DDDDD 010101" "recip.d" [Fd, Fs]
            "fd = 1 / fs";
        RsqrtD R1 "010001 10001 00000 SSSSS DDDDD 010110" "rsqrt.d" [Fd, Fs]
            "fd = 1 / square root of fs, both rounded";
        RoundLD R1 "010001 10001 00000 SSSSS DDDDD 001000" "round.l.d" [Fd, Fs]
            "fd = fs to a 64-bit integer, to nearest";
        TruncLD R1 "010001 10001 00000 SSSSS DDDDD 001001" "trunc.l.d" [Fd, Fs]
            "fd = fs to a 64-bit integer, toward zero";
        CeilLD R1 "010001 10001 00000 SSSSS DDDDD 001010" "ceil.l.d" [Fd, Fs]
            "fd = fs to a 64-bit integer, upward";
        FloorLD R1 "010001 10001 00000 SSSSS DDDDD 001011" "floor.l.d" [Fd, Fs]
            "fd = fs to a 64-bit integer, downward";
        RoundWD R1 "010001 10001 00000 SSSSS DDDDD 001100" "round.w.d" [Fd, Fs]
            "fd = fs to a 32-bit integer, to nearest";
        TruncWD R1 "010001 10001 00000 SSSSS DDDDD 001101" "trunc.w.d" [Fd, Fs]
            "fd = fs to a 32-bit integer, toward zero";
        CeilWD R1 "010001 10001 00000 SSSSS DDDDD 001110" "ceil.w.d" [Fd, Fs]
            "fd = fs to a 32-bit integer, upward";
        FloorWD R1 "010001 10001 00000 SSSSS DDDDD 001111" "floor.w.d" [Fd, Fs]
            "fd = fs to a 32-bit integer, downward";
        CvtWD R1 "010001 10001 00000 SSSSS DDDDD 100100" "cvt.w.d" [Fd, Fs]
            "fd = fs to a 32-bit integer, by the rounding mode";
        CvtLD R1 "010001 10001 00000 SSSSS DDDDD 100101" "cvt.l.d" [Fd, Fs]
            "fd = fs to a 64-bit integer, by the rounding mode";
        MovzD R1 "010001 10001 ttttt SSSSS DDDDD 010010" "movz.d" [Fd, Fs, Rt]
            "fd = fs if rt is 0";
        MovnD R1 "010001 10001 ttttt SSSSS DDDDD 010011" "movn.d" [Fd, Fs, Rt]
            "fd = fs if rt is not 0";
        MovfD R1 "010001 10001 nnn 00 SSSSS DDDDD 010001" "movf.d" [Fd, Fs, Cc]
            "fd = fs if condition cc is false";
        MovtD R1 "010001 10001 nnn 01 SSSSS DDDDD 010001" "movt.d" [Fd, Fs, Cc]
            "fd = fs if condition cc is true";
        CD R1 "010001 10001 TTTTT SSSSS nnn 00 11kkkk" "c.?.d" [CcOut, Fs, Ft]
            "condition cc = fs related to ft";
        MaddD R1 "010011 RRRRR TTTTT SSSSS DDDDD 100001" "madd.d" [Fd, Fr, Fs, Ft]
            "fd = fs * ft + fr; product and sum are rounded each";
        MsubD R1 "010011 RRRRR TTTTT SSSSS DDDDD 101001" "msub.d" [Fd, Fr, Fs, Ft]
            "fd = fs * ft - fr; product and sum are rounded each";
        NmaddD R1 "010011 RRRRR TTTTT SSSSS DDDDD 110001" "nmadd.d" [Fd, Fr, Fs, Ft]
            "fd = -(fs * ft + fr); product and sum are rounded each";
        NmsubD R1 "010011 RRRRR TTTTT SSSSS DDDDD 111001" "nmsub.d" [Fd, Fr, Fs, Ft]
            "fd = -(fs * ft - fr); product and sum are rounded each";
    }
    "Floating point: conversions between formats" {
        CvtSD R1 "010001 10001 00000 SSSSS DDDDD 100000" "cvt.s.d" [Fd, Fs]
            "fd = fs, double precision, to single precision";
        CvtSW R1 "010001 10100 00000 SSSSS DDDDD 100000" "cvt.s.w" [Fd, Fs]
            "fd = fs, 32-bit integer, to single precision";
        CvtSL R1 "010001 10101 00000 SSSSS DDDDD 100000" "cvt.s.l" [Fd, Fs]
            "fd = fs, 64-bit integer, to single precision";
        CvtDS R1 "010001 10000 00000 SSSSS DDDDD 100001" "cvt.d.s" [Fd, Fs]
            "fd = fs, single precision, to double precision";
        CvtDW R1 "010001 10100 00000 SSSSS DDDDD 100001" "cvt.d.w" [Fd, Fs]
            "fd = fs, 32-bit integer, to double precision";
        CvtDL R1 "010001 10101 00000 SSSSS DDDDD 100001" "cvt.d.l" [Fd, Fs]
            "fd = fs, 64-bit integer, to double precision";
    }
    "Coprocessor 2" {
        Mfc2 R1 "010010 00000 ttttt ccccc 00000000000" "mfc2" [Rt, C2]
            "rt = low word of register n of CP2, high word of n - 16; sign-extended";
        Dmfc2 R1 "010010 00001 ttttt ccccc 00000000000" "dmfc2" [Rt, C2]
            "rt = register of CP2";
        Mtc2 R1 "010010 00100 ttttt ccccc 00000000000" "mtc2" [Rt, C2]
            "register of CP2 = buffer and rt; register 31 is the buffer";
        Dmtc2 R1 "010010 00101 ttttt ccccc 00000000000" "dmtc2" [Rt, C2]
            "register of CP2 = rt; 0 pushes to the FIFO";
        Bc2f R1 "010010 01000 nnn 00 iiiiiiiiiiiiiiii" "bc2f" [Cc2, Branch]
            "branch if condition cc of CP2 is false; condition 0: the FIFO is full";
        Bc2t R1 "010010 01000 nnn 01 iiiiiiiiiiiiiiii" "bc2t" [Cc2, Branch]
            "branch if condition cc of CP2 is true";
        Lwc2 R1 "110010 sssss TTTTT iiiiiiiiiiiiiiii" "lwc2" [C2t, Memory]
            "buffer of CP2 = word";
        Ldc2 R1 "110110 sssss TTTTT iiiiiiiiiiiiiiii" "ldc2" [C2t, Memory]
            "doubleword to the FIFO, to be stored in IRAM";
    }
}

/// Every operation.
#[must_use]
pub fn rows() -> &'static [Row] {
    ROWS
}

impl Operation {
    /// Its row.
    #[must_use]
    pub fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::rows;
    use crate::isa::pattern::bits_of;

    #[test]
    fn every_letter_of_a_pattern_is_an_operand_and_the_other_way_round() {
        for row in rows() {
            let letters: String = row.operands.iter().map(|o| o.letter()).collect();
            for letter in letters.chars() {
                assert_ne!(bits_of(row.pattern, letter), 0, "{}: {letter}", row.name);
            }
            // Relation and select are part of another operand, codes may be there for software alone.
            for letter in row.pattern.chars().filter(|c| !" 01-kex".contains(*c)) {
                assert!(letters.contains(letter), "{}: {letter}", row.name);
            }
        }
    }

    #[test]
    fn no_word_is_two_operations() {
        for (i, a) in rows().iter().enumerate() {
            for b in &rows()[i + 1..] {
                let both = a.fixed.mask & b.fixed.mask;
                assert_ne!(a.fixed.value & both, b.fixed.value & both, "{} and {}", a.name, b.name);
            }
        }
    }

    #[test]
    fn a_row_stands_where_its_operation_says() {
        for (i, row) in rows().iter().enumerate() {
            assert_eq!(row.operation as usize, i);
        }
    }
}
