//! Straight runs of bundles, compiled for more than one kind of native machine.

use crate::compute::arithmetic;
use crate::decode::{DecodedBundle, DecodedProgram};
use crate::exchange;
use crate::hot::Hot;
use cp2_emu::state::State;
use pulp::{Arch, Simd, WithSimd};

/// Bundles that follow each other, and the number of their repetitions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StraightLine {
    pub(crate) first: usize,
    pub(crate) n: usize,
    pub(crate) turns: u64,
}

/// Executes one cycle: what lands, and a bundle, but for what is special of it.
#[inline(always)]
fn cycle(hot: &mut Hot, code: &DecodedProgram, state: &mut State, step: &DecodedBundle, at: usize) {
    hot.land();
    arithmetic::execute(hot, code, state, step, at);
    exchange::execute(hot, code, state, step, at);
}

/// Runs a stretch, or as far as the first bundle behind which the run has to be stopped. Returns the number of turns that are
/// complete, and that of the bundles done of one that is not.
pub(crate) fn run(
    arch: Arch,
    hot: &mut Hot,
    code: &DecodedProgram,
    state: &mut State,
    stretch: StraightLine,
) -> (u64, usize) {
    arch.dispatch(Task { hot, code, state, stretch })
}

/// Executes the arithmetic half of one bundle.
pub(crate) fn arithmetic(
    arch: Arch,
    hot: &mut Hot,
    code: &DecodedProgram,
    state: &mut State,
    at: usize,
) {
    arch.dispatch(Half { hot, code, state, at });
}

/// Arithmetic half of a bundle, in the form that `pulp` compiles for every kind of native machine.
struct Half<'a> {
    hot: &'a mut Hot,
    code: &'a DecodedProgram,
    state: &'a mut State,
    at: usize,
}

impl WithSimd for Half<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        arithmetic::execute(self.hot, self.code, self.state, &self.code.steps[self.at], self.at);
    }
}

/// Stretch in the form that `pulp` compiles for every kind of native machine.
struct Task<'a> {
    hot: &'a mut Hot,
    code: &'a DecodedProgram,
    state: &'a mut State,
    stretch: StraightLine,
}

impl WithSimd for Task<'_> {
    type Output = (u64, usize);

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let Self { hot, code, state, stretch: StraightLine { first, n, turns } } = self;
        let steps = &code.steps[first..first + n];
        for turn in 0..turns {
            for (k, step) in steps.iter().enumerate() {
                cycle(hot, code, state, step, first + k);
                hot.flow.cycle += 1;
                if hot.attention {
                    return if k + 1 == n { (turn + 1, 0) } else { (turn, k + 1) };
                }
            }
        }
        (turns, 0)
    }
}
