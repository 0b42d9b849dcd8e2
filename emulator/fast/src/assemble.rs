//! From steps to machine code: gives out the vector registers of the host, in one pass over the block
//! with the next use of every value known (`registers`), and encodes. Which registers an instruction
//! can name is in `encoding`, which steps may wait for which in `order`.

use crate::builder::UNORDERED_SIGNALS;
use crate::context::{PASSES, Vector};
use crate::encoding::{Host, LOW_REGISTERS, long_form, ymm};
use crate::guard::Guards;
use crate::ir::{Base, Home, Ins, Value};
use crate::order::Order;
use crate::scalar::{built, context};
use frame::saved_registers;
use iced_x86::{Code, Encoder, IcedError, Instruction, MemoryOperand, Register};
use std::collections::HashMap;

mod frame;
mod registers;

const LOAD: Code = Code::VEX_Vmovups_ymm_ymmm256;
const STORE: Code = Code::VEX_Vmovups_ymmm256_ymm;
/// A value that is not used again.
const NEVER: u32 = u32::MAX;
/// Most registers that a host has.
const MOST_REGISTERS: usize = 32;
/// Bytes of a constant.
const CONSTANT: u64 = size_of::<Vector>() as u64;

/// Points into the constants, so far behind their beginning.
const CONSTANTS: Register = Register::R15;
const CENTRE: i64 = 4096;

/// The block asks for more than an encoding or the context holds.
#[derive(Debug)]
pub(crate) struct Unencodable;

impl From<IcedError> for Unencodable {
    fn from(_: IcedError) -> Self {
        Self
    }
}

/// A block ready to be encoded.
#[derive(Debug)]
pub(crate) struct Steps<'a> {
    pub(crate) ins: &'a [Ins],
    /// Where each value stands from the beginning, if it does.
    pub(crate) homes: Vec<Option<Home>>,
    pub(crate) constants: &'a [Vector],
    /// Its pointers are set at the start of every pass.
    pub(crate) guards: &'a Guards,
    /// The code goes back to its start while passes are left.
    pub(crate) repeats: bool,
    /// The steps note accesses.
    pub(crate) notes: bool,
}

/// Machine code behind its constants.
#[derive(Debug)]
pub(crate) struct Machine {
    pub(crate) bytes: Vec<u8>,
    /// Offset of the first instruction.
    pub(crate) entry: usize,
}

struct Assembler {
    encoder: Encoder,
    /// Where the next instruction stands.
    at: u64,
    registers: u8,
    homes: Vec<Option<Home>>,
    /// Uses of every value still to come, the next one last.
    uses: Vec<Vec<u32>>,
    /// The register that holds a value.
    place: Vec<Option<u8>>,
    held: [Option<Value>; MOST_REGISTERS],
    free_spills: Vec<u32>,
    /// Places that this step still reads.
    freed_spills: Vec<u32>,
    n_spills: u32,
    /// Step at hand.
    now: u32,
    order: Order,
    /// Values that stand in the context from the beginning, by displacement.
    standing: HashMap<i32, Vec<Value>>,
    /// Values whose home is in local memory.
    lazy: Vec<Value>,
    /// What this step reads where it stands.
    reads: Vec<Home>,
    /// Stores that have been done before their turn.
    is_done: Vec<bool>,
}

fn operand(base: Base, displacement: i32) -> MemoryOperand {
    let from = |register| MemoryOperand::with_base_displ(register, displacement.into());
    match base {
        Base::Context => context(displacement),
        Base::Undo => from(Register::R10),
        Base::At(register) => from(register),
        Base::Tail => from(Register::RAX),
        Base::Word => indexed(Register::RSI, 1, displacement.into()),
        Base::Table => indexed(Register::RBX, 8, displacement.into()),
    }
}

fn indexed(base: Register, scale: u32, displacement: i64) -> MemoryOperand {
    MemoryOperand::with_base_index_scale_displ_size(base, Register::RAX, scale, displacement, 1)
}

fn memory(home: Home) -> MemoryOperand {
    match home {
        Home::Context(displacement) => context(displacement),
        Home::Memory(base, displacement) => operand(Base::At(base), displacement),
        Home::Constant(k) => {
            let displacement = i64::from(k) * CONSTANT as i64 - CENTRE;
            MemoryOperand::with_base_displ(CONSTANTS, displacement)
        }
    }
}

/// Encodes a block for a host.
pub(crate) fn assemble(steps: Steps<'_>, host: Host) -> Result<Machine, Unencodable> {
    let Steps { ins, homes, constants, guards, repeats, notes } = steps;
    let pointers = &guards.pointers;
    let mut uses = vec![Vec::new(); homes.len()];
    for (k, step) in ins.iter().enumerate().rev() {
        step.for_each_source(|v| uses[v as usize].push(k as u32));
    }
    let mut standing: HashMap<i32, Vec<Value>> = HashMap::new();
    for (value, home) in homes.iter().enumerate() {
        if let Some(Home::Context(place)) = home {
            standing.entry(*place).or_default().push(value as Value);
        }
    }
    let entry = constants.len() * CONSTANT as usize;
    let mut assembler = Assembler {
        encoder: Encoder::try_new(64)?,
        at: entry as u64,
        registers: host.registers(),
        place: vec![None; homes.len()],
        homes,
        uses,
        held: [None; MOST_REGISTERS],
        free_spills: Vec::new(),
        freed_spills: Vec::new(),
        n_spills: 0,
        now: 0,
        order: Order::new(ins, guards),
        standing,
        lazy: Vec::new(),
        reads: Vec::new(),
        is_done: vec![false; ins.len()],
    };
    let saved = saved_registers(pointers, notes);
    assembler.prologue(&saved, notes)?;
    let top = assembler.at;
    for pointer in pointers {
        assembler.point(pointer)?;
    }
    for (k, step) in ins.iter().enumerate() {
        assembler.now = k as u32;
        let freed = std::mem::take(&mut assembler.freed_spills);
        assembler.free_spills.extend(freed);
        assembler.step(step)?;
    }
    if repeats {
        assembler.emit(&built(Instruction::with1(Code::Dec_rm64, context(PASSES))))?;
        assembler.emit(&built(Instruction::with_branch(Code::Jne_rel32_64, top)))?;
    }
    assembler.epilogue(&saved, notes)?;
    let mut bytes: Vec<u8> =
        constants.iter().flat_map(|v| v.0).flat_map(u64::to_le_bytes).collect();
    bytes.extend(assembler.encoder.take_buffer());
    Ok(Machine { bytes, entry })
}

impl Assembler {
    fn emit(&mut self, instruction: &Instruction) -> Result<(), Unencodable> {
        self.at += self.encoder.encode(instruction, self.at)? as u64;
        Ok(())
    }

    fn emit_all(
        &mut self,
        list: impl IntoIterator<Item = Result<Instruction, IcedError>>,
    ) -> Result<(), Unencodable> {
        list.into_iter().try_for_each(|instruction| self.emit(&instruction?))
    }

    /// Registers that an instruction can name.
    fn limit(&self, code: Code) -> u8 {
        if long_form(code).is_some() { self.registers } else { LOW_REGISTERS }
    }

    fn step(&mut self, step: &Ins) -> Result<(), Unencodable> {
        self.reads.clear();
        let mut pinned = Vec::with_capacity(4);
        let p = &mut pinned;
        match *step {
            Ins::Raw(ref instruction) => self.emit(instruction)?,
            Ins::Unary { code, d, b, imm } => {
                let limit = self.limit(code);
                let b = self.anywhere(b, p, limit)?;
                let d = self.result(step, d, &[], limit)?;
                self.two(code, d, b, imm)?;
            }
            Ins::Binary { code, d, a, b, imm } => {
                let limit = self.limit(code);
                let a = self.in_register(a, p, limit)?;
                let b = self.anywhere(b, p, limit)?;
                let d = self.result(step, d, &pinned, limit)?;
                self.three(code, [d, a], b, imm)?;
            }
            Ins::Shift { code, d, a, count } => {
                let a = self.in_register(a, p, self.registers)?;
                let d = self.result(step, d, &pinned, self.registers)?;
                let code = self.formed(code, &[a, d], None)?;
                self.emit(&Instruction::with3(code, ymm(d), ymm(a), u32::from(count))?)?;
            }
            Ins::Select { d, a, b, mask, .. } => self.select(step, [d, a, b, mask])?,
            Ins::Check { a, b } => {
                let a = self.in_register(a, p, LOW_REGISTERS)?;
                let b = self.anywhere(b, p, LOW_REGISTERS)?;
                let trash = self.register(&pinned, LOW_REGISTERS)?;
                let code = Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8;
                self.three(code, [trash, a], b, Some(UNORDERED_SIGNALS))?;
                self.release(step);
            }
            Ins::Load { d, base: Base::At(base), displacement } if self.order.is_stable(base) => {
                self.homes[d as usize] = Some(Home::Memory(base, displacement));
                if self.next_use(d) != NEVER {
                    self.lazy.push(d);
                }
            }
            Ins::Load { d, base, displacement } => {
                let d = self.result(step, d, &[], self.registers)?;
                self.load(d, operand(base, displacement))?;
            }
            Ins::Broadcast { d, base, displacement } => {
                let d = self.result(step, d, &[], self.registers)?;
                let code = self.formed(Code::VEX_Vbroadcastsd_ymm_m64, &[d], None)?;
                self.emit(&Instruction::with2(code, ymm(d), operand(base, displacement))?)?;
            }
            Ins::Gather { d, index, displacement } => {
                self.gather(step, d, index, displacement)?;
            }
            Ins::Store { v, base, displacement } => {
                if !std::mem::take(&mut self.is_done[self.now as usize]) {
                    self.fetch_before(base, displacement)?;
                    let v = self.in_register(v, p, self.registers)?;
                    self.store(operand(base, displacement), v)?;
                }
                self.release(step);
            }
            Ins::Keep { from, to } => {
                let register = self.register(&[], self.registers)?;
                self.load(register, operand(from.0, from.1))?;
                self.store(operand(to.0, to.1), register)?;
            }
        }
        Ok(())
    }

    fn gather(
        &mut self,
        step: &Ins,
        d: Value,
        index: Value,
        displacement: i32,
    ) -> Result<(), Unencodable> {
        // All three registers have to differ, and the mask is used up.
        let mut pinned = Vec::with_capacity(4);
        let index = self.in_register(index, &mut pinned, LOW_REGISTERS)?;
        let mask = self.register(&pinned, LOW_REGISTERS)?;
        pinned.push(mask);
        let d = self.result(step, d, &pinned, LOW_REGISTERS)?;
        let [d, index, mask] = [d, index, mask].map(ymm);
        let ones = Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256;
        self.emit(&Instruction::with3(ones, mask, mask, mask)?)?;
        let words = MemoryOperand::with_base_index_scale_displ_size(
            Register::RAX,
            index,
            8,
            displacement.into(),
            1,
        );
        self.emit(&Instruction::with3(Code::VEX_Vpgatherqq_ymm_vm64y_ymm, d, words, mask)?)
    }

    fn select(&mut self, step: &Ins, [d, a, b, mask]: [Value; 4]) -> Result<(), Unencodable> {
        let Ins::Select { code, .. } = *step else { return Err(Unencodable) };
        let mut pinned = Vec::with_capacity(4);
        let a = ymm(self.in_register(a, &mut pinned, LOW_REGISTERS)?);
        let mask = ymm(self.in_register(mask, &mut pinned, LOW_REGISTERS)?);
        let b = self.anywhere(b, &mut pinned, LOW_REGISTERS)?;
        let d = ymm(self.result(step, d, &pinned, LOW_REGISTERS)?);
        self.emit(&match b {
            Operand::Register(b) => Instruction::with4(code, d, a, ymm(b), mask)?,
            Operand::Memory(b) => Instruction::with4(code, d, a, b, mask)?,
        })
    }

    /// The form of an instruction that names these registers, the shorter one if both do.
    fn formed(
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

    fn two(&mut self, code: Code, d: u8, b: Operand, imm: Option<u8>) -> Result<(), Unencodable> {
        let code = self.formed(code, &[d, b.register()], b.memory())?;
        let d = ymm(d);
        self.emit(&match (b, imm.map(u32::from)) {
            (Operand::Register(b), None) => Instruction::with2(code, d, ymm(b)),
            (Operand::Memory(b), None) => Instruction::with2(code, d, b),
            (Operand::Register(b), Some(imm)) => Instruction::with3(code, d, ymm(b), imm),
            (Operand::Memory(b), Some(imm)) => Instruction::with3(code, d, b, imm),
        }?)
    }

    fn three(
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

enum Operand {
    Register(u8),
    Memory(MemoryOperand),
}

impl Operand {
    fn register(&self) -> u8 {
        match self {
            Self::Register(register) => *register,
            Self::Memory(_) => 0,
        }
    }

    fn memory(&self) -> Option<&MemoryOperand> {
        match self {
            Self::Register(_) => None,
            Self::Memory(memory) => Some(memory),
        }
    }
}

/// Whether the long form of an instruction has a shorter displacement: it counts whole vectors.
fn is_short_vector(memory: &MemoryOperand) -> bool {
    let d = memory.displacement;
    i8::try_from(d).is_err()
        && d % CONSTANT as i64 == 0
        && i8::try_from(d / CONSTANT as i64).is_ok()
}
