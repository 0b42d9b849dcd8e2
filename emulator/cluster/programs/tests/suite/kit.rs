//! Runs of the tests.

use cp2_asm::diagnostic::Sources;
use cp2_cluster::{ClusterOptions, Topology, TopologyFile, shipped};
use cp2_cluster_programs::{
    ClusterProgramError, ClusterProgramProblem, ClusterProgramRun, Consoles, run_program,
};
use cp2_emu::{MachineConfig, ReferenceEngine};
use cp2_k64::isa::Release;
use std::path::Path;

/// Returns the bytes of a program of `programs/c/built`.
pub(crate) fn built(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../programs/c/built");
    std::fs::read(folder.join(name)).unwrap()
}

/// Returns a topology that comes with the program, for a grid of processors.
pub(crate) fn topology(name: &str, grid: [usize; 3]) -> Topology {
    let mut sources = Sources::default();
    let file = sources.add(name, shipped::text(name).unwrap());
    TopologyFile::read(&sources, file).unwrap().topology(grid).unwrap()
}

/// Program, network and machine of a run.
pub(crate) struct Case {
    pub(crate) elf: Vec<u8>,
    pub(crate) arguments: Vec<String>,
    pub(crate) topology: Topology,
    pub(crate) machine: &'static str,
    pub(crate) options: ClusterOptions,
    pub(crate) max_cycles: u64,
}

impl Case {
    /// Returns the run of a program on VM9, all ranks along x of a torus.
    pub(crate) fn new(name: &str, ranks: usize) -> Self {
        Self {
            elf: built(name),
            arguments: Vec::new(),
            topology: topology("vm9-torus", [ranks, 1, 1]),
            machine: "vm9",
            options: ClusterOptions::default(),
            max_cycles: 1_000_000_000,
        }
    }

    /// Runs it; returns what came of it, and what was printed.
    pub(crate) fn run(self) -> (Result<ClusterProgramRun, ClusterProgramError>, String) {
        let consoles = Consoles::new(self.topology.ranks());
        let problem = ClusterProgramProblem {
            name: "program.elf",
            elf: &self.elf,
            arguments: &self.arguments,
            release: Release::default(),
            topology: self.topology,
            config: MachineConfig::preset(self.machine).unwrap(),
            options: self.options,
            max_cycles: self.max_cycles,
            engine: &|_| Box::new(ReferenceEngine),
        };
        let run = run_program(&problem, &consoles);
        (run, String::from_utf8(consoles.take()).unwrap())
    }

    /// Runs it to its end.
    pub(crate) fn finish(self) -> (ClusterProgramRun, String) {
        let (run, text) = self.run();
        (run.unwrap(), text)
    }
}
