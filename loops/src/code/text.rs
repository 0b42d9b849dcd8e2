//! Code of threads as a text: C with a function for one thread, a kernel of CUDA with its launch, a kernel of OpenCL C.

use super::dialect::CodeDialect;
use super::limits::{check, check_whole};
use super::refusal::CodeRefusal;
use super::scan::{ScanNode, ThreadScan};
use super::writer::{CodePart, Writer};
use cp2_nest::{AffineForm, Nest, ScalarType};

/// A loop around all parts, which stays sequential.
#[derive(Clone, Copy, Debug)]
pub struct OuterLoop<'p> {
    /// Nest that has the loop.
    pub nest: &'p Nest,
    /// Number of the loop.
    pub number: usize,
}

/// Returns the code of the threads of a nest.
///
/// # Errors
/// The nest has one thread, or the language lacks something.
pub fn thread_code(
    nest: &Nest,
    scan: &ThreadScan,
    dialect: CodeDialect,
) -> Result<String, CodeRefusal> {
    check_whole(nest, dialect)?;
    check(nest, scan, dialect)?;
    let mut text = head(nest, &[CodePart { nest, scan }], dialect);
    let mut writer = Writer::new(CodePart { nest, scan }, dialect, nest.name.clone());
    writer.function();
    if dialect != CodeDialect::OpenCl {
        writer.whole(nest);
        writer.depth += 1;
        writer.run();
        writer.depth -= 1;
        writer.line("}");
    }
    text += &writer.text;
    Ok(text)
}

/// Returns the code of parts that run one after the other in each iteration of a loop: all threads of a part end before those of
/// the next begin.
///
/// # Errors
/// A part has one thread, or the language lacks something.
pub fn phased_code(
    outer: OuterLoop<'_>,
    parts: &[CodePart<'_>],
    dialect: CodeDialect,
) -> Result<String, CodeRefusal> {
    for part in parts {
        check(part.nest, part.scan, dialect)?;
    }
    check_whole(outer.nest, dialect)?;
    let mut text = head(outer.nest, parts, dialect);
    let mut calls = String::new();
    let mut last = None;
    for (number, part) in parts.iter().enumerate() {
        let name = format!("{}_{}", outer.nest.name, number + 1);
        let mut writer = Writer::new(*part, dialect, name);
        writer.function();
        text += &writer.text;
        text.push('\n');
        writer.text.clear();
        writer.depth = 2;
        writer.run();
        calls += &writer.text;
        writer.text.clear();
        writer.depth = 0;
        last = Some(writer);
    }
    let Some(mut writer) = last.filter(|_| dialect != CodeDialect::OpenCl) else { return Ok(text) };
    writer.whole(outer.nest);
    writer.depth += 1;
    let of = &outer.nest.loops[outer.number];
    let texts = |forms: &[AffineForm]| {
        forms.iter().map(|form| outer.nest.form_text(form)).collect::<Vec<_>>()
    };
    let fold = |function: &str, texts: Vec<String>| {
        texts
            .into_iter()
            .reduce(|all, next| format!("{function}({all}, {next})"))
            .unwrap_or_default()
    };
    let (index, lower) = (&of.name.name, fold("max", texts(&of.lower)));
    let upper = fold("min", texts(&of.upper));
    writer.line(&format!("for (int {index} = {lower}; {index} <= {upper}; {index}++) {{"));
    writer.text += &calls;
    writer.line("}");
    writer.depth -= 1;
    writer.line("}");
    Ok(text + &writer.text)
}

/// Returns what stands before the functions.
fn head(nest: &Nest, parts: &[CodePart<'_>], dialect: CodeDialect) -> String {
    let divides = |part: &CodePart<'_>| {
        part.scan.body.iter().any(ScanNode::divides)
            || part.scan.last.iter().flatten().flatten().any(|bound| bound.divisor != 1)
    };
    let has = |kind| nest.arrays.iter().any(|one| one.kind == kind);
    let mut text = match dialect {
        CodeDialect::C => {
            let complex = if has(ScalarType::Complex) { "#include <complex.h>\n" } else { "" };
            format!(
                "{complex}#include <math.h>\n\n#ifndef max\n#define max(a, b) ((a) > (b) ? (a) : (b))\n\
                 #define min(a, b) ((a) < (b) ? (a) : (b))\n#endif\n"
            )
        }
        CodeDialect::OpenCl if has(ScalarType::Double) => {
            "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n".to_owned()
        }
        CodeDialect::Cuda | CodeDialect::OpenCl => String::new(),
    };
    if parts.iter().any(divides) {
        let word = match dialect {
            CodeDialect::C => "static inline",
            CodeDialect::Cuda => "static __host__ __device__",
            CodeDialect::OpenCl => "static",
        };
        for (name, value) in [
            ("floor_div", "a >= 0 ? a / b : -((b - 1 - a) / b)"),
            ("ceil_div", "a > 0 ? (a + b - 1) / b : -(-a / b)"),
        ] {
            text += &format!("{word} int {name}(int a, int b) {{ return {value}; }}\n");
        }
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}
