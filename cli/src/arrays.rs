//! `--load`, `--store` and `--arg`: the files of arrays. What becomes of them is `cp2_programs::arrays`.

use crate::args::Arrays;
use crate::exit::{Failure, Outcome, bad_input, complain, usage};
use crate::files::{self, Output};
use cp2_asm::image::Image;
use cp2_emu::Cp2;
use cp2_emu::state::State;
use cp2_isa::BundleAddress;
use cp2_programs::arrays::{self, Prepared, Problem, Request, Transfer, Way};
use cp2_programs::npy::Array;
use std::path::Path;

/// What was asked for, its text understood.
pub(crate) struct Wanted {
    arguments: Vec<(String, String)>,
    loads: Vec<Transfer>,
    stores: Vec<Transfer>,
}

fn transfers(way: Way, option: &str, texts: &[String]) -> Outcome<Vec<Transfer>> {
    let read = |text: &String| {
        Transfer::read(way, text).map_err(|e| usage(format!("{option} {text}: {e}")))
    };
    texts.iter().map(read).collect()
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        bad_input(problem)
    }
}

impl Wanted {
    /// Understands the options.
    pub(crate) fn read(options: &Arrays, arguments: &[String]) -> Outcome<Self> {
        let argument = |text: &String| match text.split_once('=') {
            Some((name, value)) if !name.is_empty() && !value.is_empty() => {
                Ok((name.trim().to_owned(), value.trim().to_owned()))
            }
            _ => Err(usage(format!("--arg {text}: write NAME=VALUE, such as n=512"))),
        };
        let arguments = arguments.iter().map(argument).collect::<Outcome<_>>()?;
        Ok(Self { arguments, ..Self::of_memory(&options.load, &options.store)? })
    }

    /// Understands loads and stores alone.
    pub(crate) fn of_memory(loads: &[String], stores: &[String]) -> Outcome<Self> {
        Ok(Self {
            arguments: Vec::new(),
            loads: transfers(Way::Load, "--load", loads)?,
            stores: transfers(Way::Store, "--store", stores)?,
        })
    }

    /// The files that are read.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = &Path> {
        self.loads.iter().map(|transfer| Path::new(transfer.path.as_str()))
    }

    /// The files that are written.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = &Path> {
        self.stores.iter().map(|transfer| Path::new(transfer.path.as_str()))
    }

    /// Whether an array goes to standard output, where no report can be then.
    pub(crate) fn takes_standard_output(&self) -> bool {
        self.outputs().any(files::is_standard)
    }

    /// The arrays to load, with what their files hold.
    pub(crate) fn loads(&self) -> Outcome<Vec<(Transfer, Array)>> {
        let read = |transfer: &Transfer| {
            let bytes = files::read(Path::new(&transfer.path))?;
            let array = Array::read(&bytes).map_err(|e| bad_input(format!("{transfer}: {e}")))?;
            Ok((transfer.clone(), array))
        };
        self.loads.iter().map(read).collect()
    }

    /// The arrays to store.
    pub(crate) fn stores(&self) -> &[Transfer] {
        &self.stores
    }

    /// Sets arguments and arrays of a program that has been loaded.
    pub(crate) fn prepare(
        &self,
        cp2: &mut Cp2,
        (image, entry): (&Image, BundleAddress),
        is_set: bool,
    ) -> Outcome<Results> {
        let is_alone =
            !is_set && self.arguments.is_empty() && self.loads.is_empty() && self.stores.is_empty();
        if is_alone && let Some(note) = arrays::nothing_given(image, entry) {
            complain(format!("cp2: note: {note}"));
        }
        let request = Request {
            arguments: self.arguments.clone(),
            loads: self.loads()?,
            stores: self.stores.clone(),
            is_set: is_set || is_alone,
        };
        let prepared = arrays::prepare(cp2, image, entry, &request)?;
        let with_file = |prepared: Prepared| {
            let file = open(&prepared.transfer)?;
            Ok((prepared, file))
        };
        Ok(Results(prepared.into_iter().map(with_file).collect::<Outcome<_>>()?))
    }
}

/// Opens the file of an array that is stored later; standard output needs none.
pub(crate) fn open(transfer: &Transfer) -> Outcome<Option<Output>> {
    let path = Path::new(&transfer.path);
    if files::is_standard(path) { Ok(None) } else { Output::open(path).map(Some) }
}

/// Writes an array to its file.
pub(crate) fn write(transfer: &Transfer, file: Option<Output>, array: &Array) -> Outcome<()> {
    files::finish(file, Path::new(&transfer.path), &array.write())
}

/// Arrays that are stored after the run.
pub(crate) struct Results(Vec<(Prepared, Option<Output>)>);

impl Results {
    /// Writes all of them, or none if one cannot be taken.
    pub(crate) fn write(self, state: &State) -> Outcome<()> {
        let take = |(prepared, _): &(Prepared, _)| prepared.take(&state.lmem);
        let arrays: Vec<Array> = self.0.iter().map(take).collect::<Result<_, _>>()?;
        for ((prepared, file), array) in self.0.into_iter().zip(&arrays) {
            write(&prepared.transfer, file, array)?;
        }
        Ok(())
    }
}
