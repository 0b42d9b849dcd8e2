//! Processes of a computer, or of several, that do the ranks of one run together. Each has some of the ranks, all of them know of
//! every message how long it is and when it was sent, and each simulates the whole network; so no process waits for another one
//! to tell it a time. What a transport has to do is one thing: an exchange in which each gives bytes to each.

use std::error::Error;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

/// Place of a process among those that do a run together, and its way to the others. All processes make the same exchanges in
/// the same order.
pub trait Transport: fmt::Debug + Send + Sync {
    /// Returns the number of this process, from 0 on.
    fn process(&self) -> usize;

    /// Returns the number of processes.
    fn processes(&self) -> usize;

    /// Gives each process the bytes of the row of its number, and returns what each process gave to this one, by their numbers.
    ///
    /// # Errors
    /// A process is not there any more, or something else ended the exchange.
    fn exchange(&self, rows: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, TransportError>;
}

/// Error of an exchange between processes, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransportError(pub String);

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for TransportError {}

/// Rows that a process has given in an exchange, by the process that takes them.
type Given = Option<Vec<Vec<u8>>>;

/// Table at which processes that are threads of this one exchange bytes.
#[derive(Debug)]
struct Table {
    /// Rows of each process in the exchange under way, and how many processes have taken theirs.
    given: Mutex<(Vec<Given>, usize, bool)>,
    changed: Condvar,
}

impl Table {
    fn open(&self) -> MutexGuard<'_, (Vec<Given>, usize, bool)> {
        self.given.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Waits until a condition holds, or a process has left.
    fn wait_until(
        &self,
        holds: impl Fn(&(Vec<Given>, usize, bool)) -> bool,
    ) -> Result<MutexGuard<'_, (Vec<Given>, usize, bool)>, TransportError> {
        let mut open = self.open();
        while !holds(&open) {
            if open.2 {
                return Err(TransportError("a process of the run has left it".to_owned()));
            }
            let next = self.changed.wait(open);
            open = next.unwrap_or_else(std::sync::PoisonError::into_inner);
        }
        Ok(open)
    }
}

/// Transport of a thread that plays a process: whatever holds for processes can be tested without any.
#[derive(Debug)]
pub struct ThreadTransport {
    process: usize,
    table: Arc<Table>,
}

impl ThreadTransport {
    /// Returns the transports of so many threads, each of which takes one.
    pub fn all(processes: usize) -> Vec<Self> {
        let given = Mutex::new((vec![None; processes], 0, false));
        let table = Arc::new(Table { given, changed: Condvar::new() });
        (0..processes).map(|process| Self { process, table: table.clone() }).collect()
    }
}

impl Transport for ThreadTransport {
    fn process(&self) -> usize {
        self.process
    }

    fn processes(&self) -> usize {
        self.table.open().0.len()
    }

    fn exchange(&self, rows: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, TransportError> {
        let table = &self.table;
        // Those that are late may still take what was given in the exchange before.
        let mut open = table.wait_until(|(given, _, _)| given[self.process].is_none())?;
        open.0[self.process] = Some(rows);
        table.changed.notify_all();
        drop(open);
        let mut open = table.wait_until(|(given, _, _)| given.iter().all(Option::is_some))?;
        let taken = open.0.iter_mut().flatten();
        let taken = taken.map(|rows| std::mem::take(&mut rows[self.process])).collect();
        open.1 += 1;
        if open.1 == open.0.len() {
            open.1 = 0;
            open.0.iter_mut().for_each(|given| *given = None);
            table.changed.notify_all();
        }
        Ok(taken)
    }
}

/// Wakes the others, which wait for this process in vain.
impl Drop for ThreadTransport {
    fn drop(&mut self) {
        self.table.open().2 = true;
        self.table.changed.notify_all();
    }
}
