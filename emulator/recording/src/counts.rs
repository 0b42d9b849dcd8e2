//! Counts of what cycles were for: of stretches of a run, the leaves, and of the levels above them.

use cp2_emu::Stats;
use cp2_emu::dma::DmaStats;
use cp2_isa::{Arith, Cycle, Exch, SECTIONS};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Counts of some cycles. Those in which no kernel ran have no cause.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Cycles of kernels by cause, in the order of `Cause::ALL`.
    pub causes: [u64; 6],
    /// Floating-point operations of the enabled sections, per section.
    pub flops: [u64; SECTIONS],
    /// Cycles in which kernels accessed each bank of local memory.
    pub banks: Vec<u64>,
    /// Numbers of arithmetic operations that issued, by position in `Arith::ALL`, without those that did not.
    pub arithmetic: Vec<(u16, u64)>,
    /// Numbers of exchange operations that issued, by position in `Exch::ALL`, without those that did not.
    pub exchange: Vec<(u16, u64)>,
    /// Counts of the DMA channel: cycles by cause, descriptors, bytes.
    pub dma: DmaStats,
}

/// Adds counts by number to others, both in the order of the numbers.
fn add_sparse(to: &mut Vec<(u16, u64)>, from: &[(u16, u64)]) {
    for &(number, count) in from {
        match to.binary_search_by_key(&number, |&(n, _)| n) {
            Ok(at) => to[at].1 += count,
            Err(at) => to.insert(at, (number, count)),
        }
    }
}

/// Returns the differences between two states of counters, by number, of those that have changed.
fn grown(now: &[u64], before: &[u64]) -> Vec<(u16, u64)> {
    let pairs = now.iter().zip(before).enumerate();
    pairs.filter(|(_, (a, b))| a != b).map(|(k, (a, b))| (k as u16, a - b)).collect()
}

impl Counts {
    /// Adds the counts of a kernel between two looks.
    pub(crate) fn add_kernel(&mut self, now: &Stats, before: &Stats) {
        let pairs = |to: &mut [u64], now: &[u64], before: &[u64]| {
            for ((total, a), b) in to.iter_mut().zip(now).zip(before) {
                *total += a - b;
            }
        };
        self.banks.resize(now.bank_accesses.len(), 0);
        pairs(&mut self.causes, &now.causes, &before.causes);
        pairs(&mut self.flops, &now.flops, &before.flops);
        pairs(&mut self.banks, &now.bank_accesses, &before.bank_accesses);
        add_sparse(&mut self.arithmetic, &grown(&now.arithmetic, &before.arithmetic));
        add_sparse(&mut self.exchange, &grown(&now.exchange, &before.exchange));
    }

    /// Adds the counts of the channel between two looks.
    pub(crate) fn add_channel(&mut self, now: &DmaStats, before: &DmaStats) {
        for (k, total) in self.dma.causes.iter_mut().enumerate() {
            *total += now.causes[k] - before.causes[k];
        }
        self.dma.n_descriptors += now.n_descriptors - before.n_descriptors;
        self.dma.bytes_get += now.bytes_get - before.bytes_get;
        self.dma.bytes_put += now.bytes_put - before.bytes_put;
    }

    /// Adds other counts.
    pub fn add(&mut self, other: &Self) {
        let pairs = |to: &mut [u64], from: &[u64]| {
            to.iter_mut().zip(from).for_each(|(total, new)| *total += new);
        };
        if self.banks.len() < other.banks.len() {
            self.banks.resize(other.banks.len(), 0);
        }
        pairs(&mut self.causes, &other.causes);
        pairs(&mut self.flops, &other.flops);
        pairs(&mut self.banks, &other.banks);
        add_sparse(&mut self.arithmetic, &other.arithmetic);
        add_sparse(&mut self.exchange, &other.exchange);
        self.add_channel(&other.dma, &DmaStats::default());
    }

    /// Returns the number of cycles in which a kernel ran.
    pub fn kernel_cycles(&self) -> u64 {
        self.causes.iter().sum()
    }

    /// Returns the number of cycles that rates of a run are per, of so many in all: of CP2 alone those in which a kernel ran,
    /// so that what lands behind the last bundle is in no rate, as `cp2 bench` counts; of a machine, where others work
    /// meanwhile, all.
    pub fn rated_cycles(&self, all: u64, is_alone: bool) -> u64 {
        if is_alone { self.kernel_cycles() } else { all }
    }

    /// Returns the number of floating-point operations in the cycles that are counted, summed over the sections: each
    /// operation counts its [`Row::flops`](cp2_isa::Row::flops) in every section in which it is enabled.
    pub fn total_flops(&self) -> u64 {
        self.flops.iter().sum()
    }

    /// Returns the numbers of operations that issued, by mnemonic, without `nop`.
    pub fn operations(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let arithmetic = self.arithmetic.iter();
        let arithmetic = arithmetic
            .filter_map(|&(n, count)| Some((Arith::ALL.get(usize::from(n))?.row().name, count)));
        let exchange = self.exchange.iter();
        let exchange = exchange
            .filter_map(|&(n, count)| Some((Exch::ALL.get(usize::from(n))?.row().name, count)));
        arithmetic.chain(exchange).filter(|&(name, _)| name != "nop")
    }
}

/// Counts of a stretch of a run: of all its cycles together, kernels and channel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leaf {
    /// First cycle of the stretch.
    pub begin: Cycle,
    /// Cycle after the last of the stretch.
    pub end: Cycle,
    /// Counts of the cycles of the stretch.
    pub counts: Counts,
}

impl Leaf {
    /// Returns the number of cycles of the stretch.
    pub fn cycles(&self) -> u64 {
        self.end - self.begin
    }

    fn join(mut self, next: &Self) -> Self {
        self.counts.add(&next.counts);
        self.end = next.end;
        self
    }
}

/// Leaves of a run and the levels above: on each level, pairs of stretches of the one below are one.
#[derive(Clone, Debug, Default)]
pub struct Pyramid {
    levels: Vec<Vec<Leaf>>,
}

impl Pyramid {
    /// Creates the pyramid over leaves in the order of time.
    pub(crate) fn over(leaves: Vec<Leaf>) -> Self {
        let mut levels = vec![leaves];
        while let Some(below) = levels.last().filter(|level| level.len() > 1) {
            let join = |pair: &[Leaf]| match pair {
                [first, second] => first.clone().join(second),
                _ => pair[0].clone(),
            };
            let above = below.chunks(2).map(join).collect();
            levels.push(above);
        }
        Self { levels }
    }

    /// Returns the stretches that have a cycle in a range, of the finest level that has at most so many of them (one at
    /// least). Stretches begin and end where it suited the engine, so the first and the last may reach over the range.
    pub fn within(&self, range: &Range<Cycle>, most: usize) -> &[Leaf] {
        let mut part: &[Leaf] = &[];
        for level in &self.levels {
            let from = level.partition_point(|leaf| leaf.end <= range.start);
            let to = level.partition_point(|leaf| leaf.begin < range.end);
            part = &level[from..to.max(from)];
            if part.len() <= most.max(1) {
                break;
            }
        }
        part
    }

    /// Returns the counts of the whole run.
    pub fn total(&self) -> Counts {
        let top = self.levels.last().and_then(|level| level.first());
        top.map(|leaf| leaf.counts.clone()).unwrap_or_default()
    }

    /// Returns the leaves, the finest level.
    pub fn leaves(&self) -> &[Leaf] {
        self.levels.first().map_or(&[], Vec::as_slice)
    }
}
