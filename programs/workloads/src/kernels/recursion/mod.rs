//! Recursive searches on lanes as workloads on CP2 alone: contexts, stacks and results in local memory. The value is compared with that
//! of the host.

mod task;

pub(crate) use task::TaskKind;

use crate::workload::{CountRow, Counted, Family, Finished, ReportField, TypedWorkload, untyped};
use cp2_document::{Field, ValueKind};
use cp2_isa::Core;
use cp2_kernels::recursion::{
    HostSearch, LanePlan, LaneSearch, PlanWishes, SearchOutcome, Stacks, solve,
};
use cp2_recursion::tasks::AnyTask;
use cp2_session::error::KernelError;
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
    /// Cycles of the kernel, or of the whole procedure.
    pub cycles: u64,
    /// Calls that the host made.
    pub host_calls: u64,
    /// Value and work of one lane of the host.
    pub right: HostSearch,
}

impl AsRef<Self> for Searched {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl Searched {
    /// Returns the cycles for a node of each section.
    fn per_node(&self) -> f64 {
        4.0 * self.cycles as f64 / self.right.nodes.max(1) as f64
    }

    fn efficiency(&self) -> f64 {
        self.outcome.efficiency(self.right.passes)
    }

    /// Whether the value is right: that of the host, or, if lanes stop at the first value, one where the host has one.
    pub(crate) fn is_right(&self) -> bool {
        match self.plan.stops {
            true => (self.outcome.value != 0) == (self.right.value != 0),
            false => self.outcome.value == self.right.value,
        }
    }
}

/// Returns the options of all searches: how lanes work.
pub(crate) fn plan_options() -> Vec<WorkloadOption> {
    let depth = "Depth at which the host hands over to the lanes; the first with eight contexts for each lane if absent";
    let stacks = "Whether lanes share the depth of their stacks, in memory or in registers, or each has a stack of its own, which takes --enable section-addressing; own where that is on, if absent";
    let slots = "Stacks that a section works on in turn; as many as registers hold if absent";
    let halves =
        "Searches of a register, one in either half; 2 where the task allows it, if absent";
    let room = "Frames of a stack; as many as the task can need if absent";
    let stop = "All lanes stop when one has returned a value that is not 0; only where calls return values";
    vec![
        task::from_zero("depth", "levels", None, 255, depth),
        WorkloadOption::choice("stacks", &["chosen", "common", "registers", "own"], stacks),
        WorkloadOption::number("slots", "stacks", None, 16, slots),
        WorkloadOption::number("searches", "searches", None, 2, halves),
        WorkloadOption::number("frames", "frames", None, 4096, room),
        WorkloadOption::switch("stop", stop),
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
    (on, core): (&Execution, &Core),
) -> Result<(LaneSearch<'t, AnyTask>, Execution), KernelError> {
    let search = LaneSearch::chosen(task, wishes, (&on.environment, core))?;
    let on = Execution { max_cycles: on.max_cycles.or(Some(ENOUGH)), ..on.clone() };
    Ok((search, on))
}

impl Searched {
    /// Makes the report of a search that has ended.
    pub(crate) fn new(
        search: &LaneSearch<'_, AnyTask>,
        outcome: SearchOutcome,
        (cycles, right): (u64, HostSearch),
    ) -> Self {
        let (plan, host_calls) = (search.plan(), search.host_calls());
        Self { outcome, plan, cycles, host_calls, right }
    }
}

/// Solves a task by a plan that is chosen, on CP2 alone.
fn solved(
    task: &AnyTask,
    wishes: PlanWishes,
    on: &Execution,
    listener: &mut dyn Listener,
) -> Result<Searched, KernelError> {
    let (search, on) = chosen(task, wishes, (on, &on.core))?;
    let ((outcome, cycles), right) = search.beside_host(|| solve(&search, &on, listener))?;
    Ok(Searched::new(&search, outcome, (cycles, right)))
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
    vec![
        Field::new("kernel", ValueKind::Name, "", "the task", |f| f.name().into()),
        Field::new("value", integer, "", "of the task", |f| of(f).outcome.value.into()),
        Field::new("nodes", integer, "nodes", "calls of the task, counted by the host", |f| {
            of(f).right.nodes.into()
        }),
        Field::new("contexts", integer, "contexts", "that the lanes solved", |f| {
            of(f).outcome.contexts.into()
        }),
        Field::new("host_nodes", integer, "nodes", "that the host made", |f| {
            of(f).host_calls.into()
        }),
        Field::new("cycles", integer, "cycles", "of the run", |f| of(f).cycles.into()),
        Field::new(
            "cycles_per_node",
            ValueKind::Number,
            "cycles",
            "for a node of each section",
            |f| of(f).per_node().into(),
        ),
        Field::new("lanes", integer, "lanes", "searches at a time", |f| of(f).outcome.lanes.into()),
        Field::new("passes", integer, "passes", "of each lane, busy or idle", |f| {
            of(f).outcome.passes.into()
        }),
        Field::new(
            "efficiency",
            ValueKind::Number,
            "",
            "share of the lanes' passes in which they were busy",
            |f| of(f).efficiency().into(),
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
        Field::new("slots", integer, "stacks", "that a section worked on in turn", |f| {
            of(f).plan.slots.into()
        }),
        Field::new("searches", integer, "searches", "of a register", |f| of(f).plan.halves.into()),
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
    let mut text = format!(
        "{}: {} of {} nodes, {} contexts from depth {}\n\
         {} lanes with {stacks}, {} stacks in turn, {} search{} of a register\n\
         {cycles} cycles, {:.2} for a node of each section; lanes are busy in {:.1} % of their passes\n",
        finished.name(),
        outcome.value,
        right.nodes,
        outcome.contexts,
        plan.depth,
        outcome.lanes,
        plan.slots,
        plan.halves,
        if plan.halves == 1 { "" } else { "es" },
        searched.per_node(),
        100.0 * searched.efficiency(),
    );
    if let (AnyTask::Sudoku(puzzle), Some(arrays)) = (&finished.input, &outcome.arrays) {
        text += &format!("puzzle   {}\nsolution {}\n", puzzle.text(), puzzle.solution(arrays));
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
        fields()
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        text(finished)
    }
}
