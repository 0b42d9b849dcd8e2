//! Products of sparse matrices with section addressing: right, the same on both engines, and in the cycles that
//! the page on the extension tells.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use cp2_isa::{Core, CoreNumbers, Extensions};
use cp2_programs::sparse::matrices::{self, CLASS_S};
use cp2_programs::sparse::{Csr, Gathering, Product, RowOrder, Sliced, multiply_sections};
use cp2_programs::{Engine, Execution};

fn core() -> Core {
    let extensions = Extensions::SECTION_ADDRESSING;
    Core::new(CoreNumbers { extensions, ..*Core::CP2.numbers() }).unwrap()
}

fn product(matrix: &Csr, height: usize, gathering: Gathering, engine: Engine) -> Product {
    let on = Execution { engine, ..Execution::on(core()) };
    let x: Vec<f32> =
        (0..matrix.columns()).map(|i| ((i * 7919 + 13) % 1009) as f32 / 504.5 - 1.0).collect();
    let sliced = Sliced::new(matrix, height, RowOrder::Sorted).unwrap();
    let product = multiply_sections(&sliced, &x, gathering, on).unwrap();
    assert!(matrix.deviation(&x, &product.y) <= 1.0, "{height}, {gathering:?}");
    assert_eq!(product.collisions, 0);
    product
}

#[test]
fn each_way_is_right_on_both_engines() {
    for (seed, (rows, columns, nonzeros)) in
        [(1, 1, 1), (37, 100, 400), (3, 200, 555)].into_iter().enumerate()
    {
        let matrix = matrices::random(rows, columns, nonzeros, seed as u64).unwrap();
        for gathering in Gathering::ALL {
            let [fast, reference] = [Engine::Fast, Engine::Reference]
                .map(|engine| product(&matrix, 32, gathering, engine));
            assert_eq!(fast, reference, "{rows} x {columns}, {gathering:?}");
        }
    }
}

/// Cycles of the product by the matrix of NPB CG class S in slices of 32 rows, sorted, all included; the page on
/// the extension tells them.
#[test]
fn products_take_the_cycles_that_the_page_tells() {
    let matrix = matrices::npb_cg(CLASS_S).unwrap();
    let products = Gathering::ALL.map(|gathering| product(&matrix, 32, gathering, Engine::Fast));
    assert_eq!(products.each_ref().map(Product::cycles), [55_981, 42_319, 34_373]);
    for (product, gathering) in products.iter().zip(Gathering::ALL) {
        assert_eq!(product.multiplications, 10_320);
        assert!(product.cycles_per_multiplication() >= gathering.bound() as f64 / 10.0);
    }
}

/// What loop counts per section could save at most: entries that four rows take together if the longest of them
/// decides, for each entry of the matrix.
#[test]
fn the_longest_of_four_rows_decides_little_in_sorted_rows() {
    let matrix = matrices::npb_cg(CLASS_S).unwrap();
    let mut lengths: Vec<usize> = (0..matrix.rows()).map(|row| matrix.row(row).len()).collect();
    let share = |lengths: &[usize]| {
        let longest = lengths.chunks(4).map(|four| 4 * four.iter().max().unwrap());
        longest.sum::<usize>() as f64 / matrix.nonzeros() as f64
    };
    let given = share(&lengths);
    lengths.sort_unstable();
    let sorted = share(&lengths);
    println!("given {given:.3}, sorted {sorted:.4}");
    assert!(sorted < 1.01 && given > sorted);
}
