//! Transactions of the channel beside times that were worked out by hand, and runs of them beside one by one.

use super::clock::Ratio;
use super::*;
use cp2_isa::Bytes;
use std::collections::VecDeque;

fn timing() -> MemoryTiming {
    let cost = DirectionTiming { latency_clocks: 20, row_opening_clocks: 7 };
    MemoryTiming {
        cpu_mhz: 200,
        memory_mhz: 200,
        bytes_per_clock: 16,
        transaction_bytes: 64,
        outstanding: 2,
        row_bytes: 1024,
        turnaround_clocks: 5,
        get: cost,
        put: cost,
    }
}

/// Returns the cycles of the last beats of transactions of 4 beats at these addresses.
fn ends(timing: MemoryTiming, accesses: &[(u32, Direction)]) -> Vec<u64> {
    let mut channel = MemoryPort::new(timing);
    let mut last = |&(address, direction): &(u32, Direction)| {
        let t =
            channel.begin(&Burst { address: address.into(), beats: 4, direction, since: Cycle(0) });
        let end = channel.due(&t, t.beats - 1);
        channel.complete(&t, end);
        end.0
    };
    accesses.iter().map(&mut last).collect()
}

#[test]
fn two_outstanding_transactions_share_the_latency() {
    let at = [0, 64, 128, 192].map(|a| (a, Direction::Get));
    // 20 + 7 to open + 4 beats; the second's data follow at once; the third waits for the first.
    assert_eq!(ends(timing(), &at), [31, 35, 55, 59]);
}

#[test]
fn a_wide_window_is_bound_by_the_bus() {
    let at = [0, 64, 128, 192].map(|a| (a, Direction::Put));
    assert_eq!(ends(MemoryTiming { outstanding: 8, ..timing() }, &at), [31, 35, 39, 43]);
}

#[test]
fn another_row_has_to_be_opened_and_another_direction_turns_the_bus() {
    let at = [(0, Direction::Get), (1024, Direction::Get)];
    assert_eq!(ends(timing(), &at), [31, 35], "hidden behind the first");
    let serial = MemoryTiming { outstanding: 1, ..timing() };
    assert_eq!(ends(serial, &at), [31, 62]);
    let at = [(0, Direction::Get), (64, Direction::Put)];
    assert_eq!(ends(timing(), &at), [31, 40]);
}

#[test]
fn cycles_follow_the_ratio_of_the_clocks() {
    let t = MemoryTiming { cpu_mhz: 1000, memory_mhz: 500, ..timing() };
    assert_eq!(ends(t, &[(0, Direction::Get)]), [62]);
    let channel = MemoryPort::new(t);
    for beats in 1..40 {
        let mut channel = MemoryPort::new(MemoryTiming { memory_mhz: 333, ..t });
        let since = Cycle(7 * u64::from(beats));
        let t = channel.begin(&Burst {
            address: MemoryAddress(0),
            beats,
            direction: Direction::Get,
            since,
        });
        let dues: Vec<_> = channel.dues(&t).collect();
        let first = channel.clocks.cycle_of(t.first_tick + channel.clocks.ticks_per_beat);
        assert_eq!(dues[0], first);
        assert_eq!(dues, (0..t.beats).map(|k| channel.due(&t, k)).collect::<Vec<_>>());
    }
    for cycle in Cycle(0).until(Cycle(100)) {
        assert_eq!(channel.clocks.cycle_of(channel.clocks.tick_of(cycle)), cycle);
    }
}

/// Returns the rest of a burst behind so many beats.
fn behind(burst: &Burst, beats: u32) -> Burst {
    let address = burst.address + Bytes::from(beats * BEAT_BYTES);
    Burst { address, beats: burst.beats - beats, ..*burst }
}

/// Bursts, beats of which wait in some cycles.
struct Left<F> {
    bursts: VecDeque<Burst>,
    is_free: F,
    until: Cycle,
}

impl<F: Fn(Cycle) -> bool> Rows for Left<F> {
    fn last(&mut self, dues: Dues, now: Cycle) -> Option<Cycle> {
        let mut cycle = now;
        for due in dues {
            cycle = cycle.max(due);
            while cycle < self.until && !(self.is_free)(cycle) {
                cycle += 1;
            }
            if cycle >= self.until {
                return None;
            }
            cycle += 1;
        }
        Some(cycle - 1)
    }

    fn next(&mut self) -> Option<(MemoryAddress, u32)> {
        self.bursts.pop_front();
        self.bursts.front().map(|burst| (burst.address, burst.beats))
    }

    fn end(&mut self, beats: u32) {
        if let Some(burst) = self.bursts.front_mut() {
            *burst = behind(burst, beats);
        }
    }
}

/// Goes through bursts transaction by transaction, which is what `run` has to agree with.
fn run_slowly(
    channel: &mut MemoryPort,
    rows: &mut impl Rows,
    (mut burst, mut t): (Burst, Transaction),
    mut now: Cycle,
) -> (u32, Cycle, Option<Transaction>) {
    let (mut done, mut of_burst) = (0, 0);
    loop {
        let Some(last) = rows.last(channel.dues(&t), now) else {
            rows.end(of_burst);
            return (done, now, Some(t));
        };
        channel.complete(&t, last);
        (done, of_burst, now) = (done + t.beats, of_burst + t.beats, last + 1);
        if of_burst == burst.beats {
            let Some((address, beats)) = rows.next() else { return (done, now, None) };
            (burst, of_burst) = (Burst { address, beats, ..burst }, 0);
        }
        t = channel.begin(&behind(&burst, of_burst));
    }
}

#[test]
fn a_run_is_its_transactions_one_by_one() {
    let clocks = [(200, 200, 16), (1000, 667, 32), (1000, 600, 16), (200, 133, 8)];
    for (k, (cpu_mhz, memory_mhz, bytes_per_clock)) in clocks.into_iter().enumerate() {
        let t = MemoryTiming { cpu_mhz, memory_mhz, bytes_per_clock, outstanding: 5, ..timing() };
        let mut quick = MemoryPort::new(t);
        assert!(quick.clocks.cycles_per_beat.0 > 0 || bytes_per_clock == 32);
        let mut slow = quick.clone();
        let mut now = Cycle(0);
        let mut n_late = 0;
        for n in 0..400_u64 {
            let direction = if n * n % 5 < 2 { Direction::Put } else { Direction::Get };
            let since = Cycle(now.0 / 2);
            let burst = |n: u64| {
                let (beats, address) = (1 + (n * 7 % 90) as u32, (n * n % 251 * 48) as u32);
                Burst { address: address.into(), beats, direction, since }
            };
            let bursts: VecDeque<_> = (n..=n + n % 4).map(burst).collect();
            let burst = bursts[0];
            let first = slow.begin(&burst);
            assert_eq!(quick.begin(&burst), first);
            let until = if n % 3 == 0 { now + n % 200 } else { Cycle::NEVER };
            let rest = 3 + k as u64 * 20 + n % 30;
            let is_free = |cycle: Cycle| !(cycle.0 / 3).is_multiple_of(rest);
            let mut left = [0, 1].map(|_| Left { bursts: bursts.clone(), is_free, until });
            let expected = run_slowly(&mut slow, &mut left[0], (burst, first), now);
            let run = quick.run(first, &burst, now, &mut left[1]);
            assert_eq!((run.beats, run.now, run.begun), expected, "clocks {k}, burst {n}");
            assert_eq!(left[0].bursts, left[1].bursts, "clocks {k}, burst {n}");
            now = run.now;
            if let Some(t) = run.begun {
                // The first beat that has not moved does so late.
                now = slow.due(&t, t.beats - 1).max(now) + 1;
                slow.complete(&t, now);
                quick.complete(&t, now);
                n_late += 1;
            }
            assert_eq!((&quick.window, quick.course), (&slow.window, slow.course));
        }
        assert!((20..200).contains(&n_late), "clocks {k}: {n_late} runs are cut");
    }
}

#[test]
fn ratios_are_rounded_up() {
    for (numerator, denominator) in [(1, 1), (16, 1), (1, 16), (1000, 5328), (3, 1 << 40)] {
        let ratio = Ratio::new(numerator, denominator);
        for n in [0, 1, 2, 15, 16, 17, 5327, 5328, 5329, (1 << 50) - 1, 1 << 50] {
            assert_eq!(ratio.times(n), (n * numerator).div_ceil(denominator));
        }
    }
}

#[test]
fn transactions_end_at_rows_and_at_their_longest() {
    let mut channel = MemoryPort::new(timing());
    let mut beats = |address, beats| {
        let burst = Burst { address, beats, direction: Direction::Get, since: Cycle(0) };
        channel.begin(&burst).beats
    };
    assert_eq!(
        [
            beats(MemoryAddress(0), 100),
            beats(MemoryAddress(1024 - 32), 100),
            beats(MemoryAddress(0), 3)
        ],
        [4, 2, 3]
    );
}

/// A port whose state is taken over at another time, some periods of the clocks later, serves the same transactions after as many
/// cycles, and leaves the same state.
#[test]
fn a_state_at_rest_serves_as_well_at_another_time() {
    let mut state = 7u64;
    let mut random = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for _ in 0..300 {
        let timing = MemoryTiming {
            cpu_mhz: [200, 1000, 1200][random(3) as usize],
            memory_mhz: [200, 333, 600, 667][random(4) as usize],
            outstanding: 1 + random(4) as u32,
            turnaround_clocks: random(60) as u32,
            ..timing()
        };
        let (mut here, mut there) = (MemoryPort::new(timing), MemoryPort::new(timing));
        let mut now = Cycle(random(500));
        for _ in 0..4 {
            let rest = here.rest(now);
            let later = (1 + random(9)) * here.period();
            there.rest_as(&rest, now + later, false);
            assert!(there.can_rest_as(&rest));
            assert_eq!(there.rest(now + later), rest);
            // The row of the first transaction has to be opened in both.
            let mut address = random(1 << 20) as u32 / 16 * 16 + (1 << 21);
            here.course.open_row = None;
            for _ in 0..random(6) {
                let (beats, since) = (1 + random(4) as u32, now + random(20));
                let direction = [Direction::Get, Direction::Put][random(2) as usize];
                let waits = random(3) * random(9);
                let mut ends = [(&mut here, 0), (&mut there, later)].map(|(port, by)| {
                    let (address, since) = (address.into(), since + by);
                    let t = port.begin(&Burst { address, beats, direction, since });
                    let last = port.due(&t, t.beats - 1) + waits;
                    port.complete(&t, last);
                    last.0 - by
                });
                ends.sort_unstable();
                assert_eq!(ends[0], ends[1], "{timing:?}");
                now = now.max(Cycle(ends[0]));
                address += random(2) as u32 * 1024;
            }
            now += random(40);
        }
    }
}
