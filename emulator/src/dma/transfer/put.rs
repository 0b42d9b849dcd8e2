//! Beats from local memory to memory: gathered from the sections in turn, and written but for the 32-bit words of
//! a mask.

use super::{Checked, pair};
use crate::dma::descriptor::Put;
use crate::dma::fault::DmaFaultKind;
use crate::dma::ports::Ports;
use crate::dma::walk::{MemoryCursor, Row, SourceCursor};
use crate::memory::{BEAT_BYTES, bytes_of, words_of};
use crate::state::Quad;
use cp2_isa::{Core, MemoryAddress, SECTIONS};
use serde::{Deserialize, Serialize};

/// Transfer from local memory to memory, under way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::dma) struct PutMove {
    pub(in crate::dma) memory: MemoryCursor,
    pub(in crate::dma) sources: SourceCursor,
}

impl PutMove {
    pub(in crate::dma) fn new(
        core: &Core,
        put: &Put,
        ireg: &[u64; 16],
        aligned: impl Fn(MemoryCursor) -> Checked,
    ) -> Result<Self, DmaFaultKind> {
        let memory = aligned(MemoryCursor::new(put.memory, false, ireg))?;
        Ok(Self { memory, sources: SourceCursor::new(core, put, ireg) })
    }

    pub(in crate::dma) fn step(
        &mut self,
        ports: &mut Ports<'_>,
        check: impl Fn(MemoryAddress) -> Result<MemoryAddress, DmaFaultKind>,
    ) -> Result<bool, DmaFaultKind> {
        let address = check(self.memory.address())?;
        let old = ports.memory.beat(address).map_err(DmaFaultKind::OutsideMemory)?;
        let (mask, new) = self.gather(ports.lmem);
        let beat = masked(new, old, mask);
        ports.memory.set_beat(address, beat).map_err(DmaFaultKind::OutsideMemory)?;
        self.memory.step();
        Ok(true)
    }

    /// Writes the next beats.
    pub(in crate::dma) fn gather_all(&mut self, ports: &mut Ports<'_>, mut beats: u32) {
        while beats > 0 {
            let mut piece = ports.memory.piece_at(self.memory.address());
            while beats > 0 && piece.contains(self.memory.address()) {
                let (address, n) = self.memory.next_run(beats);
                let run = piece.run(address, (n * BEAT_BYTES) as usize);
                gather_run(&mut self.sources, run, ports.lmem);
                beats -= n;
            }
        }
    }

    /// Returns the next beat, and the mask of its 32-bit words that are not written.
    fn gather(&mut self, lmem: &[Quad]) -> (u8, [u64; 2]) {
        let source = self.sources.source();
        let [low, high] = pair(lmem, source.address);
        self.sources.step();
        (source.mask, [low[source.section], high[source.section]])
    }
}

/// Writes a run of beats.
fn gather_run(sources: &mut SourceCursor, run: &mut [u8], lmem: &[Quad]) {
    let mut beats = run.as_chunks_mut().0;
    while !beats.is_empty() {
        let row = sources.row(beats.len());
        let (now, later) = beats.split_at_mut(row.beats);
        match row.section {
            Some(section) => gather_row(now, &row, section, lmem),
            None => gather_all_sections(now, &row, lmem),
        }
        beats = later;
    }
}

/// Writes beats from one section.
fn gather_row(beats: &mut [[u8; 16]], row: &Row, section: usize, lmem: &[Quad]) {
    if let Some(pairs) = row.pairs_in_a_row()
        && let Some(quads) = lmem.get(pairs)
    {
        for (beat, [low, high]) in beats.iter_mut().zip(quads.as_chunks().0) {
            write(beat, [low[section], high[section]], row.mask);
        }
        return;
    }
    for (beat, address) in beats.iter_mut().zip(row.addresses()) {
        let [low, high] = pair(lmem, address);
        write(beat, [low[section], high[section]], row.mask);
    }
}

/// Writes beats that come from all sections in turn.
fn gather_all_sections(beats: &mut [[u8; 16]], row: &Row, lmem: &[Quad]) {
    for (beats, address) in beats.chunks_mut(SECTIONS).zip(row.addresses()) {
        let [low, high] = pair(lmem, address);
        for (beat, new) in beats.iter_mut().zip(low.iter().zip(high)) {
            write(beat, [*new.0, *new.1], row.mask);
        }
    }
}

/// Writes a beat but for the 32-bit words of the mask.
#[inline]
fn write(beat: &mut [u8; 16], new: [u64; 2], mask: u8) {
    // What is overwritten as a whole is not read: it is far away.
    *beat = match mask {
        0 => bytes_of(new),
        mask => bytes_of(masked(new, words_of(*beat), mask)),
    };
}

/// Returns a beat with the 32-bit words of the mask as they were.
fn masked(new: [u64; 2], old: [u64; 2], mask: u8) -> [u64; 2] {
    std::array::from_fn(|k| {
        let keep = |bit: u8| u64::from(mask >> (2 * k as u8 + bit) & 1);
        let kept = (keep(0) << 32 | keep(1)) * 0xffff_ffff;
        new[k] & !kept | old[k] & kept
    })
}
