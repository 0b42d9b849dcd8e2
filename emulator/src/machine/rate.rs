//! The rate of one DMA transfer of rows through the whole path: descriptor, channel, memory port, local memory. \[D\]
//! table B.3 has such rates, measured on a chip.

use super::coupled::{HostError, Machine};
use super::engine::{Engine, ReferenceEngine};
use crate::dma::{Descriptor, DmaRegister, FieldError, LocalWalk, MemoryWalk, Pattern, ctrl};
use crate::memory::{BEAT_BYTES, Direction};
use cp2_isa::machine::{Key, MachineConfig};
use cp2_isa::{Core, Cycle, MemoryAddress, SECTIONS, WordAddress};
use std::fmt;

/// Longest burst that the measured rows are cut into, beats.
const BURST: u32 = 32;
/// Address at which the rows begin and at which the descriptor stands.
const ROWS_AT: MemoryAddress = MemoryAddress(1 << 20);
const TABLE_AT: u32 = 0;

/// Rows of system memory that one descriptor moves, in equal shares from or to the local memory of all sections: the
/// transfer that [`dma_rate`] measures. Rows lie at equal distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Direction of the transfer: from system memory or to it.
    pub direction: Direction,
    /// Bytes of a row: a multiple of 16, cut into equal bursts of at most 512 bytes.
    pub row_bytes: u32,
    /// Bytes from the begin of a row to the begin of the next.
    pub pitch_bytes: u32,
    /// Bytes that are moved in all: whole rows, a multiple of 64, at most half of the local memories of all sections
    /// together.
    pub total_bytes: u32,
}

/// Reason why [`dma_rate`] cannot measure the rate of a transfer of rows; the variants cover all cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RateError {
    /// The numbers of the rows do not fit together; a sentence that says why.
    Shape(String),
    /// A number of the rows does not fit into its bit field of a descriptor.
    Field(FieldError),
    /// The transfer ended with an error of channel or machine; its message.
    Stopped(String),
}

impl fmt::Display for RateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shape(text) | Self::Stopped(text) => f.write_str(text),
            Self::Field(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for RateError {}

impl From<HostError> for RateError {
    fn from(e: HostError) -> Self {
        Self::Stopped(e.to_string())
    }
}

impl Rows {
    /// Returns the size of a memory that holds the rows, in MiB.
    fn memory_mib(&self) -> u64 {
        let rows = u64::from(self.total_bytes / self.row_bytes.max(1));
        let end = ROWS_AT.0 + rows * u64::from(self.pitch_bytes.max(self.row_bytes));
        end.div_ceil(1 << 20).min(4096)
    }

    fn descriptor(&self, core: &Core) -> Result<Descriptor, RateError> {
        let half = (core.lmem_words() * 8 / 2 * SECTIONS) as u32;
        let Self { row_bytes, pitch_bytes, total_bytes, .. } = *self;
        let whole = row_bytes > 0 && total_bytes.is_multiple_of(row_bytes);
        if !whole || total_bytes > half || !total_bytes.is_multiple_of(BEAT_BYTES * SECTIONS as u32)
        {
            return Err(RateError::Shape(format!(
                "{total_bytes} bytes in rows of {row_bytes}: they must be whole rows, a multiple of {} and at most {half}",
                BEAT_BYTES * SECTIONS as u32
            )));
        }
        let beats = row_bytes / BEAT_BYTES;
        let (pitch, rows) = (pitch_bytes as i32, total_bytes / row_bytes);
        let Some(memory) = MemoryWalk::rows_in_bursts(ROWS_AT, beats, pitch, rows, BURST) else {
            return Err(RateError::Shape(format!(
                "rows of {row_bytes} bytes cannot be cut into equal bursts of beats"
            )));
        };
        let share = (total_bytes / BEAT_BYTES / SECTIONS as u32) as u16;
        let local = LocalWalk::linear(WordAddress::default(), share);
        Ok(match self.direction {
            Direction::Get => Descriptor::get(memory, local, Pattern::dealt(share)),
            Direction::Put => Descriptor::put(memory, local, 0),
        }
        .stopping())
    }
}

/// Simulates the transfer of these rows on a machine of `config`, and returns its rate in MB/s (10^6 bytes a second),
/// from the start of the channel to its stop.
///
/// # Errors
/// The rows cannot be moved by one descriptor, or the channel stopped with an error.
pub fn dma_rate(config: &MachineConfig, rows: &Rows) -> Result<f64, RateError> {
    let words = rows.descriptor(config.core())?.encode().map_err(RateError::Field)?;
    let stopped = |e: String| RateError::Stopped(e);
    let mut config = config.clone();
    // The rows need their place in a small memory, too; its size costs no time.
    let size = format!("{}={}", Key::MemorySize, rows.memory_mib());
    config.apply_set(&size).map_err(|e| stopped(e.to_string()))?;
    let mut machine = Machine::new(&config);
    machine.memory.write_words(TABLE_AT.into(), &words).map_err(|e| stopped(e.to_string()))?;
    machine.write_register(DmaRegister::Baseaddr, TABLE_AT)?;
    machine.write_register(DmaRegister::Ctrl, ctrl::START)?;
    let start = machine.cycle();
    ReferenceEngine.wait_for_dma(&mut machine, Cycle::NEVER).map_err(|e| stopped(e.to_string()))?;
    if let Some(fault) = machine.dma.fault() {
        return Err(stopped(fault.to_string()));
    }
    let cycles = machine.cycle() - start;
    Ok(f64::from(rows.total_bytes) * f64::from(config.value(Key::CpuClock)) / cycles as f64)
}
