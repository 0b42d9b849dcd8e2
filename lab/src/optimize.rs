//! The cheapest machine that is fast enough: a sweep of machines whose varied numbers have prices, and a goal for the
//! time of a workload.
//!
//! Machines are run in the order of their prices. The first that reaches the goal is the cheapest, and those run before
//! it are the proof. If the runs that are allowed do not suffice, simulated annealing (crate `argmin`) goes on from the
//! best that was found, and what it finds is "best found".

mod annealing;
mod goal;
mod prices;
mod search;

pub use goal::TimeGoal;
pub use prices::{Prices, SECTIONS};

use crate::inputs::LabError;
use crate::sweep::{PointOutcome, Spec};
use cp2_document::{self as document, Field, ValueKind};
use cp2_session::Environment;
use cp2_session::reuse::Shelf;
use cp2_session::workload::Platform;
use search::Search;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// Degree of certainty of a search ([`Optimum`]): whether a machine reaches the goal, and whether it is sure that no
/// cheaper one does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolutionStatus {
    /// A machine reaches the goal, and every cheaper one was run and does not.
    Proved,
    /// Every machine of the sweep was run, and none reaches the goal.
    Impossible,
    /// A machine reaches the goal, but not every cheaper one was run, so one of those may reach it too.
    BestFound,
    /// No machine that was run reaches the goal, but not all were run.
    NoneFound,
}

impl SolutionStatus {
    const fn name(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Impossible => "impossible",
            Self::BestFound => "best-found",
            Self::NoneFound => "none-found",
        }
    }
}

/// Machine on which a search has run the workload, with its price and the outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct TriedMachine {
    /// Number of the machine among the points of the sweep, from 0.
    pub row: u64,
    /// Values of the machine that vary in the sweep, as one line of text: `NAME=VALUE`, separated by blanks.
    pub label: String,
    /// Price of the machine, in the unit of the prices in the file.
    pub price: f64,
    /// Outcome of the run of the workload on the machine: cycles, time and other counts, or the reason why there are
    /// none.
    pub outcome: PointOutcome,
}

/// Result of a search for the cheapest machine of a sweep on which a workload runs within a given time (the goal).
/// [`Optimum::new`] makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum {
    /// Goal of the search: the most time that the workload may take.
    pub goal: TimeGoal,
    /// Cheapest machine that was found to reach the goal; if there is none, the fastest machine that was run. `None` if
    /// the workload ran on no machine.
    pub machine: Option<TriedMachine>,
    /// Degree of certainty that no cheaper machine reaches the goal.
    pub certainty: SolutionStatus,
    /// Number of machines in the sweep.
    pub machines: u64,
    /// Number of machines on which the workload was run.
    pub runs: u64,
    /// Number of machines in the sweep that are cheaper than `machine`, run or not; 0 if `machine` is `None`.
    pub cheaper: u64,
}

impl Optimum {
    /// Looks for the cheapest machine of the sweep `spec` on which the workload reaches the goal of `prices`. The
    /// workload runs on at most `most_runs` machines, on as many at a time as `threads` says. `progress` is called with
    /// the number of runs so far and their limit.
    ///
    /// # Errors
    /// The goal is a time in microseconds and the workload a kernel on CP2 alone, a value has no price, or a run makes
    /// the program panic.
    pub fn new(
        spec: &Spec,
        prices: &Prices,
        threads: NonZeroUsize,
        most_runs: u64,
        progress: &dyn Fn(u64, u64),
    ) -> Result<Self, LabError> {
        let goal = prices.goal;
        if matches!(goal, TimeGoal::Us(_)) && spec.platform == Platform::Cp2 {
            return LabError::of("goal.us: a kernel on CP2 alone has no clock; give goal.cycles");
        }
        let machines = spec.count();
        let all = (0..machines).map(|row| prices.of(spec, &spec.point(row)));
        let prices: Vec<f64> = all.collect::<Result<_, _>>()?;
        let mut order: Vec<u64> = (0..machines).collect();
        order.sort_by(|&a, &b| prices[a as usize].total_cmp(&prices[b as usize]).then(a.cmp(&b)));
        let (shelf, known) = (Arc::new(Shelf::default()), BTreeMap::new());
        let environment = Environment::new();
        let mut search = Search { spec, goal, prices, known, environment, shelf, threads };
        // If not all can be run, half of the runs are left for the search.
        let most = if machines <= most_runs { machines } else { most_runs.div_ceil(2) } as usize;
        let is_proved = search.by_price(&order, most, progress)?;
        if !is_proved {
            annealing::search(&mut search, most_runs, progress)?;
        }
        let found = search.cheapest();
        let certainty = match (found, is_proved) {
            (Some(_), true) => SolutionStatus::Proved,
            (None, true) => SolutionStatus::Impossible,
            (Some(_), false) => SolutionStatus::BestFound,
            (None, false) => SolutionStatus::NoneFound,
        };
        let row = found.or_else(|| search.fastest());
        let cheaper = row.map_or(0, |row| {
            let price = search.prices[row as usize];
            search.prices.iter().filter(|other| **other < price).count() as u64
        });
        let runs = search.known.len() as u64;
        let machine = row.and_then(|row| {
            let outcome = search.known.remove(&row)?;
            let (label, price) = (spec.label(row), search.prices[row as usize]);
            Some(TriedMachine { row, label, price, outcome })
        });
        Ok(Self { goal, machine, certainty, machines, runs, cheaper })
    }

    /// Returns the result of the search as text for people: goal, number of runs, certainty, and the machine that was
    /// found with its price, cycles and time.
    pub fn text(&self) -> String {
        let Self { goal, machine, certainty, machines, runs, cheaper } = self;
        let mut text = format!("at most {}: {runs} of {machines} machines were run\n", goal.text());
        let how = match certainty {
            SolutionStatus::Proved => format!("the cheapest: all {cheaper} cheaper machines were run, and none of them reaches the goal"),
            SolutionStatus::Impossible => "no machine reaches the goal: all were run; this one is the fastest".to_owned(),
            SolutionStatus::BestFound => format!("best found: not all of the {cheaper} cheaper machines were run, so one of them may reach the goal; raise --runs to run more"),
            SolutionStatus::NoneFound => "no machine that was run reaches the goal; this one is the fastest of them; raise --runs to run more".to_owned(),
        };
        let _ = writeln!(text, "{how}");
        match machine {
            Some(TriedMachine { row, label, price, outcome }) => {
                let cycles = outcome.cycles.unwrap_or_default();
                let us = outcome.us.map_or(String::new(), |us| format!(", {us:.2} us"));
                let _ = writeln!(text, "{label} (row {row}): price {price}, {cycles} cycles{us}");
            }
            None => text += "no machine has counts\n",
        }
        text
    }

    /// Returns the result as a JSON document, which [`schema`] describes.
    pub fn to_json(&self) -> Value {
        document::document(SCHEMA, &OPTIMUM, self)
    }
}

/// Tag of the JSON report.
const SCHEMA: &str = "cp2-optimize-1";

/// Returns the JSON schema of the document of `cp2 optimize --json` ([`Optimum::to_json`]).
pub fn schema() -> Value {
    let shape = document::tagged(SCHEMA, &OPTIMUM, &[]);
    document::whole("Report of `cp2 optimize --json`", &[shape])
}

const OPTIMUM: [Field<Optimum>; 6] = [
    Field::new("goal", ValueKind::Text, "", "at most this", |o| o.goal.text().into()),
    Field::new(
        "certainty",
        ValueKind::Text,
        "",
        "proved (all cheaper machines were run), impossible (all were run), best-found, none-found",
        |o| o.certainty.name().into(),
    ),
    Field::new("machines", ValueKind::Integer, "machines", "that there are", |o| o.machines.into()),
    Field::new("runs", ValueKind::Integer, "machines", "that were run", |o| o.runs.into()),
    Field::new("cheaper", ValueKind::Integer, "machines", "cheaper than the one below", |o| {
        o.cheaper.into()
    }),
    Field::or_null(
        "machine",
        ValueKind::Object(|| document::schema(&MACHINE, &[])),
        "",
        "the cheapest that reaches the goal, else the fastest; null if none has counts",
        |o| o.machine.as_ref().map_or(Value::Null, |m| document::object(&MACHINE, m)),
    ),
];

const MACHINE: [Field<TriedMachine>; 5] = [
    Field::new("row", ValueKind::Integer, "", "its number in the sweep, from 0", |m| m.row.into()),
    Field::new("label", ValueKind::Text, "", "the values that vary", |m| m.label.clone().into()),
    Field::new("price", ValueKind::Number, "as the file has it", "of the machine", |m| {
        m.price.into()
    }),
    Field::or_null("cycles", ValueKind::Integer, "cycles", "of the whole", |m| {
        m.outcome.cycles.into()
    }),
    Field::or_null("us", ValueKind::Number, "microseconds", "null without a machine", |m| {
        m.outcome.us.into()
    }),
];
