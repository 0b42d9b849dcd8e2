//! The exchange half: moves, addresses, loads and stores, which are followed through.

use super::{Execution, Operand, Reader, WINDOW, Who};
use crate::machine::{Change, Effect, Scalar};
use crate::value::{Mask, Node, Part, Value, mix};
use cp2_isa::rules::address::{self, stepped};
use cp2_isa::{
    Address, Exch, FprTransfer, Halves, Inst, MemoryAccess, MoveReg, Permutation, RegFile, Unit,
    WordAddress, control,
};

/// The halves of a register and of a word in memory between which an access moves.
struct Moved {
    register: Halves,
    memory: Halves,
}

impl Moved {
    /// The parts of these halves.
    fn read(&self, halves: Halves) -> std::ops::Range<usize> {
        match halves {
            Halves::LO => 0..2,
            Halves::HI => 2..4,
            _ => 0..4,
        }
    }

    /// What a register gets of a word.
    fn parts(&self, word: Value) -> [Option<Part>; 4] {
        let [to, from] = [self.register, self.memory].map(|halves| self.read(halves));
        let mut parts = [None; 4];
        parts[to].copy_from_slice(&word.map(Some)[from]);
        parts
    }

    /// A word with the half of a register in it.
    fn merged(&self, register: Value, mut word: Value) -> Value {
        let [from, to] = [self.register, self.memory].map(|halves| self.read(halves));
        word[to].copy_from_slice(&register[from]);
        word
    }
}

impl Reader<'_> {
    pub(super) fn exchange(&mut self, inst: &Inst<Exch>, out: &mut Execution) {
        match inst.op.row().unit {
            Unit::Load | Unit::Store => {
                inst.memory_access().into_iter().for_each(|access| self.memory(inst, &access, out));
            }
            Unit::Scalar => self.scalar(inst, out),
            Unit::Permute => {
                inst.permutation().into_iter().for_each(|of| self.permute(inst, &of, out));
            }
            Unit::ToFpr => {
                inst.fpr_transfer().into_iter().for_each(|t| self.scalar_to_fpr(&t, out));
            }
            Unit::FromFpr => {
                inst.fpr_transfer().into_iter().for_each(|t| self.fpr_to_scalar(&t, out));
            }
            Unit::Dma => self.external(inst, out),
            // Nothing, or control flow, which is the caller's.
            _ => {}
        }
    }

    fn scalar(&mut self, inst: &Inst<Exch>, out: &mut Execution) {
        if let Some(address) = inst.address() {
            self.address(address, out);
        } else if let Some((to, from)) = inst.moved() {
            self.move_register(to, from, out);
        } else if let Some(n) = inst.cleared_set() {
            let mask = self.machine.core.address_mask();
            out.effects.extend([
                Effect::A(n, WordAddress::default()),
                Effect::N(n, 1),
                Effect::M(n, mask),
            ]);
        } else if let Some((reg, value)) = inst.set_immediate() {
            self.set(reg, Scalar::known(value.into()), out);
        }
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
            RegFile::A => narrow(self.machine.a[n].0),
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
                Effect::A(n, WordAddress((window.0 + (scalar.value % WINDOW) as u16) & mask))
            }
            RegFile::A => Effect::A(n, WordAddress(narrow)),
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
                let section = self.nodes.number(Node::Bits(section.index() as u16));
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
        let machine = self.machine;
        let sources = [from, (self.next)(from)].map(|reg| machine.bypassed(reg, self.nodes));
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

    /// The word that an address names; An steps.
    fn address(&self, address: Address, out: &mut Execution) -> WordAddress {
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

    fn memory(&mut self, inst: &Inst<Exch>, access: &MemoryAccess, out: &mut Execution) {
        let mask = self.mask(inst.op.row().effects);
        let words = u16::from(access.words);
        let at = self.address(access.address, out);
        let address = access.first_word(&self.machine.core, at);
        let moved = self.moved(access, at, out);
        let first = access.register as u32;
        out.address = Some(address);
        let places = (0..words).map(|k| address.plus(k));
        for (reg, word) in [first, (self.next)(first)].into_iter().zip(places) {
            let old = self.machine.word(word, self.nodes);
            if access.is_store {
                self.look(reg as i32, moved.read(moved.register), out);
                let stored = moved.merged(self.fpr(reg as i32), old);
                out.effects.push(Effect::Store(word, self.where_enabled(mask, stored, old)));
            } else {
                out.loaded.extend(&old[moved.read(moved.memory)]);
                let parts = moved.parts(old);
                let change = Change::Fpr { reg, parts, load: true };
                out.changes.push((self.latencies().load, mask, change));
            }
        }
    }

    /// The halves between which an access moves.
    fn moved(&mut self, access: &MemoryAccess, at: WordAddress, out: &mut Execution) -> Moved {
        let gprs = self.machine.gpr;
        let mut asked = None;
        let memory = access.memory_halves(at, |gpr| {
            asked = Some(gprs[usize::from(gpr)].value & 1);
            gprs[usize::from(gpr)].value
        });
        if let Some(bit) = asked {
            self.look_at(bit, out);
        }
        Moved { register: access.half.map_or(Halves::BOTH, |half| half.register), memory }
    }

    fn where_enabled(&mut self, mask: Option<Mask>, new: Value, old: Value) -> Value {
        match mask {
            Some(mask) => [0, 1, 2, 3].map(|k| self.nodes.merged(mask, new[k], old[k])),
            None => new,
        }
    }
}
