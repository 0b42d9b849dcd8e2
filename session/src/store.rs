//! A store that the caller gives, which keeps entries from process to process: schedules, which the assembler checks
//! again before it uses them; assembled programs, whose schedules were checked when they were made; numbers that follow
//! from a machine or a problem alone; and machine code of the fast engine. Only schedules are checked when they come
//! back, so a store has to return exactly the bytes that were put under a key, or nothing.

use cp2_asm::sched::Store;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

type Shared = Arc<Mutex<Box<dyn Store + Send>>>;

/// A store of schedules, assembled programs, numbers and machine code, by key, that several threads use in turns. A
/// clone is the same store.
#[derive(Clone)]
pub struct SharedStore(Shared);

impl SharedStore {
    /// Creates a store that threads can share from one that a single thread at a time can use.
    pub fn new(store: Box<dyn Store + Send>) -> Self {
        Self(Arc::new(Mutex::new(store)))
    }
}

impl fmt::Debug for SharedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedStore").finish_non_exhaustive()
    }
}

impl Store for SharedStore {
    fn get(&mut self, key: &str) -> Option<Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key)
    }

    fn put(&mut self, key: &str, entry: &[u8]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(key, entry);
    }
}

impl cp2_fast::Store for SharedStore {
    fn get(&mut self, key: &str) -> Option<Vec<u8>> {
        Store::get(self, key)
    }

    fn put(&mut self, key: &str, entry: &[u8]) {
        Store::put(self, key, entry);
    }
}
