//! Random chains of descriptors, by their words, against the model: data, registers and causes, for a channel
//! that goes from beat to beat and for one that takes them in runs.

use crate::kit::{Bench, MEMORY, TABLE, case_numbers, channel, timing};
use crate::model::{Chain, End};
use crate::random::SplitMix64;
use cp2_emu::dma::{
    Descriptor, DescriptorAction, Dma, DmaRegister, DmaTiming, Gather, Get, GetWords, Jump,
    JumpKind, LocalStride, LocalWalk, MemoryWalk, NextDescriptor, Pattern, Put, PutWords, Stride,
    config, ctrl,
};
use cp2_isa::{Bytes, Cycle, MemoryAddress, WordAddress};

/// Descriptors of a table.
const ENTRIES: u64 = 24;
/// Number of executed descriptors at which CTRL is told to stop the channel, for chains may be loops.
const MOST: u64 = 20;

fn memory_walk(s: &mut SplitMix64) -> MemoryWalk {
    // Runs of beats begin at multiples of a beat.
    let unit = s.of(&[4, 16, 16]);
    let stride = |s: &mut SplitMix64, range: u64, most: u64| {
        let step = unit * (s.below(range) as i32 / unit);
        Stride { step: if s.one_in(3) { -step } else { step }, count: s.below(most) as u32 }
    };
    let base = match s.below(30) {
        0 => MEMORY - s.below(400),
        _ => 0x8_0000 + s.below(0x8_0000),
    };
    MemoryWalk {
        base: MemoryAddress::from(base as u32 / unit as u32 * unit as u32),
        index: s.one_in(4).then(|| s.below(32) as u8),
        burst: s.of(&[0, 1, 2, 3, 4, 5, 8, 15]),
        x: stride(s, 4800, 7),
        y: stride(s, 32_000, 6),
    }
}

fn local_walk(s: &mut SplitMix64) -> LocalWalk {
    let stride = |s: &mut SplitMix64| {
        let most = s.of(&[5, 5, 5, 40]);
        LocalStride {
            step: if s.one_in(3) { s.bits() as u16 } else { s.below(9) as u16 },
            count: s.below(most) as u16,
            reversed: s.one_in(4),
        }
    };
    let index = s.one_in(4).then(|| s.below(32) as u8);
    LocalWalk { base: WordAddress(s.bits() as u16), index, x: stride(s), y: stride(s) }
}

fn pattern(s: &mut SplitMix64) -> Pattern {
    let near = |s: &mut SplitMix64, n: u64| if s.one_in(12) { s.bits() } else { s.below(n) } as u16;
    match s.below(5) {
        0 => Pattern::ALL,
        1 => Pattern { base: 2 * s.below(4) as u16, inner: 2, run: s.below(4) as u16, outer: 8 },
        _ => {
            let (base, inner) = (near(s, 12), near(s, 8));
            Pattern { base, inner, run: s.below(5) as u16, outer: near(s, 20) }
        }
    }
}

fn next(s: &mut SplitMix64) -> NextDescriptor {
    match s.below(6) {
        0 => NextDescriptor::Index(s.below(32) as u8),
        1 => NextDescriptor::By(s.below(9) as i16 - 4),
        _ => NextDescriptor::By(1),
    }
}

fn jump(s: &mut SplitMix64) -> Jump {
    let near = |s: &mut SplitMix64| s.below(9) as i16 - 3;
    let kind = match s.below(4) {
        0 => JumpKind::Relative,
        1 => JumpKind::Table(std::array::from_fn(|_| s.of(&[0, 1, 2, 3, 4, 5, 30, 65535]))),
        2 => JumpKind::Absolute,
        _ => JumpKind::Compare { value: s.below(3) as u32, equal: near(s), other: near(s) },
    };
    Jump { kind, index: s.below(32) as u8 }
}

/// Returns a transfer of 32-bit words, with bursts that often follow each other without a gap.
fn of_words(s: &mut SplitMix64) -> DescriptorAction {
    let (walk, local, next) = (memory_walk(s), local_walk(s), next(s));
    let burst = s.of(&[walk.burst, walk.burst, 17, 34, 63]);
    let x = Stride { step: 4 * i32::from(burst), ..walk.x };
    let base = walk.base + Bytes::from(4 * s.below(4) as u32);
    let memory = MemoryWalk { base, burst, x: if s.one_in(2) { x } else { walk.x }, ..walk };
    let patterns = std::array::from_fn(|_| pattern(s));
    let sections = match s.below(4) {
        0 => Pattern::dealt_words(s.below(9) as u16),
        1 => [Pattern::ALL_WORDS; 4],
        2 => Pattern::only_words(s.below(4) as usize),
        _ => patterns,
    };
    let local = if s.one_in(2) {
        LocalWalk { x: LocalStride { step: 1, reversed: false, ..local.x }, ..local }
    } else {
        local
    };
    match s.below(3) {
        0 => DescriptorAction::GetWords(GetWords { memory, local, sections, next }),
        1 => DescriptorAction::PutWords(PutWords { memory, local, flow: s.below(5) as u8, next }),
        _ => {
            let list = MemoryWalk { base: MemoryAddress(memory.base.0 % 0x10_0000), ..memory };
            let base = s.one_in(2).then(|| s.below(32) as u8);
            DescriptorAction::Gather(Gather { list, base, local, sections, next })
        }
    }
}

fn descriptor(s: &mut SplitMix64) -> [u64; 8] {
    let (memory, local, next) = (memory_walk(s), local_walk(s), next(s));
    let action = match s.below(10) {
        0..4 => {
            let patterns = std::array::from_fn(|_| pattern(s));
            let sections = if s.one_in(4) { Pattern::dealt(s.below(4) as u16) } else { patterns };
            DescriptorAction::Get(Get { memory, local, single_words: s.one_in(3), sections, next })
        }
        4..7 => {
            let mask = s.of(&[0, 0, 5, 9]);
            let row_end_mask = s.of(&[mask, mask, 15, 3]);
            let flow = s.below(5) as u8;
            DescriptorAction::Put(Put { memory, local, flow, mask, row_end_mask, next })
        }
        7 => DescriptorAction::Jump(jump(s)),
        _ => of_words(s),
    };
    let made = Descriptor {
        valid: !s.one_in(30),
        interrupt: s.one_in(6),
        stop: s.one_in(12),
        sync_before: s.one_in(8),
        sync_after: s.one_in(8),
        action,
    };
    let mut words = made.encode().expect("fields that fit");
    // Bits without a meaning, and more flow than there is.
    match made.action {
        DescriptorAction::Get(_) => words[0] |= s.below(128) << 33,
        DescriptorAction::Put(put) => {
            words[0] |= if put.flow == 4 { s.below(64) << 34 } else { 0 };
            words[5..].fill_with(|| s.bits());
        }
        DescriptorAction::GetWords(_) => words[0] |= s.below(64) << 34 | s.below(2) << 32,
        DescriptorAction::Gather(_) => words[0] |= s.below(2) << 32,
        DescriptorAction::PutWords(_) => words[4..].fill_with(|| s.bits()),
        _ => words[5..].fill_with(|| s.bits()),
    }
    words
}

/// Random chain, and the state of the machine when the host starts the channel.
struct Case {
    table: Vec<[u64; 8]>,
    ireg: [u64; 16],
    first: u32,
    limit: Option<u32>,
    ctrl: u32,
}

impl Case {
    fn new(s: &mut SplitMix64) -> Self {
        // Memory bases lose two bits of an index; the low byte, for jumps, is small.
        let half = |s: &mut SplitMix64| s.below(0x300) << 8 | s.of(&[0, 1, 2, 3, 5, 17, 254, 255]);
        let limit = s.of(&[0x20_0200, 0x10_0000 + TABLE, MEMORY as u32]) - 8 * s.below(60) as u32;
        Self {
            table: (0..ENTRIES).map(|_| descriptor(s)).collect(),
            ireg: std::array::from_fn(|_| half(s) << 32 | half(s)),
            first: s.below(ENTRIES / 2) as u32,
            limit: s.one_in(4).then_some(limit),
            ctrl: if s.one_in(10) { ctrl::STOP } else { 0 },
        }
    }

    fn bench(&self) -> Bench {
        let mut bench = Bench::with_words(&self.table).fill();
        bench.ireg = self.ireg;
        bench.dma =
            Dma::new(cp2_isa::Core::CP2, DmaTiming { alignment_bytes: 4, ..timing() }, channel());
        bench.write(DmaRegister::Baseaddr, TABLE);
        bench.write(DmaRegister::Curdsc, self.first);
        if let Some(limit) = self.limit {
            bench.write(DmaRegister::Addrlim, limit);
            bench.write(DmaRegister::Config, config::CHECK_LIMIT);
        }
        bench.write(DmaRegister::Ctrl, ctrl::START | self.ctrl);
        bench
    }
}

/// Changes the index registers, as a kernel does while the channel waits.
fn turn(bench: &mut Bench) {
    bench.ireg.rotate_left(3);
}

/// Returns the end of a run as the host sees it.
fn end(bench: &Bench) -> End {
    let stats = bench.dma.stats();
    End {
        curdsc: bench.dma.register(DmaRegister::Curdsc),
        causes: bench.dma.register(DmaRegister::Intcause),
        ctrl: bench.dma.register(DmaRegister::Ctrl),
        n_descriptors: stats.n_descriptors,
        bytes: [stats.bytes_get, stats.bytes_put],
    }
}

/// Action of the kernel or the host on the channel in a cycle.
#[derive(Clone, Copy)]
enum Deed {
    Release,
    Stop,
}

fn act(bench: &mut Bench, deed: Deed) {
    match deed {
        Deed::Release => {
            turn(bench);
            bench.release();
        }
        Deed::Stop => bench.write(DmaRegister::Ctrl, ctrl::STOP),
    }
}

/// Advances from event to event, beat by beat, to the end; returns the cycles in which something was done to the channel.
fn step(bench: &mut Bench) -> Vec<(Cycle, Deed)> {
    let mut deeds = Vec::new();
    let mut is_stopped = false;
    while bench.dma.is_busy() {
        let deed = if bench.dma.is_waiting() {
            Deed::Release
        } else if !is_stopped && bench.dma.stats().n_descriptors == MOST {
            is_stopped = true;
            Deed::Stop
        } else {
            let next = bench.dma.next_event().expect("an event of a busy channel");
            bench.advance(next.0 + 1, |_| None);
            continue;
        };
        deeds.push((bench.dma.now(), deed));
        act(bench, deed);
    }
    deeds
}

/// Advances in runs of beats up to a cycle, with what was done to the channel in a run beat by beat.
fn run(bench: &mut Bench, deeds: &[(Cycle, Deed)], until: Cycle, s: &mut SplitMix64) {
    let mut go = |bench: &mut Bench, until: Cycle| {
        while bench.dma.now() < until {
            let to = until.min(bench.dma.now() + 1 + s.below(400));
            if s.one_in(4) { bench.advance(to.0, |_| None) } else { bench.advance_alone(to.0) }
        }
    };
    for &(cycle, deed) in deeds {
        go(bench, cycle);
        act(bench, deed);
    }
    go(bench, until);
}

/// Compares the channel, in single beats and in runs, with the model; returns descriptors and bytes.
fn compare(number: u64) -> [u64; 3] {
    let mut s = SplitMix64(number);
    let case = Case::new(&mut s);
    let [mut single, mut runs, mut expected] = [case.bench(), case.bench(), case.bench()];
    let Case { first, limit, ctrl, .. } = case;
    let chain = Chain { bench: &mut expected, limit, first, ctrl, stop_at: MOST };
    let told = chain.run(turn);
    let deeds = step(&mut single);
    run(&mut runs, &deeds, single.dma.now(), &mut s);
    assert_eq!(end(&single), told, "number {number}");
    assert_eq!(end(&runs), told, "number {number}");
    assert_eq!(single.dma.stats(), runs.dma.stats(), "number {number}");
    for bench in [&single, &runs] {
        assert!(bench.lmem == expected.lmem, "local memory, number {number}");
        assert!(bench.memory == expected.memory, "memory, number {number}");
        assert_eq!(bench.dma.check(), 0, "number {number}");
    }
    [told.n_descriptors, told.bytes[0], told.bytes[1]]
}

#[test]
fn chains_do_what_the_model_does() {
    let numbers = case_numbers(300);
    let n = numbers.end - numbers.start;
    let sums = numbers.map(compare).fold([0; 3], |a, b| std::array::from_fn(|k| a[k] + b[k]));
    println!("{n} chains: {} descriptors, {} bytes get, {} bytes put", sums[0], sums[1], sums[2]);
    // Of a few numbers alone nothing is asked.
    let n = if n < 100 { 0 } else { n };
    assert!(sums[0] >= 3 * n && sums[1] >= 500 * n && sums[2] >= 500 * n, "{sums:?}");
}
