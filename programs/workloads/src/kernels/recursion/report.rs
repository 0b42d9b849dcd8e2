//! Reports on searches: fields of JSON, and text for people.

use super::Searched;
use crate::workload::{Finished, ReportField, TypedWorkload};
use cp2_document::{Field, ValueKind};
use cp2_kernels::recursion::{BetterPlan, Stacks};
use cp2_recursion::Dealing;
use cp2_recursion::tasks::{AnyTask, Sudoku, SudokuGoal};
use cp2_session::cost::ChosenPlan;
use serde_json::Value;

/// Returns the fields of the reports of all searches.
pub(crate) fn fields<W>() -> Vec<ReportField<W>>
where
    W: TypedWorkload<Outcome: AsRef<Searched>>,
{
    fn of<W: TypedWorkload<Outcome: AsRef<Searched>>>(finished: &Finished<W>) -> &Searched {
        finished.outcome.as_ref()
    }
    let integer = ValueKind::Integer;
    let mut fields: Vec<ReportField<W>> = vec![
        Field::new("kernel", ValueKind::Name, "", "the task", |f| f.name().into()),
        Field::new(
            "value",
            integer,
            "",
            "of the task; of a search for a node, nodes in preorder up to it, or all",
            |f| of(f).value_and_found().0.into(),
        ),
        Field::optional(
            "found",
            ValueKind::Flag,
            "",
            "whether a node that is searched for is there",
            |f| of(f).value_and_found().1.map_or(Value::Null, Value::from),
        ),
        Field::optional("solution", ValueKind::Text, "", "solution of a puzzle, row by row", |f| {
            let solution = of(f).solution.as_ref();
            solution.map_or(Value::Null, |(text, _)| text.as_str().into())
        }),
        Field::new("nodes", integer, "nodes", "calls of the task, counted by the host", |f| {
            of(f).right.nodes.into()
        }),
        Field::new("contexts", integer, "contexts", "that the lanes solved", |f| {
            of(f).outcome.contexts.into()
        }),
        Field::new(
            "host_nodes",
            integer,
            "nodes",
            "that the host made: above the contexts and, where values are sums, those whose first step it did",
            |f| of(f).host_calls.into(),
        ),
    ];
    fields.extend(work_fields());
    fields
}

/// Returns the fields of how lanes worked.
fn work_fields<W>() -> Vec<ReportField<W>>
where
    W: TypedWorkload<Outcome: AsRef<Searched>>,
{
    fn of<W: TypedWorkload<Outcome: AsRef<Searched>>>(finished: &Finished<W>) -> &Searched {
        finished.outcome.as_ref()
    }
    let integer = ValueKind::Integer;
    vec![
        Field::optional(
            "cycles_per_node",
            ValueKind::Number,
            "cycles",
            "for a node of each section; none if lanes stop early, or have no context",
            |f| of(f).per_node().map_or(Value::Null, Value::from),
        ),
        Field::new("lanes", integer, "lanes", "searches at a time", |f| of(f).outcome.lanes.into()),
        Field::new("passes", integer, "passes", "of each lane, busy or idle", |f| {
            of(f).outcome.passes.into()
        }),
        Field::optional(
            "efficiency",
            ValueKind::Number,
            "",
            "share of the lanes' passes in which they were busy; none if lanes stop early, or have no context",
            |f| of(f).efficiency().map_or(Value::Null, Value::from),
        ),
        Field::new("depth", integer, "levels", "that the host searched", |f| {
            of(f).plan.depth.into()
        }),
        Field::new(
            "stacks",
            ValueKind::Text,
            "",
            "`common` depth, the same with frames in `registers`, or `own` stacks",
            |f| stacks_name(of(f).plan.stacks).into(),
        ),
        Field::new("dealing", ValueKind::Text, "", "`block`, `cyclic` or `queue`", |f| {
            of(f).plan.dealing.name().into()
        }),
        Field::new("slots", integer, "stacks", "that a section worked on in turn", |f| {
            of(f).plan.slots.into()
        }),
        Field::new("searches", integer, "searches", "of a register", |f| of(f).plan.halves.into()),
        Field::new(
            "chosen_plan",
            ValueKind::Object(ChosenPlan::schema),
            "",
            "depth, stacks in turn and searches of a register, with the cycles of host calls in the name, and the other plans that it was chosen from",
            |f| of(f).choice.to_json(),
        ),
        Field::new("wrong", ValueKind::Number, "", "1 if the value is not the host's", |f| {
            f.check.distance.into()
        }),
    ]
}

fn stacks_name(stacks: Stacks) -> &'static str {
    match stacks {
        Stacks::CommonDepth => "common",
        Stacks::Registers => "registers",
        Stacks::Own => "own",
    }
}

/// Returns the report on a search as text for people.
pub(crate) fn text<W>(finished: &Finished<W>) -> String
where
    W: TypedWorkload<Input = AnyTask, Outcome: AsRef<Searched>>,
{
    let searched = finished.outcome.as_ref();
    let Searched { outcome, plan, cycles, right, .. } = searched;
    let stacks = match plan.stacks {
        Stacks::CommonDepth => "a common depth",
        Stacks::Registers => "a common depth and frames in registers",
        Stacks::Own => "own stacks",
    };
    let (value, is_found) = searched.value_and_found();
    let value = match is_found {
        None => value.to_string(),
        Some(true) => format!("found as number {value} in preorder,"),
        Some(false) => "not found,".to_owned(),
    };
    let mut text = format!(
        "{}: {value} of {} nodes, {} context{} from depth {} {}\n\
         {} lanes with {stacks}, {} stack{} in turn, {} search{} of a register\n\
         {cycles} cycles",
        finished.name(),
        right.nodes,
        outcome.contexts,
        if outcome.contexts == 1 { "" } else { "s" },
        plan.depth,
        match plan.dealing {
            Dealing::Block => "in blocks",
            Dealing::Cyclic => "in turn",
            Dealing::Queue => "by a queue",
        },
        outcome.lanes,
        plan.slots,
        if plan.slots == 1 { "" } else { "s" },
        plan.halves,
        if plan.halves == 1 { "" } else { "es" },
    );
    match searched.per_node() {
        Some(cycles) => text += &format!(", {cycles:.2} for a node of each section"),
        None if plan.stops => {
            text += "; lanes stopped at a solution, so they made some of the nodes only";
        }
        None => text += "; the host made all nodes, so lanes have none",
    }
    if let Some(share) = searched.efficiency() {
        text += &format!("; lanes are busy in {:.1} % of their passes", 100.0 * share);
    }
    text.push('\n');
    text += &searched.choice.text(*cycles);
    if let Some((BetterPlan { name, whole: fewer }, whole)) = &searched.better {
        text += &format!(
            "    better without the options of the plan: {name}, {fewer:.0} cycles with those of the host predicted, in place of {whole:.0}\n"
        );
    }
    if let AnyTask::Sudoku(puzzle) = &finished.input {
        text += &of_puzzle(puzzle, searched);
    }
    text + if finished.check.is_passed { "equal to the host\n" } else { "NOT equal to the host\n" }
}

/// Returns the lines of a report on a puzzle: that it has several solutions, and the one that was found.
fn of_puzzle(puzzle: &Sudoku, searched: &Searched) -> String {
    let (mut text, count) = (String::new(), searched.outcome.value);
    if puzzle.goal() == SudokuGoal::Count && count > 1 {
        let place = searched.line.map_or(String::new(), |line| format!(" in line {line}"));
        text += &format!("note: the puzzle{place} has {count} solutions; a proper one has one\n");
    }
    if let Some((solution, is_lanes)) = &searched.solution {
        let by =
            if *is_lanes { "" } else { ", by the host: the lane has begun another context since" };
        text += &format!("puzzle   {}\nsolution {solution}{by}\n", puzzle.text());
    }
    text
}
