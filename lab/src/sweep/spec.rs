//! The file of a sweep: which workloads run, on which machines, with which options. Everything in it is checked before
//! anything runs; a name that is unknown is refused with the nearest known one.

use super::axis::{Axis, AxisTarget, Choice};
use super::points::Sample;
use crate::inputs::LabError;
use crate::key::nearest;
use crate::library::{self, FindWorkload};
use crate::recorded::Subject;
use cp2_emu::MachineConfig;
use cp2_emu::machine::{Key, PRESETS};
use cp2_isa::machine::{KeyKind, Switch};
use cp2_session::Environment;
use cp2_session::workload::{
    OptionKind, OptionValue, OptionValues, Platform, Workload, WorkloadOption,
};
use cp2_workloads::catalogue;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use toml::{Table, Value};

/// Keys that the file of a sweep may have.
const KEYS: [&str; 9] =
    ["kernel", "procedure", "alone", "machine", "enable", "set", "options", "sample", "name"];

/// Function that finds a machine named in the file of a sweep, such as by the path of a machine file. It takes the name
/// and returns the machine, or a message that says why there is none. Names of machines that come with the program are
/// not asked for.
pub type FindMachine<'a> = &'a mut dyn FnMut(&str) -> Result<MachineConfig, String>;

/// Functions that find what the file of a sweep names and the program does not come with.
pub struct Finders<'a> {
    /// Function that finds machines, such as by the paths of machine files.
    pub machines: FindMachine<'a>,
    /// Function that finds workloads, such as by the paths of workload files.
    pub workloads: FindWorkload<'a>,
}

/// A sweep as its file describes it, read and checked: the workloads, the axes with their values, and the method by
/// which points are chosen.
pub struct Spec {
    /// Platform of the workloads: kernels on CP2 alone, or procedures on a machine.
    pub platform: Platform,
    /// Axes of the points, each with one value or more; the order is that of the values of a point.
    pub axes: Vec<Axis>,
    /// Method by which combinations of values of the axes are chosen as points.
    pub sample: Sample,
    /// Text of the file from which the sweep was read.
    pub text: String,
    workloads: BTreeMap<String, (Arc<dyn Workload>, Vec<WorkloadOption>)>,
    /// Whether every workload itself is run, rather than the best of its variants.
    is_alone: bool,
    machines: BTreeMap<String, MachineConfig>,
    /// Extensions of each value of the axis `enable`.
    switches: BTreeMap<String, Vec<Switch>>,
}

impl fmt::Debug for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spec").field("axes", &self.axes).finish_non_exhaustive()
    }
}

fn texts(name: &str, value: &Value) -> Result<Vec<String>, LabError> {
    let axis = Axis::read(name, AxisTarget::Workload, None, value)?;
    let text = |choice| match choice {
        Choice::Text(text) => Ok(text),
        Choice::Number(number) => LabError::of(format!("{name}: {number} is not a name")),
    };
    axis.values().map(text).collect()
}

fn named(texts: &[String]) -> Vec<Choice> {
    texts.iter().cloned().map(Choice::Text).collect()
}

/// Returns the text for a number of a choice, as `--set` takes it.
fn number_of(key: Key, choice: &Choice) -> String {
    match (key.info().kind, choice) {
        (KeyKind::Flag, Choice::Number(0)) => "false".to_owned(),
        (KeyKind::Flag, Choice::Number(1)) => "true".to_owned(),
        (_, choice) => choice.to_string(),
    }
}

impl Spec {
    /// Reads a sweep from `text`, its file (TOML), and checks every point. `finders` find machines and workloads that do
    /// not come with the program; `others` are the names of sections that the caller reads itself, and which are ignored
    /// here.
    ///
    /// # Errors
    /// The file is wrong; the message says where, and names the nearest known name. Nothing has run.
    pub fn parse(text: &str, finders: &mut Finders<'_>, others: &[&str]) -> Result<Self, LabError> {
        let table: Table = text.parse().map_err(|e: toml::de::Error| {
            LabError::new(format!("not TOML: {}", e.to_string().trim_end()))
        })?;
        let known = || KEYS.into_iter().chain(others.iter().copied());
        if let Some(stranger) = table.keys().find(|key| known().all(|known| known != *key)) {
            let near = nearest(stranger, known());
            return LabError::of(format!(
                "`{stranger}` is not a key of a sweep; the nearest is {near}"
            ));
        }
        let (platform, workloads) = workloads(&table, &mut *finders.workloads)?;
        let mut axes = vec![Axis::list(
            "workload",
            AxisTarget::Workload,
            named(&workloads.keys().cloned().collect::<Vec<_>>()),
        )?];
        let (axis, machines) = bases(&table, platform, &mut *finders.machines)?;
        axes.push(axis);
        let (axis, switches) = extensions(&table, platform)?;
        axes.push(axis);
        axes.extend(options(&table, &workloads)?);
        axes.extend(numbers(&table, platform)?);
        let sample = Sample::read(table.get("sample"), &axes)?;
        let text = text.to_owned();
        let is_alone = is_alone(&table, &workloads)?;
        let spec = Self { platform, axes, sample, text, workloads, is_alone, machines, switches };
        for index in 0..spec.count() {
            spec.subject(index)?;
        }
        Ok(spec)
    }

    /// Returns the number of points of the sweep, at most 1000000.
    pub fn count(&self) -> u64 {
        self.sample.count(&self.axes).unwrap_or(0)
    }

    /// Returns the values of the point with the number `index`, from 0: one for each axis, in the order of `axes`.
    pub fn point(&self, index: u64) -> Vec<Choice> {
        self.sample.point(&self.axes, index)
    }

    /// Returns the point with the number `index`, from 0, as one line of text: `NAME=VALUE` for each axis that has
    /// several values, or "the only point" if none has.
    pub fn label(&self, index: u64) -> String {
        let values = self.point(index);
        let varied = self.axes.iter().zip(values).filter(|(axis, _)| axis.count() > 1);
        let parts: Vec<_> = varied.map(|(axis, value)| format!("{}={value}", axis.name)).collect();
        if parts.is_empty() { "the only point".to_owned() } else { parts.join(" ") }
    }

    /// Returns what runs at the point with the number `index`, from 0: workload, options and machine.
    ///
    /// # Errors
    /// A number of the machine or an option is out of its limits. In a sweep from [`Spec::parse`] that does not happen.
    pub fn subject(&self, index: u64) -> Result<Subject, LabError> {
        self.subject_of(&self.point(index))
    }

    /// Returns what runs with the values `choices`, one for each axis in the order of `axes`: workload, options and
    /// machine.
    ///
    /// # Errors
    /// There is no such workload or machine in the sweep, or a number of the machine or an option is out of its limits.
    pub fn subject_of(&self, choices: &[Choice]) -> Result<Subject, LabError> {
        let mut name = String::new();
        let mut config = None;
        let mut values = OptionValues::default();
        for (axis, choice) in self.axes.iter().zip(choices) {
            match (axis.target, choice) {
                (AxisTarget::Workload, Choice::Text(text)) => name.clone_from(text),
                (AxisTarget::Machine, Choice::Text(text)) => {
                    config = self.machines.get(text).cloned();
                }
                (AxisTarget::Option(option), choice) => {
                    self.give(&mut values, &name, option, choice)?;
                }
                _ => {}
            }
        }
        let Some(mut config) = config else { return LabError::of("there is no machine") };
        let failed = |what: &str, e: &dyn fmt::Display| LabError::new(format!("{what}: {e}"));
        for (axis, choice) in self.axes.iter().zip(choices) {
            match (axis.target, choice) {
                (AxisTarget::Enable, Choice::Text(set)) => {
                    for switch in self.switches.get(set).into_iter().flatten() {
                        config.switch_on(*switch).map_err(|e| failed("enable", &e))?;
                    }
                }
                (AxisTarget::Key(key), choice) => {
                    let setting = format!("{key}={}", number_of(key, choice));
                    config.apply_set(&setting).map_err(|e| failed("set", &e))?;
                }
                _ => {}
            }
        }
        let Some((workload, options)) = self.workloads.get(&name) else {
            return LabError::of("there is no workload");
        };
        catalogue::check(self.platform, &name, options, &values).map_err(LabError::new)?;
        values.add_defaults(options);
        let core = *config.core();
        let machine = (self.platform == Platform::Machine).then_some(config);
        let workload = Arc::clone(workload);
        let (is_alone, environment) = (self.is_alone, Environment::new());
        Ok(Subject { workload, values, machine, core, is_alone, environment })
    }

    /// Sets an option of a workload.
    fn give(
        &self,
        values: &mut OptionValues,
        name: &str,
        option: &'static str,
        choice: &Choice,
    ) -> Result<(), LabError> {
        let options = self.workloads.get(name).map_or(&[][..], |(_, options)| options);
        let form = options.iter().find(|known| known.name == option).map(|known| &known.form);
        match (form, choice) {
            (Some(OptionKind::Number { .. }) | None, Choice::Number(n)) => {
                values.set(option, OptionValue::Number(*n));
            }
            (Some(OptionKind::Switch), Choice::Number(0)) => {}
            (Some(OptionKind::Switch), Choice::Number(1)) => {
                values.set(option, OptionValue::Switch);
            }
            (Some(OptionKind::Choice(_)), Choice::Text(word)) => {
                values.set(option, OptionValue::Choice(word.clone()));
            }
            _ => {
                return LabError::of(format!(
                    "options.{option}: {name} does not take {choice} for it; `cp2 kernels list --json` lists the values that it takes"
                ));
            }
        }
        Ok(())
    }
}

/// Workloads by their names, with the options that they take.
type Workloads = BTreeMap<String, (Arc<dyn Workload>, Vec<WorkloadOption>)>;

fn workloads(
    table: &Table,
    elsewhere: FindWorkload<'_>,
) -> Result<(Platform, Workloads), LabError> {
    let (platform, what, value) = match (table.get("kernel"), table.get("procedure")) {
        (Some(value), None) => (Platform::Cp2, "kernel", value),
        (None, Some(value)) => (Platform::Machine, "procedure", value),
        _ => {
            return LabError::of(
                "the file names nothing to run; give either `kernel` (kernels on CP2 alone) or `procedure` (procedures on a machine)",
            );
        }
    };
    let mut found = BTreeMap::new();
    for name in texts(what, value)? {
        let workload = library::find(platform, &name, &mut *elsewhere)?;
        let options = workload.option_list();
        found.insert(name, (workload, options));
    }
    Ok((platform, found))
}

/// Whether every workload itself is run: where the file says so, or has two workloads that are variants of each other.
fn is_alone(table: &Table, workloads: &Workloads) -> Result<bool, LabError> {
    match table.get("alone") {
        Some(Value::Boolean(is_alone)) => Ok(*is_alone),
        Some(other) => LabError::of(format!("alone is {other}; it has to be true or false")),
        None => Ok(workloads.iter().any(|(name, (workload, _))| {
            let variants = workload.variants();
            let others = variants.iter().map(|variant| variant.about().name);
            others.filter(|other| other != name).any(|other| workloads.contains_key(&other))
        })),
    }
}

/// Returns the axis of the machines that points start from, and these machines by name.
fn bases(
    table: &Table,
    platform: Platform,
    machines: FindMachine<'_>,
) -> Result<(Axis, BTreeMap<String, MachineConfig>), LabError> {
    let names = match (table.get("machine"), platform) {
        (Some(value), _) => texts("machine", value)?,
        (None, Platform::Cp2) => vec![PRESETS[0].0.to_owned()],
        (None, Platform::Machine) => return LabError::of("machine: a procedure needs a machine"),
    };
    let mut found = BTreeMap::new();
    for name in &names {
        let config = match MachineConfig::preset(name) {
            Some(config) => config,
            None => machines(name).map_err(|e| LabError::new(format!("machine: {e}")))?,
        };
        found.insert(name.clone(), config);
    }
    Ok((Axis::list("machine", AxisTarget::Machine, named(&names))?, found))
}

/// Returns the axis of the sets of extensions, `enable = ["", "word-access", "word-access,more-fprs=128"]`, and what
/// each of them has.
fn extensions(
    table: &Table,
    platform: Platform,
) -> Result<(Axis, BTreeMap<String, Vec<Switch>>), LabError> {
    let sets = match table.get("enable") {
        Some(value) => texts("enable", value)?,
        None => vec![String::new()],
    };
    let mut found = BTreeMap::new();
    for set in &sets {
        let switches =
            crate::key::switches(set).map_err(|e| LabError::new(format!("enable: {e}")))?;
        let foreign =
            switches.iter().find(|switch| platform == Platform::Cp2 && !switch.is_of_core());
        if let Some(switch) = foreign {
            return LabError::of(format!(
                "enable: {switch} changes more than the core, and a kernel runs on CP2 alone"
            ));
        }
        found.insert(set.clone(), switches);
    }
    Ok((Axis::list("enable", AxisTarget::Enable, named(&sets))?, found))
}

/// Returns the axes of the options that are varied or set.
fn options(table: &Table, workloads: &Workloads) -> Result<Vec<Axis>, LabError> {
    let empty = Table::new();
    let table = match table.get("options") {
        None => &empty,
        Some(Value::Table(table)) => table,
        Some(other) => {
            return LabError::of(format!("options is {other}; it has to be a section, [options]"));
        }
    };
    let axis = |(name, value): (&String, &Value)| {
        let mut found = None;
        for (workload, (_, options)) in workloads {
            let takes = |option: &&WorkloadOption| {
                matches!(
                    option.form,
                    OptionKind::Switch | OptionKind::Number { .. } | OptionKind::Choice(_)
                )
            };
            let Some(option) = options.iter().filter(takes).find(|option| option.name == *name)
            else {
                let near = nearest(name, options.iter().filter(takes).map(|option| option.name));
                return LabError::of(format!(
                    "options.{name}: {workload} has no such option; the nearest is {near}"
                ));
            };
            found = Some(option.name);
        }
        match found {
            Some(option) => {
                Axis::read(&format!("options.{name}"), AxisTarget::Option(option), None, value)
            }
            None => LabError::of("there is no workload"),
        }
    };
    table.iter().map(axis).collect()
}

/// Returns the axes of the numbers of the machine that are varied or set: `memory.outstanding = ...` below `[set]`.
fn numbers(table: &Table, platform: Platform) -> Result<Vec<Axis>, LabError> {
    let empty = Table::new();
    let sections = match table.get("set") {
        None => &empty,
        Some(Value::Table(sections)) => sections,
        Some(other) => {
            return LabError::of(format!("set is {other}; it has to be a section, [set]"));
        }
    };
    let mut given: Vec<(String, &Value)> = Vec::new();
    for (section, value) in sections {
        match value {
            Value::Table(keys) if !section.contains('.') => {
                given.extend(keys.iter().map(|(name, value)| (format!("{section}.{name}"), value)));
            }
            value => given.push((section.clone(), value)),
        }
    }
    let names = Key::ALL.map(|key| key.to_string());
    let mut axes = Vec::new();
    for (name, value) in given {
        let Some(key) = Key::ALL.into_iter().find(|key| key.to_string() == name) else {
            let near = nearest(&name, names.iter().map(String::as_str));
            return LabError::of(format!(
                "set: {name} is not a key of a machine; the nearest is {near}"
            ));
        };
        if platform == Platform::Cp2 && !key.is_of_core() {
            return LabError::of(format!(
                "set: {name}: a kernel runs on CP2 alone, which has keys of `core` only; procedures run on a machine"
            ));
        }
        let axis = Axis::read(&name, AxisTarget::Key(key), Some(key.info().kind), value)?;
        axes.push((key as usize, axis));
    }
    // In the order of machine files: those of the core, for which programs are made anew, go slowest.
    axes.sort_by_key(|(key, _)| *key);
    Ok(axes.into_iter().map(|(_, axis)| axis).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;

    fn parse(text: &str) -> Result<Spec, String> {
        let mut machines = |name: &str| Err(format!("there is no machine `{name}`"));
        let mut finders = Finders { machines: &mut machines, workloads: &mut |_, _| None };
        Spec::parse(text, &mut finders, &[]).map_err(|e| e.to_string())
    }

    #[test]
    fn axes_are_workloads_machines_extensions_options_and_keys() {
        let text = "procedure = ['fft64', 'fft256']\nmachine = ['vm7', 'vm9']\nenable = ['', 'memory-controller']\n\
                    [options]\nvectors = [4, 16]\n[set]\nmemory.outstanding = { from = 1, to = 8, times = 2 }\n\
                    core.load_latency = 4\n";
        let spec = parse(text).unwrap();
        let names: Vec<_> = spec.axes.iter().map(|axis| &*axis.name).collect();
        let keys = ["core.load_latency", "memory.outstanding"];
        let first = ["workload", "machine", "enable", "options.vectors"];
        assert_eq!(names, [&first[..], &keys[..]].concat());
        assert_eq!(spec.count(), 2 * 2 * 2 * 2 * 4);
        let last = spec.subject(spec.count() - 1).unwrap();
        let config = last.machine.as_ref().unwrap();
        assert_eq!((last.name().as_str(), last.values.number("vectors")), ("fft64", Some(16)));
        assert_eq!((config.value(Key::Outstanding), config.value(Key::LoadLatency)), (8, 4));
        assert_eq!(config.value(Key::MemoryClock), 800, "the next clock of the controller");
        assert_eq!(parse("kernel = 'axpy'").unwrap().label(0), "the only point");
    }

    #[test]
    fn what_is_wrong_is_refused_with_the_nearest() {
        for (text, why) in [
            ("kernel = ", "not TOML"),
            ("", "names nothing to run"),
            ("kernel = 'axpy'\nprocedure = 'fft64'", "give either `kernel`"),
            ("kernel = 'axpi'", "no kernel `axpi`; the nearest is axpy"),
            ("kernels = 'axpy'", "the nearest is kernel"),
            ("procedure = 'fft64'", "needs a machine"),
            ("procedure = 'fft64'\nmachine = 'vm8'", "there is no machine `vm8`"),
            ("kernel = 'axpy'\nset.memory.outstanding = 4", "keys of `core` only"),
            ("kernel = 'axpy'\nset.core.fpr = 4", "the nearest is core.fprs"),
            ("kernel = 'axpy'\nset.core.fprs = 4", "core.fprs is 4; it takes"),
            ("kernel = 'axpy'\nset.core.fprs = []", "core.fprs: the list is empty"),
            (
                "kernel = 'axpy'\nset.core.banks = [2, 3]",
                "core.banks is 3; it takes a power of two",
            ),
            ("kernel = 'axpy'\nenable = 'wordaccess'", "the nearest is word-access"),
            ("kernel = 'axpy'\nenable = 'more-fprs=64'", "at least 65"),
            ("kernel = 'axpy'\nenable = 'word-access,'", "there is no extension ``"),
            ("kernel = 'axpy'\nenable = 'memory-controller'", "more than the core"),
            ("kernel = 'axpy'\noptions.vector = 4", "options.vector: axpy has no such option"),
            ("kernel = 'fft64'\noptions.vectors = 0", "--vectors 0: it takes from 1"),
            ("kernel = 'fft64'\noptions.inverse = 2", "does not take 2"),
            (
                "procedure = 'fft64'\nmachine = 'vm9'\nset.memory.transaction_bytes = 256\nset.memory.page_bytes = [64, 8192]",
                "a transaction lies in one row",
            ),
        ] {
            let message = parse(text).unwrap_err();
            assert!(message.contains(why), "{text}: {message}");
        }
    }
}
