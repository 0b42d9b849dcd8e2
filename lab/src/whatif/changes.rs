//! Studies of changes of a machine, each alone and in all combinations: cycles, what bounds the run then, how much each
//! change is worth, and the source lines that gain or lose.

use super::change::{Change, changed};
use super::taken::TakenVariant;
use crate::inputs::LabError;
use crate::picture::{Bars, PictureBar, Shade};
use crate::recorded::{RecordedWorkload, Subject};
use cp2_analysis::compare::{RecordedRun, SearchLimit, compare};
use cp2_analysis::program::NamedProgram;
use cp2_emu::MachineConfig;
use cp2_emu::machine::Key;
use cp2_recording::Counts;
use cp2_session::cost::Cost;

/// Largest number of changes in a study; each change doubles the number of runs.
pub const MOST: usize = 6;
/// Most lines of source that are told of a combination.
const LINES: usize = 12;
/// Source line of a program that costs more or fewer cycles in a combination of a study than in the baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedLine {
    /// Name of the source line, such as its file and number; in a program without source lines the name of the bundle.
    pub name: String,
    /// Cycles of the line in the run of the baseline. Two lines that share a bundle both have its cycles.
    pub before: u64,
    /// Cycles of the line in the run of the combination. Two lines that share a bundle both have its cycles.
    pub after: u64,
    /// Text that says where most of the difference in cycles comes from, such as bundles that only one of the programs
    /// has.
    pub because: &'static str,
}

/// Combination of a study: a run of the workload on the machine with some of the changes, or with none (the baseline).
#[derive(Clone, Debug, PartialEq)]
pub struct Combination {
    /// Changes that are made in the run: bit k is set if change k of the study, from 0, is among them; 0 is the
    /// baseline.
    pub mask: usize,
    /// Cycles of the run, as reports of workloads count them.
    pub cycles: u64,
    /// Microseconds of the run; `None` for a kernel, because CP2 alone has no clock rate.
    pub us: Option<f64>,
    /// Name of the lowest ceiling over the run in the roofline of the machine, and the operations per cycle that it
    /// allows; `None` if there is none.
    pub bound: Option<(&'static str, f64)>,
    /// Floating-point operations per cycle that the run reaches, over `cycles`.
    pub flops_per_cycle: f64,
    /// Hash XXH64 of the bundles of the program that ran, as 16 hexadecimal digits; equal for equal programs.
    pub program: String,
    /// Variant of the workload that ran, the one with the fewest cycles on this machine, and those that could not be.
    pub taken: TakenVariant,
    /// Whether the changes do anything: `false` in the baseline, and where all changes are extensions or concern the
    /// core only, and the program and everything that was counted are those of the baseline.
    pub is_used: bool,
    /// Whether the results of the run are right; `None` if nothing checked them.
    pub is_right: Option<bool>,
    /// Number of cycles of the run in which a kernel ran on CP2.
    pub kernel_cycles: u64,
    /// Source lines whose cycles differ most from the baseline, at most 12; only in combinations with a single change or
    /// with all, else empty.
    pub lines: Vec<ChangedLine>,
    /// Counts of the run.
    counts: Counts,
}

impl Combination {
    /// Returns the cost that is compared: time where there is a clock, else cycles.
    fn cost(&self) -> f64 {
        self.us.unwrap_or(self.cycles as f64)
    }

    /// Whether both combinations have the same program, and the same was counted. In which bank a word lies is no event of
    /// a run.
    fn is_same(&self, other: &Self) -> bool {
        let counts = |of: &Self| Counts { banks: Vec::new(), ..of.counts.clone() };
        (&self.program, self.cycles) == (&other.program, other.cycles)
            && counts(self) == counts(other)
    }
}

/// Gain of one change in a study, in percent of the cost (time, or cycles of a kernel) of the baseline; negative if the
/// change costs.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeGain {
    /// Text of the change, as [`Change::name`] gives it.
    pub change: String,
    /// Percent of the baseline's cost that the change saves if it is the only one; `None` if it does nothing then.
    pub alone: Option<f64>,
    /// Percent of the baseline's cost that the change saves if all others are made already; `None` if it does nothing
    /// then.
    pub last: Option<f64>,
    /// Share of the change in the saving of all changes together, in percent of the baseline's cost: the mean of what
    /// it saves over all orders in which the changes can be made (Shapley value). `None` if it does nothing in any of
    /// them.
    pub shapley: Option<f64>,
}

/// Study of changes of a machine ("what if"): the runs of one workload with all combinations of the changes, and the
/// gain of each change. [`WhatIf::new`] makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct WhatIf {
    /// Name of the workload of the study.
    pub name: String,
    /// Name of the machine of the baseline, on which no change is made; "CP2 alone" for a kernel.
    pub machine: String,
    /// Changes of the study, from 1 to [`MOST`].
    pub changes: Vec<Change>,
    /// Runs of all combinations of changes, 2^n of n changes. The index of a combination is its mask: bit k stands for
    /// change k, and index 0 is the baseline.
    pub combinations: Vec<Combination>,
    /// Gain of each change, in the order of `changes`.
    pub gains: Vec<ChangeGain>,
    /// Command line that makes the study again.
    pub command: String,
}

/// Makes a combination of a run.
fn combination(
    subject: &Subject,
    mask: usize,
    run: &mut RecordedWorkload,
) -> Result<Combination, LabError> {
    let account = run.account()?;
    let point = account.roofline.points.first();
    let clock = subject.machine.as_ref().map(|m| f64::from(m.value(Key::CpuClock)));
    let kernel_cycles = account.counts.kernel_cycles();
    // The cycles that `bench` and the reports of workloads tell: of a kernel alone without what lands behind its end.
    let cycles = run.outcome.cost.as_ref().map_or(kernel_cycles, Cost::cycles);
    Ok(Combination {
        mask,
        cycles,
        us: clock.map(|clock| cycles as f64 / clock),
        bound: point.and_then(|point| point.bound),
        flops_per_cycle: account.counts.total_flops() as f64 / cycles.max(1) as f64,
        program: run.program_hash(),
        taken: TakenVariant::default(),
        is_used: false,
        is_right: run.outcome.verdict.is_right(),
        kernel_cycles,
        lines: Vec::new(),
        counts: account.counts,
    })
}

/// Runs the best variant of a subject, and records the run.
fn best_combination(
    subject: &Subject,
    mask: usize,
) -> Result<(RecordedWorkload, Combination), LabError> {
    let (best, choice) = subject.best()?;
    let mut run = best.record()?;
    let found = combination(&best, mask, &mut run)?;
    let taken = TakenVariant::of(&choice);
    Ok((run, Combination { taken, ..found }))
}

/// Returns the lines in which two runs differ most.
fn lines(a: &mut RecordedWorkload, b: &mut RecordedWorkload) -> Result<Vec<ChangedLine>, LabError> {
    let programs = [NamedProgram::new(&a.image, &a.core), NamedProgram::new(&b.image, &b.core)];
    let runs = [
        RecordedRun { recording: &mut a.recording, program: &programs[0] },
        RecordedRun { recording: &mut b.recording, program: &programs[1] },
    ];
    let found = compare(runs, SearchLimit(1)).map_err(|e| LabError::new(e.to_string()))?;
    let differ = found.costs.lines.iter().filter(|row| row.difference() != 0).take(LINES);
    Ok(differ
        .map(|row| ChangedLine {
            name: row.names.iter().flatten().next().cloned().unwrap_or_default(),
            before: row.cycles(0),
            after: row.cycles(1),
            because: row.because().description(),
        })
        .collect())
}

impl WhatIf {
    /// Runs the workload of `subject` with all combinations of `changes`, and records every run. `command` is the
    /// command line that makes the study again, for reports. `progress` is called before each run but the first with
    /// its index and the number of runs.
    ///
    /// # Errors
    /// There are no changes or more than [`MOST`], one cannot be made, or a run does not come to its end. All changes
    /// are tried before anything runs. A result that is wrong is no error.
    pub fn new(
        subject: &Subject,
        changes: &[Change],
        command: String,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Self, LabError> {
        let n = changes.len();
        if n == 0 || n > MOST {
            return LabError::of(format!(
                "{n} changes are given; a study takes from 1 to {MOST}, and runs 2^n times"
            ));
        }
        let chosen = |mask: usize| -> Vec<&Change> {
            changes.iter().enumerate().filter(|(k, _)| mask >> k & 1 == 1).map(|(_, c)| c).collect()
        };
        let all = 1 << n;
        let subjects = (0..all).map(|mask| changed(subject, &chosen(mask)));
        let subjects = subjects.collect::<Result<Vec<_>, _>>()?;
        let (mut base, first) = best_combination(&subjects[0], 0)?;
        let mut combinations = vec![first];
        for (mask, subject) in subjects.iter().enumerate().skip(1) {
            progress(mask, all);
            let (mut run, mut found) = best_combination(subject, mask)?;
            let leaves_marks = chosen(mask).iter().all(|change| change.leaves_marks());
            found.is_used = !leaves_marks || !found.is_same(&combinations[0]);
            if mask.is_power_of_two() || mask + 1 == all {
                found.lines = lines(&mut base, &mut run)?;
            }
            combinations.push(found);
        }
        let machine = subject.machine.as_ref().map_or("CP2 alone", MachineConfig::name).to_owned();
        let costs: Vec<f64> = combinations.iter().map(Combination::cost).collect();
        let is_used = |own: usize, without: usize| {
            let [before, after] = [without, without | 1 << own].map(|mask| &combinations[mask]);
            !changes[own].leaves_marks() || !before.is_same(after)
        };
        Ok(Self {
            name: subject.name(),
            machine,
            gains: gains(changes, &costs, &is_used),
            changes: changes.to_vec(),
            combinations,
            command,
        })
    }

    /// Returns how many times as fast as the baseline (no changes) a combination is: cost of the baseline over that of the
    /// combination, in time or, for a kernel, in cycles.
    pub fn speed_up(&self, combination: &Combination) -> f64 {
        self.combinations[0].cost() / combination.cost()
    }

    /// Returns the changes of a combination in a line, and whether they do nothing.
    pub(super) fn described(&self, combination: &Combination) -> String {
        let is_unused = combination.mask != 0 && !combination.is_used;
        let words = match combination.taken.slower(&self.combinations[0].taken) {
            _ if !is_unused => String::new(),
            slower if slower.is_empty() => format!(": {}", self.unused()),
            slower => format!(": {}", slower.join(", ")),
        };
        let taken = combination.taken.name.as_ref().map(|name| format!(", by {name}"));
        self.label(combination) + &taken.unwrap_or_default() + &words
    }

    /// Returns the words in place of a gain where all that is counted stays the same.
    pub(super) fn unused(&self) -> &'static str {
        let first = &self.combinations[0].taken;
        match first.name {
            Some(_) if self.combinations.iter().any(|c| !c.taken.slower(first).is_empty()) => {
                "no faster variant uses this"
            }
            Some(_) => "no variant uses this",
            None => "not used by this program",
        }
    }

    /// Returns the changes of a combination as text, joined by " + "; "baseline" if there are none.
    pub fn label(&self, combination: &Combination) -> String {
        let names = self.changes.iter().enumerate().filter(|(k, _)| combination.mask >> k & 1 == 1);
        let names: Vec<_> = names.map(|(_, change)| change.name()).collect();
        if names.is_empty() { "baseline".to_owned() } else { names.join(" + ") }
    }

    /// Returns the picture of the study: a bar for the speed-up over the baseline of every combination of changes.
    pub fn bars(&self) -> Bars {
        let bar = |combination: &Combination| {
            let speed_up = self.speed_up(combination);
            let name = self.described(combination);
            let shade = match combination.mask.count_ones() {
                1 => Shade::Series(0),
                _ => Shade::Series(1),
            };
            PictureBar {
                title: format!("{name}: {} cycles, speed-up {speed_up:.3}", combination.cycles),
                name,
                ends: [1.0, speed_up],
                texts: [String::new(), format!("{speed_up:.3}")],
                shade,
            }
        };
        let mut keys = Vec::new();
        if self.changes.len() > 1 {
            keys.push((Shade::Series(0), "one change".to_owned()));
            keys.push((Shade::Series(1), "several together".to_owned()));
        }
        Bars {
            title: format!("{} on {}: what changes are worth", self.name, self.machine),
            label: "speed-up over the baseline".to_owned(),
            base: 1.0,
            keys,
            bars: self.combinations.iter().skip(1).map(bar).collect(),
        }
    }
}

/// Computes the worth of changes from the costs of all combinations; `is_used` tells of a change and of a combination
/// without it whether the run with both can differ.
fn gains(
    changes: &[Change],
    costs: &[f64],
    is_used: &dyn Fn(usize, usize) -> bool,
) -> Vec<ChangeGain> {
    let (n, all) = (changes.len(), costs.len() - 1);
    let factorial = |k: usize| (1..=k).map(|x| x as f64).product::<f64>();
    let percent = |saved: f64| 100.0 * saved / costs[0];
    let gain = |(k, change): (usize, &Change)| {
        let own = 1 << k;
        let without: Vec<usize> = (0..=all).filter(|mask| mask & own == 0).collect();
        let shares = without.iter().map(|&mask| {
            let others = mask.count_ones() as usize;
            let weight = factorial(others) * factorial(n - 1 - others) / factorial(n);
            weight * (costs[mask] - costs[mask | own])
        });
        let saved =
            |mask: usize| is_used(k, mask).then(|| percent(costs[mask] - costs[mask | own]));
        let is_ever_used = without.iter().any(|&mask| is_used(k, mask));
        ChangeGain {
            change: change.name(),
            alone: saved(0),
            last: saved(all & !own),
            shapley: is_ever_used.then(|| percent(shares.sum())),
        }
    };
    changes.iter().enumerate().map(gain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Costs 100, 60 with A, 80 with B, 50 with both: A saves 40 or 30, B 20 or 10.
    #[test]
    fn shares_add_up_to_what_all_save() {
        let changes =
            ["core.banks=1", "core.banks=4"].map(|text| Change::set(text).expect("a key"));
        let costs = [100.0, 60.0, 80.0, 50.0];
        let found = gains(&changes, &costs, &|_, _| true);
        let numbers = |gain: &ChangeGain| [gain.alone, gain.last, gain.shapley];
        assert_eq!(numbers(&found[0]), [40.0, 30.0, 35.0].map(Some));
        assert_eq!(numbers(&found[1]), [20.0, 10.0, 15.0].map(Some));
        // The second is used beside the first alone.
        let found = gains(&changes, &costs, &|change, without| change == 0 || without == 1);
        assert_eq!(numbers(&found[1]), [None, Some(10.0), Some(15.0)]);
        let found = gains(&changes, &costs, &|_, _| false);
        assert_eq!(numbers(&found[0]), [None; 3]);
    }
}
