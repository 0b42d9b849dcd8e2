//! Reports of what is found of a nest, as text and as JSON.

mod rows;
mod run;
mod text;

pub use rows::NestReport;
pub use run::{RunReport, run_to_json, run_to_text};
pub use text::to_text;

use crate::locality::SharingTheorem;
use cp2_document::{Field, ValueKind, document, object, schema as fields_schema, tagged, whole};
use rows::{ArrayRow, CheckRow, DependenceRow, OccurrenceRow, StatementRow, rule_name, step_name};
use serde_json::Value;

const STATEMENT: &[Field<StatementRow>] = &[
    Field::new("line", ValueKind::Integer, "", "Line of the assignment.", |r| r.line.into()),
    Field::new("text", ValueKind::Text, "", "Text of the assignment.", |r| r.text.clone().into()),
    Field::new("threads", ValueKind::Texts, "", "Thread number for each dimension.", |r| {
        r.threads.clone().into()
    }),
];

const OCCURRENCE: &[Field<OccurrenceRow>] = &[
    Field::new("line", ValueKind::Integer, "", "Line of the occurrence.", |r| r.line.into()),
    Field::new("text", ValueKind::Text, "", "Element, as in the text.", |r| r.text.clone().into()),
    Field::new(
        "class",
        ValueKind::Text,
        "",
        "B broadcast, L local, P private, PL both, - none of them.",
        |r| r.one.class.letters().into(),
    ),
    Field::or_null("theorem", ValueKind::Integer, "", "Theorem by which it is a broadcast.", |r| {
        match r.one.class.broadcast {
            Some(SharingTheorem::SameElement) => 1.into(),
            Some(SharingTheorem::SameOrigin) => 2.into(),
            None => Value::Null,
        }
    }),
    Field::new(
        "mixes_origins",
        ValueKind::Flag,
        "",
        "Whether neighbours read at once what different instances wrote.",
        |r| r.one.mixes_origins.into(),
    ),
    Field::new("words", ValueKind::Integer, "words", "Fetched by four threads in a step.", |r| {
        r.one.words.into()
    }),
];

const ARRAY: &[Field<ArrayRow>] = &[
    Field::new("name", ValueKind::Text, "", "Name of the array.", |r| r.name.clone().into()),
    Field::new(
        "residues",
        ValueKind::Numbers,
        "",
        "Last index less thread number modulo 4, over all local occurrences.",
        |r| r.layout.residues.clone().into(),
    ),
    Field::new("copies", ValueKind::Integer, "", "Copies that serve all residues.", |r| {
        r.layout.copies.into()
    }),
    Field::new(
        "one_address",
        ValueKind::Flag,
        "",
        "Whether one address serves all sections at each step.",
        |r| r.layout.has_one_address.into(),
    ),
    Field::new("written", ValueKind::Flag, "", "Whether the nest writes it.", |r| {
        r.layout.is_written.into()
    }),
];

const DEPENDENCE: &[Field<DependenceRow>] = &[
    Field::new("kind", ValueKind::Text, "", "flow, anti or output.", |r| r.kind.name().into()),
    Field::new("array", ValueKind::Text, "", "Name of the array.", |r| r.array.clone().into()),
    Field::new("from", ValueKind::Integer, "", "Line that comes first.", |r| r.from.into()),
    Field::new("to", ValueKind::Integer, "", "Line that depends on it.", |r| r.to.into()),
    Field::new("parts", ValueKind::Integer, "", "Convex parts of its pairs.", |r| r.parts.into()),
];

const CHECK: &[Field<CheckRow>] = &[
    Field::new("parameters", ValueKind::Texts, "", "Values of the parameters.", |r| {
        r.parameters.clone().into()
    }),
    Field::new("instances", ValueKind::Integer, "", "Instances that were enumerated.", |r| {
        r.check.instances.into()
    }),
    Field::new("threads", ValueKind::Integer, "", "Threads that the maps make.", |r| {
        r.check.threads.into()
    }),
    Field::new("most", ValueKind::Integer, "", "Threads that any maps could make.", |r| {
        r.check.most.into()
    }),
];

fn list<T>(fields: &[Field<T>], rows: &[T]) -> Value {
    rows.iter().map(|row| object(fields, row)).collect()
}

const DIMENSIONS: Field<NestReport> =
    Field::new("dimensions", ValueKind::Integer, "", "Dimensions of the threads.", |r| {
        r.dimensions.into()
    });

const STATEMENTS: Field<NestReport> = Field::new(
    "statements",
    ValueKind::Objects(|| fields_schema(STATEMENT, &[])),
    "",
    "Assignments with their threads.",
    |r| list(STATEMENT, &r.statements),
);

const CHECKS: Field<NestReport> = Field::new(
    "checks",
    ValueKind::Objects(|| fields_schema(CHECK, &[])),
    "",
    "Checks by enumeration.",
    |r| list(CHECK, &r.checks),
);

/// Fields of a part that has threads in each iteration of a loop.
const PHASE: &[Field<NestReport>] = &[DIMENSIONS, STATEMENTS, CHECKS];

const REPORT: &[Field<NestReport>] = &[
    Field::new("nest", ValueKind::Text, "", "Name of the function.", |r| r.name.clone().into()),
    Field::new("storage", ValueKind::Text, "", "kept, expanded or reduced.", |r| {
        rule_name(r.rule).into()
    }),
    Field::new(
        "step",
        ValueKind::Text,
        "",
        "Step that found the maps: one-to-one, chosen-indices, demanded or sequential.",
        |r| step_name(r.step).into(),
    ),
    Field::new("room", ValueKind::Integer, "", "Dimensions of the independent instances.", |r| {
        r.room.into()
    }),
    DIMENSIONS,
    STATEMENTS,
    Field::new(
        "dependences",
        ValueKind::Objects(|| fields_schema(DEPENDENCE, &[])),
        "",
        "Direct dependences.",
        |r| list(DEPENDENCE, &r.dependences),
    ),
    Field::or_null("reason", ValueKind::Text, "", "Why there is one thread.", |r| {
        r.reason.as_ref().map(|reason| reason.text.clone()).into()
    }),
    Field::new(
        "axes",
        ValueKind::Texts,
        "",
        "Thread numbers in the best order; neighbours differ in the first.",
        |r| r.sharing.as_ref().map(|rows| rows.axes.clone()).unwrap_or_default().into(),
    ),
    Field::new(
        "occurrences",
        ValueKind::Objects(|| fields_schema(OCCURRENCE, &[])),
        "",
        "Occurrences of arrays, and how neighbours share them.",
        |r| list(OCCURRENCE, r.sharing.as_ref().map_or(&[], |rows| &rows.occurrences)),
    ),
    Field::new(
        "arrays",
        ValueKind::Objects(|| fields_schema(ARRAY, &[])),
        "",
        "Arrays, and how they lie in the memories of sections.",
        |r| list(ARRAY, r.sharing.as_ref().map_or(&[], |rows| &rows.arrays)),
    ),
    CHECKS,
    Field::or_null(
        "outer",
        ValueKind::Text,
        "",
        "Index of the loop that stays sequential around the phases.",
        |r| r.phases.as_ref().map(|(index, _)| index.clone()).into(),
    ),
    Field::new(
        "phases",
        ValueKind::Objects(|| fields_schema(PHASE, &[])),
        "",
        "Parts with threads in each iteration of the outer loop; all threads wait between them.",
        |r| list(PHASE, r.phases.as_ref().map_or(&[], |(_, phases)| phases)),
    ),
];

/// Tag of the report.
const TAG: &str = "cp2-loops 1";

/// Returns the report as JSON.
pub fn to_json(report: &NestReport) -> Value {
    document(TAG, REPORT, report)
}

/// Returns the JSON Schema of reports.
pub fn schema() -> Value {
    let shapes = [tagged(TAG, REPORT, &[]), run::shape()];
    whole("Report of `cp2 loops NEST --json`, and with `--run`", &shapes)
}
