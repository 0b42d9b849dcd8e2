//! The assembler at work on a block: what it knows of registers and places, and how it encodes. Which
//! value gets which register is in `registers`, what stands around a block in `frame`, the steps one by
//! one in `assemble`.

use super::encoding::{LOW_REGISTERS, long_form, ymm};
use super::uses::Uses;
use crate::abi::context::Vector;
use crate::analysis::dependence::Dependences;
use crate::ir::instruction::{Base, Home, Value};
use crate::ir::scalar::context;
use iced_x86::{Code, Encoder, IcedError, Instruction, MemoryOperand, Register};

pub(super) const LOAD: Code = Code::VEX_Vmovups_ymm_ymmm256;
pub(super) const STORE: Code = Code::VEX_Vmovups_ymmm256_ymm;
/// Number of vector registers of the native machine with the most of them.
pub(super) const MOST_REGISTERS: usize = 32;
/// Size of a constant in bytes.
pub(super) const CONSTANT: u64 = size_of::<Vector>() as u64;

/// Register that points into the constants, [`CENTRE`] bytes behind their beginning.
pub(super) const CONSTANTS: Register = Register::R15;
/// Distance in bytes of the place to which [`CONSTANTS`] points from the beginning of the constants.
pub(super) const CENTRE: i64 = 4096;

/// Error of a block that asks for more than an encoding or the context holds.
#[derive(Debug)]
pub(crate) struct Unencodable;

impl From<IcedError> for Unencodable {
    fn from(_: IcedError) -> Self {
        Self
    }
}

/// Places in the context for values that no register holds, by number.
pub(super) struct Spills {
    pub(super) free: Vec<u32>,
    /// Places that the step at hand still reads, free behind it.
    pub(super) freed: Vec<u32>,
    pub(super) n: u32,
}

/// State of the step at hand: its number, what it reads where it stands, and which stores have been done before their turn.
pub(super) struct StepState {
    /// Number of the step at hand.
    pub(super) now: u32,
    /// Places that the step at hand reads without a register.
    pub(super) reads: Vec<Home>,
    /// Whether the store of each step has been done before its turn.
    pub(super) is_done: Vec<bool>,
}

/// Instructions that were encoded so far.
pub(super) struct Emitted {
    pub(super) encoder: Encoder,
    /// Address of the next instruction, counted from the beginning of the constants.
    pub(super) at: u64,
    /// Number of instructions.
    pub(super) count: usize,
}

pub(super) struct Assembler {
    pub(super) emitted: Emitted,
    pub(super) registers: u8,
    pub(super) homes: Vec<Option<Home>>,
    /// Uses of every value that are still to come.
    pub(super) uses: Uses,
    /// Register that holds each value.
    pub(super) place: Vec<Option<u8>>,
    pub(super) held: [Option<Value>; MOST_REGISTERS],
    pub(super) spills: Spills,
    pub(super) step: StepState,
    pub(super) order: Dependences,
    /// Values that stand in the context from the beginning, in the order of their displacements.
    pub(super) standing: Vec<(i32, Value)>,
    /// Values whose home is in local memory.
    pub(super) lazy: Vec<Value>,
}

pub(super) fn operand(base: Base, displacement: i32) -> MemoryOperand {
    let from = |register| MemoryOperand::with_base_displ(register, displacement.into());
    match base {
        Base::Context => context(displacement),
        Base::Undo => from(Register::R10),
        Base::At(register) => from(register),
        Base::Rax => from(Register::RAX),
        Base::Word => indexed(Register::RSI, 1, displacement.into()),
        Base::Table => indexed(Register::RBX, 8, displacement.into()),
    }
}

pub(super) fn indexed(base: Register, scale: u32, displacement: i64) -> MemoryOperand {
    MemoryOperand::with_base_index_scale_displ_size(base, Register::RAX, scale, displacement, 1)
}

pub(super) fn memory(home: Home) -> MemoryOperand {
    match home {
        Home::Context(displacement) => context(displacement),
        Home::Memory(base, displacement) => operand(Base::At(base), displacement),
        Home::Constant(k) => {
            let displacement = i64::from(k) * CONSTANT as i64 - CENTRE;
            MemoryOperand::with_base_displ(CONSTANTS, displacement)
        }
    }
}

impl Emitted {
    pub(super) fn emit(&mut self, instruction: &Instruction) -> Result<(), Unencodable> {
        self.at += self.encoder.encode(instruction, self.at)? as u64;
        self.count += 1;
        Ok(())
    }

    pub(super) fn emit_all(
        &mut self,
        list: impl IntoIterator<Item = Result<Instruction, IcedError>>,
    ) -> Result<(), Unencodable> {
        list.into_iter().try_for_each(|instruction| self.emit(&instruction?))
    }
}

impl Assembler {
    pub(super) fn emit(&mut self, instruction: &Instruction) -> Result<(), Unencodable> {
        self.emitted.emit(instruction)
    }

    /// Returns the number of registers that an instruction can name.
    pub(super) fn limit(&self, code: Code) -> u8 {
        if long_form(code).is_some() { self.registers } else { LOW_REGISTERS }
    }

    /// Returns the form of an instruction that names these registers, the shorter one if both do.
    pub(super) fn formed(
        &self,
        code: Code,
        registers: &[u8],
        memory: Option<&MemoryOperand>,
    ) -> Result<Code, Unencodable> {
        let is_low = registers.iter().all(|&r| r < LOW_REGISTERS);
        let is_shorter = self.registers > LOW_REGISTERS && memory.is_some_and(is_short_vector);
        match long_form(code) {
            Some(long) if is_shorter || !is_low => Ok(long),
            None if !is_low => Err(Unencodable),
            _ => Ok(code),
        }
    }

    pub(super) fn two(
        &mut self,
        code: Code,
        d: u8,
        b: Operand,
        imm: Option<u8>,
    ) -> Result<(), Unencodable> {
        let code = self.formed(code, &[d, b.register()], b.memory())?;
        let d = ymm(d);
        self.emit(&match (b, imm.map(u32::from)) {
            (Operand::Register(b), None) => Instruction::with2(code, d, ymm(b)),
            (Operand::Memory(b), None) => Instruction::with2(code, d, b),
            (Operand::Register(b), Some(imm)) => Instruction::with3(code, d, ymm(b), imm),
            (Operand::Memory(b), Some(imm)) => Instruction::with3(code, d, b, imm),
        }?)
    }

    pub(super) fn three(
        &mut self,
        code: Code,
        [d, a]: [u8; 2],
        b: Operand,
        imm: Option<u8>,
    ) -> Result<(), Unencodable> {
        let code = self.formed(code, &[d, a, b.register()], b.memory())?;
        let (d, a) = (ymm(d), ymm(a));
        self.emit(&match (b, imm.map(u32::from)) {
            (Operand::Register(b), None) => Instruction::with3(code, d, a, ymm(b)),
            (Operand::Memory(b), None) => Instruction::with3(code, d, a, b),
            (Operand::Register(b), Some(imm)) => Instruction::with4(code, d, a, ymm(b), imm),
            (Operand::Memory(b), Some(imm)) => Instruction::with4(code, d, a, b, imm),
        }?)
    }
}

pub(super) enum Operand {
    Register(u8),
    Memory(MemoryOperand),
}

impl Operand {
    pub(super) fn register(&self) -> u8 {
        match self {
            Self::Register(register) => *register,
            Self::Memory(_) => 0,
        }
    }

    pub(super) fn memory(&self) -> Option<&MemoryOperand> {
        match self {
            Self::Register(_) => None,
            Self::Memory(memory) => Some(memory),
        }
    }
}

/// Whether the long form of an instruction has a shorter displacement for an operand: it counts whole vectors.
pub(super) fn is_short_vector(memory: &MemoryOperand) -> bool {
    let d = memory.displacement;
    i8::try_from(d).is_err()
        && d % CONSTANT as i64 == 0
        && i8::try_from(d / CONSTANT as i64).is_ok()
}
