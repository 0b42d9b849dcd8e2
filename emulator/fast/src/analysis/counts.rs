//! What one pass of a block counts, without the many counters that it leaves as they are.

use cp2_emu::Stats;

/// Counts of one pass.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    /// Everything but the operations, of which there are few in a block.
    rest: Stats,
    arithmetic: Vec<(usize, u64)>,
    exchange: Vec<(usize, u64)>,
}

fn counted(all: &[u64]) -> Vec<(usize, u64)> {
    all.iter().copied().enumerate().filter(|&(_, n)| n > 0).collect()
}

fn add_all(to: &mut [u64], from: &[u64], times: u64) {
    for (total, new) in to.iter_mut().zip(from) {
        *total += new * times;
    }
}

impl From<Stats> for Counts {
    fn from(stats: Stats) -> Self {
        let [arithmetic, exchange] = [counted(&stats.arithmetic), counted(&stats.exchange)];
        Self { rest: stats, arithmetic, exchange }
    }
}

impl Counts {
    /// Adds them so many times: the same as [`Stats::add`].
    pub(crate) fn add_to(&self, stats: &mut Stats, times: u64) {
        let Self { rest, arithmetic, exchange } = self;
        stats.cycles += rest.cycles * times;
        stats.drain += rest.drain * times;
        add_all(&mut stats.causes, &rest.causes, times);
        add_all(&mut stats.flops, &rest.flops, times);
        add_all(&mut stats.collisions, &rest.collisions, times);
        add_all(&mut stats.bank_accesses, &rest.bank_accesses, times);
        arithmetic.iter().for_each(|&(op, n)| stats.arithmetic[op] += n * times);
        exchange.iter().for_each(|&(op, n)| stats.exchange[op] += n * times);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cp2_emu::stats::Cause;
    use cp2_isa::{Arith, Bundle, Exch};

    #[test]
    fn counts_are_added_as_a_whole_machine_adds_them() {
        let mut one = Stats::default();
        let mut bundle = Bundle::NOP;
        one.count_bundle(&bundle, 0xf);
        (bundle.arith.op, bundle.exch.op) = (Arith::Psmul, Exch::Ldo);
        (0..3).for_each(|_| _ = one.count_bundle(&bundle, 5));
        one.count_cycle(Cause::SyncHold);
        (one.drain, one.collisions, one.bank_accesses) = (9, [1, 0, 2, 3], vec![4, 5]);
        let (mut sparse, mut whole) = (one.clone(), one.clone());
        Counts::from(one.clone()).add_to(&mut sparse, 7);
        whole.add(&one, 7);
        assert_eq!(sparse, whole);
    }
}
