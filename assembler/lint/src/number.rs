//! Numbers of which something is known: addresses bit by bit, general registers as a whole or whether they are odd.

use cp2_isa::rules::address::{self, StepMode, changeable};
use cp2_isa::{Bank, Core, WordAddress};

/// The value of an address register, of which some bits are known. Bits that the register does not
/// have are known to be 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bits {
    known: u16,
    value: u16,
}

/// The value of a general register, or what is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scalar {
    exact: Option<u64>,
    is_odd: Option<bool>,
}

impl Scalar {
    /// A number of which nothing is known.
    pub(super) const UNKNOWN: Self = Self { exact: None, is_odd: None };
    /// Some even number.
    pub(super) const EVEN: Self = Self { exact: None, is_odd: Some(false) };

    /// Returns a number that is known.
    pub(super) const fn exact(value: u64) -> Self {
        Self { exact: Some(value), is_odd: Some(value & 1 == 1) }
    }

    /// Returns the number, if it is known.
    pub(super) const fn get(self) -> Option<u64> {
        self.exact
    }
}

impl Bits {
    /// Returns an address of which nothing is known.
    pub(super) fn unknown(core: &Core) -> Self {
        Self { known: !core.address_mask(), value: 0 }
    }

    /// Returns an address that is known.
    pub(super) fn exact(core: &Core, value: u16) -> Self {
        Self { known: u16::MAX, value: value & core.address_mask() }
    }

    /// Returns the content of an address register to which this number is written.
    pub(super) fn of(core: &Core, number: Scalar) -> Self {
        match number.exact {
            Some(value) => Self::exact(core, value as u16),
            None => Self::unknown(core).with_parity(number.is_odd),
        }
    }

    /// Returns the content of a register to which the address is moved.
    pub(super) fn scalar(self) -> Scalar {
        Scalar { exact: self.get().map(u64::from), is_odd: self.is_odd() }
    }

    /// Returns the value, if every bit is known.
    pub(super) fn get(self) -> Option<u16> {
        (self.known == u16::MAX).then_some(self.value)
    }

    /// Whether the address is odd, if that is known.
    pub(super) fn is_odd(self) -> Option<bool> {
        (self.known & 1 == 1).then_some(self.value & 1 == 1)
    }

    /// Returns the same number, odd or even if that is told.
    pub(super) fn with_parity(self, is_odd: Option<bool>) -> Self {
        match is_odd {
            Some(is_odd) => {
                Self { known: self.known | 1, value: self.value & !1 | u16::from(is_odd) }
            }
            None => self,
        }
    }

    /// Returns the bank of local memory that the address lies in, if it is known.
    pub(super) fn bank(self, core: &Core) -> Option<Bank> {
        let bits = core.bank_address_bits();
        (self.known & bits == bits).then(|| core.bank_of(WordAddress(self.value)))
    }

    /// Forgets the bits of `mask`.
    fn forget(self, mask: u16) -> Self {
        let known = self.known & !mask;
        Self { known, value: self.value & known }
    }

    /// Returns the knowledge after a step in a mode, as far as these are known themselves.
    pub(super) fn stepped(self, core: &Core, step: Option<i32>, mode: Option<u16>) -> Self {
        match (self.get(), step, mode) {
            (Some(a), Some(step), Some(mode)) => {
                Self::exact(core, address::stepped(core, WordAddress(a), step, mode).0)
            }
            (_, step, Some(mode)) => {
                let added = step.filter(|_| adds_lowest_bit(core, mode));
                let is_odd = self.is_odd().zip(added).map(|(odd, step)| odd != (step & 1 == 1));
                self.forget(changeable(core, mode)).with_parity(is_odd)
            }
            (.., None) => Self::unknown(core),
        }
    }

    /// Returns the knowledge after any number of steps, some of them odd or all of them even.
    pub(super) fn repeated(self, core: &Core, oddly: bool, mode: Option<u16>) -> Self {
        let is_kept = mode.is_some_and(|mode| adds_lowest_bit(core, mode));
        let is_odd = self.is_odd().filter(|_| !oddly && is_kept);
        self.stepped(core, None, mode).with_parity(is_odd)
    }
}

/// Whether the lowest bit of an address and that of a step decide on that of the sum.
fn adds_lowest_bit(core: &Core, mode: u16) -> bool {
    match StepMode::of(core, mode) {
        StepMode::Linear => true,
        StepMode::Circular(bits) => bits & 1 == 1,
        StepMode::Reversed => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORE: Core = Core::CP2;

    #[test]
    fn a_step_keeps_or_turns_whether_an_address_is_odd() {
        let even = Bits::of(&CORE, Scalar::EVEN);
        let linear = Some(CORE.address_mask());
        assert_eq!(even.stepped(&CORE, Some(2), linear).is_odd(), Some(false));
        assert_eq!(even.stepped(&CORE, Some(-3), linear).is_odd(), Some(true));
        assert_eq!(even.stepped(&CORE, None, linear).is_odd(), None);
        // A circular buffer of 8 words.
        assert_eq!(even.stepped(&CORE, Some(5), Some(7)).is_odd(), Some(true));
        // Bit-reversed, or in a mode that is not known.
        assert_eq!(even.stepped(&CORE, Some(2), Some(0)).is_odd(), None);
        assert_eq!(even.stepped(&CORE, Some(2), None).is_odd(), None);
    }

    #[test]
    fn repetitions_of_even_steps_keep_whether_an_address_is_odd() {
        let odd = Bits::exact(&CORE, 5);
        let linear = Some(CORE.address_mask());
        assert_eq!(odd.repeated(&CORE, false, linear).is_odd(), Some(true));
        assert_eq!(odd.repeated(&CORE, false, linear).get(), None);
        assert_eq!(odd.repeated(&CORE, true, linear).is_odd(), None);
        assert_eq!(odd.repeated(&CORE, false, None).is_odd(), None);
    }
}
