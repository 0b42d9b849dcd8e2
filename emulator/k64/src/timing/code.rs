//! The model of time as translated code has it: what it computes with, and where it finds that.
//!
//! Code counts slots: those of a cycle are side by side, so the cycle is the number of slots by a power of two. The number
//! stands twice, and 1 more, in a register; a time that is greater, as `Ready` has it, is that of a later cycle.

use super::class::Class;
use super::{CodeCaches, Cost, InstructionCosts, Ready, StallCause, Timing};
use std::mem::offset_of;

/// Costs of instructions and forms of caches, as far as code computes with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CodeCosts {
    /// Logarithm of what a cycle counts for.
    pub(crate) shift: u32,
    pub(crate) branch: u32,
    pub(crate) load: u32,
    pub(crate) caches: CodeCaches,
    by_class: [Cost; Class::COUNT],
}

impl CodeCosts {
    /// Returns the costs; `None` if code cannot compute with them.
    pub(super) fn of(
        costs: &InstructionCosts,
        by_class: [Cost; Class::COUNT],
        shift: u32,
        caches: Option<CodeCaches>,
    ) -> Option<Self> {
        // Sums with a cost are to fit the instructions.
        const MOST: u32 = 1 << 20;
        let is_small = by_class.iter().all(|cost| cost.latency.max(cost.repeat) < MOST)
            && costs.branch.max(costs.load) < MOST;
        let is_able = costs.width.is_power_of_two() && is_small;
        let caches = caches.filter(|_| is_able)?;
        Some(Self { shift, branch: costs.branch, load: costs.load, caches, by_class })
    }

    pub(crate) fn of_class(&self, class: Class) -> Cost {
        self.by_class[class as usize]
    }

    /// Returns the number of instructions that issue in a cycle at most.
    pub(crate) fn width(&self) -> u32 {
        1 << (self.shift - 1)
    }
}

/// Part of the model that only translated code uses.
#[derive(Clone)]
pub(super) struct CodeTime {
    /// Twice the number of slots, and 1.
    now: u64,
    /// Value of `now` at the limit of the run.
    limit: u64,
    /// Addresses of the lines of the caches of instructions and of data.
    lines: [u64; 2],
    costs: Option<CodeCosts>,
}

impl CodeTime {
    pub(super) const fn new(costs: Option<CodeCosts>) -> Self {
        Self { now: 1, limit: u64::MAX, lines: [0; 2], costs }
    }
}

impl Timing {
    /// Offset of the register's contents that code computes with.
    pub(crate) const NOW: i64 = (offset_of!(Self, code) + offset_of!(CodeTime, now)) as i64;
    /// Offset of what it is at the limit of the run.
    pub(crate) const LIMIT: i64 = (offset_of!(Self, code) + offset_of!(CodeTime, limit)) as i64;
    /// Offset of the addresses of the lines of the caches of instructions and of data.
    pub(crate) const LINES: i64 = (offset_of!(Self, code) + offset_of!(CodeTime, lines)) as i64;
    const READY: i64 = offset_of!(Self, ready) as i64;
    const UNITS: i64 = offset_of!(Self, units) as i64;
    /// Offset of the numbers of cycles that were lost, by cause.
    pub(crate) const STALLED: i64 = offset_of!(Self, n_stalled) as i64;

    /// Returns the offset of the time at which a register has its value.
    pub(crate) const fn ready_at(register: u8) -> i64 {
        Self::READY + (register as usize * size_of::<Ready>()) as i64
    }

    /// Returns the offset of the time at which a unit is free.
    pub(crate) const fn unit_at(unit: usize) -> i64 {
        Self::UNITS + (unit * size_of::<Ready>()) as i64
    }

    /// Returns the offset of the number of cycles that were lost for a cause.
    pub(crate) const fn stalled_at(cause: StallCause) -> i64 {
        Self::STALLED + 8 * cause as i64
    }

    /// Returns what code computes with; `None` if it cannot.
    pub(crate) fn code_costs(&self) -> Option<&CodeCosts> {
        self.code.costs.as_ref()
    }

    /// Makes the model ready for code that runs to a cycle; returns the address of the model.
    pub(crate) fn lend_to_code(&mut self, limit: u64) -> u64 {
        let is_near = limit.leading_zeros() >= self.shift;
        self.code.limit = if is_near { limit << self.shift } else { u64::MAX };
        self.code.lines = self.caches.lines();
        self.give_to_code();
        std::ptr::from_mut(self).expose_provenance() as u64
    }

    /// Gives the present time to code.
    pub(crate) fn give_to_code(&mut self) {
        self.code.now = self.now << self.shift | u64::from(self.n_used) << 1 | 1;
    }

    /// Takes the present time from code.
    pub(crate) fn take_from_code(&mut self) {
        let slots = self.code.now >> 1;
        self.now = self.code.now >> self.shift;
        self.n_used = (slots & ((1 << (self.shift - 1)) - 1)) as u32;
        // What stops code has issued just before.
        self.issued_at = slots.saturating_sub(1) >> (self.shift - 1);
    }
}
