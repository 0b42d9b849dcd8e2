//! Costs of the bundles of a recorded run in some of its cycles, counted piece by piece.

use super::Recording;
use crate::error::RecordingError;
use cp2_emu::Profile;
use cp2_isa::Cycle;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;

/// Number of pieces of a range for each thread: enough that threads end at about the same time.
const PIECES: usize = 16;

impl Recording {
    /// Returns the cost of every bundle, its cycles by cause and floating-point operations, in the cycles of a range,
    /// all kernels together, on several threads ([`Recording::set_threads`]). The recording stays in its current cycle.
    ///
    /// # Errors
    /// The recording does not have the first cycle, a part of it is damaged, or the listener to the progress has
    /// cancelled the operation.
    pub fn profile(&mut self, range: Range<Cycle>) -> Result<Profile, RecordingError> {
        let mut profiles = self.profiles(&[&[range]])?;
        Ok(profiles.pop().unwrap_or_else(|| Profile::of_all_runs(&self.core)))
    }

    /// Returns the cost of every bundle as [`Recording::profile`] does, for several sets of ranges at once: the costs of each
    /// set in the cycles of all its ranges together, which must not overlap.
    ///
    /// # Errors
    /// The same as of [`Recording::profile`].
    pub fn profiles(&mut self, sets: &[&[Range<Cycle>]]) -> Result<Vec<Profile>, RecordingError> {
        if let Some(kept) = self.kept_costs(sets) {
            return Ok(kept);
        }
        let (mut pieces, mut set_of) = (Vec::new(), Vec::new());
        for (set, ranges) in sets.iter().enumerate() {
            pieces.extend(ranges.iter().flat_map(|range| self.pieces(range)));
            set_of.resize(pieces.len(), set);
        }
        type Sums = BTreeMap<usize, Profile>;
        let sums = self.in_parallel(&pieces, |recording, number, sums: &mut Sums| {
            let profile = recording.profile_there(pieces[number].clone())?;
            match sums.entry(set_of[number]) {
                Entry::Occupied(sum) => sum.into_mut().join(&profile),
                Entry::Vacant(sum) => _ = sum.insert(profile),
            }
            Ok(())
        })?;
        let mut profiles = vec![Profile::of_all_runs(&self.core); sets.len()];
        for (set, sum) in sums.into_iter().flatten() {
            profiles[set].join(&sum);
        }
        Ok(profiles)
    }

    /// Cuts a range into pieces for threads, at places whose lead begins at a checkpoint.
    fn pieces(&self, range: &Range<Cycle>) -> Vec<Range<Cycle>> {
        let intervals: Vec<_> = self.intervals(range).skip(1).collect();
        let n_together = intervals.len().div_ceil(PIECES * self.n_threads.get()).max(1);
        let cuts = intervals.into_iter().step_by(n_together);
        let cuts = cuts.map(|number| self.cycle_of(number) + self.lead());
        let mut pieces = Vec::new();
        let mut begin = range.start;
        for cut in cuts.filter(|cut| *cut < range.end) {
            if begin < cut {
                pieces.push(begin..cut);
                begin = cut;
            }
        }
        pieces.push(begin..range.end);
        pieces
    }

    fn profile_there(&mut self, range: Range<Cycle>) -> Result<Profile, RecordingError> {
        let begin = *self.cycles().start();
        let mut profile = Profile::of_all_runs(&self.core);
        // A held cycle belongs to a bundle that may have issued before.
        let lead = Cycle(range.start.0.saturating_sub(self.lead())).max(begin);
        profile = self.profile_on(lead..range.start, profile)?;
        profile.clear();
        self.profile_on(range, profile)
    }

    /// Adds the costs of the bundles in some cycles, from checkpoint to checkpoint.
    fn profile_on(
        &mut self,
        range: Range<Cycle>,
        mut profile: Profile,
    ) -> Result<Profile, RecordingError> {
        let end = range.end.min(*self.cycles().end());
        let mut cycle = self.seek(range.start)?;
        let (begin, all) = (cycle, end.saturating_since(cycle));
        while cycle < end {
            self.told.tell(cycle - begin, all)?;
            let next =
                self.content.index.entries.get(self.number + 1).map_or(end, |entry| entry.cycle);
            let until = next.min(end);
            self.here.machine.cp2.go_on_with_profile(profile);
            self.advance_to(until)?;
            let counted = self.here.machine.cp2.take_profile();
            profile = counted.unwrap_or_else(|| Profile::of_all_runs(&self.core));
            cycle = self.seek(until)?.max(until);
        }
        Ok(profile)
    }
}
