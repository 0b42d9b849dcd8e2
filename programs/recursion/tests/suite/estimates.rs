//! Estimates of contexts that are too long to be solved, against their work.

use cp2_recursion::tasks::{Fibonacci, NextCell, Queens, Sudoku, SudokuGoal};
use cp2_recursion::{
    CallWork, JointLanes, OutlineLimits, SearchLane, Task, estimated_work, hand_over, outline,
};

/// Calls of a level that the choice of plans looks at on a core of 8192 words.
const CALLS: usize = 1 << 16;

/// Steps of the host that are made for a choice of plans.
const STEPS: u64 = 1 << 23;

/// Returns the work of a task's levels down to a depth, by so many steps.
fn levels<T: Task>(task: &T, depth: usize, steps: u64) -> Vec<(Vec<CallWork>, bool)> {
    let levels = outline(task, OutlineLimits { calls: CALLS, depth, steps }).unwrap();
    levels.into_iter().map(|level| (level.work, level.is_exact)).collect()
}

/// Returns by how much a number is more than another one, as a part of it.
fn off(estimated: u64, exact: u64) -> f64 {
    estimated as f64 / exact as f64 - 1.0
}

#[test]
fn estimates_of_queens_have_the_nodes_of_the_table() {
    for (board, queens, nodes) in [(11, 8, 28_648_930), (12, 7, 260_403_006), (12, 6, 108_827_235)]
    {
        for depth in [3, 12] {
            let levels = levels(&Queens::new(board, queens).unwrap(), depth, STEPS);
            let error = off(levels[0].0[0].calls, nodes);
            println!("{queens} queens on {board}, depth {depth}: {:+.2} %", 100.0 * error);
            assert!(!levels[0].1 && error.abs() < 0.02, "{board} {queens} {depth}: {error}");
        }
    }
}

#[test]
fn the_longest_context_is_estimated() {
    // From the first rows that stay empty come contexts that have many times the nodes of others.
    for (board, queens) in [(11, 8), (12, 6)] {
        let task = Queens::new(board, queens).unwrap();
        let level = &levels(&task, 12, STEPS)[3].0;
        let longest = level.iter().map(|work| work.calls).max().unwrap();
        let at = level.iter().position(|work| work.calls == longest).unwrap();
        let mut lane = SearchLane::new(&task, 0, task.deepest());
        lane.solve_context(&hand_over(&task, 3).unwrap().contexts[at]).unwrap();
        let error = off(longest, lane.counts.calls);
        println!("{queens} queens on {board}, longest of depth 3: {:+.2} %", 100.0 * error);
        assert!(error.abs() < 0.03, "{board} {queens}: {error}");
    }
}

#[test]
fn calls_that_return_values_are_estimated_as_if_they_returned_nothing() {
    let fibonacci = Fibonacci(34);
    let levels = levels(&fibonacci, 40, STEPS);
    // 2 F(34) - 1 calls.
    let error = off(levels[0].0[0].calls, 11_405_773);
    println!("fibonacci 34: {:+.2} %", 100.0 * error);
    assert!(!levels[0].1 && error.abs() < 0.02, "{error}");
}

#[test]
fn what_the_steps_suffice_for_is_exact() {
    let task = Queens::new(10, 7).unwrap();
    for depth in [0, 2, 10] {
        let all = levels(&task, depth, STEPS);
        assert!(all.iter().all(|(_, is_exact)| *is_exact));
        assert_eq!(all[0].0[0].calls, 3_910_138);
    }
    // With fewer steps the same task is estimated, each time alike.
    let [one, other] = [1, 2].map(|_| levels(&task, 3, STEPS / 16));
    assert!(!one[0].1 && one == other);
    assert!(off(one[0].0[0].calls, 3_910_138).abs() < 0.03, "{}", one[0].0[0].calls);
}

#[test]
fn lanes_with_a_common_depth_are_estimated_together() {
    let task = Queens::new(10, 7).unwrap();
    let contexts = hand_over(&task, 2).unwrap().contexts;
    let groups: Vec<_> = contexts.chunks(4).map(<[_]>::to_vec).collect();
    let mut joint = JointLanes::new(&task, 4);
    for group in &groups {
        joint.solve(group).unwrap();
    }
    let estimated = estimated_work(&task, &groups, 1 << 20).unwrap();
    let calls: f64 = estimated.iter().map(|work| work.calls).sum();
    let error = calls / joint.calls as f64 - 1.0;
    println!("groups of 7 queens on 10: {:+.2} %", 100.0 * error);
    assert!(error.abs() < 0.03, "{error}");
}

#[test]
fn arrays_of_lanes_go_with_the_ways_down() {
    let text = "2..86....8...1.9..57.....68.1875.6.9.35......9.2.......5..72......1.5...3.7.9....";
    let task = Sudoku::parse(text, NextCell::First, SudokuGoal::Count).unwrap();
    let context = hand_over(&task, 0).unwrap().contexts;
    let calls =
        |steps| estimated_work(&task, std::slice::from_ref(&context), steps).unwrap()[0].calls;
    assert_eq!(calls(1 << 20), 13106.0);
    let error = calls(1 << 13) / 13106.0 - 1.0;
    assert!(error.abs() < 0.3, "{error}");
}
