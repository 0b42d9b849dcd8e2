//! What is known of FPRs as far as they carry loop counts, as the scheduler computes them: from general registers by
//! `mtfpr`, through integer operations with immediates, back by `mffpr`. The same in every section, and seen when it
//! has landed.

use cp2_isa::rules::immediate;
use cp2_isa::{Arith, Bundle, Core, Exch, Inst, Resource, Unit};
use std::collections::BTreeMap;

/// Values of FPRs that are known, and what is under way to them.
#[derive(Clone, Debug)]
pub(super) struct Fprs {
    core: Core,
    cycle: u64,
    known: BTreeMap<u8, u64>,
    under_way: Vec<Write>,
}

#[derive(Clone, Copy, Debug)]
struct Write {
    /// The first cycle in which the value is seen.
    seen: u64,
    unit: Unit,
    register: u8,
    value: Option<u64>,
}

impl Fprs {
    /// Returns the state in which nothing is known.
    pub(super) fn new(core: &Core) -> Self {
        Self { core: *core, cycle: 0, known: BTreeMap::new(), under_way: Vec::new() }
    }

    /// Returns the value of an FPR, if it is known.
    pub(super) fn get(&self, register: i32) -> Option<u64> {
        self.known.get(&u8::try_from(register).ok()?).copied()
    }

    /// Lets everything land that is seen in the cycle at hand, loads first.
    pub(super) fn land(&mut self) {
        let cycle = self.cycle;
        let mut now: Vec<Write> = self.under_way.extract_if(.., |w| w.seen <= cycle).collect();
        now.sort_by_key(|w| (w.seen, w.unit != Unit::Load));
        for write in now {
            match write.value {
                Some(value) => self.known.insert(write.register, value),
                None => self.known.remove(&write.register),
            };
        }
    }

    /// Lets cycles pass.
    pub(super) fn advance(&mut self, cycles: u32) {
        self.cycle += u64::from(cycles);
    }

    /// Forgets all values, also of what is under way.
    pub(super) fn forget(&mut self) {
        self.known.clear();
        self.under_way.iter_mut().for_each(|write| write.value = None);
    }

    /// Sends the results of a bundle on their way; `from` is the scalar register that it moves, if that is known.
    pub(super) fn issue(&mut self, bundle: &Bundle, from: Option<u64>) {
        let is_all = bundle.exch.fpr_transfer().is_some_and(|t| t.section.is_none());
        let moved = from.filter(|_| bundle.exch.op == Exch::Mtfpr && is_all);
        let counted = self.counted(&bundle.arith).filter(|_| bundle.cc == 0);
        if moved.is_none()
            && counted.is_none()
            && self.known.is_empty()
            && self.under_way.is_empty()
        {
            return;
        }
        let mut writes = Vec::new();
        bundle.footprint(&mut |access| {
            let Some(Resource::Fpr(register, _)) = access.changed() else { return };
            let value = match access.unit {
                Unit::ToFpr => moved,
                Unit::Arithmetic => counted,
                _ => None,
            };
            let distance = self.core.latencies().write_fpr(access.unit);
            writes.push(Write {
                seen: self.cycle + u64::from(distance),
                unit: access.unit,
                register,
                value,
            });
        });
        let is_followed = |w: &Write| {
            let known = self.known.contains_key(&w.register);
            w.value.is_some() || known || self.under_way.iter().any(|u| u.register == w.register)
        };
        writes.retain(is_followed);
        self.under_way.extend(writes);
    }

    /// Returns the result of an integer operation with an immediate, in both halves.
    fn counted(&self, inst: &Inst<Arith>) -> Option<u64> {
        let [_, from, by, ..] = inst.values;
        let value = self.get(from)?;
        let half = |half: u64| immediate::result(inst.op, by, half as u32).map(u64::from);
        Some(half(value >> 32)? << 32 | half(value)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle(arith: Option<Inst<Arith>>, exch: Option<Inst<Exch>>) -> Bundle {
        let nop = Bundle::NOP;
        Bundle { arith: arith.unwrap_or(nop.arith), exch: exch.unwrap_or(nop.exch), ..nop }
    }

    fn advance(fprs: &mut Fprs, bundle: &Bundle, from: Option<u64>) {
        fprs.land();
        fprs.issue(bundle, from);
        fprs.advance(1);
    }

    #[test]
    fn a_count_is_known_when_it_has_landed() {
        let mut fprs = Fprs::new(&Core::CP2);
        let to = bundle(None, Some(Inst::new(Exch::Mtfpr, &[30, 2, 4])));
        let less = bundle(Some(Inst::new(Arith::Subi, &[31, 30, 3])), None);
        advance(&mut fprs, &to, Some(20));
        advance(&mut fprs, &Bundle::NOP, None);
        fprs.land();
        assert_eq!(fprs.get(30), None);
        advance(&mut fprs, &Bundle::NOP, None);
        advance(&mut fprs, &less, None);
        assert_eq!(fprs.get(30), Some(20));
        for _ in 0..7 {
            assert_eq!(fprs.get(31), None);
            advance(&mut fprs, &Bundle::NOP, None);
        }
        fprs.land();
        assert_eq!(fprs.get(31), Some(0xffff_fffd_0000_0011));
        // A load replaces it by what is not known.
        advance(&mut fprs, &bundle(None, Some(Inst::new(Exch::Lwi, &[31, 0]))), None);
        assert_eq!(fprs.get(31), Some(0xffff_fffd_0000_0011));
        (0..3).for_each(|_| advance(&mut fprs, &Bundle::NOP, None));
        assert_eq!(fprs.get(31), None);
    }
}
