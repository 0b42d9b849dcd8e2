//! Rows of floating-point operations.

/// Puts these rows behind those that are given, and hands all to the next macro of a list.
macro_rules! floating_rows {
    ($next:ident $($others:ident)*; $($before:tt)*) => {
        $next! { $($others)*; $($before)*
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
        }
    };
}
