//! Programs in C on the control processor: they drive CP2 and its channel. `programs/c/build.sh` makes them anew.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

mod common;

use common::{keep_time, load};
use cp2_isa::{Bundle, Exch, Inst, MoveReg, RegFile, control, encode};
use cp2_k64::machine::{MachineEnd, Processor};
use cp2_k64::outside::{Outside, Push};
use cp2_k64::timing::StallCause;
use cp2_system::Board;
use std::any::Any;

/// Runs a program of `programs/c/built` without time; returns how it ended, what it printed, and the processor.
fn run(name: &str, machine: &str) -> (MachineEnd, String, Processor) {
    let (mut processor, output) = load(name, machine);
    let end = processor.run(100_000_000);
    (end, output.text(), processor)
}

/// Runs a program of `programs/c/built` with time; returns how it ended, what it printed, and the processor.
fn run_timed(name: &str, machine: &str) -> (MachineEnd, String, Processor) {
    let (mut processor, output) = load(name, machine);
    keep_time(&mut processor, machine);
    let end = processor.run(1_000_000_000);
    (end, output.text(), processor)
}

#[test]
fn registers_stalls_interrupts_and_shared_memory() {
    for machine in ["vm7", "vm9"] {
        let (end, text, processor) = run("coprocessor.elf", machine);
        assert_eq!(end, MachineEnd::Exit(0), "{text}");
        assert_eq!(text, include_str!("../../../programs/c/built/coprocessor.txt"), "{machine}");
        let outside: &dyn Any = &*processor.core.privileged.as_ref().unwrap().outside;
        assert_eq!(outside.downcast_ref::<Board>().unwrap().n_kernels(), 4);
    }
}

#[test]
fn a_run_is_the_same_every_time_to_the_cycle() {
    let cycles = |machine| run("coprocessor.elf", machine).2.core.cycle();
    assert_eq!(cycles("vm7"), cycles("vm7"));
    let cycles = |machine| run_timed("coprocessor.elf", machine).2.core.cycle();
    assert_eq!(cycles("vm9"), cycles("vm9"));
}

#[test]
fn time_changes_no_result() {
    for machine in ["vm7", "vm9"] {
        let (end, text, processor) = run_timed("coprocessor.elf", machine);
        assert_eq!(end, MachineEnd::Exit(0), "{text}");
        assert_eq!(text, include_str!("../../../programs/c/built/coprocessor.txt"), "{machine}");
        let timing = processor.core.timing.unwrap();
        // A push waits for a kernel of 1024 bundles, and the program for its interrupt.
        assert!(timing.stalled(StallCause::Outside) > 500);
        assert!(timing.stalled(StallCause::Waiting) > 500);
    }
}

#[test]
fn waits_for_kernels_and_transfers_are_counted_to_the_cycle() {
    for (name, machine) in [("mg.elf", "vm7"), ("mg.elf", "vm9"), ("fft.elf", "vm9")] {
        let [counted, done] = [false, true].map(|is_each| {
            let (mut processor, output) = load(name, machine);
            keep_time(&mut processor, machine);
            if is_each {
                processor.ask_each_time(true);
            }
            let ends = [processor.run(300_000), processor.run(1_000_000_000)];
            let timing = processor.core.timing.as_ref().unwrap();
            let stalls = StallCause::ALL.map(|cause| timing.stalled(cause));
            let times = (timing.cycle(), stalls, *timing.misses());
            let registers = processor.core.registers.general().to_vec();
            let board = Board::of(&processor).unwrap();
            let machine = board.machine();
            let outside = (board.n_kernels(), machine.cycle(), machine.dma.stats().bytes_put);
            (ends, output.text(), times, registers, processor.position(), outside)
        });
        assert_eq!(counted, done, "{name} on {machine}");
        assert_eq!(counted.0, [MachineEnd::Limit, MachineEnd::Exit(0)]);
    }
}

#[test]
fn a_kernel_without_meaning_ends_the_run() {
    let (end, text, _) = run("fault.elf", "vm7");
    assert_eq!(text, "before\n");
    let MachineEnd::Fault(message) = end else { panic!("{end:?}") };
    assert!(message.starts_with("CP2: "), "{message}");
}

#[test]
fn a_transfer_beyond_memory_ends_the_run() {
    let (end, text, _) = run("transfer.elf", "vm7");
    assert_eq!(text, "before\n");
    let MachineEnd::Fault(message) = end else { panic!("{end:?}") };
    assert!(message.starts_with("the DMA channel: "), "{message}");
}

/// Returns COMMCP2 and COMMK64 of STATUS as the control processor reads them.
fn mailbox(board: &mut Board) -> (bool, bool) {
    let status = board.coprocessor_register(3).unwrap();
    (status >> 3 & 1 == 1, status >> 4 & 1 == 1)
}

#[test]
fn an_access_of_comm_changes_the_bits_of_the_mailbox() {
    let (mut processor, _) = load("coprocessor.elf", "vm7");
    let privileged = processor.core.privileged.as_mut().unwrap();
    let memory = &mut processor.core.memory;
    let outside: &mut dyn Any = &mut *privileged.outside;
    let board: &mut Board = outside.downcast_mut().unwrap();
    let [comm, g1] = [(RegFile::Control, control::COMM), (RegFile::Gpr, 1)]
        .map(|(file, number)| MoveReg { file, number }.packed());
    let mut moved = |board: &mut Board, to, from| {
        let exch = Inst::new(Exch::Move, &[to, from]);
        let word = encode(&Bundle { exch, ..Bundle::NOP }) as u64;
        assert!(board.push(Push::Execute(word)));
        let now = board.machine().cycle().0;
        board.advance(memory, now + 8);
    };
    assert_eq!(mailbox(board), (false, false));
    board.set_coprocessor_register(1, 77).unwrap();
    assert_eq!(mailbox(board), (false, true), "the host wrote");
    moved(board, g1, comm);
    assert_eq!(mailbox(board), (false, false), "CP2 has read");
    moved(board, comm, g1);
    assert_eq!(mailbox(board), (true, false), "CP2 wrote");
    assert_eq!(board.coprocessor_register(1), Some(77));
    assert_eq!(mailbox(board), (false, false), "the host has read");
}
