//! Floating-point operations: native arithmetic where [`FloatStatus::is_plain`](crate::float::Status::is_plain)
//! says that it is enough and the result raises nothing new, else the exact way.

use super::operation::{Exit, Operation, next, stop};
use crate::core::Cpu;
use crate::exception::Exception;
use crate::float::{FloatFormat, FloatOperation};

const LOW: u64 = 0xffff_ffff;

/// Format of the native machine's numbers that a register holds.
trait Number: Copy + PartialEq + Default {
    const FORMAT: FloatFormat;
    fn get(bits: u64) -> Self;
    fn put(self, old: u64) -> u64;
    /// Whether the number is finite.
    fn is_finite(self) -> bool;
    /// Whether the number is finite, and so far from subnormal that no rounding was there.
    fn is_ordinary(self) -> bool;
}

impl Number for f64 {
    const FORMAT: FloatFormat = FloatFormat::Double;
    #[inline(always)]
    fn get(bits: u64) -> Self {
        Self::from_bits(bits)
    }
    #[inline(always)]
    fn put(self, _old: u64) -> u64 {
        self.to_bits()
    }
    #[inline(always)]
    fn is_finite(self) -> bool {
        Self::is_finite(self)
    }
    #[inline(always)]
    fn is_ordinary(self) -> bool {
        (self.to_bits() >> 52 & 0x7ff).wrapping_sub(2) < 0x7fd
    }
}

impl Number for f32 {
    const FORMAT: FloatFormat = FloatFormat::Single;
    #[inline(always)]
    fn get(bits: u64) -> Self {
        Self::from_bits(bits as u32)
    }
    #[inline(always)]
    fn put(self, old: u64) -> u64 {
        old & !LOW | u64::from(self.to_bits())
    }
    #[inline(always)]
    fn is_finite(self) -> bool {
        Self::is_finite(self)
    }
    #[inline(always)]
    fn is_ordinary(self) -> bool {
        (self.to_bits() >> 23 & 0xff).wrapping_sub(2) < 0xfd
    }
}

/// Computes an operation exactly, by software, and writes the result.
#[cold]
#[inline(never)]
fn exactly(
    core: &mut Cpu,
    op: &Operation,
    rest: &[Operation],
    kind: FloatOperation,
    format: FloatFormat,
) -> Exit {
    let operands = [op.a, op.b, op.c].map(|r| core.registers[r]);
    let is_word = match kind {
        FloatOperation::RoundW
        | FloatOperation::TruncW
        | FloatOperation::CeilW
        | FloatOperation::FloorW
        | FloatOperation::CvtW => true,
        _ => kind.target(format) == Some(FloatFormat::Single),
    };
    match core.float.compute(kind, format, operands) {
        Ok(bits) if is_word => core.registers[op.d] = core.registers[op.d] & !LOW | bits & LOW,
        Ok(bits) => core.registers[op.d] = bits,
        Err(trapped) => return stop(core, rest, Exception::Float(trapped.0)),
    }
    next(core, rest)
}

macro_rules! arithmetic {
    ($($single:ident $double:ident $kind:ident = |$a:ident, $b:ident| $value:expr, $result:ident if $fine:expr;)*) => {$(
        arithmetic!(@one $single f32 $kind $a $b ($value) $result ($fine));
        arithmetic!(@one $double f64 $kind $a $b ($value) $result ($fine));
    )*};
    (@one $name:ident $number:ident $kind:ident $a:ident $b:ident ($value:expr) $result:ident ($fine:expr)) => {
        pub(super) fn $name(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
            let bits = (core.registers[op.a], core.registers[op.b]);
            let ($a, $b) = (<$number as Number>::get(bits.0), <$number as Number>::get(bits.1));
            let $result: $number = $value;
            if core.float.is_plain() && $fine {
                core.float.defer(FloatOperation::$kind, <$number as Number>::FORMAT, [bits.0, bits.1, 0]);
                core.registers[op.d] = Number::put($result, core.registers[op.d]);
                return next(core, rest);
            }
            exactly(core, op, rest, FloatOperation::$kind, <$number as Number>::FORMAT)
        }
    };
}

arithmetic! {
    // A sum in the subnormal range is exact.
    add_s add_d Add = |a, b| a + b, sum if Number::is_finite(sum);
    sub_s sub_d Sub = |a, b| a - b, sum if Number::is_finite(sum);
    mul_s mul_d Mul = |a, b| a * b, product
        if product.is_ordinary() || product == 0.0 && (a == 0.0 || b == 0.0);
    div_s div_d Div = |a, b| a / b, quotient if quotient.is_ordinary();
    sqrt_s sqrt_d Sqrt = |a, _b| a.sqrt(), root if root.is_ordinary();
}

macro_rules! sums_of_products {
    ($($single:ident $double:ident $kind:ident = |$p:ident, $c:ident| $value:expr;)*) => {$(
        sums_of_products!(@one $single f32 $kind $p $c ($value));
        sums_of_products!(@one $double f64 $kind $p $c ($value));
    )*};
    (@one $name:ident $number:ident $kind:ident $p:ident $c:ident ($value:expr)) => {
        pub(super) fn $name(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
            let bits = [op.a, op.b, op.c].map(|r| core.registers[r]);
            let [a, b, $c] = bits.map(<$number as Number>::get);
            let $p = a * b;
            let result: $number = $value;
            let is_product_fine = $p.is_ordinary() || $p == 0.0 && (a == 0.0 || b == 0.0);
            if core.float.is_plain() && is_product_fine && Number::is_finite(result) {
                core.float.defer(FloatOperation::$kind, <$number as Number>::FORMAT, bits);
                core.registers[op.d] = Number::put(result, core.registers[op.d]);
                return next(core, rest);
            }
            exactly(core, op, rest, FloatOperation::$kind, <$number as Number>::FORMAT)
        }
    };
}

sums_of_products! {
    madd_s madd_d Madd = |product, c| product + c;
    msub_s msub_d Msub = |product, c| product - c;
    nmadd_s nmadd_d Nmadd = |product, c| -(product + c);
    nmsub_s nmsub_d Nmsub = |product, c| -(product - c);
}

macro_rules! slow {
    ($($name:ident = $kind:ident $format:ident;)*) => {$(
        pub(super) fn $name(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
            exactly(core, op, rest, FloatOperation::$kind, FloatFormat::$format)
        }
    )*};
}

slow! {
    recip_s = Recip Single;
    recip_d = Recip Double;
    rsqrt_s = Rsqrt Single;
    rsqrt_d = Rsqrt Double;
    round_l_s = RoundL Single;
    round_l_d = RoundL Double;
    trunc_l_s = TruncL Single;
    ceil_l_s = CeilL Single;
    ceil_l_d = CeilL Double;
    floor_l_s = FloorL Single;
    floor_l_d = FloorL Double;
    round_w_s = RoundW Single;
    round_w_d = RoundW Double;
    trunc_w_s = TruncW Single;
    ceil_w_s = CeilW Single;
    ceil_w_d = CeilW Double;
    floor_w_s = FloorW Single;
    floor_w_d = FloorW Double;
    cvt_w_s = CvtW Single;
    cvt_w_d = CvtW Double;
    cvt_l_s = CvtL Single;
    cvt_l_d = CvtL Double;
    cvt_s_w = SFromW Single;
    cvt_s_l = SFromL Single;
}

macro_rules! conversions {
    ($($name:ident $kind:ident = |$bits:ident, $old:ident| $value:expr;)*) => {$(
        /// Converts a number as the native machine does, where that may; no value means the exact way.
        pub(super) fn $name(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
            let ($bits, $old) = (core.registers[op.a], core.registers[op.d]);
            let value: Option<u64> = $value;
            if let (true, Some(value)) = (core.float.is_plain(), value) {
                core.float.defer(FloatOperation::$kind, FloatFormat::Double, [$bits, 0, 0]);
                core.registers[op.d] = value;
                return next(core, rest);
            }
            exactly(core, op, rest, FloatOperation::$kind, FloatFormat::Double)
        }
    )*};
}

conversions! {
    trunc_w_d TruncW = |bits, old| {
        let value = f64::from_bits(bits);
        (value.abs() < 2147483648.0).then_some(old & !LOW | value as i32 as u64 & LOW)
    };
    trunc_l_d TruncL = |bits, _old| {
        let value = f64::from_bits(bits);
        (value.abs() < 9223372036854775808.0).then_some(value as i64 as u64)
    };
    cvt_s_d SFromD = |bits, old| {
        let value = f64::from_bits(bits);
        let single = value as f32;
        (single.is_ordinary() || value == 0.0).then(|| single.put(old))
    };
    cvt_d_s DFromS = |bits, _old| {
        let value = f32::from_bits(bits as u32);
        value.is_finite().then(|| f64::from(value).to_bits())
    };
    cvt_d_w DFromW = |bits, _old| Some(f64::from(bits as i32).to_bits());
    cvt_d_l DFromL = |bits, _old| Some((bits as i64 as f64).to_bits());
}

macro_rules! comparisons {
    ($($name:ident $format:ident;)*) => {$(
        /// Compares two numbers; the immediate is the relation.
        pub(super) fn $name(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
            let (a, b) = (core.registers[op.a], core.registers[op.b]);
            match core.float.compare(FloatFormat::$format, op.imm as u8, a, b) {
                Ok(holds) => core.registers[op.d] = u64::from(holds),
                Err(trapped) => return stop(core, rest, Exception::Float(trapped.0)),
            }
            next(core, rest)
        }
    )*};
}

comparisons! {
    compare_s Single;
    compare_d Double;
}

macro_rules! bits {
    ($($name:ident = |$a:ident, $old:ident| $value:expr;)*) => {$(
        pub(super) fn $name(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
            let ($a, $old) = (core.registers[op.a], core.registers[op.d]);
            core.registers[op.d] = $value;
            next(core, rest)
        }
    )*};
}

bits! {
    mov_s = |a, old| old & !LOW | a & LOW;
    abs_s = |a, old| old & !LOW | a & LOW >> 1;
    neg_s = |a, old| old & !LOW | (a ^ 1 << 31) & LOW;
    abs_d = |a, _old| a & u64::MAX >> 1;
    neg_d = |a, _old| a ^ 1 << 63;
    mfc1 = |a, _old| a as i32 as u64;
    mfhc1 = |a, _old| (a >> 32) as i32 as u64;
    mthc1 = |a, old| old & LOW | a << 32;
}

macro_rules! single_moves {
    ($($name:ident = |$b:ident| $holds:expr;)*) => {$(
        pub(super) fn $name(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
            let $b = core.registers[op.b];
            if $holds {
                core.registers[op.d] = core.registers[op.d] & !LOW | core.registers[op.a] & LOW;
            }
            next(core, rest)
        }
    )*};
}

single_moves! {
    movz_s = |b| b == 0;
    movn_s = |b| b != 0;
}

/// Executes `cfc1`: copies a control register of the FPU to `d`; the immediate is the number of the control register.
pub(super) fn cfc1(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
    let fcsr = core.fcsr();
    let value = match op.imm {
        0 => Cpu::FIR,
        25 => fcsr >> 24 & 0xfe | fcsr >> 23 & 1,
        26 => fcsr & 0x0003_f07c,
        28 => fcsr & 0x0000_0f83 | fcsr >> 22 & 4,
        31 => fcsr,
        _ => return stop(core, rest, Exception::Reserved(0x4440_0000)),
    };
    core.registers[op.d] = value as i32 as u64;
    next(core, rest)
}

/// Executes `ctc1`: writes `a` to a control register of the FPU; the immediate is the number of the control register.
pub(super) fn ctc1(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
    let (fcsr, value) = (core.fcsr(), core.registers[op.a] as u32);
    let new = match op.imm {
        0 => fcsr,
        25 => fcsr & 0x017f_ffff | (value & 0xfe) << 24 | (value & 1) << 23,
        26 => fcsr & !0x0003_f07c | value & 0x0003_f07c,
        28 => fcsr & !0x0100_0f83 | value & 0x0000_0f83 | (value & 4) << 22,
        31 => value,
        _ => return stop(core, rest, Exception::Reserved(0x44c0_0000)),
    };
    if let Err(exception) = core.set_fcsr(new) {
        return stop(core, rest, exception);
    }
    next(core, rest)
}
