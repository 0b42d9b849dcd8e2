//! The report of NPB CG on several processors, as text and as JSON.

use crate::cg::{ClusterCgProblem, ClusterCgRun};
use crate::rows::{
    LinkRow, OnNetwork, OneProcessor, RankRow, link_rows, network_fields, rank_rows, write_network,
    write_ranks,
};
use cp2_document::{Field, ValueKind, document, tagged};
use serde_json::Value;
use std::fmt::Write as _;

/// Part of the zeta of NPB by which that of a run may be off; the page on conjugate gradients of the book derives it.
const TOLERANCE: f64 = 1e-6;
/// Tag of the document.
const TAG: &str = "cp2-cluster-cg-1";

/// Report of NPB CG on several processors.
#[derive(Clone, Debug)]
pub struct ClusterCgReport {
    /// Problem that was run.
    pub problem: ClusterCgProblem,
    /// Results of the run.
    pub run: ClusterCgRun,
    /// Name of the topology.
    pub topology: String,
    /// Numbers of the topology that rest on assumptions: key and origin.
    pub assumptions: Vec<(String, String)>,
    /// Run on one processor, if there was one.
    pub one: Option<OneProcessor>,
}

impl ClusterCgReport {
    /// Returns the time to the end of the last outer iteration in milliseconds.
    pub fn ms(&self) -> f64 {
        self.run.end().ms()
    }

    /// Returns the rate in 10^6 operations a second, as NPB counts operations.
    pub fn mops(&self) -> f64 {
        self.problem.problem.operations() as f64 / self.ms() / 1e3
    }

    /// Returns zeta after the last outer iteration, and by which part of that of NPB it is off.
    pub fn zeta(&self) -> (f64, f64) {
        let zeta = self.run.zetas().last().copied().unwrap_or_default();
        (zeta, zeta / self.problem.problem.class().zeta - 1.0)
    }

    /// Whether zeta is that of NPB, within what single precision allows, and the bits are those of one processor if there was a run
    /// to compare with.
    pub fn is_verified(&self) -> bool {
        let is_same = self.one.is_none_or(|one| one.is_same != Some(false));
        self.zeta().1.abs() <= TOLERANCE && is_same
    }

    /// Returns the report as text for people.
    pub fn text(&self) -> String {
        let processors = self.processors();
        let plural = if processors == 1 { "" } else { "s" };
        let mut text = format!(
            "cg {} on {processors} processor{plural} of {}, topology {}\n",
            self.problem.problem.class().name(),
            self.problem.config.name(),
            self.topology
        );
        let _ = writeln!(text, "time              {:>12.3} ms", self.ms());
        let _ = writeln!(text, "rate              {:>12.0} MOPS, as NPB counts", self.mops());
        self.write_one(&mut text);
        let (zeta, deviation) = self.zeta();
        let verified = if self.is_verified() { "verified" } else { "NOT verified" };
        let _ =
            writeln!(text, "zeta              {zeta:>12.9}, {deviation:+.1e} from NPB: {verified}");
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
        schema["title"] = "Report of `cp2 cluster run cg --json`".into();
        schema
    }
}

impl OnNetwork for ClusterCgReport {
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
        link_rows(&self.problem.topology, &self.run.links, self.ms())
    }

    fn assumptions(&self) -> &[(String, String)] {
        &self.assumptions
    }
}

/// Returns the fields of the document.
fn fields() -> Vec<Field<ClusterCgReport>> {
    REPORT.iter().copied().chain(network_fields()).collect()
}

/// Fields of the report that are its own.
const REPORT: &[Field<ClusterCgReport>] = &[
    Field::new("procedure", ValueKind::Text, "", "Procedure: \"cg\".", |_| "cg".into()),
    Field::new("class", ValueKind::Text, "", "Class of NPB CG.", |r| {
        r.problem.problem.class().name().into()
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
    Field::new("ms", ValueKind::Number, "ms", "Time to the end of the last iteration.", |r| {
        r.ms().into()
    }),
    Field::new(
        "mops",
        ValueKind::Number,
        "10^6 operations per second",
        "Rate as NPB counts.",
        |r| r.mops().into(),
    ),
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
