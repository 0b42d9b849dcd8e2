//! The exchange operations of linear code.

use super::Sequential;
use cp2_emu::state::Quad;
use cp2_isa::{Exch, Inst, MoveReg, RegFile, SECTIONS, WordAddress, control};

/// Index of immediate addresses among the address sets.
const IMMEDIATE: usize = 16;
/// Index of addresses of single sections.
const OWN: usize = 17;

/// Returns the bits of an address of so many words in the opposite order.
fn reversed(words: i32, x: u16) -> u16 {
    let n = words.ilog2();
    (0..n).fold(0, |bits, k| bits | (x >> k & 1) << (n - 1 - k))
}

/// Returns an address in a memory of so many words after a step of its set in mode `m`.
fn stepped(words: i32, a: u16, step: i32, m: u16) -> u16 {
    let sum = (i32::from(a) + step).rem_euclid(words) as u16;
    match m {
        m if i32::from(m) == words - 1 => sum,
        0 => {
            let size = (step.unsigned_abs() % words as u32) as u16;
            let by = i32::from(reversed(words, size)) * step.signum();
            reversed(words, (i32::from(reversed(words, a)) + by).rem_euclid(words) as u16)
        }
        m => a & !m | sum & m,
    }
}

impl Sequential<'_> {
    pub(super) fn exchange(&mut self, inst: &Inst<Exch>, cc: u8) {
        let v = inst.values;
        match inst.op {
            Exch::Lwi | Exch::Lwo | Exch::Lwnp | Exch::Lwnm => self.load(inst, 1, 0),
            Exch::Ldi | Exch::Ldo | Exch::Ldnp | Exch::Ldnm => self.load(inst, 2, 0),
            Exch::Swi | Exch::Swo | Exch::Swnp | Exch::Swnm => self.store(inst, 1, 0),
            Exch::Sdi | Exch::Sdo | Exch::Sdnp | Exch::Sdnm => self.store(inst, 2, 0),
            Exch::Clwi | Exch::Clwo | Exch::Clwnp | Exch::Clwnm => self.load(inst, 1, cc),
            Exch::Cldi | Exch::Cldo | Exch::Cldnp | Exch::Cldnm => self.load(inst, 2, cc),
            Exch::Cswi | Exch::Cswo | Exch::Cswnp | Exch::Cswnm => self.store(inst, 1, cc),
            Exch::Csdi | Exch::Csdo | Exch::Csdnp | Exch::Csdnm => self.store(inst, 2, cc),
            Exch::Lhi | Exch::Lho | Exch::Lhnp | Exch::Lhnm => self.half(inst, false, v[2]),
            Exch::Shi | Exch::Sho | Exch::Shnp | Exch::Shnm => self.half(inst, true, v[2]),
            Exch::Lhgnp | Exch::Lhgnm => self.half(inst, false, self.bit_of_gpr(v[2])),
            Exch::Shgnp | Exch::Shgnm => self.half(inst, true, self.bit_of_gpr(v[2])),
            Exch::Lh32np | Exch::Lh32nm => self.counted_half(inst, false),
            Exch::Sh32np | Exch::Sh32nm => self.counted_half(inst, true),
            Exch::Updaddr | Exch::Updaddrnp | Exch::Updaddrnm => {
                self.address(inst, v[0]);
            }
            Exch::Lwsa | Exch::Ldsa | Exch::Swsa | Exch::Sdsa => self.own(inst, 0),
            Exch::Mlwsa | Exch::Mldsa | Exch::Mswsa | Exch::Msdsa => self.own(inst, cc),
            Exch::Lwfa => {
                let addresses = self.halves(v[1]);
                self.load_own(v[0], addresses, 0);
            }
            Exch::Psprmsgn0 | Exch::Psprmsgn1 => self.permute(&v, cc),
            Exch::Lqi
            | Exch::Lqo
            | Exch::Lqbi
            | Exch::Lqbo
            | Exch::Sqi
            | Exch::Sqo
            | Exch::Sqsi
            | Exch::Sqso
            | Exch::Setq => self.exchange_shared(inst),
            _ => self.exchange_registers(inst),
        }
    }

    /// Executes accesses of shared memory, and operations on their addresses.
    fn exchange_shared(&mut self, inst: &Inst<Exch>) {
        let v = inst.values;
        match inst.op {
            Exch::Setq => {
                let address = self.state.gpr[v[1] as usize] as u16 % 1024;
                self.state.qa[v[0] as usize] = WordAddress(address);
            }
            Exch::Lqi | Exch::Lqo | Exch::Lqbi | Exch::Lqbo => {
                let step = u16::from(matches!(inst.op, Exch::Lqi | Exch::Lqo));
                let first = self.shared(inst);
                let value = [0, 1, 2, 3].map(|s| {
                    let word = first.wrapping_add(step * s) % 1024;
                    self.state.shared[usize::from(word)]
                });
                *self.slot(v[0]) = value;
            }
            Exch::Sqi | Exch::Sqo => {
                let (first, value) = (self.shared(inst), self.fpr(v[0]));
                for (s, word) in (first..first + 4).map(|word| usize::from(word % 1024)).enumerate()
                {
                    self.state.shared[word] = value[s];
                }
            }
            Exch::Sqsi | Exch::Sqso => {
                let (word, value) = (self.shared(inst), self.fpr(v[0]));
                self.state.shared[usize::from(word)] = value[v[2] as usize];
            }
            _ => {}
        }
    }

    /// Executes moves between registers.
    fn exchange_registers(&mut self, inst: &Inst<Exch>) {
        let v = inst.values;
        match inst.op {
            Exch::Mxfpr => {
                let all = self.fpr(v[1] >> 1).map(|value| (value >> (32 * (v[1] & 1))) as u32);
                self.state.gpr[v[0] as usize] = all.into_iter().max().unwrap_or_default().into();
            }
            Exch::Mtsa => self.write_own(v[0], v[1], |_| true),
            Exch::Setsa => {
                let address = WordAddress(self.state.gpr[v[1] as usize] as u16 & self.last_word());
                self.state.sa[v[0] as usize] = [address; SECTIONS];
            }
            Exch::Mtfpr => {
                let number = v[1] as usize;
                let value = match number {
                    0..16 => self.state.gpr[number],
                    _ => self.state.ireg[number - 16],
                };
                let slot = self.slot(v[0]);
                (0..SECTIONS).filter(|&s| v[2] == 4 || v[2] as usize == s).for_each(|s| {
                    slot[s] = value;
                });
            }
            Exch::Mffpr => {
                let (number, value) = (v[0] as usize, self.fpr(v[1])[v[2] as usize]);
                match number {
                    0..16 => self.state.gpr[number] = value,
                    _ => self.state.ireg[number - 16] = value,
                }
            }
            Exch::Seti => {
                let file = RegFile::from_seti((v[0] >> 4) as u8);
                self.set(MoveReg { file, number: (v[0] & 15) as u8 }, v[1] as u64);
            }
            Exch::Move => {
                if let (Some(to), Some(from)) =
                    (MoveReg::from_packed(v[0]), MoveReg::from_packed(v[1]))
                {
                    let value = self.get(from);
                    self.set(to, value);
                }
            }
            Exch::Clr => {
                let k = v[0] as usize;
                self.state.a[k] = WordAddress(0);
                (self.state.n[k], self.state.m[k]) = (1, self.last_word());
            }
            _ => {}
        }
    }

    fn last_word(&self) -> u16 {
        (self.state.lmem.len() - 1) as u16
    }

    fn get(&self, reg: MoveReg) -> u64 {
        let n = usize::from(reg.number);
        match reg.file {
            RegFile::Gpr => self.state.gpr[n],
            RegFile::Ireg => self.state.ireg[n],
            RegFile::A => self.state.a[n].into(),
            RegFile::N => self.state.n[n].into(),
            RegFile::M => self.state.m[n].into(),
            RegFile::Control => match reg.number {
                control::RIND => self.state.rind.into(),
                control::RSTEP => self.state.rstep.into(),
                control::RMASK => self.state.rmask.into(),
                control::CONTROL => self.state.control,
                _ => 0,
            },
        }
    }

    fn set(&mut self, reg: MoveReg, value: u64) {
        let n = usize::from(reg.number);
        let narrow = value as u16 & self.last_word();
        match reg.file {
            RegFile::Gpr => self.state.gpr[n] = value,
            RegFile::Ireg => self.state.ireg[n] = value,
            RegFile::A => self.state.a[n] = WordAddress(narrow),
            RegFile::N => self.state.n[n] = narrow,
            RegFile::M => self.state.m[n] = narrow,
            RegFile::Control => match reg.number {
                control::RIND => self.state.rind = value as u16,
                control::RSTEP => self.state.rstep = value as u16,
                control::RMASK => self.state.rmask = value as u16,
                control::CONTROL => {
                    // The direction of an FFT, if the core has that extension.
                    let bits = 3 | u64::from(self.has_direction) << 15;
                    self.state.control = self.state.control & !bits | value & bits;
                }
                _ => {}
            },
        }
    }

    /// Returns the address before the step, and which set it is from.
    fn address(&mut self, inst: &Inst<Exch>, operand: i32) -> (u16, usize) {
        // The low bits of the opcode tell the form: immediate, offset, plus Nn, minus Nn.
        let form = match inst.op.row().code {
            code @ 0x48..=0x4f => 2 + (code & 1),
            code @ 0x60..=0x7f => code >> 2 & 3,
            code => code & 3,
        };
        if form == 0 {
            return (operand as u16, IMMEDIATE);
        }
        let k = (operand & 15) as usize;
        let n = i32::from(self.state.n[k]);
        let step = match form {
            1 => operand >> 4,
            2 => n,
            _ => -n,
        };
        let WordAddress(before) = self.state.a[k];
        let after = stepped(i32::from(self.last_word()) + 1, before, step, self.state.m[k]);
        self.state.a[k] = WordAddress(after);
        (before, k)
    }

    /// Returns the words of an access, with the registers that belong to them.
    fn access(&mut self, inst: &Inst<Exch>, n: u16) -> Vec<(usize, i32)> {
        let (address, set) = self.address(inst, inst.values[1]);
        let first = inst.values[0];
        let words: Vec<u16> = if n == 2 { vec![address & !1, address | 1] } else { vec![address] };
        self.words[set].extend(&words);
        let registers = [first, if n == 2 { self.after(first) } else { first }];
        words.into_iter().map(usize::from).zip(registers).collect()
    }

    /// Returns the named half of a register as an address, in every section.
    fn halves(&mut self, packed: i32) -> [u16; SECTIONS] {
        let mask = self.last_word();
        self.fpr(packed >> 1).map(|value| (value >> (32 * (packed & 1))) as u16 & mask)
    }

    /// Writes section addresses from a half of a register, in some sections.
    pub(super) fn write_own(&mut self, set: i32, from: i32, is_written: impl Fn(usize) -> bool) {
        let addresses = self.halves(from);
        for s in (0..SECTIONS).filter(|&s| is_written(s)) {
            self.state.sa[set as usize][s] = WordAddress(addresses[s]);
        }
    }

    /// Returns the word of shared memory that an access begins at; the address of a set steps.
    fn shared(&mut self, inst: &Inst<Exch>) -> u16 {
        let operand = inst.values[1];
        // The lowest bit of the opcode tells the form.
        if inst.op.row().code & 1 == 0 {
            return operand as u16;
        }
        let address = &mut self.state.qa[(operand & 15) as usize];
        let before = address.0;
        *address = WordAddress((i32::from(before) + (operand >> 4)).rem_euclid(1024) as u16);
        before
    }

    fn load_own(&mut self, register: i32, addresses: [u16; SECTIONS], cc: u8) {
        self.words[OWN].extend(addresses);
        let word = |s: usize| self.state.lmem[usize::from(addresses[s])][s];
        let value = std::array::from_fn(|s| if self.enabled(cc, s) { word(s) } else { 0 });
        *self.slot(register) = value;
    }

    /// Executes a load or a store at the section addresses of a set, which then step; in disabled sections 0 is loaded,
    /// nothing stored, and they stay.
    fn own(&mut self, inst: &Inst<Exch>, cc: u8) {
        let [register, operand, ..] = inst.values;
        let (k, step) = ((operand & 15) as usize, operand >> 4);
        let words = i32::from(self.last_word()) + 1;
        let before = self.state.sa[k].map(|address| i32::from(address.0));
        for (s, address) in before.into_iter().enumerate() {
            if self.enabled(cc, s) {
                self.state.sa[k][s] = WordAddress((address + step).rem_euclid(words) as u16);
            }
        }
        let is_double = matches!(inst.op, Exch::Ldsa | Exch::Sdsa | Exch::Mldsa | Exch::Msdsa);
        let members = if is_double { vec![register, self.after(register)] } else { vec![register] };
        for (k, register) in (0..).zip(members) {
            let addresses = before.map(|a| if is_double { a as u16 / 2 * 2 + k } else { a as u16 });
            if matches!(inst.op, Exch::Lwsa | Exch::Ldsa | Exch::Mlwsa | Exch::Mldsa) {
                self.load_own(register, addresses, cc);
                continue;
            }
            self.words[OWN].extend(addresses);
            let value = self.fpr(register);
            for s in (0..SECTIONS).filter(|&s| self.enabled(cc, s)).collect::<Vec<_>>() {
                self.state.lmem[usize::from(addresses[s])][s] = value[s];
            }
        }
    }

    fn load(&mut self, inst: &Inst<Exch>, n: u16, cc: u8) {
        for (word, reg) in self.access(inst, n) {
            for s in (0..SECTIONS).filter(|&s| self.enabled(cc, s)).collect::<Vec<_>>() {
                self.slot(reg)[s] = self.state.lmem[word][s];
            }
        }
    }

    fn store(&mut self, inst: &Inst<Exch>, n: u16, cc: u8) {
        for (word, reg) in self.access(inst, n) {
            let value = self.fpr(reg);
            for s in (0..SECTIONS).filter(|&s| self.enabled(cc, s)).collect::<Vec<_>>() {
                self.state.lmem[word][s] = value[s];
            }
        }
    }

    fn bit_of_gpr(&self, number: i32) -> i32 {
        (self.state.gpr[number as usize] & 1) as i32
    }

    /// Executes a word access to this half of the word that the address names.
    fn half(&mut self, inst: &Inst<Exch>, is_store: bool, in_memory: i32) {
        let (address, set) = self.address(inst, inst.values[1]);
        self.move_half(inst, is_store, (address, set), in_memory);
    }

    /// Executes a word access through an address that counts 32-bit words of one half of local memory.
    fn counted_half(&mut self, inst: &Inst<Exch>, is_store: bool) {
        let (address, set) = self.address(inst, inst.values[1]);
        let middle = if inst.values[2] == 1 { self.last_word() / 2 + 1 } else { 0 };
        self.move_half(inst, is_store, (middle + address / 2, set), (address & 1).into());
    }

    fn move_half(
        &mut self,
        inst: &Inst<Exch>,
        is_store: bool,
        (word, set): (u16, usize),
        in_memory: i32,
    ) {
        self.words[set].push(word);
        let (reg, in_register) = (inst.values[0] >> 1, inst.values[0] & 1);
        let put = |to: &mut u64, half: i32, value: u64, from: i32| {
            let bits = value >> (32 * from) & 0xffff_ffff;
            *to = *to & !(0xffff_ffff << (32 * half)) | bits << (32 * half);
        };
        for s in 0..SECTIONS {
            if is_store {
                let value = self.fpr(reg)[s];
                put(&mut self.state.lmem[usize::from(word)][s], in_memory, value, in_register);
            } else {
                let value = self.state.lmem[usize::from(word)][s];
                put(&mut self.slot(reg)[s], in_register, value, in_memory);
            }
        }
    }

    fn permute(&mut self, v: &[i32], cc: u8) {
        let sources = [self.fpr(v[1]), self.fpr(self.after(v[1]))];
        let selected = |select: i32, s: usize| {
            let word = sources[(select >> 1 & 1) as usize][s] >> (32 * (select & 1)) as u32;
            (word as u32 ^ ((select as u32 >> 2 & 1) << 31)) as u64
        };
        let value = |lo: i32, hi: i32| -> Quad {
            std::array::from_fn(|s| selected(lo, s) | selected(hi, s) << 32)
        };
        let results = [(v[0], value(v[2], v[3])), (self.after(v[0]), value(v[4], v[5]))];
        let enabled: [bool; SECTIONS] = std::array::from_fn(|s| self.enabled(cc, s));
        for (reg, value) in results {
            let slot = self.slot(reg);
            (0..SECTIONS).filter(|&s| enabled[s]).for_each(|s| slot[s] = value[s]);
        }
    }
}
