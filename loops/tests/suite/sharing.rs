//! Examples of locality with known classes.

use crate::kit::nest;
use crate::nests as n;
use cp2_loops::locality::{NestLocality, SharingTheorem, ThreadAxes, axis_orders};
use cp2_loops::sample_parameters;
use cp2_loops::sets::IslLibrary;
use cp2_loops::threads::{NestAnalysis, StorageRule};

const PRODUCT_BY_DIAGONALS: &str = "
void polynomial(int N, float C[2 * N + 1], const float A[N + 1], const float B[N + 1]) {
  for (int d = 0; d <= 2 * N; d++)
    for (int i = max(0, d - N); i <= min(N, d); i++)
      C[d] += A[i] * B[d - i];
}";

const REVERSED: &str = "
void reversed(int N, float b[N + 1], const float a[N + 1]) {
  for (int i = 0; i <= N; i++)
    b[i] = a[N - i];
}";

const STRIDE: &str = "
void stride(int N, float b[N + 1], const float a[2 * N + 1]) {
  for (int i = 0; i <= N; i++)
    b[i] = a[2 * i];
}";

const LU: &str = "
void lu(int N, float a[N][N]) {
  for (int k = 0; k < N; k++)
    for (int i = k + 1; i < N; i++)
      for (int j = k + 1; j < N; j++)
        a[i][j] -= a[i][k] * a[k][j];
}";

const FLOYD_DIAGONAL: &str = "
void block(int r, float a[r][r]) {
  for (int k = 0; k < r; k++)
    for (int i = 0; i < r; i++)
      for (int j = 0; j < r; j++)
        a[i][j] = fminf(a[i][j], a[i][k] + a[k][j]);
}";

const OWN_ADDRESS: &str = "
void diagonal(int N, float b[N][N], float d[N]) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++)
      b[i][j] = 1.0f;
    d[i] = b[i][i];
  }
}";

fn located<T>(text: &str, threads: &[&str], look: impl Fn(&NestLocality) -> T) -> T {
    let (nest, library) = (nest(text), IslLibrary::default());
    let analysis = NestAnalysis::new(&nest, &library).unwrap();
    let axes = ThreadAxes::of_loops(&nest, threads).unwrap();
    let sample = sample_parameters(&nest).pop().unwrap();
    look(&NestLocality::new(&analysis, axes, &sample).unwrap())
}

/// Returns the classes of all occurrences, in the order of the text.
fn classes(text: &str, threads: &[&str]) -> String {
    located(text, threads, |locality| {
        let letters: Vec<_> = locality.occurrences.iter().map(|one| one.class.letters()).collect();
        letters.join(" ")
    })
}

#[test]
fn classes_are_the_known_ones() {
    // Occurrences: what is written, then what is read, in the order of the text.
    let known: &[(&str, &[&str], &str)] = &[
        (n::FLOYD_BLOCK, &["i", "j"], "P P - B"),
        (n::FLOYD_BLOCK, &["j", "i"], "PL PL B L"),
        (n::FLOYD_ROWS, &["j"], "PL PL B PL"),
        (n::FLOYD_COLUMNS, &["i"], "P P P B"),
        (n::PRODUCT, &["i", "j"], "P P - B"),
        (n::PRODUCT, &["j", "i"], "PL PL B L"),
        (PRODUCT_BY_DIAGONALS, &["d"], "PL PL B L"),
        (n::MATRIX_VECTOR, &["i"], "PL PL P B"),
        (n::FIR, &["n"], "PL PL B L"),
        (n::TRANSPOSE, &["i", "j"], "PL P"),
        (n::TRANSPOSE, &["j", "i"], "P PL"),
        (n::FIVE_POINTS, &["j", "i"], "PL L L L L L"),
        (n::FIVE_POINTS, &["i", "j"], "P - - - - -"),
        (n::TRIANGULAR_RIGHT_SIDES, &["r"], "PL PL B PL"),
        (REVERSED, &["i"], "PL P"),
        (STRIDE, &["i"], "PL P"),
        (n::SUM, &["i"], "- - PL"),
        (LU, &["i", "j"], "- - - B"),
        (LU, &["j", "i"], "L L B L"),
    ];
    let found: Vec<_> = known.iter().map(|(text, threads, _)| classes(text, threads)).collect();
    let expected: Vec<_> = known.iter().map(|(.., letters)| (*letters).to_owned()).collect();
    assert_eq!(found, expected);
}

#[test]
fn the_block_of_floyd_and_warshall_has_its_matrices() {
    located(n::FLOYD_BLOCK, &["i", "j"], |locality| {
        let matrices: Vec<_> = locality.occurrences.iter().map(|one| one.matrix.clone()).collect();
        let own = vec![vec![0, 1, 0], vec![0, 0, 1]];
        let rows = vec![vec![0, 1, 0], vec![1, 0, 0]];
        let columns = vec![vec![1, 0, 0], vec![0, 0, 1]];
        assert_eq!(matrices, [own.clone(), own, rows, columns]);
        let [source] = &locality.occurrences[1].sources[..] else { panic!("one source") };
        assert_eq!(source.matrix, [[1, 0, 0], [0, 1, 0], [0, 0, 1]]);
        let constants: Vec<_> = source.free.iter().map(|row| *row.last().unwrap()).collect();
        assert_eq!(constants, [-1, 0, 0]);
        for one in &locality.occurrences[2..] {
            assert_eq!(one.sources, []);
        }
    });
}

#[test]
fn a_broadcast_may_have_been_written_in_the_block() {
    located(LU, &["i", "j"], |locality| {
        let one = &locality.occurrences[3];
        assert_eq!(one.class.broadcast, Some(SharingTheorem::SameOrigin));
        assert_eq!(one.sources[0].matrix, [[1, 0, 0], [1, 0, 0], [0, 0, 1]]);
        let constants: Vec<_> =
            one.sources[0].free.iter().map(|row| *row.last().unwrap()).collect();
        assert_eq!(constants, [-1, 0, 0]);
        assert!(!one.mixes_origins);
    });
}

#[test]
fn the_diagonal_block_has_one_address_and_two_origins() {
    located(FLOYD_DIAGONAL, &["i", "j"], |locality| {
        let one = &locality.occurrences[3];
        assert_eq!(one.class.broadcast, Some(SharingTheorem::SameOrigin));
        assert!(one.mixes_origins && one.sources.len() == 2, "{:?}", one.sources);
    });
}

#[test]
fn what_was_there_before_is_an_origin() {
    let text = "void f(int N, float y[N][N], float x[N], const float z[N]) {
      for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
          if (i == 2) x[j] = z[j];
          y[i][j] = x[j];
        }
    }";
    located(text, &["i", "j"], |locality| {
        let one = &locality.occurrences[3];
        assert_eq!(one.class.broadcast, Some(SharingTheorem::SameOrigin));
        assert!(one.mixes_origins);
    });
}

#[test]
fn the_best_order_leads_along_rows() {
    for text in [n::FLOYD_BLOCK, n::PRODUCT] {
        let (nest, library) = (nest(text), IslLibrary::default());
        let analysis = NestAnalysis::new(&nest, &library).unwrap();
        let plan = analysis.threads(StorageRule::Kept).unwrap();
        let sample = sample_parameters(&nest).pop().unwrap();
        let axes = ThreadAxes::of_plan(&nest, &plan);
        let orders = axis_orders(&analysis, &axes, &sample).unwrap();
        assert!(orders[0].axes.names[0].starts_with('j'), "{:?}", orders[0].axes.names);
        assert!(orders[0].cost() < orders[1].cost());
    }
}

#[test]
fn residues_tell_whether_interleaving_serves_all() {
    let residues = |text: &str, threads: &[&str], array: usize, parameters: &[i64]| {
        let (nest, library) = (nest(text), IslLibrary::default());
        let analysis = NestAnalysis::new(&nest, &library).unwrap();
        let axes = ThreadAxes::of_loops(&nest, threads).unwrap();
        let locality = NestLocality::new(&analysis, axes, parameters).unwrap();
        locality.layouts[&array].copies
    };
    assert_eq!(residues(n::PRODUCT, &["j", "i"], 2, &[8]), 1);
    assert_eq!(residues(n::FIR, &["n"], 2, &[8, 3]), 3);
    assert_eq!(residues(PRODUCT_BY_DIAGONALS, &["d"], 2, &[8]), 4);
    assert_eq!(residues(n::FIVE_POINTS, &["j", "i"], 1, &[8]), 3);
}

#[test]
fn one_address_is_not_always_enough() {
    let one_address = |text: &str, threads: &[&str], array: usize| {
        located(text, threads, |locality| locality.layouts[&array].has_one_address)
    };
    assert!(!one_address(OWN_ADDRESS, &["i"], 0));
    assert!(!one_address(FLOYD_DIAGONAL, &["i", "j"], 0));
    assert!(!one_address(n::FLOYD_ROWS, &["i", "j"], 0));
    assert!(one_address(n::FLOYD_BLOCK, &["j", "i"], 0));
    assert!(one_address(n::PRODUCT, &["j", "i"], 2));
    assert!(one_address(n::FIR, &["n"], 2));
}
