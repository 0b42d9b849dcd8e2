//! Knowledge that the channel needs of a kernel beside it: there is none, one in step with the channel, or one that is ahead
//! and has left its accesses.

use super::accesses::{Accesses, WordSet};
use cp2_isa::{Bank, Banks, Cycle};

/// The knowledge that the channel needs of a kernel beside it.
pub(super) trait KernelAccesses {
    /// Whether the kernel accesses this bank of local memory in a cycle.
    fn accesses(&mut self, cycle: Cycle, bank: Bank) -> bool;
    /// Returns the cycles from `cycle` to 63 cycles later in which the kernel accesses this bank, one bit each, the lowest
    /// one for `cycle`.
    fn busy(&mut self, cycle: Cycle, bank: Bank) -> u64 {
        (0..64).fold(0, |all, k| all | u64::from(self.accesses(cycle + k, bank)) << k)
    }
    /// Returns the words that the kernel has accessed in cycles which the channel has yet to pass; `None` if the kernel is in
    /// step with the channel.
    fn ahead(&self) -> Option<&WordSet> {
        None
    }
    /// Whether any cycle may be asked for, and more than once.
    fn is_known(&self) -> bool {
        true
    }
    /// Whether the kernel may access a bank at all.
    fn uses(&self, _bank: Bank) -> bool {
        true
    }
}

/// Absence of a kernel.
pub(super) struct Nothing;

impl KernelAccesses for Nothing {
    fn accesses(&mut self, _: Cycle, _: Bank) -> bool {
        false
    }
    fn uses(&self, _: Bank) -> bool {
        false
    }
}

/// Kernel in step with the channel, by the banks that it accesses in a cycle.
pub(super) struct InStep<'a, F>(pub(super) &'a mut F);

impl<F: FnMut(Cycle) -> Banks> KernelAccesses for InStep<'_, F> {
    fn accesses(&mut self, cycle: Cycle, bank: Bank) -> bool {
        (self.0)(cycle).contains(bank)
    }
    fn is_known(&self) -> bool {
        false
    }
}

impl KernelAccesses for &Accesses {
    #[inline]
    fn accesses(&mut self, cycle: Cycle, bank: Bank) -> bool {
        Accesses::accesses(self, cycle, bank)
    }
    #[inline]
    fn busy(&mut self, cycle: Cycle, bank: Bank) -> u64 {
        Accesses::busy(self, cycle, bank)
    }
    fn ahead(&self) -> Option<&WordSet> {
        Some(self.words())
    }
    fn uses(&self, bank: Bank) -> bool {
        Accesses::uses(self, bank)
    }
}
