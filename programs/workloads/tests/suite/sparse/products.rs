//! Products by sparse matrices against double precision, and their exact cycle counts.

use crate::sharing;
use cp2_isa::Core;
use cp2_kernels::sparse::{
    self, BlockMatrix, BlockShape, Direct, HEIGHTS, Report, RowLayout, RowOrder, SHAPES, Sliced,
    matrices,
};
use cp2_session::Execution;
use cp2_session::sparse::Csr;

/// Returns CP2 as it is, on the usual engine.
fn on() -> Execution {
    sharing().execution(Core::CP2)
}

fn vector(elements: usize) -> Vec<f32> {
    (0..elements).map(|i| ((i * 7919 + 13) % 1009) as f32 / 504.5 - 1.0).collect()
}

fn check(matrix: &Csr, x: &[f32], product: Report, what: &str) -> Report {
    let deviation = matrix.deviation(x, &product.y);
    let (rows, columns) = (matrix.rows(), matrix.columns());
    assert!(deviation <= 1.0, "{what}, {rows} x {columns}: {deviation} times the rounding bound");
    assert_eq!(product.y.len(), rows);
    assert_eq!(product.collisions, 0);
    product
}

fn sliced(matrix: &Csr, height: usize, order: RowOrder) -> Report {
    let x = vector(matrix.columns());
    let converted = Sliced::new(matrix, height, order).unwrap();
    let product = sparse::multiply_sliced(&converted, &x, &on()).unwrap();
    check(matrix, &x, product, &format!("slices of {height} rows, {order:?}"))
}

fn blocks(matrix: &Csr, shape: BlockShape, layout: RowLayout) -> Report {
    let x = vector(matrix.columns());
    let converted = BlockMatrix::new(matrix, shape, layout).unwrap();
    let product = sparse::multiply_blocks(&converted, &x, &on()).unwrap();
    check(matrix, &x, product, &format!("{shape:?}, {layout:?}"))
}

fn direct(matrix: &Csr, layout: RowLayout) -> Report {
    let x = vector(matrix.columns());
    let converted = Direct::new(&Core::CP2, matrix, layout).unwrap();
    let product = sparse::multiply_direct(&converted, &x, &on()).unwrap();
    check(matrix, &x, product, &format!("code, {layout:?}"))
}

/// Checks every format, kernel and layout that takes the matrix.
fn every_format(matrix: &Csr) {
    for height in HEIGHTS {
        for order in [RowOrder::Given, RowOrder::Sorted] {
            sliced(matrix, height, order);
        }
    }
    for layout in [RowLayout::Neighbours, RowLayout::Shifted] {
        for shape in SHAPES {
            blocks(matrix, shape, layout);
        }
        direct(matrix, layout);
    }
}

#[test]
fn random_matrices_of_many_shapes() {
    let shapes =
        [(1, 1, 1), (32, 32, 64), (100, 37, 400), (3, 200, 555), (200, 3, 555), (129, 131, 2000)];
    for (seed, (rows, columns, nonzeros)) in shapes.into_iter().enumerate() {
        every_format(&matrices::random(rows, columns, nonzeros, seed as u64).unwrap());
    }
}

#[test]
fn a_matrix_without_entries_gives_zeros() {
    let matrix = Csr::from_entries(50, 40, &[]).unwrap();
    every_format(&matrix);
    let product = sliced(&matrix, 32, RowOrder::Given);
    assert_eq!(product.y, [0.0; 50]);
    assert!(product.runs.is_empty());
}

/// Row 5 is dense, every third row is empty. The slice of row 5 does not fit a page and is cut.
#[test]
fn empty_rows_and_a_dense_one() {
    let mut entries: Vec<_> = (0..1500).map(|c| (5, c, c as f32 / 1000.0 - 0.7)).collect();
    for row in (0..80).filter(|r| r % 3 != 0 && *r != 5) {
        entries.extend((0..4).map(|k| (row, (row * 31 + k * 407) % 1500, 0.5 + k as f32)));
    }
    let matrix = Csr::from_entries(80, 1500, &entries).unwrap();
    every_format(&matrix);
    let parts: Vec<_> =
        Sliced::new(&matrix, 32, RowOrder::Given).unwrap().pages(&Core::CP2).unwrap().concat();
    assert!(parts.iter().filter(|p| p.of == 0).count() > 1);
    assert_eq!(parts.iter().filter(|p| p.of == 0).map(|p| p.units).sum::<usize>(), 375);
}

#[test]
fn banded_matrices_and_stencils() {
    every_format(&matrices::banded(300, 9, 0.4, 3).unwrap());
    every_format(&matrices::five_point(17, 13).unwrap());
}

#[test]
fn identity_gives_the_vector_itself() {
    let entries: Vec<_> = (0..200).map(|i| (i, i, 1.0)).collect();
    let matrix = Csr::from_entries(200, 200, &entries).unwrap();
    let x = vector(200);
    assert_eq!(sliced(&matrix, 16, RowOrder::Given).y, x);
    assert_eq!(blocks(&matrix, SHAPES[0], RowLayout::Shifted).y, x);
    assert_eq!(direct(&matrix, RowLayout::Neighbours).y, x);
}

#[test]
fn slices_are_padded_to_groups_of_four() {
    let matrix = matrices::random(70, 50, 700, 5).unwrap();
    let converted = Sliced::new(&matrix, 32, RowOrder::Given).unwrap();
    assert_eq!(converted.slices(), 3);
    for s in 0..3 {
        let longest = (32 * s..32 * (s + 1)).map(|r| matrix.row(r).len()).max().unwrap();
        assert_eq!(converted.groups(s), longest.div_ceil(4));
    }
    assert_eq!(
        converted.values().len(),
        (0..3).map(|s| converted.groups(s) * 32 * 4).sum::<usize>()
    );
    assert_eq!(converted.values().iter().filter(|&&v| v != 0.0).count(), 700);
}

/// The padded length of class S is that of [D] table B.9: the format is the same.
#[test]
fn class_s_has_the_published_padding() {
    let matrix = matrices::npb_cg(matrices::CLASS_S).unwrap();
    assert_eq!((matrix.rows(), matrix.nonzeros()), (1400, 78148));
    let converted = Sliced::new(&matrix, 64, RowOrder::Given).unwrap();
    assert_eq!(converted.values().len(), 151_040);
}

/// The matrix of NPB class S gives NPB's zeta: 15 steps of the inverse power method, each solved by
/// 25 steps of conjugate gradients, all in double precision.
#[test]
fn class_s_gives_the_zeta_of_npb() {
    let entries = matrices::npb_cg_entries(matrices::CLASS_S);
    let multiply = |x: &[f64]| {
        let mut y = vec![0.0; x.len()];
        entries.iter().for_each(|&(r, c, v)| y[r] += v * x[c]);
        y
    };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut x = vec![1.0; 1400];
    let mut zeta = 0.0;
    for _ in 0..15 {
        let (mut z, mut r, mut p) = (vec![0.0; 1400], x.clone(), x.clone());
        let mut rho = dot(&r, &r);
        for _ in 0..25 {
            let q = multiply(&p);
            let alpha = rho / dot(&p, &q);
            z.iter_mut().zip(&p).for_each(|(z, p)| *z += alpha * p);
            r.iter_mut().zip(&q).for_each(|(r, q)| *r -= alpha * q);
            let old = std::mem::replace(&mut rho, dot(&r, &r));
            p.iter_mut().zip(&r).for_each(|(p, r)| *p = r + rho / old * *p);
        }
        zeta = 10.0 + 1.0 / dot(&x, &z);
        let norm = dot(&z, &z).sqrt();
        x = z.iter().map(|z| z / norm).collect();
    }
    assert!((zeta - 8.597_177_507_864_8).abs() < 1e-10, "{zeta}");
}

/// A changed count is a reviewed difference.
#[test]
fn cycle_counts_are_exact() {
    let matrix = matrices::random(256, 256, 4096, 1).unwrap();
    let counts = [
        sliced(&matrix, 32, RowOrder::Given).cycles(),
        sliced(&matrix, 64, RowOrder::Sorted).cycles(),
        blocks(&matrix, SHAPES[0], RowLayout::Neighbours).cycles(),
        blocks(&matrix, SHAPES[3], RowLayout::Neighbours).cycles(),
        direct(&matrix, RowLayout::Neighbours).cycles(),
    ];
    assert_eq!(counts, [21252, 16632, 14139, 8694, 3589]);
}

/// The loop costs 100 cycles for four `psmadd`: the exchange operations that they need.
#[test]
fn one_more_group_costs_the_exchange_bound() {
    let cycles = |entries_per_row: usize| {
        let row = |r: usize| (0..entries_per_row).map(move |c| (r, c, 1.0));
        let entries: Vec<_> = (0..32).flat_map(row).collect();
        sliced(&Csr::from_entries(32, 40, &entries).unwrap(), 32, RowOrder::Given).cycles()
    };
    // Eight rows in each section: four passes.
    assert_eq!(cycles(20) - cycles(16), 4 * 100);
}

#[test]
fn random_2048_takes_less_than_26_cycles_per_psmadd() {
    let matrix = matrices::random(2048, 2048, 262_144, 1).unwrap();
    let product = sliced(&matrix, 32, RowOrder::Given);
    assert_eq!(product.multiplications, 39_360);
    assert!(product.cycles_per_multiplication() < 26.0);
}

#[test]
fn the_best_shape_is_the_one_with_the_lowest_bound() {
    let matrix = matrices::random(256, 256, 4096, 1).unwrap();
    let best = BlockMatrix::best(&matrix, RowLayout::Neighbours).unwrap().bound();
    for shape in SHAPES {
        assert!(best <= BlockMatrix::new(&matrix, shape, RowLayout::Neighbours).unwrap().bound());
    }
}

/// The cycles by which a form is chosen are right for pages of a few parts.
#[test]
fn a_page_of_blocks_takes_the_cycles_that_are_predicted() {
    for shape in SHAPES.into_iter().filter(|shape| shape.groups.is_multiple_of(2)) {
        for (parts, batches) in [(1, 2), (3, 2), (2, 3), (1, 6)] {
            let (rows, columns) = (8 * parts * shape.groups, 8 * batches * shape.width);
            let starts = (0..rows).step_by(8 * shape.groups);
            let row = |r: usize| (0..columns).step_by(shape.width).map(move |c| (r, c, 1.0));
            let entries: Vec<_> = starts.flat_map(row).collect();
            let matrix = Csr::from_entries(rows, columns, &entries).unwrap();
            let [run, part, batch] = sparse::blocks_cycles(shape);
            let predicted = run + parts * (part + batches * batch);
            assert_eq!(
                blocks(&matrix, shape, RowLayout::Dealt).runs,
                [predicted as u64],
                "{shape:?}"
            );
        }
    }
}
