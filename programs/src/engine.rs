//! CP2 alone on the engine of choice, from a kernel's text to the counts of a run. Whole machines are
//! in `host`.

use crate::error::KernelError;
use crate::load::machine_with;
use cp2_emu::state::State;
use cp2_emu::{Cp2, End, Stats};
use cp2_fast::Fast;
use cp2_isa::Core;

/// What runs a kernel or a machine. The results are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// The fast engine, where it can run; on a whole machine time passes from event to event.
    #[default]
    Fast,
    /// The reference engine, cycle by cycle.
    Reference,
}

impl Engine {
    /// All of them, the default first.
    pub const ALL: [Self; 2] = [Self::Fast, Self::Reference];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Reference => "reference",
        }
    }

    /// The engine of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|engine| engine.name() == name)
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
}

impl Execution {
    /// The usual limit of cycles: far above what any kernel takes for what local memory holds.
    pub const MAX_CYCLES: u64 = 10_000_000;

    /// The usual engine and limit on a core.
    pub const fn on(core: Core) -> Self {
        Self { core, engine: Engine::Fast, max_cycles: Self::MAX_CYCLES }
    }
}

impl Default for Execution {
    fn default() -> Self {
        Self::on(Core::default())
    }
}

/// One CP2 that runs kernels to their `stop`.
#[derive(Debug)]
pub struct Processor {
    fast: Fast,
    max_cycles: u64,
}

impl Processor {
    /// Takes over a machine.
    pub fn new(cp2: Cp2, on: Execution) -> Self {
        let fast = match on.engine {
            Engine::Fast => Fast::new(cp2),
            Engine::Reference => Fast::portable(cp2),
        };
        Self { fast, max_cycles: on.max_cycles }
    }

    /// A machine that holds an assembled text, and the address of its first kernel.
    pub fn with(name: &str, text: &str, on: Execution) -> Result<(Self, u16), KernelError> {
        let (cp2, entry) = machine_with(&on.core, name, text)?;
        Ok((Self::new(cp2, on), entry))
    }

    /// The machine.
    pub fn cp2(&mut self) -> &mut Cp2 {
        &mut self.fast.cp2
    }

    /// Its registers and memories.
    pub fn state(&mut self) -> &mut State {
        &mut self.fast.cp2.state
    }

    /// Sets `g0`, `g1`, ... and runs the kernel at `entry`.
    ///
    /// # Errors
    /// An end that is no `stop`: a fault, or the limit of cycles.
    pub fn call(&mut self, entry: u16, arguments: &[usize]) -> Result<Stats, KernelError> {
        for (register, &value) in self.state().gpr.iter_mut().zip(arguments) {
            *register = value as u64;
        }
        let run = self.fast.run_untraced(entry, self.max_cycles);
        match run.end {
            End::Stopped(_) => Ok(run.stats),
            end => Err(KernelError::Run(Box::new(end))),
        }
    }
}
