//! The whole report of `cp2 estimate`: the steps, and what stands beside them.

use crate::estimate::Estimate;
use crate::inputs::{Inputs, LabError};
use crate::simulated::RatesBeside;
use cp2_document::{self as document, Field, ValueKind};
use serde_json::Value;

/// Tag of the JSON report.
const SCHEMA: &str = "cp2-estimate-1";

/// Estimate with what is known beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct EstimateReport {
    /// Estimate of the procedure.
    pub estimate: Estimate,
    /// Simulations and measurements of the procedure, if they were asked for.
    pub beside: Option<RatesBeside>,
}

impl EstimateReport {
    /// Estimates a procedure; simulates it too if `simulates`.
    ///
    /// # Errors
    /// No such procedure, wrong numbers, or a procedure that does not run.
    pub fn new(procedure: &str, inputs: &Inputs, simulates: bool) -> Result<Self, LabError> {
        let estimate = Estimate::new(procedure, inputs)?;
        let beside = simulates.then(|| RatesBeside::new(&estimate)).transpose()?;
        Ok(Self { estimate, beside })
    }

    /// Returns the report for people.
    pub fn text(&self) -> String {
        self.estimate.text() + &self.beside.as_ref().map_or(String::new(), RatesBeside::text)
    }

    /// Returns the report as JSON.
    pub fn to_json(&self) -> Value {
        document::document(SCHEMA, &REPORT, self)
    }
}

/// Returns the schema of the JSON report.
pub fn schema() -> Value {
    let shape = document::tagged(SCHEMA, &REPORT, &[]);
    document::whole("Report of `cp2 estimate --json`", &[shape])
}

const REPORT: [Field<EstimateReport>; 2] = [
    Field::new("estimate", ValueKind::Object(Estimate::schema), "", "by the ten steps", |r| {
        r.estimate.to_json()
    }),
    Field::or_null(
        "beside",
        ValueKind::Object(RatesBeside::schema),
        "",
        "null with --alone",
        |r| r.beside.as_ref().map_or(Value::Null, RatesBeside::to_json),
    ),
];
