//! Rows of operations on general registers: arithmetic, multiplication and division, shifts and bit fields.

/// Puts these rows behind those that are given, and hands all to the next macro of a list.
macro_rules! integer_rows {
    ($next:ident $($others:ident)*; $($before:tt)*) => {
        $next! { $($others)*; $($before)*
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
        }
    };
}
