//! Rows of operations for coprocessor 2.

/// Puts these rows behind those that are given, and hands all to the next macro of a list.
macro_rules! coprocessor_rows {
    ($next:ident $($others:ident)*; $($before:tt)*) => {
        $next! { $($others)*; $($before)*
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
    };
}
