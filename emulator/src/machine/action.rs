//! What a host may do to a machine between two cycles, as one interface and as data: who keeps what was
//! done can do it again.

use super::coupled::Machine;
use crate::cp2::{End, FifoEntry};
use crate::dma::{Register, RegisterError};
use crate::memory::OutsideMemory;
use cp2_isa::{BundleAddress, Cycle, SECTIONS, WordAddress};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Something that a host does. It takes no time but for [`Action::Finish`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    /// Sends an entry to the host FIFO.
    Send(FifoEntry),
    /// Writes a register of the DMA channel.
    WriteRegister(Register, u32),
    /// Reads one, which may clear it.
    ReadRegister(Register),
    /// Writes bytes to system memory from an address on.
    WriteMemory(u64, Box<[u8]>),
    /// Writes bundles to instruction memory from an address on, while CP2 is idle.
    WriteBundles(BundleAddress, Box<[u64]>),
    /// Writes words to local memory from an address on, of a section or the same of all.
    WriteWords(WordAddress, Option<u8>, Box<[u64]>),
    /// Writes CONTROL.
    WriteControl(u64),
    /// Starts a kernel at an address, without the FIFO.
    Start(BundleAddress),
    /// Ends the run of a kernel: everything that was issued completes, which takes the cycles of the
    /// drain.
    Finish,
}

/// What was done before a cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Act {
    /// The cycle.
    pub cycle: Cycle,
    /// What was done.
    pub action: Action,
}

/// Why nothing was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The FIFO is full; the host waits.
    FifoFull,
    /// There is no such register, or it cannot be written.
    Register(RegisterError),
    /// The bytes do not lie in system memory.
    Memory(OutsideMemory),
    /// The bundles do not lie in instruction memory: the address behind the last, and how many there are.
    Bundles(usize, usize),
    /// The words do not lie in local memory: the same.
    Words(usize, usize),
}

impl fmt::Display for Refused {
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

impl std::error::Error for Refused {}

impl Machine {
    /// Does something that a host does. If it is refused, nothing has changed.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn act(&mut self, action: Action) -> Result<(), Refused> {
        let cycle = self.cycle();
        match &action {
            Action::Send(entry) => self.cp2.fifo.push(*entry).map_err(|_| Refused::FifoFull)?,
            Action::WriteRegister(register, value) => {
                self.dma.write(*register, *value).map_err(Refused::Register)?;
            }
            Action::ReadRegister(register) => drop(self.dma.read(*register)),
            Action::WriteMemory(address, bytes) => {
                self.memory.write(*address, bytes).map_err(Refused::Memory)?;
            }
            Action::WriteBundles(first, words) => {
                let iram = &mut self.cp2.state.iram;
                let (first, size) = (first.index(), iram.len());
                let end = first + words.len();
                let refused = || Refused::Bundles(end, size);
                iram.get_mut(first..end).ok_or_else(refused)?.copy_from_slice(words);
            }
            Action::WriteWords(first, section, words) => {
                let lmem = &mut self.cp2.state.lmem;
                let (first, size) = (first.index(), lmem.len());
                let end = first + words.len();
                let quads = lmem.get_mut(first..end).ok_or(Refused::Words(end, size))?;
                for (quad, &word) in quads.iter_mut().zip(words) {
                    match section.map(usize::from) {
                        Some(s) => quad[s % SECTIONS] = word,
                        None => *quad = [word; SECTIONS],
                    }
                }
            }
            Action::WriteControl(value) => self.cp2.state.control = *value,
            Action::Start(address) => self.cp2.start(*address),
            Action::Finish => drop(self.finish_now(End::Interrupted)),
        }
        self.note(cycle, action);
        Ok(())
    }

    /// From now on keeps what the host does, until [`Machine::take_acts`] takes it.
    pub fn keep_acts(&mut self) {
        self.acts.get_or_insert_default();
    }

    /// What the host has done since the last call, in order.
    pub fn take_acts(&mut self) -> Vec<Act> {
        self.acts.as_deref_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Keeps what was done, if somebody asked for it.
    pub(super) fn note(&mut self, cycle: Cycle, action: Action) {
        if let Some(acts) = &mut self.acts {
            acts.push(Act { cycle, action });
        }
    }
}
