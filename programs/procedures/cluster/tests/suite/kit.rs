//! Problems of the tests.

use cp2_asm::diagnostic::Sources;
use cp2_cluster::{ClusterOptions, Topology, TopologyFile, shipped};
use cp2_cluster_procedures::{
    ClusterMgMode, ClusterMgProblem, ClusterMgRun, ClusterSetup, ProcessGrid, run_multigrid,
};
use cp2_emu::MachineConfig;
use cp2_procedures::multigrid::LevelArray;
use cp2_procedures::multigrid::npb::Class;
use cp2_session::execution::Execution;
use cp2_session::reuse::Shelf;
use std::sync::{Arc, LazyLock};

/// Programs of all tests, which are assembled once.
pub(crate) static SHELF: LazyLock<Arc<Shelf>> = LazyLock::new(Arc::default);

/// Returns VM9 at the clocks of table 3.4: 1000 and 600 MHz.
pub(crate) fn vm9() -> MachineConfig {
    let mut config = MachineConfig::preset("vm9").unwrap();
    config.apply_set("memory.clock_mhz=600").unwrap();
    config
}

/// Returns a complex of VM9 with these links.
pub(crate) fn setup(topology: Topology) -> ClusterSetup {
    let (options, shelf) = (ClusterOptions::default(), SHELF.clone());
    ClusterSetup { topology, config: vm9(), options, checkpoints: None, shelf }
}

/// Returns a problem on a topology that comes with the program.
pub(crate) fn problem(class: Class, processes: usize, name: &str) -> ClusterMgProblem {
    let mut sources = Sources::default();
    let file = sources.add(name, shipped::text(name).unwrap());
    let grid = ProcessGrid::new(processes, class.points()).unwrap();
    let topology = TopologyFile::read(&sources, file).unwrap().topology(grid.counts).unwrap();
    ClusterMgProblem {
        class,
        mode: ClusterMgMode::Exact,
        grid,
        gathered: None,
        keeps_levels: true,
        setup: setup(topology),
    }
}

/// Runs a problem.
pub(crate) fn run(problem: &ClusterMgProblem) -> ClusterMgRun {
    run_multigrid(problem, &Execution::on(*problem.setup.config.core())).unwrap()
}

/// Returns the values of an array of a level at all points, put together from blocks, or from the process that has it whole.
pub(crate) fn level(
    problem: &ClusterMgProblem,
    run: &ClusterMgRun,
    array: LevelArray,
    points: usize,
) -> Vec<f32> {
    let of = |whole: bool| {
        run.ranks.iter().flat_map(move |rank| {
            rank.levels.iter().filter(move |level| {
                (level.array, level.points, level.is_whole) == (array, points, whole)
            })
        })
    };
    if let Some(whole) = of(true).next() {
        return whole.values.clone();
    }
    let mut all = vec![f32::NAN; points.pow(3)];
    for (rank, block) in of(false).enumerate() {
        problem.grid.put(rank, points, &block.values, &mut all);
    }
    all
}
