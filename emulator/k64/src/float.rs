//! The floating-point unit (FPU) of the control processor: its control and status register FCSR, and the choice between
//! native and computed arithmetic.
//!
//! Every operation writes the cause bits of FCSR and joins them to the sticky flags. Where rounding is to nearest,
//! nothing is trapped or flushed, and Inexact is sticky already, a result in the normal range can tell nothing new:
//! then the native machine computes it, and its operands are kept, so that the cause can be found if it is read.
//! Everything else goes to [`soft`].

pub mod soft;

pub use soft::{FloatFormat, FloatOperation};
use softfloat_wrapper::RoundingMode;
use std::mem::offset_of;

/// Mask of the exception "inexact result": bit 0 of the bit fields Cause, Enables and Flags of FCSR, each taken by
/// itself.
pub const INEXACT: u8 = 1;
/// Mask of the exception "underflow": bit 1 of the bit fields Cause, Enables and Flags of FCSR, each taken by itself.
pub const UNDERFLOW: u8 = 2;
/// Mask of the exception "overflow": bit 2 of the bit fields Cause, Enables and Flags of FCSR, each taken by itself.
pub const OVERFLOW: u8 = 4;
/// Mask of the exception "division by zero": bit 3 of the bit fields Cause, Enables and Flags of FCSR, each taken by
/// itself.
pub const ZERO: u8 = 8;
/// Mask of the exception "invalid operation": bit 4 of the bit fields Cause, Enables and Flags of FCSR, each taken by
/// itself.
pub const INVALID: u8 = 16;

/// Bits of FCSR that software can change here: rounding, flags, enables, cause (with Unimplemented), FS.
/// Conditions are registers of their own.
const WRITABLE: u32 = 0x0103_ffff;
const FLUSH: u32 = 1 << 24;

/// Last operation, if its cause was not computed.
#[derive(Clone, Copy, Debug, Default)]
struct Deferred {
    /// Code of the operation ([`deferred_code`]); 0 if there is none.
    code: u32,
    operands: [u64; 3],
}

/// Returns the code of an operation on a format, which is not 0.
pub(crate) const fn deferred_code(kind: FloatOperation, format: FloatFormat) -> u32 {
    2 + 2 * kind as u32 + format as u32
}

impl Deferred {
    /// Returns the operation and its format, if there is one.
    fn operation(self) -> Option<(FloatOperation, FloatFormat)> {
        let number = self.code.checked_sub(2)?;
        let format = [FloatFormat::Single, FloatFormat::Double][(number % 2) as usize];
        Some((*FloatOperation::ALL.get((number / 2) as usize)?, format))
    }
}

/// FCSR, the control and status register of the FPU: rounding mode, flags, enables and cause of exceptions, and the bit
/// that flushes subnormal numbers (FS). The condition bits of the register are kept elsewhere, in [`crate::registers`].
#[derive(Clone, Debug)]
pub struct FloatStatus {
    fcsr: u32,
    is_plain: bool,
    /// Whether the native machine may compute if it tells which results are inexact: as `is_plain`, but for the flag.
    is_native: bool,
    deferred: Deferred,
}

/// Error of a floating-point operation that raises an exception which FCSR enables: the cause bits, [`INEXACT`] to
/// [`INVALID`], and 32 for Unimplemented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatTrap(pub u8);

impl Default for FloatStatus {
    /// Returns the status after reset: FCSR is 0.
    fn default() -> Self {
        Self { fcsr: 0, is_plain: false, is_native: true, deferred: Deferred::default() }
    }
}

impl FloatStatus {
    /// Offset in bytes of the register FCSR.
    pub(crate) const FCSR: usize = offset_of!(Self, fcsr);
    /// Offset in bytes of what [`FloatStatus::is_plain`] returns.
    pub(crate) const IS_PLAIN: usize = offset_of!(Self, is_plain);
    /// Offset in bytes of the mark that the native machine may compute if it tells which results are inexact.
    pub(crate) const IS_NATIVE: usize = offset_of!(Self, is_native);
    /// Offset in bytes of the code of the operation whose cause is deferred.
    pub(crate) const DEFERRED: usize = offset_of!(Self, deferred) + offset_of!(Deferred, code);
    /// Offset in bytes of the operands of that operation.
    pub(crate) const OPERANDS: usize = offset_of!(Self, deferred) + offset_of!(Deferred, operands);

    /// Whether the native machine may compute the next operation, because its exceptions can tell nothing new: rounding
    /// is to nearest, no exception is enabled, nothing is flushed, and the flag Inexact is set.
    #[inline(always)]
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Keeps an operation that the native machine computed, with its format and the bits of its operands fs, ft, fr, so
    /// that its cause bits can be computed if FCSR is read.
    #[inline(always)]
    pub fn defer(&mut self, kind: FloatOperation, format: FloatFormat, operands: [u64; 3]) {
        self.deferred = Deferred { code: deferred_code(kind, format), operands };
    }

    /// Returns FCSR, with 0 for its condition bits. If the cause of the last operation was deferred
    /// ([`FloatStatus::defer`]), it is computed first.
    pub fn fcsr(&mut self) -> u32 {
        let deferred = std::mem::take(&mut self.deferred);
        if let Some((kind, format)) = deferred.operation() {
            let (_, cause) = soft::compute(kind, format, deferred.operands, self.rounding());
            self.set_cause(cause);
        }
        self.fcsr
    }

    /// Writes FCSR; bits that software cannot change and the condition bits are ignored.
    ///
    /// # Errors
    /// Returns [`FloatTrap`] with the cause bits that are set and enabled; Unimplemented is always enabled. The
    /// register is written all the same.
    pub fn set_fcsr(&mut self, value: u32) -> Result<(), FloatTrap> {
        self.deferred.code = 0;
        self.fcsr = value & WRITABLE;
        let enables = self.fcsr >> 7 & 31;
        self.renew();
        // Unimplemented, the highest bit of cause, cannot be disabled.
        let trapped = (value >> 12 & 63 & (enables | 32)) as u8;
        if trapped == 0 { Ok(()) } else { Err(FloatTrap(trapped)) }
    }

    fn set_cause(&mut self, cause: u8) {
        let cause = u32::from(cause);
        self.fcsr = self.fcsr & !(63 << 12) | cause << 12 | cause << 2;
        self.renew();
    }

    /// Finds out anew what the native machine may do.
    fn renew(&mut self) {
        let is_sticky = self.fcsr >> 2 & u32::from(INEXACT) != 0;
        self.is_native = self.fcsr & (FLUSH | 3) == 0 && self.fcsr >> 7 & 31 == 0;
        self.is_plain = self.is_native && is_sticky;
    }

    /// Sets the flag Inexact if one of the operations was inexact that the native machine computed: `flags` is what its
    /// register MXCSR tells of them.
    pub(crate) fn join_native(&mut self, flags: u32) {
        const PRECISION: u32 = 1 << 5;
        if self.is_native && flags & PRECISION != 0 {
            self.fcsr |= u32::from(INEXACT) << 2;
            self.renew();
        }
    }

    fn rounding(&self) -> RoundingMode {
        [
            RoundingMode::TiesToEven,
            RoundingMode::TowardZero,
            RoundingMode::TowardPositive,
            RoundingMode::TowardNegative,
        ][(self.fcsr & 3) as usize]
    }

    /// Writes the cause bits of an operation to FCSR, and sets the flags of the exceptions among them.
    ///
    /// # Errors
    /// Returns [`FloatTrap`] with `cause` if one of the exceptions is enabled; the cause is written then, but no flag.
    pub fn raise(&mut self, cause: u8) -> Result<(), FloatTrap> {
        self.deferred.code = 0;
        let enables = (self.fcsr >> 7 & 31) as u8;
        if cause & enables != 0 {
            self.fcsr = self.fcsr & !(63 << 12) | u32::from(cause) << 12;
            return Err(FloatTrap(cause));
        }
        self.set_cause(cause);
        Ok(())
    }

    /// Computes an operation by software, with the rounding mode and the flushing that FCSR asks for, and writes its
    /// cause and flags to FCSR. `format` is the format of operands and result, of a conversion to an integer that of
    /// the operand; conversions that name both formats ignore it. `operands` are the bits of fs, ft and fr; the result
    /// is the bits to be written to fd.
    ///
    /// # Errors
    /// Returns [`FloatTrap`] if the operation raises an exception that is enabled; no result is to be written then.
    #[cold]
    #[inline(never)]
    pub fn compute(
        &mut self,
        kind: FloatOperation,
        format: FloatFormat,
        operands: [u64; 3],
    ) -> Result<u64, FloatTrap> {
        let is_flushing = self.fcsr & FLUSH != 0;
        let operands = match kind.source(format) {
            Some(source) if is_flushing => operands.map(|o| flushed(source, o)),
            _ => operands,
        };
        let (mut result, mut cause) = soft::compute(kind, format, operands, self.rounding());
        if let (true, Some(target)) = (is_flushing, kind.target(format)) {
            let flushed = flushed(target, result);
            if flushed != result {
                cause |= UNDERFLOW | INEXACT;
                result = flushed;
            }
        }
        self.raise(cause)?;
        Ok(result)
    }

    /// Compares the numbers with the bits `a` and `b`, and returns whether `relation` holds. Bits of `relation`: 0 asks
    /// for unordered, 1 for equal, 2 for less; bit 3 makes a quiet NaN raise Invalid too.
    ///
    /// # Errors
    /// Returns [`FloatTrap`] if Invalid is raised and enabled.
    #[inline(always)]
    pub fn compare(
        &mut self,
        format: FloatFormat,
        relation: u8,
        a: u64,
        b: u64,
    ) -> Result<bool, FloatTrap> {
        let order = match format {
            FloatFormat::Single => f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32)),
            FloatFormat::Double => f64::from_bits(a).partial_cmp(&f64::from_bits(b)),
        };
        let holds = match order {
            Some(std::cmp::Ordering::Less) => relation & 4 != 0,
            Some(std::cmp::Ordering::Equal) => relation & 2 != 0,
            Some(std::cmp::Ordering::Greater) => false,
            None => {
                let is_invalid =
                    relation & 8 != 0 || format.is_signaling(a) || format.is_signaling(b);
                self.raise(if is_invalid { INVALID } else { 0 })?;
                return Ok(relation & 1 != 0);
            }
        };
        self.deferred.code = 0;
        self.fcsr &= !(63 << 12);
        Ok(holds)
    }
}

/// Returns a number, or a zero of its sign if the number is subnormal.
fn flushed(format: FloatFormat, bits: u64) -> u64 {
    match format {
        FloatFormat::Single if bits as u32 & 0x7f80_0000 == 0 => bits & 0x8000_0000,
        FloatFormat::Double if bits & 0x7ff0_0000_0000_0000 == 0 => bits & 1 << 63,
        _ => bits,
    }
}

#[cfg(test)]
mod tests {
    use super::{
        FloatFormat, FloatOperation, FloatStatus, FloatTrap, INEXACT, INVALID, OVERFLOW, ZERO,
    };

    const D: FloatFormat = FloatFormat::Double;

    fn compute(
        status: &mut FloatStatus,
        kind: FloatOperation,
        a: f64,
        b: f64,
    ) -> Result<f64, FloatTrap> {
        status.compute(kind, D, [a.to_bits(), b.to_bits(), 0]).map(f64::from_bits)
    }

    #[test]
    fn flags_are_sticky_and_causes_are_not() {
        let mut status = FloatStatus::default();
        assert_eq!(compute(&mut status, FloatOperation::Div, 1.0, 3.0), Ok(1.0 / 3.0));
        assert_eq!(compute(&mut status, FloatOperation::Div, 1.0, 0.0), Ok(f64::INFINITY));
        let (i, z) = (u32::from(INEXACT), u32::from(ZERO));
        assert_eq!(status.fcsr(), z << 12 | (z | i) << 2);
    }

    #[test]
    fn an_enabled_exception_writes_the_cause_and_no_flag() {
        let mut status = FloatStatus::default();
        assert_eq!(status.set_fcsr(u32::from(INVALID) << 7), Ok(()));
        assert_eq!(compute(&mut status, FloatOperation::Sqrt, -1.0, 0.0), Err(FloatTrap(INVALID)));
        assert_eq!(status.fcsr(), u32::from(INVALID) << 12 | u32::from(INVALID) << 7);
        // Its neighbour raises what is not enabled.
        assert_eq!(compute(&mut status, FloatOperation::Mul, 1e300, 1e300), Ok(f64::INFINITY));
        assert_eq!(status.fcsr() >> 2 & 31, u32::from(OVERFLOW | INEXACT));
    }

    #[test]
    fn invalid_results_are_the_nan_of_the_legacy_encoding() {
        let mut status = FloatStatus::default();
        let nan = status.compute(FloatOperation::Div, D, [0, 0, 0]);
        assert_eq!(nan, Ok(0x7ff7_ffff_ffff_ffff));
        assert_eq!(
            status.compute(FloatOperation::TruncW, D, [f64::NAN.to_bits(), 0, 0]),
            Ok(0x7fff_ffff)
        );
    }

    #[test]
    fn rounding_modes() {
        let tenth = 0.1f64.to_bits();
        for (mode, bits) in [
            (0, 0.3f64.to_bits() + 1),
            (1, 0.3f64.to_bits()),
            (2, 0.3f64.to_bits() + 1),
            (3, 0.3f64.to_bits()),
        ] {
            let mut status = FloatStatus::default();
            assert_eq!(status.set_fcsr(mode), Ok(()));
            assert_eq!(
                status.compute(FloatOperation::Add, D, [tenth, 0.2f64.to_bits(), 0]),
                Ok(bits)
            );
        }
    }
}
