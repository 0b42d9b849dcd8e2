//! The beats of a transfer: transaction after transaction, beat after beat, each in its cycle, and what
//! the kernel beside it does to them. What comes before and after is in `controller.rs`.

use super::beside::Beside;
use super::fault::DmaFaultKind;
use super::log::Log;
use super::moving::Moving;
use super::ports::Ports;
use super::request::Moved;
use super::walk::MemoryCursor;
use crate::memory::{BEAT_BYTES, Channel, Direction, Dues, Rows, SystemMemory};
use cp2_isa::{Bank, Core, Cycle};

/// How a stretch of beats ended.
pub(super) enum Ending {
    /// The next one is not due yet.
    Later,
    /// All have moved.
    Moved,
    /// One was refused.
    Refused(DmaFaultKind),
}

/// What a stretch of beats counts.
#[derive(Default)]
pub(super) struct Counts {
    /// Cycles in which one moved.
    pub(super) beats: u64,
    /// Cycles in which one yielded to the kernel.
    pub(super) conflicts: u64,
    /// Bytes from memory, and to memory.
    pub(super) bytes: [u64; 2],
}

impl Counts {
    /// So many bytes have moved.
    fn add_bytes(&mut self, direction: Direction, bytes: u64) {
        self.bytes[usize::from(direction == Direction::Put)] += bytes;
    }
}

/// A stretch of beats, with what it needs of the channel.
pub(super) struct Stream<'a> {
    pub(super) core: &'a Core,
    pub(super) channel: &'a mut Channel,
    /// Kept if somebody asked for it.
    pub(super) log: Option<&'a mut Log>,
    /// Memory addresses from this one on are refused.
    pub(super) limit: Option<u32>,
    /// Beats before this cycle move.
    pub(super) until: Cycle,
    /// Cycles before this one are over.
    pub(super) now: Cycle,
    pub(super) counts: Counts,
}

impl Stream<'_> {
    /// Moves the beats that are due.
    pub(super) fn go(
        &mut self,
        moving: &mut Moving,
        ports: &mut Ports<'_>,
        beside: &mut impl Beside,
    ) -> Ending {
        loop {
            if moving.next >= self.until {
                return Ending::Later;
            }
            // A run tells no beats apart.
            if moving.moved == 0
                && self.log.is_none()
                && let Some(end) = self.run(moving, ports, beside)
            {
                return end;
            }
            let cycle = moving.next;
            if let Err(kind) = self.beat(moving, cycle, ports, beside) {
                self.now = cycle;
                return Ending::Refused(kind);
            }
            self.now = cycle + 1;
            moving.next = moving.next.max(cycle + 1);
            if moving.moved == moving.transaction.beats {
                self.channel.complete(&moving.transaction, cycle);
                if let Some(since) = moving.transfer.turn(cycle + 1) {
                    moving.since = since;
                }
                if !moving.request(self.channel, cycle + 1) {
                    return Ending::Moved;
                }
            }
        }
    }

    /// Moves the beat that is due in `cycle`, unless it has to yield.
    #[inline]
    fn beat(
        &mut self,
        moving: &mut Moving,
        cycle: Cycle,
        ports: &mut Ports<'_>,
        beside: &mut impl Beside,
    ) -> Result<(), DmaFaultKind> {
        if conflicts(self.core, moving, cycle, beside) {
            self.counts.conflicts += 1;
            if let Some(log) = &mut self.log {
                log.conflict();
            }
            return Ok(());
        }
        let beat = self.log.is_some().then(|| moving.transfer.look(ports, cycle));
        let Moved { whole, bytes } = moving.transfer.step(ports, self.limit)?;
        if let (Some(log), Some(beat)) = (&mut self.log, beat) {
            log.beat(beat);
        }
        self.counts.beats += 1;
        self.counts.add_bytes(moving.direction, bytes.into());
        moving.moved += u32::from(whole);
        moving.next = self.channel.due(&moving.transaction, moving.moved);
        Ok(())
    }

    /// Moves whole transactions, from the one that begins now, as long as their beats are due: first
    /// the times of all rows, then their data. Tells how it ended, if no other beat may be looked at.
    fn run(
        &mut self,
        moving: &mut Moving,
        ports: &mut Ports<'_>,
        beside: &mut impl Beside,
    ) -> Option<Ending> {
        if !beside.is_known() {
            return None;
        }
        let bank = match moving.bank {
            Some(bank) => beside.uses(bank).then_some(bank),
            // A kernel may be in the way of some beats and not of others.
            None if Bank::first(self.core.banks()).any(|bank| beside.uses(bank)) => return None,
            None => None,
        };
        let (walk, end) = moving.transfer.run(ports, self.limit)?;
        let taken = bank.map_or(usize::MAX, |_| moving.transfer.taken_beats());
        let mut way = Way { walk, end, bank, taken, timed: 0, conflicts: 0 };
        let ending = self.times(moving, &mut way, ports, beside);
        self.move_timed(moving, &mut way, ports);
        self.counts.conflicts += way.conflicts;
        ending
    }

    /// Finds the times of transactions, from the one that begins now. Tells how it ended, if no other beat may be looked at.
    fn times(
        &mut self,
        moving: &mut Moving,
        way: &mut Way,
        ports: &mut Ports<'_>,
        beside: &mut impl Beside,
    ) -> Option<Ending> {
        way.rest()?;
        loop {
            let (first, direction) = (moving.transaction, moving.direction);
            let mut rows = RowsBeside { way, until: self.until, beside, memory: ports.memory };
            rows.prefetch();
            let run = self.channel.run(first, direction, moving.next, &mut rows);
            if run.beats > 0 {
                self.now = run.now;
            }
            if let Some(begun) = run.begun {
                (moving.transaction, moving.next) =
                    (begun, self.channel.due(&begun, 0).max(run.now));
                if moving.next >= self.until {
                    return Some(Ending::Later);
                }
                if way.is_taken() {
                    return None;
                }
                self.move_timed(moving, way, ports);
                way.taken = moving.transfer.taken_beats();
                if !way.is_taken() {
                    return None;
                }
            } else if way.walk.is_finished() {
                return Some(Ending::Moved);
            } else {
                let next = moving.asked(&way.walk);
                moving.begin(&next, self.channel, self.now);
                return (moving.next >= self.until).then_some(Ending::Later);
            }
        }
    }

    /// Moves the beats whose times are over.
    fn move_timed(&mut self, moving: &mut Moving, way: &mut Way, ports: &mut Ports<'_>) {
        let beats = std::mem::take(&mut way.timed);
        moving.transfer.move_beats(ports, beats);
        self.counts.beats += u64::from(beats);
        self.counts.add_bytes(moving.direction, u64::from(beats) * u64::from(BEAT_BYTES));
    }
}

/// The walk of beats that move as a run.
struct Way {
    walk: MemoryCursor,
    /// The end of the addresses up to which they may.
    end: u64,
    /// The bank in which a kernel may be in the way.
    bank: Option<Bank>,
    /// How many beats behind those that have moved surely reach local memory, if that matters.
    taken: usize,
    /// Beats whose times are over and whose data have not moved.
    timed: u32,
    /// How often beats have yielded to the kernel.
    conflicts: u64,
}

impl Way {
    /// The address of the next beats, and how many there are at rising ones; nothing if they may not move as a run.
    #[inline]
    fn rest(&self) -> Option<(u32, u32)> {
        let (address, beats) = (self.walk.address(), self.walk.burst_left());
        // A beat that is not at a multiple of its length may reach from one piece of memory to
        // the next.
        let is_whole = address.is_multiple_of(BEAT_BYTES)
            && u64::from(address) + u64::from(beats * BEAT_BYTES) <= self.end;
        (is_whole && !self.walk.is_finished()).then_some((address, beats))
    }

    /// Whether every beat of the row surely reaches local memory, if a kernel may be in the way there.
    #[inline]
    fn is_taken(&self) -> bool {
        self.timed as usize + self.walk.burst_left() as usize <= self.taken
    }
}

/// The rows of a way, and the kernel beside them.
struct RowsBeside<'a, B> {
    way: &'a mut Way,
    /// Beats before this cycle move.
    until: Cycle,
    /// The kernel.
    beside: &'a mut B,
    memory: &'a SystemMemory,
}

impl<B: Beside> RowsBeside<'_, B> {
    /// Lets the host's caches fetch the row that is next, so that it is there when its data move, behind the times of all.
    #[inline]
    fn prefetch(&self) {
        let (address, beats) = (self.way.walk.address(), self.way.walk.burst_left());
        self.memory.prefetch(address.into(), (beats * BEAT_BYTES) as usize);
    }

    /// The cycle of the last of so many beats that are due one behind the other, the first one in `cycle`, and move as
    /// soon as the kernel lets them; nothing if that is too far.
    #[inline]
    fn last_in_a_row(&mut self, cycle: Cycle, beats: u32) -> Option<Cycle> {
        let Some(bank) = self.way.bank else { return Some(cycle + u64::from(beats - 1)) };
        // One bit for each cycle that the kernel leaves; the lowest ones go to the beats.
        let mut free = !self.beside.busy(cycle, bank);
        for _ in 1..beats {
            free &= free.wrapping_sub(1);
        }
        (free != 0).then(|| cycle + u64::from(free.trailing_zeros()))
    }

    /// The cycle of the last of beats that are due in these cycles and move in `cycle` at the earliest, as soon as the
    /// kernel lets them, and how often they yield to it; nothing if they do not all move before the end.
    fn one_by_one(&mut self, dues: Dues, mut cycle: Cycle) -> Option<(Cycle, u64)> {
        // What is known of the kernel: the cycles of a window in which it is in the way.
        let mut begin = cycle;
        let mut busy = self.way.bank.map_or(0, |bank| self.beside.busy(cycle, bank));
        let mut conflicts = 0;
        for due in dues {
            cycle = cycle.max(due);
            if let Some(bank) = self.way.bank {
                loop {
                    if cycle - begin >= 64 {
                        (begin, busy) = (cycle, self.beside.busy(cycle, bank));
                    }
                    let yields = u64::from((busy >> (cycle - begin)).trailing_ones());
                    (cycle, conflicts) = (cycle + yields, conflicts + yields);
                    if cycle - begin < 64 || cycle >= self.until {
                        break;
                    }
                }
            }
            if cycle >= self.until {
                return None;
            }
            cycle += 1;
        }
        Some((cycle - 1, conflicts))
    }
}

impl<B: Beside> Rows for RowsBeside<'_, B> {
    #[inline]
    fn last(&mut self, dues: Dues, now: Cycle) -> Option<Cycle> {
        let (first, last) = (dues.first(), dues.last);
        let earliest = first.max(now);
        if let Some(beats) = dues.in_a_row()
            && let Some(moved) = self.last_in_a_row(earliest, beats)
        {
            // Whether they yield is as good as random, so there is no branch on it alone.
            let yields = (moved - earliest + 1) - u64::from(beats);
            let may_move = moved < self.until && ((yields == 0) | self.way.is_taken());
            self.way.conflicts += if may_move { yields } else { 0 };
            return may_move.then_some(moved);
        }
        let is_away = |bank| self.beside.is_away(first, last, bank);
        if dues.is_spaced()
            && first >= now
            && last < self.until
            && self.way.bank.is_none_or(is_away)
        {
            return Some(last);
        }
        if !self.way.is_taken() {
            return None;
        }
        let (last, yields) = self.one_by_one(dues, now)?;
        self.way.conflicts += yields;
        Some(last)
    }

    #[inline]
    fn pass(&mut self, beats: u32) -> Option<(u32, u32)> {
        let way = &mut self.way;
        let is_row_over = beats == way.walk.burst_left();
        way.timed += beats;
        way.walk.step_by(beats);
        let rest = way.rest();
        if is_row_over && rest.is_some() {
            self.prefetch();
        }
        rest
    }
}

/// Whether the next step has to yield to the kernel.
fn conflicts(core: &Core, moving: &Moving, cycle: Cycle, beside: &mut impl Beside) -> bool {
    let word = moving.transfer.local_word();
    word.is_some_and(|word| beside.accesses(cycle, core.bank_of(word)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;
    use crate::dma::Accesses;
    use crate::dma::descriptor::MemoryWalk;
    use crate::memory::{Burst, ChannelTiming};
    use cp2_isa::WordAddress;

    /// Compares the last beats of transactions with beats one by one. Returns how many are too far for one look.
    fn compare(timing: ChannelTiming, accesses: &Accesses) -> u32 {
        let walk = MemoryCursor::new(MemoryWalk::default(), false, &[0; 16]);
        let memory = SystemMemory::new(1 << 20);
        let mut n_far = 0;
        for (first, beats) in (0..590).flat_map(|first| [1, 2, 4, 16].map(|beats| (first, beats))) {
            let mut channel = Channel::new(timing);
            let since = Cycle(first);
            let burst = Burst { address: 0, beats, direction: Direction::Get, since };
            let t = channel.begin(&burst);
            let mut way = Way {
                walk: walk.clone(),
                end: 1 << 20,
                bank: Some(Bank(0)),
                taken: usize::MAX,
                timed: 0,
                conflicts: 0,
            };
            let (until, beside) = (Cycle(580), &mut &*accesses);
            let mut rows = RowsBeside { way: &mut way, until, beside, memory: &memory };
            let now = Cycle(first + first % 5 * 7);
            let expected = rows.one_by_one(channel.dues(&t), now);
            let last = rows.last(channel.dues(&t), now);
            let conflicts = rows.way.conflicts;
            assert_eq!(last.map(|last| (last, conflicts)), expected, "{beats} at {first}");
            let in_a_row = rows.last_in_a_row(now, beats);
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
        let ideal = ChannelTiming { transaction_bytes: 256, ..ChannelTiming::IDEAL };
        let n_far = compare(ideal, &accesses);
        assert!(n_far > 20, "{n_far} are too far for one look");
        for cpu_mhz in [500, 1000, 1700] {
            compare(ChannelTiming { cpu_mhz, memory_mhz: 600, ..ideal }, &accesses);
        }
    }
}
