//! Ways out of native code, as numbers that it hands to the caller, and the table by which it finds targets of jumps.

/// Number of entries of the table of jumps.
pub(super) const JUMP_ENTRIES: usize = 4096;
/// Entry of the table of jumps: an address of the guest, and that of its code on the native machine.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct JumpEntry {
    pub(super) pc: u64,
    pub(super) code: u64,
}

/// Returns a table in which no address is found: each entry has one that belongs to the next.
pub(super) fn no_jumps() -> Box<[JumpEntry]> {
    let other = |at: usize| ((at as u64 + 1) % JUMP_ENTRIES as u64) << 2;
    (0..JUMP_ENTRIES).map(|at| JumpEntry { pc: other(at), code: 0 }).collect()
}

/// Returns the place of an address in the table.
pub(super) fn place_of_jump(pc: u64) -> usize {
    (pc >> 2) as usize % JUMP_ENTRIES
}

/// Kind of a way in which code is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaving {
    /// By an exit, which has a number.
    Exit,
    /// By a jump to the address that is in `pc`.
    Jump,
    /// Because the handler of an operation stopped it.
    Stopped,
    /// Before an operation that is to be done by its handler, as those behind it.
    Rest,
}

impl Leaving {
    /// Packs the kind with the number of the exit or the block, and that of the operation in its block.
    pub(super) const fn with(self, number: u32, index: u32) -> u64 {
        (self as u64) << 60 | (index as u64) << 32 | number as u64
    }

    /// Unpacks kind and numbers.
    pub(super) const fn of(packed: u64) -> (Self, u32, usize) {
        let kind = match packed >> 60 {
            0 => Self::Exit,
            1 => Self::Jump,
            2 => Self::Stopped,
            _ => Self::Rest,
        };
        (kind, packed as u32, (packed >> 32) as usize & 0xfff_ffff)
    }
}
