//! Tasks by the extensions of the core.

use super::depths::{PUZZLE, dominoes};
use super::forms::{COUNTERS, NONE, OWN, form, message, run};
use cp2_isa::Extensions;
use cp2_kernels::recursion::{LaneSearch, PlanWishes, Stacks};
use cp2_recursion::Task;
use cp2_recursion::tasks::{
    ComputedTree, Fibonacci, LinkedTree, NextCell, Queens, Sudoku, SudokuGoal, TreeGoal, TreeShape,
};
use cp2_session::error::KernelError;

/// Cores: name, extensions, registers.
const CORES: [(&str, Extensions, u32); 5] = [
    ("unmodified", NONE, 64),
    ("own", OWN, 64),
    ("own counters", OWN.union(COUNTERS), 64),
    ("own registers", OWN, 128),
    ("all", Extensions::all(), 128),
];

/// Prints a task from a depth on all cores that can do it, with as many stacks and searches of a register as they hold.
fn on_cores<T: Task + Sync>(name: &str, task: &T, depth: usize) -> Result<(), String> {
    for (core, extensions, fprs) in CORES {
        let on = form(core, extensions, fprs, (Stacks::Own, 1, 1)).on()?;
        let wishes = PlanWishes { depth: Some(depth), ..PlanWishes::default() };
        let search = match LaneSearch::chosen(task, wishes, (&on.environment, &on.core)) {
            Err(KernelError::Request(_)) if extensions.is_empty() => continue,
            search => search.map_err(message)?,
        };
        run((&format!("extensions {name}"), core, (0, 0)), task, search.plan(), &on)?;
    }
    Ok(())
}

/// Prints all tasks.
pub(crate) fn extensions() -> Result<(), String> {
    let shape = TreeShape::new(4, 5, 8).map_err(message)?;
    let puzzle = |rule| Sudoku::parse(PUZZLE, rule, SudokuGoal::Count).map_err(message);
    on_cores("7 queens on 10 x 10", &Queens::new(10, 7).map_err(message)?, 3)?;
    on_cores("tree 4 5 8", &ComputedTree { shape, goal: TreeGoal::Sum }, 3)?;
    on_cores("linked tree", &LinkedTree { shape, goal: TreeGoal::Sum }, 3)?;
    on_cores("search in this tree", &ComputedTree { shape, goal: TreeGoal::Search(1000) }, 3)?;
    on_cores("fibonacci 15", &Fibonacci(15), 7)?;
    on_cores("dominoes on 6 x 5", &dominoes()?, 8)?;
    on_cores("sudoku by the first cell", &puzzle(NextCell::First)?, 4)?;
    on_cores("sudoku by the fewest", &puzzle(NextCell::Fewest)?, 0)
}
