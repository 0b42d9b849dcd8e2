//! Single-precision floats as exact numbers, and the way back: one rounding for everything.

/// Flags of an operation.
pub(crate) mod flags {
    pub(crate) const I: u8 = 1;
    pub(crate) const U: u8 = 1 << 1;
    pub(crate) const O: u8 = 1 << 2;
    pub(crate) const Z: u8 = 1 << 3;
    pub(crate) const V: u8 = 1 << 4;
    pub(crate) const E: u8 = 1 << 5;
}

/// The NaN that every operation gives.
pub(super) const NAN: u32 = 0x7fff_ffff;
pub(super) const INFINITY: u32 = 0xff << 23;
pub(super) const ONE: u32 = 127 << 23;
pub(super) const SIGN: u32 = 1 << 31;

/// Fraction bits of the fixed-point numbers below.
pub(super) const POINT: u32 = 100;
/// 1 as a fixed-point number.
pub(super) const UNIT: u128 = 1 << POINT;

/// Rounding modes by their number in CONTROL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Rounding {
    #[default]
    Nearest,
    Zero,
    Up,
    Down,
}

/// The magnitude of a float.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Magnitude {
    Zero,
    /// `significand` (24 bits, the highest set) times 2^(`exponent` - 23).
    Number {
        significand: u32,
        exponent: i32,
    },
    Infinity,
    Nan,
}

/// A float as an operation takes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub(super) negative: bool,
    pub(super) magnitude: Magnitude,
    /// Flags that the operand raises: E if it was denormal, V if it is NaN.
    pub(super) raised: u8,
}

impl Operand {
    pub(super) fn of(bits: u32) -> Self {
        let (exponent, fraction) = (bits >> 23 & 0xff, bits & 0x7f_ffff);
        let (magnitude, raised) = match (exponent, fraction) {
            (0, 0) => (Magnitude::Zero, 0),
            (0, _) => (Magnitude::Zero, flags::E),
            (0xff, 0) => (Magnitude::Infinity, 0),
            (0xff, _) => (Magnitude::Nan, flags::V),
            _ => {
                let (significand, exponent) = (1 << 23 | fraction, exponent as i32 - 127);
                (Magnitude::Number { significand, exponent }, 0)
            }
        };
        Self { negative: bits & SIGN != 0, magnitude, raised }
    }

    /// Returns `bits` with the operand's sign.
    pub(super) fn signed(self, bits: u32) -> u32 {
        if self.negative { bits | SIGN } else { bits }
    }
}

/// Returns a magnitude below 2^27 as a fixed-point number. What lies below its last place only sets the last bit: no rounding
/// to 24 bits of a number near it, and no truncation, can tell the difference.
pub(super) fn fixed(significand: u32, exponent: i32) -> u128 {
    let shift = exponent - 23 + POINT as i32;
    let wide = u128::from(significand);
    if shift >= 0 {
        return wide << shift;
    }
    let kept = wide.checked_shr(shift.unsigned_abs()).unwrap_or(0);
    let lost = kept == 0 || kept << shift.unsigned_abs() != wide;
    kept | u128::from(lost)
}

/// Returns the float next to `n` / 2^`scale` in a rounding mode, as if it were positive, and whether it differs. The result
/// must be normal or zero.
pub(super) fn float(n: u128, scale: u32, rounding: Rounding) -> (u32, bool) {
    if n == 0 {
        return (0, false);
    }
    let highest = 127 - n.leading_zeros();
    let exponent = highest as i32 - scale as i32 + 127;
    assert!((1..255).contains(&exponent), "{n} / 2^{scale} is not normal");
    if highest <= 23 {
        let fraction = (n << (23 - highest)) as u32 & 0x7f_ffff;
        return ((exponent as u32) << 23 | fraction, false);
    }
    let dropped = highest - 23;
    let rest = n & ((1 << dropped) - 1);
    let tie = 1u128 << (dropped - 1);
    let below = (exponent as u32) << 23 | (n >> dropped) as u32 & 0x7f_ffff;
    let away = match rounding {
        Rounding::Nearest => rest > tie || rest == tie && below & 1 == 1,
        Rounding::Up => rest > 0,
        Rounding::Zero | Rounding::Down => false,
    };
    // A carry out of the fraction is the next exponent.
    (below + u32::from(away), rest != 0)
}
