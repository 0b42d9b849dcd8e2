//! The beats of a transfer: transaction after transaction, beat after beat, each in its cycle, and what
//! the kernel beside it does to them. What comes before and after is in `controller.rs`.

use super::beside::KernelAccesses;
use super::fault::DmaFaultKind;
use super::log::Log;
use super::moving::Moving;
use super::ports::Ports;
use super::request::MovedData;
use super::walk::MemoryCursor;
use crate::memory::{BEAT_BYTES, Direction, Dues, MemoryPort, RowProgress, Rows, SystemMemory};
use cp2_isa::{Bank, Bytes, Core, Cycle, MemoryAddress};

/// Reason why a stretch of beats ended.
pub(super) enum Ending {
    /// The next beat is not due yet.
    Later,
    /// All beats of the transfer have moved.
    Moved,
    /// A beat was refused.
    Refused(DmaFaultKind),
}

/// Counts of a stretch of beats.
#[derive(Default)]
pub(super) struct Counts {
    /// Number of cycles in which a beat moved.
    pub(super) beats: u64,
    /// Number of cycles in which a beat yielded to the kernel.
    pub(super) conflicts: u64,
    /// Numbers of bytes from memory, and to memory.
    pub(super) bytes: [u64; 2],
}

impl Counts {
    /// Counts bytes that have moved.
    fn add_bytes(&mut self, direction: Direction, bytes: u64) {
        self.bytes[usize::from(direction == Direction::Put)] += bytes;
    }
}

/// Stretch of beats, with what it needs of the channel.
pub(super) struct Stream<'a> {
    pub(super) core: &'a Core,
    pub(super) port: &'a mut MemoryPort,
    /// Log of the beats, if it is kept.
    pub(super) log: Option<&'a mut Log>,
    /// Memory address from which on accesses are refused.
    pub(super) limit: Option<u32>,
    /// Cycle before which beats move.
    pub(super) until: Cycle,
    /// Current cycle: those before it are over.
    pub(super) now: Cycle,
    pub(super) counts: Counts,
}

impl Stream<'_> {
    /// Moves the beats that are due.
    pub(super) fn run_due(
        &mut self,
        moving: &mut Moving,
        ports: &mut Ports<'_>,
        beside: &mut impl KernelAccesses,
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
                self.port.complete(&moving.transaction, cycle);
                if let Some(since) = moving.transfer.turn(cycle + 1) {
                    moving.since = since;
                }
                if !moving.request(self.port, cycle + 1) {
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
        beside: &mut impl KernelAccesses,
    ) -> Result<(), DmaFaultKind> {
        if conflicts(self.core, moving, cycle, beside) {
            self.counts.conflicts += 1;
            if let Some(log) = &mut self.log {
                log.conflict();
            }
            return Ok(());
        }
        let beat = self.log.is_some().then(|| moving.transfer.peek(ports, cycle));
        let MovedData { whole, bytes } = moving.transfer.step(ports, self.limit)?;
        if let (Some(log), Some(beat)) = (&mut self.log, beat) {
            log.beat(beat);
        }
        self.counts.beats += 1;
        self.counts.add_bytes(moving.direction, bytes.into());
        moving.moved += u32::from(whole);
        moving.next = self.port.due(&moving.transaction, moving.moved);
        Ok(())
    }

    /// Moves whole transactions, from the one that begins now, as long as their beats are due: first
    /// the times of all rows, then their data. Tells how it ended, if no other beat may be looked at.
    fn run(
        &mut self,
        moving: &mut Moving,
        ports: &mut Ports<'_>,
        beside: &mut impl KernelAccesses,
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
        beside: &mut impl KernelAccesses,
    ) -> Option<Ending> {
        way.rest()?;
        loop {
            let run = match way.bank {
                Some(bank) => self.run_by(Kernel::new(bank, beside), moving, way, ports),
                None => self.run_by(Nobody, moving, way, ports),
            };
            if run.beats > 0 {
                self.now = run.now;
            }
            if let Some(begun) = run.begun {
                (moving.transaction, moving.next) = (begun, self.port.due(&begun, 0).max(run.now));
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
                moving.begin(&next, self.port, self.now);
                return (moving.next >= self.until).then_some(Ending::Later);
            }
        }
    }

    /// Moves beats as a run, up to the first transaction that may not move so.
    fn run_by(
        &mut self,
        beside: impl InTheWay,
        moving: &Moving,
        way: &mut Way,
        ports: &Ports<'_>,
    ) -> RowProgress {
        let burst = moving.asked(&way.walk).since(moving.since);
        let mut rows = RowsOf::new(way, self.until, beside, ports.memory);
        rows.prefetch();
        let run = self.port.run(moving.transaction, &burst, moving.next, &mut rows);
        way.conflicts += rows.yields;
        run
    }

    /// Moves the beats whose times are over.
    fn move_timed(&mut self, moving: &mut Moving, way: &mut Way, ports: &mut Ports<'_>) {
        let beats = std::mem::take(&mut way.timed);
        moving.transfer.move_beats(ports, beats);
        self.counts.beats += u64::from(beats);
        self.counts.add_bytes(moving.direction, u64::from(beats) * u64::from(BEAT_BYTES));
    }
}

/// Walk of beats that move as a run.
struct Way {
    walk: MemoryCursor,
    /// End of the addresses up to which beats may move as a run.
    end: MemoryAddress,
    /// Bank in which a kernel may be in the way.
    bank: Option<Bank>,
    /// Number of beats behind those that have moved which surely reach local memory, if that matters.
    taken: usize,
    /// Number of beats whose times are over and whose data have not moved.
    timed: u32,
    /// Number of times that beats have yielded to the kernel.
    conflicts: u64,
}

impl Way {
    /// Returns the address of the next beats, and how many there are at rising ones; nothing if they may not move as a run.
    #[inline]
    fn rest(&self) -> Option<(MemoryAddress, u32)> {
        let (address, beats) = (self.walk.address(), self.walk.burst_left());
        // A beat that is not at a multiple of its length may reach from one piece of memory to
        // the next.
        let is_whole = address.is_multiple_of(BEAT_BYTES.into())
            && address + Bytes::from(beats * BEAT_BYTES) <= self.end;
        (is_whole && !self.walk.is_finished()).then_some((address, beats))
    }

    /// Whether every beat of the row surely reaches local memory, if a kernel may be in the way there.
    #[inline]
    fn is_taken(&self) -> bool {
        self.timed as usize + self.walk.burst_left() as usize <= self.taken
    }
}

/// The rows of a way, and what may be in the way of their beats.
struct RowsOf<'a, T> {
    way: &'a mut Way,
    /// Beats before this cycle move.
    until: Cycle,
    beside: T,
    /// Whether beats of the row may yield, and how often beats have.
    may_yield: bool,
    yields: u64,
    memory: &'a SystemMemory,
}

impl<'a, T> RowsOf<'a, T> {
    fn new(way: &'a mut Way, until: Cycle, beside: T, memory: &'a SystemMemory) -> Self {
        let may_yield = way.is_taken();
        Self { way, until, beside, may_yield, yields: 0, memory }
    }

    /// Lets the native machine's caches fetch the row that is next, so that it is there when its data move, behind the times
    /// of all.
    #[inline]
    fn prefetch(&self) {
        let (address, beats) = (self.way.walk.address(), self.way.walk.burst_left());
        self.memory.prefetch(address, (beats * BEAT_BYTES) as usize);
    }
}

impl<T: InTheWay> Rows for RowsOf<'_, T> {
    #[inline(always)]
    fn last(&mut self, dues: Dues, now: Cycle) -> Option<Cycle> {
        let (last, yields) = self.beside.last(dues, now, self.until)?;
        if last >= self.until || !self.may_yield && yields > 0 {
            return None;
        }
        self.yields += yields;
        Some(last)
    }

    #[inline(always)]
    fn next(&mut self) -> Option<(MemoryAddress, u32)> {
        self.end(self.way.walk.burst_left());
        let rest = self.way.rest();
        if rest.is_some() {
            self.prefetch();
        }
        self.may_yield = self.way.is_taken();
        rest
    }

    #[inline]
    fn end(&mut self, beats: u32) {
        self.way.timed += beats;
        self.way.walk.step_by(beats);
    }
}

/// Obstacle that may be in the way of beats.
trait InTheWay {
    /// Returns the cycle of the last of beats that are due in these cycles and move in cycle `now` at the earliest, as soon
    /// as they may, and how often they yield; nothing if one finds no cycle before `until`.
    fn last(&mut self, dues: Dues, now: Cycle, until: Cycle) -> Option<(Cycle, u64)>;
}

/// Absence of a kernel: nothing is in the way.
struct Nobody;

impl InTheWay for Nobody {
    #[inline(always)]
    fn last(&mut self, dues: Dues, now: Cycle, _: Cycle) -> Option<(Cycle, u64)> {
        if dues.is_spaced() && dues.first() >= now {
            return Some((dues.last, 0));
        }
        Some((dues.fold(now, |now, due| now.max(due) + 1) - 1, 0))
    }
}

/// Kernel that uses the bank of all beats.
struct Kernel<'a, B> {
    bank: Bank,
    beside: &'a mut B,
    free: Free,
}

impl<'a, B: KernelAccesses> Kernel<'a, B> {
    fn new(bank: Bank, beside: &'a mut B) -> Self {
        Self { bank, beside, free: Free::default() }
    }

    /// Looks at what the kernel leaves from a cycle on, before which no beat moves any more.
    #[inline]
    fn advance(&mut self, begin: Cycle) {
        self.free = Free::from(begin, self.bank, self.beside);
    }

    /// Returns the cycle of the last of so many beats that are due one behind the other, the first one in cycle `due`, and
    /// move as soon as the kernel lets them, the first one not before `earliest`; nothing if that is too far for one look.
    #[inline(always)]
    fn last_in_a_row(&mut self, (due, earliest): (Cycle, Cycle), beats: u32) -> Option<Cycle> {
        let mut left = without_first(self.free.since(due), beats - 1);
        if left == 0 {
            self.advance(earliest);
            left = without_first(self.free.cycles, beats - 1);
        }
        (left != 0).then(|| self.free.take_first(left))
    }

    /// Returns the first cycle that the kernel leaves to a beat due in cycle `due`, not before `earliest`; nothing if there
    /// is none before `until`.
    #[inline(always)]
    fn next_free(&mut self, (due, mut earliest): (Cycle, Cycle), until: Cycle) -> Option<Cycle> {
        loop {
            let cycles = self.free.since(due);
            if cycles != 0 {
                return Some(self.free.take_first(cycles));
            }
            if earliest >= until {
                return None;
            }
            self.advance(earliest);
            earliest += 64;
        }
    }
}

impl<B: KernelAccesses> InTheWay for Kernel<'_, B> {
    #[inline(always)]
    fn last(&mut self, dues: Dues, mut now: Cycle, until: Cycle) -> Option<(Cycle, u64)> {
        if let Some(beats) = dues.in_a_row() {
            let earliest = dues.first().max(now);
            if let Some(last) = self.last_in_a_row((dues.first(), earliest), beats) {
                return Some((last, last - earliest - u64::from(beats - 1)));
            }
        }
        let mut yields = 0;
        for due in dues {
            let earliest = due.max(now);
            let cycle = self.next_free((due, earliest), until)?;
            yields += cycle - earliest;
            now = cycle + 1;
        }
        Some((now - 1, yields))
    }
}

/// Cycles that a kernel leaves to beats which have yet to move, one bit each, of 64 from `begin` on.
#[derive(Clone, Copy, Default)]
struct Free {
    begin: Cycle,
    cycles: u64,
}

impl Free {
    /// Returns the cycles that the kernel leaves in a bank. They are returned as a value, so that they stay in native
    /// registers.
    #[inline(never)]
    fn from(begin: Cycle, bank: Bank, beside: &mut impl KernelAccesses) -> Self {
        Self { begin, cycles: !beside.busy(begin, bank) }
    }

    /// Returns the free cycles from a cycle on.
    #[inline]
    fn since(self, cycle: Cycle) -> u64 {
        let later = cycle.saturating_since(self.begin);
        self.cycles & if later < 64 { u64::MAX << later } else { 0 }
    }

    /// Takes the first of these cycles; those before it are over.
    #[inline]
    fn take_first(&mut self, cycles: u64) -> Cycle {
        self.cycles = without_first(cycles, 1);
        self.begin + u64::from(cycles.trailing_zeros())
    }
}

/// Returns the cycles without so many of the first ones.
#[inline]
fn without_first(cycles: u64, n: u32) -> u64 {
    let rest = |cycles: u64| cycles & cycles.wrapping_sub(1);
    match n {
        // A transaction of four beats, as most are, needs no loop.
        3 => rest(rest(rest(cycles))),
        _ => (0..n).fold(cycles, |cycles, _| rest(cycles)),
    }
}

/// Whether the next step has to yield to the kernel.
fn conflicts(core: &Core, moving: &Moving, cycle: Cycle, beside: &mut impl KernelAccesses) -> bool {
    let word = moving.transfer.local_word();
    word.is_some_and(|word| beside.accesses(cycle, core.bank_of(word)))
}

#[cfg(test)]
mod tests;
