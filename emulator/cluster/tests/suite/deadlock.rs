//! Runs that cannot end.

use super::kit::shipped_topology;
use cp2_cluster::{ClusterError, ClusterOptions, Endpoint, MessageError, Tick, WaitingRank, run};

fn message<T: std::fmt::Debug>(result: Result<T, ClusterError<MessageError>>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn a_ring_of_receives_names_ranks_and_tags() {
    let topology = shipped_topology("vm9-torus", [1, 2, 2]);
    let start = |mut endpoint: Endpoint| async move {
        let (rank, ranks) = (endpoint.rank(), endpoint.ranks());
        // Each waits for the next before it sends to the one before.
        let received = endpoint.recv((rank + 1) % ranks, rank as u32 + 7).await?;
        endpoint.send((rank + ranks - 1) % ranks, 7, received.bytes)
    };
    let result = run(&topology, &ClusterOptions::default(), start);
    let wait =
        |rank| WaitingRank { rank, from: (rank + 1) % 4, tag: rank as u32 + 7, is_over: false };
    let waiting = (0..4).map(wait).collect();
    assert_eq!(result, Err(ClusterError::Deadlock { waiting }));
    assert_eq!(
        message(result),
        "deadlock: nobody sends what the ranks wait for: rank 0 for tag 7 from rank 1, rank 1 for tag 8 from rank 2, \
         rank 2 for tag 9 from rank 3, rank 3 for tag 10 from rank 0"
    );
}

#[test]
fn a_rank_that_has_ended_sends_nothing() {
    let topology = shipped_topology("vm9-torus", [1, 1, 2]);
    let start = |mut endpoint: Endpoint| async move {
        if endpoint.rank() == 1 {
            return Ok(());
        }
        endpoint.recv(1, 3).await.map(|_| ())
    };
    let text = message(run(&topology, &ClusterOptions::default(), start));
    assert!(text.ends_with("rank 0 for tag 3 from rank 1, which has ended"), "{text}");
}

#[test]
fn a_message_that_nobody_receives_is_an_error() {
    let topology = shipped_topology("vm9-torus", [1, 1, 2]);
    let start = |mut endpoint: Endpoint| async move {
        match endpoint.rank() {
            0 => endpoint.send(1, 5, vec![0; 10]),
            _ => Ok(()),
        }
    };
    let text = message(run(&topology, &ClusterOptions::default(), start));
    assert!(
        text.contains("1 messages were not received; the first is tag 5 from rank 0 to rank 1"),
        "{text}"
    );
}

#[test]
fn a_rank_that_is_not_there_is_refused() {
    let topology = shipped_topology("vm9-torus", [1, 1, 2]);
    let to = |to: usize, tag: u32| {
        let start = move |mut endpoint: Endpoint| async move {
            if endpoint.rank() == 0 { endpoint.send(to, tag, Vec::new()) } else { Ok(()) }
        };
        message(run(&topology, &ClusterOptions::default(), start))
    };
    assert_eq!(to(2, 0), "rank 0: there is no rank 2; the run has the ranks 0 to 1");
    assert_eq!(to(0, 0), "rank 0: rank 0 cannot send a message to itself");
    assert_eq!(to(1, 1 << 24), "rank 0: tag 16777216 is too large; tags are below 16777216");
}

#[test]
fn a_window_is_no_longer_than_the_smallest_latency() {
    let topology = shipped_topology("vm9-torus", [1, 1, 2]);
    let refused = |window: u64| {
        let options = ClusterOptions { window: Some(Tick(window)), ..ClusterOptions::default() };
        message(run(&topology, &options, |_| async { Ok(()) }))
    };
    assert_eq!(
        refused(0),
        "a window of 0 ticks has no packet in it; windows are from 1 to 84000, the smallest latency"
    );
    let text = refused(84_001);
    assert!(
        text.starts_with(
            "a window of 84001 ticks is longer than the smallest latency, 84000 ticks"
        ),
        "{text}"
    );
}
