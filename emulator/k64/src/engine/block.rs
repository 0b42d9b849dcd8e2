//! Blocks: operations from one place on, up to a jump or a limit, with side exits at branches that are taken.

use super::flow;
use super::operation::{Exit, Handler, Operation, next};
use super::shape::{Branch, BranchTarget, Translated, Where};
use super::timing;
use super::translate::translate;
use crate::core::Cpu;
use crate::exception::Exception;
use crate::isa::{Instruction, Release, decode};
use crate::registers::{LATCH, SINK};

/// Largest number of instructions in a block, delay slots included: counts of instructions fit a byte.
pub(super) const LONGEST: u32 = 96;

/// Place of the instruction from which an operation was translated.
#[derive(Clone, Copy)]
pub(super) struct Origin {
    /// Number of the instruction in its block, from 0.
    pub(super) at: u32,
    /// Whether the instruction stands in the delay slot of the one before.
    pub(super) is_delayed: bool,
}

/// Operations to run one after the other.
pub(super) struct DecodedBlock {
    pub(super) pc: u64,
    operations: Box<[Operation]>,
    origins: Box<[Origin]>,
    pub(super) n_instructions: u32,
}

impl DecodedBlock {
    /// Runs the operations of the block.
    #[inline(always)]
    pub(super) fn run(&self, core: &mut Cpu) -> Exit {
        next(core, &self.operations)
    }

    /// Returns the place of the operation that stopped with so many behind it.
    pub(super) fn origin(&self, behind: u32) -> Origin {
        let at = self.origins.len().saturating_sub(behind as usize + 1);
        self.origins.get(at).copied().unwrap_or(Origin { at: 0, is_delayed: false })
    }

    /// Translates the block that begins at an address, of so many instructions, or one more for a delay slot; with what
    /// tells the time, if the core has one and it is wanted.
    ///
    /// # Errors
    /// If no instruction can be there.
    pub(super) fn translate(
        core: &mut Cpu,
        pc: u64,
        release: Release,
        longest: u32,
        is_timed: bool,
    ) -> Result<Self, Exception> {
        let line_bytes = core.timing.as_ref().map(|t| t.costs().caches.line_bytes);
        let line_bytes = line_bytes.filter(|_| is_timed);
        let (operations, origins) = (Vec::new(), Vec::new());
        let mut builder = Builder { pc, at: 0, release, line_bytes, operations, origins };
        loop {
            match builder.instruction(core) {
                Ok(true) if builder.at < longest => {}
                Ok(_) => break,
                // The block ends before; an instruction that gets there raises the exception.
                Err(_) if builder.at > 0 => break,
                Err(exception) => return Err(exception),
            }
        }
        Ok(Self {
            pc,
            operations: builder.operations.into(),
            origins: builder.origins.into(),
            n_instructions: builder.at,
        })
    }
}

struct Builder {
    pc: u64,
    at: u32,
    release: Release,
    /// Bytes of a line of the instruction cache, if the block tells the time.
    line_bytes: Option<u32>,
    operations: Vec<Operation>,
    origins: Vec<Origin>,
}

impl Builder {
    fn address(&self) -> u64 {
        self.pc.wrapping_add(4 * u64::from(self.at))
    }

    fn push(&mut self, operation: Operation, at: u32, is_delayed: bool) {
        self.operations.push(operation);
        self.origins.push(Origin { at, is_delayed });
    }

    /// Adds the operation that tells the time of an instruction, which goes before it.
    fn push_time(&mut self, time: impl FnOnce() -> Operation, at: u32, is_delayed: bool) {
        let Some(line_bytes) = self.line_bytes else { return };
        let displacement = 4 * at;
        let address = self.pc.wrapping_add(displacement.into());
        if at == 0 || address.is_multiple_of(line_bytes.into()) {
            self.push(timing::line(displacement as i32), at, is_delayed);
        }
        self.push(time(), at, is_delayed);
    }

    fn fetch(&self, core: &mut Cpu, address: u64) -> Result<Result<Instruction, u32>, Exception> {
        let word = core.fetch(address)?;
        Ok(decode(word, self.release).ok_or(word))
    }

    /// Translates an instruction; one of the FPU raises an exception while the FPU is off.
    fn meaning(core: &Cpu, instruction: Instruction) -> Translated {
        if is_float(instruction.word) && !core.has(1) {
            let run = flow::coprocessor;
            return Translated::Last(Operation { run, a: 0, b: 0, c: 1, d: SINK, imm: 0 });
        }
        translate(instruction)
    }

    /// Translates the next instruction, with its delay slot; false if the block ends with it.
    fn instruction(&mut self, core: &mut Cpu) -> Result<bool, Exception> {
        let decoded = self.fetch(core, self.address())?;
        let instruction = match decoded {
            Ok(instruction) => instruction,
            Err(word) => {
                self.push(reserved(word), self.at, false);
                self.at += 1;
                return Ok(false);
            }
        };
        match Self::meaning(core, instruction) {
            Translated::Nothing => self.push_time(timing::slot, self.at, false),
            Translated::Operation(operation) => {
                self.push_time(|| timing::of(instruction, &operation), self.at, false);
                self.push(operation, self.at, false);
            }
            Translated::Last(operation) => {
                self.push_time(|| timing::of(instruction, &operation), self.at, false);
                self.push(operation, self.at, false);
                self.at += 1;
                return Ok(false);
            }
            Translated::Branch(branch) => return self.branch(core, instruction, branch),
        }
        self.at += 1;
        Ok(true)
    }

    /// Translates the delay slot of the branch at `at`: its operation, none if it does nothing; and its time.
    fn delay_slot(&self, core: &mut Cpu) -> Result<(Option<Operation>, Operation), Exception> {
        Ok(match self.fetch(core, self.address().wrapping_add(4))? {
            Err(word) => (Some(reserved(word)), timing::slot()),
            Ok(instruction) => match Self::meaning(core, instruction) {
                Translated::Nothing => (None, timing::slot()),
                Translated::Operation(operation) | Translated::Last(operation) => {
                    (Some(operation), timing::of(instruction, &operation))
                }
                // A branch there has no meaning.
                Translated::Branch(_) => (Some(reserved(instruction.word)), timing::slot()),
            },
        })
    }

    /// Returns the distance of an address from the begin of the block.
    fn relative(&self, address: u64) -> i32 {
        address.wrapping_sub(self.pc) as i32
    }

    fn branch(
        &mut self,
        core: &mut Cpu,
        instruction: Instruction,
        branch: Branch,
    ) -> Result<bool, Exception> {
        let delayed = self.delay_slot(core)?;
        let slot = delayed.0;
        let (at, pc) = (self.at, self.address());
        self.push_time(|| timing::branch(&branch), at, false);
        let behind = self.relative(pc.wrapping_add(8));
        let (mut a, mut b) = (branch.a, branch.b);
        if let Some(before) = branch.before {
            self.push(before, at, false);
        }
        let (mut handler, is_last): (Handler, bool) = match branch.place {
            BranchTarget::Register(register) => {
                a = register;
                (flow::jump_register, true)
            }
            BranchTarget::Always(_) => (flow::jump, true),
            BranchTarget::If(condition, _) => (condition.branch(), false),
        };
        let imm = match branch.place {
            BranchTarget::Register(_) => 0,
            BranchTarget::Always(to) | BranchTarget::If(_, to) => {
                self.relative(to.of(instruction, pc))
            }
        };
        let leaving = (at + 2) as u8;
        if let (BranchTarget::If(condition, _), true) = (branch.place, branch.is_likely) {
            self.push_link(branch.link, behind, at);
            let over = Operation {
                run: condition.opposite().branch(),
                a,
                b,
                c: leaving - 1,
                d: SINK,
                imm: behind,
            };
            self.push(over, at, false);
            self.push_slot(delayed, at);
            self.push(Operation { run: flow::jump, a, b, c: leaving, d: SINK, imm }, at, false);
            self.at += 2;
            return Ok(false);
        }
        let is_written = |register: u8| {
            register != 0
                && (register == branch.link || slot.is_some_and(|slot| slot.d == register))
        };
        if is_written(a) || is_written(b) {
            let keep = match branch.place {
                BranchTarget::If(condition, _) => {
                    handler = flow::Condition::Unequal.branch();
                    condition.latch()
                }
                _ => super::integer::copy,
            };
            self.push(Operation { run: keep, a, b, c: 0, d: LATCH, imm: 0 }, at, false);
            (a, b) = (LATCH, 0);
        }
        self.push_link(branch.link, behind, at);
        self.push_slot(delayed, at);
        self.push(Operation { run: handler, a, b, c: leaving, d: SINK, imm }, at, false);
        self.at += 2;
        Ok(!is_last)
    }

    fn push_link(&mut self, link: u8, behind: i32, at: u32) {
        if link != SINK {
            let operation = Operation { run: flow::link, a: 0, b: 0, c: 0, d: link, imm: behind };
            self.push(operation, at, false);
        }
    }

    fn push_slot(&mut self, (slot, time): (Option<Operation>, Operation), at: u32) {
        self.push_time(|| time, at + 1, true);
        if let Some(slot) = slot {
            self.push(slot, at + 1, true);
        }
    }
}

/// Whether a word is an instruction of the FPU, by its opcode; moves on its conditions have that of integers.
fn is_float(word: u32) -> bool {
    match word >> 26 {
        0 => word & 63 == 1,
        0x11 | 0x13 | 0x31 | 0x35 | 0x39 | 0x3d => true,
        _ => false,
    }
}

fn reserved(word: u32) -> Operation {
    Operation { run: flow::reserved, a: 0, b: 0, c: 0, d: SINK, imm: word as i32 }
}

impl Where {
    fn of(self, instruction: Instruction, pc: u64) -> u64 {
        match self {
            Self::Branch => instruction.branch_target(pc),
            Self::Jump => instruction.jump_target(pc),
        }
    }
}
