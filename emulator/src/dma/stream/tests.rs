//! Streams of beats beside kernels.

#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
use super::*;
use crate::dma::Accesses;
use crate::dma::descriptor::MemoryWalk;
use crate::memory::{Burst, MemoryTiming};
use cp2_isa::WordAddress;

/// Returns the cycle of the last of beats that are due in these cycles and move before `until`, and how often they yield:
/// beat by beat, cycle by cycle.
fn slowly(dues: Dues, mut now: Cycle, until: Cycle, accesses: &Accesses) -> Option<(Cycle, u64)> {
    let mut yields = 0;
    for due in dues {
        now = now.max(due);
        while now < until && accesses.accesses(now, Bank(0)) {
            (now, yields) = (now + 1, yields + 1);
        }
        if now >= until {
            return None;
        }
        now += 1;
    }
    Some((now - 1, yields))
}

/// Compares the last beats of transactions with beats one by one. Returns how many are too far for one look.
fn compare(timing: MemoryTiming, accesses: &Accesses) -> u32 {
    let walk = MemoryCursor::new(MemoryWalk::default(), false, &[0; 16]);
    let memory = SystemMemory::new(Bytes(1 << 20));
    let mut n_far = 0;
    for (first, beats) in (0..590).flat_map(|first| [1, 2, 4, 16].map(|beats| (first, beats))) {
        let mut channel = MemoryPort::new(timing);
        let since = Cycle(first);
        let burst = Burst { address: MemoryAddress(0), beats, direction: Direction::Get, since };
        let t = channel.begin(&burst);
        let mut way = Way {
            walk: walk.clone(),
            end: MemoryAddress(1 << 20),
            bank: Some(Bank(0)),
            taken: usize::MAX,
            timed: 0,
            conflicts: 0,
        };
        let (until, mut beside) = (Cycle(580), accesses);
        let kernel = Kernel::new(Bank(0), &mut beside);
        let mut rows = RowsOf::new(&mut way, until, kernel, &memory);
        let now = Cycle(first + first % 5 * 7);
        let expected = slowly(channel.dues(&t), now, until, accesses);
        let last = rows.last(channel.dues(&t), now);
        let conflicts = rows.yields;
        assert_eq!(last.map(|last| (last, conflicts)), expected, "{beats} at {first}");
        let mut kernel = Kernel::new(Bank(0), &mut beside);
        let in_a_row = kernel.last_in_a_row((now, now), beats);
        n_far += u32::from(in_a_row.is_none() && expected.is_some());
    }
    n_far
}

#[test]
fn beats_in_a_row_are_beats_one_by_one() {
    let mut accesses = Accesses::default();
    accesses.start(Cycle(0), Cycle(600));
    // The kernel is in the way in every second cycle, then in all of 70, then now and then.
    let busy = (0..200).step_by(2).chain(200..270).chain((270..600).filter(|k| k * k % 7 < 3));
    busy.for_each(|cycle| accesses.note(Cycle(cycle), WordAddress(0)));
    let ideal = MemoryTiming { transaction_bytes: 256, ..MemoryTiming::IDEAL };
    let n_far = compare(ideal, &accesses);
    assert!(n_far > 20, "{n_far} are too far for one look");
    for cpu_mhz in [500, 1000, 1700] {
        compare(MemoryTiming { cpu_mhz, memory_mhz: 600, ..ideal }, &accesses);
    }
}
