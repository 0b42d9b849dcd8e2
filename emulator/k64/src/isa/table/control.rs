//! Rows of branches and jumps, loads and stores, traps and the system.

/// Puts these rows behind those that are given, and hands all to the next macro of a list.
macro_rules! control_rows {
    ($next:ident $($others:ident)*; $($before:tt)*) => {
        $next! { $($others)*; $($before)*
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
        }
    };
}
