//! Recursive searches on lanes as workloads on CP2 alone: contexts, stacks and results in local memory. The value is compared with that
//! of the host.

mod report;
mod task;

pub(crate) use report::{fields, text};
pub(crate) use task::TaskKind;

use crate::workload::{CountRow, Counted, Family, Finished, ReportField, TypedWorkload, untyped};
use cp2_document::{Field, ValueKind};
use cp2_isa::Core;
use cp2_kernels::recursion::{
    BetterPlan, HostSearch, LanePlan, LaneSearch, NoTransfers, PlanWishes, SearchOutcome, Stacks,
    Transfers, solve,
};
use cp2_recursion::Dealing;
use cp2_recursion::tasks::{AnyTask, SudokuGoal, TreeGoal};
use cp2_session::cost::ChosenPlan;
use cp2_session::error::{KernelError, RequestError};
use cp2_session::execution::Execution;
use cp2_session::workload::{
    About, Bound, Deviation, Listener, OptionValues, Platform, Reference, Request, WorkloadOption,
};

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
    /// Report on the choice of the plan.
    pub choice: ChosenPlan,
    /// Plan that would take fewer cycles, if options leave it out, and the predicted cycles of host, transfers and lanes by the plan that was taken.
    better: Option<(BetterPlan, f64)>,
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
    /// Line of the puzzle, if it comes from a file.
    line: Option<usize>,
}

impl AsRef<Self> for Searched {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl Searched {
    /// Returns the cycles for a node of each section; none if lanes stop early, so that not all nodes are made, or have no context.
    fn per_node(&self) -> Option<f64> {
        let cycles = 4.0 * self.cycles as f64 / self.right.nodes.max(1) as f64;
        (!self.plan.stops && self.outcome.contexts > 0).then_some(cycles)
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
    let stores = "Whether stores obey the predicate where else operations choose what is stored or where: with own stacks those to arrays of lanes, which takes --enable section-counters, with a common depth those of sums, which takes --enable conditional-memory";
    vec![
        task::from_zero("depth", "levels", None, 255, depth),
        WorkloadOption::choice("stacks", &["chosen", "common", "registers", "own"], stacks),
        WorkloadOption::choice("dealing", &["chosen", "block", "cyclic", "queue"], dealing),
        WorkloadOption::number("slots", "stacks", None, 16, slots),
        WorkloadOption::number("searches", "searches", None, 2, halves),
        WorkloadOption::number("frames", "frames", None, 4096, room),
        WorkloadOption::choice("stores", &["chosen", "predicated"], stores),
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
        masks: values.choice("stores") == Some("predicated"),
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
        (task, values, search): (&AnyTask, &OptionValues, &LaneSearch<'_, AnyTask>),
        outcome: SearchOutcome,
        (cycles, right): (u64, HostSearch),
    ) -> Result<Self, KernelError> {
        let line = task::line(values);
        if let (AnyTask::Sudoku(_), 0) = (task, right.value) {
            let nodes = right.nodes;
            let reason =
                format!("the puzzle has no solution; the search for one made {nodes} nodes");
            return Err(match line {
                Some(line) => {
                    let reason = format!("line {line}: {reason}");
                    KernelError::Text { option: "puzzles", reason }
                }
                None => RequestError::Task(reason).into(),
            });
        }
        let (plan, host_calls) = (search.plan(), search.host_calls());
        Ok(Self {
            plan,
            choice: search.choice().clone(),
            better: search.better().cloned().zip(search.whole_cycles()),
            cycles,
            host_calls,
            right,
            goal: goal(task),
            solution: solution(task, &outcome)?,
            line,
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
    values: &OptionValues,
    on: &Execution,
    listener: &mut dyn Listener,
) -> Result<Searched, KernelError> {
    let (search, on) = chosen(task, wishes(values), (on, &on.core, &NoTransfers))?;
    let ((outcome, cycles), right) = search.beside_host(|| solve(&search, &on, listener))?;
    Searched::new((task, values, &search), outcome, (cycles, right))
}

/// Returns a kernel to be counted: eight queens.
fn counted(name: &'static str, needs: Option<&'static str>) -> Counted {
    let counted = Counted::new(name.to_owned(), |name, on| {
        let task = TaskKind::Queens.task(&OptionValues::default())?;
        let found = solved(&task, &OptionValues::default(), on, &mut |_, _| ())?;
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
        solved(task, &request.values, &request.execution(), listener)
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
