//! The work that a search may do, and how another thread breaks it off. Work is counted in operations that are put in place, never in
//! time, so that a search ends in the same state everywhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Flag by which another thread breaks off the search for schedules. All clones are the same flag.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Creates a flag that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Raises the flag: what is searched under it ends soon, without a result.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the flag is raised.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Work that is left to a search, and the flag that ends it. All clones share both.
#[derive(Clone, Debug)]
pub(crate) struct Allowance {
    interrupt: Interrupt,
    left: Arc<AtomicU64>,
}

impl Allowance {
    /// Creates an allowance of so many operations that are put in place.
    pub(crate) fn new(interrupt: &Interrupt, work: u64) -> Self {
        Self { interrupt: interrupt.clone(), left: Arc::new(AtomicU64::new(work)) }
    }

    /// Creates an allowance that ends only by the flag.
    pub(crate) fn unlimited(interrupt: &Interrupt) -> Self {
        Self::new(interrupt, u64::MAX)
    }

    /// Takes the work of putting so many operations in place; false if it is not to be done.
    pub(crate) fn spend(&self, operations: usize) -> bool {
        let left = self.left.load(Ordering::Relaxed);
        self.left.store(left.saturating_sub(operations as u64), Ordering::Relaxed);
        !self.is_over()
    }

    /// Whether the search has to end.
    pub(crate) fn is_over(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0 || self.interrupt.is_raised()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_by_its_amount_and_by_the_flag() {
        let interrupt = Interrupt::new();
        let allowance = Allowance::new(&interrupt, 5);
        assert!(allowance.clone().spend(3));
        assert_eq!(allowance.left.load(Ordering::Relaxed), 2);
        assert!(!allowance.spend(9) && allowance.is_over());
        let endless = Allowance::unlimited(&interrupt.clone());
        assert!(endless.spend(usize::MAX / 2));
        interrupt.raise();
        assert!(endless.is_over() && !endless.spend(0));
    }
}
