//! Promises that would shorten loops, tried in a thread of their own behind the findings.

use cp2_asm::Scheduled;
use cp2_asm::linear::Region;
use cp2_asm::sched::{Interrupt, LoopHints, TrialBudget, hints, stored};
use cp2_isa::Core;
use crossbeam_channel::{Receiver, Sender};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Operations that the trials for one region may put in place: about two seconds of work.
const WORK: u64 = 20_000_000;
/// Regions of which the hints are remembered.
const REMEMBERED: usize = 1024;

/// Hints for each innermost loop of a region.
pub(crate) type RegionHints = Arc<Vec<LoopHints>>;

/// Regions of an analysis for which promises are to be tried.
#[derive(Clone, Debug)]
pub(crate) struct Trials {
    pub(crate) uri: String,
    /// Number of the analysis.
    pub(crate) serial: u64,
    pub(crate) regions: Vec<Arc<Scheduled>>,
    pub(crate) interrupt: Interrupt,
}

/// Hints for the loops of the regions of an analysis.
#[derive(Debug)]
pub(crate) struct Tried {
    pub(crate) uri: String,
    pub(crate) serial: u64,
    /// Hints for each region, for each innermost loop.
    pub(crate) regions: Vec<RegionHints>,
}

/// Hints that were found, by core and region: regions that did not change are not tried again. A clone is the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownHints(Arc<Mutex<HashMap<String, RegionHints>>>);

impl KnownHints {
    /// Returns the hints of a region, if they are known.
    pub(crate) fn find(&self, core: &Core, region: &Region) -> Option<RegionHints> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&stored::key(core, region)).cloned()
    }

    fn keep(&self, core: &Core, region: &Region, hints: &RegionHints) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(stored::key(core, region), Arc::clone(hints));
    }
}

/// Tries promises until the sender is gone.
pub(crate) fn try_promises(
    core: Core,
    known: &KnownHints,
    waiting: &Receiver<Trials>,
    results: &Sender<Tried>,
) {
    while let Ok(Trials { uri, serial, regions, interrupt }) = waiting.recv() {
        let budget = TrialBudget { operations: WORK, interrupt: interrupt.clone() };
        let mut found = Vec::new();
        for scheduled in &regions {
            let Scheduled { region, report, .. } = &**scheduled;
            let hints = known.find(&core, region).unwrap_or_else(|| {
                Arc::new(hints(&core, region, report, &budget).unwrap_or_default())
            });
            if interrupt.is_raised() {
                break;
            }
            known.keep(&core, region, &hints);
            found.push(hints);
        }
        let tried = Tried { uri, serial, regions: found };
        if !interrupt.is_raised() && results.send(tried).is_err() {
            return;
        }
    }
}
