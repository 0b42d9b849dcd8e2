//! A run goes back, through interrupts of CP2 and what its channel has written, and on again.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

mod common;

use common::{keep_time, load};
use cp2_k64::exception::{WatchHit, WatchedAccess};
use cp2_k64::machine::{BackResult, MachineEnd, Processor, RunPosition};
use cp2_k64::memory::Watchpoint;
use std::collections::BTreeSet;

const PROGRAM: &str = "coprocessor.elf";
const LIMIT: u64 = 100_000_000;

/// Position, cycle, PC and general registers.
type Moment = (RunPosition, u64, u64, Vec<u64>);

/// Returns what is compared of a moment.
fn seen(processor: &Processor) -> Moment {
    let core = &processor.core;
    (processor.position(), core.cycle(), core.pc, core.registers.general().to_vec())
}

/// Steps over one instruction or one exception.
fn step(processor: &mut Processor) {
    let before = processor.position();
    while processor.position() == before {
        assert_eq!(processor.step(), None);
    }
}

/// Runs the program to its end; returns the processor, and what was printed.
fn whole(is_timed: bool) -> (Processor, String) {
    let (mut whole, output) = load(PROGRAM, "vm7");
    if is_timed {
        keep_time(&mut whole, "vm7");
    }
    assert_eq!(whole.run(LIMIT), MachineEnd::Exit(0));
    (whole, output.text())
}

/// Loads the program on a processor that can go back.
fn with_history(is_timed: bool) -> Processor {
    let (mut processor, _) = load(PROGRAM, "vm7");
    if is_timed {
        keep_time(&mut processor, "vm7");
    }
    assert!(processor.keep_history());
    processor
}

#[test]
fn steps_back_meet_the_same_moments_in_the_other_order() {
    for is_timed in [false, true] {
        let whole = whole(is_timed).0;
        let mut processor = with_history(is_timed);
        let n = whole.core.n_instructions;
        // The program waits for interrupts in its last third.
        for part in [1, 2, 3] {
            while processor.core.n_instructions < n * part / 4 {
                let limit = processor.core.cycle() + 500;
                assert_eq!(processor.run(limit), MachineEnd::Limit);
            }
            let mut moments = Vec::new();
            for _ in 0..200 {
                moments.push(seen(&processor));
                step(&mut processor);
            }
            let end = seen(&processor);
            for moment in moments.iter().rev() {
                assert_eq!(processor.step_back(), BackResult::Reached);
                assert_eq!(seen(&processor), *moment, "timed: {is_timed}, part {part}");
            }
            for _ in 0..200 {
                step(&mut processor);
            }
            assert_eq!(seen(&processor), end);
        }
    }
}

#[test]
fn a_run_that_went_back_ends_as_one_that_did_not_and_prints_nothing_twice() {
    let (whole, expected) = whole(true);
    let (mut processor, output) = load(PROGRAM, "vm7");
    keep_time(&mut processor, "vm7");
    processor.keep_history();
    assert_eq!(processor.run(whole.core.cycle() / 3), MachineEnd::Limit);
    let (pc, position) = (processor.core.pc, processor.position());
    processor.set_breakpoints(BTreeSet::from([pc]));
    // Further on: the last time that the program was here.
    assert!(matches!(
        processor.run(whole.core.cycle() * 3 / 4),
        MachineEnd::Limit | MachineEnd::Breakpoint
    ));
    step(&mut processor);
    assert_eq!(processor.run_back(), BackResult::Reached);
    assert_eq!(processor.core.pc, pc);
    assert!(processor.position() >= position);
    processor.set_breakpoints(BTreeSet::new());
    assert_eq!(processor.run_back(), BackResult::Begin);
    assert_eq!(processor.position(), RunPosition::default());
    assert_eq!(processor.run(LIMIT), MachineEnd::Exit(0));
    assert_eq!(output.text(), expected);
}

#[test]
fn changes_without_end_do_not_take_memory_without_end() {
    let (mut processor, _) = load(PROGRAM, "vm7");
    assert!(processor.keep_history());
    let mut moments = Vec::new();
    for change in 0..200 {
        step(&mut processor);
        // Several changes at one position are one.
        for value in [1000, change] {
            processor.core.registers[27] = value;
            processor.note_change();
        }
        moments.push(seen(&processor));
    }
    moments.pop();
    let mut count = 0;
    while processor.step_back() == BackResult::Reached {
        let moment = moments.pop().unwrap();
        assert_eq!(seen(&processor), moment);
        count += 1;
    }
    // The begin of the history is the oldest of 64 snapshots.
    assert_eq!(count, 63);
    assert_eq!(processor.step_back(), BackResult::Begin);
    assert_eq!(processor.run(LIMIT), MachineEnd::Exit(0));
}

/// Returns the hits of watchpoints up to the end of the program, each with the moment behind its access.
fn forward(processor: &mut Processor) -> Vec<(Moment, WatchHit)> {
    let mut hits = Vec::new();
    loop {
        match processor.run(LIMIT) {
            MachineEnd::Watchpoint(hit) => {
                let before = processor.position();
                while processor.position() == before {
                    assert_eq!(processor.step(), None);
                }
                hits.push((seen(processor), hit));
            }
            end => {
                assert_eq!(end, MachineEnd::Exit(0));
                return hits;
            }
        }
    }
}

#[test]
fn a_run_back_meets_the_accesses_of_watchpoints_in_the_other_order() {
    for is_timed in [false, true] {
        let whole = whole(is_timed).0;
        let mut processor = with_history(is_timed);
        // The stack of the program, and the line status of the UART.
        let stack = whole.core.registers[29];
        processor.set_watchpoints(vec![
            Watchpoint { address: stack - 96, bytes: 3, accesses: WatchedAccess::Any },
            Watchpoint { address: stack - 40, bytes: 8, accesses: WatchedAccess::Store },
            Watchpoint { address: 0xffff_ffff_b800_03fd, bytes: 1, accesses: WatchedAccess::Load },
        ]);
        let hits = forward(&mut processor);
        assert!(hits.len() > 100, "{}", hits.len());
        for (moment, hit) in hits.iter().rev().take(40) {
            assert_eq!(processor.run_back(), BackResult::Watchpoint(*hit));
            assert_eq!(seen(&processor), *moment);
        }
        // A step in either direction tells of the access where that was not told before.
        let (moment, hit) = &hits[hits.len() - 40];
        assert_eq!(processor.step_back(), BackResult::Reached);
        assert_eq!(processor.step(), Some(MachineEnd::Watchpoint(*hit)));
        step(&mut processor);
        assert_eq!(seen(&processor), *moment);
        assert_eq!(processor.step_back(), BackResult::Watchpoint(*hit));
        assert_eq!(seen(&processor), *moment);
        assert_eq!(processor.step_back(), BackResult::Reached);
        assert_eq!(processor.step(), Some(MachineEnd::Watchpoint(*hit)));
        // Interrupts may come some instructions earlier or later than before.
        let again = forward(&mut processor);
        let addresses =
            |hits: &[(Moment, WatchHit)]| hits.iter().map(|(_, hit)| *hit).collect::<Vec<_>>();
        assert_eq!(addresses(&again)[..8], addresses(&hits)[hits.len() - 39..][..8]);
    }
}
