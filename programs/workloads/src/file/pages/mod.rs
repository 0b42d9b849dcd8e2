//! The page scheme of a workload file: passes over arrays in system memory, which part of each array a page of a pass has,
//! and the kernels that compute it (`specs/src/workload-files.md`, Pages).
//!
//! - `expression`: numbers and ranges in terms of loops; `read`: the keys of the file; `scheme`: the pages that follow.

mod expression;
mod read;
mod scheme;

pub(super) use read::passes;

use expression::{AxisRange, Expression};

/// A pass over the arrays.
#[derive(Clone, Debug)]
pub(super) struct FilePass {
    /// Name of the pass, for messages and reports.
    name: String,
    /// Loops over pages, the outermost first: names and numbers of turns.
    loops: Vec<(String, Expression)>,
    /// Parts of arrays, by the name that the calls know.
    parts: Vec<FilePart>,
    /// Calls of kernels; empty for one call of the program's entry.
    calls: Vec<FileCall>,
    /// Number of buffers, if the file says it.
    buffers: Option<usize>,
    /// Loops of which a new turn begins when all before is stored.
    waits: Vec<String>,
    /// Whether the host does its work for a page between the pages.
    turns_between: bool,
    /// Names of the variants that have the pass; empty if all have it.
    variants: Vec<String>,
}

/// The part of an array that a page has.
#[derive(Clone, Debug)]
struct FilePart {
    name: String,
    /// Array in system memory.
    array: String,
    ranges: Vec<AxisRange>,
}

/// A call of a kernel.
#[derive(Clone, Debug)]
struct FileCall {
    /// Kernel or label; `None` for the entry of the variant.
    entry: Option<String>,
    arguments: Vec<(String, String)>,
    /// Arrays that the kernel declares, and the parts or arrays that they are; those of the same name need no entry.
    arrays: Vec<(String, String)>,
    is_inverse: bool,
}

impl FilePass {
    /// Whether a variant has the pass.
    fn is_for(&self, variant: &str) -> bool {
        self.variants.is_empty() || self.variants.iter().any(|name| name == variant)
    }
}
