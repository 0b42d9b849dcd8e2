//! Runs of queens on the emulator, by all forms.

use super::depths::PUZZLE;
use crate::rows::print;
use cp2_isa::{Core, CoreNumbers, Extensions, SECTIONS};
use cp2_kernels::recursion::{LanePlan, LaneSearch, SearchOutcome, Stacks, solve};
use cp2_recursion::tasks::{NextCell, Queens, Sudoku, SudokuGoal};
use cp2_recursion::{Dealing, SearchContext, Task, hand_over, joint_work, lane_work};
use cp2_session::execution::Execution;

pub(crate) const NONE: Extensions = Extensions::empty();
pub(crate) const OWN: Extensions = Extensions::SECTION_ADDRESSING;
pub(crate) const COUNTERS: Extensions = Extensions::SECTION_COUNTERS;

/// A form of searches: its name, what the core has, and the plan but for its depth.
pub(crate) struct Form {
    name: &'static str,
    pub(crate) core: CoreNumbers,
    stacks: Stacks,
    dealing: Dealing,
    slots: usize,
    halves: usize,
    /// Whether stores obey the predicate.
    masks: bool,
}

impl Form {
    /// Returns the plan from a depth.
    pub(crate) fn plan(&self, depth: usize) -> LanePlan {
        let Self { stacks, dealing, slots, halves, masks, .. } = *self;
        LanePlan { depth, stacks, dealing, slots, halves, room: None, stops: false, masks }
    }

    /// Returns where searches run.
    pub(crate) fn on(&self) -> Result<Execution, String> {
        let core = Core::new(self.core).map_err(|problems| problems.join("; "))?;
        Ok(Execution { max_cycles: Some(1 << 44), ..Execution::on(core) })
    }

    /// Returns the form with another way to deal contexts out.
    fn dealt(self, name: &'static str, dealing: Dealing) -> Self {
        Self { name, dealing, ..self }
    }

    /// Returns the form with stores that obey the predicate.
    pub(crate) fn masked(self) -> Self {
        Self { masks: true, ..self }
    }
}

/// Returns a form: its extensions and registers, stacks, and how many of them there are.
pub(crate) fn form(
    name: &'static str,
    extensions: Extensions,
    fprs: u32,
    (stacks, slots, halves): (Stacks, usize, usize),
) -> Form {
    let core = CoreNumbers { extensions, fprs, ..*Core::CP2.numbers() };
    let dealing = if stacks == Stacks::Own { Dealing::Queue } else { Dealing::Cyclic };
    Form { name, core, stacks, dealing, slots, halves, masks: false }
}

/// All forms.
fn all_forms() -> Vec<Form> {
    use Stacks::{CommonDepth, Own, Registers};
    let all = Extensions::all();
    vec![
        form("common", NONE, 64, (CommonDepth, 5, 1)),
        form("common-memory", Extensions::CONDITIONAL_MEMORY, 64, (CommonDepth, 5, 1)).masked(),
        form("common-counters", COUNTERS, 64, (CommonDepth, 6, 1)),
        form("common-counters-5", COUNTERS, 64, (CommonDepth, 5, 1)),
        form("common-2", NONE, 64, (CommonDepth, 5, 2)),
        form("registers", NONE, 128, (Registers, 1, 1)),
        form("registers-counters", COUNTERS, 128, (Registers, 1, 1)),
        form("own", OWN, 64, (Own, 5, 1)),
        form("own", OWN, 64, (Own, 5, 1)).dealt("own-block", Dealing::Block),
        form("own", OWN, 64, (Own, 5, 1)).dealt("own-cyclic", Dealing::Cyclic),
        form("own-counters", OWN | COUNTERS, 64, (Own, 5, 1)),
        form("own-2", OWN, 64, (Own, 5, 2)),
        form("own-2", OWN, 64, (Own, 5, 2)).dealt("own-2-block", Dealing::Block),
        form("own-2", OWN, 64, (Own, 5, 2)).dealt("own-2-cyclic", Dealing::Cyclic),
        form("all", all, 128, (Own, 8, 1)),
        form("all-2", all, 128, (Own, 8, 2)),
    ]
}

#[allow(clippy::needless_pass_by_value, reason = "it stands in `map_err`")]
pub(crate) fn message<E: ToString>(error: E) -> String {
    error.to_string()
}

/// Runs a task, compares it with the host, and prints its rows.
pub(crate) fn run<T: Task + Sync>(
    (part, name, numbers): (&str, &str, (u64, u64)),
    task: &T,
    plan: LanePlan,
    on: &Execution,
) -> Result<SearchOutcome, String> {
    let search = LaneSearch::new(task, plan, &on.core).map_err(message)?;
    let host = search.on_host().map_err(message)?;
    let (outcome, cycles) = solve(&search, on, &mut |_, _| ()).map_err(message)?;
    let is_right = if plan.stops { outcome.value != 0 } else { outcome.value == host.value };
    if !is_right {
        return Err(format!("{part} {name}: the value is wrong"));
    }
    print(part, name, numbers, "cycles", cycles);
    print(part, name, numbers, "nodes", host.nodes);
    print(part, name, numbers, "contexts", search.contexts() as u64);
    print(part, name, numbers, "lanes", outcome.lanes as u64);
    print(part, name, numbers, "slots", plan.slots as u64);
    print(part, name, numbers, "passes", outcome.passes);
    print(part, name, numbers, "busy", host.passes);
    Ok(outcome)
}

/// Returns a share in millionths.
pub(crate) fn millionths(share: f64) -> u64 {
    (1e6 * share).round() as u64
}

/// Boards, queens and depths of the forms.
const BOARDS: [(u32, u32, usize); 8] =
    [(8, 8, 2), (8, 8, 3), (8, 6, 1), (8, 6, 2), (9, 7, 2), (10, 10, 3), (10, 7, 3), (10, 7, 2)];

/// Prints 7 queens on 10 x 10 from a depth whose contexts need more local memory, by all extensions.
fn large() -> Result<(), String> {
    let task = Queens::new(10, 7).map_err(message)?;
    let (numbers, depth) = ((1007, 4), 4);
    let handed = hand_over(&task, depth).map_err(message)?;
    for (name, halves) in [("large", 1), ("large-2", 2)] {
        let mut form = form(name, Extensions::all(), 128, (Stacks::Own, 8, halves));
        form.core.local_memory_words = 32768;
        let lanes = SECTIONS * form.slots * halves;
        let exact = lane_work(&task, &handed.contexts, (lanes, Dealing::Queue)).map_err(message)?;
        print("form", name, numbers, "exact", millionths(exact.efficiency()));
        run(("form", name, numbers), &task, form.plan(depth), &form.on()?)?;
    }
    Ok(())
}

/// Prints queens by all forms, and what lanes of the host need.
pub(crate) fn forms() -> Result<(), String> {
    for (board, queens, depth) in BOARDS {
        let task = Queens::new(board, queens).map_err(message)?;
        let numbers = (u64::from(100 * board + queens), depth as u64);
        let handed = hand_over(&task, depth).map_err(message)?;
        for (name, dealing) in Dealing::ALL {
            let work = lane_work(&task, &handed.contexts, (SECTIONS, dealing)).map_err(message)?;
            print("exact", name, numbers, "efficiency", millionths(work.efficiency()));
        }
        let joint = joint_work(&task, &handed.contexts, (SECTIONS, 1)).map_err(message)?;
        print("exact", "joint", numbers, "efficiency", millionths(joint.efficiency()));
        for form in all_forms() {
            of_board(&form, (&task, &handed.contexts), numbers)?;
        }
    }
    large()?;
    masks()
}

/// Prints queens by the form of a name.
pub(crate) fn form_of(name: &str) -> Result<(), String> {
    let form = all_forms().into_iter().find(|form| form.name == name);
    let form = form.ok_or_else(|| format!("there is no form {name}"))?;
    for (board, queens, depth) in BOARDS {
        let task = Queens::new(board, queens).map_err(message)?;
        let contexts = hand_over(&task, depth).map_err(message)?.contexts;
        let numbers = (u64::from(100 * board + queens), depth as u64);
        of_board(&form, (&task, &contexts), numbers)?;
    }
    Ok(())
}

/// Prints a board by a form, and the share that its lanes can have.
fn of_board(
    form: &Form,
    (task, contexts): (&Queens, &[SearchContext]),
    numbers: (u64, u64),
) -> Result<(), String> {
    let exact = match form.stacks {
        Stacks::Own => {
            let lanes = SECTIONS * form.slots * form.halves;
            lane_work(task, contexts, (lanes, form.dealing))
        }
        Stacks::CommonDepth | Stacks::Registers => {
            joint_work(task, contexts, (SECTIONS * form.halves, form.slots))
        }
    };
    let share = exact.map_err(message)?.efficiency();
    print("form", form.name, numbers, "exact", millionths(share));
    run(("form", form.name, numbers), task, form.plan(numbers.1 as usize), &form.on()?)?;
    Ok(())
}

/// Prints puzzles with stores to the arrays of lanes that obey the predicate, and with stores elsewhere where nothing is to be stored.
fn masks() -> Result<(), String> {
    for (name, rule, depth, slots) in
        [("first", NextCell::First, 4, 2), ("fewest", NextCell::Fewest, 0, 1)]
    {
        let task = Sudoku::parse(PUZZLE, rule, SudokuGoal::Count).map_err(message)?;
        let plain = || form("own-counters", OWN | COUNTERS, 64, (Stacks::Own, slots, 1));
        for (number, form) in [plain(), plain().masked()].into_iter().enumerate() {
            run(("masked", name, (number as u64, 0)), &task, form.plan(depth), &form.on()?)?;
        }
    }
    Ok(())
}
