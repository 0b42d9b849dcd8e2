//! Makes the steps of a block: fresh values, constants, and short names for the native machine's
//! vector operations. Which steps an operation of CP2 needs is decided in `lowering`.

use crate::abi::context::Vector;
use crate::ir::instruction::{Base, Home, Ins, Part, Value};
use crate::known::SmallKeyMap;
use cp2_emu::state::Quad;
use iced_x86::{Code, Instruction};

/// Even lanes, for a blend: the low halves.
pub(crate) const LOW: u8 = 0x55;
/// Odd lanes, for a blend: the high halves.
pub(crate) const HIGH: u8 = 0xaa;
pub(crate) const SIGN_LOW: u64 = 1 << 31;
pub(crate) const SIGN_HIGH: u64 = 1 << 63;
pub(crate) const SIGNS: u64 = SIGN_LOW | SIGN_HIGH;
/// Predicate of a comparison: not ordered, raising Invalid for a quiet NaN too.
pub(crate) const UNORDERED_SIGNALS: u8 = 0x13;

/// Builder of the steps of a block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Builder {
    /// Parts of the block before the one at hand.
    pub(crate) parts: Vec<Part>,
    pub(crate) ins: Vec<Ins>,
    /// Home of each value that stands somewhere from the beginning; by value.
    pub(crate) homes: Vec<Option<Home>>,
    /// Constants of the block, each once.
    pub(crate) constants: Vec<Vector>,
    /// Values that are constant, by what they hold.
    known: SmallKeyMap<Quad, Value>,
    /// Whether no lane of a value is NaN or denormal, unless an exception was raised; by value.
    clean: Vec<bool>,
}

impl Builder {
    /// Ends the part at hand, which is run so many times and takes these pointers further each time, by number and words. The
    /// next part begins, in which there are no values yet.
    pub(crate) fn end_part(&mut self, times: u32, steps: Vec<(usize, i32)>) {
        let Self { parts, ins, homes, constants, .. } = std::mem::take(self);
        (self.parts, self.constants) = (parts, constants);
        self.parts.push(Part { ins, homes, times, steps });
    }

    /// Creates a value that a step will make.
    pub(crate) fn fresh(&mut self) -> Value {
        self.homes.push(None);
        self.clean.push(false);
        (self.homes.len() - 1) as Value
    }

    /// Creates the value that stands at a place of the context.
    pub(crate) fn at(&mut self, displacement: i32) -> Value {
        let value = self.fresh();
        self.homes[value as usize] = Some(Home::Context(displacement));
        value
    }

    /// Returns the constant with one word in every section.
    pub(crate) fn constant(&mut self, word: u64) -> Value {
        self.constant_quad([word; 4])
    }

    pub(crate) fn constant_quad(&mut self, quad: Quad) -> Value {
        if let Some(&value) = self.known.get(&quad) {
            return value;
        }
        let value = self.fresh();
        self.homes[value as usize] = Some(Home::Constant(self.constants.len() as u32));
        self.constants.push(Vector(quad));
        self.known.insert(quad, value);
        value
    }

    pub(crate) fn raw(&mut self, instruction: Instruction) {
        self.ins.push(Ins::Raw(instruction));
    }

    pub(crate) fn unary(&mut self, code: Code, b: Value) -> Value {
        let d = self.fresh();
        self.ins.push(Ins::Unary { code, d, b, imm: None });
        d
    }

    pub(crate) fn unary_imm(&mut self, code: Code, b: Value, imm: u8) -> Value {
        let d = self.fresh();
        self.ins.push(Ins::Unary { code, d, b, imm: Some(imm) });
        d
    }

    pub(crate) fn binary(&mut self, code: Code, a: Value, b: Value) -> Value {
        let d = self.fresh();
        self.ins.push(Ins::Binary { code, d, a, b, imm: None });
        d
    }

    pub(crate) fn binary_imm(&mut self, code: Code, a: Value, b: Value, imm: u8) -> Value {
        let d = self.fresh();
        self.ins.push(Ins::Binary { code, d, a, b, imm: Some(imm) });
        d
    }

    pub(crate) fn shift(&mut self, code: Code, a: Value, count: u8) -> Value {
        let d = self.fresh();
        self.ins.push(Ins::Shift { code, d, a, count });
        d
    }

    /// Adds a copy that does not depend on where `b` stands.
    pub(crate) fn moved(&mut self, b: Value) -> Value {
        self.unary(Code::VEX_Vmovups_ymm_ymmm256, b)
    }

    pub(crate) fn load(&mut self, base: Base, displacement: i32) -> Value {
        let d = self.fresh();
        self.ins.push(Ins::Load { d, base, displacement });
        d
    }

    pub(crate) fn broadcast(&mut self, base: Base, displacement: i32) -> Value {
        let d = self.fresh();
        self.ins.push(Ins::Broadcast { d, base, displacement });
        d
    }

    pub(crate) fn store(&mut self, v: Value, base: Base, displacement: i32) {
        self.ins.push(Ins::Store { v, base, displacement });
    }

    /// Adds a blend: lanes of `b` where the bits of `lanes` are set, of `a` elsewhere.
    pub(crate) fn blend(&mut self, a: Value, b: Value, lanes: u8) -> Value {
        self.binary_imm(Code::VEX_Vblendps_ymm_ymm_ymmm256_imm8, a, b, lanes)
    }

    /// Adds `mask ? b : a`, for whole words.
    pub(crate) fn select(&mut self, a: Value, b: Value, mask: Value) -> Value {
        let d = self.fresh();
        self.ins.push(Ins::Select { code: Code::VEX_Vblendvpd_ymm_ymm_ymmm256_ymm, d, a, b, mask });
        d
    }

    /// Adds `mask ? b : a`, for halves, by the signs of those of `mask`.
    pub(crate) fn select_halves(&mut self, a: Value, b: Value, mask: Value) -> Value {
        let d = self.fresh();
        self.ins.push(Ins::Select { code: Code::VEX_Vblendvps_ymm_ymm_ymmm256_ymm, d, a, b, mask });
        d
    }

    pub(crate) fn xor(&mut self, a: Value, b: Value) -> Value {
        self.binary(Code::VEX_Vxorps_ymm_ymm_ymmm256, a, b)
    }

    pub(crate) fn and(&mut self, a: Value, b: Value) -> Value {
        self.binary(Code::VEX_Vandps_ymm_ymm_ymmm256, a, b)
    }

    pub(crate) fn or(&mut self, a: Value, b: Value) -> Value {
        self.binary(Code::VEX_Vorps_ymm_ymm_ymmm256, a, b)
    }

    /// Adds a copy of the low halves to both halves.
    pub(crate) fn low(&mut self, a: Value) -> Value {
        self.unary(Code::VEX_Vmovsldup_ymm_ymmm256, a)
    }

    /// Adds a copy of the high halves to both halves.
    pub(crate) fn high(&mut self, a: Value) -> Value {
        self.unary(Code::VEX_Vmovshdup_ymm_ymmm256, a)
    }

    /// Adds an exchange of the halves.
    pub(crate) fn swapped(&mut self, a: Value) -> Value {
        self.unary_imm(Code::VEX_Vpermilps_ymm_ymmm256_imm8, a, 0xb1)
    }

    /// Adds an operation of float arithmetic, whose result is no NaN unless an exception was raised.
    fn float(&mut self, code: Code, a: Value, b: Value) -> Value {
        let d = self.binary(code, a, b);
        self.clean[d as usize] = true;
        d
    }

    pub(crate) fn add(&mut self, a: Value, b: Value) -> Value {
        self.float(Code::VEX_Vaddps_ymm_ymm_ymmm256, a, b)
    }

    pub(crate) fn sub(&mut self, a: Value, b: Value) -> Value {
        self.float(Code::VEX_Vsubps_ymm_ymm_ymmm256, a, b)
    }

    pub(crate) fn mul(&mut self, a: Value, b: Value) -> Value {
        self.float(Code::VEX_Vmulps_ymm_ymm_ymmm256, a, b)
    }

    /// Makes sure that NaN and denormals in these operands raise an exception of the native machine.
    pub(crate) fn check(&mut self, operands: &[Value]) {
        let mut doubtful: Vec<Value> = Vec::with_capacity(operands.len());
        for &v in operands {
            if !self.clean[v as usize] {
                self.clean[v as usize] = true;
                doubtful.push(v);
            }
        }
        for pair in doubtful.chunks(2) {
            self.ins.push(Ins::Check { a: pair[0], b: pair[pair.len() - 1] });
        }
    }

    /// Declares a value free of NaN and denormals.
    pub(crate) fn set_clean(&mut self, v: Value) {
        self.clean[v as usize] = true;
    }

    pub(crate) fn is_clean(&self, v: Value) -> bool {
        self.clean[v as usize]
    }
}
