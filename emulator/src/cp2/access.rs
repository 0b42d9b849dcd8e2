//! Words and addresses of the loads and stores of extensions: pure functions that engines share.

use crate::state::Quad;
use cp2_isa::rules::address;
use cp2_isa::{Core, Halves, MemoryAccess, SECTIONS, SharedAddress, WordAddress};

/// The halves of a register and of a word in memory between which an access moves.
#[derive(Clone, Copy, Debug)]
pub struct MovedHalves {
    /// Halves of the FPR that the access reads or writes.
    pub register: Halves,
    /// Halves of the word of local memory that the access reads or writes.
    pub memory: Halves,
}

impl MovedHalves {
    /// Returns the halves that an access moves whose address set points to `at`, with these general registers.
    pub fn by(access: &MemoryAccess, at: WordAddress, gpr: impl FnOnce(u8) -> u64) -> Self {
        Self {
            register: access.half.map_or(Halves::BOTH, |half| half.register),
            memory: access.memory_halves(at, gpr),
        }
    }

    /// Returns the loaded half as both halves of a register; `register` tells which of them are written.
    pub fn loaded(self, word: u64) -> u64 {
        spread(word, self.memory)
    }

    /// Returns a word in memory as it is after a store of a register.
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

/// Returns the addresses in a half of an FPR, one of each section.
pub fn own_addresses(core: &Core, register: &Quad, half: Halves) -> [WordAddress; SECTIONS] {
    let shift = if half == Halves::HI { 32 } else { 0 };
    register.map(|value| WordAddress((value >> shift) as u16 & core.address_mask()))
}

/// Returns the largest of a half of an FPR in all sections, as unsigned numbers.
pub fn largest(register: &Quad, half: Halves) -> u64 {
    let shift = if half == Halves::HI { 32 } else { 0 };
    let of = |value: u64| value >> shift & 0xffff_ffff;
    register.map(of).into_iter().max().unwrap_or_default()
}

/// Steps the addresses of the enabled sections by words, and returns the addresses before.
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

/// Returns the first word of an access of shared memory, and steps the address of a set.
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
