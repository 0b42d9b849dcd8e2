//! Packed matrices against the published figures, an example by hand, and products by plain loops.

use super::devices;
use cp2_gpu_procedures::cg::{FramedEll, FramedProduct, ProductShape, SlicedEll, SlicedProduct};
use cp2_gpu_procedures::kernels::BuiltKernels;
use cp2_kernels::sparse::matrices::{CLASS_A, CLASS_S, CLASS_W, DoubleRows, npb_cg_rows};

/// Table of lengths of the value arrays: class, format, rows and columns of a block, length, factor, blocks, all blocks.
const LENGTHS: &str = include_str!("padding.csv");

/// Matrix of 6 rows and columns; its entries are 1, 2, 3, ..
fn example() -> DoubleRows {
    let rows: [&[u32]; 6] = [&[0, 3], &[1, 2], &[0, 2, 5], &[3], &[4], &[4, 5]];
    let mut starts = vec![0];
    rows.iter().for_each(|row| starts.push(starts[starts.len() - 1] + row.len()));
    let columns = rows.concat();
    let values = (1..=columns.len()).map(|k| k as f64).collect();
    DoubleRows { starts, columns, values }
}

/// Product in the order of the rows.
fn product(matrix: &DoubleRows, x: &[f64]) -> Vec<f64> {
    let entries = |r: usize| matrix.starts[r]..matrix.starts[r + 1];
    let term = |k: usize| matrix.values[k] * x[matrix.columns[k] as usize];
    (0..x.len()).map(|r| entries(r).map(term).sum()).collect()
}

#[test]
fn the_example_is_packed_as_by_hand() {
    let matrix = example();
    let sliced = SlicedEll::new(&matrix, 2, 1).unwrap();
    assert_eq!(sliced.starts, [0, 4, 10, 14]);
    assert_eq!(sliced.columns, [0, 1, 3, 2, 0, 3, 2, 3, 5, 3, 4, 4, 4, 5]);
    assert_eq!(sliced.values[..10], [1.0, 3.0, 2.0, 4.0, 5.0, 8.0, 6.0, 0.0, 7.0, 0.0]);
    let framed = FramedEll::new(&matrix, 2, 3).unwrap();
    assert_eq!(framed.bands, [0, 2, 4, 5]);
    assert_eq!(framed.frames, [0, 1, 0, 1, 1]);
    assert_eq!(framed.starts, [0, 4, 6, 10, 12, 16]);
    assert_eq!(SlicedEll::new(&matrix, 6, 1).unwrap().values.len(), 18);
}

#[test]
fn lengths_are_those_of_the_table_to_the_digit() {
    let matrices = [("S", CLASS_S), ("W", CLASS_W), ("A", CLASS_A)]
        .map(|(name, class)| (name, npb_cg_rows(class)));
    let mut checked = 0;
    for line in LENGTHS.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let (_, matrix) = matrices.iter().find(|(name, _)| *name == cells[0]).unwrap();
        let [h, length]: [usize; 2] = [cells[2], cells[4]].map(|cell| cell.parse().unwrap());
        let (found, blocks) = if cells[1] == "framed" {
            let framed = FramedEll::new(matrix, h, cells[3].parse().unwrap()).unwrap();
            (framed.values.len(), Some(framed.frames.len()))
        } else {
            (SlicedEll::new(matrix, h, 1).unwrap().values.len(), None)
        };
        assert_eq!(found, length, "{line}");
        let factor = found as f64 / matrix.values.len() as f64;
        assert_eq!(format!("{factor:.4}"), cells[5], "{line}");
        assert!(blocks.is_none_or(|blocks| blocks.to_string() == cells[6]), "{line}: {blocks:?}");
        checked += 1;
    }
    assert!(checked > 60, "{checked}");
}

#[test]
fn devices_multiply_as_plain_loops_do() {
    let gpu = &devices(1)[0];
    let kernels = BuiltKernels::new(gpu.clone());
    let matrix = npb_cg_rows(CLASS_S);
    let x: Vec<f64> = (0..1400).map(|k| f64::from(k % 17) - 8.0).collect();
    let exact = product(&matrix, &x);
    let near = |found: &[f64]| {
        exact.iter().zip(found).all(|(a, b)| (a - b).abs() <= 1e-11 * (1.0 + a.abs()))
    };
    let on = |y: &cp2_gpu::GpuBuffer<f64>| {
        let mut found = vec![0.0; 1400];
        gpu.read(y, 0, &mut found).unwrap();
        found
    };
    let (of_x, y) = (gpu.buffer_of(&x).unwrap(), gpu.buffer_of(&vec![7.0; 1400]).unwrap());
    for (h, r, window) in [(1, 8, 1), (8, 2, 1), (32, 1, 1400), (128, 1, 32)] {
        let packed = SlicedEll::new(&matrix, h, window).unwrap();
        assert!(near(&packed.product(&x)), "{h} {window}");
        let shape = ProductShape { h, r, slices: 2, unroll: 4, window };
        SlicedProduct::new(gpu, &packed, shape).unwrap().multiply(&kernels, [&of_x, &y]).unwrap();
        assert!(near(&on(&y)), "{shape:?}");
    }
    for (h, w, r) in [(4, 512, 4), (32, 1024, 1), (16, 4096, 8)] {
        let packed = FramedEll::new(&matrix, h, w).unwrap();
        assert!(near(&packed.product(&x)), "{h} {w}");
        FramedProduct::new(gpu, &packed, r).unwrap().multiply(&kernels, [&of_x, &y]).unwrap();
        assert!(near(&on(&y)), "framed {h} {w} {r}");
    }
}
