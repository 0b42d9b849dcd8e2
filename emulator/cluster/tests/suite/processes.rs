//! Runs by several processes, played by threads: the bytes of one process, and the errors of one.

use super::kit::{exchange, shipped_topology};
use super::random::{Planned, SHARED, follow, outcome, planned};
use cp2_cluster::{
    ClusterError, ClusterOptions, ClusterOutcome, Endpoint, ThreadTransport, Tick, Topology,
    Transport, run,
};
use proptest::prelude::*;
use std::sync::Arc;

/// Runs a function on so many processes; returns what each found.
pub(crate) fn on_processes<R: Send>(
    processes: usize,
    play: impl Fn(ClusterOptions) -> R + Sync,
) -> Vec<R> {
    std::thread::scope(|scope| {
        let begin = |transport| {
            let transport: Option<Arc<dyn Transport>> = Some(Arc::new(transport));
            let options = ClusterOptions { transport, ..ClusterOptions::default() };
            let play = &play;
            scope.spawn(move || play(options))
        };
        let all: Vec<_> = ThreadTransport::all(processes).into_iter().map(begin).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    })
}

/// Checks that each process has found what one process alone finds, and that all ranks are done once.
fn check(
    topology: &Topology,
    processes: usize,
    plan: &Arc<Vec<Planned>>,
    usual: &ClusterOutcome<Vec<Tick>>,
) -> Result<(), TestCaseError> {
    let all = on_processes(processes, |options| outcome(topology, plan, &options));
    let mut done = vec![None; topology.ranks()];
    for found in all {
        for (&rank, result) in found.own.iter().zip(found.results) {
            prop_assert!(done[rank].replace(result).is_none(), "rank {} twice", rank);
        }
        prop_assert_eq!(&found.accounts, &usual.accounts);
        prop_assert_eq!(&found.links, &usual.links);
        prop_assert_eq!(&found.messages, &usual.messages);
        prop_assert_eq!(&found.events, &usual.events);
    }
    let done: Vec<_> = done.into_iter().flatten().collect();
    prop_assert_eq!(&done, &usual.results);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn processes_change_nothing(
        plan in prop::collection::vec(planned(8), 1..60),
        which in 0..SHARED.len(),
        latency in 1..3000u64,
        processes in 1..=8usize,
    ) {
        let (name, grid) = SHARED[which];
        let topology = shipped_topology(name, grid).with_latency(Tick(latency));
        // Two processors are on a chip of this topology, and a process does whole chips.
        let processes = if name == "vm9-chips" { processes.min(4) } else { processes };
        let plan = Arc::new(plan);
        let usual = outcome(&topology, &plan, &ClusterOptions::default());
        check(&topology, processes, &plan, &usual)?;
    }
}

#[test]
fn both_cores_of_a_chip_are_in_one_process() {
    let topology = shipped_topology("vm9-chips", [2, 2, 2]);
    let all = on_processes(3, |options| {
        let start = |mut endpoint: Endpoint| async move {
            exchange(&mut endpoint, [2, 2, 2], [64, 64, 64]).await
        };
        run(&topology, &options, start).unwrap().own
    });
    assert_eq!(all, [vec![0, 1, 2, 3], vec![4, 5], vec![6, 7]]);
}

#[test]
fn more_processes_than_chips_are_refused() {
    let topology = shipped_topology("vm9-chips", [2, 2, 1]);
    let all = on_processes(3, |options| {
        let start = |endpoint: Endpoint| async move { Ok::<_, String>(endpoint.rank()) };
        run(&topology, &options, start).unwrap_err().to_string()
    });
    let told = "3 processes for 2 chips: a process does one chip at least; start 2 at most";
    assert_eq!(all, [told; 3]);
}

#[test]
fn an_error_of_a_rank_is_told_by_all_processes() {
    let topology = shipped_topology("vm9-torus", [2, 2, 2]);
    let all = on_processes(4, |options| {
        let start = |mut endpoint: Endpoint| async move {
            if matches!(endpoint.rank(), 5 | 6) {
                return Err(format!("rank {} has no memory", endpoint.rank()));
            }
            endpoint.barrier().await;
            Ok(())
        };
        run(&topology, &options, start).unwrap_err()
    });
    for (process, error) in all.into_iter().enumerate() {
        assert_eq!(error.to_string(), "rank 5: rank 5 has no memory");
        assert_eq!(matches!(error, ClusterError::Rank { .. }), process == 2, "{process}");
    }
}

#[test]
fn a_deadlock_over_processes_names_the_ranks_of_all() {
    let topology = shipped_topology("vm9-torus", [1, 2, 2]);
    let all = on_processes(2, |options| {
        let start = |mut endpoint: Endpoint| async move {
            let from = (endpoint.rank() + 1) % 4;
            endpoint.recv(from, 7).await.map(drop).map_err(|e| e.to_string())
        };
        run(&topology, &options, start).unwrap_err().to_string()
    });
    for error in all {
        assert_eq!(
            error,
            "deadlock: nobody sends what the ranks wait for: rank 0 for tag 7 from rank 1, rank 1 for tag 7 from rank 2, rank 2 for tag 7 from rank 3, rank 3 for tag 7 from rank 0"
        );
    }
}

#[test]
fn a_process_that_leaves_ends_the_run_of_the_others() {
    let topology = shipped_topology("vm9-torus", [1, 1, 2]);
    let all = on_processes(2, |options| {
        if options.transport.as_ref().is_some_and(|transport| transport.process() == 1) {
            return None;
        }
        let start = |endpoint: Endpoint| follow(endpoint, Arc::default());
        Some(run(&topology, &options, start).unwrap_err().to_string())
    });
    assert_eq!(all[0].as_deref(), Some("a process of the run has left it"));
}
