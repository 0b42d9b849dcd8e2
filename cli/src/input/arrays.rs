//! `--load`, `--store` and `--arg`: the files of arrays. What becomes of them is `cp2_session::arrays`.

use crate::args::Arrays;
use crate::process::exit::{Failure, Outcome, bad_input, complain, usage};
use crate::storage::files::{self, Output};
use cp2_emu::state::State;
use cp2_session::Prepared;
use cp2_session::arrays::{self, ArrayOptions, FileTransfer, Problem};
use cp2_session::npy::Array;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Arrays and arguments that were asked for, their text understood.
pub(crate) struct Wanted {
    given: ArrayOptions,
    paths: Paths,
}

/// Files by the names that transfers have for them: a name need not be text, and is shown as well as it can be.
#[derive(Default)]
struct Paths(BTreeMap<String, PathBuf>);

impl Paths {
    /// Keeps the files of transfers that were read from the texts of an option.
    fn add(&mut self, option: &str, texts: &[OsString], transfers: &[FileTransfer]) -> Outcome<()> {
        texts
            .iter()
            .zip(transfers)
            .try_for_each(|(text, transfer)| self.add_one(option, text, transfer))
    }

    fn add_one(&mut self, option: &str, text: &OsStr, transfer: &FileTransfer) -> Outcome<()> {
        let shown = text.to_string_lossy();
        let wrong = |e: &str| usage(format!("{option} {shown}: {e}"));
        let path = path_of(text, transfer).map_err(wrong)?;
        match self.0.insert(transfer.path.clone(), path.clone()) {
            Some(other) if other != path => Err(wrong(
                "the names of this and of another file are the same as text; rename one of them",
            )),
            _ => Ok(()),
        }
    }

    fn of<'a>(&'a self, transfer: &'a FileTransfer) -> &'a Path {
        self.0.get(&transfer.path).map_or(Path::new(&transfer.path), PathBuf::as_path)
    }
}

/// Returns the file of a transfer that was read from an argument as far as that is text.
pub(crate) fn path_of(argument: &OsStr, transfer: &FileTransfer) -> Result<PathBuf, &'static str> {
    match argument.to_str() {
        Some(_) => Some(PathBuf::from(&transfer.path)),
        None => file_name(argument, &argument.to_string_lossy(), &transfer.path),
    }
    .ok_or("what precedes or follows the name of the file is not UTF-8 text")
}

/// Returns the part of an argument that was shown as `path` among the rest, which is text.
#[cfg(unix)]
fn file_name(argument: &OsStr, shown: &str, path: &str) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt as _;
    let bytes = argument.as_bytes();
    let begin = shown.find('=')? + 1;
    let end = bytes.len().checked_sub(shown.len() - begin - path.len())?;
    let is_text = |part: Option<&[u8]>| part.is_some_and(|part| std::str::from_utf8(part).is_ok());
    let is_around = is_text(bytes.get(..begin)) && is_text(bytes.get(end..));
    let name = bytes.get(begin..end).filter(|_| is_around)?;
    Some(OsStr::from_bytes(name).into())
}

/// Returns nothing: names of files are text on this system.
#[cfg(not(unix))]
fn file_name(_: &OsStr, _: &str, _: &str) -> Option<PathBuf> {
    None
}

/// Treatment of a run whose kernel declares arguments or arrays, and nothing is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NothingGiven {
    /// A note tells that nothing is given; registers and memory are as after reset.
    Told,
    /// The run is refused where something is needed.
    Refused,
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        bad_input(problem)
    }
}

impl Wanted {
    /// Reads the options `--load`, `--store` and `--arg`.
    pub(crate) fn read(options: &Arrays, arguments: &[String]) -> Outcome<Self> {
        Self::understood(&options.load, &options.store, arguments)
    }

    /// Reads options that load and store memory, without arguments of a kernel.
    pub(crate) fn of_memory(loads: &[OsString], stores: &[OsString]) -> Outcome<Self> {
        Self::understood(loads, stores, &[])
    }

    fn understood(loads: &[OsString], stores: &[OsString], arguments: &[String]) -> Outcome<Self> {
        let shown = |texts: &[OsString]| -> Vec<String> {
            texts.iter().map(|text| text.to_string_lossy().into_owned()).collect()
        };
        let given = ArrayOptions::read(&shown(loads), &shown(stores), arguments).map_err(usage)?;
        let mut paths = Paths::default();
        paths.add("--load", loads, &given.loads)?;
        paths.add("--store", stores, &given.stores)?;
        Ok(Self { given, paths })
    }

    /// Returns the files that are read.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = &Path> {
        self.given.loads.iter().map(|transfer| self.paths.of(transfer))
    }

    /// Returns the files that are written.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = &Path> {
        self.given.stores.iter().map(|transfer| self.paths.of(transfer))
    }

    /// Whether an array goes to standard output, where no report can be then.
    pub(crate) fn takes_standard_output(&self) -> bool {
        self.outputs().any(files::is_standard)
    }

    /// Returns the arrays to load, with what their files hold.
    pub(crate) fn loads(&self) -> Outcome<Vec<(FileTransfer, Array)>> {
        let load = |transfer: &FileTransfer| Ok((transfer.clone(), self.array(transfer)?));
        self.given.loads.iter().map(load).collect()
    }

    /// Returns arguments and arrays with what their files hold.
    #[cfg(feature = "explore")]
    pub(crate) fn request(&self) -> Outcome<arrays::ArrayRequest> {
        self.given.request(false, |transfer| self.array(transfer))
    }

    /// Returns the arrays to store.
    pub(crate) fn stores(&self) -> &[FileTransfer] {
        &self.given.stores
    }

    /// Reads the file of an array to load.
    fn array(&self, transfer: &FileTransfer) -> Outcome<Array> {
        let bytes = files::read(self.paths.of(transfer))?;
        Array::read(&bytes).map_err(|e| bad_input(format!("{transfer}: {e}")))
    }

    /// Opens the file of an array that is stored later; standard output needs none.
    pub(crate) fn open(&self, transfer: &FileTransfer) -> Outcome<Option<Output>> {
        let path = self.paths.of(transfer);
        if files::is_standard(path) { Ok(None) } else { Output::open(path).map(Some) }
    }

    /// Sets arguments and arrays of a program that has been loaded; returns the arrays to store after the run.
    pub(crate) fn prepare(
        &self,
        prepared: &mut Prepared<'_>,
        nothing: NothingGiven,
    ) -> Outcome<Results> {
        let may_lack = nothing == NothingGiven::Told;
        let is_alone = may_lack && self.given.is_nothing() && !prepared.is_set();
        let image = prepared.program.image();
        if is_alone && let Some(note) = arrays::nothing_given(image, prepared.entry) {
            complain(format!("cp2: note: {note}"));
        }
        let request = self.given.request(false, |transfer| self.array(transfer))?;
        prepared.give(&request, may_lack)?;
        let with_file = |array: &arrays::StoredArray| {
            let file = self.open(&array.transfer)?;
            Ok((array.clone(), file))
        };
        prepared.arrays.stores.iter().map(with_file).collect::<Outcome<_>>().map(Results)
    }
}

/// Writes an array to its file.
pub(crate) fn write(transfer: &FileTransfer, file: Option<Output>, array: &Array) -> Outcome<()> {
    files::finish(file, Path::new(&transfer.path), &array.write())
}

/// Arrays that are stored after the run, with their files.
pub(crate) struct Results(Vec<(arrays::StoredArray, Option<Output>)>);

impl Results {
    /// Writes all arrays, or none if one cannot be taken.
    pub(crate) fn write(self, state: &State) -> Outcome<()> {
        let take = |(array, _): &(arrays::StoredArray, _)| array.take(&state.lmem);
        let arrays: Vec<Array> = self.0.iter().map(take).collect::<Result<_, _>>()?;
        for ((stored, file), array) in self.0.into_iter().zip(&arrays) {
            write(&stored.transfer, file, array)?;
        }
        Ok(())
    }
}
