//! Reports of runs on CP2.

use crate::cp2::Cp2NestRun;
use cp2_document::{Field, ValueKind, document, tagged};
use cp2_nest::Nest;
use serde_json::Value;

/// A run of a nest on CP2, as reports tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunReport {
    name: String,
    parameters: Vec<String>,
    run: Cp2NestRun,
    is_equal: bool,
}

impl RunReport {
    /// Makes the report of a run; `is_equal` says whether its results are those of the nest in order.
    pub fn new(nest: &Nest, parameters: &[i64], run: Cp2NestRun, is_equal: bool) -> Self {
        let named = nest.parameters.iter().zip(parameters);
        let parameters = named.map(|(name, value)| format!("{} = {value}", name.name)).collect();
        Self { name: nest.name.clone(), parameters, run, is_equal }
    }

    /// Whether the results are those of the nest in order.
    pub fn is_equal(&self) -> bool {
        self.is_equal
    }

    /// Returns the share of the cycles in which the fuller slot has work, in percent.
    fn share(&self) -> f64 {
        (1000.0 * self.run.bound as f64 / self.run.cycles.max(1) as f64).round() / 10.0
    }
}

const RUN: &[Field<RunReport>] = &[
    Field::new("nest", ValueKind::Text, "", "Name of the function.", |r| r.name.clone().into()),
    Field::new("parameters", ValueKind::Texts, "", "Values of the parameters.", |r| {
        r.parameters.clone().into()
    }),
    Field::new("cycles", ValueKind::Integer, "cycles", "From start to stop.", |r| {
        r.run.cycles.into()
    }),
    Field::new(
        "operations",
        ValueKind::Integer,
        "operations",
        "Those of the fuller slot, as the source has them.",
        |r| r.run.bound.into(),
    ),
    Field::new("share", ValueKind::Number, "%", "Operations of the fuller slot by cycles.", |r| {
        r.share().into()
    }),
    Field::new("words", ValueKind::Integer, "words", "Local memory of each section.", |r| {
        r.run.words.into()
    }),
    Field::new("equal", ValueKind::Flag, "", "Whether results are those in order.", |r| {
        r.is_equal.into()
    }),
];

/// Tag of the report.
const TAG: &str = "cp2-loops-run 1";

/// Returns the report as JSON.
pub fn run_to_json(report: &RunReport) -> Value {
    document(TAG, RUN, report)
}

/// Returns the schema of the report.
pub(super) fn shape() -> Value {
    tagged(TAG, RUN, &[])
}

/// Returns the report as text.
pub fn run_to_text(report: &RunReport) -> String {
    let Cp2NestRun { cycles, bound, words } = report.run;
    let equal = match report.is_equal {
        true => "results are those of the nest in order, bit for bit",
        false => "results are NOT those of the nest in order",
    };
    let parameters = match report.parameters.is_empty() {
        true => String::new(),
        false => format!(", {}", report.parameters.join(", ")),
    };
    format!(
        "{} on CP2{parameters}: {cycles} cycles\n\
         fuller slot: {bound} operations, {:.1} % of the cycles\n\
         local memory: {words} words of each section\n\
         {equal}\n",
        report.name,
        report.share(),
    )
}
