//! The table of counts: the cycles of all kernels beside their lower bounds and the published hand-made kernels, as
//! rows, as JSON and as a golden file, with which new counts are compared. Each family decides which of its kernels are
//! counted.

pub mod other;

pub use crate::workload::{CountRow, Counted};

use crate::catalogue::families;
use cp2_document::{Field, ValueKind};
use cp2_isa::Core;
use cp2_session::error::KernelError;
use rayon::prelude::*;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

const ROW: &[Field<CountRow>] = &[
    Field::new("kernel", ValueKind::Text, "", "the kernel, and what it was counted on", |r| {
        r.kernel.as_str().into()
    }),
    Field::new("parameters", ValueKind::Text, "", "sizes", |r| r.parameters.as_str().into()),
    Field::new("count", ValueKind::Integer, "units", "of work in each section", |r| r.count.into()),
    Field::new("unit", ValueKind::Text, "", "a unit of work", |r| r.unit.into()),
    Field::new("cycles", ValueKind::Integer, "cycles", "of the whole run", |r| r.cycles.into()),
    Field::new("bound_cycles", ValueKind::Integer, "cycles", "fewest for the whole run", |r| {
        ((r.bound * r.count as f64).round() as u64).into()
    }),
    Field::new("bound_is", ValueKind::Text, "", "what makes the bound", |r| r.bound_is.into()),
    Field::or_null(
        "published_per_unit",
        ValueKind::Integer,
        "cycles",
        "of the published hand-made kernel for a unit",
        |r| r.published.into(),
    ),
    Field::or_null("source", ValueKind::Text, "", "where that figure stands", |r| r.source.into()),
    Field::or_null(
        "sides",
        ValueKind::Text,
        "",
        "which kernels, ours and published, that compares",
        |r| r.sides.into(),
    ),
    Field::or_null(
        "needs",
        ValueKind::Text,
        "",
        "extensions of the core that it is counted on",
        |r| r.needs.into(),
    ),
    Field::or_null(
        "permuted",
        ValueKind::Text,
        "",
        "what lies otherwise than in the arrays",
        |r| r.permuted.into(),
    ),
];

const REPORT: &[Field<[CountRow]>] = &[Field::new(
    "kernels",
    ValueKind::Objects(|| cp2_document::schema(ROW, &[])),
    "",
    "the counts of every kernel",
    |rows| rows.iter().map(|row| cp2_document::object(ROW, row)).collect(),
)];

/// Tag of the report and of the golden file.
const SCHEMA: &str = "cp2-bench-2";

/// Returns the rows of the table of counts as a JSON object, in the form of the golden file: counts of an earlier state
/// that are kept, with which new ones are compared.
pub fn to_json(rows: &[CountRow]) -> Value {
    cp2_document::document(SCHEMA, REPORT, rows)
}

/// Returns the JSON Schema of the reports of `cp2 bench`: on CP2, and on another core.
pub fn schema() -> Value {
    let shapes = [cp2_document::tagged(SCHEMA, REPORT, &[]), other::shape()];
    cp2_document::whole("Report of `cp2 bench --json`", &shapes)
}

/// Returns the kernels with these names that can be counted, in the order of the names and each once; all kernels if
/// `names` is empty.
///
/// # Errors
/// Returns the first name that no counted kernel has.
pub fn counted(names: &[String]) -> Result<Vec<Counted>, String> {
    let mut all: Vec<Counted> = families().flat_map(|family| (family.counted)()).collect();
    if names.is_empty() {
        return Ok(all);
    }
    let mut take = |name: &String| {
        let place = all.iter().position(|counted| counted.kernel() == *name);
        place.map(|place| all.remove(place)).ok_or_else(|| name.clone())
    };
    let mut once = BTreeSet::new();
    names.iter().filter(|name| once.insert(*name)).map(&mut take).collect()
}

/// Runs kernels on a core to count their cycles, in as many threads as the native machine has processors. Returns the
/// row of each kernel in the order of `kernels`, or the error for which it has none. `report` is called, from several
/// threads, with the number of kernels that are done.
pub fn count(
    kernels: &[Counted],
    core: &Core,
    report: impl Fn(u64) + Sync,
) -> Vec<Result<CountRow, KernelError>> {
    let done = AtomicU64::new(0);
    let count = |kernel: &Counted| {
        let row = kernel.count(core);
        report(done.fetch_add(1, Ordering::Relaxed) + 1);
        row
    };
    kernels.par_iter().map(count).collect()
}

/// Compares rows of counts with a golden file, the JSON of earlier rows that [`to_json`] made, and returns a line for
/// people about each kernel that differs in any value or that the file lacks; no line if there is none. If `is_all`,
/// kernels that only the golden file has are differences too.
pub fn differences(rows: &[CountRow], golden: &Value, is_all: bool) -> Vec<String> {
    let empty = Vec::new();
    let old = golden["kernels"].as_array().unwrap_or(&empty);
    let find = |name: &str| old.iter().find(|k| k["kernel"] == *name);
    let mut lines = Vec::new();
    for row in rows {
        match find(&row.kernel) {
            None => lines.push(format!("{}: not in the golden file", row.kernel)),
            Some(k) if *k != cp2_document::object(ROW, row) => lines.push(format!(
                "{}: {} cycles for {} {}s, the golden file has {}",
                row.kernel, row.cycles, row.count, row.unit, k
            )),
            Some(_) => {}
        }
    }
    for kernel in old.iter().filter(|_| is_all) {
        let name = kernel["kernel"].as_str().unwrap_or("?");
        if !rows.iter().any(|row| row.kernel == name) {
            lines.push(format!("{name}: in the golden file, but there is no such kernel"));
        }
    }
    lines
}
