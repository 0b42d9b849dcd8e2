//! The data of one transfer: what every beat reads and writes. When it does is the controller's
//! business.

mod copy;
mod get;
mod put;

pub(super) use copy::CopyMove;
pub(super) use get::GetMove;
pub(super) use put::PutMove;

use super::accesses::WordSet;
use super::descriptor::DescriptorAction;
use super::fault::DmaFaultKind;
use super::log::Beat;
use super::ports::Ports;
use super::request::{MovedData, Request};
use super::walk::MemoryCursor;
use super::words::{GatherMove, GetWordsMove, PutWordsMove};
use crate::memory::{BEAT_BYTES, Direction};
use crate::state::Quad;
use cp2_isa::{Core, Cycle, MemoryAddress, SECTIONS, WordAddress};
use serde::{Deserialize, Serialize};

/// Transfer under way, by its kind.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Transfer {
    Get(GetMove),
    Put(PutMove),
    Copy(CopyMove),
    GetWords(GetWordsMove),
    PutWords(PutWordsMove),
    Gather(GatherMove),
}

impl Transfer {
    /// Creates the transfer of a descriptor, its index registers read now; `None` for a jump.
    pub(super) fn new(
        core: &Core,
        action: &DescriptorAction,
        ireg: &[u64; 16],
        alignment_bytes: u32,
    ) -> Result<Option<Self>, DmaFaultKind> {
        let aligned = |cursor: MemoryCursor| match cursor.check_alignment(alignment_bytes) {
            Ok(()) => Ok(cursor),
            Err((name, value)) => Err(DmaFaultKind::Unaligned(name, value, alignment_bytes)),
        };
        let transfer = match action {
            DescriptorAction::Get(get) => Self::Get(GetMove::new(core, get, ireg, aligned)?),
            DescriptorAction::Put(put) => Self::Put(PutMove::new(core, put, ireg, aligned)?),
            DescriptorAction::Copy(copy) => Self::Copy(CopyMove::new(copy, ireg, aligned)?),
            DescriptorAction::GetWords(get) => Self::GetWords(GetWordsMove::new(core, get, ireg)),
            DescriptorAction::PutWords(put) => Self::PutWords(PutWordsMove::new(core, put, ireg)),
            DescriptorAction::Gather(gather) => Self::Gather(GatherMove::new(core, gather, ireg)),
            DescriptorAction::Jump(_) => return Ok(None),
        };
        Ok(Some(transfer))
    }

    /// Returns the next request to memory; `None` when all has been moved.
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

    /// Ends a transaction before `cycle`, and returns the cycle from which on the next may be asked for, if that is another
    /// than before.
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

    /// Returns the word of local memory that the next step reaches, if it reaches any.
    pub(super) fn local_word(&self) -> Option<WordAddress> {
        match self {
            Self::Get(m) => {
                let taken = m.sections.iter().any(|s| s.includes(m.number));
                taken.then(|| m.local.address())
            }
            Self::Put(m) => Some(m.sources.source().address),
            Self::Copy(_) => None,
            Self::GetWords(m) => m.local_word(),
            Self::PutWords(m) => Some(m.local_word()),
            Self::Gather(m) => m.local_word(),
        }
    }

    /// Returns the words of local memory that the transfer reaches from its beginning to its end, and perhaps more.
    pub(super) fn words(&self) -> WordSet {
        match self {
            Self::Get(m) => m.local.words(),
            Self::Put(m) => m.sources.words(),
            Self::Copy(_) => WordSet::NONE,
            Self::GetWords(m) => m.words(),
            Self::PutWords(m) => m.words(),
            Self::Gather(m) => m.words(),
        }
    }

    /// Returns the walk of beats that may move as a run, and the end of the addresses up to which they may; `None` if each
    /// beat needs a look.
    pub(super) fn run(
        &self,
        ports: &Ports<'_>,
        limit: Option<u32>,
    ) -> Option<(MemoryCursor, MemoryAddress)> {
        let walk = match self {
            Self::Get(m) if m.single_words => return None,
            Self::Get(m) => &m.memory,
            Self::Put(m) => &m.memory,
            Self::Copy(_) | Self::GetWords(_) | Self::PutWords(_) | Self::Gather(_) => return None,
        };
        let end = MemoryAddress::FIRST + ports.memory.size();
        Some((walk.clone(), limit.map_or(end, |limit| end.min(limit.into()))))
    }

    /// Returns the number of the next beats that surely reach local memory.
    pub(super) fn taken_beats(&self) -> usize {
        match self {
            Self::Get(m) if m.order().is_some() => usize::MAX,
            Self::Get(m) if m.sections.iter().any(|s| s.includes(m.number)) => m.alike(),
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

    /// Returns the beat that [`Self::step`] would move in a cycle, if it is not refused.
    pub(super) fn peek(&self, ports: &Ports<'_>, cycle: Cycle) -> Beat {
        let beat = |direction, address: MemoryAddress| Beat {
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
        let read = |address: MemoryAddress| ports.memory.peek(address).unwrap_or_default();
        match self {
            Self::Get(m) => m.peek_taken(beat(Direction::Get, m.memory.address()), read),
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
            Self::GetWords(m) => m.peek(ports, beat(Direction::Get, MemoryAddress::FIRST)),
            Self::PutWords(m) => m.peek(ports, beat(Direction::Put, MemoryAddress::FIRST)),
            Self::Gather(m) => m.peek(ports, beat(Direction::Get, MemoryAddress::FIRST)),
        }
    }

    /// Moves a beat, a word with single words, or a piece of 32-bit words. On an error nothing has changed.
    pub(super) fn step(
        &mut self,
        ports: &mut Ports<'_>,
        limit: Option<u32>,
    ) -> Result<MovedData, DmaFaultKind> {
        let check = |address: MemoryAddress| match limit {
            Some(limit) if address.0 >= limit.into() => {
                Err(DmaFaultKind::AddressLimit(address, limit))
            }
            _ => Ok(address),
        };
        match self {
            Self::Get(m) => m.step(ports, check).map(MovedData::of_beat),
            Self::Put(m) => m.step(ports, check).map(MovedData::of_beat),
            Self::Copy(m) => m.step(ports, check).map(MovedData::of_beat),
            Self::GetWords(m) => m.step(ports, limit),
            Self::PutWords(m) => m.step(ports, limit),
            Self::Gather(m) => m.step(ports, limit),
        }
    }
}

type Checked = Result<MemoryCursor, DmaFaultKind>;

/// Returns two words of all sections.
#[inline]
fn pair(lmem: &[Quad], address: WordAddress) -> &[Quad; 2] {
    const NOTHING: &[Quad; 2] = &[[0; SECTIONS]; 2];
    lmem.get(address.index()..).and_then(|l| l.first_chunk()).unwrap_or(NOTHING)
}
