//! The rounding mode (`[L]`, cp2-isa 1 and 4.1).

/// CONTROL.RM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To nearest, ties to even.
    #[default]
    Nearest,
    /// Toward zero.
    Zero,
    /// Toward plus infinity.
    Up,
    /// Toward minus infinity.
    Down,
}

/// The bits of CONTROL that hold the mode. A kernel's `move` changes these and no others. `[D]`
pub const MASK: u64 = 3;

impl Rounding {
    /// The mode that CONTROL says.
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

/// CONTROL after a `move` of this value to it.
#[inline]
pub const fn moved(control: u64, value: u64) -> u64 {
    control & !MASK | value & MASK
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

    #[test]
    fn a_move_changes_the_mode_and_nothing_else() {
        assert_eq!(moved(1 << 15, 1), 1 << 15 | 1);
        assert_eq!(moved(0, 3 << 30 | 1 << 15 | 2), 2);
    }
}
