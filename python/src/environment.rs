//! The environment that the calls of a process share, so that what one has scheduled, assembled and translated the next need
//! not do again. It is kept in memory, and a process that was forked has its own.

use cp2_session::Environment;
use cp2_session::store::MemoryStore;
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

/// The environment of the process with this number. It is locked with the interpreter's lock held, and only to be copied, so
/// that no fork finds it locked.
static SHARED: Mutex<Option<(u32, Environment)>> = Mutex::new(None);

/// Returns the environment of this process.
pub(crate) fn environment(_: Python<'_>) -> Environment {
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    let own = std::process::id();
    if let Some((process, environment)) = &*shared
        && *process == own
    {
        return environment.clone();
    }
    let made = Environment::with_store(Box::new(MemoryStore::default()));
    // That of the parent may be locked for ever by a thread that the child has not; it is left as it is.
    std::mem::forget(shared.replace((own, made.clone())));
    made
}
