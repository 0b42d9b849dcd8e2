//! Threads that own recordings. Such a thread makes or opens a recording and then answers the questions that the window
//! has, the most wanted first; a question that is no longer wanted when its turn comes is dropped. Between questions
//! the thread counts what every bundle costs.

mod compare;
mod data;
mod make;
mod origin;
mod program;
mod request;
mod serve;
mod spans;
mod values;
mod workload_file;

pub use compare::{Compared, Comparing};
pub use make::{config_of, is_recording};
pub(crate) use origin::quoted;
pub use origin::{Example, Failure, Origin, Settings, Stored};
pub use request::{
    Answer, FoundValue, Info, Key, Progress, Report, Snapshot, ValueCourse, Way, Writer, Writers,
};

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

/// The window's end of a thread that owns a recording: gives it questions, and takes its reports. Dropping the worker
/// tells the thread to end, and does not wait for it.
pub struct Worker {
    desk: Arc<Desk>,
    reports: Receiver<Report>,
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker").finish_non_exhaustive()
    }
}

/// Teller of a failure, should its thread panic: dropped at the end of the thread.
struct Alarm(Mouth);

impl Drop for Alarm {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let advice = "What the error is stands on the standard error of the viewer.";
            let failure = Failure::new("an error of the viewer ended its work on this run", advice);
            self.0.say(Report::Failed(failure));
        }
    }
}

impl Worker {
    /// Starts a thread that makes or opens a recording. `wake` is called, on that thread, whenever there is a report to
    /// take. If no thread can be started, a report says so.
    pub fn start(origin: Origin, wake: impl Fn() + Send + Sync + 'static) -> Self {
        let (sender, reports) = channel();
        let desk = Arc::new(Desk::default());
        let (orders, mouth) = (desk.clone(), Mouth { sender, wake: Arc::new(wake) });
        let told = mouth.clone();
        let work = move |mouth: &Mouth| match make::recording(&origin, &orders, mouth) {
            Ok(made) => serve::serve(made, &orders, mouth),
            Err(failure) => mouth.say(Report::Failed(failure)),
        };
        let work = move || {
            let alarm = Alarm(mouth);
            work(&alarm.0);
        };
        let thread = std::thread::Builder::new().name("recording".to_owned()).spawn(work);
        if let Err(e) = thread {
            told.say(Report::Failed(Failure::of("Cannot start a thread for the recording", &e)));
        }
        Self { desk, reports }
    }

    /// Returns the reports that have come from the thread since the last call, in their order, without waiting.
    pub fn reports(&self) -> impl Iterator<Item = Report> + '_ {
        self.reports.try_iter()
    }

    /// Waits for the next report of the thread, and returns it; `None` if the thread has ended. For tests and
    /// measurements.
    pub fn wait(&self) -> Option<Report> {
        self.reports.recv().ok()
    }

    /// Sets the questions about the recording whose answers are wanted now, the most wanted first, in place of those
    /// that were wanted before and are not answered yet. Answers come as reports.
    pub fn want(&self, keys: Vec<Key>) {
        let mut orders = self.desk.orders();
        if orders.wanted != keys {
            orders.wanted = keys;
            self.desk.bell.notify_all();
        }
    }

    /// Asks the thread to end the run that it is making; the part that was made by then is opened. Only the run of a
    /// program can be ended so ([`Progress::can_end`]).
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_panics_tells_a_failure() {
        let (sender, reports) = channel();
        let mouth = Mouth { sender, wake: Arc::new(|| {}) };
        let panics = std::thread::spawn(move || {
            let _alarm = Alarm(mouth);
            panic!("for the test");
        });
        assert!(panics.join().is_err());
        assert!(matches!(reports.try_recv(), Ok(Report::Failed(_))));
    }
}
