//! Limits of the native machine: the speed of straight vector code with as many operations, loads and stores as a
//! kernel has, with values in registers and no coprocessor around it. The fast engine is measured against this code.

use cp2_emu::arith::coefficient;
use cp2_fast::{StraightLoop, VectorLoopBuilder, VectorValue};
use cp2_session::load;
use std::time::Instant;

/// A mix of operations in a bundle, for which [`register_limit`] measures vector (SIMD) code of the native machine as a
/// limit of how fast an engine can be. The code has no flags, no pipeline and no undo log; addresses are known, so that
/// a pass of 512 bundles has two instructions for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationMix {
    /// The mix of the kernel `fft256`: a butterfly in every bundle, each with one of 128 coefficients, a double load in
    /// one bundle of four and a double store in another. A pass reads all of bank 0 and writes all of bank 1: 256
    /// words.
    Fft,
    /// The mix of `fft256` as in [`Self::Fft`], but with 30 values alive at once in place of 10; `fft256` has 32 to 64.
    /// The native machine has 16 registers, so the others are moved to memory and back.
    FftAlive,
    /// A butterfly with a coefficient of its own and a double load in every bundle, through all of bank 0.
    Loads,
    /// A sum, a product or a difference in every bundle, in turn; a load from bank 0 in one bundle of four and a store
    /// to bank 1 in another.
    Sums,
}

impl OperationMix {
    /// All mixes of operations, in the order of the variants.
    pub const ALL: [Self; 4] = [Self::Fft, Self::FftAlive, Self::Loads, Self::Sums];

    /// Returns the pairs of values that are alive. Five leave registers for temporary values. The number is odd, so that
    /// loads in every fourth bundle reach all pairs.
    const fn pairs(self) -> usize {
        match self {
            Self::FftAlive => 15,
            _ => 5,
        }
    }

    /// Returns the words through which a pass goes.
    const fn words(self) -> usize {
        match self {
            Self::Fft | Self::FftAlive => BUNDLES / 4 * 2,
            Self::Loads => BUNDLES * 2,
            Self::Sums => BUNDLES / 4,
        }
    }
}

/// Bundles in one pass: as many as a pass of `fft256` has, so that the code, which then is longer than the first cache of the
/// native machine, has to come from the second one, as that of the engine.
const BUNDLES: usize = 512;
/// Passes of one call of the straight code.
const PASSES: u64 = 208;
/// Number of coefficients of a transform of 256 points.
const COEFFICIENTS: usize = 128;

type Pair = [VectorValue; 2];

/// Returns `(d + s w, d - s w)` as an engine without any bookkeeping would compute it; `k` selects the coefficient.
fn butterfly(v: &mut VectorLoopBuilder, [d, s]: Pair, k: usize) -> Pair {
    let every = (1 << 16) / 2 / COEFFICIENTS;
    let w = load::complex(coefficient((k % COEFFICIENTS * every) as u16, false));
    let both = |high: f32, low: f32| u64::from(high.to_bits()) << 32 | u64::from(low.to_bits());
    let (real, imaginary) = (v.constant(both(w.re, w.re)), v.constant(both(-w.im, w.im)));
    let straight = v.mul(s, real);
    let crossed = v.swapped(s);
    let crosswise = v.mul(crossed, imaginary);
    let product = v.add(straight, crosswise);
    [v.add(d, product), v.sub(d, product)]
}

/// Emits the bundles of a pass on `pairs`.
fn bundles(v: &mut VectorLoopBuilder, mix: OperationMix, pairs: &mut [Pair]) {
    let mut place = 0;
    for k in 0..BUNDLES {
        let (now, later) = (k % pairs.len(), (k + 2) % pairs.len());
        pairs[now] = match mix {
            OperationMix::Fft | OperationMix::FftAlive | OperationMix::Loads => {
                butterfly(v, pairs[now], k)
            }
            OperationMix::Sums => {
                let [x, y] = pairs[now];
                let result = match k % 3 {
                    0 => v.add(x, y),
                    1 => v.mul(x, y),
                    _ => v.sub(x, y),
                };
                [result, y]
            }
        };
        match (mix, k % 4) {
            (OperationMix::Loads, _) => {
                pairs[later] = [v.load(place), v.load(place + 1)];
                place += 2;
            }
            (OperationMix::Fft | OperationMix::FftAlive, 1) => {
                pairs[later] = [v.load(place), v.load(place + 1)];
            }
            (OperationMix::Fft | OperationMix::FftAlive, 3) => {
                v.store(pairs[later][0], place);
                v.store(pairs[later][1], place + 1);
                place += 2;
            }
            (OperationMix::Sums, 1) => pairs[later][0] = v.load(place),
            (OperationMix::Sums, 3) => {
                v.store(pairs[later][0], place);
                place += 1;
            }
            _ => {}
        }
    }
}

/// Returns a loop of passes, with the values kept in the registers of a machine from pass to pass.
fn straight(mix: OperationMix) -> Option<StraightLoop> {
    let mut v = VectorLoopBuilder::new(mix.words())?;
    let mut pairs: Vec<Pair> =
        (0..mix.pairs()).map(|k| [v.register(2 * k), v.register(2 * k + 1)]).collect();
    bundles(&mut v, mix, &mut pairs);
    for (k, [first, second]) in pairs.into_iter().enumerate() {
        v.set_register(2 * k, first);
        v.set_register(2 * k + 1, second);
    }
    v.finish()
}

/// Returns the number of bundles per second that vector (SIMD) code with this mix, without the bookkeeping of an
/// engine, reaches on one thread of the native machine. It is measured for at least `seconds` and 106496 bundles.
/// `None` if the native machine cannot run translated code.
pub fn register_limit(mix: OperationMix, seconds: f64) -> Option<f64> {
    let mut straight = straight(mix)?;
    straight.fill(0x3f80_0000_3f00_0000);
    let mut calls = 0;
    let begin = Instant::now();
    while calls == 0 || begin.elapsed().as_secs_f64() < seconds {
        straight.run(0x3f00_0000_3f00_0000, PASSES);
        calls += 1;
    }
    let bundles = (calls * PASSES) as f64 * BUNDLES as f64;
    Some(bundles / begin.elapsed().as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_a_speed_where_code_is_translated() {
        for mix in OperationMix::ALL {
            let limit = register_limit(mix, 0.0);
            assert_eq!(limit.is_some(), cp2_fast::is_supported());
            assert!(limit.is_none_or(|bundles| bundles > 0.0), "{mix:?}");
        }
    }
}
