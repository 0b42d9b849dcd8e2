//! What a float unit does to halves of words: the steps that operations are composed of. The unit of one
//! section is [`Fpu`](super::float::Fpu); another engine may have one that works on all sections at once.

/// A float unit.
pub trait Unit {
    /// A single-precision number, or one of every section.
    type Half: Copy;
    /// Two of them.
    type Word: Copy;

    /// Bits 63:32.
    fn hi(word: Self::Word) -> Self::Half;
    /// Bits 31:0.
    fn lo(word: Self::Word) -> Self::Half;
    /// A word of two halves.
    fn join(hi: Self::Half, lo: Self::Half) -> Self::Word;
    /// The number with these bits.
    fn constant(bits: u32) -> Self::Half;
    /// The sign flipped as a bit, which is no arithmetic.
    fn flipped(x: Self::Half) -> Self::Half;

    /// Sum.
    fn add(&mut self, a: Self::Half, b: Self::Half) -> Self::Half;
    /// Difference.
    fn sub(&mut self, a: Self::Half, b: Self::Half) -> Self::Half;
    /// Product.
    fn mul(&mut self, a: Self::Half, b: Self::Half) -> Self::Half;
    /// Negated.
    fn neg(&mut self, x: Self::Half) -> Self::Half;
    /// Magnitude.
    fn abs(&mut self, x: Self::Half) -> Self::Half;
    /// The magnitude of the first with the sign of the second.
    fn copysign(&mut self, x: Self::Half, y: Self::Half) -> Self::Half;
    /// Unchanged, as arithmetic.
    fn pass(&mut self, x: Self::Half) -> Self::Half;
}

/// A function of each half.
#[inline(always)]
pub(super) fn each<U: Unit>(s: U::Word, mut f: impl FnMut(U::Half) -> U::Half) -> U::Word {
    let hi = f(U::hi(s));
    U::join(hi, f(U::lo(s)))
}

/// A function of each pair of halves.
#[inline(always)]
pub(super) fn each2<U: Unit>(
    s: U::Word,
    t: U::Word,
    mut f: impl FnMut(U::Half, U::Half) -> U::Half,
) -> U::Word {
    let hi = f(U::hi(s), U::hi(t));
    U::join(hi, f(U::lo(s), U::lo(t)))
}
