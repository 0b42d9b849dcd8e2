//! The whole machine: a program on the control processor drives CP2 and its DMA channel, on one clock.
//!
//! [`Board`] is what the processor meets outside of itself (`cp2_k64::outside`): the machine of `cp2-emu` on an engine,
//! the registers of the channel, memory, console and exit. This crate knows both sides; neither of them knows the
//! other. [`costs`] gives the costs of the processor's instructions on a machine; [`gdb`] is for a debugger.

mod board;
mod breakpoints;
mod costs;
pub mod gdb;
mod messages;
mod view;

pub use board::Board;
pub use breakpoints::Breakpoints;
pub use costs::costs;
pub use messages::{MessageRequest, MessageUnit};

/// Ends the run of a processor with a [`Board`]: tells the engine of CP2, so that a recording, for example, is
/// completed. Does nothing for a processor without one.
pub fn release(processor: &mut cp2_k64::machine::Processor) {
    if let Some(board) = Board::of_mut(processor) {
        board.release();
    }
}

/// Returns the machine around a processor with a [`Board`], its memory with all that the processor has written, for a
/// look at memory when the run is over; `None` for a processor without a board.
pub fn settled(processor: &mut cp2_k64::machine::Processor) -> Option<&cp2_emu::Machine> {
    let core = &mut processor.core;
    let outside: &mut dyn std::any::Any = &mut *core.privileged.as_mut()?.outside;
    let board: &mut Board = outside.downcast_mut()?;
    board.take_memory(&mut core.memory);
    Some(board.machine())
}
