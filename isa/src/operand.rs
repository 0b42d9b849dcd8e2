//! Kinds of operands: where each lies in the bundle, which values it may take, and how a value is
//! packed into one `i32`. How operands are written is in `text`, what they access in `footprint`.

use crate::control;
use crate::field::{BitField, BundleBits, fields};
use crate::{Core, Halves, WordAddress};
use std::ops::RangeInclusive;

/// An operand of an operation: its kind, and whether it is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Kind of the operand, and the field that encodes it.
    pub kind: OperandKind,
    /// The part of the register that decides a result.
    pub reads: Reads,
    /// Whether the operation writes the register: all of it, or the half that the operand names.
    pub write: bool,
}

/// The part of a register that an operation looks at. What is not an FPR is looked at as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// No part of the register.
    Nothing,
    /// All 64 bits, of the next register too if the operand is a pair.
    Both,
    /// Bits 31:0.
    Lo,
    /// Bits 63:32.
    Hi,
    /// The half that the operand names.
    Named,
    /// The halves that a comparison in this format compares.
    Compared,
    /// The half that the mode of `qsdot` does not replace.
    Kept,
    /// The words that the selectors of `psprmsgn` name.
    Moved,
}

impl Operand {
    /// Whether any of the register decides a result.
    pub fn is_read(&self) -> bool {
        self.reads != Reads::Nothing
    }
}

/// Address computation of a memory operation, an update after the access (post-modify).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressForm {
    /// `(rK)+offset`: An steps by a signed offset.
    Offset,
    /// `(rK)+nK`: An steps by Nn.
    PlusN,
    /// `(rK)-nK`: An steps by -Nn.
    MinusN,
}

/// The step of an address register after an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// By this many words.
    Offset(i32),
    /// By Nn.
    PlusN,
    /// By -Nn.
    MinusN,
}

/// Place in local memory that a load or store accesses, as its operand names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    /// The word with this address.
    Word(WordAddress),
    /// The word to which an address set points; the set then steps.
    Set {
        /// Number of the address set.
        set: u8,
        /// Step of the address register after the access.
        step: Step,
    },
    /// The words to which the section addresses of a set point, one in each section; the addresses then step.
    Sections {
        /// Number of the set.
        set: u8,
        /// Words by which the addresses step.
        offset: i32,
    },
    /// The words to which the low bits of this half of an FPR point, one in each section.
    Fpr {
        /// Number of the register.
        register: i32,
        /// Half of the register that holds the addresses.
        half: Halves,
    },
}

/// The kind of an operand. The comment after each name tells how its value is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandKind {
    /// A register: its number.
    Fpr(BitField),
    /// A register and the next one: the number of the first.
    FprPair(BitField),
    /// Half of a register: number * 2 + half (1 = hi).
    FprHalf(BitField, BitField),
    /// Destination of `psprmsgn`, a pair; the second member is added to the field: the number.
    FprPermute(i32),
    /// Signed immediate: itself.
    Signed(BitField),
    /// Unsigned immediate: itself.
    Unsigned(BitField),
    /// Condition code: its number.
    Cc(BitField),
    /// Relation of a comparison, written in the mnemonic: its number.
    Condition,
    /// Format of a comparison, written in the mnemonic: its number.
    Format,
    /// FCSR (0) or FCCR (1).
    Creg,
    /// General register: its number.
    Gpr(BitField),
    /// Address of a bundle: itself.
    Target,
    /// Address of a word in local memory: itself.
    WordAddress,
    /// Address set: its number.
    AddressSet,
    /// Address set and how it steps: number + 16 * offset.
    Address(AddressForm),
    /// The section addresses of an address set: its number.
    SectionSet(BitField),
    /// `(rK)+offset`, each section at its own address of the set: number + 16 * offset.
    SectionAddress,
    /// Operand of `move`: register file * 16 + number ([`MoveReg`]).
    MoveReg(BitField, BitField),
    /// Destination of `seti`: GPR, An, Nn, Mn as 0..3, * 16 + number.
    SetReg,
    /// GPR or, from 16 on, IREG.
    GprOrIreg,
    /// The shared address of a set: its number.
    SharedSet,
    /// `(rK)+offset` in shared memory: number of the set + 16 * offset.
    SharedAddress,
    /// Address of a word in shared memory: itself.
    SharedWord,
    /// Section number, up to the last that the member says; 4 = all.
    Section(BitField, i32),
    /// Selector of `psprmsgn` for result word k: word number + 4 if the sign is flipped.
    Select(u8),
}

/// A register file that `move` reaches, with its number in the encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum RegFile {
    /// General registers.
    Gpr = 0,
    /// Control registers.
    Control = 2,
    /// Addresses.
    A = 3,
    /// Address steps.
    N = 4,
    /// Address modes.
    M = 5,
    /// Index registers.
    Ireg = 6,
}

/// A register that `move` copies from or to, named by its file and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveReg {
    /// Register file that has the register.
    pub file: RegFile,
    /// Number of the register in its file, from 0.
    pub number: u8,
}

impl RegFile {
    /// Returns the file with this number in a `move`, if there is one.
    pub fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            0 => Self::Gpr,
            2 => Self::Control,
            3 => Self::A,
            4 => Self::N,
            5 => Self::M,
            6 => Self::Ireg,
            _ => return None,
        })
    }

    /// Returns the file with this number in a `seti`.
    pub fn from_seti(code: u8) -> Self {
        [Self::Gpr, Self::A, Self::N, Self::M][usize::from(code & 3)]
    }

    /// Returns the number of the file in a `seti`, if `seti` reaches it.
    pub fn seti_code(self) -> Option<u8> {
        match self {
            Self::Gpr => Some(0),
            Self::A => Some(1),
            Self::N => Some(2),
            Self::M => Some(3),
            Self::Control | Self::Ireg => None,
        }
    }
}

impl MoveReg {
    /// The mailbox register COMM, which kernel and host exchange values by.
    pub const COMM: Self = Self { file: RegFile::Control, number: control::COMM };
    /// Run state, FIFO state and sticky errors.
    pub const STATUS: Self = Self { file: RegFile::Control, number: control::STATUS };
    /// The code of the last stop, which no `move` may write.
    pub const STOPCODE: Self = Self { file: RegFile::Control, number: control::STOPCODE };

    /// Returns the register that the packed value of a `move` operand names, if it exists.
    pub fn from_packed(value: i32) -> Option<Self> {
        let number = (value & 15) as u8;
        let file = RegFile::from_code((value >> 4) as u8)?;
        (file != RegFile::Control || number < control::COUNT).then_some(Self { file, number })
    }

    /// Returns the packed value of a `move` operand that names the register.
    pub fn packed(self) -> i32 {
        i32::from(self.file as u8) * 16 + i32::from(self.number)
    }
}

fn select_fields(k: u8) -> (BitField, BitField) {
    (BitField::new(2 * k + 1, 2 * k), BitField::new(8 + k, 8 + k))
}

impl OperandKind {
    /// Whether the operand is the mode of `qsdot`.
    pub(crate) fn is_mode(self) -> bool {
        self == Self::Unsigned(fields::MODE)
    }

    /// Returns the packed value of the operand in a bundle.
    pub fn decode(self, word: BundleBits) -> i32 {
        let get = |f: BitField| f.get(word) as i32;
        match self {
            Self::Fpr(f) | Self::FprPair(f) | Self::Unsigned(f) | Self::Cc(f) | Self::Gpr(f) => {
                get(f)
            }
            Self::FprHalf(reg, half) => get(reg) * 2 + get(half),
            Self::FprPermute(base) => get(fields::FD2) + base,
            Self::Signed(f) => f.get_signed(word),
            Self::Condition => get(fields::COND),
            Self::Format => get(fields::FMT),
            Self::Creg => get(fields::CREG),
            Self::Target => get(fields::IMM13),
            Self::WordAddress => get(fields::WORD15),
            Self::AddressSet => get(fields::RN),
            Self::Address(AddressForm::Offset) => {
                get(fields::RN) + 16 * fields::OFFSET13.get_signed(word)
            }
            Self::Address(_) => get(fields::RN),
            Self::SectionSet(f) => get(f),
            Self::SectionAddress => get(fields::RN) + 16 * fields::OFFSET13.get_signed(word),
            Self::SharedSet => get(fields::RN),
            Self::SharedAddress => get(fields::RN) + 16 * fields::OFFSET11.get_signed(word),
            Self::SharedWord => get(fields::WORD10),
            Self::MoveReg(reg, file) => get(file) * 16 + get(reg),
            Self::SetReg => get(fields::REGTYPE) * 16 + get(fields::RN2),
            Self::GprOrIreg => get(fields::IREG_FLAG) * 16 + get(fields::GR),
            Self::Section(f, _) => get(f),
            Self::Select(k) => {
                let (sel, neg) = select_fields(k);
                get(sel) + 4 * get(neg)
            }
        }
    }

    /// Returns the packed value of the operand in a bundle of a core, which ignores the bits of an address that its
    /// operations do not have.
    pub(crate) fn decode_on(self, core: &Core, word: BundleBits) -> i32 {
        let value = self.decode(word);
        match self {
            Self::WordAddress => {
                let usual = Core::CP2.address_mask();
                value & i32::from(core.address_mask() | usual)
            }
            _ => value,
        }
    }

    /// Returns the bits of a packed value in a bundle. Values outside [`OperandKind::range`] lose their high bits.
    pub fn encode(self, v: i32) -> BundleBits {
        match self {
            Self::Fpr(f)
            | Self::FprPair(f)
            | Self::Unsigned(f)
            | Self::Cc(f)
            | Self::Gpr(f)
            | Self::Signed(f) => f.deposit(v),
            Self::FprHalf(reg, half) => reg.deposit(v >> 1) | half.deposit(v),
            Self::FprPermute(base) => fields::FD2.deposit(v - base),
            Self::Condition => fields::COND.deposit(v),
            Self::Format => fields::FMT.deposit(v),
            Self::Creg => fields::CREG.deposit(v),
            Self::Target => fields::IMM13.deposit(v),
            Self::WordAddress => fields::WORD15.deposit(v),
            Self::AddressSet | Self::SharedSet => fields::RN.deposit(v),
            Self::SectionSet(f) => f.deposit(v),
            Self::Address(AddressForm::Offset) | Self::SectionAddress => {
                fields::RN.deposit(v) | fields::OFFSET13.deposit(v >> 4)
            }
            Self::SharedAddress => fields::RN.deposit(v) | fields::OFFSET11.deposit(v >> 4),
            Self::SharedWord => fields::WORD10.deposit(v),
            Self::Address(_) => fields::RN.deposit(v),
            Self::MoveReg(reg, file) => file.deposit(v >> 4) | reg.deposit(v),
            Self::SetReg => fields::REGTYPE.deposit(v >> 4) | fields::RN2.deposit(v),
            Self::GprOrIreg => fields::IREG_FLAG.deposit(v >> 4) | fields::GR.deposit(v),
            Self::Section(f, _) => f.deposit(v),
            Self::Select(k) => {
                let (sel, neg) = select_fields(k);
                sel.deposit(v) | neg.deposit(v >> 2)
            }
        }
    }

    /// Returns the mask of the bits of the bundle that the operand occupies.
    pub fn mask(self) -> BundleBits {
        match self {
            Self::FprPermute(_) => fields::FD2.mask(),
            Self::Address(AddressForm::Offset) => self.encode(-1),
            Self::Address(_) => fields::RN.mask(),
            _ => self.encode(-1),
        }
    }

    /// Returns the range of packed values that the field can hold; some of them may still be undefined
    /// ([`OperandKind::is_defined`]).
    pub fn range(self) -> RangeInclusive<i32> {
        let bits = |n: u32| 0..=((1i32 << n) - 1);
        match self {
            Self::Fpr(_) | Self::FprPair(_) => bits(8),
            Self::Unsigned(f) | Self::Cc(f) | Self::Gpr(f) => bits(f.width()),
            Self::FprHalf(..) => bits(9),
            Self::FprPermute(base) => base..=base + 223,
            Self::Signed(f) => {
                let half = 1i32 << (f.width() - 1);
                -half..=half - 1
            }
            Self::Section(f, _) => bits(f.width()),
            Self::Condition | Self::Select(_) => bits(3),
            Self::Format => bits(2),
            Self::Creg | Self::AddressSet | Self::SectionSet(_) | Self::SharedSet => bits(4),
            Self::Target => bits(13),
            Self::WordAddress => bits(15),
            Self::SharedWord => bits(10),
            Self::SharedAddress => -1024 * 16..=1024 * 16 - 1,
            Self::Address(AddressForm::Offset) | Self::SectionAddress => -4096 * 16..=4096 * 16 - 1,
            Self::Address(_) => bits(4),
            Self::MoveReg(..) => bits(7),
            Self::SetReg => bits(6),
            Self::GprOrIreg => bits(5),
        }
    }

    /// Returns the highest packed value that names something a core has (register, half of a register as twice its number
    /// plus the half, first register of a pair, bundle, word), or `None` where every core has the same. Lower and encoded
    /// limits are those of [`OperandKind::range`].
    pub fn last(self, core: &Core) -> Option<i32> {
        let last_fpr = core.fprs() as i32 - 1;
        Some(match self {
            Self::Fpr(_) => last_fpr,
            Self::FprHalf(..) => 2 * last_fpr + 1,
            Self::FprPair(_) | Self::FprPermute(_) => last_fpr - 1,
            Self::Target => core.iram_bundles() as i32 - 1,
            Self::WordAddress => core.address_mask().into(),
            _ => return None,
        })
    }

    /// Whether the opcode of a permutation can write to this register and the next one: the opcode is bit 5 of the number.
    pub(crate) fn reaches(self, register: i32) -> bool {
        matches!(self, Self::FprPermute(base) if (register - base) & 32 == 0)
    }

    /// Whether a core has what the value names.
    #[inline]
    pub fn is_defined(self, core: &Core, v: i32) -> bool {
        match self {
            // Most operands of most operations: the shortest way.
            Self::Fpr(_) => core.has_fpr(v),
            _ => self.is_within(core, v),
        }
    }

    fn is_within(self, core: &Core, v: i32) -> bool {
        self.range().contains(&v)
            && self.last(core).is_none_or(|last| v <= last)
            && match self {
                Self::Creg => v <= 1,
                Self::MoveReg(..) => MoveReg::from_packed(v).is_some(),
                Self::FprPermute(_) => self.reaches(v),
                Self::Section(_, last) => v <= last,
                _ => true,
            }
    }
}
