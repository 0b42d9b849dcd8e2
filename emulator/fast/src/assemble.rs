//! From steps to machine code: gives out the 16 vector registers of the host, in one pass over the
//! block with the next use of every value known, and encodes.

use crate::builder::UNORDERED_SIGNALS;
use crate::context::{
    BANK1, COEFFICIENT, HOST_MXCSR, LMEM, LOG, MXCSR, PASSES, RAISED, RIND, RSTEP, SPILL, SPILLS,
    UNDO, vector_at,
};
use crate::ir::{Base, Ins, Value};
use crate::scalar::{built, context};
use iced_x86::{Code, Encoder, IcedError, Instruction, MemoryOperand, Register};

const REGISTERS: usize = 16;
const LOAD: Code = Code::VEX_Vmovups_ymm_ymmm256;
const STORE: Code = Code::VEX_Vmovups_ymmm256_ymm;
/// A value that is not used again.
const NEVER: u32 = u32::MAX;

/// The block asks for more than an encoding or the context holds.
#[derive(Debug)]
pub(crate) struct Unencodable;

impl From<IcedError> for Unencodable {
    fn from(_: IcedError) -> Self {
        Self
    }
}

struct Assembler {
    encoder: Encoder,
    length: u64,
    homes: Vec<Option<i32>>,
    /// Uses of every value still to come, the next one last.
    uses: Vec<Vec<u32>>,
    /// The register that holds a value.
    place: Vec<Option<u8>>,
    held: [Option<Value>; REGISTERS],
    free_spills: Vec<u32>,
    /// Places that this step still reads.
    freed_spills: Vec<u32>,
    n_spills: u32,
    /// Step at hand.
    now: u32,
}

fn ymm(register: u8) -> Register {
    Register::YMM0 + u32::from(register)
}

fn operand(base: Base, displacement: i32) -> MemoryOperand {
    let displacement = i64::from(displacement);
    match base {
        Base::Context => MemoryOperand::with_base_displ(Register::RDI, displacement),
        Base::Undo => MemoryOperand::with_base_displ(Register::R10, displacement),
        Base::Rax => MemoryOperand::with_base_displ(Register::RAX, displacement),
        Base::Word => indexed(Register::RSI, 1, displacement),
        Base::Table => indexed(Register::RBX, 8, displacement),
    }
}

fn indexed(base: Register, scale: u32, displacement: i64) -> MemoryOperand {
    MemoryOperand::with_base_index_scale_displ_size(base, Register::RAX, scale, displacement, 1)
}

/// Encodes a block. `repeats` makes it go back to its start while passes are left.
pub(crate) fn assemble(
    ins: &[Ins],
    homes: Vec<Option<i32>>,
    repeats: bool,
) -> Result<Vec<u8>, Unencodable> {
    let mut uses = vec![Vec::new(); homes.len()];
    for (k, step) in ins.iter().enumerate().rev() {
        step.for_each_source(|v| uses[v as usize].push(k as u32));
    }
    let mut assembler = Assembler {
        encoder: Encoder::try_new(64)?,
        length: 0,
        place: vec![None; homes.len()],
        homes,
        uses,
        held: [None; REGISTERS],
        free_spills: Vec::new(),
        freed_spills: Vec::new(),
        n_spills: 0,
        now: 0,
    };
    assembler.prologue()?;
    let top = assembler.length;
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
    assembler.epilogue()?;
    Ok(assembler.encoder.take_buffer())
}

impl Assembler {
    fn emit(&mut self, instruction: &Instruction) -> Result<(), Unencodable> {
        self.length += self.encoder.encode(instruction, self.length)? as u64;
        Ok(())
    }

    fn emit_all(&mut self, list: Vec<Result<Instruction, IcedError>>) -> Result<(), Unencodable> {
        for instruction in list {
            self.emit(&instruction?)?;
        }
        Ok(())
    }

    fn prologue(&mut self) -> Result<(), Unencodable> {
        let load = |to, from| Instruction::with2(Code::Mov_r64_rm64, to, context(from));
        self.emit_all(vec![
            Instruction::with1(Code::VEX_Vstmxcsr_m32, context(HOST_MXCSR)),
            Instruction::with1(Code::VEX_Vldmxcsr_m32, context(MXCSR)),
            Instruction::with1(Code::Push_r64, Register::RBX),
            Instruction::with1(Code::Push_r64, Register::R12),
            load(Register::R12, LOG),
            load(Register::RSI, LMEM),
            load(Register::RBX, COEFFICIENT),
            load(Register::R10, UNDO),
            Instruction::with2(Code::Xor_r32_rm32, Register::R11D, Register::R11D),
            Instruction::with2(Code::Mov_r32_rm32, Register::R8D, context(RIND)),
            Instruction::with2(Code::Mov_r32_rm32, Register::R9D, context(RSTEP)),
        ])
    }

    fn epilogue(&mut self) -> Result<(), Unencodable> {
        self.emit_all(vec![
            Instruction::with2(Code::Movzx_r32_rm16, Register::R8D, Register::R8W),
            Instruction::with2(Code::Mov_rm32_r32, context(RIND), Register::R8D),
            Instruction::with2(Code::Mov_rm32_r32, context(RSTEP), Register::R9D),
            Instruction::with2(Code::Add_rm64_r64, context(BANK1), Register::R11),
            Instruction::with2(Code::Mov_rm64_r64, context(UNDO), Register::R10),
            Instruction::with1(Code::VEX_Vstmxcsr_m32, context(RAISED)),
            Instruction::with1(Code::VEX_Vldmxcsr_m32, context(HOST_MXCSR)),
            Instruction::with2(Code::Mov_rm64_r64, context(LOG), Register::R12),
            Instruction::with1(Code::Pop_r64, Register::R12),
            Instruction::with1(Code::Pop_r64, Register::RBX),
            Ok(Instruction::with(Code::VEX_Vzeroupper)),
            Ok(Instruction::with(Code::Retnq)),
        ])
    }

    fn next_use(&self, value: Value) -> u32 {
        self.uses[value as usize].last().copied().unwrap_or(NEVER)
    }

    /// A register that none of `pinned` is in; what it held is put aside if it is needed later.
    fn register(&mut self, pinned: &[u8]) -> Result<u8, Unencodable> {
        let mut best = (0, 0);
        for r in 0..REGISTERS as u8 {
            if pinned.contains(&r) {
                continue;
            }
            let Some(value) = self.held[usize::from(r)] else { return Ok(r) };
            let next = self.next_use(value);
            if next >= best.0 {
                best = (next, r);
            }
        }
        let register = best.1;
        if let Some(value) = self.held[usize::from(register)].take() {
            self.place[value as usize] = None;
            if self.next_use(value) != NEVER && self.homes[value as usize].is_none() {
                let slot = self.free_spills.pop().unwrap_or_else(|| {
                    self.n_spills += 1;
                    self.n_spills - 1
                });
                if slot as usize >= SPILLS {
                    return Err(Unencodable);
                }
                let home = vector_at(SPILL, slot as usize);
                self.homes[value as usize] = Some(home);
                self.emit(&Instruction::with2(STORE, context(home), ymm(register))?)?;
            }
        }
        Ok(register)
    }

    fn hold(&mut self, register: u8, value: Value) {
        self.held[usize::from(register)] = Some(value);
        self.place[value as usize] = Some(register);
    }

    /// Brings a value into a register.
    fn in_register(&mut self, value: Value, pinned: &mut Vec<u8>) -> Result<u8, Unencodable> {
        let register = match self.place[value as usize] {
            Some(register) => register,
            None => {
                let register = self.register(pinned)?;
                let home = self.homes[value as usize].ok_or(Unencodable)?;
                self.emit(&Instruction::with2(LOAD, ymm(register), context(home))?)?;
                self.hold(register, value);
                register
            }
        };
        pinned.push(register);
        Ok(register)
    }

    /// Where an operand that may be in memory is.
    fn anywhere(&mut self, value: Value, pinned: &mut Vec<u8>) -> Result<Operand, Unencodable> {
        if self.place[value as usize].is_none()
            && self.uses[value as usize].len() <= 1
            && let Some(home) = self.homes[value as usize]
        {
            return Ok(Operand::Memory(context(home)));
        }
        self.in_register(value, pinned).map(|r| Operand::Register(ymm(r)))
    }

    /// Counts this step's uses down and frees what is not used again.
    fn release(&mut self, step: &Ins) {
        let mut sources = Vec::with_capacity(3);
        step.for_each_source(|v| sources.push(v));
        for value in sources {
            let v = value as usize;
            while self.uses[v].last() == Some(&self.now) {
                self.uses[v].pop();
            }
            if self.uses[v].is_empty() {
                if let Some(register) = self.place[v].take() {
                    self.held[usize::from(register)] = None;
                }
                let first = vector_at(SPILL, 0);
                if let Some(home) = self.homes[v]
                    && home >= first
                {
                    self.homes[v] = None;
                    self.freed_spills.push(((home - first) / 32) as u32);
                }
            }
        }
    }

    /// Gives the result of a step a register, after its operands have been released.
    fn result(&mut self, step: &Ins, d: Value, keep: &[u8]) -> Result<Register, Unencodable> {
        self.release(step);
        let register = self.register(keep)?;
        if self.next_use(d) != NEVER {
            self.hold(register, d);
        }
        Ok(ymm(register))
    }

    fn step(&mut self, step: &Ins) -> Result<(), Unencodable> {
        let mut pinned = Vec::with_capacity(4);
        let p = &mut pinned;
        match *step {
            Ins::Raw(ref instruction) => self.emit(instruction)?,
            Ins::Unary { code, d, b, imm } => {
                let b = self.anywhere(b, p)?;
                let d = self.result(step, d, &[])?;
                self.emit(&two(code, d, b, imm)?)?;
            }
            Ins::Binary { code, d, a, b, imm } => {
                let a = self.in_register(a, p)?;
                let b = self.anywhere(b, p)?;
                let d = self.result(step, d, &pinned)?;
                self.emit(&three(code, d, ymm(a), b, imm)?)?;
            }
            Ins::Shift { code, d, a, count } => {
                let a = self.in_register(a, p)?;
                let d = self.result(step, d, &pinned)?;
                self.emit(&Instruction::with3(code, d, ymm(a), u32::from(count))?)?;
            }
            Ins::Select { code, d, a, b, mask } => {
                let a = self.in_register(a, p)?;
                let mask = self.in_register(mask, p)?;
                let b = self.anywhere(b, p)?;
                let d = self.result(step, d, &pinned)?;
                self.emit(&match b {
                    Operand::Register(b) => Instruction::with4(code, d, ymm(a), b, ymm(mask))?,
                    Operand::Memory(b) => Instruction::with4(code, d, ymm(a), b, ymm(mask))?,
                })?;
            }
            Ins::Check { a, b } => {
                let a = self.in_register(a, p)?;
                let b = self.anywhere(b, p)?;
                let trash = ymm(self.register(&pinned)?);
                let code = Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8;
                self.emit(&three(code, trash, ymm(a), b, Some(UNORDERED_SIGNALS))?)?;
                self.release(step);
            }
            Ins::Load { d, base, displacement } => {
                let d = self.result(step, d, &[])?;
                self.emit(&Instruction::with2(LOAD, d, operand(base, displacement))?)?;
            }
            Ins::Broadcast { d, base, displacement } => {
                let d = self.result(step, d, &[])?;
                let code = Code::VEX_Vbroadcastsd_ymm_m64;
                self.emit(&Instruction::with2(code, d, operand(base, displacement))?)?;
            }
            Ins::Store { v, base, displacement } => {
                let v = self.in_register(v, p)?;
                let place = operand(base, displacement);
                self.emit(&Instruction::with2(STORE, place, ymm(v))?)?;
                self.release(step);
            }
            Ins::Keep { from, to } => {
                let register = ymm(self.register(&[])?);
                self.emit(&Instruction::with2(LOAD, register, operand(from.0, from.1))?)?;
                self.emit(&Instruction::with2(STORE, operand(to.0, to.1), register)?)?;
            }
        }
        Ok(())
    }
}

enum Operand {
    Register(Register),
    Memory(MemoryOperand),
}

fn two(code: Code, d: Register, b: Operand, imm: Option<u8>) -> Result<Instruction, IcedError> {
    match (b, imm.map(u32::from)) {
        (Operand::Register(b), None) => Instruction::with2(code, d, b),
        (Operand::Memory(b), None) => Instruction::with2(code, d, b),
        (Operand::Register(b), Some(imm)) => Instruction::with3(code, d, b, imm),
        (Operand::Memory(b), Some(imm)) => Instruction::with3(code, d, b, imm),
    }
}

fn three(
    code: Code,
    d: Register,
    a: Register,
    b: Operand,
    imm: Option<u8>,
) -> Result<Instruction, IcedError> {
    match (b, imm.map(u32::from)) {
        (Operand::Register(b), None) => Instruction::with3(code, d, a, b),
        (Operand::Memory(b), None) => Instruction::with3(code, d, a, b),
        (Operand::Register(b), Some(imm)) => Instruction::with4(code, d, a, b, imm),
        (Operand::Memory(b), Some(imm)) => Instruction::with4(code, d, a, b, imm),
    }
}
