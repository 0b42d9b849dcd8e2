//! The multigrid kernels against the definition in double precision, and their exact cycle counts.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use cp2_programs::multigrid::{
    Block, Check, KERNELS, Kernel, Operator, bench_rows, check_on_generated_data, operations,
    reference, run, source,
};

fn check(kernel: Kernel, block: Block, operator: &Operator, seed: u64) -> Check {
    check_on_generated_data(kernel, block, operator, seed).unwrap()
}

#[test]
fn random_blocks_agree_with_the_definition() {
    let blocks = [(8, 2, 2), (8, 4, 2), (16, 6, 4), (24, 8, 4)];
    for (i, (n1, n2, n3)) in blocks.into_iter().enumerate() {
        for kernel in KERNELS {
            let check = check(kernel, Block::new(n1, n2, n3), &kernel.operator(), i as u64);
            let name = kernel.name();
            assert!(check.is_passed(), "{name} {n1}x{n2}x{n3}: {:e}", check.error);
            assert_eq!(check.report.stats.collisions, [0; 4], "{name}");
        }
    }
}

#[test]
fn odd_sizes_and_single_planes_work() {
    for kernel in [Kernel::Resid, Kernel::Interp, Kernel::Interp0, Kernel::Smooth, Kernel::Smooth0]
    {
        for block in [Block::new(4, 1, 1), Block::new(12, 3, 1), Block::new(20, 1, 3)] {
            let check = check(kernel, block, &kernel.operator(), 9);
            assert!(check.is_passed(), "{} {block}: {:e}", kernel.name(), check.error);
        }
    }
}

#[test]
fn one_text_serves_both_smoothers() {
    for operator in [Operator::S_SMALL, Operator::S_LARGE] {
        for kernel in [Kernel::Smooth, Kernel::Smooth0] {
            assert!(check(kernel, Block::new(16, 4, 4), &operator, 2).is_passed());
        }
    }
}

/// On a function that is linear along every axis A gives 0, and Q and P (which sums to 4 on the
/// coarse grid) give the function itself: points, faces and neighbours are where they belong.
#[test]
fn linear_functions_are_reproduced() {
    let block = Block::new(8, 2, 4);
    let value = |x: i64, y: i64, z: i64| (3 * x - 5 * y + 7 * z) as f32;
    let faced = |scale: i64, offset: i64| -> Vec<f32> {
        let mut points = Vec::new();
        for _ in 0..4 {
            for z in -1..=block.n3 as i64 {
                for y in -1..=block.n2 as i64 {
                    let x = -1..=block.n1 as i64;
                    points.extend(x.map(|x| {
                        value(scale * x + offset, scale * y + offset, scale * z + offset)
                    }));
                }
            }
        }
        points
    };
    let v = vec![1.0; 4 * block.points()];
    // Exact but for the rounding of 1/12 and 8/3.
    let r = run(Kernel::Resid, block, &Operator::A, &faced(1, 0), &v).unwrap().output;
    assert!(r.iter().all(|r| (r - 1.0).abs() < 1e-4), "{r:?}");
    let p = run(Kernel::Proj, block, &Operator::P, &faced(1, 0), &[]).unwrap().output;
    assert_eq!(p[..3], [1, 3, 5].map(|x| 4.0 * value(x, 1, 1)));
    let q = run(Kernel::Interp0, block, &Operator::Q, &faced(2, 1), &[]).unwrap().output;
    assert_eq!(q[..5], [0, 1, 2, 3, 4].map(|x| value(x, 0, 0)));
}

/// A changed count is a reviewed difference. The blocks of [D] table B.6.
#[test]
fn cycle_counts_are_exact() {
    let rows = bench_rows().unwrap();
    let counts: Vec<(&str, u64, u64)> =
        rows.iter().map(|r| (r.kernel.as_str(), r.cycles, r.bound)).collect();
    assert_eq!(counts, []);
}

#[test]
fn bad_input_is_refused_with_value_and_limit() {
    let block = Block::new(8, 2, 2);
    let faced = vec![0.0; 4 * block.faced_points()];
    let message = |kernel, block, operator, faced: &[f32]| {
        run(kernel, block, operator, faced, &[]).unwrap_err().to_string()
    };
    assert_eq!(
        source(Kernel::Proj, Block::new(12, 2, 2)).unwrap_err().to_string(),
        "proj does not take a block of 12x2x2 points; it takes n1 that is a multiple of 8, and even \
         n2 and n3"
    );
    assert_eq!(
        source(Kernel::Resid, Block::new(32, 8, 9)).unwrap_err().to_string(),
        "resid does not take a block of 32x8x9 points; it takes blocks whose operands, result and \
         constants fit the 4096 words of a bank; these need 4510"
    );
    assert_eq!(
        message(Kernel::Smooth0, block, &Operator::A, &faced),
        "smooth0 does not take the weights [-2.6666666666666665, 0.0, 0.16666666666666666, \
         0.08333333333333333]; it takes weight 0 for corners and another for edges"
    );
    assert_eq!(
        message(Kernel::Smooth0, block, &Operator::S_SMALL, &faced[1..]),
        "smooth0 does not take 639 points with faces; it takes 640 for four blocks of 8x2x2"
    );
    let mut bad = faced.clone();
    bad[5] = f32::NAN;
    assert_eq!(
        message(Kernel::Smooth0, block, &Operator::S_SMALL, &bad),
        "smooth0 does not take NaN as point 5 of the blocks with faces; it takes finite numbers"
    );
}

/// The counts that `specs/src/multigrid.md` derives.
#[test]
fn operations_are_those_of_the_specification() {
    let counts = |kernel: Kernel| operations(kernel, kernel.usual_block()).unwrap();
    assert_eq!(KERNELS.map(counts), [[0, 0]; 7]);
}

#[test]
fn the_reference_of_a_constant_is_the_sum_of_the_weights() {
    let block = Block::new(4, 2, 2);
    let ones = vec![1.0; block.faced_points()];
    let p = reference(Kernel::Proj, block, &Operator::P, &ones, &[]);
    assert_eq!(p, vec![4.0; 2]);
}
