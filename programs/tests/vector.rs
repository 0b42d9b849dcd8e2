//! The vector kernels against double precision, and their exact cycle counts.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use cp2_programs::random;
use cp2_programs::vector::{self, OPERATIONS, Operation};

fn vectors(count: usize) -> (Vec<f32>, Vec<f32>) {
    random::complex(count as u64, count).iter().map(|z| (z.re, z.im)).unzip()
}

/// Runs and compares; returns the cycles.
fn checked(operation: Operation, count: usize) -> u64 {
    let (x, y) = vectors(count);
    let a = -0.7;
    let outcome = vector::run(operation, a, &x, &y).unwrap();
    assert_eq!(outcome.collisions, 0);
    if let Some(value) = outcome.value {
        let (exact, limit) = vector::reference_value(operation, &x, &y);
        let off = (f64::from(value) - exact).abs();
        assert!(off <= limit, "{operation:?}, {count} elements: {value} for {exact}");
    } else {
        let exact = vector::reference(operation, a, &x, &y);
        assert_eq!(outcome.y.len(), count);
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
            checked(operation, count);
        }
        let c: Vec<_> = [4096, 8192, vector::LONGEST].map(|c| checked(operation, c)).into();
        println!("{operation:?} {c:?} slope per word {}", (c[1] - c[0]) as f64 / 512.0);
    }
    println!("{:?}", vector::over_sections(false, [1.0, 2.0, 3.0, 4.5]).unwrap());
    println!("{:?}", vector::over_sections(true, [1.0, -2.0, 7.5, 4.5]).unwrap());
}
