//! The vector kernels against double precision, and their exact cycle counts.

use crate::sharing;
use cp2_isa::Core;
use cp2_kernels::vector::{self, OPERATIONS, VectorOperation};
use cp2_session::{Execution, random};

/// Returns CP2 as it is, on the usual engine.
fn on() -> Execution {
    sharing().execution(Core::CP2)
}

fn vectors(count: usize) -> (Vec<f32>, Vec<f32>) {
    random::complex(count as u64, count).iter().map(|z| (z.re, z.im)).unzip()
}

/// Runs and compares; returns the cycles.
fn checked(operation: VectorOperation, count: usize) -> u64 {
    let (x, y) = vectors(count);
    let a = -0.7;
    let outcome = vector::run(operation, a, &x, &y, &on()).unwrap();
    assert_eq!(outcome.collisions, 0);
    let exact = vector::reference(operation, a, &x, &y);
    if let Some(value) = outcome.value {
        let (exact, limit) = exact[0];
        let off = (f64::from(value) - exact).abs();
        assert!(off <= limit, "{operation:?}, {count} elements: {value} for {exact}");
    } else {
        assert_eq!((outcome.y.len(), exact.len()), (count, count));
        for (i, (&value, (exact, limit))) in outcome.y.iter().zip(exact).enumerate() {
            let off = (f64::from(value) - exact).abs();
            assert!(off <= limit, "{operation:?}, element {i}: {value} for {exact}");
        }
    }
    outcome.cycles
}

#[test]
fn every_length_agrees_with_double_precision() {
    for operation in OPERATIONS {
        for count in [1, 2, 3, 4, 5, 15, 16, 17, 63, 127, 128, 129, 1000, 1400, 4099] {
            assert!(checked(operation, count) > 0);
        }
        assert!(checked(operation, vector::longest(&Core::CP2)) > 3072);
    }
}

/// The cycles that one more word of each section costs: the fuller slot.
#[test]
fn one_more_word_costs_the_bound() {
    for operation in OPERATIONS {
        let cycles = checked(operation, 16384) - checked(operation, 8192);
        let words = (operation.words(16384) - operation.words(8192)) as u64;
        let bound = words * operation.bound_of_four_words() as u64 / 4;
        assert_eq!(cycles, bound, "{operation:?}");
    }
}

/// A changed count is a reviewed difference.
#[test]
fn cycle_counts_are_exact() {
    let counts = OPERATIONS.map(|operation| checked(operation, 4096));
    assert_eq!(counts, [803, 803, 547, 529, 803, 803, 601, 471, 2789]);
    let sections = [false, true].map(|m| vector::over_sections(m, [1.0; 4], &on()).unwrap().1);
    assert_eq!(sections, [31, 50]);
}

#[test]
fn every_section_gets_the_sum_and_the_maximum() {
    let values = [1.0, -2.0, 7.5, 4.25];
    assert_eq!(vector::over_sections(false, values, &on()).unwrap().0, [10.75; 4]);
    assert_eq!(vector::over_sections(true, values, &on()).unwrap().0, [7.5; 4]);
    assert_eq!(vector::over_sections(true, [-4.0, -3.0, -2.0, -9.0], &on()).unwrap().0, [-2.0; 4]);
    for s in 0..4 {
        let mut values = [0.0; 4];
        values[s] = 1.0;
        assert_eq!(vector::over_sections(false, values, &on()).unwrap().0, [1.0; 4]);
        assert_eq!(vector::over_sections(true, values, &on()).unwrap().0, [1.0; 4]);
    }
}

#[test]
fn bad_input_is_refused_with_value_and_limit() {
    let message = |a, x: &[f32], y: &[f32]| {
        vector::run(VectorOperation::Axpy, a, x, y, &on()).unwrap_err().to_string()
    };
    let long = vec![0.0; vector::longest(&Core::CP2) + 1];
    for (text, expected) in [
        (
            message(1.0, &[1.0], &[]),
            "x has 1 elements and y has 0; both must have the same length, at least 1",
        ),
        (
            message(1.0, &[], &[]),
            "x has 0 elements and y has 0; both must have the same length, at least 1",
        ),
        (
            message(1.0, &long, &long),
            "the vectors have 32769 elements; one bank of the four local memories holds at most 32768",
        ),
        (message(1.0, &[1.0], &[f32::NAN]), "y[0] is NaN; the input must be finite"),
        (message(f32::INFINITY, &[1.0], &[1.0]), "a[0] is inf; the input must be finite"),
    ] {
        assert_eq!(text, expected);
    }
}
