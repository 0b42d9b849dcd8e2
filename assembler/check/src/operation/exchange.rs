//! The exchange half: moves, addresses, loads and stores, which are followed through.

use super::{Execution, Operand, Reader, WINDOW, Who};
use crate::machine::{Change, Effect, Scalar};
use crate::value::{Mask, Node, Part, Value, ZERO, mix};
use cp2_isa::rules::address::{self, first_word, stepped};
use cp2_isa::{
    Address, Exch, FprTransfer, Halves, Inst, MemoryAccess, MoveReg, Permutation, RegFile,
    SECTIONS, Section, SharedAccess, SharedAddress, Unit, WordAddress, control,
};

/// The halves of a register and of a word in memory between which an access moves.
struct Moved {
    register: Halves,
    memory: Halves,
}

impl Moved {
    /// Returns the parts of these halves.
    fn read(&self, halves: Halves) -> std::ops::Range<usize> {
        match halves {
            Halves::LO => 0..2,
            Halves::HI => 2..4,
            _ => 0..4,
        }
    }

    /// Returns the parts that a register gets of a word.
    fn parts(&self, word: Value) -> [Option<Part>; 4] {
        let [to, from] = [self.register, self.memory].map(|halves| self.read(halves));
        let mut parts = [None; 4];
        parts[to].copy_from_slice(&word.map(Some)[from]);
        parts
    }

    /// Returns a word with the half of a register in it.
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
                inst.shared_access().into_iter().for_each(|access| self.shared(&access, out));
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
                inst.largest().into_iter().for_each(|of| self.largest(of, out));
            }
            Unit::ToAddress => {
                let written = inst.section_addresses().into_iter();
                written.for_each(|written| self.section_addresses(written, None, out));
            }
            Unit::Dma => self.external(inst, out),
            // Nothing, or control flow, which is the caller's.
            _ => {}
        }
    }

    fn scalar(&mut self, inst: &Inst<Exch>, out: &mut Execution) {
        if let (Exch::Setsa, Some(gpr)) = (inst.op, inst.gpr()) {
            let scalar = self.source(MoveReg { file: RegFile::Gpr, number: gpr }, out);
            let window = self.machine.local.own_window;
            let address = if scalar.wild {
                self.within(window, scalar.value)
            } else {
                WordAddress(scalar.value as u16 & self.machine.core.address_mask())
            };
            out.effects.push(Effect::SectionA(inst.values[0] as u8, [address; SECTIONS]));
        } else if let (Exch::Setq, Some(gpr)) = (inst.op, inst.gpr()) {
            let scalar = self.source(MoveReg { file: RegFile::Gpr, number: gpr }, out);
            let address = address::shared_word(scalar.value as i32);
            out.effects.push(Effect::SharedA(inst.values[0] as u8, address));
        } else if let Some(address) = inst.address() {
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

    /// Performs a load from shared memory, or a store to it.
    fn shared(&mut self, access: &SharedAccess, out: &mut Execution) {
        let first = match access.address {
            SharedAddress::Word(word) => word,
            SharedAddress::Set { set, offset } => {
                let before = self.machine.scalars.qa[usize::from(set)];
                let after = address::shared_word(i32::from(before.0) + offset);
                out.effects.push(Effect::SharedA(set, after));
                before
            }
        };
        let place = self.nodes.number(Node::Bits(first.0));
        out.operands.push(Operand { reg: None, part: place });
        let places = access.places(first);
        if access.is_store {
            let value = self.fpr(access.register);
            for section in access.sections().iter() {
                let parts = value.map(|part| self.nodes.of_section(part, section));
                let reg = Some(access.register as u32);
                out.operands.extend(parts.map(|part| Operand { reg, part }));
                out.effects.push(Effect::StoreShared(places[section.index()], parts));
            }
            return;
        }
        let mut value = self.machine.shared_word(places[0], self.nodes);
        for section in Section::ALL.into_iter().skip(1) {
            let there = self.machine.shared_word(places[section.index()], self.nodes);
            let mask = Mask::Section(section);
            value = [0, 1, 2, 3].map(|part| self.nodes.merged(mask, there[part], value[part]));
        }
        out.loaded.extend(value);
        let (reg, parts) = (access.register as u32, value.map(Some));
        out.changes.push((self.latencies().load, None, Change::Fpr { reg, parts, load: true }));
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
            RegFile::Gpr => self.machine.scalars.gpr[n],
            RegFile::Ireg => self.machine.scalars.ireg[n],
            RegFile::A => narrow(self.machine.scalars.a[n].0),
            RegFile::N => narrow(self.machine.scalars.n[n]),
            RegFile::M => narrow(self.machine.scalars.m[n]),
            RegFile::Control if reg.number == control::STATUS => {
                let fpe = self.machine.flags.status;
                let flags = mix(fpe.base, fpe.raised);
                Scalar { value: mix(self.machine.scalars.control[n].value, flags), wild: true }
            }
            RegFile::Control => self.machine.scalars.control[n],
        };
        self.look_at(scalar.value, out);
        self.outside(reg, out);
        scalar
    }

    /// Records what the control processor sees: accesses to COMM, and writes to CONTROL and STATUS.
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
                let window = self.machine.local.windows[usize::from(n)];
                Effect::A(n, self.within(window, scalar.value))
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

    /// Returns a word of a window, chosen by a number that stands for data.
    fn within(&self, window: WordAddress, number: u64) -> WordAddress {
        let mask = self.machine.core.address_mask();
        WordAddress((window.0 + (number % WINDOW) as u16) & mask)
    }

    /// Returns the addresses of the sections in a half of an FPR: known bits, or words of the window.
    fn own_addresses(&mut self, (register, half): (i32, Halves)) -> [WordAddress; SECTIONS] {
        let value = self.fpr(register);
        let low = value[if half == Halves::HI { 2 } else { 0 }];
        Section::ALL.map(|section| match self.nodes.node(self.nodes.in_section(low, section)) {
            Node::Bits(bits) => WordAddress(bits & self.machine.core.address_mask()),
            _ => {
                let part = self.nodes.in_section(low, section);
                self.within(self.machine.local.own_window, mix(part, section.index() as u64))
            }
        })
    }

    /// Sets the section addresses of a set from an FPR, in the sections that the predicate of the operation may enable.
    pub(super) fn section_addresses(
        &mut self,
        (set, register, half): (u8, i32, Halves),
        mask: Option<Mask>,
        out: &mut Execution,
    ) {
        let first = if half == Halves::HI { 2 } else { 0 };
        self.read_parts(register, first..first + 1, out);
        let mut addresses = self.own_addresses((register, half));
        self.where_stepped(mask, self.machine.scalars.sa[usize::from(set)], &mut addresses);
        out.effects.push(Effect::SectionA(set, addresses));
    }

    /// Replaces the new section addresses where a predicate decides which sections step. Which sections those are is data:
    /// each address becomes a word that condition, new and old address decide on.
    fn where_stepped(
        &self,
        mask: Option<Mask>,
        old: [WordAddress; SECTIONS],
        new: &mut [WordAddress; SECTIONS],
    ) {
        let Some(Mask::Condition(part)) = mask else { return };
        for (s, address) in new.iter_mut().enumerate() {
            let both = u64::from(address.0) << 16 | u64::from(old[s].0);
            *address = self.within(self.machine.local.own_window, mix(mix(part, s as u64), both));
        }
    }

    fn scalar_to_fpr(&mut self, transfer: &FprTransfer, out: &mut Execution) {
        let n = usize::from(transfer.scalar.number);
        let scalar = match transfer.scalar.file {
            RegFile::Gpr => self.machine.scalars.gpr[n],
            _ => self.machine.scalars.ireg[n],
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

    /// Sets a GPR to the largest of a half of an FPR.
    fn largest(&mut self, (gpr, register, half): (u8, i32, Halves), out: &mut Execution) {
        /// Behind the numbers of the sections.
        const ALL: u16 = SECTIONS as u16;
        let (first, shift) = if half == Halves::HI { (2, 32) } else { (0, 0) };
        self.read_parts(register, first..first + 2, out);
        let value = self.fpr(register);
        let known = Section::ALL.map(|section| self.nodes.bits(value, section));
        let largest = known
            .into_iter()
            .try_fold(0, |most: u64, bits| bits.map(|bits| most.max(bits >> shift & 0xffff_ffff)));
        let scalar = match largest {
            Some(largest) => Scalar::known(largest),
            None => {
                let all = self.nodes.number(Node::Bits(ALL));
                self.machine.wild(Some(gpr), &[value[first], value[first + 1], all])
            }
        };
        out.effects.push(Effect::Gpr(gpr, scalar));
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

    /// Returns the word that an address names, and steps An.
    fn address(&self, address: Address, out: &mut Execution) -> WordAddress {
        match address {
            Address::Word(word) => word,
            Address::Set { set, step } => {
                let k = usize::from(set);
                let before = self.machine.scalars.a[k];
                let words = address::words(step, self.machine.scalars.n[k]);
                let after = stepped(&self.machine.core, before, words, self.machine.scalars.m[k]);
                out.effects.push(Effect::A(set, after));
                before
            }
            Address::Sections { .. } | Address::Fpr { .. } => WordAddress::default(),
        }
    }

    /// Returns the words of the sections where each has its own address, and steps those of a set; `None` for any other
    /// address.
    fn own(
        &mut self,
        address: Address,
        mask: Option<Mask>,
        out: &mut Execution,
    ) -> Option<[WordAddress; SECTIONS]> {
        match address {
            Address::Sections { set, offset } => {
                let (core, before) = (self.machine.core, self.machine.scalars.sa[usize::from(set)]);
                if offset != 0 {
                    let linear = core.address_mask();
                    let mut after = before.map(|word| stepped(&core, word, offset, linear));
                    self.where_stepped(mask, before, &mut after);
                    out.effects.push(Effect::SectionA(set, after));
                }
                Some(before)
            }
            Address::Fpr { register, half } => {
                let first = if half == Halves::HI { 2 } else { 0 };
                self.read_parts(register, first..first + 1, out);
                Some(self.own_addresses((register, half)))
            }
            Address::Word(_) | Address::Set { .. } => None,
        }
    }

    /// Performs a load or a store of each section at its own address; disabled sections load 0 and store nothing.
    fn own_memory(
        &mut self,
        access: &MemoryAccess,
        own: [WordAddress; SECTIONS],
        mask: Option<Mask>,
        out: &mut Execution,
    ) {
        let words = u16::from(access.words);
        let own = own.map(|word| first_word(word, words));
        (out.address, out.own) = (Some(own[0]), Some(own));
        let first = access.register as u32;
        for (reg, k) in [first, (self.next)(first)].into_iter().zip(0..words) {
            if access.is_store {
                self.read_parts(reg as i32, 0..4, out);
                let value = self.fpr(reg as i32);
                for (section, word) in Section::ALL.into_iter().zip(own) {
                    let old = self.machine.word(word.plus(k), self.nodes);
                    let stored = self.where_enabled(mask, value, old);
                    out.effects.push(Effect::StoreIn(section, word.plus(k), stored));
                }
                continue;
            }
            let mut value = self.machine.word(own[0].plus(k), self.nodes);
            for (section, word) in Section::ALL.into_iter().zip(own).skip(1) {
                let there = self.machine.word(word.plus(k), self.nodes);
                let mask = Mask::Section(section);
                value = [0, 1, 2, 3].map(|part| {
                    let inside = self.nodes.in_section(there[part], section);
                    self.nodes.merged(mask, inside, value[part])
                });
            }
            out.loaded.extend(value);
            let value = self.where_enabled(mask, value, [ZERO; 4]);
            let change = Change::Fpr { reg, parts: value.map(Some), load: true };
            out.changes.push((self.latencies().load, None, change));
        }
    }

    fn memory(&mut self, inst: &Inst<Exch>, access: &MemoryAccess, out: &mut Execution) {
        let mask = self.mask(inst.op.row().effects);
        if let Some(own) = self.own(access.address, mask, out) {
            return self.own_memory(access, own, mask, out);
        }
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
                self.read_parts(reg as i32, moved.read(moved.register), out);
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

    /// Returns the halves between which an access moves.
    fn moved(&mut self, access: &MemoryAccess, at: WordAddress, out: &mut Execution) -> Moved {
        let gprs = self.machine.scalars.gpr;
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
