//! The report of a program on several processors, as text and as JSON.

use crate::problem::ClusterProgramRun;
use crate::rows::{LINK, ProgramRankRow, RANK, link_rows, rank_rows, rows};
use cp2_cluster::{TimeCause, Topology};
use cp2_document::{Field, ValueKind, document, schema, tagged};
use serde_json::Value;
use std::fmt::Write as _;

/// Tag of the document.
const TAG: &str = "cp2-cluster-program-1";

/// Report of a run of a program on several processors.
#[derive(Clone, Debug)]
pub struct ClusterProgramReport {
    /// Name of the program.
    pub program: String,
    /// Name of the machine of each processor.
    pub machine: String,
    /// Name of the topology.
    pub topology: String,
    /// Chips and links of the topology.
    pub network: Topology,
    /// Results of the run.
    pub run: ClusterProgramRun,
    /// Lines that the programs printed.
    pub output: String,
    /// Numbers of the topology that rest on assumptions: key and origin.
    pub assumptions: Vec<(String, String)>,
}

impl ClusterProgramReport {
    /// Returns the report as text for people, without what the programs printed.
    #[must_use]
    pub fn text(&self) -> String {
        let run = &self.run;
        let ranks = run.ends.len();
        let plural = if ranks == 1 { "" } else { "s" };
        let mut text = format!(
            "{} on {ranks} processor{plural} of {}, topology {}\n",
            self.program, self.machine, self.topology
        );
        let bytes: u64 = run.messages.iter().map(|message| message.bytes).sum();
        let _ = writeln!(text, "time              {:>12.3} ms", run.ms());
        let _ = writeln!(text, "messages          {:>12}, {bytes} bytes", run.messages.len());
        write_ranks(&mut text, &rank_rows(run));
        let links = link_rows(&self.network, &run.links);
        if let Some(neck) =
            links.iter().reduce(|a, b| if b.used.busy > a.used.busy { b } else { a })
        {
            let _ = writeln!(
                text,
                "busiest link      {:>12.1} % busy: {}, {} bytes; packets waited {:.1} us",
                100.0 * neck.used.busy.ms() / run.ms(),
                neck.name,
                neck.used.bytes,
                neck.used.waited.ns() / 1e3
            );
        }
        let _ = writeln!(text, "assumptions");
        for (key, origin) in &self.assumptions {
            let _ = writeln!(text, "  {key}: {}", origin.trim_start_matches("assumption: "));
        }
        let _ = writeln!(text, "  memory: messages take no time of the memory of either end");
        text
    }

    /// Returns the report as a JSON document.
    #[must_use]
    pub fn to_json(&self) -> Value {
        document(TAG, REPORT, self)
    }

    /// Returns the JSON schema of the document.
    #[must_use]
    pub fn schema() -> Value {
        let mut schema = tagged(TAG, REPORT, &[]);
        schema["title"] = "Report of `cp2 cluster run program --json`".into();
        schema
    }
}

/// Writes the time of each processor by causes.
fn write_ranks(text: &mut String, rows: &[ProgramRankRow]) {
    let _ = writeln!(
        text,
        "processor      cycles        us  computing  overhead  wire  latency  contention  late neighbour  sent  bytes"
    );
    for ProgramRankRow { rank, account, end } in rows {
        let total = account.total().ns().max(f64::MIN_POSITIVE);
        let percent = |cause| 100.0 * account.of(cause).ns() / total;
        let [computing, overhead, wire, latency, contention, late] = [
            TimeCause::Computing,
            TimeCause::Overhead,
            TimeCause::Wire,
            TimeCause::Latency,
            TimeCause::Contention,
            TimeCause::LateNeighbour,
        ]
        .map(percent);
        let _ = writeln!(
            text,
            "{rank:>9} {:>11} {:>9.1} {computing:>8.1} % {overhead:>7.1} % {wire:>3.1} % {latency:>6.1} % {contention:>9.1} % {late:>13.1} % {:>5}  {}",
            end.cycles,
            total / 1e3,
            end.sent,
            end.sent_bytes
        );
    }
}

const REPORT: &[Field<ClusterProgramReport>] = &[
    Field::new("program", ValueKind::Text, "", "Name of the program.", |r| {
        r.program.clone().into()
    }),
    Field::new("processors", ValueKind::Integer, "processors", "Number of processors.", |r| {
        r.run.ends.len().into()
    }),
    Field::new("machine", ValueKind::Text, "", "Machine of each processor.", |r| {
        r.machine.clone().into()
    }),
    Field::new("topology", ValueKind::Text, "", "Name of the topology.", |r| {
        r.topology.clone().into()
    }),
    Field::new("code", ValueKind::Integer, "", "First exit code that is not 0, else 0.", |r| {
        r.run.code().into()
    }),
    Field::new("ms", ValueKind::Number, "ms", "Time to the end of the last program.", |r| {
        r.run.ms().into()
    }),
    Field::new("output", ValueKind::Text, "", "What the programs printed, by lines.", |r| {
        r.output.clone().into()
    }),
    Field::new("messages", ValueKind::Integer, "messages", "Messages over links.", |r| {
        r.run.messages.len().into()
    }),
    Field::new("bytes", ValueKind::Integer, "bytes", "Bytes of these, without headers.", |r| {
        r.run.messages.iter().map(|message| message.bytes).sum::<u64>().into()
    }),
    Field::new(
        "ranks",
        ValueKind::Objects(|| schema(RANK, &[])),
        "",
        "Cycles, time by causes and messages of each processor.",
        |r| rows(RANK, rank_rows(&r.run)),
    ),
    Field::new(
        "links",
        ValueKind::Objects(|| schema(LINK, &[])),
        "",
        "Directions of links that were used.",
        |r| rows(LINK, link_rows(&r.network, &r.run.links)),
    ),
    Field::new(
        "assumptions",
        ValueKind::Texts,
        "",
        "Keys of the topology that rest on assumptions, with the origins.",
        |r| r.assumptions.iter().map(|(key, origin)| format!("{key}: {origin}")).collect(),
    ),
];
