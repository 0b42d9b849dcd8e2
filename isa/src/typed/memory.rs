//! Accesses of local and of shared memory by their meaning: which registers and words, and where these are.

use crate::bundle::Inst;
use crate::footprint::Halves;
use crate::operand::{Address, AddressForm, OperandKind, Step};
use crate::rules::address::{first_word, shared_word, word_of_half};
use crate::table::{Exch, Row, Unit};
use crate::{Core, SECTIONS, Section, SectionMask, WordAddress};

/// The operands of a load from local memory or of a store to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryAccess {
    /// Number of the FPR that is loaded or stored; of the first if there are two.
    pub register: i32,
    /// Number of 64-bit words in each section: 1 or 2. An access of 32 bits has 1.
    pub words: u8,
    /// Address of the access as the operation names it: a number, or registers that hold it.
    pub address: Address,
    /// Whether the access is a store, not a load.
    pub is_store: bool,
    /// Halves of register and word that an access of 32 bits moves; `None` for accesses of whole words.
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

/// Half of a 64-bit word in local memory that an access of 32 bits moves, by what names the half: the operation, a
/// general register, or the address. [`MemoryAccess::memory_halves`] makes a half of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryHalf {
    /// The half that the operation itself names.
    Fixed(Halves),
    /// The half that bit 0 of the general register with this number names: 1 is the high half.
    Gpr(u8),
    /// The half that bit 0 of the address names. The address counts 32-bit words, from the beginning or from the middle
    /// of local memory.
    Address {
        /// Whether the address counts from the middle of local memory, not from its beginning.
        upper: bool,
    },
}

impl MemoryAccess {
    /// Returns the address of the first 64-bit word that the access touches in a section. `address` is the value of the
    /// address register, or the immediate address, before the access; an access of two words begins at an even address.
    #[inline]
    pub fn first_word(&self, core: &Core, address: WordAddress) -> WordAddress {
        match self.half {
            Some(WordHalf { memory: MemoryHalf::Address { upper }, .. }) => {
                word_of_half(core, address, upper)
            }
            _ => first_word(address, self.words.into()),
        }
    }

    /// Returns the half of the word that the access touches, or both halves for an access of whole words. `address` is
    /// the value of the address register before the access; `gpr` gives the value of the general register with a
    /// number.
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

/// The operands of a load from shared memory, the memory that the sections have in common, or of a store to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SharedAccess {
    /// Number of the FPR that is loaded or stored.
    pub register: i32,
    /// Whether the access is a store, not a load.
    pub is_store: bool,
    /// Words that the access moves, and the sections that take part.
    pub words: SharedWords,
    /// Address of the first word as the operation names it: a number, or the register that holds it.
    pub address: SharedAddress,
}

/// Words that an access of shared memory moves, and the sections that load or store them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SharedWords {
    /// Four words at consecutive addresses: the k-th belongs to section k.
    Four,
    /// A single word, which all sections load.
    ToAll,
    /// A single word, which this section stores.
    Of(Section),
}

/// Address in shared memory that an operation names: a number, or the register that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SharedAddress {
    /// The address of the first word.
    Word(WordAddress),
    /// The shared address of an address set, which steps after the access.
    Set {
        /// Number of the address set, 0 to 15.
        set: u8,
        /// Signed number of words that is added to the shared address after the access.
        offset: i32,
    },
}

impl SharedAccess {
    /// Returns the address in shared memory of the word of each section, section 0 first. `first` is the address of the
    /// access; with four words section k has the k-th, otherwise all have the first. Addresses count modulo the size of
    /// shared memory.
    #[inline]
    pub fn places(&self, first: WordAddress) -> [WordAddress; SECTIONS] {
        let apart = if self.words == SharedWords::Four { 1 } else { 0 };
        std::array::from_fn(|s| shared_word(i32::from(first.0) + apart * s as i32))
    }

    /// Returns the sections whose FPRs the access reads or writes: the storing section, or all.
    #[inline]
    pub fn sections(&self) -> SectionMask {
        match self.words {
            SharedWords::Of(section) => SectionMask::one(section),
            SharedWords::Four | SharedWords::ToAll => SectionMask::ALL,
        }
    }
}

impl Inst<Exch> {
    /// Returns the operation with `address` in its address operand. The opcode stays, so `address` must be of the form
    /// that the operation takes. An operation without an address in local memory comes back unchanged.
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

    /// Returns the address that a load from local memory, a store to it or an update of an address (`updaddr`) names;
    /// `None` for other operations. Accesses of shared memory have [`Self::shared_access`].
    #[inline]
    pub fn address(&self) -> Option<Address> {
        Address::of(self.op.row(), &self.values)
    }

    /// Returns the operands of the operation if it is a load from local memory or a store to it; otherwise `None`.
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

    /// Returns the operands of the operation if it accesses shared memory; otherwise `None`.
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
    /// Returns the address in local memory that an operation names; `None` if it has none. `values` are the packed
    /// values of its operands, in the order of the row.
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
