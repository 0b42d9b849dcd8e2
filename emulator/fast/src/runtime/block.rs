//! Block of translated code, the key by which it is asked for, and the room that it needs. Where blocks are kept is in
//! `cache`.

use super::kept::Translated;
use crate::back_end::code::MachineCode;
use crate::front_end::environment::Environment;
use crate::front_end::region::{BlockStart, Depth, Ending, Extent, LONGEST_PASS, Target, UNROLLED};
use crate::lowering::translation::Facts;

/// Number of times that a block is wanted before it is worth one that goes further, which takes longer to translate.
const OFTEN: u32 = 128;

/// Number of a block.
pub(crate) type BlockId = u32;
/// Number of a shape.
pub(crate) type ShapeId = u32;
/// Number of an adapter from one shape to another.
pub(crate) type AdapterId = u32;

/// Translated block.
#[derive(Debug)]
pub(crate) struct TranslatedBlock {
    pub(crate) facts: Facts,
    pub(crate) shape: ShapeId,
    pub(crate) code: MachineCode,
    /// The block that was wanted after this one the last time.
    pub(super) next: Option<CachedBlock>,
    /// Block that does the same from the shape that this one leaves, and the adapter to it; no adapter if the other block
    /// cannot take the place of this one.
    pub(super) same: Option<(BlockId, Option<AdapterId>)>,
    /// Number of times that the block was wanted, if one that goes further could take its place.
    pub(super) visits: Option<u32>,
}

impl TranslatedBlock {
    pub(super) fn new(
        Translated { facts, code }: Translated,
        shape: ShapeId,
        key: &BlockKey,
    ) -> Self {
        let is_short = facts.pass.is_turn && facts.pass.cycles < UNROLLED as u32;
        let changes = |to: &Ending| match to {
            Ending::Do { .. } => true,
            Ending::Jump(to) | Ending::Call { to, .. } => matches!(to, Target::Immediate(_)),
            _ => false,
        };
        let is_nullified = key.wanted.place.nullified.is_some();
        let may_go_on = is_short || is_nullified || changes(&facts.ending);
        let may_go_on = match key.extent {
            Extent::Straight => may_go_on,
            Extent::Turns(_) => facts.pass.is_turn && !code.contract().repeats,
            Extent::Through(_) => false,
        };
        Self { facts, shape, code, next: None, same: None, visits: may_go_on.then_some(0) }
    }

    /// Counts that the block is wanted once more; tells when that makes it worth another one that goes further.
    pub(super) fn visit(&mut self) -> bool {
        let Some(visits @ 0..OFTEN) = &mut self.visits else { return false };
        *visits += 1;
        *visits == OFTEN
    }

    pub(super) fn is_often_wanted(&self) -> bool {
        self.visits == Some(OFTEN)
    }
}

/// Block to enter, and the adapter that is applied before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entrance {
    pub(crate) id: BlockId,
    pub(crate) adapter: Option<AdapterId>,
}

/// Key by which blocks are looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BlockKey {
    pub(super) wanted: Wanted,
    pub(super) extent: Extent,
    /// Number of the core with its contents of instruction memory.
    pub(super) code: usize,
}

/// Block that was found for a key while there were so many blocks: among more of them another one could be the better choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct CachedBlock {
    pub(super) wanted: Wanted,
    pub(super) code: usize,
    pub(super) entrance: Entrance,
    pub(super) blocks: usize,
    /// Whether there was so little room that a block that goes further may have been left out.
    pub(super) is_tight: bool,
}

/// Block that is asked for: its place, and the state in which it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Wanted {
    pub(crate) place: BlockStart,
    /// Shape of the pipeline when the block begins.
    pub(crate) shape: ShapeId,
    pub(crate) environment: Environment,
    /// Number of bodies of a short innermost loop that are wanted one behind the other.
    pub(crate) turns: usize,
    /// Whether `turns` bodies are all that is left of the loop.
    pub(crate) is_rest: bool,
}

/// Room for a block: what is left of the loop, of the run, and of the machine's stacks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Number of iterations of the innermost loop that are left.
    pub(crate) iterations: u64,
    /// Number of cycles that are left for a pass.
    pub(crate) cycles: u64,
    /// Numbers of loops and calls that may be under way besides those that are.
    pub(crate) depth: Depth,
}

impl Room {
    /// Whether there may be blocks with too long a pass.
    pub(super) fn is_tight(&self) -> bool {
        self.cycles < LONGEST_PASS as u64
    }

    /// Whether there is room for one pass of a block.
    #[inline]
    pub(super) fn has(&self, facts: &Facts) -> bool {
        let Depth { loops, calls } = facts.depth;
        u64::from(facts.pass.cycles) <= self.cycles
            && (facts.ending != Ending::Loop || facts.pass.times as u64 <= self.iterations)
            && loops <= self.depth.loops
            && calls <= self.depth.calls
    }
}
