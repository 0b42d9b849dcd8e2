//! The counts on another core than CP2, beside those of CP2 in the golden file: the numbers in which the core differs, the
//! cycles of each kernel, and the kernels that it cannot run.

use super::{CountRow, Counted};
use cp2_document::{Field, ValueKind};
use cp2_isa::Core;
use cp2_session::error::KernelError;
use serde_json::{Value, json};

/// The count of a kernel on another core.
#[derive(Clone, Debug)]
pub struct CoreCount {
    /// Name of the kernel.
    pub kernel: String,
    /// Count of the kernel, or the error why it cannot be made for the core or did not end.
    pub row: Result<CountRow, KernelError>,
    /// Cycles of CP2 in the golden file.
    pub usual: Option<u64>,
    /// Cycles of CP2 for a unit of work.
    pub usual_per_unit: Option<f64>,
}

impl CoreCount {
    /// Returns the cycles of a unit of work, relative to those of CP2.
    pub fn ratio(&self) -> Option<f64> {
        Some(self.row.as_ref().ok()?.per_unit() / self.usual_per_unit?)
    }

    /// Whether the kernel exists on the core and does not compute what it should.
    pub fn is_wrong(&self) -> bool {
        match &self.row {
            Ok(row) => !row.is_right,
            Err(error) => !is_refusal(error),
        }
    }
}

/// Whether an error means that a kernel cannot be made for a core, in contrast to one that fails.
fn is_refusal(error: &KernelError) -> bool {
    !matches!(error, KernelError::Run(_) | KernelError::NotFinite { .. })
}

/// The counts on another core.
#[derive(Clone, Debug)]
pub struct CoreReport {
    /// The core.
    pub core: Core,
    /// Counts of cycles on the core, one entry for each kernel that was asked for, with that of CP2 beside it; the entry of a
    /// kernel that cannot be made for the core has the error.
    pub entries: Vec<CoreCount>,
}

impl CoreReport {
    /// Counts kernels on a core, beside the counts of CP2 in the golden file. `report` is told how many are counted.
    pub fn new(
        core: &Core,
        kernels: &[Counted],
        golden: &Value,
        report: impl Fn(u64) + Sync,
    ) -> Self {
        let entry = |(counted, row): (&Counted, Result<CountRow, KernelError>)| {
            let known = golden["kernels"].as_array().into_iter().flatten();
            let old = known.into_iter().find(|k| k["kernel"] == *counted.kernel());
            let number = |name: &str| old.and_then(|k| k[name].as_u64());
            let (usual, count) = (number("cycles"), number("count"));
            CoreCount {
                kernel: counted.kernel().to_owned(),
                row,
                usual,
                usual_per_unit: usual.zip(count).map(|(cycles, n)| cycles as f64 / n as f64),
            }
        };
        let rows = super::count(kernels, core, report);
        Self { core: *core, entries: kernels.iter().zip(rows).map(entry).collect() }
    }

    /// Returns the report as JSON.
    pub fn to_json(&self) -> Value {
        cp2_document::document(SCHEMA, REPORT, self)
    }
}

/// Returns the shape of the JSON report.
pub(super) fn shape() -> Value {
    cp2_document::tagged(SCHEMA, REPORT, &[])
}

fn of_row(entry: &CoreCount, value: impl Fn(&CountRow) -> Value) -> Value {
    entry.row.as_ref().map_or(Value::Null, value)
}

const ENTRY: &[Field<CoreCount>] = &[
    Field::new("kernel", ValueKind::Text, "", "the kernel, and what it was counted on", |e| {
        e.kernel.as_str().into()
    }),
    Field::or_null("parameters", ValueKind::Text, "", "sizes", |e| {
        of_row(e, |r| r.parameters.as_str().into())
    }),
    Field::or_null("count", ValueKind::Integer, "units", "of work in each section", |e| {
        of_row(e, |r| r.count.into())
    }),
    Field::or_null("unit", ValueKind::Text, "", "a unit of work", |e| of_row(e, |r| r.unit.into())),
    Field::or_null("cycles", ValueKind::Integer, "cycles", "of the whole run", |e| {
        of_row(e, |r| r.cycles.into())
    }),
    Field::or_null("bound_cycles", ValueKind::Integer, "cycles", "fewest for the whole run", |e| {
        of_row(e, |r| ((r.bound * r.count as f64).round() as u64).into())
    }),
    Field::or_null("is_right", ValueKind::Flag, "", "whether the reference agrees", |e| {
        of_row(e, |r| r.is_right.into())
    }),
    Field::or_null("cp2_per_unit", ValueKind::Number, "cycles", "of CP2 for a unit", |e| {
        json!(e.usual_per_unit)
    }),
    Field::or_null("ratio", ValueKind::Number, "", "cycles of a unit, relative to CP2", |e| {
        json!(e.ratio())
    }),
    Field::or_null("error", ValueKind::Text, "", "what is missing, or what went wrong", |e| {
        e.row.as_ref().err().map(ToString::to_string).into()
    }),
];

const REPORT: &[Field<CoreReport>] = &[
    Field::new(
        "changes",
        ValueKind::Texts,
        "",
        "in which numbers the core differs from CP2",
        |r| r.core.changes().into(),
    ),
    Field::new(
        "kernels",
        ValueKind::Objects(|| cp2_document::schema(ENTRY, &[])),
        "",
        "the counts; null where a kernel cannot be",
        |r| r.entries.iter().map(|entry| cp2_document::object(ENTRY, entry)).collect(),
    ),
];

/// Tag of the report.
const SCHEMA: &str = "cp2-bench-core-1";
