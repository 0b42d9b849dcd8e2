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

/// Run of a variant, as the reports on CP2 alone and on a machine tell it alike: which one, and what it gave.
pub(super) struct VariantRun {
    pub(super) workload: String,
    /// Variant that ran.
    pub(super) variant: String,
    /// Variants that were considered, if there are several.
    pub(super) tried: Vec<TriedVariant>,
    pub(super) results: Results,
    /// Changes of the core against that of CP2, a line each.
    pub(super) core: Vec<String>,
}

/// The report on a run of a workload file on CP2 alone.
pub(super) struct Report {
    pub(super) run: VariantRun,
    pub(super) stats: Stats,
}

impl AsRef<VariantRun> for Report {
    fn as_ref(&self) -> &VariantRun {
        &self.run
    }
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
        let mut text = format!(
            "{}: {} cycles; bound {least}, operations of the {slot}: {percent:.1} %\n",
            self.run.name(),
            self.stats.cycles
        );
        text += &counts(&self.stats);
        text + &self.run.results_text() + &self.run.core_text()
    }

    /// Returns the report as a JSON document.
    pub(super) fn to_json(&self) -> Value {
        cp2_document::document(TAG, &fields(), self)
    }
}

impl VariantRun {
    /// Returns the name of the workload, with the variant that ran if it is one of several.
    pub(super) fn name(&self) -> String {
        match self.tried.len() {
            0 | 1 => self.workload.clone(),
            n => format!("{}, variant {} of {n}", self.workload, self.variant),
        }
    }

    /// Returns lines about the results, the command that checks them, and the variants that were not taken.
    pub(super) fn results_text(&self) -> String {
        let mut text: String = self.results.arrays.iter().map(line_of).collect();
        if let Some(verdict) = &self.results.command {
            let words = match verdict {
                CommandVerdict::Right => "finds the results right",
                CommandVerdict::Wrong(_) => "finds the results wrong",
                CommandVerdict::NotStarted(_) => "cannot be started",
                CommandVerdict::NotRun => "was not run; --allow-commands lets it check the results",
            };
            let _ = writeln!(text, "the command of the file {words}");
        }
        for tried in self.tried.iter().filter(|tried| tried.name != self.variant) {
            text += &other_of(tried);
        }
        text
    }

    /// Returns the line about a core that is not that of CP2; empty for that of CP2.
    pub(super) fn core_text(&self) -> String {
        match self.core.is_empty() {
            true => String::new(),
            false => format!("on a core with {}\n", self.core.join(", ")),
        }
    }
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
    tagged(TAG, &fields(), &[])
}

const RESULT: &[Field<ResultArray>] = &[
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

const VARIANT: &[Field<TriedVariant>] = &[
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

/// Returns the rows of the names of workload and variant.
pub(super) fn name_rows<R: AsRef<VariantRun>>() -> [Field<R>; 2] {
    [
        Field::new("workload", ValueKind::Text, "", "name of the workload", |r| {
            r.as_ref().workload.as_str().into()
        }),
        Field::new("variant", ValueKind::Text, "", "that ran", |r| {
            r.as_ref().variant.as_str().into()
        }),
    ]
}

/// Returns the rows of the results, of the variants, and of the core.
pub(super) fn result_rows<R: AsRef<VariantRun>>() -> [Field<R>; 4] {
    [
        Field::new(
            "results",
            ValueKind::Objects(|| schema(RESULT, &[])),
            "",
            "arrays that the kernels write",
            |r| r.as_ref().results.arrays.iter().map(|result| object(RESULT, result)).collect(),
        ),
        Field::or_null(
            "command_is_right",
            ValueKind::Flag,
            "",
            "whether the command of the file finds the results right; null if there is none or it was not run",
            |r| r.as_ref().results.command_json(),
        ),
        Field::new(
            "variants",
            ValueKind::Objects(|| schema(VARIANT, &[])),
            "",
            "all that were considered",
            |r| r.as_ref().tried.iter().map(|tried| object(VARIANT, tried)).collect(),
        ),
        Field::optional(
            "core",
            ValueKind::Texts,
            "",
            "numbers of the core that are not those of CP2, a line each",
            |r| match &r.as_ref().core {
                core if core.is_empty() => Value::Null,
                core => json!(core),
            },
        ),
    ]
}

/// Returns the rows of the report, in their order.
fn fields() -> Vec<Field<Report>> {
    let mut fields = Vec::from(name_rows());
    fields.extend([
        Field::new("cycles", ValueKind::Integer, "cycles", "of the run", |r: &Report| {
            r.stats.cycles.into()
        }),
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
    ]);
    fields.extend(result_rows());
    fields
}
