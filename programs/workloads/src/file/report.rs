//! The report on a run of a workload file, as text and as JSON.

use super::CommandVerdict;
use super::results::{ResultArray, ResultCheck, Results};
use crate::workload::counts;
use cp2_document::{Field, ValueKind, object, schema, tagged};
use cp2_emu::Stats;
use cp2_emu::stats::Cause;
use cp2_isa::machine::Switch;
use cp2_session::npy::shape_text;
use cp2_session::workload::TriedVariant;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The report on a run of a workload file.
pub(super) struct Report {
    pub(super) workload: String,
    /// Variant that ran.
    pub(super) variant: String,
    /// Variants that were considered, if there are several.
    pub(super) tried: Vec<TriedVariant>,
    pub(super) stats: Stats,
    pub(super) results: Results,
    /// Changes of the core against that of CP2, a line each.
    pub(super) core: Vec<String>,
}

/// Returns the fewest cycles that the operations of a run can take: those of the fuller slot.
pub(super) fn bound(stats: &Stats) -> (u64, &'static str) {
    let of = |cause: Cause| stats.causes[cause as usize];
    let arithmetic = of(Cause::Both) + of(Cause::Arithmetic);
    let exchange = of(Cause::Both) + of(Cause::Exchange);
    match arithmetic >= exchange {
        true => (arithmetic, "arithmetic slot"),
        false => (exchange, "exchange slot"),
    }
}

impl Report {
    /// Returns the report as text for people.
    pub(super) fn text(&self) -> String {
        let (least, slot) = bound(&self.stats);
        let percent = 100.0 * least as f64 / self.stats.cycles.max(1) as f64;
        let variant = variant_of(&self.variant, self.tried.len());
        let mut text = format!(
            "{}{variant}: {} cycles; bound {least}, operations of the {slot}: {percent:.1} %\n",
            self.workload, self.stats.cycles
        );
        text += &counts(&self.stats);
        text += &results_text(&self.results, &self.tried, &self.variant);
        if !self.core.is_empty() {
            let _ = writeln!(text, "on a core with {}", self.core.join(", "));
        }
        text
    }

    /// Returns the report as a JSON document.
    pub(super) fn to_json(&self) -> Value {
        cp2_document::document(TAG, REPORT, self)
    }
}

/// Returns words that tell the variant that ran, if it is one of several.
pub(super) fn variant_of(name: &str, tried: usize) -> String {
    match tried {
        0 | 1 => String::new(),
        n => format!(", variant {name} of {n}"),
    }
}

/// Returns lines about the results of a run by `variant`, the command that checks them, and the other variants.
pub(super) fn results_text(results: &Results, tried: &[TriedVariant], variant: &str) -> String {
    let mut text: String = results.arrays.iter().map(line_of).collect();
    if let Some(verdict) = &results.command {
        let words = match verdict {
            CommandVerdict::Right => "finds the results right",
            CommandVerdict::Wrong(_) => "finds the results wrong",
            CommandVerdict::NotRun => "was not run; --allow-commands lets it check the results",
        };
        let _ = writeln!(text, "the command of the file {words}");
    }
    for tried in tried.iter().filter(|tried| tried.name != variant) {
        text += &other_of(tried);
    }
    text
}

/// Returns the line of a result.
fn line_of(ResultArray { name, array, check }: &ResultArray) -> String {
    let what = format!("{name}: {} {}", array.kind, shape_text(&array.shape));
    match check {
        None => format!("{what}, not compared\n"),
        Some(ResultCheck { path, distance: 0.0, .. }) => format!("{what}, exactly as {path}\n"),
        Some(ResultCheck { path, distance, difference, .. }) => {
            let verdict = if difference.is_none() { "as" } else { "not as" };
            format!("{what}, {verdict} {path}: largest distance {distance:.2e}\n")
        }
    }
}

/// Returns the line of a variant that was not taken.
fn other_of(tried: &TriedVariant) -> String {
    let TriedVariant { name, is_allowed, cycles, problem, .. } = tried;
    match (is_allowed, cycles, problem) {
        (false, ..) => format!("variant {name} needs {}\n", names(&tried.needs)),
        (true, _, Some(problem)) => format!("variant {name} cannot be taken: {problem}\n"),
        (true, Some(cycles), None) => format!("variant {name} takes {cycles} cycles\n"),
        (true, None, None) => format!("variant {name} was not run\n"),
    }
}

/// Returns the names of extensions with commas between.
pub(super) fn names(switches: &[Switch]) -> String {
    switches.iter().map(Switch::to_string).collect::<Vec<_>>().join(",")
}

/// Tag of the JSON report.
pub(super) const TAG: &str = "cp2-workload-1";

/// Returns the JSON Schema of the report.
pub(super) fn report_schema() -> Value {
    tagged(TAG, REPORT, &[])
}

pub(super) const RESULT: &[Field<ResultArray>] = &[
    Field::new("name", ValueKind::Text, "", "of the array", |r| r.name.as_str().into()),
    Field::new("type", ValueKind::Text, "", "of its elements", |r| r.array.kind.name().into()),
    Field::new("shape", ValueKind::Numbers, "elements", "size of each axis", |r| {
        json!(r.array.shape)
    }),
    Field::or_null("expected", ValueKind::Text, "", "file that it is compared with", |r| {
        json!(r.check.as_ref().map(|check| &check.path))
    }),
    Field::or_null(
        "distance",
        ValueKind::Number,
        "that of the elements",
        "largest from an expected element; null if nothing is expected, or it is infinite",
        |r| json!(r.check.as_ref().map(|check| check.distance)),
    ),
    Field::or_null("is_right", ValueKind::Flag, "", "whether it is as expected", |r| {
        json!(r.check.as_ref().map(|check| check.difference.is_none()))
    }),
];

pub(super) const VARIANT: &[Field<TriedVariant>] = &[
    Field::new("name", ValueKind::Text, "", "of the variant", |v| v.name.as_str().into()),
    Field::new("needs", ValueKind::Texts, "", "extensions that it needs", |v| {
        v.needs.iter().map(Switch::to_string).collect()
    }),
    Field::new("is_allowed", ValueKind::Flag, "", "whether the core has these", |v| {
        v.is_allowed.into()
    }),
    Field::or_null("cycles", ValueKind::Integer, "cycles", "of its run; null if not run", |v| {
        json!(v.cycles)
    }),
    Field::or_null("problem", ValueKind::Text, "", "why it cannot be taken", |v| json!(v.problem)),
];

const REPORT: &[Field<Report>] = &[
    Field::new("workload", ValueKind::Text, "", "name of the workload", |r| {
        r.workload.as_str().into()
    }),
    Field::new("variant", ValueKind::Text, "", "that ran", |r| r.variant.as_str().into()),
    Field::new("cycles", ValueKind::Integer, "cycles", "of the run", |r| r.stats.cycles.into()),
    Field::new(
        "bound_cycles",
        ValueKind::Integer,
        "cycles",
        "fewest that the operations of the fuller slot can take",
        |r| bound(&r.stats).0.into(),
    ),
    Field::new("flops", ValueKind::Integer, "operations", "of all sections", |r| {
        r.stats.total_flops().into()
    }),
    Field::new(
        "results",
        ValueKind::Objects(|| schema(RESULT, &[])),
        "",
        "arrays that the kernel writes",
        |r| r.results.arrays.iter().map(|result| object(RESULT, result)).collect(),
    ),
    Field::or_null(
        "command_is_right",
        ValueKind::Flag,
        "",
        "whether the command of the file finds the results right; null if there is none or it was not run",
        |r| r.results.command_json(),
    ),
    Field::new(
        "variants",
        ValueKind::Objects(|| schema(VARIANT, &[])),
        "",
        "all that were considered",
        |r| r.tried.iter().map(|tried| object(VARIANT, tried)).collect(),
    ),
    Field::optional(
        "core",
        ValueKind::Texts,
        "",
        "numbers of the core that are not those of CP2, a line each",
        |r| if r.core.is_empty() { Value::Null } else { json!(r.core) },
    ),
];
