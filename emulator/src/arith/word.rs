//! The 64-bit word as two halves. What the halves mean is the other modules' business.

/// Returns bits 63:32.
#[inline]
pub(super) fn hi(word: u64) -> u32 {
    (word >> 32) as u32
}

/// Returns bits 31:0.
#[inline]
pub(super) fn lo(word: u64) -> u32 {
    word as u32
}

/// Joins two halves to a word.
#[inline]
pub(super) fn join(hi: u32, lo: u32) -> u64 {
    u64::from(hi) << 32 | u64::from(lo)
}

/// Returns one half of a word: 1 is hi, 0 lo.
#[inline]
pub(super) fn half(word: u64, which: i32) -> u32 {
    (word >> (32 * (which & 1))) as u32
}

/// Returns a word with one half replaced: 1 is hi, 0 lo.
#[inline]
pub(super) fn with_half(word: u64, which: i32, value: u32) -> u64 {
    let shift = 32 * (which & 1);
    word & !(0xffff_ffff << shift) | u64::from(value) << shift
}

/// Applies a function to each half.
#[inline]
pub(super) fn each(s: u64, mut f: impl FnMut(u32) -> u32) -> u64 {
    join(f(hi(s)), f(lo(s)))
}

/// Applies a function to each pair of halves.
#[inline]
pub(super) fn each2(s: u64, t: u64, mut f: impl FnMut(u32, u32) -> u32) -> u64 {
    join(f(hi(s), hi(t)), f(lo(s), lo(t)))
}
