//! `cp2 run --check`: what a checked run found.

use crate::process::exit::{Exit, Outcome, complain};
use crate::storage::files;
use cp2_emu::Stats;
use cp2_session::Checked;
use cp2_session::sanitizer::{BROKEN_PROMISE, Finding};
use serde_json::{Value, json};

/// Findings of a checked run.
pub(super) struct CheckFindings(pub(super) Checked);

impl CheckFindings {
    /// Prints the findings; returns whether a promise was broken.
    pub(super) fn tell(&self) -> Outcome<bool> {
        for finding in &self.0.findings {
            complain(format!("cp2: error: {finding}"));
        }
        if let Some(broken) = &self.0.broken {
            complain(format!("cp2: error: {broken} [{BROKEN_PROMISE}]"));
        }
        if !self.0.findings.is_empty() {
            let n = self.0.findings.len();
            let places = if n == 1 { "place" } else { "places" };
            let allowed = match self.0.allowed {
                0 => String::new(),
                n => format!("; the source allows {n} more cases"),
            };
            complain(format!("cp2: the check found {n} {places}{allowed}"));
        }
        Ok(self.0.broken.is_some())
    }

    /// Reports a run that was broken off because of a promise.
    pub(super) fn broken(&self, json: bool, stats: &Stats) -> Outcome {
        if let Some(broken) = self.0.broken.as_ref().filter(|_| json) {
            files::print_json(&json!({
                "schema": "cp2-run-1",
                "end": {
                    "kind": "broken_promise",
                    "place": broken.place,
                    "region": broken.region,
                    "address": broken.address.0,
                    "message": broken.message,
                },
                "stats": stats.to_json(),
                "check": self.to_json(),
            }))?;
        }
        Ok(Exit::Check)
    }

    /// Returns the findings as JSON.
    pub(super) fn to_json(&self) -> Value {
        let findings: Vec<Value> = self.0.findings.iter().map(Finding::to_json).collect();
        json!({ "findings": findings, "allowed": self.0.allowed })
    }
}
