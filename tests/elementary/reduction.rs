//! Argument reductions (elementary, section 5). E and V of the operand are raised by the caller.

use super::Flagged;
use super::number::{
    INFINITY, Magnitude, NAN, ONE, Operand, POINT, Rounding, SIGN, UNIT, fixed, flags, float,
};

const INVALID: Flagged = (NAN, flags::V);

/// Splits |x| = 4 q + n + g: returns n and, as a fixed-point number, g.
fn quarters(significand: u32, exponent: i32) -> (usize, u128) {
    // From 2^25 on |x| is a multiple of 4.
    let x = if exponent < 25 { fixed(significand, exponent) } else { 0 };
    ((x / UNIT % 4) as usize, x % UNIT)
}

/// Returns a fixed-point number of at most 24 bits as a float.
fn exact(n: u128) -> u32 {
    let (bits, dropped) = float(n, POINT, Rounding::Zero);
    assert!(!dropped);
    bits
}

pub(super) fn sine(x: Operand) -> Flagged {
    match x.magnitude {
        Magnitude::Nan | Magnitude::Infinity => INVALID,
        Magnitude::Zero => (x.signed(0), 0),
        Magnitude::Number { significand, exponent: exponent @ ..0 } => {
            let (e, fraction) = ((exponent + 127) as u32, significand - (1 << 23));
            (x.signed(e << 23 | fraction), 0)
        }
        Magnitude::Number { significand, exponent } => {
            let (n, g) = quarters(significand, exponent);
            let size = exact(if n % 2 == 0 { g } else { UNIT - g });
            let negative = (n >= 2) != x.negative;
            (if negative { size | SIGN } else { size }, 0)
        }
    }
}

pub(super) fn cosine(x: Operand, rounding: Rounding) -> Flagged {
    match x.magnitude {
        Magnitude::Nan | Magnitude::Infinity => INVALID,
        Magnitude::Zero => (ONE, 0),
        Magnitude::Number { significand, exponent: exponent @ ..0 } => {
            let (bits, inexact) = float(UNIT - fixed(significand, exponent), POINT, rounding);
            (bits, if inexact { flags::I } else { 0 })
        }
        Magnitude::Number { significand, exponent } => {
            let (n, g) = quarters(significand, exponent);
            let size = exact(if n % 2 == 0 { UNIT - g } else { g });
            (if n == 1 || n == 2 { size | SIGN } else { size }, 0)
        }
    }
}

/// Splits x into its significand in [1, 2), with the sign of x, and its exponent as a float.
pub(super) fn split(x: Operand) -> (u32, u32) {
    match x.magnitude {
        Magnitude::Nan => (NAN, 0),
        Magnitude::Zero => (x.signed(0), 0),
        Magnitude::Infinity => (x.signed(INFINITY), 0),
        Magnitude::Number { significand, exponent } => {
            let size = exact(u128::from(exponent.unsigned_abs()) * UNIT);
            let sign = if exponent < 0 { SIGN } else { 0 };
            (x.signed(ONE + significand - (1 << 23)), size | sign)
        }
    }
}
