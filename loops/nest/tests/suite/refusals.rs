//! What lies outside of the subset, as users see it.

use cp2_asm::diagnostic::Sources;
use cp2_asm::render::{Style, render_all};
use cp2_nest::read_nest;

/// Returns the diagnostics of a body of a function with arrays `x`, `y` and `c` of N elements, and `a` of N rows.
fn refused(body: &str) -> String {
    let text = format!(
        "void f(int N, int M, float x[N], float y[N], const float c[N], float a[N][M], float s) {{\n{body}\n}}\n"
    );
    let mut sources = Sources::default();
    sources.add("nest.c", text);
    let problems = read_nest(&sources, 0).unwrap_err();
    render_all(&problems, &sources, Style::Plain)
}

macro_rules! golden {
    ($($name:ident: $body:literal;)+) => {
        $(#[test]
        fn $name() {
            insta::assert_snapshot!(refused($body));
        })+
    };
}

golden! {
    an_index_out_of_an_array: "  for (int i = 0; i < N; i++)\n    y[i] += x[c[i]];";
    a_bound_out_of_an_array: "  for (int i = 0; i < N; i++)\n    for (int k = c[i]; k < c[i + 1]; k++)\n      y[i] += x[k];";
    a_product_of_an_index_and_a_size: "  for (int i = 0; i < N; i++)\n    for (int j = 0; j < M; j++)\n      x[i * M + j] = 0.0f;";
    a_static_variable: "  for (int i = 0; i < N; i++) {\n    static float t;\n    x[i] = t;\n    t = c[i];\n  }";
    an_unsigned_number: "  for (int i = 0; i < N; i++)\n    if (i - 3 < 2u)\n      x[i] = 1.0f;";
    an_unsigned_index: "  for (unsigned i = 0; i <= N - 1; i++)\n    x[i] = 1.0f;";
    an_index_in_its_own_bound: "  for (int i = 0; i < N; i++)\n    for (int i = 0; i < N - i; i++)\n      x[i] = 1.0f;";
    a_word_of_c_as_a_name: "  for (int volatile = 0; volatile < N; volatile++)\n    x[volatile] = 1.0f;";
    a_product_of_indices: "  for (int i = 0; i < N; i++)\n    for (int j = 0; j < i * i; j++)\n      x[i * j] = 0.0f;";
    a_quotient: "  for (int i = 0; i < N; i++)\n    y[i] = x[i / 2];";
    a_remainder: "  for (int i = 0; i < N; i++)\n    y[i] = x[i % 4];";
    a_power: "  for (int i = 0; i < N; i++)\n    y[i] = x[i + (1 << M)];";
    a_condition_on_data: "  for (int i = 0; i < N; i++)\n    if (x[i] > 0)\n      y[i] = x[i];";
    a_choice_by_data: "  for (int i = 0; i < N; i++)\n    y[i] = x[i] > s ? x[i] : s;";
    a_loop_that_goes_down: "  for (int i = N - 1; i >= 0; i--)\n    y[i] = x[i];";
    a_stride: "  for (int i = 0; i < N; i += 2)\n    y[i] = x[i];";
    an_unknown_loop: "  while (s > 0)\n    y[0] = x[0];";
    a_call: "  for (int i = 0; i < N; i++)\n    printf(x[i]);";
    an_unknown_function: "  for (int i = 0; i < N; i++)\n    y[i] = sqrtd(x[i]);";
    a_changed_number: "  for (int i = 0; i < N; i++)\n    s += x[i];";
    a_changed_index: "  for (int i = 0; i < N; i++) {\n    y[i] = x[i];\n    i += 1;\n  }";
    a_missing_index: "  for (int i = 0; i < N; i++)\n    a[i] = 0.0f;";
    a_pointer: "  float *p = x;";
    a_late_declaration: "  for (int i = 0; i < N; i++)\n    z[i] = x[i];";
    mistakes_of_several_statements: "  for (int i = 0; i < K; i++)\n    x[i] = 1.0f;\n  for (int i = 0; i < N; i++)\n    x[i] = y[j];";
    a_demand_without_an_assignment: "  #pragma loops map(i)\n  for (int i = 0; i < N; i++)\n    x[i] = 1.0f;";
    a_nearly_right_pragma: "  #pragma loop forbid(tile)\n  for (int i = 0; i < N; i++)\n    x[i] = 1.0f;";
}
