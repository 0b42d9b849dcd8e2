//! Patterns, flow, single words and index half-registers, by example. Counts of 0 are in `counts.rs`.

use crate::kit::Bench;
use cp2_emu::dma::{
    Descriptor, DescriptorAction, Get, LocalStride, LocalWalk, MemoryWalk, NextDescriptor, Pattern,
    Stride,
};
use cp2_isa::{MemoryAddress, WordAddress};

/// Returns the number of the word of memory that is in local memory; `None` if none has come.
fn come(bench: &Bench, word: usize, section: usize) -> Option<u64> {
    let found = bench.lmem[word][section];
    (found >> 63 == 0).then_some(found >> 32)
}

/// Runs a GET of beats, or of their words, from the start of memory.
fn got(beats: u32, local: LocalWalk, sections: [Pattern; 4], single_words: bool) -> Bench {
    let memory = MemoryWalk::rows(MemoryAddress(0), beats, 0, 1).expect("a row");
    let get = Get { memory, local, single_words, sections, next: NextDescriptor::By(1) };
    let mut bench = Bench::new(&[Descriptor::new(DescriptorAction::Get(get)).stopping()]).fill();
    bench.run();
    assert_eq!(bench.dma.fault(), None);
    bench
}

fn pattern(base: u16, inner: u16, run: u16, outer: u16) -> Pattern {
    Pattern { base, inner, run, outer }
}

/// Returns a walk with all beats at the same place, one over the other.
fn same_place() -> LocalWalk {
    LocalWalk {
        x: LocalStride { step: 0, count: 1, reversed: false },
        ..LocalWalk::linear(WordAddress(0), 1)
    }
}

#[test]
fn a_section_waits_for_one_number_which_may_come_when_the_count_has_gone_round() {
    let sections = [pattern(4, 0, 1, 0), pattern(4, 0, 1, 2), Pattern::NONE, Pattern::ALL];
    for (beats, expected) in [(2, None), (3, Some(4)), (32_770, Some(4)), (32_771, Some(65_540))] {
        let bench = got(beats, same_place(), sections, false);
        assert_eq!(come(&bench, 0, 0), expected, "{beats} beats");
        assert_eq!(come(&bench, 0, 2), None);
        assert_eq!(come(&bench, 0, 3), Some(2 * u64::from(beats) - 2));
        let all_from_4 = (beats > 2).then(|| 2 * u64::from(beats) - 2);
        assert_eq!(come(&bench, 0, 1), all_from_4, "the neighbour that goes on");
    }
}

#[test]
fn a_number_that_has_passed_is_not_taken() {
    // 8, then 6, then 16 and 14: the second has passed when the first has come.
    let backwards =
        got(100, LocalWalk::linear(WordAddress(0), 100), [pattern(8, 0xfffe, 2, 8); 4], false);
    let forwards =
        got(100, LocalWalk::linear(WordAddress(0), 100), [pattern(6, 2, 2, 8); 4], false);
    let taken = |bench: &Bench| {
        (0..100).filter(|beat| come(bench, 2 * beat, 1).is_some()).take(5).collect::<Vec<_>>()
    };
    assert_eq!(taken(&backwards), [4]);
    assert_eq!(taken(&forwards), [3, 4, 7, 8, 11]);
}

#[test]
fn odd_numbers_are_those_of_single_words_only() {
    let sections = [pattern(3, 0, 1, 0), pattern(2, 0, 1, 0), pattern(2, 1, 2, 100), Pattern::NONE];
    let beats = got(40, same_place(), sections, false);
    assert_eq!([0, 1, 2].map(|s| come(&beats, 0, s)), [None, Some(2), Some(2)]);
    let words = got(40, same_place(), sections, true);
    assert_eq!([0, 1, 2].map(|s| come(&words, 0, s)), [Some(3), Some(2), Some(3)]);
}

#[test]
fn single_words_take_two_steps_of_a_beat_the_lower_address_first() {
    let local = |base, x, y| {
        let stride = |step, count| LocalStride { step, count, reversed: false };
        LocalWalk { base, index: None, x: stride(x, 3), y: stride(y, 2) }
    };
    let every = [pattern(0, 1, 1, 1); 4];
    let bench = got(3, local(WordAddress(5), 3, 11), every, true);
    let words = [5, 8, 11, 16, 19, 22].map(|at| come(&bench, at, 2));
    assert_eq!(words, [0, 1, 2, 3, 4, 5].map(Some));
    assert_eq!((come(&bench, 6, 2), come(&bench, 4, 2)), (None, None));
    // Without them the lowest bit is dropped: base 4, steps 2 and 10.
    let bench = got(6, local(WordAddress(5), 3, 11), [Pattern::ALL; 4], false);
    let words = [4, 5, 6, 7, 8, 9, 14, 15].map(|at| come(&bench, at, 2));
    assert_eq!(words, [0, 1, 2, 3, 4, 5, 6, 7].map(Some));
}

#[test]
fn with_flow_all_sections_give_the_places_of_section_0() {
    let put = |flow: u64| {
        let memory = MemoryWalk::rows(MemoryAddress(0), 40, 0, 1).expect("a row");
        let descriptor =
            Descriptor::put(memory, LocalWalk::linear(WordAddress(0), 5), 4).stopping();
        let mut words = descriptor.encode().expect("fields that fit");
        words[0] = words[0] & !(0xff << 32) | flow << 32;
        let mut bench = Bench::with_words(&[words]).fill();
        bench.run();
        let beat = |k: u64| bench.memory.word(MemoryAddress(16 * k)).expect("memory");
        (0..40).map(|k| (beat(k) & 0xff, beat(k) >> 8 & 0xffff)).collect::<Vec<_>>()
    };
    for flow in [1, 2, 3, 4] {
        let expected = (0..40).map(|k| {
            let place = k / (4 * flow) * flow + k % flow;
            (k / flow % 4, 2 * (place % 5))
        });
        assert_eq!(put(flow), expected.collect::<Vec<_>>(), "flow {flow}");
    }
    for flow in [5, 8, 255] {
        assert_eq!(put(flow), put(4), "flow {flow}");
    }
    assert_ne!(put(3), put(4));
}

/// Runs a GET of one beat whose bases have these indices, with values in half-registers 6 and 7.
fn indexed(memory: (u32, u8), local: (u16, u8), halves: [u64; 2]) -> Bench {
    let row = MemoryWalk::rows(memory.0.into(), 1, 0, 1).expect("a row");
    let get = Descriptor::get(
        MemoryWalk { index: Some(memory.1), y: Stride { step: 0, count: 1 }, ..row },
        LocalWalk { index: Some(local.1), ..LocalWalk::linear(WordAddress(local.0), 1) },
        [Pattern::ALL; 4],
    );
    let mut bench = Bench::new(&[get.synced().stopping()]).fill();
    bench.ireg = [u64::MAX; 16];
    bench.start();
    bench.advance(1000, |_| None);
    // Read behind the sync: what stood there before does not count, nor does what comes later.
    bench.ireg[3] = halves[0] << 32 | halves[1];
    bench.release();
    bench.ireg[3] = 0x40;
    bench.advance(2000, |_| None);
    assert_eq!(bench.dma.fault(), None);
    bench
}

#[test]
fn half_registers_are_added_to_the_bases_when_the_data_begin() {
    let bench = indexed((0, 6), (0, 7), [0x1003, 0x20]);
    assert_eq!(come(&bench, 0x20, 0), Some(0x1000 / 8), "two bits are dropped");
    let bench = indexed((0x100, 7), (2, 6), [0x10, 0x1010]);
    assert_eq!(come(&bench, 0x12, 0), Some(0x1110 / 8));
    let bench = indexed((0x1000, 7), (6, 6), [0xffff_fffc, 0xffff_f000]);
    assert_eq!(come(&bench, 2, 0), Some(0), "sums of 32 and of 16 bits");
    let bench = indexed((0, 7), (0, 6), [0x7001_0010, 0x30]);
    assert_eq!(come(&bench, 0x10, 0), Some(6), "16 bits of it count");
}
