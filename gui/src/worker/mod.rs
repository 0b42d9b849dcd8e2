//! Threads that own recordings. One of them makes or opens a recording and then answers what is wanted of it,
//! the most wanted first; what nobody wants any more by the time is passed over. Between questions it counts
//! what every bundle costs.

mod compare;
mod data;
mod make;
mod origin;
mod program;
mod request;
mod serve;

pub use compare::{Compared, Comparing};
pub use make::{config_of, is_recording};
pub use origin::{Example, Failure, Origin, Settings, Stored};
pub use request::{Answer, Info, Key, Progress, Report, Snapshot, Writer, Writers};

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Orders that the window gives to a thread.
#[derive(Debug, Default)]
pub(crate) struct Orders {
    /// Questions to answer, the most wanted first.
    wanted: Vec<Key>,
    /// Whether nobody looks at the recording any more, so that the thread shall end.
    is_closed: bool,
    /// Whether the run that is being made shall end.
    is_cancelled: bool,
}

/// Orders, and a bell for those who wait for them.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    orders: Mutex<Orders>,
    bell: Condvar,
}

impl Desk {
    fn orders(&self) -> MutexGuard<'_, Orders> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the thread shall end.
    pub(crate) fn is_closed(&self) -> bool {
        self.orders().is_closed
    }

    /// Whether the run that is being made shall end.
    pub(crate) fn is_cancelled(&self) -> bool {
        let orders = self.orders();
        orders.is_closed || orders.is_cancelled
    }

    /// Returns the question that is wanted most, if there is one.
    pub(crate) fn first(&self) -> Option<Key> {
        self.orders().wanted.first().copied()
    }

    /// Waits until a question is wanted, and returns it; nothing if the thread shall end.
    pub(crate) fn wait(&self) -> Option<Key> {
        let mut orders = self.orders();
        loop {
            match orders.wanted.first() {
                _ if orders.is_closed => return None,
                Some(&key) => return Some(key),
                None => orders = self.bell.wait(orders).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// Removes a question that has been answered from the orders.
    pub(crate) fn done(&self, key: Key) {
        self.orders().wanted.retain(|&wanted| wanted != key);
    }
}

/// Sender through which a thread tells what it found, and wakes the window up.
#[derive(Clone)]
pub(crate) struct Mouth {
    sender: Sender<Report>,
    wake: Arc<dyn Fn() + Send + Sync>,
}

impl Mouth {
    pub(crate) fn say(&self, report: Report) {
        // If nobody listens any more, the thread will be told to end.
        let _ = self.sender.send(report);
        (self.wake)();
    }
}

/// Thread that owns a recording. The thread ends when the worker is dropped.
pub struct Worker {
    desk: Arc<Desk>,
    reports: Receiver<Report>,
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker").finish_non_exhaustive()
    }
}

impl Worker {
    /// Opens or makes a recording. `wake` is called when there is something to read.
    pub fn start(origin: Origin, wake: impl Fn() + Send + Sync + 'static) -> Self {
        let (sender, reports) = channel();
        let desk = Arc::new(Desk::default());
        let (orders, mouth) = (desk.clone(), Mouth { sender, wake: Arc::new(wake) });
        let told = mouth.clone();
        let work = move || match make::recording(&origin, &orders, &mouth) {
            Ok(made) => serve::serve(made, &orders, &mouth),
            Err(failure) => mouth.say(Report::Failed(failure)),
        };
        let thread = std::thread::Builder::new().name("recording".to_owned()).spawn(work);
        if let Err(e) = thread {
            told.say(Report::Failed(Failure::of("no thread could be started", &e)));
        }
        Self { desk, reports }
    }

    /// Returns what the thread has told since the last call.
    pub fn reports(&self) -> impl Iterator<Item = Report> + '_ {
        self.reports.try_iter()
    }

    /// Waits for the next report of the thread; for tests and measurements.
    pub fn wait(&self) -> Option<Report> {
        self.reports.recv().ok()
    }

    /// Sets the questions that are wanted now, the most wanted first; those before are forgotten.
    pub fn want(&self, keys: Vec<Key>) {
        let mut orders = self.desk.orders();
        if orders.wanted != keys {
            orders.wanted = keys;
            self.desk.bell.notify_all();
        }
    }

    /// Ends the run that is being made.
    pub fn cancel(&self) {
        self.desk.orders().is_cancelled = true;
        self.desk.bell.notify_all();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.desk.orders().is_closed = true;
        self.desk.bell.notify_all();
    }
}
