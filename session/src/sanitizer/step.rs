//! One bundle on the shadow: what it reads, what it leaves undefined, and where undefined values begin to count. The
//! arithmetic half is here, the exchange half in `exchange`, loads and stores in `access`.

use super::declared::Declared;
use super::mask::{self, EVERYWHERE, Mask};
use super::propagate::{self, Operands};
use super::shadow::{Landing, Origin, Scalar, Scalars, Shade, Shadow};
use cp2_emu::state::{Quad, State};
use cp2_isa::rules::flags;
use cp2_isa::{
    Arith, Bundle, BundleAddress, Core, Creg, Cycle, Effects, Inst, Role, Row, SECTIONS, Storage,
    WordAddress,
};

/// Kind of fault that is found with a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum FindingKind {
    /// An undefined value is stored.
    Store,
    /// An undefined value decides which sections execute.
    Predicate,
    /// An undefined value is an address.
    Address,
    /// An undefined value decides how often or where the flow goes, or how numbers are rounded.
    Flow,
    /// The caller gets an undefined value.
    Result,
    /// A store goes to a word of no array.
    Outside,
    /// Two words are moved at an odd address.
    Odd,
}

/// Fault that is found with a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) kind: FindingKind,
    /// The register in question.
    pub(super) register: (Storage, u8),
    /// Sections in which the fault is found, a bit each.
    pub(super) sections: u8,
    /// Origin of the undefined value, if one is at fault.
    pub(super) origin: Option<Origin>,
    /// The word that is accessed.
    pub(super) word: Option<WordAddress>,
}

/// Scalar registers as they were when the bundle issued; those of the machine are one bundle ahead.
#[derive(Clone, Debug)]
pub(super) struct Before {
    pub(super) pc: BundleAddress,
    pub(super) a: [WordAddress; 16],
    pub(super) gpr: [u64; 16],
    pub(super) sa: Box<[[WordAddress; SECTIONS]]>,
    pub(super) qa: Box<[WordAddress]>,
}

impl Before {
    pub(super) fn new(state: &State) -> Self {
        let State { pc, a, gpr, sa, qa, .. } = state;
        Self { pc: *pc, a: *a, gpr: *gpr, sa: sa.clone(), qa: qa.clone() }
    }

    /// Takes the registers as they are before the next bundle.
    pub(super) fn take(&mut self, state: &State) {
        (self.pc, self.a, self.gpr) = (state.pc, state.a, state.gpr);
        self.sa.copy_from_slice(&state.sa);
        self.qa.copy_from_slice(&state.qa);
    }
}

/// A bundle that has issued.
#[derive(Debug)]
pub(super) struct IssuedBundle<'s> {
    pub(super) shadow: &'s mut Shadow,
    /// State of the machine behind the cycle: FPRs and condition codes are as the bundle read them.
    pub(super) state: &'s State,
    pub(super) before: &'s Before,
    pub(super) declared: &'s Declared,
    pub(super) core: &'s Core,
    pub(super) cycle: Cycle,
    /// Codes that the source allows at the bundle.
    pub(super) allowed: &'s [String],
    pub(super) hits: &'s mut Vec<Hit>,
    /// Whether a condition code decides in which sections the half of the bundle at hand executes.
    pub(super) is_predicated: bool,
    /// Whether the shadow depends on values of FPRs, or on what comes from outside.
    pub(super) is_opaque: bool,
}

impl IssuedBundle<'_> {
    /// Does a bundle on the shadow.
    pub(super) fn bundle(&mut self, bundle: &Bundle) {
        let cc = bundle.cc;
        let (arith, exch) = (bundle.arith.op.row(), bundle.exch.op.row());
        if arith.obeys(cc) || exch.obeys(cc) {
            self.predicate(cc);
        }
        let enabled = self.enabled(cc);
        self.is_predicated = arith.obeys(cc);
        if bundle.arith.op != Arith::Nop {
            self.arithmetic(&bundle.arith, obeyed(arith, enabled));
        }
        self.is_predicated = exch.obeys(cc);
        self.exchange(&bundle.exch, obeyed(exch, enabled));
        if let Some((set, register, half)) = bundle.arith.section_addresses() {
            let addresses = self.addresses(register, half);
            for s in (0..SECTIONS).filter(|s| obeyed(arith, enabled) >> s & 1 == 1) {
                self.shadow.scalars.sa[usize::from(set)][s] = addresses[s];
            }
        }
    }

    /// Returns the sections that a condition code enables.
    fn enabled(&self, cc: u8) -> u8 {
        if cc == 0 {
            return EVERYWHERE;
        }
        let is_enabled = |s: &usize| flags::enabled(self.state.fccr[*s], cc);
        (0..SECTIONS).filter(is_enabled).fold(0, |all, s| all | 1 << s)
    }

    fn predicate(&mut self, cc: u8) {
        let code = &mut self.shadow.codes[usize::from(cc & 7)];
        let sections = code.never | code.undefined;
        if sections == 0 {
            return;
        }
        let never = Origin::Register(Storage::Fccr, cc);
        let origin = if code.undefined != 0 { code.origin } else { never };
        (code.never, code.undefined) = (0, 0);
        self.hit(FindingKind::Predicate, (Storage::Fccr, cc), sections, Some(origin));
    }

    pub(super) fn hit(
        &mut self,
        kind: FindingKind,
        register: (Storage, u8),
        sections: u8,
        origin: Option<Origin>,
    ) {
        self.hits.push(Hit { kind, register, sections, origin, word: None });
    }

    /// Notes a fault if a scalar register counts here of which one of these quarters is undefined.
    pub(super) fn count(
        &mut self,
        kind: FindingKind,
        register: (Storage, u8),
        scalar: Scalar,
        quarters: u8,
    ) {
        if scalar.undefined & quarters != 0 {
            self.hit(kind, register, EVERYWHERE, Some(scalar.origin));
        }
    }

    pub(super) fn shade(&self, register: usize) -> Shade {
        self.shadow.fpr[register % self.shadow.fpr.len()]
    }

    /// Plans the write of an FPR.
    pub(super) fn plan(
        &mut self,
        distance: u32,
        register: u8,
        written: Mask,
        shade: Shade,
        is_load: bool,
    ) {
        let visible = self.cycle + u64::from(distance);
        self.shadow.plan(
            visible,
            Landing::Fpr { register, written, shade, is_load, is_predicated: self.is_predicated },
        );
    }

    /// Reads the operands of the arithmetic half and plans its results.
    fn arithmetic(&mut self, inst: &Inst<Arith>, enabled: u8) {
        let row = inst.op.row();
        let outcome = self.outcome(inst);
        if matches!(inst.op, Arith::And | Arith::Or) {
            // A quarter of zeros or ones may hide what is undefined.
            let named = inst.named();
            let of = |register: u8| self.shade(usize::from(register)).undefined;
            self.is_opaque |= of(named.s) | of(named.t) != 0;
        }
        let sections = mask::of_sections(enabled);
        let origin = self.origin(inst);
        let latencies = *self.core.latencies();
        for result in inst.results() {
            let undefined = match result.role {
                Role::D => outcome.d,
                Role::S => outcome.s,
                Role::Q => outcome.q,
            };
            let written = sections & mask::of_halves(result.halves);
            let shade = Shade { undefined, origin };
            self.plan(latencies.arithmetic, result.number, written, shade, false);
        }
        if let Some(comparison) = inst.comparison() {
            for k in 0..comparison.codes() {
                let undefined = outcome.codes[usize::from(k)];
                self.plan_code(comparison.cc + k, enabled, undefined, origin);
            }
        }
        if inst.op == Arith::Mtc && inst.creg() == Some(Creg::Fccr) {
            let source = self.shade(usize::from(inst.named().d));
            let undefined = mask::sections(source.undefined & mask::LO);
            (1..8).for_each(|code| self.plan_code(code, enabled, undefined, source.origin));
        }
        if row.effects.contains(Effects::COEFFICIENT) {
            let Shadow { scalars: Scalars { rind, rstep, rmask, .. }, .. } = &mut *self.shadow;
            let by = [*rstep, *rmask].into_iter().find(|by| by.undefined != 0);
            if let Some(by) = by.filter(|_| rind.undefined == 0) {
                *rind = by;
            }
        }
    }

    fn plan_code(&mut self, code: u8, written: u8, undefined: u8, origin: Origin) {
        let visible = self.cycle + u64::from(self.core.latencies().condition);
        self.shadow.plan(
            visible,
            Landing::Code { code, written, undefined, origin, is_predicated: self.is_predicated },
        );
    }

    fn outcome(&self, inst: &Inst<Arith>) -> propagate::Outcome {
        let named = inst.named();
        let [d, s, t] = [named.d, named.s, named.t].map(usize::from);
        let mask = |register: usize| self.shade(register).undefined;
        let angle = self.shadow.scalars.rind.undefined != 0;
        let conditions = match inst.op {
            Arith::Mfc if inst.creg() == Some(Creg::Fccr) => {
                self.shadow.codes.iter().fold(0, |all, code| all | code.undefined)
            }
            _ => 0,
        };
        let value = |register: usize| -> &Quad { &self.state.fpr[register] };
        propagate::outcome(
            inst,
            &Operands {
                d: mask(d),
                s: [mask(s), mask(s + 1)],
                t: [mask(t), mask(t + 1)],
                is_same: s == t,
                angle,
                conditions,
                values: [value(s), value(t)],
            },
        )
    }

    /// Returns the origin of what an operation makes of undefined operands.
    fn origin(&self, inst: &Inst<Arith>) -> Origin {
        let used = inst.op.row().fprs(&inst.values).filter(|fpr| !fpr.reads.is_empty());
        let mut shades = used.map(|fpr| {
            let shade = self.shade(fpr.register as usize + usize::from(fpr.next));
            (shade.undefined & mask::of_halves(fpr.reads), shade.origin)
        });
        let found = shades.find(|(undefined, _)| *undefined != 0);
        let code = self.shadow.codes.iter().find(|code| code.undefined != 0);
        match (found, inst.op, code) {
            (Some((_, origin)), ..) => origin,
            (None, Arith::Mfc, Some(code)) => code.origin,
            _ => self.shadow.scalars.rind.origin,
        }
    }
}

/// Returns the sections in which an operation executes.
fn obeyed(row: &Row, enabled: u8) -> u8 {
    if row.effects.contains(Effects::PREDICATED) { enabled } else { EVERYWHERE }
}
