//! What a block asks of those who run it: the facts that make its machine code safe.

use super::speculation::Guards;
use serde::{Deserialize, Serialize};

/// What has to be so when a block is run. `runtime::executor` holds it against what is there.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Contract {
    /// Words of the local memory that it was made for.
    pub(crate) lmem_words: usize,
    /// What it takes for granted of the registers.
    pub(crate) guards: Guards,
    /// The code goes back to its start while passes are left.
    pub(crate) repeats: bool,
    /// Entries of the undo log that a pass makes.
    pub(crate) undos: usize,
    /// Accesses that a pass notes.
    pub(crate) notes: usize,
    /// Vectors of operands that it keeps for flags.
    pub(crate) tail_slots: usize,
    /// It reads the table of coefficients, those of the inverse transform or not.
    pub(crate) coefficients: Option<bool>,
}
