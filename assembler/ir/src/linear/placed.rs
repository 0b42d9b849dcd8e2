//! Scheduled bundles: what the scheduler makes of a region and the checker holds against it.

use cp2_isa::Bundle;

/// The origin of one half of a scheduled bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotOrigin {
    /// The half is empty.
    Nothing,
    /// An operation of the region: index into `Region::ops`. The executions of one operation come in the order of the
    /// iterations.
    Op(usize),
    /// Made by the scheduler: hardware loops, their counts, address steps.
    Made,
}

/// A scheduled bundle. Targets of `do` count from the first bundle of the region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledBundle {
    /// The bundle with physical registers and final address steps.
    pub bundle: Bundle,
    /// Origin of the arithmetic operation.
    pub arith: SlotOrigin,
    /// Origin of the exchange operation.
    pub exch: SlotOrigin,
}
