//! Flow of control: which bundle issues next, by delay slots, hardware loops and the stacks of loops and calls, and
//! where control operations may stand (`[L]` cycle rules, Control).

use crate::table::{Effects, Row};
use crate::{BundleAddress, Core};
use serde::{Deserialize, Serialize};

/// The bundles of a hardware loop, by the two addresses that `do` and the register LA use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Body {
    /// Address of the first bundle of the body, the one after the `do`.
    pub start: BundleAddress,
    /// Address of the last bundle but one of the body, which `do` names. At its issue the loop decides whether to go
    /// back.
    pub end: BundleAddress,
}

impl Body {
    /// Returns the body of the loop that a `do` at the address `at` begins and that names `end`.
    #[inline]
    pub const fn behind(at: BundleAddress, end: BundleAddress) -> Self {
        Self { start: at.plus(1), end }
    }

    /// Returns the address of the last bundle of the body, `end` + 1: it issues before the flow goes back.
    #[inline]
    pub const fn last(self) -> BundleAddress {
        self.end.plus(1)
    }

    /// Returns the address after the body, `end` + 2, where the flow goes on after the loop, or at once if the loop
    /// has no iterations.
    #[inline]
    pub const fn after(self) -> BundleAddress {
        self.end.plus(2)
    }

    /// Whether `end`, the last bundle but one of the body, is `start` or behind it. Otherwise the body, which goes from
    /// `start` to `end` + 1, has fewer than two bundles, and the loop has no meaning.
    #[inline]
    pub fn is_possible(self) -> bool {
        self.end >= self.start
    }

    /// Returns the addresses of the bundles of the body, in ascending order: `start` to `end` + 1.
    #[inline]
    pub fn addresses(self) -> impl Iterator<Item = BundleAddress> {
        (self.start.0..=self.last().0).map(BundleAddress)
    }

    /// Whether the bundle at this address belongs to the body: `start` to `end` + 1.
    #[inline]
    pub fn contains(self, address: BundleAddress) -> bool {
        self.start <= address && address <= self.last()
    }

    /// Whether the loop `inner`, whose `do` stands at `at`, may run inside this one: its `end` comes before the `end`
    /// of this one. True as well if its `do` stands outside `start` to `end`, as in a subroutine that the body calls.
    #[inline]
    pub fn nests(self, at: BundleAddress, inner: Self) -> bool {
        !(self.start <= at && at <= self.end) || inner.end < self.end
    }

    /// Whether the flow jumps over the `end` of this loop when the loop `inner` in its body has no iterations, so that
    /// this loop does not go back. That is so if `inner` is followed directly by the last bundle of this body.
    #[inline]
    pub fn is_missed_behind(self, inner: Self) -> bool {
        inner.after() == self.last()
    }
}

/// An active hardware loop: an entry of the loop stack. The registers LC and LA show the innermost one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ActiveLoop {
    /// Number of iterations left, the current one included (register LC); 0 acts as 1.
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
/// Mask of the bits of the register LA that exist: the end of the loop from bit 0 on, its start from bit 16 on, 13 bits
/// each.
pub const LA_MASK: u64 = LA_ADDRESS as u64 | (LA_ADDRESS as u64) << LA_START;

impl ActiveLoop {
    /// Returns the addresses of the bundles of the loop.
    #[inline]
    pub const fn body(&self) -> Body {
        Body { start: self.start, end: self.end }
    }

    /// Packs the loop into 64 bits: count in bits 63:32, start in 31:16, end in 15:0.
    #[inline]
    pub const fn packed(self) -> u64 {
        (self.count as u64) << 32 | (self.start.0 as u64) << 16 | self.end.0 as u64
    }

    /// Returns the loop that [`ActiveLoop::packed`] packed into this value.
    #[inline]
    pub const fn from_packed(value: u64) -> Self {
        let (start, end) = (BundleAddress((value >> 16) as u16), BundleAddress(value as u16));
        Self { count: (value >> 32) as u32, start, end }
    }

    /// Returns the value of the register LA for the loop: its end from bit 0 on, its start from bit 16 on.
    #[inline]
    pub const fn la(&self) -> u64 {
        self.end.0 as u64 | (self.start.0 as u64) << LA_START
    }

    /// Returns the loop with the start and the end that the value `la` of the register LA has, and with its own count.
    #[inline]
    pub const fn with_la(self, la: u64) -> Self {
        let start = BundleAddress((la >> LA_START) as u16 & LA_ADDRESS);
        Self { count: self.count, start, end: BundleAddress(la as u16 & LA_ADDRESS) }
    }
}

/// Position of a bundle in the flow of control, by what the bundle before it did. The position decides which bundle
/// follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FlowPosition {
    /// An ordinary bundle, to which the flow came in sequence and after which it goes on in sequence.
    #[default]
    Plain,
    /// The delay slot of a jump, call or return to this address, which follows.
    JumpSlot(BundleAddress),
    /// The last bundle of the body of a loop that goes back: this start address follows.
    LoopBack(BundleAddress),
    /// The last bundle of the body of a loop that is over; the flow goes on in sequence.
    LoopExit,
    /// The bundle after a `do` with count 0: the bundle executes nothing, and this address follows.
    Nullified(BundleAddress),
}

/// Change of the flow of control that the exchange operation of a bundle asks for; with the [`Decision`] of the
/// innermost loop it gives the position of the next bundle ([`next_position`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlowRequest {
    /// No change: the operation leaves the flow as it is.
    None,
    /// A jump to this address, after the delay slot.
    Jump(BundleAddress),
    /// The next bundle is nullified, then the flow goes on at this address: a loop without iterations.
    Skip(BundleAddress),
}

/// Decision of the innermost hardware loop when a bundle issues, made by [`decision`]: to go back, to end, or none if
/// the bundle is not the one at which the loop decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// No decision: the bundle does not stand at the `end` of the loop.
    None,
    /// The loop goes back after the next bundle, since more iterations are left.
    Back {
        /// Address of the first bundle of the body, to which the loop goes back.
        start: BundleAddress,
        /// Number of iterations left, the next one included: the value of the register LC from now on.
        left: u32,
    },
    /// The loop is over and leaves the loop stack. The next bundle is the last of its body.
    Leave,
}

/// Returns the decision of the innermost loop, if there is one, in the cycle in which the bundle at `pc` issues, before
/// anything of that bundle executes. Only a bundle at the `end` of the loop with the position `Plain` or `LoopExit`
/// decides: a bundle in the delay slot of a jump is the end of no loop.
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

/// Returns the address of the bundle that issues after the one at `pc`, which has this position.
#[inline]
pub const fn next_address(pc: BundleAddress, position: FlowPosition) -> BundleAddress {
    match position {
        FlowPosition::JumpSlot(to) | FlowPosition::LoopBack(to) | FlowPosition::Nullified(to) => to,
        FlowPosition::Plain | FlowPosition::LoopExit => pc.plus(1),
    }
}

/// Returns the position of the next bundle, after a bundle with this request and this decision of the innermost loop. A
/// request to jump or skip wins over the decision.
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

/// Returns the number of iterations of a loop whose `do` names a general register with the value `gpr`: the low 32
/// bits.
#[inline]
pub const fn loop_count(gpr: u64) -> u32 {
    gpr as u32
}

/// Effect of a `do` or `doi`, as [`begun`] returns it: a hardware loop begins, or its body is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LoopEntry {
    /// The `do` begins this loop, which goes on the loop stack.
    Loop(ActiveLoop),
    /// The `do` begins no loop, for its count is 0: the next bundle is nullified, the flow goes on at this address, and
    /// the loop stack is not touched.
    Nothing(BundleAddress),
}

/// Returns the effect of a `do` at the address `at` that names this number of iterations and this `end`.
#[inline]
pub const fn begun(at: BundleAddress, count: u32, end: BundleAddress) -> LoopEntry {
    let body = Body::behind(at, end);
    match count {
        0 => LoopEntry::Nothing(body.after()),
        _ => LoopEntry::Loop(ActiveLoop { count, start: body.start, end }),
    }
}

/// Returns the number of entries, of the `entries` on a loop or call stack of this depth, that stay when one more loop
/// or call begins. On a full stack the new one replaces the top, which sets LOE or POE of STATUS.
#[inline]
pub const fn entries_after_push(entries: usize, depth: usize) -> usize {
    if entries < depth { entries } else { depth - 1 }
}

/// Returns the address to which the call at `pc` returns: that after its delay slot, `pc` + 2.
#[inline]
pub const fn return_address(pc: BundleAddress) -> BundleAddress {
    pc.plus(2)
}

/// Returns the highest address of instruction memory on the core.
#[inline]
pub const fn last_bundle(core: &Core) -> BundleAddress {
    BundleAddress::from_index(core.iram_bundles() - 1)
}

/// Returns the address of the bundle that the value of a register or an immediate names; `None` if the core has no such
/// bundle.
#[inline]
pub const fn target(core: &Core, value: u64) -> Option<BundleAddress> {
    if value <= last_bundle(core).0 as u64 { Some(BundleAddress(value as u16)) } else { None }
}

/// The reason why a control operation, such as a jump or a `do`, may not stand where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MisplacedControl {
    /// The control operation stands in the delay slot of a jump, call or return.
    InDelaySlot,
    /// The control operation stands in one of the last two bundles of a loop, at `end` or after that.
    AtLoopEnd,
    /// The delay slot of the jump, call or return is the `end` of a loop.
    BeforeLoopEnd,
}

/// Returns the reason why the operation may not stand at the address `pc`; `None` if it may, or if it does not control
/// the flow. `position` is the position of the bundle, `innermost` the body of the innermost active loop.
#[inline]
pub fn misplaced(
    row: &Row,
    pc: BundleAddress,
    position: FlowPosition,
    innermost: Option<Body>,
) -> Option<MisplacedControl> {
    if !row.effects.contains(Effects::CONTROL) {
        return None;
    }
    match position {
        FlowPosition::JumpSlot(_) => return Some(MisplacedControl::InDelaySlot),
        FlowPosition::LoopBack(_) | FlowPosition::LoopExit => {
            return Some(MisplacedControl::AtLoopEnd);
        }
        FlowPosition::Plain | FlowPosition::Nullified(_) => {}
    }
    let body = innermost?;
    if pc == body.end || pc == body.last() {
        Some(MisplacedControl::AtLoopEnd)
    } else if row.effects.contains(Effects::DELAY_SLOT) && body.end == pc.plus(1) {
        Some(MisplacedControl::BeforeLoopEnd)
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
