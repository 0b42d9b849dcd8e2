//! Runs that go on from a checkpoint, with another number of processes of the computer, played by threads.

use super::kit::{problem, run};
use cp2_cluster::{CheckpointsInMemory, ClusterOptions, ThreadTransport, Transport};
use cp2_cluster_procedures::{ClusterMgProblem, ClusterMgRun, RunCheckpoints, run_multigrid};
use cp2_procedures::multigrid::npb::Class;
use cp2_session::execution::Execution;
use std::sync::Arc;

/// Runs a problem on so many processes; returns what the first found.
fn on_processes(
    processes: usize,
    of: &ClusterMgProblem,
    (store, resumes): (Arc<CheckpointsInMemory>, bool),
) -> ClusterMgRun {
    let checkpoints = Some(RunCheckpoints { store, resumes });
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
}

#[test]
fn a_run_goes_on_from_its_checkpoints_on_another_number_of_processes() {
    let mut of = problem(Class::S, 8, "vm9-chips");
    of.keeps_levels = false;
    let expected = run(&of);
    let shelf = Arc::new(CheckpointsInMemory::every(200));
    on_processes(2, &of, (shelf.clone(), false));
    let complete = shelf.numbers();
    assert!(complete.len() >= 3, "{complete:?}");
    for (processes, number) in [(1, complete[0]), (4, complete[1]), (3, complete[2])] {
        let found = on_processes(processes, &of, (Arc::new(shelf.with_only(number)), true));
        for (found, expected) in found.ranks.iter().zip(&expected.ranks) {
            assert!(found.residual == expected.residual, "{processes}, {number}");
            assert_eq!((found.norm, found.end), (expected.norm, expected.end));
            // Costs are those of the whole run, what was before the checkpoint included.
            assert!(found.cost.is_none() || found.cost == expected.cost, "{number}");
        }
        assert_eq!((&found.accounts, &found.links), (&expected.accounts, &expected.links));
        assert_eq!((&found.messages, &found.choice), (&expected.messages, &expected.choice));
        assert!(found.events == expected.events);
    }
}

#[test]
fn a_checkpoint_of_another_run_is_refused() {
    let mut of = problem(Class::S, 4, "vm9-torus");
    (of.gathered, of.keeps_levels) = (Some(8), false);
    let shelf = Arc::new(CheckpointsInMemory::every(50));
    on_processes(1, &of, (shelf.clone(), false));
    let refused = |of: &ClusterMgProblem| {
        let store = shelf.clone();
        let mut of = of.clone();
        of.setup.checkpoints = Some(RunCheckpoints { store, resumes: true });
        run_multigrid(&of, &Execution::on(*of.setup.config.core())).unwrap_err().to_string()
    };
    let told = "the checkpoint is of another run: go on with the same procedure, class, processors, topology and machine, and the same cp2";
    let mut other = of.clone();
    other.setup.config.apply_set("memory.outstanding=3").unwrap();
    assert_eq!(refused(&other), told);
    assert_eq!(refused(&ClusterMgProblem { gathered: Some(4), ..of.clone() }), told);
    assert_eq!(refused(&problem(Class::S, 2, "vm9-torus")), told);
}
