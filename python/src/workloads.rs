//! Workloads: the kernels and procedures that come with cp2, and those of workload files.

use crate::arrays::{self, ComplexArray};
use crate::environment::environment;
use crate::errors::{Failure, input, raise, usage};
use crate::guard::guarded;
use crate::machine::{MachineChoice, MachineObject, chosen};
use crate::options::values;
use crate::program::{check_apart, header};
use crate::report::ReportObject;
use crate::table::TableObject;
use crate::watch::{Watch, watched};
use cp2_isa::machine::Switch;
use cp2_lab::library;
use cp2_recording::Recorder;
use cp2_session::KernelError;
use cp2_session::keeping::Keeper;
use cp2_session::npy::{Array, MatrixShape};
use cp2_session::workload::{
    Listener, OptionKind, OptionValue, Platform, Request, Workload, WorkloadOutcome,
};
use cp2_workloads::catalogue;
use cp2_workloads::file::{CommandPolicy, CommandVerdict, Surroundings, WorkloadFile, array_of};
use num_complex::Complex32;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};
use std::ffi::CString;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// File system around a workload file, and the programs that its user lets it start.
struct Around {
    commands: CommandPolicy,
}

impl Surroundings for Around {
    fn read(&self, from: &str, path: &str) -> Result<(String, Vec<u8>), String> {
        let beside = cp2_files::path_beside(from, path);
        let bytes = cp2_files::regular(&beside);
        let name = beside.display().to_string();
        bytes.map(|bytes| (name.clone(), bytes)).map_err(|e| format!("{name}: {e}"))
    }

    fn run(&self, from: &str, command: &[String], arrays: &[(String, Array)]) -> CommandVerdict {
        if self.commands == CommandPolicy::Refused {
            return CommandVerdict::NotRun;
        }
        match cp2_files::start((from, command), arrays, array_of, Array::write) {
            Ok(None) => CommandVerdict::Right,
            Ok(Some(said)) => CommandVerdict::Wrong(said),
            Err(why) => CommandVerdict::NotStarted(why),
        }
    }
}

/// Reads a workload file.
fn open(name: &str, commands: CommandPolicy) -> Result<Arc<WorkloadFile>, Failure> {
    let text = cp2_files::regular(Path::new(name)).and_then(cp2_files::text);
    let text = text.map_err(|e| input(format!("{name}: {e}")))?;
    let around: Arc<dyn Surroundings> = Arc::new(Around { commands });
    Ok(Arc::new(WorkloadFile::open(name, &text, &around).map_err(Failure::Refused)?))
}

/// Returns the workload of this name, or in this file: a kernel on CP2 alone, a procedure on a machine.
pub(crate) fn find(
    name: &str,
    platform: Platform,
    commands: CommandPolicy,
) -> Result<Arc<dyn Workload>, Failure> {
    if cp2_files::is_toml(Path::new(name)) {
        return open(name, commands)?.on(platform).map_err(usage);
    }
    Ok(library::find(platform, name, &mut |_, _| None)?)
}

/// Returns the workload as [`find`] does, for a study, which has no report of its own on the results: it warns if nothing checks
/// them.
pub(crate) fn studied(
    name: &str,
    platform: Platform,
    commands: CommandPolicy,
) -> Result<Arc<dyn Workload>, Failure> {
    if !cp2_files::is_toml(Path::new(name)) {
        return find(name, platform, commands);
    }
    let file = open(name, commands)?;
    if commands == CommandPolicy::Refused && file.has_command() {
        warn(&format!(
            "{name} names a command that checks results; it starts only with allow_commands=True"
        ))?;
    } else if !file.has_command() && !file.has_expected() {
        warn(&format!(
            "{name} expects no results, so nothing checks them; give `expected` in an array, or [check]"
        ))?;
    }
    file.on(platform).map_err(usage)
}

/// Gives a warning of Python.
fn warn(message: &str) -> PyResult<()> {
    Python::attach(|py| {
        let category = py.get_type::<PyUserWarning>();
        let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
        PyErr::warn(py, &category, &message, 1)
    })
}

/// Returns the platform of a machine.
pub(crate) fn platform(machine: &MachineObject) -> Platform {
    if machine.config().is_some() { Platform::Machine } else { Platform::Cp2 }
}

/// Returns the kernels (on CP2 alone) and procedures (on a machine) that come with cp2, a row each.
#[pyfunction]
pub(crate) fn kernels() -> PyResult<TableObject> {
    guarded(|| {
        let mut rows = Vec::new();
        for platform in [Platform::Cp2, Platform::Machine] {
            for workload in catalogue::workloads(platform) {
                let (about, options) = (workload.about(), workload.option_list());
                let needs: Vec<String> = workload.needs().iter().map(Switch::to_string).collect();
                let names = options.iter().map(|option| option.name.replace('-', "_"));
                rows.push(json!({
                    "name": about.name,
                    "runs_on": if platform == Platform::Cp2 { "CP2 alone" } else { "a machine" },
                    "description": about.summary,
                    "input": about.input,
                    "output": about.output,
                    "needs": needs,
                    "options": names.collect::<Vec<_>>(),
                }));
            }
        }
        Ok(TableObject::of_rows("workloads", &rows))
    })
}

/// Returns the source of a kernel that comes with cp2, as it is made for a machine.
#[pyfunction]
#[pyo3(signature = (name, *, machine=None))]
pub(crate) fn source(name: &str, machine: Option<MachineChoice>) -> PyResult<String> {
    guarded(|| {
        Ok(find(name, Platform::Cp2, CommandPolicy::Refused)?.source(chosen(machine)?.core())?)
    })
}

/// Results of a run as they come.
struct Results<'a> {
    watch: &'a Watch,
    arrays: Vec<(String, Array)>,
    begun: Option<(MatrixShape, Vec<Complex32>)>,
}

impl Results<'_> {
    /// Returns all arrays by their names, and the matrix of a workload whose only result has no name.
    fn all(self) -> (Vec<(String, Array)>, Option<ComplexArray>) {
        let sizes = |shape: MatrixShape| match shape.is_vector {
            true => vec![shape.columns],
            false => vec![shape.rows, shape.columns],
        };
        (self.arrays, self.begun.map(|(shape, values)| (sizes(shape), values)))
    }
}

impl Listener for Results<'_> {
    fn progress(&mut self, done: usize, all: usize) {
        self.watch.progress(done as u64, all as u64);
    }

    fn begin(&mut self, shape: MatrixShape) -> Result<(), KernelError> {
        self.begun = Some((shape, Vec::new()));
        Ok(())
    }

    fn add(&mut self, values: &[Complex32]) -> Result<(), KernelError> {
        if let Some((_, all)) = &mut self.begun {
            all.extend_from_slice(values);
        }
        Ok(())
    }

    fn whole(&mut self, array: &Array) -> Result<(), KernelError> {
        self.arrays.push(("output".to_owned(), array.clone()));
        Ok(())
    }

    fn named(&mut self, name: &str, array: &Array) -> Result<(), KernelError> {
        self.arrays.push((name.to_owned(), array.clone()));
        Ok(())
    }
}

/// A run of a workload: its report, its results by name (``run["output"]``), whether they are right.
#[pyclass(frozen, name = "WorkloadRun", module = "cp2")]
pub(crate) struct WorkloadRunObject {
    name: String,
    outcome: WorkloadOutcome,
    arrays: Py<PyDict>,
}

#[pymethods]
impl WorkloadRunObject {
    /// Cycles of CP2 that the whole run took.
    #[getter]
    fn cycles(&self) -> Option<u64> {
        let counted = || self.outcome.json.get("cycles")?.as_u64();
        self.outcome.cost.as_ref().map(|cost| cost.cycles()).or_else(counted)
    }

    /// Microseconds of the run on the machine; `None` on CP2 alone, which has no clock.
    #[getter]
    fn microseconds(&self) -> Option<f64> {
        self.outcome.cost.as_ref().map(|cost| cost.microseconds())
    }

    /// Whether the results are right; `None` if nothing checks them.
    #[getter]
    fn is_right(&self) -> Option<bool> {
        self.outcome.verdict.is_right()
    }

    /// Results by their names; the only one of a workload without names is `output`.
    #[getter]
    fn arrays(&self, py: Python<'_>) -> Py<PyDict> {
        self.arrays.clone_ref(py)
    }

    /// Report of the run, as the command prints it.
    #[getter]
    fn report(&self) -> ReportObject {
        let title = (self.name.clone(), "runs");
        ReportObject::new(title, &self.outcome.json, self.outcome.text.clone(), None)
    }

    /// Timeline of a procedure, what CP2, channel and host did when; `None` for a kernel.
    #[getter]
    fn timeline(&self) -> Option<ReportObject> {
        let timeline = self.outcome.timeline.as_ref()?;
        let mut spans = Vec::new();
        for of in ["cp2", "dma", "host"] {
            let all = timeline[of]["spans"].as_array();
            let span = |span: &Value| json!({ "of": of, "activity": span[0], "begin": span[1], "end": span[2] });
            spans.extend(all.into_iter().flatten().map(span));
        }
        let document = json!({ "cycles": timeline["cycles"], "unit": "cycles", "spans": spans });
        let title = (format!("timeline of {}", self.name), "spans");
        let heading = format!("Timeline of {}", self.name);
        let svg = crate::pictures::timeline(&heading, &spans, timeline["cycles"].as_u64()?);
        Some(ReportObject::new(title, &document, String::new(), Some(svg)))
    }

    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let arrays = self.arrays.bind(py);
        arrays.get_item(name)?.ok_or_else(|| crate::result::no_array(name, arrays))
    }

    /// The report, below the timeline of a procedure.
    fn _repr_html_(&self) -> String {
        let picture = self.timeline().map(|timeline| timeline._repr_html_());
        format!("<div>{}{}</div>", picture.unwrap_or_default(), self.report()._repr_html_())
    }

    fn __repr__(&self) -> String {
        let cycles = self.cycles().map_or(String::new(), |n| format!(": {n} cycles"));
        let right = match self.is_right() {
            Some(true) => ", results right",
            Some(false) => ", results wrong",
            None => ", results not checked",
        };
        format!("<cp2.WorkloadRun {}{cycles}{right}>", self.name)
    }
}

/// Returns a keeper that stops a procedure when the watch says so.
fn keeper(watch: &Arc<Watch>) -> Keeper {
    let watch = watch.clone();
    let stops = Box::new(move || watch.is_ended());
    Keeper::new(None, Duration::MAX, None, (stops, Box::new(|_| {})))
}

/// Runs a workload: a kernel by its name on CP2 alone, a procedure with a ``machine``, or a workload file (``.toml``).
///
/// Options are those of ``cp2 kernels run``, by name, with ``_`` for ``-``; arrays are arrays of NumPy of the type and shape
/// that the workload takes, sparse matrices those of SciPy or paths of Matrix Market files. Without an input there are random
/// data. Results that differ from the reference raise :class:`CheckError`. ``record`` is the path of a recording;
/// ``progress`` is called with what is done and with all. A command that a workload file names to check results is started
/// only with ``allow_commands``: it can do whatever its user can.
///
/// >>> run = cp2.run("fft64", vectors=16)
/// >>> run.is_right, run["output"].shape, run["output"].dtype.name
/// (True, (16, 64), 'complex64')
#[pyfunction]
#[pyo3(signature = (name, *, machine=None, record=None, progress=None, allow_commands=false, **options))]
#[expect(clippy::too_many_arguments, reason = "they are the options of a command, by name")]
pub(crate) fn run(
    py: Python<'_>,
    name: PathBuf,
    machine: Option<MachineChoice>,
    record: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
    allow_commands: bool,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<WorkloadRunObject> {
    let (name, watch) = (name.display().to_string(), Arc::new(Watch::new(progress)));
    let (workload, request) = guarded(|| {
        let machine = chosen(machine)?;
        let workload = find(&name, platform(&machine), allow_commands.into())?;
        let mut values = values(&*workload, options)?;
        for option in workload.option_list() {
            if matches!(option.form, OptionKind::Write(_) | OptionKind::WriteJson) {
                values.set(option.name, OptionValue::File);
            }
        }
        let (core, config) = (*machine.core(), machine.config());
        let recorder = record.as_deref().map(|path| {
            let wrong = |e: std::io::Error| input(format!("{}: {e}", path.display()));
            check_apart(path, workload.files().iter().map(PathBuf::as_path))?;
            let file = BufWriter::new(File::create(path).map_err(wrong)?);
            Recorder::new(Box::new(file), &header(config.as_ref(), &core)).map_err(wrong)
        });
        let (recorder, environment) = (recorder.transpose()?, environment(py));
        let keeper = config.is_some().then(|| Arc::new(keeper(&watch)));
        let (machine, counts_only) = (config, false);
        Ok((
            workload,
            Request { values, core, machine, environment, recorder, keeper, counts_only },
        ))
    })?;
    let recorder = request.recorder.clone();
    let (outcome, (results, matrix)) = watched(py, &watch, move |watch| {
        let mut results = Results { watch, arrays: Vec::new(), begun: None };
        let outcome = workload.execute(request, &mut results)?;
        if let (Some(recorder), Some(path)) = (recorder, &record) {
            recorder.finish().map_err(|e| input(format!("{}: {e}", path.display())))?;
        }
        Ok((outcome, results.all()))
    })?;
    let arrays = PyDict::new(py);
    for (name, array) in &results {
        arrays.set_item(name, arrays::to_python(py, array)?)?;
    }
    if let Some((shape, values)) = matrix {
        arrays.set_item("output", arrays::of_elements(py, &shape, values)?)?;
    }
    let complaint = outcome.verdict.complaint.clone();
    let run = WorkloadRunObject { name, outcome, arrays: arrays.unbind() };
    let Some(complaint) = complaint else { return Ok(run) };
    let error = raise("check", &complaint, None);
    error.value(py).setattr("run", Bound::new(py, run)?)?;
    Err(error)
}
