//! Faults, on which the machine stops: programs that the specification gives no meaning.

use cp2_isa::{BundleAddress, BundleBits, RunCycle, Undefined, bundle_digits};
use std::fmt;

/// An error of the running program. The bundle at fault has not been executed, not even half.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The cycle in which the bundle would have issued.
    pub cycle: RunCycle,
    /// Address of the bundle; `None` for a bundle from the host FIFO.
    pub address: Option<BundleAddress>,
    /// Bits of the bundle at fault, as they stood in instruction memory or in the FIFO.
    pub word: BundleBits,
    /// Kind of the fault: why the bundle has no meaning.
    pub kind: FaultKind,
}

/// The reasons why the specification gives a bundle no meaning at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The word is not the encoding of a bundle.
    Undefined(Undefined),
    /// A control operation in the delay slot of a jump, call or return.
    ControlInDelaySlot(&'static str),
    /// A control operation at a loop's `end` or at `end` + 1.
    ControlAtLoopEnd(&'static str),
    /// The delay slot of a jump is a loop's `end`.
    JumpBeforeLoopEnd(&'static str),
    /// A loop whose `end` is before its start.
    LoopEndBeforeStart(BundleAddress),
    /// A loop whose `end` is not before that of the loop around it; with its own end, and the outer one's.
    LoopNotNested(BundleAddress, BundleAddress),
    /// `run` in a kernel.
    RunInKernel,
    /// A control operation other than `run`, `jump` and `sync` from the host FIFO.
    ControlFromHost(&'static str),
    /// A jump, a call, a run or a loop to an address outside instruction memory: the address, the
    /// last one inside.
    TargetOutside(u64, BundleAddress),
    /// The flow ran past the last bundle of instruction memory, this one.
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
                "`{name}` in one of the last two bundles of a hardware loop, where no control operation may stand"
            ),
            Self::JumpBeforeLoopEnd(name) => {
                write!(f, "the delay slot of `{name}` is the `end` bundle of a hardware loop")
            }
            Self::LoopEndBeforeStart(end) => {
                write!(f, "the loop ends at bundle {end}, before its first bundle")
            }
            Self::LoopNotNested(inner, outer) => write!(
                f,
                "the loop ends at bundle {inner}, but the loop around it ends at {outer}, which must be behind"
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
                "the flow ran past bundle {last}, the last of instruction memory; a `stop` is missing"
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
