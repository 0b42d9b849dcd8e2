//! Masks of undefined bits of registers and words: a bit for each 16-bit quarter in each section.

use cp2_isa::{Halves, SECTIONS};

/// Undefined quarters of a register or word that every section has: bit `4 s + q` is quarter `q` (0 is bits 15:0) in
/// section `s`.
pub(super) type Mask = u16;

/// All quarters in every section.
pub(super) const ALL: Mask = u16::MAX;
/// The low halves.
pub(super) const LO: Mask = 0x3333;
/// The high halves.
pub(super) const HI: Mask = 0xcccc;
/// Quarters 0 and 2, the low ones of each half.
const EVEN: Mask = 0x5555;
/// Quarters 1 and 3, the high ones of each half.
const ODD: Mask = 0xaaaa;
/// Every section.
pub(super) const EVERYWHERE: u8 = (1 << SECTIONS) - 1;

/// Returns all quarters of sections, a bit each.
pub(super) const fn of_sections(sections: u8) -> Mask {
    let mut mask = 0;
    let mut s = 0;
    while s < SECTIONS {
        if sections >> s & 1 == 1 {
            mask |= 0xf << (4 * s);
        }
        s += 1;
    }
    mask
}

/// Returns all quarters of halves, in every section.
pub(super) const fn of_halves(halves: Halves) -> Mask {
    let low = if halves.contains(Halves::LO) { LO } else { 0 };
    let high = if halves.contains(Halves::HI) { HI } else { 0 };
    low | high
}

/// Returns the sections in which something is undefined, a bit each.
pub(super) const fn sections(mask: Mask) -> u8 {
    let mut found = 0;
    let mut s = 0;
    while s < SECTIONS {
        if mask >> (4 * s) & 0xf != 0 {
            found |= 1 << s;
        }
        s += 1;
    }
    found
}

/// Returns a mask with the halves exchanged.
pub(super) const fn swapped(mask: Mask) -> Mask {
    (mask & LO) << 2 | (mask & HI) >> 2
}

/// Returns a mask with the quarters of each half exchanged.
const fn crossed(mask: Mask) -> Mask {
    (mask & EVEN) << 1 | (mask & ODD) >> 1
}

/// Returns the halves of which some quarter is undefined, whole.
pub(super) const fn by_half(mask: Mask) -> Mask {
    mask | crossed(mask)
}

/// Returns the sections in which something is undefined, whole.
pub(super) const fn by_section(mask: Mask) -> Mask {
    let mask = by_half(mask);
    mask | swapped(mask)
}

/// Returns the low halves of a mask, in both halves.
pub(super) const fn low_in_both(mask: Mask) -> Mask {
    mask & LO | (mask & LO) << 2
}

/// Returns the halves whose low quarter is undefined, whole: that quarter decides all of the half.
pub(super) const fn low_quarter_decides(mask: Mask) -> Mask {
    mask & EVEN | (mask & EVEN) << 1
}

/// Returns the halves whose high quarter is undefined, whole: that quarter decides all of the half.
pub(super) const fn high_quarter_decides(mask: Mask) -> Mask {
    mask & ODD | (mask & ODD) >> 1
}

/// Returns the low quarters of `low`, and those of `high` as the high ones.
pub(super) const fn joined(low: Mask, high: Mask) -> Mask {
    low & EVEN | (high & EVEN) << 1
}

/// Returns the low quarters of each half.
pub(super) const fn low_quarters(mask: Mask) -> Mask {
    mask & EVEN
}

/// Returns quarter `q` of every section.
pub(super) const fn quarter(q: u32) -> Mask {
    0x1111 << q
}

/// Returns quarter `from` of every section, as the whole half `to`.
pub(super) const fn quarter_as_half(mask: Mask, from: u32, to: Halves) -> Mask {
    let picked = mask >> from & 0x1111;
    (picked | picked << 1 | picked << 2 | picked << 3) & of_halves(to)
}

/// Returns a mask after a shift of both halves by `left` bits to the left, logical or, if `keeps_sign`, arithmetic.
pub(super) const fn shifted(mask: Mask, left: i32, keeps_sign: bool) -> Mask {
    match left {
        0 => mask,
        32.. => 0,
        16..32 => by_half(mask & EVEN) & ODD,
        ..=-16 if !keeps_sign && left <= -32 => 0,
        ..=-16 if !keeps_sign => by_half(mask & ODD) & EVEN,
        _ => by_half(mask),
    }
}

/// Returns the quarters in which a value has the bits `wanted`, `0` or `0xffff`, in each section.
pub(super) fn quarters_with(values: &[u64; SECTIONS], wanted: u16) -> Mask {
    let mut found = 0;
    for (s, value) in values.iter().enumerate() {
        for q in 0..4 {
            if (value >> (16 * q)) as u16 == wanted {
                found |= 1 << (4 * s + q);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_and_sections_are_told_apart() {
        assert_eq!(of_sections(0b0101), 0x0f0f);
        assert_eq!(sections(0x0200), 0b0100);
        assert_eq!((swapped(0x0003), swapped(0x0004)), (0x000c, 0x0001));
        assert_eq!((by_half(0x0010), by_section(0x0010)), (0x0030, 0x00f0));
        assert_eq!(quarter_as_half(0x0008, 3, Halves::LO), 0x0003);
        assert_eq!(quarter_as_half(0x0011, 0, Halves::HI), 0x00cc);
        assert_eq!((low_in_both(0x0031), low_in_both(0x0080)), (0x00f5, 0));
    }

    #[test]
    fn a_quarter_that_decides_makes_its_half_undefined_and_the_other_quarter_none() {
        assert_eq!((low_quarter_decides(0x0041), low_quarter_decides(0x00aa)), (0x00c3, 0));
        assert_eq!((high_quarter_decides(0x0082), high_quarter_decides(0x0055)), (0x00c3, 0));
    }

    #[test]
    fn shifts_by_a_quarter_and_more_leave_zeros() {
        // Bits 15:0 of the low half: they come to bits 31:16, and zeros are behind them.
        assert_eq!(shifted(0x0001, 16, false), 0x0002);
        assert_eq!(shifted(0x0002, 16, false), 0);
        assert_eq!(shifted(0x0002, -16, false), 0x0001);
        assert_eq!(shifted(0x0002, -16, true), 0x0003);
        assert_eq!((shifted(ALL, 32, false), shifted(ALL, -32, false)), (0, 0));
        assert_eq!(shifted(0x0001, 3, false), 0x0003);
    }
}
