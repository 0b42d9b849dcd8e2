//! The report of a run on several processors, as text and as JSON.

use crate::problem::{ClusterMgMode, ClusterMgProblem, ClusterMgRun, GatherTrial};
use crate::rows::{
    LinkRow, OnNetwork, OneProcessor, RankRow, link_rows, network_fields, rank_rows, rows,
    write_network, write_ranks,
};
use cp2_cluster::RankAccount;
use cp2_document::{Field, ValueKind, document, schema, tagged};
use serde_json::Value;
use std::fmt::Write as _;

/// Part of the norm of NPB by which that of a run may be off; the page on multigrid of the book derives it.
const TOLERANCE: f64 = 1e-4;
/// Tag of the document.
const TAG: &str = "cp2-cluster-1";

/// Report of a run of multigrid on several processors.
#[derive(Clone, Debug)]
pub struct ClusterMgReport {
    /// Problem that was run.
    pub problem: ClusterMgProblem,
    /// Results of the run.
    pub run: ClusterMgRun,
    /// Name of the topology.
    pub topology: String,
    /// Numbers of the topology that rest on assumptions: key and origin.
    pub assumptions: Vec<(String, String)>,
    /// Run on one processor, if there was one.
    pub one: Option<OneProcessor>,
}

impl ClusterMgReport {
    /// Returns the time to the end of the last V-cycle in milliseconds.
    pub fn ms(&self) -> f64 {
        self.run.end().ms()
    }

    /// Returns the time to the end of the norm in milliseconds, which the times of ranks and links have.
    pub fn ms_with_norm(&self) -> f64 {
        let ends = self.run.accounts.iter().map(RankAccount::total);
        ends.max().unwrap_or_default().ms()
    }

    /// Returns the rate in 10^6 operations a second, as NPB counts operations.
    pub fn mops(&self) -> f64 {
        self.problem.class.operations() as f64 / self.ms() / 1e3
    }

    /// Returns the norm, and by which part of the norm of NPB it is off; `None` in a replay, which finds no values.
    pub fn norm(&self) -> Option<(f64, f64)> {
        let norm = self.run.norm();
        let is_known = self.problem.mode == ClusterMgMode::Exact;
        is_known.then(|| (norm, norm / self.problem.class.norm() - 1.0))
    }

    /// Whether the norm is that of NPB, within what single precision allows, and the bits are those of one processor if there
    /// was a run to compare with; `None` in a replay.
    pub fn is_verified(&self) -> Option<bool> {
        let is_same = self.one.is_none_or(|one| one.is_same != Some(false));
        self.norm().map(|(_, deviation)| deviation.abs() <= TOLERANCE && is_same)
    }

    /// Returns the report as text for people.
    pub fn text(&self) -> String {
        let (problem, run) = (&self.problem, &self.run);
        let [x, y, z] = problem.grid.counts;
        let mut text = format!(
            "mg {} plain on {} processor{} ({x} x {y} x {z}) of {}, topology {}\n",
            problem.class,
            problem.grid.processes(),
            if problem.grid.processes() == 1 { "" } else { "s" },
            problem.config.name(),
            self.topology
        );
        let _ = writeln!(text, "time              {:>12.3} ms", self.ms());
        let _ = writeln!(
            text,
            "rate              {:>12.0} MOPS, 58 operations for a point and V-cycle",
            self.mops()
        );
        self.write_one(&mut text);
        let verified = if self.is_verified() == Some(true) { "verified" } else { "NOT verified" };
        let _ = match self.norm() {
            Some((norm, deviation)) => writeln!(
                text,
                "norm              {norm:>12.6e}, {deviation:+.1e} from NPB: {verified}"
            ),
            None => writeln!(text, "mode                    replay: times alone, no values"),
        };
        self.write_memory(&mut text);
        if problem.grid.processes() > 1 {
            let _ = writeln!(
                text,
                "with the norm     {:>12.3} ms, of which the times of processors and links below are",
                self.ms_with_norm()
            );
            self.levels(&mut text);
        }
        write_ranks(&mut text, &self.rank_rows());
        write_network(&mut text, &self.link_rows(), &run.messages, &self.assumptions);
        text
    }

    fn levels(&self, text: &mut String) {
        let run = &self.run;
        let trials = run
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
            run.gathered
        );
    }

    /// Returns the report as a JSON document.
    pub fn to_json(&self) -> Value {
        document(TAG, &fields(), self)
    }

    /// Returns the JSON schema of the document.
    pub fn schema() -> Value {
        let mut schema = tagged(TAG, &fields(), &[]);
        schema["title"] = "Report of `cp2 cluster run mg --json`".into();
        schema
    }
}

impl OnNetwork for ClusterMgReport {
    fn ms(&self) -> f64 {
        self.ms()
    }

    fn processors(&self) -> usize {
        self.problem.grid.processes()
    }

    fn one(&self) -> Option<OneProcessor> {
        self.one
    }

    fn rank_rows(&self) -> Vec<RankRow> {
        let of_rank = self.run.ranks.iter().map(|rank| (rank.end, rank.memory));
        rank_rows(&self.run.accounts, of_rank, &self.run.messages)
    }

    fn link_rows(&self) -> Vec<LinkRow> {
        link_rows(&self.problem.topology, &self.run.links, self.ms_with_norm())
    }

    fn assumptions(&self) -> &[(String, String)] {
        &self.assumptions
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

/// Returns the fields of the document.
fn fields() -> Vec<Field<ClusterMgReport>> {
    REPORT.iter().copied().chain(network_fields()).collect()
}

/// Fields of the report that are its own.
const REPORT: &[Field<ClusterMgReport>] = &[
    Field::new("procedure", ValueKind::Text, "", "Procedure: \"mg\".", |_| "mg".into()),
    Field::new("form", ValueKind::Text, "", "Form of the V-cycles: \"plain\".", |_| "plain".into()),
    Field::new(
        "mode",
        ValueKind::Text,
        "",
        "Mode: \"exact\", or \"replay\", which finds times alone.",
        |r| r.problem.mode.name().into(),
    ),
    Field::new("class", ValueKind::Text, "", "Class of NPB MG.", |r| r.problem.class.name().into()),
    Field::new("processors", ValueKind::Integer, "processors", "Number of processors.", |r| {
        r.problem.grid.processes().into()
    }),
    Field::new("grid", ValueKind::Numbers, "processors", "Processors along x, y and z.", |r| {
        r.problem.grid.counts.to_vec().into()
    }),
    Field::new("machine", ValueKind::Text, "", "Machine of each processor.", |r| {
        r.problem.config.name().into()
    }),
    Field::new("topology", ValueKind::Text, "", "Name of the topology.", |r| {
        r.topology.clone().into()
    }),
    Field::new("ms", ValueKind::Number, "ms", "Time to the end of the last V-cycle.", |r| {
        r.ms().into()
    }),
    Field::new(
        "mops",
        ValueKind::Number,
        "10^6 operations per second",
        "Rate as NPB counts.",
        |r| r.mops().into(),
    ),
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
        |r| r.run.gathered.into(),
    ),
    Field::new(
        "trials",
        ValueKind::Objects(|| schema(TRIAL, &[])),
        "",
        "Trials by which the gathered level was chosen, of the levels coarser than the grid of a trial; none if it was given or is the only one.",
        |r| rows(TRIAL, r.run.trials.iter().copied()),
    ),
];
