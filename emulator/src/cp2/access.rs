//! Words and addresses of the load and store operations of extensions, as functions that engines share.

use crate::state::Quad;
use cp2_isa::rules::address;
use cp2_isa::{Core, Halves, MemoryAccess, SECTIONS, SharedAddress, WordAddress};

/// The 32-bit halves that a load or store moves: of an FPR, and of a word of local memory. Both halves of each if it
/// moves whole words.
#[derive(Clone, Copy, Debug)]
pub struct MovedHalves {
    /// Halves of the FPR that the access reads or writes.
    pub register: Halves,
    /// Halves of the word of local memory that the access reads or writes.
    pub memory: Halves,
}

impl MovedHalves {
    /// Returns the halves that a load or store moves: both, for accesses of whole words. `at` is the address to which
    /// its address set points. The half in memory is fixed by the operation, or chosen by the lowest bit of `at` if the
    /// operation's address counts 32-bit words, or by the lowest bit of a general register, whose value `gpr` returns
    /// for its number.
    pub fn by(access: &MemoryAccess, at: WordAddress, gpr: impl FnOnce(u8) -> u64) -> Self {
        Self {
            register: access.half.map_or(Halves::BOTH, |half| half.register),
            memory: access.memory_halves(at, gpr),
        }
    }

    /// Returns the value that a load writes to an FPR, given the 64-bit word in memory: the word itself, or, for a load
    /// of one half, that half in both halves, of which only `self.register` is to be written.
    pub fn loaded(self, word: u64) -> u64 {
        spread(word, self.memory)
    }

    /// Returns the new 64-bit word in memory after a store: `word` with its half `self.memory` replaced by the half
    /// `self.register` of the FPR value `register`.
    pub fn stored(self, register: u64, word: u64) -> u64 {
        let mask = self.memory.mask();
        word & !mask | spread(register, self.register) & mask
    }
}

/// Returns a half of a word in both halves; the word itself if both are wanted.
fn spread(word: u64, halves: Halves) -> u64 {
    match halves {
        Halves::LO => word & 0xffff_ffff | word << 32,
        Halves::HI => word >> 32 | word & 0xffff_ffff << 32,
        _ => word,
    }
}

/// Returns a word address of local memory for each section, taken from the given half of an FPR (`register`, its value
/// in each section): its lowest bits, as many as an address has on this core.
pub fn own_addresses(core: &Core, register: &Quad, half: Halves) -> [WordAddress; SECTIONS] {
    let shift = if half == Halves::HI { 32 } else { 0 };
    register.map(|value| WordAddress((value >> shift) as u16 & core.address_mask()))
}

/// Returns the largest value, over the sections, of the given half of an FPR, as an unsigned 32-bit number: the result
/// of `mxfpr`.
pub fn largest(register: &Quad, half: Halves) -> u64 {
    let shift = if half == Halves::HI { 32 } else { 0 };
    let of = |value: u64| value >> shift & 0xffff_ffff;
    register.map(of).into_iter().max().unwrap_or_default()
}

/// Adds `words` to the word addresses of the enabled sections, modulo the size of local memory, and returns the
/// addresses before that. `enabled` has one bit for each section, section 0 the lowest.
pub fn step_sections(
    core: &Core,
    addresses: &mut [WordAddress; SECTIONS],
    words: i32,
    enabled: u8,
) -> [WordAddress; SECTIONS] {
    let before = *addresses;
    for s in super::pipeline::sections(enabled) {
        addresses[s] = address::stepped(core, before[s], words, core.address_mask());
    }
    before
}

/// Returns the address in shared memory of the first word of an access. If the operation names an address set, the
/// address of the set in `addresses` steps by the operation's offset in words, modulo the size of shared memory; the
/// word is the one before the step.
pub fn step_shared(addresses: &mut [WordAddress], address: SharedAddress) -> WordAddress {
    match address {
        SharedAddress::Word(word) => word,
        SharedAddress::Set { set, offset } => {
            let address = &mut addresses[usize::from(set)];
            let before = *address;
            *address = address::shared_word(i32::from(before.0) + offset);
            before
        }
    }
}
