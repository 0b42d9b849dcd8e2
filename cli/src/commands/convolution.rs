//! `cp2 kernels run convolution --machine ...`: vectors in system memory convolved with a filter. What
//! it shares with FFTs is in `procedures.rs`.

use super::procedures;
use crate::args::KernelRun;
use crate::exit::{Exit, Outcome, bad_input, complain};
use crate::files;
use crate::progress::Progress;
use cp2_emu::MachineConfig;
use cp2_programs::host::convolution::{self, Check, LONGEST, Options, Report};
use cp2_programs::npy::{self, ComplexMatrix};
use cp2_programs::random;
use num_complex::Complex32;
use std::fmt::Write as _;

/// Points of a random vector.
const RANDOM_POINTS: usize = 1024;

/// Convolves, writes and prints what was asked for.
pub(super) fn run(arguments: &KernelRun, config: MachineConfig) -> Outcome {
    procedures::check_outputs(arguments)?;
    if arguments.inverse || arguments.scale {
        return Err(bad_input("convolution takes none of --inverse, --scale"));
    }
    let (matrix, filter) = input(arguments, &config)?;
    let options = Options { max_cycles: arguments.max_cycles };
    let progress = Progress::new("vectors", matrix.rows as u64);
    let points = matrix.columns;
    let show = &mut |done, all: usize| progress.at((matrix.rows * done / all.max(1)) as u64);
    let report = convolution::run(config, &filter, points, &matrix.values, &options, show);
    drop(progress);
    let report = report.map_err(|e| procedures::failure(e, arguments))?;
    if let Some(path) = &arguments.output {
        let columns = report.points + report.taps - 1;
        let output = ComplexMatrix { columns, values: report.output.clone(), ..matrix.clone() };
        files::write(path, &npy::write_complex64(&output)?)?;
    }
    procedures::write_timeline(arguments, &report.timeline)?;
    let check = convolution::check(&report, &filter, &matrix.values);
    print_report(arguments, &report, &check)
}

/// Vectors and filter; lengths are checked before random data are made.
fn input(
    arguments: &KernelRun,
    config: &MachineConfig,
) -> Outcome<(ComplexMatrix, Vec<Complex32>)> {
    let filter = arguments.filter.as_deref().map(read_filter).transpose()?;
    if let Some(path) = &arguments.input {
        let matrix = super::kernels::read_array(path)?;
        let taps = arguments.taps.map_or(matrix.columns, |taps| taps as usize);
        let filter = filter.unwrap_or_else(|| random_filter(arguments, taps));
        return Ok((matrix, filter));
    }
    let points = arguments.points.map_or(RANDOM_POINTS, |n| n as usize);
    let taps = filter.as_ref().map_or(arguments.taps.map_or(points, |n| n as usize), Vec::len);
    convolution::transform_points(points, taps)?;
    let matrix = procedures::vectors(arguments, config, points)?;
    Ok((matrix, filter.unwrap_or_else(|| random_filter(arguments, taps))))
}

/// A random filter, cut where it would be refused anyway.
fn random_filter(arguments: &KernelRun, taps: usize) -> Vec<Complex32> {
    random::complex(arguments.seed.wrapping_add(1), taps.min(LONGEST + 1))
}

fn read_filter(path: &std::path::Path) -> Outcome<Vec<Complex32>> {
    let matrix = super::kernels::read_array(path)?;
    if matrix.rows != 1 {
        return Err(bad_input(format!(
            "{}: the array has shape ({}, {}); a filter has one dimension",
            path.display(),
            matrix.rows,
            matrix.columns
        )));
    }
    Ok(matrix.values)
}

fn print_report(arguments: &KernelRun, report: &Report, check: &Check) -> Outcome {
    if arguments.json {
        let mut object = report.to_json(arguments.timeline);
        object["procedure"] = arguments.name.clone().into();
        object["checked_vectors"] = check.vectors.into();
        object["relative_error"] = check.relative_error.into();
        super::print_json(&object)?;
    } else if !procedures::outputs_to_standard(arguments) {
        files::print(text(arguments, report, check).as_bytes())?;
    }
    if check.is_passed() {
        return Ok(Exit::Success);
    }
    complain(format!(
        "cp2: the result differs from the convolution in double precision: relative error {:.2e}, the limit is {:.1e}",
        check.relative_error,
        Check::LIMIT
    ));
    Ok(Exit::Check)
}

fn text(arguments: &KernelRun, report: &Report, check: &Check) -> String {
    let microseconds = report.operations() as f64 / report.rate_mops();
    let mut text = format!(
        "convolution on {}: {} vectors of {} points with {}, by FFTs of {} ({}), in {} pages, {} cycles, {microseconds:.1} us\n",
        report.config.name(),
        report.vectors,
        report.points,
        report.taps,
        report.transform,
        report.scheme().name(),
        report.pages,
        report.cycles()
    );
    let _ = writeln!(
        text,
        "relative error {:.2e} against the convolution in double precision ({} vectors checked)",
        check.relative_error, check.vectors
    );
    let (rate, bound) = (report.rate_mops(), report.bound_mops());
    let _ = writeln!(
        text,
        "{rate:.0} MOPS at 10 P log2 P; the method allows {bound:.0}: {:.1} %; overlap {:.1} %",
        100.0 * rate / bound,
        report.timeline.overlap_percent()
    );
    text + &procedures::ending(arguments, &report.config, &report.timeline)
}
