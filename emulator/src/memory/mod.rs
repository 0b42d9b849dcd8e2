//! System memory, and the memory port between it and the DMA channel. `dma` decides which data move, and when.

mod large;
mod pieces;
mod port;
mod store;

pub use port::{
    Burst, Direction, DirectionTiming, MemoryPort, MemoryTiming, PortRest, Transaction,
};
pub(crate) use port::{Dues, RowProgress, Rows};
pub use store::{Marks, OutsideMemory, PAGE, SystemMemory};
pub(crate) use store::{bytes_of, words_of};

/// Bytes of one beat of the DMA channel: two words of local memory of a section (\[L\]).
pub const BEAT_BYTES: u32 = 16;
/// Bytes of a piece of [`SystemMemory`], its unit of storage: piece k has the addresses from k times this number on.
/// Pieces that were never written read as 0 and take no space; copies of a memory share a piece until one of them
/// writes to it.
pub const PIECE: usize = 1 << 16;
