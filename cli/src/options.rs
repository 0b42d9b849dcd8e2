//! The options of `cp2 kernels run`, made from what the workloads say they take, and the files that
//! they name.

use crate::exit::{Failure, Outcome, bad_input, usage};
use crate::files;
use clap::builder::{PossibleValuesParser, ValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use cp2_programs::catalogue;
use cp2_programs::npy::{self, ComplexMatrix};
use cp2_programs::sparse::{Csr, SparseError, market};
use cp2_programs::workload::{Flag, Form, Given, Place, Values};
use cp2_programs::{Engine, KernelError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The options that were given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    /// What they say, but for what their files hold.
    given: Values,
    paths: BTreeMap<&'static str, PathBuf>,
}

impl Options {
    /// The file of an option.
    pub(crate) fn path(&self, name: &str) -> Option<&Path> {
        self.paths.get(name).map(PathBuf::as_path)
    }

    /// The values of the options, once their workload is known to take them: files read, defaults
    /// added.
    pub(crate) fn values(&self, flags: &[Flag]) -> Outcome<Values> {
        let mut values = self.given.clone();
        for flag in flags {
            let Some(path) = self.path(flag.name) else { continue };
            match flag.form {
                Form::Read(_) => values.set(flag.name, Given::Array(read_array(path)?)),
                Form::ReadMatrix => {
                    let read =
                        if values.has("non-finite") { market::read_any } else { market::read };
                    values.set(flag.name, Given::Matrix(read_matrix(path, read)?));
                }
                _ => {}
            }
        }
        values.add_defaults(flags);
        Ok(values)
    }

    /// Refuses what a workload cannot honour, and files that do not go together, before any work.
    pub(crate) fn check(
        &self,
        (place, workload): (Place, &str),
        flags: &[Flag],
        inputs: &[Option<&Path>],
        outputs: &[Option<&Path>],
    ) -> Outcome<()> {
        catalogue::check(place, workload, flags, &self.given).map_err(usage)?;
        let (mut inputs, mut outputs) = (inputs.to_vec(), outputs.to_vec());
        for flag in flags {
            match flag.form {
                Form::Read(_) | Form::ReadMatrix => inputs.push(self.path(flag.name)),
                Form::Write(_) | Form::WriteJson => outputs.push(self.path(flag.name)),
                _ => {}
            }
        }
        files::check(&inputs, &outputs)
    }

    /// Whether an output goes to standard output, where no report can be then.
    pub(crate) fn take_standard_output(&self, flags: &[Flag]) -> bool {
        let is_output = |flag: &&Flag| matches!(flag.form, Form::Write(_) | Form::WriteJson);
        let paths = flags.iter().filter(is_output).filter_map(|flag| self.path(flag.name));
        paths.into_iter().any(files::is_standard)
    }

    /// An error that names the file that is at fault.
    pub(crate) fn failure(&self, e: KernelError) -> Failure {
        let flag = match &e {
            KernelError::Shape { flag, .. } => flag,
            KernelError::NotFinite { .. } | KernelError::Size { .. } => "input",
            _ => return e.into(),
        };
        match self.path(flag) {
            Some(path) => bad_input(format!("{}: {e}", path.display())),
            None => e.into(),
        }
    }
}

fn read_array(path: &Path) -> Outcome<ComplexMatrix> {
    npy::read_complex64(&files::read(path)?)
        .map_err(|e| bad_input(format!("{}: {e}", path.display())))
}

fn read_matrix(path: &Path, read: fn(&str) -> Result<Csr, SparseError>) -> Outcome<Csr> {
    let place = |e: &dyn std::fmt::Display| bad_input(format!("{}: {e}", path.display()));
    let bytes = files::read(path)?;
    let text = std::str::from_utf8(&bytes).map_err(|e| place(&e))?;
    read(text).map_err(|e| place(&e))
}

fn argument(flag: &Flag) -> Arg {
    let arg = Arg::new(flag.name).long(flag.name);
    let with = |parser: ValueParser, name| {
        arg.clone().action(ArgAction::Set).value_parser(parser).value_name(name)
    };
    let (arg, default) = match &flag.form {
        Form::Switch => (arg.action(ArgAction::SetTrue), None),
        Form::Number { default, .. } => {
            (with(value_parser!(u64).into(), "N"), default.map(|n| n.to_string()))
        }
        Form::Engine => {
            let names = PossibleValuesParser::new(Engine::ALL.map(Engine::name));
            (with(names.into(), "ENGINE"), Some(Engine::default().name().to_owned()))
        }
        _ => (with(value_parser!(PathBuf), "FILE"), None),
    };
    let default = default.map_or(String::new(), |default| format!(" [default: {default}]"));
    arg.help(format!("{}{default}", flag.help))
}

impl clap::Args for Options {
    fn augment_args(command: Command) -> Command {
        command.args(catalogue::flags().iter().map(argument))
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
        for flag in catalogue::flags() {
            let name = flag.name;
            if matches.value_source(name) != Some(ValueSource::CommandLine) {
                continue;
            }
            let given = match flag.form {
                Form::Switch => Some(Given::Switch),
                Form::Number { .. } => matches.get_one(name).copied().map(Given::Number),
                Form::Engine => matches
                    .get_one::<String>(name)
                    .and_then(|engine| Engine::from_name(engine))
                    .map(Given::Engine),
                _ => matches.get_one::<PathBuf>(name).map(|path| {
                    self.paths.insert(name, path.clone());
                    Given::File
                }),
            };
            if let Some(given) = given {
                self.given.set(name, given);
            }
        }
        Ok(())
    }
}
