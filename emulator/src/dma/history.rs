//! History of the channel: the use of its cycles, to be drawn or counted later. The counts are in `stats`.

use super::stats::ChannelCause;

/// The use of a cycle of the channel, in the large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The channel has nothing to do.
    Idle,
    /// Start of the channel, fetch and set-up of descriptors.
    SetUp,
    /// The channel waits for `start_dma`.
    Sync,
    /// The channel moves data or waits for them.
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

/// A run of cycles of one phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseSpan {
    /// Use of the cycles: the channel did the same in all of them.
    pub phase: Phase,
    /// Number of the descriptor that the channel was at, as in CURDSC.
    pub descriptor: u32,
    /// Length of the run in cycles, at least 1.
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
