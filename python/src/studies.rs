//! Studies of machines: what-if, sensitivity, rooflines, estimates, sweeps.

mod busy;

use self::busy::Turn;
use crate::environment::environment;
use crate::errors::{Failure, input, usage};
use crate::guard::guarded;
use crate::machine::{MachineChoice, MachineObject, chosen, settings, switch};
use crate::options::values;
use crate::report::ReportObject;
use crate::table::TableObject;
use crate::values::words;
use crate::watch::{Watch, watched};
use crate::workloads::{platform, studied};
use cp2_emu::MachineConfig;
use cp2_lab::estimate::EstimatedWork;
use cp2_lab::inputs::{CoprocessorKind, Inputs, LabError, PerfSource, names};
use cp2_lab::plans::{self, CountedWorkload};
use cp2_lab::recorded::Subject;
use cp2_lab::report::EstimateReport;
use cp2_lab::roofline::RooflineReport;
use cp2_lab::sweep::{
    Choice, Finders, PointOutcome, RowStore, Shard, Spec, build_of, kept_outcomes, outcomes,
    run as run_share,
};
use cp2_lab::whatif::{Change, Sensitivity, WhatIf};
use cp2_session::reuse::Shelf;
use cp2_session::workload::{Platform, Workload};
use cp2_session::{Environment, ErrorKind};
use cp2_workloads::catalogue;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Returns a workload with options on a machine, as the subject of a study.
fn subject(
    py: Python<'_>,
    name: &str,
    machine: &MachineObject,
    options: Option<&Bound<'_, PyDict>>,
    (is_alone, commands): (bool, bool),
) -> Result<Subject, Failure> {
    let workload = studied(name, platform(machine), commands.into())?;
    let values = values(&*workload, options)?;
    let subject = Subject::new(workload, machine.config(), *machine.core());
    Ok(Subject { values, is_alone, environment: environment(py), ..subject })
}

/// Runs a workload on a machine and on that machine with changes, each alone and in all combinations.
///
/// Each item of ``enable`` and of ``set`` is a change, from 1 to 6; ``"A,B"`` are made together. Without a ``machine`` a
/// kernel runs on CP2 alone, compared by cycles; with one a procedure, compared by time (us). ``alone`` runs the workload
/// itself rather than the fastest of its variants; ``allow_commands`` lets a workload file start the command that checks its
/// results. Further options are those of the workload.
///
/// >>> study = cp2.whatif("axpy", set="core.arithmetic_latency=4")
/// >>> study.table["cycles"]
/// [3107, 3096]
#[pyfunction]
#[pyo3(signature = (name, *, machine=None, enable=None, set=None, alone=false, progress=None, allow_commands=false, **options))]
#[expect(clippy::too_many_arguments, reason = "they are the options of a command, by name")]
pub(crate) fn whatif(
    py: Python<'_>,
    name: PathBuf,
    machine: Option<MachineChoice>,
    enable: Option<&Bound<'_, PyAny>>,
    set: Option<&Bound<'_, PyAny>>,
    alone: bool,
    progress: Option<Py<PyAny>>,
    allow_commands: bool,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<ReportObject> {
    let (name, watch) = (name.display().to_string(), Arc::new(Watch::new(progress)));
    let enable = enable.map_or_else(|| Ok(Vec::new()), switch::texts)?;
    let set = settings(set)?;
    let (subject, changes) = guarded(|| {
        let on = enable.iter().map(|text| Change::enable(text));
        let changes = on.chain(set.iter().map(|text| Change::set(text)));
        let changes = changes.collect::<Result<Vec<_>, LabError>>()?;
        if changes.is_empty() {
            return Err(usage("a study needs a change: give `enable`, `set` or both"));
        }
        Ok((subject(py, &name, &chosen(machine)?, options, (alone, allow_commands))?, changes))
    })?;
    watched(py, &watch, move |watch| {
        let command = format!("cp2.whatif({name:?}, ...)");
        let mut show = |done: usize, all: usize| watch.progress(done as u64, all as u64);
        let study = WhatIf::new(&subject, &changes, command, &mut show)?;
        let title = (format!("what if: {name}"), "variants");
        let svg = study.bars().svg()?;
        Ok(ReportObject::new(title, &study.to_json(), study.text(), Some(svg)))
    })
}

/// Varies the numbers of a machine that were not measured, each alone and all together, and tells the times (us).
#[pyfunction]
#[pyo3(signature = (name, machine, *, alone=false, progress=None, allow_commands=false, **options))]
#[expect(clippy::too_many_arguments, reason = "they are the options of a command, by name")]
pub(crate) fn sensitivity(
    py: Python<'_>,
    name: PathBuf,
    machine: MachineChoice,
    alone: bool,
    progress: Option<Py<PyAny>>,
    allow_commands: bool,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<ReportObject> {
    let (name, watch) = (name.display().to_string(), Arc::new(Watch::new(progress)));
    let subject =
        guarded(|| subject(py, &name, &chosen(Some(machine))?, options, (alone, allow_commands)))?;
    watched(py, &watch, move |watch| {
        let command = format!("cp2.sensitivity({name:?}, ...)");
        let mut show = |done: usize, all: usize| watch.progress(done as u64, all as u64);
        let study = Sensitivity::new(&subject, command, &mut show)?;
        let title = (format!("sensitivity of {name}"), "numbers");
        let svg = study.bars().svg()?;
        Ok(ReportObject::new(title, &study.to_json(), study.text(), Some(svg)))
    })
}

/// Finds the workloads of files for a study; what is no file is left to the catalogue.
fn elsewhere(
    commands: bool,
) -> impl FnMut(Platform, &str) -> Option<Result<Arc<dyn Workload>, LabError>> {
    move |platform, name| {
        let found = || studied(name, platform, commands.into());
        cp2_files::is_toml(Path::new(name))
            .then(|| found().map_err(|failure| LabError::new(failure.to_string())))
    }
}

/// Puts whole runs of workloads below the ceilings of a machine: operations per cycle over operations per byte. Without
/// names they are a few kernels and procedures.
#[pyfunction]
#[pyo3(signature = (machine, names=None, *, allow_commands=false))]
pub(crate) fn roofline(
    py: Python<'_>,
    machine: MachineChoice,
    names: Option<&Bound<'_, PyAny>>,
    allow_commands: bool,
) -> PyResult<ReportObject> {
    let names = names.map_or_else(|| Ok(Vec::new()), words)?;
    let machine = guarded(|| chosen(Some(machine)))?;
    watched(py, &Arc::new(Watch::new(None)), move |_| {
        let config = machine.config().ok_or_else(|| usage("a roofline needs a machine"))?;
        let report = RooflineReport::new(&config, &names, &mut elsewhere(allow_commands))?;
        let title = (format!("roofline of {}", config.name()), "roofline.points");
        let svg = report.chart().svg()?;
        Ok(ReportObject::new(title, &report.to_json(), report.text(), Some(svg)))
    })
}

/// Returns the system of an estimate: one that comes with cp2, or that of a file.
fn system(name: &str, set: &[String]) -> Result<Inputs, Failure> {
    let path = Path::new(name);
    let is_file = path.extension().is_some() && !names().contains(&name);
    let mut inputs = if is_file {
        let text = cp2_files::regular(path).and_then(cp2_files::text);
        Inputs::parse(&text.map_err(|e| input(format!("{name}: {e}")))?)?
    } else {
        Inputs::system(name)?
    };
    for setting in set {
        inputs.apply_set(setting).map_err(|e| usage(format!("set {setting}: {e}")))?;
    }
    Ok(inputs)
}

/// Returns what is estimated: a procedure that has a plan by formulas, or any other of which a run is counted.
fn estimated(name: &str, inputs: &Inputs, commands: bool) -> Result<EstimatedWork, Failure> {
    let is_file = cp2_files::is_toml(Path::new(name));
    if !is_file
        && (plans::find(name, inputs).is_ok() || catalogue::find(Platform::Machine, name).is_none())
    {
        return Ok(EstimatedWork::procedure(name));
    }
    let own = MachineConfig::preset(&inputs.name).filter(|_| inputs.kind == CoprocessorKind::Cp2);
    let config = own.or_else(|| MachineConfig::preset("vm9"));
    let config = config.ok_or_else(|| input("there is no machine vm9"))?;
    let core = *config.core();
    let workload = studied(name, Platform::Machine, commands.into())?;
    let counted = CountedWorkload::new(&Subject::new(workload, Some(config), core))?;
    Ok(EstimatedWork::Counted(Box::new(counted)))
}

/// Estimates a procedure on a system by the ten steps of the method of the dissertation, beside simulated and measured rates
/// (10^6 operations/s) unless ``alone``. ``system`` is a name or a file, ``set`` changes its numbers and the sizes of the work.
#[pyfunction]
#[pyo3(signature = (name, *, system="vm9", set=None, perf=None, alone=false, allow_commands=false))]
#[expect(clippy::too_many_arguments, reason = "they are the options of a command, by name")]
pub(crate) fn estimate(
    py: Python<'_>,
    name: PathBuf,
    system: &str,
    set: Option<&Bound<'_, PyAny>>,
    perf: Option<String>,
    alone: bool,
    allow_commands: bool,
) -> PyResult<ReportObject> {
    let (name, set) = (name.display().to_string(), settings(set)?);
    let system = system.to_owned();
    watched(py, &Arc::new(Watch::new(None)), move |_| {
        let mut inputs = self::system(&system, &set)?;
        let work = estimated(&name, &inputs, allow_commands)?;
        inputs.perf = match (perf.as_deref(), &work) {
            (Some(word), _) => perf_named(word)?,
            (None, EstimatedWork::Procedure(_)) => PerfSource::Published,
            (None, EstimatedWork::Counted(_)) => PerfSource::Ours,
        };
        let report = EstimateReport::new(&work, &inputs, !alone)?;
        let title = (format!("estimate of {name} on {system}"), "estimate.steps");
        Ok(ReportObject::new(title, &report.to_json(), report.text(), None))
    })
}

fn perf_named(word: &str) -> Result<PerfSource, Failure> {
    let found = PerfSource::ALL.into_iter().find(|source| source.name() == word);
    let names = PerfSource::ALL.map(PerfSource::name).join(", ");
    found.ok_or_else(|| usage(format!("there is no rate `{word}`; the rates are {names}")))
}

/// Returns the text of a sweep: that of a file, a text itself, or a dict with the keys of the file.
fn spec_text(spec: &Bound<'_, PyAny>) -> Result<String, Failure> {
    if spec.is_instance_of::<PyDict>() {
        let text: String = spec.py().import("json")?.call_method1("dumps", (spec,))?.extract()?;
        let value: Value = serde_json::from_str(&text).map_err(|e| input(format!("sweep: {e}")))?;
        return toml::to_string(&value).map_err(|e| input(format!("sweep: {e}")));
    }
    if let Ok(text) = spec.extract::<String>()
        && text.contains('\n')
    {
        return Ok(text);
    }
    let path: PathBuf = spec.extract()?;
    let text = cp2_files::regular(&path).and_then(cp2_files::text);
    text.map_err(|e| input(format!("{}: {e}", path.display())))
}

fn parsed(text: &str) -> Result<Spec, Failure> {
    let mut machines = |name: &str| match chosen(Some(MachineChoice::Named(name.to_owned()))) {
        Ok(machine) => Ok(machine.any_config().clone()),
        Err(failure) => Err(failure.to_string()),
    };
    // Points are only counted: no file starts a program.
    let mut workloads = elsewhere(false);
    let mut finders = Finders { machines: &mut machines, workloads: &mut workloads };
    Ok(Spec::parse(text, &mut finders, &cp2_lab::optimize::SECTIONS)?)
}

/// Runs a workload on many machines and with many options, and returns a row for each point: its values, ``cycles``, ``us``,
/// ``bytes`` and others, or the ``problem`` for which there are none.
///
/// ``spec`` is a dict with the keys of the file of a sweep, the text of one, or its path. With a ``folder`` the rows are kept
/// there as ``cp2 sweep`` does: a sweep that was ended, by Ctrl-C or otherwise, goes on with the points that are missing when it
/// is called again. ``shard``, such as ``"3/16"``, runs one share of the points, ``limit`` that many of them at most; points
/// without a row have no counts in the table. Without a folder all points run, and nothing is kept.
///
/// >>> table = cp2.sweep({"kernel": "axpy", "set": {"core.arithmetic_latency": [4, 8, 12]}})
/// >>> table["core_arithmetic_latency"], table["cycles"]
/// ([4, 8, 12], [3096, 3107, 4142])
#[pyfunction]
#[pyo3(signature = (spec, *, folder=None, shard=None, limit=None, threads=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "they are the options of a command, by name")]
pub(crate) fn sweep(
    py: Python<'_>,
    spec: &Bound<'_, PyAny>,
    folder: Option<PathBuf>,
    shard: Option<&str>,
    limit: Option<u64>,
    threads: Option<NonZeroUsize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<TableObject> {
    let spec = guarded(|| parsed(&spec_text(spec)?))?;
    let threads = threads.or_else(|| std::thread::available_parallelism().ok());
    let (threads, watch) = (threads.unwrap_or(NonZeroUsize::MIN), Arc::new(Watch::new(progress)));
    let Some(folder) = folder else {
        if shard.is_some() || limit.is_some() {
            return Err(usage("shard and limit need a folder, which keeps the rows").into());
        }
        let environment = environment(py);
        return watched(py, &watch, move |watch| in_memory(&spec, threads, &environment, watch));
    };
    let shard = shard.map_or(Ok(Shard::default()), str::parse);
    let shard = shard.map_err(|e| PyErr::from(usage(format!("shard: {e}"))))?;
    let build = build(py)?;
    watched(py, &watch, move |watch| {
        let cancelled = || Failure::Told(ErrorKind::Cancelled, "the sweep was ended".to_owned());
        let _turn = Turn::wait(&folder, shard, watch).ok_or_else(cancelled)?;
        let (of, store) = ((&spec, build.as_str()), RowStore::new(folder));
        let show = |done: u64, all: u64| watch.goes_on(done, all);
        let last = run_share(of, &store, shard, threads, limit, &show)?;
        watch.progress(last.before + last.run, last.points);
        let rows = kept_outcomes(of, &store)?.into_iter().zip(0..);
        let rows =
            rows.map(|((_, outcome), index)| row(&spec, index, &outcome.unwrap_or_default()));
        Ok(TableObject::of_rows("points of a sweep", &rows.collect::<Vec<_>>()))
    })
}

/// Returns the text that tells one build of the package from another, by the content of this library.
fn build(py: Python<'_>) -> PyResult<String> {
    static BUILD: PyOnceLock<String> = PyOnceLock::new();
    let made = BUILD.get_or_try_init(py, || {
        let path: PathBuf = py.import("cp2._native")?.getattr("__file__")?.extract()?;
        let library = std::fs::read(&path)
            .map_err(|e| PyErr::from(input(format!("{}: {e}", path.display()))))?;
        Ok::<_, PyErr>(build_of(&library))
    })?;
    Ok(made.clone())
}

/// Runs all points of a sweep, and keeps nothing.
fn in_memory(
    spec: &Spec,
    threads: NonZeroUsize,
    environment: &Environment,
    watch: &Watch,
) -> Result<TableObject, Failure> {
    let shelf = Arc::new(Shelf::default());
    let (indices, mut rows) = ((0..spec.count()).collect::<Vec<u64>>(), Vec::new());
    for part in indices.chunks(4 * threads.get()) {
        watch.progress(rows.len() as u64, spec.count());
        let found = outcomes(spec, part, threads, (environment, &shelf))?;
        rows.extend(part.iter().zip(found).map(|(&index, outcome)| row(spec, index, &outcome)));
    }
    watch.progress(rows.len() as u64, spec.count());
    Ok(TableObject::of_rows("points of a sweep", &rows))
}

/// Returns the row of a point: its values, and what its run gave.
fn row(spec: &Spec, index: u64, outcome: &PointOutcome) -> Value {
    let mut row = json!({ "row": index });
    for (axis, choice) in spec.axes.iter().zip(spec.point(index)) {
        // As in the tables of the command, so that queries need no quotes.
        row[axis.name.replace(['.', '-'], "_")] = match choice {
            Choice::Number(number) => number.into(),
            Choice::Text(text) => text.into(),
        };
    }
    let PointOutcome {
        cycles, us, kernel_cycles, operations, mops, bytes, variant, problem, ..
    } = outcome;
    row["cycles"] = json!(cycles);
    row["us"] = json!(us);
    row["kernel_cycles"] = json!(kernel_cycles);
    row["operations"] = json!(operations);
    row["mops"] = json!(mops);
    row["bytes"] = json!(bytes);
    row["variant"] = json!(variant);
    row["problem"] = json!(problem);
    row
}
