//! Words of memory at listed addresses: parts of the list are asked for before the words of the part before.

use super::piece::{Piece, peek, set_half};
use super::walk::{HalfWalk, WordCursor, beat_of};
use super::{Takers, WORD};
use crate::dma::accesses::WordSet;
use crate::dma::descriptor::Gather;
use crate::dma::fault::DmaFaultKind;
use crate::dma::log::Beat;
use crate::dma::ports::Ports;
use crate::dma::request::{MovedData, Request};
use crate::dma::walk::{PatternCursor, half_register};
use crate::memory::Direction;
use cp2_isa::{Core, Cycle, MemoryAddress, WordAddress};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Most beats of a part of a list. Two parts are in the buffer of the gathers: one whose words are asked for, and
/// the one behind.
const LIST: u32 = 8;

/// Transfer of 32-bit words at listed addresses of memory to local memory, under way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::dma) struct GatherMove {
    pub(in crate::dma) list: WordCursor,
    /// Address that is added to four times an entry.
    pub(in crate::dma) base: MemoryAddress,
    /// Addresses that have been read from the list and not been asked for.
    pub(in crate::dma) addresses: VecDeque<MemoryAddress>,
    /// Number of the entries in the part whose words are asked for.
    pub(in crate::dma) left: usize,
    /// Parts of the list behind that part that have come: numbers of their entries, and cycles since which they are there.
    pub(in crate::dma) ahead: VecDeque<(usize, Cycle)>,
    /// Number of entries of the part that comes.
    pub(in crate::dma) listed: usize,
    pub(in crate::dma) is_listing: bool,
    pub(in crate::dma) takers: Takers,
}

impl GatherMove {
    pub(in crate::dma) fn new(core: &Core, gather: &Gather, ireg: &[u64; 16]) -> Self {
        let local = HalfWalk::new(core, &gather.local, ireg);
        let sections = gather.sections.map(PatternCursor::new);
        Self {
            list: WordCursor::new(gather.list, ireg),
            base: gather.base.map_or(0, |n| half_register(ireg, n) & !3).into(),
            addresses: VecDeque::new(),
            left: 0,
            ahead: VecDeque::new(),
            listed: 0,
            is_listing: true,
            takers: Takers { local, sections, n: 0 },
        }
    }

    pub(in crate::dma) fn request(&self) -> Option<Request> {
        if self.is_listing {
            return self.list.request(Direction::Get, LIST);
        }
        let address = beat_of(*self.addresses.front()?);
        Some(Request { address, beats: 1, direction: Direction::Get })
    }

    /// Ends a transaction before `cycle`, and returns the cycle from which on the next may be asked for, if that is another
    /// than before.
    pub(in crate::dma) fn turn(&mut self, cycle: Cycle) -> Option<Cycle> {
        if self.is_listing {
            self.ahead.push_back((std::mem::take(&mut self.listed), cycle));
        }
        if self.left > 0 {
            self.is_listing = false;
            return None;
        }
        // The next part of the list is asked for before the words of the one that is there.
        self.is_listing = true;
        let (left, since) = self.ahead.pop_front()?;
        self.left = left;
        self.is_listing = !self.list.is_finished;
        Some(since)
    }

    pub(in crate::dma) fn local_word(&self) -> Option<WordAddress> {
        if self.is_listing { None } else { self.takers.local_word() }
    }

    pub(in crate::dma) fn words(&self) -> WordSet {
        self.takers.local.words()
    }

    /// Returns the piece that moves next: entries of a beat of the list, or the word of an entry.
    fn piece(&self) -> Piece {
        if !self.is_listing {
            let address = self.addresses.front().copied().unwrap_or_default();
            let mut piece = Piece::of(address, self.takers.half(), self.takers.now());
            let next = self.addresses.get(1).filter(|_| self.left > 1);
            piece.is_last = next.is_none_or(|&next| beat_of(next) != beat_of(address));
            return piece;
        }
        let mut piece = Piece::of(self.list.address(), 0, 0);
        let mut ahead = self.list.clone();
        loop {
            let last = ahead.address();
            ahead.skip(1);
            piece.is_last = !ahead.goes_on(last);
            if piece.is_last {
                return piece;
            }
            piece.words += 1;
        }
    }

    pub(in crate::dma) fn peek(&self, ports: &Ports<'_>, beat: Beat) -> Beat {
        let piece = self.piece();
        let values = peek(ports, piece.address);
        if !self.is_listing {
            return piece.as_beat(beat, values);
        }
        Beat { local: None, ..piece.as_beat(beat, values) }
    }

    pub(in crate::dma) fn step(
        &mut self,
        ports: &mut Ports<'_>,
        limit: Option<u32>,
    ) -> Result<MovedData, DmaFaultKind> {
        let piece = self.piece();
        let values = piece.read(ports, piece.check(limit)?)?;
        if self.is_listing {
            for entry in &values[..piece.words as usize] {
                self.addresses.push_back(self.base.channel_add(entry.wrapping_mul(WORD)));
                self.list.skip(1);
            }
            self.listed += piece.words as usize;
            return Ok(piece.moved());
        }
        for section in piece.takers() {
            set_half(ports.lmem, piece.half, section, values[0]);
        }
        self.addresses.pop_front();
        self.left -= 1;
        self.takers.step();
        Ok(piece.moved())
    }
}
