//! The table of system calls beside the header of Linux, and calls at random.

use super::{CALLS, rows};
use crate::elf::ElfProgram;
use crate::isa::Release;
use crate::memory::Allowed;
use crate::user::{Process, ProcessSetup, Streams};
use proptest::prelude::*;

/// Numbers and names of the header `asm/unistd_n64.h` of Linux, made by `tests/programs/build.sh`.
const HEADER: &str = include_str!("../../../tests/fixtures/numbers.txt");

#[test]
fn the_table_has_each_call_of_the_header_once_and_no_others() {
    let mut named: Vec<String> = rows().map(|row| format!("{} {}", row.number, row.name)).collect();
    named.sort();
    let header: Vec<&str> = HEADER.lines().collect();
    assert_eq!(named, header);
    assert_eq!(CALLS.iter().flatten().count(), header.len());
}

#[test]
fn a_part_tells_what_is_missing_in_one_sentence() {
    for row in rows().filter(|row| !row.missing.is_empty()) {
        let text = row.missing;
        assert!(!text.contains(['|', '\n']) && !text.ends_with('.'), "{}: {text}", row.name);
    }
}

/// Address of memory with what calls take: paths, vectors, sets, times.
const SCRATCH: u64 = 0x3000_0000;
const SCRATCH_BYTES: u64 = 1 << 16;
/// Bytes of memory from one text of the scratch memory to the next.
const STEP: usize = 64;
const PATHS: [&[u8]; 12] = [
    b"a",
    b"b",
    b"a/b",
    b"a/",
    b"..",
    "/".as_bytes(),
    b"../../secret",
    b"/a/../b",
    b"l",
    b"l/x",
    b"\xff",
    b"",
];

/// Numbers of calls: `sync` and `fallocate` are about the disk of the whole native machine.
fn number() -> impl Strategy<Value = u64> {
    let numbers: Vec<u64> = rows().map(|row| row.number).collect();
    let numbers = prop::sample::select(numbers);
    prop_oneof![20 => numbers, 1 => any::<u64>()].prop_filter("disk", |n| ![5157, 5279].contains(n))
}

fn argument() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => 0..8u64,
        4 => (0..PATHS.len()).prop_map(|i| SCRATCH + (i * STEP) as u64),
        2 => (0..SCRATCH_BYTES).prop_map(|place| SCRATCH + place),
        1 => prop::sample::select(vec![
            u64::MAX, -100i64 as u64, 1 << 63, i64::MAX as u64, 4096, 0x1000, 0x100, 0x302, 0x10001, 0xfff_ffff_f000,
            SCRATCH + SCRATCH_BYTES - 3, 0o777, 1 << 40,
        ]),
        1 => 0..1u64 << 20,
        1 => any::<u64>(),
    ]
}

fn calls() -> impl Strategy<Value = Vec<(u64, [u64; 6])>> {
    let arguments = prop::array::uniform6(argument());
    prop::collection::vec((number(), arguments), 1..60)
}

fn process(folder: &std::path::Path, noise: &[u8]) -> Process {
    let program = include_bytes!("../../../tests/fixtures/faults.elf");
    let program = ElfProgram::read(program).expect("a program");
    let setup = ProcessSetup {
        arguments: vec!["faults".into()],
        environment: Vec::new(),
        memory: 64 << 20,
        folder: Some(folder.to_owned()),
        release: Release::R2,
    };
    let streams = Streams {
        input: Box::new(std::io::empty()),
        output: Box::new(std::io::sink()),
        error: Box::new(std::io::sink()),
    };
    let mut process = Process::new(&program, &setup, streams).expect("a process");
    let memory = &mut process.core.memory;
    assert!(memory.map(SCRATCH, SCRATCH_BYTES, Allowed::DATA));
    let mut bytes: Vec<u8> = noise.iter().copied().cycle().take(SCRATCH_BYTES as usize).collect();
    for (i, path) in PATHS.iter().enumerate() {
        bytes[i * STEP..i * STEP + path.len()].copy_from_slice(path);
        bytes[i * STEP + path.len()] = 0;
    }
    memory.write(SCRATCH, &bytes).expect("memory");
    process
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn calls_at_random_answer_and_change_nothing_outside_of_the_folder(
        calls in calls(),
        noise in prop::collection::vec(prop_oneof![3 => Just(0u8), 1 => any::<u8>()], 1..200),
    ) {
        let outside = tempfile::tempdir().expect("a folder");
        std::fs::write(outside.path().join("secret"), "secret").expect("a file");
        let inside = outside.path().join("inside");
        std::fs::create_dir(&inside).expect("a folder");
        let mut process = process(&inside, &noise);
        for (number, arguments) in calls {
            process.core.registers[2] = number;
            for (register, argument) in (4..).zip(arguments) {
                process.core.registers[register] = argument;
            }
            // The end of the process, and a return from a handler, answer nothing.
            if process.call().is_some() || number == 5211 {
                continue;
            }
            let (value, failed) = (process.core.registers[2], process.core.registers[7]);
            prop_assert!(failed <= 1, "{number}: {failed}");
            prop_assert!(failed == 0 || (1..1200).contains(&value), "{number}: {value}");
        }
        drop(process);
        let names = std::fs::read_dir(outside.path()).expect("a folder").count();
        prop_assert_eq!(names, 2);
        prop_assert_eq!(std::fs::read(outside.path().join("secret")).expect("a file"), b"secret");
    }
}
