//! The coefficient function against astro-float, at all 65536 angles and in both directions.

use crate::values::{halves, join};
use astro_float::{BigFloat, Consts, RoundingMode};
use cp2_emu::arith::coefficient;

const SIGN: u32 = 1 << 31;
const ONE: u32 = 0x3f80_0000;

fn big(x: f64) -> BigFloat {
    BigFloat::from_f64(x, 200)
}

fn below(a: &BigFloat, b: &BigFloat) -> bool {
    a.cmp(b).is_some_and(|order| order < 0)
}

/// Whether `single` > 0 is the nearest to an exact value that is no tie: the value lies strictly
/// between the ties on both sides, which are exact in double precision.
fn is_nearest(single: u32, exact: &BigFloat) -> bool {
    let value = |bits: u32| f64::from(f32::from_bits(bits));
    let tie = |a: u32, b: u32| big((value(a) + value(b)) / 2.0);
    below(&tie(single - 1, single), exact) && below(exact, &tie(single, single + 1))
}

/// Returns sin(2 pi k / 65536) for every k of a half circle.
fn sines() -> Vec<BigFloat> {
    const P: usize = 128;
    let rm = RoundingMode::ToEven;
    let mut c = Consts::new().expect("memory");
    let pi = c.pi(P, rm);
    (0..=32768).map(|k| pi.mul(&big(f64::from(k) / 32768.0), P, rm).sin(P, rm, &mut c)).collect()
}

#[test]
fn every_coefficient_is_the_nearest() {
    let sines = sines();
    // Sine of any angle: its magnitude's index and sign.
    let is_sine = |single: u32, k: usize| {
        let negative = k % 65536 >= 32768;
        match k % 32768 {
            0 => single & !SIGN == 0,
            16384 => single == ONE | if negative { SIGN } else { 0 },
            n => (single & SIGN != 0) == negative && is_nearest(single & !SIGN, &sines[n]),
        }
    };
    for k in 0..65536 {
        let (hi, lo) = halves(coefficient(k as u16, false));
        assert!(is_sine(hi, k + 16384), "cos {k} = {hi:08x}");
        assert!(is_sine(lo, k), "sin {k} = {lo:08x}");
        assert_eq!(coefficient(k as u16, true), join(hi, lo ^ SIGN), "inverse {k}");
    }
}

/// No value is so near to a tie that the rounding of a double, 2^-50 off, would be in doubt.
#[test]
fn no_value_is_ambiguous() {
    for (k, sine) in sines().iter().enumerate().take(16384).skip(1) {
        let single = halves(coefficient(k as u16, false)).1;
        for factor in [1.0 - 2f64.powi(-50), 1.0 + 2f64.powi(-50)] {
            let moved = sine.mul(&big(factor), 200, RoundingMode::ToEven);
            assert!(is_nearest(single, &moved), "{k}");
        }
    }
}

/// The signs of the zeros, as [L] 4.3 states for 16384 and its formula gives for the others.
#[test]
fn the_axes_have_their_signs() {
    for (k, expected) in [
        (0, join(ONE, 0)),
        (16384, join(SIGN, ONE)),
        (32768, join(ONE | SIGN, SIGN)),
        (49152, join(0, ONE | SIGN)),
    ] {
        assert_eq!(coefficient(k, false), expected, "{k}");
    }
}

/// The formula of [L] 4.3, word by word, with native sines.
#[test]
fn the_formula_holds_word_by_word() {
    for k in 0..=u16::MAX {
        let bit = |n: u16| (k >> n & 1) == 1;
        let u = i32::from(k) & 8191;
        let t = if k % 16384 == 8192 { 8192 } else { (if bit(13) { 8192 - u } else { u }) % 8192 };
        let angle = f64::from(t) * std::f64::consts::TAU / 65536.0;
        let (c, s) = ((angle.cos() as f32).to_bits(), (angle.sin() as f32).to_bits());
        let (hi, lo) = if bit(13) ^ bit(14) { (s, c) } else { (c, s) };
        for inverse in [false, true] {
            let flip = |on: bool| if on { SIGN } else { 0 };
            let expected = join(hi ^ flip(bit(14) ^ bit(15)), lo ^ flip(bit(15) ^ inverse));
            assert_eq!(coefficient(k, inverse), expected, "{k} {inverse}");
        }
    }
}
