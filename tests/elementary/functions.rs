//! The six functions of one float (elementary, section 4). E and V of the operand are raised by the caller.

use super::Flagged;
use super::evaluate::evaluate;
use super::number::{
    INFINITY, Magnitude, NAN, ONE, Operand, POINT, Rounding, UNIT, fixed, flags, float,
};
use super::table::Table;

const INVALID: Flagged = (NAN, flags::V);

/// Returns the argument of a table for a significand in [1, 2): what it exceeds 1 by, in 2^-24.
fn excess(significand: u32) -> u32 {
    2 * (significand - (1 << 23))
}

/// Returns a float with 2^`by` times its value.
fn scaled(bits: u32, by: i32) -> u32 {
    let result = bits.wrapping_add_signed(by << 23);
    assert!((1..255).contains(&(result >> 23)), "{bits:08x} times 2^{by}");
    result
}

pub(super) fn recip(x: Operand) -> Flagged {
    let (bits, raised) = match x.magnitude {
        Magnitude::Nan => return INVALID,
        Magnitude::Zero => (INFINITY, flags::Z),
        Magnitude::Infinity => (0, 0),
        Magnitude::Number { significand: 0x80_0000, exponent: 0 } if !x.negative => (ONE, 0),
        Magnitude::Number { exponent: 126.., .. } => (0, flags::U | flags::I),
        Magnitude::Number { significand, exponent } => {
            let (bits, raised) = evaluate(Table::Recip, excess(significand), ONE);
            (scaled(bits, -exponent), raised)
        }
    };
    (x.signed(bits), raised)
}

pub(super) fn rsqrt(x: Operand) -> Flagged {
    match x.magnitude {
        Magnitude::Nan => INVALID,
        Magnitude::Zero => (INFINITY, flags::Z),
        _ if x.negative => INVALID,
        Magnitude::Infinity => (0, 0),
        Magnitude::Number { significand, exponent } => {
            let (root, raised) = square_root(significand, exponent);
            let (bits, more) = recip(Operand::of(root));
            (bits, raised | more)
        }
    }
}

fn square_root(significand: u32, exponent: i32) -> Flagged {
    if (significand, exponent) == (1 << 23, 0) {
        return (ONE, 0);
    }
    let (root, raised) = if exponent % 2 == 0 {
        evaluate(Table::Sqrt, excess(significand), ONE)
    } else {
        evaluate(Table::Sqrt2, excess(significand), 0x3fb5_04f3)
    };
    // Its fraction, with an exponent of its own.
    (scaled(root & 0x7f_ffff | ONE, exponent.div_euclid(2)), raised)
}

pub(super) fn log2c(x: Operand) -> Flagged {
    match x.magnitude {
        Magnitude::Zero => (INFINITY, 0),
        Magnitude::Infinity if !x.negative => (0, 0),
        Magnitude::Number { significand, exponent: 0 } if !x.negative => {
            evaluate(Table::Log2c, excess(significand), 0x3fb8_aa3b)
        }
        _ => INVALID,
    }
}

pub(super) fn exp2(x: Operand) -> Flagged {
    match x.magnitude {
        Magnitude::Nan => INVALID,
        Magnitude::Zero => (ONE, 0),
        Magnitude::Infinity => (if x.negative { 0 } else { INFINITY }, 0),
        Magnitude::Number { exponent, .. } if exponent >= 7 => too_large(x.negative),
        Magnitude::Number { significand, exponent } => {
            let size = fixed(significand, exponent) as i128;
            power(if x.negative { -size } else { size })
        }
    }
}

fn too_large(negative: bool) -> Flagged {
    if negative { (0, flags::U | flags::I) } else { (INFINITY, flags::O | flags::I) }
}

/// Returns 2^x for a fixed-point x between -128 and 128.
fn power(x: i128) -> Flagged {
    let unit = UNIT as i128;
    if x < -126 * unit {
        return too_large(true);
    }
    let (n, rest) = (x.div_euclid(unit), x.rem_euclid(unit));
    if rest == 0 {
        return (scaled(ONE, n as i32), 0);
    }
    let (rest, _) = float(rest as u128, POINT, Rounding::Nearest);
    if rest == ONE {
        return (scaled(ONE, n as i32 + 1), flags::I);
    }
    let Magnitude::Number { significand, exponent } = Operand::of(rest).magnitude else {
        unreachable!("{rest:08x} lies between 0 and 1");
    };
    let (bits, raised) = evaluate(Table::Exp2, below_one(significand, exponent), ONE);
    (scaled(bits, n as i32), raised)
}

/// Returns a number below 1 in 2^-24, truncated.
fn below_one(significand: u32, exponent: i32) -> u32 {
    (fixed(significand, exponent) >> (POINT - 24)) as u32
}

pub(super) fn sinc(x: Operand) -> Flagged {
    even(x, Table::Sinc, 0x3fc9_0fdb, ONE)
}

pub(super) fn atanc(x: Operand) -> Flagged {
    even(x, Table::Atanc, 0x3f22_f983, 0x3f00_0000)
}

/// Computes a function of |x| up to 1 with its values at 0 and at 1.
fn even(x: Operand, table: Table, at_zero: u32, at_one: u32) -> Flagged {
    match x.magnitude {
        Magnitude::Zero => (at_zero, 0),
        Magnitude::Infinity => (0, 0),
        Magnitude::Number { significand: 0x80_0000, exponent: 0 } => (at_one, 0),
        Magnitude::Number { significand, exponent: exponent @ ..0 } => {
            evaluate(table, below_one(significand, exponent), at_zero)
        }
        _ => INVALID,
    }
}
