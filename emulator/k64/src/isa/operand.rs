//! Operands of MIPS64 operations: which bit field of the instruction word each is, and how it is written in text.

/// An operand of a MIPS64 operation: which bit field of the instruction word it is, and how assembler and disassembler
/// write it. [`Operand::letter`] is the letter of that bit field in encoding patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// General register whose number is in bits 25:21 of the instruction word.
    Rs,
    /// General register whose number is in bits 20:16 of the instruction word.
    Rt,
    /// General register whose number is in bits 15:11 of the instruction word.
    Rd,
    /// Amount of a shift, bits 10:6 of the instruction word.
    Sa,
    /// Signed immediate, bits 15:0 of the instruction word.
    Imm,
    /// Unsigned immediate, bits 15:0 of the instruction word; written in hexadecimal.
    UImm,
    /// Target of a branch: in bits 15:0 of the instruction word the signed number of instructions from the delay slot;
    /// written as an address.
    Branch,
    /// Target of a jump: bits 25:0 of the instruction word, in instructions within the region of 256 MiB of the delay
    /// slot; written as an address.
    Jump,
    /// Address of a load or store: signed displacement in bits 15:0 of the instruction word, and base register in bits
    /// 25:21.
    Memory,
    /// Address of a load or store: index register in bits 20:16 of the instruction word, and base register in bits
    /// 25:21.
    Indexed,
    /// Operation that `cache` asks for, bits 20:16 of the instruction word.
    CacheOp,
    /// Hint of `pref` (prefetch), bits 20:16 of the instruction word.
    Hint,
    /// Hint of `prefx` (prefetch, indexed), bits 15:11 of the instruction word.
    HintX,
    /// Code of `break`, bits 25:6 of the instruction word; written as two numbers, its upper and its lower ten bits,
    /// without the lower if that is 0, and not at all if both are.
    Code,
    /// Code of `syscall`, bits 25:6 of the instruction word; not written if it is 0.
    SyscallCode,
    /// Code of `wait`, bits 24:6 of the instruction word; not written if it is 0.
    WaitCode,
    /// Code of a trap, bits 15:6 of the instruction word; not written if it is 0.
    TrapCode,
    /// Number of the lowest bit of a bit field of a register that is extracted or inserted: bits 10:6 of the
    /// instruction word.
    Lsb,
    /// Number of the lowest bit of a bit field of a register, 32 to 63: bits 10:6 of the instruction word hold it less
    /// 32.
    LsbUpper,
    /// Number of bits of a bit field of a register that is extracted, 1 to 32: bits 15:11 of the instruction word hold
    /// it less 1.
    Size,
    /// Number of bits of a bit field of a register that is extracted, 33 to 64: bits 15:11 of the instruction word hold
    /// it less 33.
    SizeUpper,
    /// Highest bit of a bit field of a register into which is inserted, bits 15:11 of the instruction word; written as
    /// the number of bits of that field.
    Msb,
    /// Highest bit of a bit field of a register into which is inserted, 32 to 63: bits 15:11 of the instruction word
    /// hold it less 32; written as the number of bits of that field.
    MsbUpper,
    /// Highest bit of a bit field of a register into which is inserted, 32 to 63: bits 15:11 of the instruction word
    /// hold it less 32. Its lowest bit is 32 or more too ([`Operand::LsbUpper`]). Written as the number of bits of that
    /// field.
    MsbBoth,
    /// Floating-point register whose number is in bits 10:6 of the instruction word.
    Fd,
    /// Floating-point register whose number is in bits 15:11 of the instruction word.
    Fs,
    /// Floating-point register whose number is in bits 20:16 of the instruction word.
    Ft,
    /// Floating-point register whose number is in bits 25:21 of the instruction word.
    Fr,
    /// Condition of the FPU that a branch or conditional move reads, bits 20:18 of the instruction word.
    Cc,
    /// Condition of the FPU that a branch or conditional move reads, bits 20:18 of the instruction word; not written if
    /// it is 0.
    CcOrNone,
    /// Condition of coprocessor 2 that a branch reads, bits 20:18 of the instruction word; not written if it is 0.
    Cc2,
    /// Condition of the FPU that a comparison writes, bits 10:8 of the instruction word; not written if it is 0.
    CcOut,
    /// Control register of the FPU, such as FCSR, whose number is in bits 15:11 of the instruction word.
    Fcr,
    /// Register of coprocessor 0: number in bits 15:11 of the instruction word, select in bits 2:0.
    C0,
    /// Register of coprocessor 2 whose number is in bits 15:11 of the instruction word.
    C2,
    /// Register of coprocessor 2 whose number is in bits 20:16 of the instruction word.
    C2t,
    /// Hardware register that `rdhwr` reads, bits 15:11 of the instruction word.
    Hwr,
    /// Kind of `sync`, bits 10:6 of the instruction word; not written if it is 0.
    Stype,
}

impl Operand {
    /// Returns the letters that the operand's bit fields have in an encoding pattern ([`crate::isa::pattern`]): one
    /// letter for each bit field.
    #[must_use]
    pub const fn letter(self) -> &'static str {
        use Operand as O;
        match self {
            O::Rs => "s",
            O::Rt => "t",
            O::Rd | O::Size | O::SizeUpper | O::Msb | O::MsbUpper | O::MsbBoth => "d",
            O::Sa | O::Lsb | O::LsbUpper => "a",
            O::Imm | O::UImm | O::Branch => "i",
            O::Jump => "j",
            O::Memory => "is",
            O::Indexed => "ts",
            O::CacheOp | O::Hint | O::HintX => "h",
            O::Code | O::SyscallCode | O::WaitCode | O::TrapCode => "x",
            O::Fd => "D",
            O::Fs => "S",
            O::Ft => "T",
            O::Fr => "R",
            O::Cc | O::CcOrNone | O::Cc2 | O::CcOut => "n",
            O::Fcr | O::C0 | O::C2 | O::Hwr => "c",
            O::C2t => "T",
            O::Stype => "y",
        }
    }
}
