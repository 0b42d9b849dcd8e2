//! Exceptions of the architecture, which stop an instruction.

use std::fmt;

/// Kind of an access to memory, by which pages allow it or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// Fetch of an instruction.
    Fetch,
    /// Load of data.
    Load,
    /// Store of data.
    Store,
}

/// Reason why the TLB has no page for an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Miss {
    /// No entry fits the address.
    Refill,
    /// The entry that fits has no valid page.
    Invalid,
    /// The page allows no stores.
    Modified,
}

/// An exception of the architecture: the reason why an instruction was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exception {
    /// Address error: the address is not a multiple of the size of the access.
    Unaligned {
        /// Virtual address.
        address: u64,
        /// Kind of the access.
        access: AccessKind,
    },
    /// Address error: the mode of the core has no such address.
    Forbidden {
        /// Virtual address.
        address: u64,
        /// Kind of the access.
        access: AccessKind,
    },
    /// The TLB has no page for the address.
    Tlb {
        /// Virtual address.
        address: u64,
        /// Kind of the access.
        access: AccessKind,
        /// Reason why there is no page.
        miss: Miss,
    },
    /// No memory is at the address.
    Unmapped {
        /// Virtual address.
        address: u64,
        /// Kind of the access.
        access: AccessKind,
    },
    /// The page does not allow the access.
    Protected {
        /// Virtual address.
        address: u64,
        /// Kind of the access.
        access: AccessKind,
    },
    /// Signed overflow of an addition or subtraction.
    Overflow,
    /// A trap whose condition holds; with its code.
    Trap(u16),
    /// `break` with its code.
    Break(u32),
    /// `syscall`.
    Syscall,
    /// The word, given here, is no instruction of the release.
    Reserved(u32),
    /// The coprocessor of this number is absent or not enabled.
    Coprocessor(u8),
    /// A floating-point exception that is enabled; with its cause bits, inexact lowest.
    Float(u8),
    /// Not an exception of the architecture: the instruction sees or changes what is outside of the core, so it is done
    /// alone, by the clock.
    Outside,
}

impl fmt::Display for AccessKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fetch => "instruction fetch",
            Self::Load => "load",
            Self::Store => "store",
        })
    }
}

impl fmt::Display for Exception {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unaligned { address, access } => write!(f, "unaligned {access} at {address:#x}"),
            Self::Forbidden { address, access } => {
                write!(
                    f,
                    "address error: {access} at {address:#x}, an address that the mode of the core does not have"
                )
            }
            Self::Tlb { address, access, miss } => {
                let why = match miss {
                    Miss::Refill => "has no entry for it",
                    Miss::Invalid => "has no valid page for it",
                    Miss::Modified => "allows no store",
                };
                write!(f, "{access} at {address:#x}: the TLB {why}")
            }
            Self::Unmapped { address, access } => {
                write!(f, "bus error: {access} at {address:#x}, where no memory is")
            }
            Self::Protected { address, access } => {
                write!(f, "bus error: {access} at {address:#x}, which the page does not allow")
            }
            Self::Overflow => f.write_str("signed overflow"),
            // The codes that compilers use.
            Self::Trap(6) => f.write_str("trap, code 6 (overflow)"),
            Self::Trap(7) => f.write_str("trap, code 7 (division by zero)"),
            Self::Trap(code) => write!(f, "trap, code {code}"),
            Self::Break(code) => write!(f, "break, code {code}"),
            Self::Syscall => f.write_str("system call"),
            Self::Reserved(word) => write!(f, "unknown instruction {word:08x}"),
            Self::Coprocessor(unit) => write!(f, "coprocessor {unit} is not there or not enabled"),
            Self::Outside => f.write_str("an access to what is outside of the core"),
            Self::Float(cause) => write!(f, "floating-point exception, cause {cause:#x}"),
        }
    }
}
