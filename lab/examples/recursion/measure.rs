//! Runs on the emulator.

use crate::rows::print;
use cp2_isa::{Core, CoreNumbers, Extensions, SECTIONS};
use cp2_kernels::recursion::{LanePlan, LaneSearch, PlanWishes, SearchOutcome, Stacks, solve};
use cp2_recursion::tasks::{
    ComputedTree, LinkedTree, NextCell, Queens, Sudoku, SudokuGoal, TreeGoal, TreeShape,
};
use cp2_recursion::{Dealing, JointLanes, PuzzleShape, SearchLane, Task, hand_over, lane_work};
use cp2_session::execution::Execution;

const NONE: Extensions = Extensions::empty();
const OWN: Extensions = Extensions::SECTION_ADDRESSING;
const COUNTERS: Extensions = Extensions::SECTION_COUNTERS;

/// A form of searches: its name, what the core has, and the plan but for its depth.
struct Form {
    name: &'static str,
    core: CoreNumbers,
    stacks: Stacks,
    slots: usize,
    halves: usize,
}

fn form(
    name: &'static str,
    extensions: Extensions,
    fprs: u32,
    (stacks, slots, halves): (Stacks, usize, usize),
) -> Form {
    let core = CoreNumbers { extensions, fprs, ..*Core::CP2.numbers() };
    Form { name, core, stacks, slots, halves }
}

/// All forms.
fn all_forms() -> Vec<Form> {
    use Stacks::{CommonDepth, Own, Registers};
    let all = Extensions::all();
    vec![
        form("common", NONE, 64, (CommonDepth, 5, 1)),
        form("common-memory", Extensions::CONDITIONAL_MEMORY, 64, (CommonDepth, 5, 1)),
        form("common-counters", COUNTERS, 64, (CommonDepth, 6, 1)),
        form("common-2", NONE, 64, (CommonDepth, 5, 2)),
        form("registers", NONE, 128, (Registers, 1, 1)),
        form("registers-counters", COUNTERS, 128, (Registers, 1, 1)),
        form("own", OWN, 64, (Own, 5, 1)),
        form("own-memory", OWN | Extensions::CONDITIONAL_MEMORY, 64, (Own, 5, 1)),
        form("own-counters", OWN | COUNTERS, 64, (Own, 5, 1)),
        form("own-2", OWN, 64, (Own, 4, 2)),
        form("all", all, 128, (Own, 8, 1)),
        form("all-2", all, 128, (Own, 8, 2)),
    ]
}

#[allow(clippy::needless_pass_by_value, reason = "it stands in `map_err`")]
fn told<E: ToString>(error: E) -> String {
    error.to_string()
}

fn on(form: &Form) -> Result<Execution, String> {
    let core = Core::new(form.core).map_err(|problems| problems.join("; "))?;
    Ok(Execution { max_cycles: Some(10_000_000_000), ..Execution::on(core) })
}

/// Runs a task, compares it with the host, and prints its rows.
fn run<T: Task + Sync>(
    (part, name, numbers): (&str, &str, (u64, u64)),
    task: &T,
    plan: LanePlan,
    on: &Execution,
) -> Result<SearchOutcome, String> {
    let search = LaneSearch::new(task, plan, &on.core).map_err(told)?;
    let host = search.on_host().map_err(told)?;
    let (outcome, cycles) = solve(&search, on, &mut |_, _| ()).map_err(told)?;
    let is_right = if plan.stops { outcome.value != 0 } else { outcome.value == host.value };
    if !is_right {
        return Err(format!("{part} {name}: the value is wrong"));
    }
    print(part, name, numbers, "cycles", cycles);
    print(part, name, numbers, "nodes", host.nodes);
    print(part, name, numbers, "host nodes", search.host_calls());
    print(part, name, numbers, "contexts", search.contexts() as u64);
    print(part, name, numbers, "lanes", outcome.lanes as u64);
    print(part, name, numbers, "slots", plan.slots as u64);
    print(part, name, numbers, "passes", outcome.passes);
    print(part, name, numbers, "busy", host.passes);
    Ok(outcome)
}

/// Boards, queens and depths of the forms.
const BOARDS: [(u32, u32, usize); 6] =
    [(8, 8, 3), (8, 6, 2), (9, 7, 2), (10, 10, 3), (10, 7, 3), (10, 7, 2)];

/// Prints queens by all forms, and what lanes of the host need.
pub(crate) fn forms() -> Result<(), String> {
    for (board, queens, depth) in BOARDS {
        let task = Queens::new(board, queens).map_err(told)?;
        let numbers = (u64::from(100 * board + queens), depth as u64);
        let handed = hand_over(&task, depth).map_err(told)?;
        for (dealing, name) in Dealing::ALL.into_iter().zip(["block", "cyclic", "queue", "joint"]) {
            let work = lane_work(&task, &handed.contexts, (SECTIONS, dealing)).map_err(told)?;
            print("exact", name, numbers, "efficiency", (1e6 * work.efficiency()) as u64);
        }
        let mut joint = JointLanes::new(&task, 2 * SECTIONS);
        for group in handed.contexts.chunks(2 * SECTIONS) {
            joint.solve(group).map_err(told)?;
        }
        print("exact", "joint-2", numbers, "nodes", joint.calls);
        for form in all_forms() {
            let Form { name, stacks, slots, halves, .. } = form;
            let plan = LanePlan { depth, stacks, slots, halves, room: None, stops: false };
            run(("form", name, numbers), &task, plan, &on(&form)?)?;
        }
    }
    Ok(())
}

/// Prints searches on VM9 by the depth at which the host hands over.
pub(crate) fn depths() -> Result<(), String> {
    let form = form("own-2", OWN, 64, (Stacks::Own, 4, 2));
    let on = on(&form)?;
    let shape = TreeShape::new(4, 5, 8).map_err(told)?;
    let tree = ComputedTree { shape, goal: TreeGoal::Sum };
    for (board, queens) in [(8, 8), (8, 6), (9, 7), (10, 7), (10, 10)] {
        let task = Queens::new(board, queens).map_err(told)?;
        let name = format!("{queens} queens on {board} x {board}");
        for depth in 0..=6 {
            at_depth(&name, &task, (depth, &form), &on)?;
        }
    }
    for depth in 0..=5 {
        at_depth("tree 4 5 8", &tree, (depth, &form), &on)?;
    }
    Ok(())
}

/// Prints a search on VM9 at a depth, if its contexts fit.
fn at_depth<T: Task + Sync>(
    name: &str,
    task: &T,
    (depth, form): (usize, &Form),
    on: &Execution,
) -> Result<(), String> {
    let Form { stacks, slots, halves, .. } = *form;
    let plan = LanePlan { depth, stacks, slots, halves, room: None, stops: false };
    let Ok(search) = LaneSearch::new(task, plan, &on.core) else { return Ok(()) };
    let machine = cp2_lab::experiments::work::machine("vm9", "section-addressing").map_err(told)?;
    let listener = &mut |_: usize, _: usize| {};
    let (outcome, host, cost) =
        cp2_procedures::recursion::solve(machine, &search, on, listener).map_err(told)?;
    if outcome.value != host.value {
        return Err(format!("{name} from depth {depth}: the value is wrong"));
    }
    let (_, alone) = solve(&search, on, listener).map_err(told)?;
    let numbers = (depth as u64, 0);
    print("depth", name, numbers, "cycles", cost.cycles());
    print("depth", name, numbers, "lanes", alone);
    print("depth", name, numbers, "contexts", search.contexts() as u64);
    print("depth", name, numbers, "host nodes", search.host_calls());
    print("depth", name, numbers, "nodes", host.nodes);
    Ok(())
}

/// Prints trees by the rounds of a node.
pub(crate) fn trees() -> Result<(), String> {
    for rounds in [0, 2, 8, 64] {
        let shape = TreeShape::new(4, 5, rounds).map_err(told)?;
        let goal = TreeGoal::Sum;
        for (name, halves, slots) in [("own", 1, 5), ("own-2", 2, 4)] {
            let form = form(name, OWN, 64, (Stacks::Own, slots, halves));
            let on = on(&form)?;
            let plan =
                LanePlan { depth: 3, stacks: Stacks::Own, slots, halves, room: None, stops: false };
            let numbers = (u64::from(rounds), 3);
            run(("tree", name, numbers), &ComputedTree { shape, goal }, plan, &on)?;
            run(("linked tree", name, numbers), &LinkedTree { shape, goal }, plan, &on)?;
        }
    }
    Ok(())
}

/// Makes a puzzle of 16 x 16 cells.
fn puzzle(seed: u64, next_cell: NextCell, goal: SudokuGoal) -> Result<Sudoku, String> {
    let text = PuzzleShape::new(16, 125).map_err(told)?.generate(seed).map_err(told)?;
    Sudoku::parse(&text, next_cell, goal).map_err(told)
}

/// Prints the sizes of branches of puzzles of 16 x 16 cells, and what dealing out makes of them.
pub(crate) fn branches() -> Result<(), String> {
    for (rule, next_cell) in [("fewest", NextCell::Fewest), ("first", NextCell::First)] {
        for seed in 1..=3 {
            let task = puzzle(seed, next_cell, SudokuGoal::Count)?;
            let depth = (0..40).find(|&depth| {
                hand_over(&task, depth).is_ok_and(|handed| handed.contexts.len() >= 16)
            });
            let depth = depth.unwrap_or(20);
            let handed = hand_over(&task, depth).map_err(told)?;
            let mut sizes = Vec::new();
            for context in &handed.contexts {
                let mut lane = SearchLane::new(&task, 0, task.deepest());
                // A branch that takes more is not followed further.
                lane.solve_within(context, 20_000_000).map_err(told)?;
                sizes.push(lane.counts.calls);
            }
            sizes.sort_unstable();
            let numbers = (seed, depth as u64);
            print("branch", rule, numbers, "contexts", sizes.len() as u64);
            let Some((&least, &most)) = sizes.first().zip(sizes.last()) else { continue };
            print("branch", rule, numbers, "least", least);
            print("branch", rule, numbers, "median", sizes[sizes.len() / 2]);
            print("branch", rule, numbers, "most", most);
            print("branch", rule, numbers, "all", sizes.iter().sum::<u64>());
            if most >= 5_000_000 {
                continue;
            }
            for (name, dealing) in [("cyclic", Dealing::Cyclic), ("queue", Dealing::Queue)] {
                let work = lane_work(&task, &handed.contexts, (SECTIONS, dealing)).map_err(told)?;
                print("branch", rule, numbers, name, (1e6 * work.efficiency()) as u64);
            }
        }
    }
    Ok(())
}

/// Prints what it takes to end with the first solution, and to stop all lanes then.
pub(crate) fn stops() -> Result<(), String> {
    const PUZZLE: &str =
        "2..86....8...1.9..57.....68.1875.6.9.35......9.2.......5..72......1.5...3.7.9....";
    let own = form("own", OWN, 64, (Stacks::Own, 2, 1));
    let on = on(&own)?;
    let task = Sudoku::parse(PUZZLE, NextCell::First, SudokuGoal::First).map_err(told)?;
    for (name, stops) in [("all", false), ("stop", true)] {
        let wishes = PlanWishes { depth: Some(4), slots: Some(2), stops, ..PlanWishes::default() };
        let plan = wishes.plan(&task, &on.core);
        let search = LaneSearch::new(&task, plan, &on.core).map_err(told)?;
        print("stop", name, (4, 0), "block", search.block_passes());
        run(("stop", name, (4, 0)), &task, plan, &on)?;
    }
    Ok(())
}
