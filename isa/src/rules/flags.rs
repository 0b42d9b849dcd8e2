//! Flags and condition codes: the values that FCSR, FCCR and STATUS.FPE have after an operation, a comparison or a
//! `mtc` has landed (`[L]`, cp2-isa 1 and 4.2). The cycle in which it lands is in `timing`.

use serde::{Deserialize, Serialize};

bitflags::bitflags! {
    /// A set of exceptions of floating-point arithmetic, in the order of FCSR: `flags << 2` are its sticky bits, `flags
    /// << 12` its cause bits, `flags << 16` the field FPE of STATUS.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub struct Flags: u8 {
        /// Inexact: the result was rounded.
        const I = 1;
        /// Underflow: the result is too small for a normal number.
        const U = 2;
        /// Overflow: the result is too large.
        const O = 4;
        /// Division by zero.
        const Z = 8;
        /// Invalid operation.
        const V = 16;
        /// Denormal operand.
        const E = 32;
    }
}

/// Lowest sticky bit of FCSR.
const STICKY_SHIFT: u32 = 2;
/// Lowest cause bit of FCSR.
const CAUSE_SHIFT: u32 = 12;
const STICKY: u32 = (Flags::all().bits() as u32) << STICKY_SHIFT;
const CAUSE: u32 = (Flags::all().bits() as u32) << CAUSE_SHIFT;

/// Mask of the bits of FCSR that exist: sticky flags in bits 7:2 and cause in bits 17:12. `mtc` writes these.
pub const FCSR_MASK: u32 = STICKY | CAUSE;
/// Position of the lowest bit of the field FPE of STATUS, the sticky exceptions of all sections together.
pub const FPE_SHIFT: u32 = 16;
/// Mask of the field FPE of STATUS, bits 21:16: the sticky exceptions of all sections together, in the order of
/// [`Flags`].
pub const FPE: u64 = (Flags::all().bits() as u64) << FPE_SHIFT;

/// Returns the exceptions of one operation in a section, given all those that its steps raise: if V (invalid) is among
/// them, only V and E remain.
#[inline]
pub const fn raised_of(raised: Flags) -> Flags {
    if raised.contains(Flags::V) { raised.intersection(Flags::V.union(Flags::E)) } else { raised }
}

/// Returns the value of FCSR after an operation that raised these exceptions, perhaps none: they replace the cause bits
/// and join the sticky bits.
#[inline]
pub const fn accumulated(fcsr: u32, raised: Flags) -> u32 {
    let bits = raised.bits() as u32;
    fcsr & STICKY | bits << STICKY_SHIFT | bits << CAUSE_SHIFT
}

/// Returns the value of FCSR after a `mtc` of this value: the bits that FCSR has.
#[inline]
pub const fn fcsr_written(value: u64) -> u32 {
    value as u32 & FCSR_MASK
}

/// Returns the sticky exceptions in a value of FCSR, or in a value that `mtc` writes to it.
#[inline]
pub const fn sticky(fcsr: u64) -> Flags {
    Flags::from_bits_truncate((fcsr >> STICKY_SHIFT) as u8)
}

/// Returns the value of STATUS with these exceptions added to its field FPE. STATUS shows at once what an operation
/// raises.
#[inline]
pub const fn status_raised(status: u64, raised: Flags) -> u64 {
    status | (raised.bits() as u64) << FPE_SHIFT
}

/// Returns the value of STATUS with these exceptions alone in its field FPE, as when a `mtc` to FCSR lands: the
/// exceptions are then the sticky ones that the `mtc` writes in the enabled sections, and those that operations after
/// it have raised since.
#[inline]
pub const fn status_replaced(status: u64, flags: Flags) -> u64 {
    status_raised(status & !FPE, flags)
}

/// Returns the value of FCCR after a comparison: condition code `code`, 0 to 7, becomes `holds`, the others stay. Code
/// 0 always reads 1. A code above 7, which there is not, changes nothing.
#[inline]
pub const fn condition_written(fccr: u8, code: u8, holds: bool) -> u8 {
    let bit = if code < 8 { 1 << code } else { 0 };
    fccr & !bit | if holds { bit } else { 0 } | 1
}

/// Returns the value of FCCR after a `mtc` of this value: its low 8 bits, with bit 0 set, since condition code 0 is
/// always 1.
#[inline]
pub const fn fccr_written(value: u64) -> u8 {
    value as u8 | 1
}

/// Whether a section executes an operation that obeys condition code `cc`, 0 to 7; `fccr` is the register FCCR of the
/// section, in which bit k is condition code k. Code 0 is no predicate, so every section executes; a code above 7 never
/// holds.
#[inline]
pub const fn enabled(fccr: u8, cc: u8) -> bool {
    cc == 0 || cc < 8 && fccr >> cc & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVERFLOW: Flags = Flags::O.union(Flags::I);

    #[test]
    fn there_are_condition_codes_0_to_7() {
        assert_eq!(condition_written(1, 7, true), 0x81);
        for code in [8, 9, 16, 255] {
            assert_eq!(condition_written(0x55, code, true), 0x55);
            assert_eq!(condition_written(0x55, code, false), 0x55);
            assert!(!enabled(0xff, code));
        }
    }

    #[test]
    fn invalid_leaves_itself_and_the_denormal_operand() {
        assert_eq!(raised_of(Flags::all()), Flags::V | Flags::E);
        assert_eq!(raised_of(Flags::V | Flags::I), Flags::V);
        assert_eq!(raised_of(OVERFLOW | Flags::E), OVERFLOW | Flags::E);
    }

    /// `mtc f1, fcsr` (f1 = 4) / `psmul` with overflow: f3 = 4 from `mfc` while the `psmul` is under
    /// way, 0x5014 from it a bundle later.
    #[test]
    fn flags_join_what_a_mtc_wrote() {
        let written = fcsr_written(4);
        assert_eq!(written, 4);
        assert_eq!(accumulated(written, OVERFLOW), 0x5014);
    }

    #[test]
    fn an_operation_without_flags_clears_the_cause() {
        assert_eq!(accumulated(0x5014, Flags::empty()), 0x14);
        assert_eq!(fcsr_written(u64::MAX), 0x3f0fc);
    }

    #[test]
    fn overflow_is_5_in_fpe() {
        assert_eq!(status_raised(0, OVERFLOW) >> FPE_SHIFT, 5);
    }

    /// FPE = 0x20: `mtc f1, fcsr` (f1 = 4) / `psmul` with overflow: 0x25 before the `mtc` lands, 0x05
    /// after.
    #[test]
    fn a_mtc_leaves_what_it_writes_and_what_was_raised_behind_it() {
        let before = status_raised(status_raised(0, Flags::E), OVERFLOW);
        assert_eq!(before >> FPE_SHIFT, 0x25);
        assert_eq!(status_replaced(before, sticky(4) | OVERFLOW) >> FPE_SHIFT, 5);
        assert_eq!(status_replaced(before | 1 << 25, Flags::empty()), 1 << 25);
    }

    #[test]
    fn condition_code_0_always_reads_1() {
        assert_eq!(fccr_written(2), 3);
        assert_eq!(condition_written(0b101, 0, false), 0b101);
        assert_eq!(condition_written(0b101, 2, false), 1);
        assert_eq!(condition_written(1, 7, true), 0x81);
        assert!(enabled(1, 0) && enabled(0b101, 2) && !enabled(0b101, 1));
    }
}
