//! Nests on CP2: sources, results on the emulator beside execution in order, cycles.

use crate::kit::nest;
use crate::nests as n;
use cp2_loops::NestStudy;
use cp2_loops::cp2::{Cp2NestRun, Mapping, cp2_source, run_on_cp2};
use cp2_loops::sets::IslLibrary;
use cp2_loops::threads::StorageRule;
use cp2_nest::{Nest, NestNumber, NestValues};
use cp2_session::{Environment, Setup};

/// Returns values of a fixed sequence.
fn values(nest: &Nest, parameters: &[i64]) -> NestValues {
    let mut values = nest.zero_values(parameters).unwrap();
    let mut state = 7_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        NestNumber::Float((state >> 8) as f32 / 16_777_216.0 - 0.5)
    };
    for scalar in &mut values.scalars {
        *scalar = next();
    }
    for data in &mut values.arrays {
        (0..data.count()).for_each(|place| data.set_element(place, next()));
    }
    values
}

/// Runs a nest on CP2 and in order; the results have to be equal bit for bit.
fn run(text: &str, parameters: &[i64]) -> Cp2NestRun {
    let (nest, library) = (nest(text), IslLibrary::default());
    let Ok(study) = NestStudy::new(&nest, &library, StorageRule::Kept, None) else {
        panic!("{text}")
    };
    let mapping = Mapping::new(&study, parameters).unwrap();
    let source = cp2_source(&mapping);
    let mut expected = values(&nest, parameters);
    let mut found = expected.clone();
    let environment = Environment::new();
    let made = run_on_cp2(&mapping, &source, Setup::default(), &environment, &mut found);
    let made = made.unwrap_or_else(|refusal| panic!("{}\n{}", refusal.message, source.text));
    nest.execute(&mut expected, 10_000_000).unwrap();
    assert!(found.has_bits_of(&expected), "{found:?}\n{expected:?}\n{}", source.text);
    assert!(made.cycles >= made.bound, "{made:?}\n{}", source.text);
    made
}

const SCALED: &str = "
void scaled(int N, int M, float y[N][M], const float x[N][M], const float z[M], float s) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      y[i][j] = -s * x[i][j] + fabsf(z[j] - 0.25f);
}";

#[test]
fn results_are_those_of_the_nest() {
    run(n::PRODUCT, &[24]);
    run(n::PRODUCT_FROM_ZERO, &[13]);
    run(n::MATRIX_VECTOR, &[70, 19]);
    run(n::FIR, &[100, 9]);
    run(n::FIVE_POINTS, &[17]);
    run(n::TRANSPOSE, &[6, 9]);
    run(n::OUTPUT_ONLY, &[20, 3]);
    run(SCALED, &[5, 33]);
    let matrices = "void f(int N, float C[N][N], const float A[N][N], const float B[N][N]) { for (int i = 0; i < N; i++) for (int j = 0; j < N; j++)";
    run(
        &format!(
            "{matrices} for (int k = 0; k < N; k++) C[i][j] = C[i][j] + A[i][k] * B[k][j]; }}"
        ),
        &[9],
    );
    run(&format!("{matrices} C[i][j] = C[i][j] * A[i][j]; }}"), &[9]);
    run(&format!("{matrices} C[i][j] = A[i][j] - C[i][j]; }}"), &[9]);
    run(&format!("{matrices} C[i][j] += C[i][j] * A[i][j]; }}"), &[9]);
}

#[test]
fn cycles_are_near_the_bound() {
    let product = run(n::PRODUCT_FROM_ZERO, &[48]);
    assert!(product.bound * 100 >= product.cycles * 60, "{product:?}");
    insta::assert_snapshot!(format!(
        "product of 48: {:?}\nfir of 200 with 32: {:?}\nstencil of 40: {:?}\n",
        product,
        run(n::FIR, &[200, 32]),
        run(n::FIVE_POINTS, &[40]),
    ));
}

#[test]
fn a_source_is_the_known_one() {
    let (nest, library) = (nest(n::PRODUCT_FROM_ZERO), IslLibrary::default());
    let Ok(study) = NestStudy::new(&nest, &library, StorageRule::Kept, None) else { panic!() };
    insta::assert_snapshot!(cp2_source(&Mapping::new(&study, &[16]).unwrap()).text);
}

#[test]
fn what_cp2_lacks_is_refused() {
    let refused = |text: &str, parameters: &[i64]| {
        let (nest, library) = (nest(text), IslLibrary::default());
        let Ok(study) = NestStudy::new(&nest, &library, StorageRule::Kept, None) else { panic!() };
        Mapping::new(&study, parameters).unwrap_err().message
    };
    let all = [
        refused(n::SUM, &[8]),
        refused(n::POLYNOMIAL, &[8]),
        refused(n::FLOYD_BLOCK, &[30, 8, 1, 10, 20]),
        refused(n::TRIANGULAR_RIGHT_SIDES, &[8, 8]),
        refused("void f(int N, double x[N]) { for (int i = 0; i < N; i++) x[i] = x[i]; }", &[8]),
        refused("void f(int N, float x[N]) { for (int i = 0; i < N; i++) x[i] = i; }", &[8]),
        refused("void f(int N, float x[N]) { for (int i = 0; i < N; i++) x[i] = 0.5; }", &[8]),
        refused(
            "void f(int N, float x[N]) { for (int i = 0; i < N; i++) x[i] = fabs(x[i]); }",
            &[8],
        ),
        refused(n::PRODUCT, &[0]),
    ];
    insta::assert_snapshot!(all.join("\n"));
}
