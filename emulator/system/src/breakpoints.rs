//! Breakpoints in code of CP2: time outside of the processor stands still at one, until somebody lets it go on.

use cp2_emu::cp2::Cp2;
use cp2_isa::BundleAddress;
use std::collections::BTreeSet;

/// Breakpoints, and whether CP2 stands at one.
#[derive(Clone, Debug, Default)]
pub struct Breakpoints {
    addresses: BTreeSet<BundleAddress>,
    /// The next bundle of whatever kernel is one too.
    is_next: bool,
    /// What was is computed again: nobody stops.
    is_off: bool,
    /// The bundle that was stopped at last: kernels that had ended, bundles that the kernel had done.
    reported: Option<(u64, u64)>,
    is_stopped: bool,
}

impl Breakpoints {
    /// All of them.
    pub fn addresses(&self) -> impl Iterator<Item = BundleAddress> + '_ {
        self.addresses.iter().copied()
    }

    /// Adds one; false if it is there.
    pub fn add(&mut self, address: BundleAddress) -> bool {
        self.addresses.insert(address)
    }

    /// Takes one away; false if there is none.
    pub fn remove(&mut self, address: BundleAddress) -> bool {
        self.addresses.remove(&address)
    }

    /// Takes all away.
    pub fn clear(&mut self) {
        self.addresses.clear();
        self.is_next = false;
    }

    /// Stops at the next bundle, whichever it is.
    pub fn stop_at_next(&mut self) {
        self.is_next = true;
    }

    /// Whether nobody stops at any.
    pub fn turn_off(&mut self, is_off: bool) {
        self.is_off = is_off;
        self.is_stopped &= !is_off;
        self.reported = None;
    }

    /// Whether each bundle has to be looked at.
    pub(crate) fn is_watching(&self) -> bool {
        !self.is_off && (self.is_next || !self.addresses.is_empty())
    }

    /// Whether CP2 stands at one.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Lets time go on.
    pub fn go_on(&mut self) {
        self.is_stopped = false;
    }

    /// Looks at CP2 between two cycles; whether it stands at one now.
    pub(crate) fn look(&mut self, cp2: &Cp2, n_kernels: u64) -> bool {
        if !self.is_watching() || !cp2.is_running() {
            return false;
        }
        let bundle = Some((n_kernels, cp2.stats().bundles()));
        let is_one = self.is_next || self.addresses.contains(&cp2.state.pc);
        // A bundle that waits is stopped at once.
        if !is_one || self.reported == bundle {
            return false;
        }
        self.reported = bundle;
        self.is_next = false;
        self.is_stopped = true;
        true
    }
}
