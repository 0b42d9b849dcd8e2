//! Snapshots of a machine between two cycles, without the contents of its memories. Recordings write them, and keep the
//! memories apart.

use super::coupled::Machine;
use crate::cp2::Cp2;
use crate::dma::Dma;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// Snapshot of a machine between two cycles: registers, results in flight, the channel and all counts, without the
/// contents of instruction memory, local memory and system memory. [`Machine::snapshot`] makes it, [`Machine::restore`]
/// goes back to it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachineSnapshot<'a> {
    cp2: Cow<'a, Cp2>,
    dma: Cow<'a, Dma>,
}

/// Error of [`Machine::restore`]: the snapshot belongs to a machine of another size, or has values that no run gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotError;

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a state of another machine, or of no machine")
    }
}

impl std::error::Error for SnapshotError {}

impl Machine {
    /// Returns a snapshot of the machine, which borrows from it. The contents of its memories are not in it.
    pub fn snapshot(&self) -> MachineSnapshot<'_> {
        MachineSnapshot { cp2: Cow::Borrowed(&self.cp2), dma: Cow::Borrowed(&self.dma) }
    }

    /// Sets the machine to the state of a snapshot of the same machine, or of one with the same sizes. The contents of
    /// its memories stay as they are.
    ///
    /// # Errors
    /// The snapshot belongs to a machine with other sizes, or has values that no run gives; nothing has changed.
    pub fn restore(&mut self, snapshot: MachineSnapshot<'_>) -> Result<(), SnapshotError> {
        let MachineSnapshot { cp2, dma } = snapshot;
        let (mut cp2, mut dma) = (cp2.into_owned(), dma.into_owned());
        if !self.cp2.is_built_like(&cp2) || !self.dma.is_built_like(&dma) {
            return Err(SnapshotError);
        }
        let core = self.cp2.core();
        if !cp2.is_possible(core) || !dma.is_possible(core, cp2.cycle()) {
            return Err(SnapshotError);
        }
        std::mem::swap(&mut cp2.state.lmem, &mut self.cp2.state.lmem);
        std::mem::swap(&mut cp2.state.iram, &mut self.cp2.state.iram);
        cp2.take_core(&self.cp2);
        dma.take_core(&self.dma);
        (self.cp2, self.dma) = (cp2, dma);
        Ok(())
    }
}
