//! A run goes back, through interrupts of CP2 and what its channel has written, and on again.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

mod common;

use common::{keep_time, load};
use cp2_k64::machine::{BackResult, MachineEnd, Processor, RunPosition};
use std::collections::BTreeSet;

const PROGRAM: &str = "coprocessor.elf";
const LIMIT: u64 = 100_000_000;

/// Returns what is compared of a moment: position, cycle, PC and general registers.
fn seen(processor: &Processor) -> (RunPosition, u64, u64, Vec<u64>) {
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

#[test]
fn steps_back_meet_the_same_moments_in_the_other_order() {
    for is_timed in [false, true] {
        let whole = whole(is_timed).0;
        let (mut processor, _) = load(PROGRAM, "vm7");
        if is_timed {
            keep_time(&mut processor, "vm7");
        }
        assert!(processor.keep_history());
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
