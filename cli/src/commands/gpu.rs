//! `cp2 gpu`.

mod search;
mod stored;

use crate::args::{Gpu as Arguments, GpuDeviceChoice, GpuMeasure, GpuNpb, GpuRun};
use crate::process::exit::{Exit, Failure, Outcome, bad_input, usage};
use crate::storage::cache::VARIABLE;
use crate::storage::{files, trust};
use cp2_gpu::{Gpu, GpuChoice, GpuError, GpuInfo};
use cp2_gpu_procedures::cg::{NamedMatrix, ProductFormat};
use cp2_gpu_procedures::choices::DeviceChoices;
use cp2_gpu_procedures::measure::{MeasuredSizes, measure, system_file};
use cp2_gpu_procedures::report::{GpuReport, devices_document};
use cp2_gpu_procedures::run::{GpuProblem, GpuRunPlan, run_matrix};
use cp2_session::sparse::market;
use etcetera::BaseStrategy as _;
use std::path::{Path, PathBuf};

/// Pairs of doubles that `measure` moves: 512 MiB on a graphics processor, less on a small device.
const PAIRS: usize = 1 << 25;

pub(crate) fn gpu(arguments: &Arguments) -> Outcome {
    match arguments {
        Arguments::Devices(devices) => list(devices.json),
        Arguments::Run(run) => run_one(run),
        Arguments::Measure(measured) => measure_devices(measured),
    }
}

fn list(as_json: bool) -> Outcome {
    let all = GpuInfo::all()?;
    if as_json {
        files::print_json(&devices_document(&all))?;
        return Ok(Exit::Success);
    }
    let mut text = String::new();
    for (number, info) in all.iter().enumerate() {
        let double = if info.has_double { "" } else { ", no double precision" };
        text += &format!(
            "{number}  {}, {} units, {} MiB, local memory {} KiB{double}\n   {}, driver {}\n",
            info.name,
            info.units,
            info.memory >> 20,
            info.local >> 10,
            info.version,
            info.driver
        );
    }
    files::print(text.as_bytes())?;
    Ok(Exit::Success)
}

/// Opens the devices of a choice, with the shapes that are kept for them.
fn open(choice: &GpuDeviceChoice) -> Outcome<(Vec<Gpu>, DeviceChoices, Option<PathBuf>)> {
    let gpus =
        Gpu::open(&GpuChoice { numbers: choice.device.clone(), parts: choice.parts.into() })?;
    let path = gpus.first().and_then(|gpu| kept(gpu.info()));
    let text =
        path.as_ref().filter(|path| path.exists()).map(|path| files::read(path)).transpose()?;
    let text = String::from_utf8_lossy(&text.unwrap_or_default()).into_owned();
    let refused = |e| {
        let name = path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        bad_input(format!("{name}: {e}; delete the file, and give --search to make it anew"))
    };
    let mut choices =
        gpus.first().map(|gpu| DeviceChoices::shipped(&gpu.info().name)).unwrap_or_default();
    choices.extend(DeviceChoices::parse(&text).map_err(refused)?);
    Ok((gpus, choices, path))
}

/// Returns the file that keeps the shapes for a device: beside what else is kept, where nobody else may write; none if there
/// is no such place.
fn kept(info: &GpuInfo) -> Option<PathBuf> {
    let name = info.name.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let folder = match std::env::var_os(VARIABLE) {
        Some(folder) if !folder.is_empty() => PathBuf::from(folder).join("gpu"),
        _ => etcetera::choose_base_strategy().ok()?.cache_dir().join("cp2").join("gpu"),
    };
    Some(trust::own_folder(&folder).ok()?.join(format!("{name}.txt")))
}

/// Takes what was searched over, and keeps it.
fn keep(choices: &mut DeviceChoices, found: DeviceChoices, path: Option<&PathBuf>) -> Outcome<()> {
    choices.extend(found);
    match path {
        Some(path) => files::write(path, choices.text().as_bytes()),
        None => Ok(()),
    }
}

/// Reads a matrix, in double precision.
fn read_matrix(path: &Path) -> Outcome<NamedMatrix> {
    let name = path.display();
    let text = String::from_utf8(files::read(path)?).map_err(|e| {
        bad_input(format!("{name}: byte {} is not UTF-8", e.utf8_error().valid_up_to()))
    })?;
    let matrix = market::read_doubles(&text).map_err(|e| bad_input(format!("{name}: {e}")))?;
    Ok(NamedMatrix::of_market(&matrix))
}

fn problem(procedure: &str, class: &str) -> Outcome<GpuProblem> {
    GpuProblem::named(procedure, class)
        .map_err(|all| usage(format!("--class {class}: {procedure} has the classes {all}")))
}

/// Form of a run of NPB, beside its class.
#[derive(Clone, Copy, Default)]
struct NpbForm<'a> {
    is_fused: bool,
    pages: Option<u64>,
    matrix: Option<&'a Path>,
    is_framed: bool,
}

fn run_one(run: &GpuRun) -> Outcome {
    let form = NpbForm::default();
    match run {
        GpuRun::Mg(mg) => {
            run_class(("mg", &mg.class), NpbForm { is_fused: mg.fused, ..form }, &mg.npb)
        }
        GpuRun::Cg(cg) => {
            let matrix = cg.matrix.as_deref();
            let form = NpbForm { matrix, is_framed: cg.format == "framed", ..form };
            run_class(("cg", &cg.class), form, &cg.npb)
        }
        GpuRun::Ft(ft) => {
            run_class(("ft", &ft.class), NpbForm { pages: ft.pages, ..form }, &ft.npb)
        }
        GpuRun::Queens(queens) => search::queens(queens),
        GpuRun::Sudoku(sudoku) => search::sudoku(sudoku),
        GpuRun::Tree(tree) => search::tree(tree),
        GpuRun::Cover(cover) => search::cover(cover),
        GpuRun::Fibonacci(fibonacci) => search::fibonacci(fibonacci),
    }
}

fn run_class((procedure, class): (&str, &str), form: NpbForm<'_>, npb: &GpuNpb) -> Outcome {
    let GpuNpb { runs, devices } = npb;
    let NpbForm { is_fused, pages, matrix, is_framed } = form;
    let problem = problem(procedure, class)?;
    let matrix = matrix.map(read_matrix).transpose()?;
    let (gpus, mut choices, path) = open(devices)?;
    if is_fused && gpus.len() > 1 {
        return Err(usage(format!("--fused: {} devices; the fused form runs on one", gpus.len())));
    }
    let format = if is_framed { ProductFormat::Framed } else { ProductFormat::Sliced };
    let plan = GpuRunPlan { is_fused, pages, format, runs: (*runs).into() };
    if devices.search {
        let found = match &matrix {
            Some(matrix) => DeviceChoices::search_product(&gpus[0], matrix, format)?,
            None => problem.search(&gpus[0], format)?,
        };
        keep(&mut choices, found, path.as_ref())?;
    }
    let report = match &matrix {
        Some(matrix) => run_matrix(&gpus, matrix, plan, &choices)?,
        None => problem.run(&gpus, plan, &choices)?,
    };
    print(&report, devices.json)?;
    Ok(if report.is_verified == Some(false) { Exit::Check } else { Exit::Success })
}

fn measure_devices(arguments: &GpuMeasure) -> Outcome {
    let GpuMeasure { devices, class, output } = arguments;
    let problems = [problem("mg", class)?, problem("cg", class)?, problem("ft", class)?];
    let [GpuProblem::Mg(mg), GpuProblem::Cg(cg), _] = problems else { return Ok(Exit::Internal) };
    let (gpus, mut choices, path) = open(devices)?;
    if devices.search {
        for problem in problems {
            let found = problem.search(&gpus[0], ProductFormat::Sliced)?;
            keep(&mut choices, found, path.as_ref())?;
        }
    }
    // Eight arrays of pairs, four of them on the device.
    let fits = gpus[0].info().memory as usize / 16 / 8;
    let pairs = PAIRS.min(1 << fits.max(1 << 10).ilog2());
    let sizes = MeasuredSizes { pairs, points: mg.points(), class: cg };
    let report = measure(&gpus, sizes, &choices)?;
    print(&report, devices.json)?;
    if let Some(path) = output {
        files::write(path, system_file(&report, &gpus).as_bytes())?;
    }
    Ok(Exit::Success)
}

fn print(report: &GpuReport, as_json: bool) -> Outcome<()> {
    match as_json {
        true => files::print_json(&report.to_json()),
        false => files::print(report.text().as_bytes()),
    }
}

impl From<GpuError> for Failure {
    fn from(error: GpuError) -> Self {
        bad_input(error)
    }
}
