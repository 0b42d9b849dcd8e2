//! Argument reductions: the examples of [L] 4.4, and random numbers against double precision.

use crate::reference::{NAN, Soft};
use crate::values::*;
use cp2_emu::arith::{Flags, Lane, Rounding};
use cp2_isa::Arith;
use proptest::prelude::*;

const ONE: u32 = 0x3f80_0000;
const SIGN: u32 = 1 << 31;

#[test]
fn examples() {
    use Rounding::{Down, Nearest, Zero};
    for (op, rounding, x, result, raised) in [
        (Arith::Rrsin, Nearest, 0x3fc0_0000, 0x3f00_0000, ""),
        (Arith::Rrsin, Nearest, 0x4000_0000, 0x8000_0000, ""),
        (Arith::Rrsin, Nearest, 0xc000_0000, 0x0000_0000, ""),
        (Arith::Rrsin, Nearest, 0x4020_0000, 0xbf00_0000, ""),
        (Arith::Rrsin, Nearest, 0xc080_0000, 0x8000_0000, ""),
        (Arith::Rrsin, Nearest, 0x4b80_0001, 0x8000_0000, ""),
        (Arith::Rrcos, Nearest, 0x3f80_0000, 0x8000_0000, ""),
        (Arith::Rrcos, Nearest, 0x4040_0000, 0x0000_0000, ""),
        (Arith::Rrcos, Nearest, 0x4060_0000, 0x3f00_0000, ""),
        (Arith::Rrcos, Nearest, 0x3300_0000, 0x3f80_0000, "I"),
        (Arith::Rrcos, Down, 0x3300_0000, 0x3f7f_ffff, "I"),
        (Arith::Rrcos, Nearest, 0x4c80_0000, 0x3f80_0000, ""),
    ] {
        let got = run(op, &Lane { s: both(x), rounding, ..Lane::default() });
        assert_eq!((got.d, got.flags), (both(result), flags(raised)), "{op:?} {x:08x}");
    }
    for (rounding, x, cosine, sine, raised) in [
        (Nearest, 0x3e99_999a, 0x3f33_3333, 0x3e99_999a, ""),
        (Nearest, 0xc020_0000, 0xbf00_0000, 0x3f00_0000, ""),
        (Nearest, 0x4b7f_ffff, 0x0000_0000, 0xbf80_0000, ""),
        (Nearest, 0x7fc0_0000, NAN, NAN, "V"),
        (Nearest, 0x8000_0000, 0x3f80_0000, 0x8000_0000, ""),
        (Zero, 0x3300_0000, 0x3f7f_ffff, 0x3300_0000, "I"),
    ] {
        // The high half of S is not looked at.
        for other in [NAN, 1, ONE] {
            let got =
                run(Arith::Rrcossin, &Lane { s: join(other, x), rounding, ..Lane::default() });
            assert_eq!((got.d, got.flags), (join(cosine, sine), flags(raised)), "{x:08x}");
        }
    }
    for (x, significand, exponent, raised) in [
        (0x4040_0000, 0x3fc0_0000, 0x3f80_0000, ""),
        (0xbf00_0000, 0xbf80_0000, 0xbf80_0000, ""),
        (0x8000_0001, 0x8000_0000, 0x0000_0000, "E"),
        (0xff80_0000, 0xff80_0000, 0x0000_0000, ""),
        (0x7fc0_0000, 0x7fff_ffff, 0x0000_0000, "V"),
        (0x0080_0000, 0x3f80_0000, 0xc2fc_0000, ""),
    ] {
        for (s, at) in [(join(x, ONE), 32), (join(ONE, x), 0)] {
            let got = run(Arith::Rrlog2, &Lane { s, ..Lane::default() });
            let parts = ((got.d >> at) as u32, (got.q >> at) as u32, got.flags);
            assert_eq!(parts, (significand, exponent, flags(raised)), "{x:08x}");
            let other = ((got.d >> (32 - at)) as u32, (got.q >> (32 - at)) as u32);
            assert_eq!(other, (ONE, 0));
        }
    }
}

/// Returns sine and cosine by the words of [L] 4.4, for a number as it is read: |x| = 4 q + n + g.
fn reduced(x: u32, rounding: Rounding) -> [(u32, Flags); 2] {
    let value = f64::from(f32::from_bits(x));
    if !value.is_finite() {
        return [(NAN, Flags::V); 2];
    }
    let magnitude = value.abs();
    let (n, g) = (magnitude.floor() % 4.0, magnitude.fract());
    // All of it is exact where |x| >= 1.
    let single = |v: f64| (v as f32).to_bits();
    let exact = |v: f64| (single(v), Flags::empty());
    let quarters = [g, 1.0 - g, -g, -(1.0 - g), g];
    let sine = quarters[n as usize];
    let sine = exact(if value.is_sign_negative() { -sine } else { sine });
    if magnitude >= 1.0 {
        return [sine, exact(quarters[n as usize + 1])];
    }
    let mut soft = Soft::new(rounding);
    let cosine = soft.sub(ONE, x & !SIGN);
    [(x, Flags::empty()), (cosine, soft.flags())]
}

fn check_reduction(x: u32) -> Result<(), TestCaseError> {
    let denormal = f32::from_bits(x).is_subnormal();
    let read = if denormal { x & SIGN } else { x };
    let raised = if denormal { Flags::E } else { Flags::empty() };
    for rounding in MODES {
        let [sine, cosine] = reduced(read, rounding);
        // Beside a number that raises nothing.
        let pair = Lane { s: join(x, ONE), rounding, ..Lane::default() };
        let got = run(Arith::Rrsin, &pair);
        prop_assert_eq!((got.d, got.flags), (join(sine.0, ONE), sine.1 | raised), "{:x}", x);
        let got = run(Arith::Rrcos, &pair);
        prop_assert_eq!((got.d, got.flags), (join(cosine.0, SIGN), cosine.1 | raised), "{:x}", x);
        let got = run(Arith::Rrcossin, &Lane { s: join(NAN, x), rounding, ..Lane::default() });
        let flags = cosine.1 | sine.1 | raised;
        prop_assert_eq!((got.d, got.flags), (join(cosine.0, sine.0), flags), "{:x}", x);
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
        let (significand, exponent) = (halves(got.d).0, halves(got.q).0);
        let value = f32::from_bits(a);
        let expected = if value.is_normal() {
            let exponent = (a >> 23 & 0xff) as f32 - 127.0;
            (a & 0x807f_ffff | ONE, exponent.to_bits(), Flags::empty())
        } else if value.is_nan() {
            (NAN, 0, Flags::V)
        } else if value.is_subnormal() {
            (a & SIGN, 0, Flags::E)
        } else {
            (a, 0, Flags::empty())
        };
        prop_assert_eq!((significand, exponent, got.flags), expected);
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
}

/// A reduction joins the flags of both halves: one that is NaN leaves only V and E of the other's flags.
#[test]
fn flags_of_both_halves_are_joined() {
    for op in [Arith::Rrsin, Arith::Rrcos, Arith::Rrlog2] {
        for (s, raised) in [
            (join(NAN, ONE), "V"),
            (join(ONE, NAN), "V"),
            (join(1, NAN), "VE"),
            (join(0x8000_0001, ONE), "E"),
            (join(NAN, 0x3300_0000), "V"),
        ] {
            let got = run(op, &Lane { s, ..Lane::default() });
            assert_eq!(got.flags, flags(raised), "{op:?} {s:016x}");
        }
    }
}

/// Reduction and sinc make the sine: sin(pi/2 x) = r * sinc(r).
#[test]
fn reduction_and_sinc_make_the_sine() {
    for n in -4000..4000 {
        let x = n as f32 / 317.0;
        let r = run(Arith::Rrsin, &Lane { s: both(x.to_bits()), ..Lane::default() }).d as u32;
        let product = f32::from_bits(r)
            * f32::from_bits(run(Arith::Sinc, &Lane { s: both(r), ..Lane::default() }).d as u32);
        let sine = (f64::from(x) * std::f64::consts::FRAC_PI_2).sin();
        assert!((f64::from(product) - sine).abs() < 2e-7, "{x}");
    }
}
