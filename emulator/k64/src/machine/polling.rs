//! Waits of a program that asks for a status again and again: where its turns are all the same, time outside of the
//! core passes in one go up to the next answer, and the turns meanwhile are counted instead of done. Everything is as if
//! each had been done.

use super::question::{deciding_bits, is_branch, is_pure};
use super::{MachineEnd, Processor};
use crate::core::Cpu;
use crate::exception::AccessKind;
use crate::isa::{Instruction, Operation, Release, decode};
use crate::outside::Question;
use crate::registers::Registers;
use crate::timing::Phase;

/// Largest number of instructions of a turn.
const LONGEST: u64 = 32;
/// Number of turns in which a loop has to come into a rhythm.
const TRIES: u32 = 8;
/// Number of cycles before the limit of a run, or the timer, from which on each turn is done.
const NEAR: u64 = 1024;
/// Largest number of cycles that pass in one go.
const MOST: u64 = 1 << 20;

/// Loop that does nothing but ask.
struct AskingLoop {
    question: Question,
    /// Bits of the answer that decide whether it goes on.
    bits: u64,
    /// Number of instructions of a turn.
    length: u64,
}

/// State of a core behind an instruction that asks, as far as a turn of a loop can change it.
struct TurnState {
    registers: Registers,
    n_instructions: u64,
    n_stalled: u64,
    /// Cycle in which the instruction asked.
    asked_at: u64,
    phase: Option<Phase>,
}

impl TurnState {
    fn of(core: &Cpu, asked_at: u64) -> Self {
        Self {
            registers: core.registers.clone(),
            n_instructions: core.n_instructions,
            n_stalled: core.n_stalled,
            asked_at,
            phase: core.timing.as_ref().map(|timing| timing.phase()),
        }
    }

    /// Whether the next turn will be the one since an earlier state, as long as the answer is the same.
    fn is_like(&self, before: &Self) -> bool {
        self.registers.general() == before.registers.general()
    }

    /// Returns the cycles of the turn since an earlier state, if the next turn will take the same time.
    fn turn_since(&self, before: &Self, core: &Cpu) -> Option<u64> {
        let cycles = self.asked_at - before.asked_at;
        let is_in_time = match (&core.timing, &before.phase) {
            (Some(timing), Some(phase)) => timing.is_in_phase(phase, cycles),
            _ => true,
        };
        (is_in_time && (1..NEAR / 4).contains(&cycles)).then_some(cycles)
    }
}

/// Notes about an instruction that asks again and again.
#[derive(Default)]
pub(super) struct Polling {
    /// Cycle up to which turns may be counted instead of done; 0 if each is to be done.
    pub(super) until: u64,
    /// Whether each turn is to be done in any case.
    pub(super) is_off: bool,
    /// Address of the instruction that reached outside last.
    address: u64,
    /// Number of completed instructions behind it.
    n_instructions: u64,
    /// Number of turns that are looked at yet.
    tries: u32,
    known: Option<AskingLoop>,
    before: Option<Box<TurnState>>,
}

impl Polling {
    /// Begins with an instruction that has reached outside.
    fn begin(&mut self, address: u64, n_instructions: u64) {
        (self.address, self.n_instructions, self.tries) = (address, n_instructions, TRIES);
        (self.known, self.before) = (None, None);
    }
}

impl Processor {
    /// Does every turn of a loop that asks for a status, from now on: everything is the same, more slowly.
    pub fn ask_each_time(&mut self) {
        self.polling.is_off = true;
    }

    /// Looks at the instruction at `address`, which has reached outside in the cycle `asked_at`. If it did so again and
    /// again, and will go on, the turns until another answer are counted. Returns the outcome if the run ends.
    pub(super) fn poll(&mut self, address: u64, asked_at: u64) -> Option<MachineEnd> {
        let n = self.core.n_instructions;
        let length = n - std::mem::replace(&mut self.polling.n_instructions, n);
        if self.polling.address != address || length > LONGEST {
            self.polling.begin(address, n);
            return None;
        }
        if self.polling.tries == 0 || !self.may_pass_turns() {
            return None;
        }
        self.polling.tries -= 1;
        let state = TurnState::of(&self.core, asked_at);
        let Some(known) = &self.polling.known else {
            self.polling.before = Some(Box::new(state));
            return self.learn_turn(address, length);
        };
        let (question, bits) = (known.question, known.bits);
        let before = self.polling.before.take()?;
        if known.length != length || !state.is_like(&before) {
            // A turn with another answer may go another way.
            self.polling.known = None;
        } else if let Some(cycles) = state.turn_since(&before, &self.core) {
            self.pass_turns(&before, cycles, question, bits);
            self.polling.begin(address, self.core.n_instructions);
        } else {
            self.polling.before = Some(Box::new(state));
        }
        None
    }

    /// Whether nobody looks at single turns, and no interrupt from outside can end one.
    fn may_pass_turns(&self) -> bool {
        let is_looked_at = self.polling.is_off
            || self.history.is_some()
            || self.stop_at != u64::MAX
            || self.engine.has_breakpoints()
            || self.core.memory.has_watchpoints();
        let near = self.core.cycle().saturating_add(NEAR);
        let is_alone = self.core.privileged.as_ref().is_some_and(|privileged| {
            !privileged.cp0.listens_to_lines() && privileged.cp0.timer_at() > near
        });
        !is_looked_at && is_alone && self.polling.until > near
    }

    /// Does the rest of a turn of `length` instructions one by one, up to the instruction at `address`, which asks, and
    /// notes what the turn is. Returns the outcome if the run ends.
    fn learn_turn(&mut self, address: u64, length: u64) -> Option<MachineEnd> {
        // Behind each instruction that reaches outside there is a look.
        if let Some(end) = self.look_outside() {
            return Some(end);
        }
        let cycle = self.core.cycle();
        let look = self.core.privileged.as_ref()?.outside.next_look(cycle).unwrap_or(u64::MAX);
        let asks = self.instruction(address)?;
        let question = self.question(asks);
        let mut turn = Vec::new();
        while self.core.pc != address && (turn.len() as u64) < length && self.core.cycle() < look {
            let instruction = self.instruction(self.core.pc).filter(|i| is_pure(*i));
            let Some(instruction) = instruction else {
                self.polling.tries = 0;
                return None;
            };
            turn.push(instruction);
            if is_branch(instruction) {
                turn.extend(self.instruction(self.core.pc.wrapping_add(4)));
            }
            if let Some(stop) = self.engine.step_inside(&mut self.core) {
                self.polling.tries = 0;
                return self.react(stop);
            }
        }
        let bits = deciding_bits(asks, &turn).filter(|_| self.core.pc == address);
        match (question, bits) {
            (Some(question), Some(bits)) => {
                self.polling.known = Some(AskingLoop { question, bits, length });
            }
            _ => self.polling.tries = 0,
        }
        None
    }

    /// Returns the instruction at an address, if it can be fetched.
    fn instruction(&mut self, address: u64) -> Option<Instruction> {
        decode(self.core.fetch(address).ok()?, Release::R2)
    }

    /// Returns the question of an instruction that asks; `None` if it does anything else.
    fn question(&mut self, asks: Instruction) -> Option<Question> {
        match asks.operation {
            Operation::Dmfc2 | Operation::Mfc2 if asks.rd() < 16 => {
                Some(Question::Coprocessor(asks.rd()))
            }
            Operation::Lw | Operation::Lwu if asks.rs() != asks.rt() => {
                let base = self.core.registers[asks.rs()];
                let address = base.wrapping_add(i64::from(asks.imm()) as u64);
                self.core.memory.physical(address, AccessKind::Load).ok().map(Question::Device)
            }
            _ => None,
        }
    }

    /// Lets time pass outside up to another answer, and counts the turns of `cycles` cycles, such as the last one since
    /// `before`, that ask before.
    fn pass_turns(&mut self, before: &TurnState, cycles: u64, question: Question, bits: u64) {
        let core = &mut self.core;
        let asked_at = before.asked_at + cycles;
        let Some(privileged) = &mut core.privileged else { return };
        // Before a run stops, or an interrupt comes, the program asks again, so that it has the answer of that time.
        let last = self.polling.until.min(privileged.cp0.timer_at()) - NEAR / 2;
        let limit = last.min(asked_at + MOST);
        let outside = &mut privileged.outside;
        let Some(end) = outside.wait_for_answer(&mut core.memory, question, bits, limit) else {
            self.polling.tries = 0;
            return;
        };
        core.forget_removed();
        // The turn that asks in the last cycle gets the other answer.
        let turns = end.saturating_sub(asked_at).div_ceil(cycles).saturating_sub(1);
        let n_stalled = core.n_stalled - before.n_stalled;
        core.n_instructions += turns * (core.n_instructions - before.n_instructions);
        core.n_stalled += turns * n_stalled;
        if let (Some(timing), Some(phase)) = (&mut core.timing, &before.phase) {
            timing.repeat_since(phase, turns);
        }
    }
}
