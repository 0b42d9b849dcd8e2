//! A thread that compares two recorded runs; it opens both recordings once more.

use crate::worker::Info;
use cp2_analysis::compare::{RecordedRun, RunComparison, SearchLimit, compare};
use cp2_analysis::program::NamedProgram;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvError, TryRecvError, channel};

/// Message if the thread has ended without a result.
const ABORTED: &str =
    "the comparison was aborted by an error of the viewer; `cp2 diff` compares the two recordings";
/// Cycles in which the first difference is searched.
const REACH: SearchLimit = SearchLimit(1 << 20);

/// The result of comparing two recorded runs, as [`Comparing`] makes it: their differences, and a text of them.
#[derive(Debug)]
pub struct Compared {
    /// Differences of the two runs in cycles, costs and results.
    pub comparison: RunComparison,
    /// Text of the comparison for people, as `cp2 diff` prints it.
    pub text: String,
}

/// A comparison of two recorded runs, in cycles, costs and results, which a thread of its own makes, and its result
/// once there is one.
#[derive(Debug)]
pub struct Comparing {
    from: Receiver<Result<Compared, String>>,
    result: Option<Result<Arc<Compared>, String>>,
}

fn compared(infos: &[Info; 2]) -> Result<Compared, String> {
    let trouble = |e| format!("{e}");
    let mut a = infos[0].stored.open().map_err(trouble)?;
    let mut b = infos[1].stored.open().map_err(trouble)?;
    let programs = infos.each_ref().map(|info| NamedProgram::new(&info.image, &info.core));
    let [first, second] = &programs;
    let runs = [
        RecordedRun { recording: &mut a, program: first },
        RecordedRun { recording: &mut b, program: second },
    ];
    let comparison = compare(runs, REACH).map_err(trouble)?;
    let text = comparison.text([first, second]);
    Ok(Compared { comparison, text })
}

/// Caller of a function when it is dropped: at the end of a thread, also of one that panics.
struct Waking<F: Fn()>(F);

impl<F: Fn()> Drop for Waking<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

impl Comparing {
    /// Starts a thread that compares the runs `a` and `b`. `wake` is called, on that thread, when it is done.
    pub fn start(a: &Info, b: &Info, wake: impl Fn() + Send + 'static) -> Self {
        let infos = [a.clone(), b.clone()];
        Self::by(move || compared(&infos), wake)
    }

    /// Starts a thread that compares by a function.
    fn by(
        compared: impl FnOnce() -> Result<Compared, String> + Send + 'static,
        wake: impl Fn() + Send + 'static,
    ) -> Self {
        let (sender, from) = channel();
        let waking = Waking(wake);
        let work = move || {
            // Dropped last: who is woken finds a result, or that there will be none.
            let (_waking, sender) = (waking, sender);
            // If nobody listens any more, nobody looks at these runs any more.
            let _ = sender.send(compared());
        };
        let thread = std::thread::Builder::new().name("comparison".to_owned()).spawn(work);
        let result = thread.err().map(|e| Err(e.to_string()));
        Self { from, result }
    }

    /// Returns the result of the comparison, or the message why there is none; `None` while the thread is at work.
    pub fn result(&mut self) -> Option<&Result<Arc<Compared>, String>> {
        if self.result.is_none() {
            self.result = match self.from.try_recv() {
                Ok(found) => Some(found.map(Arc::new)),
                Err(TryRecvError::Disconnected) => Some(Err(ABORTED.to_owned())),
                Err(TryRecvError::Empty) => None,
            };
        }
        self.result.as_ref()
    }

    /// Waits until [`Comparing::result`] has a result; for tests.
    pub fn wait(&mut self) {
        if self.result.is_none() {
            let found = self.from.recv().unwrap_or_else(|RecvError| Err(ABORTED.to_owned()));
            self.result = Some(found.map(Arc::new));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn a_thread_that_panics_leaves_a_message() {
        let woken = Arc::new(AtomicBool::new(false));
        let wake = {
            let woken = woken.clone();
            move || woken.store(true, Ordering::Release)
        };
        let mut comparing = Comparing::by(|| panic!("for the test"), wake);
        while !woken.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        assert_eq!(
            comparing.result().and_then(|found| found.as_ref().err()).map(String::as_str),
            Some(ABORTED)
        );
        let mut comparing = Comparing::by(|| panic!("for the test"), || {});
        comparing.wait();
        assert!(comparing.result().is_some_and(Result::is_err));
    }
}
