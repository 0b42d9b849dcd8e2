//! What is read: forms, bounds, conditions, occurrences and positions.

use cp2_asm::diagnostic::Sources;
use cp2_nest::{Nest, NestCondition, NestTransformation, read_nest};

pub(crate) fn nest(text: &str) -> Nest {
    let mut sources = Sources::default();
    sources.add("nest.c", text);
    read_nest(&sources, 0).unwrap_or_else(|problems| {
        panic!("{}", cp2_asm::render::render_all(&problems, &sources, Default::default()))
    })
}

pub(crate) const POLYNOMIAL: &str = "
// Product of two polynomials of degree N.
#include <math.h>
#pragma loops assume(N >= 1)
void polynomial(int N, float C[2 * N + 1], const float A[N + 1], const float B[N + 1]) {
  int i, k;
  for (i = 0; i <= N; i++)
    for (k = 0; k <= N; k++) {
      if (i == 0 || k == 0) C[i - k + N] = A[i] * B[-k + N];
      if (i != 0 && k != 0) C[i - k + N] = C[i - k + N] + A[i] * B[-k + N];
    }
}
";

#[test]
fn the_product_of_polynomials_is_read() {
    let nest = nest(POLYNOMIAL);
    assert_eq!(nest.name, "polynomial");
    assert_eq!(nest.loops.len(), 2);
    let text = |form| nest.form_text(form);
    assert_eq!(text(&nest.arrays[0].sizes[0]), "2*N + 1");
    assert_eq!(nest.statements.len(), 2);
    let second = &nest.statements[1];
    let accesses: Vec<_> = second.accesses.iter().map(|access| nest.access_text(access)).collect();
    assert_eq!(accesses, ["C[i + N - k]", "C[i + N - k]", "A[i]", "B[N - k]"]);
    assert_eq!(second.position, [0, 0, 1]);
    assert_eq!(nest.statements[0].position, [0, 0, 0]);
    assert!(matches!(&nest.statements[0].guards[0], NestCondition::Any(both) if both.len() == 2));
    assert_eq!(nest.context.len(), 1);
}

#[test]
fn bounds_are_maxima_and_minima() {
    let nest = nest(
        "void band(int N, int W, float a[N][N]) {
           for (int i = 0; i < N; ++i)
             for (int j = max(0, i - W); j < min(N, i + W) + 1 && j <= N - 1; j = j + 1)
               a[i][j] = 1.0f;
         }",
    );
    let texts = |forms: &[_]| forms.iter().map(|form| nest.form_text(form)).collect::<Vec<_>>();
    assert_eq!(texts(&nest.loops[1].lower), ["0", "i - W"]);
    assert_eq!(texts(&nest.loops[1].upper), ["N", "i + W", "N - 1"]);
}

#[test]
fn what_a_loop_declares_is_new_in_each_iteration() {
    let nest = nest(
        "void swap(int N, float a[N], float b[N]) {
           #pragma loops forbid(expand, tile)
           for (int i = 0; i < N; i++) {
             float t = a[i];
             #pragma loops map(i)
             a[i] = b[i];
             b[i] = t;
           }
         }",
    );
    assert_eq!(nest.arrays[2].local, Some(vec![0]));
    assert_eq!(nest.full_subscripts(&nest.statements[0].accesses[0]).len(), 1);
    assert_eq!(nest.forbidden, [NestTransformation::Expand, NestTransformation::Tile]);
    assert!(nest.statements[1].demanded.is_some() && nest.statements[2].demanded.is_none());
}

#[test]
fn pragmas_of_other_tools_are_passed_over() {
    let nest = nest(
        "void zero(int N, double a[N]) {
           #pragma omp parallel for
           for (int i = 0; i < N; i++) { a[i] = 0; }
         }",
    );
    assert_eq!(nest.statements.len(), 1);
}
