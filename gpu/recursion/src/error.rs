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
            Self::Overflow { stacks, room } => write!(
                f,
                "{stacks} stacks of work-items overflowed; each has room for {room} frames, as many as the task says"
            ),
            Self::Stack { bytes, limit, items, room } => write!(
                f,
                "{items} stacks of {room} frames take {bytes} bytes of local memory, and a group has {limit}; take smaller groups or private memory"
            ),
        }
    }
}

impl std::error::Error for SearchError {}
