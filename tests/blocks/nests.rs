//! The fast engine against the reference engine on nests of loops, jumps and calls, through which its blocks go where they
//! can: random nests, and one of each kind by hand, of which the blocks that are run are counted.

use crate::random::{self, Counts};
use cp2_emu::trace::NoObserver;
use cp2_emu::{Cp2, End};
use cp2_fast::{Fast, NativeIsa, what_differs};
use cp2_isa::{BundleAddress, Core};
use cp2_tests::{SplitMix64, at_random, machine};

const LIMIT: u64 = 60_000;
/// Number of cycles of a run whose inner loops have many turns.
const LONG_LIMIT: u64 = 600_000;

/// Returns a machine with numbers near 1 that runs a random nest, and in some cases meets an unusual number. Its inner loops
/// have these numbers of iterations. Costs of operations that only some sections do are not counted in translated code, so there
/// is no profile where all are predicated.
fn prepared(number: u64, counts: &Counts, predicated: bool) -> (String, Cp2) {
    let mut s = SplitMix64(number ^ 0x7e57_0000);
    let core = if s.one_in(2) { Core::CP2 } else { at_random::core(&mut s) };
    let text = match predicated {
        true => random::predicated_kernel(&mut s, counts),
        false => random::kernel(&mut s, counts),
    };
    let mut cp2 = at_random::on_core(&core, &machine(&text));
    let unusual = [u64::MAX, 2000, 20_000][s.below(3) as usize];
    for quad in cp2.state.lmem.iter_mut().chain(cp2.state.fpr.iter_mut()) {
        *quad = [0; 4].map(|_| match s.below(unusual) {
            0 => s.bits(),
            _ => s.bits() & 0x8007_ffff_8007_ffff | 0x3f80_0000_3f80_0000,
        });
    }
    if !s.one_in(3) {
        cp2.state.fcsr = [1 << 2; 4];
        cp2.state.status |= 1 << cp2_emu::state::status::FPE_SHIFT;
    }
    if !predicated && s.one_in(3) {
        cp2.keep_profile();
    }
    (text, cp2)
}

/// Runs a machine for so many cycles on both engines, the fast one in pieces; returns the cycles and those that were
/// translated.
fn compare(
    text: &str,
    (cp2, limit): (&Cp2, u64),
    native_isa: Option<NativeIsa>,
    mut s: SplitMix64,
) -> [u64; 2] {
    let mut reference = cp2.clone();
    let expected = reference.run_untraced(BundleAddress(0), limit);
    let mut fast = Fast::with_native(native_isa, cp2.clone());
    fast.start(BundleAddress(0));
    let mut until = 0;
    let most = [100, 5000, limit][s.below(3) as usize];
    let end = loop {
        until = (until + 1 + s.below(most)).min(limit);
        match fast.advance(until, &mut NoObserver) {
            Some(end) => break end,
            None if until == limit => break End::CycleLimit(limit),
            None => {}
        }
    };
    let run = fast.finish(end);
    let different = what_differs((&reference, &expected), (fast.cp2(), &run));
    assert_eq!(different, None, "{native_isa:?}, {:?}\n{text}", cp2.core().changes());
    [expected.stats.cycles, fast.translated_cycles()]
}

/// Compares runs of so many cycles of as many random nests, whose inner loops have these numbers of iterations, all of predicated
/// operations or of any.
fn compare_nests(programs: u64, counts: &Counts, limit: u64, predicated: bool) {
    let numbers = cp2_tests::program_numbers(programs);
    let [cycles, translated] = cp2_tests::sum_over(&numbers, |number| {
        let (text, cp2) = prepared(number, counts, predicated);
        let native_isa = if number % 2 == 0 { NativeIsa::Avx2 } else { NativeIsa::Avx512 };
        let text = format!("program {number}\n{text}");
        compare(&text, (&cp2, limit), Some(native_isa), SplitMix64(number))
    });
    println!("{} programs, {cycles} cycles, translated {translated}", numbers.count());
    assert!(!cp2_fast::is_supported() || translated > cycles / 3, "{translated} of {cycles}");
}

#[test]
fn random_nests_run_alike() {
    compare_nests(240, &random::FEW, LIMIT, false);
}

#[test]
fn random_nests_of_many_turns_run_alike() {
    compare_nests(120, &random::MANY, LONG_LIMIT, false);
}

#[test]
fn random_nests_of_predicated_operations_run_alike() {
    compare_nests(160, &random::FEW, LIMIT, true);
    compare_nests(60, &random::MANY, LONG_LIMIT, true);
}
