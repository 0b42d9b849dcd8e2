//! Kinds of operands: where each lies in the bundle, which values it may take, and how a value is
//! packed into one `i32`. How operands are written is in `text`, what they access in `footprint`.

use crate::control;
use crate::field::{BitField, BundleBits, fields};
use crate::{Core, Halves, WordAddress};
use std::ops::RangeInclusive;

/// An operand of an operation as the table of operations describes it: kind, and whether the register that it names is
/// read or written. The value of the operand is not a part of this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Kind of the operand, with the bit fields that encode it.
    pub kind: OperandKind,
    /// Part of the named register whose value decides a result of the operation.
    pub reads: Reads,
    /// Whether the operation writes the named register: all of it, or the half that the operand names. The step of an
    /// address set is no write of the operand.
    pub write: bool,
}

/// Part of the register named by an operand whose value decides a result of the operation. A register that is no FPR is
/// read as a whole or not at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// No part: the register is only written, or the operand names no register.
    Nothing,
    /// All 64 bits; if the operand is a pair, those of the next register too.
    Both,
    /// Low half, bits 31:0.
    Lo,
    /// High half, bits 63:32.
    Hi,
    /// The half that the value of the operand names.
    Named,
    /// Halves that the format of the comparison compares: both for `ps` and `pw`, the low one for `s` and `w`.
    Compared,
    /// The half that `qsdot` does not write: its mode operand names the other one.
    Kept,
    /// The 32-bit words of the register and the next one that the selectors of `psprmsgn` name.
    Moved,
}

impl Operand {
    /// Whether the value of the named register, or of a part of it, decides a result of the operation; false for
    /// immediates.
    pub fn is_read(&self) -> bool {
        self.reads != Reads::Nothing
    }
}

/// Form of an operand that names an address set (registers An, Nn and Mn: address, step and mode): how register An,
/// which holds the address, changes after the access (post-modify).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressForm {
    /// `(rK)+offset`: the signed offset of the operand, in words, is added to the address register An.
    Offset,
    /// `(rK)+nK`: the value of register Nn of the address set, in words, is added to the address register An.
    PlusN,
    /// `(rK)-nK`: the value of register Nn of the address set, in words, is subtracted from the address register An.
    MinusN,
}

/// Step of the address register An of an address set after an access. The mode Mn decides how the step is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Step by this number of words, which may be negative.
    Offset(i32),
    /// Step by the value of register Nn of the same address set, in words.
    PlusN,
    /// Step back by the value of register Nn of the same address set, in words.
    MinusN,
}

/// Address in local memory that a load or store names: a number, or registers that hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    /// The word with this address, the same in every section.
    Word(WordAddress),
    /// The word to which register An of an address set points, the same in every section; An then steps.
    Set {
        /// Number of the address set, 0 to 15.
        set: u8,
        /// Step of An after the access.
        step: Step,
    },
    /// The words to which the section addresses of an address set point, one in each section; the section addresses
    /// then step.
    Sections {
        /// Number of the address set, 0 to 15.
        set: u8,
        /// Signed number of words that is added to each section address after the access.
        offset: i32,
    },
    /// The words to which the low bits of half of an FPR point, in every section those of its own FPR.
    Fpr {
        /// Number of the FPR that holds the addresses.
        register: i32,
        /// Half of the FPR that holds the addresses.
        half: Halves,
    },
}

/// Kind of an operand: what it names, which bit fields of the bundle hold it, and how it is packed into one `i32`, the
/// value of the operand. The text of each variant tells the value; [`BitField`] members tell where it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandKind {
    /// An FPR, whose number is in this field. Value: the number.
    Fpr(BitField),
    /// An FPR and the next one; the number of the first is in this field. Value: that number.
    FprPair(BitField),
    /// Half of an FPR. Value: 2 * number + half, with 1 for the high half. The members are the fields of the number and
    /// of the half.
    FprHalf(BitField, BitField),
    /// Destination of `psprmsgn`: an FPR and the next one. Value: the number of the first. The member, 0 or 32, is what
    /// the opcode adds to the number in the field.
    FprPermute(i32),
    /// Signed immediate in this field. Value: the immediate itself.
    Signed(BitField),
    /// Unsigned immediate in this field. Value: the immediate itself.
    Unsigned(BitField),
    /// Condition code, whose number is in this field. Value: the number.
    Cc(BitField),
    /// Relation of a comparison, which stands in the mnemonic. Value: its number, 0 to 7
    /// ([`condition_name`](crate::condition_name)).
    Condition,
    /// Operand format of a comparison, which stands in the mnemonic. Value: its number, 0 to 3
    /// ([`format_name`](crate::format_name)).
    Format,
    /// Register of `mfc` and `mtc`. Value: 0 for FCSR, 1 for FCCR.
    Creg,
    /// General register, whose number is in this field. Value: the number.
    Gpr(BitField),
    /// Target of a jump, call or `runi`, or end of a hardware loop. Value: the address of the bundle.
    Target,
    /// Immediate address of a word in local memory. Value: the address.
    WordAddress,
    /// Address set as a whole: its registers An (address), Nn (step) and Mn (mode). Value: its number.
    AddressSet,
    /// Address set whose An is the address of an access and then steps. Value: number of the set + 16 * offset; the
    /// offset is 0 in the forms that step by Nn.
    Address(AddressForm),
    /// Section addresses of an address set, which the operation writes; the number of the set is in this field. Value:
    /// the number.
    SectionSet(BitField),
    /// `(rK)+offset`, where each section uses its own section address of the set. Value: number of the set + 16 *
    /// offset.
    SectionAddress,
    /// Source or destination of `move`. Value: 16 * register file + number ([`MoveReg::packed`]). The members are the
    /// fields of the number and of the register file.
    MoveReg(BitField, BitField),
    /// Destination of `seti`. Value: 16 * file + number, with 0 to 3 for GPR, An, Nn, Mn as the file.
    SetReg,
    /// General or index register. Value: number of the general register, or 16 + number of the index register.
    GprOrIreg,
    /// Shared address of an address set, which the operation writes. Value: the number of the set.
    SharedSet,
    /// `(rK)+offset` in shared memory. Value: number of the address set + 16 * offset.
    SharedAddress,
    /// Immediate address of a word in shared memory. Value: the address.
    SharedWord,
    /// Section, whose number is in this field. Value: the number, or 4 for all sections. The second member is the
    /// highest value that the operation takes, 3 or 4.
    Section(BitField, i32),
    /// Selector of `psprmsgn` for the result word with this number, 0 to 3. Value: number of the source word, 0 to 3, +
    /// 4 if its sign is flipped.
    Select(u8),
}

/// Register file that `move` reaches. The number of each is that in the encoding of `move`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum RegFile {
    /// General registers, `g0` to `g15`.
    Gpr = 0,
    /// Control registers ([`control`](crate::control)).
    Control = 2,
    /// Registers An of the address sets, which hold addresses.
    A = 3,
    /// Registers Nn of the address sets, which hold steps.
    N = 4,
    /// Registers Mn of the address sets, which hold modes.
    M = 5,
    /// Index registers, `i0` to `i15`.
    Ireg = 6,
}

/// Register that `move` copies from or to, or that another operation moves, named by its register file and its number
/// there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveReg {
    /// Register file that has the register.
    pub file: RegFile,
    /// Number of the register in its file, from 0.
    pub number: u8,
}

impl RegFile {
    /// Returns the register file with this number in the encoding of `move`; `None` if no file has the number.
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

    /// Returns the register file with this number in the encoding of `seti`: 0 to 3 for GPR, An, Nn, Mn. Higher bits
    /// are ignored.
    pub fn from_seti(code: u8) -> Self {
        [Self::Gpr, Self::A, Self::N, Self::M][usize::from(code & 3)]
    }

    /// Returns the number of the register file in the encoding of `seti`; `None` for control and index registers, which
    /// `seti` does not reach.
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
    /// Control register STATUS: run state, FIFO state and sticky errors.
    pub const STATUS: Self = Self { file: RegFile::Control, number: control::STATUS };
    /// Control register STOPCODE: the code of the last stop, which no `move` may write.
    pub const STOPCODE: Self = Self { file: RegFile::Control, number: control::STOPCODE };

    /// Returns the register that the value of a `move` operand names, 16 * register file + number; `None` if there is
    /// no such file or control register.
    pub fn from_packed(value: i32) -> Option<Self> {
        let number = (value & 15) as u8;
        let file = RegFile::from_code((value >> 4) as u8)?;
        (file != RegFile::Control || number < control::COUNT).then_some(Self { file, number })
    }

    /// Returns the value of a `move` operand that names the register: 16 * register file + number.
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

    /// Returns the value of the operand that the bundle with the bits `word` holds, packed as the kind tells. The value
    /// may be undefined ([`OperandKind::is_defined`]).
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

    /// Returns the bits of a bundle that hold the packed value `v` in the fields of the operand and 0 elsewhere. Values
    /// outside [`OperandKind::range`] lose their high bits.
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

    /// Returns the mask of the bits of a bundle that the operand occupies.
    pub fn mask(self) -> BundleBits {
        match self {
            Self::FprPermute(_) => fields::FD2.mask(),
            Self::Address(AddressForm::Offset) => self.encode(-1),
            Self::Address(_) => fields::RN.mask(),
            _ => self.encode(-1),
        }
    }

    /// Returns the range of packed values that the fields of the operand can hold. Some of these may still name nothing
    /// on a core ([`OperandKind::is_defined`]).
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

    /// Returns the highest packed value that names something the core has: an FPR, half of an FPR as twice its number
    /// plus the half, the first FPR of a pair, a bundle or a word. `None` for kinds for which all cores have the same;
    /// [`OperandKind::range`] is their limit.
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

    /// Whether the opcode of a permutation can write to this register and the next one: the opcode is bit 5 of the
    /// number.
    pub(crate) fn reaches(self, register: i32) -> bool {
        matches!(self, Self::FprPermute(base) if (register - base) & 32 == 0)
    }

    /// Whether the packed value `v` of the operand is in range and names something that the core has.
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
