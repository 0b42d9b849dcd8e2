//! The report of NPB CG on several processors.

use super::{ClusterReport, ReportedProcedure};
use crate::cg::ClusterCgProblem;
use cp2_document::{Field, ValueKind};
use std::fmt::Write as _;

/// Part of the zeta of NPB by which that of a run may be off; the page on conjugate gradients of the book derives it.
const TOLERANCE: f64 = 1e-6;

/// Report of NPB CG on several processors.
pub type ClusterCgReport = ClusterReport<ClusterCgProblem>;

impl ClusterCgReport {
    /// Returns zeta after the last outer iteration, and by which part of that of NPB it is off.
    pub fn zeta(&self) -> (f64, f64) {
        let zeta = self.run.zetas().last().copied().unwrap_or_default();
        (zeta, zeta / self.problem.problem.class().zeta - 1.0)
    }
}

impl ReportedProcedure for ClusterCgProblem {
    const NAME: &'static str = "cg";
    const TAG: &'static str = "cp2-cluster-cg-1";
    const COUNTED: &'static str = "as NPB counts";
    const PROBLEM: &'static [Field<ClusterCgReport>] =
        &[Field::new("class", ValueKind::Text, "", "Class of NPB CG.", |r| {
            r.problem.problem.class().name().into()
        })];
    const RESULTS: &'static [Field<ClusterCgReport>] = RESULTS;

    fn heading(&self) -> String {
        format!("cg {} {{on}}", self.problem.class().name())
    }

    fn operations(&self) -> f64 {
        self.problem.operations() as f64
    }

    fn is_right(report: &ClusterCgReport) -> Option<bool> {
        Some(report.zeta().1.abs() <= TOLERANCE)
    }

    fn write_result(report: &ClusterCgReport, verdict: &str, text: &mut String) {
        let (zeta, deviation) = report.zeta();
        let _ =
            writeln!(text, "zeta              {zeta:>12.9}, {deviation:+.1e} from NPB: {verdict}");
    }
}

/// Fields of the results.
const RESULTS: &[Field<ClusterCgReport>] = &[
    Field::new("form", ValueKind::Text, "", "Form in which rows are stored.", |r| {
        r.problem.problem.plan().form.to_string().into()
    }),
    Field::new("zetas", ValueKind::Numbers, "", "Zeta after each outer iteration.", |r| {
        r.run.zetas().to_vec().into()
    }),
    Field::new(
        "residuals",
        ValueKind::Numbers,
        "",
        "Norm of b - A z after each outer iteration.",
        |r| r.run.residuals().to_vec().into(),
    ),
    Field::new(
        "deviation",
        ValueKind::Number,
        "",
        "Deviation of the last zeta from that of NPB, in parts of it.",
        |r| r.zeta().1.into(),
    ),
    Field::new("is_verified", ValueKind::Flag, "", "Whether zeta and bits are right.", |r| {
        r.is_verified().into()
    }),
];
