//! Loops that ask `check_dma` until the answer is another one: passed over in one go.

use crate::checkpoint::Registers;
use crate::hot::Hot;
use crate::ring::Fprs;
use cp2_emu::Cp2;
use cp2_emu::cp2::seam::FlowPosition;

/// State of a machine at a `check_dma`, as far as its future depends on it and the channel alone.
#[derive(Debug)]
struct Visit {
    cycle: u64,
    registers: Registers,
    position: FlowPosition,
    fpr: Box<Fprs>,
    codes: u32,
    /// Ages in cycles, numbers and values of the old values of general registers.
    scalars: Vec<(u64, u8, u64)>,
    /// Counts of what must not have happened since: accesses, writes of index registers, operations with flags.
    counts: [u64; 3],
    answer: u64,
}

/// Latest `check_dma`, if a loop can be recognised from there.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    latest: Option<Visit>,
}

impl Waiting {
    /// Forgets the latest `check_dma`, because something has happened that a loop does not repeat.
    pub(crate) fn forget(&mut self) {
        self.latest = None;
    }

    /// Returns the length of a loop in cycles, if the kernel was at this `check_dma` before with everything the same: it does
    /// the same again and again until the answer changes. The machine is at a `check_dma`, which reads the answer that CP2
    /// was told.
    pub(crate) fn period(&mut self, hot: &Hot, cp2: &Cp2, accesses: u64) -> Option<u64> {
        let flow = &hot.flow;
        if !flow.ring.is_empty() || !flow.rare.is_empty() || flow.hold > 0 {
            self.latest = None;
            return None;
        }
        let age = |&(cycle, reg, old): &(cp2_isa::Cycle, u8, u64)| (flow.cycle - cycle.0, reg, old);
        let kept = |&(age, ..): &(u64, u8, u64)| age < hot.distances.scalars_kept;
        let visit = Visit {
            cycle: flow.cycle,
            registers: Registers::of(&cp2.state),
            position: flow.position,
            fpr: Box::new(flow.fpr),
            codes: flow.codes,
            scalars: flow.scalars.iter().map(age).filter(kept).collect(),
            counts: [accesses, flow.index_writes, flow.deferred.count()],
            answer: cp2.dma_state,
        };
        let period = self.latest.as_ref().and_then(|latest| latest.period_to(&visit));
        self.latest = Some(visit);
        period
    }
}

impl Visit {
    /// Returns the cycles to another visit, if everything is the same.
    fn period_to(&self, other: &Self) -> Option<u64> {
        let is_same = self.registers == other.registers
            && self.position == other.position
            && self.fpr == other.fpr
            && self.codes == other.codes
            && self.scalars == other.scalars
            && self.counts == other.counts
            && self.answer == other.answer;
        is_same.then(|| other.cycle - self.cycle)
    }
}
