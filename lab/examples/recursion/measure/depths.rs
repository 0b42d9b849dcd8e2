//! Searches on a whole machine: by the depth at which the host hands over, and trees by the work of a node.

use super::forms::{OWN, form, message, run};
use crate::rows::print;
use cp2_emu::MachineConfig;
use cp2_kernels::recursion::{LaneSearch, PlanWishes, Stacks, solve};
use cp2_procedures::recursion::Moves;
use cp2_recursion::tasks::{
    ComputedTree, ExactCover, Fibonacci, LinkedTree, NextCell, Queens, Sudoku, SudokuGoal,
    TreeGoal, TreeShape,
};
use cp2_recursion::{Task, hand_over};
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;

/// The puzzle of 9 x 9 cells.
pub(crate) const PUZZLE: &str =
    "2..86....8...1.9..57.....68.1875.6.9.35......9.2.......5..72......1.5...3.7.9....";

/// Returns the task to cover 6 x 5 cells with dominoes.
pub(crate) fn dominoes() -> Result<ExactCover, String> {
    let (width, height) = (6, 5);
    let of = |cell: usize| {
        let right = (cell % width + 1 < width).then(|| vec![cell, cell + 1]);
        let below = (cell + width < width * height).then(|| vec![cell, cell + width]);
        right.into_iter().chain(below)
    };
    let rows: Vec<Vec<usize>> = (0..width * height).flat_map(of).collect();
    ExactCover::new(width * height, &rows).map_err(message)
}

/// Prints searches on VM9 by the depth at which the host hands over.
pub(crate) fn depths() -> Result<(), String> {
    for (board, queens) in [(8, 8), (8, 6), (9, 7), (10, 7), (10, 10)] {
        let task = Queens::new(board, queens).map_err(message)?;
        let name = format!("{queens} queens on {board} x {board}");
        (0..=6).try_for_each(|depth| at_depth(&name, &task, depth))?;
        freely(&name, &task)?;
    }
    let shape = TreeShape::new(4, 5, 8).map_err(message)?;
    let tree = ComputedTree { shape, goal: TreeGoal::Sum };
    (0..=5).try_for_each(|depth| at_depth("tree 4 5 8", &tree, depth))?;
    freely("tree 4 5 8", &tree)?;
    let search = ComputedTree { shape, goal: TreeGoal::Search(1000) };
    (0..=5).try_for_each(|depth| at_depth("search in this tree", &search, depth))?;
    freely("search in this tree", &search)?;
    let linked = LinkedTree { shape, goal: TreeGoal::Sum };
    (0..=5).try_for_each(|depth| at_depth("linked tree", &linked, depth))?;
    freely("linked tree", &linked)?;
    let fibonacci = Fibonacci(15);
    (0..=9).try_for_each(|depth| at_depth("fibonacci 15", &fibonacci, depth))?;
    freely("fibonacci 15", &fibonacci)?;
    let cover = dominoes()?;
    (0..=14).try_for_each(|depth| at_depth("dominoes on 6 x 5", &cover, depth))?;
    freely("dominoes on 6 x 5", &cover)?;
    let first = Sudoku::parse(PUZZLE, NextCell::First, SudokuGoal::Count).map_err(message)?;
    (0..=12).try_for_each(|depth| at_depth("sudoku by the first cell", &first, depth))?;
    freely("sudoku by the first cell", &first)?;
    let fewest = Sudoku::parse(PUZZLE, NextCell::Fewest, SudokuGoal::Count).map_err(message)?;
    let some = [0, 2, 8, 32, 53];
    some.into_iter().try_for_each(|depth| at_depth("sudoku by the fewest", &fewest, depth))?;
    freely("sudoku by the fewest", &fewest)
}

/// Returns VM9 with section addressing, and the way in which its kernels are run.
fn vm9() -> Result<(MachineConfig, Execution), String> {
    let machine =
        cp2_lab::experiments::work::machine("vm9", "section-addressing").map_err(message)?;
    Ok((machine, form("own", OWN, 64, (Stacks::Own, 1, 1)).on()?))
}

/// Prints the plan that is chosen for a task on VM9 where nothing is given.
fn freely<T: Task + Sync>(name: &str, task: &T) -> Result<(), String> {
    let (machine, on) = vm9()?;
    let moves = Moves::new(machine, &on).map_err(message)?;
    let of = ((&on.environment, &on.core), &moves as _);
    let search = LaneSearch::chosen_beside(task, PlanWishes::default(), of).map_err(message)?;
    print("plan", name, (0, 0), "depth", search.plan().depth as u64);
    Ok(())
}

/// Prints a search on VM9 at a depth, if its contexts fit.
fn at_depth<T: Task + Sync>(name: &str, task: &T, depth: usize) -> Result<(), String> {
    let (machine, on) = vm9()?;
    let moves = Moves::new(machine.clone(), &on).map_err(message)?;
    let wishes = PlanWishes { depth: Some(depth), ..PlanWishes::default() };
    let of = ((&on.environment, &on.core), &moves as _);
    let search = match LaneSearch::chosen_beside(task, wishes, of) {
        Ok(search) => search,
        Err(KernelError::Missing { .. } | KernelError::Request(_)) => return Ok(()),
        Err(error) => return Err(error.to_string()),
    };
    let listener = &mut |_: usize, _: usize| {};
    let (outcome, host, cost) =
        cp2_procedures::recursion::solve(machine, &search, &on, listener).map_err(message)?;
    if outcome.value != host.value {
        return Err(format!("{name} from depth {depth}: the value is wrong"));
    }
    let (_, alone) = solve(&search, &on, listener).map_err(message)?;
    let numbers = (depth as u64, 0);
    print("depth", name, numbers, "cycles", cost.cycles());
    print("depth", name, numbers, "kernel", alone);
    print("depth", name, numbers, "contexts", search.contexts() as u64);
    print("depth", name, numbers, "above", hand_over(task, depth).map_err(message)?.host_calls);
    print("depth", name, numbers, "host", search.host_calls());
    print("depth", name, numbers, "lanes", search.lanes() as u64);
    print("depth", name, numbers, "nodes", host.nodes);
    let plan = search.plan();
    print("depth", name, numbers, "slots", plan.slots as u64);
    print("depth", name, numbers, "halves", plan.halves as u64);
    Ok(())
}

/// Prints trees by the rounds of a node, and a linked one, on CP2 alone and on VM9 from several depths.
pub(crate) fn trees() -> Result<(), String> {
    let goal = TreeGoal::Sum;
    let form = form("own-2", OWN, 64, (Stacks::Own, 4, 2));
    let on = form.on()?;
    for rounds in [0, 1, 2, 4, 8, 64] {
        let tree = ComputedTree { shape: TreeShape::new(4, 5, rounds).map_err(message)?, goal };
        run(("tree", "computed", (u64::from(rounds), 3)), &tree, form.plan(3), &on)?;
        let name = format!("tree of {rounds} rounds");
        (1..=3).try_for_each(|depth| at_depth(&name, &tree, depth))?;
    }
    let tree = LinkedTree { shape: TreeShape::new(4, 5, 0).map_err(message)?, goal };
    run(("tree", "linked", (0, 3)), &tree, form.plan(3), &on)?;
    (1..=3).try_for_each(|depth| at_depth("tree of links", &tree, depth))
}
