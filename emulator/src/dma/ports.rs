//! Ports of the channel to the machine around it.

use crate::memory::SystemMemory;
use crate::state::Quad;

/// The memories and registers that the channel reaches.
#[derive(Debug)]
pub struct Ports<'a> {
    /// System memory, by byte address: descriptors are fetched from it, data are read and written.
    pub memory: &'a mut SystemMemory,
    /// Local memory of CP2 in words of 64 bits, by word address, then section.
    pub lmem: &'a mut [Quad],
    /// The 16 index registers of CP2, which the sections share. A descriptor names their halves of 32 bits, high one first,
    /// by numbers from 0 to 31, to add them to its addresses or to let them choose the descriptor behind it.
    pub ireg: &'a [u64; 16],
}
