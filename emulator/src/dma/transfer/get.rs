//! Beats from memory to local memory: which sections take them, and where they are put.

use super::Checked;
use crate::dma::descriptor::Get;
use crate::dma::fault::DmaFaultKind;
use crate::dma::log::Beat;
use crate::dma::ports::Ports;
use crate::dma::walk::{LocalCursor, MemoryCursor, PatternCursor};
use crate::memory::{BEAT_BYTES, words_of};
use crate::state::Quad;
use cp2_isa::{Core, MemoryAddress, SECTIONS};
use serde::{Deserialize, Serialize};

/// Beats of memory that was never written, as many as the longest burst has.
const NEVER_WRITTEN: &[[u8; 16]] = &[[0; 16]; 255];

/// Transfer from memory to local memory, under way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::dma) struct GetMove {
    pub(in crate::dma) memory: MemoryCursor,
    pub(in crate::dma) local: LocalCursor,
    pub(in crate::dma) sections: [PatternCursor; SECTIONS],
    pub(in crate::dma) single_words: bool,
    /// Number of the next word of the stream.
    pub(in crate::dma) number: u16,
}

impl GetMove {
    pub(in crate::dma) fn new(
        core: &Core,
        get: &Get,
        ireg: &[u64; 16],
        aligned: impl Fn(MemoryCursor) -> Checked,
    ) -> Result<Self, DmaFaultKind> {
        Ok(Self {
            memory: aligned(MemoryCursor::new(get.memory, get.single_words, ireg))?,
            local: LocalCursor::new(core, get.local, get.single_words, ireg),
            sections: get.sections.map(PatternCursor::new),
            single_words: get.single_words,
            number: 0,
        })
    }

    pub(in crate::dma) fn step(
        &mut self,
        ports: &mut Ports<'_>,
        check: impl Fn(MemoryAddress) -> Result<MemoryAddress, DmaFaultKind>,
    ) -> Result<bool, DmaFaultKind> {
        let address = check(self.memory.address())?;
        let beat = ports.memory.beat(address).map_err(DmaFaultKind::OutsideMemory)?;
        if self.single_words {
            self.place_word(beat[usize::from(self.memory.is_second_word())], ports.lmem);
            return Ok(self.memory.step_word());
        }
        self.place(beat, ports.lmem);
        self.memory.step();
        Ok(true)
    }

    /// Fills in what the next step reads, and which sections take it.
    pub(in crate::dma) fn peek_taken(
        &self,
        beat: Beat,
        read: impl Fn(MemoryAddress) -> [u64; 2],
    ) -> Beat {
        let mut words = read(beat.address);
        let (mut bytes, mut address) = (beat.bytes, beat.address);
        if self.single_words {
            let second = self.memory.is_second_word();
            words = [words[usize::from(second)], 0];
            (bytes, address) = (bytes / 2, address.channel_add(if second { 8 } else { 0 }));
        }
        let takers = self.sections.iter().enumerate().filter(|(_, s)| s.includes(self.number));
        let sections = takers.fold(0, |all, (s, _)| all | 1 << s);
        Beat { words, bytes, address, sections, local: Some(self.local.address()), ..beat }
    }

    /// Puts beats into the sections that take them.
    pub(in crate::dma) fn place_all(&mut self, ports: &mut Ports<'_>, beats: u32) {
        if let Some(mut order) = self.order() {
            self.each_run(ports, beats, |m, beats, lmem| {
                m.place_in_turn(beats, order, lmem);
                order.rotate_left(beats.len() % SECTIONS);
            });
            return;
        }
        let mut left = beats;
        while left > 0 {
            let alike = self.alike().min(left as usize) as u32;
            let wants = self.sections.each_ref().map(|section| section.includes(self.number));
            self.each_run(ports, alike, |m, beats, lmem| m.place_alike(beats, wants, lmem));
            let takers = self.sections.iter_mut().zip(wants).filter(|(_, wants)| *wants);
            takers.for_each(|(section, _)| section.take(alike as u16));
            self.number = self.number.wrapping_add(alike.wrapping_mul(2) as u16);
            left -= alike;
        }
    }

    /// Calls a function with the next beats, run by run as they stand in memory.
    #[inline]
    fn each_run(
        &mut self,
        ports: &mut Ports<'_>,
        mut beats: u32,
        mut place: impl FnMut(&mut Self, &[[u8; 16]], &mut [Quad]),
    ) {
        while beats > 0 {
            let (address, n) = self.memory.next_run(beats);
            match ports.memory.run(address, (n * BEAT_BYTES) as usize) {
                Some(run) => place(self, run.as_chunks().0, ports.lmem),
                None => place(self, &NEVER_WRITTEN[..n as usize], ports.lmem),
            }
            beats -= n;
        }
    }

    /// Returns the number of the next beats that the same sections take, 1 at least.
    pub(in crate::dma) fn alike(&self) -> usize {
        self.sections.iter().map(|s| s.alike(self.number)).min().map_or(1, |alike| alike.max(1))
    }

    /// Returns the sections in the order in which they take the next four beats and then again and again, if each takes one
    /// of four.
    pub(in crate::dma) fn order(&self) -> Option<[usize; SECTIONS]> {
        let mut order = [SECTIONS; SECTIONS];
        for (s, section) in self.sections.iter().enumerate() {
            order[section.turn(self.number)?] = s;
        }
        (!order.contains(&SECTIONS)).then_some(order)
    }

    /// Puts beats into the sections in this order.
    fn place_in_turn(&mut self, beats: &[[u8; 16]], order: [usize; SECTIONS], lmem: &mut [Quad]) {
        for round in beats.chunks(SECTIONS) {
            let is_row = round.len() == SECTIONS && self.local.is_row_of(SECTIONS as u16);
            for (beat, s) in round.iter().zip(order) {
                let at = self.local.address().index();
                if let Some([low, high]) = lmem.get_mut(at..).and_then(|l| l.first_chunk_mut()) {
                    [low[s], high[s]] = words_of(*beat);
                }
                if !is_row {
                    self.local.step();
                }
            }
            if is_row {
                self.local.step_row();
            }
        }
        for (k, s) in order.into_iter().enumerate() {
            let taken = (beats.len() + SECTIONS - 1 - k) / SECTIONS;
            self.sections[s].take_turns(taken as u16);
        }
        self.number = self.number.wrapping_add(2 * beats.len() as u16);
    }

    /// Puts beats into these sections, at the next positions.
    fn place_alike(&mut self, mut beats: &[[u8; 16]], wants: [bool; SECTIONS], lmem: &mut [Quad]) {
        while !beats.is_empty() {
            let (row, rest) = beats.split_at(beats.len().min(self.local.left_in_row().into()));
            for s in (0..SECTIONS).filter(|&s| wants[s]) {
                place_row(row, &self.local, s, lmem);
            }
            self.local.skip(row.len() as u16 - 1);
            self.local.step();
            beats = rest;
        }
    }

    /// Puts a beat into the sections that take it.
    #[inline]
    fn place(&mut self, [first, second]: [u64; 2], lmem: &mut [Quad]) {
        let at = self.local.address().index();
        if let Some([low, high]) = lmem.get_mut(at..).and_then(|l| l.first_chunk_mut()) {
            for (s, section) in self.sections.iter_mut().enumerate() {
                if section.takes(self.number) {
                    (low[s], high[s]) = (first, second);
                }
            }
        }
        self.local.step();
        self.number = self.number.wrapping_add(2);
    }

    /// Puts a single word into the sections that take it.
    fn place_word(&mut self, word: u64, lmem: &mut [Quad]) {
        let at = self.local.address().index();
        for (s, section) in self.sections.iter_mut().enumerate() {
            if section.takes(self.number) {
                lmem[at][s] = word;
            }
        }
        self.local.step();
        self.number = self.number.wrapping_add(1);
    }
}

/// Puts beats at the positions of a row from the first one on.
fn place_row(beats: &[[u8; 16]], first: &LocalCursor, section: usize, lmem: &mut [Quad]) {
    if let Some(pairs) = first.pairs_in_a_row(beats.len())
        && let Some(quads) = lmem.get_mut(pairs)
    {
        for ([low, high], beat) in quads.as_chunks_mut().0.iter_mut().zip(beats) {
            [low[section], high[section]] = words_of(*beat);
        }
        return;
    }
    for (beat, at) in beats.iter().zip(first.addresses()) {
        if let Some([low, high]) = lmem.get_mut(at.index()..).and_then(|l| l.first_chunk_mut()) {
            [low[section], high[section]] = words_of(*beat);
        }
    }
}
