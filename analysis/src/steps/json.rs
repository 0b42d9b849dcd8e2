//! What steps took, and what those of two runs took, as JSON with schemas.

use super::aligned::{self, StepChange};
use super::{StepCost, between};
use crate::profile;
use cp2_document::{self as document, Field, ValueKind};
use cp2_emu::profile::BundleCost;
use cp2_recording::StepLevel;
use serde_json::Value;

const COSTS: &str = "cp2-steps-1";
const CHANGES: &str = "cp2-steps-diff-1";

/// Returns the name of a level in reports, which is the one of the option `--steps`.
fn level(level: StepLevel) -> Value {
    match level {
        StepLevel::Inner => "inner".into(),
        _ => level.name().into(),
    }
}

const COST: [Field<StepCost>; 8] = [
    Field::new("name", ValueKind::Text, "", "of the steps", |s| s.name.clone().into()),
    Field::new("times", ValueKind::Integer, "", "number of steps of this name", |s| s.times.into()),
    Field::new("cycles", ValueKind::Integer, "cycles", "of all of them", |s| s.cycles.into()),
    Field::new("shortest", ValueKind::Integer, "cycles", "of the shortest one", |s| {
        s.extremes.0.into()
    }),
    Field::new("longest", ValueKind::Integer, "cycles", "of the longest one", |s| {
        s.extremes.1.into()
    }),
    Field::new(
        "causes",
        ValueKind::Object(profile::causes_schema),
        "",
        "cycles of kernels in them by cause",
        |s| profile::causes(&BundleCost { causes: s.causes, ..BundleCost::default() }),
    ),
    Field::new("without_kernel", ValueKind::Integer, "cycles", "in which no kernel ran", |s| {
        s.without_kernel().into()
    }),
    Field::new("flops", ValueKind::Integer, "", "floating-point operations in them", |s| {
        s.flops.into()
    }),
];

fn cost_schema() -> Value {
    document::schema(&COST, &[])
}

/// Steps of one level of a run of so many cycles.
struct LevelCosts<'a>(&'a [StepCost], u64);

const LEVEL: &str = "of the steps: iteration, inner, stage or page";

fn level_fields<'a>() -> [Field<LevelCosts<'a>>; 3] {
    [
        Field::new("level", ValueKind::Text, "", LEVEL, |l| {
            l.0.first().map_or(Value::Null, |step| level(step.level))
        }),
        Field::new(
            "between_steps",
            ValueKind::Integer,
            "cycles",
            "of the run that no step of the level has",
            |l| between(l.0, l.1).into(),
        ),
        Field::new(
            "steps",
            ValueKind::Objects(cost_schema),
            "",
            "by name: iterations in the order of time, others with most cycles first",
            |l| l.0.iter().map(|step| document::object(&COST, step)).collect(),
        ),
    ]
}

fn level_schema() -> Value {
    document::schema(&level_fields(), &[])
}

/// Steps of a run of so many cycles.
struct RunCosts<'a>(&'a [StepCost], u64);

fn run_fields<'a>() -> [Field<RunCosts<'a>>; 2] {
    [
        Field::new("cycles", ValueKind::Integer, "cycles", "of the run", |r| r.1.into()),
        Field::new("levels", ValueKind::Objects(level_schema), "", "outer ones first", |r| {
            let levels = r.0.chunk_by(|one, next| one.level == next.level);
            levels.map(|steps| document::object(&level_fields(), &LevelCosts(steps, r.1))).collect()
        }),
    ]
}

/// Returns the costs of steps, those of a level together, as a JSON object, whose values [`costs_schema`] describes. `all` is
/// the number of cycles of the run.
pub fn costs(costs: &[StepCost], all: u64) -> Value {
    document::document(COSTS, &run_fields(), &RunCosts(costs, all))
}

/// Returns the JSON Schema of [`costs`], with the unit and a description of every value.
pub fn costs_schema() -> Value {
    let shape = document::tagged(COSTS, &run_fields(), &[]);
    document::whole("Report of `cp2 stats R --steps --json`", &[shape])
}

/// Changes of the steps of one level.
pub type LevelChanges = (StepLevel, Vec<StepChange>);

const CHANGE: [Field<StepChange>; 4] = [
    Field::new("name", ValueKind::Text, "", "of the steps", |s| s.name.clone().into()),
    Field::new("times", ValueKind::Numbers, "", "numbers of these steps in A and in B", |s| {
        s.times.to_vec().into()
    }),
    Field::new("cycles", ValueKind::Numbers, "cycles", "of all of them in A and in B", |s| {
        s.cycles.to_vec().into()
    }),
    Field::new("change", ValueKind::Integer, "cycles", "that they take more in B", |s| {
        s.change().into()
    }),
];

fn change_schema() -> Value {
    document::schema(&CHANGE, &[])
}

/// Changes of a level of two runs with so many cycles.
struct BothLevels<'a>(&'a LevelChanges, [u64; 2]);

fn both_levels<'a>() -> [Field<BothLevels<'a>>; 3] {
    [
        Field::new("level", ValueKind::Text, "", LEVEL, |l| level(l.0.0)),
        Field::new(
            "between_steps",
            ValueKind::Numbers,
            "cycles",
            "of A and of B that no step of the level has",
            |l| aligned::between(&l.0.1, l.1).to_vec().into(),
        ),
        Field::new(
            "steps",
            ValueKind::Objects(change_schema),
            "",
            "by name, the largest change first",
            |l| l.0.1.iter().map(|step| document::object(&CHANGE, step)).collect(),
        ),
    ]
}

fn both_levels_schema() -> Value {
    document::schema(&both_levels(), &[])
}

/// Changes of steps of two runs with so many cycles.
struct BothRuns<'a>(&'a [LevelChanges], [u64; 2]);

fn both_runs<'a>() -> [Field<BothRuns<'a>>; 3] {
    [
        Field::new("cycles", ValueKind::Numbers, "cycles", "of A and of B", |r| {
            r.1.to_vec().into()
        }),
        Field::new("change", ValueKind::Integer, "cycles", "that B takes more", |r| {
            aligned::change(r.1).into()
        }),
        Field::new("levels", ValueKind::Objects(both_levels_schema), "", "outer ones first", |r| {
            r.0.iter().map(|of| document::object(&both_levels(), &BothLevels(of, r.1))).collect()
        }),
    ]
}

/// Returns the changes of steps as a JSON object, whose values [`changes_schema`] describes. `all` are the cycles of the runs.
pub fn changes(levels: &[LevelChanges], all: [u64; 2]) -> Value {
    document::document(CHANGES, &both_runs(), &BothRuns(levels, all))
}

/// Returns the JSON Schema of [`changes`], with the unit and a description of every value.
pub fn changes_schema() -> Value {
    let shape = document::tagged(CHANGES, &both_runs(), &[]);
    document::whole("Report of `cp2 diff A B --steps --json`", &[shape])
}
