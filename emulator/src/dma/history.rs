//! History of the channel: the phases of its cycles, to be drawn or counted later. The counts are in `stats`.

use super::stats::ChannelCause;

/// Phase of the DMA channel in a cycle: what it does, in the large. Each [`ChannelCause`] belongs to one phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The channel has nothing to do.
    Idle,
    /// The channel starts, fetches a descriptor or sets it up.
    SetUp,
    /// The channel waits for `start_dma`.
    Sync,
    /// The channel moves data, or waits for memory or for a bank.
    Data,
}

impl From<ChannelCause> for Phase {
    fn from(cause: ChannelCause) -> Self {
        match cause {
            ChannelCause::Idle => Self::Idle,
            ChannelCause::SetUp | ChannelCause::Fetch => Self::SetUp,
            ChannelCause::Sync => Self::Sync,
            ChannelCause::Memory | ChannelCause::Beat | ChannelCause::Conflict => Self::Data,
        }
    }
}

/// A run of cycles in which the channel is in one phase and at one descriptor, as long as possible.
/// [`Dma::take_history`](super::Dma::take_history) returns them in the order of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseSpan {
    /// Phase of the channel in all these cycles.
    pub phase: Phase,
    /// Number of the descriptor in its table that the channel works on; of the latest one in phase idle.
    pub descriptor: u32,
    /// Number of cycles that the phase lasted without a break, at least 1.
    pub cycles: u64,
}

/// Runs of cycles in order of time; neighbours differ.
#[derive(Clone, Debug, Default)]
pub(super) struct History(Vec<PhaseSpan>);

impl History {
    pub(super) fn add(&mut self, cause: ChannelCause, descriptor: u32, cycles: u64) {
        if cycles == 0 {
            return;
        }
        let phase = cause.into();
        match self.0.last_mut() {
            Some(last) if last.phase == phase && last.descriptor == descriptor => {
                last.cycles += cycles;
            }
            _ => self.0.push(PhaseSpan { phase, descriptor, cycles }),
        }
    }

    pub(super) fn drain(&mut self) -> impl Iterator<Item = PhaseSpan> + '_ {
        self.0.drain(..)
    }
}
