//! Code in C, compiled with gcc and run, and what the nest in order leaves in memory.

use cp2_nest::{Nest, NestData, NestNumber};
use std::process::Command;

/// Numbers of a fixed sequence, as the harness in C has them too.
struct Sequence(u32);

impl Sequence {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / 16_777_216.0 - 0.5
    }
}

/// Returns what memory holds after a run in order, in the words that the harness prints.
pub(crate) fn expected(nest: &Nest, parameters: &[i64]) -> String {
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
pub(crate) fn harness(nest: &Nest, code: &str, parameters: &[i64]) -> String {
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
pub(crate) fn run(name: &str, program: &str) -> String {
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
