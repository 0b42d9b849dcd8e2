//! What is told of random kernels on random machines, with a channel and a host beside them, held against
//! their recordings: values and what they were made of, computed anew; cycles and what kept them; accounts and
//! their sums.

#[path = "recordings/path.rs"]
mod path;
#[path = "recordings/played.rs"]
#[allow(dead_code, reason = "the tests of recordings need more of it")]
mod played;
#[path = "coupled/random.rs"]
mod random;

use cp2_analysis::history::{History, Reader, ValueSource};
use cp2_analysis::location::Location;
use cp2_analysis::program::{NamedProgram, of_memory};
use cp2_analysis::slice::{self, NodeSource, SliceLimits};
use cp2_analysis::stall::{self, ConstraintKind};
use cp2_fast::Translator;
use cp2_isa::{Cycle, Halves, Resource, Section, WordAddress};
use cp2_recording::{Recording, RecordingError};
use cp2_tests::SplitMix64;
use played::Played;
use std::io::Cursor;

fn opened(file: Vec<u8>) -> Recording {
    let engine = Box::new(Translator::default());
    Recording::open(Cursor::new(file), engine).unwrap_or_else(|e| panic!("{e}"))
}

/// Returns a recording of a random run and the cycles in which somebody could look at it.
fn played(seed: u64) -> (Recording, Vec<Cycle>, SplitMix64) {
    let Played { file, watched } = played::play(seed);
    let cycles = watched.cycles.iter().map(|record| record.number).collect();
    (opened(file), cycles, SplitMix64(seed ^ 0x5eed))
}

fn a_location(recording: &Recording, s: &mut SplitMix64) -> Location {
    let core = recording.core();
    let section = Section::ALL[s.below(4) as usize];
    let fpr = s.below(core.fprs() as u64) as u8;
    let halves = [Halves::LO, Halves::HI, Halves::BOTH, Halves::BOTH][s.below(4) as usize];
    match s.below(8) {
        0..4 => Location::Register(Resource::Fpr(fpr, halves), section),
        4..6 => Location::Word(WordAddress(s.below(200) as u16), section),
        6 => Location::Register(Resource::Gpr(s.below(16) as u8), Section::FIRST),
        _ => Location::Register(Resource::A(s.below(16) as u8), Section::FIRST),
    }
}

/// Returns the value that an operation reads which issues in a cycle; `None` in a drain, which is one step.
fn value_in(recording: &mut Recording, location: Location, cycle: Cycle) -> Option<u64> {
    let lands = matches!(location, Location::Register(Resource::Fpr(..), _));
    let behind = cycle + u64::from(lands);
    (recording.seek(behind).expect("a cycle") == behind).then(|| {
        let place = location.cell().expect("a place of the state");
        location.value_of(recording.state().get(place).expect("a place of the core"))
    })
}

/// Explains values of a run; returns how many of their parts were computed anew.
fn explain_values(seed: u64) -> usize {
    let (mut recording, cycles, mut s) = played(seed);
    let core = *recording.core();
    let mut history = History::default();
    let mut computed = 0;
    for _ in 0..60 {
        let cycle = cycles[s.below(cycles.len() as u64) as usize];
        let location = a_location(&recording, &mut s);
        let Some(value) = value_in(&mut recording, location, cycle) else { continue };
        let limits = SliceLimits { depth: 9, nodes: 80, addresses: s.one_in(3) };
        let slice = slice::slice(&mut recording, &mut history, location, cycle, limits);
        let slice = slice.unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let place = format!("seed {seed}: {location} in cycle {cycle}");
        assert_eq!(slice.nodes[0].value, value, "{place}: {:#?}", slice.nodes[0]);
        assert!(slice.nodes.len() <= limits.nodes);
        for node in &slice.nodes {
            assert!(node.depth <= limits.depth, "{place}");
            // An operand's value is that of its node.
            for operand in &node.operands {
                let Some(number) = operand.node else { continue };
                assert_eq!(operand.value, slice.nodes[number].value, "{place}");
            }
            if let Some(value) = slice::evaluate(&core, node) {
                computed += 1;
                assert_eq!(value, node.value, "{place}: {node:#?}");
            } else if let NodeSource::By(ValueSource::Operation(issued)) = &node.given {
                // Nothing is left out but what is not computed from registers and words.
                let text = issued.text();
                let has_none =
                    ["check_dma", "mfc", "mtc", "move", "mffpr", "lhg", "shg", "lh32", "sh32"];
                assert!(has_none.iter().any(|name| text.contains(name)), "{place}: {text}");
            }
        }
    }
    computed
}

#[test]
fn a_value_is_computed_anew_from_what_it_was_made_of() {
    let seeds: Vec<u64> = cp2_tests::program_numbers(24).collect();
    let all: usize = cp2_tests::on_all_cores(|first, step| {
        seeds.iter().skip(first).step_by(step).map(|&seed| explain_values(seed)).sum::<usize>()
    })
    .into_iter()
    .sum();
    assert!(all > 20 * seeds.len(), "{all} values");
}

/// Explains cycles of a run; returns how many operands were told of.
fn explain_cycles(seed: u64) -> usize {
    let (mut recording, cycles, mut s) = played(seed);
    let last = *recording.cycles().end();
    recording.seek(last).expect("a cycle");
    let image = of_memory(&recording.state().iram);
    let program = NamedProgram::new(&image, recording.core());
    let mut history = History::default();
    let mut told = 0;
    for _ in 0..40 {
        let cycle = cycles[s.below(cycles.len() as u64) as usize];
        let why = stall::why(&mut recording, &mut history, &program, cycle, 6);
        let why = why.unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let place = format!("seed {seed}, cycle {cycle}");
        for story in &why.slots {
            let issued = story.issued.as_ref().or(story.next.as_ref().map(|next| &next.issued));
            let Some(issued) = issued else { continue };
            for constraint in &story.constraints {
                told += 1;
                // Nothing is read before it is there.
                if let ConstraintKind::Operand(..)
                | ConstraintKind::Beat(..)
                | ConstraintKind::Reader(..) = constraint.kind
                {
                    assert!(constraint.ready <= issued.cycle, "{place}: {constraint:?} {issued:?}");
                }
            }
        }
        for pair in why.chain.windows(2) {
            assert!(pair[1].issued.cycle <= pair[0].issued.cycle, "{place}");
        }
        let held = why.hold.as_ref().map(|hold| hold.cycles);
        assert!(held.is_none_or(|(a, b)| a <= cycle && cycle < b), "{place}: {held:?}");
        assert!(!why.text(&program).is_empty() && why.to_json(&program).is_object());
    }
    told
}

#[test]
fn no_cycle_is_told_to_wait_for_what_was_there() {
    let seeds: Vec<u64> = cp2_tests::program_numbers(12).collect();
    let all: usize = cp2_tests::on_all_cores(|first, step| {
        seeds.iter().skip(first).step_by(step).map(|&seed| explain_cycles(seed)).sum::<usize>()
    })
    .into_iter()
    .sum();
    assert!(all > 20 * seeds.len(), "{all} operands");
}

/// The cost of every bundle, over all kernels, is all the cycles that kernels took; so it is of parts.
#[test]
fn profiles_of_recordings_add_up() {
    for seed in cp2_tests::program_numbers(8) {
        let (mut recording, cycles, mut s) = played(seed);
        let all = *recording.cycles().start()..*recording.cycles().end();
        let whole = recording.profile(all.clone()).expect("a profile");
        let counts = recording.summary().expect("a summary").total();
        assert_eq!(whole.total().causes, counts.causes, "seed {seed}");
        assert_eq!(whole.total().flops, counts.total_flops(), "seed {seed}");
        let middle = cycles[s.below(cycles.len() as u64) as usize];
        let parts = [all.start..middle, middle..all.end]
            .map(|part| recording.profile(part).expect("a profile").bundles().to_vec());
        for (at, cost) in whole.bundles().iter().enumerate() {
            let mut sum = parts[0][at];
            sum.add(&parts[1][at], 1);
            assert_eq!(sum, *cost, "seed {seed}: bundle {at}, cut before cycle {middle}");
        }
    }
}

#[test]
fn cycles_that_a_recording_does_not_have_are_refused() {
    let mut begun_late = 0;
    for seed in cp2_tests::program_numbers(24) {
        let (mut recording, ..) = played(seed);
        let (begin, end) = recording.cycles().into_inner();
        let image = of_memory(&recording.state().iram);
        let program = NamedProgram::new(&image, recording.core());
        let mut history = History::default();
        let location = Location::Register(Resource::Gpr(1), Section::FIRST);
        let mut refused = vec![end + 1, end + 100_000, Cycle(u64::MAX)];
        if begin > Cycle::RESET {
            begun_late += 1;
            let before = Cycle(begin.0 - 1);
            refused.extend([before, Cycle::RESET]);
            for cycle in [before, Cycle::RESET] {
                let found = history.find(&mut recording, location, Reader::at(cycle));
                assert!(matches!(found, Err(RecordingError::NoSuchCycle(at, _)) if at == cycle));
                let limits = SliceLimits::default();
                let slice = slice::slice(&mut recording, &mut history, location, cycle, limits);
                assert!(matches!(slice, Err(RecordingError::NoSuchCycle(at, _)) if at == cycle));
                assert_eq!(history.cycle(&mut recording, cycle).expect("an answer"), None);
            }
        }
        for cycle in refused {
            let why = stall::why(&mut recording, &mut history, &program, cycle, 6);
            assert!(matches!(why, Err(RecordingError::NoSuchCycle(at, _)) if at == cycle));
        }
        let behind = history.find(&mut recording, location, Reader::at(end + 100_000));
        let last = history.find(&mut recording, location, Reader::at(end));
        assert_eq!(behind.expect("a value"), last.expect("a value"), "all is seen at the end");
    }
    assert!(begun_late > 0);
}
