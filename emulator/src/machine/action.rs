//! Actions of a host on a machine between two cycles, as data. `acting` executes them.

use crate::cp2::FifoEntry;
use crate::dma::{DmaRegister, RegisterError};
use crate::memory::OutsideMemory;
use cp2_isa::{BundleAddress, BundleBits, Cycle, MemoryAddress, WordAddress};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Action of a host on a machine between two cycles, as data, so that it can be kept and repeated.
/// [`Machine::act`](super::Machine::act) does it. It takes no cycle, except [`Action::Finish`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    /// Sends an entry to the host FIFO.
    Send(FifoEntry),
    /// Writes a 32-bit value to a register of the DMA channel.
    WriteRegister(DmaRegister, u32),
    /// Reads a register of the DMA channel, since a read can clear bits of it. The value is dropped.
    ReadRegister(DmaRegister),
    /// Writes bytes to system memory, from an address on.
    WriteMemory(MemoryAddress, Box<[u8]>),
    /// Writes encoded bundles to instruction memory, from a bundle address on, while CP2 is idle.
    WriteBundles(BundleAddress, Box<[BundleBits]>),
    /// Writes words to local memory, from a word address on: in the section with this number (0 to 3), or the same
    /// words in all sections if it is `None`.
    WriteWords(WordAddress, Option<u8>, Box<[u64]>),
    /// Writes the whole value of register CONTROL of CP2.
    WriteControl(u64),
    /// Starts a kernel at a bundle address, without the host FIFO: its first bundle issues in the next cycle.
    Start(BundleAddress),
    /// Ends the run of a kernel. All operations that were issued complete, for which the cycles of the drain pass.
    Finish,
    /// Writes the whole value of the mailbox register COMM, 64 bits.
    WriteComm(u64),
    /// Reads the mailbox register COMM, which clears STATUS.COMMCP2. The value is dropped.
    ReadComm,
}

/// Action of the host with the cycle before which it was done; [`Machine::take_acts`](super::Machine::take_acts)
/// returns those that were kept. A run that is repeated with the same acts goes the same way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Act {
    /// Cycle, counted from reset, before which the action is done.
    pub cycle: Cycle,
    /// Action that the host did.
    pub action: Action,
}

/// Reason why [`Machine::act`](super::Machine::act) refused an [`Action`] of the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActionError {
    /// The host FIFO is full; the host has to send the entry again later.
    FifoFull,
    /// The register of the DMA channel does not exist or cannot be written.
    Register(RegisterError),
    /// The bytes do not lie in system memory as a whole.
    Memory(OutsideMemory),
    /// The bundles do not lie in instruction memory: the address behind the last of them, and the number of bundles
    /// that the memory has.
    Bundles(usize, usize),
    /// The words do not lie in local memory: the address behind the last of them, and the number of words that the
    /// memory of a section has.
    Words(usize, usize),
}

impl fmt::Display for ActionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FifoFull => f.write_str("the host FIFO is full"),
            Self::Register(e) => e.fmt(f),
            Self::Memory(e) => e.fmt(f),
            Self::Bundles(end, size) => write!(
                f,
                "bundles before address {end} are outside instruction memory, which has {size}"
            ),
            Self::Words(end, size) => {
                write!(f, "words before address {end} are outside local memory, which has {size}")
            }
        }
    }
}

impl std::error::Error for ActionError {}
