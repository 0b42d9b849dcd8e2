//! Runs of NPB classes on devices, verified, and beside each what the estimation method says with parameters that are measured
//! in the same call.

use crate::cg::{CgParts, CgRun, operations};
use crate::choices::DeviceChoices;
use crate::ft::{FtRun, PagedFt, PagedWork, deviation};
use crate::kernels::BuiltKernels;
use crate::measure::{channel_rate, copy_rate};
use crate::mg::{Exchange, GridTrial, MgForm, MgParts, MgRun};
use crate::report::GpuReport;
use crate::timing::{median, seconds};
use cp2_gpu::{Gpu, GpuError};
use cp2_kernels::sparse::matrices::{CgClass, npb_cg_rows};
use cp2_procedures::multigrid::npb::Class as MgClass;
use cp2_procedures::spatial::npb::Class as FtClass;
use cp2_session::Environment;
use std::time::Instant;

/// Procedure with its class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GpuProblem {
    /// Multigrid.
    Mg(MgClass),
    /// Conjugate gradients.
    Cg(CgClass),
    /// Fourier transforms of three dimensions.
    Ft(FtClass),
}

/// Choices of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuRunPlan {
    /// Whether MG runs by kernels of two and three operators; on one device only.
    pub is_fused: bool,
    /// Bytes of the memory of a device that FT may take, for its pages; without it the array stays on the device.
    pub pages: Option<u64>,
    /// Runs of which the median is taken.
    pub runs: usize,
}

/// Tolerances of NPB for MG, CG and FT.
const TOLERANCE: [f64; 3] = [1e-8, 1e-10, 1e-12];

/// Names of procedures, as [`GpuProblem::named`] takes them.
pub const PROCEDURES: [&str; 3] = ["mg", "cg", "ft"];

impl GpuProblem {
    /// Returns the procedure of a name with the class of a letter.
    ///
    /// # Errors
    /// There is no such class; the error is the letters of those that there are.
    pub fn named(procedure: &str, class: &str) -> Result<Self, String> {
        let known: Vec<(&str, Self)> = match procedure {
            "mg" => MgClass::NPB.iter().map(|&c| (c.name(), Self::Mg(c))).collect(),
            "cg" => CgClass::NPB.iter().map(|&(name, c)| (name, Self::Cg(c))).collect(),
            _ => FtClass::NPB.iter().map(|&c| (c.name(), Self::Ft(c))).collect(),
        };
        let found = known.iter().find(|(name, _)| *name == class).map(|found| found.1);
        found.ok_or_else(|| known.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", "))
    }

    /// Searches the shapes of work-groups for this problem on a device.
    ///
    /// # Errors
    /// The device is lost, or has no room.
    pub fn search(self, gpu: &Gpu) -> Result<DeviceChoices, GpuError> {
        match self {
            Self::Mg(class) => DeviceChoices::search_grids(gpu, class.points()),
            Self::Cg(class) => {
                DeviceChoices::search_product(gpu, class.name(), &npb_cg_rows(class), true)
            }
            Self::Ft(class) => DeviceChoices::search_lines(gpu, class.sizes().0),
        }
    }

    /// Runs the problem on devices that were opened together.
    ///
    /// # Errors
    /// A device is lost or has no room, or there are too many devices.
    pub fn run(
        self,
        gpus: &[Gpu],
        plan: GpuRunPlan,
        choices: &DeviceChoices,
    ) -> Result<GpuReport, GpuError> {
        match self {
            Self::Mg(class) if gpus.len() == 1 => multigrid(&gpus[0], class, plan, choices),
            Self::Mg(class) => multigrid_parts(gpus, class, plan, choices),
            Self::Cg(class) => gradients(gpus, class, plan, choices),
            Self::Ft(class) => match plan.pages {
                None => transforms(gpus, class, plan, choices),
                Some(memory) => pages(gpus, class, (plan, memory), choices),
            },
        }
    }
}

/// Runs several times; the first run, which builds the kernels, does not count. Returns the last value with the median of the
/// seconds.
fn repeated<T>(
    runs: usize,
    run: &mut dyn FnMut() -> Result<(T, f64), GpuError>,
) -> Result<(T, f64), GpuError> {
    let (mut last, _) = run()?;
    let mut times = Vec::new();
    for _ in 0..runs.max(1) {
        let (value, time) = run()?;
        last = value;
        times.push(time);
    }
    Ok((last, median(&mut times)))
}

/// Operations of a V-cycle with its residual as the source counts them, for each point of the finest grid: those of the finest
/// level and of the coarser ones, a seventh of a level like them.
const COUNTED: f64 = 31.0 + 62.0 + 30.0 / 8.0 + 35.0 / 8.0 + (62.0 + 30.0 / 8.0 + 27.0 / 8.0) / 7.0;
/// Numbers that a V-cycle with its residual moves, for each point of the finest grid, with a kernel for each operator.
const WORDS: f64 = 9.0 + 1.125 + 2.125 + (6.0 + 1.125 + 1.125) / 7.0;

/// Pairs of doubles for the copy rate beside a problem of so many doubles.
fn copied(doubles: usize) -> usize {
    (doubles / 2).clamp(1 << 16, 1 << 26)
}

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

fn multigrid(
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

fn multigrid_parts(
    gpus: &[Gpu],
    class: MgClass,
    plan: GpuRunPlan,
    choices: &DeviceChoices,
) -> Result<GpuReport, GpuError> {
    let mut report = GpuReport::new(format!("mg {class} on {} devices", gpus.len()), gpus);
    let (environment, shapes) = (Environment::new(), choices.grids());
    let kernels = BuiltKernels::new(gpus[0].clone());
    let made = |least| MgParts::new(&kernels, gpus, (class, least), &shapes, &environment);
    // The level from which on the grid is gathered is found by trial.
    let mut best: Option<(f64, usize)> = None;
    for least in [2, 4, 8, 16, 32, 64] {
        if class.points() / 4 < least {
            break;
        }
        let run = made(least)?;
        let (_, time) = repeated(1, &mut || run.run(Exchange::Overlapped))?;
        if best.is_none_or(|(least, _)| time < least) {
            best = Some((time, least));
        }
    }
    let least = best.map_or(2, |best| best.1);
    let run = made(least)?;
    let timed = |exchange| repeated(plan.runs, &mut || run.run(exchange));
    let (norm, time) = timed(Exchange::Overlapped)?;
    add_norm(&mut report, class, (norm, time));
    let (same, synchronous) = timed(Exchange::Synchronous)?;
    let (also, direct) = timed(Exchange::Direct)?;
    let (kernels, exchanges) = (timed(Exchange::Left)?.1, timed(Exchange::Alone)?.1);
    let apart = (same / norm - 1.0).abs().max((also / norm - 1.0).abs());
    report.add("apart", apart, "", "of the norms of the three forms, relative, at most");
    report.add("synchronous", synchronous, "s", "with all exchanges behind the kernels");
    report.add("direct", direct, "s", "with copies from device to device, beside the kernels");
    report.add("kernels", kernels, "s", "without exchanges between the devices");
    report.add("exchanges", exchanges, "s", "exchanges alone, kernels off");
    let overlap = (kernels + exchanges - time) / kernels.min(exchanges);
    report.add("overlap", 100.0 * overlap, "percent", "(T_C + T_SB - T) / min(T_C, T_SB)");
    let what = "along an axis of the finest gathered level";
    report.add("gathered", (2 * least) as f64, "points", what);
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

fn gradients(
    gpus: &[Gpu],
    class: CgClass,
    plan: GpuRunPlan,
    choices: &DeviceChoices,
) -> Result<GpuReport, GpuError> {
    let name = class.name();
    let on = if gpus.len() == 1 { String::new() } else { format!(" on {} devices", gpus.len()) };
    let mut report = GpuReport::new(format!("cg {name}{on}"), gpus);
    let matrix = npb_cg_rows(class);
    let shape = choices.product(name).unwrap_or_default();
    let one = CgRun::new(&gpus[0], class, &matrix, shape)?;
    let product = seconds(&gpus[0], [10, 5], &mut || one.multiply())?;
    let mut parts = None;
    let ((zeta, rest), time) = if gpus.len() == 1 {
        repeated(plan.runs, &mut || one.run().map(|(zeta, rest, time)| ((zeta, rest), time)))?
    } else {
        drop(one);
        let run = parts.insert(CgParts::new(gpus, class, &matrix, shape)?);
        repeated(plan.runs, &mut || run.run().map(|(zeta, rest, time)| ((zeta, rest), time)))?
    };
    let deviation = (zeta / class.zeta - 1.0).abs();
    report.is_verified = Some(deviation < TOLERANCE[1]);
    report.add("seconds", time, "s", "all outer iterations");
    report.add("gops", operations(&class) / time * 1e-9, "GOPS", "by NPB's count");
    report.add("zeta", zeta, "", "of the last outer iteration");
    report.add("deviation", deviation, "", "of zeta from NPB's, relative");
    report.add("rest", rest, "", "norm of the last residual");
    let nonzeros = matrix.values.len() as f64;
    let perf = 2e-6 * nonzeros / product;
    report.add(
        "perf",
        perf,
        "MOPS",
        format!("product on one device, H {} r {} window {}", shape.h, shape.r, shape.window),
    );
    let devices = gpus.len() as f64;
    let estimate = operations(&class) / (perf * 1e6 * devices);
    report.add("estimate", estimate, "s", "formula 2.24: all operations at K Perf");
    report.add("ratio", 100.0 * estimate / time, "percent", "estimated / measured time");
    if let Some(parts) = &parts {
        let channel = channel_rate(gpus, copied(1 << 24))?;
        let whole =
            8e-9 * devices * class.order as f64 / channel + 2.0 * nonzeros / (devices * perf * 1e6);
        report.add("bw", channel, "GB/s", "both ways and all devices at once");
        report.add(
            "product",
            1e6 * parts.product_seconds()?,
            "us",
            "one product with its transfers",
        );
        report.add("product_estimate", 1e6 * whole, "us", "formula 2.21 for one product");
    }
    Ok(report)
}

/// Adds what a whole run of FT gave, and the operations of a transform.
fn add_sums(report: &mut GpuReport, class: FtClass, deviation: f64, time: f64) -> f64 {
    report.is_verified = Some(deviation < TOLERANCE[2]);
    report.add("seconds", time, "s", "all transforms and checksums");
    report.add("gops", class.operations_of_npb() / time * 1e-9, "GOPS", "by NPB's count");
    report.add("deviation", deviation, "", "of the checksums from NPB's, relative, at most");
    let points = class.sizes().points() as f64;
    5.0 * points * points.log2()
}

fn transforms(
    gpus: &[Gpu],
    class: FtClass,
    plan: GpuRunPlan,
    choices: &DeviceChoices,
) -> Result<GpuReport, GpuError> {
    let gpu = &gpus[0];
    if gpus.len() > 1 {
        let error = "the array is on one device; with pages it goes through several".to_owned();
        return Err(GpuError::Call { call: "sharing out FT", error });
    }
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

fn pages(
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
