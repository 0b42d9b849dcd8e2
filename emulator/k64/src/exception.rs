//! Exceptions of the MIPS64 architecture, which stop an instruction of the control processor.

use std::fmt;

/// Kind of an access to memory: fetch, load or store. Pages allow each kind or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// Fetch of an instruction.
    Fetch,
    /// Load of data.
    Load,
    /// Store of data.
    Store,
}

/// Reason why the TLB, the table of pages of the MMU, has no page for an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Miss {
    /// No entry of the TLB has the address.
    Refill,
    /// An entry of the TLB has the address, but its page is not valid (bit V is 0).
    Invalid,
    /// The page of the TLB entry does not allow stores (bit D is 0), and the access is a store.
    Modified,
}

/// Accesses of which a watchpoint tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WatchedAccess {
    /// Stores alone.
    Store,
    /// Loads alone.
    Load,
    /// Loads and stores.
    Any,
}

/// Access that a watchpoint has stopped, before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchHit {
    /// Lowest virtual address of the access that the watchpoint has.
    pub address: u64,
    /// Accesses of the watchpoint.
    pub accesses: WatchedAccess,
}

/// An exception of the MIPS64 architecture: the reason why an instruction was not done. [`Exception::Outside`] and
/// [`Exception::Watched`] are of the emulator's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exception {
    /// Address error: the address of the access is not a multiple of the size of the access.
    Unaligned {
        /// Virtual address of the access.
        address: u64,
        /// Kind of the access: fetch, load or store.
        access: AccessKind,
    },
    /// Address error: the address lies in no segment that the mode of the core may access.
    Forbidden {
        /// Virtual address of the access.
        address: u64,
        /// Kind of the access: fetch, load or store.
        access: AccessKind,
    },
    /// The address goes through the TLB, which has no page for the access.
    Tlb {
        /// Virtual address of the access.
        address: u64,
        /// Kind of the access: fetch, load or store.
        access: AccessKind,
        /// Reason why the TLB has no page for the access.
        miss: Miss,
    },
    /// Bus error: there is neither memory nor a device at the address.
    Unmapped {
        /// Virtual address of the access.
        address: u64,
        /// Kind of the access: fetch, load or store.
        access: AccessKind,
    },
    /// Bus error: there is memory at the address, but its page does not allow an access of this kind.
    Protected {
        /// Virtual address of the access.
        address: u64,
        /// Kind of the access: fetch, load or store.
        access: AccessKind,
    },
    /// Signed overflow of an addition or subtraction of integers that traps it.
    Overflow,
    /// A trap instruction whose condition holds, with its code of 10 bits; 0 if the instruction has none.
    Trap(u16),
    /// The instruction `break`, with its code of 20 bits.
    Break(u32),
    /// The instruction `syscall`, a system call.
    Syscall,
    /// An instruction word, given here, that is no instruction of the release of MIPS64.
    Reserved(u32),
    /// An instruction of a coprocessor that is absent or not enabled, with its number, 0 to 3; also of coprocessor 2 if
    /// it has no register of that number.
    Coprocessor(u8),
    /// A floating-point exception that is enabled in FCSR, with the cause bits: from bit 0 inexact, underflow,
    /// overflow, division by zero, invalid operation, unimplemented.
    Float(u8),
    /// No exception of the architecture: the instruction accesses what is outside of the core (a device, coprocessor 0
    /// or 2, or memory that is not in the core's pages yet), for which the engine has to stop first. The caller
    /// advances everything outside to the core's cycle and then does the instruction by itself.
    Outside,
    /// No exception of the architecture: a watchpoint of a debugger has the access of the instruction.
    Watched(WatchHit),
}

impl Exception {
    /// Returns the exception with another address, that of the instruction's access, where it has one.
    #[must_use]
    pub(crate) fn with_address(self, address: u64) -> Self {
        match self {
            Self::Unaligned { access, .. } => Self::Unaligned { address, access },
            Self::Forbidden { access, .. } => Self::Forbidden { address, access },
            Self::Tlb { access, miss, .. } => Self::Tlb { address, access, miss },
            Self::Unmapped { access, .. } => Self::Unmapped { address, access },
            Self::Protected { access, .. } => Self::Protected { address, access },
            other => other,
        }
    }
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
            Self::Watched(hit) => write!(f, "a watchpoint at {:#x}", hit.address),
            Self::Float(cause) => write!(f, "floating-point exception, cause {cause:#x}"),
        }
    }
}
