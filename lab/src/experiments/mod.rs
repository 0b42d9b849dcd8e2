//! Experiments: what an extension of the machine is worth to the kernels and procedures that profit from it, beside the
//! best form without it, and which predictions of the dissertation `[D]` come true. Pages of the book are made of them.
//!
//! - `work`: what is run, by name, with its options; `gain`: a work without and with extensions;
//! - `gains`: the gains that the book shows; `headlines`: whole procedures and what their times rest on; `predictions`:
//!   what `[D]` foretold, and the runs that tell.

pub mod gain;
pub mod gains;
pub mod headlines;
pub mod predictions;
pub mod work;

pub use gain::ExtensionGain;
pub use work::{Work, WorkCost};

use crate::inputs::LabError;
use cp2_session::Environment;
use cp2_session::reuse::Shelf;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Calls `measure` for each item, on as many threads as the native machine has processors, and returns the results in
/// the order of `items`. Each thread passes an environment of its own to its calls, and a program that several items
/// run is assembled only once for all.
///
/// # Errors
/// Returns the first error in the order of the items; all of them are measured nevertheless.
pub fn of_each<T: Sync, R: Send>(
    items: &[T],
    measure: impl Fn(&Environment, &T) -> Result<R, LabError> + Sync,
) -> Result<Vec<R>, LabError> {
    let (environment, shelf, next) =
        (Environment::new(), Arc::new(Shelf::default()), AtomicUsize::new(0));
    let work = || {
        let environment = environment.reusing(&shelf);
        let mut found = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return found };
            found.push((index, measure(&environment, item)));
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(items.len());
    let mut found = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let ended =
            workers.into_iter().map(|worker| worker.join().unwrap_or_else(|e| resume_unwind(e)));
        ended.flatten().collect::<Vec<_>>()
    });
    found.sort_by_key(|(index, _)| *index);
    found.into_iter().map(|(_, found)| found).collect()
}
