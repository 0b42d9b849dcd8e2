//! Contract of a block with those who run it: the facts that make its machine code safe.

use super::speculation::Guards;
use serde::{Deserialize, Serialize};

/// Precondition of a block. `runtime::executor` checks it against the registers and memories at hand.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Contract {
    /// Number of words of the local memory for which the block was made.
    pub(crate) lmem_words: usize,
    /// Guards: what the block takes for granted of the registers.
    pub(crate) guards: Guards,
    /// Whether the code goes back to its start while passes are left.
    pub(crate) repeats: bool,
    /// Number of entries of the undo log that a pass makes.
    pub(crate) undos: usize,
    /// Number of accesses that a pass notes.
    pub(crate) notes: usize,
    /// Number of vectors of operands that the block keeps for flags.
    pub(crate) tail_slots: usize,
    /// Table of coefficients that the block reads, if any: whether it is that of the inverse transform.
    pub(crate) coefficients: Option<bool>,
}
