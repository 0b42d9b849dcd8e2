//! Why a search did not end.

use cp2_gpu::GpuError;
use cp2_recursion::StackOverflow;
use std::fmt;

/// A search that did not end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchError {
    /// The device.
    Gpu(GpuError),
    /// A stack of the host overflowed.
    Host(StackOverflow),
    /// Stacks of work-items overflowed.
    Overflow {
        /// Number of stacks.
        stacks: usize,
        /// Number of a work-item whose stack did, among all.
        lane: usize,
        /// Group of the work-item.
        group: usize,
        /// Depth of the call that found no room, below that of contexts.
        depth: usize,
        /// Frames that a stack has room for.
        room: usize,
    },
    /// Stacks of a group are larger than local memory.
    Stack {
        /// Bytes of the stacks.
        bytes: u64,
        /// Bytes of local memory.
        limit: u64,
        /// Work-items of the group.
        items: usize,
        /// Frames of a stack.
        room: usize,
    },
    /// A group has no work-items, or more than the device allows.
    Items {
        /// Work-items of the group.
        items: usize,
        /// Most that the device allows.
        limit: usize,
    },
    /// There are no groups, or more work-items than can be numbered.
    Groups {
        /// Groups.
        groups: usize,
        /// Work-items of a group.
        items: usize,
    },
    /// Contexts are larger than memory.
    Contexts {
        /// Depth at which they are handed over.
        depth: usize,
        /// Contexts that were made when there were too many.
        contexts: usize,
        /// Bytes of one.
        each: usize,
        /// Bytes that there is room for.
        limit: u64,
    },
    /// Stacks are to be shared, and calls of the task return values to the frames below.
    SharedValues,
    /// Stacks are to be shared, and each lane has an array of its own.
    SharedArrays {
        /// Name of the array.
        array: &'static str,
    },
    /// A search whose values are added up is to end early.
    StopsSum,
    /// A state from which to go on is that of another search.
    State {
        /// Number that differs.
        what: &'static str,
        /// Number of the search.
        here: u64,
        /// Number of the state.
        there: u64,
    },
}

impl From<GpuError> for SearchError {
    fn from(error: GpuError) -> Self {
        Self::Gpu(error)
    }
}

impl From<StackOverflow> for SearchError {
    fn from(error: StackOverflow) -> Self {
        Self::Host(error)
    }
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gpu(error) => error.fmt(f),
            Self::Host(error) => error.fmt(f),
            Self::Overflow { stacks, lane, group, depth, room } => write!(
                f,
                "the stack of work-item {lane}, in group {group}, overflowed: a call at depth {depth} below its context, and there is room for {room} frames; {stacks} stacks overflowed in all; give stacks more frames by --frames"
            ),
            Self::Stack { bytes, limit, items, room } => write!(
                f,
                "{items} stacks of {room} frames take {bytes} bytes of local memory, and a group has {limit}; take smaller groups or private memory"
            ),
            Self::Items { items, limit } => write!(
                f,
                "groups of {items} work-items; a group of this kernel has 1 to {limit} on this device"
            ),
            Self::Groups { groups, items } => write!(
                f,
                "{groups} groups of {items} work-items; there are 1 to {} groups of this size",
                i32::MAX as usize / 2 / items.max(&1)
            ),
            Self::Contexts { depth, contexts, each, limit } => write!(
                f,
                "{contexts} contexts of {each} bytes or more at depth {depth} take more than the {limit} bytes that there is room for; hand contexts over at a smaller depth"
            ),
            Self::SharedValues => write!(
                f,
                "stacks cannot be shared: calls of this task return values to the frame that called; take private or local stacks"
            ),
            Self::SharedArrays { array } => write!(
                f,
                "stacks cannot be shared: each lane has and changes its own array `{array}`, which frames of others do not go with; take private or local stacks"
            ),
            Self::StopsSum => write!(
                f,
                "a search that adds up the values of all calls has no end before the last one; it cannot stop early"
            ),
            Self::State { what, here, there } => write!(
                f,
                "what is to be resumed is another search: it has {there} {what}, and this one {here}; give the task and the depth with which it began"
            ),
        }
    }
}

impl std::error::Error for SearchError {}
