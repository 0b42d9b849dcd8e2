//! The words of local memory that a bundle reaches: address sets step, accesses are noted.

use crate::hot::Hot;
use cp2_emu::state::State;
use cp2_isa::rules::address;
use cp2_isa::{Address, WordAddress};

/// Returns the word address that an operation accesses; An steps.
#[inline(always)]
pub(crate) fn address(hot: &Hot, state: &mut State, address: Address) -> WordAddress {
    match address {
        Address::Word(word) => word,
        Address::Set { set, step } => {
            let k = usize::from(set) % 16;
            let before = state.a[k];
            let words = address::words(step, state.n[k]);
            state.a[k] = address::stepped(&hot.core, before, words, state.m[k]);
            before
        }
        // Where each section has its own there is none for all.
        Address::Sections { .. } | Address::Fpr { .. } => WordAddress::default(),
    }
}

/// Notes the one access of a bundle.
#[inline(always)]
pub(crate) fn note(hot: &mut Hot, word: usize) {
    hot.counts.banks[(word >> hot.bank_shift) % 256] += 1;
    hot.notes.access(hot.flow.cycle, word);
}
