//! The float unit: single precision on integers with the CP2 rules for denormals, NaN and flags.
//! How operations are composed of its steps is in the modules of the operations.

use super::unit::FloatUnit;
use super::{Flags, Rounding, word};

pub(super) const SIGN: u32 = 1 << 31;
pub(super) const INFINITY: u32 = 0x7f80_0000;
/// Bits of every NaN result. [L] 4.1
pub(super) const NAN: u32 = 0x7fff_ffff;
pub(super) const ONE: u32 = 0x3f80_0000;
/// Exponent field of 1.0, the bias of exponents.
pub(super) const BIAS: i32 = 127;
const MAX: u32 = 0x7f7f_ffff;
const MIN_NORMAL: u32 = 0x0080_0000;
const HIDDEN: u32 = 1 << 23;

/// Position of the leading bit of a significand that is to be rounded.
const LEAD: u32 = 62;
/// Number of low bits that rounding removes from a significand whose leading bit is at `LEAD`.
const TAIL: u32 = LEAD - 23;

/// Float unit of one section during one operation, which rounds each step and gathers the flags of all.
pub(super) struct Fpu {
    rounding: Rounding,
    flags: Flags,
    /// Amounts that rounding adds below the last kept bit of a positive and of a negative number.
    increments: [u64; 2],
    /// 1 if rounding also adds the last kept bit, so that ties go to even.
    tie: u64,
}

/// Returns a value as the unit reads it: a denormal is zero. [L] 4.1
#[inline]
pub(super) fn flushed(x: u32) -> u32 {
    if x & INFINITY == 0 { x & SIGN } else { x }
}

/// Whether a value is an infinity or NaN.
#[inline]
pub(super) fn is_special(x: u32) -> bool {
    x & INFINITY == INFINITY
}

/// Whether a value is neither zero, denormal, infinite nor NaN.
#[inline]
fn is_normal(x: u32) -> bool {
    (x & !SIGN).wrapping_sub(MIN_NORMAL) < INFINITY - MIN_NORMAL
}

#[inline]
pub(super) fn is_nan(x: u32) -> bool {
    x & !SIGN > INFINITY
}

#[inline]
pub(super) fn is_zero(x: u32) -> bool {
    x & !SIGN == 0
}

/// Returns the exponent field.
#[inline]
pub(super) fn exponent(x: u32) -> i32 {
    (x >> 23 & 0xff) as i32
}

/// Returns the 24-bit significand of a normal number.
#[inline]
pub(super) fn significand(x: u32) -> u64 {
    u64::from(x & (HIDDEN - 1) | HIDDEN)
}

impl Fpu {
    #[inline]
    pub(super) fn new(rounding: Rounding) -> Self {
        const ALL: u64 = (1 << TAIL) - 1;
        const HALF: u64 = ALL >> 1;
        let (increments, tie) = match rounding {
            Rounding::Nearest => ([HALF, HALF], 1),
            Rounding::Zero => ([0, 0], 0),
            Rounding::Up => ([ALL, 0], 0),
            Rounding::Down => ([0, ALL], 0),
        };
        Self { rounding, flags: Flags::empty(), increments, tie }
    }

    /// Returns the exceptions so far; with V only V and E are kept. [L] 4.2
    #[inline]
    pub(super) fn flags(&self) -> Flags {
        cp2_isa::rules::flags::raised_of(self.flags)
    }

    #[inline]
    pub(super) fn raise(&mut self, flags: Flags) {
        self.flags |= flags;
    }

    /// Raises Invalid, and returns the result of an invalid operation.
    pub(super) fn invalid(&mut self) -> u32 {
        self.raise(Flags::V);
        NAN
    }

    /// Reads an operand: a denormal becomes a zero of its sign, and raises E.
    #[inline]
    pub(super) fn read(&mut self, x: u32) -> u32 {
        if (x & !SIGN).wrapping_sub(1) < MIN_NORMAL - 1 {
            self.raise(Flags::E);
        }
        flushed(x)
    }

    /// Reads an operand that only flags depend on.
    pub(super) fn look_at(&mut self, x: u32) {
        if is_nan(self.read(x)) {
            self.raise(Flags::V);
        }
    }

    /// Rounds away the low `tail` bits of a magnitude.
    #[inline]
    fn rounded(&self, sign: u32, magnitude: u64, tail: u32) -> u64 {
        let increment = self.increments[(sign >> 31) as usize] >> (TAIL - tail);
        (magnitude + increment + (magnitude >> tail & self.tie)) >> tail
    }

    /// Rounds and packs `significand / 2^62 * 2^(exponent - 127)`; bit 62 is the leading one, and
    /// the lowest bit may stand for everything below it.
    #[inline]
    pub(super) fn pack(&mut self, sign: u32, exponent: i32, significand: u64) -> u32 {
        let kept = self.rounded(sign, significand, TAIL) as u32;
        // The exponent is not bounded yet, so tininess is seen after rounding. [L] 4.1
        let rounded_exponent = exponent + (kept >> 24) as i32;
        if !(1..=254).contains(&rounded_exponent) {
            return self.out_of_range(sign, rounded_exponent);
        }
        if significand & ((1 << TAIL) - 1) != 0 {
            self.raise(Flags::I);
        }
        // The hidden bit, or the carry of the rounding, completes the exponent.
        sign | (((exponent - 1) as u32) << 23).wrapping_add(kept)
    }

    #[cold]
    fn out_of_range(&mut self, sign: u32, exponent: i32) -> u32 {
        let away = match self.rounding {
            Rounding::Nearest => exponent > 0,
            Rounding::Zero => false,
            Rounding::Up => sign == 0,
            Rounding::Down => sign != 0,
        };
        let magnitude = if exponent > 0 {
            self.raise(Flags::O | Flags::I);
            if away { INFINITY } else { MAX }
        } else {
            self.raise(Flags::U | Flags::I);
            if away { MIN_NORMAL } else { 0 }
        };
        sign | magnitude
    }

    /// Returns `value / 2^fraction_bits`, rounded; zero is positive.
    #[inline]
    pub(super) fn float_from_fixed(&mut self, value: i64, fraction_bits: i32) -> u32 {
        let magnitude = value.unsigned_abs();
        if magnitude == 0 {
            return 0;
        }
        let shift = magnitude.leading_zeros() as i32 - 1;
        let sign = if value < 0 { SIGN } else { 0 };
        self.pack(sign, BIAS + LEAD as i32 - shift - fraction_bits, magnitude << shift)
    }

    /// Returns the sum `a + b`, rounded.
    #[inline]
    pub(super) fn add(&mut self, a: u32, b: u32) -> u32 {
        if !(is_normal(a) & is_normal(b)) {
            return self.add_unusual(a, b);
        }
        let (a, b) = if a << 1 >= b << 1 { (a, b) } else { (b, a) };
        // Bit 61 leads, so a carry stays below bit 63 and 38 bits lie under the smaller number.
        const ROOM: u32 = LEAD - 1 - 23;
        let large = significand(a) << ROOM;
        let small = significand(b) << ROOM;
        let gap = (exponent(a) - exponent(b)) as u32;
        // Further down it cannot reach the tie, and only that something is left counts.
        let small = if gap <= ROOM { small >> gap } else { 1 };
        let sum = if (a ^ b) & SIGN == 0 { large + small } else { large - small };
        if sum == 0 {
            return self.zero_sum(a, b);
        }
        let shift = sum.leading_zeros() as i32 - 1;
        self.pack(a & SIGN, exponent(a) + 1 - shift, sum << shift)
    }

    /// Returns the difference `a - b`, rounded.
    #[inline]
    pub(super) fn sub(&mut self, a: u32, b: u32) -> u32 {
        self.add(a, b ^ SIGN)
    }

    /// Returns the sum of two numbers of which one is zero, denormal, infinite or NaN.
    #[inline(never)]
    fn add_unusual(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.read(a), self.read(b));
        let opposite = is_special(a) && is_special(b) && a != b;
        if is_nan(a) || is_nan(b) || opposite {
            self.invalid()
        } else if is_zero(a) && is_zero(b) {
            self.zero_sum(a, b)
        } else if is_special(a) || is_zero(b) {
            a
        } else {
            b
        }
    }

    fn zero_sum(&self, a: u32, b: u32) -> u32 {
        if self.rounding == Rounding::Down { (a | b) & SIGN } else { a & b & SIGN }
    }

    /// Returns the product `a * b`, rounded.
    #[inline]
    pub(super) fn mul(&mut self, a: u32, b: u32) -> u32 {
        if !(is_normal(a) & is_normal(b)) {
            return self.mul_unusual(a, b);
        }
        let product = significand(a) * significand(b);
        // The product of two leading ones stands at bit 46.
        let shift = product.leading_zeros() as i32 - 1;
        let exponent = exponent(a) + exponent(b) - BIAS + (LEAD as i32 - 46) - shift;
        self.pack((a ^ b) & SIGN, exponent, product << shift)
    }

    /// Returns the product of two numbers of which one is zero, denormal, infinite or NaN.
    #[inline(never)]
    fn mul_unusual(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.read(a), self.read(b));
        let zero = is_zero(a) || is_zero(b);
        let special = is_special(a) || is_special(b);
        if is_nan(a) || is_nan(b) || zero && special {
            return self.invalid();
        }
        (a ^ b) & SIGN | if special { INFINITY } else { 0 }
    }

    /// Returns the magnitude of `x` with the sign of `sign`, as arithmetic: denormals are flushed, and NaN is invalid.
    #[inline]
    fn with_sign(&mut self, x: u32, sign: u32) -> u32 {
        let x = self.read(x);
        if is_nan(x) { self.invalid() } else { x & !SIGN | sign & SIGN }
    }

    /// Returns a number negated.
    #[inline]
    pub(super) fn neg(&mut self, x: u32) -> u32 {
        self.with_sign(x, !x)
    }

    /// Returns the magnitude of a number.
    #[inline]
    pub(super) fn abs(&mut self, x: u32) -> u32 {
        self.with_sign(x, 0)
    }

    /// Returns the magnitude of `x` with the sign of `y`; a NaN in either is invalid. [L] 3
    #[inline]
    pub(super) fn copysign(&mut self, x: u32, y: u32) -> u32 {
        let y = self.read(y);
        let result = self.with_sign(x, y);
        if is_nan(y) { self.invalid() } else { result }
    }

    /// Returns a number unchanged, as arithmetic reads it and writes it.
    #[inline]
    pub(super) fn canonicalize(&mut self, x: u32) -> u32 {
        self.with_sign(x, x)
    }

    /// Converts an integer to a float.
    #[inline]
    pub(super) fn float_from_int(&mut self, x: i32) -> u32 {
        self.float_from_fixed(i64::from(x), 0)
    }

    /// Converts a float to an integer; out of range or NaN gives 0x7fffffff. [L] 3
    pub(super) fn int_from_float(&mut self, x: u32) -> u32 {
        const MIN_INT: u32 = 0xcf00_0000;
        const FRACTION: u32 = 32;
        let x = self.read(x);
        let power = exponent(x) - BIAS;
        if is_zero(x) {
            return 0;
        }
        if x == MIN_INT {
            return 1 << 31;
        }
        if power >= 31 {
            return self.invalid();
        }
        // 32 fraction bits hold all of the significand down to 2^-9; below that it only breaks ties.
        let fixed = significand(x) << 9;
        let fixed = if power >= 0 { fixed << power } else { shift_sticky(fixed, -power) };
        if fixed & ((1 << FRACTION) - 1) != 0 {
            self.raise(Flags::I);
        }
        let magnitude = self.rounded(x, fixed, FRACTION) as u32;
        if x & SIGN == 0 { magnitude } else { magnitude.wrapping_neg() }
    }

    /// Returns `x * 2^power`; the low 9 bits of `power` are a signed integer. [L] 3
    #[inline]
    pub(super) fn scale(&mut self, x: u32, power: u32) -> u32 {
        let x = self.read(x);
        let power = (power << 23) as i32 >> 23;
        if is_nan(x) {
            self.invalid()
        } else if is_special(x) || is_zero(x) {
            x
        } else {
            self.pack(x & SIGN, exponent(x) + power, significand(x) << TAIL)
        }
    }

    /// Returns the unbiased exponent, -127 for zero. For infinity and NaN returns `None` and raises V.
    #[inline]
    pub(super) fn unbiased_exponent(&mut self, x: u32) -> Option<i32> {
        let x = self.read(x);
        if is_special(x) {
            self.raise(Flags::V);
            return None;
        }
        Some(exponent(x) - BIAS)
    }

    /// Returns the significand in [1, 2) with the sign, a zero itself; infinity and NaN are invalid.
    #[inline]
    pub(super) fn signed_significand(&mut self, x: u32) -> u32 {
        let x = self.read(x);
        if is_special(x) {
            self.invalid()
        } else if is_zero(x) {
            x
        } else {
            x & !INFINITY | ONE
        }
    }
}

/// Shifts right; the lowest bit of the result also stands for what was shifted out.
fn shift_sticky(x: u64, count: i32) -> u64 {
    let count = count.min(63);
    x >> count | u64::from(x & ((1 << count) - 1) != 0)
}

impl FloatUnit for Fpu {
    type Half = u32;
    type Word = u64;

    #[inline]
    fn hi(word: u64) -> u32 {
        word::hi(word)
    }

    #[inline]
    fn lo(word: u64) -> u32 {
        word::lo(word)
    }

    #[inline]
    fn join(hi: u32, lo: u32) -> u64 {
        word::join(hi, lo)
    }

    #[inline]
    fn constant(bits: u32) -> u32 {
        bits
    }

    #[inline]
    fn flipped(x: u32) -> u32 {
        x ^ SIGN
    }

    #[inline]
    fn add(&mut self, a: u32, b: u32) -> u32 {
        Self::add(self, a, b)
    }

    #[inline]
    fn sub(&mut self, a: u32, b: u32) -> u32 {
        Self::sub(self, a, b)
    }

    #[inline]
    fn mul(&mut self, a: u32, b: u32) -> u32 {
        Self::mul(self, a, b)
    }

    #[inline]
    fn neg(&mut self, x: u32) -> u32 {
        Self::neg(self, x)
    }

    #[inline]
    fn abs(&mut self, x: u32) -> u32 {
        Self::abs(self, x)
    }

    #[inline]
    fn copysign(&mut self, x: u32, y: u32) -> u32 {
        Self::copysign(self, x, y)
    }

    #[inline]
    fn canonicalize(&mut self, x: u32) -> u32 {
        Self::canonicalize(self, x)
    }
}
