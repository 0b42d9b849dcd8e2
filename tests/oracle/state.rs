//! Random states to start from: every register, with the floats that rules are made for.

use super::random::dice::Dice;
use super::random::operands::ADDRESSES;
use cp2_emu::State;
use cp2_isa::WordAddress;

const FLOATS: [u32; 22] = [
    0x0000_0000,
    0x8000_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x0000_0001,
    0x807f_ffff,
    0x0080_0000,
    0x8080_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x7f80_0001,
    0x7fff_ffff,
    0x3f00_0000,
    0x4000_0000,
    0x3fc0_0001,
    0x4b00_0001,
    0x3400_0000,
    0x42fe_0000,
    0xc2fe_0000,
];

fn half(dice: &mut Dice) -> u32 {
    match dice.below(10) {
        0..3 => dice.pick(&FLOATS),
        // Floats near 1, of either sign.
        3..7 => (dice.bits() as u32 & 0x81ff_ffff) + 0x3f00_0000,
        7 => dice.below(64) as u32,
        8 => (dice.below(64) as u32).wrapping_neg(),
        _ => dice.bits() as u32,
    }
}

fn double(dice: &mut Dice) -> u64 {
    u64::from(half(dice)) << 32 | u64::from(half(dice))
}

/// Returns a random state; g4 to g7 hold small numbers for the counts of loops, g7 one that ends a loop.
pub(super) fn random(dice: &mut Dice) -> State {
    let mut state = State::default();
    for register in state.fpr.iter_mut() {
        *register = std::array::from_fn(|_| double(dice));
    }
    for first in ADDRESSES {
        for word in &mut state.lmem[first as usize..][..8] {
            *word = std::array::from_fn(|_| double(dice));
        }
    }
    state.gpr = std::array::from_fn(|_| double(dice));
    for (count, choices) in state.gpr[4..8].iter_mut().zip([4, 4, 4, 2]) {
        *count = dice.below(choices) as u64;
    }
    state.ireg = std::array::from_fn(|_| double(dice));
    random_addresses(dice, &mut state);
    random_control(dice, &mut state);
    state
}

fn random_addresses(dice: &mut Dice, state: &mut State) {
    state.a =
        std::array::from_fn(|_| WordAddress(dice.pick(&ADDRESSES) as u16 + dice.below(8) as u16));
    state.n = std::array::from_fn(|_| match dice.below(6) {
        0..4 => dice.below(5) as u16,
        4 => 8192 - dice.between(1, 4) as u16,
        _ => dice.bits() as u16 & 0x1fff,
    });
    state.m = std::array::from_fn(|_| match dice.below(6) {
        0..2 => 0x1fff,
        2 => 0,
        3 => 7,
        4 => 0x1ff8,
        _ => dice.bits() as u16 & 0x1fff,
    });
}

fn random_control(dice: &mut Dice, state: &mut State) {
    state.fccr = std::array::from_fn(|_| dice.bits() as u8 | 1);
    state.fcsr = std::array::from_fn(|_| dice.bits() as u32 & 0x0003_f0fc);
    state.control = dice.bits() & 0x8003;
    state.rind = dice.bits() as u16;
    state.rstep = dice.bits() as u16;
    state.rmask = dice.pick(&[0xffff, 0xff00, 0x3fff, 0x0ff0]);
    state.comm = dice.bits();
    state.stopcode = dice.bits();
    if dice.percent(50) {
        state.status = dice.bits() & 0x07bf_0018;
    }
}
