//! Shared helpers of the workspace tests.

use cp2_emu::{Cp2, Run};

/// A machine that holds an assembled text, at bundle 0.
///
/// # Panics
/// If the text does not assemble.
pub fn machine(text: &str) -> Cp2 {
    match cp2_programs::load::machine_with("test.s", text) {
        Ok((cp2, _)) => cp2,
        Err(e) => panic!("{e}"),
    }
}

/// Runs a text from bundle 0 with a limit of 100000 cycles.
///
/// # Panics
/// If the text does not assemble.
pub fn run(text: &str) -> (Cp2, Run) {
    let mut cp2 = machine(text);
    let run = cp2.run_untraced(0, 100_000);
    (cp2, run)
}
