//! Kept translations that no engine wrote: they are looked at as an engine looks at its store, and nothing of them is run.
//! Machine code is taken from whoever answers for the store; all around it, lengths, places, tables, has to be in bounds.

use super::kinds::{Judgement, Verdict};
use super::mutate;
use crate::{SplitMix64, Translations};
use cp2_emu::trace::NoObserver;
use cp2_emu::{Cp2, Engine as _, Machine};
use cp2_fast::{NativeIsa, Store, Translator, blocks_kept};
use cp2_isa::{BundleAddress, Core};
use std::hash::Hasher as _;
use twox_hash::XxHash64;

/// Bytes before what the digest is of.
const HEAD: usize = 8;
/// Cycles of the run from which the real entry is.
const CYCLES: u64 = 3000;
/// Every block is made for this instruction set, whatever the tests run on.
const NATIVE_ISA: NativeIsa = NativeIsa::Avx2;

/// Loops with pointers, with addresses that only the run knows, and predicated operations whose flags are deferred.
const PROGRAM: &str = "        .kernel steps
        | seti g1, 90
        | seti n1, 3
        | nop
again:  | do g1, last
        cmul f8, f6, f20 | ldo f6, (r0)+2
        psadd f10, f8, f9 | nop
last:   psmul f9, f7, f20 | sdo f8, (r1)+2
        | nop
        | nop
        | jumpi again
        | nop
";

/// A store that has one entry, whatever it is asked for, and tells for what it was.
#[derive(Debug, Default)]
struct One {
    entry: Vec<u8>,
    key: String,
}

impl Store for One {
    fn get(&mut self, key: &str) -> Option<Vec<u8>> {
        self.key = key.to_owned();
        Some(self.entry.clone())
    }

    fn put(&mut self, _: &str, _: &[u8]) {}
}

fn cp2() -> Cp2 {
    cp2_session::load::machine_with(
        &cp2_session::Environment::new(),
        &Core::CP2,
        "steps.s",
        PROGRAM,
    )
    .unwrap_or_else(|e| panic!("{e}"))
    .0
}

/// Looks for blocks in an entry as an engine does; returns their number, if it takes the entry, and the key under which it
/// asked for it.
fn found(entry: &[u8]) -> (Option<usize>, String) {
    let mut store = One { entry: entry.to_vec(), key: String::new() };
    let cp2 = cp2();
    let blocks = blocks_kept(&mut store, NATIVE_ISA, (cp2.core(), &cp2.state.iram));
    (blocks, store.key)
}

/// Returns an entry with the digest that belongs to it under a key.
fn sealed(key: &str, entry: &[u8]) -> Vec<u8> {
    let rest = entry.get(HEAD..).unwrap_or_default();
    let mut digest = XxHash64::with_seed(0);
    digest.write(key.as_bytes());
    digest.write(rest);
    [&digest.finish().to_le_bytes()[..], rest].concat()
}

/// Returns the entry that an engine keeps of a run; on native machines for which nothing is translated an entry without
/// blocks.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    let store = Translations::default();
    let mut engine = Translator::with_native(Some(NATIVE_ISA)).keeping(Box::new(store.clone()));
    let mut machine = Machine::alone(cp2());
    machine.start_kernel(BundleAddress(0));
    assert_eq!(engine.advance_kernel(&mut machine, CYCLES, &mut NoObserver), None);
    drop(engine);
    let Some(entry) = store.first() else { return vec![vec![0; HEAD]] };
    assert!(found(&entry).0.is_some_and(|blocks| blocks > 2), "no engine takes its own blocks");
    vec![entry]
}

/// Returns the real entry with other bytes before the machine code, and the digest that belongs to it.
pub(super) fn generate(sequence: &mut SplitMix64, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut entry = seeds[sequence.below(seeds.len() as u64) as usize].clone();
    for _ in 0..=sequence.below(3) {
        let at = HEAD + sequence.below(entry.len() as u64 / 2) as usize;
        match sequence.below(3) {
            0 => mutate::pattern(&mut entry, at, sequence),
            1 => {
                let byte = entry.len().min(at + 1) - 1;
                entry[byte] = sequence.bits() as u8;
            }
            _ => {
                let byte = entry.len().min(at + 1) - 1;
                entry[byte] ^= 1 << sequence.below(8);
            }
        }
    }
    let (_, key) = found(&[]);
    sealed(&key, &entry)
}

/// Looks at an entry as an engine does, as it is and with a digest that belongs to it.
pub(super) fn read(bytes: &[u8]) -> Judgement {
    let (blocks, key) = found(bytes);
    let whole = sealed(&key, bytes);
    if blocks.is_some() && whole != bytes {
        return Err("an entry was taken whose digest is another".to_owned());
    }
    let _ = found(&whole);
    Ok(if blocks.is_some() { Verdict::Accepted } else { Verdict::Refused })
}
