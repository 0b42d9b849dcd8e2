//! Descriptors as values: what a program of the DMA channel says. Their bits live in `codec.rs`.

use cp2_isa::{MemoryAddress, SECTIONS, WordAddress};
use serde::{Deserialize, Serialize};

/// A descriptor: an entry of a descriptor table, 8 words of 64 bits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Descriptor {
    /// Whether the descriptor is valid; one that is not stops the channel.
    pub valid: bool,
    /// Raise the interrupt cause "descriptor" at the end.
    pub interrupt: bool,
    /// Whether the channel stops at the end of the descriptor.
    pub stop: bool,
    /// Wait for `start_dma` before any data moves.
    pub sync_before: bool,
    /// Wait for `start_dma` when all data have moved.
    pub sync_after: bool,
    /// Action of the descriptor: a transfer, or a jump to another descriptor.
    pub action: DescriptorAction,
}

impl Descriptor {
    /// Whether the descriptor reads index registers, when its transfer begins or when it ends.
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

/// Action of a descriptor: a transfer between memories, or a jump in the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DescriptorAction {
    /// Transfer from memory to local memory.
    Get(Get),
    /// Transfer from local memory to memory.
    Put(Put),
    /// Transfer from memory to memory (VM9).
    Copy(Copy),
    /// 32-bit words of memory to local memory.
    GetWords(GetWords),
    /// 32-bit words of local memory to memory.
    PutWords(PutWords),
    /// 32-bit words of memory at listed addresses to local memory.
    Gather(Gather),
    /// Choice of the next descriptor.
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

    /// Whether the action moves 32-bit words, which is extension `dma-words`.
    pub fn is_of_words(&self) -> bool {
        matches!(self, Self::GetWords(_) | Self::PutWords(_) | Self::Gather(_))
    }
}

/// Step of a walk through memory, and how often it is taken. A count of 0 is not one of 1: `specs/src/dma.md`, "Counts of 0".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stride {
    /// Step in bytes, signed 24 bits, a multiple of 4.
    pub step: i32,
    /// Number of bursts, or of rows of bursts, along the stride, 20 bits; 1 if nothing is stepped.
    pub count: u32,
}

impl Default for Stride {
    /// Returns a stride without steps.
    fn default() -> Self {
        Self { step: 0, count: 1 }
    }
}

/// A three-dimensional region of memory whose innermost runs are contiguous.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryWalk {
    /// Address of the first byte, a multiple of 4.
    pub base: MemoryAddress,
    /// Index half-register (0 to 31) that is added to the base when the transfer begins.
    pub index: Option<u8>,
    /// Beats of 16 bytes in a burst, 6 bits.
    pub burst: u8,
    /// Stride from burst to burst.
    pub x: Stride,
    /// Stride from row to row of bursts.
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

/// Step of a walk through local memory, and how often it is taken. A count of 0 is not one of 1: `specs/src/dma.md`, "Counts
/// of 0".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalStride {
    /// Step in words, modulo the size of local memory, so that large ones go back.
    pub step: u16,
    /// Number of places along the stride, 16 bits; 1 if nothing is stepped.
    pub count: u16,
    /// Reverse the bits of this term of the address: bit i becomes bit 13 - i.
    pub reversed: bool,
}

impl Default for LocalStride {
    /// Returns a stride without steps.
    fn default() -> Self {
        Self { step: 0, count: 1, reversed: false }
    }
}

/// Two-dimensional walk through local memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalWalk {
    /// Address of the first word of the walk, the same in every section that takes part.
    pub base: WordAddress,
    /// Index half-register (0 to 31) that is added to the base when the transfer begins.
    pub index: Option<u8>,
    /// Inner stride: from place to place in a row.
    pub x: LocalStride,
    /// Outer stride: from row to row.
    pub y: LocalStride,
}

/// Pattern of the beats of a stream that a section takes, named by the number of their first word: `base`, then `run` numbers
/// `inner` apart, then the same `outer` further, and so on. Numbers are 16 bits wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    /// First number of the pattern, which the first run begins with.
    pub base: u16,
    /// Distance from number to number in a run: 2 for neighbouring beats, 1 for neighbouring 32-bit words.
    pub inner: u16,
    /// Number of beats in a run, or of 32-bit words where words are moved.
    pub run: u16,
    /// Distance from the first number of a run to that of the next.
    pub outer: u16,
}

/// The place in the table to which the channel goes after a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NextDescriptor {
    /// To the descriptor this far ahead, signed 9 bits.
    By(i16),
    /// Ahead by the low byte, signed, of this index half-register.
    Index(u8),
}

/// Transfer from memory to local memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Get {
    /// Walk through memory from which the beats come.
    pub memory: MemoryWalk,
    /// Walk through local memory to which the beats go, in each section that takes them.
    pub local: LocalWalk,
    /// Whether one word moves per step instead of two.
    pub single_words: bool,
    /// Beats of the stream that each section takes, by the number of the section; several may take the same.
    pub sections: [Pattern; SECTIONS],
    /// Descriptor to which the channel goes when the transfer is done, unless it stops.
    pub next: NextDescriptor,
}

/// Transfer from local memory to memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Put {
    /// Walk through memory to which the beats go.
    pub memory: MemoryWalk,
    /// Walk through local memory from which the beats come.
    pub local: LocalWalk,
    /// Beats taken from a section before the next is turned to, at most 4; 0: the whole local walk.
    pub flow: u8,
    /// 32-bit words of a beat that are not written: bit 0 the first in memory, bit 3 the last.
    pub mask: u8,
    /// 32-bit words of the last beat of a local row that are not written: bit 0 the first in memory, bit 3 the last.
    pub row_end_mask: u8,
    /// Descriptor to which the channel goes when the transfer is done, unless it stops.
    pub next: NextDescriptor,
}

/// Memory to memory. Both walks have the same number of beats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Copy {
    /// Walk through memory from which the beats come.
    pub from: MemoryWalk,
    /// Walk through memory to which the beats go.
    pub to: MemoryWalk,
    /// Descriptor to which the channel goes when the transfer is done, unless it stops.
    pub next: NextDescriptor,
}

/// 32-bit words of memory to local memory: bursts, steps in local memory and numbers in patterns count words.
/// A place in local memory is half a 64-bit word, the high half first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetWords {
    /// Walk through memory from which the words come.
    pub memory: MemoryWalk,
    /// Walk through local memory to which the words go, in each section that takes them.
    pub local: LocalWalk,
    /// 32-bit words of the stream that each section takes, by the number of the section; several may take the same.
    pub sections: [Pattern; SECTIONS],
    /// Descriptor to which the channel goes when the transfer is done, unless it stops.
    pub next: NextDescriptor,
}

/// 32-bit words of local memory to memory, counted as in [`GetWords`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PutWords {
    /// Walk through memory to which the words go.
    pub memory: MemoryWalk,
    /// Walk through local memory from which the words come.
    pub local: LocalWalk,
    /// Words taken from a section before the next is turned to, at most 4; 0: the whole local walk.
    pub flow: u8,
    /// Descriptor to which the channel goes when the transfer is done, unless it stops.
    pub next: NextDescriptor,
}

/// 32-bit words of memory at listed addresses to local memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gather {
    /// Walk through the list of 32-bit numbers of words.
    pub list: MemoryWalk,
    /// Index half-register (0 to 31) with the address of the word with number 0; address 0 if there is none.
    pub base: Option<u8>,
    /// Walk through local memory to which the words go, in each section that takes them.
    pub local: LocalWalk,
    /// 32-bit words of the stream that each section takes, by the number of the section; several may take the same.
    pub sections: [Pattern; SECTIONS],
    /// Descriptor to which the channel goes when the transfer is done, unless it stops.
    pub next: NextDescriptor,
}

/// Choice of the next descriptor by an index register of CP2; no data move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Jump {
    /// Way in which the index chooses the next descriptor.
    pub kind: JumpKind,
    /// Index half-register (0 to 31) whose low byte decides.
    pub index: u8,
}

/// Way in which a jump chooses its target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum JumpKind {
    /// Jump ahead by the index, signed.
    Relative,
    /// Jump ahead by the entry that the low 4 bits of the index name.
    Table([u16; 16]),
    /// Jump to the descriptor whose number is the index, 0 to 255.
    Absolute,
    /// Jump one way if the index (signed, extended to 32 bits) equals a value, another if not.
    Compare {
        /// Value with which the index is compared.
        value: u32,
        /// Descriptors by which the channel goes ahead if the index is equal.
        equal: i16,
        /// Descriptors by which the channel goes ahead if the index is another.
        other: i16,
    },
}

impl Pattern {
    /// Pattern that takes every beat.
    pub const ALL: Self = Self { base: 0, inner: 0, run: 1, outer: 2 };
    /// Pattern that takes no beat: numbers of beats are even, and a stream of single words reaches 65535 last.
    pub const NONE: Self = Self { base: 0xffff, inner: 0, run: 1, outer: 0 };

    /// Deals the stream out in runs of `beats` to one section after another. With 1 the sections are
    /// interleaved; with a quarter of the stream each gets a contiguous share.
    pub fn dealt(beats: u16) -> [Self; SECTIONS] {
        let words = beats.wrapping_mul(2);
        std::array::from_fn(|s| Self {
            base: words.wrapping_mul(s as u16),
            inner: 2,
            run: beats,
            outer: words.wrapping_mul(SECTIONS as u16),
        })
    }

    /// Pattern that takes every 32-bit word.
    pub const ALL_WORDS: Self = Self { base: 0, inner: 0, run: 1, outer: 1 };

    /// Deals a stream of 32-bit words out in runs of so many to one section after another.
    pub fn dealt_words(words: u16) -> [Self; SECTIONS] {
        std::array::from_fn(|s| Self {
            base: words.wrapping_mul(s as u16),
            inner: 1,
            run: words,
            outer: words.wrapping_mul(SECTIONS as u16),
        })
    }

    /// Gives all 32-bit words to one section.
    pub fn only_words(section: usize) -> [Self; SECTIONS] {
        std::array::from_fn(|s| if s == section { Self::ALL_WORDS } else { Self::NONE })
    }

    /// Gives all beats to one section.
    pub fn only(section: usize) -> [Self; SECTIONS] {
        std::array::from_fn(|s| if s == section { Self::ALL } else { Self::NONE })
    }
}

impl MemoryWalk {
    /// Creates a walk of `rows` rows of `beats` beats, `pitch` bytes apart. Rows longer than a burst can be are cut into
    /// equal bursts; `None` if that is not possible.
    pub fn rows(base: MemoryAddress, beats: u32, pitch: i32, rows: u32) -> Option<Self> {
        Self::rows_in_bursts(base, beats, pitch, rows, 63)
    }

    /// Creates a walk of `rows` rows of `beats` beats, `pitch` bytes apart, cut into equal bursts of at most `longest` beats;
    /// `None` if that is not possible.
    pub fn rows_in_bursts(
        base: MemoryAddress,
        beats: u32,
        pitch: i32,
        rows: u32,
        longest: u32,
    ) -> Option<Self> {
        let longest = beats.min(longest).min(63);
        let burst = (1..=longest).rev().find(|&b| beats.is_multiple_of(b))?;
        let x = Stride { step: 16 * burst as i32, count: beats / burst };
        let y = Stride { step: pitch, count: rows };
        Some(Self { base, index: None, burst: burst as u8, x, y })
    }

    /// Returns the number of beats of the walk, unless single words are moved.
    pub fn beats(&self) -> u64 {
        let rows = u64::from(self.y.count);
        match (self.x.count, self.y.count) {
            (_, 0) => 1,
            (0, _) => rows,
            (bursts, _) => u64::from(self.burst.max(1)) * u64::from(bursts) * rows,
        }
    }
}

impl MemoryWalk {
    /// Returns the number of 32-bit words of the walk, if it counts them.
    pub fn words(&self) -> u64 {
        let counts = [u32::from(self.burst), self.x.count, self.y.count];
        counts.iter().map(|&n| u64::from(n.max(1))).product()
    }
}

impl LocalWalk {
    /// Creates a walk of `beats` beats at consecutive words from `base` on.
    pub fn linear(base: WordAddress, beats: u16) -> Self {
        let x = LocalStride { step: 2, count: beats, reversed: false };
        let y = LocalStride { step: 0, count: 1, reversed: false };
        Self { base, index: None, x, y }
    }

    /// Creates a walk over consecutive words from `base` on, for an interleaved distribution: the beats of a group of four,
    /// one per section, go to the same place. Each section has `beats_per_section` beats.
    pub fn interleaved(base: WordAddress, beats_per_section: u16) -> Self {
        let x = LocalStride { step: 0, count: SECTIONS as u16, reversed: false };
        let y = LocalStride { step: 2, count: beats_per_section, reversed: false };
        Self { base, index: None, x, y }
    }
}

impl Descriptor {
    /// Creates a valid descriptor without interrupt, stop or sync.
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

    /// Creates a transfer from memory; the next descriptor follows.
    pub fn get(memory: MemoryWalk, local: LocalWalk, sections: [Pattern; SECTIONS]) -> Self {
        let next = NextDescriptor::By(1);
        Self::new(DescriptorAction::Get(Get { memory, local, single_words: false, sections, next }))
    }

    /// Creates a transfer to memory; the next descriptor follows.
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

    /// Creates a transfer from memory to memory; the next descriptor follows.
    pub fn copy(from: MemoryWalk, to: MemoryWalk) -> Self {
        Self::new(DescriptorAction::Copy(Copy { from, to, next: NextDescriptor::By(1) }))
    }

    /// Creates a jump.
    pub fn jump(kind: JumpKind, index: u8) -> Self {
        Self::new(DescriptorAction::Jump(Jump { kind, index }))
    }

    /// Returns the descriptor as the last of its table: the channel stops after it.
    #[must_use]
    pub fn stopping(self) -> Self {
        Self { stop: true, ..self }
    }

    /// Returns the descriptor with an interrupt at its end.
    #[must_use]
    pub fn interrupting(self) -> Self {
        Self { interrupt: true, ..self }
    }

    /// Returns the descriptor so that it waits for `start_dma` before its data.
    #[must_use]
    pub fn synced(self) -> Self {
        Self { sync_before: true, ..self }
    }

    /// Returns the descriptor so that it waits for `start_dma` after its data.
    #[must_use]
    pub fn synced_after(self) -> Self {
        Self { sync_after: true, ..self }
    }
}
