//! Searches on a device against the same tasks on the host.

#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

mod refusals;

use cp2_gpu::{Gpu, GpuChoice};
use cp2_gpu_recursion::{
    DeviceSearch, SearchPlan, SearchResult, SearchState, StackPlace, StopRule,
};
use cp2_recursion::tasks::{
    ComputedTree, ExactCover, Fibonacci, LinkedTree, NextCell, Queens, Sudoku, SudokuGoal,
    TreeGoal, TreeShape,
};
use cp2_recursion::{Dealing, PuzzleShape, Task, run};

const PUZZLE: &str =
    "2..86....8...1.9..57.....68.1875.6.9.35......9.2.......5..72......1.5...3.7.9....";
const SOLUTION: &str =
    "293864715846517932571239468418753629735926184962481357154372896689145273327698541";

fn device() -> Gpu {
    Gpu::open(&GpuChoice { numbers: vec![0], parts: 1 }).unwrap().remove(0)
}

fn plan(depth: usize, stack: StackPlace, dealing: Dealing) -> SearchPlan {
    let depth = Some(depth);
    SearchPlan { depth, wanted: None, stack, dealing, items: 16, groups: 3, room: None, stop: None }
}

fn searched<T: Task + Sync>(task: &T, plan: SearchPlan) -> SearchResult {
    DeviceSearch::new(&device(), task, plan).unwrap().run().unwrap()
}

/// Runs a task on the device in all forms that can serve it, and compares value and nodes with the host's.
fn alike<T: Task + Sync>(task: &T, depth: usize) {
    let host = run(task, task.deepest()).unwrap();
    let shares = task.is_sum() && !task.arrays().iter().any(|array| array.is_own);
    for (name, stack) in &StackPlace::ALL[..if shares { 3 } else { 2 }] {
        for dealing in Dealing::ALL.map(|(_, way)| way) {
            let found = searched(task, plan(depth, *stack, dealing));
            let expected = (host.value, host.counts.calls);
            assert_eq!((found.value as u32, found.nodes()), expected, "{name}, {dealing:?}");
            assert!(found.is_whole && found.efficiency() <= 1.0, "{found:?}");
        }
    }
}

fn cover() -> ExactCover {
    let rows = (0..40).flat_map(|a| [vec![a], vec![a, (a + 1) % 40]]);
    let rows: Vec<Vec<usize>> = rows.filter(|row| row.iter().all(|&c| c < 20)).collect();
    ExactCover::new(20, &rows).unwrap()
}

#[test]
fn queens_have_the_values_and_nodes_of_the_host() {
    alike(&Queens::new(8, 6).unwrap(), 2);
    alike(&Queens::new(9, 9).unwrap(), 1);
}

#[test]
fn trees_have_the_values_and_nodes_of_the_host() {
    let shape = TreeShape::new(3, 5, 2).unwrap();
    alike(&ComputedTree { shape, goal: TreeGoal::Sum }, 2);
    alike(&LinkedTree { shape, goal: TreeGoal::Sum }, 3);
    for node in [0, 11, 200, 363] {
        let goal = TreeGoal::Search(node);
        alike(&ComputedTree { shape, goal }, 0);
        alike(&LinkedTree { shape, goal }, 0);
    }
}

#[test]
fn puzzles_and_covers_have_the_values_and_nodes_of_the_host() {
    alike(&Fibonacci(14), 5);
    alike(&Sudoku::parse(PUZZLE, NextCell::First, SudokuGoal::Count).unwrap(), 8);
    alike(&Sudoku::parse(PUZZLE, NextCell::Fewest, SudokuGoal::Count).unwrap(), 8);
    alike(&cover(), 4);
}

#[test]
fn a_context_may_be_the_whole_and_there_may_be_none() {
    alike(&Queens::new(6, 6).unwrap(), 0);
    alike(&Queens::new(4, 2).unwrap(), 4);
    alike(&Queens::new(5, 5).unwrap(), 9);
    alike(&cover(), 0);
}

#[test]
fn a_search_for_a_node_ends_with_the_first_context_that_has_it() {
    let shape = TreeShape::new(4, 6, 1).unwrap();
    for node in [0, 3, 100, 5000, 5460, 6000] {
        let task = ComputedTree { shape, goal: TreeGoal::Search(node) };
        let host = run(&task, task.deepest()).unwrap();
        for dealing in Dealing::ALL.map(|(_, way)| way) {
            let mut plan = plan(3, StackPlace::Private, dealing);
            plan.stop = Some(StopRule::InOrder { mask: 1 << 31 });
            let found = searched(&task, plan);
            assert_eq!(found.value, u64::from(host.value), "node {node}");
            assert!(found.is_whole);
        }
    }
}

#[test]
fn lanes_stop_soon_after_the_first_solution() {
    // A grid of 9 rows with 7 numbers has very many solutions.
    let text = "1.......................2...........3......................4..........5....6....7";
    let task = Sudoku::parse(text, NextCell::First, SudokuGoal::First).unwrap();
    for (dealing, stack) in
        [(Dealing::Queue, StackPlace::Private), (Dealing::Block, StackPlace::Local)]
    {
        let mut plan = plan(4, stack, dealing);
        plan.stop = Some(StopRule::Any { mask: u32::MAX });
        let found = searched(&task, plan);
        assert_eq!(found.value, 1);
        let solution = task.solution(&found.arrays.unwrap());
        Sudoku::parse(&solution, NextCell::First, SudokuGoal::First).unwrap();
        assert!(!solution.contains('.'), "{solution}");
    }
    let task = Sudoku::parse(PUZZLE, NextCell::Fewest, SudokuGoal::First).unwrap();
    let mut plan = plan(3, StackPlace::Private, Dealing::Queue);
    plan.stop = Some(StopRule::Any { mask: u32::MAX });
    assert_eq!(task.solution(&searched(&task, plan).arrays.unwrap()), SOLUTION);
}

#[test]
fn depths_are_chosen_that_give_each_lane_a_context() {
    let mut plan = plan(0, StackPlace::Private, Dealing::Queue);
    plan.depth = None;
    let task = Queens::new(10, 8).unwrap();
    let found = searched(&task, plan);
    let host = run(&task, task.deepest()).unwrap();
    assert_eq!((found.value as u32, found.nodes()), (host.value, host.counts.calls));
    // 59 contexts at depth 2 of 8 x 8 with 6 queens are more than the 48 work-items.
    let found = searched(&Queens::new(8, 6).unwrap(), plan);
    assert_eq!((found.depth, found.contexts), (2, 59));
    // No depth of this puzzle has so many.
    let task = Sudoku::parse(PUZZLE, NextCell::Fewest, SudokuGoal::Count).unwrap();
    let found = searched(&task, plan);
    assert_eq!((found.value, found.nodes()), (1, 54));
}

#[test]
fn frames_that_groups_give_back_are_dealt_out_anew() {
    // One context has more work than all others together.
    let queens = Queens::new(10, 7).unwrap();
    let shape = TreeShape::new(2, 17, 1).unwrap();
    let tree = LinkedTree { shape, goal: TreeGoal::Sum };
    let cover = cover();
    for depth in [0, 2] {
        for (items, groups) in [(16, 4), (5, 3)] {
            let plan =
                SearchPlan { items, groups, ..plan(depth, StackPlace::Shared, Dealing::Queue) };
            let found = searched(&queens, plan);
            assert_eq!((found.value, found.nodes()), (2_119_176, 3_910_138), "{plan:?}");
            // A lane of one that has all the work makes more passes than a launch has.
            assert!(found.state.launches > 1 || depth > 0, "{found:?}");
            let host = run(&tree, tree.deepest()).unwrap();
            let found = searched(&tree, plan);
            let expected = (host.value, host.counts.calls);
            assert_eq!((found.value as u32, found.nodes()), expected, "{plan:?}");
        }
    }
    // These frames have a state.
    let plan = plan(1, StackPlace::Shared, Dealing::Queue);
    assert_eq!(searched(&cover, plan).value, u64::from(run(&cover, 21).unwrap().value));
}

#[test]
fn calls_that_lanes_with_arrays_give_back_are_dealt_out_anew() {
    let shape = PuzzleShape::new(16, 120).unwrap();
    let text = shape.generate(2).unwrap();
    let task = Sudoku::parse(&text, NextCell::First, SudokuGoal::Count).unwrap();
    for (stack, depth) in [(StackPlace::Private, 0), (StackPlace::Local, 5)] {
        let plan = SearchPlan { items: 8, groups: 4, ..plan(depth, stack, Dealing::Queue) };
        let found = searched(&task, plan);
        assert_eq!((found.value, found.nodes()), (1, 965_840), "{plan:?}");
        assert!(found.state.launches > 1, "{found:?}");
    }
    let task = Sudoku::parse(PUZZLE, NextCell::Fewest, SudokuGoal::Count).unwrap();
    let found = searched(&task, plan(0, StackPlace::Private, Dealing::Queue));
    assert_eq!((found.value, found.nodes()), (1, 54));
}

#[test]
fn a_search_goes_on_from_a_state() {
    let gpu = device();
    let task = Queens::new(9, 7).unwrap();
    let search =
        DeviceSearch::new(&gpu, &task, plan(3, StackPlace::Local, Dealing::Queue)).unwrap();
    let whole = search.run().unwrap();
    let mut running = search.begin(SearchState::default()).unwrap();
    assert!(!running.advance(100).unwrap());
    let state = running.state().clone();
    let part = running.finish().unwrap();
    assert!(!part.is_whole && part.value < whole.value);
    let mut running = search.begin(state).unwrap();
    while !running.advance(70).unwrap() {}
    let found = running.finish().unwrap();
    assert_eq!((found.value, found.nodes()), (whole.value, whole.nodes()));
    let fibonacci = Fibonacci(15);
    let search =
        DeviceSearch::new(&gpu, &fibonacci, plan(6, StackPlace::Local, Dealing::Queue)).unwrap();
    let mut running = search.begin(SearchState::default()).unwrap();
    while !running.advance(7).unwrap() {}
    assert_eq!(running.finish().unwrap().value, 610);
}
