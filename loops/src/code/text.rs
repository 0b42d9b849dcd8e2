//! Code of threads as a text: C with a function for one thread, a kernel of CUDA with its launch, a kernel of OpenCL C.

use super::dialect::CodeDialect;
use super::scan::{ScanNode, ThreadScan};
use super::writer::{CodePart, Writer};
use crate::sets::SetError;
use cp2_nest::{AffineForm, Nest, ScalarType};

/// Reason why a nest is not written in a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeRefusal {
    /// The library of sets gives no answer.
    Sets(SetError),
    /// The nest has one thread.
    Sequential,
    /// The language lacks what the nest needs; what that is.
    Lacks(String),
}

impl From<SetError> for CodeRefusal {
    fn from(error: SetError) -> Self {
        Self::Sets(error)
    }
}

impl std::fmt::Display for CodeRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sets(error) => error.fmt(f),
            Self::Sequential => {
                f.write_str("the nest has one thread, so there is no parallel code")
            }
            Self::Lacks(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for CodeRefusal {}

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

/// Refuses what a language lacks.
fn check(nest: &Nest, scan: &ThreadScan, dialect: CodeDialect) -> Result<(), CodeRefusal> {
    if scan.dimensions == 0 {
        return Err(CodeRefusal::Sequential);
    }
    let is_device = dialect != CodeDialect::C;
    if is_device && scan.dimensions > 3 {
        let dimensions = scan.dimensions;
        let lacks = format!("a grid has at most 3 dimensions, and the threads have {dimensions}");
        return Err(CodeRefusal::Lacks(lacks));
    }
    let arrays = nest.arrays.iter().map(|one| (one.kind, &one.name.name));
    let mut all = arrays.chain(nest.scalars.iter().map(|one| (one.kind, &one.name.name)));
    let complex = all.find(|(kind, _)| *kind == ScalarType::Complex);
    if let (true, Some((_, name))) = (is_device, complex) {
        let lacks = format!("`{name}` is complex, and kernels have float and double alone");
        return Err(CodeRefusal::Lacks(lacks));
    }
    Ok(())
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
