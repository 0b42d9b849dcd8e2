//! Blocks: operations from one place on, up to a jump or a limit, with side exits at branches that are taken.

use super::flow::{self, Condition};
use super::operation::{Exit, Handler, Operation, next};
use super::shape::{Branch, BranchTarget, Translated, Where};
use super::timing;
use super::translate::translate;
use crate::core::Cpu;
use crate::exception::Exception;
use crate::isa::{self, Instruction, Release, decode};
use crate::registers::{LATCH, SINK};
use crate::timing::Class;

/// Largest number of instructions in a block, delay slots included: counts of instructions fit a byte.
pub(super) const LONGEST: u32 = 96;

/// Effect of an operation in its block, for those who do it in another way than by its handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The effect of an instruction that is no branch, on registers and memory.
    Effect(isa::Operation),
    /// Writes a link: an address relative to the begin of the block.
    Link,
    /// Keeps in the latch whether a condition holds.
    KeepCondition(Condition),
    /// Keeps the address of a jump in the latch.
    KeepTarget,
    /// Leaves the block if a condition holds.
    Branch(Condition),
    /// Leaves the block for an address that is known.
    Jump,
    /// Leaves the block for the address in a register.
    JumpRegister,
    /// Charges the time of the line of instructions at a displacement from the begin of the block.
    Line,
    /// Charges the time of an instruction of a class.
    Time(Class),
    /// All else: what only the handler does.
    Handler,
}

/// Place of the instruction from which an operation was translated.
#[derive(Clone, Copy)]
pub(crate) struct Origin {
    /// Number of the instruction in its block, from 0.
    pub(crate) at: u32,
    /// Whether the instruction stands in the delay slot of the one before.
    pub(crate) is_delayed: bool,
    pub(crate) role: Role,
}

/// Operations to run one after the other.
pub(crate) struct DecodedBlock {
    pub(crate) pc: u64,
    pub(crate) operations: Box<[Operation]>,
    /// Origin of each operation.
    pub(crate) origins: Box<[Origin]>,
    pub(crate) n_instructions: u32,
}

impl DecodedBlock {
    /// Runs the operations of the block.
    #[inline(always)]
    pub(super) fn run(&self, core: &mut Cpu) -> Exit {
        next(core, &self.operations)
    }

    /// Runs the operations of the block from one of them on.
    pub(crate) fn run_from(&self, core: &mut Cpu, first: usize) -> Exit {
        core.running.block = self.pc;
        next(core, self.operations.get(first..).unwrap_or_default())
    }

    /// Returns the place of the operation that stopped with so many behind it.
    pub(super) fn origin(&self, behind: u32) -> Origin {
        let at = self.origins.len().saturating_sub(behind as usize + 1);
        let first = Origin { at: 0, is_delayed: false, role: Role::Handler };
        self.origins.get(at).copied().unwrap_or(first)
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

/// Operation of a delay slot, if there is one, with its role; and its time.
type Delayed = (Option<(Role, Operation)>, Time);
/// Operation that tells the time of an instruction, with its class.
type Time = (Class, Operation);

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

    fn push(&mut self, role: Role, operation: Operation, at: u32, is_delayed: bool) {
        self.operations.push(operation);
        self.origins.push(Origin { at, is_delayed, role });
    }

    /// Adds the operation that tells the time of an instruction, which goes before it.
    fn push_time(&mut self, time: impl FnOnce() -> Time, at: u32, is_delayed: bool) {
        let Some(line_bytes) = self.line_bytes else { return };
        let displacement = 4 * at;
        let address = self.pc.wrapping_add(displacement.into());
        if at == 0 || address.is_multiple_of(line_bytes.into()) {
            self.push(Role::Line, timing::line(displacement as i32), at, is_delayed);
        }
        let (class, operation) = time();
        self.push(Role::Time(class), operation, at, is_delayed);
    }

    fn fetch(&self, core: &mut Cpu, address: u64) -> Result<Result<Instruction, u32>, Exception> {
        let word = core.fetch(address)?;
        Ok(decode(word, self.release).ok_or(word))
    }

    /// Translates an instruction; one of the FPU raises an exception while the FPU is off, and one of 64 bits where the
    /// mode has none.
    fn meaning(core: &Cpu, instruction: Instruction) -> Translated {
        if is_float(instruction.word) && !core.has(1) {
            let run = flow::coprocessor;
            return Translated::Last(Operation { run, a: 0, b: 0, c: 1, d: SINK, imm: 0 });
        }
        // A coprocessor that cannot be used comes first.
        let is_free = instruction.operation.coprocessor().is_none_or(|unit| core.has(unit));
        if is_free && instruction.operation.is_wide() && !core.has_wide_operations() {
            return Translated::Last(reserved(instruction.word));
        }
        translate(instruction)
    }

    /// Translates the next instruction, with its delay slot; false if the block ends with it.
    fn instruction(&mut self, core: &mut Cpu) -> Result<bool, Exception> {
        let decoded = self.fetch(core, self.address())?;
        let instruction = match decoded {
            Ok(instruction) => instruction,
            Err(word) => {
                self.push(Role::Handler, reserved(word), self.at, false);
                self.at += 1;
                return Ok(false);
            }
        };
        match Self::meaning(core, instruction) {
            Translated::Nothing => self.push_time(timing::slot, self.at, false),
            Translated::Operation(operation) => {
                self.push_time(|| timing::of(instruction, &operation), self.at, false);
                self.push(Role::Effect(instruction.operation), operation, self.at, false);
            }
            Translated::Last(operation) => {
                self.push_time(|| timing::of(instruction, &operation), self.at, false);
                self.push(Role::Handler, operation, self.at, false);
                self.at += 1;
                return Ok(false);
            }
            Translated::Branch(branch) => return self.branch(core, instruction, branch),
        }
        self.at += 1;
        Ok(true)
    }

    /// Translates the delay slot of the branch at `at`: its operation, none if it does nothing; and its time.
    fn delay_slot(&self, core: &mut Cpu) -> Result<Delayed, Exception> {
        let last = |operation| Some((Role::Handler, operation));
        Ok(match self.fetch(core, self.address().wrapping_add(4))? {
            Err(word) => (last(reserved(word)), timing::slot()),
            Ok(instruction) => match Self::meaning(core, instruction) {
                Translated::Nothing => (None, timing::slot()),
                Translated::Operation(operation) => {
                    let role = Role::Effect(instruction.operation);
                    (Some((role, operation)), timing::of(instruction, &operation))
                }
                Translated::Last(operation) => {
                    (last(operation), timing::of(instruction, &operation))
                }
                // A branch there has no meaning.
                Translated::Branch(_) => (last(reserved(instruction.word)), timing::slot()),
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
            self.push(Role::Handler, before, at, false);
        }
        let (mut handler, mut role): (Handler, Role) = match branch.place {
            BranchTarget::Register(register) => {
                a = register;
                (flow::jump_register, Role::JumpRegister)
            }
            BranchTarget::Always(_) => (flow::jump, Role::Jump),
            BranchTarget::If(condition, _) => (condition.branch(), Role::Branch(condition)),
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
            self.push(Role::Branch(condition.opposite()), over, at, false);
            self.push_slot(delayed, at);
            let jump = Operation { run: flow::jump, a, b, c: leaving, d: SINK, imm };
            self.push(Role::Jump, jump, at, false);
            self.at += 2;
            return Ok(false);
        }
        let is_written = |register: u8| {
            register != 0
                && (register == branch.link || slot.is_some_and(|(_, slot)| slot.d == register))
        };
        if is_written(a) || is_written(b) {
            self.push_latch(branch.place, [a, b], at);
            if let BranchTarget::If(..) = branch.place {
                handler = Condition::Unequal.branch();
                role = Role::Branch(Condition::Unequal);
            }
            (a, b) = (LATCH, 0);
        }
        self.push_link(branch.link, behind, at);
        self.push_slot(delayed, at);
        self.push(role, Operation { run: handler, a, b, c: leaving, d: SINK, imm }, at, false);
        self.at += 2;
        Ok(matches!(role, Role::Branch(_)))
    }

    /// Adds the operation that keeps the condition or the target of a branch over its delay slot.
    fn push_latch(&mut self, place: BranchTarget, [a, b]: [u8; 2], at: u32) {
        let (role, run): (Role, Handler) = match place {
            BranchTarget::If(condition, _) => (Role::KeepCondition(condition), condition.latch()),
            _ => (Role::KeepTarget, super::integer::copy),
        };
        self.push(role, Operation { run, a, b, c: 0, d: LATCH, imm: 0 }, at, false);
    }

    fn push_link(&mut self, link: u8, behind: i32, at: u32) {
        if link != SINK {
            let operation = Operation { run: flow::link, a: 0, b: 0, c: 0, d: link, imm: behind };
            self.push(Role::Link, operation, at, false);
        }
    }

    fn push_slot(&mut self, (slot, time): Delayed, at: u32) {
        self.push_time(|| time, at + 1, true);
        if let Some((role, slot)) = slot {
            self.push(role, slot, at + 1, true);
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
