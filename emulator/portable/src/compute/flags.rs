//! Flags of operations whose only exception can be Inexact, which is sticky already: nothing but the cause in FCSR tells of
//! them, and that is computed from kept operands when it is read.

use crate::compute::lanes::{Watched, Word};
use crate::decode::DecodedProgram;
use crate::ring::ALL;
use cp2_emu::arith::{self, Flags, Lane, Operands, Rounding, composed, is_composed};
use cp2_emu::cp2::seam::{InFlight, Landing};
use cp2_emu::state::Quad;
use cp2_isa::rules::flags::accumulated;
use cp2_isa::{Arith, Cycle, MAX_LATENCY, SECTIONS};

/// Largest number of operations that are kept.
const KEPT: usize = 2 * MAX_LATENCY as usize;

/// Returns the flags that an operation raises in each section, for operands that are given for all sections; those that it does
/// not have are ignored. `None` where a step may raise more than Inexact in some section, and for an operation that does not
/// consist of sums, products and signs: [`arith::execute`] tells the flags of any operation, section by section, in more time.
pub fn flags_of_sections(
    op: Arith,
    operands: &Operands<Quad>,
    rounding: Rounding,
) -> Option<[Flags; SECTIONS]> {
    if !is_composed(op) {
        return None;
    }
    let Operands { d, s, t, s_next, coefficient } = operands;
    let [d, s, t, s_next, coefficient] = [d, s, t, s_next, coefficient].map(Word::of);
    let mut unit = Watched::new(rounding);
    composed(op, &mut unit, Operands { d, s, t, s_next, coefficient });
    let flags = |s: usize| if unit.is_inexact(s) { Flags::I } else { Flags::empty() };
    let is_usual = !(0..SECTIONS).any(|s| unit.is_unusual(s));
    is_usual.then(|| std::array::from_fn(flags))
}

/// Operands of an operation in all sections.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) d: Quad,
    pub(crate) s: Quad,
    pub(crate) t: Quad,
    pub(crate) s_next: Quad,
    pub(crate) t_next: Quad,
    pub(crate) coefficient: u64,
    pub(crate) rounding: Rounding,
}

impl Seen {
    /// Returns the operands of section `s`.
    pub(crate) fn lane(&self, s: usize) -> Lane {
        Lane {
            d: self.d[s],
            s: self.s[s],
            t: self.t[s],
            s_next: self.s_next[s],
            t_next: self.t_next[s],
            coefficient: self.coefficient,
            section: s as u8,
            rounding: self.rounding,
        }
    }
}

/// Operation whose flags are computed later, of a size that is a power of two.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(256))]
struct Operation {
    /// Cycle from which on the flags of the operation are seen.
    visible: u64,
    /// Address of the bundle of the operation.
    at: u16,
    enabled: u8,
    seen: Seen,
}

impl Operation {
    fn flags(&self, code: &DecodedProgram) -> [Flags; SECTIONS] {
        let inst = &code.bundle(self.at.into()).arith;
        let Seen { d, s, t, s_next, t_next: _, coefficient, rounding } = self.seen;
        let operands = Operands { d, s, t, s_next, coefficient: [coefficient; SECTIONS] };
        if self.enabled == ALL
            && let Some(flags) = flags_of_sections(inst.op, &operands, rounding)
        {
            return flags;
        }
        std::array::from_fn(|s| {
            let is_enabled = self.enabled >> s & 1 == 1;
            let flags = || arith::execute(inst, &self.seen.lane(s)).flags;
            if is_enabled { flags() } else { Flags::empty() }
        })
    }
}

/// Latest operations whose only exception can be Inexact, a ring.
#[derive(Debug)]
pub(crate) struct Deferred {
    kept: [Operation; KEPT],
    /// Number of places of the ring that this core needs, less one.
    mask: u64,
    latency: u64,
    /// Mask of the bits of `whole` for operations that stand in the ring behind the oldest and have landed.
    window: u64,
    /// Number of operations so far, and of those of them that FCSR shows or that nothing shows any more.
    n: u64,
    settled: u64,
    /// Bits of the latest operations, the latest in bit 0: 1 if it was enabled in all sections.
    whole: u64,
}

impl Deferred {
    /// Creates an empty ring, for a core whose condition codes and flags take so many cycles.
    pub(crate) fn new(latency: u32) -> Self {
        let kept = u64::from(2 * latency + 8).next_power_of_two().min(KEPT as u64);
        let behind_the_oldest = (1 << (kept - 1)) - 1;
        Self {
            kept: [Operation::default(); KEPT],
            mask: kept - 1,
            latency: latency.into(),
            // Of operations in consecutive cycles those before the last `latency` have landed.
            window: behind_the_oldest >> latency << latency,
            n: 0,
            settled: 0,
            whole: 0,
        }
    }

    /// Copies another ring, as far as anything can be asked of it.
    pub(crate) fn copy(&mut self, other: &Self) {
        let Self { ref kept, mask, latency, window, n, settled, whole } = *other;
        for k in other.first()..n {
            let place = (k & mask) as usize % KEPT;
            self.kept[place] = kept[place];
        }
        (self.mask, self.latency, self.window) = (mask, latency, window);
        (self.n, self.settled, self.whole) = (n, settled, whole);
    }

    /// Returns the number of operations so far.
    pub(crate) fn count(&self) -> u64 {
        self.n
    }

    #[inline(always)]
    fn at(&self, n: u64) -> &Operation {
        &self.kept[(n & self.mask) as usize % KEPT]
    }

    /// Whether there is no place for one more before the oldest is settled: a later one in all sections that has landed would
    /// have replaced its cause.
    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        self.whole & self.window == 0 && self.n - self.settled > self.mask
    }

    /// Adds an operation that issues in `cycle`, and returns its operands for the caller to fill in.
    #[inline(always)]
    pub(crate) fn push(&mut self, cycle: u64, at: usize, enabled: u8) -> &mut Seen {
        let operation = &mut self.kept[(self.n & self.mask) as usize % KEPT];
        operation.visible = cycle + self.latency;
        operation.at = at as u16;
        operation.enabled = enabled;
        self.n += 1;
        self.whole = self.whole << 1 | u64::from(enabled == ALL);
        &mut operation.seen
    }

    /// Returns the number of the first operation that may still count.
    fn first(&self) -> u64 {
        self.settled.max(self.n.saturating_sub(self.mask + 1))
    }

    /// Puts the flags into FCSR that are seen before cycle `before`.
    pub(crate) fn flush_until(
        &mut self,
        before: u64,
        fcsr: &mut [u32; SECTIONS],
        code: &DecodedProgram,
    ) {
        let end = (self.first()..self.n).find(|&k| self.at(k).visible >= before).unwrap_or(self.n);
        let begin = (self.first()..end).rfind(|&k| self.at(k).enabled == ALL);
        for k in begin.unwrap_or(self.first())..end {
            let operation = self.at(k);
            let flags = operation.flags(code);
            for s in (0..SECTIONS).filter(|s| operation.enabled >> s & 1 == 1) {
                fcsr[s] = accumulated(fcsr[s], flags[s]);
            }
        }
        self.settled = self.settled.max(end);
    }

    /// Removes the operations that have not landed, and returns their flags.
    pub(crate) fn take(&mut self, code: &DecodedProgram) -> Vec<InFlight> {
        let left = (self.first()..self.n).map(|k| {
            let operation = self.at(k);
            InFlight {
                visible: Cycle(operation.visible),
                enabled: operation.enabled,
                landing: Landing::Exceptions(operation.flags(code)),
            }
        });
        let left = left.collect();
        self.settled = self.n;
        left
    }
}
