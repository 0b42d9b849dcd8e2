//! The bound of what a procedure really moves, by the rates of the rows in which it moves, and the rates of the channel
//! for long rows. What the method needs, butterflies and bytes, is the procedure's business.

use super::traffic::{KnownRates, RowCost, Traffic};
use cp2_document::{Field, ValueKind};
use cp2_emu::MachineConfig;
use cp2_emu::machine::{Key, Rows, dma_rate};
use cp2_emu::memory::Direction;
use serde_json::Value;

/// Rates of the DMA channel for long rows, in MB/s, by direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DmaRates {
    /// Rate of transfers from system memory to local memory, MB/s.
    pub get: f64,
    /// Rate of transfers from local memory to system memory, MB/s.
    pub put: f64,
}

/// Returns the share of a bound that a rate reached, as text; there may be nothing to do.
pub fn share_text(mops: f64, bound: f64) -> String {
    if bound > 0.0 { format!("{:.1} %", 100.0 * mops / bound) } else { "no operations".to_owned() }
}

const MOPS: &str = "10^6 operations per second";

/// The bound of what really moves: every word at the rate of the rows that it moves in, by the channel of the
/// machine, or the kernels, whichever takes longer.
#[derive(Clone, Debug, PartialEq)]
pub struct RowBound {
    /// Rows that move, by their form, those that take longest first.
    pub rows: Vec<RowCost>,
    /// Microseconds that the channel takes for all rows, one behind the other.
    pub transfer_us: f64,
    /// Fewest microseconds in which the kernels could compute.
    pub compute_us: f64,
    /// Bound of the rate, 10^6 operations per second.
    pub mops: f64,
}

/// Forms of rows that a report names one by one.
const NAMED_ROWS: usize = 4;

impl RowBound {
    /// Creates the bound of the traffic on a machine, beside the fewest cycles `compute` of the kernels, for `operations`
    /// operations.
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

    /// Returns the name of the larger bound, and the microseconds that it takes at least.
    pub fn binding(&self) -> (&'static str, f64) {
        if self.transfer_us > self.compute_us {
            ("rows", self.transfer_us)
        } else {
            ("kernels", self.compute_us)
        }
    }

    /// Returns a text of the bound and how it comes about, for a rate that was reached.
    pub fn text(&self, mops: f64) -> String {
        let bytes: u64 = self.rows.iter().map(|row| row.bytes).sum();
        let mut text = format!(
            "bound {:.0} MOPS by the {}: {}; rows of {:.3} MB take {:.1} us, kernels {:.1} us at least\n",
            self.mops,
            self.binding().0,
            share_text(mops, self.mops),
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

    /// Returns the bound as an object of a JSON report.
    pub fn to_json(&self) -> Value {
        cp2_document::object(ROW_FIELDS, self)
    }

    /// Returns the schema of the object that [`Self::to_json`] makes.
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

/// Returns the rates of the machine for long rows.
pub fn channel_rates(config: &MachineConfig) -> DmaRates {
    let rate = |direction| {
        let total_bytes = 1 << 17;
        let rows = Rows { direction, row_bytes: 1024, pitch_bytes: 1024, total_bytes };
        dma_rate(config, &rows).unwrap_or(f64::INFINITY)
    };
    DmaRates { get: rate(Direction::Get), put: rate(Direction::Put) }
}
