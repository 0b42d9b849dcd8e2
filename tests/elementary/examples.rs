//! The worked examples of the reference (elementary, section 6), as data.

use super::elementary::{Computed, Operands, Rounding};
use cp2_isa::Arith;

/// Function with its examples: argument, result, flags by their letters.
type Function = (Arith, &'static [(u32, u32, &'static str)]);

const FUNCTIONS: [Function; 8] = [
    (
        Arith::Recip,
        &[
            (0x4040_0000, 0x3eaa_aaaa, "I"),
            (0xc0e0_0000, 0xbe12_4924, "I"),
            (0x3f80_0000, 0x3f80_0000, ""),
            (0x3f81_0000, 0x3f7e_03f8, ""),
            (0x4000_0000, 0x3f00_0000, "I"),
            (0xbf80_0000, 0xbf80_0000, "I"),
            (0x8000_0001, 0xff80_0000, "ZE"),
            (0xff80_0000, 0x8000_0000, ""),
            (0x7e80_0000, 0x0000_0000, "IU"),
            (0x7e7f_ffff, 0x0080_0000, "I"),
            // Section 3.
            (0x4049_0fdb, 0x3ea2_f983, "I"),
        ],
    ),
    (
        Arith::Rsqrt,
        &[
            (0x3f80_0000, 0x3f80_0000, ""),
            (0x4000_0000, 0x3f35_04f3, "I"),
            (0x4040_0000, 0x3f13_cd3a, "I"),
            (0x4080_0000, 0x3f00_0000, "I"),
            (0x3f80_0001, 0x3f80_0000, "I"),
            (0x8000_0000, 0x7f80_0000, "Z"),
            (0x0080_0000, 0x5f00_0000, "I"),
        ],
    ),
    (
        Arith::Log2c,
        &[
            (0x3f80_0000, 0x3fb8_aa3b, "I"),
            (0x3f80_0001, 0x3fb8_aa3a, "I"),
            (0x3fc0_0000, 0x3f95_c01a, "I"),
            (0x3fff_ffff, 0x3f80_0000, "I"),
            (0x8000_0000, 0x7f80_0000, ""),
            (0x4000_0000, 0x7fff_ffff, "V"),
        ],
    ),
    (
        Arith::Exp2,
        &[
            (0x3f80_0000, 0x4000_0000, ""),
            (0x3f00_0000, 0x3fb5_04f3, "I"),
            (0xbf00_0000, 0x3f35_04f3, "I"),
            (0xb300_0000, 0x3f80_0000, "I"),
            (0xb300_0001, 0x3f7f_ffff, "I"),
            (0xc2fb_ffff, 0x0080_002c, "I"),
            (0xc2fc_0001, 0x0000_0000, "IU"),
            (0x4300_0000, 0x7f80_0000, "IO"),
        ],
    ),
    (
        Arith::Sinc,
        &[
            (0x3300_0000, 0x3fc9_0fdb, "I"),
            (0x3380_0000, 0x3fc9_0fda, "I"),
            (0xbf00_0000, 0x3fb5_04f3, "I"),
            (0x3eaa_aaab, 0x3fc0_0000, "I"),
            (0x3f7f_ffff, 0x3f80_0000, "I"),
            (0x3f80_0001, 0x7fff_ffff, "V"),
        ],
    ),
    (
        Arith::Atanc,
        &[
            (0x3300_0000, 0x3f22_f983, "I"),
            (0x3f00_0000, 0x3f17_2028, "I"),
            (0x3eaa_aaab, 0x3f1d_4fc2, "I"),
            (0x3f7f_ffff, 0x3f00_0000, "I"),
            (0xbf80_0000, 0x3f00_0000, ""),
            (0x8000_0001, 0x3f22_f983, "E"),
        ],
    ),
    (
        Arith::Rrsin,
        &[
            (0x3fc0_0000, 0x3f00_0000, ""),
            (0x4000_0000, 0x8000_0000, ""),
            (0xc000_0000, 0x0000_0000, ""),
            (0x4020_0000, 0xbf00_0000, ""),
            (0xc080_0000, 0x8000_0000, ""),
            (0x4b80_0001, 0x8000_0000, ""),
        ],
    ),
    (
        Arith::Rrcos,
        &[
            (0x3f80_0000, 0x8000_0000, ""),
            (0x4040_0000, 0x0000_0000, ""),
            (0x4060_0000, 0x3f00_0000, ""),
            (0x3300_0000, 0x3f80_0000, "I"),
            (0x4c80_0000, 0x3f80_0000, ""),
        ],
    ),
];

/// rrcossin: S.lo, D.hi, D.lo, flags.
const COSSIN: [(u32, u32, u32, &str); 5] = [
    (0x3e99_999a, 0x3f33_3333, 0x3e99_999a, ""),
    (0xc020_0000, 0xbf00_0000, 0x3f00_0000, ""),
    (0x4b7f_ffff, 0x0000_0000, 0xbf80_0000, ""),
    (0x7fc0_0000, 0x7fff_ffff, 0x7fff_ffff, "V"),
    (0x8000_0000, 0x3f80_0000, 0x8000_0000, ""),
];

/// rrlog2: one half of S, D and Q, flags.
const SPLIT: [(u32, u32, u32, &str); 6] = [
    (0x4040_0000, 0x3fc0_0000, 0x3f80_0000, ""),
    (0xbf00_0000, 0xbf80_0000, 0xbf80_0000, ""),
    (0x8000_0001, 0x8000_0000, 0x0000_0000, "E"),
    (0xff80_0000, 0xff80_0000, 0x0000_0000, ""),
    (0x7fc0_0000, 0x7fff_ffff, 0x0000_0000, "V"),
    (0x0080_0000, 0x3f80_0000, 0xc2fc_0000, ""),
];

/// An example: what is executed, and what it gives.
pub(crate) type Example = (Arith, Operands, Computed);

fn flags(letters: &str) -> u8 {
    letters.chars().map(|c| 1 << "IUOZVE".find(c).expect("a flag")).sum()
}

fn word(hi: u32, lo: u32) -> u64 {
    u64::from(hi) << 32 | u64::from(lo)
}

/// Adds the examples of a function in every half that it can read and write, or of a reduction in both halves.
fn of_one(op: Arith, x: u32, result: u32, flags: u8, found: &mut Vec<Example>) {
    const KEPT: u64 = 0x1234_5678_9abc_def0;
    /// No function is disturbed by a 1 in the half that it does not select.
    const BESIDE: u32 = 0x3f80_0000;
    if matches!(op, Arith::Rrsin | Arith::Rrcos) {
        let with = Operands { s: word(x, x), ..Operands::default() };
        return found.push((op, with, Computed { d: word(result, result), q: 0, flags }));
    }
    for selector in 0..4 {
        let s = if selector & 1 == 1 { word(x, BESIDE) } else { word(BESIDE, x) };
        let (hi, lo) = ((KEPT >> 32) as u32, KEPT as u32);
        let d = if selector & 2 == 2 { word(result, lo) } else { word(hi, result) };
        let with = Operands { d: KEPT, s, selector, ..Operands::default() };
        found.push((op, with, Computed { d, q: 0, flags }));
    }
}

/// Returns all worked examples.
pub(crate) fn all() -> Vec<Example> {
    let mut found = Vec::new();
    for (op, cases) in FUNCTIONS {
        for &(x, result, letters) in cases {
            of_one(op, x, result, flags(letters), &mut found);
        }
    }
    for (x, cos, sin, letters) in COSSIN {
        // A NaN in S.hi is not looked at.
        let with = Operands { s: word(0x7fff_ffff, x), ..Operands::default() };
        let computed = Computed { d: word(cos, sin), q: 0, flags: flags(letters) };
        found.push((Arith::Rrcossin, with, computed));
    }
    for (x, significand, exponent, letters) in SPLIT {
        let with = Operands { s: word(x, x), ..Operands::default() };
        let (d, q) = (word(significand, significand), word(exponent, exponent));
        found.push((Arith::Rrlog2, with, Computed { d, q, flags: flags(letters) }));
    }
    let tiny = word(0, 0x3300_0000);
    let with = |s, rounding| Operands { s, rounding, ..Operands::default() };
    let down = with(tiny | tiny << 32, Rounding::Down);
    let computed = Computed { d: word(0x3f7f_ffff, 0x3f7f_ffff), q: 0, flags: flags("I") };
    found.push((Arith::Rrcos, down, computed));
    let computed = Computed { d: word(0x3f7f_ffff, 0x3300_0000), q: 0, flags: flags("I") };
    found.push((Arith::Rrcossin, with(tiny, Rounding::Zero), computed));
    found
}
