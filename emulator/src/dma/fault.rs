//! Faults, for which the channel stops before the end of its descriptors. The real channel tells the host less; these are for
//! a user who looks for the reason.

use crate::memory::OutsideMemory;
use cp2_isa::{Cycle, MemoryAddress};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Fault that stopped the channel, and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DmaFault {
    /// Cycle, since reset, in which the channel stopped.
    pub cycle: Cycle,
    /// Number of the descriptor: CURDSC when the channel turned to the descriptor.
    pub descriptor: u32,
    /// Kind of the fault: the reason why the channel stopped.
    pub kind: DmaFaultKind,
}

/// The field of a walk through memory that has to be aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WalkField {
    /// First address of the walk.
    Base,
    /// Step from beat to beat or burst to burst.
    StepX,
    /// Step from row to row.
    StepY,
}

/// The kind of a fault of a descriptor or an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DmaFaultKind {
    /// The valid bit is 0.
    Invalid,
    /// An access at or above ADDRLIM: the address, the limit.
    AddressLimit(MemoryAddress, u32),
    /// An access outside the memory that the machine has.
    OutsideMemory(OutsideMemory),
    /// A base or a step that is not a multiple of the alignment; with the field, its value, and the alignment.
    Unaligned(WalkField, i64, u32),
    /// A transfer from memory to memory on a machine without it.
    CopyAbsent,
    /// A transfer of 32-bit words on a machine without the extension.
    WordsAbsent,
    /// Memory to memory with walks of different lengths: beats of the source, of the destination.
    CopyLengths(u64, u64),
}

impl WalkField {
    /// Returns the name of the field in descriptors.
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
