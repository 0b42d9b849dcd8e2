//! Transfers of 32-bit words and gathers, by example: where words go, and in which cycles they move.

use crate::kit::{self, Bench, TABLE, channel, timing};
use cp2_emu::dma::{
    Descriptor, DescriptorAction, Dma, DmaFaultKind, DmaRegister, DmaTiming, Gather, GetWords,
    LocalStride, LocalWalk, MemoryWalk, NextDescriptor, Pattern, PutWords, Stride,
};
use cp2_isa::{MemoryAddress, WordAddress};

/// Returns a walk through `words` words in a row of memory.
fn row(base: u32, words: u8) -> MemoryWalk {
    MemoryWalk { base: base.into(), burst: words, ..MemoryWalk::default() }
}

/// Returns a walk through `count` halves of words of local memory from `first` on.
fn halves(first: u16, count: u16) -> LocalWalk {
    let x = LocalStride { step: 1, count, reversed: false };
    LocalWalk { base: WordAddress(first), x, ..LocalWalk::default() }
}

fn get(memory: MemoryWalk, local: LocalWalk, sections: [Pattern; 4]) -> Descriptor {
    Descriptor::new(DescriptorAction::GetWords(GetWords {
        memory,
        local,
        sections,
        next: NextDescriptor::By(1),
    }))
}

fn put(memory: MemoryWalk, local: LocalWalk, flow: u8) -> Descriptor {
    Descriptor::new(DescriptorAction::PutWords(PutWords {
        memory,
        local,
        flow,
        next: NextDescriptor::By(1),
    }))
}

/// Returns a bench whose memory has at every word its number times 4, its address.
fn bench(descriptors: &[Descriptor]) -> Bench {
    let mut bench = Bench::new(descriptors).fill();
    let words: Vec<u64> = (0..0x2_0000u64).map(|k| ((8 * k) << 32) | (8 * k + 4)).collect();
    bench.memory.write_words(MemoryAddress(0), &words).expect("memory");
    bench
}

/// The beats of a run: cycle, address, bytes, first word of local memory, sections and mask.
type Told = (MemoryAddress, u8, Option<u16>, u8, u8);

fn run(bench: &mut Bench) -> Vec<Told> {
    bench.dma.keep_log();
    bench.run();
    assert_eq!(bench.dma.fault(), None);
    let beats = bench.dma.take_beats();
    let told = beats.iter().map(|b| (b.address, b.bytes, b.local.map(|w| w.0), b.sections, b.mask));
    told.collect()
}

#[test]
fn a_row_with_its_faces_moves_as_34_words_in_the_cycles_of_10_beats() {
    let memory = row(0x1000 + 12, 34);
    let mut bench = bench(&[get(memory, halves(3, 34), [Pattern::ALL_WORDS; 4]).stopping()]);
    let before = [bench.lmem[1][2] >> 32, bench.lmem[18][2] & 0xffff_ffff];
    let beats = run(&mut bench);
    assert_eq!(beats.len(), 10);
    assert_eq!(beats[0], (MemoryAddress(0x100c), 4, Some(0), 15, 0b0111));
    assert_eq!(beats[1], (MemoryAddress(0x1010), 16, Some(2), 15, 0));
    assert_eq!(beats[9], (MemoryAddress(0x1090), 4, Some(18), 15, 0b1110));
    assert_eq!(bench.dma.stats().bytes_get, 136);
    assert_eq!(bench.lmem[1][2] & 0xffff_ffff, 0x100c);
    assert_eq!(bench.lmem[18][2] >> 32, 0x1090);
    assert_eq!([bench.lmem[1][2] >> 32, bench.lmem[18][2] & 0xffff_ffff], before);
}

#[test]
fn words_of_another_place_in_their_pair_take_two_cycles_for_a_beat() {
    let mut bench = bench(&[get(row(0x1000, 8), halves(1, 8), [Pattern::ALL_WORDS; 4]).stopping()]);
    let beats = run(&mut bench);
    let expected = [
        (MemoryAddress(0x1000), 12, Some(0), 15, 0b0001),
        (MemoryAddress(0x100c), 4, Some(2), 15, 0b1110),
        (MemoryAddress(0x1010), 12, Some(2), 15, 0b0001),
        (MemoryAddress(0x101c), 4, Some(4), 15, 0b1110),
    ];
    assert_eq!(beats, expected);
}

#[test]
fn rows_without_a_gap_are_one_run_of_memory() {
    let x = Stride { step: 136, count: 10 };
    let local =
        LocalWalk { y: LocalStride { step: 40, count: 10, reversed: false }, ..halves(3, 34) };
    let mut dense =
        bench(
            &[get(MemoryWalk { x, ..row(0x1000, 34) }, local, Pattern::only_words(1)).stopping()],
        );
    run(&mut dense);
    // 1360 bytes from a multiple of 16 on: 85 beats, in transactions of 16.
    assert_eq!(dense.dma.port().n_transactions(), 1 + 6);
    let x = Stride { step: 160, count: 10 };
    let mut apart =
        bench(
            &[get(MemoryWalk { x, ..row(0x100c, 34) }, local, Pattern::only_words(1)).stopping()],
        );
    run(&mut apart);
    assert_eq!(apart.dma.port().n_transactions(), 1 + 10);
    for row in 0..10 {
        for k in 0..34 {
            let half = 3 + 40 * row + k;
            let of =
                |bench: &Bench| bench.lmem[half / 2][1] >> (32 - 32 * (half % 2)) & 0xffff_ffff;
            assert_eq!(of(&dense), 0x1000 + 136 * row as u64 + 4 * k as u64);
            assert_eq!(of(&apart), 0x100c + 160 * row as u64 + 4 * k as u64);
        }
    }
}

#[test]
fn a_put_leaves_the_words_around_it() {
    let mut bench = bench(&[put(row(0x2004, 6), halves(5, 3), 1).stopping()]);
    for (a, quad) in bench.lmem.iter_mut().take(8).enumerate() {
        *quad = [0, 1, 2, 3]
            .map(|s| (((s << 16) | (2 * a as u64)) << 32) | (s << 16) | (2 * a as u64 + 1));
    }
    run(&mut bench);
    let word = |k: u64| bench.memory.word(MemoryAddress(0x2000 + 8 * k)).expect("memory");
    // Halves 5 of all sections, then halves 6 of the first two.
    assert_eq!(word(0), 0x2000 << 32 | 5);
    assert_eq!(word(1), 0x1_0005 << 32 | 0x2_0005);
    assert_eq!(word(2), 0x3_0005 << 32 | 6);
    assert_eq!(word(3), 0x1_0006 << 32 | 0x201c);
}

#[test]
fn a_put_moves_as_many_words_of_any_section_in_a_cycle_as_a_beat_and_a_pair_have() {
    let mut bench = bench(&[put(row(0x2000, 32), halves(2, 8), 0).stopping()]);
    let beat =
        |k: u16| (MemoryAddress(0x2000 + 16 * u64::from(k)), 16, Some(k % 2 * 2), 1 << (k / 2), 0);
    let mut expected: Vec<Told> = (0..8).map(beat).collect();
    assert_ne!(run(&mut bench), expected, "halves from 2 on are in two pairs");
    let mut bench = self::bench(&[put(row(0x2000, 32), halves(4, 8), 0).stopping()]);
    expected.iter_mut().for_each(|told| told.2 = told.2.map(|word| word + 2));
    assert_eq!(run(&mut bench), expected);
}

fn gather(list: MemoryWalk, base: Option<u8>, local: LocalWalk) -> Descriptor {
    let sections = [Pattern::ALL_WORDS; 4];
    Descriptor::new(DescriptorAction::Gather(Gather {
        list,
        base,
        local,
        sections,
        next: NextDescriptor::By(1),
    }))
}

#[test]
fn a_gather_takes_words_by_their_numbers_from_a_base() {
    let mut bench = bench(&[gather(row(0x3000, 5), Some(7), halves(0, 5)).stopping()]);
    bench.ireg[3] = 0x8000;
    let entries = [7u32, 3, 2, 100, 7].map(u32::to_be_bytes);
    bench.memory.write(MemoryAddress(0x3000), entries.as_flattened()).expect("memory");
    let beats = run(&mut bench);
    assert_eq!(beats[0].2, None, "the list goes nowhere");
    assert_eq!(beats.iter().map(|b| b.1).collect::<Vec<_>>(), [16, 4, 4, 4, 4, 4, 4]);
    let found: Vec<u64> =
        (0..5).map(|h| bench.lmem[h / 2][3] >> (32 - 32 * (h % 2)) & 0xffff_ffff).collect();
    assert_eq!(found, [0x801c, 0x800c, 0x8008, 0x8190, 0x801c]);
    // The list, and 7, 3 with 2, 100, 7: neighbours of one beat share its transaction.
    assert_eq!(bench.dma.port().n_transactions(), 1 + 1 + 4);
    assert_eq!(bench.dma.stats().bytes_get, 40);
}

#[test]
fn each_word_of_a_gather_opens_its_row_and_waits_its_turn_in_the_window() {
    // Far apart: each opens a row. 15 clocks from request to data, a clock for the beat, 4 under way.
    let cycles = |apart: u32| {
        let mut bench = bench(&[gather(row(0x3000, 32), None, halves(0, 32)).stopping()]);
        let entries: Vec<_> = (0..32).map(|k| (k * apart / 4).to_be_bytes()).collect();
        bench.memory.write(MemoryAddress(0x3000), entries.as_flattened()).expect("memory");
        bench.start();
        while bench.dma.is_busy() {
            let next = bench.dma.next_event().expect("an event");
            bench.advance(next.0 + 1, |_| None);
        }
        bench.dma.now().0
    };
    let (open, opening) = (cycles(32), cycles(2048));
    // 32 words, 4 at a time: 8 rounds. The first opens a row in any case, behind the list.
    assert_eq!(opening - open, 7 * 5);
    // Words of one beat come together.
    assert!(cycles(4) < open - 7 * 5);
}

#[test]
fn a_machine_without_the_extension_refuses_words_and_names_it() {
    let mut bench = bench(&[get(row(0, 4), halves(0, 4), [Pattern::ALL_WORDS; 4])]);
    bench.dma = Dma::new(cp2_isa::Core::CP2, DmaTiming { words: false, ..timing() }, channel());
    bench.write(DmaRegister::Baseaddr, TABLE);
    bench.run();
    let fault = bench.dma.fault().expect("a refusal");
    assert_eq!(fault.kind, DmaFaultKind::WordsAbsent);
    assert!(fault.to_string().contains("dma-words"));
    assert_eq!(kit::arrived(&bench), None);
}
