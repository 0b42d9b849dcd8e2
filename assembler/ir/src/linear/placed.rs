//! Scheduled bundles: what the scheduler makes of a region and the checker holds against it.

use cp2_isa::Bundle;

/// Where one half of a scheduled bundle comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Nothing there.
    Nothing,
    /// An operation of the region: index into `Region::ops`. Its executions come in the order of
    /// the iterations.
    Op(usize),
    /// Made by the scheduler: hardware loops, their counts, address steps.
    Made,
}

/// A scheduled bundle. Targets of `do` count from the first bundle of the region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The bundle with physical registers and final address steps.
    pub bundle: Bundle,
    /// Where its arithmetic operation comes from.
    pub arith: Source,
    /// Where its exchange operation comes from.
    pub exch: Source,
}
