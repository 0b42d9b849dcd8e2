//! What the sparse procedures refuse, and Matrix Market files.

use crate::sharing;
use cp2_isa::Core;
use cp2_kernels::sparse::{self, BlockMatrix, BlockShape, Direct, RowLayout, RowOrder, Sliced};
use cp2_session::Execution;
use cp2_session::sparse::{Csr, market};

/// Returns CP2 as it is, on the usual engine.
fn on() -> Execution {
    sharing().execution(Core::CP2)
}

fn refused(rows: usize, columns: usize, entries: &[(usize, usize, f32)]) -> String {
    Csr::from_entries(rows, columns, entries).unwrap_err().to_string()
}

#[test]
fn bad_matrices_are_refused_with_value_and_limit() {
    assert_eq!(refused(0, 3, &[]), "the matrix has 0 rows and 3 columns; both must be at least 1");
    assert_eq!(refused(2, 3, &[(0, 3, 1.0)]), "entry (0, 3) lies outside of the 2 x 3 matrix");
    assert_eq!(refused(2, 3, &[(2, 0, 1.0)]), "entry (2, 0) lies outside of the 2 x 3 matrix");
    assert_eq!(
        refused(2, 3, &[(1, 1, f32::NAN)]),
        "entry (1, 1) is NaN; entries must be finite; --non-finite lets them through"
    );
    assert_eq!(
        refused(2, 3, &[(1, 1, 1.0), (0, 0, 1.0), (1, 1, 2.0)]),
        "entry (1, 1) is given twice; add the values first"
    );
}

#[test]
fn bad_vectors_are_refused_with_value_and_limit() {
    let matrix = Csr::from_entries(2, 3, &[(0, 0, 1.0)]).unwrap();
    let sliced = Sliced::new(&matrix, 16, RowOrder::Given).unwrap();
    let blocks = BlockMatrix::new(&matrix, sparse::SHAPES[0], RowLayout::Shifted).unwrap();
    let direct = Direct::new(&Core::CP2, &matrix, RowLayout::Neighbours).unwrap();
    for (x, message) in [
        (vec![1.0; 4], "the vector has 4 elements and the matrix 3 columns; both must be equal"),
        (vec![1.0, f32::INFINITY, 1.0], "element 1 of the vector is inf; the input must be finite"),
    ] {
        assert_eq!(matrix.check_vector(&x).unwrap_err().to_string(), message);
        assert_eq!(sparse::multiply_sliced(&sliced, &x, &on()).unwrap_err().to_string(), message);
        assert_eq!(sparse::multiply_blocks(&blocks, &x, &on()).unwrap_err().to_string(), message);
        assert_eq!(sparse::multiply_direct(&direct, &x, &on()).unwrap_err().to_string(), message);
    }
}

#[test]
fn vectors_that_local_memory_does_not_hold_are_refused() {
    let wide = |columns| Csr::from_entries(1, columns, &[(0, columns - 1, 2.0)]).unwrap();
    let matrix = wide(8192);
    let message = |limit| {
        format!(
            "the input vector takes 8192 words of local memory, of which {limit} are for it; \
             split the matrix by columns"
        )
    };
    let sliced = Sliced::new(&matrix, 32, RowOrder::Given).unwrap();
    let error = sparse::multiply_sliced(&sliced, &vec![1.0; 8192], &on()).unwrap_err();
    assert_eq!(error.to_string(), message(8108));
    let blocks = BlockMatrix::new(&matrix, sparse::SHAPES[0], RowLayout::Neighbours).unwrap();
    let error = sparse::multiply_blocks(&blocks, &vec![1.0; 8192], &on()).unwrap_err();
    assert_eq!(error.to_string(), message(8128));
    let error = Direct::new(&Core::CP2, &matrix, RowLayout::Neighbours).unwrap_err();
    assert_eq!(error.to_string(), message(7996));
    // A matrix with as many columns as the limit in the message fits.
    let widest = |columns: usize| (wide(columns), vec![1.5; columns]);
    let (matrix, x) = widest(8128);
    let blocks = BlockMatrix::new(&matrix, sparse::SHAPES[0], RowLayout::Neighbours).unwrap();
    assert_eq!(sparse::multiply_blocks(&blocks, &x, &on()).unwrap().y, [3.0]);
    let (matrix, x) = widest(7996);
    let direct = Direct::new(&Core::CP2, &matrix, RowLayout::Neighbours).unwrap();
    assert_eq!(sparse::multiply_direct(&direct, &x, &on()).unwrap().y, [3.0]);
    // Spread in many pieces, one group in a page.
    let matrix = wide(8000);
    let sliced = Sliced::new(&matrix, 32, RowOrder::Given).unwrap();
    assert_eq!(sparse::multiply_sliced(&sliced, &vec![1.5; 8000], &on()).unwrap().y, [3.0]);
}

#[test]
fn parameters_that_no_kernel_has_are_refused() {
    let matrix = Csr::from_entries(2, 3, &[(0, 0, 1.0)]).unwrap();
    assert_eq!(
        Sliced::new(&matrix, 12, RowOrder::Given).unwrap_err().to_string(),
        "the height of a slice is 12; it can be 16, 32, 64 or 128"
    );
    assert!(sparse::sliced_source(0).is_err());
    assert!(sparse::blocks_source(&Core::CP2, BlockShape { groups: 0, width: 1 }).is_err());
    let shape = BlockShape { groups: 3, width: 1 };
    let error = BlockMatrix::new(&matrix, shape, RowLayout::Neighbours).unwrap_err().to_string();
    assert!(error.starts_with("the number of operations in a block is 3; it can be"), "{error}");
    let error = sparse::matrices::random(2, 2, 5, 1).unwrap_err().to_string();
    assert_eq!(error, "the number of entries is 5; it can be at most rows times columns");
}

#[test]
fn matrix_market_files_are_read() {
    let general =
        "%%MatrixMarket matrix coordinate real general\n% note\n\n2 3 2\n1 1 1.5\n2 3 -2e1\n";
    let matrix = market::read(general).unwrap();
    assert_eq!((matrix.rows(), matrix.columns()), (2, 3));
    assert_eq!((matrix.row(0), matrix.row(1)), (&[(0, 1.5)][..], &[(2, -20.0)][..]));
    let symmetric = "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 3\n2 1 4\n";
    let matrix = market::read(symmetric).unwrap();
    assert_eq!(matrix.row(0), [(0, 3.0), (1, 4.0)]);
    assert_eq!(matrix.row(1), [(0, 4.0)]);
    let skew = "%%matrixmarket MATRIX coordinate real skew-symmetric\n2 2 1\n2 1 4\n";
    let matrix = market::read(skew).unwrap();
    assert_eq!((matrix.row(0), matrix.row(1)), (&[(1, -4.0)][..], &[(0, 4.0)][..]));
    // Entries that are given twice are added, in double precision.
    let twice =
        "%%MatrixMarket matrix coordinate real general\n1 1 3\n1 1 16777216\n1 1 1\n1 1 1\n";
    assert_eq!(market::read(twice).unwrap().row(0), [(0, 16_777_218.0)]);
    let pattern = "%%MatrixMarket matrix coordinate pattern general\n1 2 1\n1 2\n";
    assert_eq!(market::read(pattern).unwrap().row(0), [(1, 1.0)]);
}

#[test]
fn matrix_market_files_are_read_in_double_precision() {
    let head = "%%MatrixMarket matrix coordinate real symmetric\n";
    let matrix =
        market::read_doubles(&format!("{head}2 2 3\n1 1 0.1\n2 1 1e300\n1 1 0.2\n")).unwrap();
    assert_eq!((matrix.rows, matrix.columns), (2, 2));
    assert_eq!(matrix.entries, [(0, 0, 0.1 + 0.2), (0, 1, 1e300), (1, 0, 1e300)]);
    for (rest, message) in [
        ("2 2 1\n1 1 1e309\n", "line 3: '1e309' is not finite"),
        (
            "1 1 2\n1 1 1.5e308\n1 1 1.5e308\n",
            "line 4: the values of entry (1, 1) add up to more than the limit of double precision, 1.7976931348623157e308",
        ),
        ("0 0 0\n", "the matrix has 0 rows and 0 columns; both must be at least 1"),
    ] {
        let error = market::read_doubles(&format!("{head}{rest}")).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn arrays_of_matrix_market_are_read_column_by_column() {
    let of = |kind: &str, rest: &str| {
        market::read(&format!("%%MatrixMarket matrix array {kind}\n{rest}"))
    };
    let matrix = of("real general", "2 3\n1\n2\n3\n0\n5\n% note\n-6\n").unwrap();
    assert_eq!(matrix.row(0), [(0, 1.0), (1, 3.0), (2, 5.0)]);
    assert_eq!(matrix.row(1), [(0, 2.0), (2, -6.0)]);
    let matrix = of("integer symmetric", "2 2\n1\n2\n3\n").unwrap();
    assert_eq!(
        (matrix.row(0), matrix.row(1)),
        (&[(0, 1.0), (1, 2.0)][..], &[(0, 2.0), (1, 3.0)][..])
    );
    let matrix = of("real skew-symmetric", "3 3\n1\n2\n3\n").unwrap();
    assert_eq!(matrix.row(0), [(1, -1.0), (2, -2.0)]);
    assert_eq!(
        (matrix.row(1), matrix.row(2)),
        (&[(0, 1.0), (2, -3.0)][..], &[(0, 2.0), (1, 3.0)][..])
    );
    assert_eq!(of("real skew-symmetric", "1 1\n").unwrap().nonzeros(), 0);
    for (kind, rest, message) in [
        (
            "pattern general",
            "1 1\n",
            "line 1: field pattern is not possible for an array, which has values",
        ),
        (
            "complex general",
            "1 1\n1 2\n",
            "line 1: unknown field 'complex'; the fields are real, integer and pattern",
        ),
        ("real general", "2 2 4\n", "line 2: '2 2 4' is not ROWS COLUMNS"),
        ("real general", "2 1\n1\n2 3\n", "line 4: 2 words in place of 1"),
        ("real general", "2 1\n1\n", "line 2: the file announces 2 entries and has 1"),
        ("real general", "2 1\n1\n2\n3\n", "line 2: the file announces 2 entries and has 3"),
        (
            "real symmetric",
            "2 1\n1\n",
            "line 2: 2 x 1 is not square, but the first line declares it symmetric",
        ),
        ("real general", "1 1\nnan\n", "line 3: 'nan' is not finite; --non-finite lets it through"),
    ] {
        assert_eq!(of(kind, rest).unwrap_err().to_string(), message, "{kind}");
    }
}

#[test]
fn bad_matrix_market_files_are_refused_with_their_line() {
    let good = "%%MatrixMarket matrix coordinate real general\n";
    for (text, message) in [
        (
            String::new(),
            "line 1: not a Matrix Market file: the first line is not '%%MatrixMarket matrix FORMAT FIELD SYMMETRY'",
        ),
        (
            "%%MatrixMarket matrix elemental real general\n".into(),
            "line 1: unknown format 'elemental'; the formats are coordinate and array",
        ),
        (
            "%%MatrixMarket matrix coordinate complex general\n".into(),
            "line 1: unknown field 'complex'; the fields are real, integer and pattern",
        ),
        (
            "%%MatrixMarket matrix coordinate real hermitian\n".into(),
            "line 1: unknown symmetry 'hermitian'; the symmetries are general, symmetric and skew-symmetric",
        ),
        (good.into(), "line 1: the line with the sizes is missing"),
        (format!("{good}2 2\n"), "line 2: '2 2' is not ROWS COLUMNS ENTRIES"),
        (format!("{good}2 2 1\n0 1 1.0\n"), "line 3: '0' is not an index from 1"),
        (format!("{good}2 2 1\n1 3 1.0\n"), "line 3: entry (1, 3) is outside of the 2 x 2 matrix"),
        (
            format!("{good}2 2 1\n1 1 1e99\n"),
            "line 3: '1e99' is too large for single precision, whose limit is 3.4028235e38; --non-finite reads it as an infinity",
        ),
        (
            format!("{good}2 2 1\n1 1 -inf\n"),
            "line 3: '-inf' is not finite; --non-finite lets it through",
        ),
        (format!("{good}2 2 1\n1 1 x\n"), "line 3: 'x' is not a number"),
        (
            "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 1.5\n".into(),
            "line 3: '1.5' is not an integer, which the first line declares",
        ),
        (
            format!("{good}2 2 99999999999\n"),
            "line 2: 99999999999 entries are too many; at most 16777216 are possible",
        ),
        (format!("{good}2 2 1\n1 1\n"), "line 3: 2 words in place of 3"),
        (format!("{good}2 2 2\n1 1 1\n"), "line 2: the file announces 2 entries and has 1"),
        (
            format!("{good}2 2 3\n1 1 3e38\n% note\n2 1 1\n1 1 3e38\n"),
            "line 6: the values of entry (1, 1) add up to more than the limit of single precision, 3.4028235e38",
        ),
    ] {
        assert_eq!(market::read(&text).unwrap_err().to_string(), message);
    }
}

#[test]
fn bad_symmetric_files_are_refused_with_their_line() {
    let symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
    for (text, message) in [
        (
            format!("{symmetric}2 2 2\n2 1 3e38\n2 1 2e38\n"),
            "line 4: the values of entry (1, 2) add up to more than the limit of single precision, 3.4028235e38",
        ),
        (
            format!("{symmetric}2 3 0\n"),
            "line 2: 2 x 3 is not square, but the first line declares it symmetric",
        ),
        (
            format!("{symmetric}2 2 1\n1 2 1\n"),
            "line 3: entry (1, 2) is above the diagonal; a symmetric file has the lower half only",
        ),
    ] {
        assert_eq!(market::read(&text).unwrap_err().to_string(), message);
    }
}

/// Next to nothing is written of it, and nothing is computed.
#[test]
fn a_matrix_that_is_far_too_large_is_refused_by_its_sizes() {
    use cp2_emu::MachineConfig;
    use cp2_procedures::sparse::ProductPlan;
    let plan = |text: &str, size: &str| {
        let mut config = MachineConfig::preset("vm7").unwrap();
        config.apply_set(size).unwrap();
        ProductPlan::best(&config, &market::read(text).unwrap(), |_| true).unwrap_err().to_string()
    };
    let head = "%%MatrixMarket matrix coordinate real general\n";
    let square = format!("{head}10000000 10000000 1\n1 1 1.0\n");
    let told = plan(&square, "memory.size_mib=2048");
    assert!(told.contains("must be at most 4294967296; split the matrix"), "{told}");
    let tall = format!("{head}10000000 10 1\n1 1 1.0\n");
    let told = plan(&tall, "memory.size_mib=64");
    assert!(told.contains("the arrays need 80000040 bytes"), "{told}");
}
