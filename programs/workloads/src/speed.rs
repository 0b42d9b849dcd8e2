//! The speed of the engines on the native machine: cycles of CP2 per second of the fast engine beside the portable and
//! the reference engine, on the FFT kernel, a stencil, a loop of mixed operations, one of elementary functions and a closure of bits, and
//! beside the speed of straight vector code.

mod benchmark;
mod closure;
mod limit;
mod whole;

use cp2_document::{Field, ValueKind, object};
use cp2_emu::trace::NoObserver;
use cp2_emu::{Cp2, End, Engine, Machine};
use cp2_fast::{Translator, cycles_per_second};
use cp2_isa::{BundleAddress, Core};
use cp2_kernels::{fft, multigrid};
use cp2_portable::Portable;
use cp2_session::error::KernelError;
use cp2_session::{Environment, load, random};
use serde_json::{Value, json};
use std::fmt;
use std::time::{Duration, Instant};

pub use benchmark::BenchmarkSpeed;
pub use limit::{OperationMix, register_limit};
pub use whole::{ProcedureSpeed, Scaling};

/// Least time of one measurement.
const SHARE: Duration = Duration::from_millis(40);
/// The number of repetitions of a measurement unless a user asks for another. Each measures every engine once; the
/// median counts.
pub const REPEATS: usize = 7;
const MAX_CYCLES: u64 = 100_000_000;
/// The number of measurements that [`report`] repeats: five programs, a procedure, a benchmark, many machines.
pub const MEASURED: usize = 8;

/// The number of repetitions of each measurement of [`report`], and a listener to their progress.
pub struct Repetitions<'a> {
    /// Number of times that each of the [`MEASURED`] measurements is repeated, at least 1; the median counts.
    pub repeats: usize,
    /// Function that is called after every repetition of a measurement, to show progress.
    pub after_each: &'a mut dyn FnMut(),
}

/// The speeds of the three engines on one program, in millions of CP2 cycles per second. Each is the median of several
/// repetitions; ratios are medians of the ratios of single repetitions, so that a load of the native machine falls on
/// both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Speed {
    /// Name of the program, such as `fft256`.
    pub program: &'static str,
    /// Number of CP2 cycles of one run of the program.
    pub cycles: u64,
    /// Number of bundles that one run of the program issues.
    pub bundles: u64,
    /// Share of the cycles, 0 to 1, that the fast engine ran in code translated for the native machine.
    pub translated: f64,
    /// Speed of the reference engine, in millions of CP2 cycles per second.
    pub reference: f64,
    /// Speed of the portable engine, in millions of CP2 cycles per second.
    pub portable: f64,
    /// Speed of the fast engine, in millions of CP2 cycles per second.
    pub fast: f64,
    /// Speed of the fast engine divided by that of the reference engine.
    pub ratio: f64,
    /// Cycles of the native machine, at its nominal frequency, that the fast engine takes for a bundle; `None` if the
    /// native machine cannot run translated code.
    pub native_cycles: Option<f64>,
}

impl Speed {
    /// Returns the nanoseconds that the fast engine takes for a bundle.
    pub fn ns_per_bundle(&self) -> f64 {
        1e3 * self.cycles as f64 / self.fast / self.bundles as f64
    }
}

/// Unit of speeds.
const SPEED: &str = "10^6 cycles of CP2 per second";

const SPEED_FIELDS: &[Field<Speed>] = &[
    Field::new("program", ValueKind::Text, "", "name of the program", |s| s.program.into()),
    Field::new("cycles", ValueKind::Integer, "cycles", "of one run", |s| s.cycles.into()),
    Field::new("bundles", ValueKind::Integer, "bundles", "of one run", |s| s.bundles.into()),
    Field::new(
        "translated",
        ValueKind::Number,
        "",
        "share of the cycles that translated code did",
        |s| s.translated.into(),
    ),
    Field::new(
        "reference_mcycles_per_s",
        ValueKind::Number,
        SPEED,
        "of the reference engine",
        |s| s.reference.into(),
    ),
    Field::new("portable_mcycles_per_s", ValueKind::Number, SPEED, "of the portable engine", |s| {
        s.portable.into()
    }),
    Field::new("fast_mcycles_per_s", ValueKind::Number, SPEED, "of the fast engine", |s| {
        s.fast.into()
    }),
    Field::new("ratio", ValueKind::Number, "", "of the fast engine to the reference engine", |s| {
        s.ratio.into()
    }),
    Field::new("fast_ns_per_bundle", ValueKind::Number, "nanoseconds", "of the fast engine", |s| {
        s.ns_per_bundle().into()
    }),
    Field::or_null(
        "fast_host_cycles_per_bundle",
        ValueKind::Number,
        "cycles of the native machine",
        "at its nominal frequency; null where nothing is translated",
        |s| s.native_cycles.into(),
    ),
];

/// A limit of the native machine for one mix of operations: the speed of vector (SIMD) code that does these operations
/// and has no bookkeeping of an engine around them, as [`register_limit`] measures it.
#[derive(Clone, Debug, PartialEq)]
pub struct NativeLimit {
    /// Mix of operations that counts as a bundle of the measured code.
    pub mix: OperationMix,
    /// Speed of the measured code in millions of bundles per second.
    pub bundles: f64,
    /// Speed of the fast engine on the kernel `fft256`, in CP2 cycles per second, divided by the limit in bundles per
    /// second: 1 if the engine is as fast as the limit. `None` for a mix without butterflies.
    pub reached: Option<f64>,
}

impl NativeLimit {
    /// Returns a short name of the mix, then a text on the operations in a bundle.
    pub const fn words(&self) -> [&'static str; 2] {
        match self.mix {
            OperationMix::Fft => [
                "fft",
                "butterfly with its own coefficient; double load in 1 bundle of 4, double store in another",
            ],
            OperationMix::FftAlive => [
                "fft-30",
                "as fft, with 30 values alive in place of 10: more than the native machine has registers",
            ],
            OperationMix::Loads => ["loads", "butterfly with its own coefficient and double load"],
            OperationMix::Sums => {
                ["sums", "sum, product or difference; load in 1 bundle of 4, store in another"]
            }
        }
    }
}

const LIMIT_FIELDS: &[Field<NativeLimit>] = &[
    Field::new("name", ValueKind::Text, "", "of the mix", |l| l.words()[0].into()),
    Field::new("bundle", ValueKind::Text, "", "what a bundle holds", |l| l.words()[1].into()),
    Field::new(
        "mbundles_per_s",
        ValueKind::Number,
        "10^6 bundles per second",
        "of the native machine",
        |l| l.bundles.into(),
    ),
    Field::or_null(
        "fft256_reaches",
        ValueKind::Number,
        "",
        "share of it; null without butterflies",
        |l| l.reached.into(),
    ),
];

/// The speeds that [`report`] measured on the native machine.
#[derive(Clone, Debug, PartialEq)]
pub struct SpeedReport {
    /// Speeds of the engines on five kernels on CP2 alone: an FFT, a stencil, a loop of mixed operations, one of
    /// elementary functions, and a closure of bits. In millions of CP2 cycles per second.
    pub speeds: Vec<Speed>,
    /// Speeds of the engines on a procedure on a whole machine, in millions of CP2 cycles per second.
    pub procedure: ProcedureSpeed,
    /// Speed of the fast engine on an NPB benchmark, from its class (a size that NPB defines) to its report, in
    /// millions of CP2 cycles per second.
    pub benchmark: BenchmarkSpeed,
    /// Speed of many machines at once, on one thread and on all threads, in millions of CP2 cycles per second.
    pub scaling: Scaling,
    /// Limits of the native machine for each mix, in millions of bundles per second; empty without translated code.
    pub limits: Vec<NativeLimit>,
    /// Load of the native machine before the measurement, then after it: number of processes that wanted a processor
    /// core, averaged over a minute. `None` if it is not known. [`report`] leaves both `None`; its caller sets them.
    pub loads: [Option<f64>; 2],
}

const FIELDS: &[Field<SpeedReport>] = &[
    Field::new(
        "programs",
        ValueKind::Objects(|| schema_of(SPEED_FIELDS)),
        "",
        "one CP2 alone",
        |r| r.speeds.iter().map(|speed| object(SPEED_FIELDS, speed)).collect(),
    ),
    Field::new(
        "procedure",
        ValueKind::Object(|| schema_of(whole::PROCEDURE_FIELDS)),
        "",
        "on a whole machine",
        |r| object(whole::PROCEDURE_FIELDS, &r.procedure),
    ),
    Field::new(
        "benchmark",
        ValueKind::Object(|| schema_of(benchmark::FIELDS)),
        "",
        "from its class to its report",
        |r| object(benchmark::FIELDS, &r.benchmark),
    ),
    Field::new(
        "machines",
        ValueKind::Object(|| schema_of(whole::SCALING_FIELDS)),
        "",
        "at once",
        |r| object(whole::SCALING_FIELDS, &r.scaling),
    ),
    Field::new(
        "limits",
        ValueKind::Objects(|| schema_of(LIMIT_FIELDS)),
        "",
        "of this machine",
        |r| r.limits.iter().map(|limit| object(LIMIT_FIELDS, limit)).collect(),
    ),
    Field::new(
        "load_before_and_after",
        ValueKind::Numbers,
        "processes",
        "that wanted a core on average over a minute; null where the native machine does not tell",
        |r| json!(r.loads),
    ),
];

fn schema_of<T>(fields: &[Field<T>]) -> Value {
    cp2_document::schema(fields, &[])
}

const SCHEMA: &str = "cp2-speed-4";

/// Returns the JSON Schema of [`SpeedReport::to_json`], with the unit and a description of every value.
pub fn schema() -> Value {
    let shape = cp2_document::tagged(SCHEMA, FIELDS, &[]);
    cp2_document::whole("Report of `cp2 bench --speed --json`", &[shape])
}

impl SpeedReport {
    /// Returns the report as a JSON object, whose values [`schema`] describes.
    pub fn to_json(&self) -> Value {
        cp2_document::document(SCHEMA, FIELDS, self)
    }
}

impl fmt::Display for SpeedReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_programs(f)?;
        self.write_runs(f)?;
        self.write_limits(f)
    }
}

impl SpeedReport {
    /// Writes the speeds of the programs, a row each.
    fn write_programs(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<9} {:>8} {:>8} {:>10} {:>15} {:>14} {:>10} {:>6} {:>9} {:>20}",
            "program",
            "cycles",
            "bundles",
            "translated",
            "reference, M/s",
            "portable, M/s",
            "fast, M/s",
            "ratio",
            "ns/bundle",
            "native cycles/bundle"
        )?;
        for s in &self.speeds {
            writeln!(
                f,
                "{:<9} {:>8} {:>8} {:>8.1} % {:>15.2} {:>14.1} {:>10.1} {:>6.0} {:>9.2} {:>20}",
                s.program,
                s.cycles,
                s.bundles,
                100.0 * s.translated,
                s.reference,
                s.portable,
                s.fast,
                s.ratio,
                s.ns_per_bundle(),
                s.native_cycles.map_or_else(|| "-".to_owned(), |cycles| format!("{cycles:.2}"))
            )?;
        }
        Ok(())
    }

    /// Writes the speeds of longer runs: a procedure, a benchmark, many machines.
    fn write_runs(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let p = &self.procedure;
        writeln!(
            f,
            "\nA procedure with DMA, from its input to its results, timeline kept:\n\
             {} on {}, {} vectors: {} cycles, reference {:.2} M/s, portable {:.1} M/s, fast {:.1} M/s, ratio {:.0};\n\
             the first run, which also assembles and translates the kernels, took {:.1} ms",
            p.procedure,
            p.machine,
            p.vectors,
            p.cycles,
            p.reference,
            p.portable,
            p.fast,
            p.ratio,
            p.first_ms
        )?;
        let (b, [name, class, machine]) = (&self.benchmark, self.benchmark.names());
        writeln!(
            f,
            "\nA benchmark from its class to its report, reference and published scheme beside it:\n\
             {name} {class} on {machine}: {} cycles, fast {:.1} M/s, {:.2} of the machine's own speed; the first run took {:.0} ms",
            b.cycles, b.fast, b.of_machine, b.first_ms
        )?;
        let s = &self.scaling;
        writeln!(
            f,
            "\nMany machines, each on fft256, on the fast engine:\n\
             {} machines: 1 thread {:.1} M/s, {} threads {:.1} M/s, ratio {:.2}",
            s.machines, s.one, s.threads, s.all, s.ratio
        )
    }

    /// Writes the limits of the native machine.
    fn write_limits(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.limits.is_empty() {
            return writeln!(
                f,
                "\nThis computer runs no translated code: it needs x86-64 Linux with AVX2."
            );
        }
        writeln!(
            f,
            "\nLimits of this machine, and how much of them fft256 reaches: straight AVX2 code of 512 bundles a\n\
             pass through all of local memory; no flags, no pipeline, no undo log. The mix of fft256 is `fft`."
        )?;
        for limit in &self.limits {
            let [name, bundle] = limit.words();
            let reached =
                limit.reached.map_or_else(|| "-".to_owned(), |x| format!("{:.0} %", 100.0 * x));
            writeln!(f, "{name:<8} {:>7.1} M bundles/s, {reached:>4}: {bundle}", limit.bundles)?;
        }
        Ok(())
    }
}

/// Creates a machine with one block of 32x8x8 random points in every section; returns it with the entry of the kernel
/// `resid`.
fn resid() -> Result<(Cp2, BundleAddress), KernelError> {
    let kernel = multigrid::GridKernel::Resid;
    multigrid::machine_on_generated_data(&Core::CP2, kernel, kernel.usual_block(), 1)
}

/// Creates a machine with a loop of operations of every kind on numbers near 1.
fn mixed() -> Result<(Cp2, BundleAddress), KernelError> {
    let (mut cp2, entry) =
        load::machine_with(&Environment::new(), &Core::CP2, "mixed.s", include_str!("mixed.s"))?;
    fill(&mut cp2, |x| 1.0 + 0.25 * x);
    Ok((cp2, entry))
}

/// Creates a machine with a loop in which every third operation is an elementary function or an argument reduction, on
/// numbers in [1, 2).
fn functions() -> Result<(Cp2, BundleAddress), KernelError> {
    let (mut cp2, entry) = load::machine_with(
        &Environment::new(),
        &Core::CP2,
        "functions.s",
        include_str!("functions.s"),
    )?;
    fill(&mut cp2, |x| 1.5 + 0.25 * x);
    Ok((cp2, entry))
}

/// Fills registers and local memory with functions of random numbers in [-1, 1).
fn fill(cp2: &mut Cp2, number: impl Fn(f32) -> f32) {
    let numbers = random::complex(2, cp2.state.lmem.len() + 64);
    let words = numbers.iter().map(|x| {
        let bits = |x: f32| u64::from(number(x).to_bits());
        bits(x.re) << 32 | bits(x.im)
    });
    let places = cp2.state.fpr.iter_mut().chain(cp2.state.lmem.iter_mut());
    places.zip(words).for_each(|(quad, word)| *quad = [word; 4]);
}

/// Runs a program until the measurement is long enough; returns cycles per microsecond.
fn measured(mut run: impl FnMut() -> u64) -> f64 {
    let (begin, mut cycles) = (Instant::now(), 0);
    while begin.elapsed() < SHARE {
        cycles += run();
    }
    cycles as f64 / begin.elapsed().as_secs_f64() / 1e6
}

/// Returns the median of every column.
fn medians<const N: usize>(rows: &[[f64; N]]) -> [f64; N] {
    std::array::from_fn(|k| {
        let mut column: Vec<f64> = rows.iter().map(|row| row[k]).collect();
        column.sort_by(f64::total_cmp);
        column[column.len() / 2]
    })
}

/// Measures a program on all engines, in turns, and the limits of the mixes in the same turns.
fn speed_of(
    program: &'static str,
    (cp2, entry): (Cp2, BundleAddress),
    mixes: &[OperationMix],
    repetitions: &mut Repetitions<'_>,
) -> Result<(Speed, Vec<NativeLimit>), KernelError> {
    let (mut reference, mut other) = (cp2.clone(), Machine::alone(cp2.clone()));
    let mut portable = Portable::default();
    let (mut machine, mut fast) = (Machine::alone(cp2), Translator::default());
    let run = fast.run_kernel(&mut machine, entry, MAX_CYCLES, &mut NoObserver);
    let End::Stopped(_) = run.end else { return Err(KernelError::Run(Box::new(run.end))) };
    let translated = fast.translated_cycles() as f64 / run.stats.cycles as f64;
    let mut turns = Vec::new();
    let mut bests = vec![Vec::new(); mixes.len()];
    for _ in 0..repetitions.repeats {
        let slow = measured(|| reference.run_untraced(entry, MAX_CYCLES).stats.cycles);
        let quick = measured(|| {
            fast.run_kernel(&mut machine, entry, MAX_CYCLES, &mut NoObserver).stats.cycles
        });
        let middle = measured(|| {
            portable.run_kernel(&mut other, entry, MAX_CYCLES, &mut NoObserver).stats.cycles
        });
        turns.push([slow, middle, quick, quick / slow]);
        for (mix, bests) in mixes.iter().zip(&mut bests) {
            let best = register_limit(*mix, SHARE.as_secs_f64());
            bests.extend(best.map(|x| [x / 1e6, quick * 1e6 / x]));
        }
        (repetitions.after_each)();
    }
    let [reference, portable, fast, ratio] = medians(&turns);
    let measured = mixes.iter().zip(&bests).filter(|(_, bests)| !bests.is_empty());
    let limits = measured
        .map(|(&mix, bests)| {
            let [bundles, reached] = medians(bests);
            NativeLimit { mix, bundles, reached: (mix != OperationMix::Sums).then_some(reached) }
        })
        .collect();
    let bundles = run.stats.exchange.iter().sum();
    let cycles = run.stats.cycles;
    let mut speed = Speed {
        program,
        cycles,
        bundles,
        translated,
        reference,
        portable,
        fast,
        ratio,
        native_cycles: None,
    };
    let clock = cycles_per_second(SHARE.as_secs_f64());
    speed.native_cycles = clock.map(|clock| speed.ns_per_bundle() * clock / 1e9);
    Ok((speed, limits))
}

/// Measures the speeds of the engines and the limits of the native machine, as often as `repetitions` tells. Kernels
/// that `environment` keeps from earlier processes shorten the first runs.
///
/// # Errors
/// Returns an error if a program cannot be made or does not come to its end.
pub fn report(
    environment: &Environment,
    mut repetitions: Repetitions<'_>,
) -> Result<SpeedReport, KernelError> {
    let (fft, limits) = speed_of(
        "fft256",
        fft::loaded(&Core::CP2, 256, 16)?,
        &OperationMix::ALL,
        &mut repetitions,
    )?;
    let (resid, _) = speed_of("resid", resid()?, &[], &mut repetitions)?;
    let (mixed, _) = speed_of("mixed", mixed()?, &[], &mut repetitions)?;
    let (functions, _) = speed_of("functions", functions()?, &[], &mut repetitions)?;
    let (closure, _) = speed_of("closure", closure::loaded()?, &[], &mut repetitions)?;
    let (procedure, scaling) =
        (whole::procedure(environment, &mut repetitions)?, whole::scaling(&mut repetitions)?);
    let benchmark = benchmark::measured(environment, &mut repetitions)?;
    Ok(SpeedReport {
        speeds: vec![fft, resid, mixed, functions, closure],
        procedure,
        benchmark,
        scaling,
        limits,
        loads: [None; 2],
    })
}
