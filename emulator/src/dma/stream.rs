//! The beats of a transfer: transaction after transaction, beat after beat, each in its cycle, and what
//! the kernel beside it does to them. What comes before and after is in `controller.rs`.

use super::beside::Beside;
use super::fault::DmaFaultKind;
use super::log::Log;
use super::moving::Moving;
use super::ports::Ports;
use super::request::{Moved, Request};
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
    fn add_bytes(&mut self, direction: Direction, bytes: u32) {
        self.bytes[usize::from(direction == Direction::Put)] += u64::from(bytes);
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
        self.counts.add_bytes(moving.direction, bytes);
        moving.moved += u32::from(whole);
        moving.next = self.channel.due(&moving.transaction, moving.moved);
        Ok(())
    }

    /// Moves whole transactions, from the one that begins now, as long as their beats are due: first
    /// the times of all bursts, then their data. Tells how it ended, if no other beat may be looked at.
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
        let (mut walk, end) = moving.transfer.run(ports, self.limit)?;
        let mut taken = if bank.is_some() { moving.transfer.taken_beats() } else { usize::MAX };
        let latest = self.channel.latest(self.until);
        // Beats whose times are over and whose data have not moved.
        let mut timed = 0;
        let ending = loop {
            let burst = moving.asked(&walk);
            // A beat that is not at a multiple of its length may reach from one piece of memory to
            // the next.
            let is_whole = burst.address.is_multiple_of(BEAT_BYTES);
            if !is_whole || u64::from(burst.address) + u64::from(burst.beats * BEAT_BYTES) > end {
                break None;
            }
            if timed as usize + burst.beats as usize > taken {
                moving.transfer.move_beats(ports, std::mem::take(&mut timed));
                taken = moving.transfer.taken_beats();
            }
            let is_taken = timed as usize + burst.beats as usize <= taken;
            let (beats, conflicts) = self.burst(moving, &burst, (bank, is_taken), latest, beside);
            self.counts.conflicts += conflicts;
            self.counts.beats += u64::from(beats);
            self.counts.add_bytes(moving.direction, beats * BEAT_BYTES);
            timed += beats;
            if beats < burst.beats {
                break (moving.next >= self.until).then_some(Ending::Later);
            }
            walk.step_by(beats);
            if walk.is_finished() {
                break Some(Ending::Moved);
            }
            let next = moving.asked(&walk);
            moving.begin(&next, self.channel, self.now);
            if moving.next >= self.until {
                break Some(Ending::Later);
            }
        };
        // Many rows in one go, so that the host waits for its memory once and not row by row.
        moving.transfer.move_beats(ports, timed);
        ending
    }

    /// Goes through the transactions of a burst, of which the first has begun, as `run` does, beside a
    /// kernel that uses `bank`, if every beat reaches that as far as is known. Tells how many beats have moved, or
    /// would have, if the burst is not over, and how often they had to yield.
    #[inline]
    fn burst(
        &mut self,
        moving: &mut Moving,
        request: &Request,
        (bank, is_taken): (Option<Bank>, bool),
        latest: Tick,
        beside: &mut impl Beside,
    ) -> (u32, u64) {
        let (burst, until) = (request.since(moving.since), self.until);
        let (mut done, mut conflicts) = (0, 0);
        let (mut t, mut next) = (moving.transaction, moving.next);
        loop {
            if self.channel.is_spaced() && next == self.channel.due(&t, 0) {
                let rest = burst.behind(done);
                let run = match bank {
                    None => self.channel.run(&rest, t, latest, |_, _| true),
                    Some(bank) => {
                        let is_away = |from, to| beside.is_away(from, to, bank);
                        self.channel.run(&rest, t, latest, is_away)
                    }
                };
                if run.beats > 0 {
                    done += run.beats;
                    self.now = self.channel.last(&run) + 1;
                }
                (t, next) = (run.begun, self.channel.due(&run.begun, 0));
            }
            if done == burst.beats || next >= until {
                break;
            }
            // A beat has to wait, for the kernel or for the one before.
            if bank.is_some() && !is_taken {
                break;
            }
            let dues = self.channel.dues(&t);
            let Some((last, yields)) = one_by_one(dues, next, (bank, until), beside) else { break };
            conflicts += yields;
            done += t.beats;
            self.now = last + 1;
            self.channel.complete(&t, last);
            if done == burst.beats {
                break;
            }
            t = self.channel.begin(&burst.behind(done));
            next = self.channel.due(&t, 0).max(last + 1);
        }
        (moving.transaction, moving.next) = (t, next);
        (done, conflicts)
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
