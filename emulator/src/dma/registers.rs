//! The registers of the channel as the host sees them: offsets and bits (\[L\]).

use serde::{Deserialize, Serialize};
use std::fmt;

/// Register of 32 bits of the DMA block, through which the host controls the channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DmaRegister {
    /// CTRL: start, stop.
    Ctrl,
    /// STATUS: busy, waiting (read-only).
    Status,
    /// Address of the descriptor table, relative to BASEADDR.
    Daddr,
    /// INT: interrupt causes; a read clears them if CONFIG says so (read-only).
    Int,
    /// CURDSC: number of the current descriptor.
    Curdsc,
    /// ADDRLIM: limit of addresses.
    Addrlim,
    /// INTMASK: causes that raise the interrupt line.
    Intmask,
    /// BASEADDR: base of descriptor tables.
    Baseaddr,
    /// INTCAUSE: interrupt causes (read-only).
    Intcause,
    /// The register that says what is checked and what is cleared.
    Config,
}

/// Bits of CTRL.
pub mod ctrl {
    /// Start the channel; reads as 0.
    pub const START: u32 = 1;
    /// Stop after the current descriptor; the stop clears it.
    pub const STOP: u32 = 1 << 1;
}

/// Bits of STATUS.
pub mod status {
    /// The channel works on descriptors.
    pub const BUSY: u32 = 1;
    /// The channel waits for `start_dma`.
    pub const WAITING: u32 = 1 << 1;
}

/// Bits of INT, INTCAUSE and INTMASK.
pub mod cause {
    /// An access was refused.
    pub const ADDRESS: u32 = 1;
    /// CTRL stopped the channel.
    pub const STOPPED: u32 = 1 << 1;
    /// A descriptor asked for an interrupt.
    pub const DESCRIPTOR: u32 = 1 << 2;
}

/// Bits of CONFIG.
pub mod config {
    /// Accesses of the channel at or above ADDRLIM are refused.
    pub const CHECK_LIMIT: u32 = 1;
    /// A read of INT clears the causes.
    pub const CLEAR_ON_READ: u32 = 1 << 1;
}

/// An access to a register that does not exist or cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterError {
    /// No register has this offset.
    NoSuchOffset(u32),
    /// The register is read-only.
    ReadOnly(DmaRegister),
}

impl fmt::Display for RegisterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchOffset(offset) => write!(
                f,
                "no DMA register at offset 0x{offset:x}; they are at 0x00 to 0x10 and 0x1000 to 0x1010"
            ),
            Self::ReadOnly(register) => write!(f, "DMA register {} is read-only", register.name()),
        }
    }
}

impl std::error::Error for RegisterError {}

impl DmaRegister {
    /// All registers, in the order of their offsets.
    pub const ALL: [Self; 10] = [
        Self::Ctrl,
        Self::Status,
        Self::Daddr,
        Self::Int,
        Self::Curdsc,
        Self::Addrlim,
        Self::Intmask,
        Self::Baseaddr,
        Self::Intcause,
        Self::Config,
    ];
    /// Physical address at which the host sees the block; a register lies [`Self::offset`] bytes behind it.
    pub const BLOCK: u32 = 0x1ff0_0000;

    /// Returns the name of the register.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ctrl => "CTRL",
            Self::Status => "STATUS",
            Self::Daddr => "DADDR",
            Self::Int => "INT",
            Self::Curdsc => "CURDSC",
            Self::Addrlim => "ADDRLIM",
            Self::Intmask => "INTMASK",
            Self::Baseaddr => "BASEADDR",
            Self::Intcause => "INTCAUSE",
            Self::Config => "CONFIG",
        }
    }

    /// Returns the offset of the register in the block, in bytes.
    pub fn offset(self) -> u32 {
        let n = self as u32;
        if n < 5 { 4 * n } else { 0x1000 + 4 * (n - 5) }
    }

    /// Returns the register at an offset.
    pub fn at(offset: u32) -> Result<Self, RegisterError> {
        let found = Self::ALL.into_iter().find(|r| r.offset() == offset);
        found.ok_or(RegisterError::NoSuchOffset(offset))
    }

    /// Whether a write of the register is refused.
    pub fn is_read_only(self) -> bool {
        matches!(self, Self::Status | Self::Int | Self::Intcause)
    }

    /// Returns the bits that a write takes.
    pub fn writable(self) -> u32 {
        match self {
            Self::Ctrl | Self::Config => 3,
            Self::Daddr | Self::Addrlim | Self::Baseaddr => !7,
            Self::Intmask => 7,
            Self::Curdsc => !0,
            Self::Status | Self::Int | Self::Intcause => 0,
        }
    }
}
