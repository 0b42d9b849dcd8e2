//! CP2 alone on the engine of choice, from a kernel's text to the counts of a run. Whole machines are
//! in `host`.

use crate::error::KernelError;
use crate::keeping::Keeper;
use crate::load::{assemble, cp2, load};
use crate::promises::AtEntry;
use crate::reuse;
use crate::store::Kept;
use cp2_asm::image::Image;
use cp2_emu::state::State;
use cp2_emu::trace::Off;
use cp2_emu::{Cp2, End, Machine, Reference, Stats};
use cp2_fast::Translator;
use cp2_isa::{BundleAddress, Core};
use cp2_portable::Portable;
use cp2_recording::Recorder;

/// What runs a kernel or a machine. The results are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// The fast engine, which leaves to the portable one what it does not translate; on a whole machine time passes from event to event.
    #[default]
    Fast,
    /// The portable engine, as the fast one uses it where it cannot run.
    Portable,
    /// The reference engine, cycle by cycle.
    Reference,
}

impl Engine {
    /// All of them, the default first.
    pub const ALL: [Self; 3] = [Self::Fast, Self::Portable, Self::Reference];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Portable => "portable",
            Self::Reference => "reference",
        }
    }

    /// What it is, in a line.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Fast => "The same results from translated code, many times faster",
            Self::Portable => {
                "The same results on any host, some ten times as fast as the reference"
            }
            Self::Reference => "The specification made to run",
        }
    }

    /// The engine of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|engine| engine.name() == name)
    }

    /// A new engine of this kind.
    pub fn build(self) -> Box<dyn cp2_emu::Engine> {
        match self {
            Self::Fast => Box::new(match Kept::get() {
                Some(kept) => Translator::default().keeping(Box::new(kept)),
                None => Translator::default(),
            }),
            Self::Portable => Box::new(Portable::default()),
            Self::Reference => Box::new(Reference),
        }
    }
}

/// How kernels are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Execution {
    /// The CP2 that runs them, for which their texts are made. On a machine it is the machine's.
    pub core: Core,
    /// What runs them.
    pub engine: Engine,
    /// Limit of cycles for one run of a kernel; on a machine also for the transfers beside it.
    pub max_cycles: u64,
    /// What records them, if something does. A process records one run, and so this is a value as small
    /// as the others.
    pub recorder: Option<&'static Recorder>,
    /// What keeps a procedure and may stop it, likewise.
    pub keeper: Option<&'static Keeper>,
}

impl Execution {
    /// The usual limit of cycles: far above what any kernel takes for what local memory holds.
    pub const MAX_CYCLES: u64 = 10_000_000;

    /// The usual engine and limit on a core.
    pub const fn on(core: Core) -> Self {
        Self {
            core,
            engine: Engine::Fast,
            max_cycles: Self::MAX_CYCLES,
            recorder: None,
            keeper: None,
        }
    }

    /// A new engine, recorded if something records.
    pub fn build(self) -> Box<dyn cp2_emu::Engine> {
        let engine = match self.engine {
            Engine::Fast => reuse::engine(|| self.engine.build()),
            Engine::Portable | Engine::Reference => self.engine.build(),
        };
        match self.recorder {
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

/// What records the runs is told that this one is over.
impl Drop for Processor {
    fn drop(&mut self) {
        self.engine.leave(&mut self.machine);
    }
}

/// One CP2 that runs kernels to their `stop`.
#[derive(Debug)]
pub struct Processor {
    machine: Machine,
    engine: Box<dyn cp2_emu::Engine>,
    max_cycles: u64,
    promises: AtEntry,
}

impl Processor {
    /// Takes over a CP2.
    pub fn new(cp2: Cp2, on: Execution) -> Self {
        let machine = Machine::alone(cp2);
        let (engine, promises) = (on.build(), AtEntry::default());
        Self { machine, engine, max_cycles: on.max_cycles, promises }
    }

    /// Takes over a program: from now on calls of its kernels have to keep its promises.
    pub fn load(&mut self, image: &Image) {
        load(image, &mut self.machine.cp2);
        self.promises = AtEntry::of(image, self.machine.cp2.core());
    }

    /// A machine that holds an assembled text, and the address of its first kernel.
    pub fn with(
        name: &str,
        text: &str,
        on: Execution,
    ) -> Result<(Self, BundleAddress), KernelError> {
        let image = assemble(&on.core, name, text)?;
        let mut processor = Self::new(cp2(&on.core), on);
        processor.load(&image);
        Ok((processor, image.kernels.first().map_or(BundleAddress::default(), |k| k.start)))
    }

    /// The machine.
    pub fn cp2(&mut self) -> &mut Cp2 {
        &mut self.machine.cp2
    }

    /// Its registers and memories.
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
