//! A thread that compares two recorded runs; it opens both recordings once more.

use crate::worker::Info;
use cp2_analysis::compare::{Reach, RecordedRun, RunComparison, compare};
use cp2_analysis::program::NamedProgram;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

/// Cycles in which the first difference is searched.
const REACH: Reach = Reach(1 << 20);

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

impl Comparing {
    /// Starts a thread that compares the runs `a` and `b`. `wake` is called, on that thread, when it is done.
    pub fn start(a: &Info, b: &Info, wake: impl Fn() + Send + 'static) -> Self {
        let (sender, from) = channel();
        let infos = [a.clone(), b.clone()];
        let work = move || {
            // If nobody listens any more, nobody looks at these runs any more.
            let _ = sender.send(compared(&infos));
            wake();
        };
        let thread = std::thread::Builder::new().name("comparison".to_owned()).spawn(work);
        let result = thread.err().map(|e| Err(e.to_string()));
        Self { from, result }
    }

    /// Returns the result of the comparison, or the message why there is none; `None` while the thread is at work.
    pub fn result(&mut self) -> Option<&Result<Arc<Compared>, String>> {
        if self.result.is_none() {
            self.result = self.from.try_recv().ok().map(|found| found.map(Arc::new));
        }
        self.result.as_ref()
    }

    /// Waits until [`Comparing::result`] has a result; for tests.
    pub fn wait(&mut self) {
        if self.result.is_none() {
            self.result = self.from.recv().ok().map(|found| found.map(Arc::new));
        }
    }
}
