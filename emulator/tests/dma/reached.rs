//! A channel behind a kernel that is ahead: it stops before a transfer that reaches any word which the kernel has accessed.

use crate::kit::Bench;
use crate::random::SplitMix64;
use cp2_emu::dma::{
    Accesses, Descriptor, DescriptorAction, GetWords, LocalStride, LocalWalk, MemoryWalk,
    NextDescriptor, Pattern, Ports, PutWords,
};
use cp2_isa::{Cycle, MemoryAddress, WordAddress};

fn local_walk(s: &mut SplitMix64) -> LocalWalk {
    let stride = |s: &mut SplitMix64| LocalStride {
        step: s.of(&[0, 1, 2, 2, 6, 1000, 2048, 4096, 4098, 8190, 65534, 61440]),
        count: s.of(&[0, 1, 2, 3, 5, 17]),
        reversed: s.one_in(6),
    };
    let base = s.of(&[0, 2, 4090, 8188, 8190]) + s.below(5) as u16;
    LocalWalk { base: WordAddress(base), index: None, x: stride(s), y: stride(s) }
}

fn transfer(s: &mut SplitMix64) -> Descriptor {
    let (local, n) = (local_walk(s), 1 + s.below(40) as u32);
    let memory = MemoryWalk::rows(MemoryAddress(0x1000), n, 0, 1).expect("a row");
    let (next, flow) = (NextDescriptor::By(1), s.below(5) as u8);
    match s.below(4) {
        0 => Descriptor::get(memory, local, [Pattern::ALL; 4]),
        1 => Descriptor::put(memory, local, flow),
        2 => {
            let sections = [Pattern::ALL_WORDS; 4];
            Descriptor::new(DescriptorAction::GetWords(GetWords { memory, local, sections, next }))
        }
        _ => Descriptor::new(DescriptorAction::PutWords(PutWords { memory, local, flow, next })),
    }
}

#[test]
fn no_word_that_a_transfer_reaches_may_have_been_accessed_ahead_of_it() {
    let mut looked = 0;
    for seed in 0..300 {
        let mut s = SplitMix64(seed);
        let descriptor = transfer(&mut s);
        let mut bench = Bench::new(&[descriptor.clone().stopping()]);
        bench.start();
        let begun = bench.dma.clone();
        bench.dma.keep_log();
        bench.run();
        let beats = bench.dma.take_beats();
        assert!(!beats.is_empty(), "seed {seed}");
        for beat in beats.iter().filter(|beat| beat.sections != 0) {
            let word = beat.local.expect("a word of local memory");
            let mut accesses = Accesses::default();
            accesses.start(Cycle(0), Cycle(64));
            accesses.note(Cycle(3), word);
            let mut dma = begun.clone();
            let Bench { memory, lmem, ireg, .. } = &mut bench;
            let mut ports = Ports { memory, lmem, ireg };
            let has_come = dma.follow(Cycle(1_000_000), &mut ports, &accesses, false);
            assert!(!has_come && dma.is_busy(), "seed {seed}, word {word}: {descriptor:?}");
            assert_eq!(dma.stats().bytes_get + dma.stats().bytes_put, 0, "seed {seed}");
            looked += 1;
        }
    }
    assert!(looked > 3000, "{looked}");
}
