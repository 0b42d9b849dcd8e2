//! Forms of accesses: which operations are aligned loads and stores, and what they want of their page.

use crate::isa::Operation as Op;
use crate::memory::{MAY_LOAD, MAY_STORE};

/// Form of an access.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    /// Whether the address is the sum of two registers, not of a register and a displacement.
    pub(super) is_indexed: bool,
    /// Logarithm of the number of bytes.
    pub(super) bits: u32,
    /// Right that its page has to have.
    pub(super) right: u8,
}

/// Returns the form of an access; `None` for another operation, and for an access that is no aligned one.
pub(super) const fn form(kind: Op) -> Option<Form> {
    let (is_indexed, bits, right) = match kind {
        Op::Lb | Op::Lbu => (false, 0, MAY_LOAD),
        Op::Lh | Op::Lhu => (false, 1, MAY_LOAD),
        Op::Lw | Op::Lwu | Op::Lwc1 => (false, 2, MAY_LOAD),
        Op::Ld | Op::Ldc1 => (false, 3, MAY_LOAD),
        Op::Lwxc1 => (true, 2, MAY_LOAD),
        Op::Ldxc1 => (true, 3, MAY_LOAD),
        Op::Sb => (false, 0, MAY_STORE),
        Op::Sh => (false, 1, MAY_STORE),
        Op::Sw | Op::Swc1 => (false, 2, MAY_STORE),
        Op::Sd | Op::Sdc1 => (false, 3, MAY_STORE),
        Op::Swxc1 => (true, 2, MAY_STORE),
        Op::Sdxc1 => (true, 3, MAY_STORE),
        _ => return None,
    };
    Some(Form { is_indexed, bits, right })
}
