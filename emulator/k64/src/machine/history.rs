//! The history of a run, so that it can go back: moments, from which states before the present are computed again.
//!
//! A run depends on nothing but its program and machine, with one exception: interrupts are taken between blocks, and
//! what is a block depends on breakpoints and steps. So where they were taken is kept, and they are taken there again.

use super::snapshot::CpuSnapshot;
use crate::exception::WatchHit;

/// Position of a run of a program on the bare machine: how many instructions were completed, and how many exceptions
/// and interrupts were taken since reset. Positions are ordered as the states of the run; only waits do not change
/// them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunPosition {
    /// Number of instructions that were completed since reset.
    pub instructions: u64,
    /// Number of exceptions and interrupts that were taken since reset.
    pub entries: u64,
}

/// Result of going back in a run ([`Processor::step_back`](super::Processor::step_back),
/// [`Processor::run_back`](super::Processor::run_back)): the place at which it has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackResult {
    /// The run is at the place that was asked for: one instruction before, or at a breakpoint.
    Reached,
    /// The last instruction before the place where the run is makes an access that a watchpoint has, which a run that
    /// goes further back undoes first.
    Watchpoint(WatchHit),
    /// The run is at the begin of the history, or has no history: the place that was asked for would lie before it.
    Begin,
}

/// Number of instructions between snapshots at first; more in long runs.
const SPACING: u64 = 1 << 20;
/// Largest number of snapshots, and of bytes in all of them, about.
const MOST: usize = 64;
const MOST_BYTES: u64 = 512 << 20;

struct KeptSnapshot {
    position: RunPosition,
    snapshot: CpuSnapshot,
    /// Whether a debugger has changed something at the snapshot: what is behind it cannot be computed from what is
    /// before.
    is_change: bool,
}

/// Earlier states of the machine, so that it can go back.
pub(super) struct History {
    kept: Vec<KeptSnapshot>,
    spacing: u64,
    /// Positions at which interrupts were taken.
    interrupts: Vec<RunPosition>,
    /// Whether the machine is replayed from an earlier state to one that it has been in.
    is_replay: bool,
}

impl History {
    /// Creates a history that begins with a snapshot.
    pub(super) fn new(position: RunPosition, snapshot: CpuSnapshot) -> Self {
        let kept = vec![KeptSnapshot { position, snapshot, is_change: true }];
        Self { kept, spacing: SPACING, interrupts: Vec::new(), is_replay: false }
    }

    /// Sets whether the machine is replayed.
    pub(super) fn set_replay(&mut self, is_replay: bool) {
        self.is_replay = is_replay;
    }

    /// Returns a snapshot by its number, with its position.
    pub(super) fn snapshot(&self, number: usize) -> Option<(RunPosition, &CpuSnapshot)> {
        self.kept.get(number).map(|kept| (kept.position, &kept.snapshot))
    }

    /// Whether a snapshot is to be kept after so many completed instructions.
    pub(super) fn is_due(&self, instructions: u64) -> bool {
        let last = self.kept.last().map_or(0, |kept| kept.position.instructions);
        !self.is_replay && instructions >= last.saturating_add(self.spacing)
    }

    /// Whether an interrupt that is up is taken at a position; in a replay only where it was taken before.
    pub(super) fn takes(&mut self, position: RunPosition) -> bool {
        if self.is_replay {
            return self.interrupts.binary_search(&position).is_ok();
        }
        self.interrupts.push(position);
        true
    }

    /// Returns the position of the first interrupt at a position or behind it.
    pub(super) fn next_interrupt(&self, from: RunPosition) -> Option<RunPosition> {
        self.interrupts.get(self.interrupts.partition_point(|at| *at < from)).copied()
    }

    /// Returns the number of the newest snapshot before a position.
    pub(super) fn before(&self, position: RunPosition) -> Option<usize> {
        self.kept.partition_point(|kept| kept.position < position).checked_sub(1)
    }

    /// Removes the moments and interrupts behind a position.
    pub(super) fn forget_behind(&mut self, position: RunPosition) {
        self.kept.retain(|kept| kept.position <= position);
        self.interrupts.retain(|at| *at < position);
    }

    /// Removes the moments from a position on, but for those at which a debugger has changed something.
    pub(super) fn thin_from(&mut self, position: RunPosition) {
        self.kept.retain(|kept| kept.position < position || kept.is_change);
    }

    /// Keeps a snapshot, and fewer of the others if they have become many: every other one of those that can be computed
    /// from earlier ones, and where that is not enough, none of the oldest, so that the history begins later.
    pub(super) fn push(&mut self, position: RunPosition, snapshot: CpuSnapshot, is_change: bool) {
        if is_change {
            // The run goes back to what it became by the last change at a position.
            self.kept.retain(|kept| kept.position != position);
        }
        let at = self.kept.partition_point(|kept| kept.position <= position);
        self.kept.insert(at, KeptSnapshot { position, snapshot, is_change });
        if !self.is_full() {
            return;
        }
        let count = self.kept.len();
        let mut k = 0;
        self.kept.retain(|kept| {
            k += 1;
            kept.is_change || k % 2 == 1 || k == count
        });
        if self.kept.len() < count {
            self.spacing = self.spacing.saturating_mul(2);
        }
        while self.is_full() {
            self.kept.remove(0);
        }
    }

    /// Whether more snapshots are kept than may be.
    fn is_full(&self) -> bool {
        let bytes: u64 = self.kept.iter().map(|kept| kept.snapshot.bytes()).sum();
        self.kept.len() > MOST || bytes > MOST_BYTES && self.kept.len() > 2
    }
}
