//! The exchange half of a bundle but for the control flow: local memory, `psprmsgn`, and the
//! transfers between register files. Fields are cut from the word itself.

use super::history::{History, Moment, Write};
use super::machine::{Machine, STAGE_1, STAGE_2};
use super::rules::Rule;
use super::times::Times;
use cp2_isa::SECTIONS;

/// The last word of shared memory, and the bits of its addresses.
const SHARED: u64 = 1023;

/// Returns the opcode of the exchange half; its highest bit stands in front of the bundle.
pub(super) fn exchange_code(word: u64) -> u64 {
    word >> 23 & 0x3f | (word >> 63) << 6
}

fn rn(word: u64) -> usize {
    (word >> 13 & 15) as usize
}

/// Step of an address, by the form that the operation has.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Immediate,
    Offset,
    PlusN,
    MinusN,
}

impl Form {
    fn of(code: u64) -> Self {
        [Self::Immediate, Self::Offset, Self::PlusN, Self::MinusN][(code & 3) as usize]
    }
}

fn reverse(times: &Times, value: u64) -> u64 {
    let n = times.address_bits;
    (0..n).fold(0, |bits, k| bits | (value >> k & 1) << (n - 1 - k))
}

/// Returns the address after a step in mode `m`.
fn stepped(times: &Times, a: u64, step: i64, m: u64) -> u64 {
    let all = times.address;
    match m {
        m if m == all => a.wrapping_add_signed(step) & all,
        0 => {
            let size = reverse(times, step.unsigned_abs() & all);
            let from = reverse(times, a);
            let sum = if step < 0 { from.wrapping_sub(size) } else { from.wrapping_add(size) };
            reverse(times, sum & all)
        }
        m => a & !m & all | a.wrapping_add_signed(step) & m,
    }
}

impl Machine<'_> {
    /// Returns the number of a register: its low bits, and bits 7:6 from `place` in the upper word.
    pub(super) fn register(&self, low: u64, place: u32) -> usize {
        (low | (self.upper >> place & 3) << 6) as usize
    }

    fn ft2(&self, word: u64) -> usize {
        self.register(word >> 17 & 0x3f, 8)
    }

    pub(super) fn exchange(&mut self, word: u64) {
        match exchange_code(word) {
            0x01 => self.move_register(word),
            0x02 => self.clear_address(rn(word)),
            code @ (0x10..=0x13 | 0x50..=0x53) => self.load(word, Form::of(code), 1),
            code @ (0x14..=0x17 | 0x54..=0x57) => self.store(word, Form::of(code), 1),
            code @ (0x18..=0x1b | 0x58..=0x5b) => self.load(word, Form::of(code), 2),
            code @ (0x1c..=0x1f | 0x5c..=0x5f) => self.store(word, Form::of(code), 2),
            0x20 => self.set_immediate(word),
            code @ 0x21..=0x23 => {
                self.address(word, Form::of(code));
            }
            0x2e => self.ask_dma(word),
            0x30 => self.gpr_to_fpr(word),
            0x31 => self.fpr_to_gpr(word),
            // Section addressing (specs/src/extensions/section-addressing.md).
            0x34 | 0x2a => self.load_own(word, 1),
            0x35 | 0x3d => self.store_own(word, 1),
            0x36 | 0x3c => self.load_own(word, 2),
            0x37 | 0x3e => self.store_own(word, 2),
            // The longest of the counts of a loop (specs/src/extensions/section-counters.md).
            0x3f => {
                let half = |s| self.read_fpr(self.ft2(word), s) >> (32 * (word & 1)) & 0xffff_ffff;
                let value = [0, 1, 2, 3].map(half).into_iter().max().unwrap_or_default();
                self.write_gpr(rn(word), value);
            }
            0x38 => {
                let value = self.read(&self.scalars.gpr[(word >> 17 & 15) as usize]);
                (0..SECTIONS).for_each(|s| self.write_own(rn(word), s, value, 1));
            }
            0x39 => {
                for s in 0..SECTIONS {
                    let value = self.read_fpr(self.ft2(word), s) >> (32 * (word & 1));
                    self.write_own(rn(word), s, value, 1);
                }
            }
            0x3a => self.load_at_fpr(word),
            // Shared memory (specs/src/extensions/shared-memory.md).
            0x3b => {
                let value = self.read(&self.scalars.gpr[(word >> 17 & 15) as usize]) & SHARED;
                let write = self.exchange_write(STAGE_1, 0, value);
                self.scalars.qa[rn(word)].push(write);
            }
            code @ 0x40..=0x47 => self.shared_access(word, code),
            0x32 => self.permute(word, 0),
            0x33 => self.permute(word, 32),
            code @ 0x48..=0x4f => self.half_found(word, code),
            code @ 0x60..=0x7f => {
                let address = self.address(word, Form::of(code >> 2));
                self.half(word, code & 0x10 != 0, address, code >> 1 & 1, code & 1);
            }
            _ => {}
        }
    }

    pub(super) fn read(&self, history: &History) -> u64 {
        history.start_of(self.cycle + STAGE_1)
    }

    /// Returns the address of the bundle's access; An steps.
    fn address(&mut self, word: u64, form: Form) -> u16 {
        let k = rn(word);
        let (a, n, m) = (
            self.read(&self.scalars.a[k]),
            self.read(&self.scalars.n[k]),
            self.read(&self.scalars.m[k]),
        );
        let step = match form {
            Form::Immediate => return (word & self.times.immediate) as u16,
            Form::Offset => ((word << 51) as i64) >> 51,
            Form::PlusN => n as i64,
            Form::MinusN => -(n as i64),
        };
        if m != self.times.address {
            self.counted.met.note(if m == 0 { Rule::Reversed } else { Rule::Circular }, true);
        }
        let write = self.exchange_write(STAGE_1, 0, stepped(&self.times, a, step, m));
        self.scalars.a[k].push(write);
        a as u16
    }

    /// Returns the words of an access, lowest first.
    fn access(&mut self, word: u64, form: Form, words: u16) -> std::ops::Range<u16> {
        let address = self.address(word, form);
        let first = if words == 2 { address & !1 } else { address };
        self.count_bank(first);
        first..first + words
    }

    fn count_bank(&mut self, word: u16) {
        let bank = u64::from(word) / self.times.bank_words;
        self.counted.stats.bank_accesses[bank as usize] += 1;
    }

    /// Whether a load or store does something in section `s`: those of the extension obey the predicate.
    fn accesses_memory(&mut self, word: u64, s: usize) -> bool {
        word >> 63 == 0 || self.predicate(word, s)
    }

    /// Executes a word access whose half in memory a register tells: bit 0 of a GPR, or of An, which then counts 32-bit words
    /// from the beginning or the middle of local memory.
    fn half_found(&mut self, word: u64, code: u64) {
        let form = if code & 1 == 0 { Form::PlusN } else { Form::MinusN };
        let an = self.address(word, form);
        let (address, half) = if code < 0x4c {
            let middle = self.times.address.div_ceil(2) * (word & 1);
            (an / 2 + middle as u16, u64::from(an & 1))
        } else {
            (an, self.read(&self.scalars.gpr[(word & 15) as usize]) & 1)
        };
        self.half(word, code & 2 != 0, address, word >> 12 & 1, half);
    }

    /// Executes a word access between these halves of the register and of the word in memory.
    fn half(&mut self, word: u64, is_store: bool, address: u16, in_register: u64, in_memory: u64) {
        const LOW: u64 = 0xffff_ffff;
        self.count_bank(address);
        let register = self.ft2(word);
        for s in 0..SECTIONS {
            let (from, to) =
                if is_store { (in_register, in_memory) } else { (in_memory, in_register) };
            let value = if is_store {
                self.read_fpr(register, s)
            } else {
                let reads = self.cycle + STAGE_2;
                self.memory(address)[s].start_of(reads)
            };
            let put = (value >> (32 * from) & LOW) << (32 * to);
            let keep = !(LOW << (32 * to));
            if is_store {
                let write = self.exchange_write(STAGE_2, keep, put);
                self.memory(address)[s].push(write);
            } else {
                let mut write = self.exchange_write(self.times.load, keep, put);
                write.moment = Moment::Within;
                self.fpr[register][s].push(write);
            }
        }
    }

    fn load(&mut self, word: u64, form: Form, words: u16) {
        let reads = self.cycle + STAGE_2;
        for (register, address) in (self.ft2(word)..).zip(self.access(word, form, words)) {
            for s in 0..SECTIONS {
                if !self.accesses_memory(word, s) {
                    continue;
                }
                let value = self.memory(address)[s].start_of(reads);
                let mut write = self.exchange_write(self.times.load, 0, value);
                write.moment = Moment::Within;
                self.fpr[register][s].push(write);
            }
        }
    }

    fn store(&mut self, word: u64, form: Form, words: u16) {
        for (register, address) in (self.ft2(word)..).zip(self.access(word, form, words)) {
            for s in 0..SECTIONS {
                if !self.accesses_memory(word, s) {
                    continue;
                }
                let value = self.read_fpr(register, s);
                let write = self.exchange_write(STAGE_2, 0, value);
                self.memory(address)[s].push(write);
            }
        }
    }

    /// Writes the address of a section; behind the exchange half if `half` is 2.
    pub(super) fn write_own(&mut self, set: usize, s: usize, value: u64, half: u64) {
        let put = value & self.times.address;
        let write = Write { order: self.order(half), ..self.exchange_write(STAGE_1, 0, put) };
        self.scalars.sa[set][s].push(write);
    }

    /// Returns the sections that an access at addresses of their own is for: the masked forms obey the predicate.
    fn own_sections(&mut self, word: u64) -> [bool; SECTIONS] {
        let is_masked = matches!(exchange_code(word), 0x2a | 0x3c..=0x3e);
        std::array::from_fn(|s| !is_masked || self.predicate(word, s))
    }

    /// Returns the addresses of the sections, which then step by the offset where the access is for them.
    fn own_addresses(&mut self, word: u64, words: u16) -> [u16; SECTIONS] {
        let step = ((word << 51) as i64) >> 51;
        let steps = self.own_sections(word);
        let all = std::array::from_fn(|s| {
            let before = self.read(&self.scalars.sa[rn(word)][s]);
            if steps[s] {
                self.write_own(rn(word), s, before.wrapping_add_signed(step), 1);
            }
            before as u16 & !(words - 1)
        });
        self.count_banks(all);
        all
    }

    /// Counts one access for every bank that some section reaches.
    fn count_banks(&mut self, addresses: [u16; SECTIONS]) {
        let mut banks = addresses.map(|address| u64::from(address) / self.times.bank_words);
        banks.sort_unstable();
        for (k, &bank) in banks.iter().enumerate() {
            if k == 0 || banks[k - 1] != bank {
                self.counted.stats.bank_accesses[bank as usize] += 1;
            }
        }
    }

    fn load_from(&mut self, register: usize, addresses: [u16; SECTIONS], loads: [bool; SECTIONS]) {
        let reads = self.cycle + STAGE_2;
        for (s, address) in addresses.into_iter().enumerate() {
            let value = if loads[s] { self.memory(address)[s].start_of(reads) } else { 0 };
            let mut write = self.exchange_write(self.times.load, 0, value);
            write.moment = Moment::Within;
            self.fpr[register][s].push(write);
        }
    }

    fn load_own(&mut self, word: u64, words: u16) {
        let (first, loads) = (self.own_addresses(word, words), self.own_sections(word));
        for k in 0..words {
            self.load_from(
                self.ft2(word) + usize::from(k),
                first.map(|address| address + k),
                loads,
            );
        }
    }

    fn load_at_fpr(&mut self, word: u64) {
        let (from, half) = (self.register(word >> 11 & 0x3f, 10), word >> 10 & 1);
        let all = self.times.address;
        let addresses =
            std::array::from_fn(|s| (self.read_fpr(from, s) >> (32 * half) & all) as u16);
        self.count_banks(addresses);
        self.load_from(self.ft2(word), addresses, [true; SECTIONS]);
    }

    fn store_own(&mut self, word: u64, words: u16) {
        let (first, stores) = (self.own_addresses(word, words), self.own_sections(word));
        for k in 0..words {
            for (s, address) in first.into_iter().enumerate().filter(|(s, _)| stores[*s]) {
                let value = self.read_fpr(self.ft2(word) + usize::from(k), s);
                let write = self.exchange_write(STAGE_2, 0, value);
                self.memory(address + k)[s].push(write);
            }
        }
    }

    /// Executes a load or a store of shared memory: 1 in bit 0 of the opcode steps an address, bits 2:1 are loads of four
    /// words and of one, stores of four and of one.
    fn shared_access(&mut self, word: u64, code: u64) {
        let first = if code & 1 == 0 {
            word & SHARED
        } else {
            let before = self.read(&self.scalars.qa[rn(word)]);
            let step = ((word << 53) as i64) >> 53;
            let write = self.exchange_write(STAGE_1, 0, before.wrapping_add_signed(step) & SHARED);
            self.scalars.qa[rn(word)].push(write);
            before
        };
        let form = code >> 1 & 3;
        for s in 0..SECTIONS {
            let behind = if form & 1 == 0 { s as u64 } else { 0 };
            let place = ((first + behind) & SHARED) as usize;
            if form < 2 {
                let value = self.shared[place].start_of(self.cycle + STAGE_2);
                let mut write = self.exchange_write(self.times.load, 0, value);
                write.moment = Moment::Within;
                let register = self.ft2(word);
                self.fpr[register][s].push(write);
            } else if form == 2 || word >> 11 & 3 == s as u64 {
                let value = self.read_fpr(self.ft2(word), s);
                let write = self.exchange_write(STAGE_2, 0, value);
                self.shared[place].push(write);
            }
        }
    }

    fn permute(&mut self, word: u64, base: usize) {
        let source = self.ft2(word);
        let destination = self.register(word >> 12 & 0x1f, 10) + base;
        for s in 0..SECTIONS {
            if !self.predicate(word, s) {
                continue;
            }
            let pair = [self.read_permuted(source, s), self.read_permuted(source + 1, s)];
            let select = |k: u64| {
                let number = word >> (2 * k) & 3;
                let half = pair[(number >> 1) as usize] >> (32 * (number & 1)) & 0xffff_ffff;
                half ^ (word >> (8 + k) & 1) << 31
            };
            for (register, k) in [(destination, 0), (destination + 1, 2)] {
                let lands = self.times.permute;
                let write = self.exchange_write(lands, 0, select(k) | select(k + 1) << 32);
                self.fpr[register][s].push(write);
            }
        }
    }

    /// Reads an FPR as stage 1 of `psprmsgn` does: with the bypass from a load that lands in the cycle.
    fn read_permuted(&mut self, number: usize, s: usize) -> u64 {
        let without = self.read_fpr(number, s);
        let history = &self.fpr[number][s];
        let value = history.within(self.cycle + STAGE_1);
        self.counted.met.note(Rule::LoadBypass, value != without);
        let replaced = history.is_replaced_at_end_of(self.cycle + STAGE_1);
        self.counted.met.note(Rule::LostLoadPermuted, replaced);
        value
    }

    fn gpr_to_fpr(&mut self, word: u64) {
        let value = if word >> 3 & 1 == 1 {
            self.read(&self.scalars.ireg[rn(word)])
        } else {
            self.read(&self.scalars.gpr[rn(word)])
        };
        let section = (word & 7) as usize;
        let write = self.exchange_write(self.times.to_fpr, 0, value);
        for s in (0..SECTIONS).filter(|&s| section == 4 || section == s) {
            let register = self.ft2(word);
            self.fpr[register][s].push(write);
        }
    }

    fn fpr_to_gpr(&mut self, word: u64) {
        let value = self.read_fpr(self.ft2(word), (word & 7) as usize);
        let write = self.exchange_write(STAGE_1, 0, value);
        if word >> 3 & 1 == 1 {
            self.scalars.ireg[rn(word)].push(write);
        } else {
            self.scalars.gpr[rn(word)].push(write);
        }
    }

    fn write_gpr(&mut self, number: usize, value: u64) {
        let write = self.exchange_write(STAGE_1, 0, value);
        self.scalars.gpr[number].push(write);
    }

    /// Executes `check_dma`: no channel is there.
    fn ask_dma(&mut self, word: u64) {
        self.counted.met.note(Rule::DmaAsked, true);
        self.write_gpr((word >> 17 & 15) as usize, 0);
    }

    fn clear_address(&mut self, k: usize) {
        self.scalars.a[k].push(self.exchange_write(STAGE_1, 0, 0));
        self.scalars.n[k].push(self.exchange_write(STAGE_1, 0, 1));
        self.scalars.m[k].push(self.exchange_write(STAGE_1, 0, self.times.address));
    }

    fn set_immediate(&mut self, word: u64) {
        let k = (word >> 17 & 15) as usize;
        let value = word & 0xffff;
        let write = self.exchange_write(STAGE_1, 0, value & self.times.address);
        match word >> 21 & 3 {
            0 => self.write_gpr(k, value),
            1 => self.scalars.a[k].push(write),
            2 => self.scalars.n[k].push(write),
            _ => self.scalars.m[k].push(write),
        }
    }

    fn move_register(&mut self, word: u64) {
        let source = word >> 13 & 15;
        let k = source as usize;
        let value = match word & 7 {
            0 => self.read(&self.scalars.gpr[k]),
            2 => self.read_control(source),
            3 => self.read(&self.scalars.a[k]),
            4 => self.read(&self.scalars.n[k]),
            5 => self.read(&self.scalars.m[k]),
            _ => self.read(&self.scalars.ireg[k]),
        };
        let destination = word >> 17 & 15;
        let k = destination as usize;
        let write = self.exchange_write(STAGE_1, 0, value & self.times.address);
        match word >> 3 & 7 {
            0 => self.write_gpr(k, value),
            2 => self.write_control(destination, value),
            3 => self.scalars.a[k].push(write),
            4 => self.scalars.n[k].push(write),
            5 => self.scalars.m[k].push(write),
            _ => self.scalars.ireg[k].push(self.exchange_write(STAGE_1, 0, value)),
        }
    }
}
