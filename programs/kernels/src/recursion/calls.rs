//! Calls of the kernel of a search, one after the other: between them the host shows how far the search is, and may keep its state.

use super::search::LaneSearch;
use super::stacks::Stacks;
use cp2_emu::state::Quad;
use cp2_isa::SECTIONS;
use cp2_recursion::Task;

impl<T: Task> LaneSearch<'_, T> {
    /// Returns the arguments of a call of the kernel, of which the first has number 0. A call ends when the search has ended, or behind some
    /// million cycles.
    pub fn call_arguments(&self, call: usize) -> Vec<u16> {
        let groups = self.groups();
        match self.plan.stacks {
            Stacks::Registers => {
                let first = call * self.portions.groups;
                let address = self.layout.base(0, 0) + first * self.layout.stride;
                let count = groups.saturating_sub(first).min(self.portions.groups);
                vec![address as u16, count as u16]
            }
            Stacks::CommonDepth | Stacks::Own => Vec::new(),
        }
    }

    /// Whether a search has ended with so many calls, behind which local memory has this contents.
    pub fn has_ended(&self, calls: usize, lmem: &[Quad]) -> bool {
        match self.plan.stacks {
            Stacks::Registers => calls * self.portions.groups >= self.groups(),
            Stacks::CommonDepth | Stacks::Own => lmem[self.layout.goes_on()] == [0; SECTIONS],
        }
    }

    /// Returns how many contexts lanes have begun with in so many calls, behind which local memory has this contents.
    pub fn begun(&self, calls: usize, lmem: &[Quad]) -> usize {
        let (layout, group) = (&self.layout, SECTIONS * self.plan.halves);
        let begun = match self.plan.stacks {
            Stacks::Registers => calls * self.portions.groups * group,
            Stacks::Own if layout.has_shares => self.begun_shares(lmem),
            Stacks::Own => {
                let next = lmem[layout.next()][0];
                let halves = [next as u32, (next >> 32) as u32].into_iter().zip(layout.contexts);
                let of = |(words, all): (u32, usize)| (words as usize / layout.context()).min(all);
                halves.take(layout.halves).map(of).sum()
            }
            Stacks::CommonDepth => {
                let of = |slot: usize| {
                    let own = (self.groups() + layout.slots - 1 - slot) / layout.slots;
                    let pointer = lmem[layout.pointer(slot)][0] as u32 as usize;
                    // The groups that are left stand below the one that lanes are at.
                    let left = (pointer + layout.stride).saturating_sub(layout.base(slot, 0));
                    own - (left / layout.stride).saturating_sub(1).min(own.saturating_sub(1))
                };
                (0..layout.slots).map(of).sum::<usize>() * group
            }
        };
        begun.min(self.contexts.len())
    }

    /// Returns how many contexts of their shares lanes have begun with.
    fn begun_shares(&self, lmem: &[Quad]) -> usize {
        let layout = &self.layout;
        let of = |slot: usize, section: usize, half: usize| {
            let next = (lmem[layout.share_next(slot)][section] >> (32 * half)) as u32 as usize;
            let share = self.share((slot, section, half));
            (next / layout.context()).saturating_sub(share.first) / share.step
        };
        let lanes = (0..layout.slots).flat_map(|slot| (0..SECTIONS).map(move |s| (slot, s)));
        lanes.flat_map(|(slot, s)| (0..layout.halves).map(move |half| of(slot, s, half))).sum()
    }
}
