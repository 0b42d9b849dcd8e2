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
    /// Number of vectors; the last pages may have more, filled with zeros.
    pub vectors: usize,
    /// Number of pages that went through local memory.
    pub pages: usize,
    /// Fewest cycles in which the method could have computed, by the slot that binds it.
    pub least_compute_cycles: f64,
    /// Activities of CP2, the DMA channel and the host over the cycles of the run.
    pub timeline: Timeline,
    /// Counts of all runs of kernels: cycles, operations, looks at the channel.
    pub kernels: KernelCounts,
    /// Loads, operations and stores of each pass, as the page scheme counts them.
    pub passes: Vec<DataPass>,
    /// Counts of the channel: cycles by cause, descriptors, bytes.
    pub dma: DmaStats,
    /// Transfers of the DMA channel, by the form of their rows.
    pub traffic: Traffic,
    /// Machine on which the procedure ran.
    pub config: MachineConfig,
    /// Rates at which rows of each form move on the machine, as far as they were measured.
    pub rates: KnownRates,
}

impl Cost {
    /// Returns the number of cycles from the first command of the host to the end.
    pub fn cycles(&self) -> u64 {
        self.timeline.cycles()
    }

    /// Returns the number of microseconds from the first command of the host to the end.
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

    /// Returns the rate by the counting of \[D\], in 10^6 operations per second.
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

    /// Returns the fewest cycles of the run: those of the words that move, at the rates of their rows, or those of the
    /// kernels, whichever are more.
    pub fn bound_cycles(&self) -> f64 {
        self.row_bound().binding().1 * self.clock_mhz()
    }
}
