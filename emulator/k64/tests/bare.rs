//! Programs on the bare machine, against what the board malta of qemu made of them; `bare/build.sh` and
//! `monitor/build.sh` make the fixtures anew.

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
    run_with(release, (name, &[]), mebibytes)
}

/// Runs a program on a machine without CP2, with an input of the console.
fn run_with(
    release: Release,
    (name, input): (&str, &[u8]),
    mebibytes: u64,
) -> (MachineEnd, String, Processor) {
    let program = ElfProgram::read(&fixture(name)).expect("a program");
    let output = Kept::default();
    let input = std::io::Cursor::new(input.to_vec());
    let devices = Devices::new(program.entry, Box::new(output.clone())).with_input(Box::new(input));
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
fn the_monitor_answers_random_commands_as_on_the_board_of_qemu() {
    let commands = fixture("monitor.commands");
    for release in [Release::R1, Release::R2] {
        let (end, text, _) = run_with(release, ("monitor.elf", &commands), 64);
        let expected = String::from_utf8_lossy(&fixture("monitor.txt")).into_owned();
        for (number, (line, expected)) in text.lines().zip(expected.lines()).enumerate() {
            assert_eq!(line, expected, "line {}", number + 1);
        }
        assert_eq!((end, text.len()), (MachineEnd::Exit(0), expected.len()));
    }
}

/// Returns the answer of the monitor to the last of some commands.
fn answer(commands: &str) -> String {
    let (end, text, _) = run_with(Release::R1, ("monitor.elf", commands.as_bytes()), 64);
    assert_eq!(end, MachineEnd::Exit(0));
    let answers: Vec<_> = text.split("\n> ").collect();
    // Behind it is that to the end of the input.
    answers[answers.len() - 2].trim().to_owned()
}

#[test]
fn a_part_of_an_unaligned_value_misses_the_tlb_at_its_own_address() {
    // lwr, ldl, swr, sdl of $8 at $4, then break.
    for (word, cause) in [("98880000", 8), ("68880000", 8), ("b8880000", 0xc), ("b0880000", 0xc)] {
        let text = answer(&format!(
            "r 4 30000005\nw ffffffffa0f00000 {word} d\ng ffffffff80f00000 24000080\n"
        ));
        assert!(text.contains(&format!(" cause {cause:x} ")), "{text}");
        assert!(text.contains(" bad 30000005 "), "{text}");
    }
}

#[test]
fn user_mode_has_operations_of_64_bits_with_status_ux_alone() {
    // daddiu $3, $0, 1; break; at address 7e000000.
    let code = "e 28 0 7e000000 3c01b 3c01b\nw ffffffffa0f00000 64030001 d\n";
    for (status, cause) in [("24000010", "cause 28 "), ("24000030", "cause 24 ")] {
        let text = answer(&format!("{code}g 7e000000 {status}\n"));
        assert!(text.contains(cause), "{text}");
    }
    // daddiu in a delay slot; ld, which misses no page; dmfc0, for which coprocessor 0 comes first.
    let slot =
        answer(&format!("{code}w ffffffffa0f00000 10000001 64030001 d\ng 7e000000 24000010\n"));
    assert!(slot.contains("cause 80000028 "), "{slot}");
    let load = answer(&format!("{code}w ffffffffa0f00000 dc030000 d\ng 7e000000 24000010\n"));
    assert!(load.contains("cause 28 "), "{load}");
    for (status, cause) in [("24000010", "cause 2c "), ("34000010", "cause 28 ")] {
        let text = answer(&format!("{code}w ffffffffa0f00000 40231000 d\ng 7e000000 {status}\n"));
        assert!(text.contains(cause), "{text}");
    }
}

#[test]
fn the_end_of_the_input_is_told() {
    let (end, text, _) = run_with(Release::R1, ("monitor.elf", b"c e 1234\n"), 64);
    assert_eq!((end, text.as_str()), (MachineEnd::Exit(0), "\n>  reads 1234\n> end\n"));
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
