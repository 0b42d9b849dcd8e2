//! Frame of a block, the code around its steps: entry, pointers, exit.

use super::assembler::{CENTRE, CONSTANTS, Emitted, Unencodable, indexed};
use crate::abi::context::{
    A, BIAS, COEFFICIENT, LMEM, MXCSR, NATIVE_MXCSR, NOTED, RAISED, RIND, RSTEP, UNDO, pointer_at,
};
use crate::analysis::pointer::Pointer;
use crate::ir::scalar::{EAX, NOTES, context};
use iced_x86::{Code, Instruction, MemoryOperand, Register};

impl Emitted {
    pub(super) fn prologue(&mut self, saved: &[Register], notes: bool) -> Result<(), Unencodable> {
        let load = |to, from| Instruction::with2(Code::Mov_r64_rm64, to, context(from));
        self.emit_all(saved.iter().map(|&r| Instruction::with1(Code::Push_r64, r)))?;
        let bias = MemoryOperand::with_base_displ(Register::RDI, BIAS.into());
        let centre = MemoryOperand::with_base_displ(Register::RIP, CENTRE);
        self.emit_all([
            Instruction::with2(Code::Lea_r64_m, Register::RDI, bias),
            Instruction::with2(Code::Lea_r64_m, CONSTANTS, centre),
            Instruction::with1(Code::VEX_Vstmxcsr_m32, context(NATIVE_MXCSR)),
            Instruction::with1(Code::VEX_Vldmxcsr_m32, context(MXCSR)),
            load(Register::RSI, LMEM),
            load(Register::RBX, COEFFICIENT),
            load(Register::R10, UNDO),
            Instruction::with2(Code::Mov_r32_rm32, Register::R8D, context(RIND)),
            Instruction::with2(Code::Mov_r32_rm32, Register::R9D, context(RSTEP)),
        ])?;
        self.emit_all(notes.then(|| load(NOTES, NOTED)))
    }

    pub(super) fn epilogue(&mut self, saved: &[Register], notes: bool) -> Result<(), Unencodable> {
        self.emit_all([
            Instruction::with2(Code::Movzx_r32_rm16, Register::R8D, Register::R8W),
            Instruction::with2(Code::Mov_rm32_r32, context(RIND), Register::R8D),
            Instruction::with2(Code::Mov_rm32_r32, context(RSTEP), Register::R9D),
            Instruction::with2(Code::Mov_rm64_r64, context(UNDO), Register::R10),
            Instruction::with1(Code::VEX_Vstmxcsr_m32, context(RAISED)),
            Instruction::with1(Code::VEX_Vldmxcsr_m32, context(NATIVE_MXCSR)),
        ])?;
        let to = context(NOTED);
        self.emit_all(notes.then(|| Instruction::with2(Code::Mov_rm64_r64, to, NOTES)))?;
        self.emit_all(saved.iter().rev().map(|&r| Instruction::with1(Code::Pop_r64, r)))?;
        self.emit_all([
            Ok(Instruction::with(Code::VEX_Vzeroupper)),
            Ok(Instruction::with(Code::Retnq)),
        ])
    }

    /// Sets the pointer of this number from its address set.
    pub(super) fn point(&mut self, number: usize, pointer: &Pointer) -> Result<(), Unencodable> {
        let rax = Register::RAX;
        let set = context(A + 4 * i32::from(pointer.set));
        self.emit(&Instruction::with2(Code::Mov_r32_rm32, EAX, set)?)?;
        if pointer.ahead != 0 {
            self.emit(&Instruction::with2(Code::Add_rm32_imm32, EAX, pointer.ahead)?)?;
            self.emit(&Instruction::with2(Code::And_rm32_imm32, EAX, pointer.mask)?)?;
        }
        self.emit(&Instruction::with2(Code::Shl_rm32_imm8, EAX, 5)?)?;
        let sum = indexed(Register::RSI, 1, 0);
        let to = pointer.register.unwrap_or(rax);
        self.emit(&Instruction::with2(Code::Lea_r64_m, to, sum)?)?;
        if pointer.register.is_none() {
            let slot = context(pointer_at(number));
            self.emit(&Instruction::with2(Code::Mov_rm64_r64, slot, rax)?)?;
        }
        Ok(())
    }
}

impl Emitted {
    /// Takes the pointer of this number further by so many words.
    pub(super) fn advance(
        &mut self,
        number: usize,
        pointer: &Pointer,
        words: i64,
    ) -> Result<(), Unencodable> {
        let bytes = i32::try_from(32 * words).map_err(|_| Unencodable)?;
        self.emit(&match pointer.register {
            Some(register) => Instruction::with2(Code::Add_rm64_imm32, register, bytes),
            None => Instruction::with2(Code::Add_rm64_imm32, context(pointer_at(number)), bytes),
        }?)
    }

    /// Counts down at a place of the context, and goes back to an address until nothing is left.
    pub(super) fn count_down(&mut self, place: i32, to: u64) -> Result<(), Unencodable> {
        self.emit_all([
            Instruction::with1(Code::Dec_rm64, context(place)),
            Instruction::with_branch(Code::Jne_rel32_64, to),
        ])
    }
}

/// Returns the registers of the caller that a block with these pointers changes.
pub(super) fn saved_registers(pointers: &[Pointer], notes: bool) -> Vec<Register> {
    let always = [Register::RBX, CONSTANTS];
    let pointers = pointers.iter().filter_map(|p| p.register).filter(|&r| r != Register::R11);
    always.into_iter().chain(pointers).chain(notes.then_some(NOTES)).collect()
}
