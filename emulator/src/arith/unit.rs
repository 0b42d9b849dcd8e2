//! Units of floating-point arithmetic: the steps of which operations are composed. The unit of one section is
//! [`Fpu`](super::float::Fpu); another engine may have one that works on all sections at once.

/// Unit of single-precision arithmetic with the rules of CP2 for rounding, denormals and flags. It computes on halves
/// of words, of one section or of all sections at once, and collects the flags that it raises.
pub trait FloatUnit {
    /// A single-precision number: half of a word, or that half in every section.
    type Half: Copy;
    /// A word of two single-precision numbers, or that word in every section.
    type Word: Copy;

    /// Returns the high half of a word, bits 63:32.
    fn hi(word: Self::Word) -> Self::Half;
    /// Returns the low half of a word, bits 31:0.
    fn lo(word: Self::Word) -> Self::Half;
    /// Returns the word with these halves.
    fn join(hi: Self::Half, lo: Self::Half) -> Self::Word;
    /// Returns the number with this encoding in IEEE single precision.
    fn constant(bits: u32) -> Self::Half;
    /// Returns the number with its sign bit inverted. Raises no flag, and leaves denormals and NaN as they are.
    fn flipped(x: Self::Half) -> Self::Half;

    /// Returns `a + b`, rounded.
    fn add(&mut self, a: Self::Half, b: Self::Half) -> Self::Half;
    /// Returns `a - b`, rounded.
    fn sub(&mut self, a: Self::Half, b: Self::Half) -> Self::Half;
    /// Returns `a * b`, rounded.
    fn mul(&mut self, a: Self::Half, b: Self::Half) -> Self::Half;
    /// Returns `-x`. Denormals become 0 and NaN is invalid, as in other arithmetic.
    fn neg(&mut self, x: Self::Half) -> Self::Half;
    /// Returns the magnitude of `x`. Denormals become 0 and NaN is invalid, as in other arithmetic.
    fn abs(&mut self, x: Self::Half) -> Self::Half;
    /// Returns the magnitude of `x` with the sign of `y`. Denormals become 0 and a NaN in either is invalid.
    fn copysign(&mut self, x: Self::Half, y: Self::Half) -> Self::Half;
    /// Returns `x` as a result of arithmetic: denormals become 0 and NaN is invalid, and any other number is unchanged.
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
