//! Times of the chains of a part without its values: each is measured once for each state with which it begins. Parts of the same
//! outline share what is known.

use super::MultigridPart;
use crate::host::pages::{ChainMoment, KnownTimes};
use cp2_emu::memory::{MemoryPort, PortRest};
use cp2_isa::Cycle;
use cp2_session::error::{KeepingError, KernelError};
use serde::{Deserialize, Serialize};

/// Part of a process on whose machine the times of chains are measured, and all that were.
#[derive(Debug)]
pub struct MultigridTimes {
    part: MultigridPart,
    known: KnownTimes,
}

/// Moment of a process between two chains, as far as it matters for times.
#[derive(Clone, Debug)]
pub struct PartMoment {
    moment: ChainMoment,
    /// Whether the kernels have been sent to instruction memory.
    is_begun: bool,
}

/// Moment in a checkpoint.
#[derive(Serialize, Deserialize)]
struct SavedMoment {
    cycle: Cycle,
    rest: PortRest,
    is_begun: bool,
}

impl MultigridTimes {
    /// Takes a part, with all chains, that has not run.
    pub fn new(part: MultigridPart) -> Self {
        Self { part, known: KnownTimes::default() }
    }

    /// Returns the part.
    pub fn part(&mut self) -> &mut MultigridPart {
        &mut self.part
    }

    /// Returns the moment of a process that has done nothing.
    pub fn begin(&mut self) -> PartMoment {
        let port = MemoryPort::new(*self.part.machine().dma.port().timing());
        PartMoment { moment: ChainMoment { cycle: Cycle::RESET, port }, is_begun: false }
    }

    /// Takes a moment behind a chain. The first one is that of a process which sends its kernels to instruction memory before.
    ///
    /// # Errors
    /// A kernel or a transfer that is measured has a fault, or does not end, or memory has rows that arrays share.
    pub fn run_chain(&mut self, number: usize, at: &mut PartMoment) -> Result<(), KernelError> {
        if !at.is_begun {
            at.is_begun = true;
            at.pass_until(at.cycle() + self.part.sending_cycles());
        }
        self.part.pass_chain(number, &mut self.known, &mut at.moment)
    }

    /// Returns the moment of a checkpoint.
    ///
    /// # Errors
    /// The bytes are those of no moment of the part.
    pub fn restored(&mut self, saved: &[u8]) -> Result<PartMoment, KernelError> {
        let damaged = || KernelError::from(KeepingError::Damaged);
        let SavedMoment { cycle, rest, is_begun } =
            postcard::from_bytes(saved).map_err(|_| damaged())?;
        let mut at = self.begin();
        if cycle.0 >= 1 << 48 || !at.moment.port.can_rest_as(&rest) {
            return Err(damaged());
        }
        at.moment.port.rest_as(&rest, cycle, false);
        (at.moment.cycle, at.is_begun) = (cycle, is_begun);
        Ok(at)
    }
}

impl PartMoment {
    /// Returns the cycle of the machine.
    pub fn cycle(&self) -> Cycle {
        self.moment.cycle
    }

    /// Passes to a cycle in which the host is busy with what is no part of the machine; does nothing if it is past.
    pub fn pass_until(&mut self, cycle: Cycle) {
        self.moment.cycle = self.moment.cycle.max(cycle);
    }

    /// Returns the moment for a checkpoint.
    pub fn save(&self) -> Vec<u8> {
        let ChainMoment { cycle, port } = &self.moment;
        let (cycle, is_begun) = (*cycle, self.is_begun);
        let saved = SavedMoment { cycle, rest: port.rest(cycle), is_begun };
        // Values made of numbers and lists can always be written as bytes.
        postcard::to_stdvec(&saved).unwrap_or_default()
    }
}
