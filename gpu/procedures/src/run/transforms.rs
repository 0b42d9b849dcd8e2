//! Runs of FT: with the array on a device, and by pages.

use super::{GpuRunPlan, TOLERANCE, copied, repeated};
use crate::choices::DeviceChoices;
use crate::ft::{FtRun, PagedFt, PagedWork, deviation};
use crate::measure::{channel_rate, copy_rate};
use crate::report::GpuReport;
use crate::timing::{median, seconds};
use cp2_gpu::{Gpu, GpuError};
use cp2_procedures::spatial::npb::Class as FtClass;
use std::time::Instant;

/// Adds what a whole run of FT gave, and the operations of a transform.
fn add_sums(report: &mut GpuReport, class: FtClass, deviation: f64, time: f64) -> f64 {
    report.is_verified = Some(deviation < TOLERANCE[2]);
    report.add("seconds", time, "s", "all transforms and checksums");
    report.add("gops", class.operations_of_npb() / time * 1e-9, "GOPS", "by NPB's count");
    report.add("deviation", deviation, "", "of the checksums from NPB's, relative, at most");
    let points = class.sizes().points() as f64;
    5.0 * points * points.log2()
}

/// Runs a class with its array on one device.
pub(super) fn transforms(
    gpus: &[Gpu],
    class: FtClass,
    plan: GpuRunPlan,
    choices: &DeviceChoices,
) -> Result<GpuReport, GpuError> {
    let gpu = &gpus[0];
    if gpus.len() > 1 {
        let (what, n) = (format!("FT class {class}"), gpus.len());
        let why = format!(
            "its array is in the memory of one device, and {n} were given; by pages (--pages) it goes through several"
        );
        return Err(GpuError::Refused { what, why });
    }
    FtRun::require(gpu, class)?;
    let mut report = GpuReport::new(format!("ft {class} resident"), gpus);
    let sizes = class.sizes();
    let points = sizes.points();
    let copy = copy_rate(gpu, copied(2 * points))?;
    let run = FtRun::new(gpu, class, choices.lines(sizes.0).unwrap_or_default())?;
    let mut once = || {
        run.start()?;
        run.run()
    };
    let (sums, time) = repeated(plan.runs, &mut once)?;
    let operations = add_sums(&mut report, class, deviation(class, &sums), time);
    let one = seconds(gpu, [10, 3], &mut || run.iteration(0))?;
    report.add("iteration", 1e3 * one, "ms", "evolve, transform back and checksum");
    report.add(
        "transform",
        operations / one * 1e-9,
        "GOPS",
        "5 N log2 N in the time of an iteration",
    );
    report.add("bw_cp", copy, "GB/s", "a copy in the memory of the device");
    report.add(
        "passes",
        one * copy / (32e-9 * points as f64),
        "passes",
        "of the array, read and written at bw_cp, in that time",
    );
    Ok(report)
}

/// Runs a class by pages, with its array in memory of the host.
pub(super) fn pages(
    gpus: &[Gpu],
    class: FtClass,
    (plan, memory): (GpuRunPlan, u64),
    choices: &DeviceChoices,
) -> Result<GpuReport, GpuError> {
    let mut report = GpuReport::new(format!("ft {class} by pages"), gpus);
    let sizes = class.sizes();
    let mut run = PagedFt::new(gpus, class, choices.lines(sizes.0).unwrap_or_default(), memory)?;
    let (sums, time) = repeated(plan.runs, &mut || run.run())?;
    let operations = add_sums(&mut report, class, deviation(class, &sums), time);
    let timed = |work| {
        let mut found = Vec::new();
        for _ in 0..=5 {
            let begin = Instant::now();
            run.iteration(0, work)?;
            found.push(begin.elapsed().as_secs_f64());
        }
        Ok::<_, GpuError>(median(&mut found[1..]))
    };
    let both = timed(PagedWork { moves: true, computes: true })?;
    let moves = timed(PagedWork { moves: true, computes: false })?;
    let computes = timed(PagedWork { moves: false, computes: true })?;
    let [planes, columns] = run.page();
    drop(run);
    report.add("planes", planes as f64, "planes", "of a page");
    report.add("columns", columns as f64, "columns", "of a page");
    report.add(
        "transform",
        operations / both * 1e-9,
        "GOPS",
        "5 N log2 N in the time of a transform",
    );
    report.add("time", 1e3 * both, "ms", "a transform by pages");
    report.add("moves", 1e3 * moves, "ms", "its transfers alone");
    report.add("kernels", 1e3 * computes, "ms", "its kernels alone");
    let overlap = (moves + computes - both) / moves.min(computes);
    report.add("overlap", 100.0 * overlap, "percent", "(T_C + T_LS - T) / min(T_C, T_LS)");
    let bytes = 64.0 * sizes.points() as f64;
    let channel = channel_rate(gpus, copied(2 * sizes.points()))?;
    report.add("bw", channel, "GB/s", "both ways and all devices at once");
    report.add(
        "channel_share",
        1e-7 * bytes / both / channel,
        "percent",
        "of bw that a transform moves",
    );
    report.add(
        "estimate",
        1e-6 * bytes / channel,
        "ms",
        "formula 2.6: all numbers four times through the channel",
    );
    report.add("ratio", 1e-7 * bytes / channel / both, "percent", "estimated / measured time");
    Ok(report)
}
