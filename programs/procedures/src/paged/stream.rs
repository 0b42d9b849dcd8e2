//! The part of an array that a page has, as bytes of system memory in the order in which local memory takes them: runs
//! of contiguous bytes at regular distances.

use cp2_isa::MemoryAddress;

/// Bytes of a beat, the unit in which the channel moves data.
pub(super) const BEAT: i64 = 16;
/// Bytes of a word, the unit in which the channel also moves data on a machine with the extension `dma-words`.
pub(super) const WORD: i64 = 4;

/// A loop over places in system memory, of which each is so many bytes behind the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MemoryLoop {
    pub(super) count: u32,
    /// Bytes from one place to the next.
    pub(super) step: i64,
}

/// A stream of beats, or of words of 32 bits: runs of contiguous ones, one for each place that nested loops come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BeatStream {
    /// Bytes of what moves at once: [`BEAT`] or [`WORD`].
    pub(super) unit: i64,
    /// Address of the first beat or word.
    pub(super) base: MemoryAddress,
    /// Loops around the runs, the outermost first. Loops that follow each other without a gap are one.
    pub(super) loops: Vec<MemoryLoop>,
    /// Beats or words of a run.
    pub(super) run: u32,
}

/// The reason why bytes are no stream of beats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoBeats {
    /// Contiguous runs have so many bytes.
    Run(i64),
    /// Runs begin so many bytes behind the begin of a beat.
    Begin(i64),
}

impl BeatStream {
    /// Creates the stream of runs of `run` bytes from `base` on, one for each place of the loops, the outermost first.
    /// `unit` is the number of bytes that move at once.
    ///
    /// # Errors
    /// A run, as long as it is contiguous, is not of whole beats or words.
    pub(super) fn new(
        unit: i64,
        base: MemoryAddress,
        loops: impl DoubleEndedIterator<Item = MemoryLoop>,
        run: i64,
    ) -> Result<Self, NoBeats> {
        let mut run = run;
        let mut joined: Vec<MemoryLoop> = Vec::new();
        for next in loops.rev().filter(|next| next.count != 1) {
            match joined.last_mut() {
                None if next.step == run => run *= i64::from(next.count),
                Some(inner) if next.step == inner.step * i64::from(inner.count) => {
                    inner.count *= next.count;
                }
                _ => joined.push(next),
            }
        }
        joined.reverse();
        if run % unit != 0 {
            return Err(NoBeats::Run(run));
        }
        let steps = joined.iter().map(|of| of.step).chain([base.0 as i64]);
        if let Some(begin) = steps.map(|step| step.rem_euclid(unit)).find(|begin| *begin != 0) {
            return Err(NoBeats::Begin(begin));
        }
        Ok(Self { unit, base, loops: joined, run: (run / unit) as u32 })
    }

    /// Returns the number of beats, or of words, of the stream.
    pub(super) fn units(&self) -> u32 {
        self.loops.iter().map(|of| of.count).product::<u32>() * self.run
    }

    /// Returns the streams of the single places of the outermost loop, in order; a stream without loops is cut behind
    /// `units` beats or words.
    pub(super) fn pieces(&self, units: u32) -> Vec<Self> {
        let at = |bytes: i64| MemoryAddress((self.base.0 as i64 + bytes) as u64);
        match self.loops.split_first() {
            Some((outer, inner)) => {
                let piece = |k: u32| Self {
                    unit: self.unit,
                    base: at(i64::from(k) * outer.step),
                    loops: inner.to_vec(),
                    run: self.run,
                };
                (0..outer.count).map(piece).collect()
            }
            None => {
                let rest = at(i64::from(units) * self.unit);
                let piece = |base, run| Self { unit: self.unit, base, loops: Vec::new(), run };
                vec![piece(self.base, units), piece(rest, self.run - units)]
            }
        }
    }

    /// Returns the first of four equal parts of this stream, and the loops that come to the begins of all four, the outermost
    /// first; `None` if two loops do not.
    pub(super) fn quarters(&self) -> Option<(Self, Vec<MemoryLoop>)> {
        let (first, step) = self.first_part(4).or_else(|| self.first_part(2))?;
        let parts = self.units() / first.units();
        let outer = MemoryLoop { count: parts, step };
        if parts == 4 {
            return Some((first, vec![outer]));
        }
        let (half, step) = first.first_part(2)?;
        Some((half, vec![outer, MemoryLoop { count: 2, step }]))
    }

    /// Returns the first of so many equal parts of this stream, and the bytes from each to the next; `None` if the parts do
    /// not begin at places of the outermost loop, or within a run at beats.
    fn first_part(&self, parts: u32) -> Option<(Self, i64)> {
        let mut first = self.clone();
        match first.loops.first_mut() {
            None => {
                first.run = self.run / parts;
                let is_whole = self.run.is_multiple_of(parts);
                is_whole.then_some((first, i64::from(self.run / parts) * self.unit))
            }
            Some(outer) if outer.count.is_multiple_of(parts) => {
                outer.count /= parts;
                let step = outer.step * i64::from(outer.count);
                if outer.count == 1 {
                    first.loops.remove(0);
                }
                Some((first, step))
            }
            Some(_) => None,
        }
    }

    /// Returns the stream that has this one `count` times, `step` bytes apart.
    ///
    /// # Errors
    /// The step is no whole number of beats or words.
    pub(super) fn repeated(&self, count: u32, step: i64) -> Result<Self, NoBeats> {
        let outer = MemoryLoop { count, step };
        let loops = [outer].into_iter().chain(self.loops.iter().copied());
        let run = i64::from(self.run) * self.unit;
        Self::new(self.unit, self.base, loops.collect::<Vec<_>>().into_iter(), run)
    }

    /// Returns the stream without the last beat of its run, if it has others, and the last beat. The stream is of beats and has no
    /// loops.
    pub(super) fn split_last(&self) -> (Option<Self>, Self) {
        let whole = self.run - 1;
        let main = Self { run: whole, ..self.clone() };
        let base = self.base.plus_words(2 * whole as usize);
        let last = Self { unit: BEAT, base, run: 1, loops: Vec::new() };
        ((whole > 0).then_some(main), last)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;

    fn stream(loops: &[(u32, i64)], run: i64) -> Result<BeatStream, NoBeats> {
        let loops = loops.iter().map(|&(count, step)| MemoryLoop { count, step });
        BeatStream::new(BEAT, MemoryAddress(0x2000), loops.collect::<Vec<_>>().into_iter(), run)
    }

    #[test]
    fn loops_without_gaps_are_joined() {
        let joined = stream(&[(4, 4096), (8, 512), (2, 256)], 64).unwrap();
        assert_eq!(
            joined.loops,
            [MemoryLoop { count: 64, step: 256 }].map(|mut of| {
                // 512 = 2 x 256 and 4096 = 8 x 512.
                of.count = 4 * 8 * 2;
                of
            })
        );
        assert_eq!((joined.run, joined.units()), (4, 256));
        let whole = stream(&[(4, 4096), (1, 7), (16, 256)], 256).unwrap();
        assert_eq!((whole.loops.len(), whole.run), (0, 1024));
    }

    #[test]
    fn what_is_no_whole_number_of_beats_is_told() {
        assert_eq!(stream(&[(4, 64)], 24), Err(NoBeats::Run(24)));
        assert_eq!(stream(&[(4, 72)], 32), Err(NoBeats::Begin(8)));
        assert_eq!(stream(&[(2, 40), (2, 8)], 8).map(|s| s.units()), Err(NoBeats::Begin(8)));
        assert_eq!(stream(&[(4, 8)], 8).map(|s| s.units()), Ok(2));
    }

    #[test]
    fn quarters_begin_at_places_of_the_outermost_loop_or_within_a_run() {
        let loops = |of: &[(u32, i64)]| -> Vec<MemoryLoop> {
            of.iter().map(|&(count, step)| MemoryLoop { count, step }).collect()
        };
        let (first, sections) = stream(&[(8, 512)], 64).unwrap().quarters().unwrap();
        assert_eq!((first.loops[0].count, first.run), (2, 4));
        assert_eq!(sections, loops(&[(4, 1024)]));
        let (first, sections) = stream(&[(2, 4096), (6, 512)], 64).unwrap().quarters().unwrap();
        assert_eq!((first.loops[0].count, first.run), (3, 4));
        assert_eq!(sections, loops(&[(2, 4096), (2, 1536)]));
        let (first, sections) = stream(&[], 256).unwrap().quarters().unwrap();
        assert_eq!((first.run, sections), (4, loops(&[(4, 64)])));
        assert_eq!(stream(&[(3, 512)], 64).unwrap().quarters(), None);
        assert_eq!(stream(&[(2, 512)], 48).unwrap().quarters(), None);
        assert_eq!(stream(&[], 96).unwrap().quarters(), None);
        assert_eq!(first.repeated(4, 72), Err(NoBeats::Begin(8)));
        let again = first.repeated(4, 64).unwrap();
        assert_eq!((again.loops.len(), again.run), (0, 16));
    }
}
