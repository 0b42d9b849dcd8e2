//! The multigrid kernels against the definition in double precision, and their exact cycle counts.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use cp2_isa::Core;
use cp2_programs::Execution;
use cp2_programs::multigrid::{
    Block, Check, FAMILY, KERNELS, Kernel, Operator, check_on_generated_data, operations,
    reference, run, source,
};

fn check(kernel: Kernel, block: Block, operator: &Operator, seed: u64) -> Check {
    check_on_generated_data(kernel, block, operator, seed).unwrap()
}

#[test]
fn random_blocks_agree_with_the_definition() {
    let blocks = [(8, 2, 2), (8, 8, 4), (16, 6, 2)];
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
        for block in [Block::new(4, 1, 1), Block::new(12, 3, 1), Block::new(20, 1, 2)] {
            let check = check(kernel, block, &kernel.operator(), 9);
            assert!(check.is_passed(), "{} {block}: {:e}", kernel.name(), check.error);
        }
    }
}

#[test]
fn one_text_serves_both_smoothers() {
    for operator in [Operator::S_SMALL, Operator::S_LARGE] {
        for kernel in [Kernel::Smooth, Kernel::Smooth0] {
            assert!(check(kernel, Block::new(8, 4, 2), &operator, 2).is_passed());
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
    let r = run(Kernel::Resid, block, &Operator::A, &faced(1, 0), &v, Execution::default())
        .unwrap()
        .output;
    assert!(r.iter().all(|r| (r - 1.0).abs() < 1e-4), "{r:?}");
    let p = run(Kernel::Proj, block, &Operator::P, &faced(1, 0), &[], Execution::default())
        .unwrap()
        .output;
    assert_eq!(p[..3], [1, 3, 5].map(|x| 4.0 * value(x, 1, 1)));
    let q = run(Kernel::Interp0, block, &Operator::Q, &faced(2, 1), &[], Execution::default())
        .unwrap()
        .output;
    assert_eq!(q[..5], [0, 1, 2, 3, 4].map(|x| value(x, 0, 0)));
}

/// A changed count is a reviewed difference. The blocks of [D] table B.6.
#[test]
fn cycle_counts_are_exact() {
    let all = (FAMILY.counted)();
    let rows: Vec<_> = all.iter().map(|kernel| kernel.count(&Core::CP2).unwrap()).collect();
    assert!(rows.iter().all(|row| row.is_right));
    let counts: Vec<(&str, u64, f64)> =
        rows.iter().map(|r| (r.kernel.as_str(), r.cycles, r.bound)).collect();
    let expected = [
        ("resid", 7900, 7234.0),
        ("proj", 1662, 1524.0),
        ("interp", 3356, 3188.0),
        ("interp0", 3008, 2932.0),
        ("smooth", 7687, 7104.0),
        ("smooth0", 7721, 7104.0),
        ("norm", 6145, 5904.0),
    ];
    assert_eq!(counts, expected);
}

#[test]
fn bad_input_is_refused_with_value_and_limit() {
    let block = Block::new(8, 2, 2);
    let faced = vec![0.0; 4 * block.faced_points()];
    let message = |kernel, block, operator, faced: &[f32]| {
        run(kernel, block, operator, faced, &[], Execution::default()).unwrap_err().to_string()
    };
    assert_eq!(
        source(&Core::CP2, Kernel::Proj, Block::new(12, 2, 2)).unwrap_err().to_string(),
        "proj does not take a block of 12x2x2 points; it takes n1 that is a multiple of 8, and even \
         n2 and n3"
    );
    assert_eq!(
        source(&Core::CP2, Kernel::Resid, Block::new(32, 8, 9)).unwrap_err().to_string(),
        "resid does not take a block of 32x8x9 points; it takes blocks whose operands, result and \
         constants fit the 4096 words of a bank; these need 4508"
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

/// The formulas of `specs/src/multigrid.md` for one body, times the bodies, and what a call loads
/// and sets up.
#[test]
fn operations_are_those_of_the_specification() {
    for block in [Block::new(32, 8, 8), Block::new(8, 2, 4), Block::new(16, 4, 2)] {
        let (h, n2) = (block.n1 / 2, block.n2);
        let r = if n2.is_multiple_of(4) { 4 } else { 2 };
        let bodies = n2 / r * block.n3;
        let faces = 6 * (r + 2);
        for (kernel, [arithmetic, exchange], bodies, [more, loads]) in [
            (
                Kernel::Resid,
                [h * (6 * r + 2) + 8 * r + 4, h * (11 * r + 8) / 2 + faces],
                bodies,
                [0, 2],
            ),
            (
                Kernel::Smooth,
                [h * (6 * r + 2) + 6 * r + 4, h * (5 * r + 4) + faces],
                bodies,
                [0, 3],
            ),
            (
                Kernel::Smooth0,
                [h * (6 * r + 2) + 6 * r + 4, h * (9 * r + 8) / 2 + faces],
                bodies,
                [0, 3],
            ),
            (
                Kernel::Proj,
                [
                    h * (2 * n2 + 1) + 3 * n2 / 2 + 1 + 3 * h * n2 / 4,
                    h * (9 * n2 + 12) / 4 + 3 * (n2 + 1) + h * n2 / 8,
                ],
                block.n3 / 2,
                [0, 3],
            ),
            (Kernel::Norm, [92, 8], h * n2 * block.n3 / 16, [16, 1]),
        ] {
            let expected = [bodies * arithmetic + more, bodies * exchange + loads];
            assert_eq!(
                operations(&Core::CP2, kernel, block).unwrap(),
                expected,
                "{} {block}",
                kernel.name()
            );
        }
    }
    for block in [Block::new(32, 4, 4), Block::new(8, 2, 4)] {
        let (h, r) = (block.n1 / 2, block.n2);
        let faces = 2 * (r + 1);
        for (kernel, own, exchange) in [
            (Kernel::Interp, 12, h * (12 * r + 1) + faces),
            (Kernel::Interp0, 11, h * (19 * r + 2) / 2 + faces),
        ] {
            let arithmetic = h * (own * r + 1) + 3 * r + 1;
            let expected = [block.n3 * arithmetic, block.n3 * exchange + 5];
            assert_eq!(
                operations(&Core::CP2, kernel, block).unwrap(),
                expected,
                "{} {block}",
                kernel.name()
            );
        }
    }
}

#[test]
fn the_reference_of_a_constant_is_the_sum_of_the_weights() {
    let block = Block::new(4, 2, 2);
    let ones = vec![1.0; block.faced_points()];
    let p = reference(Kernel::Proj, block, &Operator::P, &ones, &[]);
    assert_eq!(p, vec![4.0; 2]);
}
