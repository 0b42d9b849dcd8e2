//! The options that workloads take, each with its type, unit, default and limits. The command line makes its arguments,
//! its error messages and the list of workloads from them.

use super::Text;
use crate::engine::Engine;
use crate::execution::Execution;
use crate::npy::{self, ComplexMatrix, NumberType};
use crate::sparse::Csr;
use cp2_isa::Core;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::Hasher as _;
use twox_hash::XxHash64;

/// Name of the option for the limit of cycles.
const LIMIT: &str = "max-cycles";

/// The kind of value that an option of a workload takes: its type, its limits, its default. The workload chooses it,
/// and [`OptionValue`] is a value of such a kind.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionKind {
    /// No value: the option is given or not.
    Switch,
    /// A whole number from `least` to `most`.
    Number {
        /// Unit of the number, for messages; empty if it has none.
        unit: &'static str,
        /// Value that counts if the option is absent; `None` if the workload then decides by itself.
        default: Option<u64>,
        /// Least value that is allowed.
        least: u64,
        /// Largest value that is allowed.
        most: u64,
    },
    /// A choice of one of these words; the first one counts if the option is absent.
    Choice(&'static [&'static str]),
    /// Name of the engine that runs the kernels: `fast`, `portable` or `reference`.
    Engine,
    /// Files from which arrays are read, each given with the name of its array. Where a single array is taken, its name
    /// may be left out.
    Read(Vec<ArraySpec>),
    /// A fixed number of floats, written out with commas between, or a file with an array of them.
    Numbers(NamedNumbers),
    /// A Matrix Market file from which a sparse matrix is read.
    ReadMatrix,
    /// A file of text.
    ReadText,
    /// `.npy` files to which arrays are written, each given with the name of its array. A file without a name takes the
    /// only array, or the only one that is not optional.
    Write(Vec<ArraySpec>),
    /// A file to which a JSON document is written.
    WriteJson,
}

/// A fixed number of single-precision numbers that an option takes, each with a name, such as the weights of a stencil.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedNumbers {
    /// Array of one dimension that a file has to hold if the numbers are given in a file.
    pub array: ArraySpec,
    /// Names of the numbers, in their order; there are as many numbers as names.
    pub names: &'static [&'static str],
}

impl NamedNumbers {
    /// Reads the numbers from a text with commas between, such as `1,0.5`, and returns them as an array of float32 with
    /// one axis.
    ///
    /// # Errors
    /// The text has another number of parts than there are names, or a part is no finite number; the message names the
    /// part, and what the option takes.
    pub fn read(&self, text: &str) -> Result<npy::Array, String> {
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        if parts.len() != self.names.len() {
            let (found, takes) = (parts.len(), self.names.len());
            return Err(format!(
                "{found} numbers are given; it takes {takes}: {}",
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

    /// Refuses an array of these numbers that has a NaN or an infinity.
    ///
    /// # Errors
    /// A number is not finite; the message tells which one, its name, and what the option takes.
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

/// The name, the type and the shape that an array must have so that an option of a workload takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArraySpec {
    /// Name of the array, by which a user gives it where an option takes several arrays.
    pub name: Text,
    /// Type that the elements must have.
    pub kind: NumberType,
    /// Size of each axis, as a text: a number stands for exactly this size, and any other word, such as `rows`, for any
    /// size.
    pub shape: Vec<String>,
    /// Whether the array may be left out while the option's other arrays are given.
    pub is_optional: bool,
}

impl ArraySpec {
    /// Creates the specification of an array `x` of complex64 with two axes. Each is a number, for exactly this size,
    /// or a name, for any size.
    pub fn complex64(rows: impl fmt::Display, columns: impl fmt::Display) -> Self {
        let shape = vec![rows.to_string(), columns.to_string()];
        Self { name: "x".into(), kind: NumberType::Complex64, shape, is_optional: false }
    }

    /// Creates the specification of an array of float32 with this name. `shape` has a text for each axis: a number for
    /// exactly this size, or a name for any size.
    pub fn float32(name: &'static str, shape: &[&str]) -> Self {
        let shape = shape.iter().map(|&axis| axis.to_owned()).collect();
        Self { name: name.into(), kind: NumberType::Float32, shape, is_optional: false }
    }

    /// Returns the specification with the array made optional: it may be left out while the option's other arrays are
    /// given.
    pub fn optional(self) -> Self {
        Self { is_optional: true, ..self }
    }

    /// Whether an array with these sizes along its axes has the shape: the number of axes is the same, and so is every
    /// size that the specification gives as a number.
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

/// An option that a workload takes: its name, the kind of its value, and what it does.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkloadOption {
    /// Name of the option, without the dashes of the command line.
    pub name: &'static str,
    /// Kind of the option's value, with its limits and its default.
    pub form: OptionKind,
    /// Description of the option's effect, for people.
    pub help: &'static str,
    /// Names of options that replace this one: where all of them are given, this one would have no effect and is
    /// refused. Empty if the option always has an effect.
    pub replaced_by: &'static [&'static str],
}

impl WorkloadOption {
    /// Creates an option that takes a value of this kind, and that no other options replace. `name` is without dashes,
    /// `help` says for people what the option does.
    pub fn new(name: &'static str, form: OptionKind, help: &'static str) -> Self {
        Self { name, form, help, replaced_by: &[] }
    }

    /// Creates an option without a value: it is given or not. `help` says for people what it does.
    pub fn switch(name: &'static str, help: &'static str) -> Self {
        Self::new(name, OptionKind::Switch, help)
    }

    /// Creates an option that takes a whole number from 1 to `most`. `unit` is the unit of the number, `default` the
    /// value if the option is absent (`None` lets the workload decide), and `help` says for people what the option
    /// does.
    pub fn number(
        name: &'static str,
        unit: &'static str,
        default: Option<u64>,
        most: usize,
        help: &'static str,
    ) -> Self {
        Self::new(name, OptionKind::Number { unit, default, least: 1, most: most as u64 }, help)
    }

    /// Returns the option with the names of those that replace it: where all of them are given, it has no effect and is
    /// refused.
    pub fn replaced_by(self, others: &'static [&'static str]) -> Self {
        Self { replaced_by: others, ..self }
    }

    /// Creates an option that takes one of these words, the first one if it is absent. `help` says for people what the
    /// option does.
    pub fn choice(name: &'static str, words: &'static [&'static str], help: &'static str) -> Self {
        Self::new(name, OptionKind::Choice(words), help)
    }

    /// Creates the two options that every workload takes: `max-cycles`, the limit of cycles for a run of a kernel, and
    /// `engine`.
    pub fn execution() -> [Self; 2] {
        let cycles = OptionKind::Number {
            unit: "cycles",
            default: Some(Execution::MAX_CYCLES),
            least: 0,
            most: u64::MAX,
        };
        let limit = "Most cycles of one run of the kernel, and of the transfers that go with it";
        let engine = "Engine that runs the kernels; all engines give the same results";
        [Self::new(LIMIT, cycles, limit), Self::new("engine", OptionKind::Engine, engine)]
    }

    /// Creates the two options of procedures that show their timeline, what CP2, channel and host did in every cycle:
    /// `timeline` as text, and `timeline-json` as a file.
    pub fn timeline() -> [Self; 2] {
        [
            Self::switch(
                "timeline",
                "Print a timeline: when CP2, the DMA channel and the host were busy",
            ),
            Self::new(
                "timeline-json",
                OptionKind::WriteJson,
                "Write the timeline as JSON; `-` is standard output",
            ),
        ]
    }
}

/// A value that a user gave for an option, of the kind that its [`OptionKind`] tells.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionValue {
    /// An option without a value, which was given.
    Switch,
    /// A whole number.
    Number(u64),
    /// The word that was chosen.
    Choice(String),
    /// The engine that was chosen.
    Engine(Engine),
    /// A complex matrix that was read from a file.
    Array(ComplexMatrix),
    /// Arrays that were read from files or written out, by the names that [`ArraySpec`] gives them.
    Arrays(BTreeMap<String, npy::Array>),
    /// A sparse matrix that was read from a file.
    Matrix(Csr),
    /// A text that was read from a file.
    Text(String),
    /// A file of which only the caller knows the path and the contents, such as a file to write.
    File,
}

/// Values of the options of one request, by the names of the options: values that the user gave, and defaults that were
/// added.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OptionValues(BTreeMap<&'static str, OptionValue>);

impl OptionValues {
    /// Sets the value of an option, in place of the one that it had. `name` is without dashes.
    pub fn set(&mut self, name: &'static str, value: OptionValue) {
        self.0.insert(name, value);
    }

    /// Whether the option has a value, given or added by default.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Returns the number that an option has, given or added by default; `None` if the option is absent or takes no
    /// number.
    pub fn number(&self, name: &str) -> Option<u64> {
        match self.0.get(name) {
            Some(OptionValue::Number(n)) => Some(*n),
            _ => None,
        }
    }

    /// Returns the word that was chosen for an option; `None` if the option is absent or no choice of words.
    pub fn choice(&self, name: &str) -> Option<&str> {
        match self.0.get(name) {
            Some(OptionValue::Choice(word)) => Some(word),
            _ => None,
        }
    }

    /// Returns the complex matrix that was read for an option; `None` if the option is absent or has another kind of
    /// value.
    pub fn array(&self, name: &str) -> Option<&ComplexMatrix> {
        match self.0.get(name) {
            Some(OptionValue::Array(array)) => Some(array),
            _ => None,
        }
    }

    /// Returns the array with the name `array` among the arrays that were read for the option `name`; `None` if there
    /// is none.
    pub fn named(&self, name: &str, array: &str) -> Option<&npy::Array> {
        match self.0.get(name) {
            Some(OptionValue::Arrays(arrays)) => arrays.get(array),
            _ => None,
        }
    }

    /// Returns the elements of the array with the name `array` among the arrays that were read for the option `name`;
    /// `None` if there is none. The array has to be of float32.
    pub fn floats(&self, name: &str, array: &str) -> Option<Vec<f32>> {
        self.named(name, array).map(npy::Array::to_floats)
    }

    /// Returns the sparse matrix that was read for an option; `None` if the option is absent or has another kind of
    /// value.
    pub fn matrix(&self, name: &str) -> Option<&Csr> {
        match self.0.get(name) {
            Some(OptionValue::Matrix(matrix)) => Some(matrix),
            _ => None,
        }
    }

    /// Returns the text that was read for an option; `None` if the option is absent or has another kind of value.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.0.get(name) {
            Some(OptionValue::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Returns the way to run kernels on a core, with the values of the options `engine` and `max-cycles`, or the usual
    /// ones where they are absent.
    pub fn execution(&self, core: Core) -> Execution {
        let usual = Execution::on(core);
        let engine = match self.0.get("engine") {
            Some(OptionValue::Engine(engine)) => *engine,
            _ => usual.engine,
        };
        let max_cycles = self.number(LIMIT);
        Execution { core, engine, max_cycles, ..usual }
    }

    /// Returns an XXH64 digest of the names and values of all options, except for values that are files. Runs with the
    /// same digest have the same inputs; a checkpoint and a sweep know a run by it.
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

    /// Adds the default numbers of those of `options` that take a number and have a default and no value yet. The limit of
    /// cycles stays absent: a workload may choose it by the size of its task where none is given.
    pub fn add_defaults(&mut self, options: &[WorkloadOption]) {
        for option in options.iter().filter(|option| option.name != LIMIT) {
            if let OptionKind::Number { default: Some(n), .. } = option.form {
                self.0.entry(option.name).or_insert(OptionValue::Number(n));
            }
        }
    }

    /// Refuses values that a workload cannot honour. `workload` is its name, for messages, and `options` are the
    /// options that it takes.
    ///
    /// # Errors
    /// An option that the workload does not take, an option that others replace, a word that is none of its choice, or
    /// a number out of its limits. The message names workload, option, and what it takes.
    pub fn check(&self, workload: &str, options: &[WorkloadOption]) -> Result<(), String> {
        for (name, value) in &self.0 {
            let Some(option) = options.iter().find(|option| option.name == *name) else {
                return Err(format!("{workload} takes no --{name}; it takes {}", names(options)));
            };
            let replaced = option.replaced_by;
            if !replaced.is_empty() && replaced.iter().all(|other| self.has(other)) {
                let others: Vec<_> = replaced.iter().map(|other| format!("--{other}")).collect();
                return Err(format!(
                    "{workload}: --{name} cannot be used with {}: it would have no effect",
                    others.join(" and ")
                ));
            }
            if let (OptionValue::Choice(word), OptionKind::Choice(words)) = (value, &option.form)
                && !words.contains(&word.as_str())
            {
                let words = words.join(", ");
                return Err(format!("{workload}: --{name} {word}: it takes {words}"));
            }
            if let (OptionValue::Number(n), OptionKind::Number { unit, least, most, .. }) =
                (value, &option.form)
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

/// Returns the names of `options`, with two dashes before each and commas between.
pub fn names(options: &[WorkloadOption]) -> String {
    let names: Vec<_> = options.iter().map(|option| format!("--{}", option.name)).collect();
    names.join(", ")
}
