//! Cycles of the control processor for a call, which tasks say, against the measurements that the page of searches shows.

use cp2_recursion::tasks::{
    ComputedTree, ExactCover, Fibonacci, LinkedTree, NextCell, Queens, Sudoku, SudokuGoal,
    TreeGoal, TreeShape,
};
use cp2_recursion::{Task, run};

/// Rows of measurements: part, name, two numbers, key, value.
const MEASURED: &str = include_str!("../../../../lab/data/recursion.csv");

/// Returns the cycles of a program on the control processor.
fn cycles(name: &str, number: u32) -> f64 {
    let begin = format!("control,{name},{number},0,cycles,");
    let value = MEASURED.lines().find_map(|line| line.strip_prefix(begin.as_str()));
    value.unwrap_or_else(|| panic!("no row {begin}")).parse().unwrap()
}

/// Compares a task with a measurement, less that of a program which does all but the search.
fn compare<T: Task>(task: &T, (name, number): (&str, u32), start: &str, tolerance: f64) {
    let nodes = run(task, task.deepest()).unwrap().counts.calls as f64;
    let measured = (cycles(name, number) - cycles(start, 0)) / nodes;
    let said = task.host_cycles().unwrap();
    assert!((said - measured).abs() <= tolerance, "{name} {number}: {said}, measured {measured}");
}

#[test]
fn tasks_say_the_cycles_of_the_control_processor_that_were_measured() {
    // Numbers are told to a tenth.
    let tenth = 0.051;
    for (board, queens) in [(8, 8), (10, 10), (8, 6), (9, 7), (10, 7)] {
        // One number stands for all boards with rows that may stay empty, and for all without.
        let tolerance = if board == queens { 0.15 } else { 0.75 };
        let name = format!("queens {board} {queens}");
        compare(&Queens::new(board, queens).unwrap(), (&name, 0), "start", tolerance);
    }
    for rounds in [0, 1, 2, 4, 8, 64] {
        let shape = TreeShape::new(4, 5, rounds).unwrap();
        let tree = ComputedTree { shape, goal: TreeGoal::Sum };
        compare(&tree, ("tree", rounds), "start", tenth);
    }
    let shape = TreeShape::new(4, 5, 8).unwrap();
    let search = ComputedTree { shape, goal: TreeGoal::Search(1000) };
    compare(&search, ("search", 0), "start", tenth);
    compare(&LinkedTree { shape, goal: TreeGoal::Sum }, ("tree walked", 0), "tree linked", tenth);
    compare(&Fibonacci(15), ("fibonacci", 0), "start", tenth);
    let text = "2..86....8...1.9..57.....68.1875.6.9.35......9.2.......5..72......1.5...3.7.9....";
    for (rule, name) in [(NextCell::First, "sudoku first"), (NextCell::Fewest, "sudoku fewest")] {
        compare(&Sudoku::parse(text, rule, SudokuGoal::Count).unwrap(), (name, 0), "start", tenth);
    }
    let right = (0..30).filter(|cell| cell % 6 < 5).map(|cell| vec![cell, cell + 1]);
    let below = (0..24).map(|cell| vec![cell, cell + 6]);
    let dominoes = ExactCover::new(30, &right.chain(below).collect::<Vec<_>>()).unwrap();
    compare(&dominoes, ("dominoes", 0), "start", 0.1);
}
