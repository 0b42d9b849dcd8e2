//! Inputs of the kind that `CP2_KIND` names, chosen by libFuzzer: the kinds, their readers and what has to hold are those of
//! the test `hostile` (`tests/hostile/`). `./run 600` in this folder fuzzes all of them.
//!
//! Of every kind must hold: nothing panics; what is refused has an error with a text; what is accepted can be used, and no
//! engine differs from the reference; no more than a counted number of bytes is allocated.
#![no_main]

use cap::Cap;
use cp2_tests::SplitMix64;
use cp2_tests::hostile::kinds::{KINDS, Kind};
use cp2_tests::hostile::{find, found};
use libfuzzer_sys::fuzz_target;
use std::alloc::System;
use std::fmt::Write as _;
use std::path::Path;

/// Refuses to allocate more than this, which ends the process.
#[global_allocator]
static ALLOCATED: Cap<System> = Cap::new(System, 512 << 20);

/// Inputs from the grammar of a kind with which fuzzing begins, beside the real files.
const GENERATED: u64 = 50;

/// Returns the kind that the environment names.
fn kind() -> &'static Kind {
    let name = std::env::var("CP2_KIND").unwrap_or_default();
    find(&name).unwrap_or_else(|| {
        let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        panic!("CP2_KIND is {name:?}; it takes one of: {}", names.join(", "))
    })
}

/// Writes first inputs of a kind into a folder, and beside it a dictionary of its words.
fn write_seeds(kind: &Kind, folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let seeds = (kind.seeds)();
    for (k, seed) in seeds.iter().enumerate() {
        std::fs::write(folder.join(format!("seed-{k}")), seed)?;
    }
    for k in 0..GENERATED {
        let input = (kind.generate)(&mut SplitMix64(k), &seeds);
        std::fs::write(folder.join(format!("generated-{k}")), input)?;
    }
    for (name, input) in found(kind) {
        std::fs::write(folder.join(format!("found-{name}")), input)?;
    }
    let mut words = String::new();
    for word in kind.words {
        let bytes = word.bytes().fold(String::new(), |text, byte| format!("{text}\\x{byte:02x}"));
        let _ = writeln!(words, "\"{bytes}\"");
    }
    std::fs::write(folder.with_extension("words"), words)
}

fuzz_target!(
    init: {
        if let Some(folder) = std::env::var_os("CP2_SEEDS") {
            let written = write_seeds(kind(), Path::new(&folder));
            std::process::exit(written.map_or_else(|e| { eprintln!("{e}"); 1 }, |()| 0));
        }
    },
    |bytes: &[u8]| {
        if let Err(complaint) = (kind().read)(bytes) {
            panic!("{complaint}");
        }
    }
);
