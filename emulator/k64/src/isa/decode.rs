//! Decoder: from a word to an operation with its fields.

use super::table::{Operation, Release, Row, rows};
use std::sync::LazyLock;

/// An instruction: a word of 32 bits, and the operation that it encodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Operation that the word encodes.
    pub operation: Operation,
    /// Word of the instruction, with its fields.
    pub word: u32,
}

/// Rows by the upper six bits of a word, so that few are tried.
static BY_OPCODE: LazyLock<Vec<Vec<&'static Row>>> = LazyLock::new(|| {
    let mut table = vec![Vec::new(); 64];
    for row in rows() {
        table[(row.fixed.value >> 26) as usize].push(row);
    }
    table
});

/// Decodes a word; `None` if the release has no operation for it.
#[must_use]
pub fn decode(word: u32, release: Release) -> Option<Instruction> {
    let candidates = &BY_OPCODE[(word >> 26) as usize];
    let row = candidates.iter().find(|row| row.fixed.fits(word) && row.release <= release)?;
    Some(Instruction { operation: row.operation, word })
}

impl Instruction {
    const fn five_bits(self, from: u32) -> u8 {
        (self.word >> from & 31) as u8
    }
    /// Returns bits 25:21: a general register, the base of an address, fr.
    #[must_use]
    pub const fn rs(self) -> u8 {
        self.five_bits(21)
    }
    /// Returns bits 20:16: a general register, ft.
    #[must_use]
    pub const fn rt(self) -> u8 {
        self.five_bits(16)
    }
    /// Returns bits 15:11: a general register, fs.
    #[must_use]
    pub const fn rd(self) -> u8 {
        self.five_bits(11)
    }
    /// Returns bits 10:6: amount of a shift, fd.
    #[must_use]
    pub const fn sa(self) -> u8 {
        self.five_bits(6)
    }
    /// Returns bits 15:0, signed.
    #[must_use]
    pub const fn imm(self) -> i16 {
        self.word as i16
    }
    /// Returns bits 25:0.
    #[must_use]
    pub const fn target(self) -> u32 {
        self.word & 0x3ff_ffff
    }
    /// Returns bits 20:18: the condition that a branch or move reads.
    #[must_use]
    pub const fn cc(self) -> u8 {
        (self.word >> 18 & 7) as u8
    }
    /// Returns bits 10:8: the condition that a comparison writes.
    #[must_use]
    pub const fn cc_out(self) -> u8 {
        (self.word >> 8 & 7) as u8
    }
    /// Returns bits 3:0: the relation of a comparison.
    #[must_use]
    pub const fn relation(self) -> u8 {
        (self.word & 15) as u8
    }
    /// Returns bits 2:0: the select of a register of coprocessor 0.
    #[must_use]
    pub const fn select(self) -> u8 {
        (self.word & 7) as u8
    }
    /// Returns the target of a branch at `pc`.
    #[must_use]
    pub const fn branch_target(self, pc: u64) -> u64 {
        pc.wrapping_add(4).wrapping_add_signed((self.imm() as i64) << 2)
    }
    /// Returns the target of a jump at `pc`.
    #[must_use]
    pub const fn jump_target(self, pc: u64) -> u64 {
        pc.wrapping_add(4) & !0xfff_ffff | (self.target() as u64) << 2
    }
}

#[cfg(test)]
mod tests {
    use super::{Operation, Release, decode};

    #[test]
    fn release_2_is_a_switch() {
        // seb $2, $3
        assert_eq!(decode(0x7c03_1420, Release::R1), None);
        assert_eq!(decode(0x7c03_1420, Release::R2).map(|i| i.operation), Some(Operation::Seb));
    }

    #[test]
    fn targets_count_from_the_delay_slot() {
        let branch = decode(0x1000_ffff, Release::R1).expect("beq");
        assert_eq!(branch.branch_target(0x1000), 0x1000);
        let jump = decode(0x0800_0001, Release::R1).expect("j");
        // The last instruction of a region of 256 MiB jumps into the next one.
        assert_eq!(jump.jump_target(0x0fff_fffc), 0x1000_0004);
        assert_eq!(jump.jump_target(0x0fff_fff8), 0x0000_0004);
    }
}
