//! Costs of the bundles of a recorded run in some of its cycles.

use super::Recording;
use crate::error::RecordingError;
use cp2_emu::Profile;
use cp2_isa::Cycle;
use std::ops::Range;

impl Recording {
    /// Returns the cost of every bundle, its cycles by cause and floating-point operations, in the cycles of a range,
    /// all kernels together. The recording stays in its current cycle.
    ///
    /// # Errors
    /// The recording does not have the first cycle, a part of it is damaged, or the listener to the progress has
    /// cancelled the operation.
    pub fn profile(&mut self, range: Range<Cycle>) -> Result<Profile, RecordingError> {
        self.aside(|recording| recording.profile_there(range))
    }

    fn profile_there(&mut self, range: Range<Cycle>) -> Result<Profile, RecordingError> {
        let begin = *self.cycles().start();
        let mut profile = Profile::of_all_runs(&self.core);
        // A held cycle belongs to a bundle that may have issued before.
        let lead = u64::from(self.core.latencies().longest());
        let lead = Cycle(range.start.0.saturating_sub(lead)).max(begin);
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
