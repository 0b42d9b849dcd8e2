//! Choice among the machines of a study: limits, those that contradict each other, the front, and the best by the goal.

use super::file::{StudyFile, StudyGoal};
use super::gains;
use super::machines::MachineSet;
use super::points::{StudyPoint, grouped};
use super::runs::{RangeEnd, Runs};
use crate::costs::{
    ClockRange, CostTable, EnergyMachines, Estimated, RunEnergy, energy_of, extra_area, uncounted,
};
use crate::inputs::LabError;

/// Greatest number of limits that are looked for together as contradicting each other.
const TOGETHER: usize = 3;

/// Machine that a study tells in full: one of the front, or the best.
#[derive(Clone, Debug, PartialEq)]
pub struct FrontMachine {
    /// Machine with area, clock and times.
    pub point: StudyPoint,
    /// Percent of area more than the machine without changes, with the interval that the costs leave it.
    pub extra_area: Estimated,
    /// Sentences on what the machine has that its area leaves out; empty if there is nothing.
    pub uncounted: Vec<String>,
    /// Speed-ups in the geometric mean with the effect on the clock, where the uncertain numbers of the machine, assumptions and fits, are
    /// at the ends at which memory and host are fastest, and slowest.
    pub at_ends: [f64; 2],
    /// Variant of each workload that ran.
    pub variants: Vec<String>,
    /// Geometric means of the speed-ups by group of workloads.
    pub groups: Vec<(String, f64)>,
    /// Energy of a run of each workload; `None` if its events could not be counted.
    pub energy: Vec<Option<RunEnergy>>,
}

impl FrontMachine {
    /// Whether the speed-up differs from 1 by less than the costs leave it by the clock, or than assumptions and fits change it.
    pub fn is_below_spread(&self) -> bool {
        let speed_up = self.point.speed_up;
        let [fast, slow] = self.at_ends;
        let ends = [fast.min(slow).min(speed_up), fast.max(slow).max(speed_up)];
        self.point.ranged(speed_up).is_below_spread(1.0) || gains::is_below(ends, speed_up - 1.0)
    }
}

/// Machines that were chosen, by number.
pub(super) struct ChosenMachines {
    pub(super) front: Vec<usize>,
    pub(super) best: usize,
}

impl ChosenMachines {
    /// Returns the machines that are told in full.
    pub(super) fn machines(&self) -> impl Iterator<Item = usize> {
        self.front.iter().copied().chain([self.best])
    }
}

/// Limit of a study: a sentence, and whether a machine keeps it.
type Limit = (String, Box<dyn Fn(&StudyPoint) -> bool>);

fn limits(file: &StudyFile) -> Vec<Limit> {
    let mut all: Vec<Limit> = Vec::new();
    let limits = file.limits;
    if let Some(most) = limits.most_extra_area {
        let sentence = format!("constraints.most_extra_area = {most} percent");
        all.push((sentence, Box::new(move |point| point.extra_area <= most)));
    }
    if let Some(most) = limits.most_power {
        let sentence = format!("constraints.most_power = {most} times the base");
        let keeps = move |point: &StudyPoint| point.energy.is_some_and(|[power, _]| power <= most);
        all.push((sentence, Box::new(keeps)));
    }
    if let Some(least) = limits.least_speed_up {
        let sentence = format!("constraints.least_speed_up = {least}");
        all.push((sentence, Box::new(move |point| point.speed_up >= least)));
    }
    for (k, work) in file.workloads.iter().enumerate() {
        if let Some(most) = work.most_cycles {
            let sentence = format!("most_cycles = {most} of {}", work.name);
            all.push((sentence, Box::new(move |point| point.cycles[k] as f64 <= most)));
        }
        if let Some(most) = work.most_us {
            let sentence = format!("most_us = {most} of {}", work.name);
            let clock = f64::from(file.machine.value(cp2_emu::machine::Key::CpuClock));
            let keeps = move |point: &StudyPoint| {
                point.cycles[k] as f64 / clock * point.clock.value <= most
            };
            all.push((sentence, Box::new(keeps)));
        }
    }
    all
}

/// Returns the limits of a file as sentences.
pub(super) fn sentences(file: &StudyFile) -> Vec<String> {
    limits(file).into_iter().map(|(sentence, _)| sentence).collect()
}

/// Returns the fewest limits that no machine keeps together, of at most [`TOGETHER`]; all if there are no such few.
fn contradicting<'a>(limits: &'a [Limit], points: &[StudyPoint]) -> Vec<&'a str> {
    fn search<'a>(
        (limits, points): (&'a [Limit], &[StudyPoint]),
        (from, left): (usize, usize),
        chosen: &mut Vec<&'a Limit>,
    ) -> bool {
        if left == 0 {
            return !points.iter().any(|point| chosen.iter().all(|(_, keeps)| keeps(point)));
        }
        for k in from..limits.len() {
            chosen.push(&limits[k]);
            if search((limits, points), (k + 1, left - 1), chosen) {
                return true;
            }
            chosen.pop();
        }
        false
    }
    for size in 1..=TOGETHER.min(limits.len()) {
        let mut chosen = Vec::new();
        if search((limits, points), (0, size), &mut chosen) {
            return chosen.iter().map(|(sentence, _)| sentence.as_str()).collect();
        }
    }
    limits.iter().map(|(sentence, _)| sentence.as_str()).collect()
}

/// Returns the front of some machines in area and speed-up, rising in area: those that no other beats, of equal ones the first.
fn front(points: &[&StudyPoint]) -> Vec<usize> {
    let mut all: Vec<&&StudyPoint> = points.iter().collect();
    all.sort_by(|a, b| {
        let area = a.extra_area.total_cmp(&b.extra_area);
        area.then(b.speed_up.total_cmp(&a.speed_up)).then(a.machine.cmp(&b.machine))
    });
    let mut fastest = f64::NEG_INFINITY;
    let mut found = Vec::new();
    for point in all {
        if point.speed_up > fastest {
            fastest = point.speed_up;
            found.push(point.machine);
        }
    }
    found
}

/// Chooses the front and the best machine among those that keep all limits.
///
/// # Errors
/// No machine keeps them; the message names limits that contradict each other.
pub(super) fn choose(file: &StudyFile, points: &[StudyPoint]) -> Result<ChosenMachines, LabError> {
    let limits = limits(file);
    let keeps = |point: &&StudyPoint| limits.iter().all(|(_, keeps)| keeps(point));
    let within: Vec<&StudyPoint> = points.iter().filter(keeps).collect();
    let cost = |point: &StudyPoint| match file.goal {
        StudyGoal::SpeedUp => [-point.speed_up, point.extra_area],
        StudyGoal::Cost => [point.extra_area, -point.speed_up],
        StudyGoal::EnergyDelay => {
            [point.energy.map_or(f64::INFINITY, |[_, product]| product), point.extra_area]
        }
    };
    let best = within.iter().min_by(|a, b| {
        let (a, b) = (cost(a), cost(b));
        a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1]))
    });
    match best {
        Some(best) => Ok(ChosenMachines { front: front(&within), best: best.machine }),
        None => {
            let which = contradicting(&limits, points);
            let how = match which.len() {
                1 => "no machine of the study keeps it".to_owned(),
                n => format!("these {n} contradict each other: machines keep each, none keeps all"),
            };
            LabError::of(format!("{}: {how}; {}", which.join("; "), reachable(points)))
        }
    }
}

/// Returns a sentence about what machines reach.
fn reachable(points: &[StudyPoint]) -> String {
    let fastest = points.iter().max_by(|a, b| a.speed_up.total_cmp(&b.speed_up));
    fastest.map_or_else(String::new, |point| {
        format!(
            "the fastest, with {}, has speed-up {:.3} for {:.1} % more area",
            point.name, point.speed_up, point.extra_area
        )
    })
}

/// Returns a machine with all that a study tells of it.
pub(super) fn front_machine(
    file: &StudyFile,
    (costs, set): (&CostTable, &MachineSet),
    runs: &Runs<'_>,
    (points, machine): (&[StudyPoint], usize),
) -> FrontMachine {
    let works = 0..file.workloads.len();
    let variant = |work: usize| {
        runs.best((work, machine, RangeEnd::Usual), false).map_or(String::new(), |(_, name)| name)
    };
    let known = points.iter().find(|point| point.machine == machine).cloned();
    let empty = || StudyPoint {
        machine,
        name: set.name(machine),
        extra_area: 0.0,
        clock: ClockRange::fixed(),
        speed_up: 1.0,
        each: Vec::new(),
        cycles: Vec::new(),
        energy: None,
    };
    let energy = |work: usize| {
        let (run, _) = runs.best((work, machine, RangeEnd::Usual), true).ok()?;
        let machines = EnergyMachines { base: set.config(0), config: set.config(machine) };
        Some(energy_of(costs, machines, (run.counts.as_ref()?, run.cycles)))
    };
    let point = known.unwrap_or_else(empty);
    let at_ends = [RangeEnd::Fast, RangeEnd::Slow]
        .map(|end| gains::speed_up(file, runs, (machine, end)) / point.clock.value);
    let all = file.workloads.iter().map(|work| (&*work.group, work.weight));
    FrontMachine {
        groups: grouped(all, &point.each),
        point,
        extra_area: extra_area(costs, set.config(0), set.config(machine)),
        at_ends,
        uncounted: uncounted(costs, set.config(0), set.config(machine)),
        variants: works.clone().map(variant).collect(),
        energy: works.map(energy).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(machine: usize, extra_area: f64, speed_up: f64) -> StudyPoint {
        let (name, each, cycles) = (machine.to_string(), vec![speed_up], vec![100]);
        StudyPoint {
            machine,
            name,
            extra_area,
            clock: ClockRange::fixed(),
            speed_up,
            each,
            cycles,
            energy: None,
        }
    }

    #[test]
    fn the_front_has_whom_no_other_beats() {
        let all = [(0.0, 1.0), (2.0, 1.5), (1.0, 0.9), (2.0, 1.4), (3.0, 1.5), (4.0, 1.6)];
        let all: Vec<_> = all.iter().enumerate().map(|(k, p)| point(k, p.0, p.1)).collect();
        let found = front(&all.iter().collect::<Vec<_>>());
        assert_eq!(found, [0, 1, 5]);
        let beats = |a: &StudyPoint, b: &StudyPoint| {
            a.extra_area <= b.extra_area
                && a.speed_up >= b.speed_up
                && (a.extra_area, a.speed_up) != (b.extra_area, b.speed_up)
        };
        for one in &all {
            assert_eq!(found.contains(&one.machine), !all.iter().any(|other| beats(other, one)));
        }
        assert_eq!(front(&[&all[2]]), [2]);
    }

    #[test]
    fn limits_that_contradict_are_the_fewest() {
        let limit = |name: &str, keeps: fn(&StudyPoint) -> bool| -> Limit {
            (name.to_owned(), Box::new(keeps))
        };
        let points = [point(0, 0.0, 1.0), point(1, 5.0, 2.0)];
        let all = [
            limit("any", |_| true),
            limit("small", |p| p.extra_area < 1.0),
            limit("fast", |p| p.speed_up > 1.5),
        ];
        assert_eq!(contradicting(&all, &points), ["small", "fast"]);
        let never = [limit("any", |_| true), limit("never", |_| false)];
        assert_eq!(contradicting(&never, &points), ["never"]);
    }
}
