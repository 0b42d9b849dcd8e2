//! Runs of CG on one device and on several: classes of NPB, and matrices of users.

use super::{GpuRunPlan, TOLERANCE, add_memory, copied, repeated};
use crate::cg::{
    CgParts, CgRows, CgRun, NamedMatrix, ProductChoice, ProductFormat, SlicedEll, SlicedProduct,
    operations,
};
use crate::choices::DeviceChoices;
use crate::host::require_host;
use crate::kernels::BuiltKernels;
use crate::measure::{channel_rate, copy_rate};
use crate::report::GpuReport;
use crate::timing::seconds;
use cp2_gpu::{Gpu, GpuError};
use cp2_kernels::sparse::matrices::CgClass;

/// Bytes on the host for each term of a matrix of NPB while it is made: the term, and room for the rows to grow.
const MADE_OF: u64 = 16 + 24;

/// Checks that a class fits the devices and the host before its matrix is made. A row has (nonzer + 1)^2 terms; of the terms
/// of the classes 87 to 98 in 100 are at different places.
///
/// # Errors
/// Its parts are larger than the memory of a device, or the making takes more than that of the host; the error has the
/// numbers, for devices the least that it could be.
pub fn require_class(gpus: &[Gpu], class: CgClass) -> Result<(), GpuError> {
    let terms = (class.order * (class.nonzer + 1) * (class.nonzer + 1)) as u64;
    let least = terms / 8 * 7 / gpus.len() as u64;
    let what = format!("CG class {}, at least,", class.name());
    gpus.iter().try_for_each(|gpu| gpu.require(&what, 12 * least, 8 * least))?;
    let making = format!("making the matrix of CG class {}", class.name());
    require_host(&making, terms * MADE_OF)
}

/// Returns how products are shared out: as was found for the matrix, else as serves everywhere.
fn chosen(choices: &DeviceChoices, name: &str, format: ProductFormat) -> ProductChoice {
    match format {
        ProductFormat::Sliced => choices.product(name).unwrap_or_default().into(),
        ProductFormat::Framed => choices.framed(name).unwrap_or_default().into(),
    }
}

/// Adds the rate of a product on one device and returns it in MOPS.
fn add_rate(
    report: &mut GpuReport,
    one: &CgRun,
    (nonzeros, choice): (f64, ProductChoice),
) -> Result<f64, GpuError> {
    let product = seconds(&one.kernels.gpu, [10, 5], &mut || one.multiply())?;
    let perf = 2e-6 * nonzeros / product;
    report.add("perf", perf, "MOPS", format!("product on one device, {choice}"));
    report.add("product_one", 1e6 * product, "us", "one product on one device");
    report.add("padding", one.length as f64 / nonzeros, "", "length of the arrays / nonzeros");
    Ok(perf)
}

/// Adds a run with the vectors on the host, and its products beside formula 2.21, for a class of which zeta, the nonzeros and the rate of
/// a product on one device, not a number if it does not fit one, are given.
fn add_host_vectors(
    report: &mut GpuReport,
    (gpus, parts): (&[Gpu], &mut CgParts),
    [zeta, nonzeros, perf]: [f64; 3],
) -> Result<(), GpuError> {
    let devices = gpus.len() as f64;
    let (also, _, host) = parts.run()?;
    let what = "of zeta with the vectors on the host, relative";
    report.add("apart", (also / zeta - 1.0).abs(), "", what);
    report.add(
        "host_vectors",
        host,
        "s",
        "with the vectors on the host, as in the source; one run",
    );
    let channel = channel_rate(gpus, copied(1 << 24))?;
    report.add("bw", channel, "GB/s", "both ways and all devices at once");
    let product = parts.product_seconds()?;
    report.add("product", 1e6 * product, "us", "one product with its transfers");
    let whole =
        8e-9 * devices * parts.order() as f64 / channel + 2.0 * nonzeros / (devices * perf * 1e6);
    if perf.is_finite() {
        report.add("product_estimate", 1e6 * whole, "us", "formula 2.21 for one product");
    }
    Ok(())
}

/// Runs a class.
pub(super) fn gradients(
    gpus: &[Gpu],
    class: CgClass,
    plan: GpuRunPlan,
    choices: &DeviceChoices,
) -> Result<GpuReport, GpuError> {
    require_class(gpus, class)?;
    let name = class.name();
    let on = if gpus.len() == 1 { String::new() } else { format!(" on {} devices", gpus.len()) };
    let framed = if plan.format == ProductFormat::Framed { " framed" } else { "" };
    let mut report = GpuReport::new(format!("cg {name}{framed}{on}"), gpus);
    let matrix = NamedMatrix::of_class(class);
    let choice = chosen(choices, name, plan.format);
    let nonzeros = matrix.rows.values.len() as f64;
    let mut parts = None;
    let ((zeta, rest), time, perf) = if gpus.len() == 1 {
        let one = CgRun::new(&gpus[0], class, &matrix.rows, choice)?;
        add_memory(&mut report, gpus);
        let mut once = || one.run().map(|(zeta, rest, time)| ((zeta, rest), time));
        let (found, time) = repeated(plan.runs, &mut once)?;
        (found, time, add_rate(&mut report, &one, (nonzeros, choice))?)
    } else {
        // The whole matrix need not fit one device.
        let one = match CgRun::new(&gpus[0], class, &matrix.rows, choice) {
            Ok(one) => add_rate(&mut report, &one, (nonzeros, choice))?,
            Err(GpuError::TooLarge { .. }) => f64::NAN,
            Err(error) => return Err(error),
        };
        let run = CgRows::new(gpus, class, &matrix.rows, choice)?;
        add_memory(&mut report, gpus);
        let mut once = || run.run().map(|(zeta, rest, time)| ((zeta, rest), time));
        let (found, time) = repeated(plan.runs, &mut once)?;
        // The rows of the matrix lie on the devices once.
        drop(run);
        parts = Some(CgParts::new(gpus, class, &matrix.rows, choice)?);
        (found, time, one)
    };
    let deviation = (zeta / class.zeta - 1.0).abs();
    report.is_verified = Some(deviation < TOLERANCE[1]);
    report.add("seconds", time, "s", "all outer iterations");
    report.add("gops", operations(&class) / time * 1e-9, "GOPS", "by NPB's count");
    report.add("zeta", zeta, "", "of the last outer iteration");
    report.add("deviation", deviation, "", "of zeta from NPB's, relative");
    report.add("rest", rest, "", "norm of the last residual");
    let devices = gpus.len() as f64;
    if perf.is_finite() {
        let estimate = operations(&class) / (perf * 1e6 * devices);
        report.add("estimate", estimate, "s", "formula 2.24: all operations at K Perf");
        report.add("ratio", 100.0 * estimate / time, "percent", "estimated / measured time");
    }
    if let Some(parts) = &mut parts {
        add_host_vectors(&mut report, (gpus, parts), [zeta, nonzeros, perf])?;
    }
    Ok(report)
}

/// Runs with a matrix of a user: its product, held against plain loops on the host, and, if it is square, one outer iteration
/// of NPB CG: 25 steps for the right side of ones, whose residual is held against that of the solution on the host.
///
/// # Errors
/// A device is lost, or has no room.
pub fn run_matrix(
    gpus: &[Gpu],
    matrix: &NamedMatrix,
    plan: GpuRunPlan,
    choices: &DeviceChoices,
) -> Result<GpuReport, GpuError> {
    let mut report = GpuReport::new(format!("cg {}", matrix.name), gpus);
    let choice = chosen(choices, &matrix.name, plan.format);
    let nonzeros = matrix.rows.values.len() as f64;
    let order = matrix.rows.starts.len() - 1;
    report.add("rows", order as f64, "rows", "of the matrix");
    report.add("columns", matrix.columns as f64, "columns", "of the matrix");
    report.add("nonzeros", nonzeros, "", "entries of the matrix");
    if matrix.columns != order {
        let ProductChoice::Sliced(shape) = choice else {
            let error = format!(
                "{order} x {} is not square; give --format sliced, which multiplies by such a matrix too",
                matrix.columns
            );
            return Err(GpuError::Call { call: "framing a matrix", error });
        };
        report.is_verified = Some(rectangular(&mut report, &gpus[0], matrix, shape)?);
        return Ok(report);
    }
    let class = CgClass { order, nonzer: 0, shift: 0.0, iterations: 1, zeta: f64::NAN };
    let one = CgRun::new(&gpus[0], class, &matrix.rows, choice)?;
    let x = probe(order);
    let mut is_right = matrix.is_product(&x, &one.product_of(&x)?);
    let perf = add_rate(&mut report, &one, (nonzeros, choice))?;
    let copy = copy_rate(&gpus[0], copied(2 * matrix.rows.values.len()))?;
    report.add("bw_cp", copy, "GB/s", "a copy in the memory of the device");
    let share = 0.6 * perf / copy;
    report.add("product_share", share, "percent", "of bw_cp, 12 bytes a nonzero");
    let mut once = || one.run().map(|(_, rest, time)| (rest, time));
    let (rest, time) = repeated(plan.runs, &mut once)?;
    report.add("seconds", time, "s", "25 steps for the right side of ones");
    if rest.is_finite() {
        let (exact, rounding) = matrix.residual(&one.solution()?);
        is_right &= (rest - exact).abs() <= rounding;
        report.add("rest", rest, "", "norm of the last residual");
        report.add("rest_host", exact, "", "norm of the residual of the same solution on the host");
    } else {
        report.note("the steps broke down: the matrix is not positive definite".to_owned());
    }
    if gpus.len() > 1 {
        drop(one);
        let mut parts = CgParts::new(gpus, class, &matrix.rows, choice)?;
        is_right &= matrix.is_product(&x, parts.multiply(&x)?);
        report.add(
            "product",
            1e6 * parts.product_seconds()?,
            "us",
            "one product with its transfers",
        );
    }
    report.is_verified = Some(is_right);
    Ok(report)
}

/// Multiplies by a matrix that is not square; returns whether the product is right.
fn rectangular(
    report: &mut GpuReport,
    gpu: &Gpu,
    matrix: &NamedMatrix,
    shape: crate::cg::ProductShape,
) -> Result<bool, GpuError> {
    let rows = matrix.rows.starts.len() - 1;
    let packed = SlicedEll::new(&matrix.rows, shape.h, shape.window).map_err(|length| {
        GpuError::Call { call: "packing a matrix", error: format!("{length} places") }
    })?;
    let product = SlicedProduct::new(gpu, &packed, shape)?;
    let kernels = BuiltKernels::new(gpu.clone());
    let x = probe(matrix.columns);
    let (of_x, of_y) = (gpu.buffer_of(&x)?, gpu.buffer::<f64>(rows)?);
    let time = seconds(gpu, [10, 5], &mut || product.multiply(&kernels, [&of_x, &of_y]))?;
    let mut y = vec![0.0; rows];
    gpu.read(&of_y, 0, &mut y)?;
    let perf = 2e-6 * matrix.rows.values.len() as f64 / time;
    report.add(
        "perf",
        perf,
        "MOPS",
        format!("product on one device, {}", ProductChoice::from(shape)),
    );
    report.add("product_one", 1e6 * time, "us", "one product on one device");
    report.note("the matrix is not square, so it is multiplied by only".to_owned());
    Ok(matrix.is_product(&x, &y))
}

/// Returns a vector by which products are checked: small whole numbers of both signs.
fn probe(n: usize) -> Vec<f64> {
    (0..n).map(|k| (k % 17) as f64 - 8.0).collect()
}
