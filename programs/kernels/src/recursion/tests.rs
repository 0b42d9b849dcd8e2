//! Searches on CP2 against the host.

use super::*;
use cp2_isa::{Core, CoreNumbers, Extensions, SECTIONS};
use cp2_recursion::tasks::{
    ComputedTree, ExactCover, Fibonacci, LinkedTree, NextCell, Queens, Sudoku, SudokuGoal,
    TreeGoal, TreeShape,
};
use cp2_recursion::{Dealing, JointLanes, Task, hand_over, run};
use cp2_session::Environment;
use cp2_session::error::KernelError;
use cp2_session::execution::{Execution, KernelRunner};
use cp2_session::reuse::Shelf;
use std::sync::{Arc, LazyLock};

const NONE: Extensions = Extensions::empty();
const OWN: Extensions = Extensions::SECTION_ADDRESSING;
const COUNTERS: Extensions = Extensions::SECTION_COUNTERS;

/// Kernels that tests have scheduled.
static PROGRAMS: LazyLock<Arc<Shelf>> = LazyLock::new(|| Arc::new(Shelf::holding(1024)));

fn on(extensions: Extensions, fprs: u32) -> Execution {
    let core = Core::new(CoreNumbers { extensions, fprs, ..*Core::CP2.numbers() }).unwrap();
    let shared = Environment::new().reusing(&PROGRAMS).execution(core);
    Execution { max_cycles: Some(100_000_000), ..shared }
}

fn plan(depth: usize, stacks: Stacks, [slots, halves]: [usize; 2]) -> LanePlan {
    let dealing = if stacks == Stacks::Own { Dealing::Queue } else { Dealing::Cyclic };
    LanePlan { depth, stacks, dealing, slots, halves, room: None, stops: false, masks: false }
}

fn solved<T: Task>(
    task: &T,
    plan: LanePlan,
    on: &Execution,
) -> Result<(SearchOutcome, u64), KernelError> {
    solve(&LaneSearch::new(task, plan, &on.core)?, on, &mut |_, _| ())
}

fn message<T: Task>(task: &T, plan: LanePlan, on: &Execution) -> String {
    solved(task, plan, on).err().map_or_else(String::new, |error| error.to_string())
}

#[test]
fn queens_have_the_value_of_the_host_by_every_form() {
    for (board, queens, depth) in [(6, 4, 2), (8, 8, 2), (1, 1, 0), (5, 2, 3), (4, 4, 5)] {
        let task = Queens::new(board, queens).unwrap();
        let right = run(&task, task.deepest()).unwrap();
        for (stacks, extensions, shape) in [
            (Stacks::CommonDepth, NONE, [3, 1]),
            (Stacks::CommonDepth, COUNTERS, [2, 2]),
            (Stacks::Own, OWN, [3, 1]),
            (Stacks::Own, OWN | COUNTERS, [2, 2]),
        ] {
            let plan = plan(depth, stacks, shape);
            let (found, _) = solved(&task, plan, &on(extensions, 64)).unwrap();
            assert_eq!(found.value, right.value, "{board} {queens} {plan:?}");
        }
        for halves in [1, 2] {
            let plan = plan(depth, Stacks::Registers, [1, halves]);
            let (found, _) = solved(&task, plan, &on(NONE, 128)).unwrap();
            assert_eq!(found.value, right.value, "{board} {queens} {plan:?}");
        }
    }
}

/// Compares a task with the host, by own stacks with one search of a register.
fn alike<T: Task>(name: &str, task: &T, depth: usize) {
    let right = run(task, task.deepest()).unwrap();
    let (found, _) = solved(task, plan(depth, Stacks::Own, [2, 1]), &on(OWN, 64)).unwrap();
    assert_eq!(found.value, right.value, "{name}");
}

#[test]
fn tasks_have_the_value_of_the_host() {
    let shape = TreeShape::new(3, 4, 2).unwrap();
    let goal = TreeGoal::Sum;
    let rows = vec![vec![0, 1], vec![1, 2], vec![0], vec![2], vec![3, 4], vec![3], vec![4]];
    for depth in [0, 2] {
        alike("tree", &ComputedTree { shape, goal }, depth);
        alike("linked tree", &LinkedTree { shape, goal }, depth);
        alike("cover", &ExactCover::new(5, &rows).unwrap(), depth);
        alike("fibonacci", &Fibonacci(12), depth);
        for node in [0, 40, 119, 200] {
            let goal = TreeGoal::Search(node);
            alike("search", &ComputedTree { shape, goal }, depth);
        }
        alike("linked search", &LinkedTree { shape, goal: TreeGoal::Search(41) }, depth);
    }
}

#[test]
fn stores_that_obey_the_predicate_leave_the_value_of_the_host() {
    let sudoku = Sudoku::parse(LARGE, NextCell::First, SudokuGoal::Count).unwrap();
    let right = run(&sudoku, sudoku.deepest()).unwrap();
    let plain = plan(4, Stacks::Own, [2, 1]);
    let masked = LanePlan { masks: true, ..plain };
    let (found, _) = solved(&sudoku, masked, &on(OWN | COUNTERS, 64)).unwrap();
    assert_eq!(found.value, right.value);
    let queens = Queens::new(7, 5).unwrap();
    let right = run(&queens, queens.deepest()).unwrap();
    for slots in [1, 5] {
        let plan = LanePlan { masks: true, ..plan(2, Stacks::CommonDepth, [slots, 1]) };
        let (found, _) = solved(&queens, plan, &on(Extensions::CONDITIONAL_MEMORY, 64)).unwrap();
        assert_eq!(found.value, right.value);
        assert!(message(&queens, plan, &on(NONE, 64)).contains("--enable conditional-memory"));
        let two = LanePlan { halves: 2, ..plan };
        let two = message(&queens, two, &on(Extensions::CONDITIONAL_MEMORY, 64));
        assert!(two.contains("one search of a register"), "{two}");
    }
    let without = message(&sudoku, masked, &on(OWN, 64));
    assert!(without.contains("--enable section-counters"), "{without}");
}

#[test]
fn two_searches_of_a_register_read_arrays_that_all_share() {
    let shape = TreeShape::new(3, 5, 1).unwrap();
    let task = LinkedTree { shape, goal: TreeGoal::Sum };
    let right = run(&task, task.deepest()).unwrap();
    let (found, _) = solved(&task, plan(2, Stacks::Own, [2, 2]), &on(OWN, 64)).unwrap();
    assert_eq!(found.value, right.value);
}

const SMALL: &str = "..3.1........4.2";
const LARGE: &str =
    "2..86....8...1.9..57.....68.1875.6.9.35......9.2.......5..72......1.5...3.7.9....";

#[test]
fn sudoku_has_the_value_of_the_host() {
    for (text, depth, next_cell, goal) in [
        (SMALL, 2, NextCell::First, SudokuGoal::Count),
        (SMALL, 2, NextCell::Fewest, SudokuGoal::Count),
        (LARGE, 4, NextCell::First, SudokuGoal::First),
        (LARGE, 4, NextCell::Fewest, SudokuGoal::First),
    ] {
        let task = Sudoku::parse(text, next_cell, goal).unwrap();
        alike(text, &task, depth);
    }
}

/// Compares a task with the host by all ways to deal contexts out, with so many stacks and searches of a register.
fn alike_by_all_dealings<T: Task>(name: &str, task: &T, depth: usize, shape: [usize; 2]) {
    let right = run(task, task.deepest()).unwrap();
    let on = on(OWN, 64);
    for (way, dealing) in Dealing::ALL {
        let plan = LanePlan { dealing, ..plan(depth, Stacks::Own, shape) };
        let search = LaneSearch::new(task, plan, &on.core).unwrap();
        let mut begun = (0, 0);
        let listener = &mut |done: usize, all: usize| begun = (done, all);
        let (found, _) = solve(&search, &on, listener).unwrap();
        assert_eq!(found.value, right.value, "{name} {way}");
        assert_eq!(begun, (search.contexts(), search.contexts()), "{name} {way}");
    }
}

#[test]
fn contexts_are_dealt_out_in_every_way() {
    let queens = Queens::new(8, 6).unwrap();
    for (depth, shape) in [(0, [2, 2]), (1, [3, 1]), (2, [2, 2]), (3, [5, 1])] {
        alike_by_all_dealings("queens", &queens, depth, shape);
    }
    alike_by_all_dealings("fibonacci", &Fibonacci(12), 4, [3, 1]);
    let sudoku = Sudoku::parse(LARGE, NextCell::First, SudokuGoal::Count).unwrap();
    alike_by_all_dealings("sudoku", &sudoku, 4, [2, 1]);
}

#[test]
fn a_queue_that_is_empty_stays_where_it_is() {
    let (task, on) = (Queens::new(8, 6).unwrap(), on(OWN, 64));
    let search = LaneSearch::new(&task, plan(1, Stacks::Own, [2, 1]), &on.core).unwrap();
    let (mut cp2, entry) = KernelRunner::with("search", search.source(), &on).unwrap();
    let memory = search.memory();
    cp2.state().lmem[..memory.len()].copy_from_slice(&memory);
    cp2.call(entry, &[]).unwrap();
    let lmem = &cp2.state().lmem;
    assert!(search.has_ended(1, lmem));
    assert!(search.passes(lmem) > 50 * search.block_passes());
    let places = lmem[search.layout.next()][0] as u32 as usize / search.layout.context();
    assert!(places <= search.contexts() + search.lanes(), "{places}");
}

#[test]
fn all_lanes_stop_at_the_first_solution_and_one_has_it() {
    let task = Sudoku::parse(LARGE, NextCell::First, SudokuGoal::First).unwrap();
    let whole = plan(4, Stacks::Own, [2, 1]);
    let (all, cycles) = solved(&task, whole, &on(OWN, 64)).unwrap();
    let (first, fewer) = solved(&task, LanePlan { stops: true, ..whole }, &on(OWN, 64)).unwrap();
    assert_eq!((all.value, first.value), (1, 1));
    assert!(fewer < cycles, "{fewer} {cycles}");
    let solution =
        "293864715846517932571239468418753629735926184962481357154372896689145273327698541";
    assert_eq!(task.solution(&first.arrays.unwrap()), solution);
}

#[test]
fn lanes_with_a_common_depth_take_the_passes_of_joint_nodes() {
    let task = Queens::new(8, 6).unwrap();
    let handed = hand_over(&task, 2).unwrap();
    let mut joint = JointLanes::new(&task, SECTIONS);
    let groups = handed.contexts.chunks(SECTIONS);
    let count = groups.len() as u64;
    groups.for_each(|group| drop(joint.solve(group).unwrap()));
    let on = on(NONE, 64);
    let search = LaneSearch::new(&task, plan(2, Stacks::CommonDepth, [1, 1]), &on.core).unwrap();
    let (found, _) = solve(&search, &on, &mut |_, _| ()).unwrap();
    // The first node of each group is the host's.
    let least = joint.calls - count;
    assert_eq!(found.passes, least.next_multiple_of(search.block_passes()));
    let busy = search.on_host().unwrap().passes;
    let exact = busy as f64 / (4 * least) as f64;
    assert!(found.efficiency(busy) > 0.95 * exact);
}

#[test]
fn what_does_not_fit_is_told() {
    let queens = Queens::new(8, 8).unwrap();
    let own = plan(2, Stacks::Own, [2, 1]);
    let overflows = message(&queens, LanePlan { room: Some(3), ..own }, &on(OWN, 64));
    assert!(
        overflows.contains("depth of a stack is 4; it must be at most 3: stack "),
        "{overflows}"
    );
    assert!(overflows.contains(" of section "), "{overflows}");
    let fibonacci = message(&Fibonacci(9), LanePlan { room: Some(2), ..own }, &on(OWN, 64));
    assert!(fibonacci.contains(" overflowed; give stacks more frames by --frames"), "{fibonacci}");
    let large = Queens::new(11, 9).unwrap();
    let registers = plan(2, Stacks::Registers, [1, 1]);
    let deep = message(&queens, LanePlan { room: Some(3), ..registers }, &on(NONE, 128));
    assert!(deep.contains("depth of a stack is 4"), "{deep}");
    let few = message(&queens, registers, &on(NONE, 64));
    assert!(few.contains("registers of frames is ") && few.contains("more-fprs"), "{few}");
    let many = message(&large, plan(5, Stacks::Own, [2, 1]), &on(OWN, 64));
    assert!(many.contains(" words of local memory; this core has 8192"), "{many}");
    let without = message(&queens, own, &on(NONE, 64));
    assert!(without.contains("--enable section-addressing"), "{without}");
    let common = plan(2, Stacks::CommonDepth, [2, 1]);
    let sudoku = Sudoku::parse(SMALL, NextCell::First, SudokuGoal::Count).unwrap();
    assert!(message(&sudoku, common, &on(NONE, 64)).contains("lanes have no arrays"));
    let halves = message(&sudoku, LanePlan { halves: 2, ..own }, &on(OWN, 64));
    assert!(halves.contains("give --searches 1"), "{halves}");
    let stops = message(&queens, LanePlan { stops: true, ..own }, &on(OWN, 64));
    assert!(stops.contains("no call of this task returns a value"), "{stops}");
    let large = Queens::new(20, 20).unwrap();
    let deep = message(&large, plan(15, Stacks::Own, [2, 1]), &on(OWN, 64));
    assert!(deep.contains("more than 262144 calls and contexts"), "{deep}");
    let dealt = message(
        &queens,
        LanePlan { dealing: Dealing::Block, ..plan(2, Stacks::CommonDepth, [1, 1]) },
        &on(NONE, 64),
    );
    assert!(dealt.contains("give --dealing cyclic"), "{dealt}");
    let slots = message(&queens, LanePlan { slots: 17, ..own }, &on(OWN, 64));
    assert!(slots.contains("1 to 16"), "{slots}");
}

#[test]
fn plans_are_chosen_that_registers_and_memory_hold() {
    let on = on(OWN, 64);
    let of = (&on.environment, &on.core);
    let queens = Queens::new(9, 7).unwrap();
    let search = LaneSearch::chosen(&queens, PlanWishes::default(), of).unwrap();
    assert_eq!(search.plan().halves, 2);
    assert!((3..=6).contains(&search.plan().slots));
    // Where one context has most of the nodes, more stacks in turn only take longer, however many registers there are.
    let sudoku = Sudoku::parse(LARGE, NextCell::Fewest, SudokuGoal::Count).unwrap();
    let rich = self::on(OWN, 128);
    for on in [&on, &rich] {
        let of = (&on.environment, &on.core);
        let search = LaneSearch::chosen(&sudoku, PlanWishes::default(), of).unwrap();
        assert_eq!((search.plan().slots, search.plan().halves), (1, 1));
    }
    // A kernel that instruction memory does not hold is none of the plans.
    let mut short = on.clone();
    let numbers = CoreNumbers { instruction_memory_bundles: 600, ..*on.core.numbers() };
    short.core = Core::new(numbers).unwrap();
    let chosen = |on: &Execution| {
        let of = (&on.environment, &on.core);
        LaneSearch::chosen(&queens, PlanWishes::default(), of).unwrap().plan().slots
    };
    assert!(chosen(&short) < chosen(&on));
    let room = PlanWishes { room: Some(4096), ..PlanWishes::default() };
    let refused =
        LaneSearch::chosen(&queens, room, of).err().map_or_else(String::new, |e| e.to_string());
    assert!(
        refused.contains("take fewer stacks") || refused.contains("frames by --frames"),
        "{refused}"
    );
}
