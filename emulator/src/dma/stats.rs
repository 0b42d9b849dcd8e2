//! Counts of the DMA channel. Every cycle has exactly one cause.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Cause of a cycle of the DMA channel: what the channel did in it. Every cycle has exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ChannelCause {
    /// The channel has nothing to do.
    Idle,
    /// The channel started, or set up a descriptor.
    SetUp,
    /// The channel waited for the words of a descriptor.
    Fetch,
    /// The channel waits for `start_dma`.
    Sync,
    /// The channel waited for memory in a transfer.
    Memory,
    /// A beat moved; in transfers of single words or 32-bit words, data of one cycle.
    Beat,
    /// A beat waited because the kernel used its bank of local memory.
    Conflict,
}

impl ChannelCause {
    /// All causes, in the order in which [`DmaStats::causes`] counts them.
    pub const ALL: [Self; 7] = [
        Self::Idle,
        Self::SetUp,
        Self::Fetch,
        Self::Sync,
        Self::Memory,
        Self::Beat,
        Self::Conflict,
    ];

    /// Returns the key of the cause in reports, such as `set_up`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::SetUp => "set_up",
            Self::Fetch => "fetch",
            Self::Sync => "sync",
            Self::Memory => "memory",
            Self::Beat => "beat",
            Self::Conflict => "conflict",
        }
    }

    /// Returns a description of the cause for reports, less than a line long.
    pub fn description(self) -> &'static str {
        match self {
            Self::Idle => "the channel had nothing to do",
            Self::SetUp => "start of the channel and set-up of descriptors",
            Self::Fetch => "waiting for the words of a descriptor",
            Self::Sync => "waiting for start_dma",
            Self::Memory => "waiting for memory",
            Self::Beat => "a beat moved",
            Self::Conflict => "a beat waited because the kernel used its bank",
        }
    }
}

/// Counts of the DMA channel since reset or in a part of a run: its cycles by cause, the descriptors that it fetched,
/// and the bytes that it moved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DmaStats {
    /// Cycles by cause, in the order of [`ChannelCause::ALL`].
    pub causes: [u64; 7],
    /// Number of descriptors that were fetched; one that is used again counts again.
    pub n_descriptors: u64,
    /// Bytes of data that transfers read from system memory.
    pub bytes_get: u64,
    /// Bytes of data that transfers wrote to system memory; of a beat with a mask all 16 bytes count.
    pub bytes_put: u64,
}

impl DmaStats {
    pub(super) fn count(&mut self, cause: ChannelCause, cycles: u64) {
        self.causes[cause as usize] += cycles;
    }

    /// Returns the number of cycles counted, the sum over all causes.
    pub fn cycles(&self) -> u64 {
        self.causes.iter().sum()
    }

    /// Returns the number of cycles in which a beat waited because the kernel used its bank of local memory
    /// ([`ChannelCause::Conflict`]).
    pub fn bank_conflicts(&self) -> u64 {
        self.causes[ChannelCause::Conflict as usize]
    }

    /// Returns the counts as a JSON object of the schema `cp2-dma-stats-1`, in which every value has its unit and a
    /// description.
    pub fn to_json(&self) -> Value {
        let item = |value: u64, unit: &str, description: &str| json!({ "value": value, "unit": unit, "description": description });
        let causes: Map<_, _> = ChannelCause::ALL
            .iter()
            .map(|c| {
                let count = self.causes[*c as usize];
                (c.name().to_owned(), item(count, "cycles", c.description()))
            })
            .collect();
        json!({
            "schema": "cp2-dma-stats-1",
            "causes": causes,
            "descriptors": item(self.n_descriptors, "descriptors", "fetched by the channel"),
            "bytes_get": item(self.bytes_get, "bytes", "of data read from memory"),
            "bytes_put": item(self.bytes_put, "bytes", "of beats written to memory, masked words included"),
        })
    }
}
