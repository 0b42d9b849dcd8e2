//! What a language of code lacks for a nest, names that the code takes, and numbers that an int does not hold.

use super::dialect::CodeDialect;
use super::refusal::CodeRefusal;
use super::scan::{LoopBound, ScanNode, ThreadScan};
use cp2_nest::{Nest, ScalarType};

/// Greatest coefficient of an index or parameter in code, which computes in int.
const GREATEST_FACTOR: u64 = 1 << 16;

/// Names of functions and macros that code has.
const NAMES: [&str; 14] = [
    "max",
    "min",
    "floor_div",
    "ceil_div",
    "fabs",
    "fabsf",
    "sqrt",
    "sqrtf",
    "fmin",
    "fminf",
    "fmax",
    "fmaxf",
    "I",
    "size_t",
];

/// Words of CUDA C, which is C++.
const CUDA_NAMES: [&str; 28] = [
    "blockIdx",
    "blockDim",
    "threadIdx",
    "gridDim",
    "dim3",
    "class",
    "new",
    "delete",
    "this",
    "template",
    "namespace",
    "operator",
    "private",
    "public",
    "protected",
    "typename",
    "using",
    "virtual",
    "friend",
    "try",
    "catch",
    "throw",
    "and",
    "or",
    "not",
    "xor",
    "mutable",
    "explicit",
];

/// Words of OpenCL C.
const OPENCL_NAMES: [&str; 9] = [
    "kernel",
    "global",
    "local",
    "constant",
    "private",
    "half",
    "uint",
    "get_global_id",
    "event_t",
];

/// Refuses names that the code takes, and arrays that kernels cannot declare.
pub(super) fn check_whole(nest: &Nest, dialect: CodeDialect) -> Result<(), CodeRefusal> {
    let own = [format!("{}_thread", nest.name), format!("{}_kernel", nest.name)];
    let words: &[&str] = match dialect {
        CodeDialect::C => &[],
        CodeDialect::Cuda => &CUDA_NAMES,
        CodeDialect::OpenCl => &OPENCL_NAMES,
    };
    let parameters = nest.parameters.iter().map(|one| &one.name);
    let scalars = nest.scalars.iter().map(|one| &one.name.name);
    let arrays = nest.arrays.iter().map(|one| &one.name.name);
    let inner =
        parameters.chain(scalars).chain(arrays).chain(nest.loops.iter().map(|one| &one.name.name));
    let is_taken = |name: &String| {
        let is_part = name.strip_prefix(&format!("{}_", nest.name)).is_some_and(|rest| {
            rest.trim_end_matches("_thread").trim_end_matches("_kernel").parse::<usize>().is_ok()
        });
        NAMES.contains(&name.as_str())
            || words.contains(&name.as_str())
            || own.contains(name)
            || is_part
    };
    let mut all =
        inner.clone().filter(|name| **name == nest.name).chain(inner.filter(|name| is_taken(name)));
    if let Some(name) = all.next().or(Some(&nest.name).filter(|name| is_taken(name))) {
        return Err(CodeRefusal::Lacks(format!(
            "`{name}` is a name that the code has itself; give it another one"
        )));
    }
    let shared = nest.arrays.iter().find(|one| one.local.as_ref().is_some_and(Vec::is_empty));
    if let (true, Some(array)) = (dialect != CodeDialect::C, shared) {
        return Err(CodeRefusal::Lacks(format!(
            "`{}` is declared in the function for all threads, and kernels get memory as parameters; make it a parameter",
            array.name.name
        )));
    }
    Ok(())
}

/// Refuses what a language lacks.
pub(super) fn check(
    nest: &Nest,
    scan: &ThreadScan,
    dialect: CodeDialect,
) -> Result<(), CodeRefusal> {
    if scan.dimensions == 0 {
        return Err(CodeRefusal::Sequential);
    }
    check_numbers(nest, scan)?;
    if dialect == CodeDialect::C {
        return Ok(());
    }
    if scan.dimensions > 3 {
        let dimensions = scan.dimensions;
        let lacks = format!("a grid has at most 3 dimensions, and the threads have {dimensions}");
        return Err(CodeRefusal::Lacks(lacks));
    }
    let arrays = nest.arrays.iter().map(|one| (one.kind, &one.name.name));
    let mut all = arrays.chain(nest.scalars.iter().map(|one| (one.kind, &one.name.name)));
    if let Some((_, name)) = all.find(|(kind, _)| *kind == ScalarType::Complex) {
        let lacks = format!("`{name}` is complex, and kernels have float and double alone");
        return Err(CodeRefusal::Lacks(lacks));
    }
    let mut own = nest.arrays.iter().filter(|one| one.local.is_some());
    if let Some(array) = own.find(|one| one.sizes.iter().any(|size| size.as_number().is_none())) {
        return Err(CodeRefusal::Lacks(format!(
            "`{}` is declared in a loop with a size that is no number, which kernels do not have; write a number, or make it a parameter with an index more",
            array.name.name
        )));
    }
    Ok(())
}

/// Refuses factors so large that small indices leave an int.
fn check_numbers(nest: &Nest, scan: &ThreadScan) -> Result<(), CodeRefusal> {
    let is_large = |row: &Vec<i64>| {
        row[..row.len() - 1].iter().any(|number| number.unsigned_abs() > GREATEST_FACTOR)
    };
    let bounds = |all: &[LoopBound]| all.iter().any(|bound| is_large(&bound.row));
    fn any(
        nodes: &[ScanNode],
        is_large: &dyn Fn(&Vec<i64>) -> bool,
        bounds: &dyn Fn(&[LoopBound]) -> bool,
    ) -> bool {
        nodes.iter().any(|node| match node {
            ScanNode::Loop { lower, upper, body, .. } => {
                bounds(lower) || bounds(upper) || any(body, is_large, bounds)
            }
            ScanNode::Only { index, body, .. } => {
                is_large(&index.row) || any(body, is_large, bounds)
            }
            ScanNode::If(lists, body) => {
                lists.iter().flatten().any(|(row, _)| is_large(row)) || any(body, is_large, bounds)
            }
            ScanNode::Assign(_) | ScanNode::Declare(_) => false,
        })
    }
    let forms =
        nest.statements.iter().flat_map(|one| &one.accesses).flat_map(|one| &one.subscripts);
    let has_large_form = forms
        .flat_map(|form| form.terms())
        .any(|(_, factor)| factor.unsigned_abs() > GREATEST_FACTOR);
    let is_any = scan.guard.iter().any(is_large)
        || scan.last.iter().flatten().any(|all| bounds(all))
        || any(&scan.body, &is_large, &bounds)
        || has_large_form;
    if is_any {
        return Err(CodeRefusal::Lacks(format!(
            "an index, bound or thread number multiplies by more than {GREATEST_FACTOR}, and the code computes in int; take smaller factors"
        )));
    }
    Ok(())
}
