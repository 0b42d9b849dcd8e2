//! Operands: which field of the word each is, and how it is written.

/// An operand in the order of the text. The letter of its field in patterns is [`Operand::letter`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// General register, bits 25:21.
    Rs,
    /// General register, bits 20:16.
    Rt,
    /// General register, bits 15:11.
    Rd,
    /// Amount of a shift, bits 10:6.
    Sa,
    /// Signed immediate, bits 15:0.
    Imm,
    /// Immediate in hexadecimal, bits 15:0.
    UImm,
    /// Branch target: signed count of instructions from the delay slot, bits 15:0.
    Branch,
    /// Jump target within 256 MiB, bits 25:0.
    Jump,
    /// Signed displacement and base, bits 15:0 and 25:21.
    Memory,
    /// Index and base, bits 20:16 and 25:21.
    Indexed,
    /// Operation of `cache`, bits 20:16.
    CacheOp,
    /// Hint of `pref`, bits 20:16.
    Hint,
    /// Hint of `prefx`, bits 15:11.
    HintX,
    /// Code of `break`, bits 25:6, written as its upper and lower ten bits.
    Code,
    /// Code of `syscall`, bits 25:6; absent if 0.
    SyscallCode,
    /// Code of `wait`, bits 24:6; absent if 0.
    WaitCode,
    /// Code of a trap, bits 15:6; absent if 0.
    TrapCode,
    /// Lowest bit of a field, bits 10:6.
    Lsb,
    /// Lowest bit of a field less 32, bits 10:6.
    LsbUpper,
    /// Size less one of an extracted field, bits 15:11.
    Size,
    /// Size of an extracted field less 33, bits 15:11.
    SizeUpper,
    /// Highest bit of an inserted field, bits 15:11; written as its size.
    Msb,
    /// Highest bit of an inserted field less 32, bits 15:11; written as the size of the field.
    MsbUpper,
    /// Highest bit of an inserted field less 32, bits 15:11, where the lowest bit is less 32 too; written as the size of the
    /// field.
    MsbBoth,
    /// Floating-point register, bits 10:6.
    Fd,
    /// Floating-point register, bits 15:11.
    Fs,
    /// Floating-point register, bits 20:16.
    Ft,
    /// Floating-point register, bits 25:21.
    Fr,
    /// Condition of a branch or move, bits 20:18.
    Cc,
    /// Condition of a branch or move, bits 20:18; absent if 0.
    CcOrNone,
    /// Condition of coprocessor 2, bits 20:18, absent if 0.
    Cc2,
    /// Condition that a comparison writes, bits 10:8; absent if 0.
    CcOut,
    /// Control register of the FPU, bits 15:11.
    Fcr,
    /// Register of coprocessor 0, bits 15:11, and select, bits 2:0.
    C0,
    /// Register of coprocessor 2, bits 15:11.
    C2,
    /// Register of coprocessor 2, bits 20:16.
    C2t,
    /// Hardware register of `rdhwr`, bits 15:11.
    Hwr,
    /// Kind of `sync`, bits 10:6; absent if 0.
    Stype,
}

impl Operand {
    /// Returns the letters of the operand's fields in a pattern.
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
