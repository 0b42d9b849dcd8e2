//! What a step may do with words of 32 bits, whatever runs it.

/// Operations on words of 32 bits. A step is written in them once; what carries them out decides whether they are computed at once, as
/// [`NativeWords`] does, or become the text of a program for lanes. A truth value is a word of ones or of zeros, so that steps have no
/// branches.
pub trait StepWords {
    /// Word of 32 bits.
    type Word: Copy;

    /// Returns a constant.
    fn constant(&mut self, value: u32) -> Self::Word;
    /// Returns a and b, bit by bit.
    fn and(&mut self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// Returns a or b, bit by bit.
    fn or(&mut self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// Returns a exclusive or b, bit by bit.
    fn xor(&mut self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// Returns a with every bit turned.
    fn not(&mut self, a: Self::Word) -> Self::Word;
    /// Returns a + b modulo 2^32.
    fn add(&mut self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// Returns a - b modulo 2^32.
    fn sub(&mut self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// Returns a with its bits moved up by `count` places, 0 to 31.
    fn shift_left(&mut self, a: Self::Word, count: u32) -> Self::Word;
    /// Returns a with its bits moved down by `count` places, 0 to 31, zeros behind them.
    fn shift_right(&mut self, a: Self::Word, count: u32) -> Self::Word;
    /// Returns a, of which is known that it has no other bits than those of the mask; what makes programs for lanes may use that.
    fn within(&mut self, a: Self::Word, mask: u32) -> Self::Word;
    /// Returns whether a is zero.
    fn is_zero(&mut self, a: Self::Word) -> Self::Word;
    /// Returns whether a < b, both below 2^31.
    fn is_less(&mut self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// Returns the element of an array of the task.
    fn load(&mut self, array: usize, index: Self::Word) -> Self::Word;
    /// Writes an element of an array of the lane where the truth value is true.
    fn store(&mut self, array: usize, index: Self::Word, value: Self::Word, is_stored: Self::Word);

    /// Returns whether a truth value is true, where that is known already.
    fn known(&self, _truth: Self::Word) -> Option<bool> {
        None
    }

    /// Returns a where the truth value is true, else b.
    fn select(&mut self, truth: Self::Word, a: Self::Word, b: Self::Word) -> Self::Word {
        let changed = self.xor(a, b);
        let taken = self.and(changed, truth);
        self.xor(b, taken)
    }

    /// Returns the lowest bit of a that is set; 0 if none is.
    fn lowest(&mut self, a: Self::Word) -> Self::Word {
        let zero = self.constant(0);
        let negative = self.sub(zero, a);
        self.and(a, negative)
    }

    /// Returns whether a is not zero.
    fn is_set(&mut self, a: Self::Word) -> Self::Word {
        let zero = self.is_zero(a);
        self.not(zero)
    }

    /// Returns whether a = b.
    fn is_equal(&mut self, a: Self::Word, b: Self::Word) -> Self::Word {
        let difference = self.xor(a, b);
        self.is_zero(difference)
    }

    /// Returns whether a is this constant.
    fn is(&mut self, a: Self::Word, value: u32) -> Self::Word {
        let value = self.constant(value);
        self.is_equal(a, value)
    }
}

/// Words of the host: everything is computed at once, on the arrays of one lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeWords {
    /// Arrays of the task, in its order.
    pub arrays: Vec<Vec<u32>>,
}

const fn truth(is: bool) -> u32 {
    if is { u32::MAX } else { 0 }
}

impl StepWords for NativeWords {
    type Word = u32;

    #[inline]
    fn known(&self, truth: u32) -> Option<bool> {
        Some(truth != 0)
    }

    #[inline]
    fn constant(&mut self, value: u32) -> u32 {
        value
    }

    #[inline]
    fn and(&mut self, a: u32, b: u32) -> u32 {
        a & b
    }

    #[inline]
    fn or(&mut self, a: u32, b: u32) -> u32 {
        a | b
    }

    #[inline]
    fn xor(&mut self, a: u32, b: u32) -> u32 {
        a ^ b
    }

    #[inline]
    fn not(&mut self, a: u32) -> u32 {
        !a
    }

    #[inline]
    fn add(&mut self, a: u32, b: u32) -> u32 {
        a.wrapping_add(b)
    }

    #[inline]
    fn sub(&mut self, a: u32, b: u32) -> u32 {
        a.wrapping_sub(b)
    }

    #[inline]
    fn shift_left(&mut self, a: u32, count: u32) -> u32 {
        a << count
    }

    #[inline]
    fn shift_right(&mut self, a: u32, count: u32) -> u32 {
        a >> count
    }

    #[inline]
    fn within(&mut self, a: u32, mask: u32) -> u32 {
        debug_assert_eq!(a & !mask, 0, "the task says that there are no other bits");
        a
    }

    #[inline]
    fn is_zero(&mut self, a: u32) -> u32 {
        truth(a == 0)
    }

    #[inline]
    fn is_less(&mut self, a: u32, b: u32) -> u32 {
        truth(a < b)
    }

    /// Returns an element; 0 where there is none, since a step computes the branches that it does not take as well.
    #[inline]
    fn load(&mut self, array: usize, index: u32) -> u32 {
        self.arrays[array].get(index as usize).copied().unwrap_or(0)
    }

    #[inline]
    fn store(&mut self, array: usize, index: u32, value: u32, is_stored: u32) {
        if is_stored != 0 {
            self.arrays[array][index as usize] = value;
        }
    }
}
