//! The data of one transfer: what every beat reads and writes. When it does is the controller's
//! business.

use super::accesses::Words;
use super::descriptor::{Action, Copy, Get, Put};
use super::fault::DmaFaultKind;
use super::log::Beat;
use super::ports::Ports;
use super::request::{Moved, Request};
use super::walk::{LocalCursor, MemoryCursor, PatternCursor, Row, SourceCursor};
use super::words::{GatherMove, GetWordsMove, PutWordsMove};
use crate::memory::{BEAT_BYTES, Direction, bytes_of, words_of};
use crate::state::Quad;
use cp2_isa::{Core, Cycle, SECTIONS, WordAddress};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// What memory reads that was never written, as long as the longest burst.
const NEVER_WRITTEN: &[[u8; 16]] = &[[0; 16]; 255];

/// A transfer under way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Transfer {
    Get(GetMove),
    Put(PutMove),
    Copy(CopyMove),
    GetWords(GetWordsMove),
    PutWords(PutWordsMove),
    Gather(GatherMove),
}

/// Memory to local memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct GetMove {
    pub(super) memory: MemoryCursor,
    pub(super) local: LocalCursor,
    pub(super) sections: [PatternCursor; SECTIONS],
    pub(super) single_words: bool,
    /// Number of the next word of the stream.
    pub(super) number: u16,
}

/// Local memory to memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct PutMove {
    pub(super) memory: MemoryCursor,
    pub(super) sources: SourceCursor,
}

/// Memory to memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct CopyMove {
    pub(super) from: MemoryCursor,
    pub(super) to: MemoryCursor,
    pub(super) beats: VecDeque<[u64; 2]>,
    pub(super) writing: bool,
}

impl Transfer {
    /// The transfer of a descriptor, its index registers read now; `None` for a jump.
    pub(super) fn new(
        core: &Core,
        action: &Action,
        ireg: &[u64; 16],
        alignment_bytes: u32,
    ) -> Result<Option<Self>, DmaFaultKind> {
        let aligned = |cursor: MemoryCursor| match cursor.check_alignment(alignment_bytes) {
            Ok(()) => Ok(cursor),
            Err((name, value)) => Err(DmaFaultKind::Unaligned(name, value, alignment_bytes)),
        };
        let transfer = match action {
            Action::Get(get) => Self::Get(GetMove::new(core, get, ireg, aligned)?),
            Action::Put(put) => Self::Put(PutMove::new(core, put, ireg, aligned)?),
            Action::Copy(copy) => Self::Copy(CopyMove::new(copy, ireg, aligned)?),
            Action::GetWords(get) => Self::GetWords(GetWordsMove::new(core, get, ireg)),
            Action::PutWords(put) => Self::PutWords(PutWordsMove::new(core, put, ireg)),
            Action::Gather(gather) => Self::Gather(GatherMove::new(core, gather, ireg)),
            Action::Jump(_) => return Ok(None),
        };
        Ok(Some(transfer))
    }

    /// What memory is asked for next; `None` when all has been moved.
    #[inline]
    pub(super) fn request(&self) -> Option<Request> {
        let run = |cursor: &MemoryCursor, direction| Request {
            address: cursor.address(),
            beats: cursor.burst_left(),
            direction,
        };
        let (cursor, request) = match self {
            Self::Get(m) => (&m.memory, run(&m.memory, Direction::Get)),
            Self::Put(m) => (&m.memory, run(&m.memory, Direction::Put)),
            Self::Copy(m) if m.writing => {
                let mut request = run(&m.to, Direction::Put);
                request.beats = request.beats.min(m.beats.len() as u32);
                return Some(request);
            }
            Self::Copy(m) => {
                let mut request = run(&m.from, Direction::Get);
                request.beats = request.beats.min(m.to.burst_left());
                (&m.from, request)
            }
            Self::GetWords(m) => return m.request(),
            Self::PutWords(m) => return m.request(),
            Self::Gather(m) => return m.request(),
        };
        (!cursor.is_finished()).then_some(request)
    }

    /// A transaction has ended before `cycle`; tells since when the next may be asked for, if that is another
    /// time than before.
    pub(super) fn turn(&mut self, cycle: Cycle) -> Option<Cycle> {
        match self {
            Self::Copy(m) => {
                m.writing = !m.beats.is_empty();
                Some(cycle)
            }
            Self::Gather(m) => m.turn(cycle),
            _ => None,
        }
    }

    /// The word of local memory that the next step reaches, if it reaches any.
    pub(super) fn local_word(&self) -> Option<WordAddress> {
        match self {
            Self::Get(m) => {
                let taken = m.sections.iter().any(|s| s.wants(m.number));
                taken.then(|| m.local.address())
            }
            Self::Put(m) => Some(m.sources.source().address),
            Self::Copy(_) => None,
            Self::GetWords(m) => m.local_word(),
            Self::PutWords(m) => Some(m.local_word()),
            Self::Gather(m) => m.local_word(),
        }
    }

    /// The words of local memory that it reaches from its beginning to its end, and perhaps more.
    pub(super) fn words(&self) -> Words {
        match self {
            Self::Get(m) => m.local.words(),
            Self::Put(m) => m.sources.words(),
            Self::Copy(_) => Words::NONE,
            Self::GetWords(m) => m.words(),
            Self::PutWords(m) => m.words(),
            Self::Gather(m) => m.words(),
        }
    }

    /// The walk of beats that may move as a run, and the end of the addresses up to which they may; `None` if they
    /// need a look at each.
    pub(super) fn run(&self, ports: &Ports<'_>, limit: Option<u32>) -> Option<(MemoryCursor, u64)> {
        let walk = match self {
            Self::Get(m) if m.single_words => return None,
            Self::Get(m) => &m.memory,
            Self::Put(m) => &m.memory,
            Self::Copy(_) | Self::GetWords(_) | Self::PutWords(_) | Self::Gather(_) => return None,
        };
        let size = ports.memory.size();
        Some((walk.clone(), limit.map_or(size, |limit| size.min(limit.into()))))
    }

    /// How many of the next beats surely reach local memory.
    pub(super) fn taken_beats(&self) -> usize {
        match self {
            Self::Get(m) if m.order().is_some() => usize::MAX,
            Self::Get(m) if m.sections.iter().any(|s| s.wants(m.number)) => m.alike(),
            Self::Put(_) => usize::MAX,
            _ => 0,
        }
    }

    /// Moves so many beats from here on, whole bursts, and of the last one perhaps less, all of them below `run_end`.
    pub(super) fn move_beats(&mut self, ports: &mut Ports<'_>, beats: u32) {
        match self {
            Self::Get(m) => m.place_all(ports, beats),
            Self::Put(m) => m.gather_all(ports, beats),
            _ => {}
        }
    }

    /// What [`Self::step`] would move in a cycle, if it is not refused.
    pub(super) fn look(&self, ports: &Ports<'_>, cycle: Cycle) -> Beat {
        let beat = |direction, address: u32| Beat {
            cycle,
            visit: 0,
            conflicts: 0,
            direction,
            address,
            bytes: BEAT_BYTES as u8,
            local: None,
            sections: 0,
            mask: 0,
            words: [0; 2],
        };
        let read = |address: u32| ports.memory.peek(address.into()).unwrap_or_default();
        match self {
            Self::Get(m) => m.look(beat(Direction::Get, m.memory.address()), read),
            Self::Put(m) => {
                let source = m.sources.source();
                let words = pair(ports.lmem, source.address).map(|quad| quad[source.section]);
                Beat {
                    local: Some(source.address),
                    sections: 1 << source.section,
                    mask: source.mask,
                    words,
                    ..beat(Direction::Put, m.memory.address())
                }
            }
            Self::Copy(m) if m.writing => {
                let words = m.beats.front().copied().unwrap_or_default();
                Beat { words, ..beat(Direction::Put, m.to.address()) }
            }
            Self::Copy(m) => {
                let address = m.from.address();
                Beat { words: read(address), ..beat(Direction::Get, address) }
            }
            Self::GetWords(m) => m.look(ports, beat(Direction::Get, 0)),
            Self::PutWords(m) => m.look(ports, beat(Direction::Put, 0)),
            Self::Gather(m) => m.look(ports, beat(Direction::Get, 0)),
        }
    }

    /// Moves a beat, a word with single words, or a piece of 32-bit words. On an error nothing has changed.
    pub(super) fn step(
        &mut self,
        ports: &mut Ports<'_>,
        limit: Option<u32>,
    ) -> Result<Moved, DmaFaultKind> {
        let check = |address: u32| match limit {
            Some(limit) if address >= limit => Err(DmaFaultKind::AddressLimit(address, limit)),
            _ => Ok(u64::from(address)),
        };
        match self {
            Self::Get(m) => m.step(ports, check).map(Moved::of_beat),
            Self::Put(m) => m.step(ports, check).map(Moved::of_beat),
            Self::Copy(m) => m.step(ports, check).map(Moved::of_beat),
            Self::GetWords(m) => m.step(ports, limit),
            Self::PutWords(m) => m.step(ports, limit),
            Self::Gather(m) => m.step(ports, limit),
        }
    }
}

type Checked = Result<MemoryCursor, DmaFaultKind>;

impl GetMove {
    fn new(
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

    fn step(
        &mut self,
        ports: &mut Ports<'_>,
        check: impl Fn(u32) -> Result<u64, DmaFaultKind>,
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
    fn look(&self, beat: Beat, read: impl Fn(u32) -> [u64; 2]) -> Beat {
        let mut words = read(beat.address);
        let (mut bytes, mut address) = (beat.bytes, beat.address);
        if self.single_words {
            let second = self.memory.is_second_word();
            words = [words[usize::from(second)], 0];
            (bytes, address) = (bytes / 2, address.wrapping_add(if second { 8 } else { 0 }));
        }
        let takers = self.sections.iter().enumerate().filter(|(_, s)| s.wants(self.number));
        let sections = takers.fold(0, |all, (s, _)| all | 1 << s);
        Beat { words, bytes, address, sections, local: Some(self.local.address()), ..beat }
    }

    /// Puts beats into the sections that take them.
    fn place_all(&mut self, ports: &mut Ports<'_>, beats: u32) {
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
            let wants = self.sections.each_ref().map(|section| section.wants(self.number));
            self.each_run(ports, alike, |m, beats, lmem| m.place_alike(beats, wants, lmem));
            let takers = self.sections.iter_mut().zip(wants).filter(|(_, wants)| *wants);
            takers.for_each(|(section, _)| section.take(alike as u16));
            self.number = self.number.wrapping_add(alike.wrapping_mul(2) as u16);
            left -= alike;
        }
    }

    /// Does this with the next beats, run by run as they stand in memory.
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

    /// How many of the next beats the same sections take, one at least.
    fn alike(&self) -> usize {
        self.sections.iter().map(|s| s.alike(self.number)).min().map_or(1, |alike| alike.max(1))
    }

    /// The sections that take the next four beats and then again and again, if each takes one of four.
    fn order(&self) -> Option<[usize; SECTIONS]> {
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

impl PutMove {
    fn new(
        core: &Core,
        put: &Put,
        ireg: &[u64; 16],
        aligned: impl Fn(MemoryCursor) -> Checked,
    ) -> Result<Self, DmaFaultKind> {
        let memory = aligned(MemoryCursor::new(put.memory, false, ireg))?;
        Ok(Self { memory, sources: SourceCursor::new(core, put, ireg) })
    }

    fn step(
        &mut self,
        ports: &mut Ports<'_>,
        check: impl Fn(u32) -> Result<u64, DmaFaultKind>,
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
    fn gather_all(&mut self, ports: &mut Ports<'_>, mut beats: u32) {
        while beats > 0 {
            let mut piece = ports.memory.piece_at(self.memory.address().into());
            while beats > 0 && piece.contains(self.memory.address().into()) {
                let (address, n) = self.memory.next_run(beats);
                let run = piece.run(address, (n * BEAT_BYTES) as usize);
                gather_run(&mut self.sources, run, ports.lmem);
                beats -= n;
            }
        }
    }

    /// The next beat, and which 32-bit words of it are not written.
    fn gather(&mut self, lmem: &[Quad]) -> (u8, [u64; 2]) {
        let source = self.sources.source();
        let [low, high] = pair(lmem, source.address);
        self.sources.step();
        (source.mask, [low[source.section], high[source.section]])
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

/// Two words of all sections.
#[inline]
fn pair(lmem: &[Quad], address: WordAddress) -> &[Quad; 2] {
    const NOTHING: &[Quad; 2] = &[[0; SECTIONS]; 2];
    lmem.get(address.index()..).and_then(|l| l.first_chunk()).unwrap_or(NOTHING)
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

/// A beat with the 32-bit words of the mask as they were.
fn masked(new: [u64; 2], old: [u64; 2], mask: u8) -> [u64; 2] {
    std::array::from_fn(|k| {
        let keep = |bit: u8| u64::from(mask >> (2 * k as u8 + bit) & 1);
        let kept = (keep(0) << 32 | keep(1)) * 0xffff_ffff;
        new[k] & !kept | old[k] & kept
    })
}

impl CopyMove {
    fn new(
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

    fn step(
        &mut self,
        ports: &mut Ports<'_>,
        check: impl Fn(u32) -> Result<u64, DmaFaultKind>,
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
