//! Float units: the steps on halves of words that operations are composed of. The unit of one section is
//! [`Fpu`](super::float::Fpu); another engine may have one that works on all sections at once.

/// Float unit: sums, products and signs of halves of words.
pub trait FloatUnit {
    /// Single-precision number, or one of every section.
    type Half: Copy;
    /// Word of two halves.
    type Word: Copy;

    /// Returns the upper half of a word, bits 63:32.
    fn hi(word: Self::Word) -> Self::Half;
    /// Returns the lower half of a word, bits 31:0.
    fn lo(word: Self::Word) -> Self::Half;
    /// Joins two halves to a word.
    fn join(hi: Self::Half, lo: Self::Half) -> Self::Word;
    /// Returns the number with these bits.
    fn constant(bits: u32) -> Self::Half;
    /// Flips the sign as a bit, which is no arithmetic.
    fn flipped(x: Self::Half) -> Self::Half;

    /// Returns the sum.
    fn add(&mut self, a: Self::Half, b: Self::Half) -> Self::Half;
    /// Returns the difference.
    fn sub(&mut self, a: Self::Half, b: Self::Half) -> Self::Half;
    /// Returns the product.
    fn mul(&mut self, a: Self::Half, b: Self::Half) -> Self::Half;
    /// Returns the number negated.
    fn neg(&mut self, x: Self::Half) -> Self::Half;
    /// Returns the magnitude.
    fn abs(&mut self, x: Self::Half) -> Self::Half;
    /// Returns the magnitude of the first number with the sign of the second.
    fn copysign(&mut self, x: Self::Half, y: Self::Half) -> Self::Half;
    /// Returns the number unchanged, as arithmetic.
    fn canonicalize(&mut self, x: Self::Half) -> Self::Half;
}

/// Applies a function to each half.
#[inline(always)]
pub(super) fn each<U: FloatUnit>(s: U::Word, mut f: impl FnMut(U::Half) -> U::Half) -> U::Word {
    let hi = f(U::hi(s));
    U::join(hi, f(U::lo(s)))
}

/// Applies a function to each pair of halves.
#[inline(always)]
pub(super) fn each2<U: FloatUnit>(
    s: U::Word,
    t: U::Word,
    mut f: impl FnMut(U::Half, U::Half) -> U::Half,
) -> U::Word {
    let hi = f(U::hi(s), U::hi(t));
    U::join(hi, f(U::lo(s), U::lo(t)))
}
