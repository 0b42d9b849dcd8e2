//! Programs with time: results are those without, and the time does not depend on how a run is cut.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

mod common;

use cp2_k64::devices::{Devices, Plain};
use cp2_k64::elf::ElfProgram;
use cp2_k64::isa::Release;
use cp2_k64::machine::{MachineEnd, Processor};
use cp2_k64::timing::{CacheCosts, Geometry, InstructionCosts, StallCause};
use cp2_k64::user;

fn costs() -> InstructionCosts {
    let cache = |bytes| Geometry { bytes, ways: 2 };
    InstructionCosts {
        width: 2,
        branch: 1,
        load: 2,
        multiply: 5,
        divide: 40,
        float: 4,
        float_repeat: 2,
        float_divide: 30,
        caches: CacheCosts {
            instructions: cache(1024),
            data: cache(1024),
            second: cache(4096),
            line_bytes: 32,
            second_cycles: 10,
            memory_cycles: 40,
            line: 8,
            streams: 1,
        },
    }
}

fn bare(fixture: &str) -> Processor {
    let program = ElfProgram::read(&common::fixture(fixture)).unwrap();
    let devices = Devices::new(program.entry, Box::new(std::io::sink()));
    let outside = Box::new(Plain::new(devices, 1 << 28));
    let mut processor = Processor::new(&program, outside, Release::R1).unwrap();
    processor.core.keep_time(costs());
    processor
}

#[test]
fn results_of_linux_programs_are_those_without_time() {
    let program = ElfProgram::read(&common::fixture("suite.elf")).unwrap();
    for name in ["integers", "floats", "library"] {
        let (mut process, output) = common::process(&program, &["suite", name], None).unwrap();
        process.core.keep_time(costs());
        let end = process.run(2_000_000_000);
        let (expected_end, expected, without) = common::run("suite.elf", &["suite", name], None);
        assert_eq!((end, output.bytes()), (expected_end, expected), "{name}");
        assert!(matches!(end, user::ProcessEnd::Exit(_)), "{end:?}");
        assert_eq!(process.core.n_instructions, without.core.n_instructions);
        assert!(process.core.cycle() > without.core.cycle() / 2);
    }
}

#[test]
fn single_steps_take_the_time_of_a_run() {
    let mut at_once = bare("words.elf");
    assert_eq!(at_once.run(1_000_000), MachineEnd::Exit(7));
    let mut stepped = bare("words.elf");
    let end = std::iter::repeat_with(|| stepped.step()).flatten().next();
    assert_eq!(end, Some(MachineEnd::Exit(7)));
    assert_eq!(stepped.core.n_instructions, at_once.core.n_instructions);
    assert_eq!(stepped.core.cycle(), at_once.core.cycle());
    let timing = at_once.core.timing.unwrap();
    assert!(timing.stalled(StallCause::Fetch) >= 10 * timing.misses().instructions);
}
