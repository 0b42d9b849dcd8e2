//! `cp2 kernels`.

use super::run::summary;
use crate::args::{KernelRun, Kernels};
use crate::exit::{Exit, Failure, Outcome, bad_input, complain};
use crate::progress::Progress;
use crate::{files, machine};
use cp2_emu::End;
use cp2_programs::KernelError;
use cp2_programs::cmul::{self, Product};
use cp2_programs::fft::{self, Check, Options, Report};
use cp2_programs::npy::{self, ComplexMatrix};
use cp2_programs::random;
use num_complex::Complex32;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

pub(crate) fn kernels(arguments: &Kernels) -> Outcome {
    match arguments {
        Kernels::List { json } => list(*json)?,
        Kernels::Source { name } => {
            let text = match product(name) {
                Some(product) => product.source(),
                None => fft::source(points(name)?)?,
            };
            files::print(text.as_bytes())?;
        }
        Kernels::Run(run) => match (machine::config(&run.machine)?, product(&run.name)) {
            (Some(config), _) => return super::procedures::run(run, config),
            (None, Some(product)) => return multiply(run, product),
            (None, None) => return transform(run),
        },
    }
    Ok(Exit::Success)
}

fn names() -> Vec<String> {
    let lengths = fft::LENGTHS.iter().map(|n| format!("fft{n}"));
    lengths.chain(Product::ALL.iter().map(|p| p.name().to_owned())).collect()
}

fn product(name: &str) -> Option<Product> {
    Product::ALL.into_iter().find(|p| p.name() == name)
}

fn points(name: &str) -> Outcome<usize> {
    let known = fft::LENGTHS.into_iter().zip(names()).find(|(_, known)| known == name);
    known.map(|(points, _)| points).ok_or_else(|| {
        bad_input(format!(
            "there is no kernel `{name}`; the kernels are {}; --machine runs fft64 to fft65536",
            names().join(", ")
        ))
    })
}

impl From<KernelError> for Failure {
    fn from(error: KernelError) -> Self {
        let exit = match &error {
            KernelError::Run(end) if matches!(**end, End::CycleLimit(_)) => Exit::Limit,
            KernelError::Run(_) => Exit::Guest,
            KernelError::Assembly(_) => Exit::Internal,
            _ => Exit::BadInput,
        };
        Self { exit, message: format!("cp2: error: {error}") }
    }
}

fn list(as_json: bool) -> Outcome<()> {
    let row = |&n: &usize| {
        json!({
            "name": format!("fft{n}"),
            "description": format!("FFT of vectors of {n} points, forward and inverse"),
            "input": format!("complex64 (vectors, {n})"),
            "butterfly_bound": fft::butterflies(n),
            "largest_batch": fft::largest_batch(n),
        })
    };
    let product_row = |p: Product| {
        json!({
            "name": p.name(),
            "description": product_text(p),
            "input": "complex64 (2, words)",
            "exchange_bound": p.bound(),
            "largest_batch": cmul::LARGEST,
        })
    };
    if as_json {
        let rows = fft::LENGTHS.iter().map(row);
        return super::print_json(&rows.chain(Product::ALL.map(product_row)).collect());
    }
    let mut text = String::from("name     input and output            what it does\n");
    for n in fft::LENGTHS {
        let input = format!("complex64 (vectors, {n})");
        let _ = writeln!(text, "{:<8} {input:<27} FFT, forward and inverse", format!("fft{n}"));
    }
    for p in Product::ALL {
        let _ =
            writeln!(text, "{:<8} {:<27} {}", p.name(), "complex64 (2, words)", product_text(p));
    }
    text += "with --machine: fft64 to fft65536 on vectors in system memory, by pages\n";
    files::print(text.as_bytes())
}

fn product_text(product: Product) -> &'static str {
    match product {
        Product::Plain => "products x[i] y[i] of the two rows",
        Product::Conjugate => "products x[i] conj(y[i]) of the two rows",
        Product::Scale => "products x[i] y[0] of the first row",
    }
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
    let place = |e: &dyn std::fmt::Display| bad_input(format!("{}: {e}", path.display()));
    let matrix = npy::read_complex64(&files::read(path)?).map_err(|e| place(&e))?;
    if matrix.columns != points {
        return Err(place(&format!(
            "the array has shape ({}, {}); {} takes (vectors, {points})",
            matrix.rows, matrix.columns, arguments.name
        )));
    }
    Ok(matrix)
}

fn transform(arguments: &KernelRun) -> Outcome {
    let json = arguments.json.then_some(Path::new("-"));
    files::check_distinct(&[], &[arguments.output.as_deref(), json])?;
    let points = points(&arguments.name)?;
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
