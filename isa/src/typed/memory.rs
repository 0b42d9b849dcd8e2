//! Accesses of local and of shared memory by their meaning: which registers and words, and where these are.

use crate::bundle::Inst;
use crate::footprint::Halves;
use crate::operand::{Address, AddressForm, OperandKind, Step};
use crate::rules::address::{first_word, shared_word, word_of_half};
use crate::table::{Exch, Row, Unit};
use crate::{Core, SECTIONS, Section, SectionMask, WordAddress};

/// A load from local memory or a store to it: what its operands say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryAccess {
    /// Number of the FPR, the first if there are two.
    pub register: i32,
    /// Number of words in each section: one or two.
    pub words: u8,
    /// Address of the access, as it is written: a word, or an address set that is followed.
    pub address: Address,
    /// Whether the access is a store, not a load.
    pub is_store: bool,
    /// Halves that the access moves, if it moves 32 bits.
    pub half: Option<WordHalf>,
}

/// The halves of a register and of a word in memory that an access of 32 bits moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WordHalf {
    /// The half of the FPR that is moved.
    pub register: Halves,
    /// The half of the word of local memory that is moved.
    pub memory: MemoryHalf,
}

/// The half of a word in memory that an access of 32 bits takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryHalf {
    /// The half that the operation names.
    Fixed(Halves),
    /// The half that bit 0 of a general register names.
    Gpr(u8),
    /// The half that bit 0 of the address names: the address counts 32-bit words from the beginning or from the middle of
    /// local memory.
    Address {
        /// Whether the address counts from the middle.
        upper: bool,
    },
}

impl MemoryAccess {
    /// Returns the first word that the access touches, when its address set points to `address`.
    #[inline]
    pub fn first_word(&self, core: &Core, address: WordAddress) -> WordAddress {
        match self.half {
            Some(WordHalf { memory: MemoryHalf::Address { upper }, .. }) => {
                word_of_half(core, address, upper)
            }
            _ => first_word(address, self.words.into()),
        }
    }

    /// Returns the half of the word that the access touches, when its address set points to `address`; both halves if it
    /// moves whole words. `gpr` gives the value of a general register.
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
    /// Number of the FPR that is loaded or stored.
    pub register: i32,
    /// Whether the access is a store, not a load.
    pub is_store: bool,
    /// Words that the access moves.
    pub words: SharedWords,
    /// Address in shared memory of the first word, as it is written.
    pub address: SharedAddress,
}

/// The words that an access of shared memory moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SharedWords {
    /// Four that follow each other, one for each section.
    Four,
    /// A single word, into all sections.
    ToAll,
    /// The word of one section.
    Of(Section),
}

/// The way in which an access of shared memory finds its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SharedAddress {
    /// From this word on.
    Word(WordAddress),
    /// From where the shared address of a set points, which then steps.
    Set {
        /// Number of the address set.
        set: u8,
        /// Words by which the address steps.
        offset: i32,
    },
}

impl SharedAccess {
    /// Returns the word of each section, if the first is `first`; addresses count modulo the size of the memory.
    #[inline]
    pub fn places(&self, first: WordAddress) -> [WordAddress; SECTIONS] {
        let apart = if self.words == SharedWords::Four { 1 } else { 0 };
        std::array::from_fn(|s| shared_word(i32::from(first.0) + apart * s as i32))
    }

    /// Returns the sections whose registers the access reads or writes.
    #[inline]
    pub fn sections(&self) -> SectionMask {
        match self.words {
            SharedWords::Of(section) => SectionMask::one(section),
            SharedWords::Four | SharedWords::ToAll => SectionMask::ALL,
        }
    }
}

impl Inst<Exch> {
    /// Returns the same operation at another address, in the form that the address takes.
    #[inline]
    pub fn with_address(mut self, address: Address) -> Self {
        let is_address = |kind| {
            matches!(
                kind,
                OperandKind::WordAddress | OperandKind::Address(_) | OperandKind::SectionAddress
            )
        };
        let mut operands = self.op.row().operands.iter().zip(&mut self.values);
        if let Some((_, value)) = operands.find(|(operand, _)| is_address(operand.kind)) {
            *value = address.packed();
        }
        self
    }

    /// Returns the address that a load from local memory, a store to it or `updaddr` uses, as it is written; accesses of
    /// shared memory have [`Self::shared_access`].
    #[inline]
    pub fn address(&self) -> Option<Address> {
        Address::of(self.op.row(), &self.values)
    }

    /// Returns the load or store, if the operation is one.
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

    /// Returns the access of shared memory, if the operation is one.
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
            OperandKind::SharedWord => SharedAddress::Word(shared_word(at)),
            _ => SharedAddress::Set { set: (at & 15) as u8, offset: at >> 4 },
        };
        Some(SharedAccess { register, is_store: row.unit == Unit::Store, words, address })
    }

    /// Returns the halves that a word access moves; `None` for other operations.
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
}

impl Address {
    /// Returns the address among the operands of an operation, if there is one.
    #[inline]
    pub fn of(row: &Row, values: &[i32]) -> Option<Self> {
        row.operands.iter().zip(values).find_map(|(operand, &value)| match operand.kind {
            OperandKind::WordAddress => Some(Self::Word(WordAddress(value as u16))),
            OperandKind::Address(form) => {
                Some(Self::Set { set: (value & 15) as u8, step: form.step(value >> 4) })
            }
            OperandKind::SectionAddress => {
                Some(Self::Sections { set: (value & 15) as u8, offset: value >> 4 })
            }
            OperandKind::FprHalf(..) if row.unit == Unit::Load && !operand.write => {
                Some(Self::Fpr { register: value >> 1, half: Halves::named(value) })
            }
            _ => None,
        })
    }
}

impl Address {
    /// Packs the address into the value of an operand.
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
    /// Returns the step of this form with this offset.
    const fn step(self, offset: i32) -> Step {
        match self {
            Self::Offset => Step::Offset(offset),
            Self::PlusN => Step::PlusN,
            Self::MinusN => Step::MinusN,
        }
    }
}
