//! State that the engine holds of a machine while it runs: the parts that have another form here, and what is under way.

use crate::compute::coefficients::Coefficients;
use crate::compute::flags::{Deferred, Seen};
use crate::counts::Counts;
use crate::decode::{DecodedBundle, DecodedProgram};
use crate::notes::Notes;
use crate::ring::{ALL, Codes, FPRS, Fprs, Ring, Unit};
use cp2_emu::arith::{Flags, Rounding};
use cp2_emu::cp2::seam::{FlowPosition, InFlight, Landing, OldScalar};
use cp2_emu::state::{Quad, State, status};
use cp2_isa::rules::flags::{status_raised, sticky};
use cp2_isa::{Core, Cycle, SECTIONS};

/// Latencies in cycles, in the type that is added to cycles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Distances {
    pub(crate) arithmetic: u64,
    pub(crate) condition: u64,
    pub(crate) load: u64,
    pub(crate) permute: u64,
    pub(crate) to_fpr: u64,
    pub(crate) scalars_kept: u64,
}

/// Conditions under which results of native arithmetic can be taken, and flags left for later.
#[derive(Debug)]
pub(crate) struct Exactness {
    /// Sections in which Inexact would change FCSR or STATUS, because it is not yet sticky there.
    pub(crate) fresh: u8,
    /// Cycle up to which the flags of every operation are computed at once: a `mtc` to FCSR is under way.
    pub(crate) exact_until: u64,
    pub(crate) rounding: Rounding,
    /// Whether results of native arithmetic can be taken: rounding is to nearest, and Inexact is sticky already.
    pub(crate) is_usual: bool,
}

/// State of a kernel that runs: registers, and what is under way.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) cycle: u64,
    pub(crate) position: FlowPosition,
    /// Number of cycles for which a `sync` still holds the issue.
    pub(crate) hold: u64,
    pub(crate) fpr: Fprs,
    pub(crate) codes: Codes,
    pub(crate) ring: Ring,
    pub(crate) deferred: Deferred,
    /// Results under way, by cycle, for which the run has to be stopped when they land.
    pub(crate) rare: Vec<InFlight>,
    /// Old values of general registers that bundles of longer latency still read.
    pub(crate) scalars: Vec<OldScalar>,
    pub(crate) exactness: Exactness,
    /// Number of writes of index registers so far.
    pub(crate) index_writes: u64,
}

impl Flow {
    /// Creates the state before the first cycle, with nothing under way.
    pub(crate) fn new(core: &Core) -> Self {
        let latencies = core.latencies();
        Self {
            cycle: 0,
            position: FlowPosition::Plain,
            hold: 0,
            fpr: [[0; SECTIONS]; FPRS],
            codes: 0,
            ring: Ring::new(latencies),
            deferred: Deferred::new(latencies.condition),
            rare: Vec::new(),
            scalars: Vec::new(),
            index_writes: 0,
            exactness: Exactness {
                fresh: ALL,
                exact_until: 0,
                rounding: Rounding::Nearest,
                is_usual: false,
            },
        }
    }

    /// Copies another state, on a core with so many FPRs.
    pub(crate) fn copy(&mut self, other: &Self, fprs: usize) {
        let Self {
            cycle,
            position,
            hold,
            ref fpr,
            codes,
            ref ring,
            ref deferred,
            ref rare,
            ref scalars,
            index_writes,
            exactness: Exactness { fresh, exact_until, rounding, is_usual },
        } = *other;
        (self.cycle, self.position, self.hold, self.codes) = (cycle, position, hold, codes);
        self.fpr[..fprs].copy_from_slice(&fpr[..fprs]);
        self.ring.copy(ring);
        self.deferred.copy(deferred);
        self.rare.clone_from(rare);
        self.scalars.clone_from(scalars);
        (self.exactness.fresh, self.exactness.exact_until, self.exactness.rounding) =
            (fresh, exact_until, rounding);
        (self.exactness.is_usual, self.index_writes) = (is_usual, index_writes);
    }
}

/// State of the engine that changes while steps run, but for the state of the machine.
#[derive(Debug)]
pub(crate) struct Hot {
    pub(crate) flow: Flow,
    pub(crate) counts: Counts,
    pub(crate) notes: Notes,
    pub(crate) distances: Distances,
    pub(crate) coefficients: Coefficients,
    /// Number of words of local memory, less one.
    pub(crate) word_mask: usize,
    pub(crate) bank_shift: u32,
    pub(crate) core: Core,
    /// Whether something has happened for which the run has to be stopped.
    pub(crate) attention: bool,
}

impl Hot {
    pub(crate) fn new(core: &Core) -> Self {
        let latencies = core.latencies();
        Self {
            flow: Flow::new(core),
            counts: Counts::new(core.iram_bundles()),
            notes: Notes::default(),
            coefficients: Coefficients::default(),
            distances: Distances {
                arithmetic: latencies.arithmetic.into(),
                condition: latencies.condition.into(),
                load: latencies.load.into(),
                permute: latencies.permute.into(),
                to_fpr: latencies.to_fpr.into(),
                scalars_kept: latencies.longest().max(latencies.gpr_to_stop).into(),
            },
            word_mask: core.lmem_words() - 1,
            bank_shift: core.bank_words().trailing_zeros(),
            core: *core,
            attention: false,
        }
    }

    /// Returns the sections that a condition code enables.
    #[inline(always)]
    pub(crate) fn enabled(&self, code: u8) -> u8 {
        if code == 0 {
            return ALL;
        }
        // One bit of each byte, gathered in the highest.
        let bits = self.flow.codes >> code & 0x0101_0101;
        (bits.wrapping_mul(0x0102_0408) >> 24) as u8 & ALL
    }

    /// Writes the results that are first seen in this cycle, but for the rare ones.
    #[inline(always)]
    pub(crate) fn land(&mut self) {
        let Flow { cycle, ring, fpr, codes, .. } = &mut self.flow;
        ring.land(*cycle, fpr, codes, &mut self.counts.collisions);
    }

    /// Plans the results of an arithmetic operation.
    #[inline(always)]
    pub(crate) fn plan(
        &mut self,
        step: &DecodedBundle,
        enabled: u8,
        first: &Quad,
        second: Option<&Quad>,
    ) {
        if enabled != 0 {
            let visible = self.flow.cycle + self.distances.arithmetic;
            let targets = step.arithmetic.results.only(enabled);
            self.flow.ring.plan(Unit::Arithmetic, visible, targets, first, second);
        }
    }

    /// Returns the operands of an arithmetic operation.
    pub(crate) fn seen(&self, step: &DecodedBundle, coefficient: u64) -> Seen {
        let fpr = |n: u8| self.flow.fpr[usize::from(n)];
        Seen {
            d: fpr(step.arithmetic.d),
            s: fpr(step.arithmetic.s),
            t: fpr(step.arithmetic.t),
            s_next: fpr(step.arithmetic.s.wrapping_add(1)),
            t_next: fpr(step.arithmetic.t.wrapping_add(1)),
            coefficient,
            rounding: self.flow.exactness.rounding,
        }
    }

    /// Returns the cycle in which a rare result lands next.
    pub(crate) fn due(&self) -> u64 {
        self.flow.rare.first().map_or(u64::MAX, |first| first.visible.0)
    }

    /// Plans a rare result, behind what lands in the same cycle.
    pub(crate) fn plan_rare(&mut self, visible: u64, enabled: u8, landing: Landing) {
        if enabled != 0 {
            let place = self.flow.rare.partition_point(|r| r.visible.0 <= visible);
            self.flow.rare.insert(place, InFlight { visible: Cycle(visible), enabled, landing });
            self.attention = true;
        }
    }

    /// Lands the rare results that are due.
    pub(crate) fn land_due(&mut self, state: &mut State, code: &DecodedProgram) {
        if self.due() <= self.flow.cycle {
            self.land_rare(state, code);
        }
    }

    /// Lands everything that is due, for a bundle that is refused in this cycle.
    pub(crate) fn land_all(&mut self, state: &mut State, code: &DecodedProgram) {
        self.land_due(state, code);
        self.land();
        flush_flags(&mut self.flow.deferred, self.flow.cycle, state, code);
    }

    fn land_rare(&mut self, state: &mut State, code: &DecodedProgram) {
        let cycle = self.flow.cycle;
        while self.due() <= cycle {
            let result = self.flow.rare.remove(0);
            let flow = &mut self.flow;
            match result.landing {
                // Condition codes have another form here.
                Landing::Creg { fccr: true, value } => {
                    for s in (0..SECTIONS).filter(|s| result.enabled >> s & 1 == 1) {
                        let code = cp2_isa::rules::flags::fccr_written(value[s]);
                        flow.codes = flow.codes & !(0xff << (8 * s)) | Codes::from(code) << (8 * s);
                    }
                }
                Landing::Creg { fccr: false, .. } | Landing::Exceptions(_) => {
                    flow.deferred.flush_until(result.visible.0, &mut state.fcsr, code);
                    result.land(state);
                }
                _ => result.land(state),
            }
        }
        self.look_for_news(state);
    }

    /// Finds the sections in which Inexact is not yet sticky.
    pub(crate) fn look_for_news(&mut self, state: &State) {
        let flow = &mut self.flow;
        let brings = |result: &InFlight, s: usize| match &result.landing {
            Landing::Exceptions(flags) => {
                result.enabled >> s & 1 == 1 && flags[s].contains(Flags::I)
            }
            _ => false,
        };
        let has = |s: usize| {
            sticky(state.fcsr[s].into()).contains(Flags::I)
                || flow.rare.iter().any(|result| brings(result, s))
        };
        let is_raised = state.status >> status::FPE_SHIFT & 1 == 1;
        flow.exactness.fresh = if flow.cycle < flow.exactness.exact_until || !is_raised {
            ALL
        } else {
            (0..SECTIONS).fold(0, |all, s| all | u8::from(!has(s)) << s)
        };
        flow.exactness.is_usual =
            flow.exactness.fresh == 0 && flow.exactness.rounding == Rounding::Nearest;
    }

    /// Raises the flags of an operation that were computed at once.
    pub(crate) fn raise(
        &mut self,
        (at, seen): (usize, &Seen),
        enabled: u8,
        flags: [Flags; SECTIONS],
        (state, code): (&mut State, &DecodedProgram),
    ) {
        let flow = &mut self.flow;
        let raised = flags.iter().fold(Flags::empty(), |all, &new| all | new);
        let news = (0..SECTIONS)
            .any(|s| flow.exactness.fresh >> s & 1 == 1 && flags[s].contains(Flags::I));
        if (Flags::I.contains(raised)) && !news && flow.cycle >= flow.exactness.exact_until {
            if enabled != 0 {
                self.make_room(state, code);
                let Flow { deferred, cycle, .. } = &mut self.flow;
                *deferred.push(*cycle, at, enabled) = *seen;
            }
            return;
        }
        state.status = status_raised(state.status, raised);
        for result in &mut flow.rare {
            if let Landing::StatusFlags(left) = &mut result.landing {
                *left |= raised;
            }
        }
        let visible = flow.cycle + self.distances.condition;
        self.plan_rare(visible, enabled, Landing::Exceptions(flags));
        self.look_for_news(state);
    }

    /// Makes room for the operands of one more operation.
    #[inline(always)]
    pub(crate) fn make_room(&mut self, state: &mut State, code: &DecodedProgram) {
        if self.flow.deferred.is_full() {
            flush_flags(&mut self.flow.deferred, self.flow.cycle, state, code);
        }
    }

    /// Remembers the value that a general register had before it is written.
    pub(crate) fn log_scalar(&mut self, number: u8, old: u64) {
        let (cycle, kept) = (Cycle(self.flow.cycle), self.distances.scalars_kept);
        self.flow.scalars.retain(|&(c, ..)| c + kept > cycle);
        self.flow.scalars.push((cycle, number, old));
    }

    /// Lets cycles pass while nothing is under way but old values of general registers.
    pub(crate) fn pass_over(&mut self, cycles: u64) {
        self.flow.cycle += cycles;
        for (written, ..) in &mut self.flow.scalars {
            *written += cycles;
        }
    }

    /// Returns a general register as it is read by an operation that sees writes after `distance` cycles.
    pub(crate) fn gpr(&self, number: u8, distance: u32, state: &State) -> u64 {
        let unseen = |c: Cycle| c + u64::from(distance) > Cycle(self.flow.cycle);
        let hidden = self.flow.scalars.iter().find(|&&(c, r, _)| r == number && unseen(c));
        hidden.map_or(state.gpr[usize::from(number)], |&(_, _, old)| old)
    }
}

#[cold]
fn flush_flags(deferred: &mut Deferred, cycle: u64, state: &mut State, code: &DecodedProgram) {
    deferred.flush_until(cycle + 1, &mut state.fcsr, code);
}
