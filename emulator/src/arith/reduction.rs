//! Argument reduction: of the sine and cosine to [-1, 1], of the logarithm to [1, 2). [L] 4.4

use super::float::{BIAS, Fpu, ONE, SIGN, exponent, is_nan, is_special, is_zero, significand};
use super::word::{hi, join, lo};

/// Fraction bits of a number from 1 on, and of its reduction.
const FRACTION: i32 = 23;
const UNIT: i64 = 1 << FRACTION;

/// Returns the quarter turn that a finite |x| >= 1 ends in, and how far it goes into that quarter, in units of 2^-23.
fn quarter(x: u32) -> (i64, i64) {
    // From 2^25 on every number is a multiple of 4.
    let power = (exponent(x) - BIAS).min(25);
    let turns = (significand(x) << power) as i64 % (4 * UNIT);
    (turns / UNIT, turns % UNIT)
}

/// Returns minus a multiple of 2^-23 below 1, zero too.
fn negated(f: &mut Fpu, fixed: i64) -> u32 {
    f.float_from_fixed(fixed, FRACTION) ^ SIGN
}

/// Returns the r in [-1, 1] with sin(pi/2 r) = sin(pi/2 x). The result is exact; a zero has the sign of x, or the opposite
/// one in the third quarter.
pub(super) fn sine(f: &mut Fpu, x: u32) -> u32 {
    let x = f.read(x);
    if is_special(x) {
        return f.invalid();
    }
    if x & !SIGN < ONE {
        return x;
    }
    let r = match quarter(x) {
        (0, g) => f.float_from_fixed(g, FRACTION),
        (1, g) => f.float_from_fixed(UNIT - g, FRACTION),
        (2, g) => negated(f, g),
        (_, g) => negated(f, UNIT - g),
    };
    r ^ x & SIGN
}

/// Returns the r in [-1, 1] with sin(pi/2 r) = cos(pi/2 x). The result is exact but for |x| < 1, where it is rounded by RM; a
/// zero is -0 in the second quarter and +0 in the fourth.
pub(super) fn cosine(f: &mut Fpu, x: u32) -> u32 {
    let x = f.read(x);
    if is_special(x) {
        return f.invalid();
    }
    if x & !SIGN < ONE {
        return f.sub(ONE, x & !SIGN);
    }
    match quarter(x) {
        (0, g) => f.float_from_fixed(UNIT - g, FRACTION),
        (1, g) => negated(f, g),
        (2, g) => negated(f, UNIT - g),
        (_, g) => f.float_from_fixed(g, FRACTION),
    }
}

/// Returns the reductions of lo for the cosine and the sine, as the word `(cosine, sine)`.
pub(super) fn cosine_sine(f: &mut Fpu, s: u64) -> u64 {
    join(cosine(f, lo(s)), sine(f, lo(s)))
}

/// Returns the significands in [1, 2) with sign, and the exponents as floats, of both halves.
pub(super) fn logarithm(f: &mut Fpu, s: u64) -> (u64, u64) {
    let [(high, exponent_high), (low, exponent_low)] = [hi(s), lo(s)].map(|x| parts(f, x));
    (join(high, low), join(exponent_high, exponent_low))
}

/// Returns significand with sign and exponent as a float of one number; the exponent of zero, infinity and NaN is +0.
fn parts(f: &mut Fpu, x: u32) -> (u32, u32) {
    let x = f.read(x);
    if is_nan(x) {
        (f.invalid(), 0)
    } else if is_zero(x) || is_special(x) {
        (x, 0)
    } else {
        (f.signed_significand(x), f.float_from_int(exponent(x) - BIAS))
    }
}
