//! The register file: everything that operations read and write by number, in one array that a byte indexes,
//! so that no index needs a check.

/// Number of floating-point register 0; the others follow.
pub const FPR: u8 = 32;
/// Number of HI, which takes the upper half of products, and remainders.
pub const HI: u8 = 64;
/// Number of LO, which takes the lower half of products, and quotients.
pub const LO: u8 = 65;
/// Number of the register that takes writes to general register 0.
pub const SINK: u8 = 66;
/// Number of the register that keeps, over the delay slot of a branch, whether it is taken or its target.
pub const LATCH: u8 = 67;
/// Number of the register with the condition of coprocessor 2 that a branch has asked for.
pub const ANSWER: u8 = 68;
/// Number of the register with condition 0 of the FPU, 0 or 1; the other seven follow.
pub const CONDITION: u8 = 72;

/// Register file of a core: values of 64 bits by the numbers of this module.
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
    /// Returns the general registers.
    #[must_use]
    pub fn general(&self) -> &[u64] {
        &self.0[..32]
    }
    /// Returns the floating-point registers, as bits.
    #[must_use]
    pub fn float(&self) -> &[u64] {
        &self.0[32..64]
    }
}

/// Returns the number by which a general register is written: the sink for register 0.
#[must_use]
pub const fn target(number: u8) -> u8 {
    if number == 0 { SINK } else { number }
}
