//! The bound of a procedure's rate that follows from the bytes it really moves, at the rates of the rows in which they
//! lie in memory, and the rates of the DMA channel for long rows. What the method of a procedure needs at least, such
//! as butterflies, is worked out by the procedure.

use super::traffic::{KnownRates, RowCost, Traffic};
use cp2_document::{Field, ValueKind};
use cp2_emu::MachineConfig;
use cp2_emu::machine::{Key, Rows, dma_rate};
use cp2_emu::memory::Direction;
use serde_json::Value;

/// Rates of the DMA channel of a machine for rows of 1024 bytes without gaps, in MB/s (10^6 bytes), by direction, as
/// [`channel_rates`] finds them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DmaRates {
    /// Rate of a long transfer from system memory to local memory, in MB/s.
    pub get: f64,
    /// Rate of a long transfer from local memory to system memory, in MB/s.
    pub put: f64,
}

/// Returns the rate `mops` as a percentage of the bound `bound`, such as `87.5 %`; `no operations` if the bound is not
/// above 0. Both are in 10^6 operations per second.
pub fn share_text(mops: f64, bound: f64) -> String {
    if bound > 0.0 { format!("{:.1} %", 100.0 * mops / bound) } else { "no operations".to_owned() }
}

const MOPS: &str = "10^6 operations per second";

/// The upper bound of a procedure's rate that its own transfers and kernels set: the DMA channel moves all bytes, row
/// form after row form, each at the rate of its rows in system memory, and kernels compute meanwhile; whichever takes
/// longer binds. Made by [`Cost::row_bound`](super::Cost::row_bound).
#[derive(Clone, Debug, PartialEq)]
pub struct RowBound {
    /// Rows of system memory that were moved, one element for each direction, length and distance of rows; those that
    /// take longest come first.
    pub rows: Vec<RowCost>,
    /// Microseconds that the channel takes for all rows, one form after the other.
    pub transfer_us: f64,
    /// Fewest microseconds in which the kernels could compute the work.
    pub compute_us: f64,
    /// Upper bound of the rate, in 10^6 operations per second.
    pub mops: f64,
}

/// Forms of rows that a report names one by one.
const NAMED_ROWS: usize = 4;

impl RowBound {
    /// Creates the bound of a run that moved `traffic` on the machine `config`, whose rates of rows are `rates`.
    /// `compute` is the fewest cycles of the kernels, `operations` the number of operations that the rate counts.
    pub fn new(
        (config, rates): (&MachineConfig, &KnownRates),
        traffic: &Traffic,
        compute: f64,
        operations: u64,
    ) -> Self {
        let rows = traffic.costs(rates);
        let transfer_us = rows.iter().map(RowCost::microseconds).sum::<f64>();
        let compute_us = compute / f64::from(config.value(Key::CpuClock));
        Self {
            rows,
            transfer_us,
            compute_us,
            mops: operations as f64 / transfer_us.max(compute_us),
        }
    }

    /// Returns the name of the limit that takes longer, `rows` for moving the bytes or `kernels` for computing, and the
    /// microseconds of simulated time that it takes at least.
    pub fn binding(&self) -> (&'static str, f64) {
        if self.transfer_us > self.compute_us {
            ("rows", self.transfer_us)
        } else {
            ("kernels", self.compute_us)
        }
    }

    /// Returns a text for people: the bound, the percentage of it that the reached rate `mops` is (10^6 operations per
    /// second), and the four forms of rows that take longest. The text has several lines, without a newline at the end.
    pub fn text(&self, mops: f64) -> String {
        let share = share_text(mops, self.mops);
        format!("bound {:.0} MOPS by the {}: {share}; ", self.mops, self.binding().0)
            + &self.rows_text()
    }

    /// Returns a text for people as [`RowBound::text`] does, with the bound and the reached number of cycles in place of
    /// rates, for a run that may have no operations. `clock` is that of CP2 in MHz.
    pub fn cycles_text(&self, cycles: u64, clock: f64) -> String {
        let (binds, us) = self.binding();
        let bound = us * clock;
        let percent = 100.0 * bound / cycles.max(1) as f64;
        format!("bound {bound:.0} cycles by the {binds}: {percent:.1} %; ") + &self.rows_text()
    }

    /// Returns the times of rows and kernels, and the forms of rows that take longest, as text of several lines.
    fn rows_text(&self) -> String {
        let bytes: u64 = self.rows.iter().map(|row| row.bytes).sum();
        let mut text = format!(
            "rows of {:.3} MB take {:.1} us, kernels {:.1} us at least\n",
            bytes as f64 / 1e6,
            self.transfer_us,
            self.compute_us,
        );
        for row in self.rows.iter().take(NAMED_ROWS) {
            let RowCost { is_put, row_bytes, pitch_bytes, bytes, rate } = *row;
            let way = if is_put { "to" } else { "from" };
            text += &format!(
                "  {:.3} MB {way} memory in rows of {row_bytes} bytes, {pitch_bytes} apart: {rate:.0} MB/s, {:.1} us\n",
                bytes as f64 / 1e6,
                row.microseconds(),
            );
        }
        let rest: f64 = self.rows.iter().skip(NAMED_ROWS).map(RowCost::microseconds).sum();
        if rest > 0.0 {
            text +=
                &format!("  {} other forms of rows: {rest:.1} us\n", self.rows.len() - NAMED_ROWS);
        }
        text.pop();
        text
    }

    /// Returns the bound as an object of a JSON report: `mops`, `transfer_us` and `compute_us`.
    pub fn to_json(&self) -> Value {
        cp2_document::object(ROW_FIELDS, self)
    }

    /// Returns the JSON schema of the object that [`Self::to_json`] makes.
    pub fn schema() -> Value {
        cp2_document::schema(ROW_FIELDS, &[])
    }
}

const ROW_FIELDS: &[Field<RowBound>] = &[
    Field::new("mops", ValueKind::Number, MOPS, "the bound", |b| b.mops.into()),
    Field::new("transfer_us", ValueKind::Number, "us", "of all rows at their rates", |b| {
        b.transfer_us.into()
    }),
    Field::new("compute_us", ValueKind::Number, "us", "of the kernels at least", |b| {
        b.compute_us.into()
    }),
];

/// Returns the rates of a machine's DMA channel for long rows, found by simulating transfers of 128 KiB in rows of 1024
/// bytes without gaps. A rate is infinite if the machine cannot move such rows.
pub fn channel_rates(config: &MachineConfig) -> DmaRates {
    let rate = |direction| {
        let total_bytes = 1 << 17;
        let rows = Rows { direction, row_bytes: 1024, pitch_bytes: 1024, total_bytes };
        dma_rate(config, &rows).unwrap_or(f64::INFINITY)
    };
    DmaRates { get: rate(Direction::Get), put: rate(Direction::Put) }
}
