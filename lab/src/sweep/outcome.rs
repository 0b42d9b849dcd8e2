//! Outcome of a point of a sweep: its counts, and the columns of numbers that comparisons may name.

use super::address::RowAddress;
use cp2_session::workload::Tally;
use serde::{Deserialize, Serialize};

/// Outcome of the run of one point of a sweep: its counts of cycles, time, operations and bytes, or the reason why
/// there are none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PointOutcome {
    /// Cycles of the whole run; `None` without counts.
    pub cycles: Option<u64>,
    /// Microseconds of the whole run; `None` without counts, and for a kernel, because CP2 alone has no clock rate.
    pub us: Option<f64>,
    /// Number of cycles of the run in which a kernel ran on CP2; `None` without counts.
    pub kernel_cycles: Option<u64>,
    /// Operations that count as the work of a procedure; `None` without counts, and for a kernel.
    pub operations: Option<u64>,
    /// Rate of a procedure in 10^6 operations per second; `None` without counts, and for a kernel.
    pub mops: Option<f64>,
    /// Bytes that the DMA channel moved in a procedure to and from system memory, gets and puts together; `None`
    /// without counts, and for a kernel.
    pub bytes: Option<u64>,
    /// Hash of the kernels of all programs that the run of the point used; `None` if it was not run in an environment
    /// that keeps them, as the threads of a sweep have it.
    pub program: Option<u64>,
    /// Name of the variant of the workload that ran, the one with the fewest cycles; `None` if the workload has no
    /// variants or is run alone, and without counts.
    pub variant: Option<String>,
    /// Reason why there are no counts: the workload does not run on this machine, or its result is wrong. `None` with
    /// counts.
    pub problem: Option<String>,
}

/// Row of a finished point of a sweep, as [`RowStore`](super::RowStore) keeps it on disk: its address and its outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointRow {
    /// Address of the point: the hash of all that its outcome depends on.
    pub address: RowAddress,
    /// Outcome of the point: its counts of cycles, time, operations and bytes, or the reason why there are none.
    pub outcome: PointOutcome,
}

/// Column of numbers: name, unit, meaning, and the function that takes the number from an outcome.
pub(super) type NumberColumn =
    (&'static str, &'static str, &'static str, fn(&PointOutcome) -> Option<f64>);

/// Columns of numbers that fronts and goals may name.
pub(super) const NUMBERS: [NumberColumn; 6] = [
    ("cycles", "cycles", "of the whole", |o| o.cycles.map(|n| n as f64)),
    ("us", "us", "of the whole", |o| o.us),
    ("kernel_cycles", "cycles", "in which kernels ran", |o| o.kernel_cycles.map(|n| n as f64)),
    ("operations", "operations", "that were done", |o| o.operations.map(|n| n as f64)),
    ("mops", "10^6 operations/s", "rate", |o| o.mops),
    ("bytes", "bytes", "that the channel moved", |o| o.bytes.map(|n| n as f64)),
];

impl PointOutcome {
    /// Creates the outcome of a run that came to its end. A wrong result has no counts worth keeping.
    pub(super) fn of(tally: Tally, program: Option<u64>) -> Self {
        let Tally { cycles, cost, verdict } = tally;
        if verdict.complaint.is_some() {
            return Self { problem: verdict.complaint, program, ..Self::default() };
        }
        let cost = cost.as_ref();
        Self {
            cycles: Some(cycles),
            us: cost.map(|cost| cost.microseconds()),
            kernel_cycles: Some(cost.map_or(cycles, |cost| cost.kernels.cycles)),
            operations: cost.map(|cost| cost.operations),
            mops: cost.map(|cost| cost.rate_mops()),
            bytes: cost.map(|cost| cost.dma.bytes_get + cost.dma.bytes_put),
            program,
            variant: None,
            problem: None,
        }
    }

    /// Creates the outcome of a run that did not come to its end.
    pub(super) fn failed(problem: String, program: Option<u64>) -> Self {
        Self { problem: Some(problem), program, ..Self::default() }
    }
}
