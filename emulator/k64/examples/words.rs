//! Words of every operation with fields at random, one in hexadecimal per line, for `tests/disassembly.sh`.

use cp2_k64::isa::rows;

fn main() {
    let mut state = 1u64;
    for row in rows() {
        for _ in 0..4 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let mut word = (state >> 32) as u32 & !row.fixed.mask | row.fixed.value;
            // Counting of bits: the manual wants rt to be rd.
            if row.pattern.contains("----- ddddd") {
                word = word & !(31 << 16) | (word >> 11 & 31) << 16;
            }
            println!("{word:08x}");
        }
    }
}
