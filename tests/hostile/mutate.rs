//! Changes of real files: bytes, lines, numbers, words. A few changes each, so that what is left still gets deep into a
//! reader.

use crate::SplitMix64;

/// Numbers at the borders of types and of what cp2 has.
pub(super) const NUMBERS: [&str; 40] = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "8",
    "15",
    "16",
    "17",
    "63",
    "64",
    "65",
    "127",
    "128",
    "255",
    "256",
    "2047",
    "2048",
    "4095",
    "8191",
    "8192",
    "8193",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "-2147483648",
    "-2147483649",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "1e300",
    "1e-300",
    "nan",
    "0x1p3",
];

/// Bytes of integers at the borders of types.
const PATTERNS: [u64; 12] = [
    0,
    1,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    0xffff_ffff_ffff_ffff,
];

/// Bytes that readers skip, count or nest by.
const RUNS: [u8; 8] = *b"\r\n\t ([{\0";

/// Length of the longest result, in bytes.
const LONGEST: usize = 1 << 16;

/// Returns one of the seeds with one to eight changes. A text mostly stays one.
pub(super) fn mutated(sequence: &mut SplitMix64, seeds: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
    let mut bytes = one(sequence, seeds).to_vec();
    let is_text = bytes.is_ascii();
    for _ in 0..=sequence.below(8) {
        change(&mut bytes, sequence, (seeds, words));
    }
    bytes.truncate(LONGEST);
    if is_text && !sequence.one_in(20) {
        bytes.iter_mut().for_each(|byte| *byte &= 0x7f);
    }
    bytes
}

fn one<'a>(sequence: &mut SplitMix64, seeds: &'a [Vec<u8>]) -> &'a [u8] {
    &seeds[sequence.below(seeds.len() as u64) as usize]
}

/// Returns a place in the bytes, the end included; half of them near the begin, where headers are.
fn place(bytes: &[u8], sequence: &mut SplitMix64) -> usize {
    let room = bytes.len() as u64 + 1;
    let room = if sequence.one_in(2) { room.min(160) } else { room };
    sequence.below(room) as usize
}

/// Returns a short range of the bytes.
fn piece(bytes: &[u8], sequence: &mut SplitMix64) -> std::ops::Range<usize> {
    let start = place(bytes, sequence);
    let longest = if sequence.one_in(4) { 2000 } else { 40 };
    let length = 1 + sequence.below(longest) as usize;
    start..(start + length).min(bytes.len())
}

/// Changes bytes of the content of a file here and there; it does not become empty.
pub(super) fn content(sequence: &mut SplitMix64, content: &mut Vec<u8>) {
    for _ in 0..1 + sequence.below(4) {
        if content.is_empty() {
            content.push(0);
        }
        let at = sequence.below(content.len() as u64) as usize;
        match sequence.below(4) {
            0 => content[at] ^= 1 << sequence.below(8),
            1 => content[at] = sequence.bits() as u8,
            2 => content[at] = 0xff,
            _ => drop(content.remove(at)),
        }
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, new: &[u8]) {
    bytes.splice(at..at, new.iter().copied());
}

fn change(bytes: &mut Vec<u8>, sequence: &mut SplitMix64, (seeds, words): (&[Vec<u8>], &[&str])) {
    let at = place(bytes, sequence);
    match sequence.below(15) {
        0 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << sequence.below(8);
            }
        }
        1 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = sequence.bits() as u8;
            }
        }
        2 => {
            let new = sequence.bits().to_le_bytes();
            insert(bytes, at, &new[..1 + sequence.below(8) as usize]);
        }
        3 => _ = bytes.drain(piece(bytes, sequence)),
        4 => {
            let copy = bytes[piece(bytes, sequence)].to_vec();
            insert(bytes, at, &copy);
        }
        5 => bytes.truncate(at),
        6 => {
            let other = one(sequence, seeds);
            let copy = other[piece(other, sequence)].to_vec();
            insert(bytes, at, &copy);
        }
        7 => pattern(bytes, at, sequence),
        8..=10 => number(bytes, at, sequence),
        11 => line(bytes, at, sequence),
        12 => {
            let Some(&byte) = bytes.get(at) else { return };
            let other = RUNS[sequence.below(RUNS.len() as u64) as usize];
            let byte = if sequence.one_in(2) { byte } else { other };
            insert(bytes, at, &vec![byte; 1 + sequence.below(100) as usize]);
        }
        _ => {
            let word = if words.is_empty() { "" } else { sequence.of(words) };
            insert(bytes, at, word.as_bytes());
        }
    }
}

/// Writes an integer at the border of its type over a field.
pub(super) fn pattern(bytes: &mut [u8], at: usize, sequence: &mut SplitMix64) {
    let width = 1 << sequence.below(4);
    let at = if sequence.one_in(4) { at } else { at / width * width };
    let value = PATTERNS[sequence.below(12) as usize].wrapping_sub(sequence.below(3) & 1);
    let field = if sequence.one_in(2) {
        value.to_be_bytes()[8 - width..].to_vec()
    } else {
        value.to_le_bytes()[..width].to_vec()
    };
    for (byte, new) in bytes.iter_mut().skip(at).zip(field) {
        *byte = new;
    }
}

/// Puts another number in the place of the next one.
pub(super) fn number(bytes: &mut Vec<u8>, at: usize, sequence: &mut SplitMix64) {
    let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit).map(|k| at + k) else {
        return;
    };
    let length = bytes[start..].iter().take_while(|b| b.is_ascii_digit()).count();
    let new = match sequence.below(4) {
        0 => sequence.below(100).to_string(),
        1 => (sequence.bits() >> sequence.below(64)).to_string(),
        _ => sequence.of(&NUMBERS).to_owned(),
    };
    bytes.splice(start..start + length, new.into_bytes());
}

/// Repeats a line, or swaps it with the next one.
fn line(bytes: &mut Vec<u8>, at: usize, sequence: &mut SplitMix64) {
    let start = bytes[..at].iter().rposition(|&b| b == b'\n').map_or(0, |k| k + 1);
    let end_of = |from: usize| bytes[from..].iter().position(|&b| b == b'\n').map(|k| from + k + 1);
    let Some(end) = end_of(start) else { return };
    match end_of(end) {
        Some(next) if sequence.one_in(2) => bytes[start..next].rotate_left(end - start),
        _ => {
            let copy = bytes[start..end].repeat(1 + sequence.below(40) as usize);
            insert(bytes, start, &copy);
        }
    }
}
