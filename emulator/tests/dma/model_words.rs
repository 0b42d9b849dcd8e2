//! Model of what descriptors of 32-bit words do, from their words on, one word after the other. No time, and no code of the
//! channel.

use crate::kit::ROW;
use crate::model::{Chain, Refused, field, half, number, signed};
use cp2_isa::MemoryAddress;

/// Bytes of the beats of a list that are read in one go.
const LIST: u64 = 128;

/// Returns the addresses of all words of a walk, in order.
fn addresses(w: &[u64; 8], ireg: &[u64; 16]) -> Vec<u64> {
    let index = if field(w[1], 39, 39) == 1 { 0 } else { half(ireg, field(w[1], 38, 34)) };
    let base = (field(w[0], 31, 2) * 4 + index / 4 * 4) as i64;
    let steps = [field(w[1], 63, 42), field(w[1], 11, 0) << 10 | field(w[2], 43, 34)];
    let [sx, sy] = steps.map(|step| 4 * signed(step, 22));
    let counts = [field(w[0], 46, 41), field(w[1], 31, 12), field(w[2], 63, 44)];
    let [burst, nx, ny] = counts.map(|n| n.max(1) as i64);
    let mut all = Vec::new();
    for y in 0..ny {
        for x in 0..nx {
            let row = base + sx * x + sy * y;
            all.extend((0..burst).map(|b| (row + 4 * b).rem_euclid(1 << 32) as u64));
        }
    }
    all
}

/// Returns the halves of words of local memory that a walk comes to until it begins anew.
fn halves(w: &[u64; 8], ireg: &[u64; 16]) -> Vec<usize> {
    let index = if field(w[3], 13, 13) == 1 { 0 } else { half(ireg, field(w[3], 12, 8)) };
    let base = field(w[2], 31, 16) + index;
    // Bit i of the low 14 goes to bit 14 - i.
    let mirrored =
        |value: u64| (1..14).filter(|i| value >> i & 1 == 1).map(|i| 1 << (14 - i)).sum::<u64>();
    let term = |step: u64, n: u64, is_mirrored: bool| {
        if is_mirrored { mirrored(step * n) } else { step * n }
    };
    let [mirror_x, mirror_y] = [15, 14].map(|bit| field(w[3], bit, bit) == 1);
    let mut all = Vec::new();
    for y in 0..field(w[3], 31, 16).max(1) {
        for x in 0..field(w[3], 63, 48).max(1) {
            let along = term(field(w[2], 15, 0), x, mirror_x);
            let across = term(field(w[3], 47, 32), y, mirror_y);
            all.push(((base + along + across) % 16384) as usize);
        }
    }
    all
}

impl Chain<'_> {
    fn word(&self, address: u64) -> Result<u64, Refused> {
        self.check(address / 16 * 16, 16)?;
        let word = self.bench.memory.word(MemoryAddress(address / 8 * 8)).expect("memory");
        Ok(if address.is_multiple_of(8) { word >> 32 } else { word & 0xffff_ffff })
    }

    /// Puts word number `k` of a stream into the sections that take it.
    fn take(&mut self, w: &[u64; 8], k: usize, value: u64, local: &[usize], taken: &mut [u64; 4]) {
        let place = local[k % local.len()];
        for s in 0..4 {
            if number(w[4 + s], taken[s]) != k as u64 % 65536 {
                continue;
            }
            taken[s] += 1;
            let word = &mut self.bench.lmem[place / 2][s];
            *word = match place % 2 {
                0 => (value << 32) | (*word % (1 << 32)),
                _ => *word >> 32 << 32 | value,
            };
        }
    }

    pub(crate) fn get_words(&mut self, w: &[u64; 8], bytes: &mut u64) -> Result<(), Refused> {
        let (ireg, mut taken) = (self.bench.ireg, [0; 4]);
        let local = halves(w, &ireg);
        let stream = addresses(w, &ireg);
        if field(w[0], 33, 33) == 0 {
            for (k, address) in stream.into_iter().enumerate() {
                let value = self.word(address)?;
                *bytes += 4;
                self.take(w, k, value, &local, &mut taken);
            }
            return Ok(());
        }
        let base = if field(w[0], 39, 39) == 1 { 0 } else { half(&ireg, field(w[0], 38, 34)) };
        let mut rest = &stream[..];
        // A part of the list is read before the words of the one before it.
        let (mut k, mut part) = (0, self.part(&mut rest, bytes)?);
        while !part.is_empty() {
            let ahead = self.part(&mut rest, bytes)?;
            for entry in part {
                let value = self.word((base / 4 * 4 + 4 * entry) % (1 << 32))?;
                *bytes += 4;
                self.take(w, k, value, &local, &mut taken);
                k += 1;
            }
            part = ahead;
        }
        Ok(())
    }

    /// Takes from a list the next entries that come in one go.
    fn part(&self, rest: &mut &[u64], bytes: &mut u64) -> Result<Vec<u64>, Refused> {
        let Some(&first) = rest.first() else { return Ok(Vec::new()) };
        let end = (first / 16 * 16 + LIST).min((first / ROW + 1) * ROW);
        let is_of_part = |(n, a): &(usize, &u64)| **a == first + 4 * *n as u64 && **a < end;
        let n = rest.iter().enumerate().take_while(is_of_part).count();
        let (part, behind) = rest.split_at(n);
        *rest = behind;
        *bytes += 4 * n as u64;
        part.iter().map(|&address| self.word(address)).collect()
    }

    pub(crate) fn put_words(&mut self, w: &[u64; 8], bytes: &mut u64) -> Result<(), Refused> {
        let ireg = self.bench.ireg;
        let local = halves(w, &ireg);
        let flow = field(w[0], 39, 32).min(4) as usize;
        for (k, address) in addresses(w, &ireg).into_iter().enumerate() {
            self.check(address / 16 * 16, 16)?;
            *bytes += 4;
            // Rounds of all sections: the whole walk of each, or a few places of each.
            let share = if flow == 0 { local.len() } else { flow };
            let (round, within) = (k / (4 * share), k % (4 * share));
            let place = local[(round * share + within % share) % local.len()];
            let word = self.bench.lmem[place / 2][within / share].to_be_bytes();
            let piece = &word[place % 2 * 4..][..4];
            self.bench.memory.write(MemoryAddress(address), piece).expect("memory");
        }
        Ok(())
    }
}
