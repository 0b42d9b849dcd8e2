//! The most that a procedure's method allows, by the rates that it is taken to move data at. What the
//! method needs, butterflies and bytes, is the procedure's business.

use super::measured::{DmaRates, dma_rates};
use super::traffic::{RowCost, Traffic};
use crate::document::{self, Field, Kind};
use cp2_emu::MachineConfig;
use cp2_emu::dma::DmaStats;
use cp2_emu::machine::{Key, Rows, dma_rate};
use cp2_emu::memory::Direction;
use serde_json::{Value, json};

/// Rates of the channel on which a bound rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rates {
    /// Those of the machine for long rows: a transfer of 128 KiB with its start.
    Channel,
    /// The measured ones of long rows, \[D\] table B.3, at the machine's memory clock.
    TableB3,
    /// The best that \[D\] gives and estimates with, 2700 MB/s for VM7 and 8400 for VM9, at the
    /// machine's memory clock.
    Source,
}

/// Bounds of a procedure's rate, 10^6 operations per second: the larger of computing and moving
/// data. Measured rates are those of machines that come with the program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    channel: f64,
    table_b3: Option<f64>,
    source: Option<f64>,
}

impl Bounds {
    /// Bounds of a procedure that does so many operations, computes for `compute` cycles at least
    /// and moves what `dma` counted.
    pub(super) fn new(
        config: &MachineConfig,
        dma: &DmaStats,
        compute: f64,
        operations: u64,
    ) -> Self {
        let clock = f64::from(config.value(Key::CpuClock));
        let mops = |rates: DmaRates| {
            let transfer = dma.bytes_get as f64 / rates.get + dma.bytes_put as f64 / rates.put;
            operations as f64 / transfer.max(compute / clock)
        };
        let measured = dma_rates(config);
        Self {
            channel: mops(channel_rates(config)),
            table_b3: measured.map(|[b3, _]| mops(b3)),
            source: measured.map(|[_, best]| mops(best)),
        }
    }

    /// The bound at these rates, if the machine has them.
    pub fn mops(&self, rates: Rates) -> Option<f64> {
        match rates {
            Rates::Channel => Some(self.channel),
            Rates::TableB3 => self.table_b3,
            Rates::Source => self.source,
        }
    }

    /// The bound at the rates of the machine.
    pub fn channel_mops(&self) -> f64 {
        self.channel
    }

    /// All of them in a sentence, for a rate that was reached.
    pub(super) fn text(&self, mops: f64) -> String {
        let share = share_text(mops, self.channel);
        let mut text =
            format!("bound {:.0} MOPS at the rates of this channel: {share}", self.channel);
        if let (Some(b3), Some(source)) = (self.table_b3, self.source) {
            text +=
                &format!("; {b3:.0} at those of [D] table B.3, {source:.0} at [D]'s best rates");
        }
        text
    }

    pub(super) fn to_json(self) -> Value {
        document::object(FIELDS, &self)
    }

    pub(super) fn schema() -> Value {
        document::schema(FIELDS, &[])
    }
}

/// What part of a bound was reached; there may be nothing to do.
fn share_text(mops: f64, bound: f64) -> String {
    if bound > 0.0 { format!("{:.1} %", 100.0 * mops / bound) } else { "no operations".to_owned() }
}

const MOPS: &str = "10^6 operations per second";

const FIELDS: &[Field<Bounds>] = &[
    Field::new(
        "channel",
        Kind::Number,
        MOPS,
        "at the rates of this machine's channel for long rows",
        |b| b.channel.into(),
    ),
    Field::or_null(
        "table_b3",
        Kind::Number,
        MOPS,
        "at the measured rates of long rows, [D] table B.3, at this memory clock",
        |b| json!(b.table_b3),
    ),
    Field::or_null(
        "source",
        Kind::Number,
        MOPS,
        "at the best rates that [D] gives, 2700 and 8400 MB/s, at this memory clock",
        |b| json!(b.source),
    ),
];

/// The bound of what really moves: every word at the rate of the rows that it moves in, by the channel of the
/// machine, or the kernels, whichever takes longer.
#[derive(Clone, Debug, PartialEq)]
pub struct RowBound {
    /// Rows, the dearest first.
    pub rows: Vec<RowCost>,
    /// Microseconds of all rows, and of the kernels at least.
    pub transfer_us: f64,
    /// Fewest microseconds of the kernels.
    pub compute_us: f64,
    /// 10^6 operations per second.
    pub mops: f64,
}

/// Forms of rows that a report names one by one.
const NAMED_ROWS: usize = 4;

impl RowBound {
    pub(super) fn new(
        config: &MachineConfig,
        traffic: &Traffic,
        compute: f64,
        operations: u64,
    ) -> Self {
        let rows = traffic.costs(config);
        let transfer_us = rows.iter().map(RowCost::microseconds).sum::<f64>();
        let compute_us = compute / f64::from(config.value(Key::CpuClock));
        Self {
            rows,
            transfer_us,
            compute_us,
            mops: operations as f64 / transfer_us.max(compute_us),
        }
    }

    /// What binds, and microseconds that it takes at least.
    pub fn binding(&self) -> (&'static str, f64) {
        if self.transfer_us > self.compute_us {
            ("rows", self.transfer_us)
        } else {
            ("kernels", self.compute_us)
        }
    }

    /// The bound and how it comes about, for a rate that was reached.
    pub(super) fn text(&self, mops: f64) -> String {
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

    pub(super) fn to_json(&self) -> Value {
        document::object(ROW_FIELDS, self)
    }

    pub(super) fn schema() -> Value {
        document::schema(ROW_FIELDS, &[])
    }
}

const ROW_FIELDS: &[Field<RowBound>] = &[
    Field::new("mops", Kind::Number, MOPS, "the bound", |b| b.mops.into()),
    Field::new("transfer_us", Kind::Number, "us", "of all rows at their rates", |b| {
        b.transfer_us.into()
    }),
    Field::new("compute_us", Kind::Number, "us", "of the kernels at least", |b| {
        b.compute_us.into()
    }),
];

/// Rates of the machine for long rows.
pub(super) fn channel_rates(config: &MachineConfig) -> DmaRates {
    let rate = |direction| {
        let total_bytes = 1 << 17;
        let rows = Rows { direction, row_bytes: 1024, pitch_bytes: 1024, total_bytes };
        dma_rate(config, &rows).unwrap_or(f64::INFINITY)
    };
    DmaRates { get: rate(Direction::Get), put: rate(Direction::Put) }
}
