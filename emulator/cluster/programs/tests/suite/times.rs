//! Times of programs: cycles that may change only with a reason, and what a message takes.

use super::kit::{Case, topology};
use cp2_cluster::{MessageOverheads, Tick, TimeCause};

/// Ticks of a cycle of VM9 at 1000 MHz.
const CYCLE: u64 = 84;

/// Returns the cycles of all ranks of a run.
fn cycles(name: &str, (network, grid): (&str, [usize; 3]), machine: &'static str) -> Vec<u64> {
    let topology = topology(network, grid);
    let case = Case { topology, machine, ..Case::new(name, grid.iter().product()) };
    case.finish().0.ends.iter().map(|end| end.cycles).collect()
}

#[test]
fn cycles_are_these() {
    let chips = ("vm9-chips", [1, 2, 2]);
    let pair = ("vm7-pair", [2, 1, 1]);
    let found = [
        cycles("mpi_ring.elf", chips, "vm9"),
        cycles("mpi_stencil.elf", chips, "vm9"),
        cycles("mpi_boards.elf", chips, "vm9"),
        cycles("mpi_mg.elf", chips, "vm9"),
        cycles("mpi_boards.elf", pair, "vm7"),
    ];
    let expected: [&[u64]; 5] = [
        &[36566, 32948, 35750, 34024],
        &[2359156, 2306267, 2309690, 2307793],
        &[58685, 49400, 49400, 49400],
        &[23567505, 23554190, 23555001, 23555720],
        &[100741, 91994],
    ];
    assert_eq!(found, expected);
}

#[test]
fn every_tick_has_a_cause_and_every_message_both_ends() {
    let (run, _) = Case::new("mpi_stencil.elf", 5).finish();
    for (account, end) in run.accounts.iter().zip(&run.ends) {
        assert_eq!(account.total(), end.cycles * Tick(CYCLE));
        // 500 ns to send and to receive, and up to a cycle to the next whole one.
        let messages = end.sent + end.received;
        let overhead = account.of(TimeCause::Overhead).0;
        let least = messages * 500 * CYCLE;
        assert!((least..least + messages * CYCLE).contains(&overhead), "{overhead} {messages}");
        assert_eq!(account.of(TimeCause::Packing), Tick::ZERO);
    }
    let sum =
        |of: fn(&cp2_cluster_programs::ProgramEnd) -> u64| run.ends.iter().map(of).sum::<u64>();
    assert_eq!(sum(|end| end.sent), sum(|end| end.received));
    assert_eq!(sum(|end| end.sent_bytes), sum(|end| end.received_bytes));
    assert_eq!(sum(|end| end.sent), run.messages.len() as u64);
}

#[test]
fn a_message_takes_the_latency_and_its_bytes_with_a_header() {
    let (run, _) = Case::new("mpi_ring.elf", 2).finish();
    assert_eq!(run.messages.len(), 7, "the token twice, two steps of both, and the last sum");
    for message in &run.messages {
        // 1 us, and 16 bytes more at 1250 MB/s.
        let bytes = (message.bytes + 16) * 1_000_000_000 / 1_250_000_000 * CYCLE;
        assert_eq!(message.arrival, message.sent + Tick(1000 * CYCLE + bytes), "{message:?}");
    }
}

#[test]
fn overheads_are_those_of_the_topology() {
    let overhead = |send, recv| {
        let overheads = MessageOverheads { send: Tick(send * CYCLE), recv: Tick(recv * CYCLE) };
        let topology = topology("vm9-torus", [2, 1, 1]).with_overheads(overheads);
        let (run, _) = Case { topology, ..Case::new("mpi_ring.elf", 2) }.finish();
        run.accounts.iter().map(|account| account.of(TimeCause::Overhead).0 / CYCLE).sum::<u64>()
    };
    // Seven messages, and less than a cycle to the next whole one of each receive.
    let none = overhead(0, 0);
    assert!(none < 7, "{none}");
    for (send, recv) in [(300, 0), (0, 200), (1000, 2000)] {
        let some = overhead(send, recv);
        let least = 7 * (send + recv);
        assert!((least..least + 7).contains(&some), "{some} {least}");
    }
}
