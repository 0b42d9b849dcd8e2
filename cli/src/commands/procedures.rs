//! `cp2 kernels run NAME --machine ...`: FFTs of vectors in system memory, on a whole machine.
//! Convolutions are in `convolution.rs`, kernels alone in `kernels.rs`.

use crate::args::{Engine, KernelRun};
use crate::exit::{Exit, Failure, Outcome, bad_input, complain};
use crate::files;
use crate::progress::Progress;
use cp2_emu::MachineConfig;
use cp2_emu::machine::Key;
use cp2_programs::KernelError;
use cp2_programs::catalogue::Procedure;
use cp2_programs::fft::{CHECKED_VECTORS, Check, relative_rms_error};
use cp2_programs::host;
use cp2_programs::host::fft::{self, Options, Report};
use cp2_programs::host::timeline::Timeline;
use cp2_programs::npy::{self, ComplexMatrix};
use num_complex::Complex64;
use std::fmt::Write as _;
use std::path::Path;

fn procedure(name: &str) -> Outcome<Procedure> {
    Procedure::from_name(name).ok_or_else(|| {
        let names: Vec<_> = Procedure::all().into_iter().map(Procedure::name).collect();
        let names = names.join(", ");
        bad_input(format!("--machine: there is no procedure `{name}`; there are {names}"))
    })
}

/// Runs the procedure that is named.
pub(super) fn run(arguments: &KernelRun, config: MachineConfig) -> Outcome {
    if arguments.batch.is_some() {
        return Err(bad_input("--batch: the pages of a procedure have their own size"));
    }
    if arguments.matrix.is_some() {
        return Err(bad_input(format!("{} takes no --matrix", arguments.name)));
    }
    match procedure(&arguments.name)? {
        Procedure::Fft(points) => transform(arguments, config, points),
        Procedure::Convolution => super::convolution::run(arguments, config),
    }
}

/// Refuses the options that belong to convolutions.
pub(super) fn refuse_filter(arguments: &KernelRun) -> Outcome<()> {
    let is_given = [
        ("--points", arguments.points.is_some()),
        ("--filter", arguments.filter.is_some()),
        ("--taps", arguments.taps.is_some()),
    ];
    match is_given.iter().find(|option| option.1) {
        Some((option, _)) => Err(bad_input(format!("{} takes no {option}", arguments.name))),
        None => Ok(()),
    }
}

/// The files of a procedure: two outputs must not be one, and all must be writable.
pub(super) fn check_outputs(arguments: &KernelRun) -> Outcome<()> {
    let json = arguments.json.then_some(Path::new("-"));
    let outputs = [arguments.output.as_deref(), arguments.timeline_json.as_deref(), json];
    files::check_distinct(&[arguments.machine.machine.as_deref().map(Path::new)], &outputs)?;
    outputs.into_iter().flatten().try_for_each(files::check_writable)
}

/// The vectors of `--input`, or random ones. Those that memory cannot hold are refused before they are
/// made.
pub(super) fn vectors(
    arguments: &KernelRun,
    config: &MachineConfig,
    points: usize,
) -> Outcome<ComplexMatrix> {
    let size = u64::from(config.value(Key::MemorySize)) << 20;
    let needed = 8 * u64::from(arguments.vectors) * points as u64;
    if arguments.input.is_none() && needed > size {
        return Err(KernelError::Memory { needed, size }.into());
    }
    super::kernels::input(arguments, points)
}

/// Transforms, writes and prints what was asked for.
fn transform(arguments: &KernelRun, config: MachineConfig, points: usize) -> Outcome {
    check_outputs(arguments)?;
    refuse_filter(arguments)?;
    let matrix = vectors(arguments, &config, points)?;
    let options = Options {
        inverse: arguments.inverse,
        scale: arguments.scale,
        max_cycles: arguments.max_cycles,
        engine: match arguments.engine {
            Engine::Fast => host::Engine::Fast,
            Engine::Reference => host::Engine::Reference,
        },
        ..Options::default()
    };
    let progress = Progress::new("vectors", matrix.rows as u64);
    let report = fft::run(config, points, &matrix.values, &options, &mut |done, all| {
        progress.at((matrix.rows * done / all.max(1)) as u64);
    });
    drop(progress);
    let report = report.map_err(|e| failure(e, arguments))?;
    if let Some(path) = &arguments.output {
        let output = ComplexMatrix { values: report.output.clone(), ..matrix.clone() };
        files::write(path, &npy::write_complex64(&output)?)?;
    }
    write_timeline(arguments, &report.timeline)?;
    print_report(arguments, &report, &options, &matrix)
}

pub(super) fn write_timeline(arguments: &KernelRun, timeline: &Timeline) -> Outcome<()> {
    let Some(path) = &arguments.timeline_json else { return Ok(()) };
    files::write(path, format!("{:#}\n", timeline.to_json()).as_bytes())
}

/// An error that names the input where it is at fault.
pub(super) fn failure(e: KernelError, arguments: &KernelRun) -> Failure {
    match (&e, &arguments.input) {
        (KernelError::NotFinite { .. } | KernelError::Size { .. }, Some(path)) => {
            bad_input(format!("{}: {e}", path.display()))
        }
        _ => e.into(),
    }
}

/// How far the first vectors are from the transform in double precision.
fn check(report: &Report, options: &Options, input: &ComplexMatrix) -> Check {
    let vectors = report.vectors.min(CHECKED_VECTORS);
    let values = vectors * report.points;
    let factor = if options.scale { 1.0 / report.points as f64 } else { 1.0 };
    let exact = fft::reference(report.points, &input.values[..values], options.inverse);
    let exact: Vec<Complex64> = exact.into_iter().map(|z| z * factor).collect();
    Check { vectors, relative_rms_error: relative_rms_error(&report.output[..values], &exact) }
}

fn print_report(
    arguments: &KernelRun,
    report: &Report,
    options: &Options,
    input: &ComplexMatrix,
) -> Outcome {
    let check = check(report, options, input);
    if arguments.json {
        let mut object = report.to_json(arguments.timeline);
        object["procedure"] = arguments.name.clone().into();
        object["checked_vectors"] = check.vectors.into();
        object["relative_rms_error"] = check.relative_rms_error.into();
        super::print_json(&object)?;
    } else if !outputs_to_standard(arguments) {
        files::print(text(arguments, report, &check).as_bytes())?;
    }
    if check.is_passed() {
        return Ok(Exit::Success);
    }
    complain(format!(
        "cp2: the result differs from the transform in double precision: relative RMS error {:.2e}, the limit is {:.0e}",
        check.relative_rms_error,
        Check::LIMIT
    ));
    Ok(Exit::Check)
}

pub(super) fn outputs_to_standard(arguments: &KernelRun) -> bool {
    let outputs = [&arguments.output, &arguments.timeline_json];
    outputs.into_iter().flatten().any(|path| files::is_standard(path))
}

fn text(arguments: &KernelRun, report: &Report, check: &Check) -> String {
    let microseconds = report.operations() as f64 / report.rate_mops();
    let mut text = format!(
        "{} on {}: {} vectors in {} pages, {} cycles, {microseconds:.1} us\n",
        arguments.name,
        report.config.name(),
        report.vectors,
        report.pages,
        report.cycles()
    );
    let _ = writeln!(
        text,
        "relative RMS error {:.2e} against the transform in double precision ({} vectors checked)",
        check.relative_rms_error, check.vectors
    );
    let (rate, bound) = (report.rate_mops(), report.bound_mops());
    let _ = writeln!(
        text,
        "{rate:.0} MOPS at 5 N log2 N; the method allows {bound:.0}: {:.1} %; overlap {:.1} %",
        100.0 * rate / bound,
        report.timeline.overlap_percent()
    );
    text += &ending(arguments, &report.config, &report.timeline);
    text
}

/// The last lines of a report: what is assumed and, if asked for, the timeline.
pub(super) fn ending(arguments: &KernelRun, config: &MachineConfig, timeline: &Timeline) -> String {
    let assumed: Vec<_> = config.assumptions().iter().map(ToString::to_string).collect();
    let mut text = format!("assumed: {}\n", assumed.join(", "));
    if arguments.timeline {
        text += &timeline.to_text();
    }
    text
}
