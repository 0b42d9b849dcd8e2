//! Arrays and arguments of a program that is run, given and stored as `cp2 run` does it.

use crate::worker::origin::{Failure, Settings};
use cp2_session::arrays::{ArrayOptions, FileTransfer, Problem};
use cp2_session::npy::Array;
use cp2_session::{Error, Outcome, Prepared};

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::new(&problem.place, &problem.message)
    }
}

fn read(transfer: &FileTransfer) -> Result<Array, Failure> {
    let place = transfer.to_string();
    let bytes = cp2_files::regular(transfer.path.as_ref()).map_err(|e| Failure::of(&place, &e))?;
    Array::read(&bytes).map_err(|e| Failure::of(&place, &e))
}

/// Sets arguments and arrays of a program that has been loaded; what it needs and is not given is refused.
pub(super) fn give(prepared: &mut Prepared<'_>, settings: &Settings) -> Result<(), Failure> {
    let given = ArrayOptions::read(&settings.load, &settings.store, &settings.arg)?;
    let request = given.request(false, read)?;
    prepared.give(&request, false).map_err(|error| match error {
        Error::Array(problem) => problem.into(),
        error => Failure::of("Cannot run the program", &error),
    })
}

/// Stores the arrays of a run that has stopped.
pub(super) fn store(outcome: &Outcome) -> Result<(), Failure> {
    let state = &outcome.machine.cp2.state;
    let all = &outcome.arrays.stores;
    let arrays: Vec<Array> =
        all.iter().map(|array| array.take(&state.lmem)).collect::<Result<_, _>>()?;
    for (stored, array) in all.iter().zip(arrays) {
        let place = stored.transfer.to_string();
        std::fs::write(&stored.transfer.path, array.write())
            .map_err(|e| Failure::of(&place, &e))?;
    }
    Ok(())
}
