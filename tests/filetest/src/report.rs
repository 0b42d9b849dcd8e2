//! The results of several files: sums, JSON and its schema.

use crate::{CaseResult, Failure};
use cp2_document::{self as document, Field, ValueKind};
use serde_json::Value;

/// Results of the files that were tested together, from which [`report`] makes the report of `cp2 test`.
#[derive(Debug, Default)]
pub struct Summary {
    /// Number of files that were tested.
    pub files: usize,
    /// Outcomes of the cases of the files, in order.
    pub cases: Vec<CaseResult>,
}

impl Summary {
    /// Returns the number of directives, in all cases of all files, that run a program or expect something.
    pub fn checks(&self) -> usize {
        self.cases.iter().map(|case| case.checks).sum()
    }

    /// Returns the number of cases with at least one failure.
    pub fn failed(&self) -> usize {
        self.cases.iter().filter(|case| !case.failures.is_empty()).count()
    }
}

const FIELDS: [Field<Summary>; 5] = [
    Field::new("files", ValueKind::Integer, "files", "that were tested", |s| s.files.into()),
    Field::new("cases", ValueKind::Integer, "cases", "in all files", |s| s.cases.len().into()),
    Field::new("checks", ValueKind::Integer, "expectations", "in all cases", |s| s.checks().into()),
    Field::new(
        "failed",
        ValueKind::Integer,
        "cases",
        "in which something is not as expected",
        |s| s.failed().into(),
    ),
    Field::new(
        "results",
        ValueKind::Objects(|| document::schema(&CASE, &[])),
        "",
        "of every case, in the order of the files",
        |s| s.cases.iter().map(|case| document::object(&CASE, case)).collect(),
    ),
];

const CASE: [Field<CaseResult>; 6] = [
    Field::new("file", ValueKind::Text, "", "name of the file", |c| c.file.as_str().into()),
    Field::new("case", ValueKind::Text, "", "name of the case; empty if the file has none", |c| {
        c.name.as_str().into()
    }),
    Field::new("line", ValueKind::Integer, "lines", "at which it begins, from 1", |c| {
        c.line.into()
    }),
    Field::new("checks", ValueKind::Integer, "expectations", "that it has", |c| c.checks.into()),
    Field::new("cycles", ValueKind::Integer, "cycles", "of its runs, each counted once", |c| {
        c.cycles.into()
    }),
    Field::new(
        "failures",
        ValueKind::Objects(|| document::schema(&FAILURE, &[])),
        "",
        "what is not as expected",
        |c| c.failures.iter().map(|f| document::object(&FAILURE, f)).collect(),
    ),
];

const FAILURE: [Field<Failure>; 3] = [
    Field::new("line", ValueKind::Integer, "lines", "of the expectation, from 1", |f| {
        f.line().into()
    }),
    Field::new("message", ValueKind::Text, "", "what was found and what was expected", |f| {
        f.message().into()
    }),
    Field::new("blessable", ValueKind::Flag, "", "whether `--bless` makes it right", |f| {
        f.is_blessable().into()
    }),
];

/// Returns the JSON document that `cp2 test --json` prints: the counts of files, cases, expectations and failed cases,
/// and the result of each case.
pub fn report(summary: &Summary) -> Value {
    document::document("cp2-test-1", &FIELDS, summary)
}

/// Returns the JSON Schema of the document that [`report`] makes.
pub fn schema() -> Value {
    let shape = document::tagged("cp2-test-1", &FIELDS, &[]);
    document::whole("Report of `cp2 test --json`", &[shape])
}
