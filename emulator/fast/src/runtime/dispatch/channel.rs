//! Interface of translated code to the DMA channel beside it.

use crate::runtime::epoch::Epoch;
use cp2_emu::state::State;
use cp2_isa::Cycle;

/// The DMA channel beside translated code, which runs ahead of it.
pub(crate) trait Channel {
    /// Follows through the cycles of an epoch, and those before it in which the kernel did nothing; an error is the cycle
    /// before which the epoch would have had to end.
    fn follow(&mut self, state: &mut State, epoch: &Epoch<'_>) -> Result<(), Cycle>;
    /// Whether nobody waits for what the channel does, so that it may follow later.
    fn may_follow_later(&self) -> bool;
    /// Goes on to a cycle, through cycles in which the kernel did nothing that concerns the channel.
    fn catch_up(&mut self, until: Cycle, state: &mut State);
    /// Returns what `check_dma` reads where the channel is.
    fn answer(&self) -> u64;
    /// Lets the channel go on, as `start_dma` does.
    fn release(&mut self, state: &mut State);
    /// Goes on while the answer to `check_dma` is the same, to a cycle at most, beside a kernel that does nothing but ask.
    /// Returns the cycle to which the channel has come.
    fn pass_unchanged(&mut self, until: Cycle, state: &mut State) -> Cycle;
}
