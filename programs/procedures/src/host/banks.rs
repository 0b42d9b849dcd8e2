//! Places of pages in local memory, which has two halves for them, or room for one page.

use cp2_isa::Core;
use cp2_session::error::KernelError;

/// Number of words in each section of one of the two halves (banks) of CP2's local memory, in which pages lie in turn. In a
/// larger local memory pages have as many words at most, and lie in its halves in turn; one of half the size holds one page.
pub const BANK_WORDS: usize = 4096;

/// Whether local memory holds two pages of [`BANK_WORDS`], so that one is moved while CP2 computes the other.
pub(crate) const fn overlap(core: &Core) -> bool {
    core.lmem_words() >= 2 * BANK_WORDS
}

/// Returns the word address at which page `number` begins: in one half of local memory and the other in turn, so that CP2
/// and the channel do not meet in a bank. Where local memory holds one page only, all begin at word 0.
pub(crate) const fn bank(core: &Core, number: usize) -> usize {
    if overlap(core) { number % 2 * (core.lmem_words() / 2) } else { 0 }
}

/// Returns the word address in the local memory of a core of a word of two halves of [`BANK_WORDS`] words, in quarters: the
/// places of a page that lie in other quarters are as far apart as local memory allows, so that they lie in other banks
/// wherever they can. Where local memory holds one page only, the halves are one.
pub(crate) const fn in_quarters(core: &Core, word: usize) -> usize {
    let (half, word) = (word / BANK_WORDS, word % BANK_WORDS);
    let pitch = if overlap(core) { core.lmem_words() / 4 } else { BANK_WORDS / 2 };
    bank(core, half) + word / (BANK_WORDS / 2) * pitch + word % (BANK_WORDS / 2)
}

/// Refuses a core whose local memory does not hold a page.
pub(crate) fn check(core: &Core) -> Result<(), KernelError> {
    KernelError::require("a page", "words of local memory", BANK_WORDS, core.lmem_words())
}
