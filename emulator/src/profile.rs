//! Profile of a run: counts of its cycles for every bundle address. Kept on request only, by every engine, and exact: each
//! cycle of the run belongs to one bundle and one cause.

use crate::stats::{Cause, Stats};
use cp2_isa::{BundleAddress, Core};
use serde::{Deserialize, Serialize};

/// The cost of a bundle, or of several together: cycles by cause, and floating-point operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundleCost {
    /// Cycles by cause, in the order of [`Cause::ALL`]. Those in which `sync` or `stop` held the issue
    /// are of the bundle with that operation, those of a loop with count 0 of the bundles it skips.
    pub causes: [u64; 6],
    /// Floating-point operations in the enabled sections, all sections together.
    pub flops: u64,
}

impl BundleCost {
    /// Returns the number of cycles of the bundle, whatever their cause.
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

/// The cost of every bundle in a run, or in all runs of a stretch of time.
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
    /// Returns a profile in which nothing is counted yet, for an instruction memory of this core.
    pub fn new(core: &Core) -> Self {
        Self {
            bundles: vec![BundleCost::default(); core.iram_bundles()],
            run: BundleCost::default(),
            keeps_runs: false,
            latest: BundleAddress::default(),
        }
    }

    /// Returns an empty profile for all runs of a stretch of time.
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

    /// Adds what was counted in other cycles of the same machine.
    pub fn join(&mut self, other: &Self) {
        self.bundles.iter_mut().zip(&other.bundles).for_each(|(total, new)| total.add(new, 1));
    }

    /// Forgets what was counted, but not which bundle issued last.
    pub fn clear(&mut self) {
        self.bundles.fill(BundleCost::default());
    }

    /// Returns the cost of every bundle, by address.
    pub fn bundles(&self) -> &[BundleCost] {
        &self.bundles
    }

    /// Counts a cycle of the bundle at an address.
    pub fn count(&mut self, address: BundleAddress, cause: Cause, flops: u64) {
        self.latest = address;
        if let Some(cost) = self.bundles.get_mut(address.index()) {
            cost.causes[cause as usize] += 1;
            cost.flops += flops;
            self.run.causes[cause as usize] += 1;
            self.run.flops += flops;
        }
    }

    /// Counts a cycle in which nothing issued, for the bundle that issued last.
    pub fn count_held(&mut self) {
        self.count(self.latest, Cause::SyncHold, 0);
    }

    /// Adds the costs of a run of these bundles that another engine has done so many times. The last of them is the one that
    /// issued last.
    pub fn add(&mut self, costs: &[(BundleAddress, BundleCost)], times: u64) {
        for (address, cost) in costs {
            self.latest = *address;
            if let Some(total) = self.bundles.get_mut(address.index()) {
                total.add(cost, times);
                self.run.add(cost, times);
            }
        }
    }

    /// Returns the cost of all bundles together.
    pub fn total(&self) -> BundleCost {
        let mut all = BundleCost::default();
        self.bundles.iter().for_each(|cost| all.add(cost, 1));
        all
    }

    /// Returns the address of the bundle that issued last.
    pub fn latest(&self) -> BundleAddress {
        self.latest
    }

    /// Whether the profile has every cycle and every operation that the current run has counted.
    pub fn agrees(&self, stats: &Stats) -> bool {
        self.run.causes == stats.causes && self.run.flops == stats.total_flops()
    }
}
