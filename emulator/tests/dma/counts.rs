//! Counts of 0 in walks, each beside a count of 1, by example; and all small shapes beside the model.

use crate::kit::Bench;
use crate::model;
use cp2_emu::dma::{
    Descriptor, DescriptorAction, Get, LocalStride, LocalWalk, MemoryWalk, NextDescriptor, Pattern,
    Put, Stride,
};
use cp2_isa::{MemoryAddress, WordAddress};

const BASE: u32 = 0x1_0000;

/// Runs a descriptor beat by beat, and again as the channel runs alone: the same.
fn ran(descriptor: &Descriptor) -> Bench {
    let bench = || Bench::new(&[descriptor.clone().stopping()]).fill();
    let (mut single, mut run) = (bench(), bench());
    single.run();
    run.start();
    run.advance_alone(5_000_000);
    assert_eq!(single.dma.fault(), None);
    assert!(single.memory == run.memory && single.lmem == run.lmem);
    assert_eq!(single.dma.stats(), run.dma.stats());
    single
}

fn region(burst: u8, nx: u32, ny: u32) -> MemoryWalk {
    let (x, y) = (Stride { step: 0x400, count: nx }, Stride { step: 0x1000, count: ny });
    MemoryWalk { base: BASE.into(), index: None, burst, x, y }
}

/// Returns the addresses of what a GET moves, in order: beats, or words.
fn moved(memory: MemoryWalk, single_words: bool) -> Vec<u64> {
    let step = if single_words { 1 } else { 2 };
    let x = LocalStride { step, count: 64, reversed: false };
    let every = Pattern { base: 0, inner: 0, run: 1, outer: step };
    let local = LocalWalk { x, ..LocalWalk::linear(WordAddress(0), 0) };
    let sections = [every; 4];
    let get = Get { memory, local, single_words, sections, next: NextDescriptor::By(1) };
    let bench = ran(&Descriptor::new(DescriptorAction::Get(get)));
    let places = bench.lmem.iter().step_by(step.into()).map(|quad| quad[0]);
    places.take_while(|word| word >> 63 == 0).map(|word| (word >> 32) * 8).collect()
}

/// Returns the section and the word that each beat of a PUT comes from, in order.
fn sources(flow: u8, x: (u16, u16), y: (u16, u16), beats: u32) -> Vec<(u64, u64)> {
    let stride = |(step, count)| LocalStride { step, count, reversed: false };
    let local = LocalWalk { base: WordAddress(0), index: None, x: stride(x), y: stride(y) };
    let memory = MemoryWalk::rows(BASE.into(), beats, 0, 1).expect("a row");
    let bench = ran(&Descriptor::put(memory, local, flow));
    let word = |k: u64| bench.memory.word(MemoryAddress(u64::from(BASE) + 16 * k)).expect("memory");
    assert_eq!(word(beats.into()) >> 63, 0, "more than there is");
    (0..beats.into()).map(|k| (word(k) & 0xff, word(k) >> 8 & 0xffff)).collect()
}

#[test]
fn no_rows_of_memory_are_one_beat_or_one_word() {
    let first: Vec<_> = [0, 0x10, 0x20].map(|b| 0x1_0000 + b).into();
    let six = [first.clone(), first.iter().map(|a| a + 0x400).collect()].concat();
    assert_eq!(moved(region(3, 2, 0), false), [0x1_0000]);
    assert_eq!(moved(region(3, 2, 0), true), [0x1_0000]);
    assert_eq!(moved(region(3, 2, 1), false), six);
    let twelve: Vec<_> = six.iter().flat_map(|&a| [a, a + 8]).collect();
    assert_eq!(moved(region(3, 2, 1), true), twelve);
    // Whatever the others are.
    for (burst, nx) in [(0, 0), (0, 3), (3, 0), (1, 1)] {
        assert_eq!(moved(region(burst, nx, 0), false), [0x1_0000]);
        assert_eq!(moved(region(burst, nx, 0), true), [0x1_0000]);
    }
}

#[test]
fn no_bursts_in_a_row_let_every_beat_begin_the_next_row() {
    let diagonal = [0x1_0000, 0x1_1010, 0x1_2020, 0x1_3000];
    assert_eq!(moved(region(3, 0, 4), false), diagonal);
    let rows = (0..4).flat_map(|y| (0..3).map(move |b| 0x1_0000 + 0x1000 * y + 16 * b));
    assert_eq!(moved(region(3, 1, 4), false), rows.collect::<Vec<_>>());
    // The burst goes on over the end of the walk through rows: the beats are as many as rows.
    assert_eq!(moved(region(9, 0, 2), false), [0x1_0000, 0x1_1010]);
}

#[test]
fn no_bursts_in_a_row_let_every_single_word_begin_the_next_row() {
    let diagonal = [0x1_0000, 0x1_1008, 0x1_2010, 0x1_3018, 0x1_4000, 0x1_5008];
    assert_eq!(moved(region(2, 0, 6), true), diagonal);
    assert_eq!(moved(region(2, 1, 6), true).len(), 24);
}

#[test]
fn no_beats_in_a_burst_are_one_but_for_single_words() {
    assert_eq!(moved(region(0, 4, 1), true), [0x1_0000, 0x1_0408, 0x1_0800, 0x1_0c08]);
    let pairs = [0, 8, 0x400, 0x408, 0x800, 0x808, 0xc00, 0xc08].map(|a| 0x1_0000 + a);
    assert_eq!(moved(region(1, 4, 1), true), pairs);
    let beats = [0x1_0000, 0x1_0400, 0x1_0800, 0x1_0c00];
    assert_eq!(moved(region(0, 4, 1), false), beats);
    assert_eq!(moved(region(1, 4, 1), false), beats);
}

#[test]
fn with_flow_and_no_columns_a_local_row_goes_by_with_every_beat() {
    let sections = |word| [0, 1, 2, 3].map(|s| (s, word));
    let two = |second| [sections(0), sections(second)].concat();
    assert_eq!(sources(1, (2, 0), (0x40, 8), 8), two(0x100));
    assert_eq!(sources(1, (2, 1), (0x40, 8), 8), two(0x40));
    // With flow 2, section 0 gives two rows, the others the same two, and then six rows are missing.
    let pairs = |a: u64| [0, 1, 2, 3].map(|s| [(s, a), (s, a + 0x40)]).concat();
    assert_eq!(sources(2, (2, 0), (0x40, 16), 16), [pairs(0), pairs(0x200)].concat());
    assert_eq!(sources(2, (2, 1), (0x40, 16), 16), [pairs(0), pairs(0x80)].concat());
    // Three rows come round within a turn of the sections.
    assert_eq!(
        sources(1, (2, 0), (0x40, 3), 12),
        [sections(0), sections(0x40), sections(0x80)].concat()
    );
}

#[test]
fn without_flow_and_with_no_rows_the_section_changes_after_every_beat() {
    assert_eq!(sources(0, (2, 2), (0x40, 0), 4), [(0, 0), (1, 2), (2, 0), (3, 2)]);
    assert_eq!(sources(0, (2, 2), (0x40, 1), 4), [(0, 0), (0, 2), (1, 0), (1, 2)]);
    let three = [(0, 0), (1, 2), (2, 4), (3, 0), (0, 2), (1, 4), (2, 0), (3, 2)];
    assert_eq!(sources(0, (2, 3), (0x40, 0), 8), three, "the row and the sections go round apart");
}

#[test]
fn all_other_counts_of_zero_act_like_one() {
    for flow in 0..5 {
        let of = |nx, ny| sources(flow, (2, nx), (0x40, ny), 32);
        if flow == 0 {
            assert_eq!(of(0, 5), of(1, 5));
        } else {
            assert_eq!(of(5, 0), of(5, 1));
        }
        assert_eq!(of(0, 0), of(1, 1));
    }
    let got = |x: (u16, u16), y: (u16, u16), run, single_words| {
        let stride = |(step, count)| LocalStride { step, count, reversed: false };
        let local = LocalWalk { base: WordAddress(8), index: None, x: stride(x), y: stride(y) };
        let sections = [Pattern { base: 2, inner: 4, run, outer: 6 }; 4];
        let memory = MemoryWalk::rows(BASE.into(), 24, 0, 1).expect("a row");
        let get = Get { memory, local, single_words, sections, next: NextDescriptor::By(1) };
        ran(&Descriptor::new(DescriptorAction::Get(get))).lmem
    };
    for single_words in [false, true] {
        let like = |a, b| assert!(a == b, "{single_words}");
        like(got((2, 0), (6, 5), 2, single_words), got((2, 1), (6, 5), 2, single_words));
        like(got((2, 5), (6, 0), 2, single_words), got((2, 5), (6, 1), 2, single_words));
        like(got((2, 3), (6, 5), 0, single_words), got((2, 3), (6, 5), 1, single_words));
    }
}

#[test]
fn the_mask_of_the_row_end_is_never_used_if_a_row_has_no_columns() {
    for (flow, nx, is_cut) in [(0, 0, false), (0, 1, true), (1, 0, false), (1, 1, true)] {
        let x = LocalStride { step: 2, count: nx, reversed: false };
        let local = LocalWalk { x, ..LocalWalk::linear(WordAddress(0), 0) };
        let memory = MemoryWalk::rows(BASE.into(), 8, 0, 1).expect("a row");
        let put =
            Put { memory, local, flow, mask: 0, row_end_mask: 15, next: NextDescriptor::By(1) };
        let bench = ran(&Descriptor::new(DescriptorAction::Put(put)));
        let word =
            |k: u64| bench.memory.word(MemoryAddress(u64::from(BASE) + 8 * k)).expect("memory");
        assert!((0..16).all(|k| (word(k) >> 63 == 0) == is_cut), "flow {flow}, {nx} columns");
    }
}

#[test]
fn a_copy_walks_in_the_same_way() {
    let to = MemoryWalk::rows(MemoryAddress(0x10_0000), 4, 0, 1).expect("a row");
    let bench = ran(&Descriptor::copy(region(3, 0, 4), to));
    let from = [0x1_0000, 0x1_1010, 0x1_2020, 0x1_3000].map(|a| a / 8);
    let word = |k: u64| bench.memory.word(MemoryAddress(0x10_0000 + 16 * k)).expect("memory") >> 32;
    assert_eq!([0, 1, 2, 3].map(word), from);
    assert_eq!(region(3, 0, 4).beats(), 4);
    assert_eq!([region(3, 2, 0), region(0, 2, 2), region(3, 2, 2)].map(|w| w.beats()), [1, 4, 12]);
}

/// Returns all shapes of a walk through memory with counts up to 3, beside local walks with these counts.
fn shapes(kind: u8, columns: u16, rows: u16) -> Vec<Descriptor> {
    let mut all = Vec::new();
    for k in 0..64 {
        let base = 0x8_0000 + 0x4000 * k;
        let (x, y) = (0x400, 0x1000);
        let stride = |step, count| Stride { step, count };
        let (x, y) = (stride(x, k / 4 % 4), stride(y, k / 16));
        let memory = MemoryWalk { base: base.into(), index: None, burst: k as u8 % 4, x, y };
        let stride = |step, count| LocalStride { step, count, reversed: k % 7 == 0 };
        let (x, y) = (stride(2 + kind as u16 % 2, columns), stride(0x22, rows));
        let local = LocalWalk { base: WordAddress(100 * k as u16), index: None, x, y };
        let next = NextDescriptor::By(1);
        all.push(Descriptor::new(match kind {
            0..=4 => DescriptorAction::Put(Put {
                memory,
                local,
                flow: kind,
                mask: 1,
                row_end_mask: 8,
                next,
            }),
            _ => {
                let alternating = |base, run| Pattern { base, inner: 2, run, outer: 6 };
                let sections =
                    [Pattern::ALL, alternating(0, 0), alternating(2, 2), alternating(1, 1)];
                DescriptorAction::Get(Get {
                    memory,
                    local,
                    single_words: kind == 6,
                    sections,
                    next,
                })
            }
        }));
    }
    all.push(Descriptor::put(region(1, 1, 1), LocalWalk::linear(WordAddress(0), 1), 0).stopping());
    all
}

#[test]
fn all_small_shapes_do_what_the_model_does() {
    for kind in 0..7 {
        for (columns, rows) in (0..4).flat_map(|nx| (0..4).map(move |ny| (nx, ny))) {
            let table = shapes(kind, columns, rows);
            let bench = || Bench::new(&table).fill();
            let (mut single, mut run, mut expected) = (bench(), bench(), bench());
            let end = model::all(&mut expected);
            single.run();
            run.start();
            run.advance_alone(5_000_000);
            let stats = single.dma.stats();
            let place = format!("kind {kind}, {columns} columns, {rows} rows");
            assert_eq!([stats.bytes_get, stats.bytes_put], end.bytes, "{place}");
            assert_eq!(stats, run.dma.stats(), "{place}");
            assert!(single.lmem == expected.lmem && run.lmem == expected.lmem, "{place}");
            assert!(single.memory == expected.memory && run.memory == expected.memory, "{place}");
        }
    }
}
