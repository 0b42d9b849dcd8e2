//! The report of an FFT on several processors, as text and as JSON.

use crate::fft::{ClusterFftProblem, ClusterFftRun};
use crate::rows::{
    LinkRow, OnNetwork, OneProcessor, RankRow, link_rows, network_fields, rank_rows, write_network,
    write_ranks,
};
use cp2_cluster::RankAccount;
use cp2_document::{Field, ValueKind, document, tagged};
use serde_json::Value;
use std::fmt::Write as _;

/// Tag of the document.
const TAG: &str = "cp2-cluster-fft-1";

/// Report of an FFT on several processors.
#[derive(Clone, Debug)]
pub struct ClusterFftReport {
    /// Problem that was run.
    pub problem: ClusterFftProblem,
    /// Results of the run.
    pub run: ClusterFftRun,
    /// Name of the topology.
    pub topology: String,
    /// Numbers of the topology that rest on assumptions: key and origin.
    pub assumptions: Vec<(String, String)>,
    /// Run on one processor, if there was one.
    pub one: Option<OneProcessor>,
}

impl ClusterFftReport {
    /// Returns the time to the end of the transform in milliseconds.
    pub fn ms(&self) -> f64 {
        self.run.end().ms()
    }

    /// Returns the rate in 10^6 operations a second: 5 n log2 n for n points.
    pub fn mops(&self) -> f64 {
        let points = self.problem.sizes.points();
        5.0 * (points as u64 * u64::from(points.trailing_zeros())) as f64 / self.ms() / 1e3
    }

    /// Whether the bits are those of one processor, if there was a run to compare with.
    pub fn is_verified(&self) -> bool {
        self.one.is_none_or(|one| one.is_same != Some(false))
    }

    /// Returns the report as text for people.
    pub fn text(&self) -> String {
        let [x, y, z] = self.problem.sizes.0;
        let processors = self.processors();
        let plural = if processors == 1 { "" } else { "s" };
        let mut text = format!(
            "{}fft {x} x {y} x {z} on {processors} processor{plural} of {}, topology {}\n",
            if self.problem.inverse { "inverse " } else { "" },
            self.problem.config.name(),
            self.topology
        );
        let _ = writeln!(text, "time              {:>12.3} ms", self.ms());
        let _ = writeln!(
            text,
            "rate              {:>12.0} MOPS, 5 n log2 n operations for n points",
            self.mops()
        );
        self.write_one(&mut text);
        self.write_memory(&mut text);
        write_ranks(&mut text, &self.rank_rows());
        write_network(&mut text, &self.link_rows(), &self.run.messages, &self.assumptions);
        text
    }

    /// Returns the report as a JSON document.
    pub fn to_json(&self) -> Value {
        document(TAG, &fields(), self)
    }

    /// Returns the JSON schema of the document.
    pub fn schema() -> Value {
        let mut schema = tagged(TAG, &fields(), &[]);
        schema["title"] = "Report of `cp2 cluster run fft --json`".into();
        schema
    }
}

impl OnNetwork for ClusterFftReport {
    fn ms(&self) -> f64 {
        self.ms()
    }

    fn processors(&self) -> usize {
        self.problem.topology.ranks()
    }

    fn one(&self) -> Option<OneProcessor> {
        self.one
    }

    fn rank_rows(&self) -> Vec<RankRow> {
        let of_rank = self.run.ranks.iter().map(|rank| (rank.end, rank.memory));
        rank_rows(&self.run.accounts, of_rank, &self.run.messages)
    }

    fn link_rows(&self) -> Vec<LinkRow> {
        let end = self.run.accounts.iter().map(RankAccount::total).max().unwrap_or_default();
        link_rows(&self.problem.topology, &self.run.links, end.ms())
    }

    fn assumptions(&self) -> &[(String, String)] {
        &self.assumptions
    }
}

/// Returns the fields of the document.
fn fields() -> Vec<Field<ClusterFftReport>> {
    REPORT.iter().copied().chain(network_fields()).collect()
}

/// Fields of the report that are its own.
const REPORT: &[Field<ClusterFftReport>] = &[
    Field::new("procedure", ValueKind::Text, "", "Procedure: \"fft\".", |_| "fft".into()),
    Field::new("sizes", ValueKind::Numbers, "points", "Points along x, y and z.", |r| {
        r.problem.sizes.0.to_vec().into()
    }),
    Field::new("inverse", ValueKind::Flag, "", "Whether the transform is the inverse one.", |r| {
        r.problem.inverse.into()
    }),
    Field::new("processors", ValueKind::Integer, "processors", "Number of processors.", |r| {
        r.processors().into()
    }),
    Field::new("machine", ValueKind::Text, "", "Machine of each processor.", |r| {
        r.problem.config.name().into()
    }),
    Field::new("topology", ValueKind::Text, "", "Name of the topology.", |r| {
        r.topology.clone().into()
    }),
    Field::new("ms", ValueKind::Number, "ms", "Time to the end of the transform.", |r| {
        r.ms().into()
    }),
    Field::new(
        "mops",
        ValueKind::Number,
        "10^6 operations per second",
        "Rate by 5 n log2 n operations for n points.",
        |r| r.mops().into(),
    ),
    Field::new("is_verified", ValueKind::Flag, "", "Whether the bits are right.", |r| {
        r.is_verified().into()
    }),
];
