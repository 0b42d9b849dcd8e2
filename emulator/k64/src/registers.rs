//! The register file of the control processor: everything that operations read and write by number, in one array that a
//! byte indexes, so that no index needs a check. General registers have the numbers 0 to 31.

/// Number in [`Registers`] of floating-point register 0; the other 31 follow.
pub const FPR: u8 = 32;
/// Number in [`Registers`] of HI, the register that takes the upper half of products, and remainders.
pub const HI: u8 = 64;
/// Number in [`Registers`] of LO, the register that takes the lower half of products, and quotients.
pub const LO: u8 = 65;
/// Number in [`Registers`] of a register of the emulator's own, which takes writes to general register 0 and is never
/// read: register 0 stays 0.
pub const SINK: u8 = 66;
/// Number in [`Registers`] of a register of the emulator's own, which keeps a branch over its delay slot: whether it is
/// taken, or its target.
pub const LATCH: u8 = 67;
/// Number in [`Registers`] of a register of the emulator's own, which takes the condition of coprocessor 2, 0 or 1, for
/// the branch that asks for it.
pub const ANSWER: u8 = 68;
/// Number in [`Registers`] of the condition 0 of the FPU, a register that is 0 or 1; the other seven conditions follow.
pub const CONDITION: u8 = 72;

/// Register file of a core of the control processor: registers of 64 bits, indexed by number. 0 to 31 are the general
/// registers; the constants of this module are the numbers of the others.
#[derive(Clone, Debug)]
pub struct Registers([u64; 256]);

impl Default for Registers {
    fn default() -> Self {
        Self([0; 256])
    }
}

impl std::ops::Index<u8> for Registers {
    type Output = u64;
    #[inline(always)]
    fn index(&self, number: u8) -> &u64 {
        &self.0[usize::from(number)]
    }
}

impl std::ops::IndexMut<u8> for Registers {
    #[inline(always)]
    fn index_mut(&mut self, number: u8) -> &mut u64 {
        &mut self.0[usize::from(number)]
    }
}

impl Registers {
    /// Offset in bytes of register 0.
    pub(crate) const OFFSET: usize = std::mem::offset_of!(Self, 0);

    /// Returns the 32 general registers, in the order of their numbers.
    #[must_use]
    pub fn general(&self) -> &[u64] {
        &self.0[..32]
    }
    /// Returns the bits of the 32 floating-point registers, in the order of their numbers.
    #[must_use]
    pub fn float(&self) -> &[u64] {
        &self.0[32..64]
    }
}

/// Returns the number by which an operation writes the general register with a number: [`SINK`] for register 0, which
/// stays 0, else the number itself.
#[must_use]
pub const fn target(number: u8) -> u8 {
    if number == 0 { SINK } else { number }
}
