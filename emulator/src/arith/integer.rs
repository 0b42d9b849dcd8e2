//! Operations on 32-bit integers, shifts and moves of bits. Arguments and results are registers of 64 bits with a high
//! and a low half. No flags are raised. `[L]` 4.2

use super::word::{each, each2, join, lo};

/// Returns `s + t` in each 32-bit half, modulo 2^32.
#[inline]
pub fn add(s: u64, t: u64) -> u64 {
    each2(s, t, u32::wrapping_add)
}

/// Returns `s - t` in each 32-bit half, modulo 2^32.
#[inline]
pub fn sub(s: u64, t: u64) -> u64 {
    each2(s, t, u32::wrapping_sub)
}

/// Returns a word with a signed 32-bit number in both halves.
#[inline]
pub fn splat(immediate: i32) -> u64 {
    join(immediate as u32, immediate as u32)
}

/// Returns the magnitude of the signed number in each 32-bit half; that of the most negative number is 2^31 - 1.
#[inline]
pub fn abs(s: u64) -> u64 {
    each(s, |a| (a as i32).saturating_abs() as u32)
}

/// Returns the negated signed number in each 32-bit half; for the most negative number 2^31 - 1.
#[inline]
pub fn neg(s: u64) -> u64 {
    each(s, |a| (a as i32).saturating_neg() as u32)
}

/// Returns the amount by which a shift operation shifts, from the low 6 bits of its register: signed, -32 to 31,
/// positive to the left.
#[inline]
pub fn amount(t: u64) -> i32 {
    (lo(t) << 26) as i32 >> 26
}

/// Shifts each 32-bit half: to the left by `amount` bits from 0 to 31, or to the right by -`amount` bits for `amount`
/// from -32 to -1. Zeros are shifted in.
#[inline]
pub fn shift_logical(s: u64, amount: i32) -> u64 {
    each(s, |a| {
        if amount >= 0 { a << amount } else { a.checked_shr(amount.unsigned_abs()).unwrap_or(0) }
    })
}

/// Shifts each 32-bit half: to the left by `amount` bits from 0 to 31, with zeros shifted in, or to the right by
/// -`amount` bits for `amount` from -32 to -1, with copies of the sign shifted in.
#[inline]
pub fn shift_arithmetic(s: u64, amount: i32) -> u64 {
    each(s, |a| {
        if amount >= 0 { a << amount } else { ((a as i32) >> amount.unsigned_abs().min(31)) as u32 }
    })
}

/// Returns `word` with one of its 16-bit quarters replaced by the low 16 bits of `immediate`. Quarter 0 is the lowest,
/// 3 the highest; there are no others.
#[inline]
pub fn with_quarter(word: u64, quarter: u32, immediate: i32) -> u64 {
    let shift = 16 * quarter;
    word & !(0xffff << shift) | u64::from(immediate as u16) << shift
}

/// Returns the word with its two halves exchanged.
#[inline]
pub fn swap_halves(s: u64) -> u64 {
    s.rotate_left(32)
}

/// Returns, in each 32-bit half, bits 15:8 of that half, sign-extended to 32 bits.
#[inline]
pub fn split8(s: u64) -> u64 {
    each(s, |a| i32::from((a >> 8) as i8) as u32)
}

/// Returns, in each 32-bit half, bits 31:16 of that half, sign-extended to 32 bits.
#[inline]
pub fn split16(s: u64) -> u64 {
    each(s, |a| (a as i32 >> 16) as u32)
}

/// Returns the high half of the word in the low half; the high half is 0.
#[inline]
pub fn split32(s: u64) -> u64 {
    s >> 32
}

/// Returns, in each 16-bit quarter of a word, the low byte of that quarter, sign-extended to 16 bits.
#[inline]
pub fn extend_bytes_in_quarters(d: u64) -> u64 {
    let byte = |x: u32| u32::from(i16::from(x as i8) as u16);
    each(d, |a| byte(a >> 16) << 16 | byte(a))
}

/// Returns, in each 32-bit half, the low byte of that half, sign-extended to 32 bits.
#[inline]
pub fn extend_bytes(d: u64) -> u64 {
    each(d, |a| i32::from(a as i8) as u32)
}

/// Returns, in each 32-bit half, the low 16 bits of that half, sign-extended to 32 bits.
#[inline]
pub fn extend_quarters(d: u64) -> u64 {
    each(d, |a| i32::from(a as i16) as u32)
}

/// Returns, in each 32-bit half, the low byte of that half of `d`, above it the low byte of that half of `s`, and zeros
/// in the upper 16 bits.
#[inline]
pub fn join8(d: u64, s: u64) -> u64 {
    each2(d, s, |a, b| (a & 0xff | b << 8) & 0xffff)
}

/// Returns, in each 32-bit half, the low 16 bits of that half of `d`, and above them the low 16 bits of that half of
/// `s`.
#[inline]
pub fn join16(d: u64, s: u64) -> u64 {
    each2(d, s, |a, b| a & 0xffff | b << 16)
}

/// Returns the low half of `d` in the low half, and the low half of `s` in the high half.
#[inline]
pub fn join32(d: u64, s: u64) -> u64 {
    join(lo(s), lo(d))
}
