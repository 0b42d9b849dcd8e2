//! The parameters of the memory port: clocks, widths, and the costs of each direction.

use super::clock::TICKS;
use crate::memory::BEAT_BYTES;
use cp2_isa::machine::{Key, MachineConfig};
use serde::{Deserialize, Serialize};

/// Direction in which data move on the memory port, seen from the DMA channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Direction {
    /// Data move from system memory to the DMA channel.
    Get,
    /// Data move from the DMA channel to system memory.
    Put,
}

/// Costs of a transaction in one direction, from system memory or to it, in clocks of the memory. Part of
/// [`MemoryTiming`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectionTiming {
    /// Memory clocks from the request of a transaction to its first data, if its row is open.
    pub latency_clocks: u32,
    /// Memory clocks in addition, if the row has to be opened.
    pub row_opening_clocks: u32,
}

/// Parameters of the memory port between the DMA channel and system memory: clocks, widths and waits. A machine file
/// gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryTiming {
    /// Clock of CP2 in MHz, which gives the length of a cycle.
    pub cpu_mhz: u32,
    /// Clock of the memory in MHz, which gives the length of a memory clock.
    pub memory_mhz: u32,
    /// Bytes that the bus moves in a memory clock, a power of two from 1 to 256.
    pub bytes_per_clock: u32,
    /// Bytes of the longest transaction, a multiple of 16.
    pub transaction_bytes: u32,
    /// Number of transactions that may be under way at once.
    pub outstanding: u32,
    /// Bytes of a row of the memory (DRAM page), a multiple of 16.
    pub row_bytes: u32,
    /// Memory clocks for which the bus rests when the direction changes.
    pub turnaround_clocks: u32,
    /// Costs of transactions from memory.
    pub get: DirectionTiming,
    /// Costs of transactions to memory.
    pub put: DirectionTiming,
}

impl From<&MachineConfig> for MemoryTiming {
    fn from(config: &MachineConfig) -> Self {
        let direction = |latency, row| DirectionTiming {
            latency_clocks: config.value(latency),
            row_opening_clocks: config.value(row),
        };
        Self {
            cpu_mhz: config.value(Key::CpuClock),
            memory_mhz: config.value(Key::MemoryClock),
            bytes_per_clock: config.value(Key::BusWidth),
            transaction_bytes: config.value(Key::TransactionSize),
            outstanding: config.value(Key::Outstanding),
            row_bytes: config.value(Key::RowSize),
            turnaround_clocks: config.value(Key::Turnaround),
            get: direction(Key::GetLatency, Key::GetRowOpening),
            put: direction(Key::PutLatency, Key::PutRowOpening),
        }
    }
}

impl MemoryTiming {
    /// A beat in every cycle, without latency.
    pub(crate) const IDEAL: Self = {
        let direction = DirectionTiming { latency_clocks: 0, row_opening_clocks: 0 };
        Self {
            cpu_mhz: 1,
            memory_mhz: 1,
            bytes_per_clock: BEAT_BYTES,
            transaction_bytes: 256,
            outstanding: 1,
            row_bytes: 8192,
            turnaround_clocks: 0,
            get: direction,
            put: direction,
        }
    };

    /// Returns the rate of the memory's data bus without any pause, in MB/s (10^6 bytes a second).
    pub fn peak_mb_per_s(&self) -> f64 {
        f64::from(self.memory_mhz) * f64::from(self.bytes_per_clock)
    }

    pub(super) fn cost(&self, direction: Direction) -> &DirectionTiming {
        match direction {
            Direction::Get => &self.get,
            Direction::Put => &self.put,
        }
    }

    pub(super) fn ticks_per_beat(&self) -> u64 {
        TICKS * u64::from(BEAT_BYTES) / u64::from(self.bytes_per_clock)
    }
}
