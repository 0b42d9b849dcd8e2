//! One CP2 alone with the fast engine, without a channel: for tests, comparisons, and many kernels at once.

use super::coupled::Translator;
use crate::back_end::encoding::NativeIsa;
use cp2_emu::machine::{self, Divergence};
use cp2_emu::trace::{NoObserver, Observer};
use cp2_emu::{Cp2, End, Engine as _, Machine, RunResult};
use cp2_isa::BundleAddress;

/// A CP2 alone, without channel and system memory, with a fast engine that runs it ([`Translator`]).
///
/// Between calls the CP2 ([`Fast::cp2`]) is complete: registers, memories, results in flight, counts. It may be read
/// and changed ([`Fast::cp2_mut`]), instruction memory too.
#[derive(Debug)]
pub struct Fast {
    machine: Machine,
    engine: Translator,
}

impl Default for Fast {
    fn default() -> Self {
        Self::new(Cp2::default())
    }
}

/// Runs a kernel from a bundle address on the fast engine and on the reference engine, for at most `limit` cycles, on
/// copies of `cp2`, and returns the result of the run if registers, memories, counts and the end of the run agree; see
/// [`machine::compare`].
///
/// # Errors
/// The engines differ; the error has the shortest run that differs.
pub fn compare(cp2: &Cp2, address: BundleAddress, limit: u64) -> Result<RunResult, Divergence> {
    machine::compare(&mut Translator::default(), cp2, address, limit)
}

/// Returns whether the native machine can run translated code, for which it needs AVX2 and BMI1. If not, the fast
/// engine uses the portable one.
pub fn is_supported() -> bool {
    NativeIsa::detect().is_some()
}

impl Fast {
    /// Creates a fast CP2 from a CP2, with an engine that uses the largest instruction set of the native machine.
    pub fn new(cp2: Cp2) -> Self {
        Self::with_native(NativeIsa::detect(), cp2)
    }

    /// Creates a fast CP2 from a CP2, with an engine that uses `native_isa`, or the largest instruction set of the
    /// native machine if that is smaller. With `None` nothing is translated, and the portable engine does everything.
    pub fn with_native(native_isa: Option<NativeIsa>, cp2: Cp2) -> Self {
        Self { machine: Machine::alone(cp2), engine: Translator::with_native(native_isa) }
    }

    /// Replaces the CP2 by another one. The engine keeps its translated code.
    pub fn replace_machine(&mut self, cp2: Cp2) {
        self.machine = Machine::alone(cp2);
    }

    /// Returns the CP2 as it is between two cycles.
    pub fn cp2(&self) -> &Cp2 {
        &self.machine.cp2
    }

    /// Returns the CP2 for changes between two cycles.
    pub fn cp2_mut(&mut self) -> &mut Cp2 {
        &mut self.machine.cp2
    }

    /// Returns the number of cycles of CP2, of the current or the latest run of a kernel, that translated code has
    /// executed; other engines have executed the rest.
    pub fn translated_cycles(&self) -> u64 {
        self.engine.translated_cycles()
    }

    /// Starts a kernel at a bundle address: its first bundle issues in the next cycle.
    pub fn start(&mut self, address: BundleAddress) {
        self.machine.start_kernel(address);
    }

    /// Runs a kernel from a bundle address to its end, for at most `limit` cycles, and lets all issued operations
    /// complete, as [`Cp2::run`] does.
    pub fn run(
        &mut self,
        address: BundleAddress,
        limit: u64,
        observer: &mut dyn Observer,
    ) -> RunResult {
        self.engine.run_kernel(&mut self.machine, address, limit, observer)
    }

    /// Runs a kernel as [`Fast::run`] does, without an observer.
    pub fn run_untraced(&mut self, address: BundleAddress, limit: u64) -> RunResult {
        self.run(address, limit, &mut NoObserver)
    }

    /// Goes on with the kernel until its run has lasted `until` cycles, counted from its begin, or the observer asks
    /// for a pause. Returns why the kernel ended, if it did; then [`Fast::finish`] has to follow. `None` if it still
    /// runs.
    pub fn advance(&mut self, until: u64, observer: &mut dyn Observer) -> Option<End> {
        self.engine.advance_kernel(&mut self.machine, until, observer)
    }

    /// Ends the run of a kernel: lets all issued operations complete, and returns its counts with `end`, the reason.
    pub fn finish(&mut self, end: End) -> RunResult {
        self.machine.finish_kernel(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cp2_isa::{Arith, Bundle, BundleBits, Exch, encode};

    fn arith(op: Arith, values: &[i32]) -> BundleBits {
        let mut bundle = Bundle::NOP;
        bundle.arith.op = op;
        bundle.arith.values[..values.len()].copy_from_slice(values);
        encode(&bundle)
    }

    fn exch(op: Exch, values: &[i32]) -> BundleBits {
        let mut bundle = Bundle::NOP;
        bundle.exch.op = op;
        bundle.exch.values[..values.len()].copy_from_slice(values);
        encode(&bundle)
    }

    /// Runs a kernel that jumps to one bundle after the other, each the beginning of a block of its own.
    #[test]
    fn a_run_that_never_comes_back_does_not_fill_the_memory() {
        let mut cp2 = Cp2::default();
        let nop = encode(&Bundle::NOP);
        cp2.state.iram.fill(nop);
        cp2.state.iram[0] = arith(Arith::Add, &[1, 1, 2]);
        cp2.state.iram[12] = exch(Exch::Mffpr, &[1, 1, 0]);
        cp2.state.iram[16] = exch(Exch::Jump, &[1]);
        cp2.state.iram[8000] = exch(Exch::Jumpi, &[0]);
        cp2.state.fpr[1] = [5000; 4];
        cp2.state.fpr[2] = [1; 4];
        let mut fast = Fast::new(cp2);
        fast.start(BundleAddress(0));
        assert_eq!(fast.advance(4_400_000, &mut NoObserver), None);
        assert!(fast.cp2().state.fpr[1][0] > 7200, "{}", fast.cp2().state.fpr[1][0]);
        let blocks = fast.engine.n_blocks();
        assert!(blocks <= super::super::cache::MOST + 1, "{blocks}");
    }

    /// Returns the number of cycles of a program without end that one call of translated code does, once the program is
    /// known, from cycle `begin` on.
    fn cycles_of_a_call(program: &[BundleBits], begin: u64) -> u64 {
        let mut cp2 = Cp2::default();
        cp2.state.iram[..program.len()].copy_from_slice(program);
        cp2.state.gpr[1..3].copy_from_slice(&[3, 1500]);
        let mut fast = Fast::new(cp2);
        fast.start(BundleAddress(0));
        assert_eq!(fast.advance(begin, &mut NoObserver), None);
        let before = fast.engine.n_calls();
        assert_eq!(fast.advance(begin + 500_000, &mut NoObserver), None);
        assert!(fast.translated_cycles() > begin + 490_000);
        500_000 / (fast.engine.n_calls() - before)
    }

    /// Runs entries of inner loops, jumps and calls, which need no calls of translated code of their own.
    #[test]
    fn many_entries_of_inner_loops_are_done_in_one_call() {
        if !is_supported() {
            return;
        }
        let sum = arith(Arith::Add, &[1, 1, 2]);
        let nop = exch(Exch::Nop, &[]);
        let jump = [exch(Exch::Jumpi, &[0]), nop];
        let loops = |inner: BundleBits| {
            let outer = exch(Exch::Doi, &[500, 4]);
            [&[outer, inner, sum, sum, sum, nop][..], &jump].concat()
        };
        for inner in [
            exch(Exch::Doi, &[0, 2]),
            exch(Exch::Doi, &[1, 2]),
            exch(Exch::Doi, &[9, 2]),
            exch(Exch::Do, &[1, 2]),
            // Two loops that end one behind the other.
            exch(Exch::Doi, &[3, 3]),
        ] {
            let cycles = cycles_of_a_call(&loops(inner), 100_000);
            assert!(cycles > 300, "{cycles} cycles of a call, {inner:x}");
        }
        // Inner loops of many turns, which a block has only once.
        for inner in [exch(Exch::Doi, &[1000, 2]), exch(Exch::Do, &[2, 2])] {
            let cycles = cycles_of_a_call(&loops(inner), 2_000_000);
            assert!(cycles > 3000, "{cycles} cycles of a call, {inner:x}");
        }
        // Loops of predicated operations, whose predicates no operation changes.
        let mut predicated = Bundle::NOP;
        (predicated.arith.op, predicated.cc) = (Arith::Psadd, 1);
        predicated.arith.values[..3].copy_from_slice(&[1, 2, 3]);
        let predicated = encode(&predicated);
        let body = [predicated; 20];
        let alone = [&[exch(Exch::Doi, &[1000, 19])], &body[..], &jump].concat();
        let inner = [exch(Exch::Doi, &[500, 4]), exch(Exch::Do, &[2, 2]), predicated, predicated];
        let nested = [&inner[..], &[predicated, nop], &jump].concat();
        for program in [alone, nested] {
            let cycles = cycles_of_a_call(&program, 2_000_000);
            assert!(cycles > 2000, "{cycles} cycles of a call");
        }
        let procedure = [exch(Exch::Jumpi, &[4]), nop, exch(Exch::Ret, &[]), sum];
        let call = [exch(Exch::Calli, &[2]), sum, exch(Exch::Jumpi, &[4]), sum];
        for program in [[&[sum][..], &jump].concat(), [&procedure[..], &call].concat()] {
            let cycles = cycles_of_a_call(&program, 100_000);
            assert!(cycles > 300, "{cycles} cycles of a call");
        }
    }

    /// Runs a loop through all of instruction memory, in steps that end at another bundle each time.
    #[test]
    fn a_run_in_short_steps_is_not_translated_from_every_bundle() {
        let mut cp2 = Cp2::default();
        cp2.state.iram.fill(encode(&Bundle::NOP));
        cp2.state.iram[6000] = exch(Exch::Jumpi, &[0]);
        let mut fast = Fast::new(cp2);
        fast.start(BundleAddress(0));
        for step in 1..=500 {
            assert_eq!(fast.advance(101 * step, &mut NoObserver), None);
        }
        assert_eq!(fast.cp2().cycle().0, 101 * 500);
        let blocks = fast.engine.n_blocks();
        assert!(blocks <= 100, "{blocks}");
    }

    /// Stops long loops of few bundles at each of their bundles, also where the last one decides nothing any more.
    #[test]
    fn a_loop_that_was_stopped_anywhere_is_translated_again_at_once() {
        if !is_supported() {
            return;
        }
        let sum = arith(Arith::Add, &[1, 1, 2]);
        for bundles in 2..=4 {
            let mut cp2 = Cp2::default();
            cp2.state.iram[0] = exch(Exch::Do, &[1, bundles - 1]);
            cp2.state.iram[1..=bundles as usize].fill(sum);
            cp2.state.gpr[1] = 60_000;
            let mut fast = Fast::new(cp2);
            fast.start(BundleAddress(0));
            for until in [10_000, 20_001, 30_003, 40_006] {
                assert_eq!(fast.advance(until, &mut NoObserver), None);
            }
            let others = 40_006 - fast.translated_cycles();
            assert!(others < 100, "{bundles} bundles: {others} cycles by other engines");
        }
    }

    /// Stops sums of which each is done in some sections only, and inexact in some, at every cycle: each section has the flags
    /// of its own latest sum.
    #[test]
    fn flags_of_predicated_operations_are_those_of_the_latest_in_each_section() {
        let (exact, inexact) = (0x3f80_0000_3f80_0000_u64, 0x3f80_0001_4b80_0001_u64);
        let mut random = 12345_u64;
        for round in 0..9 {
            let mut cp2 = Cp2::default();
            let mut next = |n: u64| {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (random >> 33) % n
            };
            cp2.state.iram[0] = exch(Exch::Doi, &[40, 10]);
            for k in 1..=11 {
                let mut bundle = Bundle::NOP;
                // Without an operation of all sections in the second kind, and of few predicates in the third.
                let cc = [next(8), 1 + next(7), 1 + next(2)][round % 3];
                (bundle.arith.op, bundle.cc) = (Arith::Psadd, cc as u8);
                bundle.arith.values[..3].copy_from_slice(&[k, 20 + next(4) as i32, 30]);
                cp2.state.iram[k as usize] = encode(&bundle);
            }
            cp2.state.iram[12] = exch(Exch::Jumpi, &[0]);
            for reg in [20, 21, 22, 23] {
                cp2.state.fpr[reg] = [(); 4].map(|()| if next(2) == 0 { exact } else { inexact });
            }
            cp2.state.fpr[30] = [exact; 4];
            cp2.state.fccr = [(); 4].map(|()| next(128) as u8 * 2 + 1);
            for limit in (0..60).chain(400..440).chain([2000, 2001, 2002]) {
                let run = compare(&cp2, BundleAddress(0), limit);
                assert!(run.is_ok(), "{limit} cycles: {:?}", run.err());
            }
        }
    }
}
