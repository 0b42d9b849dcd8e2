//! The log of the channel: it changes nothing, its times add up to the counts, and its beats are what has
//! moved.

use crate::behind::{assert_alike, banks, bench};
use crate::kit::{Bench, beat};
use crate::random::SplitMix64;
use cp2_emu::dma::{Beat, ChannelCause, DmaStats, Visit, cause, ctrl};
use cp2_emu::dma::{Descriptor, DmaRegister, JumpKind, LocalWalk, MemoryWalk, Pattern};
use cp2_emu::memory::Direction;
use cp2_isa::{Cycle, MemoryAddress, WordAddress};

/// Does what a piece of 32-bit words says: the parts of a pair of words that its mask leaves.
fn replay_words(bench: &mut Bench, beat: &Beat) {
    let Some(local) = beat.local else { return };
    let parts: Vec<usize> = (0..4).filter(|part| beat.mask >> part & 1 == 0).collect();
    assert_eq!(usize::from(beat.bytes), 4 * parts.len());
    for part in &parts {
        let (word, shift) = (beat.words[part / 2], 32 * (1 - part % 2));
        let half = word >> shift & 0xffff_ffff;
        match beat.direction {
            Direction::Get => {
                for s in (0..4).filter(|s| beat.sections >> s & 1 == 1) {
                    let to = &mut bench.lmem[local.index() + part / 2][s];
                    *to = *to & !(0xffff_ffff << shift) | half << shift;
                }
            }
            Direction::Put => {
                let at = u64::from(beat.address) + 4 * (part - parts[0]) as u64;
                bench
                    .memory
                    .write(MemoryAddress(at), &(half as u32).to_be_bytes())
                    .expect("memory");
            }
        }
    }
}

/// Does to memory and local memory what the beats say.
fn replay(bench: &mut Bench, beats: &[Beat]) {
    for beat in beats {
        if beat.bytes < 16 && beat.mask != 0 {
            replay_words(bench, beat);
            continue;
        }
        let n = usize::from(beat.bytes / 8);
        match (beat.direction, beat.local) {
            (Direction::Get, None) => {}
            (Direction::Get, Some(local)) => {
                for (k, &word) in beat.words[..n].iter().enumerate() {
                    for s in (0..4).filter(|s| beat.sections >> s & 1 == 1) {
                        bench.lmem[local.index() + k][s] = word;
                    }
                }
            }
            (Direction::Put, _) => {
                for part in (0..4).filter(|part| beat.mask >> part & 1 == 0) {
                    let half = (beat.words[part / 2] >> (32 * (1 - part % 2))) as u32;
                    let at = u64::from(beat.address) + 4 * part as u64;
                    bench.memory.write(MemoryAddress(at), &half.to_be_bytes()).expect("memory");
                }
            }
        }
    }
}

/// Returns the counts without the cycles in which the channel had nothing to do.
fn busy(stats: &DmaStats) -> DmaStats {
    let mut stats = stats.clone();
    stats.causes[ChannelCause::Idle as usize] = 0;
    stats
}

fn sum(visits: &[Visit]) -> DmaStats {
    visits.iter().fold(DmaStats::default(), |mut all, visit| {
        for (all, one) in all.causes.iter_mut().zip(visit.stats.causes) {
            *all += one;
        }
        all.n_descriptors += visit.stats.n_descriptors;
        all.bytes_get += visit.stats.bytes_get;
        all.bytes_put += visit.stats.bytes_put;
        all
    })
}

/// Checks the visits and the beats of a log against the counts, and returns them.
fn checked(bench: &mut Bench, place: &str) -> (Vec<Visit>, Vec<Beat>) {
    let beats = bench.dma.take_beats();
    let mut visits = bench.dma.take_visits();
    visits.extend(bench.dma.visit().cloned());
    let stats = bench.dma.stats();
    assert_eq!(sum(&visits), busy(stats), "{place}");
    let moved = stats.causes[ChannelCause::Beat as usize];
    assert_eq!(beats.len() as u64, moved, "{place}");
    let conflicts: u64 = beats.iter().map(|beat| beat.conflicts).sum();
    // A beat that still waits, or was refused, is not in the log.
    assert!(conflicts <= stats.bank_conflicts(), "{place}");
    for (a, b) in visits.iter().zip(visits.iter().skip(1)) {
        assert_eq!(a.end, Some(b.begin), "{place}");
    }
    for visit in &visits {
        let end = visit.end.unwrap_or(bench.dma.now());
        assert_eq!(visit.stats.cycles(), end - visit.begin, "{place}: {visit:?}");
    }
    for (a, b) in beats.iter().zip(beats.iter().skip(1)) {
        assert!(a.cycle < b.cycle && a.visit <= b.visit, "{place}");
    }
    for beat in &beats {
        let visit = &visits[beat.visit as usize];
        let in_time = visit.begin <= beat.cycle && visit.end.is_none_or(|end| beat.cycle < end);
        assert!(in_time, "{place}: {beat:?} {visit:?}");
    }
    for (n, visit) in visits.iter().enumerate() {
        let of = beats.iter().filter(|beat| beat.visit == n as u64).count() as u64;
        assert_eq!(of, visit.stats.causes[ChannelCause::Beat as usize], "{place}");
    }
    (visits, beats)
}

/// Compares a random chain with a log and without one; returns beats and conflicts.
fn compare(number: u64) -> [u64; 2] {
    let mut s = SplitMix64(number);
    let (mut plain, mut logged) = (bench(&mut SplitMix64(number)), bench(&mut s));
    let mut before = bench(&mut SplitMix64(number));
    logged.dma.keep_log();
    let is_alone = s.one_in(2);
    let mut now = 0;
    while plain.dma.is_busy() && now < 40_000 {
        let until = now + 1 + s.below(2000);
        if is_alone {
            plain.advance_alone(until);
            logged.advance_alone(until);
        } else {
            let kernel = banks(&mut s, until - now);
            let bank = |cycle| kernel.get((cycle - now) as usize).copied().flatten();
            plain.advance(until, bank);
            logged.advance(until, bank);
        }
        now = until;
        assert_alike(&plain, &logged, &format!("number {number}, cycle {now}"));
    }
    assert!(plain.memory == logged.memory, "memory, number {number}");
    let (_, beats) = checked(&mut logged, &format!("number {number}"));
    replay(&mut before, &beats);
    assert!(before.lmem == logged.lmem, "local memory of the beats, number {number}");
    assert!(before.memory == logged.memory, "memory of the beats, number {number}");
    let conflicts: u64 = beats.iter().map(|beat| beat.conflicts).sum();
    if !plain.dma.is_busy() && plain.dma.fault().is_none() {
        assert_eq!(conflicts, plain.dma.stats().bank_conflicts(), "number {number}");
    }
    [beats.len() as u64, conflicts]
}

#[test]
fn a_log_changes_nothing_and_adds_up() {
    let counts: Vec<_> = (0..150).map(compare).collect();
    let sum = |k: usize| counts.iter().map(|c| c[k]).sum::<u64>();
    assert!(sum(0) > 20_000 && sum(1) > 1000, "{} {}", sum(0), sum(1));
}

/// With one cycle per beat, 10 clocks of latency, 5 to open a row (`kit`): start 2, the descriptor comes
/// 15 + 4 later, set-up 3.
#[test]
fn a_visit_has_its_cycles_its_words_and_its_waits() {
    let table = [beat(0x1000).synced().synced_after(), beat(0x2000).stopping()];
    let mut bench = Bench::new(&table).fill();
    bench.dma.keep_log();
    bench.start();
    bench.advance_alone(100);
    assert_eq!(bench.dma.visit().map(|v| v.waits), Some([Some(Cycle(24)), None]));
    bench.release();
    bench.advance_alone(200);
    bench.release();
    bench.advance_alone(400);
    let (visits, beats) = checked(&mut bench, "");
    assert_eq!(visits.len(), 2);
    assert_eq!(
        (visits[0].begin, visits[0].number, visits[0].address),
        (Cycle(0), 0, MemoryAddress(0x20_0000))
    );
    assert_eq!(visits[0].words, Some(table[0].encode().expect("a descriptor")));
    // Released in cycle 100; 15 + 1 later the beat comes, then it waits again until cycle 200.
    assert_eq!(beats[0].cycle, Cycle(116));
    assert_eq!(visits[0].waits, [Some(Cycle(24)), Some(Cycle(117))]);
    assert_eq!(visits[0].end, Some(Cycle(200)));
    assert_eq!(visits[1].waits, [None, None]);
    assert_eq!((beats[1].visit, beats[1].address, beats[1].bytes), (1, MemoryAddress(0x2000), 16));
    assert_eq!((beats[1].local, beats[1].sections), (Some(WordAddress(0)), 15));
    assert_eq!(visits[1].end, Some(beats[1].cycle + 1));
    assert!(bench.dma.visit().is_none());
}

/// Refused fetches have no words; a start in the middle leaves what is under way.
#[test]
fn what_was_left_or_refused_is_in_the_log() {
    let memory = MemoryWalk::rows(MemoryAddress(0), 60, 0, 1).expect("a row");
    let long = Descriptor::get(memory, LocalWalk::linear(WordAddress(0), 60), [Pattern::ALL; 4]);
    let mut bench = Bench::new(&[long, Descriptor::jump(JumpKind::Absolute, 0)]);
    bench.ireg[0] = 7 << 32;
    bench.dma.keep_log();
    bench.start();
    bench.advance_alone(50);
    bench.start();
    bench.advance_alone(500);
    let (visits, beats) = checked(&mut bench, "");
    let numbers: Vec<_> = visits.iter().map(|v| (v.number, v.words.is_some())).collect();
    // Descriptor 7 is zeros, which are words and no descriptor.
    assert_eq!(numbers, [(0, true), (0, true), (1, true), (7, true)]);
    assert_eq!((visits[0].end, visits[1].begin), (Some(Cycle(50)), Cycle(50)));
    assert!(beats.len() > 60, "{}", beats.len());
    assert!(bench.dma.fault().is_some());
    bench.write(DmaRegister::Baseaddr, 0xffff_0000);
    bench.write(DmaRegister::Ctrl, ctrl::START);
    bench.advance_alone(600);
    let visits = bench.dma.take_visits();
    assert_eq!(visits.len(), 1);
    assert_eq!((visits[0].words, visits[0].stats.n_descriptors), (None, 0));
    assert_eq!(bench.dma.register(DmaRegister::Intcause), cause::ADDRESS);
}

/// A log that begins in the middle of a transfer has the rest of it.
#[test]
fn a_log_can_begin_and_be_taken_at_any_time() {
    let memory = MemoryWalk::rows(MemoryAddress(0), 60, 0, 1).expect("a row");
    let get = Descriptor::get(memory, LocalWalk::linear(WordAddress(0), 60), [Pattern::ALL; 4]);
    let mut bench = Bench::new(&[get.clone(), get.stopping()]);
    bench.start();
    bench.advance_alone(60);
    assert!(bench.dma.take_beats().is_empty() && bench.dma.visit().is_none());
    bench.dma.keep_log();
    let mut visits = Vec::new();
    let mut beats = Vec::new();
    for cycle in 61..400 {
        bench.advance_alone(cycle);
        visits.extend(bench.dma.take_visits());
        beats.extend(bench.dma.take_beats());
    }
    assert_eq!((visits.len(), visits[0].begin, visits[0].words), (2, Cycle(60), None));
    assert_eq!(beats.iter().filter(|beat| beat.visit == 1).count(), 60);
    assert_eq!(beats.iter().filter(|beat| beat.visit == 0).count(), beats.len() - 60);
}
