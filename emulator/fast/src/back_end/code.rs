//! Translated code in executable memory, together with what it asks of those who run it.

use super::assemble::Machine;
use super::encoding::Host;
use crate::analysis::contract::Contract;
use memmap2::{Mmap, MmapMut};

/// One block of machine code. Its memory is never writable and executable at once, and never changes.
#[derive(Debug)]
pub(crate) struct Code {
    memory: Mmap,
    /// Offset of the first instruction.
    entry: usize,
    host: Host,
    contract: Contract,
}

impl Code {
    /// Copies code into memory that can be executed; an error is the operating system's.
    pub(crate) fn new(machine: Machine) -> std::io::Result<Self> {
        let Machine { bytes, entry, host, contract } = machine;
        let mut memory = MmapMut::map_anon(bytes.len())?;
        memory.copy_from_slice(&bytes);
        Ok(Self { memory: memory.make_exec()?, entry, host, contract })
    }

    /// The first instruction of a function that takes the address of a context.
    pub(crate) fn first(&self) -> *const u8 {
        self.memory[self.entry..].as_ptr()
    }

    /// What the host has to have.
    pub(crate) fn host(&self) -> Host {
        self.host
    }

    /// What has to be so when it is run.
    pub(crate) fn contract(&self) -> &Contract {
        &self.contract
    }
}
