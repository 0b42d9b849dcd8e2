//! Short names for the native machine's scalar instructions. Registers of translated code: RDI into the context,
//! RSI local memory, RBX coefficients, R8 angle, R9 its step, R10 undo log, R11, RBP
//! and R12 to R14 pointers, but R14 the notes if there are any, R15 into the constants; RAX, RCX,
//! RDX scratch.

use crate::abi::context::BIAS;
use crate::ir::builder::Builder;
use iced_x86::{Code, Instruction, MemoryOperand, Register};

/// Register with the address at which the next access is noted, in blocks that note accesses.
pub(crate) const NOTES: Register = Register::R14;

pub(crate) const EAX: Register = Register::EAX;
pub(crate) const ECX: Register = Register::ECX;
pub(crate) const EDX: Register = Register::EDX;

/// Returns the operand for the place of the context at a displacement.
pub(crate) fn context(displacement: i32) -> MemoryOperand {
    MemoryOperand::with_base_displ(Register::RDI, (displacement - BIAS).into())
}

/// Returns the operand for the place of the context at a displacement, and `scale` bytes times a register further on.
pub(crate) fn context_indexed(displacement: i32, index: Register, scale: u32) -> MemoryOperand {
    let displacement = (displacement - BIAS).into();
    let (base, size) = (Register::RDI, 1);
    MemoryOperand::with_base_index_scale_displ_size(base, index, scale, displacement, size)
}

/// Returns the instruction that was built. All codes used here take the operands that they get.
pub(crate) fn built(result: Result<Instruction, iced_x86::IcedError>) -> Instruction {
    result.unwrap_or_default()
}

impl Builder {
    /// Brings a scalar of the context into RAX.
    pub(crate) fn load_rax(&mut self, displacement: i32) {
        self.load64(Register::RAX, displacement);
    }

    pub(crate) fn load32(&mut self, to: Register, displacement: i32) {
        self.raw(built(Instruction::with2(Code::Mov_r32_rm32, to, context(displacement))));
    }

    pub(crate) fn store32(&mut self, displacement: i32, from: Register) {
        self.raw(built(Instruction::with2(Code::Mov_rm32_r32, context(displacement), from)));
    }

    pub(crate) fn load64(&mut self, to: Register, displacement: i32) {
        self.raw(built(Instruction::with2(Code::Mov_r64_rm64, to, context(displacement))));
    }

    pub(crate) fn store64(&mut self, displacement: i32, from: Register) {
        self.raw(built(Instruction::with2(Code::Mov_rm64_r64, context(displacement), from)));
    }

    /// Sets a register to a 32-bit constant, zero-extended.
    pub(crate) fn set32(&mut self, to: Register, value: u32) {
        self.raw(built(Instruction::with2(Code::Mov_r32_imm32, to, value)));
    }

    /// Sets a register to a 64-bit constant.
    pub(crate) fn set64(&mut self, to: Register, value: u64) {
        self.raw(built(Instruction::with2(Code::Mov_r64_imm64, to, value)));
    }

    pub(crate) fn and32(&mut self, to: Register, mask: u32) {
        self.raw(built(Instruction::with2(Code::And_rm32_imm32, to, mask as i32)));
    }

    pub(crate) fn add32(&mut self, to: Register, value: i32) {
        if value != 0 {
            self.raw(built(Instruction::with2(Code::Add_rm32_imm32, to, value)));
        }
    }

    /// Adds an operation of two 32-bit registers.
    pub(crate) fn op32(&mut self, code: Code, to: Register, from: Register) {
        self.raw(built(Instruction::with2(code, to, from)));
    }

    /// Adds an operation of a 32-bit register and a place of the context.
    pub(crate) fn op32_with(&mut self, code: Code, to: Register, displacement: i32) {
        self.raw(built(Instruction::with2(code, to, context(displacement))));
    }

    pub(crate) fn copy32(&mut self, to: Register, from: Register) {
        self.op32(Code::Mov_r32_rm32, to, from);
    }

    pub(crate) fn shift_right(&mut self, to: Register, count: i32) {
        self.raw(built(Instruction::with2(Code::Shr_rm32_imm8, to, count)));
    }

    pub(crate) fn shift_left(&mut self, to: Register, count: i32) {
        self.raw(built(Instruction::with2(Code::Shl_rm32_imm8, to, count)));
    }
}
