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
