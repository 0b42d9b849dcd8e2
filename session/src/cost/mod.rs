//! Cost of a run of a procedure, whatever the procedure computes, and what follows from the cost: the rate of the run,
//! and the bound that its transfers set. A procedure is what a host does with CP2 and the DMA channel on arrays in
//! system memory.
//!
//! - `timeline`: what CP2, channel and host did in every cycle; `passes`: what was loaded, computed and stored, pass by
//!   pass;
//! - `traffic`: bytes moved, by the form of their rows in memory, and the rates of such rows; `row_bound`: the bound
//!   that follows;
//! - `plan`: how the procedure used the machine, and what it was chosen from.

pub mod passes;
mod plan;
mod row_bound;
pub mod timeline;
mod traffic;

pub use plan::{ChosenPlan, OtherPlan};
pub use row_bound::{DmaRates, RowBound, channel_rates, share_text};
pub use traffic::{KnownRates, RowCost, Traffic};

use cp2_emu::MachineConfig;
use cp2_emu::dma::DmaStats;
use cp2_emu::machine::Key;
use passes::DataPass;
use timeline::{KernelCounts, Timeline};

/// The work and the cost of a run of a procedure on a whole machine, from the first command of the host to the end. The
/// host of the procedure makes it when the run is over; reports, bounds and rates are computed from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// Number of operations that the procedure counts as its work, by a convention that its report names, such as 5 n
    /// log2 n for a transform of n points. The number does not depend on how the kernels compute.
    pub operations: u64,
    /// Number of equal units of work: vectors that were transformed or convolved, or iterations of a solver or
    /// benchmark; 1 where nothing is repeated. Vectors of zeros that only fill a page are not counted.
    pub vectors: usize,
    /// Number of pages that went through local memory. A page is the part of the arrays that lies in one part of local
    /// memory at once, with the transfers that bring and fetch it.
    pub pages: usize,
    /// Fewest cycles in which the kernels of the procedure's method could compute this work if they never waited, as
    /// the procedure works them out.
    pub least_compute_cycles: f64,
    /// Activities of CP2, the DMA channel and the host over the cycles of the run.
    pub timeline: Timeline,
    /// Counts of all runs of kernels together: runs, cycles, floating-point operations, executions of `check_dma`.
    pub kernels: KernelCounts,
    /// Data passes of the run, each once over the arrays in system memory: bytes moved, kernels and their counts.
    /// Passes that are alike are one element.
    pub passes: Vec<DataPass>,
    /// Counts of the DMA channel: cycles by cause, descriptors, bytes.
    pub dma: DmaStats,
    /// Bytes that the DMA channel moved, by direction, length and distance of the rows in system memory.
    pub traffic: Traffic,
    /// Machine on which the procedure ran.
    pub config: MachineConfig,
    /// Rates of the DMA channel of `config` for rows of each form, found by simulation when they are first asked for.
    pub rates: KnownRates,
    /// Plan by which the procedure used the machine, with the plans that it was chosen from.
    pub plan: ChosenPlan,
}

impl Cost {
    /// Returns the number of cycles of CP2 from the first command of the host to the end of the run.
    pub fn cycles(&self) -> u64 {
        self.timeline.cycles()
    }

    /// Returns the simulated time from the first command of the host to the end of the run, in microseconds at the
    /// clock of CP2.
    pub fn microseconds(&self) -> f64 {
        self.cycles() as f64 / self.clock_mhz()
    }

    /// Returns the end of a sentence that says what was done, such as `in 12 pages, 34567 cycles, 345.7 us`: pages,
    /// cycles, and microseconds. A report puts the subject before it.
    pub fn done(&self) -> String {
        let plural = if self.pages == 1 { "" } else { "s" };
        let (cycles, us) = (self.cycles(), self.microseconds());
        format!("in {} page{plural}, {cycles} cycles, {us:.1} us", self.pages)
    }

    fn clock_mhz(&self) -> f64 {
        f64::from(self.config.value(Key::CpuClock))
    }

    /// Returns the rate of the run, in 10^6 operations per second: [`Cost::operations`] divided by
    /// [`Cost::microseconds`].
    pub fn rate_mops(&self) -> f64 {
        self.operations as f64 * self.clock_mhz() / self.cycles() as f64
    }

    /// Returns the upper bound of the rate of the run that transfers and kernels set: the DMA channel moves all bytes
    /// at the rates of the rows in which they lie in system memory (a row is a run of bytes without a gap), or the
    /// kernels take their fewest cycles, whichever takes longer.
    pub fn row_bound(&self) -> RowBound {
        RowBound::new(
            (&self.config, &self.rates),
            &self.traffic,
            self.least_compute_cycles,
            self.operations,
        )
    }

    /// Returns the fewest cycles of CP2 that the run could have taken: those in which the DMA channel moves all bytes
    /// at the rates of their rows ([`Cost::row_bound`]), or those of the kernels without waiting, whichever are more.
    pub fn bound_cycles(&self) -> f64 {
        self.row_bound().binding().1 * self.clock_mhz()
    }
}
