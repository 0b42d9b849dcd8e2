//! Times of another clock: a plain simulator of LogGP reads the events of a run as GOAL, and comes to the times of the run on links
//! of their own.

use super::kit::{Case, topology};
use cp2_cluster::{MessageOverheads, Tick, goal};
use std::collections::{BTreeMap, VecDeque};

const LATENCY: u64 = 84_000;
const OVERHEAD: u64 = 12_345;
/// Ticks of a byte at 1200 MB/s.
const BYTE: u64 = 70;

/// Messages under way and links, by the two ends and a tag or the number of a parallel link.
#[derive(Default)]
struct Wires {
    arrivals: BTreeMap<(usize, usize, u32), VecDeque<u64>>,
    free: BTreeMap<(usize, usize, u32), u64>,
    /// Links between the same two ranks.
    parallel: u32,
}

impl Wires {
    /// Does a line of a rank at a moment; returns the moment behind it, `None` if its message has not come.
    fn step(&mut self, rank: usize, clock: u64, line: &str) -> Option<u64> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |at: usize| words[at].trim_end_matches('b').parse::<u64>().unwrap();
        if words[1] == "calc" {
            return Some(clock + number(2));
        }
        let (bytes, peer, tag) = (number(2), number(4) as usize, number(6) as u32);
        if words[1] == "recv" {
            let arrival = self.arrivals.get_mut(&(peer, rank, tag))?.pop_front()?;
            return Some(clock.max(arrival) + OVERHEAD);
        }
        let free = self.free.entry((rank, peer, tag % self.parallel)).or_default();
        *free = (clock + OVERHEAD).max(*free) + bytes * BYTE;
        self.arrivals.entry((rank, peer, tag)).or_default().push_back(*free + LATENCY);
        Some(clock + OVERHEAD)
    }
}

/// Returns the moments at which the ranks of a GOAL text end.
fn simulated(text: &str, parallel: u32) -> Vec<u64> {
    let parts = text.split("rank ").skip(1);
    let lines = |part: &str| part.lines().filter(|l| l.contains(": ")).map(str::to_owned).collect();
    let mut left: Vec<VecDeque<String>> = parts.map(lines).collect();
    let mut clocks = vec![0; left.len()];
    let mut wires = Wires { parallel, ..Wires::default() };
    while left.iter().any(|lines| !lines.is_empty()) {
        let before: usize = left.iter().map(VecDeque::len).sum();
        for (rank, lines) in left.iter_mut().enumerate() {
            while let Some(line) = lines.front()
                && let Some(clock) = wires.step(rank, clocks[rank], line)
            {
                clocks[rank] = clock;
                lines.pop_front();
            }
        }
        assert!(left.iter().map(VecDeque::len).sum::<usize>() < before, "a rank waits");
    }
    clocks
}

#[test]
fn a_plain_simulator_of_the_events_comes_to_the_same_times() {
    let overheads = MessageOverheads { send: Tick(OVERHEAD), recv: Tick(OVERHEAD) };
    // Two ranks have a link for each face; with three each pair has one.
    for (name, ranks, parallel) in
        [("mpi_stencil.elf", 2, 2), ("mpi_stencil.elf", 3, 1), ("mpi_boards.elf", 3, 1)]
    {
        let topology = topology("formula", [ranks, 1, 1]).with_rate(1_200_000_000);
        let topology = topology.with_latency(Tick(LATENCY)).with_overheads(overheads);
        let (run, _) = Case { topology, ..Case::new(name, ranks) }.finish();
        let ours: Vec<u64> = run.accounts.iter().map(|account| account.total().0).collect();
        assert_eq!(simulated(&goal(&run.events), parallel), ours, "{name} on {ranks}");
    }
}
