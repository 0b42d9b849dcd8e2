//! Programs on the bare machine, against what the board malta of qemu made of them; `bare/build.sh` makes the fixtures
//! anew.

mod common;

use common::{Kept, fixture};
use cp2_k64::devices::{Devices, Plain};
use cp2_k64::elf::{ElfProgram, Symbolizer};
use cp2_k64::exception::{AccessKind, Exception};
use cp2_k64::isa::Release;
use cp2_k64::machine::{MachineEnd, Processor};

/// Runs a program on a machine without CP2; returns how it ended, what it printed, and the processor.
fn run(name: &str, mebibytes: u64) -> (MachineEnd, String, Processor) {
    run_on(Release::R1, name, mebibytes)
}

/// Runs a program on a machine without CP2 with a processor of a release; returns how it ended, what it printed, and the
/// processor.
fn run_on(release: Release, name: &str, mebibytes: u64) -> (MachineEnd, String, Processor) {
    let program = ElfProgram::read(&fixture(name)).expect("a program");
    let output = Kept::default();
    let devices = Devices::new(program.entry, Box::new(output.clone()));
    let outside = Box::new(Plain::new(devices, mebibytes << 20));
    let mut processor = Processor::new(&program, outside, release).expect("a processor");
    let end = processor.run(100_000_000);
    let text = String::from_utf8_lossy(&output.bytes()).into_owned();
    (end, text, processor)
}

#[test]
fn exceptions_segments_tlb_user_mode_and_timer_are_those_of_qemu() {
    let (end, text, _) = run("privileged.elf", 64);
    assert_eq!(text, String::from_utf8_lossy(&fixture("privileged.txt")));
    assert_eq!(end, MachineEnd::Exit(42));
}

#[test]
fn what_the_compiler_calls_by_itself_is_there() {
    let (end, text, _) = run_on(Release::R2, "calls.elf", 64);
    assert_eq!(text, String::from_utf8_lossy(&fixture("calls.txt")));
    assert_eq!(end, MachineEnd::Exit(0));
}

#[test]
fn a_program_of_32_bits_loads_too() {
    let (end, text, _) = run("words.elf", 64);
    assert_eq!((end, text.as_str()), (MachineEnd::Exit(7), "words\n"));
}

#[test]
fn a_fault_without_a_handler_ends_the_run_at_its_place() {
    let (end, text, processor) = run("unhandled.elf", 64);
    assert_eq!(text, "before\n");
    let MachineEnd::Exception { exception, is_delayed } = end else { panic!("{end:?}") };
    let address = 0xffff_ffff_9800_0000;
    assert_eq!(
        (exception, is_delayed),
        (Exception::Unmapped { address, access: AccessKind::Load }, false)
    );
    let place = Symbolizer::read(&fixture("unhandled.elf")).describe(processor.core.pc);
    assert!(place.starts_with("main+") && place.contains("unhandled.c:6)"), "{place}");
}

#[test]
fn waiting_for_what_cannot_come_is_a_hang() {
    let (end, _, processor) = run("hang.elf", 64);
    assert_eq!(end, MachineEnd::Hang);
    assert!(processor.core.n_instructions < 100_000);
}

#[test]
fn memory_has_a_hole_and_a_program_beyond_it_is_refused() {
    let program = ElfProgram::read(&fixture("privileged.elf")).expect("a program");
    let devices = Devices::new(program.entry, Box::new(std::io::sink()));
    let refused = Processor::new(&program, Box::new(Plain::new(devices, 1 << 20)), Release::R1);
    let message = refused.err().map(|e| e.to_string()).unwrap_or_default();
    assert!(message.contains("a segment at 0xffffffff80100000"), "{message}");
    let mut large = program;
    for (size, is_there) in [(62 << 20, true), (63 << 20, true), (63 << 20 | 1, false)] {
        large.segments.last_mut().expect("a segment").address = 0xffff_ffff_8010_0000;
        large.segments.last_mut().expect("a segment").size = size;
        let devices = Devices::new(large.entry, Box::new(std::io::sink()));
        let loaded = Processor::new(&large, Box::new(Plain::new(devices, 64 << 20)), Release::R1);
        assert_eq!(loaded.is_ok(), is_there, "{size}");
    }
    let places = [0x0fff_ffff, 0x1000_0000, 0x1fff_ffff, 0x2000_0000, 0x2fff_ffff, 0x3000_0000];
    let is_there = places.map(|at| cp2_k64::devices::is_memory(at, 512 << 20));
    assert_eq!(is_there, [true, false, false, true, true, false]);
}
