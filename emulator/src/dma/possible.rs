//! Whether what was read as a channel can be one that has run: bytes with the right checksum may say what no run comes to.
//! Descriptors are not looked at: whatever they say has a meaning or is refused when its time comes.

use super::controller::{Dma, State};
use super::moving::Moving;
use super::transfer::{CopyMove, GetMove, PutMove, Transfer};
use super::walk::{LocalCursor, MemoryCursor, PatternCursor, SourceCursor};
use super::words::{GatherMove, GetWordsMove, HalfWalk, PutWordsMove, Takers, WordCursor};
use cp2_isa::{Core, Cycle, MemoryAddress, SECTIONS};

/// Count that no run reaches, far enough from the end of numbers that what is added to it has room.
const BEYOND: u64 = 1 << 62;
/// Beats that a flow has from a section at most, and beats of a transaction.
const LONGEST_FLOW: usize = 4;
const LONGEST_TRANSACTION: u32 = 255;
/// Largest count of a walk through memory.
const LARGEST_COUNT: u32 = 0xf_ffff;

impl Dma {
    /// Whether the values can be those of a channel of a core in a cycle.
    pub(crate) fn is_possible(&self, core: &Core, cycle: Cycle) -> bool {
        let stats = self.stats();
        let causes = stats.causes.iter().try_fold(0_u64, |sum, &cause| sum.checked_add(cause));
        let next = self.next_event();
        let is_moving = || match self.state() {
            State::Moving(moving) => {
                moving.is_possible(core, cycle) && self.port().is_near(&moving.transaction, cycle)
            }
            _ => true,
        };
        causes.is_some_and(|causes| causes <= cycle.0)
            && [stats.n_descriptors, stats.bytes_get, stats.bytes_put].iter().all(|&n| n < BEYOND)
            && self.now() <= cycle
            && next.is_none_or(|next| next >= self.now() && next.0 < BEYOND)
            && self.port().is_possible(cycle)
            && is_moving()
    }
}

impl Moving {
    fn is_possible(&self, core: &Core, cycle: Cycle) -> bool {
        self.transfer.is_possible(core, cycle)
            && self.has_words_of(core)
            && self.transaction.beats <= LONGEST_TRANSACTION
            && self.moved < self.transaction.beats
            && self.since <= cycle
            && self.has_a_beat_for_each_word_of_a_gather()
    }
}

impl Moving {
    /// Whether each word of a gather is asked for by itself.
    fn has_a_beat_for_each_word_of_a_gather(&self) -> bool {
        let is_word = matches!(&self.transfer, Transfer::Gather(gather) if !gather.is_listing);
        !is_word || self.transaction.beats == 1
    }
}

impl Transfer {
    fn is_possible(&self, core: &Core, cycle: Cycle) -> bool {
        match self {
            Self::Get(GetMove { memory, local, sections, single_words, .. }) => {
                memory.is_possible()
                    && local.is_possible(core, *single_words)
                    && sections.iter().all(PatternCursor::is_possible)
            }
            Self::Put(PutMove { memory, sources }) => {
                memory.is_possible() && sources.is_possible(core)
            }
            Self::Copy(CopyMove { from, to, beats, .. }) => {
                from.is_possible()
                    && to.is_possible()
                    && beats.len() <= LONGEST_TRANSACTION as usize
            }
            Self::GetWords(GetWordsMove { memory, takers }) => {
                memory.is_possible() && takers.is_possible(core)
            }
            Self::PutWords(PutWordsMove { memory, local, flow, n }) => {
                let has_flow = *flow <= LONGEST_FLOW as u64 && *n < BEYOND;
                memory.is_possible() && local.is_possible(core) && has_flow
            }
            Self::Gather(gather) => gather.is_possible(core, cycle),
        }
    }
}

impl MemoryCursor {
    fn is_possible(&self) -> bool {
        let is_of_channel = |address: MemoryAddress| address.0 <= u32::MAX.into();
        [self.walk.base, self.address].into_iter().all(is_of_channel)
            && [self.walk.x.count, self.walk.y.count]
                .into_iter()
                .all(|count| count <= LARGEST_COUNT)
            && self.beat < u32::from(self.walk.burst).max(1)
            && self.x <= self.walk.x.count
            && self.y <= self.walk.y.count.max(1)
    }
}

impl LocalCursor {
    fn is_possible(&self, core: &Core, single_words: bool) -> bool {
        let walk = &self.walk;
        let is_even =
            [walk.base.0, walk.x.step, walk.y.step, self.address.0].iter().all(|n| n % 2 == 0);
        self.mask == core.address_mask()
            && self.address.0 <= self.mask
            && self.x < walk.x.count.max(1)
            && self.y < walk.y.count.max(1)
            && (single_words || is_even)
    }
}

impl PatternCursor {
    fn is_possible(&self) -> bool {
        self.taken < self.pattern.run.max(1)
    }
}

impl SourceCursor {
    fn is_possible(&self, core: &Core) -> bool {
        let Self { local, flow, section, turn, round, .. } = self;
        let is_place = |address: u16| address <= core.address_mask() && address.is_multiple_of(2);
        local.is_possible(core, false)
            && *flow <= LONGEST_FLOW
            && *section < SECTIONS
            && *turn < (*flow).max(1)
            && round.iter().all(|(address, _)| is_place(address.0))
    }
}

impl WordCursor {
    fn is_possible(&self) -> bool {
        let walk = &self.walk;
        let is_within = self.x < walk.x.count && self.y < walk.y.count;
        self.word < walk.burst.into() && (is_within || self.is_finished && walk.x.count > 0)
    }
}

impl HalfWalk {
    fn is_possible(&self, core: &Core) -> bool {
        self.bits == core.address_bits() + 1 && self.x.count > 0 && self.y.count > 0
    }
}

impl Takers {
    fn is_possible(&self, core: &Core) -> bool {
        let sections = self.sections.iter();
        self.local.is_possible(core)
            && self.n < BEYOND
            && sections.into_iter().all(PatternCursor::is_possible)
    }
}

impl GatherMove {
    fn is_possible(&self, core: &Core, cycle: Cycle) -> bool {
        let is_there = |&(entries, since): &(usize, Cycle)| entries > 0 && since <= cycle;
        let has_next = if self.is_listing { !self.list.is_finished } else { self.left > 0 };
        let ahead = self.ahead.iter().map(|&(entries, _)| entries);
        let all = ahead.chain([self.left]).try_fold(0_usize, usize::checked_add);
        let is_known =
            |all: usize| all <= self.addresses.len() && self.listed <= self.addresses.len() - all;
        self.list.is_possible()
            && self.takers.is_possible(core)
            && all.is_some_and(is_known)
            && self.ahead.iter().all(is_there)
            && has_next
    }
}
