//! The parameters of the channel: clocks, widths, and what each direction costs.

use super::clock::TICKS;
use crate::memory::BEAT_BYTES;
use cp2_isa::machine::{Key, MachineConfig};
use serde::{Deserialize, Serialize};

/// The direction in which data moves on the channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Direction {
    /// Direction from memory.
    Get,
    /// Direction to memory.
    Put,
}

/// Costs of transactions in one direction, in clocks of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectionTiming {
    /// Number of memory clocks from the request of a transaction to its first data, in an open row.
    pub latency_clocks: u32,
    /// Memory clocks more if the row has to be opened.
    pub row_opening_clocks: u32,
}

/// Parameters of the way between the DMA channel and system memory: clocks, widths and waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryTiming {
    /// Clock of CP2 in MHz: how long one of its cycles is.
    pub cpu_mhz: u32,
    /// Clock of the memory in MHz: how long a memory clock is.
    pub memory_mhz: u32,
    /// Bytes on the bus per memory clock, a power of two from 1 to 256.
    pub bytes_per_clock: u32,
    /// Longest transaction, bytes: a multiple of a beat.
    pub transaction_bytes: u32,
    /// Transactions that may be under way at once.
    pub outstanding: u32,
    /// Bytes of a row of the memory: a multiple of a beat.
    pub page_bytes: u32,
    /// Memory clocks that the bus rests when the direction changes.
    pub turn_clocks: u32,
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
            page_bytes: config.value(Key::PageSize),
            turn_clocks: config.value(Key::Turn),
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
            page_bytes: 8192,
            turn_clocks: 0,
            get: direction,
            put: direction,
        }
    };

    /// Returns the rate of the bus without any gap, in MB/s.
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
