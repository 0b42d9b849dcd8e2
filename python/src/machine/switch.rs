//! `cp2.Switch`: an extension of the architecture that a machine can have, as an object.

use crate::errors::usage;
use crate::table::TableObject;
use crate::values::words;
use cp2_emu::MachineConfig;
use cp2_isa::machine::{Key, Switch, TOGGLES, Toggle};
use pyo3::prelude::*;
use serde_json::json;
use std::hash::{Hash, Hasher};

/// An extension of the architecture that is switched on, with its size if it takes one.
///
/// ``Machine(enable=...)`` and the studies take switches, or the texts that stand for them on the command line.
///
/// >>> cp2.Switch("word-access").summary
/// '32-bit loads and stores'
/// >>> wide = cp2.Switch("more-fprs", 128)
/// >>> str(wide), wide.size, cp2.Machine(enable=wide).switches
/// ('more-fprs=128', 128, [<cp2.Switch more-fprs=128>])
#[pyclass(frozen, eq, hash, name = "Switch", module = "cp2")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SwitchObject {
    switch: Switch,
}

impl Hash for SwitchObject {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.switch.to_string().hash(state);
    }
}

/// Returns the texts of an argument that takes extensions: switches or texts, one or several.
pub(crate) fn texts(given: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let one = |item: &Bound<'_, PyAny>| {
        item.cast::<SwitchObject>().ok().map(|switch| switch.get().switch.to_string())
    };
    if let Some(text) = one(given) {
        return Ok(vec![text]);
    }
    match given.extract::<Vec<Bound<'_, PyAny>>>() {
        Ok(all) => {
            let text = |item: &Bound<'_, PyAny>| match one(item) {
                Some(text) => Ok(vec![text]),
                None => words(item),
            };
            let texts: PyResult<Vec<Vec<String>>> = all.iter().map(text).collect();
            Ok(texts?.concat())
        }
        Err(_) => words(given),
    }
}

/// Returns the extensions that a machine has.
pub(crate) fn of_machine(config: &MachineConfig) -> Vec<SwitchObject> {
    TOGGLES.iter().filter_map(|toggle| on(toggle, config)).collect()
}

/// Returns the switch of an extension, if the machine has it.
fn on(toggle: &Toggle, config: &MachineConfig) -> Option<SwitchObject> {
    let text = match toggle.size() {
        Some((key, _)) => format!("{}={}", toggle.name, config.value(key)),
        None => toggle.name.to_owned(),
    };
    // A size that is less than the least of the extension is that of CP2.
    let switch: Switch = text.parse().ok()?;
    let is_on = match switch.in_file() {
        Some(setting) => {
            let (path, value) = setting.split_once(" = ")?;
            let (section, name) = path.split_once('.')?;
            let value = if value == "true" { 1 } else { value.parse().ok()? };
            config.value(Key::named(section, name)?) == value
        }
        // What it changes are numbers of the memory, whose origin tells.
        None => config.number(Key::Outstanding).origin.ends_with(toggle.name),
    };
    is_on.then_some(SwitchObject { switch })
}

/// Returns the extensions that can be switched on, a row each; one that takes a size tells the least.
#[pyfunction]
pub(crate) fn switches() -> TableObject {
    let row = |toggle: &Toggle| {
        let least = toggle.size().map(|(_, least)| least);
        json!({ "name": toggle.name, "adds": toggle.summary, "least_size": least })
    };
    TableObject::of_rows("extensions", &TOGGLES.iter().map(row).collect::<Vec<_>>())
}

#[pymethods]
impl SwitchObject {
    #[new]
    #[pyo3(signature = (name, size=None))]
    fn new(name: &str, size: Option<u32>) -> PyResult<Self> {
        let text = size.map_or_else(|| name.to_owned(), |size| format!("{name}={size}"));
        let switch = text.parse::<Switch>().map_err(|e| usage(e.to_string()))?;
        Ok(Self { switch })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (String,)) {
        (slf.get_type().into_any(), (slf.get().switch.to_string(),))
    }

    /// Name of the extension.
    #[getter]
    fn name(&self) -> &'static str {
        self.switch.toggle().name
    }

    /// Description of what the extension adds, in one line.
    #[getter]
    fn summary(&self) -> &'static str {
        self.switch.toggle().summary
    }

    /// Size that the extension sets, such as the number of registers; `None` if it takes none.
    #[getter]
    fn size(&self) -> Option<u32> {
        self.switch.to_string().split_once('=')?.1.parse().ok()
    }

    /// Whether the extension changes the core only, so that CP2 alone can have it.
    #[getter]
    fn is_of_core(&self) -> bool {
        self.switch.is_of_core()
    }

    fn __str__(&self) -> String {
        self.switch.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<cp2.Switch {}>", self.switch)
    }
}
