//! Plans that cannot serve a task, and stacks that are too small.

use super::{PUZZLE, device, plan};
use cp2_gpu_recursion::{DeviceSearch, SearchPlan, SearchState, StackPlace, StopRule};
use cp2_recursion::tasks::{Fibonacci, NextCell, Queens, Sudoku, SudokuGoal};
use cp2_recursion::{Dealing, Task};

/// Returns the sentence with which a search is refused or ends.
fn refused<T: Task + Sync>(task: &T, plan: SearchPlan) -> String {
    let gpu = device();
    match DeviceSearch::new(&gpu, task, plan) {
        Err(error) => error.to_string(),
        Ok(search) => search.run().unwrap_err().to_string(),
    }
}

#[test]
fn stacks_that_local_memory_has_no_room_for_are_refused() {
    let mut large = plan(0, StackPlace::Local, Dealing::Queue);
    (large.items, large.room) = (1024, Some(1000));
    let error = refused(&Queens::new(30, 1).unwrap(), large);
    assert!(
        error.contains("1024 stacks of 1000 frames take") && error.contains("private memory"),
        "{error}"
    );
}

#[test]
fn a_stack_that_overflows_is_told_with_work_item_group_and_depth() {
    let small = |stack| SearchPlan { room: Some(3), ..plan(2, stack, Dealing::Queue) };
    for stack in [StackPlace::Private, StackPlace::Local, StackPlace::Shared] {
        let error = refused(&Queens::new(9, 7).unwrap(), small(stack));
        assert!(error.starts_with("the stack of work-item "), "{error}");
        assert!(
            error.contains("a call at depth 3 below its context, and there is room for 3 frames"),
            "{error}"
        );
    }
    let one = SearchPlan { items: 1, groups: 1, ..small(StackPlace::Private) };
    let error = refused(&Fibonacci(12), one);
    assert!(
        error.starts_with("the stack of work-item 0, in group 0, overflowed: a call at depth 3"),
        "{error}"
    );
}

#[test]
fn tasks_that_shared_stacks_cannot_serve_are_refused() {
    let shared = plan(2, StackPlace::Shared, Dealing::Queue);
    let error = refused(&Fibonacci(12), shared);
    assert!(error.contains("calls of this task return values"), "{error}");
    let sudoku = Sudoku::parse(PUZZLE, NextCell::First, SudokuGoal::Count).unwrap();
    let error = refused(&sudoku, shared);
    assert!(error.contains("each lane has and changes its own array `rows`"), "{error}");
}

#[test]
fn numbers_of_work_items_that_there_cannot_be_are_refused() {
    let task = Queens::new(6, 6).unwrap();
    let with = |items, groups| {
        refused(&task, SearchPlan { items, groups, ..plan(1, StackPlace::Private, Dealing::Queue) })
    };
    assert!(with(0, 1).starts_with("groups of 0 work-items; a group of this kernel has 1 to"));
    assert!(with(1 << 20, 1).starts_with("groups of 1048576 work-items"));
    assert!(with(16, 0).starts_with("0 groups of 16 work-items"));
    let stop = Some(StopRule::Any { mask: 1 });
    let error = refused(&task, SearchPlan { stop, ..plan(1, StackPlace::Private, Dealing::Queue) });
    assert!(error.contains("cannot stop early"), "{error}");
}

#[test]
fn contexts_that_memory_has_no_room_for_are_refused() {
    let error =
        refused(&Queens::new(30, 15).unwrap(), plan(7, StackPlace::Private, Dealing::Queue));
    assert!(error.contains("contexts of 20 bytes or more at depth"), "{error}");
    assert!(error.ends_with("hand contexts over at a smaller depth"), "{error}");
}

#[test]
fn states_of_other_searches_are_refused() {
    let gpu = device();
    let task = Queens::new(6, 6).unwrap();
    let search =
        DeviceSearch::new(&gpu, &task, plan(1, StackPlace::Private, Dealing::Queue)).unwrap();
    let state = SearchState { done: 7, ..SearchState::default() };
    let error = search.begin(state).map(drop).unwrap_err().to_string();
    assert!(error.starts_with("what is to be resumed is another search"), "{error}");
}
