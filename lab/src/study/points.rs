//! Machines of a study as points: area, clock, times, and energies where they are known.

use super::file::StudyFile;
use super::machines::MachineSet;
use super::runs::{RangeEnd, Runs};
use crate::costs::{
    CLOCK_SIZES, ClockRange, CostTable, EnergyMachines, Estimated, clock_ratio, energy_nj,
    extra_percent,
};
use crate::inputs::LabError;
use cp2_emu::MachineConfig;

/// Workload of a study with its time on the machine without changes.
#[derive(Clone, Debug, PartialEq)]
pub struct StudiedWorkload {
    /// Name of the workload with its options.
    pub name: String,
    /// Group of the workload.
    pub group: String,
    /// Weight of the workload in means.
    pub weight: f64,
    /// Cycles on the machine without changes.
    pub cycles: u64,
    /// Microseconds on the machine without changes.
    pub us: f64,
}

/// Machine of a study with what it costs and what it gives.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyPoint {
    /// Number of the machine in the study.
    pub machine: usize,
    /// Extensions of the machine, as text.
    pub name: String,
    /// Percent of area more than the machine without changes.
    pub extra_area: f64,
    /// Length of a clock cycle over that of the machine without changes.
    pub clock: ClockRange,
    /// Geometric mean of the speed-ups of the workloads by their weights, with the effect on the clock.
    pub speed_up: f64,
    /// Speed-up of each workload, with the effect on the clock.
    pub each: Vec<f64>,
    /// Cycles of each workload.
    pub cycles: Vec<u64>,
    /// Mean power, and product of energy and time, over those of the machine without changes, in the geometric mean; `None` where the
    /// study did not ask for energies.
    pub energy: Option<[f64; 2]>,
}

impl StudyPoint {
    /// Returns a speed-up on this machine, of one workload or of several, with the interval that the effect on the clock leaves it.
    pub fn ranged(&self, speed_up: f64) -> Estimated {
        self.clock.estimated(|clock| speed_up * self.clock.value / clock)
    }

    /// Returns the speed-up in the geometric mean over that of another machine, with the interval that the effect on the clock
    /// leaves it.
    pub fn ratio_to(&self, other: &Self) -> Estimated {
        let same_clock = self.speed_up * self.clock.value / (other.speed_up * other.clock.value);
        self.clock.with(&other.clock, |own, before| same_clock * before / own)
    }
}

/// Returns the geometric mean of values with weights.
pub(super) fn mean(values: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (value, weight) in values {
        sum += weight * value.ln();
        weights += weight;
    }
    if weights > 0.0 { (sum / weights).exp() } else { 1.0 }
}

/// Returns the geometric means of speed-ups by group of workloads, in the order in which the groups are named. `workloads` has group
/// and weight of each.
pub(super) fn grouped<'a>(
    workloads: impl Iterator<Item = (&'a str, f64)>,
    each: &[f64],
) -> Vec<(String, f64)> {
    let mut groups: Vec<(&str, Vec<(f64, f64)>)> = Vec::new();
    for ((group, weight), speed) in workloads.zip(each) {
        match groups.iter_mut().find(|(name, _)| *name == group) {
            Some((_, own)) => own.push((*speed, weight)),
            None => groups.push((group, vec![(*speed, weight)])),
        }
    }
    groups.into_iter().map(|(name, own)| (name.to_owned(), mean(own.into_iter()))).collect()
}

/// Returns the workloads with their times on the machine without changes.
pub(super) fn workloads(
    file: &StudyFile,
    runs: &Runs<'_>,
) -> Result<Vec<StudiedWorkload>, LabError> {
    let one = |(k, work): (usize, &super::file::StudyWorkload)| {
        let (run, _) = runs
            .best((k, 0, RangeEnd::Usual), false)
            .map_err(|e| LabError::new(format!("workload {}: {}: {e}", k + 1, work.name)))?;
        let (name, group, weight) = (work.name.clone(), work.group.clone(), work.weight);
        Ok(StudiedWorkload { name, group, weight, cycles: run.cycles, us: run.us })
    };
    file.workloads.iter().enumerate().map(one).collect()
}

/// Returns the energy of a workload on a machine in nanojoules, and its time in microseconds, if its events were counted.
pub(super) fn energy(
    (costs, set): (&CostTable, &MachineSet),
    runs: &Runs<'_>,
    (work, machine): (usize, usize),
) -> Option<(f64, f64)> {
    let (run, _) = runs.best((work, machine, RangeEnd::Usual), true).ok()?;
    let config = set.config(machine);
    let machines = EnergyMachines { base: set.config(0), config };
    let nj = energy_nj(costs, machines, (run.counts.as_ref()?, run.cycles));
    Some((nj, run.us * clock_ratio(costs, set.config(0), config)))
}

/// Returns the machines on which all workloads run as points.
pub(super) fn points(
    file: &StudyFile,
    (costs, set): (&CostTable, &MachineSet),
    (runs, machines): (&Runs<'_>, &[usize]),
    has_energy: bool,
) -> Vec<StudyPoint> {
    let base = set.config(0);
    let times = |machine: usize| {
        let one = |work: usize| {
            let (run, _) = runs.best((work, machine, RangeEnd::Usual), false).ok()?;
            Some((run.cycles, run.us))
        };
        (0..file.workloads.len()).map(one).collect::<Option<Vec<_>>>()
    };
    let weight = |k: usize| file.workloads[k].weight;
    let Some(usual) = times(0) else { return Vec::new() };
    let usual_energy: Option<Vec<_>> = (0..file.workloads.len())
        .map(|work| if has_energy { energy((costs, set), runs, (work, 0)) } else { None })
        .collect();
    // The clock follows from few sizes: it is computed once for each of them.
    let sizes_of = |config: &MachineConfig| CLOCK_SIZES.map(|key| config.value(key));
    let mut clocks: Vec<([u32; CLOCK_SIZES.len()], ClockRange)> = Vec::new();
    for config in machines.iter().map(|&machine| set.config(machine)) {
        if !clocks.iter().any(|(sizes, _)| *sizes == sizes_of(config)) {
            clocks.push((sizes_of(config), ClockRange::new(costs, base, config)));
        }
    }
    let point = |&machine: &usize| {
        let (times, config) = (times(machine)?, set.config(machine));
        let clock = clocks.iter().find(|(sizes, _)| *sizes == sizes_of(config))?.1.clone();
        let each: Vec<f64> = usual
            .iter()
            .zip(&times)
            .map(|(before, after)| before.1 / after.1 / clock.value)
            .collect();
        let ratios = |of: &dyn Fn((f64, f64)) -> f64| {
            let pairs = usual_energy.iter().flatten().enumerate().map(|(work, before)| {
                Some((of(energy((costs, set), runs, (work, machine))?) / of(*before), weight(work)))
            });
            Some(mean(pairs.collect::<Option<Vec<_>>>()?.into_iter()))
        };
        let energy = usual_energy
            .is_some()
            .then(|| Some([ratios(&|(nj, us)| nj / us)?, ratios(&|(nj, us)| nj * us)?]))
            .flatten();
        Some(StudyPoint {
            machine,
            name: set.name(machine),
            extra_area: extra_percent(costs, base, config),
            clock,
            speed_up: mean(each.iter().enumerate().map(|(k, speed)| (*speed, weight(k)))),
            each,
            cycles: times.iter().map(|time| time.0).collect(),
            energy,
        })
    };
    machines.iter().filter_map(point).collect()
}
