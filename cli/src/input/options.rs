//! The options of `cp2 kernels run`, made from what the workloads say they take, and the files that
//! they name.

use crate::input::arrays::path_of;
use crate::process::exit::{Failure, Outcome, bad_input, usage};
use crate::storage::files;
use clap::builder::{PossibleValuesParser, ValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use cp2_asm::{is_symbol_name, nearest};
use cp2_session::arrays::{FileDirection, FileTransfer, convert};
use cp2_session::npy::{self, NumberType};
use cp2_session::sparse::{Csr, SparseError, market};
use cp2_session::workload::{
    ArraySpec, NamedNumbers, OptionKind, OptionValue, OptionValues, Platform, WorkloadOption,
};
use cp2_session::{Engine, KernelError};
use cp2_workloads::catalogue;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Options of a workload that were given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    /// Values of the options, but for what their files hold.
    given: OptionValues,
    paths: BTreeMap<&'static str, PathBuf>,
    /// Arrays to read and to write, as they were written.
    arrays: BTreeMap<&'static str, Vec<OsString>>,
}

/// File to which the array of this name is written.
#[derive(Clone, Debug)]
pub(crate) struct OutputPath {
    pub(crate) array: String,
    pub(crate) path: PathBuf,
}

/// Array to read from a file.
struct Input {
    transfer: FileTransfer,
    /// File of the array, whose name need not be text.
    path: PathBuf,
}

impl Options {
    /// Returns the file of an option.
    pub(crate) fn path(&self, name: &str) -> Option<&Path> {
        self.paths.get(name).map(PathBuf::as_path)
    }

    /// Whether an option was given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.given.has(name) || self.paths.contains_key(name)
    }

    /// Returns the values of the options, once their workload is known to take them: files read, defaults added.
    pub(crate) fn values(&self, options: &[WorkloadOption]) -> Outcome<OptionValues> {
        let mut values = self.given.clone();
        for option in options {
            match (&option.form, self.path(option.name)) {
                (OptionKind::Read(arrays), _) => {
                    let inputs = self.inputs(option.name, arrays)?;
                    if let Some(given) = read_arrays(arrays, &inputs)? {
                        values.set(option.name, given);
                    }
                }
                (OptionKind::Numbers(numbers), _) => {
                    if let Some(given) = self.numbers(option.name, numbers)? {
                        values.set(option.name, given);
                    }
                }
                (OptionKind::ReadMatrix, Some(path)) => {
                    let read =
                        if values.has("non-finite") { market::read_any } else { market::read };
                    values.set(option.name, OptionValue::Matrix(read_matrix(path, read)?));
                }
                (OptionKind::ReadText, Some(path)) => {
                    values.set(option.name, OptionValue::Text(read_text(path)?));
                }
                _ => {}
            }
        }
        values.add_defaults(options);
        Ok(values)
    }

    /// Refuses options that a workload cannot honour, and files that do not go together, before any work.
    pub(crate) fn check(
        &self,
        (platform, workload): (Platform, &str),
        options: &[WorkloadOption],
        inputs: &[Option<&Path>],
        outputs: &[Option<&Path>],
    ) -> Outcome<()> {
        catalogue::check(platform, workload, options, &self.given).map_err(usage)?;
        let (mut inputs, mut outputs) = (inputs.to_vec(), outputs.to_vec());
        let (mut arrays, mut results) = (Vec::new(), Vec::new());
        for option in options {
            match &option.form {
                OptionKind::Read(takes) => arrays.extend(self.inputs(option.name, takes)?),
                OptionKind::Numbers(numbers) if self.written_out(option.name).is_none() => {
                    let takes = std::slice::from_ref(&numbers.array);
                    arrays.extend(self.inputs(option.name, takes)?);
                }
                OptionKind::ReadMatrix | OptionKind::ReadText => {
                    inputs.push(self.path(option.name));
                }
                OptionKind::Write(takes) => results.extend(self.outputs(option.name, takes)?),
                OptionKind::WriteJson => outputs.push(self.path(option.name)),
                _ => {}
            }
        }
        inputs.extend(arrays.iter().map(|input| Some(input.path.as_path())));
        outputs.extend(results.iter().map(|output| Some(output.path.as_path())));
        files::check(&inputs, &outputs)
    }

    /// Returns the numbers of an option that are written out; none if it is not given, or names a file.
    fn written_out(&self, option: &str) -> Option<&str> {
        let text = self.arrays.get(option)?.first()?.to_str()?;
        let are_numbers = text.contains(',') || text.parse::<f64>().is_ok();
        (are_numbers && !text.contains(".npy")).then_some(text)
    }

    /// Reads a few numbers that are written out or stand in a file, finite in either case.
    fn numbers(&self, option: &str, takes: &NamedNumbers) -> Outcome<Option<OptionValue>> {
        let name = takes.array.name.to_string();
        if let Some(text) = self.written_out(option) {
            let array = takes.read(text).map_err(|e| usage(format!("--{option} {text}: {e}")))?;
            return Ok(Some(OptionValue::Arrays(BTreeMap::from([(name, array)]))));
        }
        let arrays = std::slice::from_ref(&takes.array);
        let inputs = self.inputs(option, arrays)?;
        let given = read_arrays(arrays, &inputs)?;
        if let (Some(OptionValue::Arrays(all)), Some(input)) = (&given, inputs.first()) {
            let all = all.values().try_for_each(|array| takes.check_finite(array));
            all.map_err(|e| bad_input(format!("{}: {e}", input.path.display())))?;
        }
        Ok(given)
    }

    /// Returns the arrays that an option names; a single one need not have its name.
    fn inputs(&self, option: &str, takes: &[ArraySpec]) -> Outcome<Vec<Input>> {
        let names: Vec<&str> = takes.iter().map(|array| array.name.as_ref()).collect();
        let mut all: Vec<Input> = Vec::new();
        for text in self.arrays.get(option).into_iter().flatten() {
            let shown = text.to_string_lossy();
            let wrong = |message: String| usage(format!("--{option} {shown}: {message}"));
            let is_named =
                |name: &&&str| shown.strip_prefix(**name).is_some_and(|rest| rest.starts_with('='));
            let mut whole = OsString::new();
            match (names.iter().find(is_named), &names[..]) {
                (Some(_), _) => {}
                (None, [only]) => {
                    check_name(&shown, &names).map_err(wrong)?;
                    whole.push(format!("{only}="));
                }
                (None, _) => {
                    let names = names.join(", ");
                    return Err(wrong(format!("write NAME=FILE; the arrays are {names}")));
                }
            }
            whole.push(text);
            let transfer =
                FileTransfer::read(FileDirection::Load, &whole.to_string_lossy()).map_err(wrong)?;
            let path = path_of(&whole, &transfer).map_err(|e| wrong(e.to_owned()))?;
            if all.iter().any(|other| other.transfer.target == transfer.target) {
                return Err(wrong(format!("{} is given twice", transfer.target)));
            }
            all.push(Input { transfer, path });
        }
        Ok(all)
    }

    /// Returns the files that an option writes, each with the name of its array. A file without a name takes the only
    /// array, or the only one that is not optional.
    pub(crate) fn outputs(&self, option: &str, takes: &[ArraySpec]) -> Outcome<Vec<OutputPath>> {
        let names: Vec<&str> = takes.iter().map(|array| array.name.as_ref()).collect();
        let mut usual = takes.iter().filter(|array| takes.len() == 1 || !array.is_optional);
        let usual = usual.next().filter(|_| usual.next().is_none());
        let mut all: Vec<OutputPath> = Vec::new();
        for text in self.arrays.get(option).into_iter().flatten() {
            let shown = text.to_string_lossy();
            let wrong = |message: String| usage(format!("--{option} {shown}: {message}"));
            let named = names.iter().find_map(|name| {
                let path = shown.strip_prefix(*name)?.strip_prefix('=')?;
                Some((*name, path))
            });
            let (array, path) = match (named, usual) {
                (Some(_), _) if text.to_str().is_none() => {
                    return Err(wrong("the name of the file is not UTF-8 text".to_owned()));
                }
                (Some((name, path)), _) => (name.to_owned(), PathBuf::from(path)),
                (None, Some(usual)) => {
                    check_name(&shown, &names).map_err(wrong)?;
                    (usual.name.to_string(), PathBuf::from(text))
                }
                (None, None) => {
                    let names = names.join(", ");
                    return Err(wrong(format!("write NAME=FILE; the results are {names}")));
                }
            };
            if path.as_os_str().is_empty() {
                return Err(wrong(format!("write {array}=FILE")));
            }
            if all.iter().any(|other| other.array == array) {
                return Err(wrong(format!("{array} is given twice")));
            }
            all.push(OutputPath { array, path });
        }
        Ok(all)
    }

    /// Whether an output goes to standard output, where no report can be then.
    pub(crate) fn take_standard_output(&self, options: &[WorkloadOption]) -> bool {
        options.iter().any(|option| match &option.form {
            OptionKind::Write(takes) => {
                let outputs = self.outputs(option.name, takes).unwrap_or_default();
                outputs.iter().any(|output| files::is_standard(&output.path))
            }
            OptionKind::WriteJson => self.path(option.name).is_some_and(files::is_standard),
            _ => false,
        })
    }

    /// Returns the failure of an error, with the name of the file that is at fault.
    pub(crate) fn failure(&self, e: KernelError) -> Failure {
        let option = match &e {
            KernelError::Shape { option, .. } | KernelError::Text { option, .. } => option,
            KernelError::NotFinite { .. } | KernelError::Size { .. } => "input",
            _ => return e.into(),
        };
        let array = self.arrays.get(option).filter(|texts| texts.len() == 1);
        let array = array.and_then(|texts| texts.first()).map(Path::new);
        match self.path(option).or(array) {
            Some(path) => bad_input(format!("{}: {e}", path.display())),
            None => e.into(),
        }
    }
}

/// Refuses `NAME=FILE` in place of a file alone where there is no array of the name.
fn check_name(text: &str, names: &[&str]) -> Result<(), String> {
    let Some((name, file)) = text.split_once('=').filter(|(name, _)| is_symbol_name(name)) else {
        return Ok(());
    };
    let near = nearest(name, names.iter().copied());
    let help = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
    let (all, first) = (names.join(", "), names.first().unwrap_or(&""));
    Err(format!(
        "there is no array `{name}`; {help}Write {first}={file}, or {first}={text} for a file of that name; the arrays are {all}"
    ))
}

/// Reads the arrays of an option from their files.
fn read_arrays(takes: &[ArraySpec], inputs: &[Input]) -> Outcome<Option<OptionValue>> {
    let mut all = BTreeMap::new();
    for Input { transfer, path } in inputs {
        let bytes = files::read(path)?;
        let wrong = |e: &dyn std::fmt::Display| bad_input(format!("{}: {e}", path.display()));
        let name = transfer.target.to_string();
        let array = takes.iter().find(|array| array.name == name);
        let Some(ArraySpec { kind, shape, .. }) = array else { continue };
        // Vectors are the rows of a matrix, or one alone.
        let is_matrix = takes.len() == 1 && *kind == NumberType::Complex64 && shape.len() == 2;
        if is_matrix && transfer.converted.is_none() {
            let matrix = npy::read_complex64(&bytes).map_err(|e| wrong(&e))?;
            return Ok(Some(OptionValue::Array(matrix)));
        }
        let array = npy::Array::read(&bytes).map_err(|e| wrong(&e))?;
        if array.kind != *kind && transfer.converted != Some(*kind) {
            let message = format!(
                "{name} is {kind}, and the file has {}; `:as={kind}` converts it",
                array.kind
            );
            return Err(wrong(&message));
        }
        let array = convert(&array, *kind, false).map_err(|e| wrong(&e))?;
        if is_matrix {
            let matrix = npy::read_complex64(&array.write()).map_err(|e| wrong(&e))?;
            return Ok(Some(OptionValue::Array(matrix)));
        }
        all.insert(name, array);
    }
    Ok((!all.is_empty()).then_some(OptionValue::Arrays(all)))
}

fn read_matrix(path: &Path, read: fn(&str) -> Result<Csr, SparseError>) -> Outcome<Csr> {
    read(&read_text(path)?).map_err(|e| bad_input(format!("{}: {e}", path.display())))
}

fn read_text(path: &Path) -> Outcome<String> {
    let bytes = files::read(path)?;
    String::from_utf8(bytes)
        .map_err(|e| bad_input(format!("{}: {}", path.display(), e.utf8_error())))
}

fn argument(option: &WorkloadOption) -> Arg {
    let arg = Arg::new(option.name).long(option.name);
    let with = |parser: ValueParser, name| {
        arg.clone().action(ArgAction::Set).value_parser(parser).value_name(name)
    };
    let (arg, default) = match &option.form {
        OptionKind::Switch => (arg.action(ArgAction::SetTrue), None),
        OptionKind::Number { default, .. } => {
            (with(value_parser!(u64).into(), "N"), default.map(|n| n.to_string()))
        }
        OptionKind::Choice(words) => {
            let all = catalogue::words(option.name);
            // Where workloads differ in their words, the help tells what they take by default.
            let default = words.first().filter(|_| all.len() == words.len());
            let parser = PossibleValuesParser::new(all);
            (with(parser.into(), "WORD"), default.map(|&word| word.to_owned()))
        }
        OptionKind::Engine => {
            let names = PossibleValuesParser::new(Engine::ALL.map(Engine::name));
            (with(names.into(), "ENGINE"), Some(Engine::default().name().to_owned()))
        }
        OptionKind::Read(_) | OptionKind::Write(_) => {
            let name = "[NAME=]FILE";
            (with(value_parser!(OsString), name).action(ArgAction::Append), None)
        }
        OptionKind::Numbers(_) => {
            // The first may be negative.
            let arg = with(value_parser!(OsString), "N,...|FILE").allow_hyphen_values(true);
            (arg, None)
        }
        _ => (with(value_parser!(PathBuf), "FILE"), None),
    };
    let default = default.map_or(String::new(), |default| format!(" [default: {default}]"));
    arg.help(format!("{}{default}", option.help))
}

impl clap::Args for Options {
    fn augment_args(command: Command) -> Command {
        command.args(catalogue::option_list().iter().map(argument))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for Options {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut options = Self::default();
        options.update_from_arg_matches(matches)?;
        Ok(options)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for option in catalogue::option_list() {
            let name = option.name;
            if matches.value_source(name) != Some(ValueSource::CommandLine) {
                continue;
            }
            let given = match option.form {
                OptionKind::Switch => Some(OptionValue::Switch),
                OptionKind::Number { .. } => {
                    matches.get_one(name).copied().map(OptionValue::Number)
                }
                OptionKind::Choice(_) => {
                    matches.get_one::<String>(name).cloned().map(OptionValue::Choice)
                }
                OptionKind::Engine => matches
                    .get_one::<String>(name)
                    .and_then(|engine| Engine::from_name(engine))
                    .map(OptionValue::Engine),
                OptionKind::Read(_) | OptionKind::Numbers(_) | OptionKind::Write(_) => {
                    matches.get_many::<OsString>(name).map(|texts| {
                        self.arrays.insert(name, texts.cloned().collect());
                        OptionValue::File
                    })
                }
                _ => matches.get_one::<PathBuf>(name).map(|path| {
                    self.paths.insert(name, path.clone());
                    OptionValue::File
                }),
            };
            if let Some(given) = given {
                self.given.set(name, given);
            }
        }
        Ok(())
    }
}
