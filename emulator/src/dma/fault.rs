//! Faults of descriptors, with which the channel stops before the end of its table. The real channel tells the host
//! less; they are for a user who looks for the reason.

use crate::memory::OutsideMemory;
use cp2_isa::{Cycle, MemoryAddress};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Fault that stopped the DMA channel: when, at which descriptor, and why. [`Dma::fault`](super::Dma::fault) returns
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DmaFault {
    /// Cycle, since reset, in which the channel stopped.
    pub cycle: Cycle,
    /// Number of the descriptor in its table: the value of register CURDSC when the channel turned to it.
    pub descriptor: u32,
    /// Kind of the fault: the reason why the channel stopped.
    pub kind: DmaFaultKind,
}

/// Bit field of a walk through system memory that has to be a multiple of the machine's alignment: its base or one of
/// its two steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WalkField {
    /// First address of the walk.
    Base,
    /// Step of the stride x, from burst to burst.
    StepX,
    /// Step of the stride y, from row to row.
    StepY,
}

/// Reason why the channel stopped with a fault at a descriptor; the variants cover all cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DmaFaultKind {
    /// The descriptor is not valid: the highest bit of its first word is 0.
    Invalid,
    /// The channel accessed memory at or above the limit of register ADDRLIM: the address, then the limit.
    AddressLimit(MemoryAddress, u32),
    /// The channel accessed bytes outside the system memory of the machine.
    OutsideMemory(OutsideMemory),
    /// The base or a step of a walk through memory is not a multiple of the alignment: which of them, its value, and
    /// the alignment in bytes.
    Unaligned(WalkField, i64, u32),
    /// The descriptor is a transfer from memory to memory, which this machine does not have.
    CopyAbsent,
    /// The descriptor is a transfer of 32-bit words, and extension `dma-words` is off.
    WordsAbsent,
    /// The two walks of a transfer from memory to memory have different lengths: the beats of the source, then of the
    /// destination.
    CopyLengths(u64, u64),
}

impl WalkField {
    /// Returns the name of the bit field in messages, such as `memory step x`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Base => "memory base",
            Self::StepX => "memory step x",
            Self::StepY => "memory step y",
        }
    }
}

impl fmt::Display for WalkField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for DmaFaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid => f.write_str(
                "it is not valid (bit 63 of its first word is 0); end a table with the stop bit",
            ),
            Self::AddressLimit(address, limit) => write!(
                f,
                "the access to {address} is at or above the address limit 0x{limit:08x} (ADDRLIM)"
            ),
            Self::OutsideMemory(e) => e.fmt(f),
            Self::Unaligned(name, value, bytes) => {
                write!(f, "{name} is {value}, which is not a multiple of {bytes} bytes")
            }
            Self::CopyAbsent => f.write_str(
                "this machine has no transfers from memory to memory (dma.memory_to_memory)",
            ),
            Self::WordsAbsent => f.write_str(
                "this machine has no transfers of 32-bit words (extension dma-words is off)",
            ),
            Self::CopyLengths(from, to) => write!(
                f,
                "the source has {from} beats and the destination {to}; both must have the same number"
            ),
        }
    }
}

impl fmt::Display for DmaFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DMA descriptor {}, cycle {}: {}", self.descriptor, self.cycle, self.kind)
    }
}

impl std::error::Error for DmaFault {}
