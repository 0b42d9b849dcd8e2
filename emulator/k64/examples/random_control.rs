//! Commands for the monitor (`tests/monitor/monitor.c`) at random: `random_control SEED RUNS`. Each run is code of a few
//! instructions that change coprocessor 0 and the TLB, access memory, and end with an exception; between runs entries of
//! the TLB are written and searched, and the timer runs out.
//!
//! What the architecture leaves open is not asked for: two entries that have one address, a write of an entry that is
//! not there, a jump into data, a conditional store to another address than the load was from, operations of 32 bits on
//! longer values, addresses of more than 32 bits where the mode has none. Neither is what qemu does in another way than
//! the architecture: it has no coprocessor 2, looks for the page of an instruction before it looks whether the address is
//! a multiple of 4, and lets user mode move 64 bits from and to coprocessors without Status.UX.

use std::fmt::Write as _;

struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 3 ^ self.0
    }
    fn below(&mut self, n: u64) -> u64 {
        (self.bits() >> 20) % n
    }
    fn is_one_of(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
    fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u64) as usize]
    }
}

/// Number of entries of the TLB that are written at random, each at an address of its own.
const SLOTS: u64 = 40;
/// Entry and address of the page of user code.
const USER: (u64, u64) = (40, 0x7e00_0000);
/// Physical address of the code.
const CODE: u64 = 0x00f0_0000;
/// First physical address of data, 16 MiB of which are used, and as many behind them by large pages.
const DATA: u64 = 0x0100_0000;
/// Address that no entry has.
const NOWHERE: u64 = 0x7800_0000;
const UNCACHED: u64 = 0xffff_ffff_a000_0000;
/// Sizes of pages, as in PageMask.
const MASKS: [u64; 7] = [0, 0x6000, 0x1e000, 0x7e000, 0x1f_e000, 0x7f_e000, 0x1ff_e000];
const ADDRESS_SPACES: u64 = 4;
/// Registers that loads and moves write; the others have the values that the code wants.
const TARGETS: [u32; 6] = [2, 3, 24, 25, 28, 30];

/// Returns the address of an entry; two entries are 64 MiB apart at least.
fn slot(index: u64) -> u64 {
    const STEP: u64 = 64 << 20;
    match index {
        0..16 => STEP * (index + 1),
        16..22 => 0x1_0000_0000 + STEP * index,
        22..28 => 0x4000_0000_0000_0000 + STEP * index,
        28..34 => 0xc000_0000_0000_0000 + STEP * index,
        34..37 => 0xffff_ffff_c000_0000 + STEP * (index - 34),
        _ => 0xffff_ffff_e000_0000 + STEP * (index - 37),
    }
}

/// Numbers of registers of coprocessor 0.
mod cp0 {
    pub(super) const INDEX: u64 = 0;
    pub(super) const LOW: [u64; 2] = [2, 3];
    pub(super) const CONTEXT: u64 = 4;
    pub(super) const MASK: u64 = 5;
    pub(super) const WIRED: u64 = 6;
    pub(super) const BAD: u64 = 8;
    pub(super) const HIGH: u64 = 10;
    pub(super) const STATUS: u64 = 12;
    pub(super) const CAUSE: u64 = 13;
    pub(super) const EPC: u64 = 14;
    pub(super) const XCONTEXT: u64 = 20;
    pub(super) const ERROR_EPC: u64 = 30;
}

/// Code of a run, with the values of registers that it wants.
struct Code<'a> {
    random: &'a mut Random,
    words: Vec<u32>,
    /// Address at which the code will run.
    base: u64,
    values: Vec<(u32, u64)>,
    /// Whether the mode has addresses and operations of 32 bits alone.
    is_narrow: bool,
}

impl Code<'_> {
    /// Returns a register that has a value when the code begins.
    fn value(&mut self, value: u64) -> u32 {
        let register = 4 + self.values.len() as u32;
        self.values.push((register, value));
        register
    }

    /// Returns the address of the instruction that is so many behind the next.
    fn here(&self, ahead: u64) -> u64 {
        self.base + 4 * (self.words.len() as u64 + ahead)
    }

    /// Writes a register of coprocessor 0, as a doubleword or, where that is the same, as a word.
    fn write(&mut self, register: u64, value: u64) {
        let from = self.value(value);
        let is_word = value == value as i32 as u64 && self.random.is_one_of(2);
        let function = if is_word { 4 } else { 5 };
        self.words.push(0x4000_0000 | function << 21 | from << 16 | (register as u32) << 11);
    }

    /// Lets what was written take effect (`ehb`).
    fn settle(&mut self) {
        self.words.push(0xc0);
    }

    fn address(&mut self) -> u64 {
        let near = [0, 0, 8, 0x10, 0xff8, 0x1000, 0x1ff8, 0x2000, 0x4000, 0x1_0000, 0x10_0000];
        let offset = self.random.of(&near) + self.random.of(&[0, 0, 0, 0, 0, 0, 1, 2, 4, 7]);
        let index = self.random.below(SLOTS);
        match self.random.below(12) {
            0 => 0xffff_ffff_8000_0000 + DATA + offset,
            1 => UNCACHED + DATA + offset,
            2 => self.random.of(&[0x9000_0000_0000_0000, 0x9800_0000_0000_0000]) + DATA + offset,
            3 => {
                self.random.of(&[
                    0x100_0000_0000,
                    0xc000_0100_0000_0000,
                    0x4000_0100_0000_0000,
                    0x8000_0000,
                    0xffff_ffff_7f00_0000,
                    0x3fff_ffff_ffff_0000,
                    NOWHERE,
                ]) + offset
            }
            _ => slot(index) + offset,
        }
    }

    /// Loads or stores, at an address that may or may not allow it.
    fn access(&mut self) -> u32 {
        // lb, lh, lwl, lw, lbu, lhu, lwr, lwu, sb, sh, swl, sw, sdl, sdr, swr, ld, sd, ldl, ldr, ll, lld, lwc1, sdc1.
        let codes = [
            32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 55, 63, 26, 27, 48, 52, 49,
            61,
        ];
        let code: u32 = self.random.of(&codes);
        let address = self.address();
        let address = if self.is_narrow { address as i32 as u64 } else { address };
        let displacement = self.random.of(&[0u16, 0, 8, 0xfff8, 1]);
        let base = self.value(address.wrapping_sub(displacement as i16 as u64));
        let target = self.random.of(&TARGETS);
        code << 26 | base << 21 | target << 16 | u32::from(displacement)
    }

    /// Raises an exception in most cases, by itself.
    fn trap(&mut self) -> u32 {
        let kind = self.random.below(14);
        // Operations of 32 bits are for words.
        let large: u64 = self.random.of(&[0x7fff_ffff, i64::MAX as u64, 1, u64::MAX, 1 << 63]);
        let is_word = matches!(kind, 6 | 7 | 10);
        let large = if is_word { large as i32 as u64 } else { large };
        let (a, b) = (self.value(large), self.value(large));
        let ab = a << 21 | b << 16;
        let code = (self.random.bits() as u32 & 0x3ff) << 6;
        match kind {
            0 => 0x0c | code,
            1 => 0x0d | code,
            2 => 0xec00_0000,
            3 => 0x34 | ab | code,
            4 => 0x30 | ab | code,
            5 => 0x36 | ab | code,
            // add, sub, dadd, dsub, addi, daddi
            6 => 0x20 | ab | 3 << 11,
            7 => 0x22 | ab | 3 << 11,
            8 => 0x2c | ab | 3 << 11,
            9 => 0x2e | ab | 3 << 11,
            10 => 8 << 26 | ab | 0x7fff,
            11 => 24 << 26 | ab | 1,
            // dmtc1, lwc2
            12 => 0x44a0_0000 | a << 16 | 2 << 11,
            _ => 50 << 26 | a << 21 | 1 << 16,
        }
    }

    /// Computes with 64 bits, which user mode may not everywhere.
    fn wide(&mut self) -> u32 {
        let (a, b) = (self.value(0x1_0000), self.value(3));
        // daddu, dsll, dmult, daddiu
        let ab = a << 21 | b << 16;
        self.random.of(&[
            0x2d | ab | 3 << 11,
            0x38 | b << 16 | 3 << 11,
            0x1c | ab,
            25 << 26 | ab | 5,
        ])
    }

    /// Returns a value of Status; interrupts of the board's devices stay masked.
    fn status(&mut self) -> u64 {
        let bits =
            [1 << 28, 1 << 29, 1 << 29, 0xe0, 0xe0, 0xe0, 0x80, 0x40, 0x20, 0x100, 0x200, 0x8000];
        let mut status = 0x0400_0000;
        for bit in bits {
            status |= if self.random.is_one_of(2) { bit } else { 0 };
        }
        status | self.random.of(&[0, 0, 0, 0, 0x10, 0x10, 8]) | self.random.of(&[0, 0, 1])
    }

    fn low(&mut self) -> u64 {
        let frame = (DATA >> 12) + self.random.below(64) * self.random.of(&[1, 1, 0x40]);
        let rights = self.random.of(&[7, 7, 6, 6, 6, 3, 2, 0]);
        frame << 6 | self.random.of(&[2, 3, 3]) << 3 | rights
    }

    fn entry(&mut self) -> [u64; 5] {
        let index = self.random.below(SLOTS);
        let mask = self.random.of(&MASKS);
        let (low0, low1) = (self.low(), self.low());
        [index, mask, slot(index) | self.random.below(ADDRESS_SPACES), low0, low1]
    }

    /// Writes, reads or searches an entry of the TLB.
    fn tlb(&mut self) {
        let [index, mask, high, low0, low1] = self.entry();
        let operation = self.random.of(&[1, 2, 8]);
        self.write(cp0::HIGH, high);
        if operation != 8 {
            self.write(cp0::INDEX, index);
        }
        if operation == 2 {
            self.write(cp0::MASK, mask);
            self.write(cp0::LOW[0], low0);
            self.write(cp0::LOW[1], low1);
        }
        self.settle();
        self.words.push(0x4200_0000 | operation);
        self.settle();
    }

    /// Writes a register of coprocessor 0.
    fn control(&mut self) {
        let any = self.random.bits();
        let (register, value) = match self.random.below(9) {
            0 => (cp0::STATUS, self.status() | self.random.of(&[0, 0, 2])),
            1 => (cp0::CAUSE, self.random.of(&[0x100, 0x200, 0x300, 0x80_0000, 0x80_0100, 0])),
            2 => (cp0::EPC, any),
            3 => (cp0::ERROR_EPC, any),
            4 => (cp0::CONTEXT, any),
            5 => (cp0::XCONTEXT, any),
            6 => (cp0::WIRED, self.random.below(48)),
            7 => (cp0::INDEX, self.random.below(SLOTS)),
            _ => {
                let index = self.random.below(SLOTS);
                (cp0::HIGH, slot(index) | self.random.below(ADDRESS_SPACES))
            }
        };
        self.write(register, value);
        self.settle();
    }

    /// Reads a register of coprocessor 0 whose value is known.
    fn read(&mut self) -> u32 {
        let known = [cp0::STATUS, cp0::EPC, cp0::ERROR_EPC, cp0::BAD, cp0::WIRED];
        let register = self.random.of(&known) as u32;
        let target = self.random.of(&TARGETS);
        0x4000_0000 | self.random.of(&[0, 1]) << 21 | target << 16 | register << 11
    }

    /// Returns from an exception, to the code behind or to where none is, at times within an atomic sequence.
    fn eret(&mut self) {
        let linked = self.value(UNCACHED + DATA);
        let new = self.value(5);
        let is_wide = self.random.below(2) as u32;
        let is_sequence = self.random.is_one_of(3);
        if is_sequence {
            self.words.push((48 + 4 * is_wide) << 26 | linked << 21 | 3 << 16);
        }
        if !is_sequence || self.random.is_one_of(2) {
            // At error level code of user addresses is elsewhere.
            let is_error = self.base != USER.1 && self.random.is_one_of(3);
            let register = if is_error { cp0::ERROR_EPC } else { cp0::EPC };
            if register == cp0::ERROR_EPC {
                let status = self.status() & !0x19 | 4;
                self.write(cp0::STATUS, status);
            }
            let behind = self.here(3);
            let to = self.random.of(&[behind, behind, behind, NOWHERE, behind + 2, 0x8000_0000]);
            self.write(register, to);
            self.settle();
            self.words.push(0x4200_0018);
        }
        if is_sequence {
            self.words.push((56 + 4 * is_wide) << 26 | linked << 21 | new << 16);
        }
    }

    /// Branches over nothing, with an instruction in the delay slot that may raise an exception; or jumps to nowhere.
    fn branch(&mut self) {
        let zero = self.value(0);
        let condition: u32 = self.random.of(&[4, 5, 20, 21]);
        let first = match self.random.below(6) {
            0 => {
                let nowhere = self.random.of(&[NOWHERE, 0x8000_0000, 0xffff_ffff_d800_0000]);
                self.value(nowhere) << 21 | 8
            }
            // bgezal, which links.
            1 => 0x0411_0001 | zero << 21,
            _ => condition << 26 | zero << 21 | 1,
        };
        self.words.push(first);
        let slot = match self.random.below(4) {
            0 => self.trap(),
            1 => self.read(),
            _ => self.access(),
        };
        self.words.push(slot);
    }

    fn fragment(&mut self) {
        let word = match self.random.below(16) {
            0..=5 => self.access(),
            6 => self.trap(),
            7 => self.wide(),
            8 => self.read(),
            9 | 10 => return self.branch(),
            11 => return self.eret(),
            12 | 13 => return self.control(),
            _ => return self.tlb(),
        };
        self.words.push(word);
    }
}

/// Returns the commands of a run of code.
fn run(random: &mut Random) -> String {
    let is_user = random.is_one_of(3);
    let bases = [0xffff_ffff_8000_0000, UNCACHED, 0x9800_0000_0000_0000];
    let base = if is_user { USER.1 } else { random.of(&bases) + CODE };
    let is_narrow = is_user && random.is_one_of(3);
    let mut code = Code { random, words: Vec::new(), base, values: Vec::new(), is_narrow };
    let status = match is_user {
        // Without 64 bits, with neither coprocessor 0 nor 1 either.
        true if code.is_narrow => code.status() & !0x3000_0038 | 0x10,
        true => code.status() & !0x18 | 0x30,
        false if code.random.is_one_of(30) => code.status(),
        false => code.status() & !0x18 | 0x80,
    };
    for _ in 0..=code.random.below(5) {
        // A fragment takes seven registers at most.
        if code.values.len() <= 20 - 7 {
            code.fragment();
        }
    }
    let (words, values) = (code.words, code.values);
    let mut text = String::new();
    for (register, value) in values {
        let _ = writeln!(text, "r {register:x} {value:x}");
    }
    let _ = write!(text, "w {:x}", UNCACHED + CODE);
    for word in words.iter().chain(&[0xd, 0xd, 0xd]) {
        let _ = write!(text, " {word:x}");
    }
    let _ = writeln!(text, "\ng {base:x} {status:x}");
    text
}

/// Returns the command that lets the timer run out.
fn timer(random: &mut Random) -> String {
    let delay = random.of(&[0x200, 0x400, 0x1000]);
    let status = 0x2400_0080 | random.of(&[0x8001, 0x8001, 0x8001, 0x8000, 1]);
    let cause = random.of(&[0, 0x80_0000]);
    format!("i {delay:x} {status:x} {cause:x} {:x}\n", random.below(2))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let seed = arguments.next().ok_or("no seed")??;
    let runs = arguments.next().ok_or("no number of runs")??;
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let (index, at) = USER;
    println!("e {index:x} 0 {at:x} {:x} {:x}", (CODE >> 6) | 0x1b, (CODE >> 6) | 0x1b);
    for _ in 0..runs {
        let random = &mut random;
        let any = random.bits();
        print!("{}", run(random));
        let (words, values) = (Vec::new(), Vec::new());
        let mut code = Code { random, words, base: 0, values, is_narrow: false };
        let [index, mask, high, low0, low1] = code.entry();
        match random.below(8) {
            0 | 1 => println!("e {index:x} {mask:x} {high:x} {low0:x} {low1:x}"),
            2 => println!("t {index:x}"),
            3 => println!("p {high:x}"),
            4 if random.is_one_of(6) => print!("{}", timer(random)),
            4 if random.is_one_of(2) => {
                let high = NOWHERE & 0xffff_ffff_fc00_0000 | high & 0xff;
                println!("z {mask:x} {high:x} {low0:x} {low1:x} {:x}", any % 48);
            }
            4 => println!("c {:x} {any:x}", random.of(&[2, 3, 4, 10, 14, 20, 30])),
            _ => {}
        }
    }
    println!("q");
    Ok(())
}
