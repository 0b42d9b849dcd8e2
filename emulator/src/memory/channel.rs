//! How long the memory takes: a channel with a window of outstanding transactions, an open row and a
//! data bus. It moves no data.
//!
//! Time in here is counted in ticks, 1/16 of a memory clock, so that every width of the bus gives a
//! whole number; outside it is cycles of CP2. All arithmetic is on integers.

use super::BEAT_BYTES;
use cp2_isa::Cycle;
use cp2_isa::machine::{Key, MachineConfig};
use serde::{Deserialize, Serialize};
use std::hint::select_unpredictable;
use std::ops::Add;

/// Ticks of one memory clock.
const TICKS: u64 = 16;

/// A moment on the clock of the memory, in ticks since reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Tick(u64);

impl Add<u64> for Tick {
    type Output = Self;

    #[inline]
    fn add(self, ticks: u64) -> Self {
        Self(self.0 + ticks)
    }
}

/// Which way data moves on the channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Direction {
    /// From memory.
    Get,
    /// To memory.
    Put,
}

/// What one direction costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectionTiming {
    /// Memory clocks from the request of a transaction to its first data, in an open row.
    pub latency_clocks: u32,
    /// Memory clocks more if the row has to be opened.
    pub row_opening_clocks: u32,
}

/// Parameters of the channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelTiming {
    /// Clock of CP2, MHz.
    pub cpu_mhz: u32,
    /// Clock of the memory, MHz.
    pub memory_mhz: u32,
    /// Bytes on the bus per memory clock, a power of two from 1 to 256.
    pub bytes_per_clock: u32,
    /// Longest transaction, bytes: a multiple of a beat.
    pub transaction_bytes: u32,
    /// Transactions that may be under way at once.
    pub outstanding: u32,
    /// Bytes of a row of the memory: a multiple of a beat.
    pub page_bytes: u32,
    /// Memory clocks that the bus rests when the direction changes.
    pub turn_clocks: u32,
    /// From memory.
    pub get: DirectionTiming,
    /// To memory.
    pub put: DirectionTiming,
}

impl From<&MachineConfig> for ChannelTiming {
    fn from(config: &MachineConfig) -> Self {
        let direction = |latency, row| DirectionTiming {
            latency_clocks: config.value(latency),
            row_opening_clocks: config.value(row),
        };
        Self {
            cpu_mhz: config.value(Key::CpuClock),
            memory_mhz: config.value(Key::MemoryClock),
            bytes_per_clock: config.value(Key::BusWidth),
            transaction_bytes: config.value(Key::TransactionSize),
            outstanding: config.value(Key::Outstanding),
            page_bytes: config.value(Key::PageSize),
            turn_clocks: config.value(Key::Turn),
            get: direction(Key::GetLatency, Key::GetRowOpening),
            put: direction(Key::PutLatency, Key::PutRowOpening),
        }
    }
}

impl ChannelTiming {
    /// A beat in every cycle, without latency.
    pub(crate) const IDEAL: Self = {
        let direction = DirectionTiming { latency_clocks: 0, row_opening_clocks: 0 };
        Self {
            cpu_mhz: 1,
            memory_mhz: 1,
            bytes_per_clock: BEAT_BYTES,
            transaction_bytes: 256,
            outstanding: 1,
            page_bytes: 8192,
            turn_clocks: 0,
            get: direction,
            put: direction,
        }
    };

    /// Rate of the bus without any gap, MB/s.
    pub fn peak_mb_per_s(&self) -> f64 {
        f64::from(self.memory_mhz) * f64::from(self.bytes_per_clock)
    }

    fn cost(&self, direction: Direction) -> &DirectionTiming {
        match direction {
            Direction::Get => &self.get,
            Direction::Put => &self.put,
        }
    }

    fn ticks_per_beat(&self) -> u64 {
        TICKS * u64::from(BEAT_BYTES) / u64::from(self.bytes_per_clock)
    }
}

/// A fraction by which numbers are multiplied again and again, rounded up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Ratio {
    numerator: u64,
    denominator: u64,
    /// 2^64 / denominator, rounded down.
    reciprocal: u64,
    /// The denominator as a power of two, if it is one.
    shift: Option<u32>,
}

impl Ratio {
    const fn new(numerator: u64, denominator: u64) -> Self {
        let (mut divisor, mut rest) = (numerator, denominator);
        while rest > 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        let (numerator, denominator) = (numerator / divisor, denominator / divisor);
        let shift = match denominator.is_power_of_two() {
            true => Some(denominator.trailing_zeros()),
            false => None,
        };
        Self { numerator, denominator, reciprocal: u64::MAX / denominator, shift }
    }

    /// `n` times the ratio, rounded up. The reciprocal replaces a division, which is slow: it gives
    /// the quotient or a little less.
    #[inline]
    fn times(&self, n: u64) -> u64 {
        let n = n * self.numerator;
        if let Some(shift) = self.shift {
            return (n + self.denominator - 1) >> shift;
        }
        let mut quotient = ((u128::from(n) * u128::from(self.reciprocal)) >> 64) as u64;
        while quotient * self.denominator < n {
            quotient += 1;
        }
        quotient
    }
}

/// How ticks, cycles and beats follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Clocks {
    ticks_per_cycle: Ratio,
    cycles_per_tick: Ratio,
    ticks_per_beat: u64,
    /// Cycles from beat to beat, the whole ones, and the rest in parts of `cycles_per_tick`.
    cycles_per_beat: (u64, u64),
}

impl Clocks {
    /// Those of a memory at the clock of CP2, with a beat in each clock.
    const EVEN: Self = Self::new(1, 1, TICKS);

    const fn new(cpu_mhz: u64, memory_mhz: u64, ticks_per_beat: u64) -> Self {
        let cycles_per_tick = Ratio::new(cpu_mhz, memory_mhz * TICKS);
        let Ratio { numerator, denominator, .. } = cycles_per_tick;
        let parts = ticks_per_beat * numerator;
        Self {
            ticks_per_cycle: Ratio::new(memory_mhz * TICKS, cpu_mhz),
            cycles_per_tick,
            ticks_per_beat,
            cycles_per_beat: (parts / denominator, parts % denominator),
        }
    }

    /// The first tick that is not before the start of a cycle.
    #[inline]
    fn tick_of(&self, cycle: Cycle) -> Tick {
        Tick(self.ticks_per_cycle.times(cycle.0))
    }

    /// The first cycle that does not start before a tick.
    #[inline]
    fn cycle_of(&self, tick: Tick) -> Cycle {
        Cycle(self.cycles_per_tick.times(tick.0))
    }

    /// Cycle in which beat `k` of a transaction can be moved at the earliest.
    #[inline]
    fn due(&self, transaction: &Transaction, k: u32) -> Cycle {
        self.cycle_of(transaction.first_tick + (u64::from(k) + 1) * self.ticks_per_beat)
    }

    /// The cycles in which its beats can be moved at the earliest.
    #[inline]
    fn dues(&self, transaction: &Transaction) -> Dues {
        let (step, rest) = self.cycles_per_beat;
        let Ratio { numerator, denominator, .. } = self.cycles_per_tick;
        let tick = transaction.first_tick + self.ticks_per_beat;
        let next = self.due(transaction, 0);
        let last = self.due(transaction, transaction.beats - 1);
        let over = next.0 * denominator - tick.0 * numerator;
        Dues { next, last, left: transaction.beats, step, rest, over, denominator }
    }
}

/// A run of beats at rising addresses that the memory serves as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transaction {
    /// Beats in it.
    pub beats: u32,
    /// The moment at which its first beat begins to come.
    first_tick: Tick,
}

/// Beats at rising addresses, asked for transaction after transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// Address of the first beat.
    pub address: u32,
    /// How many beats.
    pub beats: u32,
    /// Which way they move.
    pub direction: Direction,
    /// The cycle since which they are wanted.
    pub since: Cycle,
}

/// The cycles in which the beats of a transaction are due.
#[derive(Clone, Debug)]
pub(crate) struct Dues {
    next: Cycle,
    /// The last one.
    pub(crate) last: Cycle,
    left: u32,
    /// Cycles from beat to beat, the whole ones, and the rest in parts of a cycle: added in place of a division for each.
    step: u64,
    rest: u64,
    /// How much later the cycle is than its tick, in parts.
    over: u64,
    /// Parts of a cycle.
    denominator: u64,
}

impl Dues {
    /// The first one.
    #[inline]
    pub(crate) fn first(&self) -> Cycle {
        self.next
    }

    /// How many there are, if each is the one behind the other.
    #[inline]
    pub(crate) fn in_a_row(&self) -> Option<u32> {
        (self.step == 1 && self.rest == 0).then_some(self.left)
    }

    /// Whether they are at least a cycle apart, so that no beat has to wait for the one before.
    #[inline]
    pub(crate) fn is_spaced(&self) -> bool {
        self.step > 0
    }
}

impl Iterator for Dues {
    type Item = Cycle;

    #[inline]
    fn next(&mut self) -> Option<Cycle> {
        self.left = self.left.checked_sub(1)?;
        let due = self.next;
        self.next += self.step;
        if self.over < self.rest {
            self.next += 1;
            self.over += self.denominator;
        }
        self.over -= self.rest;
        Some(due)
    }
}

/// What moves in transactions one behind the other, and what may be in its way.
pub(crate) trait Rows {
    /// The cycle in which the last beat of a transaction moves, the first one in cycle `now` at the earliest; nothing if
    /// somebody else has to find it.
    fn last(&mut self, dues: Dues, now: Cycle) -> Option<Cycle>;
    /// The beats of a row have moved. Gives the address of the next one and its beats; nothing if all have moved, or
    /// others have to go on.
    fn next(&mut self) -> Option<(u32, u32)>;
    /// Nothing moves any more behind so many beats of the row.
    fn end(&mut self, beats: u32);
}

/// How far [`Channel::run`] has come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// Beats that have moved.
    pub(crate) beats: u32,
    /// The cycle behind that of the last of them.
    pub(crate) now: Cycle,
    /// The transaction that has begun, if its beats have not moved.
    pub(crate) begun: Option<Transaction>,
}

/// The pages of the memory, which are its rows.
#[derive(Clone, Copy, Debug)]
struct Pages {
    bytes: u32,
    /// The bytes as a power of two, if they are one.
    shift: Option<u32>,
}

impl Pages {
    #[inline]
    fn new(bytes: u32) -> Self {
        Self { bytes, shift: bytes.is_power_of_two().then(|| bytes.trailing_zeros()) }
    }

    /// The row of an address, and the beats from there to its end.
    #[inline]
    fn place(self, address: u32) -> Place {
        let row = match self.shift {
            Some(shift) => address >> shift,
            None => address / self.bytes,
        };
        Place { row, beats: (self.bytes - (address - row * self.bytes)).div_ceil(BEAT_BYTES) }
    }
}

/// The row of an address.
#[derive(Clone, Copy, Debug)]
struct Place {
    row: u32,
    /// Beats from there to its end.
    beats: u32,
}

/// What a transaction is asked for with, beside its address and beats: the same for all in one direction that are wanted
/// since the same cycle.
#[derive(Clone, Copy)]
struct Terms {
    clocks: Clocks,
    /// Ticks from the request to the first data in an open row, and more if it has to be opened.
    latency: u64,
    row_opening: u64,
    /// Beats of the longest transaction.
    longest: u32,
    /// Since when data are wanted.
    since: Tick,
}

/// What transactions so far leave to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Course {
    /// The place of the oldest one in the window, which the next one takes.
    oldest: usize,
    bus_free: Tick,
    open_row: Option<u32>,
    direction: Option<Direction>,
    n_transactions: u64,
    n_row_openings: u64,
}

impl Course {
    /// Goes to a row, for the next transaction; tells how many ticks it takes from its request to its first data.
    #[inline]
    fn open(&mut self, terms: &Terms, row: u32) -> u64 {
        if self.open_row == Some(row) {
            return terms.latency;
        }
        self.open_row = Some(row);
        self.n_row_openings += 1;
        terms.latency + terms.row_opening
    }

    /// The next transaction, of so many beats, so many ticks from its request to its first data, in the same direction as
    /// the one before.
    #[inline]
    fn ask(&mut self, terms: &Terms, window: &[Tick], latency: u64, beats: u32) -> Transaction {
        let request = terms.since.max(window[self.oldest]);
        let first_tick = (request + latency).max(self.bus_free);
        self.bus_free = first_tick + u64::from(beats) * terms.clocks.ticks_per_beat;
        self.n_transactions += 1;
        Transaction { beats, first_tick }
    }

    /// Ends a transaction whose last beat, due in cycle `due`, moved in cycle `last`. Its place in the window is free when
    /// the bus has done its part, or in that cycle if local memory let it wait.
    #[inline]
    fn complete(&mut self, clocks: &Clocks, window: &mut [Tick], (due, last): (Cycle, Cycle)) {
        window[self.oldest] = select_unpredictable(last > due, clocks.tick_of(last), self.bus_free);
        self.oldest = if self.oldest + 1 < window.len() { self.oldest + 1 } else { 0 };
    }
}

/// The channel between CP2's DMA and memory. Transactions are served in their order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Channel {
    timing: ChannelTiming,
    clocks: Clocks,
    /// The cycle since which data were wanted the last time, and its tick.
    wanted: (Cycle, Tick),
    /// Beats of the longest transaction.
    longest: u32,
    /// Ticks at which the latest `outstanding` transactions were complete, 0 for those that never
    /// were.
    window: Box<[Tick]>,
    course: Course,
}

impl Channel {
    /// A channel at rest, all rows closed.
    pub fn new(timing: ChannelTiming) -> Self {
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

    /// Whether another channel has the same parameters.
    pub(crate) fn is_built_like(&self, other: &Self) -> bool {
        self.timing == other.timing
            && self.clocks == other.clocks
            && self.longest == other.longest
            && self.window.len() == other.window.len()
    }

    /// Whether it can be a channel in a cycle: nothing is so far ahead that numbers end.
    pub(crate) fn is_possible(&self, cycle: Cycle) -> bool {
        /// Ticks that a channel can be ahead: more than any transaction takes.
        const AHEAD: u64 = 1 << 40;
        let now = self.clocks.tick_of(cycle);
        let is_near = |tick: &Tick| tick.0 <= now.0.saturating_add(AHEAD);
        let (since, tick) = self.wanted;
        let Course { oldest, bus_free, n_transactions, n_row_openings, .. } = &self.course;
        cycle.0 < 1 << 48
            && *oldest < self.window.len()
            && self.window.iter().chain([bus_free, &tick]).all(is_near)
            && since.0 <= cycle.0.saturating_add(AHEAD)
            && n_transactions.max(n_row_openings) < &(1 << 62)
    }

    /// Its parameters.
    pub fn timing(&self) -> &ChannelTiming {
        &self.timing
    }

    /// Transactions so far.
    pub fn n_transactions(&self) -> u64 {
        self.course.n_transactions
    }

    /// Rows opened so far.
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

    fn pages(&self) -> Pages {
        Pages::new(self.timing.page_bytes)
    }

    /// Begins the next transaction, with the first beats of a burst. It ends at the end of a row or at
    /// the longest transaction if that comes first. [`Channel::complete`] has to follow before the
    /// next one.
    #[inline]
    pub fn begin(&mut self, burst: &Burst) -> Transaction {
        let Burst { address, beats, direction, since } = *burst;
        let course = &mut self.course;
        if course.direction.is_some_and(|d| d != direction) {
            course.bus_free = course.bus_free + u64::from(self.timing.turn_clocks) * TICKS;
        }
        course.direction = Some(direction);
        if self.wanted.0 != since {
            self.wanted = (since, self.clocks.tick_of(since));
        }
        let terms = self.terms(direction);
        let place = self.pages().place(address);
        let latency = self.course.open(&terms, place.row);
        let beats = beats.min(place.beats).min(self.longest);
        self.course.ask(&terms, &self.window, latency, beats)
    }

    /// Cycle in which beat `k` of a transaction can be moved at the earliest.
    #[inline]
    pub fn due(&self, transaction: &Transaction, k: u32) -> Cycle {
        self.clocks.due(transaction, k)
    }

    /// The cycles in which the beats of a transaction can be moved at the earliest.
    #[cfg(test)]
    pub(crate) fn dues(&self, transaction: &Transaction) -> Dues {
        self.clocks.dues(transaction)
    }

    /// Goes on with a transaction that has begun a burst, and with what follows it in the same direction and since the same
    /// cycle, as [`Channel::begin`] and [`Channel::complete`] do, as long as `rows` lets all beats of a transaction move.
    /// No beat moves before cycle `now`.
    #[inline]
    pub(crate) fn run(
        &mut self,
        begun: Transaction,
        burst: &Burst,
        now: Cycle,
        rows: &mut impl Rows,
    ) -> Run {
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
    ) -> Run {
        let (pages, terms) = (self.pages(), Terms { clocks, ..self.terms(burst.direction) });
        // What is copied stays in the host's registers.
        let (window, mut course) = (&mut *self.window, self.course);
        let mut run = Run { beats: 0, now, begun: Some(begun) };
        // Beats of a burst, those of them before the part in a row of the memory, of that part, and what is left of it.
        let (mut address, mut beats, mut before) = (burst.address, burst.beats, 0);
        let mut part = beats.min(pages.place(address).beats);
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
                let place = pages.place(address.wrapping_add(before * BEAT_BYTES));
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

    /// Ends a transaction whose last beat moved in `cycle`. Its place in the window is free when
    /// the bus has done its part, or in that cycle if local memory let it wait.
    #[inline]
    pub fn complete(&mut self, transaction: &Transaction, cycle: Cycle) {
        let due = self.due(transaction, transaction.beats - 1);
        self.course.complete(&self.clocks, &mut self.window, (due, cycle));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    fn timing() -> ChannelTiming {
        let cost = DirectionTiming { latency_clocks: 20, row_opening_clocks: 7 };
        ChannelTiming {
            cpu_mhz: 200,
            memory_mhz: 200,
            bytes_per_clock: 16,
            transaction_bytes: 64,
            outstanding: 2,
            page_bytes: 1024,
            turn_clocks: 5,
            get: cost,
            put: cost,
        }
    }

    /// Cycles of the last beats of transactions of 4 beats at these addresses.
    fn ends(timing: ChannelTiming, accesses: &[(u32, Direction)]) -> Vec<u64> {
        let mut channel = Channel::new(timing);
        let mut last = |&(address, direction): &(u32, Direction)| {
            let t = channel.begin(&Burst { address, beats: 4, direction, since: Cycle(0) });
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
        assert_eq!(ends(ChannelTiming { outstanding: 8, ..timing() }, &at), [31, 35, 39, 43]);
    }

    #[test]
    fn another_row_has_to_be_opened_and_another_direction_turns_the_bus() {
        let at = [(0, Direction::Get), (1024, Direction::Get)];
        assert_eq!(ends(timing(), &at), [31, 35], "hidden behind the first");
        let serial = ChannelTiming { outstanding: 1, ..timing() };
        assert_eq!(ends(serial, &at), [31, 62]);
        let at = [(0, Direction::Get), (64, Direction::Put)];
        assert_eq!(ends(timing(), &at), [31, 40]);
    }

    #[test]
    fn cycles_follow_the_ratio_of_the_clocks() {
        let t = ChannelTiming { cpu_mhz: 1000, memory_mhz: 500, ..timing() };
        assert_eq!(ends(t, &[(0, Direction::Get)]), [62]);
        let channel = Channel::new(t);
        for beats in 1..40 {
            let mut channel = Channel::new(ChannelTiming { memory_mhz: 333, ..t });
            let since = Cycle(7 * u64::from(beats));
            let t = channel.begin(&Burst { address: 0, beats, direction: Direction::Get, since });
            let dues: Vec<_> = channel.dues(&t).collect();
            let first = channel.clocks.cycle_of(t.first_tick + channel.clocks.ticks_per_beat);
            assert_eq!(dues[0], first);
            assert_eq!(dues, (0..t.beats).map(|k| channel.due(&t, k)).collect::<Vec<_>>());
        }
        for cycle in Cycle(0).until(Cycle(100)) {
            assert_eq!(channel.clocks.cycle_of(channel.clocks.tick_of(cycle)), cycle);
        }
    }

    /// What is left behind so many beats.
    fn behind(burst: &Burst, beats: u32) -> Burst {
        let address = burst.address + beats * BEAT_BYTES;
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

        fn next(&mut self) -> Option<(u32, u32)> {
            self.bursts.pop_front();
            self.bursts.front().map(|burst| (burst.address, burst.beats))
        }

        fn end(&mut self, beats: u32) {
            if let Some(burst) = self.bursts.front_mut() {
                *burst = behind(burst, beats);
            }
        }
    }

    /// Goes through bursts transaction by transaction; what `run` should do with them.
    fn run_slowly(
        channel: &mut Channel,
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
            let t =
                ChannelTiming { cpu_mhz, memory_mhz, bytes_per_clock, outstanding: 5, ..timing() };
            let mut quick = Channel::new(t);
            assert!(quick.clocks.cycles_per_beat.0 > 0 || bytes_per_clock == 32);
            let mut slow = quick.clone();
            let mut now = Cycle(0);
            let mut n_late = 0;
            for n in 0..400_u64 {
                let direction = if n * n % 5 < 2 { Direction::Put } else { Direction::Get };
                let since = Cycle(now.0 / 2);
                let burst = |n: u64| {
                    let (beats, address) = (1 + (n * 7 % 90) as u32, (n * n % 251 * 48) as u32);
                    Burst { address, beats, direction, since }
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
        let mut channel = Channel::new(timing());
        let mut beats = |address, beats| {
            let burst = Burst { address, beats, direction: Direction::Get, since: Cycle(0) };
            channel.begin(&burst).beats
        };
        assert_eq!([beats(0, 100), beats(1024 - 32, 100), beats(0, 3)], [4, 2, 3]);
    }
}
