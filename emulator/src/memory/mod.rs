//! System memory and the channel to it. Who moves data, and when, is the business of `dma`.

mod channel;
mod pieces;
mod store;

pub use channel::{Burst, Channel, ChannelTiming, Direction, DirectionTiming, Transaction};
pub(crate) use channel::{Dues, Rows, Run};
pub use pieces::PIECE;
pub use store::{Marks, OutsideMemory, PAGE, SystemMemory};
pub(crate) use store::{bytes_of, words_of};

/// Bytes of one beat of the DMA channel: two words of local memory (\[L\]).
pub const BEAT_BYTES: u32 = 16;
