//! Epochs from their beginning to their end: what is kept so that one can be taken back, and what counts of one that is not.

use super::{Dispatcher, Tail};
use crate::runtime::flow::Flow;
use crate::runtime::transfer::{ALL, enabled};
use cp2_emu::Cp2;
use cp2_isa::Cycle;

impl Dispatcher {
    /// Keeps the state that can be taken back to from now on; drops operands that nobody can ask for.
    pub(super) fn begin_epoch(&mut self, flow: &Flow) {
        self.cache.gather();
        self.checkpoint.take(&self.executor, flow, self.cache.shape(flow.shape).slots());
        self.drop_superseded(flow.cycle);
        let mut free = 0;
        for tail in &mut self.log {
            let n = self.cache.block(tail.block).code.contract().tail_slots;
            self.executor.move_operands(tail.first..tail.first + n, free);
            tail.first = free;
            free += n;
        }
        self.executor.begin_epoch();
        self.passes.clear();
        self.addresses.clear();
    }

    /// Drops operands of operations whose flags later ones have replaced in every section in which they took part.
    fn drop_superseded(&mut self, cycle: Cycle) {
        let condition = u64::from(self.cache.core().latencies().condition);
        let (mut replaced, mut needed) = (0, Vec::new());
        for tail in self.log.iter().rev() {
            let mut is_needed = false;
            if replaced != ALL {
                for op in self.cache.block(tail.block).facts.tail.iter().rev() {
                    let on = op.mask.map_or(ALL, |mask| {
                        let place = tail.first + mask;
                        enabled(&self.executor.operands(place..place + 1)[0].0)
                    });
                    is_needed |= on & !replaced != 0;
                    let has_landed = tail.end_cycle - u64::from(op.age) + condition < cycle;
                    replaced |= if has_landed { on } else { 0 };
                }
            }
            needed.push(is_needed);
        }
        self.log.retain(|_| needed.pop().unwrap_or(true));
    }

    pub(super) fn first_free(&self) -> usize {
        let end =
            |tail: &Tail| tail.first + self.cache.block(tail.block).code.contract().tail_slots;
        self.log.last().map_or(0, end)
    }

    /// Counts the passes of an epoch, those of a block all at once.
    pub(super) fn commit(&mut self, cp2: &mut Cp2) {
        if let Some(profile) = cp2.profile_mut() {
            for pass in &self.passes {
                profile.add(&self.cache.block(pass.block).facts.costs, pass.n);
            }
        }
        let stats = cp2.stats_mut();
        let mut addresses = self.addresses.iter();
        self.totals.resize(self.cache.blocks.len(), 0);
        for &pass in &self.passes {
            let (block, n) = (self.cache.block(pass.block), pass.n);
            self.waiting.note_passes(block, pass);
            self.totals[pass.block as usize] += n;
            let pointers = &block.code.contract().guards.pointers;
            for (pointer, &address) in pointers.iter().zip(addresses.by_ref()) {
                stats.bank_accesses[pointer.bank(address).index()] += n * pointer.near.n;
            }
        }
        for &pass in &self.passes {
            let n = std::mem::take(&mut self.totals[pass.block as usize]);
            if n > 0 {
                self.cache.block(pass.block).facts.counts.add_to(stats, n);
            }
        }
    }

    /// Restores everything that the epoch changed.
    pub(super) fn take_back(&mut self, cp2: &mut Cp2, flow: &mut Flow) {
        self.checkpoint.restore(&mut self.executor, &mut cp2.state.lmem);
        flow.clone_from(self.checkpoint.flow());
        self.log.retain(|tail| tail.end_cycle <= flow.cycle);
        self.waiting.forget();
    }
}
