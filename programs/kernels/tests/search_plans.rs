//! Plans of searches by predicted cycles: what is predicted is what runs take, and more of a resource costs no more.

#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use cp2_isa::{Core, CoreNumbers, Extensions};
use cp2_kernels::recursion::{LaneSearch, PlanWishes, Stacks, solve};
use cp2_recursion::Task;
use cp2_recursion::tasks::{
    AnyTask, ComputedTree, Fibonacci, NextCell, Queens, Sudoku, SudokuGoal, TreeGoal, TreeShape,
};
use cp2_session::Environment;
use cp2_session::execution::Execution;
use cp2_session::reuse::Shelf;
use proptest::prelude::{Strategy, prop};
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use std::sync::{Arc, LazyLock};

const OWN: Extensions = Extensions::SECTION_ADDRESSING;
const PUZZLE: &str =
    "2..86....8...1.9..57.....68.1875.6.9.35......9.2.......5..72......1.5...3.7.9....";

fn tasks() -> Vec<AnyTask> {
    let shape = TreeShape::new(4, 4, 2).unwrap();
    let tree = |goal| AnyTask::ComputedTree(ComputedTree { shape, goal });
    let puzzle = |rule, goal| AnyTask::Sudoku(Sudoku::parse(PUZZLE, rule, goal).unwrap());
    vec![
        AnyTask::Queens(Queens::new(7, 5).unwrap()),
        AnyTask::Queens(Queens::new(6, 6).unwrap()),
        tree(TreeGoal::Sum),
        tree(TreeGoal::Search(200)),
        AnyTask::Fibonacci(Fibonacci(12)),
        puzzle(NextCell::First, SudokuGoal::Count),
        puzzle(NextCell::Fewest, SudokuGoal::First),
    ]
}

/// Kernels that tests have scheduled.
static PROGRAMS: LazyLock<Arc<Shelf>> = LazyLock::new(|| Arc::new(Shelf::holding(1024)));

fn on(numbers: CoreNumbers) -> Execution {
    let core = Core::new(numbers).unwrap();
    let shared = Environment::new().reusing(&PROGRAMS).execution(core);
    Execution { max_cycles: Some(1 << 40), ..shared }
}

/// Chooses a plan and runs it.
fn whole<T: Task>(task: &T, wishes: PlanWishes, on: &Execution) -> f64 {
    whole_of(&LaneSearch::chosen(task, wishes, (&on.environment, &on.core)).unwrap(), on)
}

/// Runs a search whose plan was chosen; returns the cycles of host and lanes.
fn whole_of<T: Task>(search: &LaneSearch<'_, T>, on: &Execution) -> f64 {
    let (_, cycles) = solve(search, on, &mut |_, _| ()).unwrap();
    let predicted = search.choice().predicted_cycles.unwrap();
    // These tasks are small, so that all of their contexts are counted.
    assert!((predicted - cycles as f64).abs() < 0.5, "{predicted} {cycles} {:?}", search.plan());
    search.whole_cycles().unwrap()
}

/// Values of a resource, from the least to the most of it.
type Steps = (fn(&mut CoreNumbers, u32), &'static [u32]);

const STEPS: [Steps; 5] = [
    (|core, n| core.fprs = n, &[37, 48, 64, 96, 128]),
    (|core, n| core.local_memory_words = n, &[2048, 4096, 8192, 16384]),
    (|core, n| core.arithmetic_latency = n, &[12, 8, 5, 3]),
    (|core, n| core.load_latency = n, &[6, 3, 2]),
    (|core, n| core.psprmsgn_latency = n, &[8, 3]),
];

#[test]
fn more_of_a_resource_costs_no_more_and_cycles_are_as_predicted() {
    let cases: u32 = std::env::var("CP2_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(2);
    let seed = std::env::var("CP2_BEGIN").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let config = Config { cases, rng_seed: RngSeed::Fixed(seed), ..Config::default() };
    let base = (select(vec![48, 64, 100]), select(vec![4096, 8192]), 4u32..10, 2u32..5);
    let is_own = prop::bool::ANY;
    let all = (0..tasks().len(), base, 0..STEPS.len(), is_own);
    let all = all.prop_filter("a common depth is for sums", |(task, _, _, is_own)| {
        *is_own || tasks()[*task].is_sum() && tasks()[*task].arrays().is_empty()
    });
    let mut runner = TestRunner::new(config);
    let result = runner.run(&all, |(task, (fprs, words, arithmetic, load), step, is_own)| {
        let task = &tasks()[task];
        let (set, values) = STEPS[step];
        let mut before = f64::INFINITY;
        for &value in values {
            let mut numbers = CoreNumbers {
                fprs,
                local_memory_words: words,
                arithmetic_latency: arithmetic,
                load_latency: load,
                extensions: if is_own { OWN } else { Extensions::empty() },
                ..*Core::CP2.numbers()
            };
            set(&mut numbers, value);
            let on = on(numbers);
            let search =
                LaneSearch::chosen(task, PlanWishes::default(), (&on.environment, &on.core));
            let now = match search {
                Ok(search) => whole_of(&search, &on),
                // Few registers do not hold every task.
                Err(_) if before.is_infinite() => continue,
                Err(error) => panic!("{error}: {task:?} on {numbers:?}"),
            };
            assert!(now <= 1.005 * before, "{now} behind {before}: {task:?} on {numbers:?}");
            before = before.min(now);
        }
        Ok(())
    });
    result.unwrap();
}

#[test]
fn stops_and_every_form_take_the_cycles_that_are_predicted() {
    let own = on(CoreNumbers { extensions: OWN, ..*Core::CP2.numbers() });
    let puzzle = Sudoku::parse(PUZZLE, NextCell::First, SudokuGoal::First).unwrap();
    whole(&puzzle, PlanWishes { stops: true, depth: Some(4), ..PlanWishes::default() }, &own);
    let queens = Queens::new(7, 5).unwrap();
    for (_, dealing) in cp2_recursion::Dealing::ALL {
        whole(&queens, PlanWishes { dealing: Some(dealing), ..PlanWishes::default() }, &own);
    }
    let common = PlanWishes { stacks: Some(Stacks::CommonDepth), ..PlanWishes::default() };
    for halves in 1..=2 {
        whole(&queens, PlanWishes { halves: Some(halves), ..common }, &own);
    }
}

#[test]
fn a_plan_that_is_asked_for_is_taken_and_a_better_one_is_told() {
    let own = on(CoreNumbers { extensions: OWN, ..*Core::CP2.numbers() });
    let of = (&own.environment, &own.core);
    let queens = Queens::new(8, 6).unwrap();
    let wishes = PlanWishes { slots: Some(6), halves: Some(2), ..PlanWishes::default() };
    let search = LaneSearch::chosen(&queens, wishes, of).unwrap();
    assert_eq!((search.plan().slots, search.plan().halves), (6, 2));
    let better = search.better().unwrap();
    assert!(better.whole < search.whole_cycles().unwrap());
    let free = LaneSearch::chosen(&queens, PlanWishes::default(), of).unwrap();
    assert_eq!((free.choice().name.as_str(), free.better()), (better.name.as_str(), None));
    assert_eq!(free.whole_cycles(), Some(better.whole));
}

#[test]
fn depth_and_searches_are_chosen_where_frames_are_in_registers() {
    let registers = PlanWishes { stacks: Some(Stacks::Registers), ..PlanWishes::default() };
    for (queens, fprs) in [(Queens::new(7, 5), 128), (Queens::new(6, 6), 64)] {
        let queens = queens.unwrap();
        let on = on(CoreNumbers { fprs, ..*Core::CP2.numbers() });
        let best = whole(&queens, registers, &on);
        for depth in 1..=4 {
            let wishes = PlanWishes { depth: Some(depth), ..registers };
            let of = (&on.environment, &on.core);
            let Ok(search) = LaneSearch::chosen(&queens, wishes, of) else { continue };
            let whole = whole_of(&search, &on);
            // Where the host makes more than an eighth of the calls the depth is not taken.
            let is_allowed = 8 * search.host_calls() <= search.on_host().unwrap().nodes;
            assert!(
                !is_allowed || best <= 1.005 * whole,
                "{queens:?} depth {depth}: {best} {whole}"
            );
        }
    }
    // None of the depths is held.
    let on = on(*Core::CP2.numbers());
    let of = (&on.environment, &on.core);
    let large = Queens::new(20, 20).unwrap();
    let refused = LaneSearch::chosen(&large, registers, of);
    let refused = refused.err().map_or_else(String::new, |error| error.to_string());
    assert!(refused.contains("registers of frames is "), "{refused}");
}

#[test]
fn plans_rest_on_estimates_where_contexts_cannot_be_counted() {
    let own = on(CoreNumbers { extensions: OWN, ..*Core::CP2.numbers() });
    let of = (&own.environment, &own.core);
    let queens = Queens::new(12, 6).unwrap();
    let search = LaneSearch::chosen(&queens, PlanWishes::default(), of).unwrap();
    let choice = search.choice();
    assert!(choice.name.ends_with("work of contexts estimated"), "{}", choice.name);
    println!("{} {:?}", choice.name, choice.predicted_cycles);
    let queens = Queens::new(8, 6).unwrap();
    let counted = LaneSearch::chosen(&queens, PlanWishes::default(), of);
    assert!(!counted.unwrap().choice().name.contains("estimated"));
}
