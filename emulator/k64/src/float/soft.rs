//! Results of floating-point operations in every rounding mode, with their exceptions: Berkeley SoftFloat for numbers,
//! own code for NaNs, because KOMDIV64 is taken to have the legacy encoding (the highest bit of the fraction is set in
//! signaling NaNs), as all of MIPS64 releases 1 and 2 has.

use super::{INEXACT, INVALID, OVERFLOW, UNDERFLOW, ZERO};
use softfloat_wrapper::{ExceptionFlags, F32, F64, Float, RoundingMode};

/// Format of floating-point numbers of the FPU (IEEE 754): single or double precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatFormat {
    /// Single precision: numbers of 32 bits.
    Single,
    /// Double precision: numbers of 64 bits.
    Double,
}

/// Operation of the FPU, without its format: what it computes from its operands, the values of the registers in the
/// fields fs, ft and fr of the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatOperation {
    /// Addition: fs + ft; fs and ft are operand registers of the instruction.
    Add,
    /// Subtraction: fs - ft; fs and ft are operand registers of the instruction.
    Sub,
    /// Multiplication: fs times ft; fs and ft are operand registers of the instruction.
    Mul,
    /// Division: fs / ft; fs and ft are operand registers of the instruction.
    Div,
    /// Square root of fs; fs is the operand register of the instruction.
    Sqrt,
    /// Reciprocal: 1 / fs; fs is the operand register of the instruction.
    Recip,
    /// Reciprocal of the square root: 1 / sqrt(fs), root and quotient rounded each; fs is the operand register of the
    /// instruction.
    Rsqrt,
    /// Multiplication and addition: fs times ft, plus fr (operand registers); product and sum are rounded each.
    Madd,
    /// Multiplication and subtraction: fs times ft, less fr (operand registers); product and difference are rounded
    /// each.
    Msub,
    /// Negated multiplication and addition: -(fs times ft, plus fr), of the operand registers; product and sum are
    /// rounded each.
    Nmadd,
    /// Negated multiplication and subtraction: -(fs times ft, less fr), of the operand registers; product and
    /// difference are rounded each.
    Nmsub,
    /// Conversion of the operand register fs to an integer of 64 bits, rounded to nearest, ties to even.
    RoundL,
    /// Conversion of the operand register fs to an integer of 64 bits, rounded toward zero.
    TruncL,
    /// Conversion of the operand register fs to an integer of 64 bits, rounded toward plus infinity.
    CeilL,
    /// Conversion of the operand register fs to an integer of 64 bits, rounded toward minus infinity.
    FloorL,
    /// Conversion of the operand register fs to an integer of 64 bits, rounded in the current rounding mode.
    CvtL,
    /// Conversion of the operand register fs to an integer of 32 bits, rounded to nearest, ties to even.
    RoundW,
    /// Conversion of the operand register fs to an integer of 32 bits, rounded toward zero.
    TruncW,
    /// Conversion of the operand register fs to an integer of 32 bits, rounded toward plus infinity.
    CeilW,
    /// Conversion of the operand register fs to an integer of 32 bits, rounded toward minus infinity.
    FloorW,
    /// Conversion of the operand register fs to an integer of 32 bits, rounded in the current rounding mode.
    CvtW,
    /// Conversion of the operand register fs from double precision to single precision.
    SFromD,
    /// Conversion of the operand register fs from an integer of 32 bits to single precision.
    SFromW,
    /// Conversion of the operand register fs from an integer of 64 bits to single precision.
    SFromL,
    /// Conversion of the operand register fs from single precision to double precision.
    DFromS,
    /// Conversion of the operand register fs from an integer of 32 bits to double precision.
    DFromW,
    /// Conversion of the operand register fs from an integer of 64 bits to double precision.
    DFromL,
}

impl FloatFormat {
    const fn exponent(self) -> u64 {
        match self {
            Self::Single => 0x7f80_0000,
            Self::Double => 0x7ff0_0000_0000_0000,
        }
    }
    const fn sign(self) -> u64 {
        match self {
            Self::Single => 1 << 31,
            Self::Double => 1 << 63,
        }
    }
    const fn signaling(self) -> u64 {
        match self {
            Self::Single => 1 << 22,
            Self::Double => 1 << 51,
        }
    }
    /// Returns the bits of the NaN that is the result of an invalid operation and of an operation on a NaN: quiet in
    /// the legacy encoding of MIPS.
    #[must_use]
    pub const fn default_nan(self) -> u64 {
        self.exponent() | (self.signaling() - 1)
    }
    /// Whether `bits`, a number of this format, are a NaN. Bits above the format are ignored.
    #[must_use]
    pub const fn is_nan(self, bits: u64) -> bool {
        bits & (self.sign() - 1) > self.exponent()
    }
    /// Whether `bits`, a number of this format, are a signaling NaN: in the legacy encoding of MIPS one whose highest
    /// fraction bit is set. Bits above the format are ignored.
    #[must_use]
    pub const fn is_signaling(self, bits: u64) -> bool {
        self.is_nan(bits) && bits & self.signaling() != 0
    }
}

impl FloatOperation {
    /// All operations, in the order of the variants.
    pub(crate) const ALL: [Self; 27] = [
        Self::Add,
        Self::Sub,
        Self::Mul,
        Self::Div,
        Self::Sqrt,
        Self::Recip,
        Self::Rsqrt,
        Self::Madd,
        Self::Msub,
        Self::Nmadd,
        Self::Nmsub,
        Self::RoundL,
        Self::TruncL,
        Self::CeilL,
        Self::FloorL,
        Self::CvtL,
        Self::RoundW,
        Self::TruncW,
        Self::CeilW,
        Self::FloorW,
        Self::CvtW,
        Self::SFromD,
        Self::SFromW,
        Self::SFromL,
        Self::DFromS,
        Self::DFromW,
        Self::DFromL,
    ];

    /// Returns the format of the operands if the operation is done in `format`; `None` if they are integers.
    #[must_use]
    pub const fn source(self, format: FloatFormat) -> Option<FloatFormat> {
        match self {
            Self::SFromW | Self::SFromL | Self::DFromW | Self::DFromL => None,
            Self::SFromD => Some(FloatFormat::Double),
            Self::DFromS => Some(FloatFormat::Single),
            _ => Some(format),
        }
    }
    /// Returns the format of the result if the operation is done in `format`; `None` if it is an integer.
    #[must_use]
    pub const fn target(self, format: FloatFormat) -> Option<FloatFormat> {
        match self {
            Self::SFromD | Self::SFromW | Self::SFromL => Some(FloatFormat::Single),
            Self::DFromS | Self::DFromW | Self::DFromL => Some(FloatFormat::Double),
            Self::Add
            | Self::Sub
            | Self::Mul
            | Self::Div
            | Self::Sqrt
            | Self::Recip
            | Self::Rsqrt
            | Self::Madd
            | Self::Msub
            | Self::Nmadd
            | Self::Nmsub => Some(format),
            _ => None,
        }
    }
    /// Returns the number of operands that a NaN is looked for in: 2 for sum, difference, product and quotient, else 1.
    const fn operands(self) -> usize {
        match self {
            Self::Add | Self::Sub | Self::Mul | Self::Div => 2,
            _ => 1,
        }
    }
}

/// Runs an operation of SoftFloat and tells what it raised.
fn watched<T>(operation: impl FnOnce() -> T) -> (T, u8) {
    let mut flags = ExceptionFlags::default();
    flags.set();
    let result = operation();
    flags.get();
    let mut cause = 0;
    for (is_raised, bit) in [
        (flags.is_inexact(), INEXACT),
        (flags.is_underflow(), UNDERFLOW),
        (flags.is_overflow(), OVERFLOW),
        (flags.is_infinite(), ZERO),
        (flags.is_invalid(), INVALID),
    ] {
        cause |= if is_raised { bit } else { 0 };
    }
    (result, cause)
}

/// Computes an operation on the bits `[a, b, c]` of its operands fs, ft and fr, rounded by `mode`. `format` is the
/// format of operands and result, of a conversion to an integer that of the operand; conversions that name both formats
/// ignore it. The first part of the result is the bits of the result, with zeros above its format; the second is the
/// exceptions that the operation raised, as cause bits from [`INEXACT`] to [`INVALID`].
#[must_use]
pub fn compute(
    kind: FloatOperation,
    format: FloatFormat,
    [a, b, c]: [u64; 3],
    mode: RoundingMode,
) -> (u64, u8) {
    match kind {
        FloatOperation::Madd => twice(FloatOperation::Add, format, [a, b, c], mode),
        FloatOperation::Msub => twice(FloatOperation::Sub, format, [a, b, c], mode),
        FloatOperation::Nmadd => {
            negated(format, twice(FloatOperation::Add, format, [a, b, c], mode))
        }
        FloatOperation::Nmsub => {
            negated(format, twice(FloatOperation::Sub, format, [a, b, c], mode))
        }
        FloatOperation::Rsqrt => {
            let (root, first) = compute(FloatOperation::Sqrt, format, [a, b, c], mode);
            let (result, second) = compute(FloatOperation::Recip, format, [root, 0, 0], mode);
            (result, first | second)
        }
        _ => match special(kind, format, a, b) {
            Some(result) => result,
            None => numbers(kind, format, a, b, mode),
        },
    }
}

/// Computes product and sum, each rounded.
fn twice(
    sum: FloatOperation,
    format: FloatFormat,
    [a, b, c]: [u64; 3],
    mode: RoundingMode,
) -> (u64, u8) {
    let (product, first) = compute(FloatOperation::Mul, format, [a, b, 0], mode);
    let (result, second) = compute(sum, format, [product, c, 0], mode);
    (result, first | second)
}

fn negated(format: FloatFormat, (result, cause): (u64, u8)) -> (u64, u8) {
    (result ^ format.sign(), cause)
}

/// Computes an operation on a NaN: the default NaN of the result, whatever the operand had in its fraction; `None` if
/// no operand is one.
fn special(kind: FloatOperation, format: FloatFormat, a: u64, b: u64) -> Option<(u64, u8)> {
    let source = kind.source(format)?;
    let operands = &[a, b][..kind.operands()];
    operands.iter().find(|o| source.is_nan(**o))?;
    let Some(target) = kind.target(format) else { return Some((greatest(kind), INVALID)) };
    let is_invalid = operands.iter().any(|o| source.is_signaling(*o));
    Some((target.default_nan(), if is_invalid { INVALID } else { 0 }))
}

/// Returns the result of a conversion to an integer that cannot hold the value.
const fn greatest(kind: FloatOperation) -> u64 {
    match kind {
        FloatOperation::RoundW
        | FloatOperation::TruncW
        | FloatOperation::CeilW
        | FloatOperation::FloorW
        | FloatOperation::CvtW => i32::MAX as u64,
        _ => i64::MAX as u64,
    }
}

/// Computes operations on numbers and infinities.
fn numbers(
    kind: FloatOperation,
    format: FloatFormat,
    a: u64,
    b: u64,
    mode: RoundingMode,
) -> (u64, u8) {
    match kind {
        FloatOperation::SFromD => single(|| F64::from_bits(a).to_f32(mode)),
        FloatOperation::SFromW => single(|| F32::from_i32(a as i32, mode)),
        FloatOperation::SFromL => single(|| F32::from_i64(a as i64, mode)),
        FloatOperation::DFromS => double(|| F32::from_bits(a as u32).to_f64(mode)),
        FloatOperation::DFromW => double(|| F64::from_i32(a as i32, mode)),
        FloatOperation::DFromL => double(|| F64::from_i64(a as i64, mode)),
        _ => match (kind.target(format), format) {
            (None, FloatFormat::Single) => integer(kind, &F32::from_bits(a as u32), mode),
            (None, FloatFormat::Double) => integer(kind, &F64::from_bits(a), mode),
            (Some(_), FloatFormat::Single) => {
                let (a, b) = (F32::from_bits(a as u32), F32::from_bits(b as u32));
                single(|| arithmetic(kind, &a, b, mode))
            }
            (Some(_), FloatFormat::Double) => {
                let (a, b) = (F64::from_bits(a), F64::from_bits(b));
                double(|| arithmetic(kind, &a, b, mode))
            }
        },
    }
}

fn single(operation: impl FnOnce() -> F32) -> (u64, u8) {
    let (result, cause) = watched(operation);
    if cause & INVALID != 0 {
        return (FloatFormat::Single.default_nan(), cause);
    }
    (u64::from(result.to_bits()), cause)
}

fn double(operation: impl FnOnce() -> F64) -> (u64, u8) {
    let (result, cause) = watched(operation);
    if cause & INVALID != 0 {
        return (FloatFormat::Double.default_nan(), cause);
    }
    (result.to_bits(), cause)
}

fn arithmetic<F: Float>(kind: FloatOperation, a: &F, b: F, mode: RoundingMode) -> F {
    match kind {
        FloatOperation::Add => a.add(b, mode),
        FloatOperation::Sub => a.sub(b, mode),
        FloatOperation::Mul => a.mul(b, mode),
        FloatOperation::Div => a.div(b, mode),
        FloatOperation::Recip => F::from_u8(1, mode).div(a, mode),
        _ => a.sqrt(mode),
    }
}

fn integer<F: Float>(kind: FloatOperation, a: &F, mode: RoundingMode) -> (u64, u8) {
    let mode = match kind {
        FloatOperation::RoundL | FloatOperation::RoundW => RoundingMode::TiesToEven,
        FloatOperation::TruncL | FloatOperation::TruncW => RoundingMode::TowardZero,
        FloatOperation::CeilL | FloatOperation::CeilW => RoundingMode::TowardPositive,
        FloatOperation::FloorL | FloatOperation::FloorW => RoundingMode::TowardNegative,
        _ => mode,
    };
    let is_word = greatest(kind) == i32::MAX as u64;
    let (result, cause) = watched(|| {
        if is_word { u64::from(a.to_i32(mode, true) as u32) } else { a.to_i64(mode, true) as u64 }
    });
    if cause & INVALID != 0 { (greatest(kind), INVALID) } else { (result, cause) }
}
