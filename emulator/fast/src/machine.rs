//! A whole machine on the fast engine: translated code runs ahead of the DMA channel, an epoch at a
//! time, and the channel follows through the same cycles; the reference engine where they meet.

use crate::encoding::Host;
use crate::engine::{LONGEST_STRETCH, Sprint, WORTH};
use crate::epoch::Epoch;
use crate::sprint::Sprinter;
use cp2_emu::cp2::Fault;
use cp2_emu::dma::{Accesses, Dma, Ports};
use cp2_emu::memory::SystemMemory;
use cp2_emu::state::State;
use cp2_emu::trace::{Off, Sink};
use cp2_emu::{End, Machine, Run};
use cp2_isa::Core;

/// One [`Machine`] with the results of the reference engine, faster.
///
/// Translated code never contains `start_dma` or `check_dma`, so a kernel and the channel can only
/// meet in local memory. An epoch of translated code notes its accesses. Then the channel goes
/// through its cycles: it yields to the kernel where both want a bank in the same cycle, and stops
/// before it would move a word that the kernel has accessed in the epoch, or read an index register.
/// Then the epoch is taken back and done again up to that cycle, which the reference engine does.
#[derive(Debug)]
pub struct FastMachine {
    /// The machine. It may be looked at and changed between calls.
    pub machine: Machine,
    sprinter: Option<Sprinter>,
    /// The core that accesses are noted for.
    core: Core,
    accesses: Accesses,
    stretch: u64,
    translated: u64,
}

impl FastMachine {
    /// Takes over a machine.
    pub fn new(machine: Machine) -> Self {
        let core = *machine.cp2.core();
        let sprinter = Host::detect().map(|host| Sprinter::noting(host, &core));
        let accesses = Accesses::new(&core);
        Self { machine, sprinter, core, accesses, stretch: 1, translated: 0 }
    }

    /// Takes over a machine and runs it without translated code, as on a host that lacks what it
    /// needs.
    pub fn portable(machine: Machine) -> Self {
        Self { sprinter: None, ..Self::new(machine) }
    }

    /// Cycles of the current or the last run that translated code did.
    pub fn translated_cycles(&self) -> u64 {
        self.translated
    }

    /// The same as [`Machine::start_kernel`].
    pub fn start_kernel(&mut self, address: u16) {
        self.machine.start_kernel(address);
        self.translated = 0;
        self.stretch = 1;
    }

    /// The same as [`Machine::advance_kernel`].
    pub fn advance_kernel<S: Sink>(&mut self, until: u64, sink: &mut S) -> Option<End> {
        self.go(until, false, sink)
    }

    /// The same as [`Machine::finish_kernel`].
    pub fn finish_kernel(&mut self, end: End) -> Run {
        self.machine.finish_kernel(end)
    }

    /// The same as [`Machine::run_kernel`].
    pub fn run_kernel(&mut self, address: u16, limit: u64, sink: &mut impl Sink) -> Run {
        self.start_kernel(address);
        let end = self.advance_kernel(limit, sink).unwrap_or(End::CycleLimit(limit));
        self.finish_kernel(end)
    }

    /// Steps the machine ([`Machine::step`]) as often as it takes to cycle `limit`, or less: until a
    /// kernel starts or stops, and with `until_still` until the channel is idle or waits.
    pub fn advance(&mut self, limit: u64, until_still: bool) -> Result<(), Fault> {
        let machine = &mut self.machine;
        let left = limit.saturating_sub(machine.cycle());
        if left == 0 || until_still && machine.dma.next_event().is_none() {
            return Ok(());
        }
        if machine.cp2.is_running() {
            let until = machine.cp2.stats().cycles.saturating_add(left);
            return match self.go(until, until_still, &mut Off) {
                Some(End::Fault(fault)) => Err(fault),
                _ => Ok(()),
            };
        }
        if machine.cp2.is_idle() {
            machine.pass_idle(limit, until_still);
            return Ok(());
        }
        self.translated = 0;
        self.stretch = 1;
        machine.step(&mut Off)
    }

    /// Goes on with the kernel until its run has lasted `until` cycles or, with `until_still`, until
    /// the channel is idle or waits; or tells why it ended before.
    fn go<S: Sink>(&mut self, until: u64, until_still: bool, sink: &mut S) -> Option<End> {
        let core = *self.machine.cp2.core();
        if self.core != core {
            (self.core, self.accesses) = (core, Accesses::new(&core));
        }
        match &mut self.sprinter {
            Some(sprinter) if !S::ON => sprinter.refresh(&self.machine.cp2),
            _ => return step_on(&mut self.machine, until, until_still, sink),
        }
        loop {
            let done = self.machine.cp2.stats().cycles;
            if !self.machine.cp2.is_running() || done >= until {
                return self.machine.advance_kernel(until, sink);
            }
            let mut sprint = self.sprint(until, until_still);
            let mut on = 0;
            if let Some(left) = sprint.met.and_then(|met| met.checked_sub(self.machine.cycle())) {
                // The reference engine does the cycle in which they meet.
                let met = self.machine.cp2.stats().cycles + left;
                if left > 0 {
                    sprint.cycles += self.sprint(met.min(until), until_still).cycles;
                }
                on = met + 1;
            }
            if until_still && self.machine.dma.next_event().is_none() {
                // The channel is where the kernel has to come to.
                let now = self.machine.dma.now();
                let left = now.saturating_sub(self.machine.cycle());
                let until = self.machine.cp2.stats().cycles + left;
                return step_on(&mut self.machine, until, false, sink);
            }
            self.stretch =
                if sprint.cycles >= WORTH { 1 } else { (self.stretch * 2).min(LONGEST_STRETCH) };
            let wait = self.stretch.max(sprint.again);
            let on = (self.machine.cp2.stats().cycles + wait).max(on);
            if let Some(end) = step_on(&mut self.machine, until.min(on), until_still, sink) {
                return Some(end);
            }
            if until_still && self.machine.dma.next_event().is_none() {
                return None;
            }
        }
    }

    /// Translated code and the channel behind it.
    fn sprint(&mut self, until: u64, until_still: bool) -> Sprint {
        let Machine { cp2, dma, memory, .. } = &mut self.machine;
        let Some(sprinter) = &mut self.sprinter else { return Sprint::default() };
        let accesses = &mut self.accesses;
        let sprint = sprinter.sprint(cp2, until, |state, epoch| {
            follow(epoch, dma, (memory, state), accesses, until_still)
        });
        self.translated += sprint.cycles;
        sprint
    }
}

/// Lets the channel follow through the cycles of an epoch; an error is the cycle before which the
/// epoch would have had to end.
fn follow(
    epoch: &Epoch<'_>,
    dma: &mut Dma,
    (memory, state): (&mut SystemMemory, &mut State),
    accesses: &mut Accesses,
    until_still: bool,
) -> Result<(), u64> {
    // If nothing is due, nobody asks what the kernel has accessed.
    if dma.next_event().is_some_and(|cycle| cycle < epoch.end) {
        epoch.note(accesses);
    }
    let mut ports = Ports { memory, lmem: &mut state.lmem, ireg: &state.ireg };
    if dma.follow(epoch.end, &mut ports, accesses, until_still) { Ok(()) } else { Err(dma.now()) }
}

/// The same as [`FastMachine::go`], on the reference engine.
fn step_on(
    machine: &mut Machine,
    until: u64,
    until_still: bool,
    sink: &mut impl Sink,
) -> Option<End> {
    if !until_still {
        return machine.advance_kernel(until, sink);
    }
    while machine.dma.next_event().is_some() {
        let done = machine.cp2.stats().cycles;
        if !machine.cp2.is_running() || done >= until {
            break;
        }
        if let Some(end) = machine.advance_kernel(done + 1, sink) {
            return Some(end);
        }
    }
    None
}
