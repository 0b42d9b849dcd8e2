//! A machine between two cycles as data: all of it but what its memories hold, for recordings. How it is
//! written and where the memories are kept is theirs.

use super::coupled::Machine;
use crate::cp2::Cp2;
use crate::dma::Dma;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// All state of a machine that time changes, but for instruction memory, local memory and system memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachineSnapshot<'a> {
    cp2: Cow<'a, Cp2>,
    dma: Cow<'a, Dma>,
}

/// A moment of another machine, or one that no run comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotError;

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a state that is of another machine, or of none")
    }
}

impl std::error::Error for SnapshotError {}

impl Machine {
    /// Returns the state that is to be kept of the machine beside its memories.
    pub fn moment(&self) -> MachineSnapshot<'_> {
        MachineSnapshot { cp2: Cow::Borrowed(&self.cp2), dma: Cow::Borrowed(&self.dma) }
    }

    /// Goes to a moment of the same machine, or of one that is built alike. Its memories stay.
    ///
    /// # Errors
    /// The moment is of a machine with other sizes, or none that a run comes to; nothing has changed.
    pub fn resume(&mut self, moment: MachineSnapshot<'_>) -> Result<(), SnapshotError> {
        let MachineSnapshot { cp2, dma } = moment;
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
