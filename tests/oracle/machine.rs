//! The oracle's machine: the histories of all registers, the loop over the cycles, and the end of a
//! run. The two halves of a bundle are in `arithmetic` and `exchange`, the control flow in `flow`.
//!
//! Everything an operation will ever do is settled when its bundle issues, because whatever it reads
//! in a later stage was written by older bundles and already stands in the histories.

use super::defined::is_defined;
use super::exchange::exchange_code;
use super::flow::{Flow, Meaningless};
use super::history::{History, Moment, Write};
use super::rules::{Met, Rule};
use super::status::Status;
use super::times::Times;
use cp2_emu::{State, Stats};
use cp2_isa::{Bundle, BundleAddress, Core, SECTIONS, WordAddress, control, decode};
use std::collections::BTreeMap;

/// Stage 1 of an operation, in which operands are read, comes one cycle after the issue.
pub(super) const STAGE_1: i64 = 1;
/// Loads read and stores write local memory.
pub(super) const STAGE_2: i64 = 2;
/// `move` from and to COMM change COMMK64 and COMMCP2.
pub(super) const COMM_WRITE: i64 = STAGE_1 + 1;

/// STATUS: RUN.
const RUN: u64 = 1;
/// STATUS: FE, the host FIFO is empty.
const FIFO_EMPTY: u64 = 1 << 2;

/// Histories of the same register in every section.
pub(super) type Sections = [History; SECTIONS];

/// Reason why a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The run came to a `stop`, with its code.
    Stopped(u64),
    /// The run came to its limit of cycles.
    Limit,
    /// The run came to a bundle that has no meaning: its address and the cycle in which it would have issued.
    Fault(u32, u64),
}

/// Results of a run.
pub(crate) struct Verdict {
    pub(crate) ending: Ending,
    pub(crate) state: State,
    pub(crate) stats: Stats,
    /// STATUS as the host reads it afterwards.
    pub(crate) status: u64,
    pub(crate) met: Met,
    /// Reason why the bundle that ended the run has no meaning.
    pub(crate) reason: Option<Meaningless>,
}

/// The scalar registers.
pub(super) struct Scalars {
    pub(super) gpr: [History; 16],
    pub(super) ireg: [History; 16],
    pub(super) a: [History; 16],
    pub(super) n: [History; 16],
    pub(super) m: [History; 16],
    /// Section addresses by set; none without the extension.
    pub(super) sa: Vec<Sections>,
    pub(super) qa: Vec<History>,
    /// Control registers by number; STATUS and those of the control flow stay empty.
    pub(super) control: [History; control::COUNT as usize],
}

/// Conditions, flags, and the status of the whole.
pub(super) struct Flags {
    pub(super) fccr: Sections,
    pub(super) fcsr: Sections,
    pub(super) status: Status,
}

/// Counts of a run, and the rules that it has met.
pub(super) struct Counted {
    pub(super) stats: Stats,
    pub(super) met: Met,
}

/// Machine of the oracle.
pub(super) struct Machine<'a> {
    initial: &'a State,
    core: &'a Core,
    /// Upper word of the bundle at hand.
    pub(super) upper: u64,
    pub(super) times: Times,
    pub(super) fpr: Vec<Sections>,
    lmem: BTreeMap<u16, Sections>,
    pub(super) scalars: Scalars,
    /// Shared memory; none without the extension.
    pub(super) shared: Vec<History>,
    pub(super) flags: Flags,
    pub(super) flow: Flow,
    pub(super) counted: Counted,
    /// The cycle in which the bundle under consideration issues.
    pub(super) cycle: i64,
}

/// Runs a kernel on a core from `address`, at most `limit` cycles.
pub(crate) fn run(core: &Core, state: &State, address: u16, limit: u64) -> Verdict {
    let mut machine = Machine::new(core, state, address);
    let (mut ending, mut reason) = (Ending::Limit, None);
    for cycle in 0..limit {
        machine.cycle = cycle as i64;
        match machine.pass_cycle() {
            Ok(None) => {}
            Ok(Some(code)) => {
                ending = Ending::Stopped(code);
                break;
            }
            Err(meaningless) => {
                reason = Some(meaningless);
                ending = Ending::Fault(machine.flow.pc, cycle);
                break;
            }
        }
    }
    machine.verdict(ending, reason)
}

fn histories<const N: usize, T: Copy + Into<u64>>(values: [T; N]) -> [History; N] {
    values.map(|value| History::new(value.into()))
}

impl<'a> Machine<'a> {
    fn new(core: &'a Core, state: &'a State, address: u16) -> Self {
        let mut control = histories([0u64; control::COUNT as usize]);
        for (number, value) in [
            (control::COMM, state.comm),
            (control::CONTROL, state.control),
            (control::RIND, state.rind.into()),
            (control::RSTEP, state.rstep.into()),
            (control::RMASK, state.rmask.into()),
            (control::STOPCODE, state.stopcode),
        ] {
            control[usize::from(number)] = History::new(value);
        }
        Self {
            initial: state,
            core,
            upper: 0,
            times: Times::of(core),
            fpr: state.fpr.iter().map(|&register| histories(register)).collect(),
            lmem: BTreeMap::new(),
            shared: state.shared.iter().map(|&word| History::new(word)).collect(),
            flow: Flow::new(state, address),
            cycle: 0,
            scalars: Scalars {
                gpr: histories(state.gpr),
                ireg: histories(state.ireg),
                a: histories(state.a),
                n: histories(state.n),
                m: histories(state.m),
                sa: state.sa.iter().map(|&addresses| histories(addresses)).collect(),
                qa: state.qa.iter().map(|&address| History::new(address.into())).collect(),
                control,
            },
            flags: Flags {
                fccr: histories(state.fccr),
                fcsr: histories(state.fcsr),
                status: Status::new(state.status),
            },
            counted: Counted { stats: Stats::new(core), met: Met::default() },
        }
    }

    /// Passes one cycle; returns the stop code if the machine stops.
    fn pass_cycle(&mut self) -> Result<Option<u64>, Meaningless> {
        if self.flow.hold > 0 {
            self.flow.hold -= 1;
            self.count_cycle(5);
            return Ok(None);
        }
        if let Some(next) = self.flow.nullified.take() {
            self.flow.pc = next;
            self.count_cycle(4);
            return Ok(None);
        }
        let bits = *self.initial.iram.get(self.flow.pc as usize).ok_or(Meaningless::PastEnd)?;
        let word = bits as u64;
        self.upper = (bits >> 64) as u64;
        let bundle = match decode(bits, self.core) {
            Ok(bundle) if is_defined(bits, self.core) => bundle,
            _ => return Err(self.undefined(word)),
        };
        self.check_flow(word)?;
        self.count_issue(word, &bundle);
        self.decide();
        self.arithmetic(word, &bundle);
        self.exchange(word);
        let stopped = self.control_operation(word);
        self.flow.pc = self.flow.next;
        Ok(stopped)
    }

    fn undefined(&mut self, word: u64) -> Meaningless {
        let is_move = exchange_code(word) == 0x01 && word >> 3 & 7 == 2;
        let to = (word >> 17 & 15) as u8;
        self.counted.met.note(Rule::StopcodeRefused, is_move && to == control::STOPCODE);
        Meaningless::Undefined
    }

    fn count_cycle(&mut self, cause: usize) {
        self.counted.stats.cycles += 1;
        self.counted.stats.causes[cause] += 1;
    }

    fn count_issue(&mut self, word: u64, bundle: &Bundle) {
        self.count_cycle(match (word >> 56 & 0x7f, exchange_code(word)) {
            (0, 0) => 3,
            (_, 0) => 1,
            (0, _) => 2,
            _ => 0,
        });
        self.counted.stats.arithmetic[bundle.arith.op as usize] += 1;
        self.counted.stats.exchange[bundle.exch.op as usize] += 1;
    }

    /// Returns the order of a write of the arithmetic (0) or the exchange half (1) of the bundle at hand; what comes behind
    /// both is 2.
    pub(super) fn order(&self, half: u64) -> u64 {
        self.cycle as u64 * 3 + half
    }

    /// Returns a write of the arithmetic half, `delay` cycles after the issue.
    pub(super) fn arithmetic_write(&self, delay: i64, keep: u64, put: u64) -> Write {
        let lands = self.cycle + delay;
        Write { lands, moment: Moment::End, order: self.order(0), keep, put }
    }

    /// Returns a write of the exchange half, `delay` cycles after the issue.
    pub(super) fn exchange_write(&self, delay: i64, keep: u64, put: u64) -> Write {
        let lands = self.cycle + delay;
        Write { lands, moment: Moment::End, order: self.order(1), keep, put }
    }

    /// Returns a word of local memory; its history begins when it is first touched.
    pub(super) fn memory(&mut self, address: u16) -> &mut Sections {
        let initial = self.initial.lmem[usize::from(address)];
        self.lmem.entry(address).or_insert_with(|| histories(initial))
    }

    /// Reads FPR `number` of section `s` as stage 1 of the bundle at hand does; anything for a field that is no operand,
    /// which may name a register that there is not.
    pub(super) fn read_fpr(&mut self, number: usize, s: usize) -> u64 {
        let Some(register) = self.fpr.get(number) else { return 0 };
        let history = &register[s];
        self.counted.met.note(Rule::OldFpr, history.is_pending(self.cycle + STAGE_1));
        history.start_of(self.cycle + STAGE_1)
    }

    /// Whether section `s` executes the predicated operations of the bundle at hand.
    pub(super) fn predicate(&mut self, word: u64, s: usize) -> bool {
        let cc = word >> 29 & 7;
        if cc == 0 {
            return true;
        }
        self.counted
            .met
            .note(Rule::OldCondition, self.flags.fccr[s].is_pending(self.cycle + STAGE_1));
        self.flags.fccr[s].start_of(self.cycle + STAGE_1) >> cc & 1 == 1
    }

    fn verdict(mut self, ending: Ending, reason: Option<Meaningless>) -> Verdict {
        self.counted.stats.drain = self.times.drain;
        self.count_collisions();
        self.flags.status.note_landings(&mut self.counted.met);
        let state = self.settled_state();
        let status = state.status | FIFO_EMPTY;
        Verdict { ending, state, stats: self.counted.stats, status, met: self.counted.met, reason }
    }

    fn count_collisions(&mut self) {
        for register in &self.fpr {
            for (total, history) in self.counted.stats.collisions.iter_mut().zip(register) {
                for (first, second) in history.collisions() {
                    *total += 1;
                    let is_load = first.moment == Moment::Within;
                    self.counted.met.note(Rule::LoadLost, is_load && second.keep == 0);
                    self.counted.met.note(Rule::LoadHalfLost, is_load && second.keep != 0);
                    self.counted.met.note(Rule::LaterKept, !is_load);
                }
            }
        }
    }

    fn settled_state(&self) -> State {
        let mut state = self.initial.clone();
        for (register, histories) in state.fpr.iter_mut().zip(&self.fpr) {
            *register = histories.each_ref().map(History::settled);
        }
        for (&address, histories) in &self.lmem {
            state.lmem[usize::from(address)] = histories.each_ref().map(History::settled);
        }
        state.gpr = self.scalars.gpr.each_ref().map(History::settled);
        state.ireg = self.scalars.ireg.each_ref().map(History::settled);
        let short = |history: &History| history.settled() as u16;
        state.a = self.scalars.a.each_ref().map(|history| WordAddress(short(history)));
        state.n = self.scalars.n.each_ref().map(short);
        state.m = self.scalars.m.each_ref().map(short);
        for (addresses, histories) in state.sa.iter_mut().zip(&self.scalars.sa) {
            *addresses = histories.each_ref().map(|history| WordAddress(short(history)));
        }
        for (word, history) in state.shared.iter_mut().zip(&self.shared) {
            *word = history.settled();
        }
        for (address, history) in state.qa.iter_mut().zip(&self.scalars.qa) {
            *address = WordAddress(short(history));
        }
        state.fccr = self.flags.fccr.each_ref().map(|history| history.settled() as u8);
        state.fcsr = self.flags.fcsr.each_ref().map(|history| history.settled() as u32);
        let control = |number: u8| self.scalars.control[usize::from(number)].settled();
        state.comm = control(control::COMM);
        state.control = control(control::CONTROL);
        state.status = self.flags.status.settled();
        state.rind = control(control::RIND) as u16;
        state.rstep = control(control::RSTEP) as u16;
        state.rmask = control(control::RMASK) as u16;
        state.stopcode = control(control::STOPCODE);
        state.pc = BundleAddress(self.flow.pc as u16);
        state.loops.clone_from(&self.flow.loops);
        state.calls = self.flow.calls.iter().copied().map(BundleAddress).collect();
        state
    }

    /// Reads STATUS as a `move` of the bundle at hand does: the kernel runs, the FIFO is empty.
    pub(super) fn read_status(&mut self) -> u64 {
        self.flags.status.note_reading(self.cycle + STAGE_1, &mut self.counted.met);
        self.flags.status.within(self.cycle + STAGE_1) | RUN | FIFO_EMPTY
    }
}
