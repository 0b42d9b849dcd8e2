//! Bits of STATUS, CONTROL and FCCR. How they change is in `rules`.

use crate::rules::rounding;
use crate::{Core, Extensions};

/// Bits of STATUS.
pub mod status {
    /// RUN: a kernel of CP2 runs.
    pub const RUN: u64 = 1;
    /// FF: the host FIFO is full, and takes no entry.
    pub const FIFO_FULL: u64 = 1 << 1;
    /// FE: the host FIFO is empty; still 1 in the cycle that an entry into the empty FIFO waits.
    pub const FIFO_EMPTY: u64 = 1 << 2;
    /// CP2 wrote COMM and the host has not read it.
    pub const COMM_CP2: u64 = 1 << 3;
    /// The host wrote COMM and CP2 has not read it.
    pub const COMM_K64: u64 = 1 << 4;
    pub use crate::rules::flags::{FPE, FPE_SHIFT};
    /// Call stack overflow (sticky): a call found the stack full.
    pub const CALL_OVERFLOW: u64 = 1 << 23;
    /// Call stack underflow (sticky): a return found the stack empty.
    pub const CALL_UNDERFLOW: u64 = 1 << 24;
    /// Loop stack overflow (sticky): a loop began and found the stack full.
    pub const LOOP_OVERFLOW: u64 = 1 << 25;
    /// Loop stack underflow (sticky): an entry was to be taken from the stack, and there was none.
    pub const LOOP_UNDERFLOW: u64 = 1 << 26;
    /// Bits that are sticky: a `move` to STATUS writes these and no others.
    pub const STICKY: u64 = FPE | 0xf << 23;
    /// Bits that are registers; the others follow the machine (RUN, FF, FE).
    pub const STORED: u64 = STICKY | COMM_CP2 | COMM_K64;
}

/// The I bit of CONTROL: coefficients of the inverse transform.
pub const CONTROL_INVERSE: u64 = 1 << 15;
/// The bits of CONTROL that exist: reset, stop, I, rounding mode.
pub const CONTROL_MASK: u64 = 3 << 30 | CONTROL_INVERSE | rounding::MASK;
/// Returns the mask of the bits of CONTROL that a kernel's `move` changes: the rounding mode alone `[D]`, and I on a core
/// that has the extension for it.
pub const fn moved_to_control(core: &Core) -> u64 {
    let has_direction = core.extensions().contains(Extensions::FFT_DIRECTION);
    rounding::MASK | if has_direction { CONTROL_INVERSE } else { 0 }
}

/// Bits of FCCR that are always 1: the condition code of operations without a predicate.
pub const FCCR_ONES: u8 = 1;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CoreNumbers;

    #[test]
    fn a_move_to_control_changes_the_mode_and_with_its_extension_the_direction() {
        let extensions = Extensions::FFT_DIRECTION;
        let core = Core::new(CoreNumbers { extensions, ..*Core::CP2.numbers() }).unwrap();
        assert_eq!((moved_to_control(&Core::CP2), moved_to_control(&core)), (3, 1 << 15 | 3));
    }
}
