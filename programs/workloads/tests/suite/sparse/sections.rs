//! Products of sparse matrices with section addressing and section counters: right, the same on both engines, and in
//! the cycles and bytes that the pages on the extensions tell.

use crate::sharing;
use cp2_isa::{Core, CoreNumbers, Extensions};
use cp2_kernels::sparse::matrices::{self, CLASS_S};
use cp2_kernels::sparse::{
    Direct, Gathering, Merging, Report, RowLayout, RowOrder, Sliced, multiply_counted,
    multiply_direct, multiply_sections,
};
use cp2_session::sparse::Csr;
use cp2_session::{Engine, Execution};

fn on(engine: Engine) -> Execution {
    let extensions = Extensions::SECTION_ADDRESSING
        | Extensions::SECTION_COUNTERS
        | Extensions::CONDITIONAL_MEMORY;
    let core = Core::new(CoreNumbers { extensions, ..*Core::CP2.numbers() }).unwrap();
    Execution { engine, ..sharing().execution(core) }
}

fn vector(matrix: &Csr) -> Vec<f32> {
    (0..matrix.columns()).map(|i| ((i * 7919 + 13) % 1009) as f32 / 504.5 - 1.0).collect()
}

fn checked(matrix: &Csr, x: &[f32], product: Report) -> Report {
    assert!(matrix.deviation(x, &product.y) <= 1.0);
    assert_eq!(product.collisions, 0);
    product
}

fn product(matrix: &Csr, height: usize, gathering: Gathering, engine: Engine) -> Report {
    let x = vector(matrix);
    let sliced = Sliced::new(matrix, height, RowOrder::Sorted).unwrap();
    checked(matrix, &x, multiply_sections(&sliced, &x, gathering, &on(engine)).unwrap())
}

fn counted(matrix: &Csr, height: usize, order: RowOrder, engine: Engine) -> Report {
    let x = vector(matrix);
    let sliced = Sliced::new(matrix, height, order).unwrap();
    checked(matrix, &x, multiply_counted(matrix, &sliced, &x, &on(engine)).unwrap())
}

fn merged(matrix: &Csr, merging: Merging, engine: Engine) -> (Direct, Report) {
    let (x, on) = (vector(matrix), on(engine));
    let direct = Direct::merged(&on.core, matrix, RowLayout::Neighbours, merging).unwrap();
    let product = checked(matrix, &x, multiply_direct(&direct, &x, &on).unwrap());
    (direct, product)
}

#[test]
fn merged_blocks_are_right_on_all_engines() {
    for (seed, (rows, columns, nonzeros)) in
        [(1, 1, 1), (37, 100, 400), (300, 200, 5000), (64, 64, 0)].into_iter().enumerate()
    {
        let matrix = matrices::random(rows, columns, nonzeros, seed as u64).unwrap();
        for merging in [Merging::Permuted, Merging::Loaded] {
            let [fast, portable, reference] =
                Engine::ALL.map(|engine| merged(&matrix, merging, engine).1);
            assert_eq!(fast, reference, "{rows} x {columns}, {merging:?}");
            assert_eq!(portable, reference, "{rows} x {columns}, {merging:?}");
        }
    }
}

#[test]
fn merged_blocks_are_right_for_other_latencies() {
    let matrix = matrices::random(120, 150, 1500, 5).unwrap();
    let x = vector(&matrix);
    for (arithmetic_latency, load_latency) in [(2, 2), (4, 6), (12, 3)] {
        let extensions = Extensions::CONDITIONAL_MEMORY;
        let numbers =
            CoreNumbers { arithmetic_latency, load_latency, extensions, ..*Core::CP2.numbers() };
        let on = sharing().execution(Core::new(numbers).unwrap());
        for merging in [Merging::Permuted, Merging::Loaded] {
            let direct = Direct::merged(&on.core, &matrix, RowLayout::Neighbours, merging).unwrap();
            checked(&matrix, &x, multiply_direct(&direct, &x, &on).unwrap());
        }
    }
}

/// Merging takes products away, until loads fill the other slot; the page on the extension tells the cycles.
#[test]
fn merging_makes_code_for_a_matrix_shorter() {
    let matrix = matrices::npb_cg(CLASS_S).unwrap();
    let all = [Merging::None, Merging::Permuted, Merging::Loaded];
    let products = all.map(|merging| {
        let (direct, product) = merged(&matrix, merging, Engine::Fast);
        println!(
            "{merging:?}: {} psmadd, {} cycles, {:.3} per nonzero, bound {}, {} bytes, {} bundles",
            product.multiplications,
            product.cycles(),
            product.cycles_per_nonzero(),
            direct.bound(),
            product.bytes,
            direct.bundles(),
        );
        assert!(direct.bound() as u64 <= product.cycles());
        product
    });
    assert_eq!(products.each_ref().map(Report::cycles), [69_267, 55_711, 54_221]);
}

#[test]
fn each_way_is_right_on_both_engines() {
    for (seed, (rows, columns, nonzeros)) in
        [(1, 1, 1), (37, 100, 400), (3, 200, 555)].into_iter().enumerate()
    {
        let matrix = matrices::random(rows, columns, nonzeros, seed as u64).unwrap();
        let engines = [Engine::Fast, Engine::Reference];
        for gathering in Gathering::ALL {
            let [fast, reference] = engines.map(|engine| product(&matrix, 32, gathering, engine));
            assert_eq!(fast, reference, "{rows} x {columns}, {gathering:?}");
        }
        for order in [RowOrder::Given, RowOrder::Sorted] {
            let [fast, reference] = engines.map(|engine| counted(&matrix, 16, order, engine));
            assert_eq!(fast, reference, "{rows} x {columns}, {order:?}");
        }
    }
}

/// Cycles of the product by the matrix of NPB CG class S, all included; the page on the extension tells them.
#[test]
fn products_take_the_cycles_that_the_page_tells() {
    let matrix = matrices::npb_cg(CLASS_S).unwrap();
    let products = Gathering::ALL
        .map(|gathering| product(&matrix, gathering.height(), gathering, Engine::Fast));
    for (product, gathering) in products.iter().zip(Gathering::ALL) {
        let kernel = product.runs.iter().sum::<u64>() as f64 / product.multiplications as f64;
        println!(
            "{gathering:?}: {} psmadd, {:.3} cycles each, {kernel:.3} without turning, {:.3} per nonzero, {} bytes",
            product.multiplications,
            product.cycles_per_multiplication(),
            product.cycles_per_nonzero(),
            product.bytes,
        );
        assert!(kernel >= gathering.bound() as f64 / 100.0);
    }
    assert_eq!(products.each_ref().map(Report::cycles), [55_574, 41_724, 31_926]);
}

/// Counters per section save bytes and no cycles: the loop ends with the longest row, with padding or without.
#[test]
fn counters_save_bytes_and_no_cycles() {
    let matrix = matrices::npb_cg(CLASS_S).unwrap();
    let mut counts = Vec::new();
    for (order, height) in [(RowOrder::Given, 16), (RowOrder::Sorted, 32)] {
        let product = counted(&matrix, height, order, Engine::Fast);
        let padded = Sliced::new(&matrix, height, order).unwrap();
        let per = |n: usize| n as f64 / matrix.nonzeros() as f64;
        println!(
            "{order:?} {height}: {:.3} cycles and {:.3} bytes for a nonzero, {:.3} cycles a psmadd; {:.3} padded elements, {:.3} bytes of them",
            product.cycles_per_nonzero(),
            per(product.bytes),
            product.cycles_per_multiplication(),
            per(padded.values().len()),
            per(6 * padded.values().len()),
        );
        // In sorted rows there is less padding than counters for each row would take.
        let saved = 6.0 * padded.values().len() as f64 / product.bytes as f64;
        assert!(if order == RowOrder::Given { saved > 1.5 } else { saved < 1.02 }, "{saved}");
        counts.push((product.cycles(), product.bytes));
    }
    assert_eq!(counts, [(73_459, 492_752), (43_375, 489_936)]);
}

/// Elements that four rows take together if the longest of them decides, for each entry of the matrix.
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
