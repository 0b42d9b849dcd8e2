//! Encoding patterns: 32 characters, `0` and `1` for fixed bits, a letter for each bit of a field, `-` for a
//! bit that is ignored; blanks only separate.

/// The fixed bits of an encoding: a word that has them is the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// Mask of the bits of a word that are fixed.
    pub mask: u32,
    /// Values of the fixed bits; the others are 0.
    pub value: u32,
}

impl Fixed {
    /// Returns the fixed bits of a pattern, which are its digits 0 and 1; spaces do not count.
    ///
    /// # Panics
    /// If the pattern has not 32 bits; the table is a constant, so that is an error of compilation.
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

    /// Whether a word has these bits.
    #[must_use]
    pub const fn fits(self, word: u32) -> bool {
        word & self.mask == self.value
    }
}

/// Returns the mask of the bits that a letter has in a pattern.
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
