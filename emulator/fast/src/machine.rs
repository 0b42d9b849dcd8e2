//! A whole machine on the fast engine: translated code between the events of the DMA channel, the
//! reference engine in the cycles in which the channel does something.

use crate::encoding::Host;
use crate::engine::{LONGEST_STRETCH, WORTH};
use crate::sprint::Sprinter;
use cp2_emu::trace::Sink;
use cp2_emu::{End, Machine, Run};
use cp2_isa::Latencies;

/// One [`Machine`] with the results of the reference engine, faster.
///
/// Translated code runs only up to the next event of the channel, and leaves `start_dma` and
/// `check_dma` to the reference engine; so neither sees the other, and conflicts for banks are met
/// cycle by cycle. While the channel moves data, there is an event every few cycles and nothing is
/// gained.
#[derive(Debug)]
pub struct FastMachine {
    /// The machine. It may be looked at and changed between calls.
    pub machine: Machine,
    sprinter: Option<Sprinter>,
    stretch: u64,
    translated: u64,
}

impl FastMachine {
    /// Takes over a machine.
    pub fn new(machine: Machine) -> Self {
        let sprinter = Host::detect().map(Sprinter::new);
        Self { machine, sprinter, stretch: 1, translated: 0 }
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
        let machine = &mut self.machine;
        let usual = *machine.cp2.latencies() == Latencies::CP2;
        let Some(sprinter) = self.sprinter.as_mut().filter(|_| !S::ON && usual) else {
            return machine.advance_kernel(until, sink);
        };
        sprinter.refresh(&machine.cp2);
        loop {
            let done = machine.cp2.stats().cycles;
            if !machine.cp2.is_running() || done >= until {
                return machine.advance_kernel(until, sink);
            }
            let event = machine.dma.next_event().unwrap_or(u64::MAX);
            let quiet = event.saturating_sub(machine.cycle());
            let mut wait = 1;
            if quiet >= WORTH {
                let sprint =
                    sprinter.sprint(&mut machine.cp2, until.min(done.saturating_add(quiet)));
                machine.catch_up();
                self.translated += sprint.cycles;
                self.stretch = if sprint.cycles >= WORTH {
                    1
                } else {
                    (self.stretch * 2).min(LONGEST_STRETCH)
                };
                wait = self.stretch.max(sprint.again);
            }
            let on = machine.cp2.stats().cycles + wait;
            if let Some(end) = machine.advance_kernel(until.min(on), sink) {
                return Some(end);
            }
        }
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
}
