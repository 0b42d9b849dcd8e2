//! Recursive searches on lanes as workloads on CP2 alone: contexts, stacks and results in local memory. The value is compared with that
//! of the host.

mod task;

pub(crate) use task::TaskKind;

use crate::workload::{CountRow, Counted, Family, Finished, ReportField, TypedWorkload, untyped};
use cp2_document::{Field, ValueKind};
use cp2_isa::Core;
use cp2_kernels::recursion::{
    HostSearch, LanePlan, LaneSearch, NoTransfers, PlanWishes, SearchOutcome, Stacks, Transfers,
    solve,
};
use cp2_recursion::Dealing;
use cp2_recursion::tasks::{AnyTask, SudokuGoal, TreeGoal};
use cp2_session::cost::{ChosenPlan, OtherPlan};
use cp2_session::error::{KernelError, RequestError};
use cp2_session::execution::Execution;
use cp2_session::workload::{
    About, Bound, Deviation, Listener, OptionValues, Platform, Reference, Request, WorkloadOption,
};
use serde_json::Value;

/// The family of recursive searches.
pub(crate) const FAMILY: Family = Family {
    workloads: || TaskKind::ALL.map(|kind| untyped(SearchKernel(kind))).to_vec(),
    counted: || vec![counted("queens", None), counted("queens_own_stacks", Some(OWN))],
};

/// The extension with which lanes have stacks of their own.
const OWN: &str = "section-addressing";

/// A search on CP2 alone.
#[derive(Clone, Copy, Debug)]
struct SearchKernel(TaskKind);

/// A search that has ended.
#[derive(Debug)]
pub(crate) struct Searched {
    /// Value and work of the lanes.
    pub outcome: SearchOutcome,
    /// Plan of the lanes.
    pub plan: LanePlan,
    /// How the plan was chosen.
    pub choice: ChosenPlan,
    /// Plan that would take fewer cycles, if options leave it out.
    better: Option<OtherPlan>,
    /// Cycles of the kernel, or of the whole procedure.
    pub cycles: u64,
    /// Calls that the host made.
    pub host_calls: u64,
    /// Value and work of one lane of the host.
    pub right: HostSearch,
    /// Meaning of the value if the task is a walk through a tree; a sum for any other task.
    goal: TreeGoal,
    /// Solution of a puzzle, as the puzzle is written, and whether a lane still had it; else it is the host's.
    solution: Option<(String, bool)>,
}

impl AsRef<Self> for Searched {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl Searched {
    /// Returns the cycles for a node of each section; none if lanes stop early, so that not all nodes are made.
    fn per_node(&self) -> Option<f64> {
        let cycles = 4.0 * self.cycles as f64 / self.right.nodes.max(1) as f64;
        (!self.plan.stops).then_some(cycles)
    }

    /// Returns the share of the lanes' passes in which they were busy; none if lanes stop early.
    fn efficiency(&self) -> Option<f64> {
        let is_known = !self.plan.stops && self.outcome.contexts > 0 && self.outcome.passes > 0;
        is_known.then(|| self.outcome.efficiency(self.right.passes))
    }

    /// Returns the value as a number, and, of a search for a node, whether it was found.
    fn value_and_found(&self) -> (u32, Option<bool>) {
        self.goal.node_of(self.outcome.value)
    }

    /// Whether the value is that of the host.
    pub(crate) fn is_right(&self) -> bool {
        self.outcome.value == self.right.value
    }
}

/// Returns the options of all searches: how lanes work.
pub(crate) fn plan_options() -> Vec<WorkloadOption> {
    let depth = "Depth at which the host hands over to the lanes; if absent, as of --slots";
    let stacks = "Whether lanes share the depth of their stacks, in memory or in registers, or each has a stack of its own, which takes --enable section-addressing; own where that is on, if absent";
    let dealing = "Way in which contexts are dealt out: contiguous shares, one to each lane in turn, or the next one to the lane that asks first; queue where lanes have stacks of their own, if absent, else cyclic";
    let slots = "Stacks that a section works on in turn; if absent, depth, stacks and searches are those with the fewest predicted cycles of host, transfers and lanes among those that registers and memory hold";
    let halves = "Searches of a register, one in either half, where the task allows it; if absent, as of --slots";
    let room = "Frames of a stack; as many as the task can need if absent";
    vec![
        task::from_zero("depth", "levels", None, 255, depth),
        WorkloadOption::choice("stacks", &["chosen", "common", "registers", "own"], stacks),
        WorkloadOption::choice("dealing", &["chosen", "block", "cyclic", "queue"], dealing),
        WorkloadOption::number("slots", "stacks", None, 16, slots),
        WorkloadOption::number("searches", "searches", None, 2, halves),
        WorkloadOption::number("frames", "frames", None, 4096, room),
    ]
}

/// Returns what options wish of a plan.
pub(crate) fn wishes(values: &OptionValues) -> PlanWishes {
    let number = |name: &str| values.number(name).map(|n| n as usize);
    PlanWishes {
        depth: number("depth"),
        stacks: match values.choice("stacks") {
            Some("common") => Some(Stacks::CommonDepth),
            Some("registers") => Some(Stacks::Registers),
            Some("own") => Some(Stacks::Own),
            _ => None,
        },
        dealing: values.choice("dealing").and_then(|name| {
            Dealing::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, way)| way)
        }),
        slots: number("slots"),
        halves: number("searches"),
        room: number("frames"),
        stops: values.has("stop"),
    }
}

/// Limit of the cycles of a run where none is given: a search has an end, however long it takes.
const ENOUGH: u64 = 1 << 60;

/// Returns a search by a plan that is chosen for a core, and the way to run it.
///
/// # Errors
/// Core, task and plan do not go together.
pub(crate) fn chosen<'t>(
    task: &'t AnyTask,
    wishes: PlanWishes,
    (on, core, moved): (&Execution, &Core, &dyn Transfers),
) -> Result<(LaneSearch<'t, AnyTask>, Execution), KernelError> {
    let of = (&on.environment, core);
    let search = LaneSearch::chosen_beside(task, wishes, (of, moved))?;
    let on = Execution { max_cycles: on.max_cycles.or(Some(ENOUGH)), ..on.clone() };
    Ok((search, on))
}

impl Searched {
    /// Makes the report of a search that has ended.
    ///
    /// # Errors
    /// The task is a puzzle without a solution.
    pub(crate) fn new(
        (task, search): (&AnyTask, &LaneSearch<'_, AnyTask>),
        outcome: SearchOutcome,
        (cycles, right): (u64, HostSearch),
    ) -> Result<Self, KernelError> {
        if let (AnyTask::Sudoku(_), 0) = (task, right.value) {
            let nodes = right.nodes;
            let text = format!("the puzzle has no solution; the search for one made {nodes} nodes");
            return Err(RequestError::Task(text).into());
        }
        let (plan, host_calls) = (search.plan(), search.host_calls());
        Ok(Self {
            plan,
            choice: search.choice().clone(),
            better: search.better().cloned(),
            cycles,
            host_calls,
            right,
            goal: goal(task),
            solution: solution(task, &outcome)?,
            outcome,
        })
    }
}

/// Returns what the value of a task means.
fn goal(task: &AnyTask) -> TreeGoal {
    match task {
        AnyTask::ComputedTree(tree) => tree.goal,
        AnyTask::LinkedTree(tree) => tree.goal,
        _ => TreeGoal::Sum,
    }
}

/// Returns the solution of a puzzle that a lane has, or else that of the host, and whether it is a lane's.
fn solution(
    task: &AnyTask,
    outcome: &SearchOutcome,
) -> Result<Option<(String, bool)>, KernelError> {
    let AnyTask::Sudoku(puzzle) = task else { return Ok(None) };
    if puzzle.goal() == SudokuGoal::Count {
        return Ok(None);
    }
    if let Some(arrays) = &outcome.arrays {
        return Ok(Some((puzzle.solution(arrays), true)));
    }
    let too_few = |_| KernelError::Internal("a puzzle has more frames than it says");
    Ok(Some((puzzle.first_solution().map_err(too_few)?, false)))
}

/// Solves a task by a plan that is chosen, on CP2 alone.
fn solved(
    task: &AnyTask,
    wishes: PlanWishes,
    on: &Execution,
    listener: &mut dyn Listener,
) -> Result<Searched, KernelError> {
    let (search, on) = chosen(task, wishes, (on, &on.core, &NoTransfers))?;
    let ((outcome, cycles), right) = search.beside_host(|| solve(&search, &on, listener))?;
    Searched::new((task, &search), outcome, (cycles, right))
}

/// Returns a kernel to be counted: eight queens.
fn counted(name: &'static str, needs: Option<&'static str>) -> Counted {
    let counted = Counted::new(name.to_owned(), |name, on| {
        let task = TaskKind::Queens.task(&OptionValues::default())?;
        let found = solved(&task, PlanWishes::default(), on, &mut |_, _| ())?;
        let nodes = found.right.nodes;
        let row = CountRow::new(
            name.to_owned(),
            format!("8 queens, {} lanes, {nodes} nodes", found.outcome.lanes),
            (nodes.div_ceil(4), found.cycles),
            &bound(),
        );
        Ok(row.checked(found.is_right()))
    });
    match needs {
        Some(extension) => counted.needing(extension),
        None => counted,
    }
}

/// Returns the bound of a node, which depends on the task and the plan.
pub(crate) fn bound() -> Bound {
    Bound {
        unit: "node of a section",
        cycles: None,
        rests_on: "the operations of a pass",
        published: None,
        source: None,
        sides: None,
    }
}

/// Returns the description of a search on a platform.
pub(crate) fn about(kind: TaskKind, platform: Platform) -> About {
    About {
        name: kind.name().to_owned(),
        summary: match kind.needs() {
            Some(extension) => format!("{}; needs --enable {extension}", kind.summary()).into(),
            None => kind.summary().into(),
        },
        family: "recursion",
        platform,
        input: "options, or a text".to_owned(),
        output: "a number".to_owned(),
        order: "contexts in the order of the calls",
        permuted: None,
        reference: Reference {
            is: "one lane of the host".into(),
            measure: "wrong values",
            tolerance: 0.5,
            unit: "",
            reason: "whole numbers are exact",
            hint: "",
        },
    }
}

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
            "for a node of each section; none if lanes stop early",
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
        "{}: {value} of {} nodes, {} contexts from depth {} {}\n\
         {} lanes with {stacks}, {} stack{} in turn, {} search{} of a register\n\
         {cycles} cycles",
        finished.name(),
        right.nodes,
        outcome.contexts,
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
        None => text += "; lanes stopped at a solution, so they made some of the nodes only",
    }
    if let Some(share) = searched.efficiency() {
        text += &format!("; lanes are busy in {:.1} % of their passes", 100.0 * share);
    }
    text.push('\n');
    text += &searched.choice.text(*cycles);
    if let Some(OtherPlan { name, outcome: Ok(fewer) }) = &searched.better {
        text += &format!(
            "    better without the options of the plan: {name}, {fewer:.0} cycles predicted\n"
        );
    }
    if let (AnyTask::Sudoku(puzzle), Some((solution, is_lanes))) =
        (&finished.input, &searched.solution)
    {
        let by =
            if *is_lanes { "" } else { ", by the host: the lane has begun another context since" };
        text += &format!("puzzle   {}\nsolution {solution}{by}\n", puzzle.text());
    }
    text + if finished.check.is_passed { "equal to the host\n" } else { "NOT equal to the host\n" }
}

/// Compares a search with the host.
pub(crate) fn check(searched: &Searched) -> Deviation {
    let is_right = searched.is_right();
    Deviation::new(if is_right { 0.0 } else { 1.0 }, is_right)
}

impl TypedWorkload for SearchKernel {
    type Input = AnyTask;
    type Outcome = Searched;
    const SCHEMA: &'static str = "cp2-kernel-1";

    fn about(&self) -> About {
        about(self.0, Platform::Cp2)
    }

    fn needs(&self) -> Option<&'static str> {
        self.0.needs()
    }

    fn options(&self) -> Vec<WorkloadOption> {
        self.0.options().into_iter().chain(plan_options()).collect()
    }

    fn bound(&self, _: &Core) -> Result<Bound, KernelError> {
        Ok(bound())
    }

    fn source(&self, core: &Core) -> Result<String, KernelError> {
        let task = self.0.task(&OptionValues::default())?;
        let on = Execution::on(*core);
        let of = (&on.environment, core);
        Ok(LaneSearch::chosen(&task, PlanWishes::default(), of)?.source().to_owned())
    }

    fn inputs(&self, request: &Request) -> Result<AnyTask, KernelError> {
        self.0.task(&request.values)
    }

    fn run(
        &self,
        request: &Request,
        task: &AnyTask,
        listener: &mut dyn Listener,
    ) -> Result<Searched, KernelError> {
        solved(task, wishes(&request.values), &request.execution(), listener)
    }

    fn check(&self, _: &Request, _: &AnyTask, searched: &Searched) -> Deviation {
        check(searched)
    }

    fn fields() -> Vec<ReportField<Self>> {
        let mut all = fields();
        all.push(Field::new(
            "cycles",
            ValueKind::Integer,
            "cycles",
            "of the run",
            |f: &Finished<Self>| f.outcome.cycles.into(),
        ));
        all
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        text(finished)
    }
}
