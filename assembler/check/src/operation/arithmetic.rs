//! The arithmetic half: what it looks at, and the names of its results.

use super::{Execution, Operand, Reader, Who};
use crate::machine::{Change, Effect, Scalar};
use crate::value::{Mask, Node, Part, Value, ZERO, mix};
use cp2_isa::rules::{angle, immediate};
use cp2_isa::{Arith, Creg, Effects, Halves, Inst, Reads, control};

impl Reader<'_> {
    pub(super) fn arithmetic(&mut self, inst: &Inst<Arith>, out: &mut Execution) {
        let effects = inst.op.row().effects;
        let mask = self.mask(effects);
        if let Some(Mask::Condition(part)) = mask {
            out.operands.push(Operand { reg: None, part });
        }
        match inst.op {
            Arith::C => self.compare(inst, mask, out),
            Arith::Mfc => self.read_creg(inst, mask, out),
            Arith::Mtc => self.write_creg(inst, mask, out),
            Arith::Amtsa => {
                let written = inst.section_addresses().into_iter();
                written.for_each(|written| self.section_addresses(written, mask, out));
            }
            _ => match self.followed(inst) {
                Some(results) => {
                    for (reg, value) in results {
                        self.plan_fpr(reg, value.map(Some), mask, out);
                    }
                }
                None => self.computed(inst, mask, out),
            },
        }
        if effects.contains(Effects::FLAGS) {
            self.raise(mask, out);
        }
        if effects.contains(Effects::COEFFICIENT) {
            self.step_rind(out);
        }
    }

    fn plan_fpr(
        &self,
        reg: i32,
        parts: [Option<Part>; 4],
        mask: Option<Mask>,
        out: &mut Execution,
    ) {
        let change = Change::Fpr { reg: reg as u32, parts, load: false };
        out.changes.push((self.latencies().arithmetic, mask, change));
    }

    /// Returns the results of operations that only move bits about, and of made ones that count; `None` for any other
    /// operation.
    fn followed(&mut self, inst: &Inst<Arith>) -> Option<Vec<(i32, Value)>> {
        let [v0, v1, v2, ..] = inst.values;
        let quarter = |this: &mut Self, k: usize| {
            let mut value = this.fpr(v0);
            value[k] = this.nodes.number(Node::Bits(v1 as u16));
            value
        };
        let one = |value: Value| Some(vec![(v0, value)]);
        match inst.op {
            Arith::Copy => one(self.fpr(v1)),
            Arith::Swaphl => {
                let [a, b, c, d] = self.fpr(v1);
                one([c, d, a, b])
            }
            Arith::Swap64 => Some(vec![(v0, self.fpr(v1)), (v1, self.fpr(v0))]),
            Arith::Clear => Some(vec![(v0, [ZERO; 4]), (v1, [ZERO; 4])]),
            Arith::Section => {
                let number = self.nodes.number(Node::SectionNumber);
                one([number, ZERO, ZERO, ZERO])
            }
            Arith::Li0 => one(quarter(self, 0)),
            Arith::Li1 => one(quarter(self, 1)),
            Arith::Li2 => one(quarter(self, 2)),
            Arith::Li3 => one(quarter(self, 3)),
            Arith::Split32 => {
                let [_, _, c, d] = self.fpr(v1);
                one([c, d, ZERO, ZERO])
            }
            Arith::Join32 => {
                let ([a, b, ..], [c, d, ..]) = (self.fpr(v0), self.fpr(v1));
                one([a, b, c, d])
            }
            Arith::Mtrans => {
                let ([a, b, c, d], [e, f, g, h]) = (self.fpr(v1), self.fpr(v2));
                Some(vec![(v0, [g, h, c, d]), (inst.values[3], [e, f, a, b])])
            }
            _ if self.who == Who::Made => self.counted(inst),
            _ => None,
        }
    }

    /// Returns the result of an integer operation that turns one count into another; `None` for any other operation.
    fn counted(&mut self, inst: &Inst<Arith>) -> Option<Vec<(i32, Value)>> {
        let [to, from, by, ..] = inst.values;
        immediate::result(inst.op, by, 0)?;
        let function = |half| immediate::result(inst.op, by, half).unwrap_or(half);
        let what = mix(inst.op as u64, by as u64);
        let [a, b, c, d] = self.fpr(from);
        let [a, b] = self.nodes.map_half(what, [a, b], &function);
        let [c, d] = self.nodes.map_half(what, [c, d], &function);
        Some(vec![(to, [a, b, c, d])])
    }

    /// Gives each result of any other operation a name of its own.
    fn computed(&mut self, inst: &Inst<Arith>, mask: Option<Mask>, out: &mut Execution) {
        let row = inst.op.row();
        for fpr in row.fprs(&inst.values) {
            // A half that is kept is passed on below; nothing is computed from it.
            if row.operands[fpr.operand].reads != Reads::Kept {
                let next = |reg: i32| (self.next)(reg as u32) as i32;
                let reg = if fpr.next { next(fpr.register) } else { fpr.register };
                self.read_parts(reg, quarters(fpr.reads), out);
            }
        }
        if row.effects.contains(Effects::FLAGS) || row.effects.contains(Effects::COEFFICIENT) {
            self.look_at_control(control::CONTROL, out);
        }
        if row.effects.contains(Effects::COEFFICIENT) {
            self.look_at_control(control::RIND, out);
        }
        let Who::Op(op, turn) = self.who else {
            out.unknown = true;
            return;
        };
        let written = row.fprs(&inst.values).filter(|fpr| !fpr.writes.is_empty());
        for (which, fpr) in (0..).zip(written) {
            let new = self.nodes.result((op, turn), which);
            let old = self.fpr(fpr.register);
            let is_kept = row.operands[fpr.operand].reads == Reads::Kept;
            let kept = if is_kept { quarters(fpr.reads) } else { 0..0 };
            let changed = quarters(fpr.writes);
            let part = |k: usize| {
                let value = if kept.contains(&k) { old[k] } else { new[k] };
                changed.contains(&k).then_some(value)
            };
            self.plan_fpr(fpr.register, [0, 1, 2, 3].map(part), mask, out);
        }
    }

    fn compare(&mut self, inst: &Inst<Arith>, mask: Option<Mask>, out: &mut Execution) {
        let Some(comparison) = inst.comparison() else { return };
        for fpr in inst.op.row().fprs(&inst.values) {
            self.read_parts(fpr.register, quarters(fpr.reads), out);
        }
        let Who::Op(op, turn) = self.who else {
            out.unknown = true;
            return;
        };
        for which in 0..comparison.codes() {
            let part = self.nodes.number(Node::Result { op, turn, which, part: 0 });
            let number = comparison.cc + which;
            if number != 0 {
                let change = Change::Condition { number, part };
                out.changes.push((self.latencies().condition, mask, change));
            }
        }
    }

    fn read_creg(&mut self, inst: &Inst<Arith>, mask: Option<Mask>, out: &mut Execution) {
        let part = if inst.creg() == Some(Creg::Fccr) {
            let codes = [1, 2, 3, 4, 5, 6, 7].map(|n: usize| self.machine.flags.conditions[n]);
            out.operands.extend(codes.map(|part| Operand { reg: None, part }));
            self.nodes.opaque(1, &codes)
        } else {
            let part = self.nodes.number(self.machine.flags.fcsr.node());
            out.operands.push(Operand { reg: None, part });
            part
        };
        let high = self.nodes.opaque(2, &[part]);
        self.plan_fpr(inst.values[0], [part, high, ZERO, ZERO].map(Some), mask, out);
    }

    fn write_creg(&mut self, inst: &Inst<Arith>, mask: Option<Mask>, out: &mut Execution) {
        let value = self.fpr(inst.values[0]);
        self.read_parts(inst.values[0], 0..2, out);
        if inst.creg() == Some(Creg::Fcsr) {
            let part = self.nodes.opaque(3, &value[..2]);
            let change = Change::Fcsr { part, raised_before: self.machine.flags.raised };
            out.changes.push((self.latencies().condition, mask, change));
            return;
        }
        for number in 1..8 {
            let part = self.nodes.number(Node::Bit { of: value[0], number });
            let change = Change::Condition { number, part };
            out.changes.push((self.latencies().condition, mask, change));
        }
    }

    fn signature(&self) -> u64 {
        match self.who {
            Who::Op(op, turn) => mix(op.into(), turn.into()),
            Who::Made => 0,
        }
    }

    /// Raises the flags of the operation: FCSR has them when the result lands, STATUS has them at once.
    fn raise(&self, mask: Option<Mask>, out: &mut Execution) {
        out.unknown |= self.who == Who::Made;
        out.changes.push((self.latencies().condition, mask, Change::Raise(self.signature())));
        out.effects.push(Effect::Status(self.signature()));
    }

    fn step_rind(&self, out: &mut Execution) {
        let [rind, step, mask] = [control::RIND, control::RSTEP, control::RMASK]
            .map(|n| self.machine.scalars.control[usize::from(n)].value as u16);
        let next = Scalar::known(angle::stepped(rind, step, mask).into());
        out.effects.push(Effect::Control(control::RIND, next));
    }
}

/// Returns the 16-bit parts of a register that these halves are.
fn quarters(halves: Halves) -> std::ops::Range<usize> {
    let from = if halves.contains(Halves::LO) { 0 } else { 2 };
    let to = if halves.contains(Halves::HI) { 4 } else { 2 };
    from..to.max(from)
}
