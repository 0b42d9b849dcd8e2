//! Stores of an environment: one that keeps entries in memory, and one that the caller gives, which keeps entries from process to process: schedules, which the assembler checks
//! again before it uses them; assembled programs, whose schedules were checked when they were made; numbers that follow
//! from a machine or a problem alone; and machine code of the fast engine. Only schedules are checked when they come
//! back, so a store has to return exactly the bytes that were put under a key, or nothing.

use cp2_asm::sched::Store;
use std::collections::HashMap;
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

/// A store in memory, for programs that assemble the same texts again and again, such as editors: it is gone with its process. It
/// keeps no more than it was told, and forgets what was not asked for longest.
pub struct MemoryStore {
    /// Entries that were put or asked for since the others were.
    young: Generation,
    old: Generation,
    most: usize,
    /// Store in which entries are looked for that are not in memory.
    below: Option<Box<dyn Store + Send>>,
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").field("bytes", &self.bytes()).finish_non_exhaustive()
    }
}

/// Entries of about the same age, with the bytes that they take.
#[derive(Debug, Default)]
struct Generation {
    entries: HashMap<String, Vec<u8>>,
    bytes: usize,
}

impl Generation {
    fn take(&mut self, key: &str) -> Option<Vec<u8>> {
        let (key, entry) = self.entries.remove_entry(key)?;
        self.bytes -= key.len() + entry.len();
        Some(entry)
    }

    fn put(&mut self, key: String, entry: Vec<u8>) {
        self.take(&key);
        self.bytes += key.len() + entry.len();
        self.entries.insert(key, entry);
    }
}

impl MemoryStore {
    /// Bytes of keys and entries that a store keeps unless another number is given.
    pub const USUAL_BYTES: usize = 256 << 20;

    /// Creates a store that keeps at most so many bytes of keys and entries.
    pub fn new(most: usize) -> Self {
        Self { young: Generation::default(), old: Generation::default(), most, below: None }
    }

    /// Creates a store that takes what it does not have from another one, in which it puts nothing: texts that are being written
    /// do not fill a store that outlives the process.
    pub fn over(below: Box<dyn Store + Send>) -> Self {
        Self { below: Some(below), ..Self::default() }
    }

    /// Returns the bytes of keys and entries that are kept.
    pub fn bytes(&self) -> usize {
        self.young.bytes + self.old.bytes
    }

    /// Keeps an entry as one that was just asked for. Entries that were not asked for since half of the bytes were filled are
    /// forgotten.
    fn keep(&mut self, key: &str, entry: Vec<u8>) {
        let size = key.len() + entry.len();
        if self.young.bytes + size > self.most / 2 {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.put(key.to_owned(), entry);
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new(Self::USUAL_BYTES)
    }
}

impl Store for MemoryStore {
    fn get(&mut self, key: &str) -> Option<Vec<u8>> {
        if let Some(entry) = self.young.entries.get(key) {
            return Some(entry.clone());
        }
        let entry = self.old.take(key).or_else(|| self.below.as_mut()?.get(key))?;
        if key.len() + entry.len() <= self.most / 2 {
            self.keep(key, entry.clone());
        }
        Some(entry)
    }

    fn put(&mut self, key: &str, entry: &[u8]) {
        self.old.take(key);
        self.young.take(key);
        // An entry of more than half of the bytes would leave no room for others.
        if key.len() + entry.len() <= self.most / 2 {
            self.keep(key, entry.to_vec());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_in_memory_keeps_what_is_asked_for_and_no_more_than_it_may() {
        let mut store = MemoryStore::new(100);
        store.put("used", &[1; 16]);
        for round in 0..50u8 {
            store.put(&format!("{round:04}"), &[round; 16]);
            assert_eq!(store.get("used"), Some(vec![1; 16]), "{round}");
            assert_eq!(store.get(&format!("{round:04}")), Some(vec![round; 16]));
            assert!(store.bytes() <= 100, "{round}: {}", store.bytes());
        }
        assert_eq!(store.get("0000"), None);
        store.put("used", &[2; 16]);
        assert_eq!(store.get("used"), Some(vec![2; 16]));
        store.put("used", &[3; 60]);
        assert_eq!(store.get("used"), None, "too large to be kept, and the old one is gone");
        let bytes = |generation: &Generation| -> usize {
            generation.entries.iter().map(|(key, entry)| key.len() + entry.len()).sum()
        };
        assert_eq!(store.bytes(), bytes(&store.young) + bytes(&store.old));
    }

    #[test]
    fn a_store_over_another_one_puts_nothing_there() {
        let mut below = MemoryStore::default();
        below.put("kept", &[1]);
        let shared = SharedStore::new(Box::new(below));
        let mut store = MemoryStore::over(Box::new(shared.clone()));
        assert_eq!((store.get("kept"), store.get("new")), (Some(vec![1]), None));
        store.put("new", &[2]);
        assert_eq!((store.get("new"), shared.clone().get("new")), (Some(vec![2]), None));
    }
}
