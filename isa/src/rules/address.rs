//! Steps of an address register of local memory, in each of its modes, and addresses of accesses (`[L]`).

use crate::registers::SHARED_WORDS;
use crate::{Core, Step, WordAddress};

/// Mode of the steps of an address register, which the value of the mode register Mn of its address set gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepMode {
    /// The step is added, modulo the size of local memory.
    Linear,
    /// The step is added with the bits of address and step reversed, so that carries run from the highest bit to the
    /// lowest.
    Reversed,
    /// The step is added, but only the bits of the address that are 1 in this mask change; the others stay.
    Circular(u16),
}

impl StepMode {
    /// Returns the mode that the value `m` of Mn means on the core: 0 is bit-reversed, ones in all bits of an address
    /// linear, any other value the mask of a circular step.
    #[inline]
    pub const fn of(core: &Core, m: u16) -> Self {
        let mask = core.address_mask();
        match m & mask {
            0 => Self::Reversed,
            m if m == mask => Self::Linear,
            m => Self::Circular(m),
        }
    }
}

/// Returns an address or a step with its bits in the opposite order, as many of the low bits as an address register of
/// the core has; higher bits are dropped.
#[inline]
pub const fn reversed(core: &Core, address: u16) -> u16 {
    address.reverse_bits() >> (u16::BITS - core.address_bits())
}

/// Returns the address after a step of `step` words from `address`. `m` is the value of the mode register Mn of the
/// address set, which tells how the step is added ([`StepMode`]).
#[inline]
pub const fn stepped(core: &Core, address: WordAddress, step: i32, m: u16) -> WordAddress {
    let WordAddress(address) = address;
    let mask = core.address_mask();
    WordAddress(match StepMode::of(core, m) {
        StepMode::Linear => sum(address, step, mask),
        StepMode::Reversed => {
            let size = reversed(core, step.unsigned_abs() as u16 & mask) as i32;
            let by = if step < 0 { -size } else { size };
            reversed(core, sum(reversed(core, address), by, mask))
        }
        StepMode::Circular(bits) => address & !bits | sum(address, step, mask) & bits,
    })
}

/// Returns the number of words that the step adds to an address register, negative for a step back. `n` is the value of
/// register Nn of the address set.
#[inline]
pub const fn words(step: Step, n: u16) -> i32 {
    match step {
        Step::Offset(words) => words,
        Step::PlusN => n as i32,
        Step::MinusN => -(n as i32),
    }
}

/// Returns the mask of the bits of an address that a step may change. `m` is the value of the mode register Mn of the
/// address set ([`StepMode`]).
#[inline]
pub const fn changeable(core: &Core, m: u16) -> u16 {
    match StepMode::of(core, m) {
        StepMode::Linear | StepMode::Reversed => core.address_mask(),
        StepMode::Circular(bits) => bits,
    }
}

/// Returns `address` as the address of a word of shared memory: modulo the size of shared memory, 1024 words.
#[inline]
pub const fn shared_word(address: i32) -> WordAddress {
    WordAddress((address & (SHARED_WORDS as i32 - 1)) as u16)
}

/// Returns the address of the first word of an access of `words` words, 1 or 2: an access of two begins at an even
/// address, so bit 0 is ignored.
#[inline]
pub const fn first_word(address: WordAddress, words: u16) -> WordAddress {
    WordAddress(address.0 & !(words - 1))
}

/// Returns the address of the 64-bit word of local memory in which a 32-bit word lies. `address` counts 32-bit words
/// from the beginning of local memory, or from its middle if `upper`; its bit 0, which names the half of the word,
/// plays no part here.
#[inline]
pub const fn word_of_half(core: &Core, address: WordAddress, upper: bool) -> WordAddress {
    let middle = if upper { core.lmem_words() as u16 / 2 } else { 0 };
    WordAddress(middle + address.0 / 2)
}

#[inline]
const fn sum(address: u16, step: i32, mask: u16) -> u16 {
    (address as i32 + step) as u16 & mask
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CoreNumbers;

    fn steps(address: u16, step: i32, m: u16) -> u16 {
        stepped(&Core::CP2, WordAddress(address), step, m).0
    }

    #[test]
    fn linear_steps_wrap_at_the_end_of_local_memory() {
        assert_eq!(steps(8191, 1, 0x1fff), 0);
        assert_eq!(steps(0, -1, 0x1fff), 8191);
    }

    #[test]
    fn circular_steps_stay_in_their_block() {
        assert_eq!(steps(0x107, 1, 7), 0x100);
        assert_eq!(steps(0x100, -1, 7), 0x107);
        assert_eq!(steps(0x106, 4, 7), 0x102);
    }

    #[test]
    fn bit_reversed_steps_visit_the_bits_from_the_top() {
        let mut a = 0;
        let mut seen = Vec::new();
        for _ in 0..8 {
            seen.push(a);
            a = steps(a, 4, 0);
        }
        assert_eq!(seen, [0, 4, 2, 6, 1, 5, 3, 7]);
        assert_eq!(steps(4, -4, 0), 0);
    }

    #[test]
    fn a_step_is_an_offset_or_nn() {
        assert_eq!([Step::Offset(-3), Step::PlusN, Step::MinusN].map(|s| words(s, 5)), [-3, 5, -5]);
    }

    #[test]
    fn two_words_begin_at_an_even_address() {
        let first =
            [(5, 1), (5, 2), (4, 2)].map(|(at, words)| first_word(WordAddress(at), words).0);
        assert_eq!(first, [5, 4, 4]);
    }

    #[test]
    fn an_address_of_halves_counts_within_half_of_the_memory() {
        let word = |at, upper| word_of_half(&Core::CP2, WordAddress(at), upper).0;
        assert_eq!([word(0, false), word(1, false), word(8191, false)], [0, 0, 4095]);
        assert_eq!([word(0, true), word(3, true), word(8191, true)], [4096, 4097, 8191]);
    }

    #[test]
    fn a_circular_step_changes_the_bits_of_its_circle() {
        let core = Core::CP2;
        let bits = [0, 7, 0x1fff].map(|m| changeable(&core, m));
        assert_eq!(bits, [0x1fff, 7, 0x1fff]);
        for step in -9..9 {
            assert_eq!((steps(0x105, step, 7) ^ 0x105) & !changeable(&core, 7), 0);
        }
    }

    #[test]
    fn a_smaller_memory_has_shorter_addresses() {
        let numbers = CoreNumbers { local_memory_words: 4096, ..*Core::CP2.numbers() };
        let core = Core::new(numbers).unwrap();
        let steps = |address, step, m| stepped(&core, WordAddress(address), step, m).0;
        assert_eq!(steps(4095, 1, 0xfff), 0);
        assert_eq!(steps(0, 2048, 0), 2048);
        assert_eq!(steps(2048, 2048, 0), 1024);
    }
}
