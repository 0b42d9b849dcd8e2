//! Local memory of a search: what it holds before the kernel runs, and what it says behind it.

use super::search::{LaneSearch, stored, twice};
use super::stacks::Stacks;
use cp2_emu::state::Quad;
use cp2_isa::SECTIONS;
use cp2_recursion::{ContextShare, Dealing, Task, combine};
use cp2_session::error::KernelError;

/// Value of a search on CP2, and its work.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchOutcome {
    /// Value of the task; if lanes stop at the first value, one that was found, or 0.
    pub value: u32,
    /// Contexts that the lanes solved.
    pub contexts: usize,
    /// Searches that CP2 does at a time.
    pub lanes: usize,
    /// Passes that each lane did, busy or idle.
    pub passes: u64,
    /// Arrays of a lane that found a value that is not 0 and has not begun another context since.
    pub arrays: Option<Vec<Vec<u32>>>,
}

impl SearchOutcome {
    /// Returns the share of the lanes' passes in which they were busy, of so many busy ones, 0 to 1.
    pub fn efficiency(&self, busy: u64) -> f64 {
        busy as f64 / (self.lanes as f64 * self.passes.max(1) as f64)
    }
}

/// Contents of the words that show an overflow; no frame has them.
const GUARD: u64 = 0x5afe_c0de_0fac_ade5;

impl<T: Task> LaneSearch<'_, T> {
    /// Returns the contents of local memory before the kernel runs, a word of each section.
    pub fn memory(&self) -> Vec<Quad> {
        let layout = &self.layout;
        let mut lmem = vec![[0; SECTIONS]; layout.words()];
        for slot in 0..layout.slots {
            let high = layout.halves - 1;
            let tops = [0, high].map(|half| (layout.base(slot, half) - layout.stride) as u64);
            lmem[layout.pointer(slot)] = [tops[1] << 32 | tops[0]; SECTIONS];
            // Where values are sums, a sum of a slot.
            let place = if self.task.is_sum() { 0 } else { layout.trash() };
            lmem[layout.result(slot)] = [place as u64; SECTIONS];
            for half in 0..layout.halves {
                lmem[layout.guard(slot, half)] = [GUARD; SECTIONS];
            }
        }
        for section in 0..SECTIONS - 1 {
            let behind = |own: usize| if own > section { u64::MAX } else { 0 };
            lmem[layout.before(section)] = std::array::from_fn(behind);
        }
        let mut put = |first: usize, words: &mut dyn Iterator<Item = u64>| {
            words.enumerate().for_each(|(at, word)| lmem[first + at] = [word; SECTIONS]);
        };
        put(layout.pool(), &mut self.constants.iter().copied());
        let shared = self.arrays.iter().filter(|array| !array.is_own);
        let mut shared = shared.flat_map(|array| &array.words).map(|&word| twice(word));
        put(layout.shared_arrays(), &mut shared);
        match self.plan.stacks {
            Stacks::Own => self.fill_lists(&mut lmem),
            Stacks::CommonDepth | Stacks::Registers => self.fill_stacks(&mut lmem),
        }
        lmem
    }

    /// Lists of contexts, one for each half, the same in all sections, and the shares of lanes. Halves take contexts in turn, or each a block
    /// of them where lanes have blocks.
    fn fill_lists(&self, lmem: &mut [Quad]) {
        let layout = &self.layout;
        let mut places = [0, 1].map(|half| layout.list(half));
        for (at, context) in self.contexts.iter().enumerate() {
            let half = match self.plan.dealing {
                Dealing::Block => at / layout.contexts[0],
                Dealing::Cyclic | Dealing::Queue => at % layout.halves,
            };
            for word in context {
                lmem[places[half]] = [*word; SECTIONS];
                places[half] += 1;
            }
        }
        for slot in (0..layout.slots).filter(|_| layout.has_shares) {
            let of = |section: usize| {
                [0, layout.halves - 1].map(|half| self.share((slot, section, half)))
            };
            let words =
                |[low, high]: [usize; 2]| (high << 32 | low) as u64 * layout.context() as u64;
            let next = |section: usize| words(of(section).map(|share| share.first));
            let end = |section: usize| words(of(section).map(|share| share.end));
            lmem[layout.share_next(slot)] = std::array::from_fn(next);
            lmem[layout.share_end(slot)] = std::array::from_fn(end);
        }
    }

    /// Returns the share of a lane in the list of its half; an empty one where lanes ask for contexts.
    pub(super) fn share(&self, (slot, section, half): (usize, usize, usize)) -> ContextShare {
        let (lane, lanes) = (slot * SECTIONS + section, SECTIONS * self.layout.slots);
        let share = self.plan.dealing.share((lane, lanes), self.layout.contexts[half]);
        share.unwrap_or(ContextShare { first: 0, step: 1, end: 0 })
    }

    /// Stacks with groups of contexts, the first group of each slot on top.
    fn fill_stacks(&self, lmem: &mut [Quad]) {
        let (layout, halves) = (&self.layout, self.plan.halves);
        let groups: Vec<_> = self.contexts.chunks(SECTIONS * halves).collect();
        for slot in 0..layout.slots {
            let own: Vec<_> = groups.iter().skip(slot).step_by(layout.slots).rev().collect();
            for (depth, group) in own.iter().enumerate() {
                let first = layout.base(slot, 0) + depth * layout.stride;
                for word in 0..layout.frame {
                    lmem[first + word] = std::array::from_fn(|section| {
                        let of = |half: usize| {
                            let context = group.get(section + SECTIONS * half);
                            context.map_or(0, |context| context[word] & 0xffff_ffff)
                        };
                        of(halves - 1) << 32 | of(0)
                    });
                }
            }
            if let Some(top) = own.len().checked_sub(1) {
                let top = (layout.base(slot, 0) + top * layout.stride) as u64;
                lmem[layout.pointer(slot)] = [top << 32 | top; SECTIONS];
            }
        }
    }

    /// Returns how many words of local memory [`Self::outcome`] reads, from the first one on: stacks, and the list if values return to it.
    pub fn result_words(&self) -> usize {
        stored(self.task, &self.layout)
    }

    /// Reads value and work of a search from local memory, behind a run of the kernel.
    ///
    /// # Errors
    /// A stack overflowed.
    pub fn outcome(&self, lmem: &[Quad]) -> Result<SearchOutcome, KernelError> {
        self.check_guards(lmem)?;
        let (value, arrays) = match self.task.is_sum() {
            true => (self.sum_of(lmem), None),
            false => {
                let (values, found) = self.returned(lmem);
                (self.combined(&values)?, found.map(|place| self.own_arrays(lmem, place)))
            }
        };
        Ok(SearchOutcome {
            value,
            contexts: self.contexts.len(),
            lanes: self.lanes(),
            passes: self.passes(lmem),
            arrays,
        })
    }

    fn sum_of(&self, lmem: &[Quad]) -> u32 {
        let slots = (0..self.layout.slots).map(|slot| self.layout.result(slot));
        let words = slots.chain([self.layout.sum()]).flat_map(|at| lmem[at]);
        words.fold(self.sum, |all, sum| {
            let high = if self.plan.halves == 2 { (sum >> 32) as u32 } else { 0 };
            all.wrapping_add(sum as u32).wrapping_add(high)
        })
    }

    /// Refuses a run in which a stack overflowed: section, slot and half, and frames.
    ///
    /// # Errors
    /// A word above a stack is not what it was.
    pub fn check_guards(&self, lmem: &[Quad]) -> Result<(), KernelError> {
        let halves = self.layout.halves;
        for (slot, half) in (0..self.layout.slots).flat_map(|s| (0..halves).map(move |h| (s, h))) {
            let words = lmem[self.layout.guard(slot, half)];
            if let Some(section) = words.iter().position(|&word| word != GUARD) {
                let (stack, value) = (slot * halves + half, self.layout.room + 1);
                let limit = format!(
                    "at most {}: stack {stack} of section {section} overflowed; give stacks more frames by --frames",
                    value - 1
                );
                return Err(KernelError::Parameter { what: "depth of a stack", value, limit });
            }
        }
        Ok(())
    }

    /// Returns the value of a task from those that its contexts returned.
    fn combined(&self, values: &[u32]) -> Result<u32, KernelError> {
        match self.plan.stops {
            true => Ok(values.iter().copied().find(|&value| value != 0).unwrap_or(0)),
            false => combine(self.task, self.plan.depth, values)
                .map_err(|_| KernelError::Internal("the host's calls overflow their stack")),
        }
    }

    /// Returns the values that contexts returned, 0 where one was not solved, and the slot and section of a search that found one.
    fn returned(&self, lmem: &[Quad]) -> (Vec<u32>, Option<(usize, usize)>) {
        let layout = &self.layout;
        let of_list = |at: usize| {
            let words = lmem[layout.list(0) + at * layout.context()];
            words.iter().find(|&&word| word >> 32 == 1).map_or(0, |&word| word as u32)
        };
        let mut values: Vec<u32> = (0..self.contexts.len()).map(of_list).collect();
        // Values that nobody has taken from the lanes yet.
        let mut found = None;
        for (slot, section) in (0..layout.slots).flat_map(|s| (0..SECTIONS).map(move |t| (s, t))) {
            let pointer = lmem[layout.pointer(slot)][section] as u32 as usize;
            let place = lmem[layout.result(slot)][section] as u32 as usize;
            let value = lmem[layout.base(slot, 0) - layout.stride][section] as u32;
            if pointer < layout.base(slot, 0) && place >= layout.list(0) {
                values[(place - layout.list(0)) / layout.context()] = value;
                if value != 0 {
                    found = Some((slot, section));
                }
            }
        }
        (values, found)
    }

    /// Returns the arrays as the lane of a slot and section has them.
    fn own_arrays(&self, lmem: &[Quad], (slot, section): (usize, usize)) -> Vec<Vec<u32>> {
        let mut at = self.layout.own_arrays(slot);
        let all = self.arrays.iter().map(|array| {
            if !array.is_own {
                return array.words.clone();
            }
            let words = lmem[at..at + array.words.len()].iter().map(|quad| quad[section] as u32);
            at += array.words.len();
            words.collect()
        });
        all.collect()
    }
}
