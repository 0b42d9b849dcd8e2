//! Complex arithmetic: real part in hi, imaginary part in lo, every step rounded. [L] 3

use super::float::ONE;
use super::pair;
use super::unit::FloatUnit;

/// Returns the imaginary unit.
#[inline(always)]
pub(super) fn imaginary<U: FloatUnit>() -> U::Word {
    U::join(U::constant(0), U::constant(ONE))
}

/// Returns the product `s * t` as `(re(st), im(st))`.
#[inline(always)]
pub(super) fn mul<U: FloatUnit>(f: &mut U, s: U::Word, t: U::Word) -> U::Word {
    let (rr, ii) = (f.mul(U::hi(s), U::hi(t)), f.mul(U::lo(s), U::lo(t)));
    let (ri, ir) = (f.mul(U::hi(s), U::lo(t)), f.mul(U::lo(s), U::hi(t)));
    U::join(f.sub(rr, ii), f.add(ri, ir))
}

/// Flips the sign of the imaginary part of `t` as a bit, before the product. [L] 4.3
#[inline(always)]
pub(super) fn flip<U: FloatUnit>(t: U::Word) -> U::Word {
    U::join(U::hi(t), U::flipped(U::lo(t)))
}

/// Returns `d + s * t`.
#[inline(always)]
pub(super) fn mul_add<U: FloatUnit>(f: &mut U, d: U::Word, s: U::Word, t: U::Word) -> U::Word {
    let product = mul(f, s, t);
    pair::add(f, d, product)
}

/// Returns `d - s * t`.
#[inline(always)]
pub(super) fn mul_sub<U: FloatUnit>(f: &mut U, d: U::Word, s: U::Word, t: U::Word) -> U::Word {
    let product = mul(f, s, t);
    pair::sub(f, d, product)
}

/// Returns the conjugate `(s.hi, -s.lo)`, as arithmetic.
#[inline(always)]
pub(super) fn conj<U: FloatUnit>(f: &mut U, s: U::Word) -> U::Word {
    U::join(f.canonicalize(U::hi(s)), f.neg(U::lo(s)))
}

/// Returns the butterfly `(d + s * w, d - s * w)`.
#[inline(always)]
pub(super) fn butterfly<U: FloatUnit>(
    f: &mut U,
    d: U::Word,
    s: U::Word,
    w: U::Word,
) -> (U::Word, U::Word) {
    let t = mul(f, s, w);
    pair::addsub(f, d, t)
}
