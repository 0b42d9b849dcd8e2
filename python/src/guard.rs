//! The border between Python and the libraries: work without the interpreter's lock, which ends as a value or as an exception,
//! never as a panic; Ctrl-C; threads after a fork.

use crate::errors::{Failure, raise};
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Time between two looks at signals: a tenth of what a person notices.
pub(crate) const LOOK: Duration = Duration::from_millis(20);

/// Process in which the threads of rayon were started; 0 before any work. After a fork the child has none of these threads.
static WORKING_PROCESS: AtomicU32 = AtomicU32::new(0);

/// Does work, and returns its result or an exception; a panic is an exception too.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T, Failure>) -> PyResult<T> {
    finished(catch_unwind(AssertUnwindSafe(work)))
}

/// Does work as [`guarded`] does, without the interpreter's lock, so that other threads of Python go on.
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> PyResult<T> {
    finished(py.detach(|| {
        catch_unwind(AssertUnwindSafe(|| {
            join_a_pool();
            work()
        }))
    }))
}

pub(crate) fn finished<T>(done: Result<Result<T, Failure>, Box<dyn Any + Send>>) -> PyResult<T> {
    match done {
        Ok(result) => result.map_err(PyErr::from),
        Err(payload) => Err(of_panic(payload.as_ref())),
    }
}

/// Returns the exception that stands for a panic.
fn of_panic(payload: &(dyn Any + Send)) -> PyErr {
    let said = payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    let message = format!("this is an error of cp2 itself, please report it: {said}");
    raise("internal", &message, None)
}

/// Gives a thread of a process that was forked a pool of its own, for the threads of the pool of its parent are gone.
pub(crate) fn join_a_pool() {
    let own = std::process::id();
    let first = WORKING_PROCESS.compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed);
    let started_in = first.map_or_else(|before| before, |_| own);
    if started_in == own || rayon::current_thread_index().is_some() {
        return;
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    // The pool is this thread, which may use it as long as it lives.
    std::mem::forget(pool);
}

/// Looks for Ctrl-C from within a run on the thread that called, now and then.
pub(crate) struct Looks {
    last: Instant,
}

impl Looks {
    /// Creates looks that begin now.
    pub(crate) fn new() -> Self {
        Self { last: Instant::now() }
    }

    /// Returns the exception of a signal that came.
    pub(crate) fn look(&mut self) -> Option<PyErr> {
        if self.last.elapsed() < LOOK {
            return None;
        }
        let error = Python::attach(|py| py.check_signals().err());
        self.last = Instant::now();
        error
    }
}

/// Panics, for the test of what becomes of a panic.
#[pyfunction(name = "_panic")]
pub(crate) fn panic_on_request(py: Python<'_>) -> PyResult<()> {
    detached(py, || panic!("on request"))
}
