//! A study of changes as a JSON document, and the schema of that.

use super::changes::{ChangeGain, ChangedLine, Combination, WhatIf};
use cp2_document::{self as document, Field, ValueKind};
use serde_json::Value;

impl WhatIf {
    /// Returns the study as a JSON document, which [`schema`] describes.
    pub fn to_json(&self) -> Value {
        document::document(SCHEMA, &STUDY, self)
    }
}

/// Tag of the JSON report.
const SCHEMA: &str = "cp2-whatif-2";

/// Returns the JSON schema of the document of `cp2 whatif --json` ([`WhatIf::to_json`]).
pub fn schema() -> Value {
    document::whole("Report of `cp2 whatif --json`", &[document::tagged(SCHEMA, &STUDY, &[])])
}

const LINE: [Field<ChangedLine>; 4] = [
    Field::new("line", ValueKind::Text, "", "of the source, or a bundle", |l| {
        l.name.clone().into()
    }),
    Field::new("before", ValueKind::Integer, "cycles", "in the baseline", |l| l.before.into()),
    Field::new("after", ValueKind::Integer, "cycles", "in the combination", |l| l.after.into()),
    Field::new("because", ValueKind::Text, "", "what most of it comes from", |l| l.because.into()),
];

const GAIN: [Field<ChangeGain>; 4] = [
    Field::new("change", ValueKind::Text, "", "key=value, or an extension", |g| {
        g.change.clone().into()
    }),
    Field::or_null(
        "alone",
        ValueKind::Number,
        "percent of the baseline",
        "saved by it alone; null where the program does not use it",
        |g| g.alone.into(),
    ),
    Field::or_null(
        "last",
        ValueKind::Number,
        "percent of the baseline",
        "saved by it when all others are made; null where the program does not use it then",
        |g| g.last.into(),
    ),
    Field::or_null(
        "shapley",
        ValueKind::Number,
        "percent of the baseline",
        "its share of what all save, mean over all orders; null where no program uses it",
        |g| g.shapley.into(),
    ),
];

const COMBINATION: [Field<(Combination, String, f64)>; 15] = [
    Field::new("changes", ValueKind::Text, "", "that are made", |v| v.1.clone().into()),
    Field::new("cycles", ValueKind::Integer, "cycles", "of the whole", |v| v.0.cycles.into()),
    Field::new("kernel_cycles", ValueKind::Integer, "cycles", "in which a kernel ran", |v| {
        v.0.kernel_cycles.into()
    }),
    Field::or_null(
        "us",
        ValueKind::Number,
        "microseconds",
        "of the whole; null without a machine",
        |v| v.0.us.into(),
    ),
    Field::new(
        "speed_up",
        ValueKind::Number,
        "",
        "over the baseline, of time where there is a clock, else of cycles",
        |v| v.2.into(),
    ),
    Field::new(
        "flops_per_cycle",
        ValueKind::Number,
        "operations per cycle",
        "reached, of `cycles`",
        |v| v.0.flops_per_cycle.into(),
    ),
    Field::or_null("bound", ValueKind::Text, "", "the lowest ceiling over it", |v| {
        v.0.bound.map(|b| b.0).into()
    }),
    Field::or_null(
        "bound_flops_per_cycle",
        ValueKind::Number,
        "operations per cycle",
        "that this allows",
        |v| v.0.bound.map(|b| b.1).into(),
    ),
    Field::new(
        "program",
        ValueKind::Text,
        "",
        "XXH64 of the bundles in instruction memory at the end",
        |v| v.0.program.clone().into(),
    ),
    Field::or_null(
        "variant",
        ValueKind::Text,
        "",
        "of the workload that ran, the fastest on this machine; null if it has none or is run alone",
        |v| v.0.taken.name.clone().into(),
    ),
    Field::new(
        "left_out",
        ValueKind::Texts,
        "",
        "sentences about variants that the machine allows and that could not be taken",
        |v| v.0.taken.left_out.clone().into(),
    ),
    Field::new(
        "is_used",
        ValueKind::Flag,
        "",
        "false in the baseline, and where all changes are extensions or of the core and the program and all counts are its",
        |v| v.0.is_used.into(),
    ),
    Field::new(
        "is_checked",
        ValueKind::Flag,
        "",
        "whether something checked the results: a reference, expected arrays, or the command of a file",
        |v| v.0.is_right.is_some().into(),
    ),
    Field::or_null(
        "is_right",
        ValueKind::Flag,
        "",
        "whether the results are those of the reference; null if nothing checked them",
        |v| v.0.is_right.into(),
    ),
    Field::new(
        "lines",
        ValueKind::Objects(|| document::schema(&LINE, &[])),
        "",
        "that differ most from the baseline, for single changes and all together",
        |v| v.0.lines.iter().map(|line| document::object(&LINE, line)).collect(),
    ),
];

const STUDY: [Field<WhatIf>; 6] = [
    Field::new("workload", ValueKind::Text, "", "that is run", |w| w.name.clone().into()),
    Field::new("machine", ValueKind::Text, "", "of the baseline", |w| w.machine.clone().into()),
    Field::new("version", ValueKind::Text, "", "of cp2", |_| env!("CARGO_PKG_VERSION").into()),
    Field::new("command", ValueKind::Text, "", "that gives this again", |w| {
        w.command.clone().into()
    }),
    Field::new(
        "variants",
        ValueKind::Objects(|| document::schema(&COMBINATION, &[])),
        "",
        "all combinations, the baseline first",
        |w| {
            let row = |v: &Combination| {
                document::object(&COMBINATION, &(v.clone(), w.label(v), w.speed_up(v)))
            };
            w.combinations.iter().map(row).collect()
        },
    ),
    Field::new(
        "gains",
        ValueKind::Objects(|| document::schema(&GAIN, &[])),
        "",
        "what each change is worth",
        |w| w.gains.iter().map(|gain| document::object(&GAIN, gain)).collect(),
    ),
];
