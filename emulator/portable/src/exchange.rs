//! The exchange half of a bundle, but for what `special` does.

use crate::decode::{Code, Exchange, Step};
use crate::hot::Hot;
use crate::ring::Target;
use cp2_emu::state::{Quad, State};
use cp2_isa::rules::address;
use cp2_isa::{Address, Halves, MoveReg, PermutedWord, RegFile, SECTIONS, WordAddress};

/// Executes it.
#[inline(always)]
pub(crate) fn execute(hot: &mut Hot, code: &Code, state: &mut State, at: usize) {
    let step = &code.steps[at];
    match step.exchange {
        Exchange::Nop | Exchange::Special | Exchange::Unknown => {}
        Exchange::SetImmediate => set(hot, state, step.to, step.immediate as u64),
        Exchange::Move => {
            let value = get(state, step.from);
            set(hot, state, step.to, value);
        }
        Exchange::Clear => {
            let k = step.immediate as usize % 16;
            state.a[k] = WordAddress::default();
            (state.n[k], state.m[k]) = (1, hot.core.address_mask());
        }
        Exchange::Update => {
            access(hot, state, step.address);
        }
        Exchange::Load => load(hot, state, step, 1),
        Exchange::LoadPair => load(hot, state, step, 2),
        Exchange::Store => store(hot, state, step, 1),
        Exchange::StorePair => store(hot, state, step, 2),
        Exchange::ToFpr => {
            let value = [get(state, step.from); SECTIONS];
            let target = Target::new(step.reg, Halves::BOTH, step.sections);
            hot.flow.ring.plan(hot.flow.cycle + hot.distances.to_fpr, target, &value);
        }
        Exchange::FromFpr => {
            let value = hot.flow.fpr[usize::from(step.reg)][step.immediate as usize % SECTIONS];
            set(hot, state, step.to, value);
        }
        Exchange::Permute => permute(hot, code, at),
    }
}

/// A register that is no control register.
#[inline(always)]
pub(crate) fn get(state: &State, register: MoveReg) -> u64 {
    let n = usize::from(register.number) % 16;
    match register.file {
        RegFile::Gpr => state.gpr[n],
        RegFile::Ireg => state.ireg[n],
        RegFile::A => state.a[n].0.into(),
        RegFile::N => state.n[n].into(),
        RegFile::M => state.m[n].into(),
        RegFile::Control => 0,
    }
}

/// Writes a register that is no control register.
#[inline(always)]
pub(crate) fn set(hot: &mut Hot, state: &mut State, register: MoveReg, value: u64) {
    let n = usize::from(register.number) % 16;
    let narrow = value as u16 & hot.word_mask as u16;
    match register.file {
        RegFile::Gpr => {
            hot.log_scalar(register.number, state.gpr[n]);
            state.gpr[n] = value;
        }
        RegFile::Ireg => {
            hot.flow.index_writes += 1;
            state.ireg[n] = value;
        }
        RegFile::A => state.a[n] = WordAddress(narrow),
        RegFile::N => state.n[n] = narrow,
        RegFile::M => state.m[n] = narrow,
        RegFile::Control => {}
    }
}

/// The word address that an operation accesses; An steps.
#[inline(always)]
fn access(hot: &Hot, state: &mut State, address: Address) -> WordAddress {
    match address {
        Address::Word(word) => word,
        Address::Set { set, step } => {
            let k = usize::from(set) % 16;
            let before = state.a[k];
            let words = address::words(step, state.n[k]);
            state.a[k] = address::stepped(&hot.core, before, words, state.m[k]);
            before
        }
        // Of extensions, which are left to the reference engine.
        Address::Sections { .. } | Address::Fpr { .. } => WordAddress::default(),
    }
}

/// The first word of an access, which is noted.
#[inline(always)]
fn first_word(hot: &mut Hot, state: &mut State, step: &Step, words: u16) -> usize {
    let first = address::first_word(access(hot, state, step.address), words);
    let word = first.index() & hot.word_mask;
    hot.counts.banks[(word >> hot.bank_shift) % 256] += 1;
    hot.notes.access(hot.flow.cycle, word);
    word
}

#[inline(always)]
fn load(hot: &mut Hot, state: &mut State, step: &Step, words: u16) {
    let first = first_word(hot, state, step, words);
    let visible = hot.flow.cycle + hot.distances.load;
    for k in 0..words {
        let target = Target::whole(step.reg + k as u8);
        hot.flow.ring.plan_load(visible, target, &state.lmem[first + usize::from(k)]);
    }
}

#[inline(always)]
fn store(hot: &mut Hot, state: &mut State, step: &Step, words: u16) {
    let first = first_word(hot, state, step, words);
    for k in 0..usize::from(words) {
        let place = &mut state.lmem[first + k];
        hot.notes.overwrite(first + k, place);
        *place = hot.flow.fpr[usize::from(step.reg) + k];
    }
}

/// A permutation with signs.
fn permute(hot: &mut Hot, code: &Code, at: usize) {
    let Some(permutation) = code.bundle(at).exch.permutation() else { return };
    let flow = &mut hot.flow;
    let sources =
        [0, 1].map(|k| flow.ring.bypassed(flow.cycle, (permutation.from + k) as u8, &flow.fpr));
    let word = |s: usize, word: PermutedWord| {
        let register = sources[word.register][s];
        let half = (if word.half == Halves::HI { register >> 32 } else { register }) as u32;
        u64::from(half ^ if word.is_flipped { 1 << 31 } else { 0 })
    };
    let enabled = hot.enabled(code.steps[at].exchange_code);
    if enabled == 0 {
        return;
    }
    for (k, &[lo, hi]) in permutation.words.as_chunks::<2>().0.iter().enumerate() {
        let value: Quad = std::array::from_fn(|s| word(s, lo) | word(s, hi) << 32);
        let reg = permutation.to as u8 + k as u8;
        let target = Target::new(reg, Halves::BOTH, enabled);
        hot.flow.ring.plan(hot.flow.cycle + hot.distances.permute, target, &value);
    }
}
