//! The options that workloads take: each with its type, unit, default and limits. The command line, its
//! refusals and the list of workloads come from them.

use crate::engine::Engine;
use crate::execution::Execution;
use crate::npy::{self, ComplexMatrix, NumberType};
use crate::sparse::Csr;
use cp2_isa::Core;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::Hasher as _;
use twox_hash::XxHash64;

/// The form of an option's value: its type, its limits, its default.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionKind {
    /// No value: the option is given or not.
    Switch,
    /// A whole number.
    Number {
        /// Unit of the number.
        unit: &'static str,
        /// Value if the option is absent; none if the workload decides.
        default: Option<u64>,
        /// Least value.
        least: u64,
        /// Largest value.
        most: u64,
    },
    /// A choice of one of these words; the first if the option is absent.
    Choice(&'static [&'static str]),
    /// An engine.
    Engine,
    /// Files with arrays to read, each with its name; a single one need not be named.
    Read(Vec<ArraySpec>),
    /// A few numbers, written out with commas between, or a file with an array of them.
    Numbers(NamedNumbers),
    /// A file with a sparse matrix to read (Matrix Market).
    ReadMatrix,
    /// A file for an array.
    Write(ArraySpec),
    /// A file for JSON.
    WriteJson,
}

/// Numbers of single precision that an option takes, each with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedNumbers {
    /// Array of one dimension in which a file has the numbers.
    pub array: ArraySpec,
    /// Names of the numbers.
    pub names: &'static [&'static str],
}

impl NamedNumbers {
    /// Reads the numbers from a text, with commas between.
    ///
    /// # Errors
    /// The text has another number of numbers, or one that is none or not finite; the message names it, and what is taken.
    pub fn read(&self, text: &str) -> Result<npy::Array, String> {
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        if parts.len() != self.names.len() {
            let (found, takes) = (parts.len(), self.names.len());
            return Err(format!(
                "there are {found} numbers; it takes {takes}: {}",
                self.names.join(", ")
            ));
        }
        let mut values = Vec::new();
        for (k, part) in parts.iter().enumerate() {
            let value = part.parse().unwrap_or(f32::NAN);
            self.check(k, value, &format!("`{part}`"))?;
            values.push(value);
        }
        Ok(npy::Array::from_floats(vec![values.len()], &values))
    }

    /// Refuses an array of the numbers that has one which is not finite.
    ///
    /// # Errors
    /// A number is not finite; the message names the number, and what is taken.
    pub fn check_finite(&self, array: &npy::Array) -> Result<(), String> {
        let mut values = array.to_floats().into_iter().enumerate();
        values.try_for_each(|(k, value)| self.check(k, value, &value.to_string()))
    }

    fn check(&self, k: usize, value: f32, shown: &str) -> Result<(), String> {
        if value.is_finite() {
            return Ok(());
        }
        let name = self.names.get(k).copied().unwrap_or_default();
        Err(format!(
            "number {} ({name}) is {shown}; it takes a number of at most {:e}",
            k + 1,
            f32::MAX
        ))
    }
}

/// The type and the shape that an array must have for an option to take it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArraySpec {
    /// Name of the array, where an option takes several.
    pub name: &'static str,
    /// Type that the elements must have.
    pub kind: NumberType,
    /// Names or numbers of the dimensions; a number is exact.
    pub shape: Vec<String>,
    /// Whether the array need not be given beside the others.
    pub is_optional: bool,
}

impl ArraySpec {
    /// Creates an array of complex numbers in single precision.
    pub fn complex64(rows: impl fmt::Display, columns: impl fmt::Display) -> Self {
        let shape = vec![rows.to_string(), columns.to_string()];
        Self { name: "x", kind: NumberType::Complex64, shape, is_optional: false }
    }

    /// Creates an array of floats in single precision.
    pub fn float32(name: &'static str, shape: &[&str]) -> Self {
        let shape = shape.iter().map(|&axis| axis.to_owned()).collect();
        Self { name, kind: NumberType::Float32, shape, is_optional: false }
    }

    /// Sets that the array need not be given beside the others.
    pub fn optional(self) -> Self {
        Self { is_optional: true, ..self }
    }

    /// Whether an array of these sizes has this shape.
    pub fn fits(&self, sizes: &[usize]) -> bool {
        let differs =
            |(name, size): (&String, &usize)| name.parse().is_ok_and(|n: usize| n != *size);
        self.shape.len() == sizes.len() && !self.shape.iter().zip(sizes).any(differs)
    }
}

impl fmt::Display for ArraySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let comma = if self.shape.len() == 1 { "," } else { "" };
        write!(f, "({}{comma})", self.shape.join(", "))
    }
}

/// An option of a workload: its name, what it takes, what it does.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkloadOption {
    /// Name of the option, without the dashes.
    pub name: &'static str,
    /// Form of the option's value, with its limits and its default.
    pub form: OptionKind,
    /// Description of the option's effect, for people.
    pub help: &'static str,
    /// Options that replace the option: where all of them are given, it has no effect and is refused; empty if it always has
    /// one.
    pub replaced_by: &'static [&'static str],
}

impl WorkloadOption {
    /// Creates an option that always has an effect.
    pub fn new(name: &'static str, form: OptionKind, help: &'static str) -> Self {
        Self { name, form, help, replaced_by: &[] }
    }

    /// Creates a switch.
    pub fn switch(name: &'static str, help: &'static str) -> Self {
        Self::new(name, OptionKind::Switch, help)
    }

    /// Creates an option that takes a number from 1 to `most`.
    pub fn number(
        name: &'static str,
        unit: &'static str,
        default: Option<u64>,
        most: usize,
        help: &'static str,
    ) -> Self {
        Self::new(name, OptionKind::Number { unit, default, least: 1, most: most as u64 }, help)
    }

    /// Sets the options that replace the option: where all of them are given, it has no effect.
    pub fn replaced_by(self, others: &'static [&'static str]) -> Self {
        Self { replaced_by: others, ..self }
    }

    /// Creates an option that takes one of these words, the first by default.
    pub fn choice(name: &'static str, words: &'static [&'static str], help: &'static str) -> Self {
        Self::new(name, OptionKind::Choice(words), help)
    }

    /// Creates `--engine` and `--max-cycles`, which every workload takes.
    pub fn execution() -> [Self; 2] {
        let cycles = OptionKind::Number {
            unit: "cycles",
            default: Some(Execution::MAX_CYCLES),
            least: 0,
            most: u64::MAX,
        };
        let limit = "Limit of cycles for one run of the kernel, and for the transfers beside it";
        let engine = "Engine that runs the kernels; the results are the same";
        [Self::new("max-cycles", cycles, limit), Self::new("engine", OptionKind::Engine, engine)]
    }

    /// Creates `--timeline` and `--timeline-json`, for what a whole machine has.
    pub fn timeline() -> [Self; 2] {
        [
            Self::switch("timeline", "Show who was busy when: CP2, DMA, host"),
            Self::new("timeline-json", OptionKind::WriteJson, "The same as JSON"),
        ]
    }
}

/// A value that a user gave for an option, checked against its [`OptionKind`].
#[derive(Clone, Debug, PartialEq)]
pub enum OptionValue {
    /// A switch.
    Switch,
    /// A number.
    Number(u64),
    /// A word of a choice.
    Choice(String),
    /// An engine.
    Engine(Engine),
    /// A complex matrix that was read.
    Array(ComplexMatrix),
    /// Arrays that were read, by their names.
    Arrays(BTreeMap<String, npy::Array>),
    /// A matrix that was read.
    Matrix(Csr),
    /// A file to read or to write; what it holds is the caller's affair.
    File,
}

/// Values of the options that a user gave or that have a default, by the name of their option.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OptionValues(BTreeMap<&'static str, OptionValue>);

impl OptionValues {
    /// Sets a value.
    pub fn set(&mut self, name: &'static str, value: OptionValue) {
        self.0.insert(name, value);
    }

    /// Whether the option is given.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Returns the number that is given, or that is there by default.
    pub fn number(&self, name: &str) -> Option<u64> {
        match self.0.get(name) {
            Some(OptionValue::Number(n)) => Some(*n),
            _ => None,
        }
    }

    /// Returns the word that was chosen.
    pub fn choice(&self, name: &str) -> Option<&str> {
        match self.0.get(name) {
            Some(OptionValue::Choice(word)) => Some(word),
            _ => None,
        }
    }

    /// Returns the array that was read.
    pub fn array(&self, name: &str) -> Option<&ComplexMatrix> {
        match self.0.get(name) {
            Some(OptionValue::Array(array)) => Some(array),
            _ => None,
        }
    }

    /// Returns the array that was read under the name `array`.
    pub fn named(&self, name: &str, array: &str) -> Option<&npy::Array> {
        match self.0.get(name) {
            Some(OptionValue::Arrays(arrays)) => arrays.get(array),
            _ => None,
        }
    }

    /// Returns the numbers of the array with the name `array`, which is of float32.
    pub fn floats(&self, name: &str, array: &str) -> Option<Vec<f32>> {
        self.named(name, array).map(npy::Array::to_floats)
    }

    /// Returns the matrix that was read.
    pub fn matrix(&self, name: &str) -> Option<&Csr> {
        match self.0.get(name) {
            Some(OptionValue::Matrix(matrix)) => Some(matrix),
            _ => None,
        }
    }

    /// Returns engine and limit of cycles, on a core.
    pub fn execution(&self, core: Core) -> Execution {
        let usual = Execution::on(core);
        let engine = match self.0.get("engine") {
            Some(OptionValue::Engine(engine)) => *engine,
            _ => usual.engine,
        };
        let max_cycles = self.number("max-cycles").unwrap_or(usual.max_cycles);
        Execution { core, engine, max_cycles, ..usual }
    }

    /// Returns a digest of all that is given and that results depend on: not of files to write.
    pub fn digest(&self) -> u64 {
        let mut digest = XxHash64::with_seed(0);
        for (name, given) in self.0.iter().filter(|(_, given)| **given != OptionValue::File) {
            digest.write(name.as_bytes());
            match given {
                OptionValue::Array(ComplexMatrix { rows, columns, values, .. }) => {
                    digest.write(format!("{rows} {columns}").as_bytes());
                    for x in values {
                        digest.write_u32(x.re.to_bits());
                        digest.write_u32(x.im.to_bits());
                    }
                }
                OptionValue::Arrays(arrays) => {
                    for (name, array) in arrays {
                        let shape = format!("{name} {} {:?}", array.kind, array.shape);
                        digest.write(shape.as_bytes());
                        digest.write(array.bytes());
                    }
                }
                OptionValue::Matrix(matrix) => matrix.hash_into(&mut digest),
                other => digest.write(format!("{other:?}").as_bytes()),
            }
        }
        digest.finish()
    }

    /// Adds the defaults of options that are absent.
    pub fn add_defaults(&mut self, flags: &[WorkloadOption]) {
        for flag in flags {
            if let OptionKind::Number { default: Some(n), .. } = flag.form {
                self.0.entry(flag.name).or_insert(OptionValue::Number(n));
            }
        }
    }

    /// Refuses what a workload with these options cannot honour: an option that it does not take, one
    /// without effect beside others, a number out of its limits.
    ///
    /// # Errors
    /// A message that names workload, option, and what it takes.
    pub fn check(&self, workload: &str, flags: &[WorkloadOption]) -> Result<(), String> {
        for (name, value) in &self.0 {
            let Some(flag) = flags.iter().find(|flag| flag.name == *name) else {
                return Err(format!("{workload} takes no --{name}; it takes {}", names(flags)));
            };
            let replaced = flag.replaced_by;
            if !replaced.is_empty() && replaced.iter().all(|other| self.has(other)) {
                let others: Vec<_> = replaced.iter().map(|other| format!("--{other}")).collect();
                return Err(format!(
                    "{workload}: --{name} cannot be used with {}: it would have no effect",
                    others.join(" and ")
                ));
            }
            if let (OptionValue::Choice(word), OptionKind::Choice(words)) = (value, &flag.form)
                && !words.contains(&word.as_str())
            {
                let words = words.join(", ");
                return Err(format!("{workload}: --{name} {word}: it takes {words}"));
            }
            if let (OptionValue::Number(n), OptionKind::Number { unit, least, most, .. }) =
                (value, &flag.form)
                && !(least..=most).contains(&n)
            {
                let space = if unit.is_empty() { "" } else { " " };
                return Err(format!(
                    "{workload}: --{name} {n}: it takes from {least} to {most}{space}{unit}"
                ));
            }
        }
        Ok(())
    }
}

/// Returns the names of options, with their dashes.
pub fn names(flags: &[WorkloadOption]) -> String {
    let names: Vec<_> = flags.iter().map(|flag| format!("--{}", flag.name)).collect();
    names.join(", ")
}
