//! Checkpoints: a run that goes on from any of them, with any number of processes, finds what it would have found.

use super::kit::shipped_topology;
use super::processes::on_processes;
use super::random::{Planned, SHARED, planned};
use cp2_cluster::{
    CheckpointPart, CheckpointStore, CheckpointsInMemory, ClusterError, ClusterOptions,
    ClusterOutcome, Endpoint, Keeping, MessageError, Tick, TimeCause, Topology, run,
};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Follows a plan; the state of a rank is the number of the message for which it waits, and what it has found.
async fn follow(mut endpoint: Endpoint, plan: Arc<Vec<Planned>>) -> Result<Vec<u64>, MessageError> {
    let (rank, mut found) = (endpoint.rank(), Vec::new());
    let mut first = 0;
    let resumed = endpoint.take_resumed().map(|state| {
        let words: Vec<u64> =
            state.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        (words[0] as usize, words[1..].to_vec())
    });
    let is_resumed = resumed.is_some();
    if let Some(state) = resumed {
        (first, found) = state;
    }
    for (number, one) in plan.iter().enumerate().skip(first) {
        if rank == one.from {
            let moment = endpoint.clock() + Tick(one.computed[0]);
            endpoint.advance_to(moment, TimeCause::Computing);
            endpoint.send(one.to, one.tag, vec![number as u8; one.bytes])?;
        } else if rank == one.to {
            if !(is_resumed && number == first) {
                let moment = endpoint.clock() + Tick(one.computed[1]);
                endpoint.advance_to(moment, TimeCause::Computing);
            }
            let save = || {
                let words = [number as u64].into_iter().chain(found.iter().copied());
                Ok(words.flat_map(u64::to_le_bytes).collect())
            };
            let received = endpoint.recv_saving(one.from, one.tag, save).await?;
            assert_eq!(received.bytes, vec![number as u8; one.bytes], "order of messages");
            found.push(received.arrival.0);
        }
    }
    endpoint.barrier().await;
    found.push(endpoint.clock().0);
    Ok(found)
}

fn outcome(
    topology: &Topology,
    plan: &Arc<Vec<Planned>>,
    options: &ClusterOptions,
) -> ClusterOutcome<Vec<u64>> {
    run(topology, options, |endpoint| follow(endpoint, plan.clone())).unwrap()
}

fn keeping(store: Arc<CheckpointsInMemory>, resumes: bool) -> Option<Keeping> {
    Some(Keeping { store, about: b"this run".to_vec(), resumes })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_run_goes_on_from_every_checkpoint_on_any_number_of_processes(
        plan in prop::collection::vec(planned(8), 30..80),
        which in 0..SHARED.len(),
        latency in 1..3000u64,
        processes in [1..=4usize, 1..=4usize],
    ) {
        let (name, grid) = SHARED[which];
        let topology = shipped_topology(name, grid).with_latency(Tick(latency));
        let plan = Arc::new(plan);
        let usual = outcome(&topology, &plan, &ClusterOptions::default());
        let shelf = Arc::new(CheckpointsInMemory::every(1));
        let found = on_processes(processes[0], |options| {
            outcome(&topology, &plan, &ClusterOptions { keeping: keeping(shelf.clone(), false), ..options })
        });
        prop_assert!(found.iter().all(|one| one.accounts == usual.accounts));
        let complete = shelf.numbers();
        for number in complete {
            let only = Arc::new(shelf.with_only(number));
            let found = on_processes(processes[1], |options| {
                outcome(&topology, &plan, &ClusterOptions { keeping: keeping(only.clone(), true), ..options })
            });
            let results: BTreeMap<usize, Vec<u64>> =
                found.iter().flat_map(|one| one.own.iter().copied().zip(one.results.clone())).collect();
            prop_assert_eq!(results.into_values().collect::<Vec<_>>(), usual.results.clone());
            for one in found {
                prop_assert_eq!((&one.accounts, &one.links), (&usual.accounts, &usual.links));
                prop_assert_eq!((&one.messages, &one.events), (&usual.messages, &usual.events));
            }
        }
    }
}

/// A plan in which every rank waits at some time.
fn ring() -> Arc<Vec<Planned>> {
    let one =
        |from: usize| Planned { from, to: (from + 1) % 4, tag: 1, bytes: 100, computed: [9; 2] };
    Arc::new((0..12).map(|k| one(k % 4)).collect())
}

fn refused(
    change: impl Fn(CheckpointsInMemory) -> CheckpointsInMemory,
    about: &[u8],
    topology: &Topology,
) -> String {
    let plan = ring();
    let of = shipped_topology("vm9-torus", [1, 2, 2]);
    let shelf = Arc::new(CheckpointsInMemory::every(1));
    let options = ClusterOptions { keeping: keeping(shelf.clone(), false), ..Default::default() };
    outcome(&of, &plan, &options);
    let only = change(shelf.with_only(shelf.last().unwrap()));
    let keeping = Some(Keeping { store: Arc::new(only), about: about.to_vec(), resumes: true });
    let options = ClusterOptions { keeping, ..Default::default() };
    let start = |endpoint| follow(endpoint, plan.clone());
    match run(topology, &options, start) {
        Err(ClusterError::Checkpoint(told)) => told,
        other => format!("{:?}", other.map(|outcome| outcome.own)),
    }
}

#[test]
fn checkpoints_that_do_not_serve_are_refused() {
    let topology = shipped_topology("vm9-torus", [1, 2, 2]);
    let kept = |shelf| shelf;
    assert_eq!(refused(kept, b"this run", &topology), "Ok([0, 1, 2, 3])");
    assert_eq!(
        refused(kept, b"another", &topology),
        "the checkpoint is of another run: go on with the same procedure, class, processors, topology and machine, and the same cp2"
    );
    assert_eq!(
        refused(kept, b"this run", &shipped_topology("vm9-chips", [2, 2, 1])),
        "part network of the checkpoint is of no run of this topology; run from the beginning"
    );
    let none = |_| CheckpointsInMemory::default();
    assert_eq!(refused(none, b"this run", &topology), "no checkpoint");
    for part in [CheckpointPart::About, CheckpointPart::Network, CheckpointPart::Rank(3)] {
        let damaged = |shelf: CheckpointsInMemory| {
            let number = shelf.last().unwrap();
            let mut bytes = shelf.load(number, part).unwrap();
            *bytes.last_mut().unwrap() ^= 4;
            shelf.save(number, part, &bytes).unwrap();
            shelf
        };
        assert_eq!(
            refused(damaged, b"this run", &topology),
            format!(
                "part {part} of the checkpoint is damaged, or of another version; run from the beginning"
            )
        );
    }
}
