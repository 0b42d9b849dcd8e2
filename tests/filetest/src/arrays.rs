//! A user's arguments and arrays before a run, and the arrays that it has to give, as `given` has read them.

use crate::Failure;
use crate::directive::{Plan, RunDirective};
use crate::given::Compared;
use cp2_emu::state::State;
use cp2_session as session;
use cp2_session::arrays::{ArrayRequest, ArrayTarget, StoredArray, Tolerance, compare, kernel_at};
use cp2_session::npy::Array;

/// Function that reads a file of arrays: gets the name of the test and the path that stands in it, and returns the
/// bytes of the file, or a message that says why it cannot be read.
pub type ArrayLoader<'a> = dyn Fn(&str, &str) -> Result<Vec<u8>, String> + Sync + 'a;

/// Source of the arrays of a test.
pub(crate) struct Files<'a> {
    /// Name of the test.
    pub(crate) from: &'a str,
    pub(crate) read: &'a ArrayLoader<'a>,
}

impl Files<'_> {
    fn array(&self, path: &str, line: usize) -> Result<Array, Failure> {
        let wrong = |why| Failure::new(line, why);
        let bytes = (self.read)(self.from, path).map_err(wrong)?;
        Array::read(&bytes).map_err(|e| Failure::new(line, format!("{path}: {e}")))
    }
}

/// Array that a run has to give, with its place.
pub(crate) struct Expected {
    line: usize,
    prepared: StoredArray,
    array: Array,
    tolerance: Tolerance,
}

impl Expected {
    /// Compares the array with what a run has left.
    pub(crate) fn check(&self, state: &State) -> Option<Failure> {
        let name = &self.prepared.transfer.target;
        let told = match self.prepared.take(&state.lmem) {
            Err(problem) => problem.to_string(),
            Ok(found) => {
                let difference = compare(&found, &self.array, self.tolerance)?;
                format!("{name} is not {}: {difference}", self.prepared.transfer.path)
            }
        };
        Some(Failure::new(self.line, told))
    }
}

/// Sets arguments and arrays of a run, and finds where the results will lie.
pub(crate) fn prepare(
    machine: &mut session::Prepared<'_>,
    (plan, run): (&Plan, &RunDirective),
    (files, is_set): (&Files<'_>, bool),
) -> Result<Vec<Expected>, Failure> {
    let mut request = ArrayRequest { is_set, ..ArrayRequest::default() };
    // What a run gives counts over what all have.
    for (name, value) in &plan.given.arguments {
        if run.given.arguments.iter().all(|(other, _)| other != name) {
            request.arguments.push((name.clone(), value.clone()));
        }
    }
    request.arguments.extend(run.given.arguments.iter().cloned());
    let is_replaced =
        |target: &ArrayTarget| run.given.loads.iter().any(|(_, own)| own.target == *target);
    let shared = plan.given.loads.iter().filter(|(_, load)| !is_replaced(&load.target));
    for (line, load) in shared.chain(&run.given.loads) {
        request.loads.push((load.clone(), files.array(&load.path, *line)?));
    }
    let (_, interface) = kernel_at(machine.program.image(), machine.entry);
    let mut wanted = Vec::new();
    for Compared { line, transfer, tolerance } in &run.compared {
        let array = files.array(&transfer.path, *line)?;
        let mut transfer = transfer.clone();
        if interface.array(&transfer.target.to_string()).is_none() {
            transfer.kind.get_or_insert(array.kind);
        }
        transfer.shape.get_or_insert(array.shape.clone());
        request.stores.push(transfer);
        wanted.push((*line, array, *tolerance));
    }
    machine.give(&request, false).map_err(|problem| Failure::new(run.line, problem.to_string()))?;
    let both = machine.arrays.stores.iter().cloned().zip(wanted);
    let expected = both.map(|(prepared, (line, array, tolerance))| Expected {
        line,
        prepared,
        array,
        tolerance,
    });
    Ok(expected.collect())
}
