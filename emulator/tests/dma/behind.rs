//! A channel that follows a kernel in long pieces, or works alone, against one that goes beat by beat,
//! on random machines: clocks, widths of the bus, windows, rows, limits. What transfers move is compared
//! with a model in `transfers.rs`.

use crate::kit::{Bench, MEMORY, TABLE};
use crate::random::SplitMix64;
use cp2_emu::dma::{
    Accesses, Descriptor, DescriptorAction, Dma, DmaRegister, DmaTiming, Gather, Get, GetWords,
    LocalStride, LocalWalk, MemoryWalk, Pattern, Ports, Put, PutWords, Stride, config,
};
use cp2_emu::memory::{DirectionTiming, MemoryTiming};
use cp2_isa::{Bank, Cycle, MemoryAddress, WordAddress};

fn channel(s: &mut SplitMix64) -> MemoryTiming {
    let mut cost = || DirectionTiming {
        latency_clocks: s.of(&[0, 1, 3, 20, 60]),
        row_opening_clocks: s.of(&[0, 0, 1, 7, 40]),
    };
    let (get, put) = (cost(), cost());
    let transaction_bytes = s.of(&[16, 32, 48, 64, 64, 128, 256, 1024]);
    let rows = s.of(&[16, 32, 48, 64, 80, 144, 1024, 8192, 3 * 1024]);
    MemoryTiming {
        cpu_mhz: s.of(&[200, 200, 1000, 1200, 333, 997, 100, 1]),
        memory_mhz: s.of(&[200, 200, 667, 800, 1000, 991, 333, 4]),
        bytes_per_clock: 1 << s.below(9),
        transaction_bytes,
        outstanding: s.of(&[1, 1, 2, 3, 4, 8, 64]),
        row_bytes: transaction_bytes.max(rows),
        turnaround_clocks: s.of(&[0, 0, 1, 8, 50]),
        get,
        put,
    }
}

fn memory_walk(s: &mut SplitMix64) -> MemoryWalk {
    let step = |s: &mut SplitMix64| match s.below(4) {
        0 => 0,
        1 => -(16 * s.below(300) as i32),
        _ => 16 * s.below(300) as i32,
    };
    let base = match s.below(12) {
        // Near the end of memory.
        0 => MEMORY as u32 - 16 * s.below(100) as u32,
        1 => 4 * s.below(80_000) as u32,
        _ => 0x8_0000 + 16 * s.below(0x8000) as u32,
    };
    MemoryWalk {
        base: base.into(),
        index: None,
        burst: if s.one_in(10) { 0 } else { 1 + s.below(63) as u8 },
        x: Stride { step: step(s), count: s.below(5) as u32 },
        y: Stride { step: step(s), count: s.below(8) as u32 },
    }
}

fn local_walk(s: &mut SplitMix64) -> LocalWalk {
    let stride = |s: &mut SplitMix64| LocalStride {
        step: s.of(&[2, 2, 2, 0, 0, 8, 8190, 64, 7, 8192 - 6]),
        count: if s.one_in(5) { s.below(40) as u16 } else { s.of(&[0, 1, 4, 4]) },
        reversed: s.one_in(8),
    };
    let any = s.below(1 << 16) as u16;
    let base = s.of(&[0, 1000, 4000, 4090, 4096, 5000, 8100, 8190, any]);
    match s.below(8) {
        0..2 => LocalWalk::interleaved(WordAddress(base), 1 + s.below(60) as u16),
        // Steps whose reversed terms stay in a bank.
        2 => LocalWalk {
            x: LocalStride { step: s.of(&[8, 16, 64]), count: 4, reversed: true },
            ..LocalWalk::linear(WordAddress(base), 1)
        },
        _ => LocalWalk { base: WordAddress(base), index: None, x: stride(s), y: stride(s) },
    }
}

fn sections(s: &mut SplitMix64) -> [Pattern; 4] {
    match s.below(8) {
        0 => [Pattern::ALL; 4],
        1 => [Pattern::NONE; 4],
        2 => Pattern::only(s.below(4) as usize),
        3..6 => {
            let mut dealt = Pattern::dealt(s.of(&[1, 1, 1, 2, 3, 17]));
            dealt.rotate_left(s.below(4) as usize);
            dealt
        }
        _ => std::array::from_fn(|_| Pattern {
            base: s.of(&[0, 2, 4, 6, 8, 1, 40]),
            inner: s.of(&[0, 2, 4, 6, 1]),
            run: s.below(5) as u16,
            outer: s.of(&[2, 8, 8, 6, 0, 64]),
        }),
    }
}

/// Returns a descriptor with the same walks, as those of 32-bit words.
fn of_words(s: &mut SplitMix64, descriptor: Descriptor) -> Descriptor {
    let action = match descriptor.action {
        DescriptorAction::Get(Get { memory: list, local, sections, next, .. }) if s.one_in(3) => {
            DescriptorAction::Gather(Gather { list, base: None, local, sections, next })
        }
        DescriptorAction::Get(Get { memory, local, sections, next, .. }) => {
            DescriptorAction::GetWords(GetWords { memory, local, sections, next })
        }
        DescriptorAction::Put(Put { memory, local, flow, next, .. }) => {
            DescriptorAction::PutWords(PutWords { memory, local, flow, next })
        }
        other => other,
    };
    Descriptor { action, ..descriptor }
}

fn descriptor(s: &mut SplitMix64) -> Descriptor {
    let (memory, local) = (memory_walk(s), local_walk(s));
    let mut made = match s.below(9) {
        0..4 => Descriptor::get(memory, local, sections(s)),
        4..8 => Descriptor::put(memory, local, s.below(5) as u8),
        _ => {
            let to = MemoryWalk {
                base: MemoryAddress::from(0x10_0000 + 16 * s.below(1000) as u32),
                ..memory
            };
            Descriptor::copy(memory, to)
        }
    };
    match &mut made.action {
        DescriptorAction::Get(get) => get.single_words = s.one_in(8),
        DescriptorAction::Put(put) => {
            put.mask = s.of(&[0, 0, 5, 15, 1]);
            put.row_end_mask = s.of(&[0, put.mask, 3, 8]);
        }
        _ => {}
    }
    made.interrupt = s.one_in(4);
    if s.one_in(6) { of_words(s, made) } else { made }
}

pub(crate) fn bench(s: &mut SplitMix64) -> Bench {
    let timing = channel(s);
    bench_with(s, timing)
}

/// Returns a bench with any descriptors, on a channel with a bus of a beat, at these clocks of CP2 and of memory.
fn bench_at(s: &mut SplitMix64, (cpu_mhz, memory_mhz): (u32, u32)) -> Bench {
    let timing = MemoryTiming { cpu_mhz, memory_mhz, bytes_per_clock: 16, ..channel(s) };
    bench_with(s, timing)
}

fn bench_with(s: &mut SplitMix64, channel: MemoryTiming) -> Bench {
    let n = s.below(6);
    let mut table: Vec<_> = (0..n).map(|_| descriptor(s)).collect();
    let last = descriptor(s).stopping();
    table.push(last);
    let mut bench = Bench::new(&table).fill();
    let timing = DmaTiming {
        start_cycles: 2,
        set_up_cycles: s.below(4) as u32,
        alignment_bytes: s.of(&[4, 16, 16, 16]),
        memory_to_memory: true,
        words: true,
    };
    bench.dma = Dma::new(cp2_isa::Core::CP2, timing, channel);
    bench.dma.write(DmaRegister::Baseaddr, TABLE).expect("a register");
    if s.one_in(4) {
        let limit = s.of(&[0x20_0400, MEMORY as u32, 0x2f_fff4]) - 4 * s.below(20) as u32;
        bench.dma.write(DmaRegister::Addrlim, limit).expect("a register");
        bench.dma.write(DmaRegister::Config, config::CHECK_LIMIT).expect("a register");
    }
    bench.start();
    bench
}

/// Returns the bank that a kernel accesses in each cycle of a piece.
pub(crate) fn banks(s: &mut SplitMix64, cycles: u64) -> Vec<Option<usize>> {
    let (bank, other) = (s.below(2) as usize, s.of(&[1, 4, 1000]));
    let (every, mut left) = (s.of(&[1, 2, 2, 3, 7, 50]), 0);
    let kind = s.below(5);
    let mut one = |k: u64| {
        let is = match kind {
            0 => false,
            1 => k.is_multiple_of(every),
            2 => s.one_in(every),
            3 => true,
            _ => {
                // Stretches with and without.
                if left == 0 {
                    left = 2 * (1 + s.below(100)) + s.below(2);
                }
                left = left.saturating_sub(2);
                left & 1 == 1
            }
        };
        is.then(|| if s.one_in(other) { 1 - bank } else { bank })
    };
    (0..cycles).map(&mut one).collect()
}

pub(crate) fn assert_alike(a: &Bench, b: &Bench, place: &str) {
    assert_eq!(a.dma.now(), b.dma.now(), "{place}");
    assert_eq!(a.dma.stats(), b.dma.stats(), "{place}");
    assert_eq!(a.dma.fault(), b.dma.fault(), "{place}");
    assert_eq!(a.dma.next_event(), b.dma.next_event(), "{place}");
    let counts = |b: &Bench| (b.dma.port().n_transactions(), b.dma.port().n_row_openings());
    assert_eq!(counts(a), counts(b), "{place}");
    for register in [DmaRegister::Intcause, DmaRegister::Curdsc, DmaRegister::Status] {
        assert_eq!(a.dma.register(register), b.dma.register(register), "{place}");
    }
    assert!(a.lmem == b.lmem, "local memory, {place}");
}

/// Compares both channels on a random machine; returns the bytes and the conflicts.
fn compare(number: u64, bench: impl Fn(&mut SplitMix64) -> Bench) -> [u64; 2] {
    let mut s = SplitMix64(number);
    let (mut slow, mut quick) = (bench(&mut SplitMix64(number)), bench(&mut s));
    let mut accesses = Accesses::default();
    let longest = s.of(&[30, 300, 3000]);
    let mut now = 0;
    while slow.dma.is_busy() && now < 60_000 {
        let until = now + 1 + s.below(longest);
        let kernel = if s.one_in(6) { Vec::new() } else { banks(&mut s, until - now) };
        slow.advance(until, |cycle| kernel.get((cycle - now) as usize).copied().flatten());
        let Bench { dma, memory, lmem, ireg } = &mut quick;
        let mut ports = Ports { memory, lmem, ireg };
        if kernel.is_empty() {
            assert_eq!(dma.advance_alone(Cycle(until), &mut ports, false), Cycle(until));
        } else {
            accesses.start(Cycle(now), Cycle(until));
            for bank in [0, 1] {
                let bit = |k: usize| u64::from(kernel.get(k) == Some(&Some(bank))) << (k % 64);
                let words = kernel.len().div_ceil(64);
                let bits: Vec<u64> =
                    (0..words).map(|w| (0..64).map(|k| bit(64 * w + k)).sum()).collect();
                accesses.note_cycles(Cycle(now), Bank(bank as u8), &bits);
            }
            assert!(dma.follow(Cycle(until), &mut ports, &accesses, false));
        }
        now = until;
        assert_alike(&slow, &quick, &format!("number {number}, cycle {now}"));
    }
    assert!(slow.memory == quick.memory, "memory, number {number}");
    let stats = slow.dma.stats();
    [stats.bytes_get + stats.bytes_put, stats.bank_conflicts()]
}

/// Compares so many random machines; there have to be bytes and conflicts enough.
fn compare_all(numbers: u64, bench: impl Fn(&mut SplitMix64) -> Bench) {
    let counts: Vec<_> = (0..numbers).map(|number| compare(number, &bench)).collect();
    let [bytes, conflicts] = [0, 1].map(|k| counts.iter().map(|c| c[k]).sum::<u64>() / numbers);
    assert!(bytes > 6666 && conflicts > 66, "{bytes} bytes and {conflicts} conflicts each");
}

#[test]
fn pieces_of_any_length_do_what_single_beats_do() {
    compare_all(150, bench);
}

#[test]
fn so_they_do_with_a_beat_in_each_clock_at_several_clocks() {
    for clocks in [(200, 200), (1000, 600), (1200, 800), (500, 600), (1700, 600)] {
        compare_all(60, |s| bench_at(s, clocks));
    }
}
