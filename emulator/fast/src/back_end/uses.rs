//! Lookups at every step when registers are given out: when a value is used next, and which registers the step has taken
//! already.

use crate::ir::instruction::{Ins, Value};

/// Step that stands for the next use of a value that is not used again.
pub(super) const NEVER: u32 = u32::MAX;

/// Uses of all values that are still to come.
pub(super) struct Uses {
    /// Next use of each value, and the place in `later` of the use behind it.
    next: Vec<(u32, u32)>,
    /// Uses, each with the place in `later` of the same value's next one.
    later: Vec<(u32, u32)>,
}

impl Uses {
    /// Creates the uses of so many values in these steps.
    pub(super) fn new(ins: &[Ins], values: usize) -> Self {
        let mut uses =
            Self { next: vec![(NEVER, 0); values], later: Vec::with_capacity(2 * ins.len()) };
        for (step, ins) in ins.iter().enumerate().rev() {
            ins.for_each_source(|value| {
                let next = &mut uses.next[value as usize];
                uses.later.push(*next);
                *next = (step as u32, (uses.later.len() - 1) as u32);
            });
        }
        uses
    }

    /// Returns the step that uses a value next.
    #[inline]
    pub(super) fn next(&self, value: Value) -> u32 {
        self.next[value as usize].0
    }

    /// Passes the uses of a value in a step, and returns the step that uses it next.
    pub(super) fn next_use(&mut self, value: Value, step: u32) -> u32 {
        let next = &mut self.next[value as usize];
        while next.0 == step {
            *next = self.later[next.1 as usize];
        }
        next.0
    }
}

/// Registers that a step has taken, one bit each.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pinned(u32);

impl Pinned {
    pub(super) fn push(&mut self, register: u8) {
        self.0 |= 1 << register;
    }

    #[inline]
    pub(super) fn contains(&self, register: u8) -> bool {
        self.0 >> register & 1 != 0
    }
}
