//! 2x2 matrix times vector, and the dot product of four. Rows are words: (hi, lo) = columns 0, 1.

use super::float::Fpu;
use super::pair;
use super::word::{hi, join, lo};

/// `a * c + b * d` in three steps.
#[inline]
fn dot(f: &mut Fpu, (a, b): (u32, u32), (c, d): (u32, u32)) -> u32 {
    let (ac, bd) = (f.mul(a, c), f.mul(b, d));
    f.add(ac, bd)
}

#[inline]
fn halves(x: u64) -> (u32, u32) {
    (hi(x), lo(x))
}

/// The matrix with these rows times a vector.
#[inline]
pub(super) fn mul(f: &mut Fpu, rows: (u64, u64), vector: u64) -> u64 {
    let v = halves(vector);
    join(dot(f, halves(rows.0), v), dot(f, halves(rows.1), v))
}

/// `d + matrix * vector`.
#[inline]
pub(super) fn mul_add(f: &mut Fpu, d: u64, rows: (u64, u64), vector: u64) -> u64 {
    let product = mul(f, rows, vector);
    pair::add(f, d, product)
}

/// `d - matrix * vector`.
#[inline]
pub(super) fn mul_sub(f: &mut Fpu, d: u64, rows: (u64, u64), vector: u64) -> u64 {
    let product = mul(f, rows, vector);
    pair::sub(f, d, product)
}

/// Rows to columns.
#[inline]
pub(super) fn transposed(rows: (u64, u64)) -> (u64, u64) {
    (join(hi(rows.0), hi(rows.1)), join(lo(rows.0), lo(rows.1)))
}

/// `(s.lo t.lo + s.hi t.hi) + (s'.lo t'.lo + s'.hi t'.hi)`.
pub(super) fn dot4(f: &mut Fpu, s: (u64, u64), t: (u64, u64)) -> u32 {
    let first = dot(f, halves(s.0), halves(t.0));
    let second = dot(f, halves(s.1), halves(t.1));
    f.add(first, second)
}
