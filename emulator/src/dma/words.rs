//! Transfers of 32-bit words (extension `dma-words`): walks that count words, and the pieces that move in a
//! cycle. Everything is told by the number of a word; no time.

mod gather;
mod piece;
mod walk;

pub(super) use gather::GatherMove;
pub(super) use walk::{HalfWalk, WordCursor};

use piece::{Piece, half_of, peek, set_half};
use walk::word_of;

use super::accesses::WordSet;
use super::descriptor::{GetWords, PutWords};
use super::fault::DmaFaultKind;
use super::log::Beat;
use super::ports::Ports;
use super::request::{MovedData, Request};
use super::walk::PatternCursor;
use crate::memory::{BEAT_BYTES, Direction};
use crate::state::Quad;
use cp2_isa::{Core, SECTIONS, WordAddress};
use serde::{Deserialize, Serialize};

/// Number of bytes of a word of these transfers.
const WORD: u32 = 4;
/// Words of a beat, and of two words of local memory.
const OF_A_BEAT: u32 = BEAT_BYTES / WORD;
/// Beats that one request asks for at most.
const LONGEST: u32 = 16;
/// The sections that take the words of a stream.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Takers {
    pub(super) local: HalfWalk,
    pub(super) sections: [PatternCursor; SECTIONS],
    /// Number of words that have gone by.
    pub(super) n: u64,
}

impl Takers {
    fn half(&self) -> u32 {
        self.local.at(self.n)
    }

    fn now(&self) -> u8 {
        let takes =
            |(s, section): (usize, &PatternCursor)| u8::from(section.includes(self.n as u16)) << s;
        self.sections.iter().enumerate().map(takes).sum()
    }

    fn step(&mut self) {
        for section in &mut self.sections {
            section.takes(self.n as u16);
        }
        self.n += 1;
    }

    /// Returns the word of local memory that the next step reaches, if it reaches any.
    fn local_word(&self) -> Option<WordAddress> {
        (self.now() != 0).then(|| word_of(self.half()))
    }
}

/// Transfer of 32-bit words from memory to local memory, under way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct GetWordsMove {
    pub(super) memory: WordCursor,
    pub(super) takers: Takers,
}

impl GetWordsMove {
    pub(super) fn new(core: &Core, get: &GetWords, ireg: &[u64; 16]) -> Self {
        let local = HalfWalk::new(core, &get.local, ireg);
        let sections = get.sections.map(PatternCursor::new);
        let takers = Takers { local, sections, n: 0 };
        Self { memory: WordCursor::new(get.memory, ireg), takers }
    }

    pub(super) fn request(&self) -> Option<Request> {
        self.memory.request(Direction::Get, LONGEST)
    }

    pub(super) fn local_word(&self) -> Option<WordAddress> {
        self.takers.local_word()
    }

    pub(super) fn words(&self) -> WordSet {
        self.takers.local.words()
    }

    /// Returns the piece that moves next, and the transfer behind it.
    fn piece(&self) -> (Piece, Self) {
        let mut after = self.clone();
        let mut piece = Piece::of(self.memory.address(), self.takers.half(), self.takers.now());
        loop {
            let last = after.memory.address();
            after.memory.skip(1);
            after.takers.step();
            piece.is_last = !after.memory.goes_on(last);
            let (half, takers) = (after.takers.half(), after.takers.now());
            if piece.is_last || !piece.add(after.memory.address(), half, takers) {
                return (piece, after);
            }
        }
    }

    pub(super) fn peek(&self, ports: &Ports<'_>, beat: Beat) -> Beat {
        let (piece, _) = self.piece();
        piece.as_beat(beat, peek(ports, piece.address))
    }

    pub(super) fn step(
        &mut self,
        ports: &mut Ports<'_>,
        limit: Option<u32>,
    ) -> Result<MovedData, DmaFaultKind> {
        let (piece, after) = self.piece();
        let values = piece.read(ports, piece.check(limit)?)?;
        for section in piece.takers() {
            for (half, value) in (piece.half..).zip(&values[..piece.words as usize]) {
                set_half(ports.lmem, half, section, *value);
            }
        }
        *self = after;
        Ok(piece.moved())
    }
}

/// Transfer of 32-bit words from local memory to memory, under way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct PutWordsMove {
    pub(super) memory: WordCursor,
    pub(super) local: HalfWalk,
    pub(super) flow: u64,
    /// Number of words that have moved.
    pub(super) n: u64,
}

impl PutWordsMove {
    pub(super) fn new(core: &Core, put: &PutWords, ireg: &[u64; 16]) -> Self {
        let local = HalfWalk::new(core, &put.local, ireg);
        let flow = put.flow.min(4).into();
        Self { memory: WordCursor::new(put.memory, ireg), local, flow, n: 0 }
    }

    pub(super) fn request(&self) -> Option<Request> {
        self.memory.request(Direction::Put, LONGEST)
    }

    /// Returns the section and the half that the next word comes from.
    fn source(&self) -> (usize, u32) {
        let sections = SECTIONS as u64;
        let (section, place) = match self.flow {
            0 => (self.n / self.local.places(), self.n % self.local.places()),
            flow => (self.n / flow, self.n / (sections * flow) * flow + self.n % flow),
        };
        ((section % sections) as usize, self.local.at(place))
    }

    pub(super) fn local_word(&self) -> WordAddress {
        word_of(self.source().1)
    }

    pub(super) fn words(&self) -> WordSet {
        self.local.words()
    }

    fn piece(&self) -> (Piece, Self) {
        let mut after = self.clone();
        let (section, half) = self.source();
        let mut piece = Piece::of(self.memory.address(), half, 1 << section);
        loop {
            let last = after.memory.address();
            after.memory.skip(1);
            after.n += 1;
            piece.is_last = !after.memory.goes_on(last);
            let (section, half) = after.source();
            if piece.is_last || !piece.add(after.memory.address(), half, 1 << section) {
                return (piece, after);
            }
        }
    }

    fn values(&self, piece: &Piece, lmem: &[Quad]) -> [u32; 4] {
        let (section, half) = self.source();
        let value = |k: u32| if k < piece.words { half_of(lmem, half + k, section) } else { 0 };
        [0, 1, 2, 3].map(value)
    }

    pub(super) fn peek(&self, ports: &Ports<'_>, beat: Beat) -> Beat {
        let (piece, _) = self.piece();
        piece.as_beat(beat, self.values(&piece, ports.lmem))
    }

    pub(super) fn step(
        &mut self,
        ports: &mut Ports<'_>,
        limit: Option<u32>,
    ) -> Result<MovedData, DmaFaultKind> {
        let (piece, after) = self.piece();
        let address = piece.check(limit)?;
        let bytes = self.values(&piece, ports.lmem).map(u32::to_be_bytes);
        let bytes = &bytes.as_flattened()[..(WORD * piece.words) as usize];
        ports.memory.write(address, bytes).map_err(DmaFaultKind::OutsideMemory)?;
        *self = after;
        Ok(piece.moved())
    }
}
