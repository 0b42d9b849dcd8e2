//! Elementary functions: the examples of [L] 4.4, special operands, flags of both halves, and sweeps over
//! all mantissas against double precision. Their tables are in `tables`, argument reduction in `reduction`.

use crate::reference::NAN;
use crate::values::*;
use cp2_emu::arith::{Flags, Lane};
use cp2_isa::Arith;

const ONE: u32 = 0x3f80_0000;
const TWO: u32 = 0x4000_0000;
const HALF: u32 = 0x3f00_0000;
const INFINITY: u32 = 0x7f80_0000;
const SIGN: u32 = 1 << 31;
const HALF_PI: u32 = 0x3fc9_0fdb;
const TWO_OVER_PI: u32 = 0x3f22_f983;
const DENORMAL: u32 = 0x0000_1234;
const NONE: Flags = Flags::empty();

const FUNCTIONS: [Arith; 6] =
    [Arith::Recip, Arith::Sinc, Arith::Atanc, Arith::Log2c, Arith::Exp2, Arith::Rsqrt];

/// Computes a function of one number, from the low half of S to the low half of D; nothing unusual elsewhere.
fn call(op: Arith, x: u32) -> (u32, Flags) {
    let mut results = MODES.map(|rounding| {
        let lane = Lane { d: join(7, 9), s: join(ONE, x), rounding, ..Lane::default() };
        let got = run(op, &lane);
        assert_eq!(halves(got.d).0, 7, "the other half of D");
        (halves(got.d).1, got.flags)
    });
    results.sort_unstable_by_key(|(result, flags)| (*result, flags.bits()));
    assert_eq!(results[0], results[3], "the rounding mode has no say");
    results[0]
}

/// Example of a function: argument, result and flags.
type Example = (u32, u32, &'static str);

/// Worked examples of each function.
const EXAMPLES: [(Arith, &[Example]); 6] = [
    (
        Arith::Recip,
        &[
            (0x4040_0000, 0x3eaa_aaaa, "I"),
            (0xc0e0_0000, 0xbe12_4924, "I"),
            (0x4049_0fdb, 0x3ea2_f983, "I"),
            (0x3f80_0000, 0x3f80_0000, ""),
            (0x3f81_0000, 0x3f7e_03f8, ""),
            (0x4000_0000, 0x3f00_0000, "I"),
            (0xbf80_0000, 0xbf80_0000, "I"),
            (0x8000_0001, 0xff80_0000, "ZE"),
            (0xff80_0000, 0x8000_0000, ""),
            (0x7e80_0000, 0x0000_0000, "IU"),
            (0x7e7f_ffff, 0x0080_0000, "I"),
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
];

#[test]
fn examples() {
    for (op, list) in EXAMPLES {
        for &(x, result, raised) in list {
            assert_eq!(call(op, x), (result, flags(raised)), "{op:?} {x:08x}");
        }
    }
}

/// Special operands and their neighbours on the other side of a rule.
#[test]
fn special_operands() {
    use Arith as A;
    let cases = [
        (A::Recip, 0, INFINITY, "Z"),
        (A::Recip, SIGN, INFINITY | SIGN, "Z"),
        (A::Recip, DENORMAL, INFINITY, "ZE"),
        (A::Recip, 0x0080_0000, 0x7e80_0000, "I"), // the least normal number
        (A::Recip, INFINITY, 0, ""),
        (A::Recip, 0xfe80_0000, SIGN, "IU"), // -2^126
        (A::Recip, 0x7f7f_ffff, 0, "IU"),
        (A::Rsqrt, 0, INFINITY, "Z"),
        (A::Rsqrt, DENORMAL | SIGN, INFINITY, "ZE"),
        (A::Rsqrt, INFINITY, 0, ""),
        (A::Rsqrt, INFINITY | SIGN, NAN, "V"),
        (A::Rsqrt, ONE | SIGN, NAN, "V"),
        (A::Rsqrt, 0x8080_0000, NAN, "V"),
        (A::Rsqrt, 0x3e80_0000, TWO, "I"), // 1/4
        (A::Log2c, 0, INFINITY, ""),
        (A::Log2c, DENORMAL, INFINITY, "E"),
        (A::Log2c, INFINITY, 0, ""),
        (A::Log2c, INFINITY | SIGN, NAN, "V"),
        (A::Log2c, ONE - 1, NAN, "V"),
        (A::Log2c, ONE | SIGN, NAN, "V"),
        (A::Log2c, 0x0080_0000, NAN, "V"),
        (A::Exp2, 0, ONE, ""),
        (A::Exp2, SIGN, ONE, ""),
        (A::Exp2, DENORMAL, ONE, "E"),
        (A::Exp2, 0x0080_0000, ONE, "I"),
        (A::Exp2, 0x337f_ffff, ONE, "I"), // below 2^-24
        (A::Exp2, 0x3380_0000, ONE, "I"),
        (A::Exp2, 0x42fe_0000, 0x7f00_0000, ""), // 127
        (A::Exp2, 0x7f7f_ffff, INFINITY, "IO"),
        (A::Exp2, INFINITY, INFINITY, ""),
        (A::Exp2, 0xc2fc_0000, 0x0080_0000, ""), // -126
        (A::Exp2, 0xff7f_ffff, 0, "IU"),
        (A::Exp2, INFINITY | SIGN, 0, ""),
        (A::Sinc, 0, HALF_PI, ""),
        (A::Sinc, SIGN, HALF_PI, ""),
        (A::Sinc, DENORMAL, HALF_PI, "E"),
        (A::Sinc, ONE, ONE, ""),
        (A::Sinc, ONE | SIGN, ONE, ""),
        (A::Sinc, (ONE + 1) | SIGN, NAN, "V"),
        (A::Sinc, INFINITY, 0, ""),
        (A::Sinc, INFINITY | SIGN, 0, ""),
        (A::Atanc, 0, TWO_OVER_PI, ""),
        (A::Atanc, SIGN, TWO_OVER_PI, ""),
        (A::Atanc, ONE, HALF, ""),
        (A::Atanc, (ONE + 1) | SIGN, NAN, "V"),
        (A::Atanc, INFINITY, 0, ""),
        (A::Atanc, INFINITY | SIGN, 0, ""),
    ];
    for (op, x, result, raised) in cases {
        assert_eq!(call(op, x), (result, flags(raised)), "{op:?} {x:08x}");
    }
    for op in FUNCTIONS {
        for nan in [0x7f80_0001, 0x7fc0_0000, 0xffff_ffff] {
            assert_eq!(call(op, nan), (NAN, Flags::V), "{op:?} {nan:08x}");
        }
    }
}

/// Selectors choose the half that is read and the half that is written, and the other half of S has flags in two functions
/// only.
#[test]
fn halves_that_are_selected_and_those_that_are_not() {
    for op in FUNCTIONS {
        let looks_at_both = matches!(op, Arith::Recip | Arith::Sinc);
        for (other, raised) in [(NAN, Flags::V), (DENORMAL, Flags::E), (0, NONE), (INFINITY, NONE)]
        {
            let (value, own) = call(op, ONE);
            let raised = if looks_at_both { raised } else { NONE };
            let expected = if raised == Flags::V { Flags::V } else { own | raised };
            for from in [0, 1] {
                for to in [0, 1] {
                    let s = if from == 1 { join(ONE, other) } else { join(other, ONE) };
                    let lane = Lane { d: join(7, 9), s, ..Lane::default() };
                    let got = run_with(op, &[2 * 9 + to, 2 * 7 + from], &lane);
                    let d = if to == 1 { join(value, 9) } else { join(7, value) };
                    assert_eq!((got.d, got.flags), (d, expected), "{op:?} {other:08x} {from}{to}");
                }
            }
        }
    }
    // V leaves nothing but E.
    let x = Lane { s: join(NAN, DENORMAL), ..Lane::default() };
    assert_eq!(run(Arith::Recip, &x).flags, Flags::V | Flags::E);
}

/// Returns the distance of a result from a value rounded to nearest, in last places.
fn distance(result: u32, exact: f64) -> i64 {
    i64::from(result) - i64::from((exact as f32).to_bits())
}

/// Numbers of results by their distance from the exact value: from -3 to 3 last places.
#[derive(Debug, Default, PartialEq, Eq)]
struct Distances([u64; 7]);

impl Distances {
    /// Counts the distances of a function on some arguments; every result has to be inexact by the rule or a listed case.
    fn of(op: Arith, arguments: impl Iterator<Item = u32>, exact: fn(f64) -> f64) -> Self {
        let mut found = Self::default();
        for x in arguments {
            let lane = Lane { s: join(ONE, x), ..Lane::default() };
            let got = run(op, &lane);
            let result = halves(got.d).1;
            assert!(NONE.union(Flags::I).contains(got.flags), "{op:?} {x:08x}: {:?}", got.flags);
            let off = distance(result, exact(f64::from(f32::from_bits(x))));
            assert!((-3..=3).contains(&off), "{op:?} {x:08x} gives {result:08x}");
            found.0[(off + 3) as usize] += 1;
        }
        found
    }

    fn least(&self) -> i64 {
        self.0.iter().position(|&n| n > 0).map_or(0, |k| k as i64 - 3)
    }

    fn most(&self) -> i64 {
        self.0.iter().rposition(|&n| n > 0).map_or(0, |k| k as i64 - 3)
    }
}

fn mantissas(exponent: u32) -> std::ops::Range<u32> {
    exponent << 23..(exponent + 1) << 23
}

#[test]
fn reciprocals_of_all_mantissas() {
    let found = Distances::of(Arith::Recip, mantissas(127), |x| 1.0 / x);
    // One mantissa is two last places away.
    assert_eq!((found.least(), found.most(), found.0[1]), (-2, 0, 1), "{found:?}");
}

#[test]
fn roots_of_all_mantissas() {
    let found =
        Distances::of(Arith::Rsqrt, mantissas(127).chain(mantissas(128)), |x| 1.0 / x.sqrt());
    assert!(found.least() >= -2 && found.most() <= 2, "{found:?}");
    assert!(found.most() > 0, "the reciprocal of a truncated root lies above: {found:?}");
    // Half a percent of them.
    assert_eq!(found.0[1] + found.0[5], 79_575, "{found:?}");
}

#[test]
fn logarithms_of_all_mantissas() {
    let found = Distances::of(Arith::Log2c, mantissas(127).skip(1), |x| x.log2() / (x - 1.0));
    assert_eq!((found.least(), found.most()), (-1, 0), "{found:?}");
}

#[test]
fn sines_and_arcs_of_all_mantissas() {
    use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};
    let sinc: fn(f64) -> f64 = |x| (FRAC_PI_2 * x).sin() / x;
    let atanc: fn(f64) -> f64 = |x| FRAC_2_PI * x.atan() / x;
    for (op, exact) in [(Arith::Sinc, sinc), (Arith::Atanc, atanc)] {
        // Smaller arguments are as many again per exponent, and lose their last bits.
        let small = (0x3300_0000..HALF).step_by(61);
        let found = Distances::of(op, mantissas(126).chain(small), exact);
        assert_eq!((found.least(), found.most()), (-1, 0), "{op:?} {found:?}");
    }
}

#[test]
fn powers_of_all_mantissas() {
    let near_one = mantissas(126).chain(mantissas(127)).step_by(3);
    let small = (0x2b80_0000..HALF).step_by(61);
    let large = (TWO..0x42fc_0000).step_by(61);
    let arguments = near_one.chain(small).chain(large);
    let found = Distances::of(Arith::Exp2, arguments.flat_map(|x| [x, x | SIGN]), f64::exp2);
    assert!(found.least() >= -2 && found.most() == 0, "{found:?}");
}

/// Sign and exponent only scale the result.
#[test]
fn reciprocals_scale() {
    for mantissa in (1..1 << 23).step_by(9973) {
        let (at_one, raised) = call(Arith::Recip, TWO | mantissa);
        for e in 1..=252 {
            for sign in [0, SIGN] {
                let scaled = sign | at_one.wrapping_add(128_u32.wrapping_sub(e) << 23);
                let x = sign | e << 23 | mantissa;
                assert_eq!(call(Arith::Recip, x), (scaled, raised), "{x:08x}");
            }
        }
    }
}

/// Powers of two and of four give exact values and are called inexact, but for 1.
#[test]
fn exact_values_may_be_called_inexact() {
    for power in -126..=127i32 {
        let bits = 2f32.powi(power).to_bits();
        let raised = if power == 0 { NONE } else { Flags::I };
        if power < 126 {
            assert_eq!(call(Arith::Recip, bits), (2f32.powi(-power).to_bits(), raised), "{power}");
        }
        assert_eq!(call(Arith::Exp2, (power as f32).to_bits()), (bits, NONE), "{power}");
        if power % 2 == 0 {
            let root = 2f32.powi(-power / 2).to_bits();
            assert_eq!(call(Arith::Rsqrt, bits), (root, raised), "{power}");
        }
    }
}

/// I tells of dropped bits and of the last bit kept: an even result without dropped bits lacks it.
#[test]
fn i_follows_its_rule() {
    let lacks_it = |x: &u32| call(Arith::Recip, *x).1 == NONE;
    let near = 0x3f80_ff00..0x3f81_0100;
    assert_eq!(near.filter(lacks_it).collect::<Vec<u32>>(), [0x3f81_0000]);
    // The place in a row has to end in zeros, or its square would leave bits.
    let all: Vec<u32> = mantissas(128).filter(lacks_it).collect();
    assert!(!all.is_empty() && all.iter().all(|x| x & 0xff == 0), "{all:x?}");
}
