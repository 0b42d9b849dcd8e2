//! What each extension of a study is worth: alone, last, its share; for each workload with the spread that assumptions leave; and
//! pairs of extensions.

use super::file::StudyFile;
use super::machines::MachineSet;
use super::points::mean;
use super::runs::{RangeEnd, Runs};
use super::shares::{self, SharedGain};

/// Gain of a workload from one extension, in percent of its time without changes, at the same clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorkloadGain {
    /// Percent that the extension saves alone, last, and its share.
    pub gain: SharedGain,
    /// Least and greatest percent that it saves alone where the uncertain numbers of the machine are as they are, and at the ends at
    /// which memory and host are fastest and slowest.
    pub spread: [f64; 2],
    /// Whether the gain alone is less than its spread, so that assumptions decide it.
    pub is_below_spread: bool,
}

/// Worth of one extension in its largest size.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtensionWorth {
    /// Extension with its size.
    pub name: String,
    /// Percent of the geometric mean of the times that it saves.
    pub all: SharedGain,
    /// Gain of each workload, in their order.
    pub each: Vec<WorkloadGain>,
}

/// Two extensions that are worth more together than apart, or less.
#[derive(Clone, Debug, PartialEq)]
pub struct PairHelp {
    /// Names of both extensions with their sizes.
    pub names: [String; 2],
    /// Percent of the geometric mean of the times that they save together more than apart, over all sets of the others; below 0 if each
    /// takes from the other.
    pub percent: f64,
}

/// Returns the machines at which spreads are told: the base, and each extension alone.
pub(super) fn spread_machines(set: &MachineSet) -> Vec<usize> {
    let each = (0..set.axes.len()).map(|k| set.of_mask(1 << k));
    std::iter::once(0).chain(each).collect()
}

fn us(runs: &Runs<'_>, work: usize, machine: usize, end: RangeEnd) -> Option<f64> {
    runs.best((work, machine, end), false).ok().map(|(run, _)| run.us)
}

/// Returns the percent of time that a workload saves on a machine; 0 if it does not run there.
fn saved(runs: &Runs<'_>, work: usize, machine: usize, end: RangeEnd) -> f64 {
    let both = us(runs, work, 0, end).zip(us(runs, work, machine, end));
    both.map_or(0.0, |(before, after)| 100.0 * (1.0 - after / before))
}

/// Returns the worth of every extension, and the pairs.
pub(super) fn worth(
    file: &StudyFile,
    set: &MachineSet,
    runs: &Runs<'_>,
    orders: &[Vec<usize>],
) -> (Vec<ExtensionWorth>, Vec<PairHelp>) {
    let n = set.axes.len();
    let shares = |worth: &dyn Fn(usize) -> f64| match orders {
        [] => shares::exact(n, worth),
        orders => shares::sampled(n, orders, worth),
    };
    let works = 0..file.workloads.len();
    let together = |mask: usize| {
        let machine = set.of_mask(mask);
        let ratio = |work: usize| 1.0 - saved(runs, work, machine, RangeEnd::Usual) / 100.0;
        100.0 * (1.0 - mean(works.clone().map(|work| (ratio(work), file.workloads[work].weight))))
    };
    let of_work =
        |work: usize| shares(&|mask| saved(runs, work, set.of_mask(mask), RangeEnd::Usual));
    let each: Vec<Vec<SharedGain>> = works.clone().map(of_work).collect();
    let name = |k: usize| set.name(set.of_mask(1 << k));
    let gain = |work: usize, k: usize| {
        let machine = set.of_mask(1 << k);
        let ends = [RangeEnd::Usual, RangeEnd::Fast, RangeEnd::Slow];
        let all = ends.map(|end| saved(runs, work, machine, end));
        let spread = [
            all.iter().copied().fold(f64::INFINITY, f64::min),
            all.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        ];
        let is_below_spread = all[0] != 0.0 && all[0].abs() < spread[1] - spread[0];
        WorkloadGain { gain: each[work][k], spread, is_below_spread }
    };
    let found = shares(&together).into_iter().enumerate();
    let found = found.map(|(k, all)| {
        let each = works.clone().map(|work| gain(work, k)).collect();
        ExtensionWorth { name: name(k), all, each }
    });
    let pairs = if orders.is_empty() { shares::pairs(n, &together) } else { Vec::new() };
    let pair = |(i, k, percent)| PairHelp { names: [name(i), name(k)], percent };
    (found.collect(), pairs.into_iter().map(pair).collect())
}
