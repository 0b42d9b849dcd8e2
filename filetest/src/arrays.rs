//! `arg:`, `load:` and `compare:`: a user's arguments and arrays before a run, and the arrays that it has to
//! give.

use crate::Failure;
use crate::directive::{Plan, Run};
use crate::source::Comment;
use cp2_asm::Image;
use cp2_emu::Cp2;
use cp2_emu::state::State;
use cp2_isa::BundleAddress;
use cp2_programs::arrays::{
    self, Prepared, Request, Target, Tolerance, Transfer, Way, compare, kernel_at,
};
use cp2_programs::npy::Array;

/// Gives the bytes of a file, from the name of the test and the path that stands there.
pub type Arrays<'a> = dyn Fn(&str, &str) -> Result<Vec<u8>, String> + Sync + 'a;

/// Where arrays come from.
pub(crate) struct Files<'a> {
    /// The name of the test.
    pub(crate) from: &'a str,
    pub(crate) read: &'a Arrays<'a>,
}

impl Files<'_> {
    fn array(&self, path: &str, line: usize) -> Result<Array, Failure> {
        let wrong = |why| Failure::new(line, why);
        let bytes = (self.read)(self.from, path).map_err(wrong)?;
        Array::read(&bytes).map_err(|e| Failure::new(line, format!("{path}: {e}")))
    }
}

/// What is given before a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    arguments: Vec<(String, String)>,
    loads: Vec<(usize, Transfer)>,
}

impl Given {
    /// Reads `arg: NAME=VALUE ...` or `load: PLACE=FILE[:OPTION...]`.
    pub(crate) fn read(&mut self, comment: &Comment<'_>) -> Result<(), String> {
        if comment.keyword == "load" {
            let transfer = Transfer::read(Way::Load, comment.text)?;
            self.loads.push((comment.line, transfer));
            return Ok(());
        }
        if comment.text.is_empty() {
            return Err("expected `NAME=VALUE`".to_owned());
        }
        for word in comment.text.split_whitespace() {
            match word.split_once('=') {
                Some((name, value)) if !name.is_empty() && !value.is_empty() => {
                    self.arguments.push((name.to_owned(), value.to_owned()));
                }
                _ => return Err(format!("`{word}`: expected `NAME=VALUE`")),
            }
        }
        Ok(())
    }
}

/// An array that a run has to give.
#[derive(Clone, Debug)]
pub(crate) struct Compared {
    line: usize,
    transfer: Transfer,
    tolerance: Tolerance,
}

impl Compared {
    /// Reads `compare: PLACE=FILE[:OPTION...] [atol=X] [rtol=X]`.
    pub(crate) fn read(comment: &Comment<'_>) -> Result<Self, String> {
        let mut words = comment.text.split_whitespace();
        let transfer = Transfer::read(Way::Store, words.next().unwrap_or_default())?;
        let mut tolerance = Tolerance::default();
        for word in words {
            let place = match word.split_once('=') {
                Some(("atol", _)) => &mut tolerance.absolute,
                Some(("rtol", _)) => &mut tolerance.relative,
                _ => return Err(format!("`{word}`: expected `atol=X` or `rtol=X`")),
            };
            let value = word[5..].parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0);
            *place = value.ok_or_else(|| format!("`{word}`: expected a number from 0"))?;
        }
        Ok(Self { line: comment.line, transfer, tolerance })
    }
}

/// An array that a run has to give, with its place.
pub(crate) struct Expected {
    line: usize,
    prepared: Prepared,
    array: Array,
    tolerance: Tolerance,
}

impl Expected {
    /// Compares what a run has left.
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
    cp2: &mut Cp2,
    (image, entry): (&Image, BundleAddress),
    (plan, run): (&Plan, &Run),
    (files, is_set): (&Files<'_>, bool),
) -> Result<Vec<Expected>, Failure> {
    let mut request = Request { is_set, ..Request::default() };
    // What a run gives counts over what all have.
    for (name, value) in &plan.given.arguments {
        if run.given.arguments.iter().all(|(other, _)| other != name) {
            request.arguments.push((name.clone(), value.clone()));
        }
    }
    request.arguments.extend(run.given.arguments.iter().cloned());
    let is_replaced =
        |target: &Target| run.given.loads.iter().any(|(_, own)| own.target == *target);
    let shared = plan.given.loads.iter().filter(|(_, load)| !is_replaced(&load.target));
    for (line, load) in shared.chain(&run.given.loads) {
        request.loads.push((load.clone(), files.array(&load.path, *line)?));
    }
    let (_, interface) = kernel_at(image, entry);
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
    let prepared = arrays::prepare(cp2, image, entry, &request)
        .map_err(|problem| Failure::new(run.line, problem.to_string()))?;
    let both = prepared.into_iter().zip(wanted);
    Ok(both
        .map(|(prepared, (line, array, tolerance))| Expected { line, prepared, array, tolerance })
        .collect())
}
