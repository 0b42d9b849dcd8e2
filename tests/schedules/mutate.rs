//! Schedules with one thing changed.

use cp2_asm::sched::{ScheduledBundle, SlotOrigin};
use cp2_isa::{Arith, Bundle, Core, Exch, Inst, OperandKind};

/// A changed schedule and what was changed.
pub(crate) struct Mutant {
    pub(crate) what: String,
    pub(crate) bundles: Vec<ScheduledBundle>,
}

const EMPTY: ScheduledBundle =
    ScheduledBundle { bundle: Bundle::NOP, arith: SlotOrigin::Nothing, exch: SlotOrigin::Nothing };

/// Every mutant of some kinds, those that are still bundles of the core.
pub(crate) fn mutants(core: &Core, bundles: &[ScheduledBundle]) -> Vec<Mutant> {
    let mut out = Mutants { bundles, found: Vec::new() };
    for at in 0..bundles.len() {
        out.order(at);
        out.arithmetic(at);
        out.exchange(at);
    }
    out.found.retain(|mutant| {
        mutant.bundles != bundles && mutant.bundles.iter().all(|p| p.bundle.check(core).is_ok())
    });
    out.found
}

struct Mutants<'a> {
    bundles: &'a [ScheduledBundle],
    found: Vec<Mutant>,
}

impl Mutants<'_> {
    fn add(&mut self, what: String, change: impl FnOnce(&mut Vec<ScheduledBundle>)) {
        let mut bundles = self.bundles.to_vec();
        change(&mut bundles);
        self.found.push(Mutant { what, bundles });
    }

    /// Bundles and halves in other places. Ends of loops stay where they are.
    fn order(&mut self, at: usize) {
        self.add(format!("bundle {at} left out"), |b| {
            b.remove(at);
        });
        self.add(format!("bundle {at} emptied"), |b| b[at] = EMPTY);
        self.add(format!("an empty bundle before {at}"), |b| b.insert(at, EMPTY));
        if at + 1 == self.bundles.len() {
            return;
        }
        self.add(format!("bundles {at} and {} swapped", at + 1), |b| b.swap(at, at + 1));
        self.add(format!("arithmetic halves of {at} and {} swapped", at + 1), |b| {
            let (x, y) = (b[at], b[at + 1]);
            (b[at].bundle.arith, b[at].arith) = (y.bundle.arith, y.arith);
            (b[at + 1].bundle.arith, b[at + 1].arith) = (x.bundle.arith, x.arith);
        });
        self.add(format!("exchange halves of {at} and {} swapped", at + 1), |b| {
            let (x, y) = (b[at], b[at + 1]);
            (b[at].bundle.exch, b[at].exch) = (y.bundle.exch, y.exch);
            (b[at + 1].bundle.exch, b[at + 1].exch) = (x.bundle.exch, x.exch);
        });
    }

    fn arithmetic(&mut self, at: usize) {
        let inst: Inst<Arith> = self.bundles[at].bundle.arith;
        for (k, step) in steps(inst.op.row().operands.iter().map(|o| o.kind)) {
            self.add(format!("bundle {at}, `{inst}`: operand {k} by {step}"), |b| {
                b[at].bundle.arith.values[k] += step;
            });
        }
        let cc = self.bundles[at].bundle.cc;
        self.add(format!("bundle {at}: predicate"), |b| b[at].bundle.cc = cc ^ 1);
    }

    fn exchange(&mut self, at: usize) {
        let inst: Inst<Exch> = self.bundles[at].bundle.exch;
        for (k, step) in steps(inst.op.row().operands.iter().map(|o| o.kind)) {
            self.add(format!("bundle {at}, `{inst}`: operand {k} by {step}"), |b| {
                b[at].bundle.exch.values[k] += step;
            });
        }
    }
}

/// Returns the changes of operands: the number of the operand, and the step.
pub(crate) fn steps(kinds: impl Iterator<Item = OperandKind>) -> Vec<(usize, i32)> {
    let of = |kind: OperandKind| match kind {
        OperandKind::Fpr(_) | OperandKind::FprPair(_) | OperandKind::FprPermute(_) => {
            vec![-1, 1, 7]
        }
        OperandKind::FprHalf(..) => vec![-1, 1, 2],
        OperandKind::Address(_) => vec![-16, 16, 1, -1],
        _ => vec![-1, 1],
    };
    kinds.enumerate().flat_map(|(k, kind)| of(kind).into_iter().map(move |s| (k, s))).collect()
}
