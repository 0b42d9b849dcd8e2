//! The rounding mode of floating-point operations, a field of the control register CONTROL (`[L]`, cp2-isa 1 and 4.1).

/// Rounding mode of floating-point operations, as bits 1:0 of the control register CONTROL choose it: 0 to 3 in the
/// order of the variants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To the nearest number, ties to the even one.
    #[default]
    Nearest,
    /// Toward zero.
    Zero,
    /// Toward plus infinity.
    Up,
    /// Toward minus infinity.
    Down,
}

/// Mask of the bits of CONTROL that hold the rounding mode: the lowest two.
pub const MASK: u64 = 3;

impl Rounding {
    /// Returns the rounding mode that the value of the register CONTROL chooses with its lowest two bits.
    #[inline]
    pub const fn of(control: u64) -> Self {
        match control & MASK {
            0 => Self::Nearest,
            1 => Self::Zero,
            2 => Self::Up,
            _ => Self::Down,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_low_bits_are_the_mode() {
        let modes = [0, 1, 2, 3].map(Rounding::of);
        assert_eq!(modes, [Rounding::Nearest, Rounding::Zero, Rounding::Up, Rounding::Down]);
        assert_eq!(Rounding::of(1 << 15 | 2), Rounding::Up);
    }
}
