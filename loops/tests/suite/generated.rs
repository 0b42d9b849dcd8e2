//! Code of threads: golden texts, and runs of the code in C beside the nest as it was written.

use crate::kit::nest;
use crate::nests as n;
use cp2_loops::code::{CodeDialect, CodeRefusal};
use cp2_loops::sets::IslLibrary;
use cp2_loops::threads::StorageRule;
use cp2_loops::{NestStudy, code_of_phases, sample_parameters};
use cp2_nest::{Nest, NestData, NestNumber};
use std::process::Command;

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
}

/// Numbers of a fixed sequence, as the harness in C has them too.
struct Sequence(u32);

impl Sequence {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / 16_777_216.0 - 0.5
    }
}

/// Returns what memory holds after a run in order, in the words that the harness prints.
fn expected(nest: &Nest, parameters: &[i64]) -> String {
    let mut values = nest.zero_values(parameters).unwrap();
    let mut sequence = Sequence(1);
    let given = nest.arrays.iter().zip(&mut values.arrays).filter(|(one, _)| one.local.is_none());
    for (_, data) in given {
        for place in 0..data.count() {
            data.set_element(place, NestNumber::Float(sequence.next()));
        }
    }
    nest.execute(&mut values, 1_000_000).unwrap();
    let mut text = String::new();
    for (one, data) in nest.arrays.iter().zip(&values.arrays) {
        let NestData::Float(all) = data else { panic!("floats") };
        if one.local.is_none() {
            for value in all {
                text += &format!("{:08x}\n", value.to_bits());
            }
        }
    }
    text
}

/// Returns a program that runs threads in C and prints the arrays. `order` says in which way it goes over the threads.
fn harness(nest: &Nest, code: &str, parameters: &[i64]) -> String {
    let mut text =
        format!("#include <stdio.h>\n#include <string.h>\n{code}\nstatic unsigned seed = 1;\n");
    text += "static float next(void) { seed = seed * 1664525u + 1013904223u; return (seed >> 8) / 16777216.0f - 0.5f; }\n";
    text += "int main(void) {\n";
    for (one, value) in nest.parameters.iter().zip(parameters) {
        text += &format!("  int {} = {value};\n", one.name);
    }
    let arrays: Vec<_> = nest.arrays.iter().filter(|one| one.local.is_none()).collect();
    let sizes = |one: &cp2_nest::NestArray| {
        one.sizes.iter().map(|form| format!("({})", nest.form_text(form))).collect::<Vec<_>>()
    };
    for one in &arrays {
        let (name, count) = (&one.name.name, sizes(one).join(" * "));
        text += &format!(
            "  float {name}_[{count}]; for (int q = 0; q < {count}; q++) {name}_[q] = next();\n"
        );
    }
    let names = nest.parameters.iter().map(|one| one.name.clone());
    let arguments = names.chain(arrays.iter().map(|one| format!("(void *){}_", one.name.name)));
    text += &format!("  {}({});\n", nest.name, arguments.collect::<Vec<_>>().join(", "));
    for one in &arrays {
        let (name, count) = (&one.name.name, sizes(one).join(" * "));
        text += &format!(
            "  for (int q = 0; q < {count}; q++) {{ unsigned u; memcpy(&u, {name}_ + q, 4); printf(\"%08x\\n\", u); }}\n"
        );
    }
    text + "}\n"
}

/// Compiles a program with gcc and runs it; returns what it prints.
fn run(name: &str, program: &str) -> String {
    let folder = std::env::temp_dir().join(format!("cp2-loops-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (source, binary) = (folder.join("main.c"), folder.join("main"));
    std::fs::write(&source, program).unwrap();
    let made = Command::new("gcc")
        .args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"])
        .args(["-Wno-unused-parameter", "-ffp-contract=off", "-o"])
        .args([&binary, &source])
        .arg("-lm")
        .output()
        .unwrap();
    assert!(made.status.success(), "{program}\n{}", String::from_utf8_lossy(&made.stderr));
    let ran = Command::new(&binary).output().unwrap();
    assert!(ran.status.success());
    std::fs::remove_dir_all(&folder).unwrap();
    String::from_utf8(ran.stdout).unwrap()
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
