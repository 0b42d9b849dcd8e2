//! Places in the memory of code: of the ways out of it, of the code of blocks, and of exits from blocks.

use std::collections::HashMap;

/// Offset in the memory of code of the first instruction of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry(pub(super) usize);

/// Exit of a block to an address that is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exit {
    /// Address of the guest.
    pub(super) target: u64,
    /// Whether the exit goes to the caller, because there was no code at the target.
    pub(super) is_open: bool,
}

/// Places in the memory of code.
#[derive(Default)]
pub(super) struct Links {
    /// Offset of the way out: the code is left with what is in RAX.
    pub(super) leave: usize,
    /// Offset of the function that calls the handler of the operation at the address in RDX; RAX is the number that tells
    /// where the code was left if the handler stops it.
    pub(super) call: usize,
    /// Offset of the function that waits for the time in RAX, for the cause whose number is in RCX; of code that tells the
    /// time.
    pub(super) wait: usize,
    /// Code of blocks, by their addresses.
    pub(super) entries: HashMap<u64, Entry>,
    /// Exits of all blocks, by number.
    pub(super) exits: Vec<Exit>,
}

impl Links {
    /// Returns the code of the block at an address of the guest.
    pub(super) fn entry(&self, pc: u64) -> Option<Entry> {
        self.entries.get(&pc).copied()
    }

    /// Returns the target of an exit.
    pub(super) fn target(&self, exit: u32) -> u64 {
        self.exits.get(exit as usize).map_or(0, |exit| exit.target)
    }

    /// Returns the number that the next exit but so many will have, and the code at its target.
    pub(super) fn exit(&self, target: u64, ahead: usize) -> (u32, Option<Entry>) {
        ((self.exits.len() + ahead) as u32, self.entry(target))
    }

    /// Forgets blocks and exits.
    pub(super) fn forget(&mut self) {
        self.entries.clear();
        self.exits.clear();
    }
}
