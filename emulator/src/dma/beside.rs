//! What the channel has to know of a kernel beside it: none, one in step with the channel, or one that
//! is ahead and has left its accesses.

use super::accesses::{Accesses, Words};
use cp2_isa::{Bank, Banks, Cycle};

/// The knowledge that the channel needs of a kernel beside it.
pub(super) trait Beside {
    /// Whether the kernel accesses this bank of local memory in a cycle.
    fn accesses(&mut self, cycle: Cycle, bank: Bank) -> bool;
    /// The cycles from `cycle` to 63 cycles later in which the kernel accesses this bank, one bit each, the lowest one
    /// for `cycle`.
    fn busy(&mut self, cycle: Cycle, bank: Bank) -> u64 {
        (0..64).fold(0, |all, k| all | u64::from(self.accesses(cycle + k, bank)) << k)
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
    fn accesses(&mut self, _: Cycle, _: Bank) -> bool {
        false
    }
    fn uses(&self, _: Bank) -> bool {
        false
    }
}

/// A kernel in step with the channel, by the banks that it accesses in a cycle.
pub(super) struct InStep<'a, F>(pub(super) &'a mut F);

impl<F: FnMut(Cycle) -> Banks> Beside for InStep<'_, F> {
    fn accesses(&mut self, cycle: Cycle, bank: Bank) -> bool {
        (self.0)(cycle).contains(bank)
    }
    fn is_known(&self) -> bool {
        false
    }
}

impl Beside for &Accesses {
    #[inline]
    fn accesses(&mut self, cycle: Cycle, bank: Bank) -> bool {
        Accesses::accesses(self, cycle, bank)
    }
    #[inline]
    fn busy(&mut self, cycle: Cycle, bank: Bank) -> u64 {
        Accesses::busy(self, cycle, bank)
    }
    fn ahead(&self) -> Option<&Words> {
        Some(self.words())
    }
    fn uses(&self, bank: Bank) -> bool {
        Accesses::uses(self, bank)
    }
}
