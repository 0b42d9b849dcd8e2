//! The cycles of all kernels as they were counted last. `cp2 bench --check` compares new counts with them.

/// The text of the golden file `programs/golden/cycles.json`, as it was when this program was built: the JSON report of
/// `cp2 bench` with the simulated cycles of every kernel of this project.
pub const CYCLES: &str = include_str!("../../golden/cycles.json");
