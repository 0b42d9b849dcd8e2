//! Forms of the stacks of lanes on CP2.

/// Way in which lanes keep their stacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stacks {
    /// Lanes share the depth of their stacks: child m of every lane that has one is entered together.
    CommonDepth,
    /// Every lane has a stack pointer of its own, which takes the extension section addressing.
    Own,
}

/// Shape of searches on CP2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LanePlan {
    /// Depth at which the host hands contexts over.
    pub depth: usize,
    /// Form of the stacks.
    pub stacks: Stacks,
    /// Stacks that a section works on in turn, so that operations of one fill the latency of the others.
    pub slots: usize,
    /// Searches of a register: 1, or 2, one in either half.
    pub halves: usize,
    /// Frames of a stack; as many as the task can need if absent.
    pub room: Option<usize>,
    /// Whether all lanes stop when one has returned a value that is not 0.
    pub stops: bool,
}
