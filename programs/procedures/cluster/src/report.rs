//! The report of a run on several processors, as text and as JSON.

use crate::problem::{ClusterMgProblem, ClusterMgRun, GatherTrial};
use cp2_cluster::{LinkUse, RankAccount, Tick, TimeCause};
use cp2_document::{Field, ValueKind, document, object, schema, tagged};
use serde_json::Value;
use std::fmt::Write as _;

/// Part of the norm of NPB by which that of a run may be off; the page on multigrid of the book derives it.
const TOLERANCE: f64 = 1e-4;
/// Tag of the document.
const TAG: &str = "cp2-cluster-1";

/// Run of the same class on one processor, to compare with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OneProcessor {
    /// Time of the run in milliseconds.
    pub ms: f64,
    /// Whether the residuals of both runs are the same bits.
    pub is_same: bool,
}

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

/// Row of a rank.
struct RankRow {
    rank: usize,
    /// Time of the rank by causes, with the norm.
    account: RankAccount,
    /// Time of the norm alone.
    norm: Tick,
    sent: u64,
    bytes: u64,
}

/// Row of a direction of a link that was used.
struct LinkRow {
    name: String,
    used: LinkUse,
    /// Time of the run with the norm in milliseconds: messages of the norm are on the link too.
    of_ms: f64,
}

impl LinkRow {
    fn busy_percent(&self) -> f64 {
        100.0 * self.used.busy.ms() / self.of_ms
    }
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

    /// Returns by which part of the norm of NPB the norm is off.
    pub fn deviation(&self) -> f64 {
        self.run.norm() / self.problem.class.norm() - 1.0
    }

    /// Whether the norm is that of NPB, within what single precision allows, and the bits are those of one processor if there
    /// was a run to compare with.
    pub fn is_verified(&self) -> bool {
        let is_same = self.one.is_none_or(|one| one.is_same);
        self.deviation().abs() <= TOLERANCE && is_same
    }

    fn rank_rows(&self) -> Vec<RankRow> {
        let row = |(rank, account): (usize, &RankAccount)| {
            let sent = || self.run.messages.iter().filter(move |message| message.from == rank);
            let bytes = sent().map(|message| message.bytes).sum();
            let norm = account.total().since(self.run.ranks[rank].end);
            RankRow { rank, account: *account, norm, sent: sent().count() as u64, bytes }
        };
        self.run.accounts.iter().enumerate().map(row).collect()
    }

    fn link_rows(&self) -> Vec<LinkRow> {
        let both = self.problem.topology.links().iter().zip(&self.run.links);
        let used = both.filter(|(_, used)| used.packets > 0);
        let of_ms = self.ms_with_norm();
        let row = |(link, used): (&cp2_cluster::DirectedLink, &LinkUse)| LinkRow {
            name: link.name().to_owned(),
            used: used.clone(),
            of_ms,
        };
        used.map(row).collect()
    }

    /// Returns the link that was busy longest; the first of several.
    fn neck(&self) -> Option<LinkRow> {
        let longest = |a: LinkRow, b: LinkRow| if b.used.busy > a.used.busy { b } else { a };
        self.link_rows().into_iter().reduce(longest)
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
        if let Some(one) = self.one {
            let gain = one.ms / self.ms();
            let share = 100.0 * gain / problem.grid.processes() as f64;
            let bits = if one.is_same { "the same bits" } else { "OTHER BITS" };
            let _ = writeln!(
                text,
                "one processor     {:>12.3} ms: {gain:.2} times as long, {share:.1} % of {}; {bits}",
                one.ms,
                problem.grid.processes()
            );
        }
        let verified = if self.is_verified() { "verified" } else { "NOT verified" };
        let _ = writeln!(
            text,
            "norm              {:>12.6e}, {:+.1e} from NPB: {verified}",
            run.norm(),
            self.deviation()
        );
        if problem.grid.processes() > 1 {
            let _ = writeln!(
                text,
                "with the norm     {:>12.3} ms, of which the times of processors and links below are",
                self.ms_with_norm()
            );
            self.levels(&mut text);
        }
        self.ranks(&mut text);
        self.network(&mut text);
        text
    }

    /// Writes what went over links, and the assumptions.
    fn network(&self, text: &mut String) {
        let Some(neck) = self.neck() else { return };
        let bytes: u64 = self.run.messages.iter().map(|message| message.bytes).sum();
        let _ = writeln!(text, "messages          {:>12}, {bytes} bytes", self.run.messages.len());
        let _ = writeln!(
            text,
            "busiest link      {:>12.1} % busy: {}, {} bytes; packets waited {:.1} us",
            neck.busy_percent(),
            neck.name,
            neck.used.bytes,
            neck.used.waited.ns() / 1e3
        );
        let _ = writeln!(text, "assumptions");
        for (key, origin) in &self.assumptions {
            let _ = writeln!(text, "  {key}: {}", origin.trim_start_matches("assumption: "));
        }
        let _ = writeln!(text, "  memory: messages take no time of the channel of either end");
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

    fn ranks(&self, text: &mut String) {
        let _ = writeln!(
            text,
            "processor      us  computing  packing  overhead  wire  latency  contention  late neighbour  sent  bytes"
        );
        for RankRow { rank, account, sent, bytes, .. } in self.rank_rows() {
            let total = account.total().ns();
            let percent = TimeCause::ALL.map(|cause| 100.0 * account.of(cause).ns() / total);
            let [computing, packing, overhead, wire, latency, contention, late] = percent;
            let _ = writeln!(
                text,
                "{rank:>9} {:>8.0} {computing:>8.1} % {packing:>6.1} % {overhead:>7.1} % {wire:>3.1} % {latency:>6.1} % {contention:>9.1} % {late:>13.1} % {sent:>5}  {bytes}",
                total / 1e3
            );
        }
    }

    /// Returns the report as a JSON document.
    pub fn to_json(&self) -> Value {
        document(TAG, REPORT, self)
    }

    /// Returns the JSON schema of the document.
    pub fn schema() -> Value {
        let mut schema = tagged(TAG, REPORT, &[]);
        schema["title"] = "Report of `cp2 cluster run mg --json`".into();
        schema
    }
}

fn us(account: &RankAccount, cause: TimeCause) -> Value {
    (account.of(cause).ns() / 1e3).into()
}

const RANK: &[Field<RankRow>] = &[
    Field::new("rank", ValueKind::Integer, "", "Number of the processor.", |r| r.rank.into()),
    Field::new(
        "us",
        ValueKind::Number,
        "us",
        "Time of the rank with the norm, the sum of the causes.",
        |r| (r.account.total().ns() / 1e3).into(),
    ),
    Field::new(
        "norm_us",
        ValueKind::Number,
        "us",
        "Time of the norm, after the last V-cycle: a part of `us`, and not of `ms` of the report.",
        |r| (r.norm.ns() / 1e3).into(),
    ),
    Field::new(
        "computing_us",
        ValueKind::Number,
        "us",
        "Operators, host and channel included.",
        |r| us(&r.account, TimeCause::Computing),
    ),
    Field::new("packing_us", ValueKind::Number, "us", "Copies between arrays and buffers.", |r| {
        us(&r.account, TimeCause::Packing)
    }),
    Field::new(
        "overhead_us",
        ValueKind::Number,
        "us",
        "Sends and receives in the processor.",
        |r| us(&r.account, TimeCause::Overhead),
    ),
    Field::new("wire_us", ValueKind::Number, "us", "Waits while bytes go over links.", |r| {
        us(&r.account, TimeCause::Wire)
    }),
    Field::new("latency_us", ValueKind::Number, "us", "Waits for the latency of links.", |r| {
        us(&r.account, TimeCause::Latency)
    }),
    Field::new(
        "contention_us",
        ValueKind::Number,
        "us",
        "Waits for other messages on links.",
        |r| us(&r.account, TimeCause::Contention),
    ),
    Field::new(
        "late_neighbour_us",
        ValueKind::Number,
        "us",
        "Waits for messages that are not sent yet.",
        |r| us(&r.account, TimeCause::LateNeighbour),
    ),
    Field::new("messages", ValueKind::Integer, "messages", "Messages that the rank sent.", |r| {
        r.sent.into()
    }),
    Field::new("bytes", ValueKind::Integer, "bytes", "Bytes of these messages.", |r| {
        r.bytes.into()
    }),
];

const LINK: &[Field<LinkRow>] = &[
    Field::new("name", ValueKind::Text, "", "Axis or name, and the chips at its ends.", |l| {
        l.name.clone().into()
    }),
    Field::new("packets", ValueKind::Integer, "packets", "Packets that went over it.", |l| {
        l.used.packets.into()
    }),
    Field::new(
        "bytes",
        ValueKind::Integer,
        "bytes",
        "Bytes with headers, those of the norm included.",
        |l| l.used.bytes.into(),
    ),
    Field::new("busy_us", ValueKind::Number, "us", "Time in which it was busy.", |l| {
        (l.used.busy.ns() / 1e3).into()
    }),
    Field::new(
        "waited_us",
        ValueKind::Number,
        "us",
        "Time for which packets waited for it, added up.",
        |l| (l.used.waited.ns() / 1e3).into(),
    ),
];

const TRIAL: &[Field<GatherTrial>] = &[
    Field::new("points", ValueKind::Integer, "points", "Points along an axis of the level.", |t| {
        t.points.into()
    }),
    Field::new("us", ValueKind::Number, "us", "Time of a V-cycle with this level gathered.", |t| {
        (t.time.ns() / 1e3).into()
    }),
];

const ONE: &[Field<OneProcessor>] = &[
    Field::new("ms", ValueKind::Number, "ms", "Time on one processor.", |o| o.ms.into()),
    Field::new("is_same", ValueKind::Flag, "", "Whether the residuals are the same bits.", |o| {
        o.is_same.into()
    }),
];

fn rows<T>(fields: &[Field<T>], all: impl IntoIterator<Item = T>) -> Value {
    all.into_iter().map(|one| object(fields, &one)).collect()
}

const REPORT: &[Field<ClusterMgReport>] = &[
    Field::new("procedure", ValueKind::Text, "", "Procedure: \"mg\".", |_| "mg".into()),
    Field::new("form", ValueKind::Text, "", "Form of the V-cycles: \"plain\".", |_| "plain".into()),
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
    Field::new(
        "norm",
        ValueKind::Number,
        "",
        "Root of the mean square of the last residual.",
        |r| r.run.norm().into(),
    ),
    Field::new(
        "deviation",
        ValueKind::Number,
        "",
        "Deviation of the norm from that of NPB, in parts of it.",
        |r| r.deviation().into(),
    ),
    Field::new("is_verified", ValueKind::Flag, "", "Whether norm and bits are right.", |r| {
        r.is_verified().into()
    }),
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
    Field::or_null("neck", ValueKind::Text, "", "Name of the link that was busy longest.", |r| {
        r.neck().map_or(Value::Null, |neck| neck.name.into())
    }),
    Field::new(
        "assumptions",
        ValueKind::Texts,
        "",
        "Keys of the topology that rest on assumptions, with the origins.",
        |r| r.assumptions.iter().map(|(key, origin)| format!("{key}: {origin}")).collect(),
    ),
];
