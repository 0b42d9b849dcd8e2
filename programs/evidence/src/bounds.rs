//! The most that a procedure's method allows, by the rates that it is taken to move data at: those of the machine's
//! channel, and measured ones. What the method needs, butterflies and bytes, is the procedure's business.

use super::measured::dma_rates;
use cp2_document::{Field, ValueKind};
use cp2_emu::machine::Key;
use cp2_session::cost::{Cost, DmaRates, channel_rates, share_text};
use serde_json::{Value, json};

/// Rates of the channel on which a bound rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rates {
    /// Rates of the machine for long rows: a transfer of 128 KiB with its start.
    Channel,
    /// Measured rates of long rows, \[D\] table B.3, at the machine's memory clock.
    TableB3,
    /// Best rates that \[D\] gives and estimates with, 2700 MB/s for VM7 and 8400 for VM9, at the machine's memory clock.
    Source,
}

/// Bounds of a procedure's rate, 10^6 operations per second: the larger of computing and moving
/// data. Measured rates are those of machines that come with the program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateBounds {
    channel: f64,
    table_b3: Option<f64>,
    source: Option<f64>,
}

impl RateBounds {
    /// Returns the bounds of a procedure that cost this: computing without a pause, beside moving what was moved.
    pub fn of(cost: &Cost) -> Self {
        let Cost { config, dma, operations, least_compute_cycles: compute, .. } = cost;
        let operations = *operations as f64;
        let clock = f64::from(config.value(Key::CpuClock));
        let mops = |rates: DmaRates| {
            let transfer = dma.bytes_get as f64 / rates.get + dma.bytes_put as f64 / rates.put;
            operations / transfer.max(compute / clock)
        };
        let measured = dma_rates(config);
        Self {
            channel: mops(channel_rates(config)),
            table_b3: measured.map(|[b3, _]| mops(b3)),
            source: measured.map(|[_, best]| mops(best)),
        }
    }

    /// Returns the bound at these rates, 10^6 operations per second, if the machine has them.
    pub fn mops(&self, rates: Rates) -> Option<f64> {
        match rates {
            Rates::Channel => Some(self.channel),
            Rates::TableB3 => self.table_b3,
            Rates::Source => self.source,
        }
    }

    /// Returns the bound at the rates of the machine, 10^6 operations per second.
    pub fn channel_mops(&self) -> f64 {
        self.channel
    }

    /// Returns all bounds in a sentence, for a rate that was reached.
    pub fn text(&self, mops: f64) -> String {
        let share = share_text(mops, self.channel);
        let mut text =
            format!("bound {:.0} MOPS at the rates of this channel: {share}", self.channel);
        if let (Some(b3), Some(source)) = (self.table_b3, self.source) {
            text +=
                &format!("; {b3:.0} at those of [D] table B.3, {source:.0} at [D]'s best rates");
        }
        text
    }

    /// Returns the bounds as an object of a JSON report.
    pub fn to_json(self) -> Value {
        cp2_document::object(FIELDS, &self)
    }

    /// Returns the schema of the object that [`Self::to_json`] makes.
    pub fn schema() -> Value {
        cp2_document::schema(FIELDS, &[])
    }
}

const MOPS: &str = "10^6 operations per second";

const FIELDS: &[Field<RateBounds>] = &[
    Field::new(
        "channel",
        ValueKind::Number,
        MOPS,
        "at the rates of this machine's channel for long rows",
        |b| b.channel.into(),
    ),
    Field::or_null(
        "table_b3",
        ValueKind::Number,
        MOPS,
        "at the measured rates of long rows, [D] table B.3, at this memory clock",
        |b| json!(b.table_b3),
    ),
    Field::or_null(
        "source",
        ValueKind::Number,
        MOPS,
        "at the best rates that [D] gives, 2700 and 8400 MB/s, at this memory clock",
        |b| json!(b.source),
    ),
];
