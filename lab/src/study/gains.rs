//! What each extension of a study is worth: alone, last, its share; for each workload with the spread that assumptions leave; and
//! pairs of extensions.

use super::file::StudyFile;
use super::machines::MachineSet;
use super::points::mean;
use super::runs::{RangeEnd, Runs};
use super::shares::{self, SharedGain};
use crate::costs::{ClockRange, CostTable, Estimated};

/// Least and greatest value of gains where the uncertain numbers of the machine, assumptions and fits, are as they are, and at the ends at
/// which memory and host are fastest and slowest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GainSpread {
    /// Range of the gain alone.
    pub alone: [f64; 2],
    /// Range of the gain last; `None` if the runs that are allowed did not suffice.
    pub last: Option<[f64; 2]>,
    /// Range of the share; `None` if the runs that are allowed did not suffice.
    pub share: Option<[f64; 2]>,
}

/// Whether a gain is less than its range is wide, so that assumptions decide it.
pub(super) fn is_below([low, high]: [f64; 2], gain: f64) -> bool {
    gain != 0.0 && gain.abs() < high - low
}

/// Gain of a workload from one extension, in percent of its time without changes, at the same clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorkloadGain {
    /// Percent that the extension saves alone, last, and its share.
    pub gain: SharedGain,
    /// Ranges of these over the uncertain numbers of the machine.
    pub spread: GainSpread,
}

impl WorkloadGain {
    /// Whether the gain alone is less than its spread, so that assumptions decide it.
    pub fn is_below_spread(&self) -> bool {
        is_below(self.spread.alone, self.gain.alone)
    }

    /// Whether the share is less than its spread.
    pub fn is_share_below_spread(&self) -> bool {
        self.spread.share.is_some_and(|spread| is_below(spread, self.gain.share))
    }
}

/// Worth of one extension in its largest size.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtensionWorth {
    /// Extension with its size.
    pub name: String,
    /// Percent of the geometric mean of the times that it saves, with its ranges.
    pub all: WorkloadGain,
    /// Percent of the geometric mean of the times that it saves alone with its effect on the clock, and the interval that the costs
    /// leave this.
    pub with_clock: Estimated,
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
    /// Range of this over the uncertain numbers of the machine; `None` if the runs that are allowed did not suffice.
    pub spread: Option<[f64; 2]>,
}

/// Returns the machines at which spreads of gains alone are told: the base, and each extension alone.
pub(super) fn spread_machines(set: &MachineSet) -> Vec<usize> {
    let each = (0..set.axes.len()).map(|k| set.of_mask(1 << k));
    std::iter::once(0).chain(each).collect()
}

/// Returns the machines at which spreads of all gains are told: all sets of extensions in their largest sizes.
pub(super) fn all_spread_machines(set: &MachineSet) -> Vec<usize> {
    (0..1 << set.axes.len()).map(|mask| set.of_mask(mask)).collect()
}

fn us(runs: &Runs<'_>, work: usize, machine: usize, end: RangeEnd) -> Option<f64> {
    runs.best((work, machine, end), false).ok().map(|(run, _)| run.us)
}

/// Returns the percent of time that a workload saves on a machine; 0 if it does not run there.
fn saved(runs: &Runs<'_>, work: usize, machine: usize, end: RangeEnd) -> f64 {
    let both = us(runs, work, 0, end).zip(us(runs, work, machine, end));
    both.map_or(0.0, |(before, after)| 100.0 * (1.0 - after / before))
}

/// Returns the speed-up of the geometric mean on a machine where its uncertain numbers are at an end, at the same clock.
pub(super) fn speed_up(
    file: &StudyFile,
    runs: &Runs<'_>,
    (machine, end): (usize, RangeEnd),
) -> f64 {
    let ratio = |work: usize| 1.0 / (1.0 - saved(runs, work, machine, end) / 100.0);
    mean(file.workloads.iter().enumerate().map(|(work, of)| (ratio(work), of.weight)))
}

/// Percents of time that sets of extensions save, by their bits: of each workload, and of the geometric mean.
struct SavedTimes {
    works: Vec<Vec<f64>>,
    mean: Vec<f64>,
}

impl SavedTimes {
    fn new(file: &StudyFile, set: &MachineSet, runs: &Runs<'_>, end: RangeEnd) -> Self {
        let masks = || (0..1 << set.axes.len()).map(|mask| set.of_mask(mask));
        let of_work =
            |work| masks().map(|machine| saved(runs, work, machine, end)).collect::<Vec<_>>();
        let works: Vec<Vec<f64>> = (0..file.workloads.len()).map(of_work).collect();
        let mean_of = |mask: usize| {
            let ratios = works.iter().zip(&file.workloads);
            100.0 * (1.0 - mean(ratios.map(|(saved, of)| (1.0 - saved[mask] / 100.0, of.weight))))
        };
        let mean = (0..1 << set.axes.len()).map(mean_of).collect();
        Self { works, mean }
    }
}

/// Returns the least and the greatest of some values.
fn range(values: impl Iterator<Item = f64>) -> [f64; 2] {
    values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
}

/// Returns the worth of every extension, and the pairs. `has_ends` says whether all sets of extensions were run at the ends of the uncertain
/// numbers; if not, only each extension alone was.
pub(super) fn worth(
    (file, costs): (&StudyFile, &CostTable),
    set: &MachineSet,
    runs: &Runs<'_>,
    (orders, has_ends): (&[Vec<usize>], bool),
) -> (Vec<ExtensionWorth>, Vec<PairHelp>) {
    let n = set.axes.len();
    let shares = |saved: &[f64]| match orders {
        [] => shares::exact(n, &|mask| saved[mask]),
        orders => shares::sampled(n, orders, &|mask| saved[mask]),
    };
    let ends = [RangeEnd::Usual, RangeEnd::Fast, RangeEnd::Slow];
    let times = ends.map(|end| SavedTimes::new(file, set, runs, end));
    // Of the mean, and of each workload.
    let lists: Vec<[&[f64]; 3]> = std::iter::once(times.each_ref().map(|times| &times.mean[..]))
        .chain((0..file.workloads.len()).map(|k| times.each_ref().map(|times| &times.works[k][..])))
        .collect();
    let gains_of = |saved: &[&[f64]; 3]| -> Vec<WorkloadGain> {
        let found = saved.map(shares);
        let gain = |k: usize| {
            let among = |of: fn(&SharedGain) -> f64| {
                has_ends.then(|| range(found.iter().map(|gains| of(&gains[k]))))
            };
            let spread = GainSpread {
                alone: range(saved.iter().map(|saved| saved[1 << k])),
                last: among(|gain| gain.last),
                share: among(|gain| gain.share),
            };
            WorkloadGain { gain: found[0][k], spread }
        };
        (0..n).map(gain).collect()
    };
    let gains: Vec<Vec<WorkloadGain>> = lists.iter().map(gains_of).collect();
    let name = |k: usize| set.name(set.of_mask(1 << k));
    let worth = |k: usize| {
        let all = gains[0][k];
        let clock = ClockRange::new(costs, set.config(0), set.config(set.of_mask(1 << k)));
        let with_clock = clock.estimated(|clock| 100.0 - (100.0 - all.gain.alone) * clock);
        let each = gains.iter().skip(1).map(|gains| gains[k]).collect();
        ExtensionWorth { name: name(k), all, with_clock, each }
    };
    let worths = (0..n).map(worth).collect();
    if !orders.is_empty() {
        return (worths, Vec::new());
    }
    let helps = times.each_ref().map(|times| shares::pairs(n, &|mask| times.mean[mask]));
    let pair = |&(i, k, percent): &(usize, usize, f64)| {
        let same = |help: &&(usize, usize, f64)| (help.0, help.1) == (i, k);
        let all = helps.iter().filter_map(|helps| helps.iter().find(same).map(|help| help.2));
        PairHelp { names: [name(i), name(k)], percent, spread: has_ends.then(|| range(all)) }
    };
    (worths, helps[0].iter().map(pair).collect())
}
