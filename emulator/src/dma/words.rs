//! Transfers of 32-bit words (extension `dma-words`): walks that count words, and the pieces that move in a
//! cycle. Everything is told by the number of a word; no time.

use super::accesses::Words;
use super::descriptor::{Gather, GetWords, LocalStride, LocalWalk, MemoryWalk, PutWords, Stride};
use super::fault::DmaFaultKind;
use super::log::Beat;
use super::ports::Ports;
use super::request::{Moved, Request};
use super::walk::{PatternCursor, half_register};
use crate::memory::{BEAT_BYTES, Direction};
use crate::state::Quad;
use cp2_isa::{Core, Cycle, SECTIONS, WordAddress};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Bytes of a word of these transfers.
const WORD: u32 = 4;
/// Words of a beat, and of two words of local memory.
const OF_A_BEAT: u32 = BEAT_BYTES / WORD;
/// Beats that one request asks for at most.
const LONGEST: u32 = 16;
/// Most beats of a part of a list. Two parts are in the buffer of the gathers: one whose words are asked for, and
/// the one behind.
const LIST: u32 = 8;

/// The first byte of the beat around an address.
fn beat_of(address: u32) -> u32 {
    address & !(BEAT_BYTES - 1)
}

/// A position in a walk through memory, word by word. A count of 0 is one of 1.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct WordCursor {
    pub(super) walk: MemoryWalk,
    pub(super) word: u32,
    pub(super) x: u32,
    pub(super) y: u32,
    pub(super) is_finished: bool,
}

impl WordCursor {
    fn new(mut walk: MemoryWalk, ireg: &[u64; 16]) -> Self {
        if let Some(n) = walk.index {
            walk.base = walk.base.wrapping_add(half_register(ireg, n) & !3);
        }
        let least = |stride: Stride| Stride { count: stride.count.max(1), ..stride };
        let walk =
            MemoryWalk { burst: walk.burst.max(1), x: least(walk.x), y: least(walk.y), ..walk };
        Self { walk, word: 0, x: 0, y: 0, is_finished: false }
    }

    fn address(&self) -> u32 {
        let term = |stride: Stride, n: u32| (stride.step as u32).wrapping_mul(n);
        let row = self.walk.base.wrapping_add(term(self.walk.x, self.x));
        row.wrapping_add(term(self.walk.y, self.y)).wrapping_add(WORD * self.word)
    }

    /// Goes on by so many words, at most those that the burst has left.
    fn skip(&mut self, words: u32) {
        self.word += words;
        if self.word < self.walk.burst.into() {
            return;
        }
        (self.word, self.x) = (0, self.x + 1);
        if self.x == self.walk.x.count {
            (self.x, self.y) = (0, self.y + 1);
        }
        self.is_finished = self.y == self.walk.y.count;
    }

    /// Beats with words at rising addresses from this one on, at most so many.
    fn beats(&self, most: u32) -> u32 {
        let start = self.address();
        let end = beat_of(start).saturating_add(most * BEAT_BYTES);
        let (mut at, mut ahead) = (start, self.clone());
        while at < end && !ahead.is_finished && ahead.address() == at {
            let left = u32::from(ahead.walk.burst) - ahead.word;
            at = at.saturating_add(WORD * left);
            ahead.skip(left);
        }
        (at.min(end) - beat_of(start)).div_ceil(BEAT_BYTES)
    }

    fn request(&self, direction: Direction, most: u32) -> Option<Request> {
        let request =
            Request { address: beat_of(self.address()), beats: self.beats(most), direction };
        (!self.is_finished).then_some(request)
    }

    /// Whether the position is the word behind an address, in its beat.
    fn goes_on(&self, last: u32) -> bool {
        !self.is_finished && is_behind(last, self.address())
    }
}

/// Whether a word is the one behind another, in its beat.
fn is_behind(last: u32, next: u32) -> bool {
    last.wrapping_add(WORD) == next && beat_of(last) == beat_of(next)
}

/// A walk through local memory by halves of words: half 2k is the high half of word k, half 2k + 1 its low half.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct HalfWalk {
    pub(super) base: u32,
    pub(super) x: LocalStride,
    pub(super) y: LocalStride,
    /// Bits of the address of a half.
    pub(super) bits: u32,
}

impl HalfWalk {
    fn new(core: &Core, walk: &LocalWalk, ireg: &[u64; 16]) -> Self {
        let index = walk.index.map_or(0, |n| half_register(ireg, n) & 0xffff);
        let least = |stride: LocalStride| LocalStride { count: stride.count.max(1), ..stride };
        let base = u32::from(walk.base.0) + index;
        Self { base, x: least(walk.x), y: least(walk.y), bits: core.address_bits() + 1 }
    }

    fn mask(&self) -> u32 {
        (1 << self.bits) - 1
    }

    /// Places until the walk begins anew.
    fn places(&self) -> u64 {
        u64::from(self.x.count) * u64::from(self.y.count)
    }

    /// The half at a place.
    fn at(&self, place: u64) -> u32 {
        let columns = u64::from(self.x.count);
        let (x, y) = (place % columns, place / columns % u64::from(self.y.count));
        let term = |stride: &LocalStride, n: u64| {
            let plain = u32::from(stride.step).wrapping_mul(n as u32) & self.mask();
            // Within one bit more than an address has, so bit 0 goes outside, as with beats.
            if stride.reversed { plain.reverse_bits() >> (31 - self.bits) } else { plain }
        };
        self.base.wrapping_add(term(&self.x, x)).wrapping_add(term(&self.y, y)) & self.mask()
    }

    /// The words of local memory that it reaches.
    fn words(&self) -> Words {
        let mut words = Words::NONE;
        let places = self.places().min(1 << 20);
        (0..places).for_each(|place| words.insert(word_of(self.at(place))));
        if places < self.places() {
            words.insert_range(0, (self.mask() / 2) as usize);
        }
        words
    }
}

fn word_of(half: u32) -> WordAddress {
    WordAddress((half / 2) as u16)
}

/// Whether a half is the one behind another, in the same pair of words.
fn is_behind_in_pair(last: u32, next: u32) -> bool {
    last + 1 == next && last / OF_A_BEAT == next / OF_A_BEAT
}

fn half_of(lmem: &[Quad], half: u32, section: usize) -> u32 {
    let word = lmem.get(half as usize / 2).map_or(0, |quad| quad[section]);
    if half.is_multiple_of(2) { (word >> 32) as u32 } else { word as u32 }
}

fn set_half(lmem: &mut [Quad], half: u32, section: usize, value: u32) {
    let shift = if half.is_multiple_of(2) { 32 } else { 0 };
    if let Some(quad) = lmem.get_mut(half as usize / 2) {
        quad[section] = quad[section] & !(0xffff_ffff << shift) | u64::from(value) << shift;
    }
}

/// Words that move in one cycle: of one beat of memory, of one pair of words of local memory.
struct Piece {
    address: u32,
    /// The first half of local memory.
    half: u32,
    words: u32,
    /// The sections, one bit each.
    sections: u8,
    /// Whether no more of the beat moves in its transaction.
    is_last: bool,
}

impl Piece {
    fn of(address: u32, half: u32, sections: u8) -> Self {
        Self { address, half, words: 1, sections, is_last: false }
    }

    /// Takes in one more word if it may move in the same cycle.
    fn add(&mut self, address: u32, half: u32, sections: u8) -> bool {
        let n = self.words - 1;
        let is_taken = is_behind(self.address + WORD * n, address)
            && is_behind_in_pair(self.half + n, half)
            && self.sections == sections;
        self.words += u32::from(is_taken);
        is_taken
    }

    /// Its address, unless its beat is refused.
    fn check(&self, limit: Option<u32>) -> Result<u64, DmaFaultKind> {
        let beat = beat_of(self.address);
        match limit {
            Some(limit) if beat >= limit => Err(DmaFaultKind::AddressLimit(beat, limit)),
            _ => Ok(self.address.into()),
        }
    }

    fn moved(&self) -> Moved {
        Moved { whole: self.is_last, bytes: WORD * self.words }
    }

    fn takers(&self) -> impl Iterator<Item = usize> + use<> {
        let sections = self.sections;
        (0..SECTIONS).filter(move |s| sections >> s & 1 == 1)
    }

    /// Its words in memory.
    fn read(&self, ports: &mut Ports<'_>, address: u64) -> Result<[u32; 4], DmaFaultKind> {
        let mut bytes = [0; BEAT_BYTES as usize];
        let part = &mut bytes[..(WORD * self.words) as usize];
        ports.memory.fetch(address, part).map_err(DmaFaultKind::OutsideMemory)?;
        Ok(numbers_of(&bytes))
    }

    /// The piece as a pair of words of local memory; halves that do not move are in its mask and 0.
    fn look(&self, beat: Beat, values: [u32; 4]) -> Beat {
        let first = self.half % OF_A_BEAT;
        let mut halves = [0; OF_A_BEAT as usize];
        let mut mask = 0b1111;
        for (k, value) in (first..).zip(&values[..self.words as usize]) {
            halves[k as usize] = *value;
            mask &= !(1 << k);
        }
        let word = |k: usize| u64::from(halves[k]) << 32 | u64::from(halves[k + 1]);
        Beat {
            address: self.address,
            bytes: (WORD * self.words) as u8,
            local: Some(word_of(self.half - first)),
            sections: self.sections,
            mask,
            words: [word(0), word(2)],
            ..beat
        }
    }
}

fn numbers_of(bytes: &[u8; BEAT_BYTES as usize]) -> [u32; 4] {
    std::array::from_fn(|k| u32::from_be_bytes(std::array::from_fn(|b| bytes[4 * k + b])))
}

/// The words at an address, for somebody who only looks.
fn peek(ports: &Ports<'_>, address: u32) -> [u32; 4] {
    let mut bytes = [0; BEAT_BYTES as usize];
    let left = (ports.memory.size().saturating_sub(address.into())).min(BEAT_BYTES.into());
    // What lies outside memory is refused when it moves.
    let _ = ports.memory.read(address.into(), &mut bytes[..left as usize]);
    numbers_of(&bytes)
}

/// The sections that take the words of a stream.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Takers {
    pub(super) local: HalfWalk,
    pub(super) sections: [PatternCursor; SECTIONS],
    /// Words that have gone by.
    pub(super) n: u64,
}

impl Takers {
    fn half(&self) -> u32 {
        self.local.at(self.n)
    }

    fn now(&self) -> u8 {
        let takes =
            |(s, section): (usize, &PatternCursor)| u8::from(section.wants(self.n as u16)) << s;
        self.sections.iter().enumerate().map(takes).sum()
    }

    fn step(&mut self) {
        for section in &mut self.sections {
            section.takes(self.n as u16);
        }
        self.n += 1;
    }

    /// The word of local memory that the next step reaches, if it reaches any.
    fn local_word(&self) -> Option<WordAddress> {
        (self.now() != 0).then(|| word_of(self.half()))
    }
}

/// Words of memory to local memory.
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

    pub(super) fn words(&self) -> Words {
        self.takers.local.words()
    }

    /// What moves next, and the transfer behind it.
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

    pub(super) fn look(&self, ports: &Ports<'_>, beat: Beat) -> Beat {
        let (piece, _) = self.piece();
        piece.look(beat, peek(ports, piece.address))
    }

    pub(super) fn step(
        &mut self,
        ports: &mut Ports<'_>,
        limit: Option<u32>,
    ) -> Result<Moved, DmaFaultKind> {
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

/// Words of local memory to memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct PutWordsMove {
    pub(super) memory: WordCursor,
    pub(super) local: HalfWalk,
    pub(super) flow: u64,
    /// Words that have moved.
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

    /// The section and the half that the next word comes from.
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

    pub(super) fn words(&self) -> Words {
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

    pub(super) fn look(&self, ports: &Ports<'_>, beat: Beat) -> Beat {
        let (piece, _) = self.piece();
        piece.look(beat, self.values(&piece, ports.lmem))
    }

    pub(super) fn step(
        &mut self,
        ports: &mut Ports<'_>,
        limit: Option<u32>,
    ) -> Result<Moved, DmaFaultKind> {
        let (piece, after) = self.piece();
        let address = piece.check(limit)?;
        let bytes = self.values(&piece, ports.lmem).map(u32::to_be_bytes);
        let bytes = &bytes.as_flattened()[..(WORD * piece.words) as usize];
        ports.memory.write(address, bytes).map_err(DmaFaultKind::OutsideMemory)?;
        *self = after;
        Ok(piece.moved())
    }
}

/// Words of memory at listed addresses to local memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct GatherMove {
    pub(super) list: WordCursor,
    /// What is added to four times an entry.
    pub(super) base: u32,
    /// Addresses that have been read from the list and not been asked for.
    pub(super) addresses: VecDeque<u32>,
    /// How many of them are of the part whose words are asked for.
    pub(super) left: usize,
    /// The parts behind it that have come: entries, and since when they are there.
    pub(super) ahead: VecDeque<(usize, Cycle)>,
    /// Entries of the part that comes.
    pub(super) listed: usize,
    pub(super) is_listing: bool,
    pub(super) takers: Takers,
}

impl GatherMove {
    pub(super) fn new(core: &Core, gather: &Gather, ireg: &[u64; 16]) -> Self {
        let local = HalfWalk::new(core, &gather.local, ireg);
        let sections = gather.sections.map(PatternCursor::new);
        Self {
            list: WordCursor::new(gather.list, ireg),
            base: gather.base.map_or(0, |n| half_register(ireg, n) & !3),
            addresses: VecDeque::new(),
            left: 0,
            ahead: VecDeque::new(),
            listed: 0,
            is_listing: true,
            takers: Takers { local, sections, n: 0 },
        }
    }

    pub(super) fn request(&self) -> Option<Request> {
        if self.is_listing {
            return self.list.request(Direction::Get, LIST);
        }
        let address = beat_of(*self.addresses.front()?);
        Some(Request { address, beats: 1, direction: Direction::Get })
    }

    /// A transaction has ended before `cycle`; tells since when the next may be asked for, if that is another
    /// time than before.
    pub(super) fn turn(&mut self, cycle: Cycle) -> Option<Cycle> {
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

    pub(super) fn local_word(&self) -> Option<WordAddress> {
        if self.is_listing { None } else { self.takers.local_word() }
    }

    pub(super) fn words(&self) -> Words {
        self.takers.local.words()
    }

    /// What moves next: entries of a beat of the list, or the word of an entry.
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

    pub(super) fn look(&self, ports: &Ports<'_>, beat: Beat) -> Beat {
        let piece = self.piece();
        let values = peek(ports, piece.address);
        if !self.is_listing {
            return piece.look(beat, values);
        }
        Beat { local: None, ..piece.look(beat, values) }
    }

    pub(super) fn step(
        &mut self,
        ports: &mut Ports<'_>,
        limit: Option<u32>,
    ) -> Result<Moved, DmaFaultKind> {
        let piece = self.piece();
        let values = piece.read(ports, piece.check(limit)?)?;
        if self.is_listing {
            for entry in &values[..piece.words as usize] {
                self.addresses.push_back(self.base.wrapping_add(entry.wrapping_mul(WORD)));
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
