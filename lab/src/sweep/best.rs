//! The front of a sweep: the points that no other beats, so that whatever point is better in one of the chosen columns
//! is worse in another (Pareto front).

use super::address::RowAddress;
use super::axis::{AxisTarget, Choice};
use super::outcome::{NUMBERS, PointOutcome};
use super::spec::Spec;
use super::store::RowStore;
use crate::inputs::LabError;
use crate::picture::{Chart, Curve, CurveForm, Mark, PictureAxis, Shade};
use cp2_document::{self as document, Field, ValueKind};
use serde_json::{Value, json};
use std::cmp::Ordering;
use std::collections::HashSet;
use std::fmt::Write as _;

/// Most points outside the front that a picture has; of more, only one in so many is drawn.
const DRAWN: usize = 1500;

/// Direction in which the numbers of a column are better, when points of a sweep are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// Smaller numbers are better, as with cycles.
    Least,
    /// Greater numbers are better, as with rates.
    Most,
}

/// Column of numbers by which points of a sweep are compared, with the direction in which they are better.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name of the column: a count such as `cycles`, or an axis of the sweep whose values are numbers.
    pub name: String,
    /// Direction in which the numbers of the column are better: smaller or greater.
    pub goal: Objective,
}

/// Point of the front of a sweep: one that no other point beats.
#[derive(Clone, Debug, PartialEq)]
pub struct FrontPoint {
    /// Number of the point in the sweep, from 0.
    pub row: u64,
    /// Values of the point that vary in the sweep, as one line of text: `NAME=VALUE`, separated by blanks.
    pub label: String,
    /// Workload and options of the point, as `NAME=VALUE` separated by blanks: only points that do the same work are compared. Empty
    /// where all points do.
    pub group: String,
    /// Numbers of the point in the chosen columns, in their order ([`Best::columns`]).
    pub values: Vec<f64>,
}

/// Front of a sweep (Pareto front): the points that no other beats in the chosen columns of numbers. A point beats another that does
/// the same work, workload and options, if it is nowhere worse and somewhere better. [`Best::new`] finds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// Columns by which the points are compared.
    pub columns: Vec<Column>,
    /// Units of the columns; empty for a number that varies.
    units: Vec<&'static str>,
    /// Points of the fronts, one front for each group in the order of its first point, ascending in the first column; of points with
    /// equal numbers only the first.
    pub front: Vec<FrontPoint>,
    /// Number of points that were compared: those that are done and have numbers in all columns, points with the same
    /// outcome by their address ([`RowAddress`](super::RowAddress)) counted once.
    pub compared: u64,
    /// Values, in the chosen columns, of the points that are beaten.
    others: Vec<Vec<f64>>,
}

/// Source of the values of a column: the outcome, or the values of the point.
enum Source {
    Counted(fn(&PointOutcome) -> Option<f64>),
    Varied(usize),
}

fn source(spec: &Spec, name: &str) -> Result<(Source, &'static str), LabError> {
    if let Some((_, unit, _, get)) = NUMBERS.iter().find(|(known, ..)| *known == name) {
        return Ok((Source::Counted(*get), unit));
    }
    let is_number = |k: &usize| matches!(spec.axes[*k].value(0), Choice::Number(_));
    let numbers = || (0..spec.axes.len()).filter(is_number);
    match numbers().find(|&k| spec.axes[k].name == name) {
        Some(k) => Ok((Source::Varied(k), "")),
        None => {
            let known: Vec<_> = NUMBERS.iter().map(|(known, ..)| *known).collect();
            let varied: Vec<_> = numbers().map(|k| spec.axes[k].name.as_str()).collect();
            let all = [known, varied].concat();
            let near = crate::key::nearest(name, all.iter().copied());
            LabError::of(format!(
                "there is no column `{name}` of numbers; the nearest is {near}; the columns are {}",
                all.join(", ")
            ))
        }
    }
}

/// Returns the work of a point: workload and options that vary and are no column.
fn group(spec: &Spec, columns: &[Column], row: u64) -> String {
    let values = spec.axes.iter().zip(spec.point(row));
    let of_work = values.filter(|(axis, _)| {
        axis.count() > 1
            && matches!(axis.target, AxisTarget::Workload | AxisTarget::Option(_))
            && columns.iter().all(|column| column.name != axis.name)
    });
    let parts: Vec<String> =
        of_work.map(|(axis, value)| format!("{}={value}", axis.name)).collect();
    parts.join(" ")
}

/// Returns the front of each group of points that do the same work, and the values of the points that are beaten.
fn fronts(spec: &Spec, columns: &[Column], all: Rows) -> (Vec<FrontPoint>, Vec<Vec<f64>>) {
    let mut groups: Vec<(String, Rows)> = Vec::new();
    for (row, values) in all {
        let group = group(spec, columns, row);
        match groups.iter_mut().find(|(name, _)| *name == group) {
            Some((_, rows)) => rows.push((row, values)),
            None => groups.push((group, vec![(row, values)])),
        }
    }
    let (mut all, mut others) = (Vec::new(), Vec::new());
    for (group, rows) in groups {
        let (found, rest) = front(columns, rows);
        let point = |(row, values)| {
            let (label, group) = (spec.label(row), group.clone());
            FrontPoint { row, label, group, values }
        };
        all.extend(found.into_iter().map(point));
        others.extend(rest);
    }
    (all, others)
}

/// Whether the first point beats the second: nowhere worse, and somewhere better.
fn beats(columns: &[Column], a: &[f64], b: &[f64]) -> bool {
    let compared = columns.iter().zip(a.iter().zip(b)).map(|(column, (a, b))| match column.goal {
        Objective::Least => a.total_cmp(b),
        Objective::Most => b.total_cmp(a),
    });
    let all: Vec<_> = compared.collect();
    all.iter().all(|order| *order != Ordering::Greater) && all.contains(&Ordering::Less)
}

impl Best {
    /// Finds the front among the finished points of a sweep. `spec` is the sweep, `build` the text of
    /// [`build_of`](super::build_of) for the build whose rows count, `store` the folder with the rows, `columns` the
    /// numbers that are compared.
    ///
    /// # Errors
    /// There is no such column, no point with numbers in these columns is done, or the folder cannot be read.
    pub fn new(
        (spec, build): (&Spec, &str),
        store: &RowStore,
        columns: Vec<Column>,
    ) -> Result<Self, LabError> {
        let found = columns.iter().map(|column| source(spec, &column.name));
        let (sources, units): (Vec<_>, Vec<_>) =
            found.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
        let done = store.done()?.outcomes;
        let mut seen = HashSet::new();
        let mut all = Vec::new();
        for row in 0..spec.count() {
            let address = RowAddress::of(&spec.subject(row)?, build);
            let Some(outcome) = done.get(&address).filter(|_| seen.insert(address)) else {
                continue;
            };
            let point = spec.point(row);
            let value = |source: &Source| match source {
                Source::Counted(get) => get(outcome),
                Source::Varied(k) => match point[*k] {
                    Choice::Number(number) => Some(number as f64),
                    Choice::Text(_) => None,
                },
            };
            if let Some(values) = sources.iter().map(value).collect::<Option<Vec<f64>>>() {
                all.push((row, values));
            }
        }
        if all.is_empty() {
            return LabError::of(
                "no finished point has counts in these columns; run the sweep first",
            );
        }
        let compared = all.len() as u64;
        let (front, others) = fronts(spec, &columns, all);
        Ok(Self { columns, units, front, compared, others })
    }

    /// Returns the front as text for people: a row for each point of it, with its numbers in the chosen columns and its
    /// values.
    pub fn text(&self) -> String {
        let is_one = self.front.iter().all(|point| point.group.is_empty());
        let of_work = if is_one { "" } else { " that does the same work" };
        let mut text = format!(
            "{} of {} points are not beaten by any other{of_work}\n",
            self.front.len(),
            self.compared
        );
        let head = |column: &Column| {
            let goal = if column.goal == Objective::Least { "least" } else { "most" };
            format!("{:>18}", format!("  {goal} {}", column.name))
        };
        let heads: Vec<String> = self.columns.iter().map(head).collect();
        text += &heads.concat();
        text += "  row: values that vary\n";
        for FrontPoint { row, label, values, .. } in &self.front {
            for (head, value) in heads.iter().zip(values) {
                let _ = write!(text, "{:>1$}", short(*value), head.len());
            }
            let _ = writeln!(text, "  {row}: {label}");
        }
        text
    }

    /// Returns the front as a JSON document, which `best_schema` describes.
    pub fn to_json(&self) -> Value {
        document::document(SCHEMA, &BEST, self)
    }

    /// Returns the picture of the compared points over the first two columns: those of the front with their numbers and
    /// joined by a curve, of the others a part if they are many.
    ///
    /// # Errors
    /// There are fewer than two columns.
    pub fn chart(&self) -> Result<Chart, LabError> {
        let [x, y, ..] = &self.columns[..] else {
            return LabError::of(
                "a picture needs two columns; give --least or --most twice, or each once",
            );
        };
        let label = |k: usize, column: &Column| {
            let better =
                if column.goal == Objective::Least { "less is better" } else { "more is better" };
            let unit = match &self.units[k] {
                unit if unit.is_empty() || *unit == column.name => String::new(),
                unit => format!(", {unit}"),
            };
            PictureAxis { label: format!("{}{unit} ({better})", column.name), is_log: false }
        };
        let step = self.others.len().div_ceil(DRAWN).max(1);
        let said = |values: &[f64]| {
            format!("{} {}, {} {}", x.name, short(values[0]), y.name, short(values[1]))
        };
        let dot = |values: &Vec<f64>| Mark {
            name: String::new(),
            title: said(values),
            at: (values[0], values[1]),
            shade: Shade::Pale,
        };
        let mut marks: Vec<_> = self.others.iter().step_by(step).map(dot).collect();
        marks.extend(self.front.iter().map(|point| Mark {
            name: format!("row {}", point.row),
            title: format!("row {}: {}: {}", point.row, point.label, said(&point.values)),
            at: (point.values[0], point.values[1]),
            shade: Shade::Series(0),
        }));
        let shown =
            if step > 1 { format!(", one in {step} of the others drawn") } else { String::new() };
        let title = format!(
            "{} of {} points are not beaten by any other{shown}",
            self.front.len(),
            self.compared
        );
        let mut curves: Vec<Curve> = Vec::new();
        for point in &self.front {
            if curves.last().is_none_or(|curve| curve.name != point.group) {
                let (name, shade) = (point.group.clone(), Shade::Series(curves.len()));
                curves.push(Curve { name, points: Vec::new(), shade, form: CurveForm::Strong });
            }
            let at = (point.values[0], point.values[1]);
            if let Some(curve) = curves.last_mut() {
                // Between two machines there is none: the front is a step.
                if let Some(&(_, y)) = curve.points.last() {
                    curve.points.push((at.0, y));
                }
                curve.points.push(at);
            }
        }
        let mut keys = vec![(Shade::Series(0), "not beaten".to_owned())];
        if !self.others.is_empty() {
            keys.push((Shade::Pale, "beaten".to_owned()));
        }
        Ok(Chart { title, axes: [label(0, x), label(1, y)], keys, curves, marks })
    }
}

/// Rows with the values of their columns.
type Rows = Vec<(u64, Vec<f64>)>;

/// Splits points into those that no other beats and the values of the rest. Of equal ones the first stays.
fn front(columns: &[Column], mut all: Rows) -> (Rows, Vec<Vec<f64>>) {
    let better = |a: &Vec<f64>, b: &Vec<f64>| {
        let each = columns.iter().zip(a.iter().zip(b)).map(|(column, (a, b))| match column.goal {
            Objective::Least => a.total_cmp(b),
            Objective::Most => b.total_cmp(a),
        });
        each.fold(Ordering::Equal, Ordering::then)
    };
    // Whoever beats a point stands before it.
    all.sort_by(|(i, a), (k, b)| better(a, b).then(i.cmp(k)));
    let (mut front, mut others): (Rows, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
    for (row, values) in all {
        let is_beaten =
            |(_, other): &(u64, Vec<f64>)| *other == values || beats(columns, other, &values);
        match front.iter().any(is_beaten) {
            true => others.push(values),
            false => front.push((row, values)),
        }
    }
    front.sort_by(|(_, a), (_, b)| a[0].total_cmp(&b[0]));
    (front, others)
}

fn short(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.3}") }
}

/// Tag of the JSON report.
const SCHEMA: &str = "cp2-sweep-best-1";

/// Returns the JSON schema of the document of `cp2 sweep best --json` ([`Best::to_json`]).
pub fn schema() -> Value {
    let shape = document::tagged(SCHEMA, &BEST, &[]);
    document::whole("Report of `cp2 sweep best --json`", &[shape])
}

const BEST: [Field<Best>; 3] = [
    Field::new("columns", ValueKind::Texts, "", "least or most, and the column", |b| {
        let goal = |column: &Column| if column.goal == Objective::Least { "least" } else { "most" };
        b.columns.iter().map(|c| json!(format!("{} {}", goal(c), c.name))).collect()
    }),
    Field::new(
        "compared",
        ValueKind::Integer,
        "points",
        "that are done and have these columns",
        |b| b.compared.into(),
    ),
    Field::new(
        "front",
        ValueKind::Objects(|| document::schema(&POINT, &[])),
        "",
        "the points that no other beats, ascending in the first column",
        |b| b.front.iter().map(|point| document::object(&POINT, point)).collect(),
    ),
];

const POINT: [Field<FrontPoint>; 4] = [
    Field::new("row", ValueKind::Integer, "", "its number in the sweep, from 0", |p| p.row.into()),
    Field::new("label", ValueKind::Text, "", "the values that vary", |p| p.label.clone().into()),
    Field::new(
        "group",
        ValueKind::Text,
        "",
        "workload and options, among which it is compared; empty where all do the same work",
        |p| p.group.clone().into(),
    ),
    Field::new("values", ValueKind::Numbers, "", "of the columns", |p| json!(p.values)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_front_has_whom_no_other_beats() {
        let column = |goal| Column { name: String::new(), goal };
        let columns = [column(Objective::Least), column(Objective::Most)];
        let points = [[3.0, 9.0], [1.0, 1.0], [2.0, 5.0], [2.0, 4.0], [3.0, 9.0], [4.0, 8.0]];
        let all: Rows = points.iter().enumerate().map(|(k, p)| (k as u64, p.to_vec())).collect();
        let (found, others) = front(&columns, all.clone());
        assert_eq!(found.iter().map(|(row, _)| *row).collect::<Vec<_>>(), [1, 2, 0]);
        assert_eq!(others.len(), 3);
        // By the definition: nobody beats them, and somebody beats or equals every other.
        for (_, values) in &found {
            assert!(all.iter().all(|(_, other)| !beats(&columns, other, values)));
        }
        assert!(others.iter().all(|v| found.iter().any(|(_, f)| f == v || beats(&columns, f, v))));
        let (one, _) = front(&columns[..1], all);
        assert_eq!(one.len(), 1);
    }
}
