//! State as JSON: what `cp2 run --init` reads and `--dump` writes (`specs/src/formats.md`). Values
//! are strings of hexadecimal digits, because JSON numbers lose 64-bit values.

use crate::state::State;
use cp2_isa::{Core, Filed, Place, SECTIONS, Storage, StorageInfo};
use serde_json::{Map, Value, json};
use std::fmt;

/// What is wrong with a state, and where in the JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateError {
    /// Path of the value, such as `fpr[2][17]`.
    pub path: String,
    /// What is wrong, with the limit.
    pub message: String,
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => f.write_str(&self.message),
            path => write!(f, "at `{path}`: {}", self.message),
        }
    }
}

impl std::error::Error for StateError {}

fn error<T>(path: &str, message: impl Into<String>) -> Result<T, StateError> {
    Err(StateError { path: path.to_owned(), message: message.into() })
}

fn hex(path: &str, value: &Value, bits: u32) -> Result<u64, StateError> {
    let Some(text) = value.as_str() else {
        return error(path, format!("expected a string of hexadecimal digits, found {value}"));
    };
    let digits = text.strip_prefix("0x").unwrap_or(text);
    if digits.is_empty() || digits.len() > 16 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return error(path, format!("expected 1 to 16 hexadecimal digits, found \"{text}\""));
    }
    let number = u64::from_str_radix(digits, 16)
        .or_else(|_| error(path, format!("\"{text}\" is not a 64-bit number")))?;
    if bits < 64 && number >> bits != 0 {
        return error(
            path,
            format!("0x{number:x} does not fit into the {bits} bits of the register"),
        );
    }
    Ok(number)
}

fn array<'a>(path: &str, value: &'a Value, len: usize) -> Result<&'a [Value], StateError> {
    match value.as_array() {
        Some(items) if items.len() == len => Ok(items),
        Some(items) => error(path, format!("expected {len} values, found {}", items.len())),
        None => error(path, format!("expected an array of {len} values, found {value}")),
    }
}

/// A number of a register or word as its key in an object.
fn number(path: &str, key: &str, count: usize) -> Result<usize, StateError> {
    match key.parse::<usize>() {
        Ok(number) if number < count && number.to_string() == key => Ok(number),
        _ => error(path, format!("word addresses are decimal numbers from 0 to {}", count - 1)),
    }
}

/// The keys of a state file, and what each holds.
fn filed() -> impl Iterator<Item = (Storage, &'static StorageInfo)> {
    let all = Storage::ALL.into_iter().map(|storage| (storage, storage.info()));
    all.filter(|(_, info)| info.filed != Filed::No)
}

fn keys() -> String {
    let keys: Vec<_> = filed().map(|(_, info)| info.key).chain([CYCLES]).collect();
    keys.join(", ")
}

/// The key of a dump that is no register: the cycles of the run.
const CYCLES: &str = "cycles";

impl State {
    /// Sets what the JSON object names and leaves the rest as it is. `cycles`, which a dump has,
    /// is ignored.
    ///
    /// # Errors
    /// The first value that is none of this core.
    pub fn load_json(&mut self, core: &Core, value: &Value) -> Result<(), StateError> {
        let Some(object) = value.as_object() else {
            return error("", "expected a JSON object");
        };
        for (key, value) in object {
            match Storage::from_key(key) {
                Some(storage) => self.load_storage(core, storage, value)?,
                None if key == CYCLES => {}
                None => return error(key, format!("unknown key; the keys are {}", keys())),
            }
        }
        Ok(())
    }

    fn load_storage(
        &mut self,
        core: &Core,
        storage: Storage,
        value: &Value,
    ) -> Result<(), StateError> {
        let StorageInfo { key, layout, .. } = *storage.info();
        if !layout.is_per_section() {
            return self.load_section(core, (storage, 0), key, value);
        }
        for (section, value) in array(key, value, SECTIONS)?.iter().enumerate() {
            let path = format!("{key}[{section}]");
            self.load_section(core, (storage, section), &path, value)?;
        }
        Ok(())
    }

    /// Sets the registers or words of a kind in one section, or those that all share.
    fn load_section(
        &mut self,
        core: &Core,
        (storage, section): (Storage, usize),
        path: &str,
        value: &Value,
    ) -> Result<(), StateError> {
        let StorageInfo { layout, filed, bits, .. } = *storage.info();
        let (bits, count) = (bits(core), self.count(storage));
        let mut load = |number: usize, path: &str, value: &Value| {
            let value = hex(path, value, bits)?;
            self.set(core, Place { storage, number, section }, value);
            Ok(())
        };
        if !layout.is_numbered() {
            return load(0, path, value);
        }
        if filed == Filed::Sparse {
            let Some(words) = value.as_object() else {
                return error(path, "expected an object {word address: value}");
            };
            for (key, value) in words {
                let path = format!("{path}[{key}]");
                load(number(&path, key, count)?, &path, value)?;
            }
            return Ok(());
        }
        for (number, value) in array(path, value, count)?.iter().enumerate() {
            load(number, &format!("{path}[{number}]"), value)?;
        }
        Ok(())
    }

    /// The state as JSON, with `status` as the machine shows it; zero words of local memory are
    /// left out.
    pub fn to_json(&self, status: u64, cycles: u64) -> Value {
        let mut object = Map::new();
        object.insert(CYCLES.to_owned(), cycles.into());
        for (storage, info) in filed() {
            let value = match storage {
                Storage::Status => word(status),
                _ if info.layout.is_per_section() => {
                    (0..SECTIONS).map(|section| self.section_json(storage, section)).collect()
                }
                _ => self.section_json(storage, 0),
            };
            object.insert(info.key.to_owned(), value);
        }
        Value::Object(object)
    }

    fn section_json(&self, storage: Storage, section: usize) -> Value {
        let at = |number| self.at(Place { storage, number, section });
        let numbers = 0..self.count(storage);
        let StorageInfo { layout, filed, .. } = storage.info();
        if !layout.is_numbered() {
            return word(at(0));
        }
        match filed {
            Filed::Sparse => Value::Object(
                numbers.filter(|&k| at(k) != 0).map(|k| (k.to_string(), word(at(k)))).collect(),
            ),
            Filed::Whole | Filed::No => numbers.map(|k| word(at(k))).collect(),
        }
    }
}

fn word(value: u64) -> Value {
    Value::String(format!("{value:016x}"))
}

/// The schema of state files for a core.
pub fn schema(core: &Core) -> Value {
    let mut properties = Map::new();
    let cycles = json!({
        "type": "integer",
        "minimum": 0,
        "unit": "cycles",
        "description": "cycles of the run; ignored when read",
    });
    properties.insert(CYCLES.to_owned(), cycles);
    for (_, info) in filed() {
        properties.insert(info.key.to_owned(), property(info, core));
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "State of CP2, read by `cp2 run --init` and written by `--dump`",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
        "$defs": { "word": { "type": "string", "pattern": "^(0x)?[0-9a-fA-F]{1,16}$" } },
    })
}

/// What the schema says of a key.
fn property(info: &StorageInfo, core: &Core) -> Value {
    let array = |n: usize, items: Value| json!({ "type": "array", "minItems": n, "maxItems": n, "items": items });
    let word = json!({ "$ref": "#/$defs/word" });
    let count = (info.count)(core);
    let mut by = "";
    let mut value = match (info.layout.is_numbered(), info.filed) {
        (false, _) => word,
        (true, Filed::Sparse) => {
            by = ": decimal word address to word; zero words may be absent";
            json!({
                "type": "object",
                "additionalProperties": false,
                "patternProperties": { "^(0|[1-9][0-9]*)$": word },
                "maxProperties": count,
            })
        }
        (true, _) => array(count, word),
    };
    if info.layout.is_per_section() {
        value = array(SECTIONS, value);
    }
    let sections = if info.layout.is_per_section() { " by section" } else { "" };
    let bits = (info.bits)(core);
    value["description"] = format!("{}{sections}{by}, {bits} bits", info.description).into();
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A state whose registers and words all differ, as far as their bits exist.
    fn colourful(core: &Core) -> State {
        let mut state = State::new(core);
        for (k, storage) in (1..).zip(Storage::ALL) {
            let bits = (storage.info().bits)(core);
            for (n, place) in (1u64..).zip(state.places(storage)) {
                let value = n.wrapping_mul(0x9e37_79b9_7f4a_7c15 * k) >> (64 - bits);
                assert!(state.set(core, place, value));
            }
        }
        state
    }

    #[test]
    fn every_register_that_a_file_has_comes_back_from_it() {
        for core in [Core::CP2, Core::WIDEST] {
            let state = colourful(&core);
            let mut read = State::new(&core);
            read.load_json(&core, &state.to_json(state.status, 5)).unwrap();
            for storage in Storage::ALL {
                let same = state.places(storage).all(|place| state.get(place) == read.get(place));
                let is_filed = storage.info().filed != Filed::No;
                assert_eq!(same, is_filed || state.count(storage) == 0, "{storage:?}");
            }
        }
    }

    #[test]
    fn a_schema_names_the_keys_of_a_dump_and_no_others() {
        let dump = State::default().to_json(0, 0);
        let schema = schema(&Core::CP2);
        let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(&dump), keys(&schema["properties"]));
        assert_eq!(schema["properties"]["fpr"]["items"]["minItems"], 64);
    }
}
