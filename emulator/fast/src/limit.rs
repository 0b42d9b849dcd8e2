//! What the host could do at best: straight vector code with as many operations, loads and stores as a
//! kernel has, values in registers, and nothing of a coprocessor around it. The engine is measured
//! against this.

use crate::assemble::{Steps, assemble};
use crate::builder::Builder;
use crate::code::Code;
use crate::context::{Context, FPR, vector_at};
use crate::encoding::Host;
use crate::guard::Guards;
use crate::ir::{Base, Value};
use crate::scalar::EAX;
use crate::sprint::Sprinter;
use crate::tables;
use cp2_emu::State;
use cp2_emu::state::Quad;
use cp2_isa::Core;
use iced_x86::Register;
use std::time::Instant;

/// What a bundle of the straight code holds. No flags, no pipeline, no undo log; addresses are known,
/// so that a pass of 512 bundles has two instructions for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mix {
    /// As `fft256`: a butterfly in every bundle with its own one of 128 coefficients, a double load in
    /// one bundle of four and a double store in another; all of bank 0 is read and all of bank 1
    /// written, 256 words a pass.
    Fft,
    /// The same with 30 values alive in place of 10; `fft256` has 32 to 64. The host has 16 registers,
    /// so the others are moved to memory and back.
    FftAlive,
    /// Such a butterfly and a double load in every bundle, through all of bank 0.
    Loads,
    /// A sum, a product or a difference in turn, a load in one bundle of four and a store in another,
    /// through the same memory.
    Sums,
}

impl Mix {
    /// All mixes.
    pub const ALL: [Self; 4] = [Self::Fft, Self::FftAlive, Self::Loads, Self::Sums];

    /// Pairs of values that are alive. Five leave registers for what is between. Odd, so that loads
    /// in every fourth bundle reach all.
    const fn pairs(self) -> usize {
        match self {
            Self::FftAlive => 15,
            _ => 5,
        }
    }
}

/// Bundles in one pass: as many as a pass of `fft256` has, so that the code, which then is longer
/// than the first cache of the host, has to come from the second one just as that of the engine.
const BUNDLES: usize = 512;
/// Passes of one call.
const PASSES: u64 = 208;
/// Coefficients that a transform of 256 points has.
const COEFFICIENTS: usize = 128;
const WORD: i32 = size_of::<Quad>() as i32;
/// Bytes of a bank in all sections; a power of 2.
const BANK: i32 = Core::CP2.bank_words() as i32 * WORD;
/// The offset in the bank of the pass at hand: the register that else holds the angle.
const OFFSET: Register = Register::R8D;

type Pair = [Value; 2];

/// `(d + s w, d - s w)` as an engine without any bookkeeping would do it; `k` tells the coefficient.
fn butterfly(b: &mut Builder, [d, s]: Pair, k: usize) -> Pair {
    let every = (1 << 16) / 2 / COEFFICIENTS;
    let pair = tables::coefficients(false)[k % COEFFICIENTS * every];
    let [real, imaginary] = pair.map(|word| b.constant(word));
    let straight = b.mul(s, real);
    let crossed = b.swapped(s);
    let crosswise = b.mul(crossed, imaginary);
    let product = b.add(straight, crosswise);
    [b.add(d, product), b.sub(d, product)]
}

fn double_load(b: &mut Builder, place: i32) -> Pair {
    [b.load(Base::Word, place), b.load(Base::Word, place + WORD)]
}

/// The bundles of a pass on `pairs`. Gives the bytes of memory it went through.
fn bundles(b: &mut Builder, mix: Mix, pairs: &mut [Pair]) -> i32 {
    let mut place = 0;
    for k in 0..BUNDLES {
        let (now, later) = (k % pairs.len(), (k + 2) % pairs.len());
        match mix {
            Mix::Fft | Mix::FftAlive | Mix::Loads => pairs[now] = butterfly(b, pairs[now], k),
            Mix::Sums => {
                let [x, y] = pairs[now];
                pairs[now][0] = match k % 3 {
                    0 => b.add(x, y),
                    1 => b.mul(x, y),
                    _ => b.sub(x, y),
                };
            }
        }
        match (mix, k % 4) {
            (Mix::Loads, _) => {
                pairs[later] = double_load(b, place);
                place += 2 * WORD;
            }
            (Mix::Fft | Mix::FftAlive, 1) => pairs[later] = double_load(b, place),
            (Mix::Fft | Mix::FftAlive, 3) => {
                b.store(pairs[later][0], Base::Word, place + BANK);
                b.store(pairs[later][1], Base::Word, place + BANK + WORD);
                place += 2 * WORD;
            }
            (Mix::Sums, 1) => pairs[later][0] = b.load(Base::Word, place),
            (Mix::Sums, 3) => {
                b.store(pairs[later][0], Base::Word, place + BANK);
                place += WORD;
            }
            _ => {}
        }
    }
    place
}

/// One pass, with the values kept in the context from pass to pass.
fn pass(b: &mut Builder, mix: Mix) {
    let mut pairs: Vec<Pair> = (0..mix.pairs())
        .map(|k| [0, 1].map(|i| b.load(Base::Context, vector_at(FPR, 2 * k + i))))
        .collect();
    b.copy32(EAX, OFFSET);
    let length = bundles(b, mix, &mut pairs);
    b.add32(OFFSET, length);
    b.and32(OFFSET, BANK as u32 - 1);
    for (k, [first, second]) in pairs.into_iter().enumerate() {
        b.store(first, Base::Context, vector_at(FPR, 2 * k));
        b.store(second, Base::Context, vector_at(FPR, 2 * k + 1));
    }
}

/// Bundles per second that straight code of this mix reaches, measured for about `seconds`, and for
/// 106496 bundles at least. `None` where nothing is translated.
pub fn register_limit(mix: Mix, seconds: f64) -> Option<f64> {
    let host = Host::detect()?;
    let mut b = Builder::default();
    pass(&mut b, mix);
    let steps = Steps {
        ins: &b.ins,
        homes: b.homes,
        constants: &b.constants,
        guards: &Guards::default(),
        repeats: true,
        notes: false,
    };
    let code = Code::new(&assemble(steps, host).ok()?).ok()?;
    let mut context = Sprinter::new(host, &Core::CP2).into_context();
    let mut memory = State::default().lmem;
    memory.fill([0x3f80_0000_3f00_0000; 4]);
    let mut calls = 0;
    let begin = Instant::now();
    while calls == 0 || begin.elapsed().as_secs_f64() < seconds {
        for word in &mut context.live.fpr {
            word.0 = [0x3f00_0000_3f00_0000; 4];
        }
        context.live.rind = 0;
        context.passes = PASSES;
        context.lmem = memory.as_mut_ptr();
        call(&code, &mut context);
        calls += 1;
    }
    let bundles = (calls * PASSES) as f64 * BUNDLES as f64;
    Some(bundles / begin.elapsed().as_secs_f64())
}

#[allow(unsafe_code, reason = "the loop that is measured is machine code")]
fn call(code: &Code, context: &mut Context) {
    // SAFETY: the code comes from `assemble` for what this host has, and touches only the context's
    // registers and the 256 KiB of the memory that `lmem` points to, whose length it is; nobody else
    // uses it.
    unsafe { code.call(context) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pass_stays_in_memory() {
        for mix in Mix::ALL {
            let mut b = Builder::default();
            let mut pairs = vec![[b.at(FPR), b.at(FPR)]; mix.pairs()];
            let length = bundles(&mut b, mix, &mut pairs);
            assert_eq!(BANK % length, 0, "{mix:?}");
        }
    }

    #[test]
    fn the_limit_is_a_speed_where_code_is_translated() {
        for mix in Mix::ALL {
            let limit = register_limit(mix, 0.0);
            assert_eq!(limit.is_some(), Host::detect().is_some());
            assert!(limit.is_none_or(|bundles| bundles > 0.0), "{mix:?}");
        }
    }
}
