//! The engine over whole programs: cycles, counts and the profile of each, as the pages of the book on time give them.

#![allow(clippy::unwrap_used, reason = "a helper that panics fails its test, which is wanted")]

use cp2_emu::profile::BundleCost;
use cp2_emu::stats::Cause;
use cp2_emu::trace::NoObserver;
use cp2_emu::{Cp2, End, Profile};
use cp2_isa::{BundleAddress, Core, SECTIONS};

/// Returns a CP2 with a program, which begins at address 0.
fn loaded(text: &str) -> Cp2 {
    let mut sources = cp2_asm::Sources::default();
    let root = sources.add("main.s", text);
    let mut loader = |_: &str, path: &str| Err(format!("no file {path}"));
    let (image, _) = cp2_asm::assemble(&mut sources, &[root], &mut loader).unwrap();
    let mut cp2 = Cp2::new(Core::CP2);
    for kernel in &image.kernels {
        let start = kernel.start.index();
        cp2.state.iram[start..start + kernel.words.len()].copy_from_slice(&kernel.words);
    }
    for chunk in &image.data {
        let sections = chunk.section.map_or(0..SECTIONS, |s| usize::from(s)..usize::from(s) + 1);
        for (address, word) in (chunk.start.index()..).zip(&chunk.words) {
            cp2.state.lmem[address][sections.clone()].fill(*word);
        }
    }
    cp2
}

/// Returns the cost of a bundle: its cycles, all of one cause, and its operations.
fn cost(cause: Cause, cycles: u64, flops: u64) -> BundleCost {
    let mut causes = [0; 6];
    causes[cause as usize] = cycles;
    BundleCost { causes, flops }
}

/// Returns the cost of a bundle that is a `sync`: its cycles, all of one cause, and 6 that it held.
fn holding(cause: Cause, cycles: u64) -> BundleCost {
    let mut held = cost(cause, cycles, 0);
    held.causes[Cause::SyncHold as usize] = 6;
    held
}

/// Returns the costs that the example gives for its bundles.
fn of_twelve() -> Vec<BundleCost> {
    use Cause::{Arithmetic, Both, Empty, Exchange};
    vec![
        cost(Exchange, 1, 0),
        cost(Exchange, 1, 0),
        cost(Exchange, 1, 0),
        cost(Exchange, 3, 0),
        cost(Arithmetic, 3, 0),
        cost(Empty, 3, 0),
        cost(Arithmetic, 1, 6 * 4),
        holding(Exchange, 1),
        cost(Both, 1, 2 * 4),
        holding(Exchange, 1),
        cost(Exchange, 1, 0),
        cost(Exchange, 1, 0),
    ]
}

const TWELVE: &str = include_str!("../../examples/twelve.s");

#[test]
fn the_profile_has_each_cycle_at_its_bundle() {
    let mut cp2 = loaded(TWELVE);
    cp2.keep_profile();
    let run = cp2.run_untraced(BundleAddress(0), 1000);
    assert_eq!((run.end, run.stats.cycles, run.stats.drain), (End::Stopped(42), 30, 7));
    let profile = cp2.profile().unwrap();
    let mut expected = of_twelve();
    assert_eq!(profile.bundles()[..expected.len()], expected);
    expected.resize(Core::CP2.iram_bundles(), BundleCost::default());
    assert_eq!(profile.bundles(), expected);
    assert_eq!(profile.latest(), BundleAddress(11));
    assert_eq!(profile.total().cycles(), 30);
    assert_eq!(profile.total().causes, run.stats.causes);
    assert_eq!((profile.total().flops, run.stats.total_flops()), (32, 32));
    assert!(profile.agrees(&run.stats));
}

#[test]
fn a_profile_begins_anew_with_each_run_unless_it_is_of_all() {
    let mut cp2 = loaded(TWELVE);
    cp2.keep_profile();
    for _ in 0..2 {
        cp2.run_untraced(BundleAddress(0), 1000);
        assert_eq!(cp2.profile().unwrap().bundles()[..12], of_twelve());
    }
    let one = cp2.take_profile().unwrap();
    assert!(cp2.profile().is_none());
    cp2.go_on_with_profile(Profile::of_all_runs(&Core::CP2));
    for _ in 0..3 {
        cp2.run_untraced(BundleAddress(0), 1000);
    }
    let all = cp2.take_profile().unwrap();
    let mut three = vec![BundleCost::default(); 12];
    three.iter_mut().zip(of_twelve()).for_each(|(total, cost)| total.add(&cost, 3));
    assert_eq!(all.bundles()[..12], three);
    let mut joined = one.clone();
    joined.join(&one);
    joined.join(&one);
    assert_eq!(joined.bundles(), all.bundles());
    joined.clear();
    assert_eq!(joined.total(), BundleCost::default());
    assert_eq!(joined.latest(), BundleAddress(11));
}

/// A run that is profiled from its middle on: what it counted before belongs to no bundle.
#[test]
fn a_profile_may_begin_in_the_middle_of_a_run() {
    let mut cp2 = loaded(TWELVE);
    cp2.start(BundleAddress(0));
    assert_eq!(cp2.advance(12, &mut NoObserver), None);
    cp2.go_on_with_profile(Profile::of_all_runs(&Core::CP2));
    let end = cp2.advance(1000, &mut NoObserver).unwrap();
    cp2.finish(end);
    let profile = cp2.profile().unwrap();
    assert_eq!(profile.bundles()[..6], [BundleCost::default(); 6]);
    assert_eq!(profile.bundles()[6..12], of_twelve()[6..]);
    assert_eq!(profile.total().cycles(), 18);
}

/// Costs that another engine has counted, several times at once.
#[test]
fn costs_are_added_to_a_profile_as_often_as_they_came() {
    let mut profile = Profile::new(&Core::CP2);
    let costs =
        [(BundleAddress(3), cost(Cause::Both, 2, 5)), (BundleAddress(7), cost(Cause::Empty, 1, 0))];
    profile.add(&costs, 4);
    assert_eq!(profile.bundles()[3], cost(Cause::Both, 8, 20));
    assert_eq!(profile.bundles()[7], cost(Cause::Empty, 4, 0));
    profile.count_held();
    assert_eq!(profile.bundles()[7].causes[Cause::SyncHold as usize], 1);
    assert_eq!((profile.total().cycles(), profile.total().flops), (13, 20));
    // What lies behind instruction memory is of no bundle.
    profile.add(&[(BundleAddress(8192), cost(Cause::Empty, 1, 0))], 1);
    assert_eq!(profile.total().cycles(), 13);
}

/// Calls, a jump and a loop without an iteration; each of them with its delay slot.
const FLOW: &str = "
        calli part                ; cycle 0
        nop                       ; cycle 1
        doi 0, last               ; cycle 4
        nop                       ; cycle 5, nullified
last:   seti g1, 1                ; not reached
        seti g1, 2                ; not reached
        jumpi over                ; cycle 6
        seti g3, 3                ; cycle 7
        stopi 9                   ; not reached
over:   stopi 5                   ; cycle 8
part:   ret                       ; cycle 2
        seti g2, 4                ; cycle 3
";

#[test]
fn jumps_calls_and_loops_without_an_iteration_take_their_cycles() {
    let mut cp2 = loaded(FLOW);
    cp2.keep_profile();
    let run = cp2.run_untraced(BundleAddress(0), 1000);
    assert_eq!((run.end, run.stats.cycles), (End::Stopped(5), 9));
    assert_eq!(cp2.state.gpr[1..4], [0, 4, 3]);
    let each = [1, 1, 1, 1, 0, 0, 1, 1, 0, 1, 1, 1];
    let found: Vec<u64> =
        cp2.profile().unwrap().bundles()[..12].iter().map(BundleCost::cycles).collect();
    assert_eq!(found, each);
    assert_eq!(cp2.profile().unwrap().bundles()[3], cost(Cause::Nullified, 1, 0));
    assert_eq!(run.stats.causes, [0, 0, 7, 1, 1, 0]);
    assert_eq!(run.stats.bundles(), 8);
    assert!(cp2.state.calls.is_empty() && cp2.state.loops.is_empty());
}
