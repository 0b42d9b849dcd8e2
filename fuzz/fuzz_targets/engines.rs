//! The fast engine and the portable one in both its builds against the reference engine, on programs decoded from
//! bytes: `./run 600` in this folder, with the stable compiler alone, or `cargo +nightly fuzz run engines`.
#![no_main]

use cp2_emu::machine::compare;
use cp2_emu::{Cp2, Engine};
use cp2_fast::Translator;
use cp2_isa::{BundleAddress, Core, CoreNumbers, Extensions};
use cp2_portable::Portable;
use libfuzzer_sys::fuzz_target;

/// Cycles granted to a program.
const LIMIT: u64 = 2000;

/// The core that a number stands for: the unmodified one for 0.
fn core(bits: u32) -> Core {
    if bits == 0 {
        return Core::CP2;
    }
    let number = |at: u32, width: u32| bits >> at & ((1 << width) - 1);
    let numbers = CoreNumbers {
        arithmetic_latency: 2 + number(0, 4),
        load_latency: 2 + number(4, 3),
        psprmsgn_latency: 1 + number(7, 3),
        mtfpr_latency: 1 + number(10, 3),
        local_memory_words: 1024 << number(13, 2),
        banks: 1 << number(15, 2),
        extensions: Extensions::from_bits_truncate(number(17, 15) as u16),
        ..*Core::CP2.numbers()
    };
    Core::new(numbers).unwrap_or_default()
}

fuzz_target!(|bytes: &[u8]| {
    let mut words = bytes
        .chunks_exact(8)
        .map(|c| u64::from_le_bytes([c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]]));
    let Some(head) = words.next() else { return };
    let mut cp2 = Cp2::new(core((head >> 32) as u32));
    cp2.state.control = head & 3;
    cp2.state.rmask = (head >> 16) as u16;
    // Half of the inputs begin behind the first inexact results, where translated code gets further.
    if head & 4 != 0 {
        cp2.state.fcsr = [4; 4];
        cp2.state.status = 1 << 16;
    }
    // The rest is bundles, and data at the same time.
    for (k, word) in words.take(512).enumerate() {
        cp2.state.iram[k] = word.into();
        cp2.state.lmem[k] = [
            word,
            word.rotate_left(8),
            word & 0x803f_ffff_803f_ffff | 0x3f80_0000_3f80_0000,
            !word,
        ];
        cp2.state.fpr[k % 64] = cp2.state.lmem[k];
    }
    let engines: [Box<dyn Engine>; 3] = [
        Box::<Translator>::default(),
        Box::<Portable>::default(),
        Box::new(Portable::baseline()),
    ];
    for mut engine in engines {
        if let Err(divergence) = compare(engine.as_mut(), &cp2, BundleAddress(0), LIMIT) {
            panic!("{}: {divergence}", engine.name());
        }
    }
});
