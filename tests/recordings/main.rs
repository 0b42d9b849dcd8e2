//! Recordings of random kernels on random machines, with a channel and a host beside them, against runs
//! that are watched from the start: what is in any cycle, what happened in a window, what was last.

mod damage;
mod forged;
mod parallel;
mod played;
#[path = "../coupled/random.rs"]
mod random;
mod reloaded;
mod traced;

use cp2_emu::dma::Beat;
use cp2_emu::memory::{Direction, PIECE};
use cp2_emu::stats::Cause;
use cp2_emu::trace::PastCycle;
use cp2_emu::{Difference, Machine};
use cp2_fast::Translator;
use cp2_isa::{Bank, Cycle, MemoryAddress, Section, Storage, StorageCell, WordAddress};
use cp2_recording::{
    Condition, CountedCondition, CycleRecord, Leaf, Progress, Recording, RecordingError, Write,
};
use cp2_tests::SplitMix64;
use played::{Played, Told, Watched, cells};
use std::io::Cursor;
use std::ops::ControlFlow;

/// Opens a recording that is in memory, run by the fast engine.
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
        recording.memory(MemoryAddress((number * PIECE) as u64), &mut found).expect("memory");
        assert!(found == bytes[..], "piece {number}, {place}");
    }
}

/// Returns what of a beat does not depend on where one begins to look.
fn told(beat: &Beat) -> (Cycle, Direction, MemoryAddress, Option<WordAddress>, u8, [u64; 2]) {
    (beat.cycle, beat.direction, beat.address, beat.local, beat.sections, beat.words)
}

fn compare_windows(recording: &mut Recording, watched: &Watched, s: &mut SplitMix64) {
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

/// Returns a write as a run that is watched tells it.
fn told_write(write: &Write) -> Told {
    let what = |e: &cp2_emu::trace::Event<Cycle>| (e.cycle, e.text.clone());
    (write.cycle, write.operation.as_ref().map(what), write.beat.is_some(), write.value)
}

fn compare_writes(recording: &mut Recording, watched: &Watched, n: usize) {
    let (cell, from, all) = (cells()[n], recording.cycle(), watched.writes(n));
    let is_before = |write: &&Told| write.0 < from;
    let last = recording.last_write(cell).expect("a search");
    let expected = all.iter().rev().find(is_before);
    assert_eq!(last.as_ref().map(told_write).as_ref(), expected, "{cell} before {from}");
    let next = recording.next_write(cell).expect("a search");
    let expected = all.iter().find(|write| !is_before(write));
    assert_eq!(next.as_ref().map(told_write).as_ref(), expected, "{cell} from {from} on");
    assert_eq!(recording.cycle(), from);
}

/// Compares the last and the next time of a condition, as such and as something that nobody can tell from
/// counts.
fn compare_times(
    recording: &mut Recording,
    mut cycles: impl DoubleEndedIterator<Item = (Cycle, bool)> + Clone,
    when: CountedCondition,
) {
    let from = recording.cycle();
    let is_before = |&(cycle, holds): &(Cycle, bool)| holds && cycle < from;
    let last = cycles.clone().rev().find(is_before).map(|(cycle, _)| cycle);
    let next = cycles.find(|&(cycle, holds)| holds && cycle >= from).map(|(cycle, _)| cycle);
    let plain = move |cycle: &PastCycle<'_>| {
        let mut when = when;
        when.holds(cycle)
    };
    assert_eq!(recording.last_time(when).expect("a search"), last, "{when:?} before {from}");
    assert_eq!(recording.last_time(plain).expect("a search"), last, "{when:?} before {from}");
    assert_eq!(recording.next_time(when).expect("a search"), next, "{when:?} from {from} on");
    assert_eq!(recording.next_time(plain).expect("a search"), next, "{when:?} from {from} on");
    assert_eq!(recording.cycle(), from);
}

fn compare_searches(recording: &mut Recording, watched: &Watched, s: &mut SplitMix64) {
    for n in 0..cells().len() {
        let from = watched.settled[s.below(watched.settled.len() as u64) as usize].cycle();
        recording.seek(from).expect("a cycle");
        compare_writes(recording, watched, n);
        if !recording.state().has(cells()[n]) {
            continue;
        }
        let (_, value) =
            watched.values(n).nth(s.below(watched.cycles.len() as u64) as usize).expect("a cycle");
        let values: Vec<_> = watched.values(n).map(|(cycle, v)| (cycle, v == value)).collect();
        compare_times(recording, values.into_iter(), CountedCondition::Value(cells()[n], value));
    }
    let about = [
        CountedCondition::Bank(Bank(0)),
        CountedCondition::Cause(None),
        CountedCondition::Cause(Some(Cause::Both)),
        CountedCondition::Cause(Some(Cause::SyncHold)),
        CountedCondition::Cause(Some(Cause::Nullified)),
    ];
    for when in about {
        let cycles = watched.cycles.iter().map(|record| {
            let holds = match when {
                CountedCondition::Bank(bank) => record.banks.contains(bank),
                CountedCondition::Cause(cause) => record.cause == cause,
                CountedCondition::Value(..) => false,
            };
            (record.number, holds)
        });
        compare_times(recording, cycles.collect::<Vec<_>>().into_iter(), when);
    }
}

/// Returns what some cycles were for, as a run that is watched tells it: causes, and accesses of kernels by bank.
fn expected_counts(
    watched: &Watched,
    begin: Cycle,
    end: Cycle,
    banks: usize,
) -> ([u64; 6], Vec<u64>) {
    let within = watched.cycles.iter().filter(|c| (begin..end).contains(&c.number));
    let (mut causes, mut accesses) = ([0; 6], vec![0; banks]);
    for record in within {
        record.cause.iter().for_each(|&cause| causes[cause as usize] += 1);
        // What the host sends is not counted as a kernel's.
        if record.cause.is_some() {
            record.banks.iter().for_each(|bank| accesses[bank.index()] += 1);
        }
    }
    (causes, accesses)
}

fn assert_counts(watched: &Watched, leaf: &Leaf) {
    let expected = expected_counts(watched, leaf.begin, leaf.end, leaf.counts.banks.len());
    assert_eq!((leaf.counts.causes, leaf.counts.banks.clone()), expected, "{leaf:?}");
    assert_eq!(leaf.counts.dma.cycles(), leaf.cycles(), "{leaf:?}");
}

/// Compares the counts of any range at any resolution: without gaps, not too coarse, and with the counts of its cycles.
fn compare_counts(recording: &mut Recording, watched: &Watched, s: &mut SplitMix64) {
    let (first, last, here) = (watched.begin.0, watched.end().0, recording.cycle());
    for k in 0..10 {
        let from = watched.settled[s.below(watched.settled.len() as u64) as usize].cycle();
        let to =
            if k == 0 { Cycle(last) } else { (from + 1 + s.below(last - first)).min(Cycle(last)) };
        let n = 1 + s.below(if k < 5 { 6 } else { 400 }) as usize;
        let stretches = recording.counts(from..to, n).expect("counts");
        let mut next = stretches.first().map_or(from, |leaf| leaf.begin);
        assert!(next <= from, "{from} to {to} in {n}");
        for leaf in &stretches {
            assert_eq!(leaf.begin, next, "{from} to {to} in {n}");
            assert_counts(watched, leaf);
            next = leaf.end;
        }
        assert!(next >= to, "{next} of {from} to {to} in {n}");
        assert!(stretches.len() <= n.max(1) + 1, "{} of {n}", stretches.len());
        let exact =
            Leaf { begin: from, end: to, counts: recording.total(from..to).expect("a sum") };
        assert_counts(watched, &exact);
        assert_eq!(recording.cycle(), here);
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
        assert_counts(watched, leaf);
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
    let mut s = SplitMix64(seed ^ 0xabcd);
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
        // The drain behind a run is one step.
        while recording.cycle() > pair[0].cycle() {
            let before = recording.cycle();
            assert!(recording.back(1).expect("a step back") < before, "seed {seed}, {before}");
        }
        assert_like(&mut recording, &pair[0], &format!("seed {seed}, back to {}", pair[0].cycle()));
        while recording.cycle() < pair[1].cycle() {
            let before = recording.cycle();
            assert!(recording.forward(1).expect("a step") > before, "seed {seed}, {before}");
        }
        assert_like(&mut recording, &pair[1], &format!("seed {seed}, to {}", pair[1].cycle()));
    }
    compare_windows(&mut recording, &watched, &mut s);
    compare_searches(&mut recording, &watched, &mut s);
    compare_summary(&mut recording, &watched);
    compare_counts(&mut recording, &watched, &mut s);
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

/// A machine that is written and read is compared by its description for people, which is derived and shows every field.
#[test]
fn a_machine_that_is_written_and_read_is_the_same_in_every_field() {
    for seed in 0..12 {
        let Played { watched, .. } = played::play(1000 + seed);
        let kept = &watched.settled[watched.settled.len() / 2];
        let bytes = postcard::to_stdvec(&kept.snapshot()).expect("bytes");
        let mut read = watched.settled[0].clone();
        read.cp2.state.lmem.copy_from_slice(&kept.cp2.state.lmem);
        read.cp2.state.iram.copy_from_slice(&kept.cp2.state.iram);
        read.memory = kept.memory.clone();
        read.restore(postcard::from_bytes(&bytes).expect("a snapshot")).expect("the same machine");
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
fn a_snapshot_of_another_machine_is_refused() {
    let small = cp2_isa::CoreNumbers { fprs: 32, ..*cp2_isa::Core::CP2.numbers() };
    let core = cp2_isa::Core::new(small).expect("a core");
    let other = Machine::alone(cp2_emu::Cp2::new(core));
    let mut machine = Machine::alone(cp2_emu::Cp2::default());
    let before = format!("{machine:?}");
    assert!(machine.restore(other.snapshot()).is_err());
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
            recording.last_write(StorageCell { storage, number: 1, section }).expect("a search");
        }
    }
}

#[test]
fn what_takes_long_can_be_ended_and_leaves_the_recording_where_it_was() {
    let Played { file, watched } = played::play(7);
    let mut recording = opened(&file);
    let here = recording.seek(watched.end()).expect("the end");
    // A worker thread may have it.
    let mut recording = std::thread::spawn(move || {
        let (mut calls, mut seen) = (0, Vec::new());
        let (to, from) = std::sync::mpsc::channel();
        recording.on_progress(move |progress: Progress| {
            calls += 1;
            let _ = to.send(progress);
            if calls == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let never = |_: &PastCycle<'_>| false;
        let ended = recording.last_time(never).expect_err("an end");
        assert!(matches!(ended, RecordingError::Cancelled), "{ended}");
        seen.extend(from.try_iter());
        assert_eq!(seen.len(), 3);
        assert!(
            seen.iter().all(|p| p.done <= p.all && p.all == here - *recording.cycles().start())
        );
        recording
    })
    .join()
    .expect("a thread");
    assert_eq!(recording.cycle(), here);
    assert_like(&mut recording, watched.settled.last().expect("a machine"), "the end");
    assert_eq!(recording.last_time(|_: &PastCycle<'_>| false).expect("a search"), None);
}
