//! CP2 as a back end against the native machine: the same results and the same counts, on random operations and on programs.

use crate::kit::{graph, insertions, numbers, shipped, table};
use cp2_isa::Core;
use cp2_session::execution::Execution;
use cp2_star::SHIPPED;
use cp2_star::cp2::Cp2Backend;
use cp2_star::machine::{BitVector, HostBackend, LibraryForm, Logic, StarBackend, StarMachine};
use cp2_star::run::{RunOutcome, RunRequest, run};
use proptest::prelude::*;
use std::cell::RefCell;

/// Runs something on a back end that a thread keeps, so that kernels are assembled once.
fn on_cp2<T>(use_it: impl FnOnce(&mut Cp2Backend) -> T) -> T {
    thread_local! {
        static BACKEND: RefCell<Cp2Backend> = RefCell::new(Cp2Backend::new(Execution::on(Core::CP2)));
    }
    BACKEND.with_borrow_mut(|backend| {
        let result = use_it(backend);
        assert!(backend.fault().is_none());
        result
    })
}

fn vectors() -> impl Strategy<Value = (BitVector, BitVector)> {
    let lengths = prop_oneof![1_usize..200, 500_usize..520, 1020_usize..1030];
    lengths.prop_flat_map(|length| {
        let words = || {
            let sparse =
                proptest::collection::vec(prop_oneof![Just(0), any::<u64>()], length.div_ceil(64));
            sparse.prop_map(move |words| BitVector::from_words(length, words))
        };
        (words(), words())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn operations_are_those_of_the_native_machine((a, b) in vectors()) {
        on_cp2(|cp2| {
            let (x, y) = (cp2.load(&a), cp2.load(&b));
            for logic in [Logic::And, Logic::Or, Logic::Xor] {
                let found = cp2.logic(logic, &x, &y);
                assert_eq!(cp2.store(&found), HostBackend.logic(logic, &a, &b));
            }
            let not = cp2.not(&x);
            assert_eq!(cp2.store(&not), HostBackend.not(&a));
            assert_eq!(cp2.some(&x), HostBackend.some(&a));
            assert_eq!(cp2.find(&x), HostBackend.find(&a));
            assert_eq!(cp2.number(&x), HostBackend.number(&a));
            let (mut stepped, mut expected) = (x.clone(), a.clone());
            assert_eq!(cp2.step(&mut stepped), HostBackend.step(&mut expected));
            assert_eq!(cp2.store(&stepped), expected);
            cp2.keep_first(&mut stepped);
            HostBackend.keep_first(&mut expected);
            assert_eq!(cp2.store(&stepped), expected);
            assert_eq!(cp2.store(&x), a);
        });
    }
}

fn ran<B: StarBackend>(
    machine: &mut StarMachine<B>,
    name: &str,
    graph: &cp2_star::graph::Graph,
) -> RunOutcome {
    let program = shipped(name);
    let inputs = graph.inputs(&program, 7, Some(1));
    let stream = insertions(&[(2, 5, 3), (7, 1, 1), (1, 9, 4)]);
    let request =
        RunRequest { weight_bits: 7, inputs, insertions: stream, max_statements: 1_000_000 };
    run(&program, machine, &request, None).unwrap()
}

/// All programs that come with the crate, on a graph of more rows than a word has.
#[test]
fn programs_give_the_same_results_and_counts() {
    let arcs: Vec<(usize, usize, u64)> = (1..=70)
        .flat_map(|tail| [(tail, tail * 7 % 70 + 1, 1), (tail, (tail * tail + 3) % 70 + 1, 2)])
        .collect();
    let graph = graph(70, &arcs);
    for program in SHIPPED {
        for form in [LibraryForm::Plain, LibraryForm::Cheap] {
            let expected = ran(&mut StarMachine::new(HostBackend, 70, form), program.name, &graph);
            let backend = Cp2Backend::new(Execution::on(Core::CP2));
            let mut machine = StarMachine::new(backend, 70, form);
            let found = ran(&mut machine, program.name, &graph);
            assert!(found == expected, "{}", program.name);
            assert!(machine.backend().fault().is_none());
            assert!(machine.backend().work().cycles > 0);
        }
    }
}

/// Values that local memory cannot hold together go to system memory and come back.
#[test]
fn slices_leave_local_memory_and_come_back() {
    let mut cp2 = Cp2Backend::new(Execution::on(Core::CP2));
    let length = 40_000;
    let vector = |k: usize| BitVector::from_bits((0..length).map(|row| row % (k + 2) == 0));
    let here: Vec<BitVector> = (0..80).map(vector).collect();
    let there: Vec<_> = here.iter().map(|bits| cp2.load(bits)).collect();
    let mut sum = (cp2.filled(length, false), BitVector::zeros(length));
    for _ in 0..2 {
        for (a, b) in there.iter().zip(&here) {
            sum = (cp2.logic(Logic::Xor, &sum.0, a), HostBackend.logic(Logic::Xor, &sum.1, b));
        }
        let last = cp2.logic(Logic::Or, &sum.0, &there[1]);
        assert!(cp2.store(&last) == HostBackend.logic(Logic::Or, &sum.1, &here[1]));
        assert_eq!(cp2.find(&last), HostBackend.find(&cp2.store(&last)));
    }
    assert!(cp2.work().moved_words > 2 * 80 * 157, "{:?}", cp2.work());
    assert!(cp2.fault().is_none());
    let late = BitVector::from_bits((0..length).map(|row| row == 33_333));
    let late = cp2.load(&late);
    assert_eq!((cp2.find(&late), cp2.number(&late)), (33_334, 1));
}

/// Kernels that run in a program, and their cycles: a changed count is looked at.
#[test]
fn cycles_of_a_closure_are_counted() {
    let arcs = graph(5, &[(1, 2, 1), (2, 3, 1), (3, 1, 1), (4, 5, 1)]);
    let program = shipped("warshall-at-once");
    let mut machine =
        StarMachine::new(Cp2Backend::new(Execution::on(Core::CP2)), 5, LibraryForm::Plain);
    let inputs = arcs.inputs(&program, 1, None);
    let request = RunRequest { weight_bits: 1, inputs, ..RunRequest::default() };
    let outcome = run(&program, &mut machine, &request, None).unwrap();
    assert_eq!(numbers(table(&outcome, "P")), [28, 28, 28, 1, 0]);
    let work = machine.backend().work();
    assert_eq!(work.kernels, outcome.counts[cp2_star::machine::ElementaryOperation::Or]);
    assert_eq!(work.cycles, 18 * work.kernels);
}
