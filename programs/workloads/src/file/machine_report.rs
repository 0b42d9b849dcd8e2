//! The report on a run of a workload file on a machine, as text and as JSON.

use super::machine::LocalPlace;
use super::report::{VariantRun, name_rows, result_rows};
use crate::workload::text;
use cp2_document::{Field, ValueKind, object, schema, tagged};
use cp2_emu::machine::Key;
use cp2_session::cost::{Cost, RowBound};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The report on a run of a workload file on a machine.
pub(super) struct MachineReport {
    pub(super) run: VariantRun,
    pub(super) cost: Cost,
    pub(super) places: Vec<LocalPlace>,
    /// Whether the timeline is wanted.
    pub(super) has_timeline: bool,
}

impl AsRef<VariantRun> for MachineReport {
    fn as_ref(&self) -> &VariantRun {
        &self.run
    }
}

impl MachineReport {
    /// Returns the report as text for people.
    pub(super) fn text(&self) -> String {
        let Self { run, cost, .. } = self;
        let mut text = format!("{} on {} {}\n", run.name(), cost.config.name(), cost.done());
        if cost.operations > 0 {
            let rate = cost.rate_mops();
            let _ = write!(text, "{rate:.0} MOPS, {} operations as counted; ", cost.operations);
        }
        let clock = f64::from(cost.config.value(Key::CpuClock));
        let _ = writeln!(
            text,
            "overlap {:.1} %\n{}",
            cost.timeline.overlap_percent(),
            cost.row_bound().cycles_text(cost.cycles(), clock)
        );
        text += &self.places_text();
        text += &run.results_text();
        text += &text::assumptions(&cost.config);
        text += &run.core_text();
        if self.has_timeline {
            text += &cost.timeline.to_text();
        }
        text
    }

    /// Returns a line with the words of all arrays in local memory.
    fn places_text(&self) -> String {
        let one = |place: &LocalPlace| {
            let (words, name) = (&place.words, place.name.as_deref().unwrap_or("the program"));
            format!("{name} {} to {}", words.start, words.end.saturating_sub(1))
        };
        let all: Vec<String> = self.places.iter().map(one).collect();
        format!("words of local memory: {}\n", all.join(", "))
    }

    /// Returns the report as a JSON document.
    pub(super) fn to_json(&self) -> Value {
        cp2_document::document(TAG, &fields(), self)
    }
}

/// Tag of the JSON report.
pub(super) const TAG: &str = "cp2-paged-workload-1";

/// Returns the JSON Schema of the report.
pub(super) fn report_schema() -> Value {
    tagged(TAG, &fields(), &[])
}

const PLACE: &[Field<LocalPlace>] = &[
    Field::or_null("array", ValueKind::Text, "", "null for data of the program", |p| json!(p.name)),
    Field::new("buffer", ValueKind::Integer, "", "number of the buffer, from 0", |p| {
        p.buffer.into()
    }),
    Field::new("begin", ValueKind::Integer, "words", "first word", |p| p.words.start.into()),
    Field::new("end", ValueKind::Integer, "words", "first word behind it", |p| p.words.end.into()),
];

/// Returns the rows of the report, in their order.
fn fields() -> Vec<Field<MachineReport>> {
    let mut fields = Vec::from(name_rows());
    fields.extend(cost_rows());
    fields.extend(result_rows());
    fields.extend([
        Field::new(
            "dma",
            ValueKind::Defined("dma_stats"),
            "",
            "counts of the channel",
            |r: &MachineReport| r.cost.dma.to_json(),
        ),
        Field::new("machine", ValueKind::Defined("machine"), "", "the machine", |r| {
            r.cost.config.to_json()
        }),
        Field::optional("timeline", ValueKind::Defined("timeline"), "", "with `--timeline`", |r| {
            if r.has_timeline { r.cost.timeline.to_json() } else { Value::Null }
        }),
    ]);
    fields
}

/// Returns the rows of pages, cycles, rate, bound and places.
fn cost_rows() -> Vec<Field<MachineReport>> {
    vec![
        Field::new(
            "pages",
            ValueKind::Integer,
            "pages",
            "that went through local memory",
            |r: &MachineReport| r.cost.pages.into(),
        ),
        Field::new(
            "cycles",
            ValueKind::Integer,
            "cycles",
            "of CP2, from the first command of the host to the end",
            |r| r.cost.cycles().into(),
        ),
        Field::new(
            "bound_cycles",
            ValueKind::Integer,
            "cycles",
            "fewest in which the channel moves all rows at their rates, or the kernels compute",
            |r| (r.cost.bound_cycles().round() as u64).into(),
        ),
        Field::new("kernel_runs", ValueKind::Integer, "runs", "of kernels", |r| {
            r.cost.kernels.runs.into()
        }),
        Field::new("kernel_cycles", ValueKind::Integer, "cycles", "of all runs of kernels", |r| {
            r.cost.kernels.cycles.into()
        }),
        Field::new(
            "operations",
            ValueKind::Integer,
            "operations",
            "floating-point ones that the kernels did, of all sections",
            |r| r.cost.operations.into(),
        ),
        Field::new("rate_mops", ValueKind::Number, "10^6 operations per second", "of these", |r| {
            r.cost.rate_mops().into()
        }),
        Field::new(
            "row_bound",
            ValueKind::Object(RowBound::schema),
            "",
            "the larger of the kernels and of what was moved, at the rates of the rows in which it moved",
            |r| r.cost.row_bound().to_json(),
        ),
        Field::new(
            "overlap_percent",
            ValueKind::Number,
            "percent",
            "of the shorter of computing and moving data that the other hides",
            |r| r.cost.timeline.overlap_percent().into(),
        ),
        Field::new(
            "places",
            ValueKind::Objects(|| schema(PLACE, &[])),
            "",
            "of arrays in local memory",
            |r| r.places.iter().map(|place| object(PLACE, place)).collect(),
        ),
    ]
}
