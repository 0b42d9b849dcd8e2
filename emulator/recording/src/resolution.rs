//! Counts of the cycles of a range at any resolution: from the summary where that is fine enough, otherwise by running
//! the cycles.

use crate::counts::{Counts, Leaf};
use crate::error::RecordingError;
use crate::meter::{Meter, Metered};
use crate::recording::Recording;
use cp2_emu::{Goal, ReferenceEngine};
use cp2_isa::Cycle;
use std::collections::BTreeMap;
use std::ops::Range;

/// Number of cycles from which on a stretch is run by the engine, which ends it where it suits; shorter ones are run cycle by
/// cycle.
const COARSE: u64 = 512;

impl Recording {
    /// Returns the counts of the cycles of a range (cycles by cause, operations, accesses to local memory, and what the
    /// DMA channel did) in about `n` stretches that follow each other without gaps; at least n / 2 of them, if the
    /// range has as many cycles. If the summary is fine enough, nothing is simulated, and the first and the last
    /// stretch can reach beyond the range. Otherwise all cycles of the range are simulated, and the stretches begin and
    /// end with it; those of 512 cycles and more can be somewhat longer than the others. The recording stays in its
    /// current cycle.
    ///
    /// # Errors
    /// The recording does not have the first cycle, a part of it is damaged, or the listener to the progress has
    /// cancelled the operation.
    pub fn counts(&mut self, range: Range<Cycle>, n: usize) -> Result<Vec<Leaf>, RecordingError> {
        let all = self.cycles();
        if !all.contains(&range.start) {
            return Err(RecordingError::NoSuchCycle(range.start, all));
        }
        let n = n.max(1);
        let range = range.start..range.end.min(*all.end());
        let leaves = self.summary()?.within(&range, n);
        if leaves.len() >= n.div_ceil(2) {
            return Ok(leaves.to_vec());
        }
        let length = range.end.saturating_since(range.start).div_ceil(n as u64).max(1);
        if length < COARSE {
            return self.aside(|recording| recording.counts_there(&range, length));
        }
        self.counts_by_threads(&range, length)
    }

    /// Runs a range in stretches of so many cycles, about, on several threads: from checkpoint to checkpoint, where a stretch ends, too.
    fn counts_by_threads(
        &mut self,
        range: &Range<Cycle>,
        length: u64,
    ) -> Result<Vec<Leaf>, RecordingError> {
        let mut pieces: Vec<_> = self.intervals(range).map(|number| self.span(number)).collect();
        for piece in &mut pieces {
            *piece = piece.start.max(range.start)..piece.end.min(range.end);
        }
        pieces.retain(|piece| !piece.is_empty());
        type Sums = BTreeMap<usize, Vec<Leaf>>;
        let sums = self.in_parallel(&pieces, |recording, number, sums: &mut Sums| {
            sums.insert(number, recording.counts_there(&pieces[number], length)?);
            Ok(())
        })?;
        let by_piece: Sums = sums.into_iter().flatten().collect();
        Ok(by_piece.into_values().flatten().collect())
    }

    /// Returns the counts of exactly the cycles of a range, which ends with the run at the latest. What the summary does not
    /// have, at both ends, is simulated cycle by cycle. The recording stays in its current cycle.
    ///
    /// # Errors
    /// The recording does not have the first cycle, a part of it is damaged, or the listener to the progress has
    /// cancelled the operation.
    pub fn total(&mut self, range: Range<Cycle>) -> Result<Counts, RecordingError> {
        let all = self.cycles();
        if !all.contains(&range.start) {
            return Err(RecordingError::NoSuchCycle(range.start, all));
        }
        let range = range.start..range.end.min(*all.end());
        let within = self.summary()?.within(&range, usize::MAX).iter();
        let inside: Vec<&Leaf> =
            within.filter(|leaf| leaf.begin >= range.start && leaf.end <= range.end).collect();
        let mut sum = Counts::default();
        inside.iter().for_each(|leaf| sum.add(&leaf.counts));
        let edges = match (inside.first(), inside.last()) {
            (Some(first), Some(last)) => vec![range.start..first.begin, last.end..range.end],
            _ => vec![range],
        };
        for edge in edges.into_iter().filter(|edge| !edge.is_empty()) {
            let exact = |recording: &mut Self| recording.counts_there(&edge, COARSE - 1);
            self.aside(exact)?.iter().for_each(|stretch| sum.add(&stretch.counts));
        }
        Ok(sum)
    }

    /// Runs a range in stretches of so many cycles, about.
    fn counts_there(
        &mut self,
        range: &Range<Cycle>,
        length: u64,
    ) -> Result<Vec<Leaf>, RecordingError> {
        let mut begin = self.seek(range.start)?;
        let (mut stretches, mut stretch) = (Vec::new(), Leaf::default());
        while self.cycle() < range.end {
            self.told.tell(self.cycle() - range.start, range.end - range.start)?;
            // From checkpoint to checkpoint; a stretch may have a part on both sides.
            let border = self.span(self.number()).end.min(range.end);
            let mut meter = Meter::begin(&mut self.here.machine);
            while self.cycle() < border {
                let due = begin + length;
                if length < COARSE {
                    self.counted_to(due.min(border), &mut meter)?;
                } else {
                    let most = (due + length / 2).min(border);
                    self.metered(Goal::cycle(most).or_from(due.min(border)), &mut meter)?;
                }
                let part = meter.end(&mut self.here.machine).unwrap_or_default();
                stretch.counts.add(&part.counts);
                let end = self.cycle();
                if end >= due || end >= range.end {
                    let counts = std::mem::take(&mut stretch.counts);
                    stretches.push(Leaf { begin, end, counts });
                    begin = end;
                }
            }
            if border < range.end {
                self.seek(border)?;
            }
        }
        Ok(stretches)
    }

    /// Goes on cycle by cycle, and counts the cycles in `meter`.
    fn counted_to(&mut self, cycle: Cycle, meter: &mut Meter) -> Result<(), RecordingError> {
        let acts = self.interval.acts.clone();
        let mut engine = Metered { engine: &mut ReferenceEngine, meter };
        self.here.advance_to(cycle, &acts, &mut engine)
    }

    /// Returns the sum of the stretches of the summary that have a cycle of a range.
    pub(crate) fn counted(&mut self, range: Range<Cycle>) -> Result<Leaf, RecordingError> {
        let mut sum = Leaf { begin: range.start, end: range.start, ..Leaf::default() };
        let leaves = self.summary()?.within(&range, usize::MAX);
        if let (Some(first), Some(last)) = (leaves.first(), leaves.last()) {
            (sum.begin, sum.end) = (first.begin, last.end);
        }
        leaves.iter().for_each(|leaf| sum.counts.add(&leaf.counts));
        Ok(sum)
    }
}
