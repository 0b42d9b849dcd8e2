//! Operands of an operation as the field names them: a comparison, a memory access, a loop. What
//! reads them never looks at packed values or at mnemonics.

use crate::bundle::Inst;
use crate::footprint::Halves;
use crate::operand::{Address, AddressForm, Kind, MoveReg, Operand, RegFile, Step};
use crate::rules::address::{first_word, shared_word, word_of_half};
use crate::table::{Arith, Effects, Exch, Row, Unit};
use crate::{BundleAddress, Core, SECTIONS, Section, SectionMask, WordAddress};
use serde::{Deserialize, Serialize};

/// Operand format of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Floats in the low halves.
    S,
    /// Integers in the low halves.
    W,
    /// Floats in both halves.
    Ps,
    /// Integers in both halves.
    Pw,
}

impl Format {
    /// The format with this number in the encoding.
    #[inline]
    pub const fn from_value(value: i32) -> Self {
        match value & 3 {
            0 => Self::S,
            1 => Self::W,
            2 => Self::Ps,
            _ => Self::Pw,
        }
    }

    /// Whether both halves are compared, which sets two condition codes.
    #[inline]
    pub const fn is_pairwise(self) -> bool {
        matches!(self, Self::Ps | Self::Pw)
    }

    /// Whether integers are compared.
    #[inline]
    pub const fn is_integer(self) -> bool {
        matches!(self, Self::W | Self::Pw)
    }
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Comparison {
    /// Number of the relation in the encoding.
    pub relation: u8,
    /// What is compared.
    pub format: Format,
    /// The first condition code that is set.
    pub cc: u8,
}

impl Comparison {
    /// How many condition codes it sets.
    #[inline]
    pub const fn codes(&self) -> u8 {
        if self.format.is_pairwise() { 2 } else { 1 }
    }
}

/// A register that `mfc` reads and `mtc` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Creg {
    /// Flags and cause.
    Fcsr,
    /// Condition codes.
    Fccr,
}

impl Creg {
    /// The register with this number in the encoding.
    #[inline]
    pub const fn from_value(value: i32) -> Self {
        if value == 0 { Self::Fcsr } else { Self::Fccr }
    }
}

/// A load or a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryAccess {
    /// The FPR, the first of two.
    pub register: i32,
    /// Words in each section: one or two.
    pub words: u8,
    /// Where.
    pub address: Address,
    /// To memory.
    pub is_store: bool,
    /// The halves, if it moves 32 bits.
    pub half: Option<WordHalf>,
}

/// What an access of 32 bits moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WordHalf {
    /// The half of the register.
    pub register: Halves,
    /// The half of the word in memory.
    pub memory: MemoryHalf,
}

/// Which half of a word in memory an access of 32 bits takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryHalf {
    /// This one.
    Fixed(Halves),
    /// The one that bit 0 of a general register names.
    Gpr(u8),
    /// The one that bit 0 of the address names: the address counts 32-bit words from the beginning or
    /// from the middle of local memory.
    Address {
        /// From the middle.
        upper: bool,
    },
}

impl MemoryAccess {
    /// The first word that it touches, when its address set points to `address`.
    #[inline]
    pub fn first_word(&self, core: &Core, address: WordAddress) -> WordAddress {
        match self.half {
            Some(WordHalf { memory: MemoryHalf::Address { upper }, .. }) => {
                word_of_half(core, address, upper)
            }
            _ => first_word(address, self.words.into()),
        }
    }

    /// The half of the word that it touches, when its address set points to `address`; both if it moves
    /// whole words.
    #[inline]
    pub fn memory_halves(&self, address: WordAddress, gpr: impl FnOnce(u8) -> u64) -> Halves {
        match self.half.map(|half| half.memory) {
            None => Halves::BOTH,
            Some(MemoryHalf::Fixed(half)) => half,
            Some(MemoryHalf::Gpr(number)) => Halves::named((gpr(number) & 1) as i32),
            Some(MemoryHalf::Address { .. }) => Halves::named(address.0.into()),
        }
    }
}

/// A load from shared memory, or a store to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SharedAccess {
    /// The FPR.
    pub register: i32,
    /// To memory.
    pub is_store: bool,
    /// What moves.
    pub words: SharedWords,
    /// Where the first word is.
    pub address: SharedAddress,
}

/// Which words an access of shared memory moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SharedWords {
    /// Four that follow each other, one for each section.
    Four,
    /// One, into all sections.
    ToAll,
    /// That of one section.
    Of(Section),
}

/// How an access of shared memory finds its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SharedAddress {
    /// From this word on.
    Word(WordAddress),
    /// From where the shared address of a set points, which then steps.
    Set {
        /// Its number.
        set: u8,
        /// How many words it steps by.
        offset: i32,
    },
}

impl SharedAccess {
    /// The word of each section, if the first is this; addresses count modulo the memory.
    #[inline]
    pub fn places(&self, first: WordAddress) -> [WordAddress; SECTIONS] {
        let apart = if self.words == SharedWords::Four { 1 } else { 0 };
        std::array::from_fn(|s| shared_word(i32::from(first.0) + apart * s as i32))
    }

    /// Sections whose registers it reads or writes.
    #[inline]
    pub fn sections(&self) -> SectionMask {
        match self.words {
            SharedWords::Of(section) => SectionMask::one(section),
            SharedWords::Four | SharedWords::ToAll => SectionMask::ALL,
        }
    }
}

/// A move between an FPR and a general or index register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FprTransfer {
    /// The FPR.
    pub register: i32,
    /// The general or index register.
    pub scalar: MoveReg,
    /// The section; all of them without one.
    pub section: Option<Section>,
}

/// One of the words that a permutation writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PermutedWord {
    /// Which of the two source registers it comes from.
    pub register: usize,
    /// Which half of that.
    pub half: Halves,
    /// Whether its sign is flipped.
    pub is_flipped: bool,
}

/// A permutation with signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Permutation {
    /// The first of the two registers that are written.
    pub to: i32,
    /// The first of the two registers that are read.
    pub from: i32,
    /// Low and high word of the first register that is written, then of the next.
    pub words: [PermutedWord; 4],
}

impl PermutedWord {
    const fn from_value(value: i32) -> Self {
        Self {
            register: (value >> 1 & 1) as usize,
            half: Halves::named(value),
            is_flipped: value & 4 != 0,
        }
    }

    /// Number of the word among the four that are read.
    #[inline]
    pub const fn number(self) -> i32 {
        2 * self.register as i32 + if self.half.contains(Halves::HI) { 1 } else { 0 }
    }
}

/// How often a hardware loop goes round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Count {
    /// So often.
    Immediate(u32),
    /// As a general register says.
    Gpr(u8),
}

impl Inst<Arith> {
    /// The comparison, if it is one.
    #[inline]
    pub fn comparison(&self) -> Option<Comparison> {
        (self.op == Arith::C).then(|| Comparison {
            relation: self.values[0] as u8,
            format: Format::from_value(self.values[1]),
            cc: self.values[2] as u8,
        })
    }

    /// The set whose section addresses `amtsa` writes, the FPR that has them and the half of it.
    #[inline]
    pub fn section_addresses(&self) -> Option<(u8, i32, Halves)> {
        (self.op == Arith::Amtsa).then(|| written_addresses(&self.values))
    }

    /// The register that `mfc` reads or `mtc` writes.
    #[inline]
    pub fn creg(&self) -> Option<Creg> {
        let operands = self.op.row().operands.iter().zip(&self.values);
        let found = operands.clone().find(|(o, _)| o.kind == Kind::Creg);
        found.map(|(_, &value)| Creg::from_value(value))
    }
}

/// Set, FPR and half of an operation that writes section addresses.
const fn written_addresses(values: &[i32]) -> (u8, i32, Halves) {
    (values[0] as u8 & 15, values[1] >> 1, Halves::named(values[1]))
}

impl Inst<Exch> {
    /// Destination and source of a `move`.
    #[inline]
    pub fn moved(&self) -> Option<(MoveReg, MoveReg)> {
        if self.op != Exch::Move {
            return None;
        }
        let [to, from, ..] = self.values;
        Some((MoveReg::from_packed(to)?, MoveReg::from_packed(from)?))
    }

    /// The register that `seti` sets, and to what.
    #[inline]
    pub fn set_immediate(&self) -> Option<(MoveReg, u16)> {
        let [packed, value, ..] = self.values;
        let file = || RegFile::from_seti((packed >> 4) as u8);
        (self.op == Exch::Seti)
            .then(|| (MoveReg { file: file(), number: (packed & 15) as u8 }, value as u16))
    }

    /// The address set that `clr` resets.
    #[inline]
    pub fn cleared_set(&self) -> Option<u8> {
        (self.op == Exch::Clr).then_some((self.values[0] & 15) as u8)
    }

    /// The set whose section addresses `mtsa` writes, the FPR that has them and the half of it.
    #[inline]
    pub fn section_addresses(&self) -> Option<(u8, i32, Halves)> {
        (self.op == Exch::Mtsa).then(|| written_addresses(&self.values))
    }

    /// The GPR that gets the largest of a half of an FPR, that FPR and the half.
    #[inline]
    pub fn largest(&self) -> Option<(u8, i32, Halves)> {
        let [gpr, packed, ..] = self.values;
        (self.op == Exch::Mxfpr).then(|| (gpr as u8, packed >> 1, Halves::named(packed)))
    }

    /// What `mtfpr` or `mffpr` moves.
    #[inline]
    pub fn fpr_transfer(&self) -> Option<FprTransfer> {
        let (register, packed) = match self.op {
            Exch::Mtfpr => (self.values[0], self.values[1]),
            Exch::Mffpr => (self.values[1], self.values[0]),
            _ => return None,
        };
        let file = if packed < 16 { RegFile::Gpr } else { RegFile::Ireg };
        let scalar = MoveReg { file, number: (packed & 15) as u8 };
        let section = Section::new(self.values[2] as usize);
        Some(FprTransfer { register, scalar, section })
    }

    /// The permutation, if it is one.
    #[inline]
    pub fn permutation(&self) -> Option<Permutation> {
        let [to, from, words @ ..] = self.values;
        (self.op.row().unit == Unit::Permute).then(|| Permutation {
            to,
            from,
            words: words.map(PermutedWord::from_value),
        })
    }

    /// A permutation in the variant that can name its destination; other operations as they are.
    #[inline]
    pub fn with_variant(mut self) -> Self {
        if self.op.row().unit == Unit::Permute
            && let Some(op) = Exch::permutation_to(self.values[0])
        {
            self.op = op;
        }
        self
    }

    /// The same operation at another address, in the form that it takes.
    #[inline]
    pub fn with_address(mut self, address: Address) -> Self {
        let is_address =
            |kind| matches!(kind, Kind::WordAddress | Kind::Address(_) | Kind::SectionAddress);
        let mut operands = self.op.row().operands.iter().zip(&mut self.values);
        if let Some((_, value)) = operands.find(|(operand, _)| is_address(operand.kind)) {
            *value = address.packed();
        }
        self
    }

    /// The general register that a control operation reads, or that `check_dma` writes.
    #[inline]
    pub fn gpr(&self) -> Option<u8> {
        let mut operands = self.op.row().operands.iter().zip(&self.values);
        let found = operands.find(|(o, _)| matches!(o.kind, Kind::Gpr(_)));
        found.map(|(_, &value)| value as u8)
    }

    /// The control register that a `move` writes.
    #[inline]
    pub fn control_written(&self) -> Option<u8> {
        let (to, _) = self.moved()?;
        (to.file == RegFile::Control).then_some(to.number)
    }

    /// The address that a load, a store or `updaddr` uses.
    #[inline]
    pub fn address(&self) -> Option<Address> {
        Address::of(self.op.row(), &self.values)
    }

    /// The load or store, if it is one.
    #[inline]
    pub fn memory_access(&self) -> Option<MemoryAccess> {
        let row = self.op.row();
        let is_store = match row.unit {
            Unit::Load => false,
            Unit::Store => true,
            _ => return None,
        };
        let address = self.address()?;
        let half = self.half_moved();
        // Half of a register is packed with its number.
        let register = if half.is_some() { self.values[0] >> 1 } else { self.values[0] };
        Some(MemoryAccess { register, words: row.words(), address, is_store, half })
    }

    /// The access of shared memory, if it is one.
    #[inline]
    pub fn shared_access(&self) -> Option<SharedAccess> {
        let [register, at, section, ..] = self.values;
        let words = match self.op {
            Exch::Lqi | Exch::Lqo | Exch::Sqi | Exch::Sqo => SharedWords::Four,
            Exch::Lqbi | Exch::Lqbo => SharedWords::ToAll,
            Exch::Sqsi | Exch::Sqso => SharedWords::Of(Section::new(section as usize)?),
            _ => return None,
        };
        let row = self.op.row();
        let address = match row.operands[1].kind {
            Kind::SharedWord => SharedAddress::Word(shared_word(at)),
            _ => SharedAddress::Set { set: (at & 15) as u8, offset: at >> 4 },
        };
        Some(SharedAccess { register, is_store: row.unit == Unit::Store, words, address })
    }

    /// The halves that a word access moves.
    #[inline]
    fn half_moved(&self) -> Option<WordHalf> {
        let [named, _, last, ..] = self.values;
        let memory = match self.op {
            Exch::Lhi
            | Exch::Lho
            | Exch::Lhnp
            | Exch::Lhnm
            | Exch::Shi
            | Exch::Sho
            | Exch::Shnp
            | Exch::Shnm => MemoryHalf::Fixed(Halves::named(last)),
            Exch::Lhgnp | Exch::Lhgnm | Exch::Shgnp | Exch::Shgnm => MemoryHalf::Gpr(last as u8),
            Exch::Lh32np | Exch::Lh32nm | Exch::Sh32np | Exch::Sh32nm => {
                MemoryHalf::Address { upper: last & 1 == 1 }
            }
            _ => return None,
        };
        Some(WordHalf { register: Halves::named(named), memory })
    }

    /// The control register that a `move` reads.
    #[inline]
    pub fn control_read(&self) -> Option<u8> {
        let (_, from) = self.moved()?;
        (from.file == RegFile::Control).then_some(from.number)
    }

    /// Count and end of the hardware loop that it starts.
    #[inline]
    pub fn hardware_loop(&self) -> Option<(Count, BundleAddress)> {
        let count = match self.op {
            Exch::Doi => Count::Immediate(self.values[0] as u32),
            Exch::Do => Count::Gpr(self.values[0] as u8),
            _ => return None,
        };
        Some((count, BundleAddress(self.values[1] as u16)))
    }

    /// The bundle that an immediate operand names: where it jumps to, or the end of a loop.
    #[inline]
    pub fn target(&self) -> Option<BundleAddress> {
        let operands = self.op.row().operands.iter().zip(&self.values);
        let found = operands.clone().find(|(o, _)| o.kind == Kind::Target);
        found.map(|(_, &value)| BundleAddress(value as u16))
    }
}

impl Exch {
    /// The permutation that can write to this register and the next one.
    #[inline]
    pub fn permutation_to(register: i32) -> Option<Self> {
        let reaches = |op: &Self| {
            let takes = |operand: &Operand| operand.write && operand.kind.reaches(register);
            op.row().operands.iter().any(takes)
        };
        [Self::Psprmsgn0, Self::Psprmsgn1].into_iter().find(reaches)
    }
}

impl Row {
    /// Words that a memory operation moves in a section.
    #[inline]
    pub fn words(&self) -> u8 {
        if self.effects.contains(Effects::DOUBLE) { 2 } else { 1 }
    }

    /// Whether an operation under this condition code executes only where it holds.
    #[inline]
    pub fn obeys(&self, cc: u8) -> bool {
        cc != 0 && self.effects.contains(Effects::PREDICATED)
    }

    /// Whether the FPRs that it writes stay as they are where predicate `cc` disables a section.
    #[inline]
    pub fn keeps(&self, cc: u8) -> bool {
        self.obeys(cc) && !self.effects.contains(Effects::ZEROES)
    }
}

impl Address {
    /// The address among the operands of an operation, if there is one.
    #[inline]
    pub fn of(row: &Row, values: &[i32]) -> Option<Self> {
        row.operands.iter().zip(values).find_map(|(operand, &value)| match operand.kind {
            Kind::WordAddress => Some(Self::Word(WordAddress(value as u16))),
            Kind::Address(form) => {
                Some(Self::Set { set: (value & 15) as u8, step: form.step(value >> 4) })
            }
            Kind::SectionAddress => {
                Some(Self::Sections { set: (value & 15) as u8, offset: value >> 4 })
            }
            Kind::FprHalf(..) if row.unit == Unit::Load && !operand.write => {
                Some(Self::Fpr { register: value >> 1, half: Halves::named(value) })
            }
            _ => None,
        })
    }
}

impl Address {
    /// Its value as an operand.
    const fn packed(self) -> i32 {
        match self {
            Self::Word(word) => word.0 as i32,
            Self::Set { set, step: Step::Offset(offset) } => set as i32 | offset << 4,
            Self::Set { set, .. } => set as i32,
            Self::Sections { set, offset } => set as i32 | offset << 4,
            Self::Fpr { register, half } => {
                register << 1 | if half.contains(Halves::HI) { 1 } else { 0 }
            }
        }
    }
}

impl AddressForm {
    /// The step of this form with this offset.
    const fn step(self, offset: i32) -> Step {
        match self {
            Self::Offset => Step::Offset(offset),
            Self::PlusN => Step::PlusN,
            Self::MinusN => Step::MinusN,
        }
    }
}
