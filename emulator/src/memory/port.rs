//! Time of the memory port: a window of outstanding transactions, an open row and a data bus. No data
//! move here.
//!
//! Time inside is counted in ticks, 1/16 of a memory clock, so that every width of the bus gives a whole number;
//! outside it is counted in cycles of CP2. All arithmetic is on integers.

mod clock;
mod rest;
mod timing;

pub(crate) use clock::Dues;
pub use clock::Transaction;
pub use rest::PortRest;
pub use timing::{Direction, DirectionTiming, MemoryTiming};

use super::BEAT_BYTES;
use clock::{Clocks, TICKS, Tick};
use cp2_isa::{Cycle, MemoryAddress};
use serde::{Deserialize, Serialize};
use std::hint::select_unpredictable;

/// Beats of 16 bytes at rising addresses of system memory that the DMA channel asks the memory port for. The port
/// serves them in one or more transactions ([`MemoryPort::begin`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// Address in system memory of the first byte of the first beat.
    pub address: MemoryAddress,
    /// Number of beats in the burst, 16 bytes each.
    pub beats: u32,
    /// Direction in which the beats move: from memory or to it.
    pub direction: Direction,
    /// Cycle, counted from reset, from which on the channel waits for the beats.
    pub since: Cycle,
}

/// The rows that move in transactions one behind the other, and the things that may be in their way.
pub(crate) trait Rows {
    /// Returns the cycle in which the last beat of a transaction moves, the first one in cycle `now` at the earliest;
    /// nothing if the caller has to find it.
    fn last(&mut self, dues: Dues, now: Cycle) -> Option<Cycle>;
    /// Ends a row whose beats have moved, and returns the address of the next one and its number of beats; `None` if
    /// all have moved, or others have to go on.
    fn next(&mut self) -> Option<(MemoryAddress, u32)>;
    /// Tells that nothing moves any more behind so many beats of the row.
    fn end(&mut self, beats: u32);
}

/// Progress of [`MemoryPort::run`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowProgress {
    /// Number of beats that have moved.
    pub(crate) beats: u32,
    /// Cycle behind that of the last beat that has moved.
    pub(crate) now: Cycle,
    /// Transaction that has begun, if its beats have not moved.
    pub(crate) begun: Option<Transaction>,
}

/// Pages of the memory, which are its rows.
#[derive(Clone, Copy, Debug)]
struct MemoryRows {
    bytes: u32,
    /// Binary logarithm of the bytes of a row, if they are a power of two.
    shift: Option<u32>,
}

impl MemoryRows {
    #[inline]
    fn new(bytes: u32) -> Self {
        Self { bytes, shift: bytes.is_power_of_two().then(|| bytes.trailing_zeros()) }
    }

    /// Returns the row of an address, and the beats from there to its end.
    #[inline]
    fn place(self, address: MemoryAddress) -> RowPosition {
        // The channel's addresses have 32 bits.
        let address = address.0 as u32;
        let row = match self.shift {
            Some(shift) => address >> shift,
            None => address / self.bytes,
        };
        RowPosition { row, beats: (self.bytes - (address - row * self.bytes)).div_ceil(BEAT_BYTES) }
    }
}

/// Row of an address, and the place in it.
#[derive(Clone, Copy, Debug)]
struct RowPosition {
    row: u32,
    /// Number of beats from the address to the end of the row.
    beats: u32,
}

/// Terms of a transaction beside its address and beats: the same for all in one direction that are wanted since the
/// same cycle.
#[derive(Clone, Copy)]
struct Terms {
    clocks: Clocks,
    /// Number of ticks from the request to the first data in an open row, and number of further ticks if the row has to
    /// be opened.
    latency: u64,
    row_opening: u64,
    /// Number of beats of the longest transaction.
    longest: u32,
    /// Tick since which data are wanted.
    since: Tick,
}

/// State that the transactions so far leave to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Course {
    /// Place of the oldest transaction in the window, which the next one takes.
    oldest: usize,
    bus_free: Tick,
    open_row: Option<u32>,
    direction: Option<Direction>,
    n_transactions: u64,
    n_row_openings: u64,
}

impl Course {
    /// Opens a row for the next transaction, and returns the number of ticks from its request to its first data.
    #[inline]
    fn open(&mut self, terms: &Terms, row: u32) -> u64 {
        if self.open_row == Some(row) {
            return terms.latency;
        }
        self.open_row = Some(row);
        self.n_row_openings += 1;
        terms.latency + terms.row_opening
    }

    /// Returns the next transaction, of `beats` beats and with `latency` ticks from its request to its first data, in
    /// the same direction as the one before.
    #[inline]
    fn ask(&mut self, terms: &Terms, window: &[Tick], latency: u64, beats: u32) -> Transaction {
        let request = terms.since.max(window[self.oldest]);
        let first_tick = (request + latency).max(self.bus_free);
        self.bus_free = first_tick + u64::from(beats) * terms.clocks.ticks_per_beat;
        self.n_transactions += 1;
        Transaction { beats, first_tick }
    }

    /// Ends a transaction whose last beat, due in cycle `due`, moved in cycle `last`. Its place in the window is free
    /// when the bus has done its part, or in that cycle if local memory let it wait.
    #[inline]
    fn complete(&mut self, clocks: &Clocks, window: &mut [Tick], (due, last): (Cycle, Cycle)) {
        window[self.oldest] = select_unpredictable(last > due, clocks.tick_of(last), self.bus_free);
        self.oldest = if self.oldest + 1 < window.len() { self.oldest + 1 } else { 0 };
    }
}

/// Ticks that a port can be ahead: more than any transaction takes.
const AHEAD: u64 = 1 << 40;

/// The memory port between DMA channel and system memory: computes in which cycle each beat of 16 bytes can move, from
/// the clocks, latencies and open row of memory. It moves no data itself. Transactions are served in the order of their
/// begin.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MemoryPort {
    timing: MemoryTiming,
    clocks: Clocks,
    /// Cycle since which data were wanted last, and its tick.
    wanted: (Cycle, Tick),
    /// Number of beats of the longest transaction.
    longest: u32,
    /// Ticks at which the latest `outstanding` transactions were complete, 0 for those that never
    /// were.
    window: Box<[Tick]>,
    course: Course,
}

impl MemoryPort {
    /// Creates a memory port at rest, with no row of memory (DRAM page) open.
    pub fn new(timing: MemoryTiming) -> Self {
        let clocks =
            Clocks::new(timing.cpu_mhz.into(), timing.memory_mhz.into(), timing.ticks_per_beat());
        Self {
            timing,
            clocks,
            wanted: (Cycle::RESET, Tick(0)),
            longest: timing.transaction_bytes / BEAT_BYTES,
            window: vec![Tick(0); timing.outstanding.max(1) as usize].into(),
            course: Course {
                oldest: 0,
                bus_free: Tick(0),
                open_row: None,
                direction: None,
                n_transactions: 0,
                n_row_openings: 0,
            },
        }
    }

    /// Whether another port has the same parameters.
    pub(crate) fn is_built_like(&self, other: &Self) -> bool {
        self.timing == other.timing
            && self.clocks == other.clocks
            && self.longest == other.longest
            && self.window.len() == other.window.len()
    }

    /// Whether a tick is not so far ahead of a cycle that numbers end.
    fn is_near_tick(&self, tick: Tick, cycle: Cycle) -> bool {
        tick.0 <= self.clocks.tick_of(cycle).0.saturating_add(AHEAD)
    }

    /// Whether a transaction can be under way in a cycle.
    pub(crate) fn is_near(&self, transaction: &Transaction, cycle: Cycle) -> bool {
        self.is_near_tick(transaction.first_tick, cycle)
    }

    /// Whether the values can be those of a port in a cycle: nothing is so far ahead that numbers end.
    pub(crate) fn is_possible(&self, cycle: Cycle) -> bool {
        if cycle.0 >= 1 << 48 {
            return false;
        }
        let is_near = |tick: &Tick| self.is_near_tick(*tick, cycle);
        let (since, tick) = self.wanted;
        let Course { oldest, bus_free, n_transactions, n_row_openings, .. } = &self.course;
        *oldest < self.window.len()
            && self.window.iter().chain([bus_free, &tick]).all(is_near)
            && since.0 <= cycle.0.saturating_add(AHEAD)
            && n_transactions.max(n_row_openings) < &(1 << 62)
    }

    /// Returns the clocks, widths and waits of the port.
    pub fn timing(&self) -> &MemoryTiming {
        &self.timing
    }

    /// Returns the number of transactions that have begun since reset.
    pub fn n_transactions(&self) -> u64 {
        self.course.n_transactions
    }

    /// Returns the number of times that a row of memory (DRAM page) was opened since reset.
    pub fn n_row_openings(&self) -> u64 {
        self.course.n_row_openings
    }

    fn terms(&self, direction: Direction) -> Terms {
        let DirectionTiming { latency_clocks, row_opening_clocks } = *self.timing.cost(direction);
        Terms {
            clocks: self.clocks,
            latency: u64::from(latency_clocks) * TICKS,
            row_opening: u64::from(row_opening_clocks) * TICKS,
            longest: self.longest,
            since: self.wanted.1,
        }
    }

    fn memory_rows(&self) -> MemoryRows {
        MemoryRows::new(self.timing.row_bytes)
    }

    /// Begins the next transaction with as many of the first beats of `burst` as lie in one row of memory and fit into
    /// the longest transaction, and returns it. The caller calls [`MemoryPort::complete`] before it begins the next,
    /// and begins one with the rest of the burst.
    #[inline]
    pub fn begin(&mut self, burst: &Burst) -> Transaction {
        let Burst { address, beats, direction, since } = *burst;
        let course = &mut self.course;
        if course.direction.is_some_and(|d| d != direction) {
            course.bus_free = course.bus_free + u64::from(self.timing.turnaround_clocks) * TICKS;
        }
        course.direction = Some(direction);
        if self.wanted.0 != since {
            self.wanted = (since, self.clocks.tick_of(since));
        }
        let terms = self.terms(direction);
        let place = self.memory_rows().place(address);
        let latency = self.course.open(&terms, place.row);
        let beats = beats.min(place.beats).min(self.longest);
        self.course.ask(&terms, &self.window, latency, beats)
    }

    /// Returns the first cycle, since reset, in which beat `k` of a transaction, counted from 0, can move between
    /// memory and channel.
    #[inline]
    pub fn due(&self, transaction: &Transaction, k: u32) -> Cycle {
        self.clocks.due(transaction, k)
    }

    /// Returns the cycles in which the beats of a transaction can be moved at the earliest.
    #[cfg(test)]
    pub(crate) fn dues(&self, transaction: &Transaction) -> Dues {
        self.clocks.dues(transaction)
    }

    /// Goes on with a transaction that has begun a burst, and with what follows it in the same direction and since the
    /// same cycle. Does as [`MemoryPort::begin`] and [`MemoryPort::complete`] do, as long as `rows` lets all beats of a
    /// transaction move. No beat moves before cycle `now`.
    #[inline]
    pub(crate) fn run(
        &mut self,
        begun: Transaction,
        burst: &Burst,
        now: Cycle,
        rows: &mut impl Rows,
    ) -> RowProgress {
        // With these clocks the multiplications are shifts.
        if self.clocks == Clocks::EVEN {
            self.run_by(Clocks::EVEN, begun, burst, now, rows)
        } else {
            self.run_by(self.clocks, begun, burst, now, rows)
        }
    }

    #[inline(always)]
    fn run_by(
        &mut self,
        clocks: Clocks,
        begun: Transaction,
        burst: &Burst,
        now: Cycle,
        rows: &mut impl Rows,
    ) -> RowProgress {
        let (memory_rows, terms) =
            (self.memory_rows(), Terms { clocks, ..self.terms(burst.direction) });
        // What is copied stays in native registers.
        let (window, mut course) = (&mut *self.window, self.course);
        let mut run = RowProgress { beats: 0, now, begun: Some(begun) };
        // Beats of a burst, those of them before the part in a row of the memory, of that part, and what is left of it.
        let (mut address, mut beats, mut before) = (burst.address, burst.beats, 0);
        let mut part = beats.min(memory_rows.place(address).beats);
        let mut left = part;
        while let Some(t) = run.begun {
            let dues = clocks.dues(&t);
            let due = dues.last;
            let Some(last) = rows.last(dues, run.now) else { break };
            course.complete(&clocks, window, (due, last));
            (run.now, left) = (last + 1, left - t.beats);
            let mut latency = terms.latency;
            if left == 0 {
                before += part;
                if before == beats {
                    run.beats += beats;
                    (before, part, run.begun) = (0, 0, None);
                    let Some(next) = rows.next() else { break };
                    (address, beats) = next;
                }
                let place = memory_rows.place(address.channel_add(before * BEAT_BYTES));
                latency = course.open(&terms, place.row);
                part = place.beats.min(beats - before);
                left = part;
            }
            run.begun = Some(course.ask(&terms, window, latency, left.min(terms.longest)));
        }
        let moved = before + part - left;
        run.beats += moved;
        rows.end(moved);
        self.course = course;
        run
    }

    /// Ends a transaction whose last beat moved in `cycle`. Its place among the outstanding transactions, whose number
    /// is limited, becomes free when the bus has moved all its beats, or later, in `cycle`, if the last beat waited for
    /// local memory.
    #[inline]
    pub fn complete(&mut self, transaction: &Transaction, cycle: Cycle) {
        let due = self.due(transaction, transaction.beats - 1);
        self.course.complete(&self.clocks, &mut self.window, (due, cycle));
    }
}

#[cfg(test)]
mod tests;
