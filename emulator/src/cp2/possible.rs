//! Whether what was read as a CP2 can be one that has run: bytes with the right checksum may say what no run comes to.

use super::engine::{Counted, Cp2};
use super::pipeline::{Landing, Pipeline};
use crate::state::State;
use crate::stats::Stats;
use cp2_isa::{BundleAddress, Core, Cycle, SECTIONS, Storage};

/// Number of condition codes of a section.
const CONDITIONS: u8 = 8;
/// Number of general registers.
const SCALARS: u8 = 16;
/// Cycle that no run reaches, far enough from the end of numbers that what is added to it has room.
pub(crate) const BEYOND: Cycle = Cycle(1 << 62);
/// Largest number of cycles of a `sync`.
const LONGEST_HOLD: u32 = 1 << 16;

impl Cp2 {
    /// Whether the values can be those of a CP2 of a core, its memories aside.
    pub(crate) fn is_possible(&self, core: &Core) -> bool {
        let Self { state, counted: Counted { stats, .. }, pipeline, fifo, .. } = self;
        let is_bundle = |address: BundleAddress| address.index() < core.iram_bundles();
        let causes = stats.causes.iter().try_fold(0_u64, |sum, &cause| sum.checked_add(cause));
        self.cycle < BEYOND
            && has_possible_addresses(state, core)
            && causes == Some(stats.cycles)
            && has_possible_counts(stats)
            && stats.cycles <= self.cycle.0
            && pipeline.is_possible(core, self.cycle)
            && fifo.is_possible()
            && self.sequencer.hold <= LONGEST_HOLD
            && self
                .sequencer
                .start_at
                .is_none_or(|(at, to)| at >= self.cycle && at < BEYOND && is_bundle(to))
            && self.sequencer.jump_to.is_none_or(is_bundle)
            && u32::from(self.latest.banks.bits()) >> core.banks() == 0
    }
}

/// Whether no count is so large that numbers end.
fn has_possible_counts(stats: &Stats) -> bool {
    let Stats { arithmetic, exchange, flops, collisions, bank_accesses, .. } = stats;
    let counts = [&arithmetic[..], exchange, flops, collisions, bank_accesses];
    counts.into_iter().flatten().all(|&count| count < BEYOND.0)
}

/// Whether addresses and stacks are those of a core.
fn has_possible_addresses(state: &State, core: &Core) -> bool {
    let kinds = [
        Storage::A,
        Storage::N,
        Storage::M,
        Storage::SectionA,
        Storage::SharedA,
        Storage::Pc,
        Storage::Loops,
        Storage::Calls,
    ];
    let fits = |kind: Storage| {
        let values = state.cells(kind).map(|place| state.at(place));
        values.into_iter().all(|value| kind.fitted(core, value) == value)
    };
    state.loops.len() <= core.loop_depth()
        && state.calls.len() <= core.call_depth()
        && kinds.into_iter().all(fits)
}

impl Pipeline {
    /// Whether what is under way in a cycle can be that of a core.
    fn is_possible(&self, core: &Core, now: Cycle) -> bool {
        let is_section = |enabled: u8| enabled >> SECTIONS == 0;
        let is_landing = |landing: &Landing| match landing {
            Landing::Fpr { reg, .. } => usize::from(*reg) < core.fprs(),
            Landing::Conditions { first, count, .. } => {
                *count <= 2 && first.checked_add(*count).is_some_and(|end| end <= CONDITIONS)
            }
            Landing::Exceptions(_)
            | Landing::Creg { .. }
            | Landing::StatusFlags(_)
            | Landing::Mailbox { .. } => true,
        };
        let is_old = |&(written, reg, _): &(Cycle, u8, u64)| written <= now && reg < SCALARS;
        self.entries().all(|(enabled, landing)| is_section(enabled) && is_landing(landing))
            && self.old_scalars().iter().all(is_old)
            && self.replaces_flags() < BEYOND
    }
}
