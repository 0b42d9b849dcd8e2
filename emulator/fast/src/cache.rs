//! Translated blocks by place, by what is under way, and by what they take for granted.

use crate::assemble::assemble;
use crate::builder::Constants;
use crate::code::Code;
use crate::context::{Context, PENDING, Vector};
use crate::region::{LONGEST, Place};
use crate::shape::Shape;
use crate::translate::{Environment, Facts, translate};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Blocks after which all are forgotten, to bound the memory.
const MOST_BLOCKS: usize = 2000;

/// Contents of instruction memory whose blocks are kept.
const MOST_CODES: usize = 8;

/// Number of a block.
pub(crate) type BlockId = u32;
/// Number of a shape.
pub(crate) type ShapeId = u32;

/// A translated block.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) facts: Facts,
    pub(crate) shape: ShapeId,
    pub(crate) code: Code,
    /// The block that was wanted after this one the last time.
    next: Option<(Key, BlockId)>,
}

/// What a block is looked up by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key([u64; 3]);

/// The block that is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) place: Place,
    /// What is under way.
    pub(crate) shape: ShapeId,
    pub(crate) environment: Environment,
    /// Bodies of the innermost loop, one behind the other.
    pub(crate) times: usize,
}

impl Key {
    fn new(wanted: &Wanted, code: usize) -> Self {
        let Wanted { place, shape, environment: e, times } = *wanted;
        const NONE: u16 = u16::MAX;
        let (start, end) = place.innermost.unwrap_or((NONE, NONE));
        let pack = |[a, b, c, d]: [u16; 4]| {
            u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32 | u64::from(d) << 48
        };
        let bits = u16::from(place.follows_exit)
            | u16::from(e.full_mask) << 1
            | u16::from(e.rounding) << 2
            | u16::from(e.logged) << 4
            | (times as u16) << 8;
        Self([
            pack([place.pc, place.last.unwrap_or(NONE), start, end]),
            pack([shape as u16, (shape >> 16) as u16, bits, 0]),
            pack([e.linear, e.reversed, code as u16, 0]),
        ])
    }
}

/// Multiplies and rotates; keys are few and not hostile.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }
    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 32;
    }
}

/// All blocks of an engine.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    pub(crate) blocks: Vec<Block>,
    by_key: HashMap<Key, Option<BlockId>, BuildHasherDefault<KeyHasher>>,
    shapes: Vec<Shape>,
    by_shape: HashMap<Shape, ShapeId>,
    constants: Constants,
    copied_constants: usize,
    codes: Vec<KnownCode>,
    /// The one that is in instruction memory.
    code: usize,
}

/// The part of instruction memory that blocks were made from.
#[derive(Debug, Default)]
struct KnownCode {
    first: usize,
    words: Vec<u64>,
}

impl KnownCode {
    fn is_in(&self, iram: &[u64]) -> bool {
        iram.get(self.first..self.first + self.words.len()) == Some(&self.words)
    }
}

impl Cache {
    /// Turns to the blocks of what is in instruction memory, which may have changed, or forgets all
    /// if there are too many. Only while no block is in use.
    pub(crate) fn refresh(&mut self, iram: &[u64]) {
        if self.codes.get(self.code).is_some_and(|code| code.is_in(iram)) {
            return self.forget_if_full();
        }
        self.code = match self.codes.iter().position(|code| code.is_in(iram)) {
            Some(code) => code,
            None => {
                self.codes.push(KnownCode::default());
                self.codes.len() - 1
            }
        };
        self.forget_if_full();
    }

    fn forget_if_full(&mut self) {
        let many = self.blocks.len() > MOST_BLOCKS || self.codes.len() > MOST_CODES;
        if many || self.constants.is_overfull() {
            *self = Self { codes: vec![KnownCode::default()], ..Self::default() };
        }
    }

    pub(crate) fn shape_id(&mut self, shape: &Shape) -> ShapeId {
        if let Some(&id) = self.by_shape.get(shape) {
            return id;
        }
        let id = self.shapes.len() as ShapeId;
        self.shapes.push(shape.clone());
        self.by_shape.insert(shape.clone(), id);
        id
    }

    pub(crate) fn shape(&self, id: ShapeId) -> &Shape {
        &self.shapes[id as usize]
    }

    pub(crate) fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id as usize]
    }

    /// The block at a place, translated if it is new; `None` if the first bundle has to be left to
    /// the reference engine. `before` is the block that was executed last.
    pub(crate) fn find(
        &mut self,
        wanted: &Wanted,
        before: Option<BlockId>,
        (iram, context): (&[u64], &mut Context),
    ) -> Option<BlockId> {
        let key = Key::new(wanted, self.code);
        if let Some(before) = before
            && let Some((wanted, id)) = self.blocks[before as usize].next
            && wanted == key
        {
            return Some(id);
        }
        let id = match self.by_key.get(&key) {
            Some(&known) => known?,
            None => {
                self.watch(iram, wanted.place.pc);
                let made = self.make(iram, wanted);
                let id = made.map(|block| {
                    self.blocks.push(block);
                    (self.blocks.len() - 1) as BlockId
                });
                self.copy_constants(context);
                self.by_key.insert(key, id);
                id?
            }
        };
        if let Some(before) = before {
            self.blocks[before as usize].next = Some((key, id));
        }
        Some(id)
    }

    /// Remembers what instruction memory holds where a block was made or refused.
    fn watch(&mut self, iram: &[u64], pc: u16) {
        // A block reads its bundles and one more, which may be a delay slot.
        let end = (usize::from(pc) + LONGEST + 2).min(iram.len());
        let begin = usize::from(pc).min(end);
        let Some(code) = self.codes.get_mut(self.code) else { return };
        let whole = if code.words.is_empty() {
            begin..end
        } else {
            begin.min(code.first)..end.max(code.first + code.words.len())
        };
        *code = KnownCode { first: whole.start, words: iram[whole].to_vec() };
    }

    fn make(&mut self, iram: &[u64], wanted: &Wanted) -> Option<Block> {
        if self.constants.is_overfull() {
            return None;
        }
        let Wanted { place, shape, environment, times } = *wanted;
        let entry = &self.shapes[shape as usize];
        let constants = &mut self.constants;
        let t = translate(iram, &place, entry, environment, times, constants)?;
        if self.constants.is_overfull() || t.facts.shape.slots() > PENDING {
            return None;
        }
        let bytes = assemble(&t.ins, t.homes, t.facts.repeats).ok()?;
        let code = Code::new(&bytes).ok()?;
        let shape = self.shape_id(&t.facts.shape);
        Some(Block { facts: t.facts, shape, code, next: None })
    }

    fn copy_constants(&mut self, context: &mut Context) {
        let new: &[Vector] = &self.constants.values[self.copied_constants..];
        let room = context.constants.len() - self.copied_constants;
        let n = new.len().min(room);
        context.constants[self.copied_constants..][..n].copy_from_slice(&new[..n]);
        self.copied_constants += n;
    }
}
