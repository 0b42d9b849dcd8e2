//! Counts of the cycles of a recording: of stretches of the run (leaves), and of longer stretches above them.

use cp2_emu::Stats;
use cp2_emu::dma::DmaStats;
use cp2_isa::{Arith, Cycle, Exch, SECTIONS};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Counts of events in some cycles of a recording: cycles by cause, operations, and accesses to local memory of
/// kernels, and the cycles, descriptors and bytes of the DMA channel. Cycles in which no kernel ran are in none of
/// `causes`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Cycles of kernels by cause, in the order of [`Cause::ALL`](cp2_emu::stats::Cause::ALL).
    pub causes: [u64; 6],
    /// Floating-point operations that each section executed; those of sections that a predicate disabled are not
    /// counted.
    pub flops: [u64; SECTIONS],
    /// Cycles in which kernels accessed local memory, for each bank. Empty as long as nothing was counted.
    pub banks: Vec<u64>,
    /// Arithmetic operations that issued: position of the operation in [`Arith::ALL`] and how often it issued, in
    /// rising order, without those that never did.
    pub arithmetic: Vec<(u16, u64)>,
    /// Exchange operations that issued: position of the operation in [`Exch::ALL`] and how often it issued, in rising
    /// order, without those that never did.
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

    /// Adds other counts to these.
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

    /// Whether both count the same: banks that are not there were not accessed.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let with_banks = |counts: &Self| {
            let mut counts = counts.clone();
            counts.banks.resize(self.banks.len().max(other.banks.len()), 0);
            counts
        };
        with_banks(self) == with_banks(other)
    }

    /// Returns the number of cycles, of those counted, in which a kernel ran.
    pub fn kernel_cycles(&self) -> u64 {
        self.causes.iter().sum()
    }

    /// Returns the number of cycles by which rates "per cycle" of what was counted are divided. For CP2 alone
    /// (`is_alone`) it is the number of cycles in which a kernel ran, without the drain; for a machine, in which
    /// channel and host work meanwhile, it is `all`, the number of all cycles counted.
    pub fn rated_cycles(&self, all: u64, is_alone: bool) -> u64 {
        if is_alone { self.kernel_cycles() } else { all }
    }

    /// Returns the number of floating-point operations in the cycles that are counted, summed over the sections: each
    /// operation counts its [`Row::flops`](cp2_isa::Row::flops) in every section in which it is enabled.
    pub fn total_flops(&self) -> u64 {
        self.flops.iter().sum()
    }

    /// Returns the mnemonic of each operation that issued and how often it did, arithmetic operations first; `nop` is
    /// left out.
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

/// Counts of a stretch, a run of cycles of a recording that is counted as a whole: its cycles by cause, operations,
/// accesses to local memory, and what the DMA channel did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leaf {
    /// First cycle of the stretch, counted from reset.
    pub begin: Cycle,
    /// First cycle after the stretch, counted from reset.
    pub end: Cycle,
    /// Counts of kernels and channel in the cycles of the stretch.
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

/// Counts of a whole run at all resolutions, the summary of a [`Recording`](crate::Recording). The finest level has the
/// stretches of the recording in the order of time; on each further level two neighbouring stretches of the level below
/// are one.
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

    /// Returns the stretches, with their counts, that have a cycle in a range, in the order of time: those of the
    /// finest level on which there are at most `most` of them, or at most 1 if `most` is 0. The first and the last
    /// stretch can reach beyond the range.
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

    /// Returns the counts of the whole run: cycles by cause, operations, accesses to local memory, and what the DMA
    /// channel did.
    pub fn total(&self) -> Counts {
        let top = self.levels.last().and_then(|level| level.first());
        top.map(|leaf| leaf.counts.clone()).unwrap_or_default()
    }

    /// Returns the stretches of the finest level with their counts, in the order of time.
    pub fn leaves(&self) -> &[Leaf] {
        self.levels.first().map_or(&[], Vec::as_slice)
    }
}
