//! Promises that would shorten loops, tried in a thread of their own behind the findings.

use cp2_asm::Scheduled;
use cp2_asm::sched::{Interrupt, LoopHints};
use cp2_isa::Core;
use cp2_session::Environment;
use crossbeam_channel::{Receiver, Sender};
use std::sync::Arc;

/// Operations that the trials for one region may put in place, as many as `cp2 sched` allows.
const WORK: u64 = 20_000_000;

/// Hints for each innermost loop of a region.
pub(crate) type RegionHints = Arc<Vec<LoopHints>>;

/// Regions of an analysis for which promises are to be tried, each with the core that it is for.
#[derive(Clone, Debug)]
pub(crate) struct Trials {
    pub(crate) uri: String,
    /// Number of the analysis.
    pub(crate) serial: u64,
    pub(crate) regions: Vec<(Core, Arc<Scheduled>)>,
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

/// Tries promises until the sender is gone.
pub(crate) fn try_promises(
    environment: &Environment,
    waiting: &Receiver<Trials>,
    results: &Sender<Tried>,
) {
    while let Ok(Trials { uri, serial, regions, interrupt }) = waiting.recv() {
        let environment = environment.clone().with_interrupt(&interrupt);
        let mut found = Vec::new();
        for (core, scheduled) in &regions {
            let Scheduled { region, report, .. } = &**scheduled;
            if interrupt.is_raised() {
                break;
            }
            found.push(environment.hints(core, (region, report), WORK));
        }
        let tried = Tried { uri, serial, regions: found };
        if !interrupt.is_raised() && results.send(tried).is_err() {
            return;
        }
    }
}
