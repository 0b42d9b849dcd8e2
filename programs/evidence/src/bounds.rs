//! Upper bounds of the rate of a procedure: what its computing and its transfers allow when data move at the rates of
//! the machine's DMA channel, or at measured ones. How much a procedure computes and moves is told by its cost.

use super::measured::dma_rates;
use cp2_document::{Field, ValueKind};
use cp2_emu::machine::Key;
use cp2_session::cost::{Cost, DmaRates, channel_rates, share_text};
use serde_json::{Value, json};

/// Choice of the rates of the DMA channel (bytes per second in each direction) on which an upper bound of a procedure's
/// rate rests: simulated, measured, or assumed by \[D\]. [`RateBounds::mops`] takes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rates {
    /// Rates of the DMA channel of the machine as simulated, for long rows: a transfer of 128 KiB with its start.
    Channel,
    /// Rates of the DMA channel for long rows as measured on the chips, table B.3 of \[D\], scaled to the memory clock
    /// of the machine.
    TableB3,
    /// Best rates of the DMA channel that \[D\], the published source, gives and makes its own estimates with: 2700
    /// MB/s for VM7 and 8400 MB/s for VM9, scaled to the memory clock of the machine.
    Source,
}

/// Upper bounds of the rate of one run of a procedure, in 10^6 operations per second, at several rates of the DMA
/// channel: the operations of the run over the time for computing or for moving the data, whichever is longer. Bounds
/// at the rates of \[D\] exist only for unchanged built-in machines ([`PRESETS`](cp2_isa::machine::PRESETS)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateBounds {
    channel: f64,
    table_b3: Option<f64>,
    source: Option<f64>,
}

impl RateBounds {
    /// Returns the bounds for a run of a procedure that had this cost: its rate if the kernels had computed without a
    /// pause, at their least cycles, while the DMA channel moved the same bytes.
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

    /// Returns the bound at these rates of the DMA channel, in 10^6 operations per second; `None` if \[D\] has no such
    /// rates for the machine of the run.
    pub fn mops(&self, rates: Rates) -> Option<f64> {
        match rates {
            Rates::Channel => Some(self.channel),
            Rates::TableB3 => self.table_b3,
            Rates::Source => self.source,
        }
    }

    /// Returns the bound at the simulated rates of the machine's own DMA channel, in 10^6 operations per second.
    pub fn channel_mops(&self) -> f64 {
        self.channel
    }

    /// Returns all bounds in one line of text, with the percentage of the first, the one at the simulated rates, that a
    /// run with the rate `mops`, in 10^6 operations per second, has reached.
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

    /// Returns the bounds as an object of a JSON report; a bound at rates of \[D\] is null if \[D\] has none for the
    /// machine.
    pub fn to_json(self) -> Value {
        cp2_document::object(FIELDS, &self)
    }

    /// Returns the JSON Schema of the object that [`Self::to_json`] makes.
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
