//! Runs of kernels on CP2 alone, on the engine of choice, from a kernel's text to the counts of a run. Whole machines
//! are run by procedures.

use crate::engine::Engine;
use crate::environment::Environment;
use crate::error::KernelError;
use crate::keeping::Keeper;
use crate::load::{cp2, load};
use crate::promises::EntryPromises;
use cp2_asm::image::Image;
use cp2_emu::state::State;
use cp2_emu::trace::NoObserver;
use cp2_emu::{Cp2, End, Machine, Stats};
use cp2_isa::{BundleAddress, Core};
use cp2_recording::Recorder;
use std::sync::Arc;

/// The way in which kernels are run: engine, core, limit of cycles, the environment that assembles them, and the
/// recorder and the keeper of the runs, if there are any. [`Execution::on`] makes the usual one.
#[derive(Clone, Debug)]
pub struct Execution {
    /// Environment that assembles the kernels and builds the engines.
    pub environment: Environment,
    /// Core of the CP2 that runs the kernels, and for which their texts are assembled. Where kernels run on a machine,
    /// it is the machine's core.
    pub core: Core,
    /// Engine that runs the kernels; the results of all are the same.
    pub engine: Engine,
    /// Limit of cycles for one run of a kernel, on a machine also for one wait for the DMA channel; `None` if none is given:
    /// then it is the usual one, or one that the caller chooses for the size of the task. [`Execution::limit`] tells it.
    pub max_cycles: Option<u64>,
    /// Recorder that writes a recording of the runs; `None` if they are not recorded.
    pub recorder: Option<Recorder>,
    /// Keeper that makes checkpoints of a procedure and may stop it; `None` if there are to be no checkpoints.
    pub keeper: Option<Arc<Keeper>>,
}

impl Execution {
    /// The usual limit of cycles for one run of a kernel: far more than any kernel takes for data that fit local
    /// memory.
    pub const MAX_CYCLES: u64 = 10_000_000;

    /// Creates the usual way to run kernels on a core: the fast engine, the usual limit, an environment of its own, no
    /// recorder and no keeper.
    pub fn on(core: Core) -> Self {
        Self {
            environment: Environment::new(),
            core,
            engine: Engine::Fast,
            max_cycles: None,
            recorder: None,
            keeper: None,
        }
    }

    /// Returns the limit of cycles for one run of a kernel: the one that is given, or else the usual one.
    pub fn limit(&self) -> u64 {
        self.max_cycles.unwrap_or(Self::MAX_CYCLES)
    }

    /// Returns the usual way to run kernels on a core, with the same environment and the same limit of cycles, for what is
    /// simulated beside the runs: it is not recorded, and there are no checkpoints.
    pub fn unrecorded(&self, core: Core) -> Self {
        Self { max_cycles: self.max_cycles, ..self.environment.execution(core) }
    }

    /// Creates the engine, which records what it runs if there is a recorder. If the environment reuses engines, the
    /// fast one may have run other kernels before: it keeps their translated code, but no state of a machine, so that
    /// results are the same.
    pub fn build(&self) -> Box<dyn cp2_emu::Engine> {
        let make = || self.environment.engine(self.engine);
        let engine = match self.engine {
            Engine::Fast => self.environment.lent_engine(make),
            Engine::Portable | Engine::Reference => make(),
        };
        match &self.recorder {
            Some(recorder) => recorder.around(engine),
            None => engine,
        }
    }
}

impl Default for Execution {
    fn default() -> Self {
        Self::on(Core::default())
    }
}

impl Environment {
    /// Returns the usual way to run kernels on a core, as [`Execution::on`] does, in this environment.
    pub fn execution(&self, core: Core) -> Execution {
        Execution { environment: self.clone(), ..Execution::on(core) }
    }
}

/// Tells the recorder, if there is one, that the run is over.
impl Drop for KernelRunner {
    fn drop(&mut self) {
        self.engine.release(&mut self.machine);
    }
}

/// A CP2 without a machine around it, and an engine that runs kernels on it, each to its `stop`. Registers and memories
/// keep their contents from call to call. Made by [`KernelRunner::new`] or [`KernelRunner::with`].
#[derive(Debug)]
pub struct KernelRunner {
    machine: Machine,
    engine: Box<dyn cp2_emu::Engine>,
    max_cycles: u64,
    promises: EntryPromises,
}

impl KernelRunner {
    /// Creates a runner of kernels on this CP2, as its registers and memories are, in the way that `on` says.
    pub fn new(cp2: Cp2, on: &Execution) -> Self {
        let machine = Machine::alone(cp2);
        let (engine, promises) = (on.build(), EntryPromises::default());
        Self { machine, engine, max_cycles: on.limit(), promises }
    }

    /// Copies the bundles and data of a program into the CP2. From then on, calls have to keep the promises of this
    /// program's linear code about registers ([`EntryPromises`]), and no longer those of a program that was loaded
    /// before.
    pub fn load(&mut self, image: &Image) {
        load(image, &mut self.machine.cp2);
        self.promises = EntryPromises::of(image, self.machine.cp2.core());
    }

    /// Creates a runner whose CP2, after reset, holds an assembled text, and returns it with the address of the first
    /// kernel; 0 if there is none. `name` names the text in messages, `on` says how kernels are run.
    ///
    /// # Errors
    /// The same errors as of [`Environment::assemble`].
    pub fn with(
        name: &str,
        text: &str,
        on: &Execution,
    ) -> Result<(Self, BundleAddress), KernelError> {
        let image = on.environment.assemble(&on.core, name, text)?;
        let mut processor = Self::new(cp2(&on.core), on);
        processor.load(&image);
        Ok((processor, image.kernels.first().map_or(BundleAddress::default(), |k| k.start)))
    }

    /// Returns the CP2 that runs the kernels, to be read or changed between calls.
    pub fn cp2(&mut self) -> &mut Cp2 {
        &mut self.machine.cp2
    }

    /// Returns the registers and memories of the CP2, to be read or changed between calls.
    pub fn state(&mut self) -> &mut State {
        &mut self.machine.cp2.state
    }

    /// Sets the general registers `g0`, `g1` and so on to the arguments, runs the kernel whose first bundle is at
    /// `entry`, and returns the counts of the run. Arguments after the 16th are ignored.
    ///
    /// # Errors
    /// [`KernelError::Promise`] if registers break a promise of the kernel's linear code; nothing runs then.
    /// [`KernelError::Run`] if the run does not end by a `stop`: a fault, or the limit of cycles.
    pub fn call(
        &mut self,
        entry: BundleAddress,
        arguments: &[usize],
    ) -> Result<Stats, KernelError> {
        for (register, &value) in self.state().gpr.iter_mut().zip(arguments) {
            *register = value as u64;
        }
        let State { gpr, a, .. } = &self.machine.cp2.state;
        if let Some(broken) = self.promises.broken(entry, gpr, a) {
            return Err(KernelError::Promise(Box::new(broken)));
        }
        let run =
            self.engine.run_kernel(&mut self.machine, entry, self.max_cycles, &mut NoObserver);
        match run.end {
            End::Stopped(_) => Ok(run.stats),
            end => Err(KernelError::Run(Box::new(end))),
        }
    }
}
