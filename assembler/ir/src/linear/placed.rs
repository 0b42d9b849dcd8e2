//! Scheduled bundles: the result of the scheduler for a region, which the checker compares with the region.

use cp2_isa::Bundle;

/// The origin of the operation in one half of a scheduled bundle: the source, or the scheduler itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotOrigin {
    /// The half of the bundle has no operation.
    Nothing,
    /// An operation of the region: its index into [`super::Region::ops`]. An operation that stands in several bundles
    /// comes in them in the order of the iterations that they belong to.
    Op(usize),
    /// An operation that the scheduler added, for a hardware loop, its count or the step of an address.
    Made,
}

/// A bundle that the scheduler made of a region of linear code, with the origin of both operations. Targets of `do`
/// count from the first bundle of the region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledBundle {
    /// The bundle as CP2 runs it, with physical registers and final address steps.
    pub bundle: Bundle,
    /// Origin of the operation in the arithmetic half of the bundle.
    pub arith: SlotOrigin,
    /// Origin of the operation in the exchange half of the bundle.
    pub exch: SlotOrigin,
}
