//! A study as a JSON document, and the schema of that.

use super::answer::SiliconStep;
use super::gains::{ExtensionWorth, PairHelp, WorkloadGain};
use super::points::{StudiedWorkload, StudyPoint};
use super::shares::SharedGain;
use super::{FrontMachine, Study};
use crate::costs::{ENERGY_PART, ESTIMATED, Estimated, RunEnergy};
use cp2_document::{self as document, Field, ValueKind};
use serde_json::{Value, json};

const SCHEMA: &str = "cp2-study-1";

impl Study {
    /// Returns the study as a JSON document, which [`schema`] describes.
    pub fn to_json(&self) -> Value {
        document::document(SCHEMA, &STUDY, self)
    }
}

/// Returns the JSON schema of the document of a study ([`Study::to_json`]).
pub fn schema() -> Value {
    let shape = document::tagged(SCHEMA, &STUDY, &[]);
    document::whole("Report of `cp2 optimize STUDY --json`", &[shape])
}

/// Returns the schema of the report as part of another document.
pub(super) fn shape() -> Value {
    document::tagged(SCHEMA, &STUDY, &[])
}

const WORKLOAD: [Field<StudiedWorkload>; 5] = [
    Field::new("name", ValueKind::Text, "", "with its options", |w| w.name.clone().into()),
    Field::new("group", ValueKind::Text, "", "to which it belongs", |w| w.group.clone().into()),
    Field::new("weight", ValueKind::Number, "", "in means", |w| w.weight.into()),
    Field::new("cycles", ValueKind::Integer, "cycles", "without changes", |w| w.cycles.into()),
    Field::new("us", ValueKind::Number, "microseconds", "without changes", |w| w.us.into()),
];

/// Returns both ends of an interval.
fn ends(number: Estimated) -> Value {
    json!([number.low, number.high])
}

const POINT: [Field<StudyPoint>; 12] = [
    Field::new("machine", ValueKind::Integer, "", "its number", |p| p.machine.into()),
    Field::new("name", ValueKind::Text, "", "its extensions", |p| p.name.clone().into()),
    Field::new("extra_area", ValueKind::Number, "percent", "more than without changes", |p| {
        p.extra_area.into()
    }),
    Field::new(
        "clock",
        ValueKind::Number,
        "",
        "length of a cycle over that without changes",
        |p| p.clock.value.into(),
    ),
    Field::new("clock_interval", ValueKind::Numbers, "", "that costs leave `clock`", |p| {
        ends(p.clock.estimated(|clock| clock))
    }),
    Field::new("speed_up", ValueKind::Number, "", "geometric mean by weights", |p| {
        p.speed_up.into()
    }),
    Field::new(
        "speed_up_interval",
        ValueKind::Numbers,
        "",
        "that the effect on the clock leaves `speed_up`",
        |p| ends(p.ranged(p.speed_up)),
    ),
    Field::new(
        "is_below_spread",
        ValueKind::Flag,
        "",
        "whether the speed-up differs from 1 by less than this interval is wide",
        |p| p.ranged(p.speed_up).is_below_spread(1.0).into(),
    ),
    Field::new(
        "speed_up_intervals",
        ValueKind::Objects(|| document::schema(&ESTIMATED, &[])),
        "",
        "of each workload, that the effect on the clock leaves",
        |p| p.each.iter().map(|&speed| document::object(&ESTIMATED, &p.ranged(speed))).collect(),
    ),
    Field::new("speed_ups", ValueKind::Numbers, "", "of each workload", |p| json!(p.each)),
    Field::new("cycles", ValueKind::Numbers, "cycles", "of each workload", |p| json!(p.cycles)),
    Field::or_null(
        "power_and_energy_delay",
        ValueKind::Numbers,
        "",
        "over those without changes; null where not asked for",
        |p| json!(p.energy),
    ),
];

const ENERGY: [Field<RunEnergy>; 2] = [
    Field::new(
        "nj",
        ValueKind::Object(|| document::schema(&ESTIMATED, &[])),
        "nanojoules",
        "of the run, with the interval that costs leave",
        |e| document::object(&ESTIMATED, &e.nj),
    ),
    Field::new(
        "parts",
        ValueKind::Objects(|| document::schema(&ENERGY_PART, &[])),
        "",
        "by kind of events",
        |e| e.parts.iter().map(|part| document::object(&ENERGY_PART, part)).collect(),
    ),
];

const GROUP: [Field<(String, f64)>; 2] = [
    Field::new("name", ValueKind::Text, "", "of the group", |g| g.0.clone().into()),
    Field::new("speed_up", ValueKind::Number, "", "geometric mean by weights", |g| g.1.into()),
];

const MACHINE: [Field<FrontMachine>; 9] = [
    Field::new(
        "point",
        ValueKind::Object(|| document::schema(&POINT, &[])),
        "",
        "its numbers",
        |m| document::object(&POINT, &m.point),
    ),
    Field::new(
        "extra_area",
        ValueKind::Object(|| document::schema(&ESTIMATED, &[])),
        "percent",
        "with the interval that costs leave",
        |m| document::object(&ESTIMATED, &m.extra_area),
    ),
    Field::new(
        "speed_up_at_ends",
        ValueKind::Numbers,
        "",
        "with assumptions and fits at the fast and the slow ends of memory and host",
        |m| json!(m.at_ends),
    ),
    Field::new(
        "is_below_spread",
        ValueKind::Flag,
        "",
        "whether the speed-up differs from 1 by less than clock, or assumptions and fits, change it",
        |m| m.is_below_spread().into(),
    ),
    Field::new("uncounted", ValueKind::Texts, "", "that its area leaves out", |m| {
        json!(m.uncounted)
    }),
    Field::new("variants", ValueKind::Texts, "", "of each workload that ran", |m| {
        json!(m.variants)
    }),
    Field::new("nj", ValueKind::Numbers, "nanojoules", "energy of a run of each workload", |m| {
        let nj = |energy: &Option<RunEnergy>| energy.as_ref().map(|energy| energy.nj.value);
        json!(m.energy.iter().map(nj).collect::<Vec<_>>())
    }),
    Field::new(
        "groups",
        ValueKind::Objects(|| document::schema(&GROUP, &[])),
        "",
        "of workloads",
        |m| m.groups.iter().map(|group| document::object(&GROUP, group)).collect(),
    ),
    Field::new(
        "energy",
        ValueKind::Objects(|| document::schema(&ENERGY, &[])),
        "",
        "of a run of each workload; empty if events could not be counted",
        |m| {
            let all = m.energy.iter().map(Option::as_ref).collect::<Option<Vec<_>>>();
            let all = all.unwrap_or_default().into_iter();
            all.map(|energy| document::object(&ENERGY, energy)).collect()
        },
    ),
];

const SHARED: [Field<SharedGain>; 4] = [
    Field::new("alone", ValueKind::Number, "percent", "saved by it alone", |g| g.alone.into()),
    Field::new("last", ValueKind::Number, "percent", "saved when all others are made", |g| {
        g.last.into()
    }),
    Field::new("share", ValueKind::Number, "percent", "mean over all orders", |g| g.share.into()),
    Field::new(
        "error",
        ValueKind::Number,
        "percent",
        "standard error of the share; 0 if exact",
        |g| g.error.into(),
    ),
];

const GAIN: [Field<WorkloadGain>; 6] = [
    Field::new(
        "gain",
        ValueKind::Object(|| document::schema(&SHARED, &[])),
        "",
        "of the workload",
        |g| document::object(&SHARED, &g.gain),
    ),
    Field::new(
        "spread",
        ValueKind::Numbers,
        "percent",
        "least and most of `alone` over the ends of assumptions and fits",
        |g| json!(g.spread.alone),
    ),
    Field::or_null(
        "last_spread",
        ValueKind::Numbers,
        "percent",
        "the same of `last`; null if runs did not suffice",
        |g| json!(g.spread.last),
    ),
    Field::or_null(
        "share_spread",
        ValueKind::Numbers,
        "percent",
        "the same of `share`; null if runs did not suffice",
        |g| json!(g.spread.share),
    ),
    Field::new("is_below_spread", ValueKind::Flag, "", "whether `alone` is less than it", |g| {
        g.is_below_spread().into()
    }),
    Field::new(
        "is_share_below_spread",
        ValueKind::Flag,
        "",
        "whether `share` is less than its spread",
        |g| g.is_share_below_spread().into(),
    ),
];

const WORTH: [Field<ExtensionWorth>; 5] = [
    Field::new("name", ValueKind::Text, "", "of the extension", |w| w.name.clone().into()),
    Field::new(
        "all",
        ValueKind::Object(|| document::schema(&GAIN, &[])),
        "",
        "of the geometric mean of the times",
        |w| document::object(&GAIN, &w.all),
    ),
    Field::new(
        "with_clock",
        ValueKind::Object(|| document::schema(&ESTIMATED, &[])),
        "percent",
        "saved by it alone with its effect on the clock, and the interval that costs leave",
        |w| document::object(&ESTIMATED, &w.with_clock),
    ),
    Field::new(
        "is_below_spread",
        ValueKind::Flag,
        "",
        "whether `with_clock` is less than its interval is wide",
        |w| w.with_clock.is_below_spread(0.0).into(),
    ),
    Field::new(
        "each",
        ValueKind::Objects(|| document::schema(&GAIN, &[])),
        "",
        "workload, in their order",
        |w| w.each.iter().map(|gain| document::object(&GAIN, gain)).collect(),
    ),
];

const PAIR: [Field<PairHelp>; 3] = [
    Field::new("names", ValueKind::Texts, "", "of both extensions", |p| json!(p.names)),
    Field::new(
        "percent",
        ValueKind::Number,
        "percent",
        "of the time that they save together more than apart, over all sets of the others",
        |p| p.percent.into(),
    ),
    Field::or_null(
        "spread",
        ValueKind::Numbers,
        "percent",
        "least and most of it over the ends of assumptions and fits; null if runs did not suffice",
        |p| json!(p.spread),
    ),
];

const STEP: [Field<SiliconStep>; 5] = [
    Field::new("percents", ValueKind::Numbers, "percent", "of area, first and last", |s| {
        json!(s.percents)
    }),
    Field::new("buys", ValueKind::Text, "", "in words", |s| s.sentence.clone().into()),
    Field::new("speed_up", ValueKind::Numbers, "", "without and with them", |s| json!(s.speed_up)),
    Field::new(
        "gain",
        ValueKind::Object(|| document::schema(&ESTIMATED, &[])),
        "",
        "speed-up with them over that without, and the interval that the clock leaves it",
        |s| document::object(&ESTIMATED, &s.gain),
    ),
    Field::new(
        "is_below_spread",
        ValueKind::Flag,
        "",
        "whether `gain` differs from 1 by less than its interval is wide",
        |s| s.gain.is_below_spread(1.0).into(),
    ),
];

const STUDY: [Field<Study>; 17] = [
    Field::new("version", ValueKind::Text, "", "of cp2", |_| env!("CARGO_PKG_VERSION").into()),
    Field::new("command", ValueKind::Text, "", "that gives this again", |s| {
        s.command.clone().into()
    }),
    Field::new("machine", ValueKind::Text, "", "without changes", |s| s.machine.clone().into()),
    Field::new(
        "workloads",
        ValueKind::Objects(|| document::schema(&WORKLOAD, &[])),
        "",
        "in the order of all lists of them",
        |s| s.workloads.iter().map(|work| document::object(&WORKLOAD, work)).collect(),
    ),
    Field::new("goal", ValueKind::Text, "", "that is best in `best`", |s| s.goal.name().into()),
    Field::new("limits", ValueKind::Texts, "", "that machines keep", |s| json!(s.limits)),
    Field::new("machines", ValueKind::Integer, "machines", "that there are", |s| {
        s.reach.machines.into()
    }),
    Field::new("known", ValueKind::Integer, "machines", "whose times are known", |s| {
        s.reach.known.into()
    }),
    Field::new("runs", ValueKind::Integer, "runs", "that told all times", |s| s.reach.runs.into()),
    Field::new(
        "orders",
        ValueKind::Integer,
        "orders",
        "by which shares were sampled; 0 if exact",
        |s| s.reach.orders.into(),
    ),
    Field::new("is_proved", ValueKind::Flag, "", "whether all machines were compared", |s| {
        (s.reach.known == s.reach.machines).into()
    }),
    Field::new("answer", ValueKind::Texts, "", "in words", |s| json!(s.words())),
    Field::new(
        "silicon",
        ValueKind::Objects(|| document::schema(&STEP, &[])),
        "",
        "what each further percent buys",
        |s| s.silicon().iter().map(|step| document::object(&STEP, step)).collect(),
    ),
    Field::new(
        "best",
        ValueKind::Object(|| document::schema(&MACHINE, &[])),
        "",
        "by the goal",
        |s| document::object(&MACHINE, &s.best),
    ),
    Field::new(
        "front",
        ValueKind::Objects(|| document::schema(&MACHINE, &[])),
        "",
        "that no other beats in area and speed-up, rising in area",
        |s| s.front.iter().map(|one| document::object(&MACHINE, one)).collect(),
    ),
    Field::new(
        "worth",
        ValueKind::Objects(|| document::schema(&WORTH, &[])),
        "",
        "of each extension in its largest size",
        |s| s.worth.iter().map(|worth| document::object(&WORTH, worth)).collect(),
    ),
    Field::new(
        "pairs",
        ValueKind::Objects(|| document::schema(&PAIR, &[])),
        "",
        "the strongest first; empty if shares were sampled",
        |s| s.pairs.iter().map(|pair| document::object(&PAIR, pair)).collect(),
    ),
];
