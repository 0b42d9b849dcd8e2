//! Elementary functions of one float, each the exact value rounded to nearest. Argument reduction
//! is in `reduction`. The hardware interpolates a table instead, so it may differ by one unit in
//! the last place. [L] 4.4

use super::Flags;
use super::float::{
    BIAS, Fpu, INFINITY, ONE, SIGN, exponent, is_nan, is_special, is_zero, significand,
};
use astro_float::{BigFloat, Consts, RoundingMode};
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, LOG2_E};

/// Bits of a double's significand below those of a single.
const TAIL: u32 = 29;
/// How far a value computed in double precision may be off, in units of the double's last place.
/// Each function does at most four operations of at most one unit each.
const ERROR: u64 = 8;
/// Precision of the second try. Only 22 singles need one, and none of them lies nearer to a tie
/// than 2^-58 of its value: measured over all arguments, `specs/src/arithmetic.md`.
const BITS: usize = 192;
const RM: RoundingMode = RoundingMode::ToEven;

/// `1 / x`.
pub(super) fn recip(f: &mut Fpu, x: u32) -> u32 {
    let x = f.read(x);
    let sign = x & SIGN;
    if is_nan(x) {
        return f.invalid();
    }
    if is_special(x) {
        return sign;
    }
    if is_zero(x) {
        f.raise(Flags::Z);
        return sign | INFINITY;
    }
    let (dividend, divisor) = (1u64 << 63, significand(x));
    let quotient = dividend / divisor;
    let rest = u64::from(quotient * divisor != dividend);
    // 2^63 / 2^23 leads at bit 40.
    normalize(f, sign, 2 * BIAS - exponent(x) - 40, quotient, rest)
}

/// `1 / sqrt(x)`.
pub(super) fn rsqrt(f: &mut Fpu, x: u32) -> u32 {
    let x = f.read(x);
    if is_zero(x) {
        f.raise(Flags::Z);
        return x | INFINITY;
    }
    if is_nan(x) || x & SIGN != 0 {
        return f.invalid();
    }
    if is_special(x) {
        return 0;
    }
    // x = m * 4^k with m an integer of 24 or 25 bits.
    let power = exponent(x) - BIAS - 23;
    let (m, k) = (u128::from(significand(x) << (power & 1)), power >> 1);
    const SQUARE: u128 = 1 << 86;
    let root = ((SQUARE / m) as u64).isqrt();
    let rest = u64::from(u128::from(root) * u128::from(root) * m != SQUARE);
    normalize(f, 0, BIAS - 43 - k, root, rest)
}

/// Rounds `(significand + rest) * 2^(exponent - 127)`, `rest` telling only whether it is zero.
fn normalize(f: &mut Fpu, sign: u32, exponent: i32, significand: u64, rest: u64) -> u32 {
    let shift = significand.leading_zeros() - 1;
    f.pack(sign, exponent + 62 - shift as i32, significand << shift | rest)
}

/// `sin(pi/2 x) / x` on [-1, 1].
pub(super) fn sinc(f: &mut Fpu, x: u32) -> u32 {
    let x = f.read(x);
    let v = double(x);
    match x & !SIGN {
        0 => inexact(f, FRAC_PI_2),
        ONE => ONE,
        magnitude if magnitude > ONE => f.invalid(),
        _ => rounded(f, libm::sin(FRAC_PI_2 * v) / v, |c| {
            let angle = c.pi(BITS, RM).mul(&big(v / 2.0), BITS, RM);
            angle.sin(BITS, RM, c).div(&big(v), BITS, RM)
        }),
    }
}

/// `(2/pi) atan(x) / x` on [-1, 1].
pub(super) fn atanc(f: &mut Fpu, x: u32) -> u32 {
    const HALF: u32 = 0x3f00_0000;
    let x = f.read(x);
    let v = double(x);
    match x & !SIGN {
        0 => inexact(f, FRAC_2_PI),
        ONE => HALF,
        magnitude if magnitude > ONE => f.invalid(),
        _ => rounded(f, FRAC_2_PI * libm::atan(v) / v, |c| {
            let denominator = c.pi(BITS, RM).mul(&big(v / 2.0), BITS, RM);
            big(v).atan(BITS, RM, c).div(&denominator, BITS, RM)
        }),
    }
}

/// `log2(x) / (x - 1)` on [1, 2), continued by +infinity at 0.
pub(super) fn log2c(f: &mut Fpu, x: u32) -> u32 {
    const TWO: u32 = 0x4000_0000;
    let x = f.read(x);
    let v = double(x);
    if is_zero(x) {
        f.raise(Flags::Z);
        return INFINITY;
    }
    if !(ONE..TWO).contains(&x) {
        return f.invalid();
    }
    if x == ONE {
        return inexact(f, LOG2_E);
    }
    rounded(f, libm::log2(v) / (v - 1.0), |c| big(v).log2(BITS, RM, c).div(&big(v - 1.0), BITS, RM))
}

/// `2^x`.
pub(super) fn exp2(f: &mut Fpu, x: u32) -> u32 {
    let x = f.read(x);
    if is_nan(x) {
        return f.invalid();
    }
    if is_special(x) {
        return if x == INFINITY { INFINITY } else { 0 };
    }
    let v = double(x);
    let integer = v.floor();
    if integer == v || !(-126.0..128.0).contains(&v) {
        // Also far out of range the exponent alone decides.
        return f.pack(0, BIAS + integer.clamp(-300.0, 300.0) as i32, 1 << 62);
    }
    rounded(f, libm::exp2(v), |c| {
        let exponent = c.ln_2(BITS, RM).mul(&big(v), BITS, RM);
        exponent.exp(BITS, RM, c)
    })
}

fn double(x: u32) -> f64 {
    f64::from(f32::from_bits(x))
}

fn big(v: f64) -> BigFloat {
    BigFloat::from_f64(v, BITS)
}

/// Rounds a positive irrational number to the nearest single, from a double near it if that
/// decides (Ziv), else from many bits.
fn rounded(f: &mut Fpu, near: f64, exact: impl FnOnce(&mut Consts) -> BigFloat) -> u32 {
    const TIE: u64 = 1 << (TAIL - 1);
    let bits = near.to_bits();
    let tail = bits & ((1 << TAIL) - 1);
    if tail.abs_diff(TIE) > ERROR {
        return inexact(f, near);
    }
    let below = bits & !((1 << TAIL) - 1);
    let tie = f64::from_bits(below | TIE);
    inexact(
        f,
        if exceeds(tie, exact) { f64::from_bits(below + 2 * TIE) } else { f64::from_bits(below) },
    )
}

/// Whether the exact value lies above a tie. (The constants fail only for want of memory.)
fn exceeds(tie: f64, exact: impl FnOnce(&mut Consts) -> BigFloat) -> bool {
    Consts::new().is_ok_and(|mut c| exact(&mut c).cmp(&big(tie)).is_some_and(|order| order > 0))
}

/// The single nearest to a double in its range, of a value that no single equals.
fn inexact(f: &mut Fpu, value: f64) -> u32 {
    f.raise(Flags::I);
    (value as f32).to_bits()
}
