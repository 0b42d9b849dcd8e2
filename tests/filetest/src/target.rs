//! Engines that run the programs of file tests: the reference engine, the portable one and the fast one.

use cp2_emu::trace::NoObserver;
use cp2_emu::{Cp2, Engine, Machine, ReferenceEngine, RunResult};
use cp2_fast::{NativeIsa, Translator};
use cp2_isa::BundleAddress;
use cp2_portable::Portable;

/// Choice of an engine, a part of the emulator that runs bundles of CP2, for the programs of file tests. All engines
/// have to give the same results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestEngine {
    /// Reference engine, the slow and plain one, which is the specification made to run.
    Reference,
    /// Portable engine, which runs decoded bundles on any native machine.
    Portable,
    /// Fast engine, which translates bundles to machine code of this instruction set, or of the largest one that the
    /// native machine has if that is smaller. With `None` nothing is translated, and the portable engine does the work.
    Fast(Option<NativeIsa>),
}

impl TestEngine {
    /// Names of the engines, as [`TestEngine::name`] returns them, in the order of the variants.
    pub const NAMES: [&'static str; 3] = ["reference", "portable", "fast"];

    /// Returns one engine of each kind, in the order of the variants; the fast one uses all instructions that the
    /// native machine has.
    pub fn all() -> Vec<Self> {
        vec![Self::Reference, Self::Portable, Self::Fast(NativeIsa::detect())]
    }

    /// Returns the name of the engine, one of [`TestEngine::NAMES`].
    pub fn name(self) -> &'static str {
        match self {
            Self::Reference => Self::NAMES[0],
            Self::Portable => Self::NAMES[1],
            Self::Fast(_) => Self::NAMES[2],
        }
    }

    /// Describes the engine, with what it uses of the native machine.
    pub(crate) fn describe(self) -> String {
        match self {
            Self::Fast(Some(native_isa)) => format!("the fast engine ({native_isa:?})"),
            Self::Fast(None) => "the fast engine".to_owned(),
            Self::Portable => "the portable engine".to_owned(),
            Self::Reference => "the reference engine".to_owned(),
        }
    }

    /// Builds the engine itself, which runs one machine after the other.
    pub(crate) fn build(self) -> Box<dyn Engine> {
        match self {
            Self::Reference => Box::new(ReferenceEngine),
            Self::Portable => Box::new(Portable::default()),
            Self::Fast(native_isa) => Box::new(Translator::with_native(native_isa)),
        }
    }

    /// Runs a CP2 alone from `entry`, at most `limit` cycles; returns it as it is then, and the run.
    pub(crate) fn run_alone(self, cp2: Cp2, entry: BundleAddress, limit: u64) -> (Cp2, RunResult) {
        let mut machine = Machine::alone(cp2);
        let run = self.build().run_kernel(&mut machine, entry, limit, &mut NoObserver);
        (machine.cp2, run)
    }
}
