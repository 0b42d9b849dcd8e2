//! A comparison as JSON, with its schema.

use super::{CostRow, DivergentSide, RunComparison, RunDivergence};
use crate::profile;
use cp2_document::{self as document, Field, ValueKind};
use cp2_emu::Difference;
use cp2_emu::dma::ChannelCause;
use cp2_emu::stats::Cause;
use serde_json::{Value, json};

const SCHEMA: &str = "cp2-diff-1";

const SIDE: [Field<DivergentSide>; 4] = [
    Field::or_null(
        "cause",
        ValueKind::Text,
        "",
        "what the cycle was for; null while no kernel ran",
        |s| s.cause.map(Cause::name).into(),
    ),
    Field::or_null("address", ValueKind::Integer, "bundles", "of the bundle that issued", |s| {
        s.address.into()
    }),
    Field::new("operations", ValueKind::Texts, "", "its operations", |s| {
        s.operations.clone().into()
    }),
    Field::new(
        "written",
        ValueKind::Texts,
        "",
        "registers and words with the values written, 16 hexadecimal digits for each section",
        |s| s.written.clone().into(),
    ),
];

fn side_schema() -> Value {
    document::schema(&SIDE, &[])
}

fn side(parted: &RunDivergence, k: usize) -> Value {
    parted.sides[k].as_ref().map_or(Value::Null, |side| document::object(&SIDE, side))
}

const PARTED: [Field<RunDivergence>; 3] = [
    Field::new("cycle", ValueKind::Integer, "cycles", "since the begin of each run", |p| {
        p.cycle.into()
    }),
    Field::or_null(
        "a",
        ValueKind::Object(side_schema),
        "",
        "run A in it; null if it has ended",
        |p| side(p, 0),
    ),
    Field::or_null(
        "b",
        ValueKind::Object(side_schema),
        "",
        "run B in it; null if it has ended",
        |p| side(p, 1),
    ),
];

fn parted_schema() -> Value {
    document::schema(&PARTED, &[])
}

fn parted(parted: Option<&RunDivergence>) -> Value {
    parted.map_or(Value::Null, |parted| document::object(&PARTED, parted))
}

const DIFFERENCE: [Field<Difference>; 3] = [
    Field::new("place", ValueKind::Text, "", "register or word, with its section", |d| {
        d.place.clone().into()
    }),
    Field::new("a", ValueKind::Text, "", "its value in A", |d| d.expected.clone().into()),
    Field::new("b", ValueKind::Text, "", "its value in B", |d| d.found.clone().into()),
];

fn difference_schema() -> Value {
    document::schema(&DIFFERENCE, &[])
}

fn difference(of: Option<&Difference>) -> Value {
    of.map_or(Value::Null, |of| document::object(&DIFFERENCE, of))
}

const ROW: [Field<CostRow>; 10] = [
    Field::or_null(
        "a",
        ValueKind::Text,
        "",
        "what the part is called in A; null if A spends nothing on it",
        |r| r.names[0].clone().into(),
    ),
    Field::or_null("b", ValueKind::Text, "", "the same of B", |r| r.names[1].clone().into()),
    Field::new("difference", ValueKind::Integer, "cycles", "that B takes more", |r| {
        r.difference().into()
    }),
    Field::new(
        "because",
        ValueKind::Text,
        "",
        "most of it: code (bundles of one program only), passes, holds, skips or nothing",
        |r| r.because().name().into(),
    ),
    Field::new(
        "causes_a",
        ValueKind::Object(profile::causes_schema),
        "",
        "cycles of A by cause",
        |r| profile::causes(&r.costs[0]),
    ),
    Field::new(
        "causes_b",
        ValueKind::Object(profile::causes_schema),
        "",
        "cycles of B by cause",
        |r| profile::causes(&r.costs[1]),
    ),
    Field::new(
        "issues_a",
        ValueKind::Integer,
        "operations",
        "of it that issued in A, in either slot",
        |r| r.issues[0].into(),
    ),
    Field::new("issues_b", ValueKind::Integer, "operations", "the same of B", |r| {
        r.issues[1].into()
    }),
    Field::new("only_a", ValueKind::Integer, "bundles", "that issued and that only A has", |r| {
        r.own[0].into()
    }),
    Field::new("only_b", ValueKind::Integer, "bundles", "that issued and that only B has", |r| {
        r.own[1].into()
    }),
];

fn row_schema() -> Value {
    document::schema(&ROW, &[])
}

fn rows(rows: &[CostRow]) -> Value {
    rows.iter().map(|row| document::object(&ROW, row)).collect()
}

/// The channel's cycles of one cause in both runs.
struct Channel(ChannelCause, [u64; 2]);

const CHANNEL: [Field<Channel>; 3] = [
    Field::new("cause", ValueKind::Text, "", "what the cycles were for", |c| c.0.name().into()),
    Field::new("a", ValueKind::Integer, "cycles", "of A", |c| c.1[0].into()),
    Field::new("b", ValueKind::Integer, "cycles", "of B", |c| c.1[1].into()),
];

fn channel_schema() -> Value {
    document::schema(&CHANNEL, &[])
}

fn channel(comparison: &RunComparison) -> Value {
    let of = |cause: ChannelCause| {
        let cycles = comparison.channel.map(|causes| causes[cause as usize]);
        document::object(&CHANNEL, &Channel(cause, cycles))
    };
    ChannelCause::ALL.into_iter().map(of).collect()
}

const COMPARISON: [Field<RunComparison>; 18] = [
    Field::new(
        "identical",
        ValueKind::Flag,
        "",
        "whether the runs do the same in every cycle, with the same values",
        |c| c.is_identical().into(),
    ),
    Field::new("cycles_a", ValueKind::Integer, "cycles", "of run A", |c| c.cycles[0].into()),
    Field::new("cycles_b", ValueKind::Integer, "cycles", "of run B", |c| c.cycles[1].into()),
    Field::new(
        "kernel_cycles_a",
        ValueKind::Integer,
        "cycles",
        "of A in which a kernel ran",
        |c| c.kernel_cycles[0].into(),
    ),
    Field::new(
        "kernel_cycles_b",
        ValueKind::Integer,
        "cycles",
        "of B in which a kernel ran",
        |c| c.kernel_cycles[1].into(),
    ),
    Field::new("machine", ValueKind::Texts, "", "numbers of the machines that differ", |c| {
        json!(c.machine)
    }),
    Field::new("bundles_matched", ValueKind::Integer, "bundles", "that both programs have", |c| {
        c.matched.into()
    }),
    Field::or_null(
        "input",
        ValueKind::Object(difference_schema),
        "",
        "the first register or word that differs at the begin",
        |c| difference(c.input.as_ref()),
    ),
    Field::or_null(
        "result",
        ValueKind::Object(difference_schema),
        "",
        "the first register or word that differs at the end",
        |c| difference(c.result.as_ref()),
    ),
    Field::or_null(
        "first_flow",
        ValueKind::Object(parted_schema),
        "",
        "the first cycle in which other operations issue",
        |c| parted(c.first.flow.as_ref()),
    ),
    Field::or_null(
        "first_value",
        ValueKind::Object(parted_schema),
        "",
        "the first cycle, before that, in which the same operations access other words or write other values",
        |c| parted(c.first.value.as_ref()),
    ),
    Field::or_null(
        "searched",
        ValueKind::Integer,
        "cycles",
        "that were looked at for these, if not all (--reach)",
        |c| c.first.searched.into(),
    ),
    Field::new(
        "channel",
        ValueKind::Objects(channel_schema),
        "",
        "cycles by what the DMA channel did",
        channel,
    ),
    Field::new(
        "lines",
        ValueKind::Objects(row_schema),
        "",
        "by source line, the largest difference first; two lines that share a bundle have its cycles both",
        |c| rows(&c.costs.lines),
    ),
    Field::new(
        "shared_a",
        ValueKind::Integer,
        "cycles",
        "of A in bundles that two lines share",
        |c| c.costs.shared[0].into(),
    ),
    Field::new("shared_b", ValueKind::Integer, "cycles", "the same of B", |c| {
        c.costs.shared[1].into()
    }),
    Field::new("loops", ValueKind::Objects(row_schema), "", "by hardware loop, likewise", |c| {
        rows(&c.costs.loops)
    }),
    Field::new("labels", ValueKind::Objects(row_schema), "", "by label, likewise", |c| {
        rows(&c.costs.labels)
    }),
];

impl RunComparison {
    /// Returns the comparison as a JSON object, whose values [`schema`] describes.
    pub fn to_json(&self) -> Value {
        document::document(SCHEMA, &COMPARISON, self)
    }
}

/// Returns the JSON Schema of [`RunComparison::to_json`], with the unit and a description of every value.
pub fn schema() -> Value {
    let shape = document::tagged(SCHEMA, &COMPARISON, &[]);
    document::whole("Report of `cp2 diff A B --json`", &[shape])
}
