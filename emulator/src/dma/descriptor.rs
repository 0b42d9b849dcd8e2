//! Descriptors of the DMA channel as values. Their bits are in `codec`.

use cp2_isa::{MemoryAddress, SECTIONS, WordAddress};
use serde::{Deserialize, Serialize};

mod walks;

/// A descriptor: an entry of 8 words of 64 bits in a table in system memory, which tells the DMA channel one transfer
/// or jump.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Descriptor {
    /// Whether the descriptor is valid. The channel stops with a fault at one that is not.
    pub valid: bool,
    /// Whether the end of the descriptor raises the interrupt cause [`DESCRIPTOR`](super::cause::DESCRIPTOR).
    pub interrupt: bool,
    /// Whether the channel stops at the end of the descriptor, instead of going to the next.
    pub stop: bool,
    /// Whether the channel waits for `start_dma` before any data of the descriptor move.
    pub sync_before: bool,
    /// Whether the channel waits for `start_dma` after all data of the descriptor have moved.
    pub sync_after: bool,
    /// Action of the descriptor: a transfer, or a jump to another descriptor.
    pub action: DescriptorAction,
}

impl Descriptor {
    /// Returns whether the channel reads an index register of CP2 for the descriptor: for an address, for the choice of
    /// the next descriptor, or for a jump.
    pub fn reads_index(&self) -> bool {
        let next = |n: NextDescriptor| matches!(n, NextDescriptor::Index(_));
        match &self.action {
            DescriptorAction::Get(t) => {
                t.memory.index.is_some() || t.local.index.is_some() || next(t.next)
            }
            DescriptorAction::Put(t) => {
                t.memory.index.is_some() || t.local.index.is_some() || next(t.next)
            }
            DescriptorAction::Copy(t) => {
                t.from.index.is_some() || t.to.index.is_some() || next(t.next)
            }
            DescriptorAction::GetWords(t) => {
                t.memory.index.is_some() || t.local.index.is_some() || next(t.next)
            }
            DescriptorAction::PutWords(t) => {
                t.memory.index.is_some() || t.local.index.is_some() || next(t.next)
            }
            DescriptorAction::Gather(t) => {
                let bases = [t.list.index, t.base, t.local.index];
                bases.iter().any(Option::is_some) || next(t.next)
            }
            DescriptorAction::Jump(_) => true,
        }
    }
}

/// Action of a descriptor: one of six kinds of transfer, or a jump in the table of descriptors. "Memory" in this module
/// is system memory; a beat is 16 bytes, or two 64-bit words of local memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DescriptorAction {
    /// Transfer of beats from system memory to local memory.
    Get(Get),
    /// Transfer of beats from local memory to system memory.
    Put(Put),
    /// Transfer of beats from memory to memory, which only some chips of the line have (VM9 has it, VM7 has not).
    Copy(Copy),
    /// Transfer of 32-bit words from system memory to local memory.
    GetWords(GetWords),
    /// Transfer of 32-bit words from local memory to system memory.
    PutWords(PutWords),
    /// Transfer of 32-bit words at listed addresses of system memory to local memory.
    Gather(Gather),
    /// Choice of the next descriptor by an index register; moves no data.
    Jump(Jump),
}

impl DescriptorAction {
    /// Returns the name of the action: `get`, `put`, `copy`, `get_words`, `put_words`, `gather` or `jump`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Get(_) => "get",
            Self::Put(_) => "put",
            Self::Copy(_) => "copy",
            Self::GetWords(_) => "get_words",
            Self::PutWords(_) => "put_words",
            Self::Gather(_) => "gather",
            Self::Jump(_) => "jump",
        }
    }

    /// Returns whether the action moves 32-bit words, for which the channel needs extension `dma-words`.
    pub fn is_of_words(&self) -> bool {
        matches!(self, Self::GetWords(_) | Self::PutWords(_) | Self::Gather(_))
    }
}

/// Stride of a walk through system memory: a step in bytes, and how many bursts, or rows of bursts, begin along it. A
/// count of 0 has effects of its own: see "Counts of 0" in `specs/src/dma.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stride {
    /// Step in bytes, signed 24 bits, a multiple of 4.
    pub step: i32,
    /// Number of places along the stride (bursts, or rows of bursts), 20 bits; 1 if there is no step.
    pub count: u32,
}

impl Default for Stride {
    /// Returns a stride without steps.
    fn default() -> Self {
        Self { step: 0, count: 1 }
    }
}

/// Walk of a transfer through system memory, the order in which it gets to its beats of 16 bytes: bursts of
/// neighbouring beats, rows of bursts at stride `x`, and rows at stride `y`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryWalk {
    /// Address of the first byte, 32 bits, a multiple of 4.
    pub base: MemoryAddress,
    /// Half of an index register that is added to `base` when the transfer begins: 2k is the high half of `ik`, 2k + 1
    /// the low one. `None` adds nothing.
    pub index: Option<u8>,
    /// Number of beats of 16 bytes in a burst, or of 32-bit words where those are moved: 0 to 63. 0 means 1, unless
    /// single words are moved.
    pub burst: u8,
    /// Stride in a row: from the begin of a burst to the begin of the next.
    pub x: Stride,
    /// Stride from the begin of a row of bursts to the begin of the next row.
    pub y: Stride,
}

impl Default for MemoryWalk {
    /// Returns the walk of the one beat at address 0.
    fn default() -> Self {
        Self {
            base: MemoryAddress::FIRST,
            index: None,
            burst: 1,
            x: Stride::default(),
            y: Stride::default(),
        }
    }
}

/// Stride of a walk through local memory: a step in words, and how many places (of a beat, that is a pair of 64-bit
/// words, or of the single word that moves), or rows of places, there are along it. A count of 0 has effects of its
/// own: see "Counts of 0" in `specs/src/dma.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalStride {
    /// Step in 64-bit words, modulo the size of local memory, so that a large one goes back; in 32-bit words where
    /// those are moved.
    pub step: u16,
    /// Number of places along the stride, 16 bits; 1 if there is no step.
    pub count: u16,
    /// Whether the bits of this stride's part of the address are reversed: bit i becomes bit n - i, where n is the
    /// number of bits of a word address (13 on CP2).
    pub reversed: bool,
}

impl Default for LocalStride {
    /// Returns a stride without steps.
    fn default() -> Self {
        Self { step: 0, count: 1, reversed: false }
    }
}

/// Walk of a transfer through local memory: places at stride `x` in a row, and rows at stride `y`. A place is the pair
/// of 64-bit words of one beat, or the one word where single words or 32-bit words move. The walk is the same in every
/// section that takes part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalWalk {
    /// Word address of the first place.
    pub base: WordAddress,
    /// Half of an index register that is added to `base` when the transfer begins: 2k is the high half of `ik`, 2k + 1
    /// the low one. `None` adds nothing.
    pub index: Option<u8>,
    /// Inner stride: from place to place in a row.
    pub x: LocalStride,
    /// Outer stride: from the begin of a row to the begin of the next.
    pub y: LocalStride,
}

/// Pattern of a section in a transfer from memory to local memory: which parts of the stream of data the section takes.
/// Words of the stream, of 64 bits or of 32 where those are moved, are numbered from 0; a beat of two words has the
/// number of its first word, so beats have the numbers 0, 2, 4 and so on. The section takes `run` numbers from `base`
/// on, `inner` apart, then the same again `outer` further, and so on, modulo 65536.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    /// Number of the word of the stream with which the first run begins.
    pub base: u16,
    /// Distance between the numbers in a run: 2 for neighbouring beats, 1 for neighbouring single words or 32-bit
    /// words.
    pub inner: u16,
    /// Number of beats in a run (of words, where single words or 32-bit words are moved); 0 means 1.
    pub run: u16,
    /// Distance from the first number of a run to the first number of the next run.
    pub outer: u16,
}

/// Choice of the descriptor in the table to which the channel goes after a transfer: a fixed distance, or one that an
/// index register gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NextDescriptor {
    /// The descriptor whose number is this much larger, -256 to 255.
    By(i16),
    /// The descriptor whose number is larger by a signed number of 8 bits: the low byte of this half of an index
    /// register (2k is the high half of `ik`, 2k + 1 the low one).
    Index(u8),
}

/// Transfer of beats of 16 bytes from system memory to local memory. Each beat goes to the same place in all sections
/// whose pattern takes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Get {
    /// Walk through system memory from which the beats come.
    pub memory: MemoryWalk,
    /// Walk through local memory to which the beats go, in each section that takes them.
    pub local: LocalWalk,
    /// Whether the 64-bit words of a beat move one by one, each to the next place of the local walk, instead of both
    /// together.
    pub single_words: bool,
    /// Pattern of each section: the beats of the stream that it takes. Several sections may take the same beat.
    pub sections: [Pattern; SECTIONS],
    /// Choice of the next descriptor, unless the channel stops.
    pub next: NextDescriptor,
}

/// Transfer of beats of 16 bytes from local memory to system memory. The sections give beats one after the other,
/// `flow` at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Put {
    /// Walk through system memory to which the beats go.
    pub memory: MemoryWalk,
    /// Walk through local memory from which the beats come.
    pub local: LocalWalk,
    /// Number of beats that a section gives before it is the turn of the next one, 1 to 4; with 0 a section gives all
    /// beats of the local walk.
    pub flow: u8,
    /// 32-bit words of each beat that are not written, one bit each: bit 0 the first in memory, bit 3 the last.
    pub mask: u8,
    /// 32-bit words that are not written of the last beat in a row of the local walk, in place of `mask`: bit 0 the
    /// first in memory, bit 3 the last.
    pub row_end_mask: u8,
    /// Choice of the next descriptor, unless the channel stops.
    pub next: NextDescriptor,
}

/// Transfer of beats of 16 bytes from system memory to system memory. Both walks must have the same number of beats;
/// otherwise the channel stops with [`DmaFaultKind::CopyLengths`](super::DmaFaultKind::CopyLengths).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Copy {
    /// Walk through system memory from which the beats come.
    pub from: MemoryWalk,
    /// Walk through system memory to which the beats go.
    pub to: MemoryWalk,
    /// Choice of the next descriptor, unless the channel stops.
    pub next: NextDescriptor,
}

/// Transfer of 32-bit words from system memory to local memory. Bursts, steps in local memory and numbers in patterns
/// count 32-bit words. A place in local memory is half of a 64-bit word, the high half first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetWords {
    /// Walk through system memory from which the words come.
    pub memory: MemoryWalk,
    /// Walk through local memory to which the words go, in each section that takes them.
    pub local: LocalWalk,
    /// Pattern of each section: the 32-bit words of the stream that it takes. Several sections may take the same word.
    pub sections: [Pattern; SECTIONS],
    /// Choice of the next descriptor, unless the channel stops.
    pub next: NextDescriptor,
}

/// Transfer of 32-bit words from local memory to system memory. Walks count 32-bit words, as in [`GetWords`]. The
/// sections give words one after the other, `flow` at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PutWords {
    /// Walk through system memory to which the words go.
    pub memory: MemoryWalk,
    /// Walk through local memory from which the words come.
    pub local: LocalWalk,
    /// Number of 32-bit words that a section gives before it is the turn of the next one, 1 to 4; with 0 a section
    /// gives all words of the local walk.
    pub flow: u8,
    /// Choice of the next descriptor, unless the channel stops.
    pub next: NextDescriptor,
}

/// Transfer of 32-bit words at listed addresses of system memory to local memory. The list is in system memory too:
/// 32-bit numbers n, each of which stands for the word at `base` + 4 n.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gather {
    /// Walk through system memory from which the numbers of the list come.
    pub list: MemoryWalk,
    /// Half of an index register that holds the address to which the numbers of the list are added: 2k is the high half
    /// of `ik`, 2k + 1 the low one. `None` stands for address 0.
    pub base: Option<u8>,
    /// Walk through local memory to which the words go, by 32-bit words, in each section that takes them.
    pub local: LocalWalk,
    /// Pattern of each section: the 32-bit words of the stream that it takes. Several sections may take the same word.
    pub sections: [Pattern; SECTIONS],
    /// Choice of the next descriptor, unless the channel stops.
    pub next: NextDescriptor,
}

/// Jump in the table of descriptors, decided by an index register of CP2. No data move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Jump {
    /// Rule by which the index chooses the next descriptor.
    pub kind: JumpKind,
    /// Half of an index register (2k the high half of `ik`, 2k + 1 the low one) whose low byte is the index of the
    /// jump.
    pub index: u8,
}

/// Rule by which the index of a jump, a byte of an index register, chooses the next descriptor. "Ahead" means added to
/// the number of the current descriptor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum JumpKind {
    /// Goes ahead by the index as a signed number, -128 to 127.
    Relative,
    /// Goes ahead by one of these unsigned numbers; the low 4 bits of the index choose it.
    Table([u16; 16]),
    /// Goes to the descriptor whose number is the index, 0 to 255.
    Absolute,
    /// Goes ahead by one of two signed numbers, depending on whether the index equals a value.
    Compare {
        /// Value with which the index is compared, after its sign has been extended to 32 bits.
        value: u32,
        /// Number of descriptors to go ahead if the index equals the value.
        equal: i16,
        /// Number of descriptors to go ahead if the index differs from the value.
        other: i16,
    },
}

impl Descriptor {
    /// Creates a valid descriptor of an action, which raises no interrupt, does not stop the channel and does not wait
    /// for `start_dma`.
    pub fn new(action: DescriptorAction) -> Self {
        Self {
            valid: true,
            interrupt: false,
            stop: false,
            sync_before: false,
            sync_after: false,
            action,
        }
    }

    /// Creates a valid descriptor of a transfer of beats from system memory to local memory, with a pattern for each
    /// section, which tells the beats that it takes. The next descriptor in the table follows; there is no interrupt,
    /// stop or wait.
    pub fn get(memory: MemoryWalk, local: LocalWalk, sections: [Pattern; SECTIONS]) -> Self {
        let next = NextDescriptor::By(1);
        Self::new(DescriptorAction::Get(Get { memory, local, single_words: false, sections, next }))
    }

    /// Creates a valid descriptor of a transfer of beats from local memory to system memory, in which each section
    /// gives `flow` beats at a time ([`Put::flow`]); all words are written (no masks), otherwise as
    /// [`Descriptor::get`].
    pub fn put(memory: MemoryWalk, local: LocalWalk, flow: u8) -> Self {
        let next = NextDescriptor::By(1);
        Self::new(DescriptorAction::Put(Put {
            memory,
            local,
            flow,
            mask: 0,
            row_end_mask: 0,
            next,
        }))
    }

    /// Creates a valid descriptor of a transfer of beats from system memory (`from`) to system memory (`to`), otherwise
    /// as [`Descriptor::get`].
    pub fn copy(from: MemoryWalk, to: MemoryWalk) -> Self {
        Self::new(DescriptorAction::Copy(Copy { from, to, next: NextDescriptor::By(1) }))
    }

    /// Creates a valid descriptor of a jump in the table of descriptors. `index` names the half of an index register
    /// whose low byte decides ([`Jump::index`]).
    pub fn jump(kind: JumpKind, index: u8) -> Self {
        Self::new(DescriptorAction::Jump(Jump { kind, index }))
    }

    /// Returns the descriptor with `stop` set: the channel stops at its end.
    #[must_use]
    pub fn stopping(self) -> Self {
        Self { stop: true, ..self }
    }

    /// Returns the descriptor with `interrupt` set: its end raises the interrupt cause
    /// [`DESCRIPTOR`](super::cause::DESCRIPTOR).
    #[must_use]
    pub fn interrupting(self) -> Self {
        Self { interrupt: true, ..self }
    }

    /// Returns the descriptor with `sync_before` set: the channel waits for `start_dma`, an operation of the kernel,
    /// before it moves data of the descriptor.
    #[must_use]
    pub fn synced(self) -> Self {
        Self { sync_before: true, ..self }
    }

    /// Returns the descriptor with `sync_after` set: the channel waits for `start_dma`, an operation of the kernel,
    /// after it has moved the data of the descriptor.
    #[must_use]
    pub fn synced_after(self) -> Self {
        Self { sync_after: true, ..self }
    }
}
