//! Rows of processors and links, as reports on several processors have them.

use cp2_cluster::{LinkUse, MessageRecord, RankAccount, Tick, TimeCause, Topology};
use cp2_document::{Field, ValueKind, object};
use serde_json::Value;
use std::fmt::Write as _;

/// Run of the same problem on one processor, to compare with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OneProcessor {
    /// Time of the run in milliseconds.
    pub ms: f64,
    /// Whether the results of both runs are the same bits; `None` if the runs find no values.
    pub is_same: Option<bool>,
}

/// Row of a rank.
pub(crate) struct RankRow {
    rank: usize,
    /// Time of the rank by causes, with the norm.
    account: RankAccount,
    /// Time of the norm alone.
    norm: Tick,
    pub(crate) memory: u64,
    sent: u64,
    bytes: u64,
}

/// Row of a direction of a link that was used.
pub(crate) struct LinkRow {
    pub(crate) name: String,
    used: LinkUse,
    /// Time of the run with the norm in milliseconds: messages of the norm are on the link too.
    of_ms: f64,
}

impl LinkRow {
    fn busy_percent(&self) -> f64 {
        100.0 * self.used.busy.ms() / self.of_ms
    }
}

/// Returns the rows of all ranks, with the moment at which each was done and the bytes of its memory.
pub(crate) fn rank_rows(
    accounts: &[RankAccount],
    of_rank: impl Iterator<Item = (Tick, u64)>,
    messages: &[MessageRecord],
) -> Vec<RankRow> {
    let row = |(rank, (account, (end, memory))): (usize, (&RankAccount, (Tick, u64)))| {
        let sent = || messages.iter().filter(move |message| message.from == rank);
        let bytes = sent().map(|message| message.bytes).sum();
        let norm = account.total().since(end);
        RankRow { rank, account: *account, norm, memory, sent: sent().count() as u64, bytes }
    };
    accounts.iter().zip(of_rank).enumerate().map(row).collect()
}

/// Returns the rows of the directions of links that were used, in a run of so many milliseconds.
pub(crate) fn link_rows(topology: &Topology, links: &[LinkUse], of_ms: f64) -> Vec<LinkRow> {
    let both = topology.links().iter().zip(links).filter(|(_, used)| used.packets > 0);
    both.map(|(link, used)| LinkRow { name: link.name().to_owned(), used: used.clone(), of_ms })
        .collect()
}

/// Returns the link that was busy longest; the first of several.
pub(crate) fn neck(links: &[LinkRow]) -> Option<&LinkRow> {
    links.iter().reduce(|a, b| if b.used.busy > a.used.busy { b } else { a })
}

/// Writes what went over links, and the assumptions.
pub(crate) fn write_network(
    text: &mut String,
    links: &[LinkRow],
    messages: &[MessageRecord],
    assumptions: &[(String, String)],
) {
    let Some(neck) = neck(links) else { return };
    let bytes: u64 = messages.iter().map(|message| message.bytes).sum();
    let _ = writeln!(text, "messages          {:>12}, {bytes} bytes", messages.len());
    let _ = writeln!(
        text,
        "busiest link      {:>12.1} % busy: {}, {} bytes; packets waited {:.1} us",
        neck.busy_percent(),
        neck.name,
        neck.used.bytes,
        neck.used.waited.ns() / 1e3
    );
    let _ = writeln!(text, "assumptions");
    for (key, origin) in assumptions {
        let _ = writeln!(text, "  {key}: {}", origin.trim_start_matches("assumption: "));
    }
    let _ = writeln!(text, "  memory: messages take no time of the channel of either end");
}

/// Writes the time of each processor by causes.
pub(crate) fn write_ranks(text: &mut String, rows: &[RankRow]) {
    let _ = writeln!(
        text,
        "processor      us  computing  packing  overhead  wire  latency  contention  late neighbour  sent  bytes"
    );
    for RankRow { rank, account, sent, bytes, .. } in rows {
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

fn us(account: &RankAccount, cause: TimeCause) -> Value {
    (account.of(cause).ns() / 1e3).into()
}

pub(crate) const RANK: &[Field<RankRow>] = &[
    Field::new("rank", ValueKind::Integer, "", "Number of the processor.", |r| r.rank.into()),
    Field::new(
        "us",
        ValueKind::Number,
        "us",
        "Time of the rank, the sum of the causes; of mg with the norm.",
        |r| (r.account.total().ns() / 1e3).into(),
    ),
    Field::new(
        "norm_us",
        ValueKind::Number,
        "us",
        "Time of the norm of mg, after the last V-cycle: a part of `us`, and not of `ms` of the report. 0 for other procedures.",
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
    Field::new(
        "memory_bytes",
        ValueKind::Integer,
        "bytes",
        "System memory that arrays, buffers and queues of descriptors take.",
        |r| r.memory.into(),
    ),
    Field::new("messages", ValueKind::Integer, "messages", "Messages that the rank sent.", |r| {
        r.sent.into()
    }),
    Field::new("bytes", ValueKind::Integer, "bytes", "Bytes of these messages.", |r| {
        r.bytes.into()
    }),
];

pub(crate) const LINK: &[Field<LinkRow>] = &[
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

pub(crate) const ONE: &[Field<OneProcessor>] = &[
    Field::new("ms", ValueKind::Number, "ms", "Time on one processor.", |o| o.ms.into()),
    Field::or_null(
        "is_same",
        ValueKind::Flag,
        "",
        "Whether the results are the same bits; null in a replay of mg.",
        |o| o.is_same.into(),
    ),
];

/// Returns the objects of all rows.
pub(crate) fn rows<T>(fields: &[Field<T>], all: impl IntoIterator<Item = T>) -> Value {
    all.into_iter().map(|one| object(fields, &one)).collect()
}
