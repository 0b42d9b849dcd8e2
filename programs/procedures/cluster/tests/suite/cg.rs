//! NPB CG on several processors: the bits of one, zeta of NPB, the same bytes by threads, processes and from checkpoints.

use super::kit::{setup, vm9};
use cp2_asm::diagnostic::Sources;
use cp2_cluster::{
    CheckpointsInMemory, ClusterOptions, ThreadTransport, TopologyFile, Transport, shipped,
};
use cp2_cluster_procedures::{ClusterCgProblem, ClusterCgRun, ProcessGrid, RunCheckpoints, run_cg};
use cp2_kernels::sparse::matrices::{CLASS_S, CLASS_W, CgClass};
use cp2_procedures::cg::SegmentedCg;
use cp2_procedures::cg::reference::zetas;
use cp2_session::execution::Execution;
use std::sync::{Arc, LazyLock};

/// Class S with fewer outer iterations.
const SHORT: CgClass = CgClass { iterations: 2, ..CLASS_S };
static SMALL: LazyLock<Arc<SegmentedCg>> =
    LazyLock::new(|| Arc::new(SegmentedCg::new(&vm9(), SHORT).unwrap()));

fn problem(of: &Arc<SegmentedCg>, processes: usize, name: &str) -> ClusterCgProblem {
    let mut sources = Sources::default();
    let file = sources.add(name, shipped::text(name).unwrap());
    let grid = ProcessGrid::new(processes, 1 << 16).unwrap();
    let topology = TopologyFile::read(&sources, file).unwrap().topology(grid.counts).unwrap();
    ClusterCgProblem { problem: of.clone(), setup: setup(topology) }
}

fn run(problem: &ClusterCgProblem) -> ClusterCgRun {
    run_cg(problem, &Execution::on(*problem.setup.config.core())).unwrap()
}

/// Returns all values that a run finds, as bits.
fn bits(run: &ClusterCgRun, of: &SegmentedCg) -> (Vec<u32>, Vec<u64>) {
    let solution = run.solution(of).into_iter().map(f32::to_bits).collect();
    let sums = run.zetas().iter().chain(run.residuals()).map(|x| x.to_bits()).collect();
    (solution, sums)
}

#[test]
fn the_bits_are_those_of_one_processor() {
    let expected = bits(&run(&problem(&SMALL, 1, "formula")), &SMALL);
    for processes in [2, 4, 8, 16] {
        for name in ["vm9-torus", "vm9-chips"] {
            let found = run(&problem(&SMALL, processes, name));
            assert!(bits(&found, &SMALL) == expected, "{processes} {name}");
            assert!(found.ranks.iter().all(|rank| rank.zetas == found.ranks[0].zetas));
        }
    }
}

#[test]
fn zeta_is_that_of_npb_and_of_double_precision() {
    let matrix = |class| cp2_kernels::sparse::matrices::npb_cg(class).unwrap();
    for (class, processes) in [(CLASS_S, 4), (CLASS_W, 8)] {
        let of = Arc::new(SegmentedCg::new(&vm9(), class).unwrap());
        let found = run(&problem(&of, processes, "vm9-torus"));
        let zeta = *found.zetas().last().unwrap();
        assert!((zeta / class.zeta - 1.0).abs() < 1e-6, "{zeta}");
        for (found, exact) in found.zetas().iter().zip(zetas(&matrix(class), &class)) {
            assert!((found / exact - 1.0).abs() < 1e-6, "{found} {exact}");
        }
        let solution = found.solution(&of);
        assert_eq!(solution.len(), class.order);
        assert!(solution.iter().all(|x| x.is_finite()));
    }
}

/// All that is told of a run is the same; costs are told of own ranks alone.
fn check(found: &ClusterCgRun, expected: &ClusterCgRun, what: &str) {
    let told = |run: &ClusterCgRun| {
        let mut ranks = run.ranks.clone();
        ranks.iter_mut().for_each(|rank| rank.cost = None);
        ranks
    };
    assert!(told(found) == told(expected), "{what}");
    assert_eq!((&found.accounts, &found.links), (&expected.accounts, &expected.links), "{what}");
    assert!(found.messages == expected.messages && found.events == expected.events, "{what}");
}

#[test]
fn threads_processes_and_checkpoints_change_nothing() {
    let of = problem(&SMALL, 8, "vm9-chips");
    let expected = run(&of);
    let mut threads = of.clone();
    threads.setup.options =
        ClusterOptions { threads: 3, order: vec![7, 1], ..ClusterOptions::default() };
    check(&run(&threads), &expected, "threads");
    let on_processes = |processes: usize, store: &Arc<CheckpointsInMemory>, resumes: bool| {
        let checkpoints = Some(RunCheckpoints { store: store.clone(), resumes });
        std::thread::scope(|scope| {
            let begin = |transport| {
                let transport: Option<Arc<dyn Transport>> = Some(Arc::new(transport));
                let mut of = of.clone();
                of.setup.options = ClusterOptions { transport, ..ClusterOptions::default() };
                of.setup.checkpoints = checkpoints.clone();
                scope.spawn(move || run(&of))
            };
            let all: Vec<_> = ThreadTransport::all(processes).into_iter().map(begin).collect();
            let mut all: Vec<_> = all.into_iter().map(|one| one.join().unwrap()).collect();
            all.remove(0)
        })
    };
    let store = Arc::new(CheckpointsInMemory::every(300));
    check(&on_processes(2, &store, false), &expected, "2 processes");
    let numbers = store.numbers();
    assert!(numbers.len() > 1, "{numbers:?}");
    for (processes, number) in [(1, numbers[0]), (4, numbers[1])] {
        let store = Arc::new(store.with_only(number));
        check(&on_processes(processes, &store, true), &expected, "from a checkpoint");
    }
}

#[test]
fn wrong_problems_are_refused_in_a_sentence() {
    let refused = |of: &ClusterCgProblem| {
        run_cg(of, &Execution::on(*of.setup.config.core())).unwrap_err().to_string()
    };
    let error = refused(&problem(&SMALL, 32, "vm9-torus"));
    assert!(error.contains("number of processors") && error.contains("up to 16"), "{error}");
    let large = Arc::new(SegmentedCg::new(&vm9(), CLASS_W).unwrap());
    let mut of = problem(&large, 2, "vm9-torus");
    of.setup.config.apply_set("memory.size_mib=1").unwrap();
    assert!(refused(&of).contains("memory"), "{}", refused(&of));
    let mut of = problem(&SMALL, 2, "vm9-torus");
    of.setup.config.apply_set("cpu.clock_mhz=999").unwrap();
    assert!(refused(&of).contains("no whole number of ticks"), "{}", refused(&of));
}

#[test]
fn the_schema_of_the_report_is_current() {
    let schema = format!("{:#}\n", cp2_cluster_procedures::ClusterCgReport::schema());
    assert!(
        schema == include_str!("../../schemas/cluster-cg.schema.json"),
        "`cargo xtask bless cluster` makes it anew"
    );
}
