//! Codes of workload files, beside those of all TOML files: C09.

use super::row::{DiagnosticCode, row};

pub(super) const CODES: &[DiagnosticCode] = &[
    row!(
        toml "C0901",
        workloads,
        "a file that a workload names cannot be used",
        "this file cannot be used",
        "The file cannot be read, or is not of the form that its key takes: `.npy` for `file` and \
         `expected`, Matrix Market for `matrix`. Paths are seen from the folder of the workload file."
    ),
    row!(
        toml "C0902",
        workloads,
        "values that a type cannot hold",
        "the type does not have this value",
        "`type` asks for elements that cannot hold a value of the array: a whole number would be \
         rounded, or is out of range. The message gives the first such element and its value."
    ),
    row!(
        toml "C0903",
        workloads,
        "a name of something that there is not",
        "there is nothing of this name",
        "`shipped` takes a kernel that `cp2 kernels list` has, `needs` extensions that the page \
         \"Extensions\" of the book has, and `variants` names of the file's own variants."
    ),
    row!(
        toml "C0904",
        workloads,
        "a page scheme that is not understood",
        "this is no loop or range of these arrays",
        "`loops` has entries such as \"z = 4\"; ranges are \"8*z : +8\", \"0 : 64\", \":\" or a single \
         index, one for each axis of the array. They are made of whole numbers, names of loops, \
         `section`, sizes such as x.shape[0], + - * / // %, min(a, b) and max(a, b)."
    ),
];
