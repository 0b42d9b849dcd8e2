//! What a solver says of the loops of a region: better schedules, what forbids shorter intervals, what is open.

use super::line;
use crate::process::exit::{Failure, bad_input};
use cp2_asm::Scheduled;
use cp2_asm::check::check;
use cp2_asm::diagnostic::Sources;
use cp2_asm::linear::Region;
use cp2_asm::sched::{Answer, LoopSchedule, Obstacle, schedule_as};
use cp2_isa::Core;
use cp2_session::schedule::{PredictedCycles, compare};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Lines of the source that are told in a row.
const LINES: usize = 12;

/// A region with better schedules of its loops, which the checker has found right.
pub(super) struct Better {
    pub(super) scheduled: Scheduled,
    pub(super) comparisons: Vec<PredictedCycles>,
}

impl Better {
    /// Returns the region with the better schedules of the answers; `None` if there are none.
    pub(super) fn of(
        core: &Core,
        scheduled: &Scheduled,
        answers: &[Answer],
    ) -> Result<Option<Self>, Failure> {
        let better: Vec<LoopSchedule> = answers.iter().filter_map(|a| a.better.clone()).collect();
        if better.is_empty() {
            return Ok(None);
        }
        let region = &scheduled.region;
        let (bundles, report) =
            schedule_as(core, region, &better).map_err(|trouble| bad_input(trouble.message))?;
        if let Err(faults) = check(core, region, &bundles) {
            let fault = faults.first().map_or(String::new(), ToString::to_string);
            return Err(bad_input(format!(
                "a better schedule of region {} is wrong, {fault}; this is a bug of the scheduler",
                report.name
            )));
        }
        let mut scheduled = scheduled.clone();
        (scheduled.bundles, scheduled.report) = (bundles, report);
        let comparisons = compare(core, &scheduled)?;
        Ok(Some(Self { scheduled, comparisons }))
    }
}

/// Writes the best interval and how far it is from the least one.
pub(super) fn describe(text: &mut String, answer: &Answer) {
    let Answer { ii, length, least, conflicts, .. } = answer;
    if answer.better.is_some() {
        let _ = writeln!(text, "    better ii         {ii:>6}  {length} cycles of an iteration");
    }
    let _ = match least == ii {
        true => writeln!(text, "    least ii          {ii:>6}  proved"),
        false => {
            writeln!(
                text,
                "    least ii          {least:>6}  or more, up to {ii}: open after {conflicts} conflicts"
            )
        }
    };
}

/// Writes what forbids an interval below the least one.
pub(super) fn describe_obstacles(
    text: &mut String,
    answer: &Answer,
    region: &Region,
    sources: &Sources,
) {
    let lines = |operations: &[usize]| in_a_row(&places(operations, region, sources));
    for obstacle in &answer.obstacles {
        let why = match obstacle {
            Obstacle::Slot { exchange, operations } => format!(
                "{} operations need the {} slot: {}",
                operations.len(),
                slot(*exchange),
                lines(operations)
            ),
            Obstacle::Recurrence { operations, cycles } => format!(
                "each iteration waits {cycles} cycles for the one before: {}",
                lines(operations)
            ),
            Obstacle::Lifetimes { needed, available, longest } => {
                let operations: Vec<usize> = longest.iter().map(|&(op, _)| op).collect();
                format!(
                    "the values need {needed} registers, and there are {available}; the longest lives are of {}",
                    lines(&operations)
                )
            }
            Obstacle::Together { registers: false } => {
                "dependences and slots forbid it together: the solver finds no schedule".to_owned()
            }
            Obstacle::Together { registers: true } => {
                "dependences, slots and the number of registers forbid it together: the solver finds no schedule"
                    .to_owned()
            }
        };
        let _ = writeln!(text, "      no ii of {:>8}  {why}", answer.least - 1);
    }
}

const fn slot(exchange: bool) -> &'static str {
    if exchange { "exchange" } else { "arithmetic" }
}

/// Returns the places of operations in the source, each once.
fn places(operations: &[usize], region: &Region, sources: &Sources) -> Vec<String> {
    let spans = operations.iter().filter_map(|&op| region.ops.get(op));
    let mut places: Vec<String> = spans.map(|op| line(op.span.as_ref(), sources)).collect();
    places.dedup();
    places
}

/// Returns places with commas between them; of many the first.
fn in_a_row(places: &[String]) -> String {
    let shown = places[..places.len().min(LINES)].join(", ");
    match places.len().checked_sub(LINES) {
        None | Some(0) => shown,
        Some(more) => format!("{shown} and {more} more"),
    }
}

/// Returns an answer as JSON.
pub(super) fn to_json(answer: &Answer, region: &Region, sources: &Sources) -> Value {
    let places = |operations: &[usize]| places(operations, region, sources);
    let obstacles = answer.obstacles.iter().map(|obstacle| match obstacle {
        Obstacle::Slot { exchange, operations } => {
            json!({ "kind": slot(*exchange), "places": places(operations), "needed": operations.len(), "available": answer.least - 1 })
        }
        Obstacle::Recurrence { operations, cycles } => {
            json!({ "kind": "recurrence", "places": places(operations), "needed": cycles, "available": answer.least - 1 })
        }
        Obstacle::Lifetimes { needed, available, longest } => {
            let operations: Vec<usize> = longest.iter().map(|&(op, _)| op).collect();
            json!({ "kind": "registers", "places": places(&operations), "needed": needed, "available": available })
        }
        Obstacle::Together { registers } => {
            let kind = if *registers { "all with registers" } else { "all" };
            json!({ "kind": kind, "places": [], "needed": null, "available": null })
        }
    });
    json!({
        "ii": answer.ii,
        "iteration": answer.length,
        "is_better": answer.better.is_some(),
        "least_ii": answer.least,
        "conflicts": answer.conflicts,
        "obstacles": obstacles.collect::<Vec<_>>(),
    })
}
