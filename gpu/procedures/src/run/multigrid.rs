//! Runs of MG on one device and on several.

use super::{GpuRunPlan, TOLERANCE, add_memory, copied, repeated};
use crate::choices::DeviceChoices;
use crate::kernels::BuiltKernels;
use crate::measure::{channel_rate, copy_rate};
use crate::mg::{Exchange, GridTrial, MgForm, MgParts, MgRun};
use crate::report::GpuReport;
use cp2_gpu::{Gpu, GpuError};
use cp2_procedures::multigrid::npb::Class as MgClass;
use cp2_session::Environment;

/// Operations of a V-cycle with its residual as the source counts them, for each point of the finest grid: those of the finest
/// level and of the coarser ones, a seventh of a level like them.
const COUNTED: f64 = 31.0 + 62.0 + 30.0 / 8.0 + 35.0 / 8.0 + (62.0 + 30.0 / 8.0 + 27.0 / 8.0) / 7.0;
/// Numbers that a V-cycle with its residual moves, for each point of the finest grid, with a kernel for each operator.
const WORDS: f64 = 9.0 + 1.125 + 2.125 + (6.0 + 1.125 + 1.125) / 7.0;

/// V-cycles by which choices are tried.
const TRIED: usize = 4;

/// Adds what a whole run of MG gave.
fn add_norm(report: &mut GpuReport, class: MgClass, (norm, time): (f64, f64)) {
    let deviation = (norm / class.norm() - 1.0).abs();
    report.is_verified = Some(deviation < TOLERANCE[0]);
    report.add("seconds", time, "s", "all V-cycles, the first residual and the last norm");
    report.add("gops", class.operations() as f64 / time * 1e-9, "GOPS", "by NPB's count");
    report.add("deviation", deviation, "", "of the norm from NPB's, relative");
}

/// Adds what formula 2.12 says: all operations at the rate of the residual.
fn add_estimate(report: &mut GpuReport, class: MgClass, [perf, devices]: [f64; 2]) {
    let estimate = class.operations() as f64 / 58.0 * COUNTED / (perf * 1e6 * devices);
    report.add("perf", perf, "MOPS", "rate of resid on one device");
    report.add("estimate", estimate, "s", "formula 2.12: all operations at K Perf");
    let time = report.get("seconds").unwrap_or(f64::NAN);
    report.add("ratio", 100.0 * estimate / time, "percent", "estimated / measured time");
}

/// Returns the rate of the residual on a grid, in MOPS.
fn residual_rate(gpu: &Gpu, n: usize, choices: &DeviceChoices) -> Result<f64, GpuError> {
    let mut trial = GridTrial::new(gpu, n)?;
    let time = trial.time("resid", choices.grids().of("resid", n), [10, 3])?;
    Ok(31e-6 * (n as f64).powi(3) / time)
}

/// Runs a class on one device.
pub(super) fn multigrid(
    gpu: &Gpu,
    class: MgClass,
    plan: GpuRunPlan,
    choices: &DeviceChoices,
) -> Result<GpuReport, GpuError> {
    let form = if plan.is_fused { MgForm::Fused } else { MgForm::Plain };
    let subject = format!("mg {class} {}", if plan.is_fused { "fused" } else { "plain" });
    let mut report = GpuReport::new(subject, std::slice::from_ref(gpu));
    let mut run = MgRun::new(gpu, class, form, choices.grids(), &Environment::new())?;
    add_norm(&mut report, class, repeated(plan.runs, &mut || run.run())?);
    add_memory(&mut report, std::slice::from_ref(gpu));
    drop(run);
    let points = class.points().pow(3);
    let copy = copy_rate(gpu, copied(points))?;
    report.add("bw_cp", copy, "GB/s", "a copy in the memory of the device");
    let time = report.get("seconds").unwrap_or(f64::NAN);
    let bytes = 8.0 * WORDS * points as f64 * class.iterations() as f64;
    report.add(
        "bound_share",
        1e-7 * bytes / time / copy,
        "percent",
        "of bw_cp that the plain form's numbers take",
    );
    let perf = residual_rate(gpu, class.points(), choices)?;
    add_estimate(&mut report, class, [perf, 1.0]);
    Ok(report)
}

/// Runs a class on several devices, in all forms of exchange.
pub(super) fn multigrid_parts(
    gpus: &[Gpu],
    class: MgClass,
    plan: GpuRunPlan,
    choices: &DeviceChoices,
) -> Result<GpuReport, GpuError> {
    let mut report = GpuReport::new(format!("mg {class} on {} devices", gpus.len()), gpus);
    let (environment, shapes) = (Environment::new(), choices.grids());
    let kernels = BuiltKernels::new(gpus[0].clone());
    let made = |least| MgParts::new(&kernels, gpus, (class, least), &shapes, &environment);
    // The level from which on the grid is gathered, and that from which on ends go ahead, are found by trial.
    let mut best: Option<(f64, [usize; 2])> = None;
    for least in [2, 4, 8, 16, 32, 64] {
        if class.points() / 4 < least {
            break;
        }
        let mut run = made(least)?;
        for ahead in [1 << 15, 1 << 20, 1 << 23] {
            run.go_ahead_from(ahead);
            let (_, time) = repeated(3, &mut || run.run_cycles(Exchange::Overlapped, TRIED))?;
            if best.is_none_or(|(least, _)| time < least) {
                best = Some((time, [least, ahead]));
            }
        }
    }
    let [least, ahead] = best.map_or([2, 0], |best| best.1);
    let mut run = made(least)?;
    run.go_ahead_from(ahead);
    let timed = |exchange| repeated(plan.runs, &mut || run.run(exchange));
    let (norm, time) = timed(Exchange::Overlapped)?;
    add_norm(&mut report, class, (norm, time));
    add_memory(&mut report, gpus);
    let (same, synchronous) = timed(Exchange::Synchronous)?;
    let (kernels, exchanges) = (timed(Exchange::Left)?.1, timed(Exchange::Alone)?.1);
    // These copies can take ten times as long as the rest together, so they are timed once.
    let (also, direct) = run.run(Exchange::Direct)?;
    let apart = (same / norm - 1.0).abs().max((also / norm - 1.0).abs());
    report.add("apart", apart, "", "of the norms of the three forms, relative, at most");
    report.add("synchronous", synchronous, "s", "with all exchanges behind the kernels");
    report.add(
        "direct",
        direct,
        "s",
        "with copies from device to device, beside the kernels; one run",
    );
    report.add("kernels", kernels, "s", "without exchanges between the devices");
    report.add("exchanges", exchanges, "s", "exchanges alone, kernels off");
    let overlap = (kernels + exchanges - time) / kernels.min(exchanges);
    report.add("overlap", 100.0 * overlap, "percent", "(T_C + T_SB - T) / min(T_C, T_SB)");
    let what = "along an axis of the finest gathered level";
    report.add("gathered", (2 * least) as f64, "points", what);
    let what = "of a device from which on the ends of a level go ahead of inner points";
    report.add("ahead", ahead as f64, "points", what);
    let (faces, bytes) = run.exchange_seconds()?;
    drop(run);
    let channel = channel_rate(gpus, copied(class.points().pow(3) / 4))?;
    report.add("bw", channel, "GB/s", "both ways and all devices at once");
    report.add("faces", 1e6 * faces, "us", "an exchange of the finest level, kernels off");
    let what = "formula 2.11 for the axes that are cut";
    report.add("faces_estimate", 1e-3 * bytes / channel, "us", what);
    let perf =
        residual_rate(&gpus[0], class.points() / if gpus.len() > 4 { 2 } else { 1 }, choices)?;
    add_estimate(&mut report, class, [perf, gpus.len() as f64]);
    Ok(report)
}
