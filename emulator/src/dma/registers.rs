//! The registers of the DMA channel as the host sees them: addresses and bits (\[L\]).

use serde::{Deserialize, Serialize};
use std::fmt;

/// Register of 32 bits through which the host controls the DMA channel; these are all ten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DmaRegister {
    /// CTRL: bits to start and to stop the channel ([`ctrl`]).
    Ctrl,
    /// STATUS: busy and waiting ([`status`]); read-only.
    Status,
    /// DADDR: address of the descriptor table in bytes, relative to BASEADDR.
    Daddr,
    /// INT: interrupt causes ([`cause`]), as INTCAUSE; a read clears them if CONFIG says so. Read-only.
    Int,
    /// CURDSC: number of the current descriptor in its table.
    Curdsc,
    /// ADDRLIM: address at and above which accesses of the channel are refused, if CONFIG says so.
    Addrlim,
    /// INTMASK: the interrupt causes that raise the interrupt line.
    Intmask,
    /// BASEADDR: address in bytes to which DADDR is added.
    Baseaddr,
    /// INTCAUSE: interrupt causes ([`cause`]); a read clears none. Read-only.
    Intcause,
    /// CONFIG: whether addresses are checked, and whether a read of INT clears causes ([`config`]).
    Config,
}

/// Bits of register CTRL of the DMA channel, by which the host starts and stops it.
pub mod ctrl {
    /// Bit 0 of CTRL: starts the channel at the descriptor whose number is in CURDSC when 1 is written; reads as 0.
    pub const START: u32 = 1;
    /// Bit 1 of CTRL: asks the channel to stop after the current descriptor; the channel clears the bit when it stops.
    pub const STOP: u32 = 1 << 1;
}

/// Bits of register STATUS of the DMA channel, by which the host sees what it does.
pub mod status {
    /// Bit 0 of STATUS: the channel works on descriptors or waits for `start_dma`.
    pub const BUSY: u32 = 1;
    /// Bit 1 of STATUS: the channel waits for the kernel's operation `start_dma`, as a descriptor demands.
    pub const WAITING: u32 = 1 << 1;
}

/// Interrupt causes of the DMA channel: bits of the registers INT, INTCAUSE and INTMASK.
pub mod cause {
    /// Bit 0 of INT, INTCAUSE and INTMASK: an access of the channel to system memory was refused, at or above ADDRLIM
    /// or outside system memory.
    pub const ADDRESS: u32 = 1;
    /// Bit 1 of INT, INTCAUSE and INTMASK: the channel has stopped because the host asked for it by
    /// [`ctrl::STOP`](super::ctrl::STOP).
    pub const STOPPED: u32 = 1 << 1;
    /// Bit 2 of INT, INTCAUSE and INTMASK: a descriptor with its interrupt bit set has ended.
    pub const DESCRIPTOR: u32 = 1 << 2;
}

/// Bits of register CONFIG of the DMA channel, by which the host chooses how it checks addresses and clears interrupt
/// causes.
pub mod config {
    /// Bit 0 of CONFIG: accesses of the channel at or above the address in register ADDRLIM are refused.
    pub const CHECK_LIMIT: u32 = 1;
    /// Bit 1 of CONFIG: a read of register INT by the host clears all interrupt causes.
    pub const CLEAR_ON_READ: u32 = 1 << 1;
}

/// Reason why an access of the host to a register of the DMA channel was refused. Made by [`DmaRegister::at`] and
/// [`Dma::write`](super::Dma::write).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterError {
    /// No register has this offset in bytes.
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
    /// All ten registers in the order of their offsets, which is also the order of the variants.
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
    /// Physical address, in the control processor's address space, of the block of the channel's registers. A register
    /// is at this address plus its [`Self::offset`].
    pub const BLOCK: u32 = 0x1ff0_0000;

    /// Returns the name of the register in capitals, such as `CTRL`.
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

    /// Returns the distance of the register from the begin of the block of registers ([`Self::BLOCK`]), in bytes.
    pub fn offset(self) -> u32 {
        let n = self as u32;
        if n < 5 { 4 * n } else { 0x1000 + 4 * (n - 5) }
    }

    /// Returns the register at an offset, in bytes from [`Self::BLOCK`].
    ///
    /// # Errors
    /// No register has this offset.
    pub fn at(offset: u32) -> Result<Self, RegisterError> {
        let found = Self::ALL.into_iter().find(|r| r.offset() == offset);
        found.ok_or(RegisterError::NoSuchOffset(offset))
    }

    /// Returns whether the host cannot write the register.
    pub fn is_read_only(self) -> bool {
        matches!(self, Self::Status | Self::Int | Self::Intcause)
    }

    /// Returns a mask of the bits of the register that the host can write; 0 for a read-only register.
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
