//! `cp2.Machine`: a machine, or the core of CP2 alone, by the words of the command line.

pub(crate) mod switch;

use self::switch::SwitchObject;
use crate::errors::{Failure, input, usage};
use crate::guard::guarded;
use crate::values::{to_python, words};
use cp2_emu::MachineConfig;
use cp2_emu::machine::PRESETS;
use cp2_isa::Core;
use cp2_isa::machine::{Key, Switch};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

/// A machine, or CP2 alone with sizes and latencies of its own.
///
/// ``name`` is that of a machine that comes with cp2 or the path of a machine file; without it there is CP2 alone.
/// ``enable`` switches extensions on, by one :class:`Switch` or name, or several; ``set`` sets numbers, a dict of keys and values or texts
/// ``"KEY=VALUE"``. Both have the words of the command line.
///
/// >>> cp2.Machine("vm9", enable="word-access", set={"core.load_latency": 4})["core.load_latency"]
/// 4
/// >>> cp2.Machine(set={"core.arithmetic_latency": 12})
/// <cp2.Machine CP2 alone: core.arithmetic_latency = 12 (CP2: 8)>
#[pyclass(frozen, eq, hash, name = "Machine", module = "cp2")]
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MachineObject {
    /// The machine; of CP2 alone, a machine with its core.
    config: MachineConfig,
    is_alone: bool,
}

impl Hash for MachineObject {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.config.dump(), self.is_alone).hash(state);
    }
}

/// A machine as it is given to a function: a `cp2.Machine`, or a name or path.
#[derive(FromPyObject)]
pub(crate) enum MachineChoice {
    /// A machine that is made already.
    Made(Py<MachineObject>),
    /// The name of a machine.
    Named(String),
    /// The path of a machine file.
    File(PathBuf),
}

/// Returns the machine that a function was given; CP2 alone for none.
pub(crate) fn chosen(choice: Option<MachineChoice>) -> Result<MachineObject, Failure> {
    match choice {
        None => MachineObject::alone(),
        Some(MachineChoice::Made(machine)) => Ok(machine.get().clone()),
        Some(MachineChoice::Named(name)) => MachineObject::named(&name),
        Some(MachineChoice::File(path)) => MachineObject::read(&path),
    }
}

impl MachineObject {
    /// Creates CP2 alone.
    fn alone() -> Result<Self, Failure> {
        let config = MachineConfig::preset(PRESETS[0].0);
        let config = config.ok_or_else(|| input("no machine comes with cp2"))?;
        Ok(Self { config, is_alone: true })
    }

    fn named(name: &str) -> Result<Self, Failure> {
        if let Some(config) = MachineConfig::preset(name) {
            return Ok(Self { config, is_alone: false });
        }
        let path = Path::new(name);
        if path.extension().is_none() && !path.exists() {
            let names = PRESETS.map(|(name, _)| name).join(", ");
            return Err(input(format!(
                "there is neither a machine nor a file `{name}`; the machines are {names}"
            )));
        }
        Self::read(path)
    }

    fn read(path: &Path) -> Result<Self, Failure> {
        let text = cp2_files::regular(path).and_then(cp2_files::text);
        let text = text.map_err(|e| input(format!("{}: {e}", path.display())))?;
        Self::parse(&text, &path.display().to_string())
    }

    fn parse(text: &str, name: &str) -> Result<Self, Failure> {
        let config = MachineConfig::parse(text).map_err(|e| {
            let problems: Vec<String> = e.problems.iter().map(|p| format!("{name}: {p}")).collect();
            input(problems.join("\n"))
        })?;
        Ok(Self { config, is_alone: false })
    }

    /// Returns the machine with extensions switched on, and then with numbers set.
    fn changed(mut self, enable: &[String], set: &[String]) -> Result<Self, Failure> {
        for name in enable.iter().flat_map(|names| names.split(',')) {
            let wrong = |e: &dyn std::fmt::Display| usage(format!("enable {name}: {e}"));
            let switch: Switch = name.trim().parse().map_err(|e| wrong(&e))?;
            if self.is_alone && !switch.is_of_core() {
                return Err(wrong(&"it changes more than the core, and needs a machine"));
            }
            self.config.switch_on(switch).map_err(|e| wrong(&e))?;
        }
        for setting in set {
            let path = setting.split_once('=').and_then(|(path, _)| path.trim().split_once('.'));
            let key = path.and_then(|(section, name)| Key::named(section, name));
            if self.is_alone && key.is_some_and(|key| !key.is_of_core()) {
                let why = "without a machine only numbers of the core can be set";
                return Err(usage(format!("set {setting}: {why}")));
            }
            let set = self.config.apply_set(setting);
            set.map_err(|e| usage(format!("set {setting}: {e}")))?;
        }
        Ok(self)
    }

    /// Returns the name of the machine.
    pub(crate) fn label(&self) -> &str {
        if self.is_alone { "CP2 alone" } else { self.config.name() }
    }

    /// Returns the machine, `None` for CP2 alone.
    pub(crate) fn config(&self) -> Option<MachineConfig> {
        (!self.is_alone).then(|| self.config.clone())
    }

    /// Returns the machine, or for CP2 alone one that has its core.
    pub(crate) fn any_config(&self) -> &MachineConfig {
        &self.config
    }

    /// Returns the core of the machine.
    pub(crate) fn core(&self) -> &Core {
        self.config.core()
    }
}

/// Returns the changes of an argument `set`: a dict of keys and values, or texts `KEY=VALUE`.
pub(crate) fn settings(set: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<String>> {
    let Some(set) = set else { return Ok(Vec::new()) };
    let Ok(pairs) = set.cast::<PyDict>() else { return words(set) };
    let setting = |(key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let value = match value.extract::<bool>() {
            Ok(flag) => flag.to_string(),
            Err(_) => value.str()?.to_string(),
        };
        Ok(format!("{}={value}", key.extract::<String>()?))
    };
    pairs.iter().map(setting).collect()
}

#[pymethods]
impl MachineObject {
    #[new]
    #[pyo3(signature = (name=None, *, enable=None, set=None))]
    fn new(
        name: Option<MachineChoice>,
        enable: Option<&Bound<'_, PyAny>>,
        set: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let enable = enable.map_or_else(|| Ok(Vec::new()), switch::texts)?;
        let set = settings(set)?;
        guarded(|| chosen(name)?.changed(&enable, &set))
    }

    /// Makes a machine from the text of a machine file.
    #[staticmethod]
    fn from_text(text: &str) -> PyResult<Self> {
        guarded(|| Self::parse(text, "machine"))
    }

    /// Names of the machines that come with cp2.
    #[staticmethod]
    fn names() -> Vec<&'static str> {
        PRESETS.map(|(name, _)| name).to_vec()
    }

    /// Makes the machine that was pickled.
    #[staticmethod]
    fn _of(text: &str, is_alone: bool) -> PyResult<Self> {
        let made = Self::from_text(text)?;
        Ok(Self { is_alone, ..made })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String, bool))> {
        let machine = slf.get();
        Ok((slf.getattr("_of")?, (machine.to_text(), machine.is_alone)))
    }

    /// Name of the machine; `CP2 alone` without one.
    #[getter]
    fn name(&self) -> &str {
        self.label()
    }

    /// Whether this is CP2 without a machine around it.
    #[getter]
    fn is_alone(&self) -> bool {
        self.is_alone
    }

    /// Extensions that the machine has, in the order of :func:`switches`.
    #[getter]
    fn switches(&self) -> Vec<SwitchObject> {
        switch::of_machine(&self.config)
    }

    /// Numbers of the core that are not those of CP2, a line each.
    #[getter]
    fn changes(&self) -> Vec<String> {
        self.core().changes()
    }

    /// Returns the text of the machine file.
    fn to_text(&self) -> String {
        self.config.dump()
    }

    /// Returns every number of the machine with its origin, by section and key.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.config.to_json())
    }

    fn __getitem__(&self, key: &str) -> PyResult<u32> {
        let found = key.split_once('.').and_then(|(section, name)| Key::named(section, name));
        let unknown = || {
            let message = format!("{key} is not a key of a machine; to_text() lists all of them");
            pyo3::exceptions::PyKeyError::new_err(message)
        };
        Ok(self.config.value(found.ok_or_else(unknown)?))
    }

    fn __repr__(&self) -> String {
        let changes = self.changes();
        let changes =
            if changes.is_empty() { String::new() } else { format!(": {}", changes.join(", ")) };
        format!("<cp2.Machine {}{changes}>", self.label())
    }
}
