//! From the steps of a block to machine code, in one pass with the next use of every value known. Which
//! steps may wait for which is in `analysis::dependence`.

use super::assembler::{
    Assembler, CONSTANT, Emitted, MOST_REGISTERS, Operand, Spills, StepState, Unencodable, operand,
};
use super::encoding::{LOW_REGISTERS, NativeIsa, ymm};
use super::frame::saved_registers;
use super::uses::{NEVER, Pinned, Uses};
use crate::abi::context::{PASSES, TIMES, Vector};
use crate::analysis::contract::Contract;
use crate::analysis::dependence::Dependences;
use crate::analysis::speculation::Guards;
use crate::ir::builder::UNORDERED_SIGNALS;
use crate::ir::instruction::{Base, Home, Ins, Part, Value};
use crate::ir::scalar::context;
use iced_x86::{Code, Encoder, Instruction, MemoryOperand, Register};

/// Steps of a block, ready to be encoded.
#[derive(Debug)]
pub(crate) struct Steps<'a> {
    /// Parts of the block, in the order in which they are run.
    pub(crate) parts: &'a [Part],
    pub(crate) constants: &'a [Vector],
    /// Contract of the block. Its pointers are set at the start of every pass.
    pub(crate) contract: Contract,
}

/// Machine code behind its constants.
#[derive(Debug)]
pub(crate) struct AssembledCode {
    pub(super) bytes: Vec<u8>,
    /// Offset of the first instruction in bytes.
    pub(super) entry: usize,
    /// Instruction set that the native machine has to have.
    pub(super) native_isa: NativeIsa,
    pub(super) contract: Contract,
    /// Number of instructions.
    pub(super) count: usize,
}

/// Encodes a block for an instruction set.
pub(crate) fn assemble(
    steps: Steps<'_>,
    native_isa: NativeIsa,
) -> Result<AssembledCode, Unencodable> {
    let Steps { parts, constants, contract } = steps;
    let Contract { guards, repeats, notes, .. } = &contract;
    let (pointers, notes) = (&guards.pointers, *notes > 0);
    let entry = constants.len() * CONSTANT as usize;
    let mut emitted = Emitted { encoder: Encoder::try_new(64)?, at: entry as u64, count: 0 };
    let saved = saved_registers(pointers, notes);
    emitted.prologue(&saved, notes)?;
    let top = emitted.at;
    for (number, pointer) in pointers.iter().enumerate() {
        emitted.point(number, pointer)?;
    }
    for part in parts {
        emitted = assemble_part(part, guards, native_isa, emitted)?;
    }
    if *repeats {
        emitted.count_down(PASSES, top)?;
    }
    emitted.epilogue(&saved, notes)?;
    let mut bytes: Vec<u8> =
        constants.iter().flat_map(|v| v.0).flat_map(u64::to_le_bytes).collect();
    let Emitted { mut encoder, count, .. } = emitted;
    bytes.extend(encoder.take_buffer());
    Ok(AssembledCode { bytes, entry, native_isa, contract, count })
}

/// Encodes a part of a block behind what was encoded so far.
fn assemble_part(
    part: &Part,
    guards: &Guards,
    native_isa: NativeIsa,
    mut emitted: Emitted,
) -> Result<Emitted, Unencodable> {
    let Part { ins, homes, times, steps } = part;
    if *times > 1 {
        let set = Instruction::with2(Code::Mov_rm64_imm32, context(TIMES), *times as i32);
        emitted.emit(&set?)?;
    }
    let top = emitted.at;
    let mut standing: Vec<(i32, Value)> = Vec::new();
    for (value, home) in homes.iter().enumerate() {
        if let Some(Home::Context(place)) = home {
            standing.push((*place, value as Value));
        }
    }
    standing.sort_unstable();
    let mut assembler = Assembler {
        emitted,
        registers: native_isa.registers(),
        place: vec![None; homes.len()],
        uses: Uses::new(ins, homes.len()),
        homes: homes.clone(),
        held: [None; MOST_REGISTERS],
        order: Dependences::new(ins, guards),
        standing,
        lazy: Vec::new(),
        spills: Spills { free: Vec::new(), freed: Vec::new(), n: 0 },
        step: StepState { now: 0, reads: Vec::new(), is_done: vec![false; ins.len()] },
    };
    for (k, step) in ins.iter().enumerate() {
        assembler.step.now = k as u32;
        let freed = std::mem::take(&mut assembler.spills.freed);
        assembler.spills.free.extend(freed);
        assembler.step(step)?;
    }
    let mut emitted = assembler.emitted;
    let pointer = |number: usize| guards.pointers.get(number).ok_or(Unencodable);
    for &(number, words) in steps {
        emitted.advance(number, pointer(number)?, words.into())?;
    }
    if *times > 1 {
        emitted.count_down(TIMES, top)?;
    }
    // Behind the part pointers are where they were before.
    for &(number, words) in steps {
        emitted.advance(number, pointer(number)?, -i64::from(words) * i64::from(*times))?;
    }
    Ok(emitted)
}

impl AssembledCode {
    /// Returns the number of instructions.
    pub(crate) fn count(&self) -> usize {
        self.count
    }
}

impl Assembler {
    fn step(&mut self, step: &Ins) -> Result<(), Unencodable> {
        self.step.reads.clear();
        let mut pinned = Pinned::default();
        let p = &mut pinned;
        match *step {
            Ins::Raw(ref instruction) => self.emit(instruction)?,
            Ins::Unary { code, d, b, imm } => {
                let limit = self.limit(code);
                let b = self.anywhere(b, p, limit)?;
                let d = self.result(step, d, &Pinned::default(), limit)?;
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
            Ins::Check { a, b } => self.check(step, [a, b])?,
            Ins::Load { d, base: Base::At(base), displacement } if self.order.is_stable(base) => {
                self.homes[d as usize] = Some(Home::Memory(base, displacement));
                if self.next_use(d) != NEVER {
                    self.lazy.push(d);
                }
            }
            Ins::Load { d, base, displacement } => {
                let d = self.result(step, d, &Pinned::default(), self.registers)?;
                self.load(d, operand(base, displacement))?;
            }
            Ins::Broadcast { d, base, displacement } => {
                let d = self.result(step, d, &Pinned::default(), self.registers)?;
                let code = self.formed(Code::VEX_Vbroadcastsd_ymm_m64, &[d], None)?;
                self.emit(&Instruction::with2(code, ymm(d), operand(base, displacement))?)?;
            }
            Ins::Gather { d, base, index, displacement } => {
                self.gather(step, d, index, (base, displacement))?;
            }
            Ins::Store { v, base, displacement } => {
                self.store_in_turn(step, v, (base, displacement))?;
            }
            Ins::Keep { from, to } => {
                let register = self.register(&Pinned::default(), self.registers)?;
                self.load(register, operand(from.0, from.1))?;
                self.store(operand(to.0, to.1), register)?;
            }
        }
        Ok(())
    }

    /// Encodes a check, which raises an exception of the native machine if one of the floats is NaN or denormal.
    fn check(&mut self, step: &Ins, [a, b]: [Value; 2]) -> Result<(), Unencodable> {
        let mut pinned = Pinned::default();
        let a = self.in_register(a, &mut pinned, LOW_REGISTERS)?;
        let b = self.anywhere(b, &mut pinned, LOW_REGISTERS)?;
        let trash = self.register(&pinned, LOW_REGISTERS)?;
        let code = Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8;
        self.three(code, [trash, a], b, Some(UNORDERED_SIGNALS))?;
        self.release(step);
        Ok(())
    }

    /// Encodes the store of a value, unless that was done before its turn.
    fn store_in_turn(
        &mut self,
        step: &Ins,
        v: Value,
        (base, displacement): (Base, i32),
    ) -> Result<(), Unencodable> {
        if !std::mem::take(&mut self.step.is_done[self.step.now as usize]) {
            self.fetch_before(base, displacement)?;
            let v = self.in_register(v, &mut Pinned::default(), self.registers)?;
            self.store(operand(base, displacement), v)?;
        }
        self.release(step);
        Ok(())
    }

    fn gather(
        &mut self,
        step: &Ins,
        d: Value,
        index: Value,
        (base, displacement): (Register, i32),
    ) -> Result<(), Unencodable> {
        // All three registers have to differ, and the mask is used up.
        let mut pinned = Pinned::default();
        let index = self.in_register(index, &mut pinned, LOW_REGISTERS)?;
        let mask = self.register(&pinned, LOW_REGISTERS)?;
        pinned.push(mask);
        let d = self.result(step, d, &pinned, LOW_REGISTERS)?;
        let [d, index, mask] = [d, index, mask].map(ymm);
        let ones = Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256;
        self.emit(&Instruction::with3(ones, mask, mask, mask)?)?;
        let words =
            MemoryOperand::with_base_index_scale_displ_size(base, index, 8, displacement.into(), 1);
        self.emit(&Instruction::with3(Code::VEX_Vpgatherqq_ymm_vm64y_ymm, d, words, mask)?)
    }

    fn select(&mut self, step: &Ins, [d, a, b, mask]: [Value; 4]) -> Result<(), Unencodable> {
        let Ins::Select { code, .. } = *step else { return Err(Unencodable) };
        let mut pinned = Pinned::default();
        let a = ymm(self.in_register(a, &mut pinned, LOW_REGISTERS)?);
        let mask = ymm(self.in_register(mask, &mut pinned, LOW_REGISTERS)?);
        let b = self.anywhere(b, &mut pinned, LOW_REGISTERS)?;
        let d = ymm(self.result(step, d, &pinned, LOW_REGISTERS)?);
        self.emit(&match b {
            Operand::Register(b) => Instruction::with4(code, d, a, ymm(b), mask)?,
            Operand::Memory(b) => Instruction::with4(code, d, a, b, mask)?,
        })
    }
}
