//! Reports as users see them.

use cp2_asm::diagnostic::Sources;
use cp2_asm::render::{Style, render_all};
use cp2_loops::report::{NestReport, to_json, to_text};
use cp2_loops::sets::IslLibrary;
use cp2_loops::threads::StorageRule;
use cp2_loops::{NestStudy, StudyFailure};
use cp2_nest::read_nest;

/// Returns the report of a text, explained; or what is wrong with it.
fn explained(text: &str) -> String {
    let mut sources = Sources::default();
    sources.add("nest.c", text.trim_start());
    let (nest, library) = (read_nest(&sources, 0).unwrap(), IslLibrary::default());
    match NestStudy::new(&nest, &library, StorageRule::Kept, None) {
        Ok(study) => to_text(&NestReport::new(&study, &sources), true),
        Err(StudyFailure::Refused(all)) => render_all(&all, &sources, Style::Plain),
        Err(StudyFailure::Internal(message)) => panic!("{message}"),
    }
}

macro_rules! golden {
    ($($name:ident: $text:expr;)+) => {
        $(#[test]
        fn $name() {
            insta::assert_snapshot!(explained($text));
        })+
    };
}

golden! {
    polynomial: crate::nests::POLYNOMIAL;
    product: crate::nests::PRODUCT_FROM_ZERO;
    floyd_block: crate::nests::FLOYD_BLOCK;
    prefix_sums: "void prefix(int N, float s[N], const float x[N]) {\n  for (int i = 1; i < N; i++)\n    s[i] = s[i - 1] + x[i];\n}\n";
    whole_floyd: crate::nests::FLOYD;
    a_swap_through_a_scalar: crate::nests::SWAP_THROUGH_A_SCALAR;
    every_second: crate::nests::EVERY_SECOND;
    neighbours: crate::nests::TWO_NEIGHBOURS;
    jacobi_in_time: crate::nests::FIVE_POINTS_IN_TIME;
    an_element_outside: "void next(int N, float b[N], const float a[N]) {\n  for (int i = 0; i < N; i++)\n    b[i] = a[i + 1] - a[i - 1];\n}\n";
    a_demand_across_dependences: "void sums(int N, int M, float s[N], const float a[N][M]) {\n  for (int i = 0; i < N; i++)\n    for (int j = 0; j < M; j++)\n      #pragma loops map(j)\n      s[i] += a[i][j];\n}\n";
    a_variable_that_is_read_first: "void f(int N, float a[N], const float b[N]) {\n  for (int i = 0; i < N; i++) {\n    float t;\n    a[i] = t;\n    t = b[i];\n  }\n}\n";
    a_variable_that_is_set_sometimes: "void f(int N, float a[N], const float b[N]) {\n  for (int i = 0; i < N; i++) {\n    float t;\n    if (i > 2)\n      t = b[i];\n    a[i] = t;\n  }\n}\n";
    conditions_that_exclude_each_other: "#pragma loops assume(N > 5 && N < 3)\nvoid f(int N, float a[N]) {\n  for (int i = 0; i < N; i++)\n    a[i] = 1.0f;\n}\n";
    a_size_below_zero: "void f(int N, float a[-5]) {\n  for (int i = 0; i < N; i++)\n    a[i] = 1.0f;\n}\n";
    a_nest_that_never_runs: "void f(int N, float a[N]) {\n  for (int i = 3; i < 2; i++)\n    a[i] = 1.0f;\n}\n";
    large_parameters_alone: "#pragma loops assume(N >= 20)\nvoid f(int N, float a[N]) {\n  for (int i = 19; i < N; i++)\n    a[i] = 1.0f;\n}\n";
    numbers_beyond_the_limit: "void f(int N, float a[N][N]) {\n  for (int i = 1; i < N; i++)\n    for (int j = 2147483646; j < N; j++)\n      a[i][j] = a[i - 1][j - 2147483646] + 1.0f;\n}\n";
    a_reason_across_loops: "void f(int N, float a[N + 1], float b[N]) {\n  for (int i = 0; i < N; i++)\n    a[i] = 1.0f;\n  for (int i = 0; i < N; i++)\n    b[i] = a[i];\n  for (int i = 0; i < N; i++)\n    a[i + 1] = b[i];\n}\n";
    an_assignment_behind_the_loop: "#pragma loops assume(N >= 1)\nvoid f(int N, float y[N + 1]) {\n  for (int i = 0; i < N; i++)\n    y[i] = 1.0f;\n  y[0] = 3.0f;\n}\n";
    a_demand_below_zero: "void shift(int N, float b[N], const float a[N]) {\n  for (int i = 0; i < N; i++)\n    #pragma loops map(i - 1)\n    b[i] = a[i];\n}\n";
}

#[test]
fn a_report_is_json_with_all_of_its_fields() {
    let mut sources = Sources::default();
    sources.add("nest.c", crate::nests::PRODUCT.trim_start());
    let (nest, library) = (read_nest(&sources, 0).unwrap(), IslLibrary::default());
    let study = NestStudy::new(&nest, &library, StorageRule::Kept, None).unwrap();
    insta::assert_snapshot!(format!("{:#}", to_json(&NestReport::new(&study, &sources))));
}
