//! The speed of a benchmark from its class to its report: kernels are assembled and translated, a form is chosen, the
//! machine is made, and the published scheme and the reference are computed beside it.

use super::{Repetitions, SPEED, medians};
use crate::catalogue;
use cp2_document::{Field, ValueKind};
use cp2_emu::MachineConfig;
use cp2_session::Environment;
use cp2_session::error::KernelError;
use cp2_session::workload::{OptionValue, OptionValues, Platform, Request};
use std::time::Instant;

/// Name of the workload that is measured.
const WORKLOAD: &str = "mg";
/// Class of the problem.
const CLASS: &str = "W";
/// Machine on which the workload runs.
const MACHINE: &str = "vm7";

/// The speed of an NPB benchmark on the fast engine, from its class (a size that NPB defines) to its report; the median
/// of several runs, each of which makes all but the schedules anew.
#[derive(Clone, Debug, PartialEq)]
pub struct BenchmarkSpeed {
    /// Number of CP2 cycles of one run of the benchmark.
    pub cycles: u64,
    /// Speed in millions of CP2 cycles per second of the native machine's time.
    pub fast: f64,
    /// Speed divided by the clock frequency of the emulated machine: 1 if the emulation runs as fast as the machine
    /// would.
    pub of_machine: f64,
    /// Milliseconds of the first run, which also makes the schedules that were not kept from earlier processes.
    pub first_ms: f64,
}

impl BenchmarkSpeed {
    /// Returns the name of the benchmark, its class, and the name of the emulated machine: `mg`, `W` and `vm7`.
    pub const fn names(&self) -> [&'static str; 3] {
        [WORKLOAD, CLASS, MACHINE]
    }
}

pub(super) const FIELDS: &[Field<BenchmarkSpeed>] = &[
    Field::new("benchmark", ValueKind::Text, "", "its name", |b| b.names()[0].into()),
    Field::new("class", ValueKind::Text, "", "of NPB", |b| b.names()[1].into()),
    Field::new("machine", ValueKind::Text, "", "name of the machine", |b| b.names()[2].into()),
    Field::new("cycles", ValueKind::Integer, "cycles", "of one run", |b| b.cycles.into()),
    Field::new("fast_mcycles_per_s", ValueKind::Number, SPEED, "of the fast engine", |b| {
        b.fast.into()
    }),
    Field::new(
        "of_machine",
        ValueKind::Number,
        "",
        "the same over the clock of the machine",
        |b| b.of_machine.into(),
    ),
    Field::new("fast_first_run_ms", ValueKind::Number, "milliseconds", "with schedules", |b| {
        b.first_ms.into()
    }),
];

/// Measures the benchmark in turns.
pub(super) fn measured(
    environment: &Environment,
    repetitions: &mut Repetitions<'_>,
) -> Result<BenchmarkSpeed, KernelError> {
    let missing = || KernelError::Internal("the benchmark of speed is not a workload of a machine");
    let workload = catalogue::find(Platform::Machine, WORKLOAD).ok_or_else(missing)?;
    let config = MachineConfig::preset(MACHINE).ok_or_else(missing)?;
    let clock = f64::from(config.value(cp2_emu::machine::Key::CpuClock));
    let run = || {
        let mut values = OptionValues::default();
        values.set("class", OptionValue::Choice(CLASS.to_owned()));
        values.add_defaults(&workload.option_list());
        let (core, machine) = (*config.core(), Some(config.clone()));
        let environment = environment.clone();
        let request = Request { values, core, machine, environment, ..Request::default() };
        let begin = Instant::now();
        let tally = workload.tally(request)?;
        Ok::<_, KernelError>((tally.cycles, begin.elapsed().as_secs_f64()))
    };
    let (cycles, first) = run()?;
    let mut turns = Vec::new();
    for _ in 0..repetitions.repeats {
        let (cycles, seconds) = run()?;
        turns.push([cycles as f64 / seconds / 1e6]);
        (repetitions.after_each)();
    }
    let [fast] = medians(&turns);
    Ok(BenchmarkSpeed { cycles, fast, of_machine: fast / clock, first_ms: 1e3 * first })
}
