//! Waits of a program that asks for a status again and again: where its turns are all the same, time outside of the
//! core passes in one go up to the next answer, and the turns meanwhile are counted instead of done. A program sees
//! everything as if each had been done; where a fault outside of the core ends the run, it may be told a turn earlier or
//! later, and bits of the last answer at which the loop does not look may be older.

use super::question::{deciding_bits, is_branch, is_pure};
use super::{MachineEnd, Processor};
use crate::core::Cpu;
use crate::exception::AccessKind;
use crate::isa::{Instruction, Operation, Release, decode};
use crate::outside::Question;
use crate::timing::Phase;

/// Largest number of instructions of a turn.
const LONGEST_TURN: u64 = 32;
/// Number of turns in which a loop has to come into phase.
const TRIES: u32 = 8;
/// Number of turns that are done before a loop is looked at again which could not be counted; each time twice as many, up
/// to the second number.
const PAUSES: [u32; 2] = [32, 2048];
/// Number of cycles before the limit of a run, or the timer, from which on each turn is done.
const MARGIN: u64 = 1024;
/// Largest number of cycles that pass in one go.
const LONGEST_WAIT: u64 = 1 << 20;

/// Loop that does nothing but ask.
struct AskingLoop {
    question: Question,
    /// Bits of the answer that decide whether it goes on.
    bits: u64,
    /// Number of instructions of a turn.
    length: u64,
    /// General registers behind the instruction that asks: with others, a turn may go another way.
    registers: Vec<u64>,
}

/// State of a core behind an instruction that asks, as far as a turn of a loop can change it.
struct TurnState {
    n_instructions: u64,
    n_stalled: u64,
    /// Cycle in which the instruction asked.
    asked_at: u64,
    phase: Option<Box<Phase>>,
}

impl TurnState {
    fn of(core: &Cpu, asked_at: u64) -> Self {
        Self {
            n_instructions: core.n_instructions,
            n_stalled: core.n_stalled,
            asked_at,
            phase: core.timing.as_ref().map(|timing| Box::new(timing.phase())),
        }
    }

    /// Returns the cycles of the turn since an earlier state, if the next turn will take the same time.
    fn turn_since(&self, before: &Self, core: &Cpu) -> Option<u64> {
        let cycles = self.asked_at - before.asked_at;
        let is_in_phase = match (&core.timing, &before.phase) {
            (Some(timing), Some(phase)) => timing.is_in_phase(phase, cycles),
            (None, None) => true,
            _ => false,
        };
        (is_in_phase && (1..MARGIN / 4).contains(&cycles)).then_some(cycles)
    }
}

/// Notes about an instruction that asks again and again.
#[derive(Default)]
pub(super) struct Polling {
    /// Cycle up to which turns may be counted instead of done; 0 if each is to be done.
    until: u64,
    /// Whether each turn is to be done in any case.
    is_off: bool,
    /// Address of the latest instruction that was done alone, as those are that reach outside.
    address: u64,
    /// Number of completed instructions behind it.
    n_instructions: u64,
    /// Whether the instruction is in no loop that does nothing but ask.
    is_refused: bool,
    /// Number of turns in which the loop may still come into phase.
    tries: u32,
    /// Number of turns to be done before the loop is looked at again, and that of the next such pause.
    pause: u32,
    next_pause: u32,
    known: Option<AskingLoop>,
    before: Option<TurnState>,
}

impl Polling {
    /// Begins with an instruction that was done alone; what was known of another one is forgotten.
    fn begin(&mut self, address: u64, n_instructions: u64) {
        let (until, is_off) = (self.until, self.is_off);
        let (tries, next_pause) = (TRIES, PAUSES[0]);
        *self =
            Self { until, is_off, address, n_instructions, tries, next_pause, ..Self::default() };
    }

    /// Begins a run up to a cycle, or with 0 one in which each turn is done: nothing is known of loops.
    pub(super) fn begin_run(&mut self, until: u64) {
        self.until = until;
        self.begin(u64::MAX, 0);
    }

    /// Lets turns be done for a while, because they cannot be counted now.
    fn rest(&mut self) {
        (self.pause, self.tries) = (self.next_pause, TRIES);
        self.next_pause = (2 * self.next_pause).min(PAUSES[1]);
        (self.known, self.before) = (None, None);
    }

    /// Takes note that the instruction at `address` was done alone. Whether the loop that it may be in is to be looked
    /// at: whether it was the latest one before too, not long ago.
    fn is_again(&mut self, address: u64, n_instructions: u64) -> bool {
        let length = n_instructions.checked_sub(self.n_instructions);
        if self.address != address || length.is_none_or(|length| length > LONGEST_TURN) {
            self.begin(address, n_instructions);
            return false;
        }
        self.n_instructions = n_instructions;
        if self.is_refused || self.pause > 0 {
            self.pause = self.pause.saturating_sub(1);
            return false;
        }
        true
    }
}

impl Processor {
    /// Sets whether every turn of a loop that asks for a status is done from now on, instead of counted: everything is the
    /// same, more slowly.
    pub fn ask_each_time(&mut self, is_each: bool) {
        self.polling.is_off = is_each;
    }

    /// Looks at the instruction at `address`, which was done alone in the cycle `asked_at`. If it asks again and again,
    /// and will go on, the turns until another answer are counted. Returns the outcome if the run ends.
    pub(super) fn poll(&mut self, address: u64, asked_at: u64) -> Option<MachineEnd> {
        let n = self.core.n_instructions;
        let length = n.saturating_sub(self.polling.n_instructions);
        if !self.polling.is_again(address, n) || !self.may_pass_turns() {
            return None;
        }
        if self.polling.tries == 0 {
            self.polling.rest();
            return None;
        }
        self.polling.tries -= 1;
        let state = TurnState::of(&self.core, asked_at);
        let registers = self.core.registers.general();
        let polling = &mut self.polling;
        let known = polling.known.take_if(|k| k.length != length || k.registers != registers);
        if known.is_some() || polling.known.is_none() {
            polling.before = Some(state);
            return self.learn_turn(address, length);
        }
        let cycles =
            polling.before.as_ref().and_then(|before| state.turn_since(before, &self.core));
        let before = polling.before.replace(state);
        if let (Some(before), Some(cycles)) = (before, cycles) {
            self.pass_turns(&before, cycles);
        }
        None
    }

    /// Whether no debugger watches single turns, and no interrupt from outside can end one.
    fn may_pass_turns(&self) -> bool {
        let is_watched = self.polling.is_off
            || self.history.is_some()
            || self.stop_at != u64::MAX
            || self.engine.has_breakpoints()
            || self.core.memory.has_watchpoints();
        let near = self.core.cycle().saturating_add(MARGIN);
        let is_alone = self.core.privileged.as_ref().is_some_and(|privileged| {
            !privileged.cp0.listens_to_lines() && privileged.cp0.timer_at() > near
        });
        !is_watched && is_alone && self.polling.until > near
    }

    /// Does the rest of a turn of `length` instructions one by one, up to the instruction at `address`, which asks, and
    /// notes what the turn is. Returns the outcome if the run ends.
    fn learn_turn(&mut self, address: u64, length: u64) -> Option<MachineEnd> {
        // Behind each instruction that reaches outside time outside comes to the core's cycle.
        if let Some(end) = self.look_outside() {
            return Some(end);
        }
        let cycle = self.core.cycle();
        let look = self.core.privileged.as_ref()?.outside.next_look(cycle).unwrap_or(u64::MAX);
        let asks = self.instruction(address)?;
        let Some(question) = self.question(asks) else {
            self.polling.is_refused = true;
            return None;
        };
        let registers = self.core.registers.general().to_vec();
        let mut turn = Vec::new();
        while self.core.pc != address && (turn.len() as u64) < length && self.core.cycle() < look {
            let instruction = self.instruction(self.core.pc).filter(|i| is_pure(*i));
            let Some(instruction) = instruction else {
                self.polling.rest();
                return None;
            };
            turn.push(instruction);
            if is_branch(instruction) {
                turn.extend(self.instruction(self.core.pc.wrapping_add(4)));
            }
            if let Some(stop) = self.engine.step_inside(&mut self.core) {
                self.polling.rest();
                return self.react(stop);
            }
        }
        match deciding_bits(asks, &turn).filter(|_| self.core.pc == address) {
            Some(bits) => {
                self.polling.known = Some(AskingLoop { question, bits, length, registers });
            }
            None => self.polling.rest(),
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
    fn pass_turns(&mut self, before: &TurnState, cycles: u64) {
        let core = &mut self.core;
        let asked_at = before.asked_at + cycles;
        let (Some(privileged), Some(known)) = (&mut core.privileged, &self.polling.known) else {
            return;
        };
        // Before a run stops, or an interrupt comes, the program asks again, so that it has the answer of that time.
        let last = self.polling.until.min(privileged.cp0.timer_at()) - MARGIN / 2;
        let limit = last.min(asked_at + LONGEST_WAIT);
        let (outside, question, bits) = (&mut privileged.outside, known.question, known.bits);
        let Some(end) = outside.wait_for_answer(&mut core.memory, question, bits, limit) else {
            self.polling.rest();
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
        let polling = &mut self.polling;
        (polling.n_instructions, polling.before) = (core.n_instructions, None);
        (polling.tries, polling.next_pause) = (TRIES, PAUSES[0]);
    }
}
