//! Pairwise float arithmetic: the same on both halves. Complex sums are pairwise sums.

use super::float::{Fpu, NAN};
use super::unit::{self, FloatUnit};
use super::word::{each, each2, hi, join, lo};

/// `s + t`.
#[inline(always)]
pub(super) fn add<U: FloatUnit>(f: &mut U, s: U::Word, t: U::Word) -> U::Word {
    unit::each2::<U>(s, t, |a, b| f.add(a, b))
}

/// `s - t`.
#[inline(always)]
pub(super) fn sub<U: FloatUnit>(f: &mut U, s: U::Word, t: U::Word) -> U::Word {
    unit::each2::<U>(s, t, |a, b| f.sub(a, b))
}

/// `(s + t, s - t)`.
#[inline(always)]
pub(super) fn addsub<U: FloatUnit>(f: &mut U, s: U::Word, t: U::Word) -> (U::Word, U::Word) {
    (add(f, s, t), sub(f, s, t))
}

/// `s * t`.
#[inline(always)]
pub(super) fn mul<U: FloatUnit>(f: &mut U, s: U::Word, t: U::Word) -> U::Word {
    unit::each2::<U>(s, t, |a, b| f.mul(a, b))
}

/// `d + s * t`.
#[inline(always)]
pub(super) fn mul_add<U: FloatUnit>(f: &mut U, d: U::Word, s: U::Word, t: U::Word) -> U::Word {
    let product = mul(f, s, t);
    add(f, d, product)
}

/// `d - s * t`.
#[inline(always)]
pub(super) fn mul_sub<U: FloatUnit>(f: &mut U, d: U::Word, s: U::Word, t: U::Word) -> U::Word {
    let product = mul(f, s, t);
    sub(f, d, product)
}

/// `-s`.
#[inline(always)]
pub(super) fn neg<U: FloatUnit>(f: &mut U, s: U::Word) -> U::Word {
    unit::each::<U>(s, |a| f.neg(a))
}

/// `|s|`.
#[inline(always)]
pub(super) fn abs<U: FloatUnit>(f: &mut U, s: U::Word) -> U::Word {
    unit::each::<U>(s, |a| f.abs(a))
}

/// Magnitudes of `s`, signs of `t`.
#[inline(always)]
pub(super) fn copysign<U: FloatUnit>(f: &mut U, s: U::Word, t: U::Word) -> U::Word {
    unit::each2::<U>(s, t, |a, b| f.copysign(a, b))
}

/// Unbiased exponents as integers.
pub(super) fn exponents(f: &mut Fpu, s: u64) -> u64 {
    each(s, |a| f.unbiased_exponent(a).map_or(NAN, |e| e as u32))
}

/// Significands in [1, 2) with their signs.
pub(super) fn significands(f: &mut Fpu, s: u64) -> u64 {
    each(s, |a| f.signed_significand(a))
}

/// `s * 2^t`.
pub(super) fn scale(f: &mut Fpu, s: u64, t: u64) -> u64 {
    each2(s, t, |a, b| f.scale(a, b))
}

/// Integers to floats.
pub(super) fn from_ints(f: &mut Fpu, s: u64) -> u64 {
    each(s, |a| f.float_from_int(a as i32))
}

/// Floats to integers.
pub(super) fn to_ints(f: &mut Fpu, s: u64) -> u64 {
    each(s, |a| f.int_from_float(a))
}

/// Four signed 16-bit integers to floats: those of the high half, those of the low half.
pub(super) fn unpack16(f: &mut Fpu, t: u64) -> (u64, u64) {
    let mut two =
        |x: u32| join(f.float_from_int(x as i32 >> 16), f.float_from_int(i32::from(x as i16)));
    (two(hi(t)), two(lo(t)))
}
