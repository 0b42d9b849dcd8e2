//! Beats from memory to memory, through the buffer of the channel: those of a transaction are read, then written.

use super::Checked;
use crate::dma::descriptor::Copy;
use crate::dma::fault::DmaFaultKind;
use crate::dma::ports::Ports;
use crate::dma::walk::MemoryCursor;
use cp2_isa::MemoryAddress;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Transfer from memory to memory, under way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::dma) struct CopyMove {
    pub(in crate::dma) from: MemoryCursor,
    pub(in crate::dma) to: MemoryCursor,
    pub(in crate::dma) beats: VecDeque<[u64; 2]>,
    pub(in crate::dma) writing: bool,
}

impl CopyMove {
    pub(in crate::dma) fn new(
        copy: &Copy,
        ireg: &[u64; 16],
        aligned: impl Fn(MemoryCursor) -> Checked,
    ) -> Result<Self, DmaFaultKind> {
        let (from, to) = (copy.from.beats(), copy.to.beats());
        if from != to {
            return Err(DmaFaultKind::CopyLengths(from, to));
        }
        Ok(Self {
            from: aligned(MemoryCursor::new(copy.from, false, ireg))?,
            to: aligned(MemoryCursor::new(copy.to, false, ireg))?,
            beats: VecDeque::new(),
            writing: false,
        })
    }

    pub(in crate::dma) fn step(
        &mut self,
        ports: &mut Ports<'_>,
        check: impl Fn(MemoryAddress) -> Result<MemoryAddress, DmaFaultKind>,
    ) -> Result<bool, DmaFaultKind> {
        if self.writing {
            let address = check(self.to.address())?;
            let beat = self.beats.front().copied().unwrap_or_default();
            ports.memory.set_beat(address, beat).map_err(DmaFaultKind::OutsideMemory)?;
            self.beats.pop_front();
            self.to.step();
        } else {
            let address = check(self.from.address())?;
            let beat = ports.memory.beat(address).map_err(DmaFaultKind::OutsideMemory)?;
            self.beats.push_back(beat);
            self.from.step();
        }
        Ok(true)
    }
}
