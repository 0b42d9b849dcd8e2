//! Encoding patterns of MIPS64 operations: texts with a character for each of the 32 bits of an instruction word, bit
//! 31 first. `0` and `1` are fixed bits, a letter is a bit of a bit field, `-` is a bit that is ignored; blanks only
//! separate.

/// The bits of an instruction word that an encoding pattern fixes: a word that has them encodes the pattern's
/// operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// Mask of the bits of an instruction word that the pattern fixes.
    pub mask: u32,
    /// Values of the fixed bits, each at its place in the instruction word; all other bits are 0.
    pub value: u32,
}

impl Fixed {
    /// Returns the fixed bits of an encoding pattern ([`crate::isa::pattern`]): its digits 0 and 1.
    ///
    /// # Panics
    /// The function panics if the pattern has not 32 characters beside blanks. Patterns of the table are constants, so
    /// that this is an error of compilation.
    #[must_use]
    pub const fn of(pattern: &str) -> Self {
        let bytes = pattern.as_bytes();
        let (mut mask, mut value, mut bits, mut i) = (0u32, 0u32, 0, 0);
        while i < bytes.len() {
            if bytes[i] != b' ' {
                let (is_fixed, bit) = match bytes[i] {
                    b'0' => (1, 0),
                    b'1' => (1, 1),
                    _ => (0, 0),
                };
                mask = mask << 1 | is_fixed;
                value = value << 1 | bit;
                bits += 1;
            }
            i += 1;
        }
        assert!(bits == 32, "a pattern has 32 bits");
        Self { mask, value }
    }

    /// Whether an instruction word has all fixed bits.
    #[must_use]
    pub const fn fits(self, word: u32) -> bool {
        word & self.mask == self.value
    }
}

/// Returns the mask of those bits of an instruction word that `letter` stands for in an encoding pattern
/// ([`crate::isa::pattern`]); 0 if the letter is not in it.
#[must_use]
pub fn bits_of(pattern: &str, letter: char) -> u32 {
    pattern.chars().filter(|c| *c != ' ').fold(0, |bits, c| bits << 1 | u32::from(c == letter))
}

#[cfg(test)]
mod tests {
    use super::{Fixed, bits_of};

    #[test]
    fn fixed_bits_and_fields_of_a_pattern() {
        let pattern = "000000 sssss ttttt ddddd 00000 100001";
        assert_eq!(Fixed::of(pattern), Fixed { mask: 0xfc00_07ff, value: 0x21 });
        assert_eq!(bits_of(pattern, 's'), 0x03e0_0000);
        assert!(Fixed::of(pattern).fits(0x0043_1021));
        assert!(!Fixed::of(pattern).fits(0x0043_1020));
    }
}
