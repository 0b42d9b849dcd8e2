//! The exchange half of a bundle, but for what `special` does and for the accesses of extensions, which are in
//! `access`.

use crate::access;
use crate::compute::lanes::each;
use crate::decode::{DecodedBundle, DecodedProgram, Exchange, FLIPPED};
use crate::hot::Hot;
use crate::reach;
use crate::ring::Unit;
use cp2_emu::cp2::seam;
use cp2_emu::state::{Quad, State};
use cp2_isa::rules::address;
use cp2_isa::{Arith, Halves, MoveReg, RegFile, SECTIONS, WordAddress};

/// Executes the exchange half of a bundle.
#[inline(always)]
pub(crate) fn execute(
    hot: &mut Hot,
    code: &DecodedProgram,
    state: &mut State,
    step: &DecodedBundle,
    at: usize,
) {
    match step.exchange {
        Exchange::Nop | Exchange::Special | Exchange::Undefined => {}
        Exchange::SetImmediate => set(hot, state, step.moves.to, step.moves.immediate as u64),
        Exchange::Move => {
            let value = get(state, step.moves.from);
            set(hot, state, step.moves.to, value);
        }
        Exchange::MoveToAngle => {
            let value = get(state, step.moves.from);
            state.set_control_register(&hot.core, step.moves.to.number, value);
        }
        Exchange::Clear => {
            let k = step.moves.immediate as usize % 16;
            state.a[k] = WordAddress::default();
            (state.n[k], state.m[k]) = (1, hot.core.address_mask());
        }
        Exchange::Update => {
            reach::address(hot, state, step.address);
        }
        Exchange::Load => load(hot, state, step, 1),
        Exchange::LoadPair => load(hot, state, step, 2),
        Exchange::Store => store(hot, state, step, 1),
        Exchange::StorePair => store(hot, state, step, 2),
        Exchange::Access => access::execute(hot, code, state, at),
        Exchange::Addresses => access::set_addresses(hot, code, state, at),
        Exchange::ToFpr => {
            let value = [get(state, step.moves.from); SECTIONS];
            let visible = hot.flow.cycle + hot.distances.to_fpr;
            hot.flow.ring.plan(Unit::ToFpr, visible, step.targets, &value, None);
        }
        Exchange::FromFpr => {
            let value =
                hot.flow.fpr[usize::from(step.reg)][step.moves.immediate as usize % SECTIONS];
            set(hot, state, step.moves.to, value);
        }
        Exchange::Largest => {
            let half = if step.moves.immediate == 1 { Halves::HI } else { Halves::LO };
            let value = seam::largest(&hot.flow.fpr[usize::from(step.reg)], half);
            set(hot, state, step.moves.to, value);
        }
        Exchange::Permute => permute(hot, step),
    }
    // Behind the exchange half, for it wins over what that does to the same addresses.
    if step.arith == Arith::Amtsa {
        access::set_addresses_by_arithmetic(hot, code, state, at);
    }
}

/// Reads a register that is not a control register.
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

/// Writes a register that is not a control register.
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

/// Returns the first word of an access, and notes the access.
#[inline(always)]
fn first_word(hot: &mut Hot, state: &mut State, step: &DecodedBundle, words: u16) -> usize {
    let first = address::first_word(reach::address(hot, state, step.address), words);
    let word = first.index() & hot.word_mask;
    reach::note(hot, word);
    word
}

#[inline(always)]
fn load(hot: &mut Hot, state: &mut State, step: &DecodedBundle, words: u16) {
    let first = first_word(hot, state, step, words);
    let visible = hot.flow.cycle + hot.distances.load;
    let second = if words > 1 { Some(&state.lmem[first + 1]) } else { None };
    hot.flow.ring.plan(Unit::Load, visible, step.targets, &state.lmem[first], second);
}

#[inline(always)]
fn store(hot: &mut Hot, state: &mut State, step: &DecodedBundle, words: u16) {
    let first = first_word(hot, state, step, words);
    for k in 0..usize::from(words) {
        let place = &mut state.lmem[first + k];
        hot.notes.overwrite(first + k, place);
        *place = hot.flow.fpr[usize::from(step.reg.wrapping_add(k as u8))];
    }
}

/// Executes a permutation with signs.
#[inline(always)]
fn permute(hot: &mut Hot, step: &DecodedBundle) {
    let Hot { flow, distances, .. } = hot;
    let a = flow.ring.bypassed(flow.cycle, step.reg, &flow.fpr);
    let b = flow.ring.bypassed(flow.cycle, step.reg.wrapping_add(1), &flow.fpr);
    let halves = [low(&a), high(&a), low(&b), high(&b)];
    let [w0, w1, w2, w3] = step.words;
    let first = joined(permuted(&halves, w0), permuted(&halves, w1));
    let second = joined(permuted(&halves, w2), permuted(&halves, w3));
    let visible = flow.cycle + distances.permute;
    let enabled = hot.enabled(step.exchange_code);
    if enabled != 0 {
        let targets = step.targets.only(enabled);
        hot.flow.ring.plan(Unit::Permute, visible, targets, &first, Some(&second));
    }
}

/// Halves of words, one of each section.
type Half = [u32; SECTIONS];

#[inline(always)]
fn low(quad: &Quad) -> Half {
    each!(s => quad[s] as u32)
}

#[inline(always)]
fn high(quad: &Quad) -> Half {
    each!(s => (quad[s] >> 32) as u32)
}

/// Returns the half that a word of a permutation names, with its sign.
#[inline(always)]
fn permuted(halves: &[Half; 4], word: u8) -> Half {
    let (half, flip) = (&halves[usize::from(word % 4)], u32::from(word / FLIPPED) << 31);
    each!(s => half[s] ^ flip)
}

#[inline(always)]
fn joined(low: Half, high: Half) -> Quad {
    each!(s => u64::from(low[s]) | u64::from(high[s]) << 32)
}
