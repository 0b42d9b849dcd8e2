//! The counts on another core than CP2, beside those of CP2 in the golden file: the numbers in which the core differs, the
//! cycles of each kernel, and the kernels that it cannot run.

use super::{CountRow, Counted};
use cp2_document::{Field, ValueKind};
use cp2_isa::Core;
use cp2_session::error::KernelError;
use serde_json::{Value, json};

/// The cycles of a kernel on another core, a CP2 with other sizes or latencies, beside those on an unmodified CP2;
/// [`CoreReport::new`] counts them.
#[derive(Clone, Debug)]
pub struct CoreCount {
    /// Name of the kernel, as in the table of counts ([`CountRow::kernel`]).
    pub kernel: String,
    /// Row of the kernel on the other core; an error if it cannot be made for the core or its run did not end.
    pub row: Result<CountRow, KernelError>,
    /// Cycles of the whole run of the kernel on CP2, from the golden file, or counted for a workload of a user's file;
    /// `None` if they are not known.
    pub usual: Option<u64>,
    /// Cycles of a unit of work ([`CountRow::unit`]) on CP2; `None` if they are not known.
    pub usual_per_unit: Option<f64>,
}

impl CoreCount {
    /// Returns the cycles of a unit of work ([`CountRow::unit`]) on the other core divided by those on CP2, below 1 if
    /// the other core needs fewer; `None` if either is not known.
    pub fn ratio(&self) -> Option<f64> {
        Some(self.row.as_ref().ok()?.per_unit() / self.usual_per_unit?)
    }

    /// Returns true if the run of the kernel on the other core failed or gave wrong results. Returns false if they are
    /// right, and also if the kernel cannot be made for that core.
    pub fn is_wrong(&self) -> bool {
        match &self.row {
            Ok(row) => row.verdict.is_right() == Some(false),
            Err(error) => !is_refusal(error),
        }
    }
}

/// Whether an error means that a kernel cannot be made for a core, in contrast to one that fails.
fn is_refusal(error: &KernelError) -> bool {
    !matches!(
        error,
        KernelError::Run(_) | KernelError::NotFinite { .. } | KernelError::Unchecked(_)
    )
}

/// The report on the cycles of kernels on another core, a CP2 with other sizes or latencies, beside those on an
/// unmodified CP2.
#[derive(Clone, Debug)]
pub struct CoreReport {
    /// The core on which the kernels were counted.
    pub core: Core,
    /// Counts of the kernels that were asked for, one entry each, in their order.
    pub entries: Vec<CoreCount>,
}

impl CoreReport {
    /// Counts the cycles of kernels on a core by running them; those of users' files on CP2 too. `golden` is the golden
    /// file with the counts of CP2, as [`super::to_json`] makes it; `report` is called with the number of kernels that are
    /// done.
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
            let (usual, count) = match counted.count_on_cp2() {
                Some(Ok(row)) => (Some(row.cycles), Some(row.count)),
                Some(Err(_)) => (None, None),
                None => (number("cycles"), number("count")),
            };
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

    /// Returns the report as a JSON object; [`super::schema`] describes it.
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
    Field::or_null(
        "is_right",
        ValueKind::Flag,
        "",
        "whether the reference agrees; null where nothing compared the results",
        |e| of_row(e, |r| r.verdict.is_right().into()),
    ),
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
