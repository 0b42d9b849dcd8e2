//! The 64-bit word as two halves. What the halves mean is the other modules' business.

/// Bits 63:32.
#[inline]
pub(super) fn hi(word: u64) -> u32 {
    (word >> 32) as u32
}

/// Bits 31:0.
#[inline]
pub(super) fn lo(word: u64) -> u32 {
    word as u32
}

/// A word of two halves.
#[inline]
pub(super) fn join(hi: u32, lo: u32) -> u64 {
    u64::from(hi) << 32 | u64::from(lo)
}

/// Returns one half of a word: 1 is hi, 0 lo.
#[inline]
pub(super) fn half(word: u64, which: i32) -> u32 {
    (word >> (32 * (which & 1))) as u32
}

/// The word with one half replaced: 1 is hi, 0 lo.
#[inline]
pub(super) fn with_half(word: u64, which: i32, value: u32) -> u64 {
    let shift = 32 * (which & 1);
    word & !(0xffff_ffff << shift) | u64::from(value) << shift
}

/// A function of each half.
#[inline]
pub(super) fn each(s: u64, mut f: impl FnMut(u32) -> u32) -> u64 {
    join(f(hi(s)), f(lo(s)))
}

/// A function of each pair of halves.
#[inline]
pub(super) fn each2(s: u64, t: u64, mut f: impl FnMut(u32, u32) -> u32) -> u64 {
    join(f(hi(s), hi(t)), f(lo(s), lo(t)))
}
