//! State as JSON: what `cp2 run --init` reads and `--dump` writes (`specs/src/formats.md`). Values
//! are strings of hexadecimal digits, because JSON numbers lose 64-bit values.

use crate::state::State;
use cp2_isa::{Core, Extensions, Filed, SECTIONS, Section, Storage, StorageCell, StorageInfo};
use serde_json::{Map, Value, json};
use std::fmt;

/// Error of [`State::load_json`]: the position of a value in a state file in JSON, and why the value is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateError {
    /// Position of the value in the JSON document, such as `fpr[2][17]`; empty for the document itself.
    pub path: String,
    /// Message that says what is wrong with the value and which values are accepted.
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

/// Parses two floats in single precision, high half first: `1.5:-2.0`. Returns `None` for a text without a colon.
fn floats(path: &str, text: &str) -> Option<Result<u64, StateError>> {
    let (high, low) = text.split_once(':')?;
    let half = |part: &str| match part.trim().parse::<f32>() {
        Ok(x) if x.is_nan() => Ok(0x7fff_ffff),
        Ok(x) => Ok(u64::from(x.to_bits())),
        Err(_) => {
            error(path, format!("expected two floats HI:LO such as \"1.5:-2.0\", found \"{text}\""))
        }
    };
    let word = || Ok(half(high)? << 32 | half(low)?);
    Some(word())
}

/// Reads a value of a register or word: hexadecimal digits, or two floats where it has two halves.
fn value_of(path: &str, storage: Storage, value: &Value, bits: u32) -> Result<u64, StateError> {
    let has_halves = matches!(storage, Storage::Fpr | Storage::Lmem | Storage::Shared);
    match value.as_str().filter(|_| has_halves).and_then(|text| floats(path, text)) {
        Some(word) => word,
        None => hex(path, value, bits),
    }
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

/// Reads a number of a register or word as its key in an object.
fn number(path: &str, key: &str, (storage, count): (Storage, usize)) -> Result<usize, StateError> {
    match key.parse::<usize>() {
        Ok(number) if number < count && number.to_string() == key => Ok(number),
        _ => {
            let what = match storage {
                Storage::Lmem | Storage::Shared => "word addresses are decimal numbers",
                _ => "numbers of registers are decimal,",
            };
            error(path, format!("{what} from 0 to {}", count.saturating_sub(1)))
        }
    }
}

/// Returns the keys of a state file of a core, and what each holds. Kinds of registers and words that the core has none of
/// are left out.
fn filed(has: impl Fn(Storage) -> bool) -> impl Iterator<Item = (Storage, &'static StorageInfo)> {
    let all = Storage::ALL.into_iter().map(|storage| (storage, storage.info()));
    all.filter(move |(storage, info)| info.filed != Filed::No && has(*storage))
}

/// Whether a core has any register or word of a kind.
fn has_storage(core: &Core, storage: Storage) -> bool {
    (storage.info().count)(core) > 0
}

/// Returns the extension without which no core has registers or words of a kind.
fn extension_of(storage: Storage) -> Option<Extensions> {
    match storage {
        Storage::SectionA => Some(Extensions::SECTION_ADDRESSING),
        Storage::SharedA | Storage::Shared => Some(Extensions::SHARED_MEMORY),
        _ => None,
    }
}

/// Adds the limit of the addresses of sections to an error about them.
fn of_section_addresses(core: &Core, storage: Storage, error: StateError) -> StateError {
    if storage != Storage::SectionA {
        return error;
    }
    let StateError { path, message } = error;
    let last = core.address_mask();
    let limit =
        format!("{message}: addresses of a section end at 0x{last:x} (core.local_memory_words)");
    StateError { path, message: limit }
}

fn keys(core: &Core) -> String {
    let keys: Vec<_> = filed(|storage| has_storage(core, storage))
        .map(|(_, info)| info.key)
        .chain([CYCLES])
        .collect();
    keys.join(", ")
}

/// Returns the register that a key names by itself: `g2`, `f3`.
fn single(key: &str) -> Option<(Storage, usize)> {
    let (storage, number) = Storage::from_name(key)?;
    let info = storage.info();
    let is_one = info.layout.is_numbered() && info.filed == Filed::Whole;
    is_one.then_some((storage, number))
}

/// The key of a dump that is no register: the cycles of the run.
const CYCLES: &str = "cycles";

impl State {
    /// Sets the registers and words that a JSON object names and leaves all others as they are. The number `cycles`,
    /// which [`State::to_json`] writes, is ignored. Keys and values are described by [`schema`].
    ///
    /// # Errors
    /// A key or a value is not one of this core; the error names the first one. Values before it have been set.
    pub fn load_json(&mut self, core: &Core, value: &Value) -> Result<(), StateError> {
        let Some(object) = value.as_object() else {
            return error("", "expected a JSON object");
        };
        for (key, value) in object {
            match Storage::from_key(key) {
                Some(storage) if has_storage(core, storage) => self
                    .load_storage(core, storage, value)
                    .map_err(|e| of_section_addresses(core, storage, e))?,
                None if key == CYCLES && value.is_u64() => {}
                None if key == CYCLES => {
                    return error(key, format!("expected a number of cycles, found {value}"));
                }
                None if single(key).is_some_and(|(storage, _)| has_storage(core, storage)) => {}
                Some(storage) if extension_of(storage).is_some() => {
                    let name = extension_of(storage).unwrap_or_default().names();
                    let message =
                        format!("this core has no such registers; `--enable {name}` gives them");
                    return error(key, message);
                }
                Some(_) | None => {
                    return error(
                        key,
                        format!(
                            "unknown key; the keys are {}, and registers such as g2 or f3",
                            keys(core)
                        ),
                    );
                }
            }
        }
        // Behind the files that they belong to.
        for (key, value) in object {
            if let Some((storage, number)) = single(key) {
                self.load_single(core, (storage, number), key, value)?;
            }
        }
        Ok(())
    }

    /// Sets one register: in every section if they have their own, or in each by an array.
    fn load_single(
        &mut self,
        core: &Core,
        (storage, number): (Storage, usize),
        path: &str,
        value: &Value,
    ) -> Result<(), StateError> {
        let count = self.count(storage);
        if number >= count {
            return error(path, format!("there are {count} of these, from 0 on"));
        }
        let StorageInfo { layout, bits, .. } = *storage.info();
        let each = layout.is_per_section() && value.is_array();
        let values = if each { Some(array(path, value, SECTIONS)?) } else { None };
        for section in layout.own_sections() {
            let (path, value) = match values {
                Some(values) => (format!("{path}[{section}]"), &values[section.index()]),
                None => (path.to_owned(), value),
            };
            let value = value_of(&path, storage, value, bits(core))?;
            self.set(core, StorageCell { storage, number, section }, value);
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
            return self.load_section(core, (storage, Section::FIRST), key, value);
        }
        if let (Some(all), true) = (value.as_object(), layout.is_numbered()) {
            let count = self.count(storage);
            for (name, value) in all {
                let path = format!("{key}[{name}]");
                let place = (storage, number(&path, name, (storage, count))?);
                self.load_single(core, place, &path, value)?;
            }
            return Ok(());
        }
        for (section, value) in Section::ALL.into_iter().zip(array(key, value, SECTIONS)?) {
            let path = format!("{key}[{section}]");
            self.load_section(core, (storage, section), &path, value)?;
        }
        Ok(())
    }

    /// Sets the registers or words of a kind in one section, or those of a kind that all sections share.
    fn load_section(
        &mut self,
        core: &Core,
        (storage, section): (Storage, Section),
        path: &str,
        value: &Value,
    ) -> Result<(), StateError> {
        let StorageInfo { layout, filed, bits, .. } = *storage.info();
        let (bits, count) = (bits(core), self.count(storage));
        let mut load = |number: usize, path: &str, value: &Value| {
            let value = value_of(path, storage, value, bits)?;
            self.set(core, StorageCell { storage, number, section }, value);
            Ok(())
        };
        if !layout.is_numbered() {
            return load(0, path, value);
        }
        if let Some(words) = value.as_object() {
            for (key, value) in words {
                let path = format!("{path}[{key}]");
                load(number(&path, key, (storage, count))?, &path, value)?;
            }
            return Ok(());
        }
        if filed == Filed::Sparse {
            return error(path, "expected an object {word address: value}");
        }
        for (number, value) in array(path, value, count)?.iter().enumerate() {
            load(number, &format!("{path}[{number}]"), value)?;
        }
        Ok(())
    }

    /// Returns all registers and memories as a JSON object that [`State::load_json`] reads. `status` is the full value
    /// of STATUS ([`Cp2::status`](crate::Cp2::status)), `cycles` the number of cycles of the run. Words of local and
    /// shared memory that are 0 are left out.
    pub fn to_json(&self, status: u64, cycles: u64) -> Value {
        let mut object = Map::new();
        object.insert(CYCLES.to_owned(), cycles.into());
        for (storage, info) in filed(|storage| self.count(storage) > 0) {
            let value = match storage {
                Storage::Status => word(status),
                _ if info.layout.is_per_section() => Section::ALL
                    .map(|section| self.section_json(storage, section))
                    .into_iter()
                    .collect(),
                _ => self.section_json(storage, Section::FIRST),
            };
            object.insert(info.key.to_owned(), value);
        }
        Value::Object(object)
    }

    fn section_json(&self, storage: Storage, section: Section) -> Value {
        let at = |number| self.at(StorageCell { storage, number, section });
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

/// Returns the JSON Schema of state files for a core: the keys, and the form of the values of each.
pub fn schema(core: &Core) -> Value {
    let mut properties = Map::new();
    let cycles = json!({
        "type": "integer",
        "minimum": 0,
        "unit": "cycles",
        "description": "cycles of the run; ignored when read",
    });
    properties.insert(CYCLES.to_owned(), cycles);
    let mut registers = Map::new();
    for (storage, info) in filed(|storage| has_storage(core, storage)) {
        properties.insert(info.key.to_owned(), property(storage, info, core));
        if info.layout.is_numbered() && info.filed == Filed::Whole {
            let mut one = in_sections(info, &word_of(storage));
            one["description"] =
                format!("one of the {}, {} bits", info.description, (info.bits)(core)).into();
            registers.insert(format!("^{}(0|[1-9][0-9]*)$", info.name), one);
        }
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "State of CP2, read by `cp2 run --init` and written by `--dump`",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
        "patternProperties": registers,
        "$defs": {
            "word": { "type": "string", "pattern": "^(0x)?[0-9a-fA-F]{1,16}$" },
            "halves": {
                "description": "hexadecimal digits, or two floats, high half first",
                "type": "string",
                "pattern": "^((0x)?[0-9a-fA-F]{1,16}|[^:]+:[^:]+)$",
            },
        },
    })
}

fn list(n: usize, items: &Value) -> Value {
    json!({ "type": "array", "minItems": n, "maxItems": n, "items": items })
}

/// Returns the schema of a value.
fn word_of(storage: Storage) -> Value {
    match storage {
        Storage::Fpr | Storage::Lmem | Storage::Shared => json!({ "$ref": "#/$defs/halves" }),
        _ => json!({ "$ref": "#/$defs/word" }),
    }
}

/// Returns the schema of a value for all sections, or of one for each where they have their own.
fn in_sections(info: &StorageInfo, word: &Value) -> Value {
    match info.layout.is_per_section() {
        true => json!({ "anyOf": [word, list(SECTIONS, word)] }),
        false => json!({ "anyOf": [word] }),
    }
}

/// Returns the schema of a key.
fn property(storage: Storage, info: &StorageInfo, core: &Core) -> Value {
    let word = word_of(storage);
    let count = (info.count)(core);
    let by_number = |word: &Value| {
        json!({
            "type": "object",
            "additionalProperties": false,
            "patternProperties": { "^(0|[1-9][0-9]*)$": word },
            "maxProperties": count,
        })
    };
    let mut by = "";
    let mut value = match (info.layout.is_numbered(), info.filed) {
        (false, _) => word.clone(),
        (true, Filed::Sparse) => {
            by = ": decimal word address to word; words that are absent keep their values";
            by_number(&word)
        }
        (true, _) => json!({ "anyOf": [list(count, &word), by_number(&word)] }),
    };
    if info.layout.is_per_section() {
        value = list(SECTIONS, &value);
        if info.layout.is_numbered() {
            // By number, for all sections at once.
            let all = by_number(&in_sections(info, &word));
            value = json!({ "anyOf": [value, all] });
        }
    }
    let sections = if info.layout.is_per_section() { " by section" } else { "" };
    let bits = (info.bits)(core);
    let with = extension_of(storage).map(|extension| format!(", with {} alone", extension.names()));
    let with = with.unwrap_or_default();
    value["description"] = format!("{}{sections}{by}, {bits} bits{with}", info.description).into();
    value
}

#[cfg(test)]
mod tests;
