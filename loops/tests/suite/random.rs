//! Random nests with bounds of their own in each part: the code of their threads in C beside the nest in order.

use crate::compiled::{expected, harness, run};
use crate::kit::nest;
use cp2_loops::NestStudy;
use cp2_loops::code::CodeDialect;
use cp2_loops::sets::IslLibrary;
use cp2_loops::threads::StorageRule;

/// Random choices of a fixed sequence.
struct Choices(u64);

impl Choices {
    fn of<'c>(&mut self, all: &[&'c str]) -> &'c str {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        all[(self.0 >> 33) as usize % all.len()]
    }
}

const UPPER: [&str; 6] = ["N", "M", "N - 1", "M + 1", "N + M", "min(N, M)"];

/// Returns a loop, perhaps with another one below it, over arrays that are large enough for all bounds.
fn part(choices: &mut Choices) -> String {
    let first = choices.of(&["0", "1", "2"]);
    let head = format!("for (int i = {first}; i < {}; i++)", choices.of(&UPPER));
    let (to, from) = (choices.of(&["x", "y"]), choices.of(&["x", "y", "c"]));
    let shift = choices.of(&["", " + 1"]);
    let guard = choices.of(&["", "", "if (i < M) ", "if (i == 2 || i > 3) "]);
    match choices.of(&["flat", "flat", "deep", "triangle"]) {
        "flat" => format!("  {head} {guard}{to}[i] = {from}[i{shift}] * 0.5f + 1.0f;\n"),
        "deep" => format!(
            "  {head} for (int j = 0; j < {}; j++) {guard}a[i][j] = a[i][j] * 0.5f + {from}[j{shift}];\n",
            choices.of(&UPPER)
        ),
        _ => format!(
            "  {head} {guard}for (int j = i; j < {}; j++) a[i][j] += {from}[i];\n",
            choices.of(&UPPER)
        ),
    }
}

#[test]
fn threads_of_random_nests_compute_what_the_nests_compute() {
    let mut written = 0;
    for seed in 0..16 {
        let mut choices = Choices(seed * 7919 + 1);
        let parts: String = (0..2 + seed % 2).map(|_| part(&mut choices)).collect();
        let size = "2 * N + 2 * M + 4";
        let text = format!(
            "#pragma loops assume(N >= 0 && M >= 0)\nvoid f(int N, int M, float x[{size}], float y[{size}], const float c[{size}], float a[{size}][{size}]) {{\n{parts}}}\n"
        );
        let (nest, library) = (nest(&text), IslLibrary::default());
        let Ok(study) = NestStudy::new(&nest, &library, StorageRule::Kept, None) else {
            panic!("{text}")
        };
        if study.plan.is_sequential() {
            continue;
        }
        let code = study.code(CodeDialect::C).unwrap();
        written += 1;
        for parameters in [[0, 1], [5, 2], [4, 7]] {
            let program = harness(&nest, &code, &parameters);
            let name = format!("random-{seed}-{}", parameters[0]);
            assert_eq!(
                run(&name, &program),
                expected(&nest, &parameters),
                "{text} {parameters:?}\n{code}"
            );
        }
    }
    assert!(written >= 5, "{written}");
}

#[test]
fn threads_reach_as_far_as_the_longest_part() {
    let text = "void f(int N, int M, float x[N], float y[M]) {
  for (int i = 0; i < N; i++) x[i] = 1.0f;
  for (int j = 0; j < M; j++) y[j] = 2.0f;
}";
    let (nest, library) = (nest(text), IslLibrary::default());
    let Ok(study) = NestStudy::new(&nest, &library, StorageRule::Kept, None) else { panic!() };
    for (dialect, bound) in [
        (CodeDialect::C, "ID <= max(N - 1, M - 1)"),
        (CodeDialect::Cuda, "(max(N - 1, M - 1) + 512) / 512"),
    ] {
        let code = study.code(dialect).unwrap();
        assert!(code.contains(bound), "{code}");
    }
}

#[test]
fn an_assignment_that_never_runs_gives_no_threads() {
    let text = "void f(int N, float a[N][N], float b[N]) {
  for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 3; k < 2; k++) b[i] = 1.0f;
  for (int i = 1; i < N; i++) for (int j = 2; j < N; j++) a[i][j] = a[i - 1][j - 2] + 1.0f;
}";
    let (nest, library) = (nest(text), IslLibrary::default());
    let Ok(study) = NestStudy::new(&nest, &library, StorageRule::Kept, None) else { panic!() };
    assert_eq!(study.plan.dimensions, 1);
    assert!(!study.checks.is_empty() && study.checks.iter().all(|check| check.threads > 1));
}
