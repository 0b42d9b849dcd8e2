//! Work and cost of a procedure, whatever it computes, and what follows from that: its rate and the bounds of its method.
//!
//! - `timeline`: who was busy when; `passes`: what it loaded, computed and stored, pass by pass;
//! - `traffic`: in rows of which form data moved, and how fast such rows move; `row_bound`: the bound that follows.

pub mod passes;
mod row_bound;
pub mod timeline;
mod traffic;

pub use row_bound::{DmaRates, RowBound, channel_rates, share_text};
pub use traffic::{KnownRates, RowCost, Traffic};

use cp2_emu::MachineConfig;
use cp2_emu::dma::DmaStats;
use cp2_emu::machine::Key;
use passes::DataPass;
use timeline::{KernelCounts, Timeline};

/// The work and the cost of a run of a procedure.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// Operations, by the counting that the report names.
    pub operations: u64,
    /// Vectors; the last pages may have more, filled with zeros.
    pub vectors: usize,
    /// Pages that went through local memory.
    pub pages: usize,
    /// Fewest cycles in which the method could have computed, by the slot that binds it.
    pub least_compute_cycles: f64,
    /// Activities of CP2, the DMA channel and the host over the cycles of the run.
    pub timeline: Timeline,
    /// Counts of the kernels.
    pub kernels: KernelCounts,
    /// Loads, operations and stores of each pass, as the page scheme counts them.
    pub passes: Vec<DataPass>,
    /// Counts of the channel.
    pub dma: DmaStats,
    /// Transfers of the DMA channel, by the form of their rows.
    pub traffic: Traffic,
    /// The machine.
    pub config: MachineConfig,
    /// Rates of rows on it.
    pub rates: KnownRates,
}

impl Cost {
    /// Cycles from the first command of the host to the end.
    pub fn cycles(&self) -> u64 {
        self.timeline.cycles()
    }

    /// Microseconds from the first command of the host to the end.
    pub fn microseconds(&self) -> f64 {
        self.cycles() as f64 / self.clock_mhz()
    }

    /// Returns the work that was done, as text behind the first words of a report.
    pub fn done(&self) -> String {
        format!("in {} pages, {} cycles, {:.1} us", self.pages, self.cycles(), self.microseconds())
    }

    fn clock_mhz(&self) -> f64 {
        f64::from(self.config.value(Key::CpuClock))
    }

    /// Rate by the counting of \[D\], 10^6 operations per second.
    pub fn rate_mops(&self) -> f64 {
        self.operations as f64 * self.clock_mhz() / self.cycles() as f64
    }

    /// Returns the bound that the transfers set: the cost of the words in the rows in which they move.
    pub fn row_bound(&self) -> RowBound {
        RowBound::new(
            (&self.config, &self.rates),
            &self.traffic,
            self.least_compute_cycles,
            self.operations,
        )
    }

    /// Fewest cycles: of the words that move, at the rates of their rows, or of the kernels.
    pub fn bound_cycles(&self) -> f64 {
        self.row_bound().binding().1 * self.clock_mhz()
    }
}
