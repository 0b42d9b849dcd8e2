//! Single steps by Berkeley SoftFloat with the CP2 rules of [L] 4.1 laid over it.
//!
//! SoftFloat is IEEE without flush. The wrapper's default specialization (8086-SSE) detects
//! tininess after rounding, as CP2 does, so its underflow flag marks the inexact tiny results and
//! a denormal result the exact ones; `rules::tininess_is_detected_after_rounding` checks the border
//! without SoftFloat.

use cp2_emu::arith::{Flags, Rounding};
use softfloat_wrapper::{ExceptionFlags, F32, F64, Float, RoundingMode};

const SIGN: u32 = 1 << 31;
pub(crate) const NAN: u32 = 0x7fff_ffff;

/// A float unit that rounds in one mode and gathers flags.
pub(crate) struct Soft {
    rounding: Rounding,
    flags: Flags,
}

impl Soft {
    pub(crate) fn new(rounding: Rounding) -> Self {
        Self { rounding, flags: Flags::empty() }
    }

    /// Returns the flags of all steps by the rule that V leaves only V and E.
    pub(crate) fn flags(&self) -> Flags {
        let kept = if self.flags.contains(Flags::V) { Flags::V | Flags::E } else { Flags::all() };
        self.flags & kept
    }

    fn mode(&self) -> RoundingMode {
        match self.rounding {
            Rounding::Nearest => RoundingMode::TiesToEven,
            Rounding::Zero => RoundingMode::TowardZero,
            Rounding::Up => RoundingMode::TowardPositive,
            Rounding::Down => RoundingMode::TowardNegative,
        }
    }

    fn operand(&mut self, x: u32) -> F32 {
        let denormal = f32::from_bits(x).is_subnormal();
        self.flags |= if denormal { Flags::E } else { Flags::empty() };
        F32::from_bits(if denormal { x & SIGN } else { x })
    }

    /// Runs a step and turns its IEEE result and flags into those of CP2.
    fn step(&mut self, f: impl FnOnce(RoundingMode) -> F32) -> u32 {
        let mut raised = ExceptionFlags::default();
        raised.set();
        let result = f(self.mode()).to_bits();
        raised.get();
        let value = f32::from_bits(result);
        if value.is_nan() {
            self.flags |= Flags::V;
            return NAN;
        }
        for (flag, on) in [
            (Flags::I, raised.is_inexact()),
            (Flags::O, raised.is_overflow()),
            (Flags::Z, raised.is_infinite()),
        ] {
            self.flags |= if on { flag } else { Flags::empty() };
        }
        if raised.is_underflow() || value.is_subnormal() { self.flushed(result) } else { result }
    }

    fn flushed(&mut self, result: u32) -> u32 {
        self.flags |= Flags::U | Flags::I;
        match (self.rounding, result & SIGN) {
            (Rounding::Up, 0) => 0x0080_0000,
            (Rounding::Down, SIGN) => 0x8080_0000,
            (_, sign) => sign,
        }
    }

    pub(crate) fn add(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.operand(a), self.operand(b));
        self.step(|mode| a.add(b, mode))
    }

    pub(crate) fn sub(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.operand(a), self.operand(b));
        self.step(|mode| a.sub(b, mode))
    }

    pub(crate) fn mul(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.operand(a), self.operand(b));
        self.step(|mode| a.mul(b, mode))
    }

    /// Rounds a double, in which every product with a power of two is exact, to single.
    pub(crate) fn single(&mut self, x: f64) -> u32 {
        self.step(|mode| F64::from_bits(x.to_bits()).to_f32(mode))
    }

    pub(crate) fn scale(&mut self, a: u32, power: i32) -> u32 {
        let a = self.operand(a).to_bits();
        self.single(f64::from(f32::from_bits(a)) * 2f64.powi(power))
    }

    pub(crate) fn float_from_int(&mut self, x: i32) -> u32 {
        self.step(|mode| F32::from_i32(x, mode))
    }

    pub(crate) fn int_from_float(&mut self, a: u32) -> u32 {
        let a = self.operand(a);
        let mut raised = ExceptionFlags::default();
        raised.set();
        let result = a.to_i32(self.mode(), true);
        raised.get();
        if raised.is_invalid() {
            self.flags |= Flags::V;
            return 0x7fff_ffff;
        }
        self.flags |= if raised.is_inexact() { Flags::I } else { Flags::empty() };
        result as u32
    }

    /// Executes a sign operation: `sign` of the operand's sign.
    pub(crate) fn with_sign(&mut self, a: u32, sign: impl FnOnce(u32) -> u32) -> u32 {
        let a = self.operand(a).to_bits();
        if f32::from_bits(a).is_nan() {
            self.flags |= Flags::V;
            return NAN;
        }
        a & !SIGN | sign(a & SIGN)
    }

    pub(crate) fn neg(&mut self, a: u32) -> u32 {
        self.with_sign(a, |sign| sign ^ SIGN)
    }
}

/// Compares by SoftFloat: -1, 0, 1, or none if unordered.
pub(crate) fn order(a: u32, b: u32) -> Option<std::cmp::Ordering> {
    let mut soft = Soft::new(Rounding::Nearest);
    soft.operand(a).compare(soft.operand(b))
}
