//! The data of one transfer: what every beat reads and writes. When it does is the controller's
//! business.

use super::accesses::Words;
use super::controller::Ports;
use super::descriptor::{Action, Copy, Get, Put};
use super::fault::DmaFaultKind;
use super::walk::{LocalCursor, MemoryCursor, PatternCursor, SourceCursor};
use crate::memory::{BEAT_BYTES, Direction, bytes_of, words_of};
use crate::state::Quad;
use cp2_isa::SECTIONS;
use std::collections::VecDeque;

/// A transfer under way.
#[derive(Clone, Debug)]
pub(super) enum Transfer {
    Get(GetMove),
    Put(PutMove),
    Copy(CopyMove),
}

/// A run of beats that memory is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) address: u32,
    pub(super) beats: u32,
    pub(super) direction: Direction,
}

/// Memory to local memory.
#[derive(Clone, Debug)]
pub(super) struct GetMove {
    memory: MemoryCursor,
    local: LocalCursor,
    sections: [PatternCursor; SECTIONS],
    single_words: bool,
    /// With single words: whether the first word of the beat has been moved.
    second_word: bool,
    /// Number of the next word of the stream.
    number: u16,
}

/// Local memory to memory.
#[derive(Clone, Debug)]
pub(super) struct PutMove {
    memory: MemoryCursor,
    sources: SourceCursor,
}

/// Memory to memory.
#[derive(Clone, Debug)]
pub(super) struct CopyMove {
    from: MemoryCursor,
    to: MemoryCursor,
    beats: VecDeque<[u64; 2]>,
    writing: bool,
}

impl Transfer {
    /// The transfer of a descriptor, its index registers read now; `None` for a jump.
    pub(super) fn new(
        action: &Action,
        ireg: &[u64; 16],
        alignment_bytes: u32,
    ) -> Result<Option<Self>, DmaFaultKind> {
        let aligned = |cursor: MemoryCursor| match cursor.check_alignment(alignment_bytes) {
            Ok(()) => Ok(cursor),
            Err((name, value)) => Err(DmaFaultKind::Unaligned(name, value, alignment_bytes)),
        };
        let transfer = match action {
            Action::Get(get) => Self::Get(GetMove::new(get, ireg, aligned)?),
            Action::Put(put) => Self::Put(PutMove::new(put, ireg, aligned)?),
            Action::Copy(copy) => Self::Copy(CopyMove::new(copy, ireg, aligned)?),
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
        };
        (!cursor.is_finished()).then_some(request)
    }

    /// A transaction has ended; true if the next must wait for it.
    pub(super) fn turn(&mut self) -> bool {
        let Self::Copy(m) = self else { return false };
        m.writing = !m.beats.is_empty();
        true
    }

    /// The word of local memory that the next step reaches, if it reaches any.
    pub(super) fn local_word(&self) -> Option<u16> {
        match self {
            Self::Get(m) => {
                let taken = m.sections.iter().any(|s| s.wants(m.number));
                taken.then(|| m.local.address())
            }
            Self::Put(m) => Some(m.sources.source().address),
            Self::Copy(_) => None,
        }
    }

    /// The words of local memory that it reaches from its beginning to its end, and perhaps more.
    pub(super) fn words(&self) -> Words {
        match self {
            Self::Get(m) => m.local.words(),
            Self::Put(m) => m.sources.words(),
            Self::Copy(_) => Words::NONE,
        }
    }

    /// Moves the beats of a transaction at once; false if they need a look at each, and then nothing
    /// has changed.
    #[inline]
    pub(super) fn move_all(
        &mut self,
        ports: &mut Ports<'_>,
        beats: u32,
        limit: Option<u32>,
    ) -> bool {
        let Some(request) = self.request() else { return false };
        let len = beats * BEAT_BYTES;
        let last = request.address.checked_add(len - 1);
        if request.beats < beats || last.is_none_or(|last| limit.is_some_and(|l| last >= l)) {
            return false;
        }
        let (address, len) = (u64::from(request.address), len as usize);
        match self {
            Self::Get(m) if !m.single_words => {
                let Some(run) = ports.memory.run(address, len) else { return false };
                run.as_chunks().0.iter().for_each(|beat| m.place(words_of(*beat), ports.lmem));
                m.memory.step_by(beats);
            }
            Self::Put(m) => {
                let Some(run) = ports.memory.run_mut(address, len) else { return false };
                for beat in run.as_chunks_mut().0 {
                    let (mask, new) = m.gather(ports.lmem);
                    // What is overwritten as a whole is not read: it is far away.
                    *beat = match mask {
                        0 => bytes_of(new),
                        mask => bytes_of(masked(new, words_of(*beat), mask)),
                    };
                }
                m.memory.step_by(beats);
            }
            _ => return false,
        }
        true
    }

    /// Moves a beat, or a word with single words; true if the beat is complete. On an error nothing
    /// has changed.
    pub(super) fn step(
        &mut self,
        ports: &mut Ports<'_>,
        limit: Option<u32>,
    ) -> Result<bool, DmaFaultKind> {
        let check = |address: u32| match limit {
            Some(limit) if address >= limit => Err(DmaFaultKind::AddressLimit(address, limit)),
            _ => Ok(u64::from(address)),
        };
        match self {
            Self::Get(m) => m.step(ports, check),
            Self::Put(m) => m.step(ports, check),
            Self::Copy(m) => m.step(ports, check),
        }
    }
}

type Checked = Result<MemoryCursor, DmaFaultKind>;

impl GetMove {
    fn new(
        get: &Get,
        ireg: &[u64; 16],
        aligned: impl Fn(MemoryCursor) -> Checked,
    ) -> Result<Self, DmaFaultKind> {
        Ok(Self {
            memory: aligned(MemoryCursor::new(get.memory, ireg))?,
            local: LocalCursor::new(get.local, get.single_words, ireg),
            sections: get.sections.map(PatternCursor::new),
            single_words: get.single_words,
            second_word: false,
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
            self.place_word(beat, ports.lmem);
        } else {
            self.place(beat, ports.lmem);
        }
        if self.second_word {
            return Ok(false);
        }
        self.memory.step();
        Ok(true)
    }

    /// Puts a beat into the sections that take it.
    #[inline]
    fn place(&mut self, [first, second]: [u64; 2], lmem: &mut [Quad]) {
        let at = usize::from(self.local.address());
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

    /// Puts the first or the second word of a beat into the sections that take it.
    fn place_word(&mut self, beat: [u64; 2], lmem: &mut [Quad]) {
        let at = usize::from(self.local.address());
        for (s, section) in self.sections.iter_mut().enumerate() {
            if section.takes(self.number) {
                lmem[at][s] = beat[usize::from(self.second_word)];
            }
        }
        self.local.step();
        self.number = self.number.wrapping_add(1);
        self.second_word = !self.second_word;
    }
}

impl PutMove {
    fn new(
        put: &Put,
        ireg: &[u64; 16],
        aligned: impl Fn(MemoryCursor) -> Checked,
    ) -> Result<Self, DmaFaultKind> {
        let memory = aligned(MemoryCursor::new(put.memory, ireg))?;
        Ok(Self { memory, sources: SourceCursor::new(put, ireg) })
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

    /// The next beat, and which 32-bit words of it are not written.
    #[inline]
    fn gather(&mut self, lmem: &[Quad]) -> (u8, [u64; 2]) {
        let source = self.sources.source();
        let at = usize::from(source.address);
        let beat = match lmem.get(at..).and_then(|l| l.first_chunk()) {
            Some([low, high]) => [low[source.section], high[source.section]],
            None => [0; 2],
        };
        self.sources.step();
        (source.mask, beat)
    }
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
            from: aligned(MemoryCursor::new(copy.from, ireg))?,
            to: aligned(MemoryCursor::new(copy.to, ireg))?,
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
