//! `--load`, `--arg` and `--store` of `cp2 star`.

use crate::args::star::StarValues;
use crate::input::program::name_of;
use crate::process::exit::{Outcome, bad_input, usage};
use crate::storage::files::{self, Output};
use cp2_session::npy::{Array, NumberType};
use cp2_star::language::{CheckedProgram, LengthFormula, ValueType, Variable};
use cp2_star::run::{RunOutcome, StarValue};
use cp2_star::values::{Dimensions, parents};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Values that were given for inputs.
pub(super) struct Given {
    rows: Option<u64>,
    /// Arrays by the name of the input, with their files.
    arrays: Vec<(String, PathBuf, Array)>,
    texts: Vec<(String, String)>,
}

impl Given {
    /// Reads the files.
    pub(super) fn read(values: &StarValues) -> Outcome<Self> {
        let mut arrays = Vec::new();
        for text in &values.load {
            let shown_text = text.to_string_lossy();
            let pair = text.to_str().and_then(|text| text.split_once('='));
            let Some((name, path)) =
                pair.filter(|(name, path)| !name.is_empty() && !path.is_empty())
            else {
                return Err(usage(format!("--load {shown_text}: write NAME=FILE.npy")));
            };
            let path = PathBuf::from(path);
            let array = Array::read(&files::read(&path)?);
            let array = array.map_err(|e| bad_input(format!("{}: {e}", name_of(&path))))?;
            arrays.push((name.to_owned(), path, array));
        }
        let mut texts = Vec::new();
        for text in &values.arg {
            let Some((name, value)) = text.split_once('=') else {
                return Err(usage(format!("--arg {text}: write NAME=VALUE")));
            };
            texts.push((name.to_owned(), value.to_owned()));
        }
        Ok(Self { rows: values.rows, arrays, texts })
    }

    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.arrays.iter().map(|(_, path, _)| path.as_path())
    }

    /// Returns the number of rows without a graph: the one that was given, or that of the first slice or table.
    pub(super) fn rows(&self, program: &CheckedProgram) -> Outcome<usize> {
        if let Some(rows) = self.rows {
            return Ok(rows as usize);
        }
        let has_rows = |name: &str| {
            let kind = program.inputs().find(|(_, v, _)| v.name == name).map(|(_, v, _)| &v.kind);
            matches!(kind, Some(ValueType::Slice | ValueType::Table(_)))
        };
        let first = self.arrays.iter().find(|(name, ..)| has_rows(name));
        let rows = first.and_then(|(.., array)| array.shape.first().copied());
        rows.filter(|rows| (1..=1 << 20).contains(rows)).ok_or_else(|| {
            usage("how many rows? give --graph, --rmat, --rows or an array by --load, with 1 to 1048576 rows")
        })
    }

    /// Adds the values to those of the graph, whose place they take.
    pub(super) fn add(
        &self,
        program: &CheckedProgram,
        dimensions: Dimensions,
        inputs: &mut BTreeMap<String, StarValue>,
    ) -> Outcome<()> {
        for (name, path, array) in &self.arrays {
            let variable = input(program, "--load", name)?;
            let value = dimensions.value(variable, array);
            inputs.insert(
                name.clone(),
                value.map_err(|e| bad_input(format!("{}: {e}", name_of(path))))?,
            );
        }
        for (name, text) in &self.texts {
            let variable = input(program, "--arg", name)?;
            let value = dimensions.value_of_text(variable, text);
            inputs.insert(
                name.clone(),
                value.map_err(|e| usage(format!("--arg {name}={text}: {e}")))?,
            );
        }
        Ok(())
    }
}

fn input<'p>(program: &'p CheckedProgram, option: &str, name: &str) -> Outcome<&'p Variable> {
    let found = program.inputs().find(|(_, variable, _)| variable.name == name);
    found.map(|(_, variable, _)| variable).ok_or_else(|| {
        let names: Vec<&str> =
            program.inputs().map(|(_, variable, _)| variable.name.as_str()).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        usage(format!("{option} {name}: the program has no such input; the inputs are {names}"))
    })
}

/// An output that goes to a file.
struct StoredOutput {
    name: String,
    path: PathBuf,
    is_parents: bool,
}

/// Outputs that go to files.
pub(super) struct Stored(Vec<StoredOutput>);

impl Stored {
    pub(super) fn read(texts: &[String]) -> Outcome<Self> {
        let mut all = Vec::new();
        for text in texts {
            let pair =
                text.split_once('=').filter(|(name, path)| !name.is_empty() && !path.is_empty());
            let Some((name, path)) = pair else {
                return Err(usage(format!("--store {text}: write NAME=FILE or NAME=FILE:parents")));
            };
            let (path, is_parents) = match path.strip_suffix(":parents") {
                Some(path) => (path, true),
                None => (path, false),
            };
            all.push(StoredOutput { name: name.to_owned(), path: path.into(), is_parents });
        }
        Ok(Self(all))
    }

    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(|stored| stored.path.as_path())
    }

    /// Checks that the program has the outputs, and that those which go out as parents are trees.
    pub(super) fn check(&self, program: &CheckedProgram) -> Outcome<()> {
        for stored in &self.0 {
            let found = program.outputs().find(|(_, variable)| variable.name == stored.name);
            let Some((_, variable)) = found else {
                let names: Vec<&str> = program.outputs().map(|(_, v)| v.name.as_str()).collect();
                let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                let message = format!(
                    "--store {}: the program has no such output; the outputs are {names}",
                    stored.name
                );
                return Err(usage(message));
            };
            if stored.is_parents && variable.kind != ValueType::Table(Some(LengthFormula::rows())) {
                return Err(usage(format!(
                    "--store {}: a {} has no parents; a table[n] has, whose row j has its one in the column of the parent of j",
                    stored.name, variable.kind
                )));
            }
        }
        Ok(())
    }

    /// Opens the files, so that a place that cannot be written costs no run.
    pub(super) fn open(&self) -> Outcome<OpenOutputs<'_>> {
        let files = self.0.iter().map(|stored| super::open(&stored.path));
        Ok(OpenOutputs { stored: &self.0, files: files.collect::<Outcome<_>>()? })
    }
}

/// Outputs whose files are open.
pub(super) struct OpenOutputs<'s> {
    stored: &'s [StoredOutput],
    files: Vec<Option<Output>>,
}

impl OpenOutputs<'_> {
    /// Writes the values of the outputs, all of them or none.
    pub(super) fn write(
        self,
        program: &CheckedProgram,
        dimensions: Dimensions,
        outcome: &RunOutcome,
    ) -> Outcome<()> {
        let mut contents = Vec::new();
        for (stored, file) in self.stored.iter().zip(self.files) {
            let variable = program.outputs().find(|(_, variable)| variable.name == stored.name);
            let (Some((_, variable)), Some(value)) = (variable, outcome.output(&stored.name))
            else {
                continue;
            };
            let is_text = stored.path.extension().is_some_and(|ending| ending == "csv");
            let bytes = match (stored.is_parents, value) {
                (true, StarValue::Table(table)) => {
                    let parents = parents(table)
                        .map_err(|e| bad_input(format!("--store {}: {e}", stored.name)))?;
                    parents_bytes(&parents, is_text)
                }
                (_, value) if is_text => dimensions.csv(variable, value).into_bytes(),
                (_, value) => dimensions.array(variable, value).write(),
            };
            contents.push((file, stored.path.as_path(), bytes));
        }
        files::finish_all(contents)
    }
}

fn parents_bytes(parents: &[u64], is_text: bool) -> Vec<u8> {
    match is_text {
        true => parents.iter().map(|parent| format!("{parent}\n")).collect::<String>().into_bytes(),
        false => {
            let elements = parents.iter().map(|&parent| u128::from(parent));
            Array::from_bits(NumberType::Uint64, vec![parents.len()], elements).write()
        }
    }
}
