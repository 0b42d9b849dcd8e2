//! The checkpoint of an epoch: registers, what was under way, and what has been overwritten in local
//! memory since: ranges that the engine keeps before it runs a block, and words that translated stores
//! keep themselves.

use super::executor::Executor;
use super::flow::Flow;
use super::replay::{NextPasses, Replay};
use crate::abi::context::{Live, Vector};
use crate::analysis::footprint::WordRun;
use crate::analysis::pointer::Pointer;
use cp2_emu::state::Quad;

/// Number of latest ranges that are looked through for one that has the words already.
const LOOK_BACK: usize = 16;
/// Number of words from which on it is worth looking for a range that has them already.
const WORTH_A_LOOK: i32 = 32;

/// Range of local memory, whose words are kept as they were before a block, or need not be kept.
#[derive(Clone, Copy, Debug)]
struct Range {
    first: u16,
    words: u16,
    is_kept: bool,
    /// Number of entries of the undo log that stores had made before.
    entries: u32,
}

/// Moment at which the cycles of a block are done again if the epoch is taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DoneAgain {
    /// Not at all, maybe, nor those of the other blocks of the epoch: the channel may end it earlier.
    Never,
    /// Perhaps only after somebody has looked: the run may be over within these cycles.
    Later,
    /// Before anybody looks at local memory.
    BeforeAnybodyLooks,
}

/// Checkpoint of an epoch: the state with which it began.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    flow: Flow,
    live: Box<Live>,
    /// Values that were under way.
    pending: Vec<Vector>,
    ranges: Vec<Range>,
    /// Words of the ranges, one range behind the other.
    words: Vec<Quad>,
    /// Words of shared memory.
    shared: Vec<u64>,
    replay: Replay,
}

impl Default for Checkpoint {
    fn default() -> Self {
        let live = Box::new(Live::ZERO);
        let (pending, ranges, words, shared, replay) = Default::default();
        Self { flow: Flow::default(), live, pending, ranges, words, shared, replay }
    }
}

impl Checkpoint {
    /// Keeps where the program is, the registers, so many values under way, and shared memory.
    pub(crate) fn take(&mut self, executor: &Executor, flow: &Flow, pending: usize) {
        self.flow.clone_from(flow);
        self.live.take(executor.live(), executor.present());
        self.pending.clear();
        self.pending.extend_from_slice(&executor.pending()[..pending]);
        self.ranges.clear();
        self.words.clear();
        self.replay.begin();
        self.shared.clear();
        self.shared.extend_from_slice(executor.shared());
    }

    /// Returns the flow of the program when the epoch began.
    pub(crate) fn flow(&self) -> &Flow {
        &self.flow
    }

    /// Keeps the words that passes of a block are about to overwrite, and no others, because a channel may write the words
    /// between before they are restored. Without [`DoneAgain::Never`] not even those that need not be kept.
    pub(crate) fn keep(
        &mut self,
        executor: &Executor,
        lmem: &[Quad],
        next: &NextPasses<'_>,
        again: DoneAgain,
    ) {
        for (k, pointer) in next.pointers.iter().enumerate() {
            let words = pointer.written.iter().map(|run| run.words).sum::<i32>();
            if words == 0 {
                continue;
            }
            let is_spared = again == DoneAgain::BeforeAnybodyLooks
                && (words as u64).saturating_mul(next.passes) >= WORTH_A_LOOK as u64
                && self.replay.spares(next, k, [&self.live.banks, &executor.live().banks]);
            self.keep_of_pointer((executor, lmem), pointer, next.passes, is_spared);
        }
        if again != DoneAgain::Never {
            self.replay.add(next);
        }
    }

    fn keep_of_pointer(
        &mut self,
        (executor, lmem): (&Executor, &[Quad]),
        pointer: &Pointer,
        passes: u64,
        is_spared: bool,
    ) {
        let (step, passes) = (pointer.step, passes as i32);
        let address = pointer.address(&executor.live().a) as i32;
        let entries = executor.n_undo();
        for runs in pointer.written.chunk_by(|a, b| a.words == b.words) {
            let words = runs.first().map_or(0, |run| run.words);
            let is_joined = passes > 1 && step.abs() <= words;
            let (way, times) = if is_joined { (step * (passes - 1), 1) } else { (0, passes) };
            for pass in 0..times {
                let address = address + step * pass + way.min(0);
                match words + way.abs() {
                    1 | 2 if is_spared => {}
                    1 => self.keep_runs::<1>(lmem, (address, runs), entries),
                    2 => self.keep_runs::<2>(lmem, (address, runs), entries),
                    words => runs.iter().for_each(|run| {
                        let range = (address + run.first, words);
                        self.keep_range(lmem, range, entries, is_spared);
                    }),
                }
            }
        }
    }

    /// Keeps short runs of `N` words each.
    fn keep_runs<const N: usize>(
        &mut self,
        lmem: &[Quad],
        (address, runs): (i32, &[WordRun]),
        entries: usize,
    ) {
        let range = |run: &WordRun| {
            let first = (address + run.first) as u16;
            Range { first, words: N as u16, is_kept: true, entries: entries as u32 }
        };
        self.ranges.extend(runs.iter().map(range));
        let word = |k: usize| lmem[(address + runs[k / N].first) as usize + k % N];
        self.words.extend((0..N * runs.len()).map(word));
    }

    fn keep_range(
        &mut self,
        lmem: &[Quad],
        (first, words): (i32, i32),
        entries: usize,
        is_spared: bool,
    ) {
        let (from, to) = (first as usize, (first + words) as usize);
        if words >= WORTH_A_LOOK {
            // Words that are kept already go back to what they were before, and those that need not be kept do not have to.
            let has = |kept: &Range| {
                let begin = usize::from(kept.first);
                begin <= from && to <= begin + usize::from(kept.words)
            };
            if self.ranges.iter().rev().take(LOOK_BACK).any(has) {
                return;
            }
        }
        let (first, words, entries) = (first as u16, words as u16, entries as u32);
        self.ranges.push(Range { first, words, is_kept: !is_spared, entries });
        if !is_spared {
            self.words.extend_from_slice(&lmem[from..to]);
        }
    }

    /// Restores registers, what was under way and local memory, the last range first. Only words that
    /// the epoch has stored are written: each range and each entry has nothing else. So a channel that
    /// followed the epoch, and stopped before it would have reached a word that the epoch accessed, has
    /// written none of them.
    pub(crate) fn restore(&self, executor: &mut Executor, lmem: &mut [Quad]) {
        let restore_entries = |from: usize, to: usize, lmem: &mut [Quad]| {
            for (first, words) in executor.overwritten(from..to).rev() {
                lmem[first..first + words.len()].copy_from_slice(words);
            }
        };
        let mut end = executor.n_undo();
        let mut words_end = self.words.len();
        for range in self.ranges.iter().rev().filter(|range| range.is_kept) {
            let entries = range.entries as usize;
            restore_entries(entries, end, lmem);
            end = entries;
            let (first, n) = (usize::from(range.first), usize::from(range.words));
            let words = words_end - n..words_end;
            words_end = words.start;
            lmem[first..first + n].copy_from_slice(&self.words[words]);
        }
        restore_entries(0, end, lmem);
        let present = executor.present();
        let (live, pending) = executor.load();
        live.take(&self.live, present);
        pending[..self.pending.len()].copy_from_slice(&self.pending);
        executor.shared_mut().copy_from_slice(&self.shared);
        executor.check();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::footprint::Footprint;
    use crate::back_end::encoding::NativeIsa;
    use cp2_isa::Core;

    /// Checks that every word is kept that a pass stores, and that no other one is written back.
    #[test]
    fn just_the_stored_words_are_restored() {
        let runs = [(0, 2), (6, 1), (10, 40), (70, 2)];
        for step in [0, 1, 2, -2, 5, -64, 100] {
            for passes in [1, 2, 7] {
                let mut lmem: Vec<Quad> =
                    (0..Core::CP2.lmem_words() as u64).map(|k| [k; 4]).collect();
                let mut executor = Executor::new(NativeIsa::Avx2);
                executor.turn_to(&Core::CP2, 0);
                executor.load().0.a[3] = 2000;
                let mut pointer = Pointer::new(&Core::CP2, 3, 0, None);
                runs.iter().for_each(|&(first, words)| pointer.store(first, words));
                pointer.finish(step);
                let mut checkpoint = Checkpoint::default();
                checkpoint.take(&executor, &Flow::default(), 0);
                let (pointers, sets) = ([pointer.clone()], executor.live().a);
                let footprint = Footprint::new(&Core::CP2);
                let next =
                    NextPasses { pointers: &pointers, footprint: &footprint, sets: &sets, passes };
                checkpoint.keep(&executor, &lmem, &next, DoneAgain::Never);
                // Keeps the words again, as for a block that stores them once more.
                checkpoint.keep(&executor, &lmem, &next, DoneAgain::Never);
                let stored = |k: i32| {
                    (0..passes as i32).any(|pass| {
                        let from = 2000 + step * pass;
                        runs.iter().any(|&(first, n)| (from + first..from + first + n).contains(&k))
                    })
                };
                lmem.fill([u64::MAX; 4]);
                checkpoint.restore(&mut executor, &mut lmem);
                for (k, quad) in lmem.iter().enumerate() {
                    let expected = if stored(k as i32) { k as u64 } else { u64::MAX };
                    assert_eq!(*quad, [expected; 4], "step {step}, {passes} passes, word {k}");
                }
            }
        }
    }
}
