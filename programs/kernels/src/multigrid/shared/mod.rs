//! Operators of multigrid on a grid of 8 x 8 x 8 points that stays in shared memory, an extension of CP2, in one kernel
//! without DMA between them: residual, smoother, residual, and a V-cycle with the grid of 4 x 4 x 4 points before them.
//! The grids are periodic.

mod layout;
mod reference;
mod sequence;
mod text;
mod transfer;

use cp2_session::error::KernelError;
use cp2_session::execution::{Execution, KernelRunner};
pub use layout::N as SHARED_POINTS;
use layout::{CONSTANTS, N, R, ROWS, U, place, points};

pub use sequence::OperatorSequence;

/// Results and counts of a run of an [`OperatorSequence`] by [`run_shared`]: a sequence of multigrid operators on one
/// small grid, which approximates the solution u of A u = v.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedRun {
    /// Values of u after the sequence at the 8 x 8 x 8 points of the grid, x fastest.
    pub u: Vec<f32>,
    /// Residual v - A u of this u at the points of the grid, x fastest.
    pub r: Vec<f32>,
    /// Cycles of the run of the kernel; moving the arrays to local memory is not counted.
    pub cycles: u64,
    /// Number of bundles of the sequence's kernel in instruction memory.
    pub bundles: usize,
    /// Number of writes that landed on a register in the same cycle as another write, over all sections: 0 if the
    /// kernel is right.
    pub collisions: u64,
}

/// Runs the kernel of a sequence of multigrid operators on CP2 alone. The operands are the approximate solution u and
/// the right side v at the 8 x 8 x 8 points of the grid, x fastest.
///
/// # Errors
/// The core has no shared memory, or the kernel does not end.
pub fn run_shared(
    sequence: OperatorSequence,
    [u, v]: [&[f32]; 2],
    on: &Execution,
) -> Result<SharedRun, KernelError> {
    let name = format!("{}.s", sequence.name());
    let (mut cp2, entry) = KernelRunner::with(&name, &sequence.kernel_text(), on)?;
    let state = cp2.state();
    for (array, values) in [(U, u), (R, v)] {
        for (at, &value) in points(N).zip(values) {
            let (section, offset, is_hi) = place(at);
            let bits = u64::from(value.to_bits());
            state.lmem[ROWS[array] + offset][section] |= if is_hi { bits << 32 } else { bits };
        }
    }
    for (quad, word) in state.lmem[CONSTANTS..].iter_mut().zip(layout::constants()) {
        *quad = word;
    }
    let bundles = state.iram.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
    let stats = cp2.call(entry, &[])?;
    let lmem = &cp2.state().lmem;
    let array = |of: usize| {
        let value = |at| {
            let (section, offset, is_hi) = place(at);
            let word = lmem[ROWS[of] + offset][section];
            f32::from_bits(if is_hi { word >> 32 } else { word } as u32)
        };
        points(N).map(value).collect()
    };
    let collisions = stats.collisions.iter().sum();
    Ok(SharedRun { u: array(U), r: array(R), cycles: stats.cycles, bundles, collisions })
}

/// Returns the largest distance of the results of a sequence from its definition in double precision, divided by the
/// error that rounding explains there: at most 1 if the results are right. `given` is u and v before the sequence,
/// `results` the new u and its residual, 8 x 8 x 8 numbers each, x fastest.
pub fn shared_error(sequence: OperatorSequence, given: [&[f32]; 2], results: [&[f32]; 2]) -> f64 {
    reference::error(sequence, given, results)
}
