//! Watchpoints of a Linux program against a reading of its instructions, one by one; and a debugged run against one that
//! is not.

mod common;

use common::{Kept, fixture, process};
use cp2_k64::core::Cpu;
use cp2_k64::elf::ElfProgram;
use cp2_k64::exception::WatchedAccess;
use cp2_k64::isa::{Operation, Release, decode};
use cp2_k64::memory::Watchpoint;
use cp2_k64::user::{Process, ProcessEnd, ProcessStop};
use proptest::prelude::*;

/// Access of an instruction: first address, bytes, whether it stores.
type Access = (u64, u64, bool);

/// Returns the access that an instruction word makes with the registers as they are.
fn access(core: &Cpu, word: u32, ra: Option<u64>) -> Option<Access> {
    use Operation as O;
    let operation = decode(word, Release::R2)?.operation;
    let base = (word >> 21 & 31) as u8;
    let base = match ra {
        Some(ra) if base == 31 => ra,
        _ => core.registers[base],
    };
    let at = base.wrapping_add(word as u16 as i16 as u64);
    let (bytes, is_store) = match operation {
        O::Lb | O::Lbu => (1, false),
        O::Lh | O::Lhu => (2, false),
        O::Lw | O::Lwu | O::Ll | O::Lwc1 => (4, false),
        O::Ld | O::Lld | O::Ldc1 => (8, false),
        O::Sb => (1, true),
        O::Sh => (2, true),
        O::Sw | O::Swc1 => (4, true),
        O::Sd | O::Sdc1 => (8, true),
        O::Sc if core.link == Some(at) => (4, true),
        O::Scd if core.link == Some(at) => (8, true),
        // The upper part goes to the end of the aligned value, the lower one comes from its begin.
        O::Lwl => return Some((at, 4 - at % 4, false)),
        O::Swl => return Some((at, 4 - at % 4, true)),
        O::Ldl => return Some((at, 8 - at % 8, false)),
        O::Sdl => return Some((at, 8 - at % 8, true)),
        O::Lwr => return Some((at & !3, at % 4 + 1, false)),
        O::Swr => return Some((at & !3, at % 4 + 1, true)),
        O::Ldr => return Some((at & !7, at % 8 + 1, false)),
        O::Sdr => return Some((at & !7, at % 8 + 1, true)),
        _ => return None,
    };
    Some((at, bytes, is_store))
}

/// Whether an instruction word is a branch or jump; whether it does its delay slot only if it is taken.
fn branch(word: u32) -> Option<bool> {
    match word >> 26 {
        0 if matches!(word & 63, 8 | 9) => Some(false),
        1 if word >> 19 & 1 == 0 => Some(word >> 17 & 1 != 0),
        2..=7 => Some(false),
        20..=23 => Some(true),
        0x11 if word >> 21 & 31 == 8 => Some(word >> 17 & 1 != 0),
        _ => None,
    }
}

fn word(core: &Cpu, address: u64) -> u32 {
    let bytes = core.memory.read(address, 4).expect("code");
    u32::from_be_bytes(bytes.try_into().expect("four bytes"))
}

fn start(arguments: &[&str]) -> (Process, Kept) {
    let program = ElfProgram::read(&fixture("suite.elf")).expect("a program");
    let (mut process, output) = process(&program, arguments, None).expect("a process");
    process.begin_debugging();
    (process, output)
}

const LENGTH: u64 = 60_000;

/// Returns all accesses of the first instructions of a program, with the number of instructions before each.
fn accesses(arguments: &[&str]) -> Vec<(u64, Access)> {
    let (mut process, _) = start(arguments);
    let mut all = Vec::new();
    while process.core.n_instructions < LENGTH {
        let (pc, n) = (process.core.pc, process.core.n_instructions);
        let first = word(&process.core, pc);
        let found = match branch(first) {
            None => access(&process.core, first, None),
            Some(_) => {
                let links = match first >> 26 {
                    0 => first & 63 == 9,
                    1 => first >> 20 & 1 != 0,
                    operation => operation == 3,
                };
                let links = links.then_some(pc + 8);
                access(&process.core, word(&process.core, pc + 4), links)
            }
        };
        match process.step_debugged() {
            None => {}
            Some(ProcessStop::End(_)) => break,
            other => panic!("{other:?}"),
        }
        let is_skipped = branch(first) == Some(true) && process.core.pc == pc + 8;
        all.extend(found.filter(|_| !is_skipped).map(|found| (n, found)));
    }
    all
}

/// Returns the hits that a reading of all accesses expects: instructions before, first address.
fn expected(all: &[(u64, Access)], points: &[Watchpoint]) -> Vec<(u64, u64)> {
    let first = |access: &Access| {
        let (at, bytes, is_store) = *access;
        let wanted = points.iter().filter(|point| match point.accesses {
            WatchedAccess::Any => true,
            WatchedAccess::Load => !is_store,
            WatchedAccess::Store => is_store,
        });
        let mut watched = wanted.flat_map(|p| p.address..p.address + p.bytes).collect::<Vec<_>>();
        watched.sort_unstable();
        watched.into_iter().find(|byte| (at..at + bytes).contains(byte))
    };
    all.iter().filter_map(|(n, access)| Some((*n, first(access)?))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    /// Several watchpoints of all kinds and sizes, most of them where the program accesses memory.
    #[test]
    fn every_access_to_a_watched_byte_stops_the_program_before_it(
        chosen in prop::collection::vec((any::<prop::sample::Index>(), -4i64..4, 1u64..40, 0u8..3), 1..5),
    ) {
        let arguments = ["suite", "language"];
        let all = accesses(&arguments);
        let points: Vec<_> = chosen
            .iter()
            .map(|(index, before, bytes, kind)| Watchpoint {
                address: all[index.index(all.len())].1.0.wrapping_add_signed(*before),
                bytes: *bytes,
                accesses: [WatchedAccess::Store, WatchedAccess::Load, WatchedAccess::Any][usize::from(*kind)],
            })
            .collect();
        let (mut process, _) = start(&arguments);
        process.set_watchpoints(points.clone());
        let mut hits = Vec::new();
        loop {
            match process.run_debugged(LENGTH) {
                ProcessStop::Watchpoint(hit) => hits.push((process.core.n_instructions, hit.address)),
                ProcessStop::Limit | ProcessStop::End(_) => break,
                other => panic!("{other:?}"),
            }
        }
        // The run may end a few instructions behind its limit.
        hits.retain(|(n, _)| *n < LENGTH);
        prop_assert_eq!(hits, expected(&all, &points));
    }
}

#[test]
fn a_debugged_run_that_passes_its_signals_ends_as_any_other() {
    for name in ["language", "signals", "floats"] {
        let (end, output, whole) = common::run("suite.elf", &["suite", name], None);
        let (mut process, printed) = start(&["suite", name]);
        let stack = process.core.registers[29];
        let watched = Watchpoint { address: stack - 64, bytes: 64, accesses: WatchedAccess::Any };
        process.set_watchpoints(vec![watched]);
        let mut n_signals = 0;
        let debugged = loop {
            match process.run_debugged(u64::MAX) {
                ProcessStop::Signal(number) => {
                    n_signals += 1;
                    process.have_signal(number);
                }
                ProcessStop::Watchpoint(_) => {}
                ProcessStop::End(end) => break end,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!((debugged, printed.bytes()), (end, output), "{name}");
        assert_eq!(process.core.n_instructions, whole.core.n_instructions, "{name}");
        assert_eq!(n_signals > 0, name == "signals");
        assert!(matches!(end, ProcessEnd::Exit(_)));
    }
}
