//! Loads and stores of extensions: of halves, under a condition, with an address of each section, or of shared
//! memory; and what sets their addresses.

use crate::decode::DecodedProgram;
use crate::hot::Hot;
use crate::reach;
use crate::ring::{ALL, Targets, Unit};
use cp2_emu::cp2::seam::{self, MovedHalves};
use cp2_emu::state::{Quad, State};
use cp2_isa::rules::address;
use cp2_isa::{
    Address, Banks, Exch, Halves, MemoryAccess, SECTIONS, Section, SharedAccess, WordAddress,
};

/// Addresses of the sections.
type Own = [WordAddress; SECTIONS];

/// Executes a load or a store.
#[inline(never)]
pub(crate) fn execute(hot: &mut Hot, code: &DecodedProgram, state: &mut State, at: usize) {
    let inst = &code.bundle(at).exch;
    if let Some(access) = inst.shared_access() {
        return shared_memory(hot, state, &access);
    }
    let Some(access) = inst.memory_access() else { return };
    let enabled = hot.enabled(code.steps[at].exchange_code);
    let own = match access.address {
        Address::Sections { set, offset } => {
            seam::step_sections(&hot.core, &mut state.sa[usize::from(set)], offset, enabled)
        }
        Address::Fpr { register, half } => addresses(hot, register, half),
        Address::Word(_) | Address::Set { .. } => return one_address(hot, state, &access, enabled),
    };
    let own = own.map(|at| address::first_word(at, access.words.into()));
    own_words(hot, state, &access, (own, enabled));
}

/// Returns the addresses in a half of an FPR.
fn addresses(hot: &Hot, register: i32, half: Halves) -> Own {
    seam::own_addresses(&hot.core, &hot.flow.fpr[register as usize % 256], half)
}

/// Executes an access of all sections at one address.
fn one_address(hot: &mut Hot, state: &mut State, access: &MemoryAccess, enabled: u8) {
    let at = reach::address(hot, state, access.address);
    let first = access.first_word(&hot.core, at).index() & hot.word_mask;
    let moved = MovedHalves::by(access, at, |n| state.gpr[usize::from(n)]);
    reach::note(hot, first);
    let mut values = [[0; SECTIONS]; 2];
    for (k, value) in values.iter_mut().enumerate().take(access.words.into()) {
        let place = &mut state.lmem[first + k];
        if !access.is_store {
            *value = place.map(|word| moved.loaded(word));
            continue;
        }
        hot.notes.overwrite(first + k, place);
        let register = hot.flow.fpr[(access.register as usize + k) % 256];
        for s in (0..SECTIONS).filter(|s| enabled >> s & 1 == 1) {
            place[s] = moved.stored(register[s], place[s]);
        }
    }
    if !access.is_store {
        load(hot, (access.register, access.words), (moved.register, enabled), &values);
    }
}

/// Executes an access of whole words, from an own address on in each section. Disabled sections store nothing, and load 0.
fn own_words(hot: &mut Hot, state: &mut State, access: &MemoryAccess, (own, enabled): (Own, u8)) {
    let banks: Banks = own.into_iter().map(|word| hot.core.bank_of(word)).collect();
    for bank in banks.iter() {
        hot.counts.banks[bank.index()] += 1;
    }
    for word in own {
        hot.notes.access(hot.flow.cycle, word.index());
    }
    let mut values = [[0; SECTIONS]; 2];
    for (k, value) in values.iter_mut().enumerate().take(access.words.into()) {
        let register = hot.flow.fpr[(access.register as usize + k) % 256];
        let words = own.map(|word| word.index() + k).into_iter().enumerate();
        for (s, word) in words.filter(|&(s, _)| enabled >> s & 1 == 1) {
            let place = &mut state.lmem[word];
            if access.is_store {
                hot.notes.overwrite(word, place);
                place[s] = register[s];
            } else {
                value[s] = place[s];
            }
        }
    }
    if !access.is_store {
        load(hot, (access.register, access.words), (Halves::BOTH, ALL), &values);
    }
}

/// Executes an access of shared memory.
fn shared_memory(hot: &mut Hot, state: &mut State, access: &SharedAccess) {
    let first = seam::step_shared(&mut state.qa, access.address);
    let places = access.places(first).map(WordAddress::index);
    if access.is_store {
        let register = hot.flow.fpr[access.register as usize % 256];
        for s in access.sections().iter().map(Section::index) {
            state.shared[places[s]] = register[s];
        }
    } else {
        let value = places.map(|place| state.shared[place]);
        load(hot, (access.register, 1), (Halves::BOTH, ALL), &[value; 2]);
    }
}

/// Plans the words that a load has read.
fn load(
    hot: &mut Hot,
    (register, words): (i32, u8),
    (halves, enabled): (Halves, u8),
    [first, second]: &[Quad; 2],
) {
    if enabled == 0 {
        return;
    }
    let reg = register as u8;
    let next = (words > 1).then_some((reg.wrapping_add(1), halves));
    let targets = Targets::new(Unit::Load, [Some((reg, halves)), next]).only(enabled);
    hot.flow.ring.plan(
        Unit::Load,
        hot.flow.cycle + hot.distances.load,
        targets,
        first,
        Some(second),
    );
}

/// Sets the addresses of the sections or of shared memory from a general register or from an FPR.
#[inline(never)]
pub(crate) fn set_addresses(hot: &Hot, code: &DecodedProgram, state: &mut State, at: usize) {
    let inst = &code.bundle(at).exch;
    if let Some((set, register, half)) = inst.section_addresses() {
        state.sa[usize::from(set)] = addresses(hot, register, half);
        return;
    }
    let value = state.gpr[usize::from(inst.gpr().unwrap_or_default())];
    let set = usize::from(inst.values[0] as u8);
    if inst.op == Exch::Setq {
        state.qa[set] = address::shared_word(value as i32);
    } else {
        state.sa[set] = [WordAddress(value as u16 & hot.core.address_mask()); SECTIONS];
    }
}

/// Sets the addresses of the sections in which an arithmetic operation executes, from an FPR.
#[inline(never)]
pub(crate) fn set_addresses_by_arithmetic(
    hot: &Hot,
    code: &DecodedProgram,
    state: &mut State,
    at: usize,
) {
    let Some((set, register, half)) = code.bundle(at).arith.section_addresses() else { return };
    let (enabled, addresses) =
        (hot.enabled(code.steps[at].arithmetic.code), addresses(hot, register, half));
    for s in (0..SECTIONS).filter(|s| enabled >> s & 1 == 1) {
        state.sa[usize::from(set)][s] = addresses[s];
    }
}
