//! A run of a program that goes on in steps, and what it leaves.

use crate::arrays::Ready;
use crate::environment::Environment;
use crate::failure::Error;
use crate::npy::Array;
use crate::program::Program;
use crate::promises::{Both, Broken};
use crate::sanitizer::{Finding, Sanitizer};
use crate::setup::{Prepared, Setup};
use cp2_emu::trace::{Observer, Off};
use cp2_emu::{End, Engine, Machine, Stats};
use cp2_isa::BundleAddress;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Cycles from one look at a cancellation to the next: some milliseconds of the fast engine.
const SHARE: u64 = 1 << 20;

/// Request to a run to end, as its outcome is not wanted any more. Clones are the same request, and any thread may make it;
/// the run ends with [`End::Interrupted`] within a million cycles.
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// Asks the run to end; returns at once. Any thread may call it, and the run ends within a million cycles.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the run has been asked to end.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A run that has begun. It may go to another thread between two steps (it is `Send`). If it is dropped before its end, what
/// records it holds it up to its last checkpoint.
pub struct Run<'a> {
    machine: Machine,
    engine: Box<dyn Engine>,
    arrays: Ready,
    limit: u64,
    /// Bundle at which the run started.
    pub(crate) entry: BundleAddress,
    check: Option<Sanitizer<'a>>,
    /// Whether a promise was broken before the first bundle.
    is_over: bool,
}

impl fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (cycles, limit) = (self.cycles(), self.limit);
        f.debug_struct("Run")
            .field("cycles", &cycles)
            .field("limit", &limit)
            .finish_non_exhaustive()
    }
}

impl<'a> Run<'a> {
    /// Begins a run of what has been prepared, with what of the setup concerns the run: engine, limit, checks, recorder.
    ///
    /// # Errors
    /// The program cannot be kept in the recording; or the run is to be checked, and the program tells no promises
    /// ([`Program::has_promises`]).
    pub fn new(
        environment: &Environment,
        prepared: Prepared<'a>,
        setup: &Setup,
    ) -> Result<Self, Error> {
        if setup.is_checked && !prepared.program.has_promises() {
            return Err(Error::NoPromises);
        }
        let mut engine = environment.engine(setup.engine);
        if let Some(recorder) = &setup.recorder {
            prepared.program.keep_in(recorder).map_err(Error::Program)?;
            engine = recorder.around(engine);
        }
        let mut check = setup.is_checked.then(|| prepared.check());
        let Prepared { mut machine, entry, arrays, .. } = prepared;
        if setup.is_profiled {
            machine.cp2.keep_profile();
        }
        machine.start_kernel(entry);
        // No cycle ends before the first bundle.
        let is_over = check.as_mut().is_some_and(|check| !check.begin(&machine.cp2.state));
        let limit = setup.max_cycles;
        Ok(Self { machine, engine, arrays, limit, entry, check, is_over })
    }

    /// Returns the number of cycles that are done.
    pub fn cycles(&self) -> u64 {
        self.machine.cp2.stats().cycles
    }

    /// Returns the number of cycles after which the run ends.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Returns the machine as it is now. What is changed of it is no part of a recording unless it goes through
    /// [`Machine::act`] of the engine.
    pub fn machine(&mut self) -> &mut Machine {
        &mut self.machine
    }

    /// Whether the run is to end because a promise of linear code is broken.
    pub fn is_broken(&self) -> bool {
        self.is_over || self.check.as_ref().is_some_and(|check| check.broken().is_some())
    }

    /// Goes on to a cycle of the run, or less far: to its end, which it tells, to where the observer wants no more, or to a
    /// broken promise. The limit is the caller's business; see [`Run::to_end`].
    pub fn advance(&mut self, until: u64, observer: Option<&mut dyn Observer>) -> Option<End> {
        if self.is_broken() {
            return None;
        }
        let Self { machine, engine, check, .. } = self;
        let engine = &mut **engine;
        match (observer, check) {
            (None, None) => engine.advance_kernel(machine, until, &mut Off),
            (Some(observer), None) => engine.advance_kernel(machine, until, observer),
            (None, Some(check)) => check.advance(engine, machine, until),
            (Some(observer), Some(check)) => {
                engine.advance_kernel(machine, until, &mut Both(observer, check))
            }
        }
    }

    /// Goes on to the end, the limit or a cancellation, and tells which it was; the program itself need not be over.
    /// `progress` is told the cycles that are done, every million of them.
    pub fn to_end(&mut self, cancellation: &Cancellation, progress: &mut dyn FnMut(u64)) -> End {
        self.watched(&mut Alone, cancellation, progress)
    }

    /// Goes on as [`Run::to_end`] does, with a watcher that takes the run on, such as a trace.
    pub fn watched(
        &mut self,
        watcher: &mut dyn Watcher,
        cancellation: &Cancellation,
        progress: &mut dyn FnMut(u64),
    ) -> End {
        loop {
            let done = self.cycles();
            if self.is_broken() {
                return End::Interrupted;
            }
            if done >= self.limit {
                return End::CycleLimit(self.limit);
            }
            let goal = self.limit.min(done + watcher.share());
            if let Some(end) = watcher.advance(self, goal) {
                return end;
            }
            progress(self.cycles());
            // Before the goal somebody asked for an end: the trace has no reader, or a promise is broken.
            if self.cycles() < goal || cancellation.is_cancelled() {
                return End::Interrupted;
            }
        }
    }

    /// Ends the run, whose end is known, and gives what it leaves. Results that are under way land.
    pub fn finish(self, end: End) -> Outcome {
        self.finish_watched(&mut Alone, end)
    }

    /// Ends the run as [`Run::finish`] does, through `watcher`, which sees what lands.
    pub fn finish_watched(mut self, watcher: &mut dyn Watcher, end: End) -> Outcome {
        let cp2_emu::RunResult { end, stats } = watcher.finish(&mut self.machine, end);
        self.engine.release(&mut self.machine);
        let checked = self.check.as_mut().map(|check| {
            check.end(&end);
            Checked {
                broken: check.broken().cloned(),
                findings: check.findings(),
                allowed: check.allowed(),
            }
        });
        let Self { machine, arrays, .. } = self;
        Outcome { end, stats, machine, arrays, checked }
    }
}

/// A watcher, which takes a run on, a share of cycles at a time, and looks at it in between.
pub trait Watcher {
    /// Returns the number of cycles from one look at a cancellation to the next.
    fn share(&self) -> u64 {
        SHARE
    }

    /// Takes the run to a cycle of it, or less far; see [`Run::advance`].
    fn advance(&mut self, run: &mut Run<'_>, until: u64) -> Option<End> {
        run.advance(until, None)
    }

    /// Ends the run of the machine's kernel ([`Machine::finish_kernel`]).
    fn finish(&mut self, machine: &mut Machine, end: End) -> cp2_emu::RunResult {
        machine.finish_kernel(end)
    }
}

/// A watcher that looks at nothing.
struct Alone;

impl Watcher for Alone {}

/// The findings of a run that was checked: a broken promise, wrong reads and stores.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The promise of linear code at which the run ended.
    pub broken: Option<Broken>,
    /// Reads and stores that are wrong, in the order of the bundles.
    pub findings: Vec<Finding>,
    /// Number of further findings that the source allows.
    pub allowed: u64,
}

impl Checked {
    /// Whether nothing was found.
    pub fn is_clean(&self) -> bool {
        self.broken.is_none() && self.findings.is_empty()
    }
}

/// The outcome of a run: why it ended, what it counted, and the machine that it leaves.
#[derive(Debug)]
pub struct Outcome {
    /// The reason why the run ended: a `stop`, a fault, the limit of cycles, or a request.
    pub end: End,
    /// Counts of the run: cycles, where they went, operations, accesses.
    pub stats: Stats,
    /// The machine after the run: registers, memories, profile.
    pub machine: Machine,
    /// The arrays that can be taken from the machine, with their places.
    pub arrays: Ready,
    /// Findings of a checked run; none of others.
    pub checked: Option<Checked>,
}

impl Outcome {
    /// Returns the code of the `stop` that ended the run.
    ///
    /// # Errors
    /// Something else ended the run: a fault, the limit of cycles, a cancellation, or a broken promise.
    pub fn stopped(&self) -> Result<u64, Error> {
        match (&self.end, self.checked.as_ref().and_then(|checked| checked.broken.as_ref())) {
            (_, Some(broken)) => Err(Error::Promise(Box::new(broken.clone()))),
            (End::Stopped(code), None) => Ok(*code),
            (end, None) => Err(Error::End(Box::new(end.clone()))),
        }
    }

    /// Returns the arrays that the setup asked for, in its order, or none of them if one cannot be had.
    ///
    /// # Errors
    /// Copies that should be equal differ, or an element has no equal in the type that was asked for.
    pub fn arrays(&self) -> Result<Vec<Array>, Error> {
        let lmem = &self.machine.cp2.state.lmem;
        self.arrays.stores.iter().map(|array| array.take(lmem).map_err(Error::Array)).collect()
    }

    /// Returns one of the arrays that the setup asked for, by the name or address that [`Setup::store`] was given.
    ///
    /// # Errors
    /// The array was not asked for, or cannot be had; see [`Outcome::arrays`].
    pub fn array(&self, place: &str) -> Result<Array, Error> {
        let is_it =
            |array: &&crate::arrays::StoredArray| array.transfer.target.to_string() == place;
        match self.arrays.stores.iter().find(is_it) {
            Some(array) => array.take(&self.machine.cp2.state.lmem).map_err(Error::Array),
            None => Err(Error::NoArray(place.to_owned())),
        }
    }

    /// Returns registers and memories as a state file.
    pub fn state(&self) -> serde_json::Value {
        let cp2 = &self.machine.cp2;
        cp2.state.to_json(cp2.status(), self.stats.cycles)
    }
}

impl Program {
    /// Begins a run, which whoever has it takes on in steps.
    ///
    /// # Errors
    /// See [`Program::prepare`] and [`Run::new`].
    pub fn start(&self, environment: &Environment, setup: &Setup) -> Result<Run<'_>, Error> {
        Run::new(environment, self.prepare(setup)?, setup)
    }

    /// Runs the program to its end, which the outcome tells.
    ///
    /// # Errors
    /// See [`Program::start`]. However the run ends is no error; see [`Outcome::stopped`].
    pub fn run(&self, environment: &Environment, setup: &Setup) -> Result<Outcome, Error> {
        let mut run = self.start(environment, setup)?;
        let end = run.to_end(&Cancellation::default(), &mut |_| {});
        Ok(run.finish(end))
    }
}
