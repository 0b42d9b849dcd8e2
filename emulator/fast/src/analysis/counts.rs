//! Counts of one pass of a block, without the many counters that it leaves as they are.

use cp2_emu::Stats;
use cp2_isa::Core;
use serde::{Deserialize, Serialize};

/// Counters that change: the number of each, and by how much it grows.
type Changed = Box<[(usize, u64)]>;

/// Counts of one pass.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Counts {
    cycles: u64,
    drain: u64,
    causes: Changed,
    arithmetic: Changed,
    exchange: Changed,
    flops: Changed,
    collisions: Changed,
    bank_accesses: Changed,
}

fn changed(all: &[u64]) -> Changed {
    all.iter().copied().enumerate().filter(|&(_, n)| n > 0).collect()
}

fn add(to: &mut [u64], changed: &Changed, times: u64) {
    changed.iter().for_each(|&(counter, n)| to[counter] += n * times);
}

impl From<Stats> for Counts {
    fn from(stats: Stats) -> Self {
        let Stats { cycles, drain, causes, arithmetic, exchange, flops, collisions, bank_accesses } =
            stats;
        Self {
            cycles,
            drain,
            causes: changed(&causes),
            arithmetic: changed(&arithmetic),
            exchange: changed(&exchange),
            flops: changed(&flops),
            collisions: changed(&collisions),
            bank_accesses: changed(&bank_accesses),
        }
    }
}

impl Counts {
    /// Whether the counts are of counters that there are on a core.
    pub(crate) fn is_sound(&self, core: &Core) -> bool {
        let Self {
            cycles: _,
            drain: _,
            causes,
            arithmetic,
            exchange,
            flops,
            collisions,
            bank_accesses,
        } = self;
        let all = Stats::new(core);
        let is_within = |changed: &Changed, all: &[u64]| changed.iter().all(|c| c.0 < all.len());
        is_within(causes, &all.causes)
            && is_within(arithmetic, &all.arithmetic)
            && is_within(exchange, &all.exchange)
            && is_within(flops, &all.flops)
            && is_within(collisions, &all.collisions)
            && is_within(bank_accesses, &all.bank_accesses)
    }

    /// Adds the counts of so many passes to those of a run.
    #[inline]
    pub(crate) fn add_to(&self, stats: &mut Stats, times: u64) {
        stats.cycles += self.cycles * times;
        stats.drain += self.drain * times;
        add(&mut stats.causes, &self.causes, times);
        add(&mut stats.arithmetic, &self.arithmetic, times);
        add(&mut stats.exchange, &self.exchange, times);
        add(&mut stats.flops, &self.flops, times);
        add(&mut stats.collisions, &self.collisions, times);
        add(&mut stats.bank_accesses, &self.bank_accesses, times);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cp2_emu::stats::Cause;
    use cp2_isa::{Arith, Bundle, Exch};

    #[test]
    fn counts_are_added_as_a_whole_machine_adds_them() {
        // Counts the same bundles and cycle so many times, one by one.
        let counted = |times: u64| {
            let mut stats = Stats::default();
            for _ in 0..times {
                let mut bundle = Bundle::NOP;
                stats.count_bundle(&bundle, 0xf);
                (bundle.arith.op, bundle.exch.op) = (Arith::Psmul, Exch::Ldo);
                (0..3).for_each(|_| _ = stats.count_bundle(&bundle, 5));
                stats.count_cycle(Cause::SyncHold);
            }
            let all = |counts: [u64; 4]| counts.map(|n| n * times);
            let [drain, first, second, _] = all([9, 4, 5, 0]);
            (stats.drain, stats.collisions) = (drain, all([1, 0, 2, 3]));
            stats.bank_accesses = vec![first, second];
            stats
        };
        let mut sparse = counted(1);
        Counts::from(counted(1)).add_to(&mut sparse, 7);
        assert_eq!(sparse, counted(8));
    }
}
