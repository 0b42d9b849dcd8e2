//! What a procedure did and cost, whatever it computes, and what follows from that: its rate and the bounds of
//! its method. What is compared with them is in `comparison`.

use super::passes::Pass;
use super::session::Host;
use super::timeline::{KernelCounts, Timeline};
use super::traffic::{KnownRates, Traffic};
use crate::host::row_bound::RowBound;
use cp2_emu::MachineConfig;
use cp2_emu::dma::DmaStats;
use cp2_emu::machine::Key;

/// What a procedure did and cost.
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
    /// Who was busy when.
    pub timeline: Timeline,
    /// Counts of the kernels.
    pub kernels: KernelCounts,
    /// What it loaded, computed and stored, pass by pass, as the page scheme tells.
    pub passes: Vec<Pass>,
    /// Counts of the channel.
    pub dma: DmaStats,
    /// What the channel moved, by the form of its rows.
    pub traffic: Traffic,
    /// The machine.
    pub config: MachineConfig,
    /// Rates of rows on it.
    pub rates: KnownRates,
}

impl Cost {
    /// What a host has done since its reset.
    pub(crate) fn of(
        host: &Host,
        operations: u64,
        (vectors, pages): (usize, usize),
        least_compute_cycles: f64,
    ) -> Self {
        Self {
            operations,
            vectors,
            pages,
            least_compute_cycles,
            timeline: host.timeline().clone(),
            kernels: host.kernels(),
            passes: host.passes().to_vec(),
            dma: host.machine().dma.stats().clone(),
            traffic: host.traffic().clone(),
            config: host.config().clone(),
            rates: host.rates(),
        }
    }

    /// Cycles from the first command of the host to the end.
    pub fn cycles(&self) -> u64 {
        self.timeline.cycles()
    }

    /// Microseconds from the first command of the host to the end.
    pub fn microseconds(&self) -> f64 {
        self.cycles() as f64 / self.clock_mhz()
    }

    /// What was done, behind the first words of a report.
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

    /// What its words cost in the rows in which they move.
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
