//! Breakpoints in code of CP2: time outside of the processor stands still at one, until CP2 is told to go on.

use cp2_emu::cp2::Cp2;
use cp2_isa::BundleAddress;
use std::collections::BTreeSet;

/// Breakpoints in code of CP2, and whether it stands at one.
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
    /// Returns the addresses of all breakpoints.
    pub fn addresses(&self) -> impl Iterator<Item = BundleAddress> + '_ {
        self.addresses.iter().copied()
    }

    /// Adds a breakpoint; false if it is there.
    pub fn add(&mut self, address: BundleAddress) -> bool {
        self.addresses.insert(address)
    }

    /// Removes a breakpoint; false if there is none.
    pub fn remove(&mut self, address: BundleAddress) -> bool {
        self.addresses.remove(&address)
    }

    /// Removes all breakpoints.
    pub fn clear(&mut self) {
        self.addresses.clear();
        self.is_next = false;
    }

    /// Makes the next bundle a breakpoint, whichever it is.
    pub fn stop_at_next(&mut self) {
        self.is_next = true;
    }

    /// Sets whether breakpoints are without effect, which does not remove them. Turning them off also lets CP2 go on from the
    /// one at which it stands; either way the bundle at which it stopped last can stop it again.
    pub fn turn_off(&mut self, is_off: bool) {
        self.is_off = is_off;
        self.is_stopped &= !is_off;
        self.reported = None;
    }

    /// Whether each bundle has to be looked at.
    pub(crate) fn is_watching(&self) -> bool {
        !self.is_off && (self.is_next || !self.addresses.is_empty())
    }

    /// Whether CP2 stands at a breakpoint.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Lets CP2 go on from a breakpoint.
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
