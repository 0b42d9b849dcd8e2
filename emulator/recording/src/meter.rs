//! Counts what the cycles of a machine were for, between two looks at it, whichever engine runs them.

use crate::counts::{Counts, Leaf};
use cp2_emu::dma::DmaStats;
use cp2_emu::trace::Observer;
use cp2_emu::{Engine, Fault, Goal, Machine, Pause, Stats};
use cp2_isa::Cycle;

/// Counts of a stretch of a run that is under way.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    /// Counts of the kernel and of the channel up to the cycle that the stretch has reached.
    kernel: Stats,
    channel: DmaStats,
    stretch: Leaf,
}

impl Meter {
    /// Begins a stretch with the machine as it is.
    pub(crate) fn begin(machine: &mut Machine) -> Self {
        machine.cp2.keep_ended();
        let cycle = machine.cycle();
        Self {
            kernel: machine.cp2.stats().clone(),
            channel: machine.dma.stats().clone(),
            stretch: Leaf { begin: cycle, end: cycle, counts: Counts::default() },
        }
    }

    /// Returns the cycle in which the machine was seen last.
    pub(crate) fn cycle(&self) -> Cycle {
        self.stretch.end
    }

    /// Adds the counts of the machine since the last look, whichever engine has run it.
    pub(crate) fn sample(&mut self, machine: &mut Machine) {
        self.stretch.end = machine.cycle();
        for ended in machine.cp2.take_ended() {
            self.stretch.counts.add_kernel(&ended, &self.kernel);
            self.kernel.reset();
        }
        let stats = machine.cp2.stats();
        if stats.cycles != self.kernel.cycles {
            self.stretch.counts.add_kernel(stats, &self.kernel);
            self.kernel.clone_from(stats);
        }
    }

    /// Ends the stretch where the machine is and begins the next one.
    pub(crate) fn end(&mut self, machine: &mut Machine) -> Option<Leaf> {
        self.sample(machine);
        let channel = machine.dma.stats();
        self.stretch.counts.add_channel(channel, &self.channel);
        self.channel = channel.clone();
        let cycle = self.stretch.end;
        let next = Leaf { begin: cycle, end: cycle, counts: Counts::default() };
        (self.stretch.cycles() > 0).then(|| std::mem::replace(&mut self.stretch, next))
    }
}

/// Engine that counts what another one does.
#[derive(Debug)]
pub(crate) struct Metered<'a> {
    pub(crate) engine: &'a mut dyn Engine,
    pub(crate) meter: &'a mut Meter,
}

impl Engine for Metered<'_> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn run_kernel_to(
        &mut self,
        machine: &mut Machine,
        goal: Goal,
        observer: &mut dyn Observer,
    ) -> Result<Pause, Fault> {
        self.advance(machine, goal, observer)
    }

    fn advance(
        &mut self,
        machine: &mut Machine,
        goal: Goal,
        observer: &mut dyn Observer,
    ) -> Result<Pause, Fault> {
        let result = self.engine.advance(machine, goal, observer);
        self.meter.sample(machine);
        result
    }
}
