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

/// What the window tells a thread.
#[derive(Debug, Default)]
pub(crate) struct Orders {
    /// What is wanted, the most wanted first.
    wanted: Vec<Key>,
    /// Nobody looks at the recording any more.
    is_closed: bool,
    /// What is being made is not wanted any more.
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

    /// The thread shall end.
    pub(crate) fn is_closed(&self) -> bool {
        self.orders().is_closed
    }

    /// What is being made is not wanted any more.
    pub(crate) fn is_cancelled(&self) -> bool {
        let orders = self.orders();
        orders.is_closed || orders.is_cancelled
    }

    /// What is wanted most, if anything is.
    pub(crate) fn first(&self) -> Option<Key> {
        self.orders().wanted.first().copied()
    }

    /// Waits until something is wanted; nothing if the thread shall end.
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

    /// It has been answered.
    pub(crate) fn done(&self, key: Key) {
        self.orders().wanted.retain(|&wanted| wanted != key);
    }
}

/// Where a thread tells what it found, and wakes the window up.
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

/// A thread with its recording. It ends when this is dropped.
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

    /// What it has told since the last call.
    pub fn reports(&self) -> impl Iterator<Item = Report> + '_ {
        self.reports.try_iter()
    }

    /// Waits for the next thing that it tells; for tests and measurements.
    pub fn wait(&self) -> Option<Report> {
        self.reports.recv().ok()
    }

    /// What is wanted now, the most wanted first; what was wanted before is forgotten.
    pub fn want(&self, keys: Vec<Key>) {
        let mut orders = self.desk.orders();
        if orders.wanted != keys {
            orders.wanted = keys;
            self.desk.bell.notify_all();
        }
    }

    /// Ends what is being made.
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
