//! Ports of the channel to the machine around it.

use crate::memory::SystemMemory;
use crate::state::Quad;

/// The memories and registers that the channel reaches.
#[derive(Debug)]
pub struct Ports<'a> {
    /// System memory.
    pub memory: &'a mut SystemMemory,
    /// Local memory, by word address, then section.
    pub lmem: &'a mut [Quad],
    /// Index registers.
    pub ireg: &'a [u64; 16],
}
