//! Report of the run of a chain, as text and as JSON with its schema.

use crate::run::{ChainEnd, Report, bytes, rate};
use crate::sentence::sentence;
use cp2_document::{self as document, Field, ValueKind};
use cp2_emu::dma::{ChannelCause, Descriptor, Visit};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The tag of the JSON report.
const TAG: &str = "cp2-dma-1";
/// Number of descriptors that the text tells of.
const IN_TEXT: usize = 64;
/// The causes of cycles of a descriptor, with their headings.
const CAUSES: [(ChannelCause, &str); 6] = [
    (ChannelCause::SetUp, "set-up"),
    (ChannelCause::Fetch, "fetch"),
    (ChannelCause::Sync, "sync"),
    (ChannelCause::Memory, "memory"),
    (ChannelCause::Beat, "beat"),
    (ChannelCause::Conflict, "conflict"),
];

fn plural(n: u64, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

/// Returns the end of a chain in the words of a report.
pub(super) fn end_words(end: &ChainEnd) -> &'static str {
    match end {
        ChainEnd::Stopped => "stopped",
        ChainEnd::Asked => "stopped by the host",
        ChainEnd::Fault(_) => "stopped with a fault",
        ChainEnd::Waiting { .. } => "still waiting for start_dma",
        ChainEnd::Limit(_) => "stopped at the limit of cycles",
        ChainEnd::Interrupted => "interrupted",
    }
}

/// Returns what the descriptor of a visit does, in a sentence.
pub(super) fn visit_sentence(visit: &Visit) -> String {
    match &visit.words {
        Some(words) => sentence(&Descriptor::decode(words)),
        None => "was not fetched".to_owned(),
    }
}

/// Returns the two lines of the heading of a report: what ran, and how fast.
pub(super) fn heading(report: &Report) -> [String; 2] {
    let first = format!(
        "{} after {}, {:.3} microseconds on {} at {} MHz",
        end_words(&report.end),
        plural(report.cycles, "cycle"),
        report.microseconds(report.cycles),
        report.machine.name(),
        report.mhz()
    );
    let moved = report.bytes;
    let second = format!(
        "{}, {}, {}, {:.1} MB/s",
        plural(report.n_visits, "descriptor"),
        plural(report.beats(), "beat"),
        plural(moved, "byte"),
        rate(moved, &report.stats, report.mhz())
    );
    [first, second]
}

/// Returns the report of the run of a chain as text for people: a heading, a table of the first 64 descriptors, and the
/// counts of memory.
pub fn to_text(report: &Report) -> String {
    let mut text = String::new();
    for line in heading(report) {
        let _ = writeln!(text, "{line}");
    }
    let _ = write!(
        text,
        "\n{:>10} {:>19} {:>8} {:>9} {:>8} |",
        "descriptor", "cycles", "beats", "bytes", "MB/s"
    );
    for (_, name) in CAUSES {
        let _ = write!(text, " {name:>8}");
    }
    text.push('\n');
    let shown = report.visits.len().min(IN_TEXT);
    for visit in &report.visits[..shown] {
        let end = report.end_of(visit);
        let range = format!("{}..{end}", visit.begin);
        let causes = &visit.stats.causes;
        let _ = write!(
            text,
            "{:>10} {range:>19} {:>8} {:>9} {:>8.1} |",
            visit.number,
            causes[ChannelCause::Beat as usize],
            bytes(visit),
            rate(bytes(visit), &visit.stats, report.mhz()),
        );
        for (cause, _) in CAUSES {
            let _ = write!(text, " {:>8}", causes[cause as usize]);
        }
        let _ = writeln!(text, "\n{:>10} {}", "", visit_sentence(visit));
    }
    let rest = report.n_visits - shown as u64;
    if rest > 0 {
        let _ = writeln!(text, "{:>10} {} more", "", plural(rest, "descriptor"));
    }
    let _ = write!(
        text,
        "{:>10} {:>19} {:>8} {:>9} {:>8} |",
        "all",
        report.cycles,
        report.beats(),
        report.bytes,
        ""
    );
    for (cause, _) in CAUSES {
        let _ = write!(text, " {:>8}", report.stats.causes[cause as usize]);
    }
    let [transactions, openings] = report.transactions;
    let _ = writeln!(
        text,
        "\nmemory: {}, {} of a row",
        plural(transactions, "transaction"),
        plural(openings, "opening")
    );
    for cycle in &report.idle_releases {
        let _ = writeln!(text, "start_dma in cycle {cycle} found no wait and did nothing");
    }
    text
}

/// Returns the report of the run of a chain as a JSON document, as `cp2 dma --json` prints it.
pub fn to_json(report: &Report) -> Value {
    document::document(TAG, REPORT, report)
}

/// Returns the JSON Schema of the document that [`to_json`] makes.
pub fn schema() -> Value {
    document::whole("Report of `cp2 dma --json`", &[document::tagged(TAG, REPORT, &[])])
}

const REPORT: &[Field<Report>] = &[
    Field::new("machine", ValueKind::Defined("machine"), "", "the machine", |r| {
        r.machine.to_json()
    }),
    Field::new("clock_mhz", ValueKind::Integer, "MHz", "clock of the channel", |r| r.mhz().into()),
    Field::new("table", ValueKind::Integer, "bytes", "address of the table of descriptors", |r| {
        r.table.into()
    }),
    Field::new(
        "end",
        ValueKind::Object(|| document::schema(END, &[])),
        "",
        "how the chain ended",
        |r| document::object(END, &r.end),
    ),
    Field::new(
        "cycles",
        ValueKind::Integer,
        "cycles",
        "from the start of the channel to the end",
        |r| r.cycles.into(),
    ),
    Field::new("microseconds", ValueKind::Number, "microseconds", "the same as time", |r| {
        r.microseconds(r.cycles).into()
    }),
    Field::new(
        "beats",
        ValueKind::Integer,
        "beats",
        "that moved, or words of descriptors of single words; those of a copy twice",
        |r| r.beats().into(),
    ),
    Field::new(
        "bytes",
        ValueKind::Integer,
        "bytes",
        "that were moved, those of a copy once",
        |r| r.bytes.into(),
    ),
    Field::new(
        "mb_per_s",
        ValueKind::Number,
        "MB/s",
        "bytes over all cycles but those of waits for start_dma, 10^6 bytes a second",
        |r| rate(r.bytes, &r.stats, r.mhz()).into(),
    ),
    Field::new("stats", ValueKind::Defined("dma_stats"), "", "counts of the channel", |r| {
        r.stats.to_json()
    }),
    Field::new(
        "transactions",
        ValueKind::Integer,
        "transactions",
        "on the channel to memory",
        |r| r.transactions[0].into(),
    ),
    Field::new("row_openings", ValueKind::Integer, "rows", "of the memory that were opened", |r| {
        r.transactions[1].into()
    }),
    Field::new("n_visits", ValueKind::Integer, "descriptors", "that the channel turned to", |r| {
        r.n_visits.into()
    }),
    Field::new(
        "visits",
        ValueKind::Objects(|| document::schema(VISIT, &[])),
        "",
        "the first 1000 of them, in the order of time",
        |r| {
            let object = |v: &Visit| document::object(VISIT, &Visited(v.clone(), r.mhz()));
            r.visits.iter().map(object).collect()
        },
    ),
    Field::new(
        "idle_releases",
        ValueKind::Numbers,
        "cycles",
        "in which start_dma was given and the channel did not wait",
        |r| r.idle_releases.clone().into(),
    ),
    Field::new(
        "registers",
        ValueKind::Object(|| document::schema(REGISTERS, &[])),
        "",
        "of the channel, afterwards",
        |r| document::object(REGISTERS, r),
    ),
];

const END: &[Field<ChainEnd>] = &[
    Field::new(
        "kind",
        ValueKind::Text,
        "",
        "stopped, asked (by the host), fault, waiting (for start_dma), limit (of cycles) or interrupted",
        |end| {
            match end {
                ChainEnd::Stopped => "stopped",
                ChainEnd::Asked => "asked",
                ChainEnd::Fault(_) => "fault",
                ChainEnd::Waiting { .. } => "waiting",
                ChainEnd::Limit(_) => "limit",
                ChainEnd::Interrupted => "interrupted",
            }
            .into()
        },
    ),
    Field::optional(
        "descriptor",
        ValueKind::Integer,
        "",
        "its number, of a fault or a wait",
        |end| match end {
            ChainEnd::Fault(fault) => fault.descriptor.into(),
            ChainEnd::Waiting { descriptor, .. } => (*descriptor).into(),
            _ => Value::Null,
        },
    ),
    Field::optional(
        "cycle",
        ValueKind::Integer,
        "cycles",
        "of the fault, or in which the wait began",
        |end| match end {
            ChainEnd::Fault(fault) => fault.cycle.into(),
            ChainEnd::Waiting { since, .. } => (*since).into(),
            ChainEnd::Limit(limit) => (*limit).into(),
            _ => Value::Null,
        },
    ),
    Field::optional("message", ValueKind::Text, "", "of the fault", |end| match end {
        ChainEnd::Fault(fault) => fault.kind.to_string().into(),
        _ => Value::Null,
    }),
];

/// A visit and the clock of its channel, MHz.
struct Visited(Visit, u32);

fn cycles_of(visited: &Visited, cause: ChannelCause) -> Value {
    visited.0.stats.causes[cause as usize].into()
}

const VISIT: &[Field<Visited>] = &[
    Field::new("descriptor", ValueKind::Integer, "", "its number, CURDSC", |v| v.0.number.into()),
    Field::new("address", ValueKind::Integer, "bytes", "where its words stand", |v| {
        v.0.address.into()
    }),
    Field::or_null(
        "words",
        ValueKind::Texts,
        "",
        "its 8 words, 16 hexadecimal digits each; null if they did not come",
        |v| v.0.words.map(|w| w.map(|w| format!("{w:016x}")).to_vec()).into(),
    ),
    Field::new("does", ValueKind::Text, "", "what it says, in a sentence", |v| {
        visit_sentence(&v.0).into()
    }),
    Field::new("begin", ValueKind::Integer, "cycles", "first cycle", |v| v.0.begin.into()),
    Field::or_null(
        "end",
        ValueKind::Integer,
        "cycles",
        "cycle after the last; null if there was none",
        |v| v.0.end.into(),
    ),
    Field::or_null(
        "waits_before",
        ValueKind::Integer,
        "cycles",
        "cycle in which its wait before the data began",
        |v| v.0.waits[0].into(),
    ),
    Field::or_null(
        "waits_behind",
        ValueKind::Integer,
        "cycles",
        "cycle in which its wait after the data began",
        |v| v.0.waits[1].into(),
    ),
    Field::new("beats", ValueKind::Integer, "beats", "that moved, or words of single words", |v| {
        cycles_of(v, ChannelCause::Beat)
    }),
    Field::new("bytes", ValueKind::Integer, "bytes", "that were moved", |v| bytes(&v.0).into()),
    Field::new(
        "mb_per_s",
        ValueKind::Number,
        "MB/s",
        "bytes over its cycles but those of waits for start_dma",
        |v| rate(bytes(&v.0), &v.0.stats, v.1).into(),
    ),
    Field::new("set_up", ValueKind::Integer, "cycles", "of start and set-up", |v| {
        cycles_of(v, ChannelCause::SetUp)
    }),
    Field::new("fetch", ValueKind::Integer, "cycles", "waiting for its words", |v| {
        cycles_of(v, ChannelCause::Fetch)
    }),
    Field::new("sync", ValueKind::Integer, "cycles", "waiting for start_dma", |v| {
        cycles_of(v, ChannelCause::Sync)
    }),
    Field::new("memory", ValueKind::Integer, "cycles", "waiting for memory", |v| {
        cycles_of(v, ChannelCause::Memory)
    }),
    Field::new(
        "conflict",
        ValueKind::Integer,
        "cycles",
        "waiting for a bank; 0 without a kernel",
        |v| cycles_of(v, ChannelCause::Conflict),
    ),
];

macro_rules! register {
    ($name:literal, $of:literal) => {
        Field::new($name, ValueKind::Text, "", $of, |r: &Report| {
            let found = r
                .registers
                .iter()
                .find(|(register, _)| register.name().eq_ignore_ascii_case($name));
            json!(format!("{:08x}", found.map_or(0, |(_, value)| *value)))
        })
    };
}

const REGISTERS: &[Field<Report>] = &[
    register!("ctrl", "8 hexadecimal digits"),
    register!("status", "bit 0 busy, bit 1 waits"),
    register!("daddr", "offset of the table"),
    register!("int", "causes of the interrupt"),
    register!("curdsc", "number of the current descriptor"),
    register!("addrlim", "limit of addresses"),
    register!("intmask", "causes that raise the line"),
    register!("baseaddr", "base of tables"),
    register!("intcause", "causes of the interrupt"),
    register!("config", "what is checked and cleared"),
];
