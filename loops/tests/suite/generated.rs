//! Code of threads: golden texts, and runs of the code in C beside the nest as it was written.

use crate::compiled::{expected, harness, run};
use crate::kit::nest;
use crate::nests as n;
use cp2_loops::code::{CodeDialect, CodeRefusal};
use cp2_loops::sets::IslLibrary;
use cp2_loops::threads::StorageRule;
use cp2_loops::{NestStudy, code_of_phases, sample_parameters};
use cp2_nest::Nest;

fn studied<'n>(nest: &'n Nest, library: &'n IslLibrary) -> NestStudy<'n> {
    match NestStudy::new(nest, library, StorageRule::Kept, None) {
        Ok(study) => study,
        Err(failure) => panic!("{failure:?}"),
    }
}

fn code(nest: &Nest, dialect: CodeDialect) -> Result<String, CodeRefusal> {
    studied(nest, &IslLibrary::default()).code(dialect)
}

/// Nests that have threads, with values of parameters for runs.
const RUN: [(&str, &str, &[i64]); 15] = [
    ("polynomial", n::POLYNOMIAL, &[37]),
    ("product", n::PRODUCT, &[13]),
    ("product_from_zero", n::PRODUCT_FROM_ZERO, &[13]),
    ("floyd_block", n::FLOYD_BLOCK, &[30, 8, 1, 10, 20]),
    ("floyd_rows", n::FLOYD_ROWS, &[30, 8, 1, 10]),
    ("five_points", n::FIVE_POINTS, &[11]),
    ("shifted", n::SHIFTED, &[23]),
    ("matrix_vector", n::MATRIX_VECTOR, &[9, 14]),
    ("fir", n::FIR, &[40, 7]),
    ("triangular_right_sides", n::TRIANGULAR_RIGHT_SIDES, &[9, 5]),
    ("transpose", n::TRANSPOSE, &[6, 9]),
    ("transpose_in_place", n::TRANSPOSE_IN_PLACE, &[9]),
    ("diagonal", n::DIAGONAL, &[12]),
    ("knight", n::KNIGHT, &[12]),
    ("triangle_columns", n::TRIANGLE_COLUMNS, &[9]),
];

#[test]
fn texts_are_the_known_ones() {
    for (name, text, _) in RUN {
        let nest = nest(text);
        insta::assert_snapshot!(format!("{name}_c"), code(&nest, CodeDialect::C).unwrap());
    }
    for (name, text) in [
        ("polynomial", n::POLYNOMIAL),
        ("product", n::PRODUCT),
        ("five_points", n::FIVE_POINTS),
        ("transpose_in_place", n::TRANSPOSE_IN_PLACE),
    ] {
        let nest = nest(text);
        insta::assert_snapshot!(format!("{name}_cuda"), code(&nest, CodeDialect::Cuda).unwrap());
        insta::assert_snapshot!(
            format!("{name}_opencl"),
            code(&nest, CodeDialect::OpenCl).unwrap()
        );
    }
}

#[test]
fn what_cannot_be_written_is_refused() {
    assert_eq!(code(&nest(n::FLOYD), CodeDialect::C), Err(CodeRefusal::Sequential));
    let complex = nest(
        "void scale(int N, float complex z[N], float complex s) {
           for (int i = 0; i < N; i++) z[i] = s * z[i];
         }",
    );
    assert!(matches!(code(&complex, CodeDialect::Cuda), Err(CodeRefusal::Lacks(_))));
    assert!(code(&complex, CodeDialect::C).is_ok());
    let in_loop = nest(
        "void f(int N, int M, float a[N][M], const float b[N][M]) {
           for (int i = 0; i < N; i++) {
             float t[M];
             for (int j = 0; j < M; j++) t[j] = b[i][j];
             for (int j = 1; j < M; j++) a[i][j] = t[j - 1] + t[j];
           }
         }",
    );
    let shared = nest(
        "void f(int N, float a[N]) {
           float t[N];
           for (int i = 0; i < N; i++) { t[i] = 2.0f; a[i] = t[i]; }
         }",
    );
    let taken = nest(
        "void f(int N, float f_thread[N]) { for (int i = 0; i < N; i++) f_thread[i] = 1.0f; }",
    );
    let factor = nest(
        "void f(int N, float a[2147483647]) { for (int i = 0; i < 2; i++) a[100000 * i] = 1.0f; }",
    );
    let said = |nest: &Nest, dialect| code(nest, dialect).unwrap_err().to_string();
    let all = [
        said(&in_loop, CodeDialect::Cuda),
        said(&shared, CodeDialect::OpenCl),
        said(&taken, CodeDialect::C),
        said(&factor, CodeDialect::C),
    ];
    insta::assert_snapshot!(all.join("\n"));
    assert!(code(&in_loop, CodeDialect::C).is_ok() && code(&shared, CodeDialect::C).is_ok());
}

#[test]
fn parameters_stand_as_they_are_given() {
    let text = "void axpy(int N, float y[N], float s, const float x[N]) {
      for (int i = 0; i < N; i++) y[i] = y[i] + s * x[i];
    }";
    let texts = [CodeDialect::C, CodeDialect::Cuda, CodeDialect::OpenCl];
    let texts = texts.map(|dialect| code(&nest(text), dialect).unwrap());
    insta::assert_snapshot!(texts.join("\n"));
}

/// Returns the code of the parts of a nest whose outermost loop is sequential.
fn phased(nest: &Nest, dialect: CodeDialect) -> String {
    let (phased, library) = (nest.phases().unwrap(), IslLibrary::default());
    let studies: Vec<_> = phased.phases.iter().map(|part| studied(part, &library)).collect();
    code_of_phases(&phased, nest, &studies, dialect).unwrap()
}

#[test]
fn parts_in_c_compute_what_the_nest_computes() {
    let all: [(&str, &str, &[i64]); 3] = [
        ("lu", n::LU, &[11]),
        ("jacobi", n::FIVE_POINTS_IN_TIME, &[4, 9]),
        ("floyd_in_parts", n::FLOYD_IN_PARTS, &[9]),
    ];
    for (name, text, parameters) in all {
        let nest = nest(text);
        let code = phased(&nest, CodeDialect::C);
        insta::assert_snapshot!(format!("{name}_phases_c"), code);
        insta::assert_snapshot!(format!("{name}_phases_cuda"), phased(&nest, CodeDialect::Cuda));
        let program = harness(&nest, &code, parameters);
        assert_eq!(run(name, &program), expected(&nest, parameters), "{name}\n{code}");
    }
}

#[test]
fn threads_in_c_compute_what_the_nest_computes() {
    for (name, text, parameters) in RUN {
        let nest = nest(text);
        let code = code(&nest, CodeDialect::C).unwrap();
        for parameters in sample_parameters(&nest).into_iter().chain([parameters.to_vec()]) {
            let program = harness(&nest, &code, &parameters);
            assert_eq!(
                run(name, &program),
                expected(&nest, &parameters),
                "{name} {parameters:?}\n{code}"
            );
        }
    }
}
