//! Chains of DMA descriptors that a user writes down and runs on a machine without a kernel, as `cp2 dma` does. A chain
//! is read from the text of a TOML or `.hex` file and written as either, run, reported as text and JSON, and drawn.
//! Files are the caller's business. The descriptors themselves are in `cp2_emu::dma`.

pub mod codes;
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
use cp2_emu::dma::{Descriptor, DmaRegister};
use cp2_isa::NumberRange;

/// Number of bytes of a descriptor in system memory, 8 words of 64 bits.
pub const DESCRIPTOR_BYTES: u64 = 64;

/// A table of DMA descriptors, and the values of registers that the channel finds when it starts on the table.
/// [`read_toml`] and [`read_hex`] make it of a text, [`load`] puts it into a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    /// Registers of the DMA channel with the values that they get before the start. If one stands here twice, the later
    /// value counts.
    pub registers: Vec<(DmaRegister, u32)>,
    /// Halves of the index registers of CP2, from which descriptors may take addresses and choices, with the values
    /// that they get before the start. The first number is 2k for the high half of index register k, and 2k + 1 for the
    /// low half; there are 16 registers.
    pub halves: Vec<(u8, u32)>,
    /// The descriptors, in the order of the table, from number 0 on.
    pub descriptors: Vec<Descriptor>,
}

/// Positions of a descriptor and of its fields in the text that it was read from, so that messages can point there. A
/// [`ChainSource`] has one for each descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescriptorSpans {
    /// Position of the whole descriptor.
    pub whole: Span,
    /// Names and positions of those fields that stand in the text. The names are those that faults of the channel give
    /// the fields, such as `memory base`.
    pub fields: Vec<(&'static str, Span)>,
}

impl DescriptorSpans {
    /// Returns the position of the field with this name, or of the whole descriptor if the text does not have the field
    /// by itself.
    pub fn of(&self, field: &str) -> &Span {
        self.fields.iter().find(|(name, _)| *name == field).map_or(&self.whole, |(_, span)| span)
    }
}

/// A chain that was read from a text, and the positions of its descriptors in the text.
#[derive(Clone, Debug)]
pub struct ChainSource {
    /// The chain that the text describes.
    pub chain: Chain,
    /// Positions of the descriptors, one element for each descriptor of the chain, in the same order.
    pub places: Vec<DescriptorSpans>,
}

impl Chain {
    /// Registers of the DMA channel that a chain may set before the start, in the order in which they are written to a
    /// file.
    pub const REGISTERS: [DmaRegister; 6] = [
        DmaRegister::Daddr,
        DmaRegister::Curdsc,
        DmaRegister::Addrlim,
        DmaRegister::Intmask,
        DmaRegister::Baseaddr,
        DmaRegister::Config,
    ];

    /// Returns the value that the chain sets a register of the channel to, the last one if there are several; `None` if
    /// the chain does not set the register.
    pub fn register(&self, register: DmaRegister) -> Option<u32> {
        self.registers.iter().rev().find(|(r, _)| *r == register).map(|(_, value)| *value)
    }

    /// Returns the registers that keep less than the value that the chain sets, because a write drops some bits:
    /// register, value of the chain, value that is kept.
    pub fn cut_registers(&self) -> impl Iterator<Item = (DmaRegister, u32, u32)> + '_ {
        let set = Self::REGISTERS.into_iter().filter_map(|of| Some((of, self.register(of)?)));
        let kept = set.map(|(register, value)| (register, value, value & register.writable()));
        kept.filter(|(_, value, kept)| value != kept)
    }

    /// Returns the address in system memory of the table of descriptors, the sum of the registers BASEADDR and DADDR
    /// modulo 2^32, where one that the chain does not set counts as 0; `None` if the chain sets neither.
    pub fn table(&self) -> Option<u32> {
        match (self.register(DmaRegister::Baseaddr), self.register(DmaRegister::Daddr)) {
            (None, None) => None,
            (base, offset) => Some(base.unwrap_or(0).wrapping_add(offset.unwrap_or(0))),
        }
    }
}

/// Returns the values that a chain may set this register of the DMA channel to: those of which a write drops no bits,
/// since in the address of a table a dropped bit would mean another table. ADDRLIM takes any 32 bits: its value after
/// reset has bits that a write drops, and the loss moves the limit by less than a word.
pub fn register_limit(register: DmaRegister) -> NumberRange {
    if register == DmaRegister::Addrlim {
        return NumberRange::bits(u32::BITS);
    }
    let bits = register.writable();
    let multiple_of = 1 << bits.trailing_zeros();
    NumberRange { low: 0, high: bits.into(), multiple_of }
}
