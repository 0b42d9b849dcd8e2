//! Rows of processors and links in reports.

use crate::problem::{ClusterProgramRun, ProgramEnd};
use cp2_cluster::{LinkUse, RankAccount, TimeCause, Topology};
use cp2_document::{Field, ValueKind, object};
use serde_json::Value;

/// Row of a processor.
pub(crate) struct ProgramRankRow {
    pub(crate) rank: usize,
    pub(crate) account: RankAccount,
    pub(crate) end: ProgramEnd,
}

impl ProgramRankRow {
    fn us(&self, cause: TimeCause) -> Value {
        (self.account.of(cause).ns() / 1e3).into()
    }
}

/// Row of a direction of a link that was used.
pub(crate) struct ProgramLinkRow {
    pub(crate) name: String,
    pub(crate) used: LinkUse,
}

/// Returns the rows of all processors.
pub(crate) fn rank_rows(run: &ClusterProgramRun) -> Vec<ProgramRankRow> {
    let both = run.accounts.iter().zip(&run.ends).enumerate();
    both.map(|(rank, (account, end))| ProgramRankRow { rank, account: *account, end: *end })
        .collect()
}

/// Returns the rows of the directions of links that were used.
pub(crate) fn link_rows(topology: &Topology, links: &[LinkUse]) -> Vec<ProgramLinkRow> {
    let both = topology.links().iter().zip(links).filter(|(_, used)| used.packets > 0);
    both.map(|(link, used)| ProgramLinkRow { name: link.name().to_owned(), used: used.clone() })
        .collect()
}

/// Returns the objects of all rows.
pub(crate) fn rows<T>(fields: &[Field<T>], all: impl IntoIterator<Item = T>) -> Value {
    all.into_iter().map(|one| object(fields, &one)).collect()
}

pub(crate) const RANK: &[Field<ProgramRankRow>] = &[
    Field::new("rank", ValueKind::Integer, "", "Number of the processor.", |r| r.rank.into()),
    Field::new("code", ValueKind::Integer, "", "Exit code of its program.", |r| r.end.code.into()),
    Field::new("cycles", ValueKind::Integer, "cycles", "Cycles from reset to the end.", |r| {
        r.end.cycles.into()
    }),
    Field::new(
        "instructions",
        ValueKind::Integer,
        "instructions",
        "Instructions of the control processor.",
        |r| r.end.instructions.into(),
    ),
    Field::new("kernels", ValueKind::Integer, "kernels", "Kernels of CP2 that ended.", |r| {
        r.end.kernels.into()
    }),
    Field::new("moved_bytes", ValueKind::Integer, "bytes", "Bytes that the channel moved.", |r| {
        r.end.moved.into()
    }),
    Field::new("us", ValueKind::Number, "us", "Time to the end, the sum of the causes.", |r| {
        (r.account.total().ns() / 1e3).into()
    }),
    Field::new(
        "computing_us",
        ValueKind::Number,
        "us",
        "Instructions, CP2 and channel included.",
        |r| r.us(TimeCause::Computing),
    ),
    Field::new(
        "overhead_us",
        ValueKind::Number,
        "us",
        "Sends and receives in the processor, beyond the instructions of its program.",
        |r| r.us(TimeCause::Overhead),
    ),
    Field::new("wire_us", ValueKind::Number, "us", "Waits while bytes go over links.", |r| {
        r.us(TimeCause::Wire)
    }),
    Field::new("latency_us", ValueKind::Number, "us", "Waits for the latency of links.", |r| {
        r.us(TimeCause::Latency)
    }),
    Field::new(
        "contention_us",
        ValueKind::Number,
        "us",
        "Waits for other messages on links.",
        |r| r.us(TimeCause::Contention),
    ),
    Field::new(
        "late_neighbour_us",
        ValueKind::Number,
        "us",
        "Waits for messages that are not sent yet.",
        |r| r.us(TimeCause::LateNeighbour),
    ),
    Field::new("messages", ValueKind::Integer, "messages", "Messages that it sent.", |r| {
        r.end.sent.into()
    }),
    Field::new("bytes", ValueKind::Integer, "bytes", "Bytes of these messages.", |r| {
        r.end.sent_bytes.into()
    }),
    Field::new("received", ValueKind::Integer, "messages", "Messages that it received.", |r| {
        r.end.received.into()
    }),
    Field::new("received_bytes", ValueKind::Integer, "bytes", "Bytes of these messages.", |r| {
        r.end.received_bytes.into()
    }),
];

pub(crate) const LINK: &[Field<ProgramLinkRow>] = &[
    Field::new("name", ValueKind::Text, "", "Axis or name, and the chips at its ends.", |l| {
        l.name.clone().into()
    }),
    Field::new("packets", ValueKind::Integer, "packets", "Packets that went over it.", |l| {
        l.used.packets.into()
    }),
    Field::new("bytes", ValueKind::Integer, "bytes", "Bytes with headers.", |l| {
        l.used.bytes.into()
    }),
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
