//! The beats of a transfer: transaction after transaction, beat after beat, each in its cycle, and what
//! the kernel beside it does to them. What comes before and after is in `controller.rs`.

use super::beside::Beside;
use super::fault::DmaFaultKind;
use super::log::Log;
use super::moving::Moving;
use super::ports::Ports;
use super::request::Moved;
use super::walk::MemoryCursor;
use crate::memory::{BEAT_BYTES, Channel, Direction, Tick};
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
        let mut way = Way { walk, end, bank, taken, timed: 0 };
        let latest = self.channel.latest(self.until);
        let ending = loop {
            if moving.next >= self.until {
                break Some(Ending::Later);
            }
            if way.rest().is_none() {
                break None;
            }
            let has_moved = self.in_time(moving, &mut way, latest, beside)
                || moving.next < self.until
                    && self.is_taken(moving, &mut way, ports)
                    && self.one_by_one(moving, &mut way, beside);
            if way.walk.is_finished() {
                break Some(Ending::Moved);
            }
            if !has_moved {
                break (moving.next >= self.until).then_some(Ending::Later);
            }
            let next = moving.asked(&way.walk);
            moving.begin(&next, self.channel, self.now);
        };
        // Many rows in one go, so that the host waits for its memory once and not row by row.
        self.move_timed(moving, &mut way, ports);
        ending
    }

    /// Moves the beats whose times are over.
    fn move_timed(&mut self, moving: &mut Moving, way: &mut Way, ports: &mut Ports<'_>) {
        let beats = std::mem::take(&mut way.timed);
        moving.transfer.move_beats(ports, beats);
        self.counts.beats += u64::from(beats);
        self.counts.add_bytes(moving.direction, u64::from(beats) * u64::from(BEAT_BYTES));
    }

    /// Whether every beat of the row surely reaches local memory, if a kernel may be in the way there.
    fn is_taken(&mut self, moving: &mut Moving, way: &mut Way, ports: &mut Ports<'_>) -> bool {
        let beats = way.walk.burst_left() as usize;
        if way.timed as usize + beats > way.taken {
            self.move_timed(moving, way, ports);
            way.taken = moving.transfer.taken_beats();
        }
        way.timed as usize + beats <= way.taken
    }

    /// Goes through transactions, of which the first has begun, as long as all their beats move when they are due.
    /// Tells whether what follows has not begun.
    #[inline]
    fn in_time(
        &mut self,
        moving: &mut Moving,
        way: &mut Way,
        latest: Tick,
        beside: &mut impl Beside,
    ) -> bool {
        let first = moving.transaction;
        if !self.channel.is_spaced() || moving.next != self.channel.due(&first, 0) {
            return false;
        }
        let (bank, direction) = (way.bank, moving.direction);
        let next = |moved| way.pass(moved);
        let run = match bank {
            None => self.channel.run(first, direction, latest, next, |_, _| true),
            Some(bank) => {
                let is_away = |from, to| beside.is_away(from, to, bank);
                self.channel.run(first, direction, latest, next, is_away)
            }
        };
        if run.beats > 0 {
            self.now = self.channel.last(&run) + 1;
        }
        if let Some(begun) = run.begun {
            (moving.transaction, moving.next) = (begun, self.channel.due(&begun, 0));
        }
        run.begun.is_none()
    }

    /// Goes through the transaction that has begun, of which a beat has to wait, for the kernel or for the one before.
    /// Tells whether all of it is over before the end.
    fn one_by_one(&mut self, moving: &Moving, way: &mut Way, beside: &mut impl Beside) -> bool {
        let t = moving.transaction;
        let dues = self.channel.dues(&t);
        let over = one_by_one(dues, moving.next, (way.bank, self.until), beside);
        let Some((last, yields)) = over else { return false };
        self.counts.conflicts += yields;
        self.now = last + 1;
        self.channel.complete(&t, last);
        way.pass(t.beats);
        true
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

    /// So many beats are over. Gives what is next.
    #[inline]
    fn pass(&mut self, beats: u32) -> Option<(u32, u32)> {
        self.timed += beats;
        self.walk.step_by(beats);
        self.rest()
    }
}

/// The cycle of the last beat of a transaction whose beats are due in these cycles and move in `next` at
/// the earliest, if all of them move before `until`, and how often they yield to a kernel in `bank`.
fn one_by_one(
    dues: impl Iterator<Item = Cycle>,
    next: Cycle,
    (bank, until): (Option<Bank>, Cycle),
    beside: &mut impl Beside,
) -> Option<(Cycle, u64)> {
    let (mut cycle, mut conflicts) = (next, 0);
    // What is known of the kernel: the cycles of a window in which it is in the way.
    let (mut begin, mut busy) = (next, bank.map_or(0, |bank| beside.busy(next, bank)));
    for due in dues {
        cycle = cycle.max(due);
        if let Some(bank) = bank {
            loop {
                if cycle - begin >= 64 {
                    (begin, busy) = (cycle, beside.busy(cycle, bank));
                }
                let yields = u64::from((busy >> (cycle - begin)).trailing_ones());
                (cycle, conflicts) = (cycle + yields, conflicts + yields);
                if cycle - begin < 64 || cycle >= until {
                    break;
                }
            }
        }
        if cycle >= until {
            return None;
        }
        cycle += 1;
    }
    Some((cycle - 1, conflicts))
}

/// Whether the next step has to yield to the kernel.
fn conflicts(core: &Core, moving: &Moving, cycle: Cycle, beside: &mut impl Beside) -> bool {
    let word = moving.transfer.local_word();
    word.is_some_and(|word| beside.accesses(cycle, core.bank_of(word)))
}
