//! 32-bit integers, shifts and moves of bits. Nothing here has flags. `[L]` 4.2

use super::word::{each, each2, join, lo};

/// Returns `s + t` of each half, wrapping.
#[inline]
pub fn add(s: u64, t: u64) -> u64 {
    each2(s, t, u32::wrapping_add)
}

/// Returns `s - t` of each half, wrapping.
#[inline]
pub fn sub(s: u64, t: u64) -> u64 {
    each2(s, t, u32::wrapping_sub)
}

/// Returns a signed immediate in both halves.
#[inline]
pub fn splat(immediate: i32) -> u64 {
    join(immediate as u32, immediate as u32)
}

/// Returns the magnitudes of the two signed 32-bit halves; the most negative number gives the largest positive one.
#[inline]
pub fn abs(s: u64) -> u64 {
    each(s, |a| (a as i32).saturating_abs() as u32)
}

/// Returns `-s` of each half; the most negative number saturates.
#[inline]
pub fn neg(s: u64) -> u64 {
    each(s, |a| (a as i32).saturating_neg() as u32)
}

/// Returns the low 6 bits as a signed shift amount.
#[inline]
pub fn amount(t: u64) -> i32 {
    (lo(t) << 26) as i32 >> 26
}

/// Shifts both halves; to the right (-32..=-1) logically.
#[inline]
pub fn shift_logical(s: u64, amount: i32) -> u64 {
    each(s, |a| {
        if amount >= 0 { a << amount } else { a.checked_shr(amount.unsigned_abs()).unwrap_or(0) }
    })
}

/// Shifts both halves; to the right (-32..=-1) arithmetically.
#[inline]
pub fn shift_arithmetic(s: u64, amount: i32) -> u64 {
    each(s, |a| {
        if amount >= 0 { a << amount } else { ((a as i32) >> amount.unsigned_abs().min(31)) as u32 }
    })
}

/// Returns `word` with one of its 16-bit quarters (3 = highest) replaced.
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

/// Returns bits 15:8 of each half, sign-extended.
#[inline]
pub fn split8(s: u64) -> u64 {
    each(s, |a| i32::from((a >> 8) as i8) as u32)
}

/// Returns bits 31:16 of each half, sign-extended.
#[inline]
pub fn split16(s: u64) -> u64 {
    each(s, |a| (a as i32 >> 16) as u32)
}

/// Returns the high half in the low one, with zeros above.
#[inline]
pub fn split32(s: u64) -> u64 {
    s >> 32
}

/// Returns the low byte of each 16-bit quarter, sign-extended to the quarter.
#[inline]
pub fn extend_bytes_in_quarters(d: u64) -> u64 {
    let byte = |x: u32| u32::from(i16::from(x as i8) as u16);
    each(d, |a| byte(a >> 16) << 16 | byte(a))
}

/// Returns the low byte of each half, sign-extended.
#[inline]
pub fn extend_bytes(d: u64) -> u64 {
    each(d, |a| i32::from(a as i8) as u32)
}

/// Returns the low 16 bits of each half, sign-extended.
#[inline]
pub fn extend_quarters(d: u64) -> u64 {
    each(d, |a| i32::from(a as i16) as u32)
}

/// Joins bytes in each half: the low byte of `d`, above it the low byte of `s`, zeros above.
#[inline]
pub fn join8(d: u64, s: u64) -> u64 {
    each2(d, s, |a, b| (a & 0xff | b << 8) & 0xffff)
}

/// Joins 16 bits in each half: the low 16 bits of `d`, above them the low 16 bits of `s`.
#[inline]
pub fn join16(d: u64, s: u64) -> u64 {
    each2(d, s, |a, b| a & 0xffff | b << 16)
}

/// Joins low halves: that of `d`, above it that of `s`.
#[inline]
pub fn join32(d: u64, s: u64) -> u64 {
    join(lo(s), lo(d))
}
