//! The outcome and report that kernels on generated data share: only cycles and the distance from the reference matter.

use super::{Finished, ReportField, TypedWorkload};
use cp2_document::{Field, ValueKind};
use serde_json::json;

/// The outcome of a kernel that ran on generated data: cycles, units of work, results.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Description of the work that was done, in a few words for people.
    pub work: String,
    /// Number of cycles of all runs of the kernel.
    pub cycles: u64,
    /// Number of units of work that each section did, and the name of a unit.
    pub units: (u64, &'static str),
    /// Numbers that the kernel computed, for the comparison with the reference.
    pub results: Vec<f32>,
}

/// The tag of the JSON report of a workload whose outcome is a [`Trial`]; it names the report's schema.
pub const SCHEMA: &str = "cp2-kernel-1";

/// Returns the fields of the JSON report of a workload whose outcome is a [`Trial`].
pub fn fields<W: TypedWorkload<Outcome = Trial>>() -> Vec<ReportField<W>> {
    vec![
        Field::new("kernel", ValueKind::Name, "", "the kernel", |f| f.name().into()),
        Field::new("work", ValueKind::Text, "", "what was done", |f| {
            f.outcome.work.as_str().into()
        }),
        Field::new("cycles", ValueKind::Integer, "cycles", "of all runs of the kernel", |f| {
            f.outcome.cycles.into()
        }),
        Field::new("units", ValueKind::Integer, "units", "of work in each section", |f| {
            f.outcome.units.0.into()
        }),
        Field::new("unit", ValueKind::Text, "", "a unit of work", |f| f.outcome.units.1.into()),
        Field::or_null(
            "deviation",
            ValueKind::Number,
            "limits",
            "largest distance from the reference; null where it is infinite",
            |f| json!(f.check.distance),
        ),
        Field::new("limit", ValueKind::Text, "", "what the deviation is counted in", |f| {
            f.about.reference.unit.into()
        }),
    ]
}

/// Returns the report on a finished run as text for people: work, cycles, distance from the reference.
pub fn text<W: TypedWorkload<Outcome = Trial>>(finished: &Finished<W>) -> String {
    let Trial { work, cycles, units: (units, unit), .. } = &finished.outcome;
    let each = match units {
        0 => format!("no {unit}"),
        _ => format!("{:.2} per {unit}", *cycles as f64 / *units as f64),
    };
    format!(
        "{}: {work}\n{cycles} kernel cycles, {each}\n\
         largest deviation from double precision: {:.2} of the limit, {}\n",
        finished.name(),
        finished.check.distance,
        finished.about.reference.unit
    )
}
