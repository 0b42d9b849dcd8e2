//! Faults: what a program does that the specification gives no meaning. The machine stops there.

use cp2_isa::{BundleAddress, BundleBits, RunCycle, Undefined, bundle_digits};
use std::fmt;

/// A fault of the running program: a bundle that has no meaning in its place. Nothing of the bundle has been executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Cycle in which the bundle would have issued, counted from the begin of the run.
    pub cycle: RunCycle,
    /// Address of the bundle in instruction memory; `None` for a bundle from the host FIFO.
    pub address: Option<BundleAddress>,
    /// Bits of the bundle at fault, as they stand in instruction memory or in the FIFO; 0 if the flow has left
    /// instruction memory.
    pub word: BundleBits,
    /// Kind of the fault: why the bundle has no meaning.
    pub kind: FaultKind,
}

/// Reason why a bundle has no meaning at its place: its encoding, the operations near it, or an address in it. A text
/// in a variant is the mnemonic of the operation at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The bits are not the encoding of a bundle; the reason.
    Undefined(Undefined),
    /// An operation that changes the flow stands in the delay slot of a jump, call or return.
    ControlInDelaySlot(&'static str),
    /// An operation that changes the flow stands in one of the last two bundles of a hardware loop: at its `end` or at
    /// `end` + 1.
    ControlAtLoopEnd(&'static str),
    /// The delay slot of a jump, call or return is the `end` bundle of a hardware loop.
    JumpBeforeLoopEnd(&'static str),
    /// The `end` of a hardware loop, this address, is not behind its `do`.
    LoopEndBeforeStart(BundleAddress),
    /// The `end` of an inner hardware loop is not before the `end` of the loop around it: the address of the inner
    /// `end`, then of the outer one.
    LoopNotNested(BundleAddress, BundleAddress),
    /// A kernel contains `run`, which only the host may use.
    RunInKernel,
    /// The host has sent an operation that changes the flow, other than `run`, `jump` and `sync`.
    ControlFromHost(&'static str),
    /// A jump, call, run or hardware loop has an address outside instruction memory: the address, then the last one
    /// inside.
    TargetOutside(u64, BundleAddress),
    /// The flow ran past the end of instruction memory; the address of the last bundle.
    RanPastEnd(BundleAddress),
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undefined(reason) => write!(f, "undefined operation: {reason}"),
            Self::ControlInDelaySlot(name) => {
                write!(f, "`{name}` in a delay slot; move it out of the bundle after the jump")
            }
            Self::ControlAtLoopEnd(name) => write!(
                f,
                "`{name}` in one of the last two bundles of a hardware loop, where control operations are not allowed"
            ),
            Self::JumpBeforeLoopEnd(name) => {
                write!(f, "the delay slot of `{name}` is the `end` bundle of a hardware loop")
            }
            Self::LoopEndBeforeStart(end) => {
                write!(f, "the loop ends at bundle {end}, before its first bundle")
            }
            Self::LoopNotNested(inner, outer) => write!(
                f,
                "the loop ends at bundle {inner}, but the loop around it ends at {outer}, which must be after it"
            ),
            Self::RunInKernel => f.write_str("`run` in a kernel; only the host starts kernels"),
            Self::ControlFromHost(name) => {
                write!(f, "`{name}` from the host FIFO; the host may only `run`, `jump` and `sync`")
            }
            Self::TargetOutside(target, last) => {
                write!(f, "address {target} is outside instruction memory (0 to {last})")
            }
            Self::RanPastEnd(last) => write!(
                f,
                "the program ran past bundle {last}, the last of instruction memory; a `stop` is missing"
            ),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.address {
            Some(_) if matches!(self.kind, FaultKind::RanPastEnd(_)) => {
                write!(f, "cycle {}: {}", self.cycle, self.kind)
            }
            Some(address) => write!(
                f,
                "bundle {address} (0x{}), cycle {}: {}",
                bundle_digits(self.word),
                self.cycle,
                self.kind
            ),
            None => write!(f, "host FIFO bundle 0x{}: {}", bundle_digits(self.word), self.kind),
        }
    }
}

impl std::error::Error for Fault {}
