//! The memories and registers that the channel reads and writes.

use crate::memory::SystemMemory;
use crate::state::Quad;

/// References to the memories and registers that the DMA channel reads and writes. The caller of a method of
/// [`Dma`](super::Dma) that lets time pass lends them for the call.
#[derive(Debug)]
pub struct Ports<'a> {
    /// System memory, from which descriptors are fetched and which transfers read and write.
    pub memory: &'a mut SystemMemory,
    /// Local memory of CP2: position k holds the word at address k in each section.
    pub lmem: &'a mut [Quad],
    /// The 16 index registers of CP2, which the sections share. Descriptors name halves of 32 bits: 2k is the high half
    /// of `ik`, 2k + 1 the low one.
    pub ireg: &'a [u64; 16],
}
