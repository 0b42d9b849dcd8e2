//! What the words that move cost at the rates of the rows that really move: the bound of a procedure whose
//! rows are of many kinds.

use crate::error::KernelError;
use crate::host::turning::Page;
use cp2_emu::MachineConfig;
use cp2_emu::dma::{Action, Descriptor, MemoryWalk};
use cp2_emu::machine::{Key, Rows, dma_rate};
use cp2_emu::memory::Direction;
use std::collections::BTreeMap;

/// Bytes that the rate of a kind of rows is told for, as in \[D\] table B.3.
const TOTAL: u32 = 1 << 17;
/// A row of a run of memory without gaps.
const LONG: u32 = 1024;
const BEAT_BYTES: u32 = 16;

/// A kind of rows: their direction, bytes and pitch.
type Kind = (bool, u32, u32);

/// Bytes by the kind of their rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Moved(BTreeMap<Kind, u64>);

fn rows_of(memory: &MemoryWalk) -> (u32, u32) {
    let burst = u32::from(memory.burst) * BEAT_BYTES;
    let is_joined = memory.x.step == burst as i32 || memory.x.count == 1;
    let row = if is_joined { burst * memory.x.count } else { burst };
    let pitch = if is_joined { memory.y.step } else { memory.x.step };
    let is_run = is_joined && memory.y.count == 1;
    if is_run || row > TOTAL { (LONG, LONG) } else { (row, pitch.unsigned_abs()) }
}

impl Moved {
    /// Adds what pages move in so many rounds.
    pub(super) fn add(&mut self, pages: &[Page], rounds: usize) {
        for page in pages {
            page.load.iter().chain(&page.unload).for_each(|d| self.transfer(d, rounds));
        }
    }

    fn transfer(&mut self, descriptor: &Descriptor, rounds: usize) {
        let (is_get, memory) = match &descriptor.action {
            Action::Get(get) => (true, &get.memory),
            Action::Put(put) => (false, &put.memory),
            _ => return,
        };
        let (row, pitch) = rows_of(memory);
        let bytes = memory.beats() * u64::from(BEAT_BYTES) * rounds as u64;
        *self.0.entry((is_get, row, pitch)).or_default() += bytes;
    }

    /// Cycles of all at the rates of their rows.
    ///
    /// # Errors
    /// Rows that the channel of this machine does not move.
    pub(super) fn cycles(&self, config: &MachineConfig) -> Result<f64, KernelError> {
        let clock = f64::from(config.value(Key::CpuClock));
        let of = |(&(is_get, row_bytes, pitch_bytes), &bytes): (&Kind, &u64)| {
            let direction = if is_get { Direction::Get } else { Direction::Put };
            let total_bytes = TOTAL / row_bytes * row_bytes;
            let rows = Rows { direction, row_bytes, pitch_bytes, total_bytes };
            let rate = dma_rate(config, &rows).map_err(|e| KernelError::Channel(e.to_string()))?;
            Ok(bytes as f64 / rate * clock)
        };
        self.0.iter().map(of).sum()
    }
}
