//! Pairwise float arithmetic: the same on both halves. Complex sums are pairwise sums.

use super::float::{Fpu, NAN};
use super::unit::{self, FloatUnit};
use super::word::{each, each2, hi, join, lo};

/// Returns `s + t` of each half.
#[inline(always)]
pub(super) fn add<U: FloatUnit>(f: &mut U, s: U::Word, t: U::Word) -> U::Word {
    unit::each2::<U>(s, t, |a, b| f.add(a, b))
}

/// Returns `s - t` of each half.
#[inline(always)]
pub(super) fn sub<U: FloatUnit>(f: &mut U, s: U::Word, t: U::Word) -> U::Word {
    unit::each2::<U>(s, t, |a, b| f.sub(a, b))
}

/// Returns `(s + t, s - t)` of each half.
#[inline(always)]
pub(super) fn addsub<U: FloatUnit>(f: &mut U, s: U::Word, t: U::Word) -> (U::Word, U::Word) {
    (add(f, s, t), sub(f, s, t))
}

/// Returns `s * t` of each half.
#[inline(always)]
pub(super) fn mul<U: FloatUnit>(f: &mut U, s: U::Word, t: U::Word) -> U::Word {
    unit::each2::<U>(s, t, |a, b| f.mul(a, b))
}

/// Returns `d + s * t` of each half.
#[inline(always)]
pub(super) fn mul_add<U: FloatUnit>(f: &mut U, d: U::Word, s: U::Word, t: U::Word) -> U::Word {
    let product = mul(f, s, t);
    add(f, d, product)
}

/// Returns `d - s * t` of each half.
#[inline(always)]
pub(super) fn mul_sub<U: FloatUnit>(f: &mut U, d: U::Word, s: U::Word, t: U::Word) -> U::Word {
    let product = mul(f, s, t);
    sub(f, d, product)
}

/// Returns `-s` of each half.
#[inline(always)]
pub(super) fn neg<U: FloatUnit>(f: &mut U, s: U::Word) -> U::Word {
    unit::each::<U>(s, |a| f.neg(a))
}

/// Returns `|s|` of each half.
#[inline(always)]
pub(super) fn abs<U: FloatUnit>(f: &mut U, s: U::Word) -> U::Word {
    unit::each::<U>(s, |a| f.abs(a))
}

/// Magnitudes of `s`, signs of `t`.
#[inline(always)]
pub(super) fn copysign<U: FloatUnit>(f: &mut U, s: U::Word, t: U::Word) -> U::Word {
    unit::each2::<U>(s, t, |a, b| f.copysign(a, b))
}

/// Returns the unbiased exponents as integers.
pub(super) fn exponents(f: &mut Fpu, s: u64) -> u64 {
    each(s, |a| f.unbiased_exponent(a).map_or(NAN, |e| e as u32))
}

/// Returns the significands in [1, 2) with their signs.
pub(super) fn significands(f: &mut Fpu, s: u64) -> u64 {
    each(s, |a| f.signed_significand(a))
}

/// Returns `s * 2^t` of each half.
pub(super) fn scale(f: &mut Fpu, s: u64, t: u64) -> u64 {
    each2(s, t, |a, b| f.scale(a, b))
}

/// Converts integers to floats.
pub(super) fn from_ints(f: &mut Fpu, s: u64) -> u64 {
    each(s, |a| f.float_from_int(a as i32))
}

/// Converts floats to integers.
pub(super) fn to_ints(f: &mut Fpu, s: u64) -> u64 {
    each(s, |a| f.int_from_float(a))
}

/// Converts four signed 16-bit integers to floats; returns those of the high half, then those of the low half.
pub(super) fn unpack16(f: &mut Fpu, t: u64) -> (u64, u64) {
    let mut two =
        |x: u32| join(f.float_from_int(x as i32 >> 16), f.float_from_int(i32::from(x as i16)));
    (two(hi(t)), two(lo(t)))
}
