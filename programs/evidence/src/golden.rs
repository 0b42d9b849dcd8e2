//! The cycles of all kernels as they were counted last, which `cp2 bench --check` compares new counts with.

/// The golden file, as it was when this program was built: the JSON report of `cp2 bench`.
pub const CYCLES: &str = include_str!("../../golden/cycles.json");
