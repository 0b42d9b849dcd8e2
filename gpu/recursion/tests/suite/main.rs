//! Searches on a device against the same tasks on the host.

#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use cp2_gpu::{Gpu, GpuChoice};
use cp2_gpu_recursion::{DeviceSearch, SearchPlan, SearchResult, StackPlace};
use cp2_recursion::tasks::{
    ComputedTree, ExactCover, Fibonacci, LinkedTree, NextCell, Queens, Sudoku, SudokuGoal,
    TreeGoal, TreeShape,
};
use cp2_recursion::{Task, run};

fn device() -> Gpu {
    Gpu::open(&GpuChoice { numbers: vec![0], parts: 1 }).unwrap().remove(0)
}

fn plan(depth: usize, stack: StackPlace, is_queue: bool) -> SearchPlan {
    SearchPlan { depth, stack, is_queue, items: 16, groups: 3 }
}

fn searched<T: Task>(task: &T, plan: SearchPlan) -> SearchResult {
    DeviceSearch::new(&device(), task, plan).unwrap().run().unwrap()
}

/// Runs a task on the device in all forms, and compares value and nodes with the host's.
fn alike<T: Task>(task: &T, depth: usize) {
    let host = run(task, task.deepest()).unwrap();
    for stack in [StackPlace::Private, StackPlace::Local] {
        for is_queue in [true, false] {
            let found = searched(task, plan(depth, stack, is_queue));
            assert_eq!((found.value, found.nodes()), (host.value, host.counts.calls));
        }
    }
}

#[test]
fn tasks_give_the_values_and_nodes_of_the_host() {
    alike(&Queens::new(8, 6).unwrap(), 2);
    alike(&Fibonacci(14), 5);
    let shape = TreeShape::new(3, 5, 2).unwrap();
    alike(&ComputedTree { shape, goal: TreeGoal::Sum }, 2);
    alike(&LinkedTree { shape, goal: TreeGoal::Sum }, 3);
    let puzzle =
        "2..86....8...1.9..57.....68.1875.6.9.35......9.2.......5..72......1.5...3.7.9....";
    alike(&Sudoku::parse(puzzle, NextCell::First, SudokuGoal::Count).unwrap(), 8);
    alike(&Sudoku::parse(puzzle, NextCell::Fewest, SudokuGoal::Count).unwrap(), 8);
    let rows: Vec<Vec<usize>> = (0..40).flat_map(|a| [vec![a], vec![a, (a + 1) % 40]]).collect();
    alike(
        &ExactCover::new(
            20,
            &rows.into_iter().filter(|row| row.iter().all(|&c| c < 20)).collect::<Vec<_>>(),
        )
        .unwrap(),
        4,
    );
}

#[test]
fn a_context_may_be_the_whole() {
    alike(&Queens::new(6, 6).unwrap(), 0);
    alike(&Queens::new(4, 2).unwrap(), 4);
}

#[test]
fn stacks_that_local_memory_has_no_room_for_are_refused() {
    let task = Queens::new(30, 1).unwrap();
    let plan = SearchPlan {
        depth: 0,
        stack: StackPlace::Local,
        is_queue: true,
        items: 1 << 20,
        groups: 1,
    };
    let error = DeviceSearch::new(&device(), &task, plan).map(drop).unwrap_err().to_string();
    assert!(
        error.contains("stacks of 31 frames take") && error.contains("private memory"),
        "{error}"
    );
}
