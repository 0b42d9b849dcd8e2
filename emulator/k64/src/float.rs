//! The floating-point unit: its control register, and when native arithmetic is enough.
//!
//! Every operation writes the cause bits and joins them to the sticky flags. Where rounding is to nearest,
//! nothing is trapped or flushed, and Inexact is sticky already, a result in the normal range can tell nothing
//! new: then the native machine computes it, and its operands are kept, so that the cause can be found if it is
//! read. Everything else goes to [`soft`].

pub mod soft;

pub use soft::{FloatFormat, FloatOperation};
use softfloat_wrapper::RoundingMode;

/// Inexact; the lowest bit of cause, enables and flags.
pub const INEXACT: u8 = 1;
/// Underflow, in cause, enables and flags.
pub const UNDERFLOW: u8 = 2;
/// Overflow, in cause, enables and flags.
pub const OVERFLOW: u8 = 4;
/// Division by zero, in cause, enables and flags.
pub const ZERO: u8 = 8;
/// Invalid operation, in cause, enables and flags.
pub const INVALID: u8 = 16;

/// Bits of FCSR that software can change here: rounding, flags, enables, cause (with Unimplemented), FS.
/// Conditions are registers of their own.
const WRITABLE: u32 = 0x0103_ffff;
const FLUSH: u32 = 1 << 24;

/// The last operation, if its cause was not computed.
#[derive(Clone, Copy, Debug)]
struct Deferred {
    kind: FloatOperation,
    format: FloatFormat,
    operands: [u64; 3],
}

/// FCSR, control and status of the floating-point unit: rounding, flags, enables, cause.
#[derive(Clone, Debug, Default)]
pub struct FloatStatus {
    fcsr: u32,
    is_plain: bool,
    deferred: Option<Deferred>,
}

/// A floating-point exception that is enabled: its cause bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trapped(pub u8);

impl FloatStatus {
    /// Whether the native machine may compute.
    #[inline(always)]
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Keeps what the native machine computed, whose cause may still be asked for.
    #[inline(always)]
    pub fn defer(&mut self, kind: FloatOperation, format: FloatFormat, operands: [u64; 3]) {
        self.deferred = Some(Deferred { kind, format, operands });
    }

    /// Returns FCSR without the conditions. The cause of a deferred operation is computed first.
    pub fn fcsr(&mut self) -> u32 {
        if let Some(Deferred { kind, format, operands }) = self.deferred.take() {
            let (_, cause) = soft::compute(kind, format, operands, self.rounding());
            self.set_cause(cause);
        }
        self.fcsr
    }

    /// Writes FCSR; conditions are the caller's.
    ///
    /// # Errors
    /// If a cause is written that is enabled.
    pub fn set_fcsr(&mut self, value: u32) -> Result<(), Trapped> {
        self.deferred = None;
        self.fcsr = value & WRITABLE;
        let enables = self.fcsr >> 7 & 31;
        let is_sticky = self.fcsr >> 2 & u32::from(INEXACT) != 0;
        self.is_plain = self.fcsr & (FLUSH | 3) == 0 && enables == 0 && is_sticky;
        // Unimplemented, the highest bit of cause, cannot be disabled.
        let trapped = (value >> 12 & 63 & (enables | 32)) as u8;
        if trapped == 0 { Ok(()) } else { Err(Trapped(trapped)) }
    }

    fn set_cause(&mut self, cause: u8) {
        let cause = u32::from(cause);
        self.fcsr = self.fcsr & !(63 << 12) | cause << 12 | cause << 2;
        let is_sticky = self.fcsr >> 2 & u32::from(INEXACT) != 0;
        self.is_plain = self.fcsr & (FLUSH | 3) == 0 && self.fcsr >> 7 & 31 == 0 && is_sticky;
    }

    fn rounding(&self) -> RoundingMode {
        [
            RoundingMode::TiesToEven,
            RoundingMode::TowardZero,
            RoundingMode::TowardPositive,
            RoundingMode::TowardNegative,
        ][(self.fcsr & 3) as usize]
    }

    /// Takes the cause of an operation.
    ///
    /// # Errors
    /// If the cause is enabled; the flags stay, the cause tells.
    pub fn raise(&mut self, cause: u8) -> Result<(), Trapped> {
        self.deferred = None;
        let enables = (self.fcsr >> 7 & 31) as u8;
        if cause & enables != 0 {
            self.fcsr = self.fcsr & !(63 << 12) | u32::from(cause) << 12;
            return Err(Trapped(cause));
        }
        self.set_cause(cause);
        Ok(())
    }

    /// Computes an operation with all that FCSR asks for.
    ///
    /// # Errors
    /// If the operation raises an exception that is enabled; no result is to be written then.
    #[cold]
    #[inline(never)]
    pub fn compute(
        &mut self,
        kind: FloatOperation,
        format: FloatFormat,
        operands: [u64; 3],
    ) -> Result<u64, Trapped> {
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

    /// Whether a relation holds: bit 0 unordered, 1 equal, 2 less; bit 3 asks for Invalid on quiet NaNs too.
    ///
    /// # Errors
    /// If Invalid is raised and enabled.
    #[inline(always)]
    pub fn compare(
        &mut self,
        format: FloatFormat,
        relation: u8,
        a: u64,
        b: u64,
    ) -> Result<bool, Trapped> {
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
        self.deferred = None;
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
        FloatFormat, FloatOperation, FloatStatus, INEXACT, INVALID, OVERFLOW, Trapped, ZERO,
    };

    const D: FloatFormat = FloatFormat::Double;

    fn compute(
        status: &mut FloatStatus,
        kind: FloatOperation,
        a: f64,
        b: f64,
    ) -> Result<f64, Trapped> {
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
        assert_eq!(compute(&mut status, FloatOperation::Sqrt, -1.0, 0.0), Err(Trapped(INVALID)));
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
