//! Clocks: ticks of the memory, cycles of CP2, and the beats of a transaction in them.

use cp2_isa::Cycle;
use serde::{Deserialize, Serialize};
use std::ops::Add;

/// Number of ticks of one memory clock.
pub(super) const TICKS: u64 = 16;

/// A moment on the clock of the memory, in ticks since reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Tick(pub(super) u64);

impl Add<u64> for Tick {
    type Output = Self;

    #[inline]
    fn add(self, ticks: u64) -> Self {
        Self(self.0 + ticks)
    }
}

/// A fraction by which numbers are multiplied again and again, rounded up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Ratio {
    numerator: u64,
    denominator: u64,
    /// 2^64 / denominator, rounded down.
    reciprocal: u64,
    /// Binary logarithm of the denominator, if it is a power of two.
    shift: Option<u32>,
}

impl Ratio {
    pub(super) const fn new(numerator: u64, denominator: u64) -> Self {
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

    /// Returns `n` times the ratio, rounded up. The reciprocal replaces a division, which is slow: it gives the
    /// quotient or a little less.
    #[inline]
    pub(super) fn times(&self, n: u64) -> u64 {
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

/// The relation of ticks, cycles and beats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Clocks {
    ticks_per_cycle: Ratio,
    cycles_per_tick: Ratio,
    pub(super) ticks_per_beat: u64,
    /// Cycles from beat to beat, the whole ones, and the rest in parts of `cycles_per_tick`.
    pub(super) cycles_per_beat: (u64, u64),
}

impl Clocks {
    /// The clocks of a memory at the clock of CP2, with a beat in each clock.
    pub(super) const EVEN: Self = Self::new(1, 1, TICKS);

    pub(super) const fn new(cpu_mhz: u64, memory_mhz: u64, ticks_per_beat: u64) -> Self {
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

    /// Returns the number of cycles that are a whole number of ticks, the smallest one.
    pub(super) const fn period(&self) -> u64 {
        self.ticks_per_cycle.denominator
    }

    /// Returns the first tick that is not before the start of a cycle.
    #[inline]
    pub(super) fn tick_of(&self, cycle: Cycle) -> Tick {
        Tick(self.ticks_per_cycle.times(cycle.0))
    }

    /// Returns the first cycle that does not start before a tick.
    #[inline]
    pub(super) fn cycle_of(&self, tick: Tick) -> Cycle {
        Cycle(self.cycles_per_tick.times(tick.0))
    }

    /// Returns the cycle in which beat `k` of a transaction can be moved at the earliest.
    #[inline]
    pub(super) fn due(&self, transaction: &Transaction, k: u32) -> Cycle {
        self.cycle_of(transaction.first_tick + (u64::from(k) + 1) * self.ticks_per_beat)
    }

    /// Returns the cycles in which the beats of a transaction can be moved at the earliest.
    #[inline]
    pub(super) fn dues(&self, transaction: &Transaction) -> Dues {
        let (step, rest) = self.cycles_per_beat;
        let Ratio { numerator, denominator, .. } = self.cycles_per_tick;
        let tick = transaction.first_tick + self.ticks_per_beat;
        let next = self.due(transaction, 0);
        let last = self.due(transaction, transaction.beats - 1);
        let over = next.0 * denominator - tick.0 * numerator;
        Dues { next, last, left: transaction.beats, step, rest, over, denominator }
    }
}

/// Transaction: beats of 16 bytes at rising addresses of system memory that memory serves as one. Made by
/// [`MemoryPort::begin`](super::MemoryPort::begin).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transaction {
    /// Number of beats in the transaction, 16 bytes each.
    pub beats: u32,
    /// Tick at which the first beat begins to come.
    pub(super) first_tick: Tick,
}

/// Cycles in which the beats of a transaction are due.
#[derive(Clone, Debug)]
pub(crate) struct Dues {
    next: Cycle,
    /// Cycle in which the last beat is due.
    pub(crate) last: Cycle,
    left: u32,
    /// Cycles from beat to beat, the whole ones, and the rest in parts of a cycle: added in place of a division for
    /// each.
    step: u64,
    rest: u64,
    /// Time by which the next cycle is later than its tick, in parts of a cycle.
    over: u64,
    /// Number of parts of a cycle.
    denominator: u64,
}

impl Dues {
    /// Returns the cycle in which the next beat is due.
    #[inline]
    pub(crate) fn first(&self) -> Cycle {
        self.next
    }

    /// Returns the number of the cycles, if each is the one behind the other.
    #[inline]
    pub(crate) fn in_a_row(&self) -> Option<u32> {
        (self.step == 1 && self.rest == 0).then_some(self.left)
    }

    /// Whether the cycles are at least one apart, so that no beat has to wait for the one before.
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
