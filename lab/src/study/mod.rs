//! Studies of several workloads on all combinations of extensions: which change is worth its silicon.
//!
//! - `file`: the file of a study; `machines`: all combinations of extensions; `runs`: runs, remembered by program and by the machine
//!   as the program sees it;
//! - `shares`: what each extension is worth among all, and pairs; `spread`: what assumptions and fits leave of a gain;
//! - `points`: machines with area, clock, time and energy; `choice`: limits, front and best machine;
//! - `gains`: worth of the extensions for each workload; `answer`: the answer in words; `report`: as JSON; `page`: as a page of HTML;
//! - `bundle`: a study as one file that another person runs again.

mod answer;
mod bundle;
mod choice;
mod file;
mod gains;
mod machines;
mod page;
mod points;
mod report;
mod runs;
mod shares;
mod spread;

pub use answer::SiliconStep;
pub use bundle::{BundledFile, StudyBundle, bundle_schema, is_bundle, report_digest};
pub use choice::FrontMachine;
pub use file::{StudyFile, StudyGoal, StudyLimits, StudyWorkload, is_study};
pub use gains::{ExtensionWorth, GainSpread, PairHelp, WorkloadGain};
pub use machines::{ExtensionAxis, MachineSet};
pub use points::{StudiedWorkload, StudyPoint};
pub use report::schema;
pub use runs::RangeEnd;
pub use shares::SharedGain;

use crate::costs::CostTable;
use crate::inputs::LabError;
use cp2_session::Environment;
use runs::{Question, Runs};
use std::num::NonZeroUsize;

/// Reach of a study: its machines, and the runs that told their times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StudyReach {
    /// Number of machines that there are.
    pub machines: usize,
    /// Number of machines whose times are known.
    pub known: usize,
    /// Number of times, of a workload on a machine, that were asked for.
    pub asked: usize,
    /// Number of runs that told them, those at the ends of uncertain numbers and those for energy among them.
    pub runs: usize,
    /// Number of orders by which shares were sampled; 0 if they are exact.
    pub orders: usize,
}

/// Study of several workloads on all combinations of extensions of a machine, with areas and energies: the machines that no other
/// beats, the best by a goal, and what each extension is worth. [`Study::new`] makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// Name of the machine without changes.
    pub machine: String,
    /// Workloads with their times on the machine without changes.
    pub workloads: Vec<StudiedWorkload>,
    /// Number that is best in `best`.
    pub goal: StudyGoal,
    /// Limits that the file states, as sentences.
    pub limits: Vec<String>,
    /// Most percent of area more that the file allows; `None` without such a limit.
    pub most_extra_area: Option<f64>,
    /// Reach of the study: machines, times and runs.
    pub reach: StudyReach,
    /// Machines whose times are known, by number; those on which a workload does not run are left out.
    pub points: Vec<StudyPoint>,
    /// Machines within the limits that no other beats in area and speed-up, rising in area.
    pub front: Vec<FrontMachine>,
    /// Machine within the limits that is best by the goal.
    pub best: FrontMachine,
    /// Worth of each extension, in its largest size.
    pub worth: Vec<ExtensionWorth>,
    /// Pairs of extensions that help or hinder each other, the strongest first; empty if shares were sampled.
    pub pairs: Vec<PairHelp>,
    /// Command line that makes the study again.
    pub command: String,
}

/// Machines that a study asks about first, and the orders by which shares are sampled.
struct Asked {
    machines: Vec<usize>,
    /// Machines that are run at the ends of the uncertain numbers, and whether they are all sets of extensions.
    at_ends: (Vec<usize>, bool),
    orders: Vec<Vec<usize>>,
}

fn questions(works: usize, machines: &[usize], end: RangeEnd) -> Vec<Question> {
    (0..works).flat_map(|work| machines.iter().map(move |&m| (work, m, end))).collect()
}

/// Whether a choice among machines needs their energies.
fn wants_energy(file: &StudyFile) -> bool {
    file.goal == StudyGoal::EnergyDelay || file.limits.most_power.is_some()
}

/// Returns the machines whose runs are allowed: all of them, or those of some random orders.
fn asked(file: &StudyFile, set: &MachineSet, runs: &Runs<'_>) -> Result<Asked, LabError> {
    let works = file.workloads.len();
    let needed = |machines: &[usize], at_ends: &[usize]| {
        let ends = [RangeEnd::Fast, RangeEnd::Slow];
        let ends = ends.map(|end| questions(works, at_ends, end)).concat();
        let usual = questions(works, machines, RangeEnd::Usual);
        let counted = if wants_energy(file) { runs.missing(&usual, true) } else { 0 };
        runs.missing(&[&usual[..], &ends].concat(), false) + counted
    };
    let all: Vec<usize> = (0..set.count()).collect();
    let (corners, sets) = (gains::spread_machines(set), gains::all_spread_machines(set));
    for at_ends in [(sets, true), (corners.clone(), false)] {
        if needed(&all, &at_ends.0) <= file.runs {
            return Ok(Asked { machines: all, at_ends, orders: Vec::new() });
        }
    }
    let mut machines = shares::corners(set);
    let mut orders = Vec::new();
    for order in shares::orders(set.axes.len()) {
        let more = shares::prefixes(&order).map(|mask| set.of_mask(mask));
        let mut with: Vec<usize> = machines.iter().copied().chain(more).collect();
        with.sort_unstable();
        with.dedup();
        let count = needed(&with, &corners);
        if count > file.runs {
            if orders.len() < 2 {
                return LabError::of(format!(
                    "runs is {}; two orders of the extensions alone need {count} runs; raise it",
                    file.runs
                ));
            }
            break;
        }
        machines = with;
        orders.push(order);
    }
    Ok(Asked { machines, at_ends: (corners, false), orders })
}

impl Study {
    /// Runs a study. Runs take schedules from the store of `environment`, on as many threads as are given. `command` is the command
    /// line that makes the study again, for reports. `progress` is called with the number of runs that are made and that are needed.
    ///
    /// # Errors
    /// A workload does not run on the machine without changes, an extension cannot be switched on there, the runs that are allowed do
    /// not suffice, or no machine keeps all limits: then the message names those that contradict each other.
    pub fn new(
        file: &StudyFile,
        costs: &CostTable,
        at: (&Environment, NonZeroUsize),
        command: String,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Self, LabError> {
        let set = MachineSet::new(&file.machine, &file.switches)?;
        let subjects: Vec<_> = file.workloads.iter().map(|work| work.subject.clone()).collect();
        let mut runs = Runs::new(&set, &subjects, at);
        let works = file.workloads.len();
        let Asked { machines, at_ends, orders } = asked(file, &set, &runs)?;
        let all = questions(works, &machines, RangeEnd::Usual);
        let wants_energy = wants_energy(file);
        runs.answer(&all, false, progress)?;
        for end in [RangeEnd::Fast, RangeEnd::Slow] {
            runs.answer(&questions(works, &at_ends.0, end), false, progress)?;
        }
        if wants_energy {
            runs.answer(&all, true, progress)?;
        }
        let workloads = points::workloads(file, &runs)?;
        let points = points::points(file, (costs, &set), (&runs, &machines), wants_energy);
        let chosen = choice::choose(file, &points)?;
        let shown: Vec<usize> = chosen.machines().collect();
        for end in [RangeEnd::Fast, RangeEnd::Slow] {
            runs.answer(&questions(works, &[&[0], &shown[..]].concat(), end), false, progress)?;
        }
        if !wants_energy {
            let base = [&[0][..], &shown].concat();
            runs.answer(&questions(works, &base, RangeEnd::Usual), true, progress)?;
        }
        let tell =
            |machine: usize| choice::front_machine(file, (costs, &set), &runs, (&points, machine));
        let front = chosen.front.iter().map(|&machine| tell(machine)).collect();
        let best = tell(chosen.best);
        let (worth, pairs) = gains::worth((file, costs), &set, &runs, (&orders, at_ends.1));
        let reach = StudyReach {
            machines: set.count(),
            known: machines.len(),
            asked: all.len(),
            runs: runs.made(),
            orders: orders.len(),
        };
        Ok(Self {
            machine: file.machine.name().to_owned(),
            workloads,
            goal: file.goal,
            limits: choice::sentences(file),
            most_extra_area: file.limits.most_extra_area,
            reach,
            points,
            front,
            best,
            worth,
            pairs,
            command,
        })
    }
}
