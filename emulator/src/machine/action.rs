//! Actions of a host on a machine between two cycles, as data. `acting` executes them.

use crate::cp2::FifoEntry;
use crate::dma::{DmaRegister, RegisterError};
use crate::memory::OutsideMemory;
use cp2_isa::{BundleAddress, BundleBits, Cycle, MemoryAddress, WordAddress};
use serde::{Deserialize, Serialize};
use std::fmt;

/// An action of a host. It takes no time but for [`Action::Finish`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    /// Sends an entry to the host FIFO.
    Send(FifoEntry),
    /// Writes a register of the DMA channel.
    WriteRegister(DmaRegister, u32),
    /// Reads a register of the DMA channel, which may clear it.
    ReadRegister(DmaRegister),
    /// Writes bytes to system memory from an address on.
    WriteMemory(MemoryAddress, Box<[u8]>),
    /// Writes bundles to instruction memory from an address on, while CP2 is idle.
    WriteBundles(BundleAddress, Box<[BundleBits]>),
    /// Writes words to local memory from an address on, of a section or the same of all.
    WriteWords(WordAddress, Option<u8>, Box<[u64]>),
    /// Writes CONTROL.
    WriteControl(u64),
    /// Starts a kernel at an address, without the FIFO.
    Start(BundleAddress),
    /// Ends the run of a kernel: everything that was issued completes, which takes the cycles of the
    /// drain.
    Finish,
    /// Writes COMM.
    WriteComm(u64),
}

/// An action of the host, and when it was done: what a run has to repeat to go the same way again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Act {
    /// Cycle, since reset, before which the action is done.
    pub cycle: Cycle,
    /// Action that the host did.
    pub action: Action,
}

/// The reason why the machine refused an action of the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActionError {
    /// The FIFO is full; the host waits.
    FifoFull,
    /// There is no such register, or it cannot be written.
    Register(RegisterError),
    /// The bytes do not lie in system memory.
    Memory(OutsideMemory),
    /// The bundles do not lie in instruction memory: the address behind the last, and how many there are.
    Bundles(usize, usize),
    /// The words do not lie in local memory: the address behind the last, and how many there are.
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
