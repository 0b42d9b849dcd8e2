//! Sources of the beats of a transfer to memory: turns through the sections, by flow and by rows.

use super::{LocalCursor, pairs_in_a_row};
use crate::dma::accesses::WordSet;
use crate::dma::descriptor::Put;
use cp2_isa::{Core, SECTIONS, WordAddress};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Source of the next beat of a transfer to memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::dma) struct BeatSource {
    pub(in crate::dma) section: usize,
    pub(in crate::dma) address: WordAddress,
    /// Mask of the 32-bit words that are not written.
    pub(in crate::dma) mask: u8,
}

/// Sources of the next beats of a transfer to memory, whose places are apart by a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dma) struct Row {
    /// Section that the beats come from; `None` if every place gives a beat of each section in turn.
    pub(in crate::dma) section: Option<usize>,
    pub(in crate::dma) beats: usize,
    /// Mask of the 32-bit words that are not written.
    pub(in crate::dma) mask: u8,
    address: WordAddress,
    step: u16,
    local_mask: u16,
}

impl Row {
    /// Returns the word addresses of the places, as many as there are and more.
    #[inline]
    pub(in crate::dma) fn addresses(self) -> impl Iterator<Item = WordAddress> {
        let at = move |way| WordAddress(self.address.0.wrapping_add(way) & self.local_mask);
        (0..).map(move |k| at(self.step.wrapping_mul(k)))
    }

    /// Returns the words of the places if they stand one behind the other, and each gives one beat.
    #[inline]
    pub(in crate::dma) fn pairs_in_a_row(&self) -> Option<Range<usize>> {
        pairs_in_a_row(self.address, self.step, self.beats)
    }
}

/// Turns through the sections of a transfer to memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::dma) struct SourceCursor {
    pub(in crate::dma) local: LocalCursor,
    pub(in crate::dma) flow: usize,
    pub(in crate::dma) masks: [u8; 2],
    pub(in crate::dma) section: usize,
    /// Number of the beat within a flow.
    pub(in crate::dma) turn: usize,
    /// Places that section 0 gave in this round; the other sections give the same.
    pub(in crate::dma) round: [(WordAddress, u8); 4],
}

impl SourceCursor {
    pub(in crate::dma) fn new(core: &Core, put: &Put, ireg: &[u64; 16]) -> Self {
        let mut cursor = Self {
            local: LocalCursor::new(core, put.local, false, ireg),
            flow: usize::from(put.flow.min(4)),
            masks: [put.mask, put.row_end_mask],
            section: 0,
            turn: 0,
            round: [(WordAddress::default(), 0); 4],
        };
        cursor.note();
        cursor
    }

    /// Keeps the place of the walk as that of this turn.
    fn note(&mut self) {
        let mask = self.masks[usize::from(self.local.is_last_column())];
        self.round[self.turn] = (self.local.address(), mask);
    }

    pub(in crate::dma) fn words(&self) -> WordSet {
        self.local.words()
    }

    /// Whether a row goes by with every beat, of whichever section.
    #[inline]
    fn has_no_columns(&self) -> bool {
        self.local.walk.x.count == 0
    }

    pub(in crate::dma) fn source(&self) -> BeatSource {
        let (address, mask) = self.round[self.turn];
        BeatSource { section: self.section, address, mask }
    }

    /// Takes at least one beat and at most `most`.
    #[inline]
    pub(in crate::dma) fn row(&mut self, most: usize) -> Row {
        let BeatSource { section, address, mask } = self.source();
        let (step, local_mask) = (self.local.walk.x.step, self.local.mask);
        let row = Row { section: Some(section), beats: 1, mask, address, step, local_mask };
        // Where the walk stands is where the next beat comes from.
        let beats_of_a_place = match self.flow {
            0 => 1,
            1 if section == 0 && most >= SECTIONS && !self.has_no_columns() => SECTIONS,
            _ => {
                self.step();
                return row;
            }
        };
        let left = self.local.left_in_row();
        let is_alike = self.masks[0] == self.masks[1];
        // The last place of a row has its own mask.
        let alike = if is_alike || left == 1 { left } else { left - 1 };
        let places = usize::from(alike).min(most / beats_of_a_place);
        self.local.skip(places as u16 - 1);
        if self.flow == 0 {
            self.step();
            return Row { beats: places, ..row };
        }
        self.local.step();
        self.note();
        Row { section: None, beats: places * SECTIONS, ..row }
    }

    #[inline]
    pub(in crate::dma) fn step(&mut self) {
        if self.flow == 0 {
            if self.local.step() {
                self.section = (self.section + 1) % SECTIONS;
            }
            self.note();
            return;
        }
        if self.section == 0 || self.has_no_columns() {
            self.local.step();
        }
        self.turn += 1;
        if self.turn == self.flow {
            (self.turn, self.section) = (0, (self.section + 1) % SECTIONS);
        }
        if self.section == 0 {
            self.note();
        }
    }
}
