//! Reports of procedures on several processors, as text and as JSON, as far as all are alike. `multigrid`, `fft` and `cg` have what
//! is their own, `rows` the rows of processors and links.

mod cg;
mod fft;
mod multigrid;
mod rows;

use crate::procedure::{ClusterProcedure, ClusterResults, RankResult};
use cp2_document::{Field, ValueKind, document, object, schema, tagged};
use rows::{
    LINK, LinkRow, ONE, RANK, RankRow, link_rows, neck, rank_rows, rows, write_network, write_ranks,
};
use serde_json::Value;
use std::fmt::Write as _;

pub use cg::ClusterCgReport;
pub use fft::ClusterFftReport;
pub use multigrid::ClusterMgReport;
pub use rows::OneProcessor;

/// Report of a procedure on several processors.
#[derive(Clone, Debug)]
pub struct ClusterReport<P: ClusterProcedure> {
    /// Problem that was run.
    pub problem: P,
    /// Results of the run.
    pub run: ClusterResults<P::Rank, P::Choice>,
    /// Name of the topology.
    pub topology: String,
    /// Numbers of the topology that rest on assumptions: key and origin.
    pub assumptions: Vec<(String, String)>,
    /// Run on one processor, if there was one.
    pub one: Option<OneProcessor>,
}

/// Procedure with a report.
pub trait ReportedProcedure: ClusterProcedure + 'static {
    /// Name of the procedure.
    const NAME: &'static str;
    /// Tag of the document.
    const TAG: &'static str;
    /// Operations that the rate counts, in words.
    const COUNTED: &'static str;
    /// Fields of the document that tell the problem.
    const PROBLEM: &'static [Field<ClusterReport<Self>>];
    /// Fields of the document that tell results.
    const RESULTS: &'static [Field<ClusterReport<Self>>];

    /// Returns the begin of the first line of the text: the procedure and its problem.
    fn heading(&self) -> String;

    /// Returns the number of operations that the rate counts.
    fn operations(&self) -> f64;

    /// Whether the results are right, whatever one processor finds; `None` if there are no values.
    fn is_right(report: &ClusterReport<Self>) -> Option<bool>;

    /// Writes the line about the result that was checked, if there is one, with this verdict.
    fn write_result(_: &ClusterReport<Self>, _: &str, _: &mut String) {}

    /// Writes lines that other procedures do not have.
    fn write_choice(_: &ClusterReport<Self>, _: &mut String) {}
}

impl<P: ReportedProcedure> ClusterReport<P> {
    /// Returns the time to the end of what is counted, in milliseconds.
    pub fn ms(&self) -> f64 {
        self.run.end().ms()
    }

    /// Returns the rate in 10^6 operations a second.
    pub fn mops(&self) -> f64 {
        self.problem.operations() / self.ms() / 1e3
    }

    /// Whether the results are right, and the bits are those of one processor if there was a run to compare with; `None` if there
    /// are no values.
    pub fn is_verified(&self) -> Option<bool> {
        let is_same = self.one.is_none_or(|one| one.is_same != Some(false));
        P::is_right(self).map(|is_right| is_right && is_same)
    }

    fn processors(&self) -> usize {
        self.problem.setup().topology.ranks()
    }

    fn rank_rows(&self) -> Vec<RankRow> {
        let of_rank = self.run.ranks.iter().map(|rank| (rank.end(), rank.memory()));
        rank_rows(&self.run.accounts, of_rank, &self.run.messages)
    }

    fn link_rows(&self) -> Vec<LinkRow> {
        link_rows(&self.problem.setup().topology, &self.run.links, self.run.last().ms())
    }

    /// Returns the report as text for people.
    pub fn text(&self) -> String {
        let processors = self.processors();
        let plural = if processors == 1 { "" } else { "s" };
        let heading =
            self.problem.heading().replace("{on}", &format!("on {processors} processor{plural}"));
        let machine = self.problem.setup().config.name();
        let mut text = format!("{heading} of {machine}, topology {}\n", self.topology);
        let _ = writeln!(text, "time              {:>12.3} ms", self.ms());
        let _ = writeln!(text, "rate              {:>12.0} MOPS, {}", self.mops(), P::COUNTED);
        self.write_one(&mut text);
        let verdict = if self.is_verified() == Some(true) { "verified" } else { "NOT verified" };
        P::write_result(self, verdict, &mut text);
        self.write_memory(&mut text);
        P::write_choice(self, &mut text);
        write_ranks(&mut text, &self.rank_rows());
        write_network(&mut text, &self.link_rows(), &self.run.messages, &self.assumptions);
        text
    }

    /// Writes how long one processor takes, if there was a run on one.
    fn write_one(&self, text: &mut String) {
        let Some(one) = self.one else { return };
        let processors = self.processors();
        let gain = one.ms / self.ms();
        let share = 100.0 * gain / processors as f64;
        let bits = match one.is_same {
            Some(true) => "; the same bits",
            Some(false) => "; OTHER BITS",
            None => "",
        };
        let _ = writeln!(
            text,
            "one processor     {:>12.3} ms: {gain:.2} times as long, {share:.1} % of {processors}{bits}",
            one.ms
        );
    }

    /// Writes the largest memory of a processor.
    fn write_memory(&self, text: &mut String) {
        let most = self.rank_rows().iter().map(|row| row.memory).max().unwrap_or_default();
        let _ = writeln!(
            text,
            "memory            {:>12.3} MB of a processor at most",
            most as f64 / 1e6
        );
    }

    /// Returns the report as a JSON document.
    pub fn to_json(&self) -> Value {
        document(P::TAG, &fields(), self)
    }

    /// Returns the JSON schema of the document.
    pub fn schema() -> Value {
        let mut schema = tagged(P::TAG, &fields::<P>(), &[]);
        schema["title"] = format!("Report of `cp2 cluster run {} --json`", P::NAME).into();
        schema
    }
}

/// Returns the fields of the document of a procedure.
fn fields<P: ReportedProcedure>() -> Vec<Field<ClusterReport<P>>> {
    let first = [Field::new("procedure", ValueKind::Text, "", "Name of the procedure.", |_| {
        P::NAME.into()
    })];
    let problem = first.into_iter().chain(P::PROBLEM.iter().copied()).chain(run_fields());
    problem.chain(P::RESULTS.iter().copied()).chain(network_fields()).collect()
}

/// Returns the fields of complex and time.
fn run_fields<P: ReportedProcedure>() -> [Field<ClusterReport<P>>; 5] {
    [
        Field::new("processors", ValueKind::Integer, "processors", "Number of processors.", |r| {
            r.processors().into()
        }),
        Field::new("machine", ValueKind::Text, "", "Machine of each processor.", |r| {
            r.problem.setup().config.name().into()
        }),
        Field::new("topology", ValueKind::Text, "", "Name of the topology.", |r| {
            r.topology.clone().into()
        }),
        Field::new(
            "ms",
            ValueKind::Number,
            "ms",
            "Time of the run; of mg without that of the norm.",
            |r| r.ms().into(),
        ),
        Field::new(
            "mops",
            ValueKind::Number,
            "10^6 operations per second",
            "Rate by the operations of the procedure: as NPB counts, or 5 n log2 n for n points.",
            |r| r.mops().into(),
        ),
    ]
}

/// Returns the fields at the end of each report: the run on one processor, processors, links and assumptions.
fn network_fields<P: ReportedProcedure>() -> [Field<ClusterReport<P>>; 5] {
    [
        Field::or_null(
            "one_processor",
            ValueKind::Object(|| schema(ONE, &[])),
            "",
            "Run on one processor; null without `--compare`.",
            |r| r.one.map_or(Value::Null, |one| object(ONE, &one)),
        ),
        Field::new(
            "ranks",
            ValueKind::Objects(|| schema(RANK, &[])),
            "",
            "Time of each processor by causes.",
            |r| rows(RANK, r.rank_rows()),
        ),
        Field::new(
            "links",
            ValueKind::Objects(|| schema(LINK, &[])),
            "",
            "Directions of links that were used.",
            |r| rows(LINK, r.link_rows()),
        ),
        Field::or_null(
            "neck",
            ValueKind::Text,
            "",
            "Name of the link that was busy longest.",
            |r| neck(&r.link_rows()).map_or(Value::Null, |neck| neck.name.clone().into()),
        ),
        Field::new(
            "assumptions",
            ValueKind::Texts,
            "",
            "Keys of the topology that rest on assumptions, with the origins.",
            |r| r.assumptions.iter().map(|(key, origin)| format!("{key}: {origin}")).collect(),
        ),
    ]
}
