//! A run of a program, which goes on in steps, and the outcome that it leaves.

use crate::arrays::Ready;
use crate::environment::Environment;
use crate::failure::Error;
use crate::npy::Array;
use crate::program::Program;
use crate::promises::{Broken, ObserverPair};
use crate::sanitizer::{Finding, Sanitizer};
use crate::setup::{Prepared, Setup};
use cp2_emu::trace::{NoObserver, Observer};
use cp2_emu::{End, Engine, Machine, Stats};
use cp2_isa::BundleAddress;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Cycles from one look at a cancellation to the next: some milliseconds of the fast engine.
const SHARE: u64 = 1 << 20;

/// A request to a run to end early. Clones are the same request, which any thread may make; the run then ends with
/// [`End::Interrupted`] within about a million cycles.
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// Asks the run to end, and returns at once. Any thread may call this; the run ends within about a million cycles.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the run was asked to end.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A run of a program that has begun and goes on in steps. [`Program::start`] begins it, [`Run::finish`] ends it. It
/// may go to another thread between two steps (it is `Send`). If it is dropped before its end, a recording of it
/// reaches up to its last checkpoint.
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
    /// Begins a run of what was prepared. From the setup it takes the engine, the limit of cycles, the recorder, and
    /// whether the run is checked and profiled.
    ///
    /// # Errors
    /// [`Error::Program`] if the recording cannot keep the program; [`Error::NoPromises`] if the run is to be checked
    /// and the program tells no promises ([`Program::has_promises`]).
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

    /// Returns the number of cycles of CP2 that the run has lasted so far.
    pub fn cycles(&self) -> u64 {
        self.machine.cp2.stats().cycles
    }

    /// Returns the number of cycles after which [`Run::to_end`] ends the run.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Returns the machine as it is now. A recording of the run holds a change of it only if [`Machine::act`] makes the
    /// change.
    pub fn machine(&mut self) -> &mut Machine {
        &mut self.machine
    }

    /// Whether a promise of linear code is broken ([`Broken`]), at which the run has to end. Only checked runs look for
    /// that.
    pub fn is_broken(&self) -> bool {
        self.is_over || self.check.as_ref().is_some_and(|check| check.broken().is_some())
    }

    /// Goes on until the run has lasted `until` cycles. Returns the end if the run ends before by a `stop` or a fault,
    /// and `None` otherwise: `until` is reached, the observer wants no more, or a promise is broken
    /// ([`Run::is_broken`]). The limit of cycles is not looked at here; see [`Run::to_end`].
    pub fn advance(&mut self, until: u64, observer: Option<&mut dyn Observer>) -> Option<End> {
        if self.is_broken() {
            return None;
        }
        let Self { machine, engine, check, .. } = self;
        let engine = &mut **engine;
        match (observer, check) {
            (None, None) => engine.advance_kernel(machine, until, &mut NoObserver),
            (Some(observer), None) => engine.advance_kernel(machine, until, observer),
            (None, Some(check)) => check.advance(engine, machine, until),
            (Some(observer), Some(check)) => {
                engine.advance_kernel(machine, until, &mut ObserverPair(observer, check))
            }
        }
    }

    /// Goes on until the run ends, reaches its limit or is cancelled, and returns which it was: [`End::Interrupted`]
    /// stands for a cancellation or a broken promise. `progress` is told the number of cycles that are done, about
    /// every million of them. [`Run::finish`] has to follow.
    pub fn to_end(&mut self, cancellation: &Cancellation, progress: &mut dyn FnMut(u64)) -> End {
        self.watched(&mut Alone, cancellation, progress)
    }

    /// Goes on as [`Run::to_end`] does, with a watcher that takes the run from share to share of its cycles, such as a
    /// trace. If the watcher stops before the end of a share, the end is [`End::Interrupted`].
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

    /// Ends the run, and returns what it leaves. `end` is the reason, as [`Run::to_end`] returned it. Results that are
    /// under way land first.
    pub fn finish(self, end: End) -> Outcome {
        self.finish_watched(&mut Alone, end)
    }

    /// Ends the run as [`Run::finish`] does, through a watcher, which sees the results that land.
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

/// A watcher, which takes a run on, a share of cycles at a time, and may look at the machine in between, such as one
/// that writes a trace. [`Run::watched`] asks it; between two shares the run looks whether it is cancelled.
pub trait Watcher {
    /// Returns the number of cycles of a share; about a million unless overridden.
    fn share(&self) -> u64 {
        SHARE
    }

    /// Takes the run on until it has lasted `until` cycles, and returns its end if it ends before. A watcher that stops
    /// earlier without an end ends the run as interrupted. See [`Run::advance`].
    fn advance(&mut self, run: &mut Run<'_>, until: u64) -> Option<End> {
        run.advance(until, None)
    }

    /// Completes what the kernel of the machine has under way, after the run has ended for the reason `end`, and
    /// returns its counts ([`Machine::finish_kernel`]).
    fn finish(&mut self, machine: &mut Machine, end: End) -> cp2_emu::RunResult {
        machine.finish_kernel(end)
    }
}

/// A watcher that looks at nothing.
struct Alone;

impl Watcher for Alone {}

/// The findings of a checked run: a broken promise of linear code, uses of undefined values, and stores outside of
/// arrays. [`Run::finish`] makes it if the setup asks for the check.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Promise of linear code that was broken, where the run ended; `None` if none was.
    pub broken: Option<Broken>,
    /// Wrong reads and stores, each place of the program once, in the order of bundle addresses.
    pub findings: Vec<Finding>,
    /// Number of further findings that the source allows (`@allow`), and that are not listed.
    pub allowed: u64,
}

impl Checked {
    /// Whether no promise was broken and nothing was found, apart from what the source allows.
    pub fn is_clean(&self) -> bool {
        self.broken.is_none() && self.findings.is_empty()
    }
}

/// The outcome of a run of a program: why it ended, its counts of cycles, operations and accesses, and the machine and
/// arrays that it leaves. Made by [`Run::finish`].
#[derive(Debug)]
pub struct Outcome {
    /// Reason why the run ended: a `stop`, a fault, the limit of cycles, or an interruption.
    pub end: End,
    /// Counts of the run: cycles, where they went, operations, accesses.
    pub stats: Stats,
    /// Machine after the run: registers, memories, and the profile if one was kept.
    pub machine: Machine,
    /// Arrays that can be taken from the machine, and where they lie; [`Outcome::array`] takes one.
    pub arrays: Ready,
    /// Findings of a checked run; `None` if the run was not checked.
    pub checked: Option<Checked>,
}

impl Outcome {
    /// Returns the code of the `stop` that ended the run.
    ///
    /// # Errors
    /// [`Error::Promise`] if a promise of linear code was broken; [`Error::End`] if a fault, the limit of cycles or an
    /// interruption ended the run.
    pub fn stopped(&self) -> Result<u64, Error> {
        match (&self.end, self.checked.as_ref().and_then(|checked| checked.broken.as_ref())) {
            (_, Some(broken)) => Err(Error::Promise(Box::new(broken.clone()))),
            (End::Stopped(code), None) => Ok(*code),
            (end, None) => Err(Error::End(Box::new(end.clone()))),
        }
    }

    /// Returns the arrays that the setup asked for ([`Setup::store`]), in the order in which it did.
    ///
    /// # Errors
    /// [`Error::Array`] for the first array of which copies of an element differ, or an element has no value in the
    /// type that was asked for.
    pub fn arrays(&self) -> Result<Vec<Array>, Error> {
        let lmem = &self.machine.cp2.state.lmem;
        self.arrays.stores.iter().map(|array| array.take(lmem).map_err(Error::Array)).collect()
    }

    /// Returns one of the arrays that the setup asked for, by the name or address that [`Setup::store`] was given,
    /// without options.
    ///
    /// # Errors
    /// [`Error::NoArray`] if the setup did not ask for this array; [`Error::Array`] if copies of an element differ, or
    /// an element has no value in the type that was asked for.
    pub fn array(&self, place: &str) -> Result<Array, Error> {
        let is_it =
            |array: &&crate::arrays::StoredArray| array.transfer.target.to_string() == place;
        match self.arrays.stores.iter().find(is_it) {
            Some(array) => array.take(&self.machine.cp2.state.lmem).map_err(Error::Array),
            None => Err(Error::NoArray(place.to_owned())),
        }
    }

    /// Returns registers and memories after the run as a JSON value, in the form of state files.
    pub fn state(&self) -> serde_json::Value {
        let cp2 = &self.machine.cp2;
        cp2.state.to_json(cp2.status(), self.stats.cycles)
    }
}

impl Program {
    /// Begins a run of the program, which its owner takes on in steps. `environment` builds the engine, `setup` says
    /// how the program is run.
    ///
    /// # Errors
    /// The same errors as of [`Program::prepare`] and [`Run::new`].
    pub fn start(&self, environment: &Environment, setup: &Setup) -> Result<Run<'_>, Error> {
        Run::new(environment, self.prepare(setup)?, setup)
    }

    /// Runs the program to its end, whatever the end is, and returns the outcome.
    ///
    /// # Errors
    /// The same errors as of [`Program::start`]. A fault or the limit of cycles is no error here; see
    /// [`Outcome::stopped`].
    pub fn run(&self, environment: &Environment, setup: &Setup) -> Result<Outcome, Error> {
        let mut run = self.start(environment, setup)?;
        let end = run.to_end(&Cancellation::default(), &mut |_| {});
        Ok(run.finish(end))
    }
}
