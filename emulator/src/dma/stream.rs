//! A transfer under way: transaction after transaction, beat after beat, each in its cycle, and what the
//! kernel beside it does to them. What comes before and after is in `controller.rs`.

use super::accesses::{Accesses, Words};
use super::controller::{Dma, Ports, State};
use super::descriptor::Descriptor;
use super::stats::ChannelCause;
use super::transfer::{Request, Transfer};
use crate::memory::{BEAT_BYTES, Direction, Transaction};
use cp2_isa::{Bank, Core, Cycle};
use serde::{Deserialize, Serialize};

/// What the channel has to know of a kernel beside it.
pub(super) trait Beside {
    /// The bank of local memory that the kernel accesses in a cycle.
    fn bank(&mut self, cycle: Cycle) -> Option<Bank>;
    /// Whether that is this bank.
    fn accesses(&mut self, cycle: Cycle, bank: Bank) -> bool {
        self.bank(cycle) == Some(bank)
    }
    /// Whether it does not access this bank in the cycles from one to another.
    fn is_away(&mut self, from: Cycle, to: Cycle, bank: Bank) -> bool {
        from.until(to + 1).all(|cycle| !self.accesses(cycle, bank))
    }
    /// The words that it has accessed in cycles which the channel has yet to pass; `None` if it is
    /// in step with the channel.
    fn ahead(&self) -> Option<&Words> {
        None
    }
    /// Whether any cycle may be asked for, and more than once.
    fn is_known(&self) -> bool {
        true
    }
    /// Whether it may access a bank at all.
    fn uses(&self, _bank: Bank) -> bool {
        true
    }
}

/// No kernel.
pub(super) struct Nothing;

impl Beside for Nothing {
    fn bank(&mut self, _: Cycle) -> Option<Bank> {
        None
    }
    fn uses(&self, _: Bank) -> bool {
        false
    }
}

/// A kernel in step with the channel, by the bank that it accesses in a cycle.
pub(super) struct InStep<'a, F>(pub(super) &'a mut F);

impl<F: FnMut(Cycle) -> Option<Bank>> Beside for InStep<'_, F> {
    fn bank(&mut self, cycle: Cycle) -> Option<Bank> {
        (self.0)(cycle)
    }
    fn is_known(&self) -> bool {
        false
    }
}

impl Beside for &Accesses {
    fn bank(&mut self, cycle: Cycle) -> Option<Bank> {
        Accesses::bank(self, cycle)
    }
    #[inline]
    fn accesses(&mut self, cycle: Cycle, bank: Bank) -> bool {
        Accesses::accesses(self, cycle, bank)
    }
    #[inline]
    fn is_away(&mut self, from: Cycle, to: Cycle, bank: Bank) -> bool {
        Accesses::is_away(self, from, to, bank)
    }
    fn ahead(&self) -> Option<&Words> {
        Some(self.words())
    }
    fn uses(&self, bank: Bank) -> bool {
        Accesses::uses(self, bank)
    }
}

/// A transfer under way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Moving {
    descriptor: Box<Descriptor>,
    transfer: Transfer,
    /// The words of local memory that the transfer may reach.
    words: Words,
    /// The bank that they are in, if it is one.
    bank: Option<Bank>,
    transaction: Transaction,
    direction: Direction,
    /// Beats of the transaction that have moved.
    moved: u32,
    /// Since when memory may be asked.
    since: Cycle,
    /// Cycle of the next step.
    next: Cycle,
}

impl Moving {
    /// Cycle of the next step.
    pub(super) fn next(&self) -> Cycle {
        self.next
    }

    /// Whether it concerns a kernel that is ahead and has accessed these words.
    pub(super) fn would_meet(&self, words: &Words) -> bool {
        self.descriptor.reads_index() || self.words.meets(words)
    }
}

/// How a stretch of beats ended.
enum Ending {
    /// The next one is not due yet.
    Later,
    /// All have moved.
    Moved,
    /// One was refused.
    Refused(super::DmaFaultKind),
}

/// What a stretch of beats counts.
#[derive(Default)]
struct Counts {
    beats: u64,
    conflicts: u64,
    /// Bytes from memory, and to memory.
    bytes: [u64; 2],
}

impl Counts {
    /// So many whole beats have moved.
    fn add_bytes(&mut self, direction: Direction, beats: u32) {
        self.bytes[usize::from(direction == Direction::Put)] += u64::from(beats * BEAT_BYTES);
    }
}

impl Dma {
    /// Begins a transfer in `cycle`.
    pub(super) fn begin_moving(
        &mut self,
        descriptor: Box<Descriptor>,
        transfer: Transfer,
        cycle: Cycle,
        ports: &mut Ports<'_>,
    ) {
        let words = transfer.words();
        let mut moving = Box::new(Moving {
            descriptor,
            transfer,
            bank: words.bank(&self.core),
            words,
            transaction: Transaction::default(),
            direction: Direction::Get,
            moved: 0,
            since: cycle,
            next: cycle,
        });
        if self.request(&mut moving, cycle) {
            self.state = State::Moving(moving);
        } else {
            self.end_of_data(moving.descriptor, cycle, ports);
        }
    }

    /// Asks memory for the next transaction; its first beat moves in cycle `earliest` at the
    /// earliest. False if all data have moved.
    #[inline]
    fn request(&mut self, moving: &mut Moving, earliest: Cycle) -> bool {
        let Some(r) = moving.transfer.request() else { return false };
        let t = self.channel.begin(&r.since(moving.since));
        moving.transaction = t;
        moving.direction = r.direction;
        moving.moved = 0;
        moving.next = self.channel.due(&t, 0).max(earliest);
        true
    }

    /// Moves the beats that are due before `until`.
    pub(super) fn stream(
        &mut self,
        mut moving: Box<Moving>,
        until: Cycle,
        ports: &mut Ports<'_>,
        beside: &mut impl Beside,
    ) {
        let begin = self.now;
        let mut counts = Counts::default();
        let ending = self.stretch(&mut moving, until, ports, beside, &mut counts);
        self.count(ChannelCause::Beat, counts.beats);
        self.count(ChannelCause::Conflict, counts.conflicts);
        let waited = self.now - begin - counts.beats - counts.conflicts;
        self.count(ChannelCause::Memory, waited);
        self.stats.bytes_get += counts.bytes[0];
        self.stats.bytes_put += counts.bytes[1];
        if let Some(log) = &mut self.log {
            log.add_bytes(counts.bytes);
        }
        match ending {
            Ending::Later => self.state = State::Moving(moving),
            Ending::Moved => self.end_of_data(moving.descriptor, self.now, ports),
            Ending::Refused(kind) => self.refuse(self.now, kind),
        }
    }

    fn stretch(
        &mut self,
        moving: &mut Moving,
        until: Cycle,
        ports: &mut Ports<'_>,
        beside: &mut impl Beside,
        counts: &mut Counts,
    ) -> Ending {
        let limit = self.limit();
        loop {
            if moving.next >= until {
                return Ending::Later;
            }
            // A run tells no beats apart.
            if moving.moved == 0
                && self.log.is_none()
                && let Some(end) = self.run(moving, until, ports, beside, counts)
            {
                return end;
            }
            let cycle = moving.next;
            let all = moving.transaction.beats;
            if conflicts(&self.core, moving, cycle, beside) {
                counts.conflicts += 1;
                if let Some(log) = &mut self.log {
                    log.conflict();
                }
            } else {
                let beat = self.log.is_some().then(|| moving.transfer.look(ports, cycle));
                match moving.transfer.step(ports, limit) {
                    Ok(whole) => {
                        if let (Some(log), Some(beat)) = (&mut self.log, beat) {
                            log.beat(beat);
                        }
                        counts.beats += 1;
                        counts.add_bytes(moving.direction, whole.into());
                        moving.moved += u32::from(whole);
                        moving.next = self.channel.due(&moving.transaction, moving.moved);
                    }
                    Err(kind) => {
                        self.now = cycle;
                        return Ending::Refused(kind);
                    }
                }
            }
            self.now = cycle + 1;
            moving.next = moving.next.max(cycle + 1);
            if moving.moved == all {
                self.channel.complete(&moving.transaction, cycle);
                if moving.transfer.turn() {
                    moving.since = cycle + 1;
                }
                if !self.request(moving, cycle + 1) {
                    return Ending::Moved;
                }
            }
        }
    }

    /// Moves whole transactions, from the one that begins now, as long as their beats are due before
    /// `until`: first the times of a burst, then its data. Tells how it ended, if no other beat may be
    /// looked at.
    fn run(
        &mut self,
        moving: &mut Moving,
        until: Cycle,
        ports: &mut Ports<'_>,
        beside: &mut impl Beside,
        counts: &mut Counts,
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
        let end = moving.transfer.run_end(ports, self.limit())?;
        loop {
            let burst = moving.transfer.request()?;
            // A beat that is not at a multiple of its length may reach from one piece of memory to
            // the next.
            let is_whole = burst.address.is_multiple_of(BEAT_BYTES);
            if !is_whole || u64::from(burst.address) + u64::from(burst.beats * BEAT_BYTES) > end {
                return None;
            }
            let (beats, conflicts) = self.burst(moving, &burst, (bank, until), beside);
            counts.conflicts += conflicts;
            counts.beats += u64::from(beats);
            counts.add_bytes(moving.direction, beats);
            moving.transfer.move_run(ports, burst.address, beats);
            if beats < burst.beats {
                return (moving.next >= until).then_some(Ending::Later);
            }
            if !self.request(moving, self.now) {
                return Some(Ending::Moved);
            }
            if moving.next >= until {
                return Some(Ending::Later);
            }
        }
    }

    /// Goes through the transactions of a burst, of which the first has begun, as `run` does, beside a
    /// kernel that uses `bank`. Tells how many beats have moved, or would have, if the burst is not
    /// over, and how often they had to yield.
    #[inline]
    fn burst(
        &mut self,
        moving: &mut Moving,
        request: &Request,
        (bank, until): (Option<Bank>, Cycle),
        beside: &mut impl Beside,
    ) -> (u32, u64) {
        let burst = request.since(moving.since);
        let (mut done, mut conflicts) = (0, 0);
        let (mut t, mut next) = (moving.transaction, moving.next);
        loop {
            if self.channel.is_spaced() && next == self.channel.due(&t, 0) {
                let rest = burst.behind(done);
                let run = match bank {
                    None => self.channel.run(&rest, t, until, |_, _| true),
                    Some(bank) => {
                        let is_away = |from, to| beside.is_away(from, to, bank);
                        self.channel.run(&rest, t, until, is_away)
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
            if bank.is_some() && !moving.transfer.moves_all() {
                break;
            }
            let Some((last, yields)) = self.one_by_one(&t, next, (bank, until), beside) else {
                break;
            };
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

    /// The cycle of the last beat of a transaction that begins in `next`, if all beats move before
    /// `until`, and how often they yield to a kernel in `bank`.
    fn one_by_one(
        &self,
        transaction: &Transaction,
        next: Cycle,
        (bank, until): (Option<Bank>, Cycle),
        beside: &mut impl Beside,
    ) -> Option<(Cycle, u64)> {
        let (mut cycle, mut conflicts) = (next, 0);
        for due in self.channel.dues(transaction) {
            cycle = cycle.max(due);
            while cycle < until && bank.is_some_and(|bank| beside.accesses(cycle, bank)) {
                (cycle, conflicts) = (cycle + 1, conflicts + 1);
            }
            if cycle >= until {
                return None;
            }
            cycle += 1;
        }
        Some((cycle - 1, conflicts))
    }
}

/// Whether the next step has to yield to the kernel.
fn conflicts(core: &Core, moving: &Moving, cycle: Cycle, beside: &mut impl Beside) -> bool {
    let reaches = |kernel| moving.transfer.local_word().map(|w| core.bank_of(w)) == Some(kernel);
    beside.bank(cycle).is_some_and(reaches)
}
