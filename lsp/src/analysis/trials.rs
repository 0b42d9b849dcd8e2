//! Promises that would shorten loops, tried in a thread of their own behind the findings.

use cp2_asm::Scheduled;
use cp2_asm::sched::{Interrupt, LoopHints, TrialBudget, hints, stored};
use cp2_isa::Core;
use crossbeam_channel::{Receiver, Sender};
use std::collections::HashMap;
use std::sync::Arc;

/// Operations that the trials for one region may put in place: about two seconds of work.
const WORK: u64 = 20_000_000;
/// Regions of which the hints are remembered.
const REMEMBERED: usize = 1024;

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
    pub(crate) regions: Vec<Arc<Vec<LoopHints>>>,
}

/// Tries promises until the sender is gone.
pub(crate) fn try_promises(core: Core, waiting: &Receiver<Trials>, results: &Sender<Tried>) {
    let mut known: HashMap<String, Arc<Vec<LoopHints>>> = HashMap::new();
    while let Ok(trials) = waiting.recv() {
        let budget = TrialBudget { operations: WORK, interrupt: trials.interrupt.clone() };
        let mut regions = Vec::new();
        for scheduled in &trials.regions {
            if trials.interrupt.is_raised() {
                break;
            }
            let Scheduled { region, report, .. } = &**scheduled;
            let key = stored::key(&core, region);
            if let Some(hints) = known.get(&key) {
                regions.push(Arc::clone(hints));
                continue;
            }
            let found = Arc::new(hints(&core, region, report, &budget).unwrap_or_default());
            if known.len() >= REMEMBERED {
                known.clear();
            }
            if !trials.interrupt.is_raised() {
                known.insert(key, Arc::clone(&found));
            }
            regions.push(found);
        }
        let Trials { uri, serial, interrupt, .. } = trials;
        if !interrupt.is_raised() && results.send(Tried { uri, serial, regions }).is_err() {
            return;
        }
    }
}
