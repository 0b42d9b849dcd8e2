//! Steps of a recorded run, as its host named them, with their cycles by cause: steps of one level and one name together.

pub mod aligned;
pub mod json;

use cp2_emu::profile::BundleCost;
use cp2_emu::stats::Cause;
use cp2_isa::Cycle;
use cp2_recording::{Recording, RecordingError, RunStep, StepLevel};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;

/// Most rows of a level in the text.
const MOST_ROWS: usize = 60;
/// Most names whose steps are counted in one go: each has a count of every bundle meanwhile.
const NAMES_AT_ONCE: usize = 256;

/// Steps of one level and one name, with what they took together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepCost {
    /// Level of the steps.
    pub level: StepLevel,
    /// Name of the steps.
    pub name: String,
    /// Number of these steps.
    pub times: u64,
    /// Number of cycles of all of them.
    pub cycles: u64,
    /// Numbers of cycles of the shortest and of the longest one.
    pub extremes: (u64, u64),
    /// Cycles of kernels in them by cause, in the order of [`Cause::ALL`].
    pub causes: [u64; 6],
    /// Number of floating-point operations in them.
    pub flops: u64,
}

impl StepCost {
    /// Returns the number of cycles in which no kernel ran.
    pub fn without_kernel(&self) -> u64 {
        self.cycles.saturating_sub(self.causes.iter().sum())
    }
}

/// Steps of one name.
struct Group {
    level: StepLevel,
    name: String,
    ranges: Vec<Range<Cycle>>,
}

fn groups(steps: &[RunStep], levels: &[StepLevel]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut known: HashMap<(StepLevel, &str), usize> = HashMap::new();
    for RunStep { level, name, cycles } in steps.iter().filter(|s| levels.contains(&s.level)) {
        let at = *known.entry((*level, name)).or_insert_with(|| {
            groups.push(Group { level: *level, name: name.clone(), ranges: Vec::new() });
            groups.len() - 1
        });
        groups[at].ranges.push(cycles.clone());
    }
    groups
}

/// Returns what the steps of some levels cost, those of one name together: iterations in the order of time, others with most
/// cycles first. The run is simulated once for each level. The recording stays in its current cycle.
///
/// # Errors
/// A part of the recording is damaged, or the listener to the progress has cancelled the operation.
pub fn costs(
    recording: &mut Recording,
    levels: &[StepLevel],
) -> Result<Vec<StepCost>, RecordingError> {
    let groups = groups(&recording.steps()?, levels);
    let mut profiles = Vec::new();
    for some in groups.chunks(NAMES_AT_ONCE) {
        let sets: Vec<&[Range<Cycle>]> = some.iter().map(|group| &group.ranges[..]).collect();
        profiles.extend(recording.profiles(&sets)?.iter().map(cp2_emu::Profile::total));
    }
    let cost = |(Group { level, name, ranges }, total): (Group, BundleCost)| {
        let lengths = || ranges.iter().map(|range| range.end - range.start);
        StepCost {
            level,
            name,
            times: ranges.len() as u64,
            cycles: lengths().sum(),
            extremes: (lengths().min().unwrap_or(0), lengths().max().unwrap_or(0)),
            causes: total.causes,
            flops: total.flops,
        }
    };
    let mut costs: Vec<StepCost> = groups.into_iter().zip(profiles).map(cost).collect();
    costs.sort_by_key(|cost| {
        let is_iteration = matches!(cost.level, StepLevel::Iteration | StepLevel::Inner);
        (cost.level, if is_iteration { 0 } else { u64::MAX - cost.cycles })
    });
    Ok(costs)
}

/// Returns the number of cycles of a run, of `all` of them, that no step of these rows has: all rows of one level.
fn between(rows: &[StepCost], all: u64) -> u64 {
    all.saturating_sub(rows.iter().map(|row| row.cycles).sum())
}

/// Returns the costs of steps as tables for people, a table for each level. `all` is the number of cycles of the run, of which
/// shares are percent.
pub fn text(costs: &[StepCost], all: u64) -> String {
    let percent = |part: u64, of: u64| 100.0 * part as f64 / of.max(1) as f64;
    let mut text = String::new();
    for rows in costs.chunk_by(|a, b| a.level == b.level) {
        let Some(level) = rows.first().map(|row| row.level.name()) else { continue };
        let _ = writeln!(
            text,
            "{:>14} {:>6} {:>7} {:>11} {:>11} {:>7} {:>7} {:>7} {:>7} {:>9}  {level}",
            "cycles",
            "%",
            "times",
            "shortest",
            "longest",
            "both %",
            "one %",
            "other %",
            "none %",
            "flops/cyc"
        );
        for row in rows.iter().take(MOST_ROWS) {
            let cause = |cause: Cause| row.causes[cause as usize];
            let both = cause(Cause::Both);
            let one = cause(Cause::Arithmetic) + cause(Cause::Exchange);
            let none = row.without_kernel();
            let other = row.cycles.saturating_sub(both + one + none);
            let _ = writeln!(
                text,
                "{:>14} {:>6.1} {:>7} {:>11} {:>11} {:>7.1} {:>7.1} {:>7.1} {:>7.1} {:>9.2}  {}",
                row.cycles,
                percent(row.cycles, all),
                row.times,
                row.extremes.0,
                row.extremes.1,
                percent(both, row.cycles),
                percent(one, row.cycles),
                percent(other, row.cycles),
                percent(none, row.cycles),
                row.flops as f64 / row.cycles.max(1) as f64,
                row.name
            );
        }
        let (left, more) = rows.split_at(rows.len().min(MOST_ROWS));
        if !more.is_empty() {
            let cycles: u64 = more.iter().map(|row| row.cycles).sum();
            let _ = writeln!(
                text,
                "{cycles:>14} {:>6.1} {:>7}  of {} more names, after {}",
                percent(cycles, all),
                more.iter().map(|row| row.times).sum::<u64>(),
                more.len(),
                left.len()
            );
        }
        let between = between(rows, all);
        let share = percent(between, all);
        let _ = writeln!(text, "{between:>14} {share:>6.1} {:>7}  between steps", "");
    }
    text
}
