//! The description of a machine: read from TOML, checked as a whole, changed by `a.b=c`, written
//! again. It reads no files; the presets are part of the program.

use super::core::{Core, CoreNumbers};
use super::key::{Key, KeyKind};
use super::switch::{Switch, SwitchError};
use crate::Bytes;
use crate::table::Extensions;
use std::fmt;
use toml::{Table, Value};

/// Value of one key of a machine description, with its origin, as [`MachineConfig::number`] returns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigNumber {
    /// The value, in the unit of its key; flags are 0 and 1.
    pub value: u32,
    /// Text that says where the value comes from: a document and table, `fit: ...`, `assumption: ...`, `unstated`, or
    /// the change that set it (`set by hand`, `--enable ...`).
    pub origin: String,
}

/// The description of a machine: a name, and for each [`Key`] a value with its origin (core, extensions, clocks,
/// memory, DMA, host, control processor). All values are within the limits of their keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineConfig {
    name: String,
    numbers: Vec<ConfigNumber>,
    core: Core,
}

/// The error of a machine description that was refused or could not be changed: all that is wrong, a sentence for each
/// problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The sentences, one for each problem; each names the key that it is about, where there is one.
    pub problems: Vec<String>,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problems.join("\n"))
    }
}

impl std::error::Error for ConfigError {}

impl From<SwitchError> for ConfigError {
    fn from(e: SwitchError) -> Self {
        Self { problems: vec![e.to_string()] }
    }
}

fn error<T>(problem: String) -> Result<T, ConfigError> {
    Err(ConfigError { problems: vec![problem] })
}

const VM7: &str = include_str!("../../machines/vm7.toml");
const VM9: &str = include_str!("../../machines/vm9.toml");

/// Built-in machines, each with its name, by which [`MachineConfig::preset`] returns it, and a description in one line.
/// VM7 and VM9 are the processors with a CP2 that exist.
pub const PRESETS: [(&str, &str); 5] = [
    ("vm7", "VM7, 200 MHz, DDR2 at 200 MHz"),
    ("vm9", "VM9, one core, 1000 MHz, DDR3-667 ([D] table 3.2)"),
    ("vm9-1000-600", "VM9, one core, 1000 MHz, DDR3-600 ([D] tables 3.4, 3.5)"),
    ("vm9-1000-700", "VM9, one core, 1000 MHz, DDR3-700 ([D] table 3.7)"),
    ("vm9-1200-800", "VM9, one core, 1200 MHz, DDR3-800 ([D] tables B.5, B.7)"),
];

/// Origin of a number that a file states bare.
const UNSTATED: &str = "unstated";
/// Origin of an extension that a file does not name.
const ABSENT: &str = "[D] 4.2 proposes it; off";
/// Origin of a number of the control processor that a file does not name.
const AS_VM7: &str = "assumption: as on VM7";
/// Origin of a number set with `a.b=c`.
const BY_HAND: &str = "set by hand";

impl MachineConfig {
    /// Returns the description of the built-in machine with this name ([`PRESETS`]); `None` if none has this name.
    pub fn preset(name: &str) -> Option<Self> {
        let (_, description) = PRESETS.iter().find(|(n, _)| *n == name)?;
        let mut parts = name.split('-');
        let text = if parts.next() == Some("vm7") { VM7 } else { VM9 };
        let mut config = Self::parse(text).ok()?;
        for (key, clock) in [Key::CpuClock, Key::MemoryClock].into_iter().zip(parts) {
            let origin = description.split(['(', ')']).nth(1).unwrap_or_default();
            let value = clock.parse().ok()?;
            config.numbers[key as usize] = ConfigNumber { value, origin: origin.to_owned() };
        }
        config.name = name.to_owned();
        Some(config)
    }

    /// Reads the text of a machine file, which is TOML. All keys are needed, but for those of `[extensions]` and
    /// `[control]`, and no others are allowed. A number is `{ value = ..., origin = "..." }`, or bare; the origin of a
    /// bare number is "unstated".
    ///
    /// # Errors
    /// The text is not TOML, a key is missing or unknown, or a value is outside its limits. The error has all these
    /// problems.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let table: Table = match text.parse() {
            Ok(table) => table,
            Err(e) => return error(format!("this is not TOML: {}", e.to_string().trim_end())),
        };
        let mut problems = Vec::new();
        let name = match table.get("name") {
            Some(Value::String(name)) if is_plain(name) => name.clone(),
            Some(other) => {
                problems.push(format!("name is {other}; it must be a text of one line"));
                String::new()
            }
            None => {
                problems.push("name is missing".to_owned());
                String::new()
            }
        };
        find_strangers(&table, &mut problems);
        let mut numbers = Vec::new();
        for key in Key::ALL {
            let info = key.info();
            let value = table.get(info.section).and_then(|s| s.as_table()?.get(info.name));
            let number = match value {
                Some(value) => number_from_toml(key, value),
                None if key.is_optional() => {
                    Ok(ConfigNumber { value: 0, origin: ABSENT.to_owned() })
                }
                None if key.is_of_control() => default_of_control(key),
                None => Err(format!("{key} is missing: {}", info.description)),
            };
            numbers.push(number.unwrap_or_else(|problem| {
                problems.push(problem);
                ConfigNumber { value: 0, origin: String::new() }
            }));
        }
        if problems.is_empty() {
            Self { name, numbers, core: Core::CP2 }.checked()
        } else {
            Err(ConfigError { problems })
        }
    }

    /// Checks what single numbers cannot show.
    fn checked(mut self) -> Result<Self, ConfigError> {
        self.core = Core::new(self.core_numbers()).map_err(|problems| ConfigError { problems })?;
        let (row, longest) = (self.value(Key::RowSize), self.value(Key::TransactionSize));
        if longest > row {
            return error(format!(
                "{} is {longest}, more than {}, which is {row}; a transaction lies in one row",
                Key::TransactionSize,
                Key::RowSize
            ));
        }
        Ok(self)
    }

    /// Changes one number as the text `section.name=value` says, like the option `--set`. The origin of the number
    /// becomes `set by hand`.
    ///
    /// # Errors
    /// The text has another form, the key is unknown, or the value is outside its limits or contradicts another number.
    /// Then nothing has changed.
    pub fn apply_set(&mut self, setting: &str) -> Result<(), ConfigError> {
        let Some((path, value)) = setting.split_once('=') else {
            return error(format!("`{setting}` is not of the form section.key=value"));
        };
        let (path, value) = (path.trim(), value.trim());
        let Some((section, name)) = path.split_once('.') else {
            return error(format!("{path}: a key is section.key; {}", known_sections()));
        };
        let Some(key) = Key::named(section, name) else {
            return error(unknown_key(section, name));
        };
        let parsed = match value {
            "true" => Value::Boolean(true),
            "false" => Value::Boolean(false),
            _ => value.parse::<i64>().map_or(Value::String(value.to_owned()), Value::Integer),
        };
        match check(key, &parsed) {
            Ok(value) => self.change(&[(key, value)], BY_HAND),
            Err(problem) => error(problem),
        }
    }

    /// Switches on the extension that a text names, such as `word-access` or `more-fprs=128`, like the option
    /// `--enable`.
    ///
    /// # Errors
    /// The text names no extension, or [`MachineConfig::switch_on`] refuses it. Then nothing has changed.
    pub fn enable(&mut self, text: &str) -> Result<(), ConfigError> {
        self.switch_on(text.parse()?)
    }

    /// Switches an extension on: sets the numbers that belong to it, with `--enable ...` as their origin.
    ///
    /// # Errors
    /// The machine has the extension already, or has it with another size. Then nothing has changed.
    pub fn switch_on(&mut self, switch: Switch) -> Result<(), ConfigError> {
        let settings = switch.settings(&|key| self.value(key));
        let settings = settings.map_err(|problem| ConfigError { problems: vec![problem] })?;
        let origin = format!("--enable {switch}");
        let is_on = |&(key, value): &(Key, u32)| {
            self.value(key) == value || self.number(key).origin == origin
        };
        if settings.iter().all(is_on) {
            return error(format!("the machine `{}` has {switch} already", self.name));
        }
        self.change(&settings, &origin)
    }

    fn change(&mut self, settings: &[(Key, u32)], origin: &str) -> Result<(), ConfigError> {
        let mut changed = self.clone();
        for &(key, value) in settings {
            changed.numbers[key as usize] = ConfigNumber { value, origin: origin.to_owned() };
        }
        *self = changed.checked()?;
        Ok(())
    }

    fn core_numbers(&self) -> CoreNumbers {
        CoreNumbers {
            fprs: self.value(Key::Fprs),
            local_memory_words: self.value(Key::LocalMemory),
            banks: self.value(Key::Banks),
            instruction_memory_bundles: self.value(Key::InstructionMemory),
            loop_stack: self.value(Key::LoopStack),
            call_stack: self.value(Key::CallStack),
            fifo_entries: self.value(Key::FifoEntries),
            arithmetic_latency: self.value(Key::ArithmeticLatency),
            load_latency: self.value(Key::LoadLatency),
            psprmsgn_latency: self.value(Key::PsprmsgnLatency),
            mtfpr_latency: self.value(Key::MtfprLatency),
            extensions: self.extensions(),
        }
    }

    fn extensions(&self) -> Extensions {
        let on = Key::ALL.into_iter().filter(|key| self.value(*key) == 1);
        on.filter_map(Key::extension).collect()
    }

    /// Returns the core of the machine: the sizes, latencies and extensions of its CP2.
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// Returns the name of the machine, such as `vm7`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the value of a key with its origin.
    pub fn number(&self, key: Key) -> &ConfigNumber {
        &self.numbers[key as usize]
    }

    /// Returns the value of a key, in the unit of the key; flags are 0 and 1.
    pub fn value(&self, key: Key) -> u32 {
        self.number(key).value
    }

    /// Whether the machine has an extension, with at least the size that is asked for. Always `false` for
    /// `memory-controller`, which leaves no mark on a machine by which it could be told.
    pub fn has(&self, switch: &Switch) -> bool {
        switch.is_on(&|key| self.value(key))
    }

    /// Returns the size of system memory, the memory that host and DMA channel share, in bytes.
    pub fn memory_size(&self) -> Bytes {
        const MIB: u64 = 1 << 20;
        Bytes(u64::from(self.value(Key::MemorySize)) * MIB)
    }

    /// Returns the keys whose origin begins with `assumption`, in the order of the machine file. Keys of the control
    /// processor, whose numbers change nothing but its own time, are left out.
    pub fn assumptions(&self) -> Vec<Key> {
        let is = |k: &Key| !k.is_of_control() && self.number(*k).origin.starts_with("assumption");
        Key::ALL.into_iter().filter(is).collect()
    }

    /// Returns the description as the text of a machine file, with all keys and origins; [`MachineConfig::parse`] reads
    /// it back.
    pub fn dump(&self) -> String {
        let mut text = format!("name = {}\n", quoted(&self.name));
        let mut section = "";
        for key in Key::ALL {
            let (info, number) = (key.info(), self.number(key));
            if info.section != section {
                section = info.section;
                text += &format!("\n[{section}]\n");
            }
            let value = match info.kind {
                KeyKind::Flag => (number.value == 1).to_string(),
                _ => number.value.to_string(),
            };
            let origin = quoted(&number.origin);
            text += &format!("{} = {{ value = {value}, origin = {origin} }}\n", info.name);
        }
        text
    }

    /// Returns the description as a JSON object: the name, and an object for each section of the machine file, which
    /// has value and origin of each key.
    pub fn to_json(&self) -> serde_json::Value {
        let mut object = serde_json::json!({ "name": self.name });
        for key in Key::ALL {
            let (info, number) = (key.info(), self.number(key));
            let value = match info.kind {
                KeyKind::Flag => serde_json::Value::Bool(number.value == 1),
                _ => number.value.into(),
            };
            object[info.section][info.name] =
                serde_json::json!({ "value": value, "origin": number.origin });
        }
        object
    }
}

/// Returns the value that VM7, whose file has every number of the control processor, has for a key.
fn default_of_control(key: Key) -> Result<ConfigNumber, String> {
    let vm7: Table = VM7.parse().map_err(|_| format!("{key} is missing"))?;
    let value = vm7.get(key.info().section).and_then(|s| s.as_table()?.get(key.info().name));
    let number = number_from_toml(key, value.ok_or(format!("{key} is missing"))?)?;
    Ok(ConfigNumber { origin: AS_VM7.to_owned(), ..number })
}

fn quoted(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

/// Whether a text is a line that can stand in a report.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && !text.chars().any(char::is_control)
}

fn known_sections() -> String {
    format!("the sections are {}", Key::sections().join(", "))
}

fn unknown_key(section: &str, name: &str) -> String {
    if Key::sections().contains(&section) {
        let names = Key::names(section).join(", ");
        format!("{section}.{name} is not a key; [{section}] has {names}")
    } else {
        format!("{section}.{name} is not a key; {}", known_sections())
    }
}

/// Names everything that a description has and should not.
fn find_strangers(table: &Table, problems: &mut Vec<String>) {
    for (section, value) in table.iter().filter(|(k, _)| *k != "name") {
        match value.as_table() {
            Some(keys) if Key::sections().contains(&section.as_str()) => {
                let strangers = keys.keys().filter(|k| Key::named(section, k).is_none());
                problems.extend(strangers.map(|k| unknown_key(section, k)));
            }
            _ => problems.push(format!("{section} is not a section; {}", known_sections())),
        }
    }
}

fn number_from_toml(key: Key, value: &Value) -> Result<ConfigNumber, String> {
    let Some(table) = value.as_table() else {
        return Ok(ConfigNumber { value: check(key, value)?, origin: UNSTATED.to_owned() });
    };
    if let Some(stranger) = table.keys().find(|k| !["value", "origin"].contains(&k.as_str())) {
        return Err(format!("{key}.{stranger} is not a key; a number has value and origin"));
    }
    let Some(value) = table.get("value") else { return Err(format!("{key} has no value")) };
    match table.get("origin") {
        Some(Value::String(origin)) if is_plain(origin) => {
            Ok(ConfigNumber { value: check(key, value)?, origin: origin.clone() })
        }
        _ => Err(format!("{key} has no origin; say where the number comes from, in one line")),
    }
}

/// Returns the value of a key as a number, if it is one that the key takes.
fn check(key: Key, value: &Value) -> Result<u32, String> {
    let kind = key.info().kind;
    let number = match (kind, value) {
        (KeyKind::Flag, Value::Boolean(on)) => Some(u32::from(*on)),
        (KeyKind::Flag, _) => None,
        (_, Value::Integer(n)) => u32::try_from(*n).ok(),
        _ => None,
    };
    match number {
        Some(number) if kind.takes(number) => Ok(number),
        _ => Err(format!("{key} is {value}; it takes {kind}")),
    }
}
