//! CP2 alone on the engine of choice, from a kernel's text to the counts of a run. Whole machines are the business of
//! procedures.

use crate::engine::Engine;
use crate::environment::Environment;
use crate::error::KernelError;
use crate::keeping::Keeper;
use crate::load::{cp2, load};
use crate::promises::AtEntry;
use cp2_asm::image::Image;
use cp2_emu::state::State;
use cp2_emu::trace::Off;
use cp2_emu::{Cp2, End, Machine, Stats};
use cp2_isa::{BundleAddress, Core};
use cp2_recording::Recorder;
use std::sync::Arc;

/// The way in which kernels are run: engine, core, limit, and who makes and records their runs.
#[derive(Clone, Debug)]
pub struct Execution {
    /// Environment that makes programs and builds engines.
    pub environment: Environment,
    /// Core of the CP2 that runs the kernels, for which their texts are made. On a machine it is the machine's core.
    pub core: Core,
    /// Engine that runs the kernels; the results of all are the same.
    pub engine: Engine,
    /// Limit of cycles for one run of a kernel; on a machine also for the transfers beside it.
    pub max_cycles: u64,
    /// Recorder of the runs, if they are recorded.
    pub recorder: Option<Recorder>,
    /// Keeper that makes checkpoints of a procedure and may stop it, if there is one.
    pub keeper: Option<Arc<Keeper>>,
}

impl Execution {
    /// The usual limit of cycles: far above what any kernel takes for what local memory holds.
    pub const MAX_CYCLES: u64 = 10_000_000;

    /// Creates an execution on a core, with the usual engine and limit.
    pub fn on(core: Core) -> Self {
        Self {
            environment: Environment::new(),
            core,
            engine: Engine::Fast,
            max_cycles: Self::MAX_CYCLES,
            recorder: None,
            keeper: None,
        }
    }

    /// Returns an engine, recorded if something records. Where the environment reuses engines, the fast one may have run
    /// before.
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
    /// Returns the usual way to run kernels on a core in this environment.
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

/// A CP2 that runs kernels to their `stop`.
#[derive(Debug)]
pub struct KernelRunner {
    machine: Machine,
    engine: Box<dyn cp2_emu::Engine>,
    max_cycles: u64,
    promises: AtEntry,
}

impl KernelRunner {
    /// Creates a runner of kernels on a CP2, which keeps what its registers and memories hold.
    pub fn new(cp2: Cp2, on: &Execution) -> Self {
        let machine = Machine::alone(cp2);
        let (engine, promises) = (on.build(), AtEntry::default());
        Self { machine, engine, max_cycles: on.max_cycles, promises }
    }

    /// Takes over a program: from now on calls of its kernels have to keep its promises.
    pub fn load(&mut self, image: &Image) {
        load(image, &mut self.machine.cp2);
        self.promises = AtEntry::of(image, self.machine.cp2.core());
    }

    /// Creates a runner whose CP2 holds an assembled text, and returns it with the address of the first kernel.
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

    /// Returns the CP2 that runs the kernels.
    pub fn cp2(&mut self) -> &mut Cp2 {
        &mut self.machine.cp2
    }

    /// Returns the registers and memories of CP2.
    pub fn state(&mut self) -> &mut State {
        &mut self.machine.cp2.state
    }

    /// Sets `g0`, `g1`, ... and runs the kernel at `entry`.
    ///
    /// # Errors
    /// Registers that break a promise of the kernel; an end that is no `stop`: a fault, or the limit of cycles.
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
        let run = self.engine.run_kernel(&mut self.machine, entry, self.max_cycles, &mut Off);
        match run.end {
            End::Stopped(_) => Ok(run.stats),
            end => Err(KernelError::Run(Box::new(end))),
        }
    }
}
