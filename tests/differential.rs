//! The engine against an independent reading of the rules: random programs, and every row of the
//! latency table against values derived on paper, on the unmodified core and on cores at random.

mod oracle;

use cp2_isa::BundleBits;
use cp2_isa::Core;
use oracle::compare::compare;
use oracle::coverage::Coverage;
use oracle::examples::{self, Example};
use oracle::extended::extended;
use oracle::latency;
use oracle::random::cores;
use oracle::random::fit::fitted;
use oracle::random::generate::program;
use std::ops::Range;

/// Returns the numbers of the programs that are compared.
fn numbers() -> Range<u64> {
    cp2_tests::program_numbers(10_000)
}

/// Compares every program of `step` from the one at place `first` on; the error is the first report.
fn compare_programs(first: usize, step: usize) -> Result<Coverage, String> {
    let mut coverage = Coverage::default();
    for number in numbers().skip(first).step_by(step) {
        let program = extended(number, fitted(number, program(number)));
        let verdict = compare(number, &program)?;
        coverage.add(&program, &verdict);
    }
    Ok(coverage)
}

#[test]
fn engine_and_oracle_agree_on_random_programs() {
    let results = cp2_tests::on_all_cores(compare_programs);
    let mut coverage = Coverage::default();
    for result in results {
        match result {
            Ok(part) => coverage.merge(&part),
            Err(report) => panic!("{report}"),
        }
    }
    assert_eq!(coverage.programs, numbers().count() as u64);
    println!("{coverage}");
    assert!(coverage.gaps().is_empty(), "not reached: {:?}\n{coverage}", coverage.gaps());
}

/// Words at random, and words of random programs with a few bits flipped, which are mostly defined.
#[test]
fn the_decoder_refuses_exactly_what_is_undefined() {
    let count = |number: u64| {
        let mut s = cp2_tests::SplitMix64(number);
        let core = if number.is_multiple_of(2) { Core::CP2 } else { cores::core(number) };
        let flipped = program(number).state.iram.to_vec().into_iter().filter(|&word| word != 0);
        let flipped: Vec<_> =
            flipped.map(|word| word ^ 1 << s.below(64) ^ 1 << s.below(64)).collect();
        let mut random = || BundleBits::from(s.bits());
        let random: Vec<_> = (0..200).map(|_| random()).collect();
        // Of what stands beside, the upper word has 12 bits, which nothing else than registers uses.
        let mut widened = |word| match core.has_wide_bundles() {
            true => word | BundleBits::from(s.below(4096)) << 64,
            false => word,
        };
        let mut found = [0; 2];
        for word in flipped.into_iter().chain(random) {
            let word = widened(word);
            let defined = oracle::defined::is_defined(word, &core);
            let decoded = cp2_isa::decode(word, &core);
            assert_eq!(decoded.is_ok(), defined, "{word:016x} on {core:?}: {decoded:?}");
            found[usize::from(defined)] += 1;
        }
        found
    };
    let [refused, defined] = cp2_tests::sum_over(&(0..2000), count);
    println!("{refused} words refused, {defined} decoded");
    assert!(refused > 10_000 && defined > 10_000);
}

#[test]
fn engine_and_oracle_keep_the_latency_table() {
    let failures = table_failures(&Core::CP2);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Returns the failures of a core in the latency table.
fn table_failures(core: &Core) -> Vec<String> {
    latency::rows(core).iter().flat_map(|row| row.failures(core)).collect()
}

#[test]
fn the_engine_keeps_the_latency_table_and_the_sizes_of_every_core() {
    let random = (0..150).map(cores::core);
    for core in std::iter::once(Core::CP2).chain(random) {
        let failures = [table_failures(&core), cores::failures(&core)].concat();
        assert!(failures.is_empty(), "{:?}:\n{}", core.numbers(), failures.join("\n"));
    }
}

#[test]
fn engine_and_oracle_give_the_worked_examples() {
    let failures: Vec<String> = examples::all().iter().flat_map(Example::failures).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
