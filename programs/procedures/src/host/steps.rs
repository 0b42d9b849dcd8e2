//! The bound of the page scheme step by step. In a step the kernels of a page and the transfers beside them begin
//! together, and the next step waits for both. So no step takes less than the larger of the two, and no run less than
//! the sum of these maxima, which is more than the larger of both sums where kernels bind in some steps and transfers
//! in others.

use cp2_document::{Field, ValueKind};
use cp2_emu::MachineConfig;
use cp2_emu::dma::{ChannelCause, DmaStats};
use cp2_emu::machine::Key;
use serde_json::Value;

/// Lower bounds of a step of the page scheme.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct StepMinimum {
    /// Fewest cycles of the kernels of the step.
    pub(crate) kernel_cycles: f64,
    /// Microseconds of the rows that the step moves, at the rates of long transfers of such rows.
    pub(crate) rows_us: f64,
    /// Number of descriptors that the channel has to fetch.
    pub(crate) descriptors: usize,
}

impl StepMinimum {
    /// Returns the predicted cycles of the step with this number of pages, to tell how far a run is: the larger of its kernels
    /// and of its transfers, and the host between two pages. At least 1, so that every step is some part of the whole.
    pub(crate) fn predicted_cycles(&self, config: &MachineConfig, pages: usize) -> usize {
        let number = |key| f64::from(config.value(key));
        let set_up = self.descriptors as f64 * number(Key::DmaSetUp);
        let transfers = self.rows_us * number(Key::CpuClock) + set_up;
        let host = pages as f64 * number(Key::HostPage);
        (self.kernel_cycles.max(transfers) + host).max(1.0) as usize
    }
}

/// Bound of the rate of a run of a procedure that goes through local memory page by page (a page is the data in one
/// part of it at once), and the parts of the bound. In a step the kernels of a page run beside the transfers of its
/// neighbours; the longer of the two binds the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepBound {
    /// Number of steps of the run: one for each page, and some with transfers alone.
    pub steps: usize,
    /// Number of steps that transfers bind: they take longer than the kernels of the step.
    pub bound_by_transfers: usize,
    /// Sum, over the steps that kernels bind, of the fewest microseconds that their kernels take.
    pub kernels_us: f64,
    /// Sum, over the steps that transfers bind, of the fewest microseconds that their transfers take.
    pub transfers_us: f64,
    /// Highest rate that the run can reach by the bound, in 10^6 floating-point operations a second.
    pub mops: f64,
}

impl StepBound {
    /// Creates the bound of these steps; a fetch of a descriptor takes the mean of those that were measured.
    pub(crate) fn new(
        config: &MachineConfig,
        steps: &[StepMinimum],
        dma: &DmaStats,
        operations: u64,
    ) -> Self {
        let clock = f64::from(config.value(Key::CpuClock));
        let fetched: usize = steps.iter().map(|step| step.descriptors).sum();
        let cycles = [ChannelCause::SetUp, ChannelCause::Fetch].map(|c| dma.causes[c as usize]);
        let fetch_us = cycles.iter().sum::<u64>() as f64 / clock / fetched.max(1) as f64;
        let mut bound = Self {
            steps: steps.len(),
            bound_by_transfers: 0,
            kernels_us: 0.0,
            transfers_us: 0.0,
            mops: 0.0,
        };
        for step in steps {
            let kernels = step.kernel_cycles / clock;
            let transfers = step.rows_us + step.descriptors as f64 * fetch_us;
            if transfers > kernels {
                bound.bound_by_transfers += 1;
                bound.transfers_us += transfers;
            } else {
                bound.kernels_us += kernels;
            }
        }
        bound.mops = operations as f64 / bound.microseconds();
        bound
    }

    /// Returns the fewest microseconds of the run: the sum over all steps of the part that binds.
    pub fn microseconds(&self) -> f64 {
        self.kernels_us + self.transfers_us
    }

    /// Returns one line of text for people: the bound, `mops` (the rate that the run reached, in 10^6 operations a
    /// second) in percent of it, and the steps and microseconds that kernels and transfers bind.
    pub fn text(&self, mops: f64) -> String {
        format!(
            "bound step by step {:.0} MOPS: {:.1} %; kernels bind {} steps, {:.1} us at least, transfers {} steps, {:.1} us",
            self.mops,
            100.0 * mops / self.mops,
            self.steps - self.bound_by_transfers,
            self.kernels_us,
            self.bound_by_transfers,
            self.transfers_us,
        )
    }

    /// Returns the bound and its parts, the fields of this structure, as the object that stands in JSON reports.
    pub fn to_json(self) -> Value {
        cp2_document::object(FIELDS, &self)
    }

    /// Returns the JSON schema of the object that [`Self::to_json`] makes.
    pub fn schema() -> Value {
        cp2_document::schema(FIELDS, &[])
    }
}

const FIELDS: &[Field<StepBound>] = &[
    Field::new("mops", ValueKind::Number, "10^6 operations per second", "the bound", |b| {
        b.mops.into()
    }),
    Field::new("steps", ValueKind::Integer, "steps", "pages with what moves beside them", |b| {
        b.steps.into()
    }),
    Field::new(
        "bound_by_transfers",
        ValueKind::Integer,
        "steps",
        "those whose transfers take longer than their kernels",
        |b| b.bound_by_transfers.into(),
    ),
    Field::new("kernels_us", ValueKind::Number, "us", "of the kernels of the other steps", |b| {
        b.kernels_us.into()
    }),
    Field::new("transfers_us", ValueKind::Number, "us", "of the transfers of those", |b| {
        b.transfers_us.into()
    }),
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;

    /// Two steps that are bound by different things take longer than the larger of both sums.
    #[test]
    fn every_step_takes_the_larger_of_its_two() {
        let config = MachineConfig::preset("vm7").unwrap();
        let step = |kernel_cycles, rows_us| StepMinimum { kernel_cycles, rows_us, descriptors: 0 };
        let steps = [step(2000.0, 4.0), step(400.0, 7.0)];
        let bound = StepBound::new(&config, &steps, &DmaStats::default(), 170);
        assert_eq!((bound.kernels_us, bound.transfers_us), (10.0, 7.0));
        assert_eq!((bound.bound_by_transfers, bound.mops), (1, 10.0));
    }

    #[test]
    fn a_step_is_predicted_to_take_the_larger_of_its_two_and_the_host() {
        let mut config = MachineConfig::preset("vm7").unwrap();
        for setting in ["dma.set_up_cycles=10", "host.page_cycles=100"] {
            config.apply_set(setting).unwrap();
        }
        let step = |kernel_cycles, rows_us| StepMinimum { kernel_cycles, rows_us, descriptors: 3 };
        assert_eq!(step(2000.0, 4.0).predicted_cycles(&config, 1), 2100);
        assert_eq!(step(20.0, 4.0).predicted_cycles(&config, 2), 4 * 200 + 30 + 200);
        assert_eq!(StepMinimum::default().predicted_cycles(&config, 0), 1);
    }

    /// The cycles of all fetches that were counted are shared by the descriptors.
    #[test]
    fn descriptors_take_their_fetches() {
        let config = MachineConfig::preset("vm7").unwrap();
        let mut dma = DmaStats::default();
        dma.causes[ChannelCause::Fetch as usize] = 600;
        let step = |descriptors| StepMinimum { kernel_cycles: 0.0, rows_us: 1.0, descriptors };
        let bound = StepBound::new(&config, &[step(1), step(2)], &dma, 1);
        assert!((bound.transfers_us - 5.0).abs() < 1e-9, "{}", bound.transfers_us);
    }
}
