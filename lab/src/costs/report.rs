//! Report of `cp2 costs`: the table with its sources, and the area of a machine.

use super::energy::EnergyPart;
use super::model::{Estimated, PartArea, clock_factor, extra_area, parts, uncounted};
use super::table::{CostTable, Priced};
use cp2_document::width::ColumnSide::{Left, Right};
use cp2_document::width::{TextTable, wrapped};
use cp2_document::{self as document, Field, ValueKind};
use cp2_emu::MachineConfig;
use serde_json::Value;

/// Report of `cp2 costs`: the costs that are taken, and what they make of a machine and of its base.
#[derive(Clone, Debug, PartialEq)]
pub struct CostReport {
    /// Costs by which areas are computed.
    pub costs: CostTable,
    /// Name of the machine whose area is told.
    pub machine: String,
    /// Parts of the coprocessor of the machine, with their areas.
    pub parts: Vec<PartArea>,
    /// Percent of area that the machine has more than its base, the same machine without the changes that were asked for.
    pub extra: Estimated,
    /// Sentences on what the machine has that the area leaves out; empty if there is nothing.
    pub uncounted: Vec<String>,
    /// Length of a clock cycle over that of the base.
    pub clock: Estimated,
}

impl CostReport {
    /// Computes the report of a machine and its base, the machine without the changes that were asked for.
    pub fn new(costs: CostTable, base: &MachineConfig, config: &MachineConfig) -> Self {
        let (extra, clock) = (extra_area(&costs, base, config), clock_factor(&costs, base, config));
        let (machine, parts) = (config.name().to_owned(), parts(&costs, config));
        let uncounted = uncounted(&costs, base, config);
        Self { costs, machine, parts, extra, uncounted, clock }
    }

    fn whole(&self) -> f64 {
        self.parts.iter().map(|part| part.um2).sum()
    }

    /// Returns the report as text for people.
    pub fn text(&self) -> String {
        let columns = [("key", Left), ("value", Right), ("from", Right), ("to", Right)];
        let mut table = TextTable::new(&columns, "source");
        for (key, Priced { value, low, high, source }) in &self.costs.rows() {
            let numbers = [value, low, high].map(|number| number.to_string());
            let texts = [&[key.clone()][..], &numbers].concat();
            table.row(texts, source.clone());
        }
        let mut areas = TextTable::new(&[("um2", Right), ("%", Right)], "part");
        let whole = self.whole();
        for PartArea { name, um2 } in &self.parts {
            let texts = vec![format!("{um2:.0}"), format!("{:.1}", 100.0 * um2 / whole)];
            areas.row(texts, name.clone());
        }
        let Estimated { value, low, high } = self.extra;
        let clock = self.clock;
        let sum = format!(
            "{}: {:.2} mm2 at the node of the costs (45 nm as shipped); {value:+.1} % ({low:+.1} to {high:+.1} %) of its base; a clock cycle {:.3} times as long ({:.3} to {:.3})\n\
             VM7 and VM9 publish neither node nor area: this is a model of CP2 by its parts, for comparisons; pads, control processor and caches are no part of it.\n",
            self.machine,
            whole / 1e6,
            clock.value,
            clock.low,
            clock.high
        );
        let left: String =
            self.uncounted.iter().map(|what| format!("Not counted: {what}.\n")).collect();
        table.text() + "\n" + &areas.text() + "\n" + &wrapped(&(sum + &left))
    }

    /// Returns the report as a JSON document, which [`schema`] describes.
    pub fn to_json(&self) -> Value {
        document::document(SCHEMA, &REPORT, self)
    }
}

const SCHEMA: &str = "cp2-costs-1";

/// Returns the JSON schema of the document of `cp2 costs --json` ([`CostReport::to_json`]).
pub fn schema() -> Value {
    document::whole("Report of `cp2 costs --json`", &[document::tagged(SCHEMA, &REPORT, &[])])
}

/// Fields of a number with its interval.
pub(crate) const ESTIMATED: [Field<Estimated>; 3] = [
    Field::new("value", ValueKind::Number, "", "with the costs as they stand", |e| e.value.into()),
    Field::new("low", ValueKind::Number, "", "lower end of the interval", |e| e.low.into()),
    Field::new("high", ValueKind::Number, "", "upper end of the interval", |e| e.high.into()),
];

/// Fields of the energy of a kind of events.
pub(crate) const ENERGY_PART: [Field<EnergyPart>; 3] = [
    Field::new("events", ValueKind::Text, "", "their kind", |p| p.name.into()),
    Field::new("count", ValueKind::Integer, "", "of the events", |p| p.count.into()),
    Field::new(
        "nj",
        ValueKind::Object(|| document::schema(&ESTIMATED, &[])),
        "nanojoules",
        "of all of them, with the interval that costs leave",
        |p| document::object(&ESTIMATED, &p.nj),
    ),
];

const NUMBER: [Field<(String, Priced)>; 5] = [
    Field::new("key", ValueKind::Text, "", "of the file", |n| n.0.clone().into()),
    Field::new("value", ValueKind::Number, "as the key says", "that is taken", |n| {
        n.1.value.into()
    }),
    Field::new("low", ValueKind::Number, "as the key says", "least", |n| n.1.low.into()),
    Field::new("high", ValueKind::Number, "as the key says", "greatest", |n| n.1.high.into()),
    Field::new("source", ValueKind::Text, "", "of the number", |n| n.1.source.clone().into()),
];

const PART: [Field<PartArea>; 2] = [
    Field::new("name", ValueKind::Text, "", "of the part", |p| p.name.clone().into()),
    Field::new("um2", ValueKind::Number, "square micrometres", "all sections", |p| p.um2.into()),
];

const REPORT: [Field<CostReport>; 7] = [
    Field::new(
        "costs",
        ValueKind::Objects(|| document::schema(&NUMBER, &[])),
        "",
        "that are taken, by key",
        |r| r.costs.rows().iter().map(|row| document::object(&NUMBER, row)).collect(),
    ),
    Field::new("machine", ValueKind::Text, "", "whose area is told", |r| r.machine.clone().into()),
    Field::new(
        "parts",
        ValueKind::Objects(|| document::schema(&PART, &[])),
        "",
        "of the coprocessor",
        |r| r.parts.iter().map(|part| document::object(&PART, part)).collect(),
    ),
    Field::new("um2", ValueKind::Number, "square micrometres", "of all parts", |r| {
        r.whole().into()
    }),
    Field::new(
        "extra_percent",
        ValueKind::Object(|| document::schema(&ESTIMATED, &[])),
        "percent",
        "area more than the base",
        |r| document::object(&ESTIMATED, &r.extra),
    ),
    Field::new("uncounted", ValueKind::Texts, "", "that the area leaves out", |r| {
        r.uncounted.clone().into()
    }),
    Field::new(
        "clock_factor",
        ValueKind::Object(|| document::schema(&ESTIMATED, &[])),
        "",
        "length of a clock cycle over that of the base",
        |r| document::object(&ESTIMATED, &r.clock),
    ),
];
