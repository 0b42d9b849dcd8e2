//! Costs of the bundles of a whole run that a verification counts on its way, by what instruction memory holds: the run
//! need not be gone through again for them.

use super::{CodePeriod, Recording};
use crate::error::RecordingError;
use cp2_emu::Profile;
use cp2_isa::{Core, Cycle};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

/// Cycles in which instruction memory holds one content, with the number of that content.
pub(super) type OfContent = (Range<Cycle>, usize);

/// Periods of a run with the numbers of their contents: that of the first period with the same one.
fn numbered(periods: &[CodePeriod]) -> Vec<OfContent> {
    let mut first = HashMap::new();
    let numbered = periods.iter().enumerate().map(|(number, period)| {
        let content = Arc::as_ptr(&period.bundles).cast::<u8>();
        (period.cycles.clone(), *first.entry(content).or_insert(number))
    });
    numbered.collect()
}

/// Returns the parts of a range by content.
fn parts(periods: &[OfContent], range: &Range<Cycle>) -> Vec<OfContent> {
    let first = periods.partition_point(|(cycles, _)| cycles.end <= range.start);
    let those = periods[first..].iter().take_while(|(cycles, _)| cycles.start < range.end);
    let cut = |cycles: &Range<Cycle>| cycles.start.max(range.start)..cycles.end.min(range.end);
    those.map(|(cycles, content)| (cut(cycles), *content)).collect()
}

/// Returns the number of cycles of each content.
fn n_cycles(periods: &[OfContent]) -> BTreeMap<usize, u64> {
    let mut sums = BTreeMap::new();
    for (cycles, content) in periods {
        *sums.entry(*content).or_insert(0) += cycles.end - cycles.start;
    }
    sums
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
pub(super) struct RunCosts(BTreeMap<usize, Profile>);

impl RunCosts {
    /// Returns the costs in a set of ranges; `None` if these are not all the cycles of some contents.
    fn of_set(
        &self,
        periods: &[OfContent],
        ranges: &[Range<Cycle>],
        core: &Core,
    ) -> Option<Profile> {
        let asked: Vec<_> = ranges.iter().flat_map(|range| parts(periods, range)).collect();
        let asked = n_cycles(&asked);
        let all = n_cycles(periods);
        let mut sum = Profile::of_all_runs(core);
        for (content, cycles) in asked {
            if all.get(&content) != Some(&cycles) {
                return None;
            }
            sum.join(self.0.get(&content)?);
        }
        Some(sum)
    }
}

impl Recording {
    /// Returns the periods with the numbers of their contents, if the periods are known.
    fn numbered(&self) -> Option<&[OfContent]> {
        let periods = self.content.periods.get()?;
        Some(self.content.numbered.get_or_init(|| numbered(periods)))
    }

    /// Returns the costs in several sets of ranges, which do not overlap within a set, if a verification has counted them
    /// all.
    pub(super) fn kept_costs(&self, sets: &[&[Range<Cycle>]]) -> Option<Vec<Profile>> {
        let (kept, periods) = (self.content.costs.get()?, self.numbered()?);
        sets.iter().map(|ranges| kept.of_set(periods, ranges, &self.core)).collect()
    }

    /// Runs from a checkpoint, where the machine is, to the next one at `end`, as `run` does to a cycle, and adds the
    /// costs of bundles to `costs`. Where they cannot be counted yet, the cycles are noted.
    pub(crate) fn count_costs(
        &mut self,
        end: Cycle,
        costs: &mut ContentCosts,
        mut run: impl FnMut(&mut Self, Cycle) -> Result<(), RecordingError>,
    ) -> Result<(), RecordingError> {
        let here = self.cycle()..end;
        // A held cycle belongs to a bundle that has issued before the checkpoint.
        let is_held = self.here.machine.cp2.flight().hold > 0;
        let Some(periods) = self.numbered().filter(|_| !is_held) else {
            costs.left.push(here);
            return run(self, end);
        };
        for (cycles, content) in parts(periods, &here) {
            let profile = costs.take(content, &self.core);
            self.here.machine.cp2.go_on_with_profile(profile);
            run(self, cycles.end)?;
            let counted = self.here.machine.cp2.take_profile();
            costs.by_content.extend(counted.map(|profile| (content, profile)));
        }
        Ok(())
    }

    /// Counts what is left of the costs of a whole run, on several threads, and keeps all of them for later.
    ///
    /// # Errors
    /// A part of the recording is damaged, or the listener to the progress has cancelled the operation.
    pub(crate) fn keep_costs(&mut self, mut costs: ContentCosts) -> Result<(), RecordingError> {
        self.code_periods()?;
        let periods = self.numbered().unwrap_or_default();
        let left: Vec<_> = costs.left.iter().flat_map(|range| parts(periods, range)).collect();
        let ranges: Vec<_> = left.iter().map(|(cycles, _)| cycles.clone()).collect();
        let sets: Vec<_> = ranges.iter().map(std::slice::from_ref).collect();
        for ((_, content), profile) in left.iter().zip(self.profiles(&sets)?) {
            let by_content = BTreeMap::from([(*content, profile)]);
            costs.join(ContentCosts { by_content, left: Vec::new() });
        }
        let _ = self.content.costs.set(RunCosts(costs.by_content));
        Ok(())
    }
}
