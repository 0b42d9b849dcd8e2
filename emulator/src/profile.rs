//! Profile of a run: counts of its cycles for every bundle address. Kept on request only, by every engine, and exact: each
//! cycle of the run belongs to one bundle and one cause.

use crate::stats::{Cause, Stats};
use cp2_isa::{BundleAddress, Core};
use serde::{Deserialize, Serialize};

/// Cost of one bundle, or the sum over several bundles: cycles by cause, and floating-point operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundleCost {
    /// Cycles by cause, in the order of [`Cause::ALL`]. Cycles in which `sync` holds the issue belong to the bundle
    /// with the `sync`; cycles nullified by a loop with count 0 belong to the bundles that were skipped.
    pub causes: [u64; 6],
    /// Floating-point operations that the bundle executed: the sum over the sections in which it was enabled.
    pub flops: u64,
}

impl std::ops::Mul<u64> for BundleCost {
    type Output = Self;

    /// Returns the cost of a bundle that is executed so many times, each time with this cost.
    fn mul(self, times: u64) -> Self {
        Self { causes: self.causes.map(|cycles| cycles * times), flops: self.flops * times }
    }
}

impl BundleCost {
    /// Returns the cycles of the bundle: the sum of `causes`.
    pub fn cycles(&self) -> u64 {
        self.causes.iter().sum()
    }

    /// Adds `times` times another cost to this one.
    pub fn add(&mut self, other: &Self, times: u64) {
        for (total, new) in self.causes.iter_mut().zip(other.causes) {
            *total += new * times;
        }
        self.flops += other.flops * times;
    }
}

/// The cost of every bundle address, cycles by cause and floating-point operations, counted while a machine runs: of
/// the current run of a kernel ([`Profile::new`]), or of all runs since the profile was made
/// ([`Profile::of_all_runs`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    bundles: Vec<BundleCost>,
    /// Cost of the current run so far, whichever engine counted it.
    run: BundleCost,
    /// Whether runs before the current one stay in the profile.
    keeps_runs: bool,
    /// The bundle that issued last, which a held cycle belongs to.
    latest: BundleAddress,
}

impl Profile {
    /// Returns a profile for a core, with a cost of 0 for each bundle of its instruction memory. All costs are set to 0
    /// again when a run of a kernel begins.
    pub fn new(core: &Core) -> Self {
        Self {
            bundles: vec![BundleCost::default(); core.iram_bundles()],
            run: BundleCost::default(),
            keeps_runs: false,
            latest: BundleAddress::default(),
        }
    }

    /// Returns a profile for a core, with a cost of 0 for each bundle of its instruction memory. It keeps its costs
    /// when another run of a kernel begins.
    pub fn of_all_runs(core: &Core) -> Self {
        Self { keeps_runs: true, ..Self::new(core) }
    }

    /// Begins a run.
    pub(crate) fn begin_run(&mut self) {
        self.run = BundleCost::default();
        if !self.keeps_runs {
            self.bundles.fill(BundleCost::default());
            self.latest = BundleAddress::default();
        }
    }

    /// Goes on with a run that has counted so much before.
    pub(crate) fn join_run(&mut self, stats: &Stats) {
        self.run = BundleCost { causes: stats.causes, flops: stats.total_flops() };
    }

    /// Adds the costs of another profile, counted in other cycles of the same machine, bundle by bundle.
    pub fn join(&mut self, other: &Self) {
        self.bundles.iter_mut().zip(&other.bundles).for_each(|(total, new)| total.add(new, 1));
    }

    /// Sets the costs of all bundles to 0. The profile still knows which bundle issued last.
    pub fn clear(&mut self) {
        self.bundles.fill(BundleCost::default());
    }

    /// Sets the address of the bundle that issued last, to which held cycles belong from now on.
    pub fn set_latest(&mut self, address: BundleAddress) {
        self.latest = address;
    }

    /// Returns the cost of every bundle of instruction memory: position k belongs to bundle address k.
    pub fn bundles(&self) -> &[BundleCost] {
        &self.bundles
    }

    /// Counts one cycle for the bundle at an address, which becomes the bundle that issued last, with the
    /// floating-point operations that it executed in all enabled sections. An address outside instruction memory is not
    /// counted.
    pub fn count(&mut self, address: BundleAddress, cause: Cause, flops: u64) {
        self.latest = address;
        if let Some(cost) = self.bundles.get_mut(address.index()) {
            cost.causes[cause as usize] += 1;
            cost.flops += flops;
            self.run.causes[cause as usize] += 1;
            self.run.flops += flops;
        }
    }

    /// Counts a cycle in which nothing issued, because an earlier `sync` held the issue ([`Cause::SyncHold`]), for the
    /// bundle that issued last.
    pub fn count_held(&mut self) {
        self.count(self.latest, Cause::SyncHold, 0);
    }

    /// Adds `times` times the listed costs of bundles, for an engine that counts by itself while it executes the same
    /// bundles `times` times. The last address of the list becomes the bundle that issued last.
    pub fn add(&mut self, costs: &[(BundleAddress, BundleCost)], times: u64) {
        for (address, cost) in costs {
            self.latest = *address;
            if let Some(total) = self.bundles.get_mut(address.index()) {
                total.add(cost, times);
                self.run.add(cost, times);
            }
        }
    }

    /// Returns the sum of the costs of all bundles: cycles by cause, and floating-point operations.
    pub fn total(&self) -> BundleCost {
        let mut all = BundleCost::default();
        self.bundles.iter().for_each(|cost| all.add(cost, 1));
        all
    }

    /// Returns the address of the bundle that issued last, to which cycles of a hold are counted; address 0 if none has
    /// issued.
    pub fn latest(&self) -> BundleAddress {
        self.latest
    }

    /// Returns whether the current run has the same cycles by cause and the same number of floating-point operations in
    /// the profile as in `stats`. Engines assert it at the end of a run.
    pub fn agrees(&self, stats: &Stats) -> bool {
        self.run.causes == stats.causes && self.run.flops == stats.total_flops()
    }
}
