//! Random runs: the same bytes for any number of threads, order of ranks and window, and later or equal times on slower links.

use super::kit::shipped_topology;
use cp2_cluster::{
    ClusterOptions, ClusterOutcome, Endpoint, MessageError, Tick, TimeCause, Topology, run,
};
use proptest::prelude::*;
use std::sync::Arc;

/// A message of a random run: all ranks go through the list, each doing its part, so no run has a deadlock.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) tag: u32,
    pub(crate) bytes: usize,
    /// Ticks that the sender computes before, and the receiver after it looked at the list.
    pub(crate) computed: [u64; 2],
}

pub(crate) fn planned(ranks: usize) -> impl Strategy<Value = Planned> {
    let ends = (0..ranks, 1..ranks).prop_map(move |(from, by)| (from, (from + by) % ranks));
    let computed = prop_oneof![Just([0, 0]), [0..200_000u64, 0..200_000u64]];
    (ends, 0..4u32, prop_oneof![0..64usize, 0..6000usize], computed)
        .prop_map(|((from, to), tag, bytes, computed)| Planned { from, to, tag, bytes, computed })
}

pub(crate) async fn follow(
    mut endpoint: Endpoint,
    plan: Arc<Vec<Planned>>,
) -> Result<Vec<Tick>, MessageError> {
    let mut moments = Vec::new();
    for (number, one) in plan.iter().enumerate() {
        let rank = endpoint.rank();
        if rank == one.from {
            let moment = endpoint.clock() + Tick(one.computed[0]);
            endpoint.advance_to(moment, TimeCause::Computing);
            endpoint.send(one.to, one.tag, vec![number as u8; one.bytes])?;
        } else if rank == one.to {
            let moment = endpoint.clock() + Tick(one.computed[1]);
            endpoint.advance_to(moment, TimeCause::Computing);
            let received = endpoint.recv(one.from, one.tag).await?;
            assert_eq!(received.bytes, vec![number as u8; one.bytes], "order of messages");
            assert!(endpoint.clock() >= received.arrival);
        }
        moments.push(endpoint.clock());
    }
    Ok(moments)
}

pub(crate) fn outcome(
    topology: &Topology,
    plan: &Arc<Vec<Planned>>,
    options: &ClusterOptions,
) -> ClusterOutcome<Vec<Tick>> {
    run(topology, options, |endpoint| follow(endpoint, plan.clone())).unwrap()
}

pub(crate) const SHARED: [(&str, [usize; 3]); 5] = [
    ("vm9-torus", [1, 2, 4]),
    ("vm9-ports", [2, 2, 2]),
    ("vm9-chips", [2, 2, 2]),
    ("vm7-switch", [2, 2, 2]),
    ("vm9-torus", [2, 2, 2]),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn threads_orders_and_windows_change_nothing(
        plan in prop::collection::vec(planned(8), 1..60),
        which in 0..SHARED.len(),
        order in Just((0..8).collect::<Vec<usize>>()).prop_shuffle(),
        share in 1..1000u64,
        latency in 1..3000u64,
    ) {
        let (name, grid) = SHARED[which];
        let topology = shipped_topology(name, grid).with_latency(Tick(latency));
        let plan = Arc::new(plan);
        let usual = outcome(&topology, &plan, &ClusterOptions::default());
        for threads in [2, 4] {
            let options = ClusterOptions { threads, ..ClusterOptions::default() };
            prop_assert_eq!(&outcome(&topology, &plan, &options), &usual);
        }
        let options = ClusterOptions { order, ..ClusterOptions::default() };
        prop_assert_eq!(&outcome(&topology, &plan, &options), &usual);
        for window in [1, 1 + share * latency / 1000] {
            let window = Some(Tick(window.min(latency)));
            let options = ClusterOptions { window, ..ClusterOptions::default() };
            prop_assert_eq!(&outcome(&topology, &plan, &options), &usual);
        }
    }

    /// On links of their own, more latency or less bandwidth makes no rank and no message earlier.
    #[test]
    fn slower_links_make_nothing_earlier(
        plan in prop::collection::vec(planned(2), 1..40),
        latencies in [1..100_000u64, 0..100_000u64],
        rates in [1_000_000..2_000_000_000u64, 0..2_000_000_000u64],
    ) {
        let topology = shipped_topology("vm9-torus", [1, 1, 2]);
        let plan = Arc::new(plan);
        let with = |latency, rate| {
            let topology = topology.clone().with_latency(Tick(latency)).with_rate(rate);
            outcome(&topology, &plan, &ClusterOptions::default())
        };
        let [latency, more] = latencies;
        let [rate, less] = rates;
        let fast = with(latency, rate);
        for slow in [with(latency + more, rate), with(latency, rate.saturating_sub(less).max(100_000))] {
            for (slow, fast) in slow.results.iter().zip(&fast.results) {
                prop_assert!(slow.iter().zip(fast).all(|(slow, fast)| slow >= fast));
            }
        }
    }
}
