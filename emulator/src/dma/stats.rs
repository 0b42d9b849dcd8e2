//! Counts of the channel. Every cycle has exactly one cause.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The cause for which a cycle of the channel passed: every cycle has exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ChannelCause {
    /// The channel has nothing to do.
    Idle,
    /// Start of the channel, set-up of a descriptor.
    SetUp,
    /// Waits for the words of a descriptor.
    Fetch,
    /// The channel waits for `start_dma`.
    Sync,
    /// The channel waits for memory.
    Memory,
    /// Moved a beat, or a word with single words.
    Beat,
    /// A beat waited because the kernel used its bank.
    Conflict,
}

impl ChannelCause {
    /// All causes, in the order of [`DmaStats::causes`].
    pub const ALL: [Self; 7] = [
        Self::Idle,
        Self::SetUp,
        Self::Fetch,
        Self::Sync,
        Self::Memory,
        Self::Beat,
        Self::Conflict,
    ];

    /// Returns the key of the cause in reports.
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

    /// Returns a description of the cause, in one line.
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

/// Counts of the channel since reset, or those of a part of a run: what its cycles were for, and what it moved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DmaStats {
    /// Cycles by cause, in the order of [`ChannelCause::ALL`].
    pub causes: [u64; 7],
    /// Number of descriptors that were fetched from system memory, each as often as it was.
    pub n_descriptors: u64,
    /// Number of bytes read from memory for data.
    pub bytes_get: u64,
    /// Bytes of beats written to memory, masked words included.
    pub bytes_put: u64,
}

impl DmaStats {
    pub(super) fn count(&mut self, cause: ChannelCause, cycles: u64) {
        self.causes[cause as usize] += cycles;
    }

    /// Returns the number of cycles counted.
    pub fn cycles(&self) -> u64 {
        self.causes.iter().sum()
    }

    /// Returns the number of cycles in which a beat waited because the kernel used the bank of the beat.
    pub fn bank_conflicts(&self) -> u64 {
        self.causes[ChannelCause::Conflict as usize]
    }

    /// Returns the counts as JSON; every value carries its unit and a description.
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
