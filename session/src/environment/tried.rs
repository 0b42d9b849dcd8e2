//! Promises that loops of linear code lack, remembered by region: programs that look at a text again and again, as editors do, try
//! them once.

use super::Environment;
use crate::reuse::lock;
use cp2_asm::linear::Region;
use cp2_asm::sched::{LoopHints, RegionReport, TrialBudget, hints, stored};
use cp2_isa::Core;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Regions whose hints are remembered; then all are forgotten, since what is needed comes back soon.
const REMEMBERED: usize = 1024;

/// Hints for the innermost loops of regions, by core and region.
#[derive(Default)]
struct TriedRegions(Mutex<HashMap<String, Arc<Vec<LoopHints>>>>);

impl Environment {
    /// Returns what promises would win for each innermost loop of a region, if this environment or a clone has tried them.
    pub fn known_hints(&self, core: &Core, region: &Region) -> Option<Arc<Vec<LoopHints>>> {
        let tried = self.shared::<TriedRegions>();
        lock(&tried.0).get(&stored::key(core, region)).cloned()
    }

    /// Returns what promises would win for each innermost loop of a scheduled region, as [`hints`] finds it within so many operations
    /// that are put in place. It is remembered, unless the flag of the environment breaks it off.
    pub fn hints(
        &self,
        core: &Core,
        (region, report): (&Region, &RegionReport),
        operations: u64,
    ) -> Arc<Vec<LoopHints>> {
        if let Some(known) = self.known_hints(core, region) {
            return known;
        }
        let budget = TrialBudget { operations, interrupt: self.interrupt() };
        let found = Arc::new(hints(core, region, report, &budget).unwrap_or_default());
        if !budget.interrupt.is_raised() {
            let tried = self.shared::<TriedRegions>();
            let mut tried = lock(&tried.0);
            if tried.len() >= REMEMBERED {
                tried.clear();
            }
            tried.insert(stored::key(core, region), Arc::clone(&found));
        }
        found
    }
}
