//! Recordings of random kernels on random machines, with a channel and a host beside them, against runs
//! that are watched from the start: what is in any cycle, what happened in a window, what was last.

#[path = "recordings/damage.rs"]
mod damage;
#[path = "recordings/played.rs"]
mod played;
#[path = "coupled/random.rs"]
mod random;
#[path = "recordings/traced.rs"]
mod traced;

use cp2_emu::dma::Beat;
use cp2_emu::memory::{Direction, PIECE};
use cp2_emu::{Difference, Machine};
use cp2_fast::Translator;
use cp2_isa::{Bank, Cycle, Place, Section, Storage, WordAddress};
use cp2_recording::{CycleRecord, Recording};
use cp2_tests::Sequence;
use played::{Played, Watched, cells};
use std::io::Cursor;

/// A recording that is in memory, run by the fast engine.
fn opened(file: &[u8]) -> Recording {
    let source = Cursor::new(file.to_vec());
    Recording::open(source, Box::new(Translator::default())).unwrap_or_else(|e| panic!("{e}"))
}

fn assert_like(recording: &mut Recording, expected: &Machine, place: &str) {
    assert_eq!(recording.cycle(), expected.cycle(), "{place}");
    let difference = Difference::first(&expected.cp2.state, recording.state());
    assert_eq!(difference, None, "{place}");
    assert_eq!(recording.cp2().stats(), expected.cp2.stats(), "{place}");
    assert_eq!(recording.cp2().status(), expected.cp2.status(), "{place}");
    assert_eq!(recording.dma().stats(), expected.dma.stats(), "{place}");
    assert_eq!(recording.dma().next_event(), expected.dma.next_event(), "{place}");
    for (number, bytes) in expected.memory.pieces() {
        let mut found = vec![0; PIECE];
        recording.memory((number * PIECE) as u64, &mut found).expect("memory");
        assert!(found == bytes[..], "piece {number}, {place}");
    }
}

/// What of a beat does not depend on where one begins to look.
fn told(beat: &Beat) -> (Cycle, Direction, u32, Option<WordAddress>, u8, [u64; 2]) {
    (beat.cycle, beat.direction, beat.address, beat.local, beat.sections, beat.words)
}

fn compare_windows(recording: &mut Recording, watched: &Watched, s: &mut Sequence) {
    let (first, last) = (watched.begin.0, watched.end().0);
    for _ in 0..6 {
        let from = first + s.below(last - first);
        let to = (from + s.below(2000)).min(last);
        let window = recording.window(Cycle(from)..Cycle(to)).expect("a window");
        let is_in = |cycle: Cycle| (from..to).contains(&cycle.0);
        let expected: Vec<&CycleRecord> =
            watched.cycles.iter().filter(|record| is_in(record.number)).collect();
        assert_eq!(window.cycles.iter().collect::<Vec<_>>(), expected, "{from} to {to}");
        let expected = watched.beats.iter().filter(|beat| is_in(beat.cycle)).map(told);
        let found: Vec<_> = window.beats.iter().map(told).collect();
        assert_eq!(found, expected.collect::<Vec<_>>(), "{from} to {to}");
    }
}

fn compare_searches(recording: &mut Recording, watched: &Watched, s: &mut Sequence) {
    for k in 0..cells().len() {
        let (n, cell) = (k % cells().len(), cells()[k % cells().len()]);
        let from = watched.settled[s.below(watched.settled.len() as u64) as usize].cycle();
        recording.seek(from).expect("a cycle");
        let found = recording.last_write(cell).expect("a search");
        let expected = watched.last_write(n, from);
        let what = |e: &cp2_emu::trace::Event| (e.cycle, e.text.clone());
        let told = found.as_ref().map(|write| {
            (write.cycle, write.operation.as_ref().map(what), write.beat.is_some(), write.value)
        });
        assert_eq!(told, expected, "{cell} before {from}");
        assert_eq!(recording.cycle(), from);
        let expected = watched.cycles.iter().rev().find(|record| {
            record.number < from && record.bank == Some(Bank(0)) && record.cause.is_some()
        });
        let found =
            recording.last_time(|cycle| cycle.bank == Some(Bank(0)) && cycle.cause.is_some());
        assert_eq!(found.expect("a search"), expected.map(|record| record.number));
    }
}

fn compare_summary(recording: &mut Recording, watched: &Watched) {
    let all = recording.cycles();
    let pyramid = recording.summary().expect("a summary");
    let leaves = pyramid.leaves();
    let mut next = *all.start();
    for leaf in leaves {
        assert_eq!(leaf.begin, next);
        next = leaf.end;
        let cycles = watched.cycles.iter();
        let within = cycles.filter(|c| (leaf.begin..leaf.end).contains(&c.number));
        let (mut causes, mut banks) = ([0; 6], vec![0; leaf.counts.banks.len()]);
        for record in within {
            record.cause.iter().for_each(|&cause| causes[cause as usize] += 1);
            // What the host sends is not counted as a kernel's.
            let bank = record.bank.filter(|_| record.cause.is_some());
            bank.iter().for_each(|&bank| banks[bank.index()] += 1);
        }
        assert_eq!((leaf.counts.causes, &leaf.counts.banks), (causes, &banks), "{leaf:?}");
        assert_eq!(leaf.counts.dma.cycles(), leaf.cycles(), "{leaf:?}");
    }
    assert_eq!(next, *all.end());
    for most in [1, 2, 7, 1000] {
        let part = pyramid.within(&(*all.start()..*all.end()), most);
        assert!(part.len() <= most && part.last().map(|leaf| leaf.end) == Some(next));
    }
}

/// Compares a recording of a random run in every way.
fn compare(seed: u64) -> usize {
    let Played { file, watched } = played::play(seed);
    let mut s = Sequence(seed ^ 0xabcd);
    let mut recording = opened(&file);
    assert!(recording.is_whole());
    assert_eq!(recording.cycles(), watched.begin..=watched.end(), "seed {seed}");
    let checkpoints = recording.checkpoints().len();
    for _ in 0..12 {
        let expected = &watched.settled[s.below(watched.settled.len() as u64) as usize];
        recording.seek(expected.cycle()).expect("a cycle");
        assert_like(&mut recording, expected, &format!("seed {seed}, {}", expected.cycle()));
    }
    // One by one, back and forward.
    for pair in watched.settled.windows(2).rev().filter(|p| p[1].cycle() - p[0].cycle() < 40) {
        recording.seek(pair[1].cycle()).expect("a cycle");
        let steps = pair[1].cycle() - pair[0].cycle();
        for _ in 0..steps {
            recording.back(1).expect("a step back");
        }
        assert_like(&mut recording, &pair[0], &format!("seed {seed}, back to {}", pair[0].cycle()));
        recording.forward(steps).expect("steps");
        assert_like(&mut recording, &pair[1], &format!("seed {seed}, to {}", pair[1].cycle()));
    }
    compare_windows(&mut recording, &watched, &mut s);
    compare_searches(&mut recording, &watched, &mut s);
    compare_summary(&mut recording, &watched);
    recording.verify().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    checkpoints
}

#[test]
fn recordings_tell_what_a_run_that_is_watched_tells() {
    let seeds: Vec<u64> = cp2_tests::program_numbers(16).collect();
    let checkpoints = cp2_tests::on_all_cores(|first, step| {
        seeds.iter().skip(first).step_by(step).map(|&seed| compare(seed)).sum::<usize>()
    });
    let all: usize = checkpoints.into_iter().sum();
    assert!(all > 4 * seeds.len(), "{all} checkpoints");
}

/// Everything of a machine that its description for people shows, which is derived and shows all.
#[test]
fn a_machine_that_is_written_and_read_is_the_same_in_every_field() {
    for seed in 0..12 {
        let Played { watched, .. } = played::play(1000 + seed);
        let kept = &watched.settled[watched.settled.len() / 2];
        let bytes = postcard::to_stdvec(&kept.moment()).expect("bytes");
        let mut read = watched.settled[0].clone();
        read.cp2.state.lmem.copy_from_slice(&kept.cp2.state.lmem);
        read.cp2.state.iram.copy_from_slice(&kept.cp2.state.iram);
        read.memory = kept.memory.clone();
        read.resume(postcard::from_bytes(&bytes).expect("a moment")).expect("the same machine");
        // What is kept for people who ask is no part of it.
        let mut kept = kept.clone();
        kept.dma = cp2_emu::dma::Dma::clone(&kept.dma);
        assert!(
            played::without_logs(&format!("{read:?}"))
                == played::without_logs(&format!("{kept:?}"))
        );
    }
}

#[test]
fn a_moment_of_another_machine_is_refused() {
    let small = cp2_isa::CoreNumbers { fprs: 32, ..*cp2_isa::Core::CP2.numbers() };
    let core = cp2_isa::Core::new(small).expect("a core");
    let other = Machine::alone(cp2_emu::Cp2::new(core));
    let mut machine = Machine::alone(cp2_emu::Cp2::default());
    let before = format!("{machine:?}");
    assert!(machine.resume(other.moment()).is_err());
    assert!(before == format!("{machine:?}"));
}

/// Registers and words of all kinds that there are.
#[test]
fn every_kind_of_register_can_be_asked_for_its_last_write() {
    let Played { file, watched } = played::play(7);
    let mut recording = opened(&file);
    recording.seek(watched.end()).expect("the end");
    for storage in Storage::ALL {
        for section in Section::ALL {
            recording.last_write(Place { storage, number: 1, section }).expect("a search");
        }
    }
}
