//! Runs a share of the points on threads. A point whose address has a row is not run; a row is written before its
//! thread takes the next point, so that a process that is killed loses the points under way and no other.

use super::address::RowAddress;
use super::outcome::{PointOutcome, PointRow};
use super::shard::Shard;
use super::spec::Spec;
use super::store::RowStore;
use crate::inputs::LabError;
use crate::recorded::Subject;
use cp2_session::Environment;
use cp2_session::reuse::Shelf;
use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Longest time between two reports of progress.
const BEAT: Duration = Duration::from_millis(200);

/// Message of the error if a thread panicked.
const FAILED: &str = "a point made the program fail; its message is printed above";

/// Summary of a call of [`run`]: the share of the points of a sweep that it ran, and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ShardSummary {
    /// Share of the points of the sweep that was run.
    pub shard: Shard,
    /// Number of points of the share, those with the same address counted once.
    pub points: u64,
    /// Number of these points that had a row before.
    pub before: u64,
    /// Number of these points that were run now.
    pub run: u64,
    /// Number of points that were run now and have no counts, because the workload does not run on their machine or its
    /// result is wrong.
    pub problems: u64,
    /// Number of programs that were assembled for these runs, with the loops in them scheduled.
    pub assembled: u64,
    /// Time in seconds that the runs took, by the clock of the native machine.
    pub seconds: f64,
}

impl ShardSummary {
    /// Returns the number of points that were run per second; 0 if no time passed.
    pub fn rate(&self) -> f64 {
        if self.seconds > 0.0 { self.run as f64 / self.seconds } else { 0.0 }
    }

    /// Returns the summary as text for people: the share, and its numbers of points, runs, programs and problems.
    pub fn text(&self) -> String {
        let Self { shard, points, before, run, problems, assembled, seconds } = self;
        let mut text = format!(
            "share {shard}: {points} points, {before} done before, {run} run in {seconds:.2} s ({:.0} points/s), {assembled} programs assembled\n",
            self.rate()
        );
        if *problems > 0 {
            text += &format!("{problems} of them have no counts: column `problem` says why\n");
        }
        text
    }
}

/// Runs one point of a sweep and returns its outcome: the counts of the run, or the reason why there are none.
/// `subject` is what runs at the point ([`Spec::subject`]); it is run in `environment`. One from
/// [`Environment::reusing`] keeps programs, so that points that follow reuse them. A run that fails is an outcome with
/// a problem.
pub fn evaluate(environment: &Environment, subject: &Subject) -> PointOutcome {
    let subject = Subject { environment: environment.clone(), ..subject.clone() };
    environment.programs_used();
    let (best, choice) = match subject.best() {
        Ok(found) => found,
        Err(e) => return PointOutcome::failed(e.to_string(), environment.programs_used()),
    };
    let variant = choice.name();
    let (tally, program) = match choice.tally {
        Some((tally, program)) => (Ok(tally), program),
        None => {
            environment.programs_used();
            let tally = best.workload.tally(best.request());
            (tally, environment.programs_used())
        }
    };
    match tally {
        Ok(tally) => PointOutcome { variant, ..PointOutcome::of(tally, program) },
        Err(e) => PointOutcome::failed(e.to_string(), program),
    }
}

/// Runs the points of the sweep `spec` with the numbers `rows`, from 0, on as many threads as `threads` says, and
/// returns their outcomes in the order of `rows`. Threads take their settings from `environment` and share assembled
/// programs over `shelf`. Nothing is kept on disk.
///
/// # Errors
/// The workload or the machine of a point cannot be made, or a run makes the program panic.
pub fn outcomes(
    spec: &Spec,
    rows: &[u64],
    threads: NonZeroUsize,
    (environment, shelf): (&Environment, &Arc<Shelf>),
) -> Result<Vec<PointOutcome>, LabError> {
    let next = AtomicUsize::new(0);
    let work = || {
        let environment = environment.reusing(shelf);
        let mut found = Vec::new();
        while let Some(k) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&k| k < rows.len()) {
            let subject = spec.subject(rows[k]);
            found.push(subject.map(|subject| (k, evaluate(&environment, &subject))));
        }
        found
    };
    let found: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> =
            (0..threads.get().min(rows.len())).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
    });
    let mut all = Vec::new();
    for of_thread in found {
        all.extend(of_thread.map_err(|_| LabError::new(FAILED.to_owned()))?);
    }
    let mut all = all.into_iter().collect::<Result<Vec<_>, _>>()?;
    all.sort_by_key(|(k, _)| *k);
    Ok(all.into_iter().map(|(_, outcome)| outcome).collect())
}

/// Runs the points of a share of a sweep that have no row yet, at most `limit` if that is given, and keeps a row of
/// each. `spec` is the sweep, `build` the text of [`build_of`](super::build_of) for this build of the program, `store`
/// the folder for the rows, `threads` the number of points that run at a time. `progress` is called several times a
/// second with the number of points that are done and of all points of the share; once it breaks off, no thread takes
/// another point, and the summary is of those that were run.
///
/// # Errors
/// The folder cannot be read or written, another process runs the share, or a run makes the program panic.
pub fn run(
    (spec, build): (&Spec, &str),
    store: &RowStore,
    shard: Shard,
    threads: NonZeroUsize,
    limit: Option<u64>,
    progress: &(dyn Fn(u64, u64) -> ControlFlow<()> + Sync),
) -> Result<ShardSummary, LabError> {
    store.prepare(&spec.text, spec.count().div_ceil(shard.of))?;
    let mut lease = store.lease(shard)?;
    let done = store.done()?.outcomes;
    let mut seen = HashSet::new();
    let (mut points, mut todo) = (0, Vec::new());
    for index in (0..spec.count()).skip(shard.number as usize - 1).step_by(shard.of as usize) {
        let address = RowAddress::of(&spec.subject(index)?, build);
        if seen.insert(address) {
            points += 1;
            if !done.contains_key(&address) {
                todo.push((index, address));
            }
        }
    }
    let before = points - todo.len() as u64;
    todo.truncate(limit.map_or(usize::MAX, |limit| limit as usize));
    let begin = Instant::now();
    let (environment, shelf) = (Environment::new(), Arc::new(Shelf::default()));
    let tally = Tally::default();
    let journal = Mutex::new(&mut lease.journal);
    std::thread::scope(|scope| {
        let work = || {
            let environment = environment.reusing(&shelf);
            while let Some(&(index, address)) = todo.get(tally.next()) {
                let row = spec.subject(index).map(|subject| {
                    let outcome = evaluate(&environment, &subject);
                    PointRow { address, outcome }
                });
                let written = row.and_then(|row| {
                    let has_problem = row.outcome.problem.is_some();
                    let mut journal = journal.lock().unwrap_or_else(PoisonError::into_inner);
                    journal.append(&row).map(|()| has_problem)
                });
                tally.add(written, todo.len());
            }
        };
        let workers: Vec<_> =
            (0..threads.get().min(todo.len())).map(|_| scope.spawn(work)).collect();
        while workers.iter().any(|worker| !worker.is_finished()) {
            std::thread::sleep(BEAT.min(Duration::from_millis(10) + begin.elapsed() / 20));
            if progress(before + tally.done(), points).is_break() {
                tally.stop(todo.len());
            }
        }
        let synced = journal.lock().unwrap_or_else(PoisonError::into_inner).sync();
        let panicked = workers.into_iter().any(|worker| worker.join().is_err());
        synced.and(if panicked { LabError::of(FAILED) } else { Ok(()) })
    })?;
    let seconds = begin.elapsed().as_secs_f64();
    let run = tally.done();
    let problems = tally.finish()?;
    store.give_back(lease)?;
    let assembled = shelf.assembled();
    Ok(ShardSummary { shard, points, before, run, problems, assembled, seconds })
}

/// State of the threads of a run: the next point, and counts of those that are done.
#[derive(Debug, Default)]
struct Tally {
    next: AtomicUsize,
    done: AtomicUsize,
    problems: AtomicUsize,
    error: Mutex<Option<LabError>>,
}

impl Tally {
    fn next(&self) -> usize {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Leaves the points that no thread has taken.
    fn stop(&self, all: usize) {
        self.next.store(all, Ordering::Relaxed);
    }

    fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed) as u64
    }

    /// Counts a point; after an error no thread takes another.
    fn add(&self, written: Result<bool, LabError>, all: usize) {
        match written {
            Ok(has_problem) => {
                self.problems.fetch_add(usize::from(has_problem), Ordering::Relaxed);
                self.done.fetch_add(1, Ordering::Relaxed);
            }
            Err(e) => {
                self.stop(all);
                let mut error = self.error.lock().unwrap_or_else(PoisonError::into_inner);
                error.get_or_insert(e);
            }
        }
    }

    fn finish(self) -> Result<u64, LabError> {
        let error = self.error.into_inner().unwrap_or_else(PoisonError::into_inner);
        error.map_or(Ok(self.problems.into_inner() as u64), Err)
    }
}
