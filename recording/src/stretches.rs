//! What short stretches of a run were for: where the summary is too coarse, counts are computed, by the
//! reference engine, which can stop anywhere at once.

use crate::counts::{Counts, Leaf};
use crate::error::RecordingError;
use crate::recording::{Place, Recording};
use cp2_emu::dma::DmaStats;
use cp2_emu::machine::Act;
use cp2_emu::trace::Off;
use cp2_emu::{Engine, Goal, Machine, Reference, Stats};
use cp2_isa::Cycle;
use std::ops::Range;

/// What a machine has counted up to where it was looked at.
struct Meter {
    kernel: Stats,
    channel: DmaStats,
    counts: Counts,
}

impl Meter {
    fn new(machine: &Machine) -> Self {
        let (kernel, channel) = (machine.cp2.stats().clone(), machine.dma.stats().clone());
        Self { kernel, channel, counts: Counts::default() }
    }

    /// Adds what was counted since the last look, behind a call of the engine; tells whether a kernel
    /// has begun in it.
    fn look(&mut self, machine: &Machine, began: bool) {
        let now = machine.cp2.stats();
        if began || now.cycles < self.kernel.cycles {
            self.kernel = Stats::new(machine.cp2.core());
        }
        self.counts.add_kernel(now, &self.kernel);
        self.kernel.clone_from(now);
        self.counts.add_channel(machine.dma.stats(), &self.channel);
        self.channel.clone_from(machine.dma.stats());
    }
}

impl Place {
    /// Goes on to a cycle, with everything counted on the way.
    fn measure(
        &mut self,
        cycle: Cycle,
        acts: &[Act],
        meter: &mut Meter,
    ) -> Result<(), RecordingError> {
        loop {
            let before = self.next_act();
            self.go_on(self.machine.cycle(), acts, &mut Reference)?;
            if self.next_act() > before {
                meter.look(&self.machine, false);
            }
            let now = self.machine.cycle();
            if now >= cycle {
                return Ok(());
            }
            let next = acts.get(self.next_act()).map_or(cycle, |act| act.cycle.min(cycle));
            // The end of a run, which takes the cycles of its drain.
            if next <= now {
                self.go_on(now + 1, acts, &mut Reference)?;
                meter.look(&self.machine, false);
                continue;
            }
            let ran = self.machine.cp2.is_running();
            let pause = Reference.advance(&mut self.machine, Goal::cycle(next), &mut Off);
            pause.map_err(|e| RecordingError::OtherWay(now, e.to_string()))?;
            let began = !ran && self.machine.cycle() > now && self.machine.cp2.cause().is_some();
            meter.look(&self.machine, began);
        }
    }
}

impl Recording {
    /// Counts of some cycles in stretches that end at multiples of `step`, but for those that a drain
    /// reaches over. It stays in the cycle that it is in.
    ///
    /// # Errors
    /// There are no such cycles, or what is needed is damaged.
    pub fn stretches(
        &mut self,
        range: Range<Cycle>,
        step: u64,
    ) -> Result<Vec<Leaf>, RecordingError> {
        let (step, before) = (step.max(1), self.cycle());
        let end = range.end.min(*self.cycles().end());
        let mut leaves: Vec<Leaf> = Vec::new();
        let mut cycle = self.seek(range.start)?;
        while cycle < end {
            // Up to the next checkpoint, from which it goes on.
            let number = self.number();
            let is_last = number + 1 >= self.checkpoints().len();
            let until = if is_last { end } else { self.cycle_of(number + 1).min(end) };
            let acts = self.interval.acts.clone();
            let mut place = self.here.clone();
            let mut meter = Meter::new(&place.machine);
            while place.machine.cycle() < until {
                let begin = place.machine.cycle();
                let due = Cycle((begin.0 / step + 1) * step).min(until);
                place.measure(due, &acts, &mut meter)?;
                let counts = std::mem::take(&mut meter.counts);
                let leaf = Leaf { begin, end: place.machine.cycle(), counts };
                match leaves.last_mut() {
                    // A checkpoint within a stretch.
                    Some(last) if last.end == begin && !begin.0.is_multiple_of(step) => {
                        last.counts.add(&leaf.counts);
                        last.end = leaf.end;
                    }
                    _ => leaves.push(leaf),
                }
            }
            cycle = self.seek(until)?.max(until);
        }
        self.seek(before)?;
        Ok(leaves)
    }
}
