//! What the starts of a check have to be: they keep the promises of a region as long as memory has room, and what has no
//! promise meets in some of them.

use super::*;
use crate::short::Cuts;
use crate::value::Nodes;
use crate::{broken_promise, sequential};
use cp2_ir::linear::{Block, LinearInst, Loop, Op, TripCount};
use cp2_isa::{CoreNumbers, Exch, Extensions, Inst};
use std::collections::BTreeSet;

const CP2: Core = Core::CP2;

/// Number of starts of each plan that is looked at.
const STARTS: u64 = 60;

/// Creates a core of 1024 words with section addressing.
fn small() -> Core {
    let extensions = Extensions::SECTION_ADDRESSING;
    let numbers = CoreNumbers { local_memory_words: 1024, extensions, ..*CP2.numbers() };
    Core::new(numbers).expect("numbers within their limits")
}

/// Returns an operation with two operands: a register, and an address or the set with its step.
fn access(op: Exch, place: i32) -> Op {
    Op { cc: 0, code: LinearInst::Exch(Inst::new(op, &[1, place])), span: None }
}

/// Returns a load through a set that then steps.
fn load(set: u8, step: i32) -> Op {
    access(Exch::Lwo, i32::from(set) | step << 4)
}

fn store(set: u8, step: i32) -> Op {
    access(Exch::Swo, i32::from(set) | step << 4)
}

/// Returns a region whose loops, one behind the other, have these counts and operations.
fn loops(all: impl IntoIterator<Item = (TripCount, Vec<Op>)>) -> Region {
    let mut region = Region::default();
    for (count, ops) in all {
        let first = region.ops.len();
        region.ops.extend(ops);
        let body = vec![Block::Straight(first..region.ops.len())];
        region.blocks.push(Block::Loop(Loop { count, body, span: None }));
    }
    region
}

/// Returns a region of one loop, with lists of sets that are promised apart.
fn region(count: u32, ops: Vec<Op>, disjoint: &[&[u8]]) -> Region {
    let disjoint = disjoint.iter().map(|list| list.to_vec()).collect();
    Region { disjoint, ..loops([(TripCount::Fixed(count), ops)]) }
}

/// The starts of a region, and what each run from one does.
fn runs(core: &Core, region: &Region) -> Vec<(Start, Meaning)> {
    let mut plan = Plan::new(core, region);
    let mut all = Vec::new();
    for seed in 0..STARTS {
        let start = plan.start(seed, seed == 0);
        let run = sequential::run(core, region, &Cuts::default(), &start, &mut Nodes::new());
        let meaning = run.expect("counts that keep their promises");
        if seed == 0 || broken_promise(region, &meaning).is_some() {
            plan.learn(&start, &meaning);
        }
        all.push((start, meaning));
    }
    all
}

/// Returns the number of starts from which a run breaks a promise about addresses.
fn n_broken(region: &Region, runs: &[(Start, Meaning)]) -> usize {
    runs.iter().filter(|(_, meaning)| broken_promise(region, meaning).is_some()).count()
}

/// Returns the number of starts in which two sets reach the same word.
fn n_met(runs: &[(Start, Meaning)], a: u8, b: u8) -> usize {
    let words = |meaning: &Meaning, set: u8| meaning.words[usize::from(set)].clone();
    runs.iter().filter(|(_, m)| words(m, a).first_common(&words(m, b)).is_some()).count()
}

#[test]
fn sets_that_are_promised_apart_are_apart_if_memory_has_room() {
    let steps = [[1, 1, 1], [-1, -1, -1], [1, -1, 2], [2, 0, -3], [-2, 1, 0]];
    for steps in steps {
        for (core, count) in [(CP2, 30), (CP2, 600), (small(), 20), (small(), 120)] {
            let ops = (0..3).map(|set: u8| load(set, steps[usize::from(set)])).collect();
            let region = region(count, ops, &[&[0, 1, 2]]);
            let runs = runs(&core, &region);
            // The first run learns how far the sets reach.
            assert_eq!(n_broken(&region, &runs[1..]), 0, "{steps:?} {count}");
        }
    }
}

#[test]
fn a_set_that_reaches_most_of_memory_is_apart_from_others() {
    for (step, count) in [(1, 700), (-1, 600), (-1, 900), (7, 100)] {
        let ops = vec![load(0, step), load(1, 0), load(2, 0)];
        let region = region(count, ops, &[&[0, 1, 2]]);
        let runs = runs(&small(), &region);
        assert_eq!(n_broken(&region, &runs[1..]), 0, "{step} {count}");
    }
}

#[test]
fn sets_without_a_promise_meet_beside_sets_with_one() {
    for steps in [[1, 1, 1], [-1, -1, -1], [1, -1, 1], [-1, 1, 2], [2, 1, -1], [1, 2, -2]] {
        for (order, count) in [([0, 1, 2], 20), ([1, 0, 2], 70), ([0, 1, 2], 70)] {
            let ops = order.map(|set: u8| load(set, steps[usize::from(set)])).to_vec();
            // The last set is promised to be apart from the one before it, and may meet the first.
            let region = region(count, ops, &[&[0, 1], &[1, 2]]);
            let runs = runs(&CP2, &region);
            assert_eq!(n_broken(&region, &runs[1..]), 0, "{steps:?} {count}");
            let n = n_met(&runs, 0, 2);
            assert!((5..56).contains(&n), "{n} of {STARTS} meet: {steps:?} {count}");
        }
    }
}

#[test]
fn near_accesses_meet_in_every_order() {
    // The store is behind the load of its turn: how many turns before it the word was loaded, or will be.
    let region = region(12, vec![load(0, 1), store(1, 1)], &[]);
    let runs = runs(&CP2, &region);
    let distance = |start: &Start| start.a[0].0.wrapping_sub(start.a[1].0) as i16;
    let met: BTreeSet<i16> = runs.iter().map(|(start, _)| distance(start)).collect();
    assert!((-3..=2).all(|turns| met.contains(&turns)), "{met:?}");
    // Some starts have them apart.
    let n = n_met(&runs, 0, 1);
    assert!((30..58).contains(&n), "{n}");
    assert_eq!(n_met(&runs[..1], 0, 1), 0);
}

#[test]
fn accesses_far_into_a_run_meet_as_well() {
    // The sets go towards each other, so where they meet tells when.
    let region = region(40, vec![load(0, 1), store(1, -1)], &[]);
    // The set of the first of two near accesses to one word, and how many accesses were before it.
    let near = |meaning: &Meaning| {
        let all = meaning.accesses.iter().copied().enumerate();
        let met = all.filter(|&(k, (set, word))| {
            meaning.accesses.iter().skip(k).take(5).any(|&access| access == (1 - set, word))
        });
        met.map(|(k, (set, _))| (set, k)).collect::<Vec<_>>()
    };
    let met: BTreeSet<(u8, usize)> =
        runs(&CP2, &region).iter().flat_map(|(_, meaning)| near(meaning)).collect();
    for first in [0, 1] {
        let at = |from: usize, to: usize| (from..to).any(|k| met.contains(&(first, k)));
        assert!(at(0, 20) && at(20, 60) && at(60, 80), "{first}: {met:?}");
    }
}

#[test]
fn a_set_meets_an_immediate_address() {
    let word = WordAddress(500);
    let ops = vec![access(Exch::Lwi, word.0.into()), store(2, 1)];
    let region = region(8, ops, &[]);
    let plan_runs = runs(&CP2, &region);
    let n = n_met(&plan_runs, 2, ABSOLUTE);
    assert!((20..58).contains(&n), "{n}");
}

#[test]
fn addresses_counts_and_registers_are_in_their_ranges() {
    let by_n = access(Exch::Lwnp, 4);
    let region = Region { even: vec![0, 1], ..region(9, vec![load(0, 2), store(1, 2), by_n], &[]) };
    let (mut steps, mut modes, mut masks) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (start, _) in runs(&CP2, &region) {
        assert!([0, 1].iter().all(|&set: &usize| start.a[set].0.is_multiple_of(2)));
        assert!(start.a.iter().chain(start.sa.iter().flatten()).all(|a| a.index() < 8192));
        assert!(start.qa.iter().all(|a| a.index() < SHARED_WORDS));
        assert!(start.n.iter().all(|n| (1..=5).contains(n)), "{:?}", start.n);
        steps.extend(start.n);
        modes.insert(start.m[4]);
        assert!((0..16).all(|set| set == 4 || start.m[set] == CP2.address_mask()));
        let control = |number: u8| start.control[usize::from(number)].value;
        for number in [control::RIND, control::RSTEP, control::RMASK, control::CONTROL] {
            assert!(control(number) <= 0xffff);
        }
        assert!(control(control::RSTEP) & 1 == 1);
        assert!(control(control::RMASK) & 0x3fff == 0x3fff);
        masks.insert(control(control::RMASK) >> 14);
    }
    assert_eq!(steps.len(), 5);
    assert_eq!(modes, BTreeSet::from([0, 0x3f, CP2.address_mask()]));
    assert_eq!(masks.len(), 4);
}

#[test]
fn counts_are_those_that_the_loops_promise() {
    let counted = |gpr, min, multiple| TripCount::Register { gpr, min, multiple, expected: None };
    let region = loops([
        (counted(2, 3, 2), vec![load(0, 1)]),
        (counted(5, 1, 1), vec![load(1, 1)]),
        (counted(5, 2, 1), vec![load(2, 1)]),
    ]);
    let starts: Vec<Start> = runs(&CP2, &region).into_iter().map(|(start, _)| start).collect();
    let low = |gpr: usize| -> BTreeSet<u64> {
        starts.iter().map(|start| start.gpr[gpr].value & 0xffff_ffff).collect()
    };
    assert_eq!(low(2), BTreeSet::from([4, 6, 8, 10, 12, 14]));
    assert_eq!(low(5), BTreeSet::from([2, 3, 4, 5, 6, 7]));
    for start in &starts {
        assert!((0..16).all(|gpr| start.gpr[gpr].wild != [2, 5].contains(&gpr)));
    }
    // What is above the count is not part of it, and may be anything.
    let high: BTreeSet<u64> = starts.iter().map(|start| start.gpr[2].value >> 32).collect();
    assert!(high.len() > 50);
}

#[test]
fn section_addresses_are_in_a_window_that_keeps_the_promises() {
    let core = small();
    let words = i32::from(core.address_mask()) + 1;
    let loads = || (TripCount::Fixed(16), vec![access(Exch::Lwsa, 3 | 1 << 4)]);
    for (step, count) in [(1, 100), (-1, 100), (1, 440), (-1, 440), (7, 60)] {
        let region = loops([loads(), (TripCount::Fixed(count), vec![store(0, step)])]);
        let promised = Region { disjoint: vec![vec![0, OWN]], ..region.clone() };
        let apart = runs(&core, &promised);
        let n = n_broken(&promised, &apart[1..]);
        assert!(n <= 6, "{n} starts break the promise: {step} {count}");
        // Without the promise half of the windows begin where the set does.
        let free = runs(&core, &region);
        let n = free.iter().filter(|(start, _)| start.own_window == start.a[0]).count();
        assert!((15..45).contains(&n), "{n} windows begin at the set: {step} {count}");
        for (start, _) in apart.iter().chain(&free) {
            let into = |word: &WordAddress| i32::from(word.0) - i32::from(start.own_window.0);
            let all = || start.sa.iter().flatten().map(|word| into(word).rem_euclid(words));
            assert!(all().all(|word| word < WINDOW as i32));
            assert!(all().any(|word| word > 40) && all().any(|word| word < 8));
        }
    }
}
