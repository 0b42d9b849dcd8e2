//! Values and nodes of tasks.

use super::{numbers, table};
use cp2_recursion::tasks::{
    ComputedTree, ExactCover, Fibonacci, LinkedTree, NextCell, Queens, Sudoku, SudokuGoal,
    TreeGoal, TreeShape,
};
use cp2_recursion::{
    MOST_FIELDS, NativeWords, SearchCounts, SearchLane, StepProgram, Task, TaskFrame, combine,
    hand_over, run,
};
use proptest::prelude::*;

/// Value, nodes and steps of a task on one lane.
fn solved<T: Task>(task: &T) -> (u32, SearchCounts) {
    let finished = run(task, task.deepest()).unwrap();
    (finished.value, finished.counts)
}

/// Value of a task whose contexts at a depth are solved one by one.
fn by_contexts<T: Task>(task: &T, depth: usize) -> (u32, u64) {
    let handed = hand_over(task, depth).unwrap();
    let mut nodes = handed.host_calls;
    let mut values = Vec::new();
    for context in &handed.contexts {
        let mut lane = SearchLane::new(task, 0, task.deepest());
        lane.words.arrays.clone_from(&context.arrays);
        values.push(lane.solve(&context.parameters).unwrap());
        nodes += lane.counts.calls;
    }
    (combine(task, depth, &values).unwrap(), nodes)
}

#[test]
fn fibonacci_takes_the_calls_steps_and_frames_of_the_example() {
    let counts = SearchCounts { calls: 109, steps: 217, deepest: 9 };
    assert_eq!(solved(&Fibonacci(10)), (55, counts));
    assert_eq!(solved(&Fibonacci(1)), (1, SearchCounts { calls: 1, steps: 1, deepest: 1 }));
}

#[test]
fn queens_have_the_placements_and_nodes_of_the_table() {
    let rows = table("K");
    assert_eq!(rows.len(), 6);
    for row in rows {
        let board: u32 = row[0].parse().unwrap();
        for (less, cell) in (0..).zip(&row[1..]) {
            let (value, counts) = solved(&Queens::new(board, board - less).unwrap());
            assert_eq!(vec![u64::from(value), counts.calls], numbers(cell), "{board}, {less} less");
        }
    }
}

/// Placements and nodes of a plain search: columns and diagonals that are free, row by row.
fn placements(board: u32, row: u32, left: u32, [columns, up, down]: [u32; 3]) -> [u64; 2] {
    if left == 0 {
        return [1, 1];
    }
    let mut found = [0, 1];
    let mut add =
        |inner: [u64; 2]| (found[0], found[1]) = (found[0] + inner[0], found[1] + inner[1]);
    if board - row > left {
        add(placements(board, row + 1, left, [columns, up << 1, down >> 1]));
    }
    let mut free = !(columns | up | down) & ((1 << board) - 1);
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        let taken = [columns | queen, (up | queen) << 1, (down | queen) >> 1];
        add(placements(board, row + 1, left - 1, taken));
    }
    found
}

#[test]
fn large_boards_have_the_placements_and_nodes_of_the_table() {
    for board in 1..=7 {
        for queens in 1..=board {
            let (value, counts) = solved(&Queens::new(board, queens).unwrap());
            let plain = placements(board, 0, queens, [0; 3]);
            assert_eq!([u64::from(value), counts.calls], plain, "{board} {queens}");
        }
    }
    let rows = table("K, queens");
    assert_eq!(rows.len(), 3);
    for row in rows {
        let [board, queens] = numbers(row[0])[..] else { panic!("{row:?}") };
        assert_eq!(
            placements(board, 0, queens, [0; 3]).to_vec(),
            numbers::<u64>(row[1]),
            "{row:?}"
        );
    }
    let (value, counts) = solved(&Queens::new(12, 12).unwrap());
    assert_eq!((value, counts.calls), (14200, 856_189));
}

#[test]
fn queens_have_the_states_of_each_row() {
    let states = |board, queens| -> Vec<usize> {
        let task = Queens::new(board, queens).unwrap();
        let rows = (0..=board as usize).map(|row| hand_over(&task, row).unwrap().contexts.len());
        rows.collect()
    };
    assert_eq!(states(8, 8), [1, 8, 42, 140, 344, 568, 550, 312, 92]);
    assert_eq!(states(8, 6), [1, 9, 59, 292, 1216, 4060, 10470, 18984, 18190]);
}

#[test]
fn trees_have_the_nodes_and_sums_of_the_table() {
    let rows = table("B, D, W");
    assert_eq!(rows.len(), 4);
    for row in rows {
        let form = numbers(row[0]);
        let shape = TreeShape::new(form[0], form[1], form[2]).unwrap();
        let expected = (row[2].parse().unwrap(), row[1].parse().unwrap());
        let goal = TreeGoal::Sum;
        let (value, counts) = solved(&ComputedTree { shape, goal });
        assert_eq!((value, counts.calls), expected);
        let (value, counts) = solved(&LinkedTree { shape, goal });
        assert_eq!((value, counts.calls), expected);
    }
}

#[test]
fn a_search_counts_the_nodes_before() {
    let shape = TreeShape::new(2, 2, 1).unwrap();
    for (node, count) in [(0, 1), (1, 2), (3, 3), (4, 4), (2, 5), (5, 6), (6, 7)] {
        let goal = TreeGoal::Search(node);
        let found = (count | 1 << 31, u64::from(count));
        let (value, counts) = solved(&ComputedTree { shape, goal });
        assert_eq!((value, counts.calls), found, "node {node}");
        let (value, counts) = solved(&LinkedTree { shape, goal });
        assert_eq!((value, counts.calls), found, "node {node}");
    }
    assert_eq!(solved(&ComputedTree { shape, goal: TreeGoal::Search(9) }).0, 7);
}

const SMALL: &str = "..3.1........4.2";
const LARGE: &str =
    "2..86....8...1.9..57.....68.1875.6.9.35......9.2.......5..72......1.5...3.7.9....";
/// Solutions of the two.
const SOLUTIONS: [&str; 2] = [
    "4231132421433412",
    "293864715846517932571239468418753629735926184962481357154372896689145273327698541",
];

#[test]
fn sudoku_takes_the_nodes_of_the_table() {
    let rows = table("puzzle");
    assert_eq!(rows.len(), 2);
    for (row, solution) in rows.iter().zip(SOLUTIONS) {
        let puzzle = row[0].trim_matches('`');
        for (next_cell, cell) in [(NextCell::First, row[1]), (NextCell::Fewest, row[2])] {
            let task = Sudoku::parse(puzzle, next_cell, SudokuGoal::First).unwrap();
            let mut lane = SearchLane::new(&task, 0, task.deepest());
            assert_eq!(lane.solve(&task.root()), Ok(1));
            assert_eq!(task.solution(&lane.words.arrays), solution, "{next_cell:?}");
            let task = Sudoku::parse(puzzle, next_cell, SudokuGoal::Count).unwrap();
            let (value, counts) = solved(&task);
            assert_eq!(value, 1);
            assert_eq!(vec![lane.counts.calls, counts.calls], numbers(cell), "{next_cell:?}");
        }
    }
}

#[test]
fn puzzles_that_are_none_are_refused_with_the_place() {
    let message = |text: &str| {
        let task = Sudoku::parse(text, NextCell::First, SudokuGoal::First);
        task.err().map_or_else(String::new, |error| error.to_string())
    };
    assert!(message("123").starts_with("a puzzle of 3 cells; a puzzle has 16, 81 or 256"));
    assert!(message("..3.1....5...4.2").starts_with("row 3, column 2: `5` is no number"));
    assert!(message("3.3.1........4.2").starts_with("row 1, column 3: 3 is in this row"));
    assert_eq!(message(SMALL), "");
}

/// Covers of a plain search.
fn covers(rows: &[u64], all: u64, covered: u64) -> u32 {
    let Some(column) = (0..64).find(|column| (all & !covered) >> column & 1 == 1) else { return 1 };
    let fits = |row: &&u64| *row >> column & 1 == 1 && *row & covered == 0;
    rows.iter().filter(fits).map(|row| covers(rows, all, covered | row)).sum()
}

proptest! {
    #[test]
    fn exact_covers_are_those_of_a_plain_search(
        columns in 1_usize..40, seeds in proptest::collection::vec(any::<(u64, u8)>(), 0..40),
    ) {
        let row = |&(seed, wide): &(u64, u8)| -> Vec<usize> {
            let begin = seed as usize % columns;
            let length = wide as usize % 4 + 1;
            (begin..columns.min(begin + length)).collect()
        };
        let rows: Vec<Vec<usize>> = seeds.iter().map(row).collect();
        let bits = |row: &Vec<usize>| row.iter().fold(0, |bits, column| bits | 1_u64 << column);
        let plain: Vec<u64> = rows.iter().map(bits).collect();
        let task = ExactCover::new(columns, &rows).unwrap();
        prop_assert_eq!(solved(&task).0, covers(&plain, (1_u64 << columns) - 1, 0));
    }
}

#[test]
fn contexts_give_the_value_and_nodes_of_the_whole() {
    let queens = Queens::new(7, 5).unwrap();
    let (value, counts) = solved(&queens);
    for depth in 0..=8 {
        assert_eq!(by_contexts(&queens, depth), (value, counts.calls), "depth {depth}");
    }
    for next_cell in [NextCell::First, NextCell::Fewest] {
        let sudoku = Sudoku::parse(LARGE, next_cell, SudokuGoal::Count).unwrap();
        let (value, counts) = solved(&sudoku);
        for depth in [0, 1, 5, 20] {
            assert_eq!(by_contexts(&sudoku, depth), (value, counts.calls), "depth {depth}");
        }
    }
    let shape = TreeShape::new(3, 4, 1).unwrap();
    let search = ComputedTree { shape, goal: TreeGoal::Search(50) };
    for depth in 0..4 {
        assert_eq!(by_contexts(&search, depth).0, solved(&search).0, "depth {depth}");
    }
}

#[test]
fn a_stack_that_is_too_small_is_told() {
    let error = run(&Queens::new(8, 8).unwrap(), 5).unwrap_err().to_string();
    assert_eq!(
        error,
        "the stack of lane 0 overflowed: a call at depth 5, and there is room for 5 frames; give the stack more of them"
    );
}

/// Runs a task step by step, natively and by its recorded step, and compares every step. Returns operations of the step.
fn recorded_alike<T: Task>(task: &T) -> usize {
    let program = StepProgram::of(task);
    let entry = StepProgram::of_entry(task);
    assert!(entry.operations.len() <= program.operations.len());
    let arrays = task.arrays().into_iter().map(|array| array.words).collect();
    let mut native = NativeWords { arrays };
    let mut recorded = native.clone();
    let call = |parameters: &[u32]| {
        let mut fields = [0; MOST_FIELDS];
        fields[..parameters.len()].copy_from_slice(parameters);
        TaskFrame { state: 0, returned: 0, fields }
    };
    let mut stack = vec![call(&task.root())];
    for _ in 0..3000 {
        let Some(top) = stack.last_mut() else { break };
        let next = task.step(&mut native, *top);
        let is_entry = top.state == 0
            && top.fields[task.fields().parameters.len()..]
                == [0; MOST_FIELDS][task.fields().parameters.len()..];
        let also = if is_entry { &entry } else { &program }.run(&mut recorded, *top);
        assert_eq!(native, recorded);
        let count = task.fields().count();
        let parameters = task.fields().parameters.len();
        assert_eq!(
            (next.calls, next.is_done, next.is_last),
            (also.calls, also.is_done, also.is_last)
        );
        if task.is_sum() {
            assert_eq!(next.value, also.value);
        }
        if next.is_done != 0 {
            assert_eq!(next.value, also.value);
            stack.pop();
            stack.last_mut().into_iter().for_each(|frame| frame.returned = next.value);
            continue;
        }
        assert_eq!((next.state, &next.fields[..count]), (also.state, &also.fields[..count]));
        *top = TaskFrame { state: next.state, returned: top.returned, fields: next.fields };
        if next.calls != 0 {
            assert_eq!(next.arguments[..parameters], also.arguments[..parameters]);
            if next.is_last != 0 {
                stack.pop();
            }
            stack.push(call(&next.arguments[..parameters]));
        }
    }
    program.operations.len()
}

#[test]
fn recorded_steps_do_what_native_ones_do() {
    recorded_alike(&Fibonacci(12));
    assert!(recorded_alike(&Queens::new(9, 7).unwrap()) < 60);
    let shape = TreeShape::new(3, 4, 2).unwrap();
    for goal in [TreeGoal::Sum, TreeGoal::Search(30)] {
        recorded_alike(&ComputedTree { shape, goal });
        recorded_alike(&LinkedTree { shape, goal });
    }
    for next_cell in [NextCell::First, NextCell::Fewest] {
        for goal in [SudokuGoal::First, SudokuGoal::Count] {
            recorded_alike(&Sudoku::parse(LARGE, next_cell, goal).unwrap());
        }
    }
    let rows = vec![vec![0, 1], vec![1, 2], vec![0], vec![2], vec![3, 4], vec![3], vec![4]];
    recorded_alike(&ExactCover::new(5, &rows).unwrap());
}

#[test]
fn idle_frames_make_calls_that_add_nothing() {
    for (board, queens) in [(1, 1), (5, 5), (10, 7), (30, 2)] {
        let task = Queens::new(board, queens).unwrap();
        let idle = task.idle().unwrap();
        let mut words = NativeWords { arrays: Vec::new() };
        let mut frame = TaskFrame { state: idle.state, returned: 0, fields: idle.fields };
        for step in 1..=idle.steps {
            let next = task.step(&mut words, frame);
            assert_eq!(
                (next.calls != 0, next.is_last != 0, next.value),
                (true, step == idle.steps, 0)
            );
            let mut fields = [0; MOST_FIELDS];
            fields[..5].copy_from_slice(&next.arguments[..5]);
            let called = task.step(&mut words, TaskFrame { state: 0, returned: 0, fields });
            assert_eq!((called.is_done != 0, called.value), (true, 0));
            frame = TaskFrame { state: next.state, returned: 0, fields: next.fields };
        }
    }
}
