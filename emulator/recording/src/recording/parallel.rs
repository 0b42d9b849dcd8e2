//! Pieces of a recorded run that are expanded on several threads: each thread has a recording of its own beside the first,
//! with an engine and a machine, over the same file.

use super::{Interval, Recording, RunCursor};
use crate::error::RecordingError;
use crate::progress::Told;
use cp2_isa::Cycle;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Number of cycles for each thread at least: each translates what it runs by itself, which takes longer than to run less.
const CYCLES_FOR_A_THREAD: u64 = 1 << 22;

/// Returns the number of threads that expand a run of so many cycles: as many as this process may use cores, if each has
/// enough to do.
pub(super) fn threads_for(n_cycles: u64) -> NonZeroUsize {
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let busy = usize::try_from(n_cycles / CYCLES_FOR_A_THREAD).unwrap_or(usize::MAX);
    cores.min(NonZeroUsize::new(busy).unwrap_or(NonZeroUsize::MIN))
}

/// Returns the number of cycles of a piece.
fn length(piece: &Range<Cycle>) -> u64 {
    piece.end.saturating_since(piece.start)
}

/// Pieces of a run that threads take one after the other.
struct Pieces<'a> {
    all: &'a [Range<Cycle>],
    state: Mutex<WorkState>,
}

/// State of the work on the pieces.
struct WorkState {
    told: Told,
    n_taken: usize,
    cycles_done: u64,
    /// First piece that failed, by number, and why.
    failure: Option<(usize, RecordingError)>,
}

impl Pieces<'_> {
    fn lock(&self) -> MutexGuard<'_, WorkState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of the next piece, if there is one and none has failed. All pieces before one that fails have been
    /// taken by then: the first failure is the same however many threads there are.
    fn take(&self) -> Option<usize> {
        let mut state = self.lock();
        let next = state.n_taken;
        state.n_taken += 1;
        (next < self.all.len() && state.failure.is_none()).then_some(next)
    }

    /// Notes what has become of a piece, and tells how many cycles are done.
    fn finish(&self, number: usize, result: Result<(), RecordingError>) {
        let mut state = self.lock();
        let result = result.and_then(|()| {
            state.cycles_done += length(&self.all[number]);
            let done = state.cycles_done;
            state.told.tell(done, self.all.iter().map(length).sum())
        });
        if let Err(e) = result
            && state.failure.as_ref().is_none_or(|(first, _)| number < *first)
        {
            state.failure = Some((number, e));
        }
    }
}

impl Recording {
    /// Sets the number of threads that verify the recording or count costs of bundles in it; at first it is the number of
    /// cores of this computer, or less for a short run. Results are the same. Each thread has a machine of its own.
    pub fn set_threads(&mut self, n_threads: NonZeroUsize) {
        self.n_threads = n_threads;
    }

    /// Returns a recording over the same file, in no cycle yet; `None` if its engine is the only one.
    fn with_own_machine(&self) -> Option<Self> {
        Some(Self {
            input: self.input.clone(),
            content: self.content.clone(),
            engine: self.engine.another()?,
            told: self.told.of_part(),
            core: self.core,
            blank: self.blank.clone(),
            here: RunCursor { machine: self.blank.clone(), next_act: 0 },
            number: usize::MAX,
            interval: Interval::default(),
            near: None,
            n_threads: NonZeroUsize::MIN,
            computed: Vec::new(),
        })
    }

    /// Works on pieces of the run, by number, and returns a sum for each thread, to which its pieces have added; in which
    /// order must not matter. The recording stays in its current cycle.
    ///
    /// # Errors
    /// That of the first piece which failed, or the listener to the progress has cancelled the operation.
    pub(crate) fn in_parallel<T: Default + Send>(
        &mut self,
        pieces: &[Range<Cycle>],
        work: impl Fn(&mut Self, usize, &mut T) -> Result<(), RecordingError> + Sync,
    ) -> Result<Vec<T>, RecordingError> {
        // What is told of parts of a piece before any is over repeats this.
        self.told.tell(0, pieces.iter().map(length).sum())?;
        let n_beside = self.n_threads.get().min(pieces.len()).saturating_sub(1);
        let besides: Vec<_> = (0..n_beside).map_while(|_| self.with_own_machine()).collect();
        let part = self.told.of_part();
        let told = std::mem::replace(&mut self.told, part);
        let state = WorkState { told: told.clone(), n_taken: 0, cycles_done: 0, failure: None };
        let pieces = Pieces { all: pieces, state: Mutex::new(state) };
        let all_of = |recording: &mut Self| {
            let mut sum = T::default();
            while let Some(number) = pieces.take() {
                pieces.finish(number, work(recording, number, &mut sum));
            }
            sum
        };
        let sums = std::thread::scope(|scope| {
            let spawned = |mut beside: Self| scope.spawn(move || all_of(&mut beside));
            let threads: Vec<_> = besides.into_iter().map(spawned).collect();
            let here = self.aside(|recording| Ok(all_of(recording)));
            let joined = |thread: std::thread::ScopedJoinHandle<'_, T>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            here.into_iter().chain(threads.into_iter().map(joined)).collect()
        });
        self.told = told;
        let state = pieces.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.failure.map_or(Ok(sums), |(_, e)| Err(e))
    }
}
