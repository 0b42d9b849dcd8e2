//! The engine against an independent reading of the rules: random programs, and every row of the
//! latency table against values derived on paper.

mod elementary;
mod oracle;

use oracle::compare::compare;
use oracle::coverage::Coverage;
use oracle::examples::{self, Example};
use oracle::generate::program;
use oracle::latency;
use std::ops::Range;

/// Programs compared.
fn numbers() -> Range<u64> {
    cp2_tests::program_numbers(10_000)
}

/// Compares every program of `step` from the one at place `first` on and gives the first report.
fn compare_programs(first: usize, step: usize) -> Result<Coverage, String> {
    let mut coverage = Coverage::default();
    for number in numbers().skip(first).step_by(step) {
        let program = program(number);
        let verdict = if std::env::var("ORACLE_ALONE").is_ok() {
            oracle::run(&program.state, program.start, program.limit)
        } else {
            compare(number, &program)?
        };
        coverage.add(program.state.status, &verdict);
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

#[test]
fn engine_and_oracle_keep_the_latency_table() {
    let failures: Vec<String> = latency::rows().iter().flat_map(latency::Row::failures).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn engine_and_oracle_give_the_worked_examples() {
    let failures: Vec<String> = examples::all().iter().flat_map(Example::failures).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
