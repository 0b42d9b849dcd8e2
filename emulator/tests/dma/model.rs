//! What a transfer does, as plain nested loops over lists: no position, no time, no code of the
//! controller.

use crate::kit::Bench;
use cp2_emu::dma::{Get, LocalStride, LocalWalk, MemoryWalk, Pattern, Put};

fn half(ireg: &[u64; 16], index: Option<u8>) -> u64 {
    index.map_or(0, |n| ireg[usize::from(n) / 2] >> (if n % 2 == 0 { 32 } else { 0 }) & 0xffff_ffff)
}

/// Addresses of all beats, in order.
pub(crate) fn memory_addresses(walk: &MemoryWalk, ireg: &[u64; 16]) -> Vec<u64> {
    let base = i64::from(walk.base) + (half(ireg, walk.index) / 4 * 4) as i64;
    let mut all = Vec::new();
    for y in 0..i64::from(walk.y.count).max(1) {
        for x in 0..i64::from(walk.x.count).max(1) {
            for b in 0..i64::from(walk.burst).max(1) {
                let step = 16 * b + i64::from(walk.x.step) * x + i64::from(walk.y.step) * y;
                all.push((base + step).rem_euclid(1 << 32) as u64);
            }
        }
    }
    all
}

/// Bit i of the low 13 goes to bit 13 - i.
fn mirrored(value: i64) -> i64 {
    (0..13).filter(|i| value >> i & 1 == 1).map(|i| 1 << (13 - i)).sum()
}

/// Addresses of one pass of a local walk, in order, and whether each ends a row.
pub(crate) fn local_addresses(
    walk: &LocalWalk,
    single_words: bool,
    ireg: &[u64; 16],
) -> Vec<(usize, bool)> {
    let even = |v: u64| if single_words { v } else { v / 2 * 2 } as i64;
    let base = even((u64::from(walk.base) + half(ireg, walk.index)) & 0xffff);
    let term = |stride: &LocalStride, n: i64| {
        let plain = even(stride.step.into()) * n;
        if stride.reversed { mirrored(plain) } else { plain }
    };
    let (nx, ny) = (i64::from(walk.x.count).max(1), i64::from(walk.y.count).max(1));
    let mut all = Vec::new();
    for y in 0..ny {
        for x in 0..nx {
            let address = base + term(&walk.x, x) + term(&walk.y, y);
            all.push((address.rem_euclid(8192) as usize, x == nx - 1));
        }
    }
    all
}

/// The first numbers that a pattern names, in order.
fn numbers(p: &Pattern, how_many: usize) -> Vec<u64> {
    let mut all = Vec::new();
    for j in 0.. {
        for i in 0..u64::from(p.run).max(1) {
            let n = u64::from(p.base) + u64::from(p.inner) * i + u64::from(p.outer) * j;
            all.push(n % 65536);
            if all.len() == how_many {
                return all;
            }
        }
    }
    all
}

/// Does what a GET does.
pub(crate) fn get(get: &Get, bench: &mut Bench) {
    let addresses = memory_addresses(&get.memory, &bench.ireg);
    let local = local_addresses(&get.local, get.single_words, &bench.ireg);
    let words = |a: u64| [a, a + 8].map(|a| bench.memory.word(a).expect("an address in memory"));
    let stream: Vec<u64> = addresses.iter().flat_map(|&a| words(a)).collect();
    let step = if get.single_words { 1 } else { 2 };
    for (s, pattern) in get.sections.iter().enumerate() {
        let wanted = numbers(pattern, stream.len());
        let mut taken = 0;
        for (k, words) in stream.chunks(step).enumerate() {
            if wanted[taken] == (k * step) as u64 % 65536 {
                taken = (taken + 1).min(wanted.len() - 1);
                for (w, &word) in words.iter().enumerate() {
                    bench.lmem[local[k % local.len()].0 + w][s] = word;
                }
            }
        }
    }
}

/// Does what a PUT does.
pub(crate) fn put(put: &Put, bench: &mut Bench) {
    let addresses = memory_addresses(&put.memory, &bench.ireg);
    let walk = local_addresses(&put.local, false, &bench.ireg);
    let mut sources = Vec::new();
    let group = if put.flow == 0 { walk.len() } else { put.flow.into() };
    let mut position = 0;
    while sources.len() < addresses.len() {
        for section in 0..4 {
            for k in 0..group {
                sources.push((section, walk[(position + k) % walk.len()]));
            }
        }
        position += group;
    }
    for (&address, &(section, (local, row_end))) in addresses.iter().zip(&sources) {
        let mask = if row_end { put.row_end_mask } else { put.mask };
        for k in 0..4 {
            if mask >> k & 1 == 0 {
                let word = bench.lmem[local + k / 2][section];
                let part = if k % 2 == 0 { (word >> 32) as u32 } else { word as u32 };
                let at = address + 4 * k as u64;
                bench.memory.write(at, &part.to_be_bytes()).expect("an address in memory");
            }
        }
    }
}
