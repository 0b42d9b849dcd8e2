//! Costs of the channel itself, and its abilities.

use cp2_isa::machine::{Key, MachineConfig};
use serde::{Deserialize, Serialize};

/// Costs in cycles of the channel itself, without those of its memory port
/// ([`MemoryTiming`](crate::memory::MemoryTiming)), and the kinds of transfers that it can do. A machine file gives
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DmaTiming {
    /// Cycles from the start of the channel by CTRL to its request of the first descriptor.
    pub start_cycles: u32,
    /// Cycles from the arrival of the last word of a descriptor to its first request of data, or to its jump.
    pub set_up_cycles: u32,
    /// Number of bytes of which memory addresses and steps of descriptors have to be multiples.
    pub alignment_bytes: u32,
    /// Whether the channel can do transfers from memory to memory.
    pub memory_to_memory: bool,
    /// Whether the channel can do transfers of 32-bit words (extension `dma-words`).
    pub words: bool,
}

impl DmaTiming {
    /// A channel that costs next to nothing and can do everything.
    pub(crate) const IDEAL: Self = Self {
        start_cycles: 1,
        set_up_cycles: 0,
        alignment_bytes: 4,
        memory_to_memory: true,
        words: true,
    };
}

impl From<&MachineConfig> for DmaTiming {
    fn from(config: &MachineConfig) -> Self {
        Self {
            start_cycles: config.value(Key::DmaStart),
            set_up_cycles: config.value(Key::DmaSetUp),
            alignment_bytes: config.value(Key::Alignment),
            memory_to_memory: config.value(Key::MemoryToMemory) == 1,
            words: config.value(Key::DmaWords) == 1,
        }
    }
}
