//! Elementary functions and argument reduction as steps on 256-bit values. Common operands are worked off here, with their
//! flags; where an operation would raise more than I, or has an operand that is NaN, denormal or not in its domain, a
//! comparison raises an exception of the native machine, and the engine takes the steps back.
//!
//! A function works on one number in the low half of every section; the high half is zero.

use super::operands::{Lowering, Operands, Results};
use crate::abi::context::FUNCTIONS;
use crate::abi::tables::{C1_AT, C2_BITS, Curve};
use crate::ir::builder::{HIGH, LOW, SIGN_LOW, SIGNS};
use crate::ir::instruction::{Ins, Value};
use cp2_isa::{Arith, Inst};
use iced_x86::{Code, Register};

const ONE: u32 = 0x3f80_0000;
const TWO: u32 = 0x4000_0000;
const INFINITY: u32 = 0x7f80_0000;
const MIN_NORMAL: u32 = 0x0080_0000;
const SIGN: u32 = 1 << 31;
const HALF_PI: u32 = 0x3fc9_0fdb;
const TWO_OVER_PI: u32 = 0x3f22_f983;
const LOG2_E: u32 = 0x3fb8_aa3b;
const SQRT_2: u32 = 0x3fb5_04f3;

/// Number of bits of the argument of a table.
const ARGUMENT_BITS: u32 = 24;
/// 2^24 as a float.
const ARGUMENT_UNIT: u32 = 0x4b80_0000;
/// Number of low bits of an argument that tell a place within a row.
const PLACE_BITS: u8 = 17;

/// Mode of `vroundps` that rounds to nearest and raises nothing.
const TO_NEAREST: u8 = 0x08;
/// Mode of `vroundps` that rounds toward zero and raises nothing.
const TOWARD_ZERO: u8 = 0x0b;

/// Returns the same word in both halves.
fn both(word: u32) -> u64 {
    u64::from(word) << 32 | u64::from(word)
}

/// Returns a number with this biased exponent and no fraction; or what such an exponent adds.
const fn exponent(biased: u32) -> u32 {
    biased << 23
}

/// Format of a table: where its value stands in the 64 bits of its quadratic. It depends on the table alone: each has its
/// values in [1, 2) or in [1/2, 1), which a test of the tables holds.
#[derive(Clone, Copy, Debug)]
struct Format {
    /// Number of bits below the last one of the result.
    dropped: u8,
    /// Summand of the significand, whose leading one counts as an exponent too.
    exponent: u32,
}

/// Format of tables with values from 1 to 2.
const FROM_ONE: Format = Format { dropped: 35, exponent: exponent(126) };
/// Format of tables with values from 1/2 to 1.
const FROM_HALF: Format = Format { dropped: 34, exponent: exponent(125) };

impl Format {
    /// Returns the quadratic's value for a result at 0; its last bit stands for I.
    fn fixed(self, result: u32) -> u64 {
        u64::from(result - self.exponent) << self.dropped | 1
    }

    /// Returns the shift that moves all bits on which I depends to the top: the dropped ones and the last one kept.
    fn up(self) -> u8 {
        63 - self.dropped
    }
}

/// Function: its table, the format of the table, and the result at 0.
type Function = (Curve, Format, u32);

impl Lowering<'_> {
    /// Makes the steps of an elementary function or an argument reduction; `None` for other operations.
    pub(crate) fn lower_elementary(&mut self, inst: &Inst<Arith>, x: &Operands) -> Option<Results> {
        use Arith as A;
        let [to, from, ..] = inst.values;
        let s = x.s;
        let result = match inst.op {
            A::Recip => self.recip(s, from),
            A::Rsqrt => self.rsqrt(s, from),
            A::Log2c => self.log2c(s, from),
            A::Exp2 => self.exp2(s, from),
            A::Sinc => {
                // The other half has flags too.
                self.b.check(&[s]);
                self.even_function(s, from, (Curve::Sinc, FROM_ONE, HALF_PI))
            }
            A::Atanc => self.even_function(s, from, (Curve::Atanc, FROM_HALF, TWO_OVER_PI)),
            A::Rrsin => return Some(Results::d(self.reduced(s, 0, SIGNS))),
            A::Rrcos => return Some(Results::d(self.reduced(s, 1 << 32 | 1, 0))),
            A::Rrcossin => {
                let both = self.b.low(s);
                return Some(Results::d(self.reduced(both, 1 << 32, SIGN_LOW)));
            }
            A::Rrlog2 => return Some(Results::dq(self.parts(s))),
            _ => return None,
        };
        let is_high = to & 1 == 1;
        let placed =
            if is_high { self.b.shift(Code::VEX_Vpsllq_ymm_ymm_imm8, result, 32) } else { result };
        Some(Results::d(placed))
    }

    /// Returns a constant: a word in the low half of every section, zero in the high one.
    fn word(&mut self, word: u32) -> Value {
        self.b.constant(word.into())
    }

    /// Returns the operand of a function, in the low half.
    fn operand(&mut self, s: Value, from: i32) -> Value {
        if from & 1 == 1 {
            self.b.shift(Code::VEX_Vpsrlq_ymm_ymm_imm8, s, 32)
        } else {
            let zero = self.b.constant(0);
            self.b.blend(s, zero, HIGH)
        }
    }

    fn sum(&mut self, a: Value, b: Value) -> Value {
        self.b.binary(Code::VEX_Vpaddd_ymm_ymm_ymmm256, a, b)
    }

    fn difference(&mut self, a: Value, b: Value) -> Value {
        self.b.binary(Code::VEX_Vpsubd_ymm_ymm_ymmm256, a, b)
    }

    fn masked(&mut self, x: Value, mask: u32) -> Value {
        let mask = self.word(mask);
        self.b.and(x, mask)
    }

    /// Returns the mask of the sections in which two values are the same as a whole.
    fn equal(&mut self, a: Value, b: Value) -> Value {
        self.b.binary(Code::VEX_Vpcmpeqq_ymm_ymm_ymmm256, a, b)
    }

    /// Raises an exception of the native machine if a word is not in a range.
    fn demand(&mut self, x: Value, range: std::ops::RangeInclusive<u32>) {
        // Seen from the least signed number, one comparison tells.
        let (first, last) = (*range.start(), *range.end());
        let shift = self.word(SIGN.wrapping_sub(first));
        let most = self.word(SIGN + (last - first));
        let from_first = self.sum(x, shift);
        let outside = self.b.binary(Code::VEX_Vpcmpgtd_ymm_ymm_ymmm256, from_first, most);
        self.b.check(&[outside]);
    }

    /// Raises an exception of the native machine if a word is above another one; both are signed.
    fn demand_not_above(&mut self, x: Value, most: Value) {
        let above = self.b.binary(Code::VEX_Vpcmpgtd_ymm_ymm_ymmm256, x, most);
        self.b.check(&[above]);
    }

    /// Returns the argument of a table for a number in [1, 2), from its fraction.
    fn above_one(&mut self, x: Value) -> Value {
        let doubled = self.b.shift(Code::VEX_Vpslld_ymm_ymm_imm8, x, 1);
        self.masked(doubled, (1 << ARGUMENT_BITS) - 1)
    }

    /// Returns the quadratic of a row at an argument, and `at_zero` for the argument 0.
    fn quadratic(&mut self, curve: Curve, row: Value, t: Value, at_zero: Value) -> Value {
        let product = Code::VEX_Vpmuldq_ymm_ymm_ymmm256;
        self.b.load64(Register::RAX, FUNCTIONS);
        let coefficients = self.b.fresh();
        let displacement = curve.displacement();
        self.b.ins.push(Ins::Gather {
            d: coefficients,
            base: Register::RAX,
            index: row,
            displacement,
        });
        let place = self.masked(t, (1 << PLACE_BITS) - 1);
        let zero = self.b.constant(0);
        // c0 is the high half as it stands; c1 begins the low one, c2 ends it.
        let c0 = self.b.blend(coefficients, zero, LOW);
        let down = Code::VEX_Vpsrad_ymm_ymm_imm8;
        let c1 = self.b.shift(down, coefficients, C1_AT);
        let c2_up = self.b.shift(Code::VEX_Vpslld_ymm_ymm_imm8, coefficients, 32 - C2_BITS);
        let c2 = self.b.shift(down, c2_up, 32 - C2_BITS);
        let first = self.b.binary(product, c1, place);
        let first = self.b.shift(Code::VEX_Vpsllq_ymm_ymm_imm8, first, 18);
        let second = self.b.binary(product, c2, place);
        let second = self.b.binary(product, second, place);
        let add = Code::VEX_Vpaddq_ymm_ymm_ymmm256;
        let sum = self.b.binary(add, first, c0);
        let sum = self.b.binary(add, sum, second);
        let is_zero = self.equal(t, zero);
        self.b.select(sum, at_zero, is_zero)
    }

    /// Returns the quadratic of a table, with a result of its own at 0.
    fn evaluate(&mut self, (curve, format, at_zero): Function, t: Value) -> Value {
        let row = self.b.shift(Code::VEX_Vpsrlq_ymm_ymm_imm8, t, PLACE_BITS);
        let at_zero = self.b.constant(format.fixed(at_zero));
        self.quadratic(curve, row, t, at_zero)
    }

    /// Returns the float of a quadratic, its exponent given.
    fn single(&mut self, value: Value, format: Format, exponent: Value) -> Value {
        let kept = self.b.shift(Code::VEX_Vpsrlq_ymm_ymm_imm8, value, format.dropped);
        let result = self.sum(kept, exponent);
        self.b.set_clean(result);
        result
    }

    /// Returns the bits of a quadratic on which I depends, not zero if it is raised.
    fn doubt(&mut self, value: Value, format: Format) -> Value {
        self.b.shift(Code::VEX_Vpsllq_ymm_ymm_imm8, value, format.up())
    }

    /// Raises Inexact of the native machine where bits are not zero, but for sections that are exempt.
    fn raise_inexact(&mut self, doubt: Value, exempt: Option<Value>) {
        let bits = match exempt {
            Some(exempt) => self.b.binary(Code::VEX_Vandnps_ymm_ymm_ymmm256, exempt, doubt),
            None => doubt,
        };
        // 2^24 is a float, and 2^24 + 1 is none.
        let (one, even) = (self.b.constant(both(1)), self.b.constant(both(1 << 24)));
        let at_most_one = self.b.binary(Code::VEX_Vpminud_ymm_ymm_ymmm256, bits, one);
        let integer = self.b.or(at_most_one, even);
        self.b.unary(Code::VEX_Vcvtdq2ps_ymm_ymmm256, integer);
    }

    /// Returns `1 / x` for 2^-126 <= |x| < 2^126.
    fn recip(&mut self, s: Value, from: i32) -> Value {
        self.b.check(&[s]);
        let x = self.operand(s, from);
        let biased = self.masked(x, INFINITY);
        self.demand(biased, exponent(1)..=exponent(252));
        let t = self.above_one(x);
        let value = self.evaluate((Curve::Recip, FROM_HALF, ONE), t);
        // The exponent is 252 minus that of x; the sign goes through the difference.
        let sign_and_exponent = self.masked(x, SIGN | INFINITY);
        let middle = self.word(exponent(252));
        let exponent = self.difference(middle, sign_and_exponent);
        let doubt = self.doubt(value, FROM_HALF);
        let one = self.word(ONE);
        let is_one = self.equal(x, one);
        self.raise_inexact(doubt, Some(is_one));
        self.single(value, FROM_HALF, exponent)
    }

    /// Returns `1 / sqrt(x)` for positive normal numbers.
    fn rsqrt(&mut self, s: Value, from: i32) -> Value {
        let x = self.operand(s, from);
        self.demand(x, MIN_NORMAL..=INFINITY - 1);
        let t = self.above_one(x);
        // The last bit of the exponent chooses between the tables, which stand one behind the other.
        let top = self.b.shift(Code::VEX_Vpsrld_ymm_ymm_imm8, x, 16);
        let row = self.masked(top, 0xff);
        let is_odd = self.b.shift(Code::VEX_Vpsllq_ymm_ymm_imm8, x, 63 - 23);
        let [one, sqrt_2] = [ONE, SQRT_2].map(|at_zero| FROM_ONE.fixed(at_zero));
        let (one, sqrt_2) = (self.b.constant(one), self.b.constant(sqrt_2));
        let at_zero = self.b.select(sqrt_2, one, is_odd);
        let root = self.quadratic(Curve::Sqrt, row, t, at_zero);
        // The fraction of the root, twice, is the argument of its reciprocal.
        let doubled = self.b.shift(Code::VEX_Vpsrlq_ymm_ymm_imm8, root, FROM_ONE.dropped - 1);
        let t = self.masked(doubled, (1 << ARGUMENT_BITS) - 2);
        let value = self.evaluate((Curve::Recip, FROM_HALF, ONE), t);
        // The exponent of the root is that of x plus one, halved, plus 63.
        let unit = self.word(exponent(1));
        let next = self.sum(x, unit);
        let halved = self.b.shift(Code::VEX_Vpsrld_ymm_ymm_imm8, next, 1);
        let halved = self.masked(halved, INFINITY);
        let middle = self.word(exponent(125 + 64));
        let exponent = self.difference(middle, halved);
        let (of_root, of_value) = (self.doubt(root, FROM_ONE), self.doubt(value, FROM_HALF));
        let doubt = self.b.or(of_root, of_value);
        let one = self.word(ONE);
        let is_one = self.equal(x, one);
        self.raise_inexact(doubt, Some(is_one));
        self.single(value, FROM_HALF, exponent)
    }

    /// Returns `log2(x) / (x - 1)` on [1, 2).
    fn log2c(&mut self, s: Value, from: i32) -> Value {
        let x = self.operand(s, from);
        self.demand(x, ONE..=TWO - 1);
        let t = self.above_one(x);
        let value = self.evaluate((Curve::Log2c, FROM_ONE, LOG2_E), t);
        let doubt = self.doubt(value, FROM_ONE);
        self.raise_inexact(doubt, None);
        let exponent = self.word(FROM_ONE.exponent);
        self.single(value, FROM_ONE, exponent)
    }

    /// Returns `2^x` for -126 <= x < 128.
    fn exp2(&mut self, s: Value, from: i32) -> Value {
        let x = self.operand(s, from);
        // x in units of 2^-24: a positive one loses what is below, a negative one is rounded to nearest.
        let unit = self.word(ARGUMENT_UNIT);
        let scaled = self.b.mul(x, unit);
        let round = Code::VEX_Vroundps_ymm_ymmm256_imm8;
        let truncated = self.b.unary_imm(round, scaled, TOWARD_ZERO);
        let nearest = self.b.unary_imm(round, scaled, TO_NEAREST);
        let rounded = self.b.select_halves(truncated, nearest, x);
        // From 128 on, and for NaN, this raises Invalid.
        let fixed = self.b.unary(Code::VEX_Vcvttps2dq_ymm_ymmm256, rounded);
        let least = self.word((-126_i32 << ARGUMENT_BITS) as u32);
        self.demand_not_above(least, fixed);
        let t = self.masked(fixed, (1 << ARGUMENT_BITS) - 1);
        let value = self.evaluate((Curve::Exp2, FROM_ONE, ONE), t);
        let integer = self.b.shift(Code::VEX_Vpsrad_ymm_ymm_imm8, fixed, ARGUMENT_BITS as u8);
        let power = self.b.shift(Code::VEX_Vpslld_ymm_ymm_imm8, integer, 23);
        let bias = self.word(FROM_ONE.exponent);
        let exponent = self.sum(power, bias);
        let doubt = self.doubt(value, FROM_ONE);
        let whole = self.b.unary_imm(round, x, TOWARD_ZERO);
        let is_whole = self.equal(whole, x);
        self.raise_inexact(doubt, Some(is_whole));
        self.single(value, FROM_ONE, exponent)
    }

    /// Returns an even function of |x| <= 1, zero included.
    fn even_function(&mut self, s: Value, from: i32, function: Function) -> Value {
        let (_, format, _) = function;
        let x = self.operand(s, from);
        let magnitude = self.masked(x, !SIGN);
        let unit = self.word(ARGUMENT_UNIT);
        let scaled = self.b.mul(magnitude, unit);
        let truncated = self.b.unary_imm(Code::VEX_Vroundps_ymm_ymmm256_imm8, scaled, TOWARD_ZERO);
        // Large numbers and NaN raise Invalid here, those that are only above 1 in the comparison.
        let fixed = self.b.unary(Code::VEX_Vcvttps2dq_ymm_ymmm256, truncated);
        let most = self.word(1 << ARGUMENT_BITS);
        self.demand_not_above(fixed, most);
        // No row is read behind the table, whatever x is.
        let t = self.b.binary(Code::VEX_Vpminud_ymm_ymm_ymmm256, fixed, most);
        let value = self.evaluate(function, t);
        let doubt = self.doubt(value, format);
        let zero = self.b.constant(0);
        let is_zero = self.equal(magnitude, zero);
        self.raise_inexact(doubt, Some(is_zero));
        let exponent = self.word(format.exponent);
        self.single(value, format, exponent)
    }

    /// Reduces numbers to [-1, 1] for the sine of quarter turns, `ahead` quarters on, with the sign of x where `signs` has
    /// it. From 2^31 on, and for NaN, the conversion raises Invalid; for a denormal the difference raises its own.
    fn reduced(&mut self, x: Value, ahead: u64, signs: u64) -> Value {
        let positive = self.b.constant(!SIGNS);
        let magnitude = self.b.and(x, positive);
        let whole = self.b.unary_imm(Code::VEX_Vroundps_ymm_ymmm256_imm8, magnitude, TOWARD_ZERO);
        // A difference of zero is negative when rounding down.
        let rest = self.b.sub(magnitude, whole);
        let rest = self.b.and(rest, positive);
        let mut quarter = self.b.unary(Code::VEX_Vcvttps2dq_ymm_ymmm256, whole);
        if ahead != 0 {
            let ahead = self.b.constant(ahead);
            quarter = self.sum(quarter, ahead);
        }
        // 1 - rest in odd quarters, rest in even ones.
        let odd = self.b.shift(Code::VEX_Vpslld_ymm_ymm_imm8, quarter, 31);
        let is_odd = self.b.shift(Code::VEX_Vpsrad_ymm_ymm_imm8, odd, 31);
        let one = self.b.constant(both(ONE));
        let begin = self.b.and(is_odd, one);
        let signed_rest = self.b.xor(rest, odd);
        let value = self.b.add(begin, signed_rest);
        // The second half of a turn is negative.
        let mut sign = self.b.shift(Code::VEX_Vpslld_ymm_ymm_imm8, quarter, 30);
        if signs != 0 {
            let signs = self.b.constant(signs);
            let own = self.b.and(x, signs);
            sign = self.b.xor(sign, own);
        }
        let all = self.b.constant(SIGNS);
        let sign = self.b.and(sign, all);
        let result = self.b.xor(value, sign);
        self.b.set_clean(result);
        result
    }

    /// Returns significands in [1, 2) with their signs, and exponents as floats; for zero, zero itself and 0.
    fn parts(&mut self, s: Value) -> (Value, Value) {
        self.b.check(&[s]);
        let [positive, infinity, fraction, one, bias, zero] =
            [!SIGNS, both(INFINITY), both(!INFINITY), both(ONE), both(127), 0]
                .map(|word| self.b.constant(word));
        let compare = Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256;
        let magnitude = self.b.and(s, positive);
        let is_infinite = self.b.binary(compare, magnitude, infinity);
        self.b.check(&[is_infinite]);
        let is_zero = self.b.binary(compare, magnitude, zero);
        let kept = self.b.and(s, fraction);
        let significand = self.b.or(kept, one);
        let significand = self.b.select_halves(significand, s, is_zero);
        let biased = self.b.shift(Code::VEX_Vpsrld_ymm_ymm_imm8, magnitude, 23);
        let unbiased = self.difference(biased, bias);
        let exponent = self.b.unary(Code::VEX_Vcvtdq2ps_ymm_ymmm256, unbiased);
        let exponent = self.b.binary(Code::VEX_Vandnps_ymm_ymm_ymmm256, is_zero, exponent);
        self.b.set_clean(significand);
        self.b.set_clean(exponent);
        (significand, exponent)
    }
}
