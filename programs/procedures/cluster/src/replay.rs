//! Ranks whose times alone are found: the chains of a rank are not run, but take the times that they have been measured to take on
//! one machine for all ranks of the same outline. Messages have their sizes and no contents.

use crate::driver::RankPart;
use crate::error::ClusterMgError;
use crate::exchange::ExchangePlans;
use cp2_isa::{Cycle, MemoryAddress};
use cp2_procedures::multigrid::{MultigridPart, MultigridTimes, PartMoment};
use cp2_session::error::KernelError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Machine of an outline on which times are measured, and the exchanges of its ranks.
#[derive(Debug)]
pub(crate) struct TimedOutline {
    pub(crate) times: MultigridTimes,
    pub(crate) plans: ExchangePlans,
}

/// Machines of all outlines of a run: of the rank that does the gathered levels alone, and of the others. The threads of a run
/// share them.
#[derive(Debug, Default)]
pub(crate) struct TimedOutlines {
    root: Mutex<Option<SharedTimes>>,
    others: Mutex<Option<SharedTimes>>,
}

type SharedTimes = Arc<Mutex<TimedOutline>>;

/// Opens what threads share. A thread that panicked has left nothing half done that is used again.
fn open<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TimedOutlines {
    /// Returns the part of a rank; `make` makes the machine of its outline and the exchanges, if there is none yet.
    pub(crate) fn part(
        &self,
        is_root: bool,
        make: impl FnOnce() -> Result<(MultigridPart, ExchangePlans), ClusterMgError>,
    ) -> Result<ReplayedPart, ClusterMgError> {
        let mut place = open(if is_root { &self.root } else { &self.others });
        let shared = match &*place {
            Some(shared) => shared.clone(),
            None => {
                let (part, plans) = make()?;
                let outline = TimedOutline { times: MultigridTimes::new(part), plans };
                place.insert(Arc::new(Mutex::new(outline))).clone()
            }
        };
        let at = open(&shared).times.begin();
        Ok(ReplayedPart { shared, at })
    }
}

/// Part of a rank that takes known times.
#[derive(Debug)]
pub(crate) struct ReplayedPart {
    shared: SharedTimes,
    at: PartMoment,
}

impl ReplayedPart {
    /// Returns what all ranks of the outline have in common.
    pub(crate) fn outline(&self) -> MutexGuard<'_, TimedOutline> {
        open(&self.shared)
    }
}

impl RankPart for ReplayedPart {
    fn cycle(&self) -> Cycle {
        self.at.cycle()
    }

    fn pass_until(&mut self, cycle: Cycle) -> Result<(), KernelError> {
        self.at.pass_until(cycle);
        Ok(())
    }

    fn run_chain(&mut self, number: usize) -> Result<(), KernelError> {
        open(&self.shared).times.run_chain(number, &mut self.at)
    }

    fn read_words(&mut self, _: MemoryAddress, count: usize) -> Result<Vec<u64>, KernelError> {
        Ok(vec![0; count])
    }

    fn write_words(&mut self, _: MemoryAddress, _: &[u64]) -> Result<(), KernelError> {
        Ok(())
    }

    fn save(&mut self) -> Result<Vec<u8>, KernelError> {
        Ok(self.at.save())
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), KernelError> {
        self.at = open(&self.shared).times.restored(saved)?;
        Ok(())
    }
}
