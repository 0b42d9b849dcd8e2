//! States of a step: operations that a pass issues, against those that a lane needs.

use super::depths::{PUZZLE, dominoes};
use super::forms::{OWN, form, message, run};
use crate::rows::print;
use cp2_kernels::recursion::{LaneSearch, PlanWishes, Stacks};
use cp2_recursion::tasks::{
    ComputedTree, Fibonacci, NextCell, Queens, Sudoku, SudokuGoal, TreeGoal, TreeShape,
};
use cp2_recursion::{FrameFields, StepOutcome, StepProgram, StepWords, Task, TaskArray, TaskFrame};
use std::cell::RefCell;

/// Most states of a task, and one.
const STATES: usize = 8;

/// A task whose steps are counted by state.
struct Counted<'t, T> {
    task: &'t T,
    steps: RefCell<[u64; STATES]>,
}

impl<T: Task> Task for Counted<'_, T> {
    fn fields(&self) -> FrameFields {
        self.task.fields()
    }

    fn root(&self) -> Vec<u32> {
        self.task.root()
    }

    fn arrays(&self) -> Vec<TaskArray> {
        self.task.arrays()
    }

    fn deepest(&self) -> usize {
        self.task.deepest()
    }

    fn is_sum(&self) -> bool {
        self.task.is_sum()
    }

    fn step<W: StepWords>(&self, words: &mut W, frame: TaskFrame<W::Word>) -> StepOutcome<W::Word> {
        for (state, steps) in self.steps.borrow_mut().iter_mut().enumerate() {
            let number = words.constant(state as u32);
            let difference = words.xor(frame.state, number);
            let is_in = words.is_zero(difference);
            *steps += u64::from(words.known(is_in) == Some(true));
        }
        self.task.step(words, frame)
    }
}

/// Prints a task: states, operations of all of them, steps and operations that its lanes need, and what a pass takes.
fn of_task<T: Task + Sync>(name: &str, task: &T, depth: usize) -> Result<(), String> {
    let counted = Counted { task, steps: RefCell::default() };
    let calls = cp2_recursion::run(&counted, task.deepest()).map_err(message)?.counts.calls;
    let mut steps = counted.steps.into_inner();
    let states: Vec<u32> = (0..STATES as u32).filter(|&state| steps[state as usize] > 0).collect();
    let of_state = |state: u32| StepProgram::in_state(task, state).work();
    // Nothing calls the root. A pass of a task of sums has a step that is not the first one of its call, and then the first one of what it calls.
    let entry = if task.is_sum() { StepProgram::of_entry(task).work() } else { 0 };
    let entries = if task.is_sum() { calls } else { 0 };
    steps[0] -= entries;
    let of_states: u64 = (0..).zip(steps).map(|(state, count)| count * of_state(state)).sum();
    let (passes, needed) =
        (steps.iter().sum::<u64>(), entries.saturating_sub(1) * entry + of_states);
    let rest = match (states.as_slice(), steps[0]) {
        ([0, state], 0) => of_state(*state),
        _ => StepProgram::of(task).work(),
    };
    print("steps", name, (0, 0), "states", states.len());
    print("steps", name, (0, 0), "issued", passes * (rest + entry));
    print("steps", name, (0, 0), "needed", needed);
    print("steps", name, (0, 0), "all", passes);
    let on = form("own", OWN, 64, (Stacks::Own, 1, 1)).on()?;
    let wishes = PlanWishes { depth: Some(depth), halves: Some(1), ..PlanWishes::default() };
    let search = LaneSearch::chosen(task, wishes, (&on.environment, &on.core)).map_err(message)?;
    run(("steps", name, (0, 0)), task, search.plan(), &on)?;
    Ok(())
}

/// Prints all tasks.
pub(crate) fn steps() -> Result<(), String> {
    let shape = TreeShape::new(4, 5, 8).map_err(message)?;
    let puzzle = |rule| Sudoku::parse(PUZZLE, rule, SudokuGoal::Count).map_err(message);
    of_task("7 queens on 10 x 10", &Queens::new(10, 7).map_err(message)?, 3)?;
    of_task("tree 4 5 8", &ComputedTree { shape, goal: TreeGoal::Sum }, 3)?;
    of_task("search in this tree", &ComputedTree { shape, goal: TreeGoal::Search(1000) }, 3)?;
    of_task("fibonacci 15", &Fibonacci(15), 5)?;
    of_task("dominoes on 6 x 5", &dominoes()?, 4)?;
    of_task("sudoku by the first cell", &puzzle(NextCell::First)?, 4)?;
    of_task("sudoku by the fewest", &puzzle(NextCell::Fewest)?, 0)
}
