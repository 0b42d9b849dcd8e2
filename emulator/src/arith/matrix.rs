//! 2x2 matrix times vector, and the dot product of four. Rows are words: (hi, lo) = columns 0, 1.

use super::float::Fpu;
use super::pair;
use super::unit::FloatUnit;
use super::word::{hi, join, lo};

/// The halves of a word.
type Halves<U> = (<U as FloatUnit>::Half, <U as FloatUnit>::Half);

/// Returns `a * c + b * d` in three steps.
#[inline(always)]
fn dot<U: FloatUnit>(f: &mut U, (a, b): Halves<U>, (c, d): Halves<U>) -> U::Half {
    let (ac, bd) = (f.mul(a, c), f.mul(b, d));
    f.add(ac, bd)
}

#[inline(always)]
fn halves<U: FloatUnit>(x: U::Word) -> Halves<U> {
    (U::hi(x), U::lo(x))
}

/// Returns the matrix with these rows times a vector.
#[inline(always)]
pub(super) fn mul<U: FloatUnit>(f: &mut U, rows: (U::Word, U::Word), vector: U::Word) -> U::Word {
    let v = halves::<U>(vector);
    let hi = dot(f, halves::<U>(rows.0), v);
    U::join(hi, dot(f, halves::<U>(rows.1), v))
}

/// Returns `d + matrix * vector`.
#[inline(always)]
pub(super) fn mul_add<U: FloatUnit>(
    f: &mut U,
    d: U::Word,
    rows: (U::Word, U::Word),
    vector: U::Word,
) -> U::Word {
    let product = mul(f, rows, vector);
    pair::add(f, d, product)
}

/// Returns `d - matrix * vector`.
#[inline(always)]
pub(super) fn mul_sub<U: FloatUnit>(
    f: &mut U,
    d: U::Word,
    rows: (U::Word, U::Word),
    vector: U::Word,
) -> U::Word {
    let product = mul(f, rows, vector);
    pair::sub(f, d, product)
}

/// Returns the columns of a matrix as words, from its rows.
#[inline(always)]
pub(super) fn columns<U: FloatUnit>(rows: (U::Word, U::Word)) -> (U::Word, U::Word) {
    (U::join(U::hi(rows.0), U::hi(rows.1)), U::join(U::lo(rows.0), U::lo(rows.1)))
}

/// Returns a matrix of bits transposed.
#[inline]
pub(super) fn transposed(rows: (u64, u64)) -> (u64, u64) {
    (join(hi(rows.0), hi(rows.1)), join(lo(rows.0), lo(rows.1)))
}

/// Returns the dot product of four, `(s.lo t.lo + s.hi t.hi) + (s'.lo t'.lo + s'.hi t'.hi)`.
pub(super) fn dot4(f: &mut Fpu, s: (u64, u64), t: (u64, u64)) -> u32 {
    let first = dot(f, halves::<Fpu>(s.0), halves::<Fpu>(t.0));
    let second = dot(f, halves::<Fpu>(s.1), halves::<Fpu>(t.1));
    f.add(first, second)
}
