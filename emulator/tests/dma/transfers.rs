//! Random transfers against the plain model, and the distributions by example.

use crate::kit::{Bench, TABLE, channel, timing};
use crate::model;
use cp2_emu::dma::{
    Descriptor, DescriptorAction, Dma, DmaRegister, DmaTiming, Get, LocalStride, LocalWalk,
    MemoryWalk, NextDescriptor, Pattern, Put, Stride,
};
use cp2_isa::{MemoryAddress, WordAddress};
use proptest::prelude::*;

fn stride(range: i32, count: u32) -> impl Strategy<Value = Stride> {
    (-range..range, 0..count).prop_map(|(step, count)| Stride { step: step * 16, count })
}

fn memory_walk() -> impl Strategy<Value = MemoryWalk> {
    let index = proptest::option::of(0u8..32);
    (0x8000u32..0x1_0000, index, 0u8..9, stride(300, 7), stride(2000, 6)).prop_map(
        |(base, index, burst, x, y)| MemoryWalk {
            base: MemoryAddress::from(base * 16),
            index,
            burst,
            x,
            y,
        },
    )
}

fn local_stride() -> impl Strategy<Value = LocalStride> {
    (prop_oneof![0u16..9, any::<u16>()], 0u16..9, any::<bool>())
        .prop_map(|(step, count, reversed)| LocalStride { step, count, reversed })
}

fn local_walk() -> impl Strategy<Value = LocalWalk> {
    (any::<u16>(), proptest::option::of(0u8..32), local_stride(), local_stride())
        .prop_map(|(base, index, x, y)| LocalWalk { base: WordAddress(base), index, x, y })
}

fn pattern() -> impl Strategy<Value = Pattern> {
    let some = (0u16..20, 0u16..8, 0u16..6, 0u16..20)
        .prop_map(|(base, inner, run, outer)| Pattern { base, inner, run, outer });
    // Numbers that wrap around come back into the stream.
    let wrapping = (0u16..20, any::<u16>(), 0u16..6, prop_oneof![any::<u16>(), 0xffe0u16..])
        .prop_map(|(base, inner, run, outer)| Pattern { base, inner, run, outer });
    prop_oneof![2 => Just(Pattern::ALL), 1 => Just(Pattern::NONE), 4 => some, 1 => wrapping]
}

/// Returns index registers whose half-registers keep addresses aligned: multiples of 16, but for the two low bits, which
/// memory ignores and local memory does not.
fn ireg() -> impl Strategy<Value = [u64; 16]> {
    let half = || (0u64..0x4000, 0u64..4).prop_map(|(n, low)| n << 4 | low);
    proptest::array::uniform16((half(), half()).prop_map(|(high, low)| high << 32 | low))
}

fn get() -> impl Strategy<Value = Get> {
    (memory_walk(), local_walk(), any::<bool>(), proptest::array::uniform4(pattern())).prop_map(
        |(memory, local, single_words, sections)| Get {
            memory,
            local,
            single_words,
            sections,
            next: NextDescriptor::By(1),
        },
    )
}

fn put() -> impl Strategy<Value = Put> {
    (memory_walk(), local_walk(), 0u8..5, 0u8..16, 0u8..16).prop_map(
        |(memory, local, flow, mask, row_end_mask)| Put {
            memory,
            local,
            flow,
            mask,
            row_end_mask,
            next: NextDescriptor::By(1),
        },
    )
}

/// Returns a bench with one descriptor, filled.
fn bench(action: DescriptorAction, ireg: [u64; 16]) -> Bench {
    let mut bench = Bench::new(&[Descriptor::new(action).stopping()]).fill();
    bench.ireg = ireg;
    bench
}

fn check_same(a: &Bench, b: &Bench) {
    for (address, (x, y)) in a.lmem.iter().zip(&b.lmem).enumerate() {
        assert_eq!(x, y, "local memory at {address}");
    }
    assert!(a.memory == b.memory, "system memory differs");
}

/// Gives a bench a channel for addresses that are multiples of 8.
fn finer(mut bench: Bench) -> Bench {
    bench.dma =
        Dma::new(cp2_isa::Core::CP2, DmaTiming { alignment_bytes: 8, ..timing() }, channel());
    bench.dma.write(DmaRegister::Baseaddr, TABLE).expect("a writable register");
    bench
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn gets_do_what_the_model_does(get in get(), ireg in ireg()) {
        let mut run = bench(DescriptorAction::Get(get.clone()), ireg);
        let mut expected = bench(DescriptorAction::Get(get), ireg);
        run.run();
        prop_assert_eq!(run.dma.fault(), None);
        let end = model::all(&mut expected);
        check_same(&run, &expected);
        prop_assert_eq!(run.dma.stats().bytes_get, end.bytes[0]);
    }

    #[test]
    fn puts_do_what_the_model_does(put in put(), ireg in ireg()) {
        let mut run = bench(DescriptorAction::Put(put.clone()), ireg);
        let mut expected = bench(DescriptorAction::Put(put), ireg);
        run.run();
        prop_assert_eq!(run.dma.fault(), None);
        let end = model::all(&mut expected);
        check_same(&run, &expected);
        prop_assert_eq!(run.dma.stats().bytes_put, end.bytes[1]);
    }

    #[test]
    fn conflicts_change_when_beats_move_and_nothing_else(get in get(), ireg in ireg(), seed in any::<u64>()) {
        let kernel = |cycle: u64| match (cycle ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 62 {
            0 => Some(0),
            1 => Some(1),
            _ => None,
        };
        let mut free = bench(DescriptorAction::Get(get.clone()), ireg);
        let mut busy = bench(DescriptorAction::Get(get.clone()), ireg);
        let mut stepped = bench(DescriptorAction::Get(get), ireg);
        free.run();
        busy.start();
        busy.advance(5_000_000, kernel);
        check_same(&free, &busy);
        // The same cycle by cycle as by events.
        stepped.start();
        while stepped.dma.is_busy() {
            let cycle = stepped.dma.stats().cycles();
            stepped.advance(cycle + 1, kernel);
        }
        check_same(&free, &stepped);
        stepped.advance(5_000_000, kernel);
        prop_assert_eq!(busy.dma.stats(), stepped.dma.stats());
        prop_assert_eq!(free.dma.stats().bank_conflicts(), 0);
    }

    #[test]
    fn runs_of_beats_do_what_single_ones_do(
        get in get(), put in put(), is_put in any::<bool>(), shift in 0u32..12, piece in 1u64..4000,
    ) {
        // Not far from where a piece of memory ends.
        let near = |walk: MemoryWalk| MemoryWalk { base: MemoryAddress::from(0x9_0000 - 8 * shift), index: None, ..walk };
        let action = if is_put {
            DescriptorAction::Put(Put { memory: near(put.memory), ..put })
        } else {
            DescriptorAction::Get(Get { memory: near(get.memory), ..get })
        };
        let mut single = finer(bench(action.clone(), [0; 16]));
        let mut runs = finer(bench(action, [0; 16]));
        single.run();
        runs.start();
        for until in (1..=5_000_000).step_by(piece as usize).take(2000).chain([5_000_000]) {
            runs.advance_alone(until);
        }
        prop_assert_eq!(single.dma.fault(), None);
        check_same(&single, &runs);
        prop_assert_eq!(single.dma.stats(), runs.dma.stats());
    }

    #[test]
    fn copies_move_every_beat(from in memory_walk(), step in -40i32..40, split in 1u32..7) {
        let y = Stride { count: from.y.count * split, step: from.y.step / 8 / 16 * 16 };
        let from = MemoryWalk { index: None, y, ..from };
        let sources = model::addresses(&from, &[0; 16]);
        // As many beats in another shape, all at places of their own.
        let rows = sources.len() as u32;
        // The upper half of memory has room for all of them.
        let apart = (40 + step).min(0x18_0000 / 16 / rows as i32);
        let to = MemoryWalk {
            base: MemoryAddress(0x18_0000),
            burst: 1,
            x: Stride { step: 16 * apart, count: rows },
            ..MemoryWalk::default()
        };
        let to = if step == -40 { MemoryWalk { x: Stride { step: 16, ..to.x }, ..to } } else { to };
        let mut run = Bench::new(&[Descriptor::copy(from, to).stopping()]).fill();
        let expected = Bench::new(&[]).fill();
        run.run();
        prop_assert_eq!(run.dma.fault(), None);
        let targets = model::addresses(&to, &[0; 16]);
        prop_assume!(sources.iter().all(|a| !targets.contains(a)));
        for (s, t) in sources.iter().zip(&targets) {
            for half in [0, 8] {
                prop_assert_eq!(run.memory.word(MemoryAddress(t + half)), expected.memory.word(MemoryAddress(s + half)));
            }
        }
    }
}

/// Returns a walk that reaches no place twice, in bursts, rows and planes of these numbers with gaps between them.
fn apart(shape: [u32; 3], gaps: [i32; 2], signs: [bool; 2], index: Option<u8>) -> MemoryWalk {
    let [burst, nx, ny] = shape;
    let x = 16 * (burst as i32 + gaps[0]);
    let y = nx as i32 * x + 16 * gaps[1];
    let signed = |step: i32, is_negative: bool| if is_negative { -step } else { step };
    MemoryWalk {
        base: MemoryAddress(0x1a_0000),
        index,
        burst: burst as u8,
        x: Stride { step: signed(x, signs[0]), count: nx },
        y: Stride { step: signed(y, signs[1]), count: ny },
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn copies_go_from_any_walk_to_any_other(
        from in memory_walk(),
        turn in 0usize..3,
        gaps in proptest::array::uniform2(0i32..5),
        signs in any::<[bool; 2]>(),
        index in proptest::option::of(0u8..32),
        ireg in ireg(),
    ) {
        let sources = model::addresses(&from, &ireg);
        let mut shape = [u32::from(from.burst), from.x.count, from.y.count];
        if shape.contains(&0) {
            shape = [1, 1, sources.len() as u32];
        }
        shape.rotate_left(turn);
        let to = apart(shape, gaps, signs, index);
        let mut run = Bench::new(&[Descriptor::copy(from, to).stopping()]).fill();
        let mut expected = Bench::new(&[Descriptor::copy(from, to).stopping()]).fill();
        run.ireg = ireg;
        run.run();
        prop_assert_eq!(run.dma.fault(), None);
        for (s, t) in sources.iter().zip(model::addresses(&to, &ireg)) {
            let words = [*s, s + 8].map(|a| expected.memory.word(MemoryAddress(a)).expect("an address in memory"));
            expected.memory.write_words(MemoryAddress(t), &words).expect("an address in memory");
        }
        check_same(&run, &expected);
        let bytes = 16 * sources.len() as u64;
        let stats = run.dma.stats();
        prop_assert_eq!((stats.bytes_get, stats.bytes_put), (bytes, bytes));
    }
}

/// Returns words of section `s` from address 0 on, as numbers of beats of the stream.
fn beats_of(bench: &Bench, s: usize, n: usize) -> Vec<u64> {
    (0..n).map(|k| (bench.lmem[2 * k][s] >> 32) / 2).collect()
}

fn get_of(beats: u32, local: LocalWalk, sections: [Pattern; 4]) -> Bench {
    let memory = MemoryWalk::rows(MemoryAddress(0), beats, 0, 1).expect("a row");
    let mut bench = Bench::new(&[Descriptor::get(memory, local, sections).stopping()]).fill();
    bench.run();
    bench
}

#[test]
fn one_descriptor_broadcasts_deals_out_or_interleaves() {
    let all = get_of(8, LocalWalk::linear(WordAddress(0), 8), [Pattern::ALL; 4]);
    let shares = get_of(32, LocalWalk::linear(WordAddress(0), 8), Pattern::dealt(8));
    let interleaved = get_of(32, LocalWalk::interleaved(WordAddress(0), 8), Pattern::dealt(1));
    for s in 0..4 {
        let stream = |f: &dyn Fn(u64) -> u64| (0..8).map(f).collect::<Vec<_>>();
        assert_eq!(beats_of(&all, s, 8), stream(&|k| k));
        assert_eq!(beats_of(&shares, s, 8), stream(&|k| 8 * s as u64 + k));
        assert_eq!(beats_of(&interleaved, s, 8), stream(&|k| 4 * k + s as u64));
    }
    let one = get_of(8, LocalWalk::linear(WordAddress(0), 8), Pattern::only(2));
    assert_eq!(beats_of(&one, 2, 8), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(one.lmem[0][1], 0xc000_0000_0000_0001, "untouched");
}

#[test]
fn what_one_distribution_took_in_the_other_direction_gives_back() {
    for (flow, local, sections) in [
        (0, LocalWalk::linear(WordAddress(0), 8), Pattern::dealt(8)),
        (1, LocalWalk::interleaved(WordAddress(0), 8), Pattern::dealt(1)),
    ] {
        let there = MemoryWalk::rows(MemoryAddress(0), 32, 0, 1).expect("a row");
        let back = MemoryWalk::rows(MemoryAddress(0x10_0000), 32, 0, 1).expect("a row");
        // On the way back the walk of one section is stated, not that of the stream.
        let table = [
            Descriptor::get(there, local, sections),
            Descriptor::put(back, LocalWalk::linear(WordAddress(0), 8), flow).stopping(),
        ];
        let mut bench = Bench::new(&table).fill();
        bench.run();
        for k in 0..64 {
            assert_eq!(
                bench.memory.word(MemoryAddress(0x10_0000 + 8 * k)),
                bench.memory.word(MemoryAddress(8 * k)),
                "flow {flow}"
            );
        }
    }
}

#[test]
fn masked_words_stay_as_they_were() {
    let local = LocalWalk {
        y: LocalStride { step: 4, count: 2, reversed: false },
        ..LocalWalk::linear(WordAddress(0), 2)
    };
    let put = Put {
        memory: MemoryWalk::rows(MemoryAddress(0), 4, 0, 1).expect("a row"),
        local,
        flow: 0,
        mask: 0b0001,
        row_end_mask: 0b1000,
        next: NextDescriptor::By(1),
    };
    let mut bench = Bench::new(&[Descriptor::new(DescriptorAction::Put(put)).stopping()]).fill();
    bench.run();
    let old = |k: u64| k << 32 | (k ^ 0xffff);
    let new = |a: u64| 0xc000_0000_0000_0000 | a << 8;
    let word = |k: u64| bench.memory.word(MemoryAddress(8 * k)).expect("memory");
    for row in [0, 4] {
        assert_eq!(word(row), old(row) & !0xffff_ffff | new(row) & 0xffff_ffff, "first word kept");
        assert_eq!(word(row + 1), new(row + 1));
        assert_eq!(word(row + 2), new(row + 2));
        assert_eq!(
            word(row + 3),
            new(row + 3) & !0xffff_ffff | old(row + 3) & 0xffff_ffff,
            "last kept"
        );
    }
}

/// All pairs of masks: the last beat of a row is cut by the second alone, the others by the first alone.
#[test]
fn the_mask_of_the_row_end_replaces_the_other() {
    let local = LocalWalk {
        y: LocalStride { step: 4, count: 2, reversed: false },
        ..LocalWalk::linear(WordAddress(0), 2)
    };
    for (mask, row_end_mask) in (0..16).flat_map(|mask| (0..16).map(move |end| (mask, end))) {
        let put = Put {
            memory: MemoryWalk::rows(MemoryAddress(0), 4, 0, 1).expect("a row"),
            local,
            flow: 0,
            mask,
            row_end_mask,
            next: NextDescriptor::By(1),
        };
        let mut bench =
            Bench::new(&[Descriptor::new(DescriptorAction::Put(put)).stopping()]).fill();
        let before: Vec<u64> =
            (0..8).map(|k| bench.memory.word(MemoryAddress(8 * k)).expect("memory")).collect();
        bench.run();
        for k in 0..16_u64 {
            let half = |word: u64| if k % 2 == 0 { word >> 32 } else { word & 0xffff_ffff };
            let (beat, place) = (k / 4, k % 4);
            let cut_by = if beat % 2 == 1 { row_end_mask } else { mask };
            let old = half(before[(k / 2) as usize]);
            let new = half(0xc000_0000_0000_0000 | (k / 2) << 8);
            let expected = if cut_by >> place & 1 == 1 { old } else { new };
            let found = half(bench.memory.word(MemoryAddress(8 * (k / 2))).expect("memory"));
            assert_eq!(found, expected, "masks {mask:04b} and {row_end_mask:04b}, 32-bit word {k}");
        }
    }
}
