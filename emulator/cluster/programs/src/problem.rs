//! A program on several processors: what is run, and what comes of it.

use cp2_cluster::{ClusterOptions, LinkUse, MessageRecord, RankAccount, RankEvent, Topology};
use cp2_emu::{Engine, MachineConfig};
use cp2_k64::isa::Release;
use std::fmt;

/// Run of a program on several processors.
pub struct ClusterProgramProblem<'p> {
    /// Name of the program in reports and messages.
    pub name: &'p str,
    /// Bytes of its ELF file.
    pub elf: &'p [u8],
    /// Arguments of the program behind its name.
    pub arguments: &'p [String],
    /// Release of MIPS64 whose instructions the processors know.
    pub release: Release,
    /// Network, which has as many ranks as there are processors.
    pub topology: Topology,
    /// Machine of each processor.
    pub config: MachineConfig,
    /// Way in which the run is done.
    pub options: ClusterOptions,
    /// Most cycles of a processor.
    pub max_cycles: u64,
    /// Makes the engine that runs CP2 of a rank.
    pub engine: &'p (dyn Fn(usize) -> Box<dyn Engine> + Sync),
}

/// The engines are left out.
impl fmt::Debug for ClusterProgramProblem<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, arguments, release, topology, config, options, max_cycles, .. } = self;
        f.debug_struct("ClusterProgramProblem")
            .field("name", name)
            .field("arguments", arguments)
            .field("release", release)
            .field("topology", topology)
            .field("config", config)
            .field("options", options)
            .field("max_cycles", max_cycles)
            .finish_non_exhaustive()
    }
}

/// End of the program of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramEnd {
    /// Exit code of the program.
    pub code: u8,
    /// Cycles from reset to its end.
    pub cycles: u64,
    /// Instructions of the control processor.
    pub instructions: u64,
    /// Kernels of CP2 that have ended.
    pub kernels: u64,
    /// Bytes that the channel has moved.
    pub moved: u64,
    /// Messages that the rank sent to others, those of collective calls included.
    pub sent: u64,
    /// Bytes of these.
    pub sent_bytes: u64,
    /// Messages that the rank received from others.
    pub received: u64,
    /// Bytes of these.
    pub received_bytes: u64,
}

/// Results of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterProgramRun {
    /// End of the program of each rank.
    pub ends: Vec<ProgramEnd>,
    /// Account of the time of each rank.
    pub accounts: Vec<RankAccount>,
    /// Use of each direction of each link.
    pub links: Vec<LinkUse>,
    /// Messages by the moments at which they were sent.
    pub messages: Vec<MessageRecord>,
    /// Events of each rank.
    pub events: Vec<Vec<RankEvent>>,
}

impl ClusterProgramRun {
    /// Returns the exit code of the run: that of the first rank whose code is not 0, else 0.
    #[must_use]
    pub fn code(&self) -> u8 {
        self.ends.iter().map(|end| end.code).find(|code| *code != 0).unwrap_or(0)
    }

    /// Returns the time of the rank that ended last in milliseconds.
    #[must_use]
    pub fn ms(&self) -> f64 {
        self.accounts.iter().map(RankAccount::total).max().unwrap_or_default().ms()
    }
}
