//! Registers of the guest whose values must be there, so that code need not wait for them.

/// Registers of the guest whose values are known to be there.
#[derive(Default)]
pub(super) struct KnownTimes {
    /// Number of instructions of the block so far.
    pub(super) n_issued: u32,
    /// Registers, and numbers of instructions from which on their values are there.
    known: Vec<(u8, u32)>,
}

impl KnownTimes {
    /// Whether the value of a register must be there.
    pub(super) fn is_there(&self, register: u8) -> bool {
        let is_it = |(other, from): &(u8, u32)| *other == register && *from <= self.n_issued;
        register == 0 || self.known.iter().any(is_it)
    }

    /// Keeps from which number of instructions on a value is there; `None` if that is open.
    pub(super) fn set(&mut self, register: u8, from: Option<u32>) {
        self.known.retain(|(other, _)| *other != register);
        self.known.extend(from.map(|from| (register, from)));
    }
}
