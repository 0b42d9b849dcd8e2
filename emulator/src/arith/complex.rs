//! Complex arithmetic: real part in hi, imaginary part in lo, every step rounded. [L] 3

use super::float::{Fpu, ONE, SIGN};
use super::pair;
use super::word::{hi, join, lo};

/// The imaginary unit.
pub(super) const I: u64 = ONE as u64;

/// `(re(st), im(st))`.
#[inline]
pub(super) fn mul(f: &mut Fpu, s: u64, t: u64) -> u64 {
    let (rr, ii) = (f.mul(hi(s), hi(t)), f.mul(lo(s), lo(t)));
    let (ri, ir) = (f.mul(hi(s), lo(t)), f.mul(lo(s), hi(t)));
    join(f.sub(rr, ii), f.add(ri, ir))
}

/// `t` with the sign of the imaginary part flipped as a bit, before the product. [L] 4.3
#[inline]
pub(super) fn flip(t: u64) -> u64 {
    t ^ u64::from(SIGN)
}

/// `d + s * t`.
#[inline]
pub(super) fn mul_add(f: &mut Fpu, d: u64, s: u64, t: u64) -> u64 {
    let product = mul(f, s, t);
    pair::add(f, d, product)
}

/// `d - s * t`.
#[inline]
pub(super) fn mul_sub(f: &mut Fpu, d: u64, s: u64, t: u64) -> u64 {
    let product = mul(f, s, t);
    pair::sub(f, d, product)
}

/// `(s.hi, -s.lo)` as arithmetic.
pub(super) fn conj(f: &mut Fpu, s: u64) -> u64 {
    join(f.pass(hi(s)), f.neg(lo(s)))
}

/// `(d + s * w, d - s * w)`.
#[inline]
pub(super) fn butterfly(f: &mut Fpu, d: u64, s: u64, w: u64) -> (u64, u64) {
    let t = mul(f, s, w);
    pair::addsub(f, d, t)
}
