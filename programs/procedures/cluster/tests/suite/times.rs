//! Times of several processors: the same for any threads and windows, every tick with a cause, golden times of packing, and the
//! residual alone beside that of one processor.

use super::kit::{problem, run};
use cp2_cluster::{ClusterOptions, ThreadTransport, Tick, TimeCause, Transport};
use cp2_cluster_procedures::ClusterMgProblem;
use cp2_isa::MemoryAddress;
use cp2_procedures::multigrid::npb::Class;
use cp2_procedures::multigrid::{KernelRoutines, MultigridPart, PartOutline};
use cp2_session::Environment;
use cp2_session::execution::Execution;
use std::fmt::Write as _;
use std::sync::Arc;

#[test]
fn threads_orders_and_windows_change_nothing() {
    let mut one = problem(Class::S, 8, "vm9-chips");
    one.gathered = Some(8);
    let expected = run(&one);
    let window = one.setup.topology.lookahead().map(|latency| Tick(latency.0 / 3));
    let all = [
        ClusterOptions { threads: 3, ..ClusterOptions::default() },
        ClusterOptions { order: vec![5, 0, 7, 2], window, ..ClusterOptions::default() },
    ];
    for options in all {
        one.setup.options = options;
        let found = run(&one);
        assert!(found.ranks == expected.ranks, "{:?}", one.setup.options);
        assert_eq!((&found.accounts, &found.links), (&expected.accounts, &expected.links));
        assert_eq!(found.messages, expected.messages);
    }
}

/// Processes, played by threads, find what one finds: times, messages, norm, and the first of them all residuals.
#[test]
fn processes_of_the_computer_change_nothing() {
    let mut of = problem(Class::S, 8, "vm9-chips");
    of.keeps_levels = false;
    let mut expected = run(&of);
    expected.ranks.iter_mut().for_each(|rank| rank.cost = None);
    let found: Vec<_> = std::thread::scope(|scope| {
        let begin = |transport| {
            let transport: Option<Arc<dyn Transport>> = Some(Arc::new(transport));
            let mut of = of.clone();
            of.setup.options = ClusterOptions { transport, ..ClusterOptions::default() };
            scope.spawn(move || run(&of))
        };
        let all: Vec<_> = ThreadTransport::all(3).into_iter().map(begin).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    for (process, mut found) in found.into_iter().enumerate() {
        let own = found.ranks.iter().filter(|rank| rank.cost.is_some()).count();
        assert_eq!(own, [4, 2, 2][process]);
        found.ranks.iter_mut().for_each(|rank| rank.cost = None);
        if process > 0 {
            found.ranks.iter_mut().for_each(|rank| rank.residual.clear());
            expected.ranks.iter_mut().for_each(|rank| rank.residual.clear());
        }
        assert!(found.ranks == expected.ranks, "{process}");
        assert_eq!((&found.accounts, &found.links), (&expected.accounts, &expected.links));
        assert_eq!((&found.messages, &found.choice), (&expected.messages, &expected.choice));
        assert!(found.events == expected.events);
    }
}

#[test]
fn every_tick_has_a_cause_and_every_byte_arrives() {
    for (name, processes) in [("vm9-torus", 16), ("vm9-ports", 8), ("vm9-chips", 8)] {
        let of = problem(Class::S, processes, name);
        let found = run(&of);
        for (number, (account, rank)) in found.accounts.iter().zip(&found.ranks).enumerate() {
            // A rank ends with the norm: at its last send, or when it has received the last message.
            let sent = found.messages.iter().filter(|message| message.from == number);
            let received = found.messages.iter().filter(|message| message.to == number);
            let recv = of.setup.topology.overheads().recv;
            let moments = sent.map(|message| message.sent);
            let last = moments.chain(received.map(|message| message.arrival + recv)).max();
            let all: Tick = TimeCause::ALL.iter().map(|&cause| account.of(cause)).sum();
            assert_eq!(Some(all), last, "{name}, rank {number}");
            assert!(rank.end < all);
            // The machine has followed the clock of the network to the last exchange.
            let cost = rank.cost.as_ref().unwrap();
            assert_eq!(cost.timeline.cycles() * 84, rank.end.0, "{name}");
        }
        let busy: u64 = found.links.iter().map(|link| link.bytes).sum();
        let sent: u64 = found.messages.iter().map(|message| message.bytes).sum();
        assert!(busy >= sent && sent > 0, "{name}: {busy} bytes on links, {sent} sent");
        for (link, of_link) in of.setup.topology.links().iter().zip(&found.links) {
            let rate = link.model().bytes_per_second as f64;
            let exact = of_link.bytes as f64 * Tick::PER_SECOND as f64 / rate;
            let over = of_link.busy.0 as f64 - exact;
            assert!((-0.5..=of_link.packets as f64).contains(&over), "{name}, {}", link.name());
        }
    }
}

#[test]
fn more_latency_and_less_bandwidth_make_no_processor_earlier() {
    let mut fast = problem(Class::S, 2, "vm9-torus");
    fast.gathered = Some(8);
    let ends = |of: &_| run(of).ranks.iter().map(|rank| rank.end).collect::<Vec<_>>();
    let expected = ends(&fast);
    for topology in [
        fast.setup.topology.clone().with_latency(Tick::from_ns(5000.0)),
        fast.setup.topology.clone().with_rate(100_000_000),
    ] {
        fast.setup.topology = topology;
        let later = ends(&fast);
        assert!(later.iter().zip(&expected).all(|(later, end)| later > end), "{later:?}");
    }
}

/// Packing and unpacking of all faces, exactly: a change is a change of the procedure.
#[test]
fn packing_takes_golden_cycles() {
    let mut text = String::new();
    for (class, processes) in [(Class::S, 2), (Class::S, 4), (Class::S, 8), (Class::W, 8)] {
        let mut of = problem(class, processes, "vm9-torus");
        of.gathered = Some(8);
        let found = run(&of);
        let account = found.accounts[0];
        let cycles = |cause| account.of(cause).0 / 84;
        let _ = writeln!(
            text,
            "{class} on {processes}: packing {}, computing {}, end {}",
            cycles(TimeCause::Packing),
            cycles(TimeCause::Computing),
            found.end().0 / 84
        );
    }
    insta::assert_snapshot!(text);
}

/// The rate of the residual of a block of 128 and of 64 points along an axis beside that of `resid` on one emulated processor, a grid
/// of 128 points, 6850 MOPS (`specs/src/tables.md`). Blocks with rows of 256 points, of which one takes several bursts, have a rate of
/// their own.
#[test]
fn the_residual_alone_has_the_rate_of_one_processor() {
    for (class, processes, expected) in
        [(Class::A, 8, 6850.0), (Class::W, 8, 6850.0), (Class::A, 2, 6229.0)]
    {
        let of = problem(class, processes, "vm9-torus");
        let mut part = part_of(&of, 8);
        // The chain of the first residual, once more when the kernels are in instruction memory.
        part.run_chain(0).unwrap();
        let begin = part.cycle();
        part.run_chain(0).unwrap();
        let us = (part.cycle() - begin) as f64 / 1e3;
        let points: usize = of.grid.block(class.points()).iter().product();
        let mops = 31.0 * points as f64 / us;
        let ratio: f64 = mops / expected;
        assert!((ratio - 1.0).abs() < 0.02, "{class} on {processes}: {mops} MOPS");
    }
}

/// Returns the part of a processor other than 0 of a problem, of one V-cycle, whose levels from so many points along an axis on
/// are gathered.
fn part_of(of: &ClusterMgProblem, gathered: usize) -> MultigridPart {
    let outline = PartOutline {
        class: of.class,
        points: of.class.points(),
        iterations: 1,
        processes: of.grid.counts,
        gathered,
        is_root: false,
        routines: KernelRoutines::default(),
    };
    let execution = Execution {
        environment: Environment::new().reusing(&of.setup.shelf),
        ..Execution::on(*of.setup.config.core())
    };
    MultigridPart::new(of.setup.config.clone(), &execution, outline).unwrap()
}

/// The memory of a block of 256 points along an axis, class C on 8 processors: 232 MB by the layout of arrays with faces, and the
/// queues of descriptors.
#[test]
fn a_block_takes_the_memory_of_its_arrays() {
    let mut part = part_of(&problem(Class::C, 8, "vm9-torus"), 64);
    let mb = (part.host().allocated().0 - MemoryAddress::FIRST.0) as f64 / 1e6;
    assert!((232.0..240.0).contains(&mb), "{mb} MB");
}
