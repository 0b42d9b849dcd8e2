//! Encoding of descriptors in 8 words of 64 bits (\[L\]; the form for transfers from memory to memory is this project's
//! own, see `specs/src/dma.md`).

use super::descriptor::{
    Copy, Descriptor, DescriptorAction, Gather, Get, GetWords, Jump, JumpKind, LocalStride,
    LocalWalk, MemoryWalk, NextDescriptor, Pattern, Put, PutWords, Stride,
};
use super::limit;
use cp2_isa::{NumberRange, SECTIONS, WordAddress};
use std::fmt;

/// Error of [`Descriptor::encode`]: a number of the descriptor does not fit into its bit field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// Name of the bit field for messages, such as `memory count x`.
    pub field: &'static str,
    /// Number that was to be encoded and does not fit into the bit field.
    pub value: i64,
    /// Values that the bit field can hold.
    pub limit: NumberRange,
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}; a descriptor takes {}", self.field, self.value, self.limit)
    }
}

impl std::error::Error for FieldError {}

const PUT: u64 = 0;
const COPY: u64 = 1;
const GET: u64 = 2;
const JUMP: u64 = 3;

/// Bits of word 0 that make a GET or PUT one of 32-bit words, and a GET of words a gather.
const WORDS: u32 = 40;
const GATHER: u32 = 33;

fn bits(word: u64, low: u32, width: u32) -> u64 {
    word >> low & ((1 << width) - 1)
}

fn flag(word: u64, bit: u32) -> bool {
    word >> bit & 1 == 1
}

fn check(field: &'static str, value: i64, limit: NumberRange) -> Result<u64, FieldError> {
    if limit.takes(value) { Ok(value as u64) } else { Err(FieldError { field, value, limit }) }
}

/// Returns an index half-register as its number and the bit that says "none".
fn index(field: &'static str, index: Option<u8>) -> Result<(u64, u64), FieldError> {
    match index {
        None => Ok((0, 1)),
        Some(n) => Ok((check(field, n.into(), limit::HALF_REGISTER)?, 0)),
    }
}

/// Returns a step of a memory walk without its two zero bits, 22 bits.
fn step(field: &'static str, value: i32) -> Result<u64, FieldError> {
    Ok(check(field, value.into(), limit::MEMORY_STEP)? >> 2 & 0x3f_ffff)
}

fn step_from(field: u64) -> i32 {
    (field << 10) as i32 >> 8
}

/// Encodes a memory walk as words 0, 1 and 2; the rest of their bits is 0.
fn encode_memory(walk: &MemoryWalk) -> Result<[u64; 3], FieldError> {
    let count = |field, n: u32| check(field, n.into(), limit::MEMORY_COUNT);
    let base = check("memory base", walk.base.0 as i64, limit::MEMORY_BASE)?;
    let burst = check("beats per burst", walk.burst.into(), limit::BURST)?;
    let (register, none) = index("half-register of the memory base", walk.index)?;
    let sx = step("memory step x", walk.x.step)?;
    let sy = step("memory step y", walk.y.step)?;
    let nx = count("memory count x", walk.x.count)?;
    let ny = count("memory count y", walk.y.count)?;
    Ok([
        burst << 41 | base,
        sx << 42 | none << 39 | register << 34 | nx << 12 | sy >> 10,
        ny << 44 | bits(sy, 0, 10) << 34,
    ])
}

fn decode_memory(words: &[u64]) -> MemoryWalk {
    let w = |k: usize| words[k];
    MemoryWalk {
        base: (w(0) as u32 & !3).into(),
        index: (!flag(w(1), 39)).then(|| bits(w(1), 34, 5) as u8),
        burst: bits(w(0), 41, 6) as u8,
        x: Stride { step: step_from(bits(w(1), 42, 22)), count: bits(w(1), 12, 20) as u32 },
        y: Stride {
            step: step_from(bits(w(1), 0, 12) << 10 | bits(w(2), 34, 10)),
            count: bits(w(2), 44, 20) as u32,
        },
    }
}

/// Encodes a local walk as the low half of word 2, and word 3.
fn encode_local(walk: &LocalWalk) -> Result<[u64; 2], FieldError> {
    let (register, none) = index("half-register of the local base", walk.index)?;
    let wide = u64::from;
    let low = wide(walk.base.0) << 16 | wide(walk.x.step);
    let high = wide(walk.x.count) << 48 | wide(walk.y.step) << 32 | wide(walk.y.count) << 16;
    let reversed = u64::from(walk.x.reversed) << 15 | u64::from(walk.y.reversed) << 14;
    Ok([low, high | reversed | none << 13 | register << 8])
}

fn decode_local(low: u64, high: u64) -> LocalWalk {
    let half = |word: u64, low: u32| bits(word, low, 16) as u16;
    LocalWalk {
        base: WordAddress(half(low, 16)),
        index: (!flag(high, 13)).then(|| bits(high, 8, 5) as u8),
        x: LocalStride { step: half(low, 0), count: half(high, 48), reversed: flag(high, 15) },
        y: LocalStride { step: half(high, 32), count: half(high, 16), reversed: flag(high, 14) },
    }
}

fn encode_next(next: NextDescriptor) -> Result<u64, FieldError> {
    match next {
        NextDescriptor::By(by) => {
            Ok((check("step to the next descriptor", by.into(), limit::NEXT)? & 0x1ff) << 47)
        }
        NextDescriptor::Index(n) => {
            let n = check("half-register of the next descriptor", n.into(), limit::HALF_REGISTER)?;
            Ok(1 << 56 | n << 47)
        }
    }
}

fn decode_next(word: u64) -> NextDescriptor {
    if flag(word, 56) {
        NextDescriptor::Index(bits(word, 47, 5) as u8)
    } else {
        NextDescriptor::By((bits(word, 47, 9) << 7) as i16 >> 7)
    }
}

/// Encodes a mask. The first word of a mask is in the lowest bit, in the word of the descriptor too.
fn encode_mask(field: &'static str, mask: u8) -> Result<u64, FieldError> {
    check(field, mask.into(), limit::MASK)
}

fn encode_get(get: &Get, words: &mut [u64; 8]) -> Result<(), FieldError> {
    encode_walks(&get.memory, &get.local, words)?;
    words[0] |= GET << 57 | u64::from(get.single_words) << 32 | encode_next(get.next)?;
    encode_patterns(&get.sections, words);
    Ok(())
}

fn encode_patterns(patterns: &[Pattern; SECTIONS], words: &mut [u64; 8]) {
    for (word, p) in words[4..].iter_mut().zip(patterns) {
        let fields = [p.base, p.inner, p.run, p.outer];
        *word = fields.iter().fold(0, |word, &f| word << 16 | u64::from(f));
    }
}

fn decode_patterns(words: &[u64; 8]) -> [Pattern; SECTIONS] {
    let half = |word: u64, low: u32| bits(word, low, 16) as u16;
    std::array::from_fn(|s| Pattern {
        base: half(words[4 + s], 48),
        inner: half(words[4 + s], 32),
        run: half(words[4 + s], 16),
        outer: half(words[4 + s], 0),
    })
}

fn encode_get_words(get: &GetWords, words: &mut [u64; 8]) -> Result<(), FieldError> {
    encode_walks(&get.memory, &get.local, words)?;
    words[0] |= GET << 57 | 1 << WORDS | encode_next(get.next)?;
    encode_patterns(&get.sections, words);
    Ok(())
}

fn encode_put_words(put: &PutWords, words: &mut [u64; 8]) -> Result<(), FieldError> {
    encode_walks(&put.memory, &put.local, words)?;
    let flow = check("flow", put.flow.into(), limit::FLOW)?;
    words[0] |= PUT << 57 | 1 << WORDS | flow << 32 | encode_next(put.next)?;
    Ok(())
}

fn encode_gather(gather: &Gather, words: &mut [u64; 8]) -> Result<(), FieldError> {
    encode_walks(&gather.list, &gather.local, words)?;
    let (register, none) = index("half-register of the gather base", gather.base)?;
    words[0] |= GET << 57 | 1 << WORDS | none << 39 | register << 34 | 1 << GATHER;
    words[0] |= encode_next(gather.next)?;
    encode_patterns(&gather.sections, words);
    Ok(())
}

/// Decodes a GET or PUT of 32-bit words, or a gather.
fn decode_of_words(words: &[u64; 8], is_get: bool) -> DescriptorAction {
    let next = decode_next(words[0]);
    let memory = decode_memory(&words[..3]);
    let local = decode_local(words[2], words[3]);
    if !is_get {
        let flow = bits(words[0], 32, 8).min(4) as u8;
        return DescriptorAction::PutWords(PutWords { memory, local, flow, next });
    }
    let sections = decode_patterns(words);
    if flag(words[0], GATHER) {
        let base = (!flag(words[0], 39)).then(|| bits(words[0], 34, 5) as u8);
        return DescriptorAction::Gather(Gather { list: memory, base, local, sections, next });
    }
    DescriptorAction::GetWords(GetWords { memory, local, sections, next })
}

fn encode_put(put: &Put, words: &mut [u64; 8]) -> Result<(), FieldError> {
    encode_walks(&put.memory, &put.local, words)?;
    let flow = check("flow", put.flow.into(), limit::FLOW)?;
    words[0] |= PUT << 57 | flow << 32 | encode_next(put.next)?;
    words[4] =
        encode_mask("mask", put.mask)? << 60 | encode_mask("row end mask", put.row_end_mask)? << 56;
    Ok(())
}

fn encode_walks(
    memory: &MemoryWalk,
    local: &LocalWalk,
    words: &mut [u64; 8],
) -> Result<(), FieldError> {
    words[..3].copy_from_slice(&encode_memory(memory)?);
    let [low, high] = encode_local(local)?;
    words[2] |= low;
    words[3] = high;
    Ok(())
}

fn encode_copy(copy: &Copy, words: &mut [u64; 8]) -> Result<(), FieldError> {
    words[..3].copy_from_slice(&encode_memory(&copy.from)?);
    words[4..7].copy_from_slice(&encode_memory(&copy.to)?);
    words[0] |= COPY << 57 | encode_next(copy.next)?;
    Ok(())
}

fn encode_jump(jump: &Jump, words: &mut [u64; 8]) -> Result<(), FieldError> {
    let index = check("half-register of the jump", jump.index.into(), limit::HALF_REGISTER)?;
    let kind = match &jump.kind {
        JumpKind::Relative => 0,
        JumpKind::Table(entries) => {
            for (k, &entry) in entries.iter().enumerate() {
                words[1 + k / 4] |= u64::from(entry) << (48 - 16 * (k % 4));
            }
            1
        }
        JumpKind::Absolute => 2,
        JumpKind::Compare { value, equal, other } => {
            words[0] |= u64::from(*value);
            words[1] = u64::from(*equal as u16) << 48 | u64::from(*other as u16) << 32;
            3
        }
    };
    words[0] |= JUMP << 57 | kind << 55 | index << 49;
    Ok(())
}

fn decode_jump(words: &[u64; 8]) -> Jump {
    let half = |word: usize, low: u32| bits(words[word], low, 16) as u16;
    let kind = match bits(words[0], 55, 2) {
        0 => JumpKind::Relative,
        1 => JumpKind::Table(std::array::from_fn(|k| half(1 + k / 4, 48 - 16 * (k as u32 % 4)))),
        2 => JumpKind::Absolute,
        _ => JumpKind::Compare {
            value: words[0] as u32,
            equal: half(1, 48) as i16,
            other: half(1, 32) as i16,
        },
    };
    Jump { kind, index: bits(words[0], 49, 5) as u8 }
}

impl Descriptor {
    /// Encodes the descriptor as its 8 words in system memory. Bits without a meaning are 0.
    ///
    /// # Errors
    /// A number does not fit into its bit field; the error names the first one.
    pub fn encode(&self) -> Result<[u64; 8], FieldError> {
        let mut words = [0; 8];
        match &self.action {
            DescriptorAction::Get(get) => encode_get(get, &mut words)?,
            DescriptorAction::Put(put) => encode_put(put, &mut words)?,
            DescriptorAction::Copy(copy) => encode_copy(copy, &mut words)?,
            DescriptorAction::GetWords(get) => encode_get_words(get, &mut words)?,
            DescriptorAction::PutWords(put) => encode_put_words(put, &mut words)?,
            DescriptorAction::Gather(gather) => encode_gather(gather, &mut words)?,
            DescriptorAction::Jump(jump) => encode_jump(jump, &mut words)?,
        }
        let flags = [self.valid, self.interrupt, self.stop, self.sync_before, self.sync_after];
        for (k, &on) in flags.iter().enumerate() {
            words[0] |= u64::from(on) << (63 - k);
        }
        Ok(words)
    }

    /// Decodes the 8 words of a descriptor. All words are accepted, those of an invalid descriptor too: the channel
    /// decides when it comes to the descriptor.
    pub fn decode(words: &[u64; 8]) -> Self {
        let next = decode_next(words[0]);
        let memory = || decode_memory(&words[..3]);
        let local = || decode_local(words[2], words[3]);
        let action = match bits(words[0], 57, 2) {
            kind @ (PUT | GET) if flag(words[0], WORDS) => decode_of_words(words, kind == GET),
            PUT => DescriptorAction::Put(Put {
                memory: memory(),
                local: local(),
                flow: bits(words[0], 32, 8).min(4) as u8,
                mask: bits(words[4], 60, 4) as u8,
                row_end_mask: bits(words[4], 56, 4) as u8,
                next,
            }),
            COPY => DescriptorAction::Copy(Copy {
                from: memory(),
                to: decode_memory(&words[4..7]),
                next,
            }),
            GET => DescriptorAction::Get(Get {
                memory: memory(),
                local: local(),
                single_words: flag(words[0], 32),
                sections: decode_patterns(words),
                next,
            }),
            _ => DescriptorAction::Jump(decode_jump(words)),
        };
        Self {
            valid: flag(words[0], 63),
            interrupt: flag(words[0], 62),
            stop: flag(words[0], 61),
            sync_before: flag(words[0], 60),
            sync_after: flag(words[0], 59),
            action,
        }
    }
}
