//! Costs of the bundles of a whole run that a verification counts on its way, by what instruction memory holds: the run
//! need not be gone through again for them.

use super::{CodePeriod, Recording};
use crate::error::RecordingError;
use cp2_emu::Profile;
use cp2_emu::cp2::FifoEntry;
use cp2_emu::machine::{Act, Action};
use cp2_isa::{BundleAddress, Core, Cycle, Exch, decode};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

/// Cycles in which instruction memory holds one content.
pub(super) struct ContentCycles {
    cycles: Range<Cycle>,
    /// Number of the first period with this content.
    content: usize,
}

/// Returns the periods of a run with the numbers of their contents.
fn numbered(periods: &[CodePeriod]) -> Vec<ContentCycles> {
    let mut first = HashMap::new();
    let numbered = periods.iter().enumerate().map(|(number, period)| {
        let bundles = Arc::as_ptr(&period.bundles).cast::<u8>();
        let content = *first.entry(bundles).or_insert(number);
        ContentCycles { cycles: period.cycles.clone(), content }
    });
    numbered.collect()
}

/// Returns the parts of a range by content.
fn parts(periods: &[ContentCycles], range: &Range<Cycle>) -> Vec<ContentCycles> {
    let first = periods.partition_point(|period| period.cycles.end <= range.start);
    let those = periods[first..].iter().take_while(|period| period.cycles.start < range.end);
    let cut = |ContentCycles { cycles, content }: &ContentCycles| ContentCycles {
        cycles: cycles.start.max(range.start)..cycles.end.min(range.end),
        content: *content,
    };
    those.map(cut).collect()
}

/// Returns the number of cycles of each content.
fn n_cycles(periods: &[ContentCycles]) -> BTreeMap<usize, u64> {
    let mut sums = BTreeMap::new();
    for ContentCycles { cycles, content } in periods {
        *sums.entry(*content).or_insert(0) += cycles.end - cycles.start;
    }
    sums
}

/// Whether an act sends a bundle that holds the issue: a kernel that starts then may be held before its first bundle.
fn holds(act: &Act, core: &Core) -> bool {
    let Action::Send(FifoEntry::Execute(bits)) = act.action else { return false };
    decode(bits, core)
        .is_ok_and(|bundle| matches!(bundle.exch.op, Exch::Sync | Exch::Stop | Exch::Stopi))
}

/// Costs of bundles, by the content of instruction memory in whose cycles they were counted.
#[derive(Default)]
pub(crate) struct ContentCosts {
    by_content: BTreeMap<usize, Profile>,
    /// Ranges of cycles that are not counted yet.
    left: Vec<Range<Cycle>>,
}

impl ContentCosts {
    fn take(&mut self, content: usize, core: &Core) -> Profile {
        self.by_content.remove(&content).unwrap_or_else(|| Profile::of_all_runs(core))
    }

    /// Adds costs of other cycles.
    pub(crate) fn join(&mut self, other: Self) {
        for (content, profile) in other.by_content {
            match self.by_content.get_mut(&content) {
                Some(sum) => sum.join(&profile),
                None => _ = self.by_content.insert(content, profile),
            }
        }
        self.left.extend(other.left);
    }
}

/// Costs of a whole run.
pub(super) struct RunCosts {
    by_content: BTreeMap<usize, Profile>,
    /// Number of cycles of each content.
    n_cycles: BTreeMap<usize, u64>,
}

impl RunCosts {
    /// Returns the costs in a set of ranges; `None` if these are not all the cycles of some contents.
    fn of_set(
        &self,
        periods: &[ContentCycles],
        ranges: &[Range<Cycle>],
        core: &Core,
    ) -> Option<Profile> {
        let asked: Vec<_> = ranges.iter().flat_map(|range| parts(periods, range)).collect();
        let mut sum = Profile::of_all_runs(core);
        for (content, cycles) in n_cycles(&asked) {
            if self.n_cycles.get(&content) != Some(&cycles) {
                return None;
            }
            sum.join(self.by_content.get(&content)?);
        }
        Some(sum)
    }
}

impl Recording {
    /// Returns the periods with the numbers of their contents, if the periods are known.
    fn numbered(&self) -> Option<&[ContentCycles]> {
        let periods = self.content.periods.get()?;
        Some(self.content.numbered.get_or_init(|| numbered(periods)))
    }

    /// Returns the costs in several sets of ranges, which do not overlap within a set, if a verification has counted them
    /// all.
    pub(super) fn kept_costs(&self, sets: &[&[Range<Cycle>]]) -> Option<Vec<Profile>> {
        let (kept, periods) = (self.content.costs.get()?, self.numbered()?);
        let all = self.cycles();
        let is_there =
            |range: &Range<Cycle>| all.start() <= &range.start && &range.end <= all.end();
        if !sets.iter().all(|ranges| ranges.iter().all(is_there)) {
            return None;
        }
        sets.iter().map(|ranges| kept.of_set(periods, ranges, &self.core)).collect()
    }

    /// Whether a held cycle of the interval at whose begin the machine is may belong to a bundle that has issued before.
    fn may_begin_held(&self) -> bool {
        let cp2 = &self.here.machine.cp2;
        let flight = cp2.flight();
        let is_free = flight.hold == 0 && !flight.starts_later && cp2.fifo.is_empty();
        !is_free || self.interval.acts.iter().any(|act| holds(act, &self.core))
    }

    /// Runs from a checkpoint, where the machine is, to the next one at `end`, as `run` does to a cycle, and adds the
    /// costs of bundles to `costs`. Where they cannot be counted so, the cycles are noted.
    pub(crate) fn count_costs(
        &mut self,
        end: Cycle,
        costs: &mut ContentCosts,
        mut run: impl FnMut(&mut Self, Cycle) -> Result<(), RecordingError>,
    ) -> Result<(), RecordingError> {
        let here = self.cycle()..end;
        let is_held = self.may_begin_held();
        let Some(periods) = self.numbered().filter(|_| !is_held) else {
            costs.left.push(here);
            return run(self, end);
        };
        let mut latest = BundleAddress::default();
        for ContentCycles { cycles, content } in parts(periods, &here) {
            let mut profile = costs.take(content, &self.core);
            profile.set_latest(latest);
            self.here.machine.cp2.go_on_with_profile(profile);
            run(self, cycles.end)?;
            if let Some(counted) = self.here.machine.cp2.take_profile() {
                latest = counted.latest();
                costs.by_content.insert(content, counted);
            }
        }
        Ok(())
    }

    /// Counts what is left of the costs of a whole run, on several threads, and keeps all of them for later.
    ///
    /// # Errors
    /// A part of the recording is damaged, or the listener to the progress has cancelled the operation.
    pub(crate) fn keep_costs(&mut self, mut costs: ContentCosts) -> Result<(), RecordingError> {
        let Some(periods) = self.numbered() else { return Ok(()) };
        let n_cycles = n_cycles(periods);
        let mut left: BTreeMap<usize, Vec<Range<Cycle>>> = BTreeMap::new();
        for part in costs.left.iter().flat_map(|range| parts(periods, range)) {
            left.entry(part.content).or_default().push(part.cycles);
        }
        let sets: Vec<&[Range<Cycle>]> = left.values().map(Vec::as_slice).collect();
        if !sets.is_empty() {
            let by_content = left.keys().copied().zip(self.profiles(&sets)?).collect();
            costs.join(ContentCosts { by_content, left: Vec::new() });
        }
        let _ = self.content.costs.set(RunCosts { by_content: costs.by_content, n_cycles });
        Ok(())
    }
}
