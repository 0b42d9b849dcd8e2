//! Replays: the same times as runs that compute.

use super::kit::{problem, run};
use cp2_cluster::{CheckpointsInMemory, ClusterOptions};
use cp2_cluster_procedures::{
    ClusterMgMode, ClusterMgProblem, ClusterMgRun, RunCheckpoints, run_multigrid,
};
use cp2_emu::MachineConfig;
use cp2_procedures::multigrid::npb::Class;
use cp2_session::execution::Execution;
use std::sync::Arc;

/// Compares all times of two runs.
fn check_times(found: &ClusterMgRun, expected: &ClusterMgRun, what: &str) {
    let ends = |run: &ClusterMgRun| -> Vec<_> {
        run.ranks.iter().map(|rank| (rank.end, rank.memory)).collect()
    };
    assert_eq!(ends(found), ends(expected), "{what}");
    assert_eq!(found.accounts, expected.accounts, "{what}");
    assert_eq!((&found.links, &found.messages), (&expected.links, &expected.messages), "{what}");
    assert_eq!(found.choice, expected.choice, "{what}");
    assert!(found.events == expected.events, "{what}");
}

/// Runs a problem in both modes.
fn compare(exact: &ClusterMgProblem, what: &str) {
    let replay = ClusterMgProblem { mode: ClusterMgMode::Replay, ..exact.clone() };
    check_times(&run(&replay), &run(exact), what);
}

#[test]
fn small_classes_take_the_same_times_in_both_modes() {
    for processes in [1, 2, 4, 8, 16] {
        for name in ["vm9-torus", "vm9-chips"].into_iter().take(processes) {
            compare(&problem(Class::S, processes, name), &format!("S {processes} {name}"));
        }
    }
    for processes in [1, 2, 8] {
        compare(&problem(Class::W, processes, "vm9-torus"), &format!("W {processes}"));
    }
}

#[test]
fn rows_of_memory_that_arrays_share_are_refused_in_a_replay() {
    let mut of = problem(Class::S, 2, "vm9-torus");
    (of.gathered, of.mode) = (Some(8), ClusterMgMode::Replay);
    of.setup.config.apply_set("memory.page_bytes=16384").unwrap();
    let error =
        run_multigrid(&of, &Execution::on(*of.setup.config.core())).unwrap_err().to_string();
    assert!(error.contains("memory.page_bytes") && error.contains("a divisor of 8192"), "{error}");
}

/// Clocks whose cycles meet often, seldom and always, and memories with other rows, windows and turnarounds.
#[test]
fn other_machines_take_the_same_times_in_both_modes() {
    for changes in [
        &["cpu.clock_mhz=1200", "memory.clock_mhz=333"][..],
        &["memory.clock_mhz=1000", "memory.page_bytes=2048", "memory.outstanding=8"],
        &["memory.clock_mhz=667", "memory.turn_clocks=20", "memory.outstanding=1"],
    ] {
        let mut of = problem(Class::S, 8, "vm9-chips");
        changes.iter().for_each(|change| of.setup.config.apply_set(change).unwrap());
        compare(&of, &changes.join(" "));
    }
    let mut of = problem(Class::S, 8, "vm7-switch");
    of.setup.config = MachineConfig::preset("vm7").unwrap();
    compare(&of, "vm7");
}

#[test]
fn threads_and_checkpoints_change_no_replay() {
    let exact = problem(Class::S, 8, "vm9-chips");
    let expected = run(&exact);
    let mut of = ClusterMgProblem { mode: ClusterMgMode::Replay, ..exact };
    of.setup.options = ClusterOptions { threads: 3, ..ClusterOptions::default() };
    check_times(&run(&of), &expected, "threads");
    let store = Arc::new(CheckpointsInMemory::every(200));
    of.setup.checkpoints = Some(RunCheckpoints { store: store.clone(), resumes: false });
    check_times(&run(&of), &expected, "with checkpoints");
    let number = store.numbers()[1];
    let store = Arc::new(store.with_only(number));
    of.setup.checkpoints = Some(RunCheckpoints { store, resumes: true });
    check_times(&run(&of), &expected, "from a checkpoint");
}
