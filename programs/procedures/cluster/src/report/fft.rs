//! The report of an FFT on several processors.

use super::{ClusterReport, ReportedProcedure};
use crate::fft::ClusterFftProblem;
use cp2_document::{Field, ValueKind};

/// Report of an FFT on several processors.
pub type ClusterFftReport = ClusterReport<ClusterFftProblem>;

impl ReportedProcedure for ClusterFftProblem {
    const NAME: &'static str = "fft";
    const TAG: &'static str = "cp2-cluster-fft-1";
    const COUNTED: &'static str = "5 n log2 n operations for n points";
    const PROBLEM: &'static [Field<ClusterFftReport>] = PROBLEM;
    const RESULTS: &'static [Field<ClusterFftReport>] = RESULTS;

    fn heading(&self) -> String {
        let [x, y, z] = self.sizes.0;
        let inverse = if self.inverse { "inverse " } else { "" };
        format!("{inverse}fft {x} x {y} x {z} {{on}}")
    }

    fn operations(&self) -> f64 {
        let points = self.sizes.points();
        5.0 * (points as u64 * u64::from(points.trailing_zeros())) as f64
    }

    fn is_right(_: &ClusterFftReport) -> Option<bool> {
        Some(true)
    }
}

/// Fields of the problem.
const PROBLEM: &[Field<ClusterFftReport>] = &[
    Field::new("sizes", ValueKind::Numbers, "points", "Points along x, y and z.", |r| {
        r.problem.sizes.0.to_vec().into()
    }),
    Field::new("inverse", ValueKind::Flag, "", "Whether the transform is the inverse one.", |r| {
        r.problem.inverse.into()
    }),
];

/// Fields of the results.
const RESULTS: &[Field<ClusterFftReport>] = &[Field::new(
    "is_verified",
    ValueKind::Flag,
    "",
    "Whether the bits are those of one processor; true where they were not compared.",
    |r| r.is_verified().into(),
)];
