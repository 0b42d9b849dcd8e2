//! Breakpoints in code of CP2. At one the time outside of the processor stands still until CP2 may go on.

use cp2_emu::cp2::Cp2;
use cp2_isa::BundleAddress;
use std::collections::BTreeSet;

/// Breakpoints in code of CP2, by bundle address, and whether CP2 has stopped at one. A debugger sets them; a
/// [`Board`](crate::Board) holds them and stops CP2.
#[derive(Clone, Debug, Default)]
pub struct Breakpoints {
    addresses: BTreeSet<BundleAddress>,
    /// Whether the next bundle of whatever kernel is a breakpoint too.
    is_next: bool,
    /// Whether breakpoints are without effect, because the processor is replayed.
    is_off: bool,
    /// Bundle at which CP2 stopped last: number of kernels that had ended, and of bundles that the kernel had done.
    reported: Option<(u64, u64)>,
    is_stopped: bool,
}

impl Breakpoints {
    /// Returns the bundle addresses of all breakpoints, in rising order.
    pub fn addresses(&self) -> impl Iterator<Item = BundleAddress> + '_ {
        self.addresses.iter().copied()
    }

    /// Adds a breakpoint at a bundle address; returns false if there was one already.
    pub fn add(&mut self, address: BundleAddress) -> bool {
        self.addresses.insert(address)
    }

    /// Removes the breakpoint at a bundle address; returns false if there was none.
    pub fn remove(&mut self, address: BundleAddress) -> bool {
        self.addresses.remove(&address)
    }

    /// Removes all breakpoints, that of [`Breakpoints::stop_at_next`] included.
    pub fn clear(&mut self) {
        self.addresses.clear();
        self.is_next = false;
    }

    /// Makes CP2 stop once, before the next bundle, of any kernel.
    pub fn stop_at_next(&mut self) {
        self.is_next = true;
    }

    /// Sets whether breakpoints are ignored; they are kept meanwhile. If they are turned off, CP2 also goes on from the
    /// one at which it has stopped. In both cases CP2 can stop again at the bundle at which it stopped last.
    pub fn turn_off(&mut self, is_off: bool) {
        self.is_off = is_off;
        self.is_stopped &= !is_off;
        self.reported = None;
    }

    /// Whether each bundle has to be looked at.
    pub(crate) fn is_watching(&self) -> bool {
        !self.is_off && (self.is_next || !self.addresses.is_empty())
    }

    /// Returns whether CP2 has stopped at a breakpoint.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Lets CP2 go on from the breakpoint at which it has stopped; without effect if it has not.
    pub fn continue_run(&mut self) {
        self.is_stopped = false;
    }

    /// Looks at CP2 between two cycles, and returns whether it has come to a breakpoint.
    pub(crate) fn is_hit(&mut self, cp2: &Cp2, n_kernels: u64) -> bool {
        if !self.is_watching() || !cp2.is_running() {
            return false;
        }
        let bundle = Some((n_kernels, cp2.stats().bundles()));
        let is_one = self.is_next || self.addresses.contains(&cp2.state.pc);
        // A bundle that waits is stopped at only once.
        if !is_one || self.reported == bundle {
            return false;
        }
        self.reported = bundle;
        self.is_next = false;
        self.is_stopped = true;
        true
    }
}
