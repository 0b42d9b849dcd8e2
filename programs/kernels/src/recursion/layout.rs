//! Places in the local memory of a section of searches with own stacks.

/// Places in local memory, in words, the same in every section. Stacks grow to higher addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OwnLayout {
    /// Searches that a section does in turn; each may be two, one in each half.
    pub slots: usize,
    /// Searches of a slot, 1 or 2.
    pub halves: usize,
    /// Words of a frame.
    pub frame: usize,
    /// Words from a frame of a stack to the next.
    pub stride: usize,
    /// Idle frames below a stack.
    pub idles: usize,
    /// Frames that a stack has room for.
    pub room: usize,
    /// Words of all arrays that sections share.
    pub arrays: usize,
    /// Contexts of the search of each half, the low one first.
    pub contexts: [usize; 2],
}

/// Constants that there is room for.
const POOL: usize = 96;
/// Words that say which sections are before one.
const BEFORE: usize = 3;

impl OwnLayout {
    /// Address of the stack pointers of a slot.
    pub(super) fn pointer(&self, slot: usize) -> usize {
        slot
    }

    /// Address of the sums of the lanes of a section.
    pub(super) fn sum(&self) -> usize {
        self.slots
    }

    /// Address of the place in the list of contexts, in words, of what is taken next.
    pub(super) fn next(&self) -> usize {
        self.slots + 1
    }

    /// Address of the word that is ones in sections behind this one, of the first three.
    pub(super) fn before(&self, section: usize) -> usize {
        self.slots + 2 + section
    }

    /// Address of constants.
    pub(super) fn pool(&self) -> usize {
        self.before(BEFORE)
    }

    /// Most constants.
    pub(super) const fn most_constants() -> usize {
        POOL
    }

    /// Address of a frame that nobody needs.
    pub(super) fn trash(&self) -> usize {
        self.pool() + POOL
    }

    /// Words of one stack: idle frames, its frames, and a frame above them, whose first word shows an overflow.
    fn stack(&self) -> usize {
        (self.idles + self.room + 1) * self.stride
    }

    /// Address of the first frame of a stack.
    pub(super) fn base(&self, slot: usize, half: usize) -> usize {
        let before = self.trash() + self.stride + (slot * self.halves + half) * self.stack();
        before + self.idles * self.stride
    }

    /// Address of the word that a call beyond the room of a stack overwrites.
    pub(super) fn guard(&self, slot: usize, half: usize) -> usize {
        self.base(slot, half) + self.room * self.stride
    }

    /// Address of the arrays.
    pub(super) fn arrays(&self) -> usize {
        self.base(self.slots, 0) - self.idles * self.stride
    }

    /// Address of the contexts of the search of a half.
    pub(super) fn list(&self, half: usize) -> usize {
        let before: usize = self.contexts[..half].iter().sum();
        self.arrays() + self.arrays + before * self.frame
    }

    /// Words of local memory.
    pub(super) fn words(&self) -> usize {
        self.list(2)
    }
}
