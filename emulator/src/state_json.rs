//! State as JSON: what `cp2 run --init` reads and `--dump` writes (`specs/src/formats.md`). Values
//! are strings of hexadecimal digits, because JSON numbers lose 64-bit values.

use crate::state::{CONTROL_MASK, FCSR_MASK, State, status};
use cp2_isa::SECTIONS;
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

const KEYS: &str = "fpr, lmem, gpr, a, n, m, ireg, control, rind, rstep, rmask, status, stopcode, fccr, fcsr, cycles";

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

fn registers<const N: usize>(path: &str, value: &Value, bits: u32) -> Result<[u64; N], StateError> {
    let mut out = [0; N];
    for (i, (slot, item)) in out.iter_mut().zip(array(path, value, N)?).enumerate() {
        *slot = hex(&format!("{path}[{i}]"), item, bits)?;
    }
    Ok(out)
}

impl State {
    /// Sets what the JSON object names and leaves the rest as it is. `cycles`, which a dump has,
    /// is ignored.
    pub fn load_json(&mut self, value: &Value) -> Result<(), StateError> {
        let Some(object) = value.as_object() else {
            return error("", "expected a JSON object");
        };
        for (key, value) in object {
            self.load_key(key, value)?;
        }
        Ok(())
    }

    fn load_key(&mut self, key: &str, value: &Value) -> Result<(), StateError> {
        match key {
            "fpr" => self.load_fpr(value)?,
            "lmem" => self.load_lmem(value)?,
            "gpr" => self.gpr = registers(key, value, 64)?,
            "ireg" => self.ireg = registers(key, value, 64)?,
            "a" => self.a = self.addresses(key, value)?,
            "n" => self.n = self.addresses(key, value)?,
            "m" => self.m = self.addresses(key, value)?,
            "control" => self.control = hex(key, value, 32)? & CONTROL_MASK,
            "rind" => self.rind = hex(key, value, 16)? as u16,
            "rstep" => self.rstep = hex(key, value, 16)? as u16,
            "rmask" => self.rmask = hex(key, value, 16)? as u16,
            "status" => self.status = hex(key, value, 32)? & status::STORED,
            "stopcode" => self.stopcode = hex(key, value, 64)?,
            "fccr" => self.fccr = registers(key, value, 8)?.map(|v| v as u8 | 1),
            "fcsr" => self.fcsr = registers(key, value, 32)?.map(|v| v as u32 & FCSR_MASK),
            "cycles" => {}
            _ => return error(key, format!("unknown key; the keys are {KEYS}")),
        }
        Ok(())
    }

    fn addresses(&self, path: &str, value: &Value) -> Result<[u16; 16], StateError> {
        let bits = self.lmem.len().trailing_zeros();
        Ok(registers::<16>(path, value, bits)?.map(|v| v as u16))
    }

    fn load_fpr(&mut self, value: &Value) -> Result<(), StateError> {
        for (s, section) in array("fpr", value, SECTIONS)?.iter().enumerate() {
            let path = format!("fpr[{s}]");
            let values = array(&path, section, self.fpr.len())?;
            for (n, (quad, value)) in self.fpr.iter_mut().zip(values).enumerate() {
                quad[s] = hex(&format!("{path}[{n}]"), value, 64)?;
            }
        }
        Ok(())
    }

    fn load_lmem(&mut self, value: &Value) -> Result<(), StateError> {
        for (s, section) in array("lmem", value, SECTIONS)?.iter().enumerate() {
            let path = format!("lmem[{s}]");
            let Some(words) = section.as_object() else {
                return error(&path, "expected an object {word address: value}");
            };
            for (address, word) in words {
                let path = format!("{path}[{address}]");
                match address.parse::<usize>() {
                    Ok(a) if a < self.lmem.len() && a.to_string() == *address => {
                        self.lmem[a][s] = hex(&path, word, 64)?;
                    }
                    _ => {
                        return error(
                            &path,
                            format!(
                                "word addresses are decimal numbers from 0 to {}",
                                self.lmem.len() - 1
                            ),
                        );
                    }
                }
            }
        }
        Ok(())
    }

    /// The state as JSON, with `status` as the machine shows it; zero words of local memory are
    /// left out.
    pub fn to_json(&self, status: u64, cycles: u64) -> Value {
        let word = |v: u64| Value::String(format!("{v:016x}"));
        let list = |values: &[u64]| Value::Array(values.iter().map(|&v| word(v)).collect());
        let narrow =
            |values: &[u16]| Value::Array(values.iter().map(|&v| word(v.into())).collect());
        let fpr: Vec<Value> = (0..SECTIONS)
            .map(|s| Value::Array(self.fpr.iter().map(|quad| word(quad[s])).collect()))
            .collect();
        let lmem: Vec<Value> = (0..SECTIONS)
            .map(|s| {
                let words = self.lmem.iter().enumerate().filter(|(_, quad)| quad[s] != 0);
                Value::Object(
                    words.map(|(a, quad)| (a.to_string(), word(quad[s]))).collect::<Map<_, _>>(),
                )
            })
            .collect();
        json!({
            "cycles": cycles,
            "fpr": fpr,
            "lmem": lmem,
            "gpr": list(&self.gpr),
            "a": narrow(&self.a),
            "n": narrow(&self.n),
            "m": narrow(&self.m),
            "ireg": list(&self.ireg),
            "control": word(self.control),
            "rind": word(self.rind.into()),
            "rstep": word(self.rstep.into()),
            "rmask": word(self.rmask.into()),
            "status": word(status),
            "stopcode": word(self.stopcode),
            "fccr": list(&self.fccr.map(u64::from)),
            "fcsr": list(&self.fcsr.map(u64::from)),
        })
    }
}
