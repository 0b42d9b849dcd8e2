//! The report of NPB MG on several processors.

use super::rows::rows;
use super::{ClusterReport, ReportedProcedure};
use crate::problem::{ClusterMgMode, ClusterMgProblem, GatherTrial};
use cp2_document::{Field, ValueKind, schema};
use std::fmt::Write as _;

/// Part of the norm of NPB by which that of a run may be off; the page on multigrid of the book derives it.
const TOLERANCE: f64 = 1e-4;

/// Report of NPB MG on several processors.
pub type ClusterMgReport = ClusterReport<ClusterMgProblem>;

impl ClusterMgReport {
    /// Returns the norm, and by which part of the norm of NPB it is off; `None` in a replay, which finds no values.
    pub fn norm(&self) -> Option<(f64, f64)> {
        let norm = self.run.norm();
        let is_known = self.problem.mode == ClusterMgMode::Exact;
        is_known.then(|| (norm, norm / self.problem.class.norm() - 1.0))
    }
}

impl ReportedProcedure for ClusterMgProblem {
    const NAME: &'static str = "mg";
    const TAG: &'static str = "cp2-cluster-1";
    const COUNTED: &'static str = "58 operations for a point and V-cycle";
    const PROBLEM: &'static [Field<ClusterMgReport>] = PROBLEM;
    const RESULTS: &'static [Field<ClusterMgReport>] = RESULTS;

    fn heading(&self) -> String {
        let [x, y, z] = self.grid.counts;
        format!("mg {} plain {{on}} ({x} x {y} x {z})", self.class)
    }

    fn operations(&self) -> f64 {
        self.class.operations() as f64
    }

    fn is_right(report: &ClusterMgReport) -> Option<bool> {
        report.norm().map(|(_, deviation)| deviation.abs() <= TOLERANCE)
    }

    fn write_result(report: &ClusterMgReport, verdict: &str, text: &mut String) {
        let _ = match report.norm() {
            Some((norm, deviation)) => writeln!(
                text,
                "norm              {norm:>12.6e}, {deviation:+.1e} from NPB: {verdict}"
            ),
            None => writeln!(text, "mode                    replay: times alone, no values"),
        };
    }

    fn write_choice(report: &ClusterMgReport, text: &mut String) {
        if report.problem.grid.processes() == 1 {
            return;
        }
        let _ = writeln!(
            text,
            "with the norm     {:>12.3} ms, of which the times of processors and links below are",
            report.run.last().ms()
        );
        let choice = &report.run.choice;
        let trials = choice
            .trials
            .iter()
            .map(|trial| format!("{} in {:.1} us", trial.points, trial.time.ns() / 1e3));
        let trials: Vec<_> = trials.collect();
        let tried = match trials.is_empty() {
            true => String::new(),
            false => format!("; trials of a V-cycle: {}", trials.join(", ")),
        };
        let _ = writeln!(
            text,
            "alone             {:>12} points along an axis and fewer, in processor 0{tried}",
            choice.gathered
        );
    }
}

const TRIAL: &[Field<GatherTrial>] = &[
    Field::new("points", ValueKind::Integer, "points", "Points along an axis of the level.", |t| {
        t.points.into()
    }),
    Field::new("us", ValueKind::Number, "us", "Time of a V-cycle with this level gathered.", |t| {
        (t.time.ns() / 1e3).into()
    }),
];

/// Fields of the problem.
const PROBLEM: &[Field<ClusterMgReport>] = &[
    Field::new("form", ValueKind::Text, "", "Form of the V-cycles: \"plain\".", |_| "plain".into()),
    Field::new(
        "mode",
        ValueKind::Text,
        "",
        "Mode: \"exact\", or \"replay\", which finds times alone.",
        |r| r.problem.mode.name().into(),
    ),
    Field::new("class", ValueKind::Text, "", "Class of NPB MG.", |r| r.problem.class.name().into()),
    Field::new("grid", ValueKind::Numbers, "processors", "Processors along x, y and z.", |r| {
        r.problem.grid.counts.to_vec().into()
    }),
];

/// Fields of the results.
const RESULTS: &[Field<ClusterMgReport>] = &[
    Field::or_null(
        "norm",
        ValueKind::Number,
        "",
        "Root of the mean square of the last residual; null in a replay.",
        |r| r.norm().map(|(norm, _)| norm).into(),
    ),
    Field::or_null(
        "deviation",
        ValueKind::Number,
        "",
        "Deviation of the norm from that of NPB, in parts of it; null in a replay.",
        |r| r.norm().map(|(_, deviation)| deviation).into(),
    ),
    Field::or_null(
        "is_verified",
        ValueKind::Flag,
        "",
        "Whether norm and bits are right; null in a replay.",
        |r| r.is_verified().into(),
    ),
    Field::new(
        "gathered",
        ValueKind::Integer,
        "points",
        "Points along an axis of the finest level that processor 0 does alone.",
        |r| r.run.choice.gathered.into(),
    ),
    Field::new(
        "trials",
        ValueKind::Objects(|| schema(TRIAL, &[])),
        "",
        "Trials by which the gathered level was chosen, of the levels coarser than the grid of a trial; none if it was given or is the only one.",
        |r| rows(TRIAL, r.run.choice.trials.iter().copied()),
    ),
];
