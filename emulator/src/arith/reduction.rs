//! Argument reduction: of the sine and cosine to [-1, 1], of the logarithm to [1, 2). [L] 4.4

use super::float::{BIAS, Fpu, NAN, ONE, SIGN, exponent, is_special, significand};
use super::word::{each, join, lo};

/// Fraction bits of a number from 1 on, and of its reduction.
const FRACTION: i32 = 23;
const UNIT: i64 = 1 << FRACTION;

/// |x| modulo 4, in units of 2^-23, for |x| >= 1.
fn quarter_turns(x: u32) -> i64 {
    // From 2^25 on every number is a multiple of 4.
    let power = (exponent(x) - BIAS).min(25);
    (significand(x) << power) as i64 % (4 * UNIT)
}

/// The r in [-1, 1] with sin(pi/2 r) = sin(pi/2 x). It is exact.
pub(super) fn sine(f: &mut Fpu, x: u32) -> u32 {
    let x = f.read(x);
    if is_special(x) {
        return f.invalid();
    }
    if x & !SIGN < ONE {
        return x;
    }
    let m = quarter_turns(x);
    let r = if m <= UNIT {
        m
    } else if m <= 3 * UNIT {
        2 * UNIT - m
    } else {
        m - 4 * UNIT
    };
    f.float_from_fixed(r, FRACTION) ^ x & SIGN
}

/// The r in [-1, 1] with sin(pi/2 r) = cos(pi/2 x), rounded once.
pub(super) fn cosine(f: &mut Fpu, x: u32) -> u32 {
    let x = f.read(x);
    if is_special(x) {
        return f.invalid();
    }
    if x & !SIGN < ONE {
        return f.sub(ONE, x & !SIGN);
    }
    let m = quarter_turns(x);
    f.float_from_fixed(if m <= 2 * UNIT { UNIT - m } else { m - 3 * UNIT }, FRACTION)
}

/// `(cosine, sine)` of lo.
pub(super) fn cosine_sine(f: &mut Fpu, s: u64) -> u64 {
    join(cosine(f, lo(s)), sine(f, lo(s)))
}

/// Pairwise significand in [1, 2) with sign, and exponent as a float, 0 for a zero.
pub(super) fn logarithm(f: &mut Fpu, s: u64) -> (u64, u64) {
    let significands = super::pair::significands(f, s);
    let exponents = each(s, |a| match f.unbiased_exponent(a) {
        None => NAN,
        Some(e) if e == -BIAS => 0,
        Some(e) => f.float_from_int(e),
    });
    (significands, exponents)
}
