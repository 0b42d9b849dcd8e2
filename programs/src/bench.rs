//! The kernels' cycle counts beside their bounds and the published hand-made ones: rows, JSON, and
//! the golden file. What is counted is the families' affair.

pub mod other;

use crate::catalogue::FAMILIES;
use crate::document::{self, Field, Kind};
use crate::engine::Execution;
use crate::error::KernelError;
use crate::workload::Bound;
use cp2_isa::Core;
use serde_json::Value;
use std::collections::BTreeSet;

/// The golden file, as it was when this program was built.
pub const GOLDEN: &str = include_str!("../golden/cycles.json");

/// One kernel at one size.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Kernel.
    pub kernel: String,
    /// Its parameters.
    pub parameters: String,
    /// Units of work in each section.
    pub count: u64,
    /// What a unit of work is.
    pub unit: &'static str,
    /// Cycles of the whole run, counted by the engine.
    pub cycles: u64,
    /// Fewest cycles that a unit can cost.
    pub bound: f64,
    /// What makes that bound.
    pub bound_is: &'static str,
    /// Cycles of a unit in the published hand-made kernel, if there is one.
    pub published: Option<u64>,
    /// Where that figure stands.
    pub source: Option<&'static str>,
    /// Which kernels, ours and the published one, the ratio compares.
    pub sides: Option<&'static str>,
    /// What is permuted in local memory.
    pub permuted: Option<&'static str>,
    /// Whether the results are those of the reference.
    pub is_right: bool,
}

impl Row {
    /// Cycles of one unit of work.
    pub fn per_unit(&self) -> f64 {
        self.cycles as f64 / self.count as f64
    }

    /// How much of the bound is reached, in percent.
    pub fn percent(&self) -> f64 {
        100.0 * self.bound / self.per_unit()
    }

    /// How many times faster than the published kernel.
    pub fn ratio(&self) -> Option<f64> {
        self.published.map(|published| published as f64 / self.per_unit())
    }

    /// The row of a kernel: units of work in each section and the cycles that they took, beside the
    /// bound of a unit.
    pub fn new(kernel: String, parameters: String, counted: (u64, u64), bound: &Bound) -> Self {
        let (count, cycles) = counted;
        Self {
            kernel,
            parameters,
            count,
            unit: bound.unit,
            cycles,
            bound: bound.cycles.unwrap_or_default(),
            bound_is: bound.rests_on,
            published: bound.published,
            source: bound.source,
            sides: bound.sides,
            permuted: None,
            is_right: false,
        }
    }

    /// The row of a run whose results were compared with the reference.
    pub fn checked(self, is_right: bool) -> Self {
        Self { is_right, ..self }
    }

    /// The row of a kernel of which this is permuted in local memory.
    pub fn permuted(self, permuted: Option<&'static str>) -> Self {
        Self { permuted, ..self }
    }

    fn to_json(&self) -> Value {
        document::object(ROW, self)
    }
}

const ROW: &[Field<Row>] = &[
    Field::new("kernel", Kind::Text, "", "the kernel, and what it was counted on", |r| {
        r.kernel.as_str().into()
    }),
    Field::new("parameters", Kind::Text, "", "sizes", |r| r.parameters.as_str().into()),
    Field::new("count", Kind::Integer, "units", "of work in each section", |r| r.count.into()),
    Field::new("unit", Kind::Text, "", "a unit of work", |r| r.unit.into()),
    Field::new("cycles", Kind::Integer, "cycles", "of the whole run", |r| r.cycles.into()),
    Field::new("bound_cycles", Kind::Integer, "cycles", "fewest for the whole run", |r| {
        ((r.bound * r.count as f64).round() as u64).into()
    }),
    Field::new("bound_is", Kind::Text, "", "what makes the bound", |r| r.bound_is.into()),
    Field::or_null(
        "published_per_unit",
        Kind::Integer,
        "cycles",
        "of the published hand-made kernel for a unit",
        |r| r.published.into(),
    ),
    Field::or_null("source", Kind::Text, "", "where that figure stands", |r| r.source.into()),
    Field::or_null(
        "sides",
        Kind::Text,
        "",
        "which kernels, ours and published, that compares",
        |r| r.sides.into(),
    ),
    Field::or_null("permuted", Kind::Text, "", "what lies otherwise than in the arrays", |r| {
        r.permuted.into()
    }),
];

const REPORT: &[Field<[Row]>] = &[Field::new(
    "kernels",
    Kind::Objects(|| document::schema(ROW, &[])),
    "",
    "the counts of every kernel",
    |rows| rows.iter().map(Row::to_json).collect(),
)];

/// Tag of the report and of the golden file.
const SCHEMA: &str = "cp2-bench-2";

/// The counts as JSON: what the golden file holds.
pub fn to_json(rows: &[Row]) -> Value {
    document::document(SCHEMA, REPORT, rows)
}

/// The schema of that.
pub fn schema() -> Value {
    let shapes = [document::tagged(SCHEMA, REPORT, &[]), other::shape()];
    document::whole("Report of `cp2 bench --json`", &shapes)
}

/// Counts a kernel that goes by this name.
type Count = Box<dyn Fn(&str, Execution) -> Result<Row, KernelError>>;

/// A kernel at the size that is counted.
pub struct Counted {
    kernel: String,
    count: Count,
}

impl Counted {
    /// A kernel, and how it is run, counted and compared with its reference.
    pub fn new(
        kernel: String,
        count: impl Fn(&str, Execution) -> Result<Row, KernelError> + 'static,
    ) -> Self {
        Self { kernel, count: Box::new(count) }
    }

    /// Its name.
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// Makes it for a core, runs it, and compares with its reference.
    ///
    /// # Errors
    /// What the core has too little of, or what kept the run from its end.
    pub fn count(&self, core: &Core) -> Result<Row, KernelError> {
        (self.count)(&self.kernel, Execution::on(*core))
    }
}

/// The kernels with these names, in their order; all of them if there are no names.
///
/// # Errors
/// The name that no kernel has.
pub fn counted(names: &[String]) -> Result<Vec<Counted>, String> {
    let mut all: Vec<Counted> = FAMILIES.iter().flat_map(|family| (family.counted)()).collect();
    if names.is_empty() {
        return Ok(all);
    }
    let mut take = |name: &String| {
        let place = all.iter().position(|counted| counted.kernel == *name);
        place.map(|place| all.remove(place)).ok_or_else(|| name.clone())
    };
    let mut once = BTreeSet::new();
    names.iter().filter(|name| once.insert(*name)).map(&mut take).collect()
}

/// Lines that tell where a golden file differs from the counts; none if it does not. If `is_all`, it
/// has no other kernels either.
pub fn differences(rows: &[Row], golden: &Value, is_all: bool) -> Vec<String> {
    let empty = Vec::new();
    let old = golden["kernels"].as_array().unwrap_or(&empty);
    let find = |name: &str| old.iter().find(|k| k["kernel"] == *name);
    let mut lines = Vec::new();
    for row in rows {
        match find(&row.kernel) {
            None => lines.push(format!("{}: not in the golden file", row.kernel)),
            Some(k) if *k != row.to_json() => lines.push(format!(
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
