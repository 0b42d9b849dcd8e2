//! Model of what descriptors do (those of 32-bit words in `model_words.rs`), from their words on: where the n-th step of a
//! walk lies is a formula of n, and one descriptor follows the other. No counters of the channel, no time, and no code of the
//! controller, not even to take the words apart.

use crate::kit::{Bench, TABLE};
use cp2_emu::dma::{Descriptor, MemoryWalk};
use cp2_isa::MemoryAddress;
use std::ops::Range;

/// Returns bits `high` to `low` of a word.
pub(crate) fn field(word: u64, high: u32, low: u32) -> u64 {
    (0..=high - low).map(|k| (word >> (low + k) & 1) << k).sum()
}

/// Returns a number of so many bits with its sign.
pub(crate) fn signed(value: u64, width: u32) -> i64 {
    let value = value as i64;
    if value >> (width - 1) & 1 == 1 { value - (1 << width) } else { value }
}

/// Returns a half-register: half-register 2k is the upper half of index register k, 2k + 1 the lower one.
pub(crate) fn half(ireg: &[u64; 16], number: u64) -> u64 {
    let register = ireg[number as usize / 2];
    if number.is_multiple_of(2) { register / (1 << 32) } else { register % (1 << 32) }
}

/// Mirrors the low 13 bits: bit i goes to bit 13 - i.
fn mirrored(value: i64) -> i64 {
    (0..13).filter(|i| value >> i & 1 == 1).map(|i| 1 << (13 - i)).sum()
}

/// A beat of memory that the channel asks for, and which of its two words it moves.
struct Access {
    address: u64,
    words: Range<usize>,
}

/// A walk through memory.
struct Region {
    base: i64,
    steps: [i64; 2],
    /// Beats of a burst, bursts of a row, rows.
    counts: [u64; 3],
}

impl Region {
    fn of(w: &[u64], ireg: &[u64; 16]) -> Self {
        let index = if field(w[1], 39, 39) == 1 { 0 } else { half(ireg, field(w[1], 38, 34)) };
        let y = field(w[1], 11, 0) << 10 | field(w[2], 43, 34);
        Self {
            base: field(w[0], 31, 0) as i64 + (index / 4 * 4) as i64,
            steps: [field(w[1], 63, 42), y].map(|step| 4 * signed(step, 22)),
            counts: [field(w[0], 46, 41), field(w[1], 31, 12), field(w[2], 63, 44)],
        }
    }

    fn at(&self, b: u64, x: u64, y: u64) -> u64 {
        let [b, x, y] = [b, x, y].map(|n| n as i64);
        (self.base + 16 * b + self.steps[0] * x + self.steps[1] * y).rem_euclid(1 << 32) as u64
    }

    /// Returns all accesses, in order.
    fn accesses(&self, single_words: bool) -> Vec<Access> {
        let [burst, nx, ny] = self.counts;
        if single_words && self.counts.contains(&0) {
            return self.words_apart();
        }
        let whole = |address| Access { address, words: 0..2 };
        if ny == 0 {
            return vec![whole(self.at(0, 0, 0))];
        }
        let burst = burst.max(1);
        if nx == 0 {
            return (0..ny).map(|k| whole(self.at(k % burst, 0, k))).collect();
        }
        let mut all = Vec::new();
        for y in 0..ny {
            for x in 0..nx {
                all.extend((0..burst).map(|b| whole(self.at(b, x, y))));
            }
        }
        all
    }

    /// Returns the accesses of single words if a count is 0: after every word the walk goes to another row or burst.
    fn words_apart(&self) -> Vec<Access> {
        let [burst, nx, ny] = self.counts;
        let n = match (nx, ny) {
            (_, 0) => 1,
            (0, _) => ny,
            _ => nx * ny,
        };
        let one = |k: u64| {
            let b = if burst == 0 { 0 } else { k / 2 % burst };
            let (x, y) = if nx == 0 { (0, k) } else { (k % nx, k / nx) };
            let word = k as usize % 2;
            Access { address: self.at(b, x, y), words: word..word + 1 }
        };
        (0..n).map(one).collect()
    }
}

/// Returns the addresses of all beats of a walk, in order.
pub(crate) fn addresses(walk: &MemoryWalk, ireg: &[u64; 16]) -> Vec<u64> {
    let words = Descriptor::copy(*walk, *walk).encode().expect("fields that fit");
    Region::of(&words, ireg).accesses(false).iter().map(|a| a.address).collect()
}

/// A walk through local memory.
struct Local {
    base: i64,
    steps: [i64; 2],
    /// Columns and rows.
    counts: [u64; 2],
    mirrored: [bool; 2],
}

impl Local {
    fn of(w: &[u64; 8], single_words: bool, ireg: &[u64; 16]) -> Self {
        let even = |v: u64| if single_words { v } else { v / 2 * 2 } as i64;
        let index = if field(w[3], 13, 13) == 1 { 0 } else { half(ireg, field(w[3], 12, 8)) };
        Self {
            base: even((field(w[2], 31, 16) + index) % 65536),
            steps: [even(field(w[2], 15, 0)), even(field(w[3], 47, 32))],
            counts: [field(w[3], 63, 48), field(w[3], 31, 16)],
            mirrored: [field(w[3], 15, 15) == 1, field(w[3], 14, 14) == 1],
        }
    }

    fn word(&self, [x, y]: [u64; 2]) -> usize {
        let term = |k: usize, n: u64| {
            let plain = self.steps[k] * n as i64;
            if self.mirrored[k] { mirrored(plain) } else { plain }
        };
        (self.base + term(0, x) + term(1, y)).rem_euclid(8192) as usize
    }

    fn columns_and_rows(&self) -> [u64; 2] {
        self.counts.map(|n| n.max(1))
    }

    /// Returns the word of step k of a GET.
    fn target(&self, k: u64) -> usize {
        let [columns, rows] = self.columns_and_rows();
        self.word([k % columns, k / columns % rows])
    }

    /// Returns section, word and "last of its row" of beat k of a PUT.
    fn source(&self, flow: u64, k: u64) -> (usize, usize, bool) {
        let [columns, rows] = self.columns_and_rows();
        let [nx, ny] = self.counts;
        let (section, place) = match flow.min(4) {
            0 if ny == 0 => (k, [k % columns, 0]),
            0 => {
                let walk = columns * rows;
                (k / walk, [k % walk % columns, k % walk / columns])
            }
            f => {
                // With no column a row goes by with every beat, of whichever section.
                let steps_of_a_round = if nx == 0 { 4 * f } else { f };
                let n = k / (4 * f) * steps_of_a_round + k % f;
                (k / f, [n % columns, n / columns % rows])
            }
        };
        ((section % 4) as usize, self.word(place), nx > 0 && place[0] == nx - 1)
    }
}

/// Returns the m-th number that the pattern of a word names.
pub(crate) fn number(pattern: u64, m: u64) -> u64 {
    let run = field(pattern, 31, 16).max(1);
    let [base, inner, outer] = [(63, 48), (47, 32), (15, 0)].map(|(h, l)| field(pattern, h, l));
    (base + inner * (m % run) + outer * (m / run)) % 65536
}

/// An access that is refused.
pub(crate) struct Refused;

/// End of a chain of descriptors, as the host sees it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) curdsc: u32,
    pub(crate) causes: u32,
    pub(crate) ctrl: u32,
    pub(crate) n_descriptors: u64,
    /// Bytes of accesses to memory for data: get, put.
    pub(crate) bytes: [u64; 2],
}

/// A chain of descriptors in the memory of a bench, whose own channel stays still.
pub(crate) struct Chain<'a> {
    pub(crate) bench: &'a mut Bench,
    /// ADDRLIM, if it is checked.
    pub(crate) limit: Option<u32>,
    /// Number of the first descriptor.
    pub(crate) first: u32,
    /// CTRL behind the start.
    pub(crate) ctrl: u32,
    /// Number, in the order of execution, of the descriptor during which the stop bit of CTRL is set.
    pub(crate) stop_at: u64,
}

impl Chain<'_> {
    pub(crate) fn check(&self, address: u64, bytes: u64) -> Result<(), Refused> {
        let is_refused = self.limit.is_some_and(|limit| address >= limit.into());
        if is_refused || address + bytes > self.bench.memory.size().0 {
            return Err(Refused);
        }
        Ok(())
    }

    fn fetch(&self, number: u32) -> Result<[u64; 8], Refused> {
        let address = TABLE.wrapping_add(number.wrapping_mul(64));
        for beat in 0..4 {
            self.check(address.wrapping_add(16 * beat).into(), 16)?;
        }
        let word =
            |k: usize| self.bench.memory.word(MemoryAddress(u64::from(address) + 8 * k as u64));
        Ok(std::array::from_fn(|k| word(k).expect("an address in memory")))
    }

    fn get(&mut self, w: &[u64; 8], bytes: &mut u64) -> Result<(), Refused> {
        let single_words = field(w[0], 32, 32) == 1;
        let words_of_a_step = if single_words { 1 } else { 2 };
        let local = Local::of(w, single_words, &self.bench.ireg);
        let (mut steps, mut taken) = (0, [0; 4]);
        for Access { address, words } in Region::of(w, &self.bench.ireg).accesses(single_words) {
            self.check(address, 16)?;
            *bytes += 16;
            let moves = if single_words { words.map(|k| k..k + 1).collect() } else { vec![words] };
            for words in moves {
                let is_named = |s: usize, m| number(w[4 + s], m) == words_of_a_step * steps % 65536;
                let at = local.target(steps);
                for s in (0..4).filter(|&s| is_named(s, taken[s])).collect::<Vec<_>>() {
                    for (to, word) in words.clone().enumerate() {
                        let from = address + 8 * word as u64;
                        self.bench.lmem[at + to][s] =
                            self.bench.memory.word(MemoryAddress(from)).expect("memory");
                    }
                    taken[s] += 1;
                }
                steps += 1;
            }
        }
        Ok(())
    }

    fn put(&mut self, w: &[u64; 8], bytes: &mut u64) -> Result<(), Refused> {
        let local = Local::of(w, false, &self.bench.ireg);
        let region = Region::of(w, &self.bench.ireg);
        for (k, Access { address, .. }) in (0..).zip(region.accesses(false)) {
            self.check(address, 16)?;
            *bytes += 16;
            let (section, at, ends_row) = local.source(field(w[0], 39, 32), k);
            let mask = if ends_row { field(w[4], 59, 56) } else { field(w[4], 63, 60) };
            for part in (0..4).filter(|k| mask >> k & 1 == 0) {
                let word = self.bench.lmem[at + part / 2][section].to_be_bytes();
                let piece = &word[4 * (part % 2)..][..4];
                self.bench
                    .memory
                    .write(MemoryAddress(address + 4 * part as u64), piece)
                    .expect("memory");
            }
        }
        Ok(())
    }

    /// Runs the chain to its end; `wait` is called in place of every wait for `start_dma`.
    pub(crate) fn run(self, mut wait: impl FnMut(&mut Bench)) -> End {
        let mut chain = self;
        let (curdsc, causes, ctrl, n_descriptors) = (chain.first, 0, chain.ctrl, 0);
        let mut end = End { curdsc, causes, ctrl, n_descriptors, bytes: [0; 2] };
        loop {
            match chain.descriptor(&mut end, &mut wait) {
                Ok(true) => {}
                Ok(false) => return end,
                Err(Refused) => {
                    end.causes |= 1;
                    return end;
                }
            }
        }
    }

    /// Executes one descriptor; returns whether another follows.
    fn descriptor(
        &mut self,
        end: &mut End,
        wait: &mut impl FnMut(&mut Bench),
    ) -> Result<bool, Refused> {
        let w = self.fetch(end.curdsc)?;
        end.n_descriptors += 1;
        let is_set = |bit| field(w[0], bit, bit) == 1;
        if !is_set(63) {
            return Ok(false);
        }
        if end.n_descriptors == self.stop_at {
            end.ctrl = 2;
        }
        if is_set(60) {
            wait(self.bench);
        }
        match field(w[0], 58, 57) {
            0 if is_set(40) => self.put_words(&w, &mut end.bytes[1])?,
            2 if is_set(40) => self.get_words(&w, &mut end.bytes[0])?,
            0 => self.put(&w, &mut end.bytes[1])?,
            2 => self.get(&w, &mut end.bytes[0])?,
            3 => {}
            _ => panic!("a transfer without a published form"),
        }
        if is_set(59) {
            wait(self.bench);
        }
        end.curdsc = next(end.curdsc, &w, &self.bench.ireg);
        if is_set(62) {
            end.causes |= 4;
        }
        if end.ctrl == 2 {
            end.ctrl = 0;
            end.causes |= 2;
            return Ok(false);
        }
        Ok(!is_set(61))
    }
}

/// Returns the number of the descriptor after one.
fn next(current: u32, w: &[u64; 8], ireg: &[u64; 16]) -> u32 {
    let low_byte = |number| half(ireg, number) % 256;
    let (by, from) = match (field(w[0], 58, 57), field(w[0], 56, 55)) {
        (3, kind) => {
            let index = low_byte(field(w[0], 53, 49));
            match kind {
                0 => (signed(index, 8), current),
                1 => {
                    let entry = index as usize % 16;
                    let high = 63 - 16 * (entry as u32 % 4);
                    (field(w[1 + entry / 4], high, high - 15) as i64, current)
                }
                2 => (index as i64, 0),
                _ => {
                    let is_equal =
                        signed(index, 8).rem_euclid(1 << 32) == field(w[0], 31, 0) as i64;
                    let high = if is_equal { 63 } else { 47 };
                    (signed(field(w[1], high, high - 15), 16), current)
                }
            }
        }
        (_, 0 | 1) => (signed(field(w[0], 55, 47), 9), current),
        _ => (signed(low_byte(field(w[0], 51, 47)), 8), current),
    };
    (i64::from(from) + by).rem_euclid(1 << 32) as u32
}

/// Executes the descriptors of the table of a bench, from the first on.
pub(crate) fn all(bench: &mut Bench) -> End {
    Chain { bench, limit: None, first: 0, ctrl: 0, stop_at: u64::MAX }.run(|_| {})
}
