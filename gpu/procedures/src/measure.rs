//! Parameters of the estimation method, measured: the channel between host and devices, the memory of a device, the rates of
//! kernels.

use crate::cg::{ProductShape, SlicedEll, SlicedProduct};
use crate::choices::DeviceChoices;
use crate::ft::Transforms;
use crate::kernels::{BuiltKernels, CACHE, NORM};
use crate::mg::{GridTrial, SEARCHED};
use crate::report::GpuReport;
use crate::timing::{median, seconds};
use cp2_gpu::GpuArgument::{Doubles, Int, Pairs};
use cp2_gpu::{Gpu, GpuBuffer, GpuError, PinnedMemory};
use cp2_kernels::sparse::matrices::{CgClass, npb_cg_rows};
use std::fmt::Write as _;
use std::time::Instant;

/// Runs of which the median is taken.
const RUNS: usize = 10;
/// Work-items of a group of the copy.
const ITEMS: usize = 256;

/// Sizes of what is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredSizes {
    /// Pairs of doubles that are moved.
    pub pairs: usize,
    /// Points along an axis of grids and of transforms.
    pub points: usize,
    /// Class of CG whose matrix is multiplied.
    pub class: CgClass,
}

/// Returns the rate in GB/s, read and written bytes together, at which a device copies within its memory.
///
/// # Errors
/// The device is lost, or has no room.
pub fn copy_rate(gpu: &Gpu, pairs: usize) -> Result<f64, GpuError> {
    let kernels = BuiltKernels::new(gpu.clone());
    let copy = kernels.get(NORM, "copy", &[("ITEMS", ITEMS)])?;
    let (x, y) = (gpu.buffer::<[f64; 2]>(pairs)?, gpu.buffer::<[f64; 2]>(pairs)?);
    let mut least = f64::INFINITY;
    // As many work-groups as there are numbers, or some for each unit: devices differ in what they like.
    for groups in [pairs / ITEMS, 8 * gpu.info().units, 64 * gpu.info().units] {
        let arguments = [Int(pairs as i32), Pairs(&x), Pairs(&y)];
        let mut launch =
            || gpu.launch(&copy, [&[groups * ITEMS], &[ITEMS]], &arguments, &[]).map(drop);
        least = least.min(seconds(gpu, [RUNS, 3], &mut launch)?);
    }
    Ok(32e-9 * pairs as f64 / least)
}

/// Rates of the second cache of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CacheRates {
    /// Sectors of 32 bytes at random places of an array, past the first cache, in GB/s.
    pub sectors: f64,
    /// Loads at random places of an array that may find what they want in the first cache, 32 bytes each, in GB/s.
    pub scattered: f64,
    /// Rows of an array, past the first cache, in GB/s.
    pub rows: f64,
}

/// Bytes of a sector, the least that the second cache gives.
const SECTOR: f64 = 32.0;

/// Returns the rates at which the second cache of a device gives an array of as many doubles as a vector of `n` numbers at
/// least.
///
/// # Errors
/// The device is lost.
pub fn cache_rates(gpu: &Gpu, n: usize) -> Result<CacheRates, GpuError> {
    let kernels = BuiltKernels::new(gpu.clone());
    let numbers = n.next_power_of_two().clamp(1 << 12, 1 << 21);
    // As many work-items as run at once, and as many steps as take about a millisecond on a graphics processor.
    let groups = 8 * gpu.info().units;
    let (x, y) = (gpu.buffer_of(&vec![1.0; numbers])?, gpu.buffer::<f64>(groups * ITEMS)?);
    let loads = if gpu.info().units > 32 { 1 << 10 } else { 1 << 8 };
    let rate = |name, first, bytes: f64| {
        let kernel = kernels.get(CACHE, name, &[("ITEMS", ITEMS), ("FIRST", first)])?;
        let arguments = [Int(numbers as i32 - 1), Int(loads / 8), Doubles(&x), Doubles(&y)];
        let sizes: [&[usize]; 2] = [&[groups * ITEMS], &[ITEMS]];
        let time =
            seconds(gpu, [RUNS, 3], &mut || gpu.launch(&kernel, sizes, &arguments, &[]).map(drop))?;
        Ok::<_, GpuError>(1e-9 * bytes * f64::from(loads) * (groups * ITEMS) as f64 / time)
    };
    Ok(CacheRates {
        sectors: rate("scattered", 0, SECTOR)?,
        scattered: rate("scattered", 1, SECTOR)?,
        rows: rate("rows", 0, 8.0)?,
    })
}

/// Way of transfers between pinned memory and devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChannelWay {
    Load,
    Unload,
    Both,
}

/// Array on a device, and one in pinned memory for each way.
struct Moved<'a>(&'a Gpu, [GpuBuffer<[f64; 2]>; 2], [PinnedMemory<[f64; 2]>; 2]);

/// Returns the rate in GB/s at which devices move data at once, all ways and devices together.
fn channel(moved: &[Moved<'_>], pairs: usize, way: ChannelWay) -> Result<f64, GpuError> {
    let mut found = Vec::new();
    for _ in 0..=RUNS {
        moved.iter().try_for_each(|m| m.0.finish())?;
        let begin = Instant::now();
        for Moved(gpu, buffers, memory) in moved {
            if way != ChannelWay::Unload {
                gpu.load(&buffers[0], 0, &memory[0], 0..pairs, &[])?;
            }
            if way != ChannelWay::Load {
                gpu.unload(&buffers[1], 0, &memory[1], 0..pairs, &[])?;
            }
            gpu.flush()?;
        }
        moved.iter().try_for_each(|m| m.0.finish())?;
        found.push(begin.elapsed().as_secs_f64());
    }
    let ways = if way == ChannelWay::Both { 2 } else { 1 };
    Ok((16 * pairs * ways * moved.len()) as f64 * 1e-9 / median(&mut found[1..]))
}

/// Makes the arrays that are moved.
fn moved(gpus: &[Gpu], pairs: usize) -> Result<Vec<Moved<'_>>, GpuError> {
    let of_device = |gpu| {
        let buffers = [gpu_pairs(gpu, pairs)?, gpu_pairs(gpu, pairs)?];
        Ok(Moved(gpu, buffers, [gpu.pinned(pairs)?, gpu.pinned(pairs)?]))
    };
    gpus.iter().map(of_device).collect()
}

/// Returns the rate in GB/s at which devices move data both ways at once, all together.
///
/// # Errors
/// A device is lost, or has no room.
pub fn channel_rate(gpus: &[Gpu], pairs: usize) -> Result<f64, GpuError> {
    channel(&moved(gpus, pairs)?, pairs, ChannelWay::Both)
}

/// Measures channel, memory and kernels of devices that were opened together.
///
/// # Errors
/// A device is lost, or has no room.
pub fn measure(
    gpus: &[Gpu],
    sizes: MeasuredSizes,
    choices: &DeviceChoices,
) -> Result<GpuReport, GpuError> {
    let mut report = GpuReport::new("measure".to_owned(), gpus);
    let pairs = sizes.pairs;
    let all = moved(gpus, pairs)?;
    let alone = &all[..1];
    let mut rate = |name, moved, way, what: &str| {
        let found = channel(moved, pairs, way)?;
        report.add(name, found, "GB/s", what);
        Ok::<_, GpuError>(())
    };
    rate("bw_load", alone, ChannelWay::Load, "pinned memory to the first device")?;
    rate("bw_unload", alone, ChannelWay::Unload, "the first device to pinned memory")?;
    rate("bw_both", alone, ChannelWay::Both, "both ways at once, together")?;
    if gpus.len() > 1 {
        rate(
            "bw_all_load",
            &all,
            ChannelWay::Load,
            "pinned memory to all devices at once, together",
        )?;
        rate("bw_all_both", &all, ChannelWay::Both, "both ways and all devices at once, together")?;
    }
    drop(all);
    let copy = copy_rate(&gpus[0], pairs)?;
    report.add(
        "bw_cp",
        copy,
        "GB/s",
        "a copy in the memory of the first device, read and written bytes",
    );
    grids(&gpus[0], sizes.points, choices, copy, &mut report)?;
    product(&gpus[0], sizes.class, choices, copy, &mut report)?;
    transforms(&gpus[0], sizes.points, choices, copy, &mut report)?;
    Ok(report)
}

fn gpu_pairs(gpu: &Gpu, pairs: usize) -> Result<GpuBuffer<[f64; 2]>, GpuError> {
    gpu.buffer(pairs)
}

/// Adds the rates of grid kernels.
fn grids(
    gpu: &Gpu,
    n: usize,
    choices: &DeviceChoices,
    copy: f64,
    report: &mut GpuReport,
) -> Result<(), GpuError> {
    let mut trial = GridTrial::new(gpu, n)?;
    let shapes = choices.grids();
    let points = (n as f64).powi(3);
    for kernel in SEARCHED {
        // Operations as the source counts them; fused kernels do those of their parts.
        let (name, share, operations) = match kernel {
            "resid" => ("resid", "resid_share", 31.0),
            "smooth" => ("smooth", "smooth_share", 31.0),
            "proj" => ("proj", "proj_share", 30.0 / 8.0),
            "interp" => ("interp", "interp_share", 35.0 / 8.0),
            "rise" => ("rise", "rise_share", 35.0 / 8.0 + 62.0),
            _ => ("descend", "descend_share", 31.0 + 30.0 / 8.0),
        };
        let time = trial.time(kernel, shapes.of(kernel, trial.key(kernel)), [RUNS, 3])?;
        report.add(
            name,
            operations * points / time * 1e-6,
            "MOPS",
            format!("{kernel} on {n} points along an axis"),
        );
        let moved = trial.bytes(kernel) / time * 1e-9;
        report.add(
            share,
            100.0 * moved / copy,
            "percent",
            format!("of bw_cp that {kernel} moves, every number once"),
        );
    }
    Ok(())
}

/// Adds the rates of the second cache and what they leave of a product, if every element of x takes a sector.
fn cache(
    gpu: &Gpu,
    class: CgClass,
    nonzeros: f64,
    copy: f64,
    report: &mut GpuReport,
) -> Result<(), GpuError> {
    let CacheRates { sectors, scattered, rows } = cache_rates(gpu, class.order)?;
    for (name, value, what) in [
        (
            "sectors",
            sectors,
            "sectors of 32 bytes at random places of a vector, past the first cache",
        ),
        ("scattered", scattered, "the same, 32 bytes a load, where the first cache may have it"),
        ("bw_cache", rows, "rows of a vector, past the first cache"),
    ] {
        report.add(name, value, "GB/s", what);
    }
    let of_x = |rate: f64| SECTOR * nonzeros / rate * 1e-3;
    let of_matrix = 12.0 * nonzeros / copy * 1e-3;
    report.add(
        "sectors_bound",
        of_x(sectors),
        "us",
        "a product whose elements of x take a sector each",
    );
    report.add(
        "scattered_bound",
        of_x(scattered),
        "us",
        "a product whose elements of x are loads at random",
    );
    report.add("matrix_bound", of_matrix, "us", "a product whose 12 bytes a nonzero come at bw_cp");
    Ok(())
}

/// Adds the rate of a sparse product.
fn product(
    gpu: &Gpu,
    class: CgClass,
    choices: &DeviceChoices,
    copy: f64,
    report: &mut GpuReport,
) -> Result<(), GpuError> {
    let (matrix, name) = (npb_cg_rows(class), class.name());
    cache(gpu, class, matrix.values.len() as f64, copy, report)?;
    let published = ProductShape { window: 1, ..choices.product(name).unwrap_or_default() };
    let found = choices.product(name).unwrap_or_default();
    for (shape, name, share, padding) in [
        (published, "sliced", "sliced_share", "sliced_padding"),
        (found, "sorted", "sorted_share", "sorted_padding"),
    ] {
        let Ok(packed) = SlicedEll::new(&matrix, shape.h, shape.window) else { continue };
        let (x, y) = (gpu.buffer_of(&vec![1.0; class.order])?, gpu.buffer::<f64>(class.order)?);
        let kernels = BuiltKernels::new(gpu.clone());
        let product = SlicedProduct::new(gpu, &packed, shape)?;
        let time = seconds(gpu, [RUNS, 5], &mut || product.multiply(&kernels, [&x, &y]))?;
        let nonzeros = matrix.values.len() as f64;
        let rows = if shape.window == 1 { "rows in their order" } else { "longest rows first" };
        let what =
            format!("product of CG class {}, H {}, r {}, {rows}", class.name(), shape.h, shape.r);
        report.add(name, 2.0 * nonzeros / time * 1e-6, "MOPS", what);
        report.add(
            share,
            1.2e-6 * nonzeros / time / copy,
            "percent",
            "of bw_cp, 12 bytes a nonzero",
        );
        report.add(
            padding,
            packed.values.len() as f64 / nonzeros,
            "",
            "length of the arrays / nonzeros",
        );
    }
    Ok(())
}

/// Adds the rate of a transform along all axes.
fn transforms(
    gpu: &Gpu,
    n: usize,
    choices: &DeviceChoices,
    copy: f64,
    report: &mut GpuReport,
) -> Result<(), GpuError> {
    let sizes = [n; 3];
    let lines = choices.lines(sizes).unwrap_or_default();
    let transforms = Transforms::new(gpu, sizes, lines)?;
    let array = gpu_pairs(gpu, n * n * n)?;
    let time = seconds(gpu, [RUNS, 3], &mut || transforms.whole([&array, &array], false, None))?;
    let points = (n as f64).powi(3);
    let operations = 5.0 * points * points.log2();
    report.add(
        "fft",
        operations / time * 1e-6,
        "MOPS",
        format!("transform of {n} points along each axis"),
    );
    let passes = time * copy / (32e-9 * points);
    report.add(
        "fft_passes",
        passes,
        "passes",
        "of the array, read and written at bw_cp, that this takes",
    );
    Ok(())
}

/// Returns the system of a measurement as a file that `cp2 estimate --system` takes.
pub fn system_file(report: &GpuReport, gpus: &[Gpu]) -> String {
    let bw = report.get("bw_all_both").or(report.get("bw_both")).unwrap_or(1.0);
    let info = gpus[0].info();
    let mut text = format!(
        "# Measured by `cp2 gpu measure`, driver {}. Rates of kernels are set beside it, as in\n\
         # `cp2 estimate mg --system FILE --set work.perf_mops=MOPS`.\n",
        report.driver
    );
    for figure in
        report.figures.iter().filter(|figure| figure.unit == "MOPS" || figure.unit == "GB/s")
    {
        let _ = writeln!(
            text,
            "# {:<12} {:>14.1} {:<5} {}",
            figure.name, figure.value, figure.unit, figure.what
        );
    }
    let _ = write!(
        text,
        "name = \"{}\"\nkind = \"gpu\"\nwhat = \"{} of {}\"\n\
         coprocessors = {{ value = {}, origin = \"devices of the measurement\" }}\n\
         bw_mb_s = {{ value = {:.0}, origin = \"measured, both ways at once\" }}\n\
         word_bytes = {{ value = 8, origin = \"double precision\" }}\n\
         local_bytes = {{ value = {}, origin = \"told by the driver\" }}\n",
        info.name.to_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "-"),
        gpus.len(),
        info.name.replace('"', ""),
        gpus.len(),
        1e3 * bw,
        info.memory,
    );
    text
}
