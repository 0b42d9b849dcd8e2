//! Elementary functions and argument reductions against astro-float at 200 bits.

use crate::reference::{NAN, Soft};
use crate::values::*;
use astro_float::{BigFloat, Consts, RoundingMode};
use cp2_emu::arith::{Flags, Lane, Rounding};
use cp2_isa::Arith;
use proptest::prelude::*;

const BITS: usize = 200;
const RM: RoundingMode = RoundingMode::ToEven;
const ONE: u32 = 0x3f80_0000;
const TWO: u32 = 0x4000_0000;
const INFINITY: u32 = 0x7f80_0000;
const SIGN: u32 = 1 << 31;

pub(crate) fn big(x: f64) -> BigFloat {
    BigFloat::from_f64(x, BITS)
}

fn below(a: &BigFloat, b: &BigFloat) -> bool {
    a.cmp(b).is_some_and(|order| order < 0)
}

/// Whether `single` > 0 is the nearest to an exact value that is no tie: the value lies strictly
/// between the ties on both sides, which are exact in double precision.
pub(crate) fn is_nearest(single: u32, exact: &BigFloat) -> bool {
    let value = |bits: u32| f64::from(f32::from_bits(bits));
    let tie = |a: u32, b: u32| big((value(a) + value(b)) / 2.0);
    below(&tie(single - 1, single), exact) && below(exact, &tie(single, single + 1))
}

/// One function on one number, from the low half of S to the low half of D.
fn call(op: Arith, x: u32) -> (u32, Flags) {
    let lane = Lane { s: join(NAN, x), rounding: Rounding::Up, ..Lane::default() };
    let got = run(op, &lane);
    (halves(got.d).1, got.flags)
}

/// The function by many bits, where it is a positive normal number.
fn exact(op: Arith, x: u32, c: &mut Consts) -> BigFloat {
    let v = big(f64::from(f32::from_bits(x)));
    let p = BITS;
    let (one, two) = (big(1.0), big(2.0));
    let half_pi = c.pi(p, RM).div(&two, p, RM);
    match op {
        Arith::Recip => one.div(&v.abs(), p, RM),
        Arith::Rsqrt => one.div(&v.sqrt(p, RM), p, RM),
        Arith::Sinc => half_pi.mul(&v, p, RM).sin(p, RM, c).div(&v, p, RM),
        Arith::Atanc => v.atan(p, RM, c).div(&half_pi, p, RM).div(&v, p, RM),
        // Not by the library's log2, which the operation falls back on.
        Arith::Log2c => v.ln(p, RM, c).div(&c.ln_2(p, RM), p, RM).div(&v.sub(&one, p, RM), p, RM),
        Arith::Exp2 => two.pow(&v, p, RM, c),
        _ => unreachable!("{op:?} is no function"),
    }
}

/// Checks the result and that it is called inexact; `x` must not be an exact case.
fn check(op: Arith, x: u32, c: &mut Consts) -> Result<(), TestCaseError> {
    let (result, flags) = call(op, x);
    let exact = exact(op, x, c);
    let sign = if op == Arith::Recip { x & SIGN } else { 0 };
    prop_assert_eq!(result & SIGN, sign, "{:?} {:08x}", op, x);
    prop_assert!(is_nearest(result & !SIGN, &exact), "{:?} {:08x} gives {:08x}", op, x, result);
    prop_assert_eq!(flags, Flags::I, "{:?} {:08x}", op, x);
    Ok(())
}

/// Random arguments of each function, uniform in the bits: (operation, first, count, either sign).
const DOMAINS: [(Arith, u32, u32, bool); 6] = [
    // Up to 2^126, where the reciprocal is still normal.
    (Arith::Recip, 0x0080_0000, 0x7e80_0000 - 0x0080_0000, true),
    (Arith::Rsqrt, 0x0080_0000, INFINITY - 0x0080_0000, false),
    // Below 2^-40 the functions are constant.
    (Arith::Sinc, 0x2b80_0000, ONE - 0x2b80_0000, true),
    (Arith::Atanc, 0x2b80_0000, ONE - 0x2b80_0000, true),
    (Arith::Log2c, ONE + 1, TWO - ONE - 1, false),
    (Arith::Exp2, 0x2b80_0000, 0x42fc_0000 - 0x2b80_0000, true),
];

fn is_exact_case(op: Arith, x: u32) -> bool {
    let value = f32::from_bits(x);
    match op {
        Arith::Recip => x & 0x7f_ffff == 0,
        Arith::Rsqrt => x & 0xff_ffff == 0x80_0000,
        Arith::Exp2 => value.fract() == 0.0,
        _ => false,
    }
}

proptest! {
    #![proptest_config(config(12_000))]

    #[test]
    fn functions_round_to_nearest(seed in any::<u32>(), sign in any::<bool>()) {
        let mut consts = Consts::new().unwrap();
        for (op, first, count, signed) in DOMAINS {
            let magnitude = first + seed % count;
            let x = if signed && sign { magnitude | SIGN } else { magnitude };
            if !is_exact_case(op, x) {
                check(op, x, &mut consts)?;
            }
        }
    }
}

proptest! {
    #![proptest_config(config(60_000))]

    #[test]
    fn reciprocal_is_division(x in float()) {
        let mut soft = Soft::new(Rounding::Nearest);
        let expected = soft.div(ONE, x);
        prop_assert_eq!(call(Arith::Recip, x), (expected, soft.flags()), "{:08x}", x);
    }
}

/// The arguments for which double precision does not decide: all there are (searched).
#[test]
fn hard_cases_round_to_nearest() {
    let sinc = [0x3924_79d1, 0x3924_79d2, 0x3b4b_46f9, 0x3dc7_4cd1, 0x3f7f_ffff];
    let atanc = [0x3a6d_d921, 0x3cbf_d8be, 0x3ea7_f2ec];
    let exp2 = [
        0x33b8_aa3b,
        0x3687_9cf7,
        0x3a07_857c,
        0x3b42_9d37,
        0x3c02_a9ad,
        0x3dc9_abe2,
        0xb338_aa3b,
        0xb466_d4cb,
        0xb52d_1f9a,
        0xb8bb_d3a2,
        0xb8d3_d026,
        0xbaec_2b40,
        0xbcf3_a937,
        0xbe1f_29de,
    ];
    let mut consts = Consts::new().unwrap();
    for (op, cases) in [(Arith::Sinc, &sinc[..]), (Arith::Atanc, &atanc), (Arith::Exp2, &exp2)] {
        for &x in cases {
            check(op, x, &mut consts).unwrap();
        }
    }
}

/// Numbers next to the exact cases and to the ends of the domains.
#[test]
fn functions_at_the_edges() {
    let mut consts = Consts::new().unwrap();
    for (op, first, count, signed) in DOMAINS {
        for near in 0..200 {
            for x in [first + near, first + count - 1 - near, ONE - 1 - near, ONE + 1 + near] {
                let inside = (first..first + count).contains(&x);
                for x in if signed { vec![x, x | SIGN] } else { vec![x] } {
                    if inside && !is_exact_case(op, x) {
                        check(op, x, &mut consts).unwrap();
                    }
                }
            }
        }
    }
}

/// Rounding keeps the order, so results along the bits of the argument are monotone.
#[test]
fn functions_are_monotone() {
    for (op, first, count, signed) in DOMAINS {
        let rises_with_magnitude = op == Arith::Exp2;
        let stride = (count / 400_000) as usize;
        // Dense at both ends, strided between.
        let dense = (first..first + 50_000).chain(first + count - 50_000..first + count);
        let strided = (first..first + count).step_by(stride);
        for points in [strided.collect::<Vec<_>>(), dense.collect()] {
            let mut last = None;
            for x in points {
                let (result, _) = call(op, x);
                if let Some((before, at)) = last {
                    let ordered =
                        if rises_with_magnitude { before <= result } else { before >= result };
                    assert!(ordered, "{op:?} {at:08x} {x:08x}");
                }
                last = Some((result, x));
                if signed && op != Arith::Exp2 {
                    let mirrored = call(op, x | SIGN).0;
                    let sign = if op == Arith::Recip { SIGN } else { 0 };
                    assert_eq!(mirrored, result | sign, "{op:?} {x:08x}");
                }
            }
        }
    }
}

/// Every rule of [L] 4.4 for special arguments: (operation, argument, result, flags).
#[test]
fn functions_at_special_arguments() {
    const NONE: Flags = Flags::empty();
    const DENORMAL: u32 = 0x0000_1234;
    let (i, v, z, e) = (Flags::I, Flags::V, Flags::Z, Flags::E);
    let (overflow, underflow) = (Flags::O | Flags::I, Flags::U | Flags::I);
    let half_pi = std::f32::consts::FRAC_PI_2.to_bits();
    let two_over_pi = std::f32::consts::FRAC_2_PI.to_bits();
    let log2_e = std::f32::consts::LOG2_E.to_bits();
    let cases = [
        (Arith::Recip, 0, INFINITY, z),
        (Arith::Recip, SIGN, INFINITY | SIGN, z),
        (Arith::Recip, DENORMAL, INFINITY, z | e),
        (Arith::Recip, INFINITY, 0, NONE),
        (Arith::Recip, INFINITY | SIGN, SIGN, NONE),
        (Arith::Recip, ONE, ONE, NONE),
        (Arith::Recip, TWO | SIGN, 0xbf00_0000, NONE),
        (Arith::Recip, 0x0080_0000, 0x7e80_0000, NONE),
        (Arith::Recip, 0x7e80_0000, 0x0080_0000, NONE), // 2^126
        (Arith::Recip, 0x7e80_0001, 0, underflow),
        (Arith::Recip, 0xff00_0000, SIGN, underflow), // 1/-2^127 is exact but denormal
        (Arith::Rsqrt, 0, INFINITY, z),
        (Arith::Rsqrt, SIGN, INFINITY | SIGN, z),
        (Arith::Rsqrt, DENORMAL | SIGN, INFINITY | SIGN, z | e),
        (Arith::Rsqrt, INFINITY, 0, NONE),
        (Arith::Rsqrt, INFINITY | SIGN, NAN, v),
        (Arith::Rsqrt, ONE | SIGN, NAN, v),
        (Arith::Rsqrt, ONE, ONE, NONE),
        (Arith::Rsqrt, 0x4080_0000, 0x3f00_0000, NONE), // 4
        (Arith::Rsqrt, 0x3e80_0000, TWO, NONE),         // 1/4
        (Arith::Rsqrt, 0x0080_0000, 0x5f00_0000, NONE), // 2^-126
        (Arith::Sinc, 0, half_pi, i),
        (Arith::Sinc, SIGN, half_pi, i),
        (Arith::Sinc, DENORMAL, half_pi, i | e),
        (Arith::Sinc, ONE, ONE, NONE),
        (Arith::Sinc, ONE | SIGN, ONE, NONE),
        (Arith::Sinc, ONE + 1, NAN, v),
        (Arith::Sinc, INFINITY, NAN, v),
        (Arith::Atanc, 0, two_over_pi, i),
        (Arith::Atanc, DENORMAL | SIGN, two_over_pi, i | e),
        (Arith::Atanc, ONE, 0x3f00_0000, NONE),
        (Arith::Atanc, ONE | SIGN, 0x3f00_0000, NONE),
        (Arith::Atanc, (ONE + 1) | SIGN, NAN, v),
        (Arith::Log2c, 0, INFINITY, z),
        (Arith::Log2c, SIGN, INFINITY, z),
        (Arith::Log2c, DENORMAL, INFINITY, z | e),
        (Arith::Log2c, ONE, log2_e, i),
        (Arith::Log2c, ONE - 1, NAN, v),
        (Arith::Log2c, TWO, NAN, v),
        (Arith::Log2c, INFINITY, NAN, v),
        (Arith::Log2c, ONE | SIGN, NAN, v),
        (Arith::Exp2, 0, ONE, NONE),
        (Arith::Exp2, DENORMAL, ONE, e),
        (Arith::Exp2, 0x0080_0000, ONE, i),
        (Arith::Exp2, 0x4040_0000, 0x4100_0000, NONE), // 3
        (Arith::Exp2, 0x42fe_0000, 0x7f00_0000, NONE), // 127
        (Arith::Exp2, 0x4300_0000, INFINITY, overflow), // 128
        (Arith::Exp2, 0x4300_0001, INFINITY, overflow),
        (Arith::Exp2, 0x7f7f_ffff, INFINITY, overflow),
        (Arith::Exp2, INFINITY, INFINITY, NONE),
        (Arith::Exp2, 0xc2fc_0000, 0x0080_0000, NONE), // -126
        (Arith::Exp2, 0xc2fc_0001, 0, underflow),
        (Arith::Exp2, 0xc2fe_0000, 0, underflow),
        (Arith::Exp2, 0xff7f_ffff, 0, underflow),
        (Arith::Exp2, INFINITY | SIGN, 0, NONE),
    ];
    for (op, x, result, flags) in cases {
        assert_eq!(call(op, x), (result, flags), "{op:?} {x:08x}");
    }
    for (op, ..) in DOMAINS {
        for nan in [0x7f80_0001, 0x7fc0_0000, 0xffff_ffff] {
            assert_eq!(call(op, nan), (NAN, v), "{op:?} {nan:08x}");
        }
    }
}

/// Powers of two are the exact cases of recip and exp2, powers of four those of rsqrt.
#[test]
fn exact_cases_raise_nothing() {
    for power in -126..=127i32 {
        let bits = 2f32.powi(power).to_bits();
        if power <= 126 {
            assert_eq!(call(Arith::Recip, bits), (2f32.powi(-power).to_bits(), Flags::empty()));
        }
        assert_eq!(call(Arith::Exp2, (power as f32).to_bits()), (bits, Flags::empty()));
        let (root, flags) = call(Arith::Rsqrt, bits);
        assert_eq!(flags.is_empty(), power % 2 == 0);
        if power % 2 == 0 {
            assert_eq!(root, 2f32.powi(-power / 2).to_bits());
        }
    }
}

#[test]
fn functions_take_and_write_the_selected_halves() {
    let x = Lane { d: join(1, 2), s: join(TWO, 0x4080_0000), ..Lane::default() };
    let (half, quarter) = (0x3f00_0000, 0x3e80_0000);
    for (to, from, expected) in [
        (0, 0, join(1, quarter)),
        (0, 1, join(1, half)),
        (1, 0, join(quarter, 2)),
        (1, 1, join(half, 2)),
    ] {
        let got = run_with(Arith::Recip, &[2 * 9 + to, 2 * 7 + from], &x);
        assert_eq!(got.d, expected);
    }
}

/// The reduction by the words of [L] 4.4, on a number that double precision holds exactly.
fn sine_reduction(x: f64) -> f64 {
    let magnitude = x.abs();
    let interval = magnitude.floor();
    let fraction = magnitude - interval;
    let r = if interval % 2.0 == 0.0 { fraction } else { 1.0 - fraction };
    let negative = (interval % 4.0 >= 2.0) != (x < 0.0);
    if negative { -r } else { r }
}

fn check_reduction(x: u32) -> Result<(), TestCaseError> {
    let denormal = f32::from_bits(x).is_subnormal();
    let read = if denormal { x & SIGN } else { x };
    let value = f64::from(f32::from_bits(read));
    let raised = if denormal { Flags::E } else { Flags::empty() };
    let (sine, cosine) = if value.is_finite() {
        let exact = sine_reduction(value);
        let sine = if exact == 0.0 { read & SIGN } else { (exact as f32).to_bits() };
        // Within a period x + 1 is exact in double precision, unless x is so small that 1 - |x|
        // rounds to 1.
        let shifted = sine_reduction(value % 4.0 + 1.0);
        let mut soft = Soft::new(Rounding::Nearest);
        let cosine = if value.abs() < 2f64.powi(-26) && value != 0.0 {
            (ONE, Flags::I)
        } else {
            (soft.single(shifted.abs()), soft.flags())
        };
        let sign = if shifted < 0.0 { SIGN } else { 0 };
        ((sine, raised), (cosine.0 | sign, cosine.1 | raised))
    } else {
        ((NAN, Flags::V), (NAN, Flags::V))
    };
    for rounding in MODES {
        let x = Lane { s: both(x), rounding, ..Lane::default() };
        let got = run(Arith::Rrsin, &x);
        prop_assert_eq!((got.d, got.flags), (both(sine.0), sine.1), "{:x?}", x);
        let got = run(Arith::Rrcos, &x);
        prop_assert_eq!((got.d, got.flags), (both(cosine.0), cosine.1), "{:x?}", x);
        let got = run(Arith::Rrcossin, &Lane { s: x.s & 0xffff_ffff, ..x });
        prop_assert_eq!((got.d, got.flags), (join(cosine.0, sine.0), cosine.1 | sine.1));
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(60_000))]

    #[test]
    fn reductions_at_random(x in float(), seed in any::<u32>()) {
        check_reduction(x)?;
        // From 2^-30 to 2^28, where the reduction does something.
        check_reduction(seed & 0x807f_ffff | (97 + (seed >> 23 & 0xff) % 58) << 23)?;
    }

    #[test]
    fn logarithm_reduction_splits_the_number(a in float()) {
        let got = run(Arith::Rrlog2, &Lane { s: join(a, ONE), ..Lane::default() });
        let (man, exponent) = (halves(got.d).0, halves(got.q).0);
        let value = f32::from_bits(a);
        let expected = if value.is_normal() {
            let exponent = (a >> 23 & 0xff) as f32 - 127.0;
            (a & 0x807f_ffff | ONE, exponent.to_bits(), Flags::empty())
        } else if value.is_finite() {
            (a & SIGN, 0, if value == 0.0 { Flags::empty() } else { Flags::E })
        } else {
            (NAN, NAN, Flags::V)
        };
        prop_assert_eq!((man, exponent, got.flags), expected);
        prop_assert_eq!((got.d as u32, got.q as u32), (ONE, 0));
    }
}

#[test]
fn reductions_at_the_edges() {
    for x in specials() {
        check_reduction(x).unwrap();
    }
    for quarter in -64..=64 {
        for near in 0..3 {
            check_reduction((quarter as f32 / 4.0).to_bits().wrapping_add(near)).unwrap();
        }
    }
    // A zero has the sign of x in the sine and is positive in the cosine.
    let s = join(0xc000_0000, 0xbf80_0000); // -2, -1
    assert_eq!(run(Arith::Rrsin, &Lane { s, ..Lane::default() }).d, join(SIGN, ONE | SIGN));
    assert_eq!(run(Arith::Rrcos, &Lane { s, ..Lane::default() }).d, join(ONE | SIGN, 0));
}

/// What the reduction is for: sin(pi/2 x) = r * sinc(r).
#[test]
fn reduction_and_sinc_make_the_sine() {
    for n in -4000..4000 {
        let x = n as f32 / 317.0;
        let r = run(Arith::Rrsin, &Lane { s: both(x.to_bits()), ..Lane::default() }).d as u32;
        let product = f32::from_bits(r) * f32::from_bits(call(Arith::Sinc, r).0);
        let sine = (f64::from(x) * std::f64::consts::FRAC_PI_2).sin();
        assert!((f64::from(product) - sine).abs() < 2e-7, "{x}");
    }
}
