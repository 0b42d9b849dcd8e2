//! Flow of control: where operations may stand, delay slots, hardware loops, the stacks of loops and
//! calls (`[L]` cycle rules, Control). Which bundle issues next, and nothing else.

use crate::table::{Effects, Row};
use crate::{BundleAddress, Core};
use serde::{Deserialize, Serialize};

/// The bundles of a hardware loop, by the addresses that a `do` and LA have of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Body {
    /// Address of the first bundle, the one behind the `do`.
    pub start: BundleAddress,
    /// Address of the last bundle but one, which `do` names and at whose issue the loop goes back.
    pub end: BundleAddress,
}

impl Body {
    /// Returns the body of the loop that the `do` at `at` begins.
    #[inline]
    pub const fn behind(at: BundleAddress, end: BundleAddress) -> Self {
        Self { start: at.plus(1), end }
    }

    /// Returns the address of the last bundle: the delay slot of the way back.
    #[inline]
    pub const fn last(self) -> BundleAddress {
        self.end.plus(1)
    }

    /// Returns the address at which the flow goes on behind the loop, and at once if the loop has no iterations.
    #[inline]
    pub const fn after(self) -> BundleAddress {
        self.end.plus(2)
    }

    /// Whether there is a bundle between the `do` and `end`, `end` itself included; without one the
    /// loop has no meaning.
    #[inline]
    pub fn is_possible(self) -> bool {
        self.end >= self.start
    }

    /// Returns the addresses of the bundles of the body.
    #[inline]
    pub fn addresses(self) -> impl Iterator<Item = BundleAddress> {
        (self.start.0..=self.last().0).map(BundleAddress)
    }

    /// Whether the bundle at an address belongs to the body.
    #[inline]
    pub fn contains(self, address: BundleAddress) -> bool {
        self.start <= address && address <= self.last()
    }

    /// Whether the loop `inner`, whose `do` stands at `at`, is nested in this one: it ends first. A `do` elsewhere, in a
    /// procedure that the body calls, is not concerned.
    #[inline]
    pub fn nests(self, at: BundleAddress, inner: Self) -> bool {
        !(self.start <= at && at <= self.end) || inner.end < self.end
    }

    /// Whether this loop's `end` is passed over where an inner one has no iterations, so that this
    /// one does not go back.
    #[inline]
    pub fn is_missed_behind(self, inner: Self) -> bool {
        inner.after() == self.last()
    }
}

/// An active hardware loop: an entry of the loop stack, the innermost of which LC and LA show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ActiveLoop {
    /// Iterations left, the current one included (LC); 0 acts as 1.
    pub count: u32,
    /// Address of the first bundle of the body.
    pub start: BundleAddress,
    /// Address of the last bundle but one of the body.
    pub end: BundleAddress,
}

/// Bits of an address of instruction memory in LA, whatever the size of the memory.
const LA_ADDRESS: u16 = 0x1fff;
/// Lowest bit of the start in LA; the end begins at bit 0.
const LA_START: u32 = 16;
/// Bits of LA that exist: the end of the loop from bit 0 on, its start from bit 16 on, 13 bits each.
pub const LA_MASK: u64 = LA_ADDRESS as u64 | (LA_ADDRESS as u64) << LA_START;

impl ActiveLoop {
    /// Returns the addresses of the bundles of the loop.
    #[inline]
    pub const fn body(&self) -> Body {
        Body { start: self.start, end: self.end }
    }

    /// Packs the loop into a value: count, start, end from the highest bits down.
    #[inline]
    pub const fn packed(self) -> u64 {
        (self.count as u64) << 32 | (self.start.0 as u64) << 16 | self.end.0 as u64
    }

    /// Returns the loop that [`ActiveLoop::packed`] made a value.
    #[inline]
    pub const fn from_packed(value: u64) -> Self {
        let (start, end) = (BundleAddress((value >> 16) as u16), BundleAddress(value as u16));
        Self { count: (value >> 32) as u32, start, end }
    }

    /// Returns the value of LA for the loop: its end from bit 0 on, its start from bit 16 on.
    #[inline]
    pub const fn la(&self) -> u64 {
        self.end.0 as u64 | (self.start.0 as u64) << LA_START
    }

    /// Returns the loop with the bounds that LA says.
    #[inline]
    pub const fn with_la(self, la: u64) -> Self {
        let start = BundleAddress((la >> LA_START) as u16 & LA_ADDRESS);
        Self { count: self.count, start, end: BundleAddress(la as u16 & LA_ADDRESS) }
    }
}

/// The relation of a bundle to the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FlowPosition {
    /// An ordinary bundle, to which the flow came in sequence.
    #[default]
    Plain,
    /// The delay slot of a jump to this address.
    JumpSlot(BundleAddress),
    /// The bundle at `end` + 1 of a loop that goes back to this address.
    LoopBack(BundleAddress),
    /// The bundle at `end` + 1 of a loop that is over.
    LoopExit,
    /// The bundle after a `do` with count 0: nothing of it executes, and the flow goes on here.
    Nullified(BundleAddress),
}

/// The change of the flow that the exchange operation of a bundle asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlowRequest {
    /// Straight on.
    None,
    /// To an address, after the delay slot.
    Jump(BundleAddress),
    /// The next bundle is nullified, then on at this address.
    Skip(BundleAddress),
}

/// The decision of the innermost loop when a bundle issues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// No decision: the bundle is not the `end` of the loop.
    None,
    /// To go back behind the next bundle, with so many iterations left.
    Back {
        /// Address to which the loop goes back.
        start: BundleAddress,
        /// LC from now on.
        left: u32,
    },
    /// To leave the loop stack; the next bundle is its last.
    Leave,
}

/// Returns the decision of the innermost loop in the cycle in which the bundle at `pc` issues, before anything of that bundle
/// executes. A bundle in a delay slot that is taken is the end of no loop.
#[inline]
pub fn decision(
    innermost: Option<&ActiveLoop>,
    pc: BundleAddress,
    position: FlowPosition,
) -> Decision {
    if !matches!(position, FlowPosition::Plain | FlowPosition::LoopExit) {
        return Decision::None;
    }
    match innermost {
        Some(l) if l.end == pc && l.count > 1 => {
            Decision::Back { start: l.start, left: l.count - 1 }
        }
        Some(l) if l.end == pc => Decision::Leave,
        _ => Decision::None,
    }
}

/// Returns the address of the bundle that issues behind the one at `pc`.
#[inline]
pub const fn next_address(pc: BundleAddress, position: FlowPosition) -> BundleAddress {
    match position {
        FlowPosition::JumpSlot(to) | FlowPosition::LoopBack(to) | FlowPosition::Nullified(to) => to,
        FlowPosition::Plain | FlowPosition::LoopExit => pc.plus(1),
    }
}

/// Returns the position of the bundle that follows one with this request, after this decision of the innermost loop.
#[inline]
pub const fn next_position(decision: Decision, request: FlowRequest) -> FlowPosition {
    match (request, decision) {
        (FlowRequest::Jump(to), _) => FlowPosition::JumpSlot(to),
        (FlowRequest::Skip(to), _) => FlowPosition::Nullified(to),
        (FlowRequest::None, Decision::Back { start, .. }) => FlowPosition::LoopBack(start),
        (FlowRequest::None, Decision::Leave) => FlowPosition::LoopExit,
        (FlowRequest::None, Decision::None) => FlowPosition::Plain,
    }
}

/// Returns the count of a loop whose `do` names a general register with this value.
#[inline]
pub const fn loop_count(gpr: u64) -> u32 {
    gpr as u32
}

/// The effect of a `do`: a loop begins, or its bundles are skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LoopEntry {
    /// The `do` begins this loop.
    Loop(ActiveLoop),
    /// The `do` begins no loop, for its count is 0: the next bundle is nullified, the flow goes on at this address, and
    /// the loop stack is not touched.
    Nothing(BundleAddress),
}

/// Returns the effect of a `do` at an address with this count.
#[inline]
pub const fn begun(at: BundleAddress, count: u32, end: BundleAddress) -> LoopEntry {
    let body = Body::behind(at, end);
    match count {
        0 => LoopEntry::Nothing(body.after()),
        _ => LoopEntry::Loop(ActiveLoop { count, start: body.start, end }),
    }
}

/// Returns the number of entries that a stack of this depth keeps under one more loop or call. A loop or call for which
/// there is no room replaces the top, which sets LOE or POE.
#[inline]
pub const fn kept_under_one_more(entries: usize, depth: usize) -> usize {
    if entries < depth { entries } else { depth - 1 }
}

/// Returns the address behind the delay slot of the call at `pc`.
#[inline]
pub const fn return_address(pc: BundleAddress) -> BundleAddress {
    pc.plus(2)
}

/// Returns the highest address of instruction memory.
#[inline]
pub const fn last_bundle(core: &Core) -> BundleAddress {
    BundleAddress::from_index(core.iram_bundles() - 1)
}

/// Returns the address that a register or an immediate names, if there is such a bundle.
#[inline]
pub const fn target(core: &Core, value: u64) -> Option<BundleAddress> {
    if value <= last_bundle(core).0 as u64 { Some(BundleAddress(value as u16)) } else { None }
}

/// The reason why an operation may not stand at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Misplaced {
    /// A control operation stands in the delay slot of a jump, call or return.
    InDelaySlot,
    /// A control operation stands at a loop's `end` or behind that.
    AtLoopEnd,
    /// The delay slot of a jump, call or return is a loop's `end`.
    BeforeLoopEnd,
}

/// Returns the reason why an operation that controls the flow may not stand at `pc`, if there is one.
#[inline]
pub fn misplaced(
    row: &Row,
    pc: BundleAddress,
    position: FlowPosition,
    innermost: Option<Body>,
) -> Option<Misplaced> {
    if !row.effects.contains(Effects::CONTROL) {
        return None;
    }
    match position {
        FlowPosition::JumpSlot(_) => return Some(Misplaced::InDelaySlot),
        FlowPosition::LoopBack(_) | FlowPosition::LoopExit => return Some(Misplaced::AtLoopEnd),
        FlowPosition::Plain | FlowPosition::Nullified(_) => {}
    }
    let body = innermost?;
    if pc == body.end || pc == body.last() {
        Some(Misplaced::AtLoopEnd)
    } else if row.effects.contains(Effects::DELAY_SLOT) && body.end == pc.plus(1) {
        Some(Misplaced::BeforeLoopEnd)
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
