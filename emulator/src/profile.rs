//! Where the cycles of a run went: counts for every bundle address. Kept on request only, by every
//! engine, and exact: each cycle of the run belongs to one bundle and one cause.

use crate::stats::{Cause, Stats};
use cp2_isa::{BundleAddress, Core};

/// What one bundle cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BundleCost {
    /// Cycles by cause, in the order of [`Cause::ALL`]. Those in which `sync` or `stop` held the issue
    /// are of the bundle with that operation, those of a loop with count 0 of the bundles it skips.
    pub causes: [u64; 6],
    /// Floating-point operations in the enabled sections, all sections together.
    pub flops: u64,
}

impl BundleCost {
    /// Cycles of the bundle, whatever their cause.
    pub fn cycles(&self) -> u64 {
        self.causes.iter().sum()
    }

    /// Adds another cost, `times` times.
    pub fn add(&mut self, other: &Self, times: u64) {
        for (total, new) in self.causes.iter_mut().zip(other.causes) {
            *total += new * times;
        }
        self.flops += other.flops * times;
    }
}

/// The cost of every bundle in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    bundles: Vec<BundleCost>,
    /// The bundle that issued last, which a held cycle belongs to.
    latest: BundleAddress,
}

impl Profile {
    /// Nothing counted yet, in an instruction memory of this core.
    pub fn new(core: &Core) -> Self {
        Self {
            bundles: vec![BundleCost::default(); core.iram_bundles()],
            latest: BundleAddress::default(),
        }
    }

    /// The cost of every bundle, by address.
    pub fn bundles(&self) -> &[BundleCost] {
        &self.bundles
    }

    /// Counts a cycle of the bundle at an address.
    pub fn count(&mut self, address: BundleAddress, cause: Cause, flops: u64) {
        self.latest = address;
        if let Some(cost) = self.bundles.get_mut(address.index()) {
            cost.causes[cause as usize] += 1;
            cost.flops += flops;
        }
    }

    /// Counts a cycle in which nothing issued, for the bundle that issued last.
    pub fn count_held(&mut self) {
        self.count(self.latest, Cause::SyncHold, 0);
    }

    /// Adds what a run of these bundles costs that another engine has done so many times. The last of
    /// them is the one that issued last.
    pub fn add(&mut self, costs: &[(BundleAddress, BundleCost)], times: u64) {
        for (address, cost) in costs {
            self.latest = *address;
            if let Some(total) = self.bundles.get_mut(address.index()) {
                total.add(cost, times);
            }
        }
    }

    /// Whether it has every cycle and every operation that a run has counted.
    pub fn agrees(&self, stats: &Stats) -> bool {
        let mut all = BundleCost::default();
        self.bundles.iter().for_each(|cost| all.add(cost, 1));
        all.causes == stats.causes && all.flops == stats.total_flops()
    }
}
