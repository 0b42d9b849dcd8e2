use super::*;
use cp2_isa::{Core, CoreNumbers, Extensions};
use cp2_recursion::tasks::{
    ComputedTree, ExactCover, Fibonacci, LinkedTree, NextCell, Queens, Sudoku, SudokuGoal,
    TreeGoal, TreeShape,
};
use cp2_recursion::{Task, run};
use cp2_session::execution::Execution;

#[test]
fn trial() {
    let env =
        |name: &str, or: usize| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(or);
    let (board, queens) = (env("K", 8) as u32, env("N", 6) as u32);
    let mut extensions = Extensions::empty();
    if env("O", 0) == 1 {
        extensions |= Extensions::SECTION_ADDRESSING;
    }
    if env("S", 0) == 1 {
        extensions |= Extensions::SECTION_COUNTERS;
    }
    let fprs = env("F", 64) as u32;
    let core = Core::new(CoreNumbers { extensions, fprs, ..*Core::CP2.numbers() }).unwrap();
    let task = Queens::new(board, queens).unwrap();
    let right = run(&task, 40).unwrap();
    let depth = env("D", 2);
    let stacks = if env("O", 0) == 1 { Stacks::Own } else { Stacks::CommonDepth };
    let plan = LanePlan {
        depth,
        stacks,
        slots: env("C", 4),
        halves: env("H", 1),
        room: None,
        stops: false,
    };
    let on = Execution { max_cycles: 1_000_000_000, ..Execution::on(core) };
    let found = match solve(&task, plan, &on) {
        Ok(found) => found,
        Err(error) => {
            println!("{}", error.to_string().chars().take(300).collect::<String>());
            return;
        }
    };
    println!(
        "{found:?} {right:?} {:.2} a node",
        found.cycles as f64 * 4.0 / right.counts.calls as f64
    );
    assert_eq!(found.value, right.value);
}

fn core(extensions: Extensions, fprs: u32) -> Core {
    Core::new(CoreNumbers { extensions, fprs, ..*Core::CP2.numbers() }).unwrap()
}

/// Solves a task at a depth by all plans that it allows, and compares with the host. Returns how many there were.
fn alike<T: Task>(name: &str, task: &T, depth: usize) -> usize {
    let right = run(task, task.deepest()).unwrap();
    let mut plans = 0;
    let own = Extensions::SECTION_ADDRESSING;
    for (stacks, extensions) in [
        (Stacks::CommonDepth, Extensions::empty()),
        (Stacks::CommonDepth, Extensions::SECTION_COUNTERS),
        (Stacks::Own, own),
        (Stacks::Own, own | Extensions::SECTION_COUNTERS),
    ] {
        for (slots, halves, fprs) in [(1, 1, 64), (3, 1, 64), (2, 2, 64), (5, 2, 256)] {
            let plan = LanePlan { depth, stacks, slots, halves, room: None, stops: false };
            let on = Execution { max_cycles: 100_000_000, ..Execution::on(core(extensions, fprs)) };
            match solve(task, plan, &on) {
                Ok(found) => {
                    plans += 1;
                    assert_eq!(found.value, right.value, "{name} {plan:?}");
                }
                Err(error) => {
                    let error: String = error.to_string().chars().take(300).collect();
                    println!("{name} {plan:?}: {error}");
                }
            }
        }
    }
    plans
}

const SMALL: &str = "..3.1........4.2";
const LARGE: &str =
    "2..86....8...1.9..57.....68.1875.6.9.35......9.2.......5..72......1.5...3.7.9....";

#[test]
fn queens_have_the_value_of_the_host() {
    for (board, queens, depth) in [(6, 4, 2), (8, 8, 2), (8, 6, 1), (1, 1, 0), (5, 2, 3), (4, 4, 5)]
    {
        let task = Queens::new(board, queens).unwrap();
        assert_eq!(alike(&format!("queens {board} {queens}"), &task, depth), 16);
    }
}

#[test]
fn other_tasks_have_the_value_of_the_host() {
    let shape = TreeShape::new(3, 4, 2).unwrap();
    for depth in [0, 2] {
        let goal = TreeGoal::Sum;
        assert_eq!(alike("tree", &ComputedTree { shape, goal }, depth), 16);
        assert_eq!(alike("linked", &LinkedTree { shape, goal }, depth), 8);
        for node in [0, 5, 40, 119, 200] {
            let goal = TreeGoal::Search(node);
            assert_eq!(alike("search", &ComputedTree { shape, goal }, depth), 4, "{node}");
            assert_eq!(alike("linked search", &LinkedTree { shape, goal }, depth), 4);
        }
        let rows = vec![vec![0, 1], vec![1, 2], vec![0], vec![2], vec![3, 4], vec![3], vec![4]];
        assert_eq!(alike("cover", &ExactCover::new(5, &rows).unwrap(), depth), 8);
        assert_eq!(alike("fibonacci", &Fibonacci(12), depth), 4);
    }
}

#[test]
fn sudoku_has_the_value_of_the_host() {
    for next_cell in [NextCell::First, NextCell::Fewest] {
        for goal in [SudokuGoal::First, SudokuGoal::Count] {
            for (text, depth) in [(SMALL, 2), (LARGE, 4)] {
                let task = Sudoku::parse(text, next_cell, goal).unwrap();
                assert_eq!(alike(&format!("sudoku {next_cell:?} {goal:?}"), &task, depth), 4);
            }
        }
    }
}
