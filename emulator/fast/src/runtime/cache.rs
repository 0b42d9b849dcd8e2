//! Cache of translated blocks by place, by the results under way, and by what they take for granted.

use super::block::{
    AdapterId, BlockId, BlockKey, CachedBlock, Entrance, Room, ShapeId, TranslatedBlock, Wanted,
};
use super::executor::{Executor, Fit};
use super::kept::{Asked, KnownCode, Store, StoreEntry, Translated};
use super::shared::MadeElsewhere;
use crate::abi::context::{Live, PENDING};
use crate::analysis::entry::Adapter;
use crate::analysis::speculation::Speculation;
use crate::back_end::assemble::{Steps, assemble};
use crate::back_end::code::MachineCode;
use crate::back_end::encoding::NativeIsa;
use crate::front_end::region::{
    BlockStart, CodeSource, Ending, Extent, LONG_TURNS, LONGEST, UNROLLED,
};
use crate::front_end::shape::PipelineState;
use crate::known::SmallKeyMap;
use crate::lowering::block::Start;
use crate::lowering::translate::translate;
use cp2_emu::instructions::Instructions;
use cp2_isa::{BundleAddress, BundleBits, Core};

/// Number of blocks, places or shapes after which all are forgotten, to bound the memory.
pub(crate) const MOST: usize = 2000;

/// Number of contents of instruction memory whose blocks are kept.
const MOST_CODES: usize = 8;
/// Number of new blocks, at least, that are worth gathering.
const WORTH_GATHERING: usize = 8;

/// Number of times that a run goes on at a place before that is worth a translation.
const RARE: u32 = 64;

/// Number of places at which runs begin whose latest block is known without a search.
const FIRST_SLOTS: usize = 64;

/// Translations of one place.
#[derive(Clone, Debug, Default)]
struct Versions {
    /// Blocks of the place, the boldest first; behind them at most one that takes nothing for granted.
    ids: Vec<BlockId>,
    /// Whether the first bundle has to be left to the portable engine.
    refused: bool,
}

/// Latest results of lookups, which need not be looked for again.
#[derive(Debug)]
pub(crate) struct Last {
    /// Blocks with which runs began the last time, by their places.
    first: Vec<Option<CachedBlock>>,
    /// Shape that was asked for the last time.
    recent: ShapeId,
    /// Version of the instruction memory in which the code at hand was found the last time.
    version: u64,
}

/// Cache of all blocks of an engine.
#[derive(Debug)]
pub(crate) struct Cache {
    native_isa: NativeIsa,
    pub(crate) blocks: Vec<TranslatedBlock>,
    by_key: SmallKeyMap<BlockKey, Versions>,
    shapes: Vec<PipelineState>,
    by_shape: SmallKeyMap<PipelineState, ShapeId>,
    adapters: Vec<Adapter>,
    codes: Vec<KnownCode>,
    /// Number of the code that is in instruction memory.
    code: usize,
    last: Last,
    elsewhere: MadeElsewhere,
    /// Number of blocks that were translated, or were found to be impossible.
    pub(crate) n_translated: u64,
    /// Number of blocks whose code was gathered in one memory.
    n_gathered: usize,
}

impl Cache {
    /// Returns the instruction set of the blocks.
    pub(crate) fn native_isa(&self) -> NativeIsa {
        self.native_isa
    }

    /// Creates a cache without blocks, for an instruction set and a core.
    pub(crate) fn new(native_isa: NativeIsa, core: &Core) -> Self {
        Self {
            native_isa,
            // Blocks are large, and would move again and again.
            blocks: Vec::with_capacity(MOST + 1),
            by_key: SmallKeyMap::default(),
            shapes: Vec::new(),
            by_shape: SmallKeyMap::default(),
            adapters: Vec::new(),
            codes: vec![KnownCode::new(core)],
            code: 0,
            elsewhere: MadeElsewhere::default(),
            n_translated: 0,
            n_gathered: 0,
            last: Last { first: vec![None; FIRST_SLOTS], recent: 0, version: 0 },
        }
    }

    /// Shares translations with another cache from now on.
    pub(crate) fn share_with(&mut self, other: &Self) {
        self.elsewhere.shared = other.elsewhere.shared.clone();
    }

    /// Keeps translations in a store from now on.
    pub(crate) fn keep_in(&mut self, store: Box<dyn Store>) {
        self.elsewhere.store = Some(store);
    }

    /// Puts translations into the store that it does not have.
    fn keep(&mut self) {
        let Some(store) = &mut self.elsewhere.store else { return };
        for kept in self.codes.iter().flat_map(|code| &code.kept) {
            kept.write(&mut **store, |id| {
                self.blocks
                    .get(id as usize)
                    .map(|TranslatedBlock { facts, code, .. }| (facts, code))
            });
        }
    }

    /// Turns to the blocks of what is in instruction memory, which may have changed, or forgets all
    /// if there are too many. Only while no block is in use.
    pub(crate) fn refresh(&mut self, core: &Core, iram: &Instructions) {
        let is_known = |code: &KnownCode| self.last.version == iram.version() && code.core == *core;
        if self.codes.get(self.code).is_some_and(is_known) {
            return self.forget_if_full();
        }
        self.last.version = iram.version();
        let program = CodeSource { core, iram };
        if self.codes.get(self.code).is_some_and(|code| code.is_in(program)) {
            return self.forget_if_full();
        }
        self.code = match self.codes.iter().position(|code| code.is_in(program)) {
            Some(code) => code,
            None => {
                self.codes.push(KnownCode::new(program.core));
                self.codes.len() - 1
            }
        };
        self.forget_if_full();
    }

    /// Forgets all blocks if there are too many. Only while no block is in use.
    pub(crate) fn forget_if_full(&mut self) {
        if self.is_full() {
            self.keep();
            let (elsewhere, n_translated) =
                (std::mem::take(&mut self.elsewhere), self.n_translated);
            *self = Self::new(self.native_isa, &{ *self.core() });
            (self.elsewhere, self.n_translated) = (elsewhere, n_translated);
        }
    }

    /// Gathers the code of blocks in one memory if many have been made since it was done. Only while no block is in use.
    pub(crate) fn gather(&mut self) {
        let n_new = self.blocks.len() - self.n_gathered;
        if n_new >= WORTH_GATHERING.max(self.blocks.len() / 8) {
            self.n_gathered = self.blocks.len();
            // Where the operating system refuses, code stays where it is.
            let _ = MachineCode::gather(self.blocks.iter_mut().map(|b| &mut b.code).collect());
        }
    }

    /// Returns the number of bundles to leave to the portable engine where a run goes on that may have met the channel: that
    /// may be anywhere, and few of these places are worth a translation. Blocks from those that are worth it end at a
    /// landmark, so that one block behind it serves all.
    pub(crate) fn left_to_portable(&mut self, place: &BlockStart) -> usize {
        let n = place.bundles_to_landmark();
        if n > 0 {
            let times = self.codes[self.code].resumed.entry(place.pc).or_default();
            *times = times.saturating_add(1);
            if *times > RARE {
                return 0;
            }
        }
        n
    }

    /// Returns the core whose blocks are looked up.
    pub(crate) fn core(&self) -> &Core {
        &self.codes[self.code].core
    }

    /// Whether there are more blocks, places, shapes or codes than are kept for long.
    pub(crate) fn is_full(&self) -> bool {
        let known = [self.blocks.len(), self.by_key.len(), self.shapes.len(), self.adapters.len()];
        known.into_iter().any(|n| n > MOST) || self.codes.len() > MOST_CODES
    }

    pub(crate) fn shape_id(&mut self, shape: &PipelineState) -> ShapeId {
        if self.shapes.get(self.last.recent as usize) != Some(shape) {
            self.last.recent = self.by_shape.get(shape).copied().unwrap_or_else(|| {
                let id = self.shapes.len() as ShapeId;
                self.shapes.push(shape.clone());
                self.by_shape.insert(shape.clone(), id);
                id
            });
        }
        self.last.recent
    }

    pub(crate) fn shape(&self, id: ShapeId) -> &PipelineState {
        &self.shapes[id as usize]
    }

    pub(crate) fn adapter(&self, id: AdapterId) -> &Adapter {
        &self.adapters[id as usize]
    }

    pub(crate) fn block(&self, id: BlockId) -> &TranslatedBlock {
        &self.blocks[id as usize]
    }

    /// Returns the block at a place that fits these registers and for which there is room, translated if it is new; `None` if
    /// the first bundle has to be left to the portable engine. `before` is the block that was executed last.
    #[inline]
    pub(crate) fn find(
        &mut self,
        wanted: &Wanted,
        before: Option<BlockId>,
        source: (&[BundleBits], &Executor),
        room: &Room,
    ) -> Option<(Entrance, Fit)> {
        let (code, blocks) = (self.code, self.blocks.len());
        if let Some(CachedBlock { wanted: then, code: of, entrance, blocks: among, is_tight }) =
            *self.next(before, wanted)
            && (of, among) == (code, blocks)
            && then == *wanted
            && (!is_tight || room.is_tight())
            && let Some(block) = self.blocks.get_mut(entrance.id as usize)
            && !block.visit()
            && room.has(&block.facts)
            && let Some(fit) = source.1.fit(&block.code)
        {
            return Some((entrance, fit));
        }
        let (entrance, fit) = self.search(wanted, source, room)?;
        let (blocks, is_tight) = (self.blocks.len(), room.is_tight());
        *self.next(before, wanted) =
            Some(CachedBlock { wanted: *wanted, code, entrance, blocks, is_tight });
        Some((entrance, fit))
    }

    /// Returns the block of [`Self::find`] from a search among all: the one that goes furthest, if that is worth it.
    fn search(
        &mut self,
        wanted: &Wanted,
        source: (&[BundleBits], &Executor),
        room: &Room,
    ) -> Option<(Entrance, Fit)> {
        let turns = Extent::Turns(wanted.turns);
        let unrolled = (wanted.turns > 1 && !wanted.is_rest)
            .then(|| self.version(wanted, turns, source, room))
            .flatten();
        if let Some(found) = unrolled {
            let times = (LONG_TURNS / UNROLLED * wanted.turns) as u64;
            self.blocks[found.0.id as usize].visit();
            if !self.block(found.0.id).is_often_wanted() || room.iterations < times {
                return unrolled;
            }
            return self.version(wanted, Extent::Turns(times as usize), source, room).or(unrolled);
        }
        let straight = self.version(wanted, Extent::Straight, source, room)?;
        self.blocks[straight.0.id as usize].visit();
        let block = self.block(straight.0.id);
        if !block.is_often_wanted() {
            return Some(straight);
        }
        if wanted.is_rest && block.facts.pass.is_turn {
            return self.version(wanted, turns, source, room).or(Some(straight));
        }
        let through = self.version(wanted, Extent::Through(UNROLLED), source, room);
        if through.is_some() || room.iterations >= UNROLLED as u64 {
            return through.or(Some(straight));
        }
        let all_that_is_left = Extent::Through(room.iterations as usize);
        self.version(wanted, all_that_is_left, source, room).or(Some(straight))
    }

    /// Returns the block of an extent that fits these registers and for which there is room, translated if it is new; `None`
    /// if there is no such block.
    fn version(
        &mut self,
        wanted: &Wanted,
        extent: Extent,
        (iram, executor): (&[BundleBits], &Executor),
        room: &Room,
    ) -> Option<(Entrance, Fit)> {
        // The number of turns that were wanted matters only to an extent that has so many.
        let wanted = Wanted { turns: 1, is_rest: false, ..*wanted };
        let key = BlockKey { wanted, extent, code: self.code };
        let known = self.by_key.get(&key);
        let found = match self.fitting(known, executor) {
            Some(found) => found,
            None if known.is_some_and(|v| v.refused) => return None,
            None => {
                let speculation = Speculation::of_version(known.map_or(0, |v| v.ids.len()));
                let id = self.add(key, speculation, (iram, executor.live()))?;
                (id, self.fit(id, executor)?)
            }
        };
        if !room.has(&self.block(found.0).facts) {
            return None;
        }
        Some(self.adapted(found, &key, executor))
    }

    /// Returns the record of the block that was wanted the last time behind the block `before`, or first.
    fn next(&mut self, before: Option<BlockId>, wanted: &Wanted) -> &mut Option<CachedBlock> {
        match before {
            Some(id) => &mut self.blocks[id as usize].next,
            None => &mut self.last.first[wanted.place.pc.index() % FIRST_SLOTS],
        }
    }

    /// Returns the block of a loop's later iterations in place of the first one's, if there is one already that fits; else
    /// the block that was found.
    fn adapted(
        &mut self,
        (id, fit): (BlockId, Fit),
        key: &BlockKey,
        executor: &Executor,
    ) -> (Entrance, Fit) {
        let (from, to) = (key.wanted.shape, self.block(id).shape);
        let itself = (Entrance { id, adapter: None }, fit);
        if self.is_alone(id, from) {
            return itself;
        }
        let later =
            self.by_key.get(&BlockKey { wanted: Wanted { shape: to, ..key.wanted }, ..*key });
        let Some((same, later_fit)) = self.fitting(later, executor) else { return itself };
        let adapter = match self.block(id).same {
            Some((known, adapter)) if known == same => adapter,
            _ => self.adapt(id, same, from),
        };
        adapter.map_or(itself, |_| (Entrance { id: same, adapter }, later_fit))
    }

    /// Whether no other block can take the place of this one, as far as is known.
    fn is_alone(&self, id: BlockId, from: ShapeId) -> bool {
        let block = self.block(id);
        let is_first = block.shape != from && block.facts.ending == Ending::Loop;
        !is_first || matches!(block.same, Some((_, None)))
    }

    /// Finds out how block `same` can take the place of block `id`; returns the adapter, if there is one.
    fn adapt(&mut self, id: BlockId, same: BlockId, from: ShapeId) -> Option<AdapterId> {
        let TranslatedBlock { facts, code, .. } = self.block(same);
        let way = || Adapter::new(self.shape(from), &facts.shape, &facts.entry_uses);
        let new = code.contract().repeats.then(way).flatten();
        let adapter = new.map(|adapter| {
            self.adapters.push(adapter);
            (self.adapters.len() - 1) as AdapterId
        });
        self.blocks[id as usize].same = Some((same, adapter));
        adapter
    }

    /// Returns the first of these versions that fits the registers.
    fn fitting(&self, versions: Option<&Versions>, executor: &Executor) -> Option<(BlockId, Fit)> {
        versions?.ids.iter().find_map(|&id| Some((id, self.fit(id, executor)?)))
    }

    fn fit(&self, id: BlockId, executor: &Executor) -> Option<Fit> {
        executor.fit(&self.block(id).code)
    }

    /// Adds one more version of a place, translated if it was not kept.
    fn add(
        &mut self,
        key: BlockKey,
        speculation: Speculation,
        source: (&[BundleBits], &Live),
    ) -> Option<BlockId> {
        let (iram, pc) = (source.0, key.wanted.place.pc);
        self.codes[self.code].watch(iram, pc);
        let asked = self.asked(&key, speculation);
        let kept = self.stored_entry(iram, pc).and_then(|kept| kept.take(&asked, source.1));
        let (made, is_new) = match kept {
            Some(made) => (made, false),
            None => (self.shared_or_made(&asked, source), true),
        };
        let id = made.map(|translated| {
            let shape = self.shape_id(&translated.facts.shape);
            self.blocks.push(TranslatedBlock::new(translated, shape, &key));
            (self.blocks.len() - 1) as BlockId
        });
        if let Some(kept) = self.stored_entry(iram, pc) {
            kept.remember((asked, id), is_new);
        }
        let versions = self.by_key.entry(key).or_default();
        versions.ids.extend(id);
        versions.refused |= id.is_none();
        id
    }

    /// Returns the entry of the store for the code at hand, with blocks that were made from the words that are there now.
    fn stored_entry(&mut self, iram: &[BundleBits], pc: BundleAddress) -> Option<&mut StoreEntry> {
        self.codes[self.code].entry(
            &mut **self.elsewhere.store.as_mut()?,
            self.native_isa,
            (iram, pc),
        )
    }

    /// Returns the request for a translation: everything on which it depends.
    fn asked(&self, key: &BlockKey, speculation: Speculation) -> Asked {
        let BlockKey { wanted: Wanted { place, shape, environment, .. }, extent, .. } = *key;
        let is_resumed = self.codes[self.code].resumed.contains_key(&place.pc);
        let most = if is_resumed { place.bundles_to_landmark() } else { LONGEST };
        let shape = self.shape(shape).clone();
        Asked { place, shape, environment, extent, most, speculation }
    }

    /// Returns the translation that another engine has made for a request, or makes it for all.
    fn shared_or_made(
        &mut self,
        asked: &Asked,
        source: (&[BundleBits], &Live),
    ) -> Option<Translated> {
        let code = CodeSource { core: &{ *self.core() }, iram: source.0 };
        let shared = self.elsewhere.shared.clone();
        shared.take(code, asked, source.1).unwrap_or_else(|| {
            let made = self.make(asked, source);
            shared.put(code, asked, made.as_ref());
            made
        })
    }

    fn make(&mut self, asked: &Asked, (iram, live): (&[BundleBits], &Live)) -> Option<Translated> {
        self.n_translated += 1;
        let Asked { place, ref shape, environment, extent, most, speculation } = *asked;
        let start = Start {
            shape,
            environment,
            live,
            speculation,
            strays: Default::default(),
            notes: false,
        };
        let t = translate(CodeSource { core: self.core(), iram }, (&place, most), start, extent)?;
        if t.facts.shape.slots() > PENDING {
            return None;
        }
        let steps = Steps { parts: &t.parts, constants: &t.constants, contract: t.contract };
        let code = MachineCode::new(assemble(steps, self.native_isa).ok()?).ok()?;
        Some(Translated { facts: t.facts, code })
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        self.keep();
    }
}
