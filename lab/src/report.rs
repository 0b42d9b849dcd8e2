//! The whole report of `cp2 estimate`: an estimate, with simulated and measured rates beside it.

use crate::estimate::{Estimate, EstimatedWork};
use crate::inputs::{Inputs, LabError};
use crate::simulated::ObservedRates;
use cp2_document::{self as document, Field, ValueKind};
use serde_json::Value;

/// Tag of the JSON report.
const SCHEMA: &str = "cp2-estimate-1";

/// Report of `cp2 estimate`: the estimate of a procedure's rate, and beside it rates of the procedure that were
/// simulated or measured. [`EstimateReport::new`] makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct EstimateReport {
    /// Estimate of the procedure: its rate and time, with the steps that lead to them.
    pub estimate: Estimate,
    /// Simulated and measured rates of the procedure, each with its origin; `None` if they were not asked for.
    pub observed: Option<ObservedRates>,
}

impl EstimateReport {
    /// Estimates a procedure or workload on the system and for the sizes in `inputs`. If `simulates` is set, also runs
    /// a procedure on the emulator and collects measured rates, or adds the simulated rate of a workload that was run.
    ///
    /// # Errors
    /// There is no such procedure, a number is missing or wrong, or a simulation fails.
    pub fn new(work: &EstimatedWork, inputs: &Inputs, simulates: bool) -> Result<Self, LabError> {
        let estimate = Estimate::new(work, inputs)?;
        let observe = || match work {
            EstimatedWork::Procedure(_) => ObservedRates::new(&estimate),
            EstimatedWork::Counted(counted) => ObservedRates::of_counted(&estimate, counted),
        };
        let observed = simulates.then(observe).transpose()?;
        Ok(Self { estimate, observed })
    }

    /// Returns the report as text for people.
    pub fn text(&self) -> String {
        self.estimate.text() + &self.observed.as_ref().map_or(String::new(), ObservedRates::text)
    }

    /// Returns the report as a JSON document, which [`schema`] describes.
    pub fn to_json(&self) -> Value {
        document::document(SCHEMA, &REPORT, self)
    }
}

/// Returns the JSON schema of the document of `cp2 estimate --json` ([`EstimateReport::to_json`]).
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
        ValueKind::Object(ObservedRates::schema),
        "",
        "null with --alone",
        |r| r.observed.as_ref().map_or(Value::Null, ObservedRates::to_json),
    ),
];
