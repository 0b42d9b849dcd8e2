//! What an operation does to the machine with symbolic contents: the parts it looks at, what it
//! writes and how long that takes. Moves, loads and constants are followed through; results of
//! other operations are named after the execution that made them.

use super::machine::{Change, Effect, Machine, Scalar};
use super::value::{Mask, Node, Nodes, ONE, Part, Value, ZERO, mix};
use cp2_ir::linear::Code;
use cp2_isa::rules::address::{self, first_word, stepped};
use cp2_isa::rules::angle;
use cp2_isa::{
    Address, Arith, Creg, Effects, Exch, FprTransfer, Halves, Inst, Latencies, MemoryAccess,
    MoveReg, Permutation, Reads, RegFile, Unit, control,
};

/// Whose execution it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    /// An operation of the region, for the time given, from 0.
    Op(u32, u32),
    /// An operation that the scheduler made.
    Made,
}

/// A part of an operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    /// The FPR, if it is one.
    pub(super) reg: Option<u32>,
    pub(super) part: Part,
}

/// What an execution looked at and what comes of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Execution {
    /// What it looked at, in a fixed order.
    pub(super) operands: Vec<Operand>,
    /// First word of its access to local memory.
    pub(super) address: Option<u16>,
    /// What it loaded.
    pub(super) loaded: Vec<Part>,
    /// Writes with their distances.
    pub(super) changes: Vec<(u32, Option<Mask>, Change)>,
    pub(super) effects: Vec<Effect>,
    /// The checker does not know what the operation would do.
    pub(super) unknown: bool,
}

impl Execution {
    /// Forgets everything, for the next execution.
    pub(super) fn clear(&mut self) {
        let Self { operands, address, loaded, changes, effects, unknown } = self;
        operands.clear();
        loaded.clear();
        changes.clear();
        effects.clear();
        (*address, *unknown) = (None, false);
    }

    /// Lets everything happen that it does.
    pub(super) fn happen(&self, machine: &mut Machine) {
        for &(distance, mask, change) in &self.changes {
            machine.plan(distance, mask, change);
        }
        for &effect in &self.effects {
            machine.apply(effect);
        }
    }
}

/// An operation about to execute.
pub(super) struct Reader<'a> {
    pub(super) machine: &'a Machine,
    pub(super) nodes: &'a mut Nodes,
    pub(super) who: Who,
    pub(super) cc: u8,
    /// The register after one, where an operation takes two.
    pub(super) next: &'a dyn Fn(u32) -> u32,
}

impl Reader<'_> {
    /// Reads everything and tells what will happen.
    pub(super) fn execute(&mut self, code: &Code, out: &mut Execution) {
        match code {
            Code::Arith(inst) if inst.op == Arith::Nop => {}
            Code::Arith(inst) => self.arithmetic(inst, out),
            Code::Exch(inst) => self.exchange(inst, out),
        }
    }

    fn latencies(&self) -> &Latencies {
        self.machine.core.latencies()
    }

    fn fpr(&self, reg: i32) -> Value {
        self.machine.fpr[reg as usize]
    }

    fn mask(&self, effects: Effects) -> Option<Mask> {
        let obeys = self.cc != 0 && effects.contains(Effects::PREDICATED);
        obeys.then(|| Mask::Condition(self.machine.conditions[usize::from(self.cc)]))
    }

    fn look(&self, reg: i32, parts: std::ops::Range<usize>, out: &mut Execution) {
        let value = self.fpr(reg);
        let operands = value[parts].iter().map(|&part| Operand { reg: Some(reg as u32), part });
        out.operands.extend(operands);
    }

    fn look_at(&mut self, bits: u64, out: &mut Execution) {
        let value = self.nodes.word(bits);
        out.operands.extend(value.map(|part| Operand { reg: None, part }));
    }

    fn look_at_control(&mut self, number: u8, out: &mut Execution) {
        let bits = self.machine.control[usize::from(number)].value as u16;
        let part = self.nodes.number(Node::Bits(bits));
        out.operands.push(Operand { reg: None, part });
    }

    // ---- arithmetic half

    fn arithmetic(&mut self, inst: &Inst<Arith>, out: &mut Execution) {
        let effects = inst.op.row().effects;
        let mask = self.mask(effects);
        if let Some(Mask::Condition(part)) = mask {
            out.operands.push(Operand { reg: None, part });
        }
        match inst.op {
            Arith::C => self.compare(inst, mask, out),
            Arith::Mfc => self.read_creg(inst, mask, out),
            Arith::Mtc => self.write_creg(inst, mask, out),
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

    /// The results of operations that only move bits about, and of made ones that count.
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

    /// Integer operations that turn one count into another.
    fn counted(&mut self, inst: &Inst<Arith>) -> Option<Vec<(i32, Value)>> {
        let [to, from, by, ..] = inst.values;
        let shift = |x: u32, signed: bool| match (by, signed) {
            (0.., _) => x.checked_shl(by as u32).unwrap_or(0),
            (_, true) => ((x as i32) >> by.unsigned_abs().min(31)) as u32,
            (_, false) => x.checked_shr(by.unsigned_abs()).unwrap_or(0),
        };
        let function: &dyn Fn(u32) -> u32 = match inst.op {
            Arith::Addi => &|x| x.wrapping_add_signed(by),
            Arith::Subi => &|x| x.wrapping_sub(by as u32),
            Arith::Ashifti => &|x| shift(x, true),
            Arith::Lshifti => &|x| shift(x, false),
            _ => return None,
        };
        let what = mix(inst.op as u64, by as u64);
        let [a, b, c, d] = self.fpr(from);
        let [a, b] = self.nodes.map_half(what, [a, b], function);
        let [c, d] = self.nodes.map_half(what, [c, d], function);
        Some(vec![(to, [a, b, c, d])])
    }

    /// Everything else: a result with a name of its own.
    fn computed(&mut self, inst: &Inst<Arith>, mask: Option<Mask>, out: &mut Execution) {
        let row = inst.op.row();
        for fpr in row.fprs(&inst.values) {
            // A half that is kept is passed on below; nothing is computed from it.
            if row.operands[fpr.operand].reads != Reads::Kept {
                let next = |reg: i32| (self.next)(reg as u32) as i32;
                let reg = if fpr.next { next(fpr.register) } else { fpr.register };
                self.look(reg, quarters(fpr.reads), out);
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
            self.look(fpr.register, quarters(fpr.reads), out);
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
            let codes = [1, 2, 3, 4, 5, 6, 7].map(|n: usize| self.machine.conditions[n]);
            out.operands.extend(codes.map(|part| Operand { reg: None, part }));
            self.nodes.opaque(1, &codes)
        } else {
            let part = self.nodes.number(self.machine.fcsr.node());
            out.operands.push(Operand { reg: None, part });
            part
        };
        let high = self.nodes.opaque(2, &[part]);
        self.plan_fpr(inst.values[0], [part, high, ZERO, ZERO].map(Some), mask, out);
    }

    fn write_creg(&mut self, inst: &Inst<Arith>, mask: Option<Mask>, out: &mut Execution) {
        let value = self.fpr(inst.values[0]);
        self.look(inst.values[0], 0..2, out);
        if inst.creg() == Some(Creg::Fcsr) {
            let part = self.nodes.opaque(3, &value[..2]);
            let change = Change::Fcsr { part, raised_before: self.machine.raised };
            out.changes.push((self.latencies().condition, mask, change));
            out.unknown |= self.who == Who::Made;
            return;
        }
        for number in 1..8 {
            let part = match self.nodes.node(value[0]) {
                Node::Bits(bits) => [ZERO, ONE][usize::from(bits >> number & 1)],
                _ => self.nodes.number(Node::Bit { of: value[0], number }),
            };
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

    /// FCSR has the flags when the result lands, STATUS has them at once.
    fn raise(&self, mask: Option<Mask>, out: &mut Execution) {
        out.unknown |= self.who == Who::Made;
        out.changes.push((self.latencies().condition, mask, Change::Raise(self.signature())));
        out.effects.push(Effect::Status(self.signature()));
    }

    fn step_rind(&self, out: &mut Execution) {
        let [rind, step, mask] = [control::RIND, control::RSTEP, control::RMASK]
            .map(|n| self.machine.control[usize::from(n)].value as u16);
        let next = Scalar::known(angle::stepped(rind, step, mask).into());
        out.effects.push(Effect::Control(control::RIND, next));
    }

    // ---- exchange half

    fn exchange(&mut self, inst: &Inst<Exch>, out: &mut Execution) {
        if let Some(access) = inst.memory_access() {
            return self.memory(&access, out);
        }
        if let Some(address) = inst.address() {
            self.address(address, out);
        } else if let Some((to, from)) = inst.moved() {
            self.move_register(to, from, out);
        } else if let Some(n) = inst.cleared_set() {
            let mask = self.machine.core.address_mask();
            out.effects.extend([Effect::A(n, 0), Effect::N(n, 1), Effect::M(n, mask)]);
        } else if let Some((reg, value)) = inst.set_immediate() {
            self.set(reg, Scalar::known(value.into()), out);
        } else if let Some(permutation) = inst.permutation() {
            self.permute(inst, &permutation, out);
        } else if let Some(transfer) = inst.fpr_transfer() {
            match inst.op.row().unit {
                Unit::ToFpr => self.scalar_to_fpr(&transfer, out),
                _ => self.fpr_to_scalar(&transfer, out),
            }
        } else if inst.op.row().unit == Unit::Dma {
            self.external(inst, out);
        }
        // Else nothing, or control flow, which is the caller's.
    }

    fn external(&mut self, inst: &Inst<Exch>, out: &mut Execution) {
        let Who::Op(op, turn) = self.who else {
            out.unknown = true;
            return;
        };
        out.effects.push(Effect::Event(op, turn));
        if let Some(number) = inst.gpr() {
            let part = self.nodes.number(Node::Result { op, turn, which: 0, part: 0 });
            out.effects.push(Effect::Gpr(number, self.machine.wild(Some(number), &[part])));
        }
    }

    fn source(&mut self, reg: MoveReg, out: &mut Execution) -> Scalar {
        let n = usize::from(reg.number);
        let narrow = |value: u16| Scalar::known(u64::from(value));
        let scalar = match reg.file {
            RegFile::Gpr => self.machine.gpr[n],
            RegFile::Ireg => self.machine.ireg[n],
            RegFile::A => narrow(self.machine.a[n]),
            RegFile::N => narrow(self.machine.n[n]),
            RegFile::M => narrow(self.machine.m[n]),
            RegFile::Control if reg.number == control::STATUS => {
                let fpe = self.machine.status;
                let flags = mix(fpe.base, fpe.raised);
                Scalar { value: mix(self.machine.control[n].value, flags), wild: true }
            }
            RegFile::Control => self.machine.control[n],
        };
        self.look_at(scalar.value, out);
        self.outside(reg, out);
        scalar
    }

    /// The control processor sees accesses to COMM and writes to CONTROL and STATUS.
    fn outside(&self, reg: MoveReg, out: &mut Execution) {
        let seen = [control::COMM, control::STATUS, control::CONTROL, control::STOPCODE];
        if let (RegFile::Control, true, Who::Op(op, turn)) =
            (reg.file, seen.contains(&reg.number), self.who)
        {
            out.effects.push(Effect::Event(op, turn));
        }
    }

    fn move_register(&mut self, to: MoveReg, from: MoveReg, out: &mut Execution) {
        let scalar = self.source(from, out);
        self.outside(to, out);
        self.set(to, scalar, out);
    }

    fn set(&self, reg: MoveReg, scalar: Scalar, out: &mut Execution) {
        let n = reg.number;
        let mask = self.machine.core.address_mask();
        let narrow = scalar.value as u16 & mask;
        out.effects.push(match reg.file {
            RegFile::Gpr => Effect::Gpr(n, scalar),
            RegFile::Ireg => Effect::Ireg(n, scalar),
            RegFile::A if scalar.wild => {
                let window = self.machine.windows[usize::from(n)];
                Effect::A(n, (window + (scalar.value % WINDOW) as u16) & mask)
            }
            RegFile::A => Effect::A(n, narrow),
            RegFile::N if scalar.wild => Effect::N(n, narrow & 7),
            RegFile::N => Effect::N(n, narrow),
            RegFile::M if scalar.wild => Effect::M(n, mask),
            RegFile::M => Effect::M(n, narrow),
            RegFile::Control => {
                let narrow = [control::RIND, control::RSTEP, control::RMASK].contains(&n);
                let value = if narrow { scalar.value & 0xffff } else { scalar.value };
                Effect::Control(n, Scalar { value, wild: scalar.wild })
            }
        });
    }

    fn scalar_to_fpr(&mut self, transfer: &FprTransfer, out: &mut Execution) {
        let n = usize::from(transfer.scalar.number);
        let scalar = match transfer.scalar.file {
            RegFile::Gpr => self.machine.gpr[n],
            _ => self.machine.ireg[n],
        };
        self.look_at(scalar.value, out);
        let mask = transfer.section.map(Mask::Section);
        let parts = self.nodes.word(scalar.value).map(Some);
        let change = Change::Fpr { reg: transfer.register as u32, parts, load: false };
        out.changes.push((self.latencies().to_fpr, mask, change));
    }

    fn fpr_to_scalar(&mut self, transfer: &FprTransfer, out: &mut Execution) {
        let section = transfer.section.unwrap_or_default();
        let value = self.fpr(transfer.register);
        let parts = value.map(|part| self.nodes.in_section(part, section));
        let reg = Some(transfer.register as u32);
        out.operands.extend(parts.map(|part| Operand { reg, part }));
        let MoveReg { file, number } = transfer.scalar;
        let gpr = (file == RegFile::Gpr).then_some(number);
        let scalar = match self.nodes.bits(value, section) {
            Some(bits) => Scalar::known(bits),
            None => {
                let section = self.nodes.number(Node::Bits(section.into()));
                self.machine.wild(gpr, &[parts[0], parts[1], parts[2], parts[3], section])
            }
        };
        out.effects.push(match gpr {
            Some(n) => Effect::Gpr(n, scalar),
            None => Effect::Ireg(number, scalar),
        });
    }

    fn permute(&mut self, inst: &Inst<Exch>, of: &Permutation, out: &mut Execution) {
        let mask = self.mask(inst.op.row().effects);
        let (from, to) = (of.from as u32, of.to as u32);
        let sources = [from, (self.next)(from)].map(|reg| self.machine.bypassed(reg));
        let halves = of.words.map(|word| {
            let value = sources[word.register];
            let [low, high] =
                if word.half == Halves::HI { [value[2], value[3]] } else { [value[0], value[1]] };
            [low, if word.is_flipped { self.nodes.flipped(high) } else { high }]
        });
        for (reg, [lo, hi]) in
            [(to, [halves[0], halves[1]]), ((self.next)(to), [halves[2], halves[3]])]
        {
            let parts = [lo[0], lo[1], hi[0], hi[1]].map(Some);
            let change = Change::Fpr { reg, parts, load: false };
            out.changes.push((self.latencies().permute, mask, change));
        }
    }

    // ---- addresses

    /// The word that an address names; An steps.
    fn address(&self, address: Address, out: &mut Execution) -> u16 {
        match address {
            Address::Word(word) => word,
            Address::Set { set, step } => {
                let k = usize::from(set);
                let before = self.machine.a[k];
                let words = address::words(step, self.machine.n[k]);
                let after = stepped(&self.machine.core, before, words, self.machine.m[k]);
                out.effects.push(Effect::A(set, after));
                before
            }
        }
    }

    fn memory(&mut self, access: &MemoryAccess, out: &mut Execution) {
        let words = u16::from(access.words);
        let address = first_word(self.address(access.address, out), words);
        let first = access.register as u32;
        out.address = Some(address);
        for (reg, word) in [first, (self.next)(first)].into_iter().zip(address..address + words) {
            if access.is_store {
                self.look(reg as i32, 0..4, out);
                out.effects.push(Effect::Store(word, self.fpr(reg as i32)));
            } else {
                let value = self.machine.word(word, self.nodes);
                out.loaded.extend(value);
                let change = Change::Fpr { reg, parts: value.map(Some), load: true };
                out.changes.push((self.latencies().load, None, change));
            }
        }
    }
}

/// Words that data-dependent addresses of one set reach.
pub(super) const WINDOW: u64 = 48;

/// The 16-bit parts of a register that these halves are.
fn quarters(halves: Halves) -> std::ops::Range<usize> {
    let from = if halves.contains(Halves::LO) { 0 } else { 2 };
    let to = if halves.contains(Halves::HI) { 4 } else { 2 };
    from..to.max(from)
}
