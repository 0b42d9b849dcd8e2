//! `cp2.Program` and its runs: assemble, load, run on arrays.

use crate::arrays;
use crate::environment::environment;
use crate::errors::{Failure, diagnostics, input, usage};
use crate::guard::{Looks, detached, guarded};
use crate::machine::{MachineChoice, MachineObject, chosen};
use crate::result::RunObject;
use crate::schedule::ScheduleObject;
use crate::values::{to_python, words};
use crate::watch::{Watch, watched};
use cp2_asm::interface::ArrayDirection;
use cp2_emu::MachineConfig;
use cp2_isa::Core;
use cp2_recording::{Header, Recorder};
use cp2_session::arrays::{interface_json, kernel_at};
use cp2_session::npy::Array;
use cp2_session::{Cancellation, Engine, Environment, Form, MOST_CYCLES, Outcome, Program, Setup};
use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyMapping};
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// A program that is assembled, for one core. Made by :func:`assemble` and :func:`load`; threads may share it.
#[pyclass(frozen, name = "Program", module = "cp2")]
pub(crate) struct ProgramObject {
    pub(crate) program: Arc<Program>,
    environment: Environment,
    machine: MachineObject,
    origin: Arc<Origin>,
}

/// Source or object of which a program was made, and from which a process that gets it pickled makes it again.
struct Origin {
    /// Name of the file, or what stands for it in diagnostics.
    name: String,
    bytes: Vec<u8>,
    form: Form,
    /// Whether a file of this name has the bytes.
    is_file: bool,
    /// Files that the source includes: file with the line, path in it, name, text.
    included: Vec<Included>,
}

/// Words for the forms of programs, in what is pickled.
const FORMS: [(&str, Form); 3] =
    [("source", Form::Source), ("object", Form::Object), ("hex", Form::Hex)];

/// A file that a source includes: file with the line, path in it, name, text.
type Included = (String, String, String, String);

impl Origin {
    /// Makes the program; `include` finds the files that a source includes.
    fn program(
        mut self,
        environment: Environment,
        machine: MachineObject,
        mut include: impl FnMut(&str, &str) -> Result<(String, String), String>,
    ) -> Result<ProgramObject, Failure> {
        let file = (self.name.as_str(), self.bytes.clone(), self.form);
        let included = &mut self.included;
        let mut noted = |from: &str, path: &str| {
            let (name, text) = include(from, path)?;
            included.push((from.to_owned(), path.to_owned(), name.clone(), text.clone()));
            Ok((name, text))
        };
        let program = Program::from_bytes(&environment, machine.core(), file, &mut noted)?;
        let origin = Arc::new(self);
        Ok(ProgramObject { program: Arc::new(program), environment, machine, origin })
    }
}

/// Assembles the text of a program and schedules its linear code for a machine (CP2 alone if it is absent).
///
/// ``name`` stands for the file in diagnostics. A text that is refused raises :class:`AssemblyError`, which has the place of
/// the first error and all diagnostics.
///
/// >>> cp2.assemble(".kernel k\n stopi 3\n").run().code
/// 3
/// >>> try:
/// ...     cp2.assemble(".kernel k\n wrong\n", name="my.s")
/// ... except cp2.AssemblyError as error:
/// ...     print(error.file, error.line, error.column, error.code)
/// my.s 2 2 C0301
#[pyfunction]
#[pyo3(signature = (text, *, machine=None, name="program.s"))]
pub(crate) fn assemble(
    py: Python<'_>,
    text: String,
    machine: Option<MachineChoice>,
    name: &str,
) -> PyResult<ProgramObject> {
    let name = name.to_owned();
    let environment = environment(py);
    watched(py, &Arc::new(Watch::new(None)), move |_| {
        let machine = chosen(machine)?;
        let (bytes, included) = (text.into_bytes(), Vec::new());
        let origin = Origin { name, bytes, form: Form::Source, is_file: false, included };
        let none = |_: &str, _: &str| Err("no files can be included here".to_owned());
        origin.program(environment, machine, none)
    })
}

/// Assembles a text, and returns the schedules of its linear code, as ``assemble(text).schedule()`` does.
#[pyfunction]
#[pyo3(signature = (text, *, machine=None, name="program.s"))]
pub(crate) fn schedule(
    py: Python<'_>,
    text: String,
    machine: Option<MachineChoice>,
    name: &str,
) -> PyResult<ScheduleObject> {
    let program = assemble(py, text, machine, name)?;
    Ok(ScheduleObject::of(&program.program))
}

/// Reads a program from a file: source, object or ``.hex``. A source may include files beside it.
#[pyfunction]
#[pyo3(signature = (path, *, machine=None))]
pub(crate) fn load(
    py: Python<'_>,
    path: PathBuf,
    machine: Option<MachineChoice>,
) -> PyResult<ProgramObject> {
    let environment = environment(py);
    watched(py, &Arc::new(Watch::new(None)), move |_| {
        let machine = chosen(machine)?;
        let name = path.display().to_string();
        let bytes = cp2_files::regular(&path).map_err(|e| input(format!("{name}: {e}")))?;
        let form = Form::of(&name, &bytes);
        let origin = Origin { name, bytes, form, is_file: true, included: Vec::new() };
        origin.program(environment, machine, include)
    })
}

/// Returns name and text of a file that a source includes, which lies beside the source.
fn include(from: &str, path: &str) -> Result<(String, String), String> {
    let beside = Path::new(from).parent().unwrap_or(Path::new("")).join(path);
    let text = cp2_files::included(&beside);
    let name = beside.display().to_string();
    text.map(|text| (name, text)).map_err(|e| e.to_string())
}

impl ProgramObject {
    /// Returns the arrays that the kernel at the entry declares as its results.
    fn results(&self, setup: &Setup) -> Result<Vec<String>, Failure> {
        let entry = match setup.entry {
            Some(entry) => entry,
            None => self.program.entry(None).map_err(cp2_session::Error::from)?,
        };
        let (_, interface) = kernel_at(self.program.image(), entry);
        let is_result = |direction| direction != ArrayDirection::In;
        let results = interface.arrays.iter().filter(|array| is_result(array.direction));
        Ok(results.map(|array| array.name.clone()).collect())
    }

    /// Runs the program to its end, and looks for Ctrl-C now and then.
    fn execute(&self, mut setup: Setup, record: Option<&Path>) -> Result<Outcome, Failure> {
        let recorder = record.map(|path| self.recorder(path)).transpose()?;
        setup.recorder.clone_from(&recorder);
        let mut run = self.program.start(&self.environment, &setup)?;
        let (cancellation, mut looks, mut raised) = (Cancellation::default(), Looks::new(), None);
        let end = run.to_end(&cancellation, &mut |_| {
            if let Some(error) = looks.look() {
                raised = Some(error);
                cancellation.cancel();
            }
        });
        let outcome = run.finish(end);
        if let (Some(recorder), Some(path)) = (recorder, record) {
            recorder.finish().map_err(|e| input(format!("{}: {e}", path.display())))?;
        }
        raised.map_or(Ok(outcome), |error| Err(error.into()))
    }

    /// Begins a recording of a run.
    fn recorder(&self, path: &Path) -> Result<Recorder, Failure> {
        let Origin { name, is_file, included, .. } = &*self.origin;
        let sources = included.iter().map(|(.., name, _)| name).chain(is_file.then_some(name));
        check_apart(path, sources.map(Path::new))?;
        let wrong = |e: std::io::Error| input(format!("{}: {e}", path.display()));
        let header = header(self.machine.config().as_ref(), self.machine.core());
        let file = BufWriter::new(File::create(path).map_err(wrong)?);
        Recorder::new(Box::new(file), &header).map_err(wrong)
    }
}

/// Refuses a recording that would replace a file from which the run is made.
pub(crate) fn check_apart<'a>(
    record: &Path,
    mut inputs: impl Iterator<Item = &'a Path>,
) -> Result<(), Failure> {
    let Ok(there) = record.canonicalize() else { return Ok(()) };
    match inputs.find(|input| input.canonicalize().is_ok_and(|input| input == there)) {
        Some(input) => Err(usage(format!(
            "record: {} is an input of the run and would be replaced; name another file",
            input.display()
        ))),
        None => Ok(()),
    }
}

/// Returns the header of a recording of a run on a machine, or on CP2 alone.
pub(crate) fn header(machine: Option<&MachineConfig>, core: &Core) -> Header {
    Header {
        cp2: env!("CARGO_PKG_VERSION").to_owned(),
        command: "cp2 in Python".to_owned(),
        machine: machine.map(MachineConfig::dump),
        core: *core.numbers(),
        inputs: Vec::new(),
    }
}

/// Adds arrays to a setup.
fn with_arrays(mut setup: Setup, load: Option<&Bound<'_, PyMapping>>) -> Result<Setup, Failure> {
    let Some(load) = load else { return Ok(setup) };
    for pair in load.items()?.iter() {
        let (place, given): (String, Bound<'_, PyAny>) = pair.extract()?;
        let array: Array = arrays::from_python(&given, &place)?;
        setup = setup.load(&place, array)?;
    }
    Ok(setup)
}

/// Adds arguments to a setup: numbers, or two floats of a complex one.
fn with_arguments(mut setup: Setup, all: Option<&Bound<'_, PyDict>>) -> PyResult<Setup> {
    for (name, value) in all.into_iter().flatten() {
        let name: String = name.extract()?;
        let text = match value.cast::<pyo3::types::PyComplex>() {
            Ok(z) => {
                use pyo3::types::PyComplexMethods as _;
                format!("{}:{}", z.real(), z.imag())
            }
            Err(_) => value.str()?.to_string(),
        };
        setup = setup.argument(&name, text);
    }
    Ok(setup)
}

/// Returns an object of Python as JSON, by way of its text.
fn json_of(given: &Bound<'_, PyAny>) -> Result<serde_json::Value, Failure> {
    let text: String = given.py().import("json")?.call_method1("dumps", (given,))?.extract()?;
    serde_json::from_str(&text).map_err(|e| input(format!("init: {e}")))
}

#[pymethods]
impl ProgramObject {
    /// Runs the program to its ``stop``, and returns what it leaves.
    ///
    /// ``load`` has an array for each place: an array that the kernel declares, a label of local memory or a word address,
    /// with options behind colons as on the command line (``"x:as=float32"``). Shapes and types are those that
    /// :meth:`interface` tells; another type is refused unless the place converts it. ``store`` names the arrays that are
    /// wanted; if it is absent, all that the kernel declares as results. ``arg`` has the arguments of the kernel, or
    /// registers, by name; a complex number stands for two floats.
    ///
    /// ``entry`` is a kernel, label or bundle address to start at; ``init`` a state of :meth:`Run.state`; ``max_cycles`` the
    /// limit (100 million cycles); ``engine`` ``"fast"``, ``"portable"`` or ``"reference"``, which give the same; ``check``
    /// looks for uses of values that nothing has written, and for broken promises; ``record`` is the path of a recording.
    ///
    /// The interpreter's lock is released, so that other threads go on, and Ctrl-C ends the run. A run that ends otherwise
    /// than by a ``stop`` raises an exception, whose ``run`` is what it left.
    ///
    /// >>> program = cp2.assemble(".kernel k\n seti g1, 5\n stopi 0\n")
    /// >>> int(program.run().state()["gpr"][1], 16)
    /// 5
    #[pyo3(signature = (load=None, store=None, arg=None, *, entry=None, init=None, max_cycles=None, engine="fast", check=false, record=None))]
    #[expect(clippy::too_many_arguments, reason = "they are the options of a command, by name")]
    fn run(
        &self,
        py: Python<'_>,
        load: Option<&Bound<'_, PyMapping>>,
        store: Option<&Bound<'_, PyAny>>,
        arg: Option<&Bound<'_, PyDict>>,
        entry: Option<&str>,
        init: Option<&Bound<'_, PyAny>>,
        max_cycles: Option<u64>,
        engine: &str,
        check: bool,
        record: Option<PathBuf>,
    ) -> PyResult<RunObject> {
        let store = store.map(words).transpose()?;
        let setup = guarded(|| {
            let kind = Engine::from_name(engine).ok_or_else(|| no_engine(engine))?;
            let setup = Setup {
                machine: self.machine.config(),
                core: *self.machine.core(),
                engine: kind,
                is_checked: check,
                max_cycles: max_cycles.unwrap_or(MOST_CYCLES),
                state: init.map(json_of).transpose()?,
                entry: entry
                    .map(|place| self.program.entry(Some(place)))
                    .transpose()
                    .map_err(cp2_session::Error::from)?,
                ..Setup::default()
            };
            let setup = with_arguments(with_arrays(setup, load)?, arg)?;
            let results = match store {
                Some(places) => places,
                None if setup.state.is_some() && load.is_none() => Vec::new(),
                None => self.results(&setup)?,
            };
            let setup = results.iter().try_fold(setup, |setup, place| setup.store(place));
            setup.map_err(Failure::from)
        })?;
        let outcome = detached(py, || self.execute(setup, record.as_deref()))?;
        RunObject::of(py, outcome)
    }

    /// Returns the seconds of each of some runs in Rust alone, from arrays of the library to arrays of the library, for the
    /// measurement of what Python adds.
    fn _seconds_in_rust(
        &self,
        py: Python<'_>,
        load: &Bound<'_, PyMapping>,
        runs: usize,
    ) -> PyResult<Vec<f64>> {
        let setup = guarded(|| {
            let setup = Setup {
                machine: self.machine.config(),
                core: *self.machine.core(),
                ..Setup::default()
            };
            let setup = with_arrays(setup, Some(load))?;
            let results = self.results(&setup)?;
            results.iter().try_fold(setup, |setup, place| setup.store(place)).map_err(Failure::from)
        })?;
        let run = || {
            let begin = Instant::now();
            let outcome = self.program.run(&self.environment, &setup.clone())?;
            outcome.arrays()?;
            Ok(begin.elapsed().as_secs_f64())
        };
        detached(py, || (0..runs).map(|_| run()).collect())
    }

    /// Makes the program that was pickled.
    #[staticmethod]
    fn _of(
        py: Python<'_>,
        machine: Py<MachineObject>,
        name: String,
        bytes: Vec<u8>,
        form: &str,
        included: Vec<Included>,
    ) -> PyResult<Self> {
        let (environment, machine) = (environment(py), machine.get().clone());
        let form = FORMS.into_iter().find(|(word, _)| *word == form).map(|(_, form)| form);
        watched(py, &Arc::new(Watch::new(None)), move |_| {
            let form = form.ok_or_else(|| input("this is no pickled program of cp2"))?;
            let origin = Origin { name, bytes, form, is_file: false, included: Vec::new() };
            origin.program(environment, machine, |from, path| {
                let known = included.iter().find(|(by, as_path, ..)| by == from && as_path == path);
                let missing = || format!("{path}: the pickled program has no such file");
                known.map(|(.., name, text)| (name.clone(), text.clone())).ok_or_else(missing)
            })
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let (py, program) = (slf.py(), slf.get());
        let Origin { name, bytes, form, included, .. } = &*program.origin;
        let word = FORMS.iter().find(|(_, known)| known == form).map_or("", |(word, _)| word);
        let bytes = PyBytes::new(py, bytes);
        let parts = (program.machine.clone(), name, bytes, word, included.clone());
        Ok((slf.getattr("_of")?, parts.into_bound_py_any(py)?))
    }

    /// Names of the kernels.
    #[getter]
    fn kernels(&self) -> Vec<String> {
        self.program.image().kernels.iter().map(|kernel| kernel.name.clone()).collect()
    }

    /// Number of bundles in instruction memory.
    #[getter]
    fn bundles(&self) -> usize {
        self.program.image().kernels.iter().map(|kernel| kernel.words.len()).sum()
    }

    /// Machine for which the program was made.
    #[getter]
    fn machine(&self) -> MachineObject {
        self.machine.clone()
    }

    /// Warnings of the assembler.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        diagnostics(py, self.program.warnings(), self.program.sources())
    }

    /// Returns the arguments and arrays that each kernel declares, with types and shapes, by the name of the kernel.
    fn interface<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let all = &self.program.image().interfaces;
        let one = |(name, interface)| (String::clone(name), interface_json(interface));
        to_python(py, &serde_json::Value::Object(all.iter().map(one).collect()))
    }

    /// Returns the schedules of the regions of linear code.
    fn schedule(&self) -> ScheduleObject {
        ScheduleObject::of(&self.program)
    }

    fn __repr__(&self) -> String {
        let (kernels, bundles) = (self.kernels().join(", "), self.bundles());
        format!("<cp2.Program {kernels}: {bundles} bundles for {}>", self.machine.label())
    }
}

fn no_engine(name: &str) -> Failure {
    let names = Engine::ALL.map(Engine::name).join(", ");
    input(format!("there is no engine `{name}`; the engines are {names}"))
}
