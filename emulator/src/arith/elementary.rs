//! Elementary functions of one float: a quadratic from a table (`tables`), truncated. Argument
//! reduction is in `reduction`. [L] 4.4

use super::Flags;
use super::float::{BIAS, Fpu, INFINITY, ONE, SIGN, exponent, is_nan, is_zero};
use super::tables::{ATANC, EXP2, FunctionTable, LOG2C, RECIP, SINC, SQRT, SQRT2};

const TWO: u32 = 0x4000_0000;
const HALF: u32 = 0x3f00_0000;
/// Results where the argument of a table is 0: pi/2, 2/pi, log2 e and the square root of 2.
const HALF_PI: u32 = 0x3fc9_0fdb;
const TWO_OVER_PI: u32 = 0x3f22_f983;
const LOG2_E: u32 = 0x3fb8_aa3b;
const SQRT_2: u32 = 0x3fb5_04f3;

/// Fraction of a single.
const FRACTION: u32 = (1 << 23) - 1;
/// Number of bits of the argument of a table, and number of those of them that are the place between two rows.
const ARGUMENT_BITS: u32 = 24;
const PLACE_BITS: u32 = 17;
/// Number of fraction bits of the value of a quadratic.
const VALUE_BITS: i32 = 58;

/// Returns the argument of a table for a number in [1, 2).
fn above_one(x: u32) -> u32 {
    (x & FRACTION) << 1
}

/// Evaluates a table at `t / 2^24`, truncated; returns `small` where `t` is 0.
///
/// I is raised when one of the dropped bits or the last bit of the result is one, so it does not
/// tell whether the result is exact. [L] 4.4
fn evaluate(f: &mut Fpu, table: &FunctionTable, t: u32, small: u32) -> u32 {
    if t == 0 {
        f.raise(Flags::I);
        return small;
    }
    let [c0, c1, c2] = table[(t >> PLACE_BITS) as usize].map(i64::from);
    let place = i64::from(t & ((1 << PLACE_BITS) - 1));
    let value = (c0 << 32) + ((c1 * place) << 18) + c2 * place * place;
    let lead = value.ilog2();
    let last = lead - 23;
    if value & ((2 << last) - 1) != 0 {
        f.raise(Flags::I);
    }
    let exponent = (lead as i32 - VALUE_BITS + BIAS) as u32;
    exponent << 23 | (value >> last) as u32 & FRACTION
}

/// Returns a normal number times a power of two that keeps it normal.
fn scaled(x: u32, power: i32) -> u32 {
    x.wrapping_add_signed(power << 23)
}

/// Returns `1 / x`.
pub(super) fn recip(f: &mut Fpu, x: u32) -> u32 {
    let x = f.read(x);
    let sign = x & SIGN;
    if is_nan(x) {
        return f.invalid();
    }
    match exponent(x) {
        0 => {
            f.raise(Flags::Z);
            sign | INFINITY
        }
        255 => sign,
        // 2^126 too, though its reciprocal is a normal number.
        253.. => {
            f.raise(Flags::U | Flags::I);
            sign
        }
        _ if x == ONE => ONE,
        e => sign | scaled(evaluate(f, &RECIP, above_one(x), ONE), BIAS - e),
    }
}

/// Returns `1 / sqrt(x)`: the reciprocal of the truncated square root.
pub(super) fn rsqrt(f: &mut Fpu, x: u32) -> u32 {
    let x = f.read(x);
    if is_zero(x) {
        f.raise(Flags::Z);
        return INFINITY;
    }
    if is_nan(x) || x & SIGN != 0 {
        return f.invalid();
    }
    let root = if x == INFINITY { INFINITY } else { square_root(f, x) };
    recip(f, root)
}

/// Returns the square root of a positive normal number.
fn square_root(f: &mut Fpu, x: u32) -> u32 {
    if x == ONE {
        return ONE;
    }
    let power = exponent(x) - BIAS;
    let (table, small) = if power % 2 == 0 { (&SQRT, ONE) } else { (&SQRT2, SQRT_2) };
    scaled(evaluate(f, table, above_one(x), small), power >> 1)
}

/// Returns `sin(pi/2 x) / x` for `x` in [-1, 1].
pub(super) fn sinc(f: &mut Fpu, x: u32) -> u32 {
    even_function(f, x, &SINC, [HALF_PI, ONE])
}

/// Returns `(2/pi) atan(x) / x` for `x` in [-1, 1].
pub(super) fn atanc(f: &mut Fpu, x: u32) -> u32 {
    even_function(f, x, &ATANC, [TWO_OVER_PI, HALF])
}

/// Evaluates a function of |x| on [0, 1], with its values at 0 and at 1, which raise nothing. At infinity the function is
/// zero.
fn even_function(f: &mut Fpu, x: u32, table: &FunctionTable, [at_zero, at_one]: [u32; 2]) -> u32 {
    match f.read(x) & !SIGN {
        0 => at_zero,
        ONE => at_one,
        INFINITY => 0,
        above if above > ONE => f.invalid(),
        inside => {
            let magnitude = f32::from_bits(inside) * (1 << ARGUMENT_BITS) as f32;
            evaluate(f, table, magnitude as u32, at_zero)
        }
    }
}

/// Returns `log2(x) / (x - 1)` for `x` in [1, 2), continued by infinity at 0 and by 0 at infinity.
pub(super) fn log2c(f: &mut Fpu, x: u32) -> u32 {
    let x = f.read(x);
    match x {
        0 | SIGN => INFINITY,
        INFINITY => 0,
        ONE..TWO => evaluate(f, &LOG2C, above_one(x), LOG2_E),
        _ => f.invalid(),
    }
}

/// Returns `2^x`.
pub(super) fn exp2(f: &mut Fpu, x: u32) -> u32 {
    const UPPER: f32 = 128.0;
    const LOWER: f32 = -126.0;
    let x = f.read(x);
    let v = f32::from_bits(x);
    if is_nan(x) {
        f.invalid()
    } else if v >= UPPER {
        if v.is_finite() {
            f.raise(Flags::O | Flags::I);
        }
        INFINITY
    } else if v < LOWER {
        if v.is_finite() {
            f.raise(Flags::U | Flags::I);
        }
        0
    } else {
        power_of_two(f, v)
    }
}

/// Returns `2^x` where it is a normal number.
fn power_of_two(f: &mut Fpu, x: f32) -> u32 {
    let integer = x.floor();
    // Rounded to nearest: a small negative number loses bits.
    let rest = x - integer;
    let power = integer as i32;
    if x == integer {
        return scaled(ONE, power);
    }
    if rest == 1.0 {
        f.raise(Flags::I);
        return scaled(ONE, power + 1);
    }
    let argument = (rest * (1 << ARGUMENT_BITS) as f32) as u32;
    scaled(evaluate(f, &EXP2, argument, ONE), power)
}
