//! The options that several workloads take.

use cp2_session::workload::{ArraySpec, NamedNumbers, OptionKind, WorkloadOption};

/// Most vectors of random data.
const MOST_VECTORS: usize = 1_000_000;

/// Returns the option `--input`.
pub(crate) fn input(array: ArraySpec) -> WorkloadOption {
    inputs(vec![array])
}

/// Returns the option `--input` with several arrays.
pub(crate) fn inputs(arrays: Vec<ArraySpec>) -> WorkloadOption {
    let help = "Input array, `.npy`; of several arrays each with its name, such as u=u.npy; `:as=TYPE` after the name \
                converts it. `cp2 kernels list --json` lists types and shapes. Random data if absent";
    WorkloadOption::new("input", OptionKind::Read(arrays), help)
}

/// Returns the option `--output`.
pub(crate) fn output(array: ArraySpec) -> WorkloadOption {
    outputs(vec![array])
}

/// Returns the option `--output` with several arrays.
pub(crate) fn outputs(arrays: Vec<ArraySpec>) -> WorkloadOption {
    let help = "Output array, `.npy`; that of an FFT or a product has the shape of the input, that of a convolution (vectors, points + taps - 1). \
                Of a workload file with several results each with its name, such as y=y.npy; may be repeated";
    WorkloadOption::new("output", OptionKind::Write(arrays), help)
}

/// Returns the option `--filter`.
pub(crate) fn filter() -> WorkloadOption {
    let help =
        "Filter of a convolution: complex64 array of one dimension, `.npy`; random data if absent";
    WorkloadOption::new("filter", OptionKind::Read(vec![ArraySpec::complex64(1, "taps")]), help)
}

/// Returns the option `--matrix`.
pub(crate) fn matrix() -> WorkloadOption {
    let help = "Sparse matrix, a Matrix Market file; a random matrix if absent";
    WorkloadOption::new("matrix", OptionKind::ReadMatrix, help)
}

/// Returns the option `--class`.
pub(crate) fn class(words: &'static [&'static str]) -> WorkloadOption {
    let help = "Class of the NPB problem. For mg: S (if absent) 32 points along an axis, W 128, A and B 256; 4 V-cycles, B 20. For ft: S (if absent) 64x64x64, W 128x128x32. \
                For spmv and cg: none (if absent), S 1400 rows, W 7000, A 14000";
    WorkloadOption::choice("class", words, help)
}

/// Returns the option `--vector`.
pub(crate) fn vector(array: ArraySpec) -> WorkloadOption {
    let help = "Vector that a sparse matrix is multiplied by: float32 array of one dimension, `.npy`; random data if absent";
    WorkloadOption::new("vector", OptionKind::Read(vec![array]), help)
}

/// Returns the option `--weights`.
pub(crate) fn weights() -> WorkloadOption {
    let help = "Weights of the operator: of the centre, of each of 6 faces, of each of 12 edges, of each of 8 corners; four numbers with \
                commas between them, such as -2.5,0,0.2,0.1, or a `.npy` file with a float32 array of four. Those of NPB if absent";
    let names = &["centre", "faces", "edges", "corners"];
    WorkloadOption::new(
        "weights",
        OptionKind::Numbers(NamedNumbers { array: ArraySpec::float32("weights", &["4"]), names }),
        help,
    )
}

/// Returns the option `--vectors`.
pub(crate) fn vectors() -> WorkloadOption {
    let help = "Number of vectors of random data, where no input is given";
    WorkloadOption::number("vectors", "vectors", Some(64), MOST_VECTORS, help)
        .replaced_by(&["input"])
}

/// Returns the option `--seed`.
pub(crate) fn seed() -> WorkloadOption {
    let form = OptionKind::Number { unit: "", default: Some(1), least: 0, most: u64::MAX };
    WorkloadOption::new("seed", form, "Seed of the random data")
}

/// Returns the option `--non-finite`.
pub(crate) fn non_finite() -> WorkloadOption {
    let help = "Accept NaN and infinities in the input; results that they reach are not compared";
    WorkloadOption::switch("non-finite", help)
}

/// Returns the options `--inverse` and `--scale`.
pub(crate) fn transform() -> [WorkloadOption; 2] {
    [
        WorkloadOption::switch("inverse", "Inverse transform (not scaled)"),
        WorkloadOption::switch("scale", "Divide the result by the number of points"),
    ]
}
