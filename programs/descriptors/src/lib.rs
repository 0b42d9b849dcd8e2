//! Chains of DMA descriptors that a user writes down, run on a machine without a kernel: read from TOML
//! or `.hex` and written as either, run, reported as text and JSON, drawn. Files are the caller's
//! business. The descriptors themselves are `cp2_emu::dma`.

pub mod codes;
mod fields;
mod grid;
mod hex;
mod image;
mod map;
mod picture;
mod read;
mod report;
mod run;
mod sentence;
mod sheet;
mod strips;
mod write;

pub use hex::{read as read_hex, write as write_hex};
pub use image::{Piece, default_table, load};
pub use map::map;
pub use picture::picture;
pub use read::read as read_toml;
pub use report::{schema, to_json, to_text};
pub use run::{ChainEnd, Releases, Report, Script, run};
pub use sentence::sentence;
pub use write::write as write_toml;

use cp2_asm::diagnostic::Span;
use cp2_emu::dma::{Descriptor, DmaRegister, FieldRange};

/// Bytes of a descriptor.
pub const DESCRIPTOR_BYTES: u64 = 64;

/// A table of descriptors and what the channel finds when it starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    /// Registers of the channel and their values; later ones count.
    pub registers: Vec<(DmaRegister, u32)>,
    /// Index half-registers and their values.
    pub halves: Vec<(u8, u32)>,
    /// The table, from number 0 on.
    pub descriptors: Vec<Descriptor>,
}

/// Place of a descriptor and of its fields in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescriptorSpans {
    /// Place of the whole descriptor.
    pub whole: Span,
    /// Places of the fields, by the names that faults of the channel give them.
    pub fields: Vec<(&'static str, Span)>,
}

impl DescriptorSpans {
    /// Returns the place of the field of this name, or of the whole descriptor if the field has none of its own.
    pub fn of(&self, field: &str) -> &Span {
        self.fields.iter().find(|(name, _)| *name == field).map_or(&self.whole, |(_, span)| span)
    }
}

/// Chain, and the places of its descriptors in a text.
#[derive(Clone, Debug)]
pub struct ChainSource {
    /// The chain.
    pub chain: Chain,
    /// Place of each descriptor.
    pub places: Vec<DescriptorSpans>,
}

impl Chain {
    /// The registers that a chain may set.
    pub const REGISTERS: [DmaRegister; 6] = [
        DmaRegister::Daddr,
        DmaRegister::Curdsc,
        DmaRegister::Addrlim,
        DmaRegister::Intmask,
        DmaRegister::Baseaddr,
        DmaRegister::Config,
    ];

    /// Returns the value of a register if the chain sets it.
    pub fn register(&self, register: DmaRegister) -> Option<u32> {
        self.registers.iter().rev().find(|(r, _)| *r == register).map(|(_, value)| *value)
    }

    /// Returns the registers that keep less than what the chain sets: register, value, what is kept of it.
    pub fn cut_registers(&self) -> impl Iterator<Item = (DmaRegister, u32, u32)> + '_ {
        let set = Self::REGISTERS.into_iter().filter_map(|of| Some((of, self.register(of)?)));
        let kept = set.map(|(register, value)| (register, value, value & register.writable()));
        kept.filter(|(_, value, kept)| value != kept)
    }

    /// Returns the address of the table, if the chain tells where it stands.
    pub fn table(&self) -> Option<u32> {
        match (self.register(DmaRegister::Baseaddr), self.register(DmaRegister::Daddr)) {
            (None, None) => None,
            (base, offset) => Some(base.unwrap_or(0).wrapping_add(offset.unwrap_or(0))),
        }
    }
}

/// Returns the limit of a register that a chain may set: no bits that a write would lose. ADDRLIM may have such bits, as its
/// value after reset has some: there the loss moves a limit by less than a word. In the address of a table the loss would
/// make it another table.
pub fn register_limit(register: DmaRegister) -> FieldRange {
    if register == DmaRegister::Addrlim {
        return FieldRange::bits(u32::BITS);
    }
    let bits = register.writable();
    let multiple_of = 1 << bits.trailing_zeros();
    FieldRange { low: 0, high: bits.into(), multiple_of }
}
