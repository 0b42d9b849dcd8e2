//! Times of another clock: a plain simulator of LogGP reads the GOAL text of a run and comes to the same times on links of their own.

use super::kit::{exchange, shipped_topology};
use cp2_cluster::{
    ClusterOptions, Endpoint, MessageError, MessageOverheads, Tick, TimeCause, goal, run,
};
use std::collections::{BTreeMap, VecDeque};

/// Parameters of LogGP in ticks.
struct LogGp {
    latency: u64,
    overhead: u64,
    per_byte: u64,
}

/// Message on its way: the two ends and the tag.
type Route = (usize, usize, u32);

/// A rank of the plain simulator: its clock, its lines, and the place in them.
struct Foreign<'t> {
    clock: u64,
    lines: VecDeque<Vec<&'t str>>,
}

/// Returns the moments at which the ranks of a GOAL text end. Each line follows the one before; a sender has a link of its own for
/// each receiver and parity of the tag.
fn simulated(text: &str, model: &LogGp) -> Vec<u64> {
    let mut ranks: Vec<Foreign<'_>> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["rank", ..] => ranks.push(Foreign { clock: 0, lines: VecDeque::new() }),
            [label, ..] if label.ends_with(':') => {
                ranks.last_mut().unwrap().lines.push_back(words[1..].to_vec());
            }
            _ => {}
        }
    }
    let mut arrivals: BTreeMap<Route, VecDeque<u64>> = BTreeMap::new();
    let mut free: BTreeMap<Route, u64> = BTreeMap::new();
    loop {
        let mut is_still = true;
        for (number, rank) in ranks.iter_mut().enumerate() {
            while let Some(words) = rank.lines.front() {
                let peer = || words[3].parse::<usize>().unwrap();
                let tag = || words[5].parse::<u32>().unwrap();
                match words[0] {
                    "calc" => rank.clock += words[1].parse::<u64>().unwrap(),
                    "send" => {
                        let bytes: u64 = words[1].trim_end_matches('b').parse().unwrap();
                        rank.clock += model.overhead;
                        let free = free.entry((number, peer(), tag() % 2)).or_default();
                        *free = rank.clock.max(*free) + bytes * model.per_byte;
                        let arrival = *free + model.latency;
                        arrivals.entry((number, peer(), tag())).or_default().push_back(arrival);
                    }
                    _ => {
                        let route = (peer(), number, tag());
                        let Some(arrival) = arrivals.get_mut(&route).and_then(VecDeque::pop_front)
                        else {
                            break;
                        };
                        rank.clock = rank.clock.max(arrival) + model.overhead;
                    }
                }
                rank.lines.pop_front();
                is_still = false;
            }
        }
        if is_still {
            assert!(ranks.iter().all(|rank| rank.lines.is_empty()), "a rank waits");
            return ranks.iter().map(|rank| rank.clock).collect();
        }
    }
}

#[test]
fn a_plain_simulator_of_the_same_events_comes_to_the_same_times() {
    let grid = [2, 2, 4];
    // 1200 MB/s are 70 ticks for a byte, so that no packet is rounded up.
    let overheads = MessageOverheads { send: Tick(300), recv: Tick(300) };
    let topology = shipped_topology("formula", grid).with_rate(1_200_000_000);
    for latency in [1, 8400, 840_000] {
        let topology = topology.clone().with_latency(Tick(latency)).with_overheads(overheads);
        let start = |mut endpoint: Endpoint| async move {
            for turn in 1..6u64 {
                let busy = endpoint.rank() as u64 * 7919 % 13 * 10_000 * turn;
                endpoint.advance_to(endpoint.clock() + Tick(busy), TimeCause::Computing);
                exchange(&mut endpoint, grid, [4096, 5000, 777]).await?;
            }
            Ok::<_, MessageError>(())
        };
        let outcome = run(&topology, &ClusterOptions::default(), start).unwrap();
        let model = LogGp { latency, overhead: 300, per_byte: 70 };
        let ours: Vec<u64> = outcome.accounts.iter().map(|account| account.total().0).collect();
        assert_eq!(simulated(&goal(&outcome.events), &model), ours, "latency {latency}");
    }
}
