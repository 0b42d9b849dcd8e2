//! Reports of the folder of a sweep: how much is done, the whole sweep as one table, and single rows run again and
//! compared.

use super::address::RowAddress;
use super::axis::Choice;
use super::outcome::PointOutcome;
use super::run::{ShardSummary, evaluate};
use super::spec::Spec;
use super::store::RowStore;
use super::table::{self, Data};
use crate::inputs::LabError;
use cp2_document::{self as document, Field, ValueKind};
use cp2_session::Environment;
use cp2_session::reuse::Shelf;
use serde_json::Value;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Arc;

/// State of a sweep: how many of its points have been run and have a row in its folder. Points with the same address
/// (hash of all that an outcome depends on) have the same outcome and count as one where a field says "different".
/// [`status`] makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepStatus {
    /// Number of points of the sweep.
    pub points: u64,
    /// Number of different addresses among the points, each of which is run once.
    pub different: u64,
    /// Number of different points that have a row in the folder, with counts or with a problem.
    pub done: u64,
    /// Number of different points whose row has no counts, because the workload does not run there or its result is
    /// wrong.
    pub problems: u64,
    /// Number of rows in the folder whose address another row has too, because a second process ran the point again.
    pub repeated: u64,
    /// Number of files with rows of outcomes in the folder.
    pub files: u64,
    /// Summary of the points that the present command has run; `None` if it ran none, as in the result of [`status`].
    pub last: Option<ShardSummary>,
}

/// Counts how much of a sweep is done. `spec` is the sweep, `build` the text of [`build_of`](super::build_of) for the
/// build whose rows count, `store` the folder with the rows.
///
/// # Errors
/// The folder cannot be read.
pub fn status((spec, build): (&Spec, &str), store: &RowStore) -> Result<SweepStatus, LabError> {
    let all = store.done()?;
    let mut different = HashSet::new();
    let (mut done, mut problems) = (0, 0);
    for index in 0..spec.count() {
        let address = RowAddress::of(&spec.subject(index)?, build);
        if different.insert(address)
            && let Some(outcome) = all.outcomes.get(&address)
        {
            done += 1;
            problems += u64::from(outcome.problem.is_some());
        }
    }
    let (repeated, files) = (all.repeated, all.files);
    let (points, different) = (spec.count(), different.len() as u64);
    Ok(SweepStatus { points, different, done, problems, repeated, files, last: None })
}

impl SweepStatus {
    /// Whether every point has a row, with counts or with the reason why there are none.
    pub fn is_complete(&self) -> bool {
        self.done == self.different
    }

    /// Returns the status as text for people: the summary of the points run now, if any, and the numbers of points,
    /// rows and files.
    pub fn text(&self) -> String {
        let Self { points, different, done, problems, repeated, files, last } = self;
        let mut text = last.as_ref().map_or(String::new(), ShardSummary::text);
        let _ = writeln!(
            text,
            "{done} of {different} different points done ({points} in the sweep), {problems} without counts, {repeated} run twice; {files} files"
        );
        text
    }

    /// Returns the status as a JSON document, which [`schema`] describes.
    pub fn to_json(&self) -> Value {
        document::document(SCHEMA, &STATUS, self)
    }
}

/// Returns the outcome of each point of the sweep `spec`, in the order of points, that the folder `store` keeps; `None` where
/// it has none yet. `build` is the text of [`build_of`](super::build_of) for the build whose rows count.
///
/// # Errors
/// The folder cannot be read.
pub fn kept_outcomes(
    (spec, build): (&Spec, &str),
    store: &RowStore,
) -> Result<Vec<(RowAddress, Option<PointOutcome>)>, LabError> {
    let all = store.done()?;
    let one = |index| {
        let address = RowAddress::of(&spec.subject(index)?, build);
        Ok((address, all.outcomes.get(&address).cloned()))
    };
    (0..spec.count()).map(one).collect()
}

/// Returns the bytes of one Parquet file with a row for each point of the sweep `spec`, in the order of points: its
/// number, address, values and outcome; and the number of points that have no row in the folder `store` yet, whose
/// outcomes are null. `build` is the text of [`build_of`](super::build_of) for the build whose rows count.
///
/// # Errors
/// The folder cannot be read, or the table cannot be made.
pub fn merged((spec, build): (&Spec, &str), store: &RowStore) -> Result<(Vec<u8>, u64), LabError> {
    let count = spec.count();
    let kept = kept_outcomes((spec, build), store)?;
    let outcomes: Vec<_> = kept.iter().map(|(_, outcome)| outcome.as_ref()).collect();
    let missing = outcomes.iter().filter(|outcome| outcome.is_none()).count() as u64;
    let points: Vec<_> = (0..count).map(|index| spec.point(index)).collect();
    let mut columns = vec![
        ("row".to_owned(), Data::Integer((0..count as i64).map(Some).collect())),
        (
            "address".to_owned(),
            Data::Text(kept.iter().map(|(address, _)| Some(address.to_string())).collect()),
        ),
    ];
    for (k, axis) in spec.axes.iter().enumerate() {
        let is_text = axis.values().all(|value| matches!(value, Choice::Text(_)));
        let data = match is_text {
            true => Data::Text(points.iter().map(|point| Some(point[k].to_string())).collect()),
            false => Data::Integer(points.iter().map(|point| number(&point[k])).collect()),
        };
        // The names of columns have no points, so that queries need no quotes.
        columns.push((axis.name.replace(['.', '-'], "_"), data));
    }
    columns.extend(table::of_outcomes(&outcomes));
    let bytes = table::written(&columns).map_err(|e| LabError::new(format!("Parquet: {e}")))?;
    Ok((bytes, missing))
}

fn number(choice: &Choice) -> Option<i64> {
    match choice {
        Choice::Number(number) => i64::try_from(*number).ok(),
        Choice::Text(_) => None,
    }
}

/// Result of [`verify`]: a row of a sweep that was run again, with the kept outcome and the new one.
#[derive(Clone, Debug, PartialEq)]
pub struct Verified {
    /// Number of the point in the sweep, from 0.
    pub row: u64,
    /// Values of the point that vary in the sweep, as one line of text: `NAME=VALUE`, separated by blanks.
    pub label: String,
    /// Address of the point, a hash of all that its outcome depends on, as 32 hexadecimal digits.
    pub address: String,
    /// Whether the kept and the new outcome are the same to the bit.
    pub is_same: bool,
    /// Outcome of the point that the folder of the sweep keeps.
    pub kept: PointOutcome,
    /// Outcome of the point in the run that [`verify`] has made.
    pub now: PointOutcome,
}

/// Runs the point with the number `row`, from 0, again and compares its outcome with the one that is kept; the result
/// has both. `spec` is the sweep, `build` the text of [`build_of`](super::build_of) for the build whose rows count,
/// `store` the folder with the rows. A difference is no error.
///
/// # Errors
/// The sweep has no such point, the point has no row of this build, or the folder cannot be read.
pub fn verify(
    (spec, build): (&Spec, &str),
    store: &RowStore,
    row: u64,
) -> Result<Verified, LabError> {
    if row >= spec.count() {
        return LabError::of(format!(
            "there is no row {row}; the sweep has rows 0 to {}",
            spec.count() - 1
        ));
    }
    let subject = spec.subject(row)?;
    let address = RowAddress::of(&subject, build);
    let Some(kept) = store.done()?.outcomes.remove(&address) else {
        return LabError::of(format!(
            "row {row} is not done, or was done by another build of cp2; `cp2 sweep` runs the missing rows"
        ));
    };
    let environment = Environment::new().reusing(&Arc::new(Shelf::default()));
    let now = evaluate(&environment, &subject);
    let (label, address, is_same) = (spec.label(row), address.to_string(), kept == now);
    Ok(Verified { row, label, address, is_same, kept, now })
}

impl Verified {
    /// Returns the comparison as text for people, one line: the point, its cycles as kept and as run now, and whether
    /// both outcomes are the same.
    pub fn text(&self) -> String {
        let told = |outcome: &PointOutcome| match (&outcome.problem, outcome.cycles) {
            (Some(problem), _) => problem.clone(),
            (None, cycles) => format!("{} cycles", cycles.unwrap_or(0)),
        };
        let Self { row, label, address, is_same, kept, now } = self;
        let verdict = if *is_same { "the same" } else { "NOT the same" };
        format!(
            "row {row} ({label}), {address}: {} kept, {} now: {verdict}\n",
            told(kept),
            told(now)
        )
    }

    /// Returns the comparison as a JSON document, which [`verify_schema`] describes.
    pub fn to_json(&self) -> Value {
        document::document(VERIFY, &VERIFIED, self)
    }
}

/// Tags of the JSON reports.
const SCHEMA: &str = "cp2-sweep-1";
const VERIFY: &str = "cp2-sweep-verify-1";

/// Returns the JSON schema of the document of `cp2 sweep --json` and `cp2 sweep status --json`
/// ([`SweepStatus::to_json`]).
pub fn schema() -> Value {
    let shape = document::tagged(SCHEMA, &STATUS, &[]);
    document::whole("Report of `cp2 sweep --json` and `cp2 sweep status --json`", &[shape])
}

/// Returns the JSON schema of the document of `cp2 sweep verify --json` ([`Verified::to_json`]).
pub fn verify_schema() -> Value {
    let shape = document::tagged(VERIFY, &VERIFIED, &[]);
    document::whole("Report of `cp2 sweep verify --json`", &[shape])
}

const STATUS: [Field<SweepStatus>; 7] = [
    Field::new("points", ValueKind::Integer, "points", "of the sweep", |s| s.points.into()),
    Field::new("different", ValueKind::Integer, "points", "with addresses of their own", |s| {
        s.different.into()
    }),
    Field::new("done", ValueKind::Integer, "points", "of these that have a row", |s| s.done.into()),
    Field::new("problems", ValueKind::Integer, "points", "of these that have no counts", |s| {
        s.problems.into()
    }),
    Field::new("repeated", ValueKind::Integer, "rows", "that a second process ran again", |s| {
        s.repeated.into()
    }),
    Field::new("files", ValueKind::Integer, "files", "with rows", |s| s.files.into()),
    Field::or_null(
        "run",
        ValueKind::Object(|| document::schema(&SUMMARY, &[])),
        "",
        "what this command did; null for `status`",
        |s| s.last.as_ref().map_or(Value::Null, |last| document::object(&SUMMARY, last)),
    ),
];

const SUMMARY: [Field<ShardSummary>; 8] = [
    Field::new("share", ValueKind::Text, "", "K/N", |s| s.shard.to_string().into()),
    Field::new("points", ValueKind::Integer, "points", "of the share", |s| s.points.into()),
    Field::new("before", ValueKind::Integer, "points", "of these done before", |s| s.before.into()),
    Field::new("run", ValueKind::Integer, "points", "that were run", |s| s.run.into()),
    Field::new("problems", ValueKind::Integer, "points", "of these without counts", |s| {
        s.problems.into()
    }),
    Field::new("assembled", ValueKind::Integer, "programs", "assembled, loops scheduled", |s| {
        s.assembled.into()
    }),
    Field::new("seconds", ValueKind::Number, "s", "that the points took", |s| s.seconds.into()),
    Field::new("rate", ValueKind::Number, "points/s", "run", |s| s.rate().into()),
];

const VERIFIED: [Field<Verified>; 6] = [
    Field::new("row", ValueKind::Integer, "", "its number, from 0", |v| v.row.into()),
    Field::new("label", ValueKind::Text, "", "the values that vary", |v| v.label.clone().into()),
    Field::new("address", ValueKind::Text, "", "what it depends on, 32 hexadecimal digits", |v| {
        v.address.clone().into()
    }),
    Field::new("is_same", ValueKind::Flag, "", "whether both are the same to the bit", |v| {
        v.is_same.into()
    }),
    Field::or_null(
        "kept_cycles",
        ValueKind::Integer,
        "cycles",
        "as kept; null without counts",
        |v| v.kept.cycles.into(),
    ),
    Field::or_null(
        "cycles",
        ValueKind::Integer,
        "cycles",
        "as run now; null without counts",
        |v| v.now.cycles.into(),
    ),
];
