//! Inputs that nobody meant, of every kind that cp2 reads: real files, mutated or made up from seeds, and the readers with
//! what has to hold of them. The test `hostile` goes through numbers, and `tests/fuzz/` lets libFuzzer choose the bytes.

mod bundles;
mod checkpoints;
mod code;
mod debugger;
mod generate;
mod kept;
pub mod kinds;
mod mutate;
mod programs;
mod readers;
mod recordings;
mod seeds;
mod star;

use crate::SplitMix64;
use kinds::{KINDS, Kind};
use std::path::Path;

/// Returns the kind of a name.
pub fn find(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name)
}

/// Returns the input of a number: a real file, a mutated one, or one from a grammar.
pub fn input(kind: &Kind, seeds: &[Vec<u8>], number: u64) -> Vec<u8> {
    let mut sequence =
        SplitMix64(number.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ kind.name.len() as u64);
    if sequence.one_in(3) {
        (kind.generate)(&mut sequence, seeds)
    } else {
        mutate::mutated(&mut sequence, seeds, kind.words)
    }
}

/// Returns the inputs of a kind that once broke something, with their names: `found/KIND/NAME`.
pub fn found(kind: &Kind) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("hostile/found").join(kind.name);
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<_> = entries
        .filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            Some((name, std::fs::read(entry.path()).ok()?))
        })
        .collect();
    all.sort();
    all
}
