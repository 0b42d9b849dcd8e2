//! `cp2 kernels`.

use super::run::summary;
use crate::args::{KernelRun, Kernels};
use crate::exit::{Exit, Failure, Outcome, bad_input, complain};
use crate::progress::Progress;
use crate::{files, machine};
use cp2_emu::End;
use cp2_programs::KernelError;
use cp2_programs::catalogue::{Kernel, Procedure};
use cp2_programs::cmul::{self, Product};
use cp2_programs::fft::{self, Check, Options, Report};
use cp2_programs::npy::{self, ComplexMatrix};
use cp2_programs::random;
use cp2_programs::sparse::{Csr, market};
use num_complex::Complex32;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

pub(crate) fn kernels(arguments: &Kernels) -> Outcome {
    match arguments {
        Kernels::List { json } => list(*json)?,
        Kernels::Source { name } => files::print(kernel(name)?.source()?.as_bytes())?,
        Kernels::Run(run) => {
            if let Some(config) = machine::config(&run.machine)? {
                return super::procedures::run(run, config);
            }
            let kernel = kernel(&run.name)?;
            super::procedures::refuse_filter(run)?;
            if run.matrix.is_some() && !matches!(kernel, Kernel::Sparse(_)) {
                return Err(bad_input(format!("{} takes no --matrix", run.name)));
            }
            return match kernel {
                Kernel::Fft(points) => transform(run, points),
                Kernel::Product(product) => multiply(run, product),
                other => try_out(run, other),
            };
        }
    }
    Ok(Exit::Success)
}

fn kernel(name: &str) -> Outcome<Kernel> {
    Kernel::from_name(name).ok_or_else(|| {
        if Procedure::from_name(name).is_some() {
            return bad_input(format!(
                "{name} is no kernel but a procedure, which runs kernels on a whole machine: `cp2 kernels run {name} --machine vm7`"
            ));
        }
        let names: Vec<_> = Kernel::all().into_iter().map(Kernel::name).collect();
        bad_input(format!(
            "there is no kernel `{name}`; the kernels are {}; --machine runs fft64 to fft65536 and convolution",
            names.join(", ")
        ))
    })
}

/// Runs a kernel on generated data, or on the matrix of a file, and compares with its reference.
fn try_out(arguments: &KernelRun, kernel: Kernel) -> Outcome {
    let name = &arguments.name;
    let foreign = arguments.input.is_some()
        || arguments.output.is_some()
        || arguments.inverse
        || arguments.scale
        || arguments.batch.is_some();
    if foreign {
        let message = "runs on generated data: it takes none of --input, --output, --inverse, --scale, --batch";
        return Err(bad_input(format!("{name} {message}")));
    }
    let matrix = arguments.matrix.as_deref().map(read_matrix).transpose()?;
    let trial = kernel.try_out(arguments.seed, matrix.as_ref())?;
    let (units, unit) = trial.units;
    let per_unit = trial.cycles as f64 / units as f64;
    if arguments.json {
        super::print_json(&json!({
            "schema": "cp2-kernel-1",
            "kernel": name,
            "work": trial.work,
            "cycles": trial.cycles,
            "units": units,
            "unit": unit,
            "deviation": trial.deviation,
            "limit": trial.limit,
        }))?;
    } else {
        let text = format!(
            "{name}: {}\n{} kernel cycles, {per_unit:.2} per {unit}\n\
             largest deviation from double precision: {:.2} of the limit, {}\n",
            trial.work, trial.cycles, trial.deviation, trial.limit
        );
        files::print(text.as_bytes())?;
    }
    if trial.is_passed() {
        return Ok(Exit::Success);
    }
    complain(format!("cp2: {name} differs from its reference beyond rounding"));
    Ok(Exit::Check)
}

fn read_matrix(path: &Path) -> Outcome<Csr> {
    let place = |e: &dyn std::fmt::Display| bad_input(format!("{}: {e}", path.display()));
    let bytes = files::read(path)?;
    let text = std::str::from_utf8(&bytes).map_err(|e| place(&e))?;
    market::read(text).map_err(|e| place(&e))
}

impl From<KernelError> for Failure {
    fn from(error: KernelError) -> Self {
        let exit = match &error {
            KernelError::Run(end) if matches!(**end, End::CycleLimit(_)) => Exit::Limit,
            KernelError::ChannelLimit(_) => Exit::Limit,
            KernelError::Run(_) => Exit::Guest,
            KernelError::Assembly(_) => Exit::Internal,
            _ => Exit::BadInput,
        };
        Self { exit, message: format!("cp2: error: {error}") }
    }
}

/// Procedures that have no kernel of their own.
fn on_machines() -> Vec<Procedure> {
    let is_kernel = |p: &Procedure| Kernel::from_name(&p.name()).is_some();
    Procedure::all().into_iter().filter(|p| !is_kernel(p)).collect()
}

fn list(as_json: bool) -> Outcome<()> {
    if as_json {
        let kernels = Kernel::all().into_iter().map(entry);
        return super::print_json(
            &kernels.chain(on_machines().into_iter().map(procedure)).collect(),
        );
    }
    let mut text = format!("{:<16} {:<27} what it does\n", "name", "input");
    let mut line = |name: String, input: String, description: &str| {
        let _ = writeln!(text, "{name:<16} {input:<27} {description}");
    };
    for kernel in Kernel::all() {
        line(kernel.name(), kernel.input(), kernel.description());
    }
    for procedure in on_machines() {
        let description = format!("{}; needs --machine", procedure.description());
        line(procedure.name(), procedure.input(), &description);
    }
    text +=
        "with --machine: fft64 to fft65536 and convolution on vectors in system memory, by pages\n";
    files::print(text.as_bytes())
}

fn entry(kernel: Kernel) -> Value {
    let on_machine = Procedure::from_name(&kernel.name()).is_some();
    let mut entry = json!({
        "name": kernel.name(),
        "description": kernel.description(),
        "input": kernel.input(),
        "machine": if on_machine { "optional" } else { "none" },
    });
    if let Kernel::Fft(points) = kernel {
        entry["butterfly_bound"] = json!(fft::butterflies(points));
        entry["largest_batch"] = json!(fft::largest_batch(points));
    }
    entry
}

fn procedure(procedure: Procedure) -> Value {
    let mut entry = json!({
        "name": procedure.name(),
        "description": procedure.description(),
        "input": procedure.input(),
        "machine": "required",
    });
    if let Procedure::Fft(points) = procedure {
        entry["butterfly_bound"] = json!(fft::butterflies(points));
    }
    entry
}

/// Words of each row of random data for a product when there is no input.
const RANDOM_WORDS: usize = 4096;

fn multiply(arguments: &KernelRun, product: Product) -> Outcome {
    let json = arguments.json.then_some(Path::new("-"));
    files::check_distinct(&[], &[arguments.output.as_deref(), json])?;
    if arguments.inverse || arguments.scale || arguments.batch.is_some() {
        let message = "takes none of --inverse, --scale, --batch";
        return Err(bad_input(format!("{} {message}", arguments.name)));
    }
    let values = match &arguments.input {
        None => random::complex(arguments.seed, 2 * RANDOM_WORDS),
        Some(path) => {
            let place = |e: &dyn std::fmt::Display| bad_input(format!("{}: {e}", path.display()));
            let matrix = npy::read_complex64(&files::read(path)?).map_err(|e| place(&e))?;
            if matrix.rows != 2 {
                return Err(place(&format!(
                    "the array has shape ({}, {}); {} takes (2, words)",
                    matrix.rows, matrix.columns, arguments.name
                )));
            }
            matrix.values
        }
    };
    let (x, y) = values.split_at(values.len() / 2);
    let (output, cycles) = cmul::run(product, x, y, arguments.max_cycles)?;
    let error = cmul::relative_rms_error(product, x, y, &output);
    if let Some(path) = &arguments.output {
        let matrix =
            ComplexMatrix { rows: 1, columns: output.len(), is_vector: true, values: output };
        files::write(path, &npy::write_complex64(&matrix)?)?;
    }
    if arguments.json {
        super::print_json(&json!({
            "schema": "cp2-kernel-1",
            "kernel": arguments.name,
            "words": x.len(),
            "cycles": cycles,
            "exchange_bound": product.bound(),
            "relative_rms_error": error,
        }))?;
    } else if !arguments.output.as_deref().is_some_and(files::is_standard) {
        let text = format!(
            "{}: {} words in {cycles} kernel cycles; bound {} per word and section\n\
             relative RMS error {error:.2e} against the products in double precision\n",
            arguments.name,
            x.len(),
            product.bound()
        );
        files::print(text.as_bytes())?;
    }
    if error < Check::LIMIT {
        return Ok(Exit::Success);
    }
    complain(format!("cp2: the products differ from those in double precision: {error:.2e}"));
    Ok(Exit::Check)
}

pub(super) fn input(arguments: &KernelRun, points: usize) -> Outcome<ComplexMatrix> {
    let Some(path) = &arguments.input else {
        let rows = arguments.vectors as usize;
        return Ok(ComplexMatrix {
            rows,
            columns: points,
            is_vector: false,
            values: random::complex(arguments.seed, rows * points),
        });
    };
    let matrix = read_array(path)?;
    if matrix.columns != points {
        return Err(bad_input(format!(
            "{}: the array has shape ({}, {}); {} takes (vectors, {points})",
            path.display(),
            matrix.rows,
            matrix.columns,
            arguments.name
        )));
    }
    Ok(matrix)
}

/// Reads a complex64 array; an error names the file.
pub(super) fn read_array(path: &Path) -> Outcome<ComplexMatrix> {
    npy::read_complex64(&files::read(path)?)
        .map_err(|e| bad_input(format!("{}: {e}", path.display())))
}

fn transform(arguments: &KernelRun, points: usize) -> Outcome {
    let json = arguments.json.then_some(Path::new("-"));
    files::check_distinct(&[], &[arguments.output.as_deref(), json])?;
    let matrix = input(arguments, points)?;
    let options = Options {
        inverse: arguments.inverse,
        scale: arguments.scale,
        batch: arguments.batch.map_or(0, usize::from),
        max_cycles: arguments.max_cycles,
    };
    let output = arguments.output.as_deref();
    let progress = Progress::new("vectors", matrix.rows as u64);
    let report = fft::run_with_progress(points, &matrix.values, &options, &mut |done| {
        progress.at(done as u64);
    });
    drop(progress);
    let report = match (report, &arguments.input) {
        (Err(e @ (KernelError::NotFinite { .. } | KernelError::Size { .. })), Some(path)) => {
            return Err(bad_input(format!("{}: {e}", path.display())));
        }
        (report, _) => report?,
    };
    if let Some(path) = output {
        let ComplexMatrix { rows, columns, is_vector, .. } = matrix;
        let values = report.output.clone();
        let output = ComplexMatrix { rows, columns, is_vector, values };
        files::write(path, &npy::write_complex64(&output)?)?;
    }
    print_report(arguments, &report, &options, &matrix.values)
}

/// Prints the report, and whether the result is that of the definition.
fn print_report(
    arguments: &KernelRun,
    report: &Report,
    options: &Options,
    input: &[Complex32],
) -> Outcome {
    let check = fft::check_against_definition(report, input, options);
    if arguments.json {
        super::print_json(&report_json(&arguments.name, report, &check))?;
    } else if !arguments.output.as_deref().is_some_and(files::is_standard) {
        files::print(report_text(&arguments.name, report, &check).as_bytes())?;
    }
    if check.is_passed() {
        return Ok(Exit::Success);
    }
    complain(format!(
        "cp2: the result differs from the transform in double precision: relative RMS error {:.2e}, the limit is {:.0e}; \
         values so large that sums overflow, or so small that CP2 reads them as zero (below 1.2e-38), do this",
        check.relative_rms_error,
        Check::LIMIT
    ));
    Ok(Exit::Check)
}

fn report_json(name: &str, report: &Report, check: &Check) -> Value {
    let run = |r: &fft::BatchRun| {
        json!({
            "vectors_per_section": r.vectors_per_section,
            "cycles_per_vector": r.cycles_per_vector(),
            "stats": r.stats.to_json(),
        })
    };
    json!({
        "schema": "cp2-kernel-1",
        "kernel": name,
        "points": report.points,
        "vectors": report.vectors,
        "cycles": report.cycles(),
        "butterfly_bound": fft::butterflies(report.points),
        "checked_vectors": check.vectors,
        "relative_rms_error": check.relative_rms_error,
        "runs": report.runs.iter().map(run).collect::<Vec<_>>(),
    })
}

fn report_text(name: &str, report: &Report, check: &Check) -> String {
    let bound = fft::butterflies(report.points);
    let mut text = format!(
        "{name}: {} vectors of {} points in {} kernel cycles\n",
        report.vectors,
        report.points,
        report.cycles()
    );
    let _ = writeln!(
        text,
        "relative RMS error {:.2e} against the transform in double precision ({} vectors checked)",
        check.relative_rms_error, check.vectors
    );
    for (i, run) in report.runs.iter().enumerate() {
        let cycles = run.cycles_per_vector();
        let _ = writeln!(
            text,
            "run {}: {} vectors in each of 4 sections, {cycles:.1} cycles per vector; bound {bound}, {:.1} %",
            i + 1,
            run.vectors_per_section,
            100.0 * bound as f64 / cycles
        );
    }
    if let Some(run) = report.runs.first() {
        text += "the first run:\n";
        text += &summary(&run.stats);
    }
    text
}
