//! The environment that the calls of a process share, so that what one has scheduled, assembled and translated the next need
//! not do again. It is kept in memory, and a process that was forked has its own.

use cp2_asm::sched::Store;
use cp2_session::Environment;
use pyo3::prelude::*;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Most bytes that are kept; then all is forgotten, since what is needed comes back soon.
const MOST: usize = 256 << 20;

/// The environment of the process with this number. It is locked with the interpreter's lock held, and only to be copied, so
/// that no fork finds it locked.
static SHARED: Mutex<Option<(u32, Environment)>> = Mutex::new(None);

/// Entries in memory.
#[derive(Default)]
struct InMemory {
    entries: HashMap<String, Vec<u8>>,
    bytes: usize,
}

impl Store for InMemory {
    fn get(&mut self, key: &str) -> Option<Vec<u8>> {
        self.entries.get(key).cloned()
    }

    fn put(&mut self, key: &str, entry: &[u8]) {
        if self.bytes + entry.len() > MOST {
            *self = Self::default();
        }
        let before = self.entries.insert(key.to_owned(), entry.to_vec());
        self.bytes = self.bytes + entry.len() - before.map_or(0, |entry| entry.len());
    }
}

/// Returns the environment of this process.
pub(crate) fn environment(_: Python<'_>) -> Environment {
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    let own = std::process::id();
    if let Some((process, environment)) = &*shared
        && *process == own
    {
        return environment.clone();
    }
    let made = Environment::with_store(Box::new(InMemory::default()));
    // That of the parent may be locked for ever by a thread that the child has not; it is left as it is.
    std::mem::forget(shared.replace((own, made.clone())));
    made
}
