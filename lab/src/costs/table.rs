//! The table of costs: which keys there are, and their numbers with interval and source, from the file that comes with the program
//! and a user's file.

use crate::inputs::LabError;
use crate::key::nearest;
use cp2_emu::MachineConfig;
use cp2_emu::machine::Key;
use cp2_isa::machine::Switch;
use std::collections::BTreeMap;
use toml::{Table, Value};

/// The file that comes with the program.
pub(super) const SHIPPED: &str = include_str!("../../data/costs.toml");

/// Greatest number of the table, in any unit: sums and products of such numbers stay finite.
const MOST: f64 = 1e12;
/// Keys that are shares of a whole.
const SHARES: [&str; 3] =
    ["area.sram_efficiency", "clock.local_memory_share", "clock.register_share"];
/// Keys of areas that every coprocessor has.
const ALWAYS: [&str; 2] = ["area.sram_bit_um2", "area.wire_um"];

/// Number of the table of costs with its interval and source.
#[derive(Clone, Debug, PartialEq)]
pub struct Priced {
    /// Number that is taken, in the unit that the name of its key ends with.
    pub value: f64,
    /// Least number that the source, or an assumption, allows.
    pub low: f64,
    /// Greatest number that the source, or an assumption, allows.
    pub high: f64,
    /// Text that says where the number comes from: a publication, or an assumption.
    pub source: String,
}

/// Costs of a change of the user's own, on machines that have it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Own {
    /// Extension, or `section.key=value`, as the file names it.
    pub(super) name: String,
    change: OwnChange,
    /// More area of the whole coprocessor, in square micrometres.
    pub(super) area: Priced,
}

#[derive(Clone, Debug, PartialEq)]
enum OwnChange {
    Extension(Switch),
    Number(Key, u32),
}

/// Costs of the parts of a coprocessor, of its events and of its clock, by the keys of the file `costs.toml`. The default is the file
/// that comes with the program.
#[derive(Clone, Debug, PartialEq)]
pub struct CostTable {
    /// Numbers by their keys, such as `area.gate_um2`.
    pub numbers: BTreeMap<String, Priced>,
    pub(super) own: Vec<Own>,
}

impl Default for CostTable {
    fn default() -> Self {
        let empty = Self { numbers: BTreeMap::new(), own: Vec::new() };
        // A test reads the file.
        empty.replaced(SHIPPED, true).unwrap_or(Self { numbers: BTreeMap::new(), own: Vec::new() })
    }
}

impl CostTable {
    /// Returns the table with the numbers of `text`, a user's file (TOML), in place of those that come with the program, and with
    /// the costs of the user's own changes.
    ///
    /// # Errors
    /// The text is not TOML, has a key that the table does not know, or a number that is no price; the message names the key.
    pub fn with(text: &str) -> Result<Self, LabError> {
        Self::default().replaced(text, false)
    }

    fn replaced(mut self, text: &str, is_new: bool) -> Result<Self, LabError> {
        let table: Table = text.parse().map_err(|e: toml::de::Error| {
            LabError::new(format!("not TOML: {}", e.to_string().trim_end()))
        })?;
        for (section, value) in &table {
            let Value::Table(rows) = value else {
                return LabError::of(format!(
                    "{section} is {value}; costs stand in sections such as [area]"
                ));
            };
            for (key, value) in rows {
                let name = format!("{section}.{key}");
                if section == "own" {
                    self.own.retain(|own| own.name != *key);
                    self.own.push(own(key, value)?);
                } else if is_new || self.numbers.contains_key(&name) {
                    self.numbers.insert(name.clone(), priced(&name, value)?);
                } else {
                    let near = nearest(&name, self.numbers.keys().map(String::as_str));
                    return LabError::of(format!(
                        "{name} is not a key of costs; the nearest is {near}; `cp2 costs` lists all"
                    ));
                }
            }
        }
        if self.number("area.sram_efficiency").low <= 0.0 {
            return LabError::of("area.sram_efficiency has to be above 0: it is a share of cells");
        }
        for key in SHARES {
            let high = self.number(key).high;
            if high > 1.0 {
                return LabError::of(format!("{key} is up to {high}; it is a share, at most 1"));
            }
        }
        if ALWAYS.iter().all(|key| self.number(key).low == 0.0) {
            let keys = ALWAYS.join(", ");
            return LabError::of(format!(
                "a coprocessor would have no area, of which percents could be told; one of {keys} has to be above 0"
            ));
        }
        Ok(self)
    }

    /// Returns all numbers by their keys, those of the user's own changes behind the others.
    pub fn rows(&self) -> Vec<(String, Priced)> {
        let own = self.own.iter();
        let own = own.map(|own| (format!("own.\"{}\".area_um2", own.name), own.area.clone()));
        self.numbers.iter().map(|(key, number)| (key.clone(), number.clone())).chain(own).collect()
    }

    /// Returns the number of a key; one that the table lacks costs nothing.
    pub(super) fn number(&self, key: &str) -> Priced {
        let none = || Priced { value: 0.0, low: 0.0, high: 0.0, source: String::new() };
        self.numbers.get(key).cloned().unwrap_or_else(none)
    }

    /// Returns the value of a key.
    pub(super) fn value(&self, key: &str) -> f64 {
        self.numbers.get(key).map_or(0.0, |number| number.value)
    }

    /// Returns the table with the value of one key changed.
    pub(super) fn at(&self, key: &str, value: f64) -> Self {
        let mut table = self.clone();
        if let Some(number) = table.numbers.get_mut(key) {
            number.value = value;
        }
        table
    }
}

impl Own {
    /// Whether the change is one of this number of a machine.
    pub(super) fn is_of(&self, key: Key) -> bool {
        matches!(self.change, OwnChange::Number(own, _) if own == key)
    }

    /// Whether a machine has the change.
    pub(super) fn is_in(&self, config: &MachineConfig) -> bool {
        match self.change {
            OwnChange::Extension(switch) => config.has(&switch),
            OwnChange::Number(key, value) => config.value(key) == value,
        }
    }
}

/// Reads the costs of a user's own change.
fn own(name: &str, value: &Value) -> Result<Own, LabError> {
    let wrong = |e: String| LabError::new(format!("own.\"{name}\": {e}"));
    let change = match name.split_once('=').filter(|(key, _)| key.contains('.')) {
        Some((key, number)) => {
            let key = key.trim();
            let known = Key::ALL.into_iter().find(|known| known.to_string() == key);
            let names = Key::ALL.map(|key| key.to_string());
            let near = || nearest(key, names.iter().map(String::as_str));
            let known = known.ok_or_else(|| {
                wrong(format!("{key} is not a key of a machine; the nearest is {}", near()))
            })?;
            let number = match number.trim() {
                "true" => Ok(1),
                "false" => Ok(0),
                number => number.parse(),
            };
            let number = number.map_err(|_| wrong("the value is no whole number".to_owned()))?;
            OwnChange::Number(known, number)
        }
        None => OwnChange::Extension(crate::key::switch(name).map_err(|e| wrong(e.to_string()))?),
    };
    if let OwnChange::Extension(switch) = change
        && switch.in_file().is_none()
    {
        return Err(wrong(format!(
            "{switch} leaves no mark on a machine; name a number of it, such as memory.outstanding=8"
        )));
    }
    let Value::Table(rows) = value else {
        return Err(wrong(format!("it is {value}; give `area_um2`")));
    };
    if let Some(stranger) = rows.keys().find(|key| *key != "area_um2") {
        return Err(wrong(format!("{stranger} is not a cost; the only one is area_um2")));
    }
    let area = rows.get("area_um2").ok_or_else(|| wrong("area_um2 is missing".to_owned()))?;
    let area = priced(&format!("own.\"{name}\".area_um2"), area)?;
    Ok(Own { name: name.to_owned(), change, area })
}

/// Reads a number: bare, or with interval and source.
fn priced(name: &str, value: &Value) -> Result<Priced, LabError> {
    let number = |part: &str, value: &Value| {
        let number = match value {
            Value::Integer(n) => *n as f64,
            Value::Float(x) => *x,
            _ => f64::NAN,
        };
        if (0.0..=MOST).contains(&number) {
            return Ok(number);
        }
        LabError::of(format!("{name}{part} is {value}; a cost is a number from 0 to {MOST:e}"))
    };
    let Value::Table(table) = value else {
        let value = number("", value)?;
        let source = "stated without a source".to_owned();
        return Ok(Priced { value, low: value, high: value, source });
    };
    let known = ["value", "low", "high", "source"];
    if let Some(stranger) = table.keys().find(|key| !known.contains(&key.as_str())) {
        return LabError::of(format!(
            "{name}.{stranger} is not known; a cost has {}",
            known.join(", ")
        ));
    }
    let Some(value) = table.get("value") else {
        return LabError::of(format!("{name} has no value"));
    };
    let value = number(".value", value)?;
    let end =
        |part: &str| table.get(part).map_or(Ok(value), |end| number(&format!(".{part}"), end));
    let (low, high) = (end("low")?, end("high")?);
    if !(low..=high).contains(&value) {
        return LabError::of(format!("{name} is {value}, outside of its interval {low} to {high}"));
    }
    let source = match table.get("source") {
        Some(Value::String(source)) => source.clone(),
        Some(other) => {
            return LabError::of(format!("{name}.source is {other}; it has to be a text"));
        }
        None => "stated without a source".to_owned(),
    };
    Ok(Priced { value, low, high, source })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;

    #[test]
    fn every_number_that_comes_with_the_program_has_interval_and_source() {
        let table = CostTable::default();
        assert!(table.numbers.len() > 30);
        for (key, number) in &table.numbers {
            let Priced { value, low, high, source } = number;
            assert!(low <= value && value <= high && *high > 0.0, "{key}");
            assert!(source.len() > 12 && (low < high || source.contains("[D]")), "{key}: {source}");
        }
    }

    #[test]
    fn what_is_no_cost_is_refused_with_its_key() {
        for (text, why) in [
            (
                "[area]\ngate_um = 1",
                "area.gate_um is not a key of costs; the nearest is area.gate_um2",
            ),
            ("[area]\ngate_um2 = -1", "area.gate_um2 is -1; a cost is a number from 0"),
            ("[area]\ngate_um2 = nan", "a number from 0"),
            ("[area]\ngate_um2 = { value = 1, low = 2 }", "outside of its interval 2 to 1"),
            ("[area]\ngate_um2 = { value = 1, at = 2 }", "area.gate_um2.at is not known"),
            ("[area]\nsram_efficiency = 0", "above 0"),
            ("[area]\nsram_efficiency = 7", "it is a share, at most 1"),
            ("[clock]\nregister_share = 1.5", "clock.register_share is up to 1.5"),
            ("[area]\ngate_um2 = 1e308", "from 0 to 1e12"),
            ("[area]\nwire_um = 0\nsram_bit_um2 = 0", "no area"),
            ("area = 3", "costs stand in sections"),
            ("[own.\"word-acces\"]\narea_um2 = 3", "the nearest is word-access"),
            ("[own.\"core.bank=4\"]\narea_um2 = 3", "the nearest is core.banks"),
            ("[own.\"core.banks=4\"]\narea = 3", "the only one is area_um2"),
            ("[own.memory-controller]\narea_um2 = 3", "leaves no mark"),
        ] {
            let message = CostTable::with(text).unwrap_err().to_string();
            assert!(message.contains(why), "{text}: {message}");
        }
        let own = CostTable::with("[own.\"core.banks=4\"]\narea_um2 = 7").unwrap();
        let mut config = MachineConfig::preset("vm9").unwrap();
        assert!(!own.own[0].is_in(&config));
        config.apply_set("core.banks=4").unwrap();
        assert!(own.own[0].is_in(&config));
    }
}
