//! Reaches: bytes around the value of a register whose pages have been looked at, as values.

use super::assembler::Label;
use super::form::Form;
use crate::engine::operation::Operation;
use crate::memory::MAY_BOTH;

/// Most bytes from the first to the last of accesses that are looked at together: then they are on two pages at most.
const REACH: i32 = 4096;

/// Bytes around the value of a register of the guest, whose pages have a right.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// Register of the guest.
    pub(super) base: u8,
    /// Displacements of the first and the last byte.
    pub(super) first: i32,
    pub(super) last: i32,
    /// Right that the pages have.
    pub(super) right: u8,
    /// Logarithm of a number of which the value of the register is a multiple.
    pub(super) alignment: u32,
}

impl Reach {
    /// Returns the reach of one access.
    pub(super) fn of(op: &Operation, form: Form) -> Self {
        Self {
            base: op.a,
            first: op.imm,
            last: op.imm + (1 << form.bits) - 1,
            right: form.right,
            alignment: form.bits,
        }
    }

    /// Whether an access needs no look.
    pub(super) fn covers(&self, op: &Operation, form: Form) -> bool {
        let one = Self::of(op, form);
        self.base == one.base
            && self.first <= one.first
            && one.last <= self.last
            && (self.right == one.right || self.right == MAY_BOTH)
            && one.alignment <= self.alignment
            && is_multiple(op.imm, form.bits)
    }

    /// Returns the reach of this and an access; `None` if it would be too long.
    pub(super) fn with(&self, op: &Operation, form: Form) -> Option<Self> {
        let one = Self::of(op, form);
        let both = Self {
            base: self.base,
            first: self.first.min(one.first),
            last: self.last.max(one.last),
            right: if self.right == one.right { self.right } else { MAY_BOTH },
            alignment: self.alignment.max(one.alignment),
        };
        (both.last - both.first < REACH).then_some(both)
    }
}

/// Whether a displacement is a multiple of the size with this logarithm.
pub(super) const fn is_multiple(displacement: i32, bits: u32) -> bool {
    displacement & ((1 << bits) - 1) == 0
}

/// Second page of a reach, which is looked at behind the block.
pub(super) struct SecondPage {
    pub(super) label: Label,
    pub(super) back: Label,
    pub(super) rare: Label,
    pub(super) right: u8,
}
