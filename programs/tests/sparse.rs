//! Products by sparse matrices against double precision, and their exact cycle counts.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use cp2_programs::sparse::{self, Csr, RowOrder, Sliced, matrices};

fn vector(n: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * 7919 + 13) % 1009) as f32 / 504.5 - 1.0).collect()
}

fn check_sliced(matrix: &Csr, height: usize, order: RowOrder) -> sparse::Product {
    let x = vector(matrix.columns());
    let sliced = Sliced::new(matrix, height, order).unwrap();
    let product = sparse::multiply_sliced(&sliced, &x).unwrap();
    let deviation = matrix.deviation(&x, &product.y);
    assert!(deviation <= 1.0, "deviation {deviation}");
    assert_eq!(product.collisions, 0);
    product
}

#[test]
fn random_matrices() {
    for (rows, columns, nonzeros) in [(32, 32, 64), (64, 64, 256), (100, 37, 400), (1, 1, 1), (3, 200, 555), (200, 3, 555)] {
        let matrix = matrices::random(rows, columns, nonzeros, 1).unwrap();
        for height in sparse::HEIGHTS {
            for order in [RowOrder::Given, RowOrder::Sorted] {
                let p = check_sliced(&matrix, height, order);
                println!("{rows}x{columns} {height} {order:?}: {} {:.2}", p.cycles(), p.cycles_per_multiplication());
            }
        }
    }
}

fn check_blocks(matrix: &Csr, shape: sparse::Shape, layout: sparse::Layout) -> sparse::Product {
    let x = vector(matrix.columns());
    let blocks = sparse::Blocks::new(matrix, shape, layout).unwrap();
    let product = sparse::multiply_blocks(&blocks, &x).unwrap();
    let deviation = matrix.deviation(&x, &product.y);
    assert!(deviation <= 1.0, "{shape:?} {layout:?}: deviation {deviation}");
    assert_eq!(product.collisions, 0);
    product
}

#[test]
fn block_matrices() {
    for (rows, columns, nonzeros) in [(32, 32, 64), (100, 37, 400), (1, 1, 1), (3, 200, 555), (200, 3, 555)] {
        let matrix = matrices::random(rows, columns, nonzeros, 1).unwrap();
        for shape in sparse::SHAPES {
            for layout in [sparse::Layout::Neighbours, sparse::Layout::Shifted] {
                check_blocks(&matrix, shape, layout);
            }
        }
    }
}

fn check_direct(matrix: &Csr, layout: sparse::Layout) -> sparse::Product {
    let x = vector(matrix.columns());
    let direct = sparse::Direct::new(matrix, layout).unwrap();
    let product = sparse::multiply_direct(&direct, &x).unwrap();
    let deviation = matrix.deviation(&x, &product.y);
    assert!(deviation <= 1.0, "{layout:?}: deviation {deviation}");
    assert_eq!(product.collisions, 0);
    println!("{}x{} {layout:?}: {} pages, {} runs, {:.3} per psmadd, {:.3} per nonzero", matrix.rows(), matrix.columns(), direct.pages.len(), product.runs.iter().sum::<u64>(),  product.cycles_per_multiplication(), product.cycles_per_nonzero());
    product
}

#[test]
fn direct_matrices() {
    for (rows, columns, nonzeros) in [(32, 32, 64), (100, 37, 400), (1, 1, 1), (3, 200, 555), (200, 3, 555), (256, 256, 4096), (512,512,16384),(2048,2048,262144)] {
        let matrix = matrices::random(rows, columns, nonzeros, 1).unwrap();
        check_direct(&matrix, sparse::Layout::Neighbours);
    }
    check_direct(&matrices::five_point(64,64).unwrap(), sparse::Layout::Shifted);
    check_direct(&matrices::five_point(64,64).unwrap(), sparse::Layout::Neighbours);
    check_direct(&matrices::banded(2000, 20, 0.3, 1).unwrap(), sparse::Layout::Shifted);
    check_direct(&matrices::npb_cg(matrices::CLASS_S).unwrap(), sparse::Layout::Neighbours);
}
#[test]
fn makea() {
    let e = matrices::npb_cg_entries(matrices::CLASS_S);
    assert_eq!(e.len(), 78148);
}
