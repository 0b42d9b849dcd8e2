//! Masks of the bits of the registers STATUS, CONTROL and FCCR. How these bits change is in [`rules`](crate::rules).

use crate::rules::rounding;
use crate::{Core, Extensions};

/// Masks of the bits of control register STATUS.
pub mod status {
    /// Mask of bit RUN of STATUS: 1 while a kernel, a program in instruction memory, runs on CP2.
    pub const RUN: u64 = 1;
    /// Mask of bit FF of STATUS: 1 while the host FIFO, the queue of bundles from the host, is full and takes no entry.
    pub const FIFO_FULL: u64 = 1 << 1;
    /// Mask of bit FE of STATUS: 1 while the host FIFO is empty. The first entry into an empty FIFO waits for a cycle,
    /// in which the bit is still 1.
    pub const FIFO_EMPTY: u64 = 1 << 2;
    /// Mask of bit COMMCP2 of STATUS: 1 if CP2 wrote the mailbox register COMM and the host has not read it.
    pub const COMM_CP2: u64 = 1 << 3;
    /// Mask of bit COMMK64 of STATUS: 1 if the host wrote the mailbox register COMM and CP2 has not read it.
    pub const COMM_K64: u64 = 1 << 4;
    pub use crate::rules::flags::{FPE, FPE_SHIFT};
    /// Mask of the sticky bit POE of STATUS, call stack overflow: a call found the stack full.
    pub const CALL_OVERFLOW: u64 = 1 << 23;
    /// Mask of the sticky bit PUE of STATUS, call stack underflow: a return found the stack empty.
    pub const CALL_UNDERFLOW: u64 = 1 << 24;
    /// Mask of the sticky bit LOE of STATUS, loop stack overflow: a hardware loop began and found the stack full.
    pub const LOOP_OVERFLOW: u64 = 1 << 25;
    /// Mask of the sticky bit LUE of STATUS, loop stack underflow: `enddo` found no loop on the stack.
    pub const LOOP_UNDERFLOW: u64 = 1 << 26;
    /// Mask of the sticky bits of STATUS, which stay 1 until they are overwritten: FPE (exceptions of arithmetic), POE,
    /// PUE, LOE and LUE (errors of the call and loop stacks). A `move` to STATUS writes these bits and no others.
    pub const STICKY: u64 = FPE | 0xf << 23;
    /// Mask of the bits of STATUS that the register itself keeps: the sticky bits, COMMCP2 and COMMK64. The others,
    /// RUN, FF and FE, follow from the state of the machine.
    pub const STORED: u64 = STICKY | COMM_CP2 | COMM_K64;
}

/// Mask of bit I of CONTROL, bit 15: 1 if the Fourier coefficients are those of the inverse transform.
pub const CONTROL_INVERSE: u64 = 1 << 15;
/// Mask of the bits of CONTROL that exist: RS (reset) and ST (stop) in bits 31 and 30, I (inverse FFT) in bit 15, the
/// rounding mode in bits 1:0.
pub const CONTROL_MASK: u64 = 3 << 30 | CONTROL_INVERSE | rounding::MASK;
/// Returns the mask of the bits of CONTROL that a `move` of a kernel changes on the core: the rounding mode, bits 1:0,
/// and with the extension `fft-direction` also bit I, the direction of the FFT.
pub const fn moved_to_control(core: &Core) -> u64 {
    let has_direction = core.extensions().contains(Extensions::FFT_DIRECTION);
    rounding::MASK | if has_direction { CONTROL_INVERSE } else { 0 }
}

/// Mask of the bits of FCCR, the register of the condition codes, that are always 1: bit 0, the code of bundles without
/// a predicate.
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
