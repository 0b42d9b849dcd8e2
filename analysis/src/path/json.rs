//! A critical path as JSON, with its schema.

use super::{CriticalPath, PathKind, PathPlace, PathSum};
use cp2_document::{self as document, Field, ValueKind};
use serde_json::Value;
use std::collections::BTreeMap;

const SCHEMA: &str = "cp2-path-1";

/// Kind of edge with the sum of its edges.
struct KindSum {
    kind: PathKind,
    sum: PathSum,
}

const KIND: [Field<KindSum>; 5] = [
    Field::new("kind", ValueKind::Text, "", "what the edges wait for", |k| k.kind.name().into()),
    Field::new("description", ValueKind::Text, "", "the same in words", |k| {
        k.kind.description().into()
    }),
    Field::or_null(
        "key",
        ValueKind::Text,
        "",
        "key of the machine that sets the length of an edge; null if none does",
        |k| k.kind.key().into(),
    ),
    Field::new("cycles", ValueKind::Integer, "cycles", "sum of the lengths of the edges", |k| {
        k.sum.cycles.into()
    }),
    Field::new(
        "edges",
        ValueKind::Integer,
        "",
        "number of edges: the most cycles that are saved if each is one cycle shorter",
        |k| k.sum.edges.into(),
    ),
];

fn kind_schema() -> Value {
    document::schema(&KIND, &[])
}

fn kinds(sums: &BTreeMap<PathKind, PathSum>) -> Value {
    let object = |(kind, sum): (&PathKind, &PathSum)| {
        document::object(&KIND, &KindSum { kind: *kind, sum: *sum })
    };
    sums.iter().map(object).collect()
}

const PLACE: [Field<PathPlace>; 6] = [
    Field::or_null("label", ValueKind::Text, "", "nearest label before the operations", |p| {
        p.position.label.clone().into()
    }),
    Field::or_null("file", ValueKind::Text, "", "source file", |p| p.position.file.clone().into()),
    Field::or_null("line", ValueKind::Integer, "", "in the file, from 1", |p| {
        p.position.line.into()
    }),
    Field::new("cycles", ValueKind::Integer, "cycles", "sum of the edges that end here", |p| {
        p.sum.cycles.into()
    }),
    Field::new("edges", ValueKind::Integer, "", "number of the edges that end here", |p| {
        p.sum.edges.into()
    }),
    Field::new("kinds", ValueKind::Objects(kind_schema), "", "the same by kind", |p| {
        kinds(&p.kinds)
    }),
];

fn place_schema() -> Value {
    document::schema(&PLACE, &[])
}

/// A run of the same program on a machine one of whose numbers is one less.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShorterRun {
    /// Key of the machine whose number is one less.
    pub key: String,
    /// Value that the number has in the run.
    pub value: u32,
    /// Number of cycles of the run on that machine.
    pub cycles: u64,
}

const SHORTER: [Field<(ShorterRun, u64)>; 4] = [
    Field::new("key", ValueKind::Text, "", "key of the machine", |s| s.0.key.clone().into()),
    Field::new("value", ValueKind::Integer, "", "its number in that run", |s| s.0.value.into()),
    Field::new("cycles", ValueKind::Integer, "cycles", "of that run", |s| s.0.cycles.into()),
    Field::new("saved", ValueKind::Integer, "cycles", "less than this run has", |s| {
        (s.1 as i64 - s.0.cycles as i64).into()
    }),
];

fn shorter_schema() -> Value {
    document::schema(&SHORTER, &[])
}

/// A path with the runs that were made to see what a shorter latency gives.
struct Whole {
    path: CriticalPath,
    shorter: Vec<ShorterRun>,
}

const WHOLE: [Field<Whole>; 7] = [
    Field::new("begin", ValueKind::Integer, "cycles", "first cycle of the run, from reset", |w| {
        w.path.cycles.start.0.into()
    }),
    Field::new("end", ValueKind::Integer, "cycles", "cycle behind the last one", |w| {
        w.path.cycles.end.0.into()
    }),
    Field::new(
        "cycles",
        ValueKind::Integer,
        "cycles",
        "of the path, which are all of the run",
        |w| w.path.total().cycles.into(),
    ),
    Field::new(
        "walked_cycles",
        ValueKind::Integer,
        "cycles",
        "of kernels that were walked; the others are in pieces equal to these",
        |w| w.path.walked_cycles.into(),
    ),
    Field::new("kinds", ValueKind::Objects(kind_schema), "", "sums by kind of edge", |w| {
        kinds(&w.path.kinds)
    }),
    Field::new(
        "places",
        ValueKind::Objects(place_schema),
        "",
        "sums by place in the source, the largest first",
        |w| {
            let places = w.path.places.iter().filter(|place| place.sum.edges > 0);
            places.map(|place| document::object(&PLACE, place)).collect()
        },
    ),
    Field::new(
        "shorter",
        ValueKind::Objects(shorter_schema),
        "",
        "runs with a number of the machine one less (--less)",
        |w| {
            let all = w.path.total().cycles;
            let told = w.shorter.iter().map(|run| document::object(&SHORTER, &(run.clone(), all)));
            told.collect()
        },
    ),
];

impl CriticalPath {
    /// Returns the path as a JSON object, whose values [`schema`] describes, with the runs that were made to see what a
    /// shorter latency gives.
    pub fn to_json(&self, shorter: &[ShorterRun]) -> Value {
        document::document(SCHEMA, &WHOLE, &Whole { path: self.clone(), shorter: shorter.to_vec() })
    }
}

/// Returns the JSON Schema of [`CriticalPath::to_json`], with the unit and a description of every value.
pub fn schema() -> Value {
    let shape = document::tagged(SCHEMA, &WHOLE, &[]);
    document::whole("Report of `cp2 path R --json`", &[shape])
}
