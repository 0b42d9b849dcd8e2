//! Loops that ask `check_dma` until the answer is another one: passed over in one go.

use cp2_emu::cp2::Fault;
use cp2_emu::cp2::seam::Flight;
use cp2_emu::dma::Ports;
use cp2_emu::state::Quad;
use cp2_emu::stats::Stats;
use cp2_emu::trace::Off;
use cp2_emu::{Cp2, Goal, Machine};
use cp2_isa::{Exch, SECTIONS, decode};
use cp2_portable::Registers;

/// Cycles of the longest turn of such a loop that is looked for.
pub(crate) const LONGEST_TURN: u64 = 255;

/// The latest `check_dma` that was come to.
#[derive(Debug, Default)]
pub(crate) struct Waiting(Option<Visit>);

/// A machine at a `check_dma`.
#[derive(Debug)]
struct Visit {
    flight: Flight,
    registers: Registers,
    fpr: Box<[Quad]>,
    fccr: [u8; SECTIONS],
    stats: Stats,
    answer: u64,
}

/// Whether the next bundle asks the channel what it does.
fn asks_channel(cp2: &Cp2) -> bool {
    let word = cp2.state.iram.get(cp2.state.pc.index()).copied().unwrap_or_default();
    decode(word, cp2.core()).is_ok_and(|bundle| bundle.exch.op == Exch::CheckDma)
}

impl Waiting {
    /// If the machine is at a `check_dma` and was there before with everything the same, it does the same again until
    /// the answer changes: the channel goes there first, at most to the goal, and the turns that are whole are passed
    /// over. True if cycles have passed: the machine is behind a `check_dma` then, or at one that may read something
    /// else.
    pub(crate) fn pass(&mut self, machine: &mut Machine, goal: Goal) -> Result<bool, Fault> {
        let latest = self.0.take();
        if machine.cp2.profile().is_some() || !asks_channel(&machine.cp2) {
            return Ok(false);
        }
        let visit = Visit::of(machine);
        let turn = latest.and_then(|latest| latest.turn_to(&visit));
        let Some(turn) = turn.filter(|_| machine.cycle() >= machine.dma.now()) else {
            self.0 = Some(visit);
            return Ok(false);
        };
        let now = machine.cycle();
        let Machine { cp2, dma, memory, .. } = machine;
        let mut ports = Ports { memory, lmem: &mut cp2.state.lmem, ireg: &cp2.state.ireg };
        let changes = dma.advance_unchanged(goal.least(), &mut ports);
        let turns = (changes - now) / turn.cycles;
        cp2.stats_mut().add(&turn, turns);
        cp2.set_flight(visit.flight.later(turns * turn.cycles));
        if cp2.cycle() < changes {
            cp2.dma_state = visit.answer;
            cp2.step(&mut Off)?;
        }
        Ok(cp2.cycle() > now)
    }
}

impl Visit {
    fn of(machine: &Machine) -> Self {
        let Machine { cp2, dma, .. } = machine;
        Self {
            flight: cp2.flight(),
            registers: Registers::of(&cp2.state),
            fpr: cp2.state.fpr.clone(),
            fccr: cp2.state.fccr,
            stats: cp2.stats().clone(),
            answer: dma.check(),
        }
    }

    /// What is counted from here to another visit, if everything is the same there, and nothing between has to do with
    /// memory or the channel.
    fn turn_to(&self, other: &Self) -> Option<Stats> {
        let turn = other.stats.since(&self.stats)?;
        let cycles = other.flight.cycle.checked_since(self.flight.cycle)?;
        let asked = |op: Exch| turn.exchange[op as usize];
        let is_alone = turn.cycles == cycles
            && turn.bank_accesses.iter().all(|&n| n == 0)
            && (asked(Exch::CheckDma), asked(Exch::StartDma)) == (1, 0);
        let is_same = self.registers == other.registers
            && self.fpr == other.fpr
            && self.fccr == other.fccr
            && self.answer == other.answer
            && self.flight.landings.is_empty()
            && self.flight.clone().later(cycles) == other.flight;
        (cycles > 0 && is_alone && is_same).then_some(turn)
    }
}
