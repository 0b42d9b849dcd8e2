//! Long work on a thread of its own, which tells its progress, and which Ctrl-C or an exception in a callback ends.

use crate::errors::{Failure, raise};
use crate::guard::{LOOK, finished, join_a_pool};
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time that work which was asked to end has for it, before it is left alone.
const PATIENCE: Duration = Duration::from_secs(1);

/// Payload of the unwinding of work that was asked to end.
struct Ended;

/// Looks at signals and lets a callback of Python see how far work has come, from any thread.
pub(crate) struct Watch {
    is_ended: AtomicBool,
    /// The exception that a callback raised.
    raised: Mutex<Option<PyErr>>,
    callback: Option<Py<PyAny>>,
}

impl Watch {
    /// Creates a watch; `callback` is called with what is done, and with all that there is to do.
    pub(crate) fn new(callback: Option<Py<PyAny>>) -> Self {
        Self { is_ended: AtomicBool::new(false), raised: Mutex::new(None), callback }
    }

    /// Whether the work is to end.
    pub(crate) fn is_ended(&self) -> bool {
        self.is_ended.load(Ordering::Relaxed)
    }

    fn end(&self, error: PyErr) {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.is_ended.store(true, Ordering::Relaxed);
    }

    /// Takes how far the work has come. Unwinds the thread if it is to end.
    pub(crate) fn progress(&self, done: u64, all: u64) {
        if self.goes_on(done, all).is_break() {
            resume_unwind(Box::new(Ended));
        }
    }

    /// Takes how far the work has come, and returns whether it is to go on.
    pub(crate) fn goes_on(&self, done: u64, all: u64) -> ControlFlow<()> {
        if let Some(callback) = self.callback.as_ref().filter(|_| !self.is_ended()) {
            let called = Python::attach(|py| callback.call1(py, (done, all)).map(drop));
            if let Err(error) = called {
                self.end(error);
            }
        }
        if self.is_ended() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Does long work on a thread of its own, while this one looks for Ctrl-C: the work then ends when it next tells its
/// progress. If it tells none for a while, the thread is left to come to its end alone, and what it gives is dropped.
pub(crate) fn watched<T: Send + 'static>(
    py: Python<'_>,
    watch: &Arc<Watch>,
    work: impl FnOnce(&Arc<Watch>) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    let (tell, told) = channel();
    let of_worker = watch.clone();
    std::thread::spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(|| {
            join_a_pool();
            work(&of_worker)
        }));
        // Nobody listens any more if the thread was left alone.
        let _ = tell.send(done);
    });
    let (told, mut asked) = (Mutex::new(told), None::<Instant>);
    let done = loop {
        let wait = || told.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LOOK);
        match py.detach(wait) {
            Ok(done) => break Some(done),
            Err(RecvTimeoutError::Disconnected) => break None,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(error) = py.check_signals() {
            watch.end(error);
        }
        if watch.is_ended() && asked.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
            break None;
        }
    };
    let raised = watch.raised.lock().unwrap_or_else(PoisonError::into_inner).take();
    match (raised, done) {
        (Some(error), _) => Err(error),
        (None, Some(done)) => finished(done),
        (None, None) => Err(raise("internal", "the thread of the work is gone", None)),
    }
}
