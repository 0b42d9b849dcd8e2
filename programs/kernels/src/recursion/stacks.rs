//! Forms of the stacks of lanes on CP2, and what they take.

use super::bits::Steps;
use cp2_isa::{Core, Extensions};
use cp2_recursion::{Dealing, StepOperation, Task};
use cp2_session::cost::ChosenPlan;
use cp2_session::error::{KernelError, RequestError};

/// Way in which lanes keep their stacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stacks {
    /// Lanes share the depth of their stacks: child m of every lane that has one is entered together.
    CommonDepth,
    /// Lanes share their depth as well, and frames are in registers, with code for each depth.
    Registers,
    /// Every lane has a stack pointer of its own, which takes the extension section addressing.
    Own,
}

/// Shape of searches on CP2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LanePlan {
    /// Depth at which the host hands contexts over.
    pub depth: usize,
    /// Form of the stacks.
    pub stacks: Stacks,
    /// Way in which contexts are dealt out; cyclic where lanes share their depth.
    pub dealing: Dealing,
    /// Stacks that a section works on in turn, so that operations of one fill the latency of the others.
    pub slots: usize,
    /// Searches of a register: 1, or 2, one in either half.
    pub halves: usize,
    /// Frames of a stack; as many as the task can need if absent.
    pub room: Option<usize>,
    /// Whether all lanes stop when one has returned a value that is not 0, which then is the value of the task; only of tasks for which any
    /// such value of a context will do.
    pub stops: bool,
    /// Whether stores obey the predicate where operations choose otherwise what is stored or where: with own stacks those to the arrays of lanes,
    /// which takes section counters, with a common depth those of sums, which takes conditional memory. It gains nothing, so a plan has it only where
    /// that is wished.
    pub masks: bool,
}

/// Parts of a plan that are given; the others are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlanWishes {
    /// Depth at which the host hands contexts over.
    pub depth: Option<usize>,
    /// Form of the stacks.
    pub stacks: Option<Stacks>,
    /// Way in which contexts are dealt out.
    pub dealing: Option<Dealing>,
    /// Stacks that a section works on in turn.
    pub slots: Option<usize>,
    /// Searches of a register.
    pub halves: Option<usize>,
    /// Frames of a stack.
    pub room: Option<usize>,
    /// Whether all lanes stop when one has returned a value that is not 0.
    pub stops: bool,
    /// Whether stores obey the predicate, as of [`LanePlan::masks`].
    pub masks: bool,
}

impl PlanWishes {
    /// Returns whether two searches of a register are possible.
    pub(super) fn allows_two<T: Task>(task: &T) -> bool {
        task.is_sum() && task.arrays().iter().all(|array| !array.is_own)
    }

    /// Returns the plan with what is wished; of the rest own stacks and a queue if sections have addresses of their own, and the least of all
    /// numbers.
    pub fn plan(&self, core: &Core) -> LanePlan {
        let has_own = core.extensions().contains(Extensions::SECTION_ADDRESSING);
        let stacks = self.stacks.unwrap_or(if has_own { Stacks::Own } else { Stacks::CommonDepth });
        LanePlan {
            depth: self.depth.unwrap_or(0),
            stacks,
            dealing: self.dealing.unwrap_or(match stacks {
                Stacks::Own => Dealing::Queue,
                Stacks::CommonDepth | Stacks::Registers => Dealing::Cyclic,
            }),
            slots: self.slots.unwrap_or(1),
            halves: self.halves.unwrap_or(1),
            room: self.room,
            stops: self.stops,
            masks: self.masks,
        }
    }
}

/// Report on the choice of a plan; the default where it was given whole.
#[derive(Default)]
pub(super) struct Chosen {
    /// The report on the choice.
    pub choice: ChosenPlan,
    /// Cycles of host, transfers and lanes.
    pub whole: Option<f64>,
    /// A plan that would take fewer cycles, if what is wished leaves it out.
    pub better: Option<BetterPlan>,
}

/// A plan with fewer predicted cycles than the chosen one, which what is wished leaves out.
#[derive(Clone, Debug, PartialEq)]
pub struct BetterPlan {
    /// Name of the plan.
    pub name: String,
    /// Predicted cycles of host, transfers and lanes.
    pub whole: f64,
}

/// Most stacks that a section works on in turn.
const MOST_SLOTS: usize = 16;
/// Most stacks in turn with a common depth whose sums are stored where a predicate holds: each takes two address sets.
const MOST_MASKED: usize = 8;

/// Returns the error for a plan whose values registers do not hold.
pub(super) fn too_few_registers(plan: &LanePlan, core: &Core) -> KernelError {
    let registers = core.fprs();
    sentence(match plan.slots {
        1 => format!(
            "a step of this task needs more than {registers} registers; add some by --enable more-fprs=128"
        ),
        slots => format!(
            "{registers} registers do not hold {slots} stacks in turn; take fewer by --slots, or add registers by --enable more-fprs=128"
        ),
    })
}

/// Refuses a plan that the task or the core does not allow.
pub(super) fn check<T: Task>(
    task: &T,
    plan: &LanePlan,
    core: &Core,
    steps: &Steps,
) -> Result<(), KernelError> {
    let has_own_addresses = core.extensions().contains(Extensions::SECTION_ADDRESSING);
    let needs_own = !task.is_sum() || task.arrays().iter().any(|array| array.is_own);
    let first = steps.enter.operations[steps.enter.next.calls];
    let refuse = |text: &str| Err(sentence(text.to_owned()));
    match plan.stacks {
        Stacks::Own if !has_own_addresses => {
            refuse("lanes with stacks of their own need --enable section-addressing")
        }
        Stacks::CommonDepth | Stacks::Registers if needs_own => refuse(
            "where lanes share their depth, calls return nothing and lanes have no arrays; this task needs stacks of their own, by --enable section-addressing",
        ),
        Stacks::CommonDepth | Stacks::Registers if !task.arrays().is_empty() => refuse(
            "where lanes share their depth, all of them load from one address; the arrays of this task need stacks of their own, by --enable section-addressing",
        ),
        Stacks::CommonDepth if plan.dealing != Dealing::Cyclic => refuse(
            "where lanes share their depth, contexts stand on the stacks from the begin, dealt out in turn; give --dealing cyclic, or --stacks own",
        ),
        Stacks::Registers if plan.dealing != Dealing::Cyclic => refuse(
            "where frames are in registers, groups of contexts are taken one behind the other, dealt out in turn; give --dealing cyclic, or --stacks own",
        ),
        _ if plan.stops && task.is_sum() => refuse(
            "no call of this task returns a value at which lanes could stop: values are sums",
        ),
        _ if task.is_sum() && first != StepOperation::Constant(0) => {
            refuse("where values are sums, the first step of a call may make no call")
        }
        _ if plan.halves == 2 && needs_own => refuse(
            "where lanes have arrays of their own or calls return values, a register has one search; give --searches 1",
        ),
        Stacks::Registers if plan.slots != 1 => {
            refuse("where frames are in registers, a section works on one stack; give --slots 1")
        }
        _ if plan.slots == 0 || plan.slots > MOST_SLOTS => {
            let (what, value) = ("number of stacks in turn", plan.slots);
            Err(KernelError::Parameter { what, value, limit: format!("1 to {MOST_SLOTS}") })
        }
        _ if plan.halves == 0 || plan.halves > 2 => {
            let (what, value) = ("number of searches of a register", plan.halves);
            Err(KernelError::Parameter { what, value, limit: "1 or 2".into() })
        }
        _ => check_masks(plan, core),
    }
}

/// Refuses stores that obey the predicate where a core has none of the kind, or a plan does not allow them.
fn check_masks(plan: &LanePlan, core: &Core) -> Result<(), KernelError> {
    let has = |extension| core.extensions().contains(extension);
    let is_alone = plan.halves == 1 && plan.stacks != Stacks::Registers;
    let refuse = |text: &str| Err(sentence(text.to_owned()));
    match plan.stacks {
        _ if !plan.masks => Ok(()),
        Stacks::Own if !has(Extensions::SECTION_COUNTERS) => {
            refuse("masked stores at addresses of sections need --enable section-counters")
        }
        Stacks::Own => Ok(()),
        _ if !is_alone => refuse(
            "a conditional store is of both halves; give one search of a register, and stacks in memory",
        ),
        _ if !has(Extensions::CONDITIONAL_MEMORY) => {
            refuse("conditional stores need --enable conditional-memory")
        }
        _ if plan.slots > MOST_MASKED => {
            let (what, value) = ("number of stacks in turn with conditional stores", plan.slots);
            Err(KernelError::Parameter { what, value, limit: format!("1 to {MOST_MASKED}") })
        }
        _ => Ok(()),
    }
}

/// Returns the error for a plan that cannot be, with a sentence that says why.
pub(super) fn sentence(text: String) -> KernelError {
    RequestError::Task(text).into()
}
