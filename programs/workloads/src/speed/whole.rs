//! The speed of whole machines: a host procedure from its input to its results on all engines, and many machines on all
//! processor cores of the native machine beside one. Kernels alone are in `speed.rs`.

use super::{MAX_CYCLES, Repetitions, SPEED, medians};
use cp2_document::{Field, ValueKind};
use cp2_emu::trace::NoObserver;
use cp2_emu::{End, Engine as _, Machine, MachineConfig};
use cp2_fast::{Translator, for_all};
use cp2_isa::Core;
use cp2_kernels::fft as kernel;
use cp2_procedures::fft::{self, Options};
use cp2_procedures::host::Host;
use cp2_session::Environment;
use cp2_session::engine::Engine;
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::random;
use num_complex::Complex32;
use std::time::Instant;

/// Points of the vectors that the procedure transforms.
const POINTS: usize = 16384;
/// Number of vectors that the procedure transforms.
const VECTORS: usize = 32;
/// The machine of the procedure.
const MACHINE: &str = "vm7";
/// Number of machines that run side by side.
const MACHINES: usize = 32;
/// Number of runs of each machine in one measurement.
const RUNS: usize = 64;

/// The speeds of the three engines on a host procedure, in millions of CP2 cycles per second, each the median of
/// several repetitions. The time runs from the input in memory of the native machine to the results there; machine,
/// arrays, twiddle factors and DMA descriptors are made in it, and the timeline (what CP2, channel and host did in each
/// cycle) is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcedureSpeed {
    /// Name of the procedure, such as `fft16384`.
    pub procedure: String,
    /// Name of the emulated machine.
    pub machine: &'static str,
    /// Number of vectors that the procedure transforms in one run.
    pub vectors: usize,
    /// Number of CP2 cycles of one run of the procedure.
    pub cycles: u64,
    /// Speed of the reference engine, in millions of CP2 cycles per second.
    pub reference: f64,
    /// Speed of the portable engine, in millions of CP2 cycles per second.
    pub portable: f64,
    /// Speed of the fast engine, in millions of CP2 cycles per second.
    pub fast: f64,
    /// Speed of the fast engine divided by that of the reference engine.
    pub ratio: f64,
    /// Milliseconds of the first run on the fast engine, which also assembles and translates the kernels.
    pub first_ms: f64,
}

pub(super) const PROCEDURE_FIELDS: &[Field<ProcedureSpeed>] = &[
    Field::new("procedure", ValueKind::Text, "", "name of the procedure", |p| {
        p.procedure.as_str().into()
    }),
    Field::new("machine", ValueKind::Text, "", "name of the machine", |p| p.machine.into()),
    Field::new("vectors", ValueKind::Integer, "vectors", "that are transformed", |p| {
        p.vectors.into()
    }),
    Field::new("cycles", ValueKind::Integer, "cycles", "of one run", |p| p.cycles.into()),
    Field::new(
        "reference_mcycles_per_s",
        ValueKind::Number,
        SPEED,
        "of the reference engine",
        |p| p.reference.into(),
    ),
    Field::new("portable_mcycles_per_s", ValueKind::Number, SPEED, "of the portable engine", |p| {
        p.portable.into()
    }),
    Field::new("fast_mcycles_per_s", ValueKind::Number, SPEED, "of the fast engine", |p| {
        p.fast.into()
    }),
    Field::new("ratio", ValueKind::Number, "", "of the fast engine to the reference engine", |p| {
        p.ratio.into()
    }),
    Field::new("fast_first_run_ms", ValueKind::Number, "milliseconds", "with translation", |p| {
        p.first_ms.into()
    }),
];

/// The speed of many machines, each on `fft256` on the fast engine: all together on one thread of the native machine
/// and on all its threads, in millions of CP2 cycles per second, medians of several repetitions.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    /// Number of emulated machines that run.
    pub machines: usize,
    /// Number of threads that the native machine offers.
    pub threads: usize,
    /// Speed of all machines together on one thread.
    pub one: f64,
    /// Speed of all machines together on all threads.
    pub all: f64,
    /// Speed on all threads divided by that on one thread.
    pub ratio: f64,
}

pub(super) const SCALING_FIELDS: &[Field<Scaling>] = &[
    Field::new("machines", ValueKind::Integer, "machines", "side by side", |s| s.machines.into()),
    Field::new("threads", ValueKind::Integer, "threads", "of the second measurement", |s| {
        s.threads.into()
    }),
    Field::new("one_thread_mcycles_per_s", ValueKind::Number, SPEED, "of all machines", |s| {
        s.one.into()
    }),
    Field::new("all_threads_mcycles_per_s", ValueKind::Number, SPEED, "of all machines", |s| {
        s.all.into()
    }),
    Field::new("ratio", ValueKind::Number, "", "of all threads to one", |s| s.ratio.into()),
];

/// Runs the procedure once; returns cycles, and cycles per microsecond.
fn transformed(host: &mut Host, input: &[Complex32]) -> Result<(u64, f64), KernelError> {
    let begin = Instant::now();
    host.reset();
    let report = fft::run_on(host, POINTS, input, &Options::default(), &mut |_, _| {})?;
    let cycles = report.cost.cycles();
    Ok((cycles, cycles as f64 / begin.elapsed().as_secs_f64() / 1e6))
}

/// Measures the procedure on all engines.
pub(super) fn procedure(
    environment: &Environment,
    repetitions: &mut Repetitions<'_>,
) -> Result<ProcedureSpeed, KernelError> {
    let Some(config) = MachineConfig::preset(MACHINE) else {
        return Err(KernelError::Internal("the benchmark of speed names an unknown machine"));
    };
    let input = random::complex(1, POINTS * VECTORS);
    let host = |engine| {
        let environment = environment.clone();
        let usual = Execution::default();
        let on = Execution { environment, engine, max_cycles: Some(MAX_CYCLES), ..usual };
        Host::new(config.clone(), &on)
    };
    let [mut slow_host, mut middle_host, mut quick_host] =
        [Engine::Reference, Engine::Portable, Engine::Fast].map(host);
    let (cycles, first) = transformed(&mut quick_host, &input)?;
    let first_ms = cycles as f64 / first / 1e3;
    let mut turns = Vec::new();
    for _ in 0..repetitions.repeats {
        let (_, slow) = transformed(&mut slow_host, &input)?;
        let (_, quick) = transformed(&mut quick_host, &input)?;
        let (_, middle) = transformed(&mut middle_host, &input)?;
        turns.push([slow, middle, quick, quick / slow]);
        (repetitions.after_each)();
    }
    let [reference, portable, fast, ratio] = medians(&turns);
    let procedure = format!("fft{POINTS}");
    Ok(ProcedureSpeed {
        procedure,
        machine: MACHINE,
        vectors: VECTORS,
        cycles,
        reference,
        portable,
        fast,
        ratio,
        first_ms,
    })
}

/// Measures many machines on one thread and on all threads.
pub(super) fn scaling(repetitions: &mut Repetitions<'_>) -> Result<Scaling, KernelError> {
    let (cp2, entry) = kernel::loaded(&Core::CP2, 256, 16)?;
    let alone = |_| (Translator::default(), Machine::alone(cp2.clone()));
    let mut machines: Vec<(Translator, Machine)> = (0..MACHINES).map(alone).collect();
    let mut speed = |threads: usize| {
        let begin = Instant::now();
        let ends = for_all(threads, &mut machines, |(fast, machine)| {
            let run = |_| fast.run_kernel(machine, entry, MAX_CYCLES, &mut NoObserver);
            let cycles = (0..RUNS).map(run).map(|run| match run.end {
                End::Stopped(_) => Ok(run.stats.cycles),
                end => Err(end),
            });
            cycles.sum::<Result<u64, End>>()
        });
        let cycles = ends.into_iter().sum::<Result<u64, End>>();
        let cycles = cycles.map_err(|end| KernelError::Run(Box::new(end)))?;
        Ok::<_, KernelError>(cycles as f64 / begin.elapsed().as_secs_f64() / 1e6)
    };
    // The first run translates everything before it is measured.
    speed(0)?;
    let mut turns = Vec::new();
    for _ in 0..repetitions.repeats {
        let (one, all) = (speed(1)?, speed(0)?);
        turns.push([one, all, all / one]);
        (repetitions.after_each)();
    }
    let [one, all, ratio] = medians(&turns);
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Ok(Scaling { machines: MACHINES, threads, one, all, ratio })
}
