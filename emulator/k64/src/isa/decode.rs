//! Decoder of the MIPS64 instruction set: from a word of 32 bits to an operation with the bit fields of the word.

use super::table::{Operation, Release, Row, rows};
use std::sync::LazyLock;

/// A decoded MIPS64 instruction: a word of 32 bits, and the operation that it encodes. Methods return the bit fields of
/// the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Operation that the word encodes.
    pub operation: Operation,
    /// The instruction word: 32 bits with the bit fields of the operands.
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

/// Decodes an instruction word of 32 bits; `None` if `release` has no operation with that encoding.
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
    /// Returns the bit field rs, bits 25:21 of the word: the number of a general register, often the base of an
    /// address; in FPU operations the number of the floating-point register fr.
    #[must_use]
    pub const fn rs(self) -> u8 {
        self.five_bits(21)
    }
    /// Returns the bit field rt, bits 20:16 of the word: the number of a general register; in FPU operations the number
    /// of the floating-point register ft.
    #[must_use]
    pub const fn rt(self) -> u8 {
        self.five_bits(16)
    }
    /// Returns the bit field rd, bits 15:11 of the word: the number of a general register; in FPU operations the number
    /// of the floating-point register fs.
    #[must_use]
    pub const fn rd(self) -> u8 {
        self.five_bits(11)
    }
    /// Returns the bit field sa, bits 10:6 of the word: the amount of a shift; in FPU operations the number of the
    /// floating-point register fd.
    #[must_use]
    pub const fn sa(self) -> u8 {
        self.five_bits(6)
    }
    /// Returns the immediate, bits 15:0 of the word, as a signed number.
    #[must_use]
    pub const fn imm(self) -> i16 {
        self.word as i16
    }
    /// Returns bits 25:0 of the word: the target of a jump, in instructions of 4 bytes within a region of 256 MiB.
    #[must_use]
    pub const fn target(self) -> u32 {
        self.word & 0x3ff_ffff
    }
    /// Returns bits 20:18 of the word: the number of the condition that a branch or conditional move reads, 0 to 7.
    #[must_use]
    pub const fn cc(self) -> u8 {
        (self.word >> 18 & 7) as u8
    }
    /// Returns bits 10:8 of the word: the number of the condition that a floating-point comparison writes, 0 to 7.
    #[must_use]
    pub const fn cc_out(self) -> u8 {
        (self.word >> 8 & 7) as u8
    }
    /// Returns bits 3:0 of the word: the relation that a floating-point comparison asks for, 0 to 15, an index of
    /// [`RELATIONS`](crate::isa::disassemble::RELATIONS).
    #[must_use]
    pub const fn relation(self) -> u8 {
        (self.word & 15) as u8
    }
    /// Returns bits 2:0 of the word: the select of a register of coprocessor 0, which tells registers of one number
    /// from each other.
    #[must_use]
    pub const fn select(self) -> u8 {
        (self.word & 7) as u8
    }
    /// Returns the virtual address to which the instruction goes if it is a branch at `pc`: the address of its delay
    /// slot plus 4 times the immediate.
    #[must_use]
    pub const fn branch_target(self, pc: u64) -> u64 {
        pc.wrapping_add(4).wrapping_add_signed((self.imm() as i64) << 2)
    }
    /// Returns the virtual address to which the instruction goes if it is a jump at `pc`: the field `target` times 4,
    /// in the region of 256 MiB of its delay slot.
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
