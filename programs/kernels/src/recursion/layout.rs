//! Places in the local memory of a section of searches.

/// Places in local memory, in words, the same in every section. Stacks grow to higher addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LaneLayout {
    /// Stacks that a section works on in turn.
    pub slots: usize,
    /// Searches of a slot with stacks of their own, 1 or 2.
    pub halves: usize,
    /// Words of a frame.
    pub frame: usize,
    /// Words from a frame of a stack to the next.
    pub stride: usize,
    /// Frames below a stack, for idle lanes.
    pub idles: usize,
    /// Frames that a stack has room for.
    pub room: usize,
    /// Groups of contexts that stand on the stack from the begin, below those frames; 0 where contexts are in lists.
    pub groups: usize,
    /// Frames above them that are written where no call is made: 1 if a step of the task does not always call, else 0.
    pub spill: usize,
    /// Whether contexts in lists are dealt out before the kernel runs, so that each stack has words for its share.
    pub has_shares: bool,
    /// Words of all arrays that sections share.
    pub shared: usize,
    /// Words of all arrays that each lane has.
    pub own: usize,
    /// Contexts of the search of each half, the low one first.
    pub contexts: [usize; 2],
}

/// Words that say which sections are before one.
const BEFORE: usize = 3;

impl LaneLayout {
    /// Constants that there is room for.
    pub(super) const MOST_CONSTANTS: usize = 128;

    /// Address of the stack pointers of a slot.
    pub(super) const fn pointer(&self, slot: usize) -> usize {
        slot
    }

    /// Address of the place where the values of the context of a slot go.
    pub(super) const fn result(&self, slot: usize) -> usize {
        self.slots + slot
    }

    /// Address of the place in the list, in words, of what a lane takes next of its share.
    pub(super) const fn share_next(&self, slot: usize) -> usize {
        2 * self.slots + slot
    }

    /// Address of the place in the list, in words, before which the share of a lane is.
    pub(super) const fn share_end(&self, slot: usize) -> usize {
        3 * self.slots + slot
    }

    /// Address of the sums of the lanes of a section.
    pub(super) const fn sum(&self) -> usize {
        if self.has_shares { 4 * self.slots } else { 2 * self.slots }
    }

    /// Address of the place in the list of contexts, in words, of what is taken next.
    pub(super) const fn next(&self) -> usize {
        self.sum() + 1
    }

    /// Address of the number of blocks of passes.
    pub(super) const fn blocks(&self) -> usize {
        self.sum() + 2
    }

    /// Address of the word that is not 0 if a search runs or a context is left, where stacks are in memory.
    pub(super) const fn goes_on(&self) -> usize {
        self.sum() + 3
    }

    /// Address of the word that is ones in sections behind this one, of the first three.
    pub(super) const fn before(&self, section: usize) -> usize {
        self.sum() + 4 + section
    }

    /// Address of constants.
    pub(super) const fn pool(&self) -> usize {
        self.before(BEFORE)
    }

    /// Address of a context that nobody needs.
    pub(super) const fn trash(&self) -> usize {
        self.pool() + Self::MOST_CONSTANTS
    }

    /// Words of a context in the list: its frame, and its arrays.
    pub(super) const fn context(&self) -> usize {
        self.frame + self.own
    }

    /// Words of one stack: frames for idle lanes, its frames, and a frame above them, whose first word shows an overflow.
    const fn stack(&self) -> usize {
        (self.idles + self.groups + self.room + self.spill + 1) * self.stride + self.own
    }

    /// Address of the first frame of a stack.
    pub(super) const fn base(&self, slot: usize, half: usize) -> usize {
        let before = self.trash() + self.stride + self.own;
        before + (slot * self.halves + half) * self.stack() + self.idles * self.stride
    }

    /// Address of the word that a call beyond the room of a stack overwrites.
    pub(super) const fn guard(&self, slot: usize, half: usize) -> usize {
        self.base(slot, half) + (self.groups + self.room + self.spill) * self.stride
    }

    /// Address of the arrays of the lane of a slot.
    pub(super) const fn own_arrays(&self, slot: usize) -> usize {
        self.guard(slot, 0) + self.stride
    }

    /// Address of the arrays that sections share.
    pub(super) const fn shared_arrays(&self) -> usize {
        self.base(self.slots, 0) - self.idles * self.stride
    }

    /// Address of the contexts of the search of a half.
    pub(super) const fn list(&self, half: usize) -> usize {
        let before = match half {
            0 => 0,
            1 => self.contexts[0],
            _ => self.contexts[0] + self.contexts[1],
        };
        self.shared_arrays() + self.shared + before * self.context()
    }

    /// Words of local memory.
    pub(super) const fn words(&self) -> usize {
        self.list(2)
    }
}

/// Returns the number of the general register through which addresses of a slot go.
pub(super) fn address_register(slot: usize) -> usize {
    8 + slot % 8
}
