//! Arrays and arguments of a program that is run: as `cp2 run` takes them.

use crate::worker::origin::{Failure, Settings};
use cp2_asm::image::Image;
use cp2_emu::Cp2;
use cp2_emu::state::State;
use cp2_isa::BundleAddress;
use cp2_session::arrays::{self, Given, Prepared, Problem, Transfer};
use cp2_session::npy::Array;

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::new(&problem.place, &problem.message)
    }
}

fn read(transfer: &Transfer) -> Result<Array, Failure> {
    let place = transfer.to_string();
    let bytes = std::fs::read(&transfer.path).map_err(|e| Failure::of(&place, &e))?;
    Array::read(&bytes).map_err(|e| Failure::of(&place, &e))
}

/// Sets arguments and arrays of a program that has been loaded; what it needs and is not given is refused. Gives the
/// arrays that are stored after the run.
pub(super) fn prepare(
    cp2: &mut Cp2,
    (image, entry): (&Image, BundleAddress),
    settings: &Settings,
    is_set: bool,
) -> Result<Vec<Prepared>, Failure> {
    let given = Given::read(&settings.load, &settings.store, &settings.arg)?;
    let request = given.request(is_set, read)?;
    Ok(arrays::prepare(cp2, image, entry, &request)?.stores)
}

/// Stores the arrays of a run that has stopped.
pub(super) fn store(all: &[Prepared], state: &State) -> Result<(), Failure> {
    let take = |prepared: &Prepared| prepared.take(&state.lmem);
    let arrays: Vec<Array> = all.iter().map(take).collect::<Result<_, _>>()?;
    for (prepared, array) in all.iter().zip(arrays) {
        let place = prepared.transfer.to_string();
        std::fs::write(&prepared.transfer.path, array.write())
            .map_err(|e| Failure::of(&place, &e))?;
    }
    Ok(())
}
