//! Random programs on the bare machine: segments, the TLB, exceptions, the timer, interrupts, devices, code that changes, and
//! going back.

use crate::board::{DEVICE, SHARED, TestBoard};
use crate::generator::{Accesses, Numbers, STEADY, program};
use crate::time;
use cp2_k64::core::Cpu;
use cp2_k64::cp0::number;
use cp2_k64::devices::Devices;
use cp2_k64::elf::{ElfProgram, Segment};
use cp2_k64::isa::Release;
use cp2_k64::machine::{MachineEnd, Processor};
use cp2_k64::memory::Allowed;
use cp2_k64::mmu::{Frame, TlbEntry};
use cp2_k64::timing::InstructionCosts;
use proptest::prelude::*;
use std::any::Any;
use std::ops::ControlFlow;

/// Physical addresses of code and data.
const CODE: u64 = 0x0010_0000;
const DATA: u64 = 0x0012_0000;
const KSEG0: u64 = 0xffff_ffff_8000_0000;
const KSEG1: u64 = 0xffff_ffff_a000_0000;
const CACHED: u64 = 0x9800_0000_0000_0000;
const UNCACHED: u64 = 0x9000_0000_0000_0000;
/// Begin of the addresses that the first entries of the TLB map to all of memory, in steps of 8 KiB, two of them with
/// less rights.
const MAPPED: u64 = 0x0000_0000_4000_0000;
const TURNS: u32 = 250;
/// Cycles of a run.
const MOST_CYCLES: u64 = 120_000;

/// Handlers: that of interrupts sets the timer and quiets the device; that of exceptions goes on behind the instruction.
const HANDLER: [u32; 21] = [
    0x401a_6800, // mfc0 $26, $13
    0x335b_007c, // andi $27, $26, 124
    0x1760_0008, // bne $27, $0, exception
    0x0000_0000, // nop
    0x401b_4800, // mfc0 $27, $9
    0x277b_0089, // addiu $27, $27, 137
    0x409b_5800, // mtc0 $27, $11
    0x3c1a_b800, // lui $26, 0xb800
    0x375a_0800, // ori $26, $26, 0x800
    0xaf5b_0000, // sw $27, 0($26)
    0x4200_0018, // eret
    0x0740_0004, // exception: bltz $26, behind the slot
    0x403b_7000, // dmfc0 $27, $14
    0x677b_0004, // daddiu $27, $27, 4
    0x40bb_7000, // dmtc0 $27, $14
    0x4200_0018, // eret
    0x403b_7000, // behind the slot: dmfc0 $27, $14
    0x677b_0008, // daddiu $27, $27, 8
    0x40bb_7000, // dmtc0 $27, $14
    0x4200_0018, // eret
    0,
];
/// Jump to the handler at offset 0x180.
const TO_HANDLER: [u32; 2] = [0x0800_0060, 0];
/// Instructions of a program that ends: lui $26, 0xb800; sb $0, 0x400($26).
const END: [u32; 3] = [0x3c1a_b800, 0xa340_0400, 0];

/// Returns an instruction of coprocessor 0, or another one that leaves the program.
fn privileged(numbers: &mut Numbers) -> u32 {
    let general = |numbers: &mut Numbers| 2 + numbers.below(14) as u32;
    // mtc0, dmtc0: Index, EntryLo, PageMask, Count, Compare, EntryHi, Cause; Status from the registers for it.
    let written = [0, 2, 3, 5, 9, 11, 11, 10, 13];
    let read = [0, 1, 2, 3, 4, 8, 9, 9, 9, 10, 11, 12, 13, 14, 16, 20];
    let move_from = [0x4000_0000, 0x4020_0000][numbers.below(2) as usize];
    match numbers.below(16) {
        0..=4 => move_from | general(numbers) << 16 | read[numbers.below(16) as usize] << 11,
        5..=7 => {
            let register = general(numbers);
            (move_from | 0x0080_0000) | register << 16 | written[numbers.below(9) as usize] << 11
        }
        8 => 0x4080_6000 | (22 + numbers.below(2) as u32) << 16,
        // tlbr, tlbwi, tlbwr, tlbp; cache; di, ei.
        9 => 0x4200_0000 | [1, 2, 6, 8][numbers.below(4) as usize],
        10 => 0xbc00_0000 | STEADY << 21,
        11 => [0x4160_6000, 0x4160_6020][numbers.below(2) as usize],
        // syscall, break, teq $0, $0, wait, and what is none.
        12 => 0xc,
        13 => 0x0000_0034,
        14 if numbers.below(6) == 0 => 0x4200_0020,
        14 => 0xd,
        _ => 0xec00_0000,
    }
}

/// Returns the words of a program at an address.
fn words(numbers: &mut Numbers, begin: u64, accesses: Accesses) -> Vec<u32> {
    let mut words = program(numbers, (begin, TURNS), accesses);
    words.pop();
    words.extend(END);
    let is_branch =
        |word: u32| matches!(word >> 26, 1..=7 | 0x11 | 0x14..=0x17) || word & 0xfc00_003e == 8;
    for _ in 0..numbers.below(8) {
        // Neither the begin nor the loop's end.
        let at = 11 + numbers.below(words.len() as u64 - 18) as usize;
        let is_free = !is_branch(words[at]) && !is_branch(words[at - 1]) && words[at] >> 26 != 0x19;
        if is_free {
            words[at] = privileged(numbers);
        }
    }
    words
}

/// Program, its first address, and what the machine is like at its begin.
struct Case {
    words: Vec<u32>,
    begin: u64,
    period: u64,
    costs: Option<InstructionCosts>,
    seed: u64,
}

fn case(numbers: &mut Numbers) -> Case {
    let reach = [64, 2000][numbers.below(2) as usize];
    let accesses = Accesses { reach, is_loose: numbers.below(10) == 0 };
    let segment = [KSEG0, KSEG0, KSEG0, KSEG1, CACHED, MAPPED][numbers.below(6) as usize];
    let begin = segment + CODE;
    let period = 50 + numbers.below(3000);
    let words = words(numbers, begin, accesses);
    Case { words, begin, period, costs: time::costs(numbers), seed: numbers.next() | 1 }
}

/// Returns an address of data for a base register.
fn base(numbers: &mut Numbers) -> u64 {
    let segment =
        [KSEG0, KSEG0, KSEG0, KSEG1, CACHED, UNCACHED, MAPPED, MAPPED, MAPPED + (6 << 20)];
    let segment = segment[numbers.below(9) as usize];
    match numbers.below(14) {
        0 => KSEG1 + DEVICE,
        1 => KSEG0 + DEVICE + 8,
        2 => segment + CODE + 8 * numbers.below(60),
        3..=5 => segment + SHARED + 8 * numbers.below(400),
        _ => segment + DATA + 8 * numbers.below(1500),
    }
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// Returns a processor before the program of a case.
fn processor(case: &Case) -> Processor {
    let mut numbers = Numbers(case.seed);
    let segment = Segment {
        address: KSEG0 + CODE,
        bytes: bytes(&case.words),
        size: 4 * case.words.len() as u64,
        allowed: Allowed::ALL,
    };
    let program = ElfProgram {
        entry: case.begin,
        segments: vec![segment],
        headers: 0,
        n_headers: 0,
        is_32_bit: false,
    };
    let devices = Devices::new(program.entry, Box::new(std::io::sink()));
    let board = Box::new(TestBoard::new(devices, case.period));
    let mut processor = Processor::new(&program, board, Release::R2).expect("a processor");
    fill(&mut processor.core, &mut numbers);
    set_privileged(&mut processor.core, &mut numbers, case.begin);
    if let Some(costs) = &case.costs {
        processor.core.keep_time(costs.clone());
    }
    processor
}

/// Writes handlers, data and registers.
fn fill(core: &mut Cpu, numbers: &mut Numbers) {
    let jumps = [0, 0x80, 0x200].map(|offset| (offset, &TO_HANDLER[..]));
    for (offset, words) in jumps.into_iter().chain([(0x180, &HANDLER[..])]) {
        assert!(core.load_bytes(offset, &bytes(words)));
    }
    let data: Vec<u8> = (0..2048).flat_map(|_| numbers.value().to_be_bytes()).collect();
    assert!(core.load_bytes(DATA, &data));
    for register in 1..64 {
        core.registers[register] = numbers.value();
    }
    for register in [16, 17, 29] {
        core.registers[register] = base(numbers);
    }
    core.registers[STEADY as u8] = KSEG0 + DATA;
}

/// Sets the TLB and coprocessor 0, for a program that begins at an address.
fn set_privileged(core: &mut Cpu, numbers: &mut Numbers, begin: u64) {
    // Status: FPU, wide segments, interrupts by mask; of programs at addresses for everybody user mode too.
    let mode = if begin == MAPPED + CODE { [0, 0x10, 0x08] } else { [0; 3] };
    let mut status = || 0x2000_00e1 | mode[numbers.below(3) as usize] | 0xff00 & numbers.next();
    let first = status();
    (core.registers[22], core.registers[23]) = (status(), status());
    core.memory.change_mmu(true, |mmu| {
        for number in 0..40 {
            let distance = u64::from(number) << 13;
            let address = (distance | if number < 20 { CODE } else { 0 }) & 0x3f_ffff;
            let (is_dirty, is_valid) = (number % 7 != 3, number % 11 != 10);
            let frames = [address, address + 4096].map(|address| Frame {
                address,
                coherence: 3,
                is_dirty,
                is_valid,
            });
            let (space, is_global) = (number as u8 % 3, number < 30);
            let pair = MAPPED + CODE + distance;
            mmu.set_entry(number, TlbEntry { pair, space, is_global, mask: 0, frames });
        }
    });
    if let Some(privileged) = &mut core.privileged {
        privileged.cp0.write(number::WIRED, 0, 20, 0);
        privileged.cp0.write(number::COMPARE, 0, 500, 0);
        privileged.cp0.write(number::STATUS, 0, first, 0);
        let cp0 = &privileged.cp0;
        core.memory.change_mmu(true, |mmu| cp0.set_mmu(mmu));
    }
    core.pc = begin;
}

/// Compares all that a program can see.
fn assert_same(native: &mut Processor, handlers: &mut Processor) {
    let seen = [native, handlers].map(|processor| {
        let position = processor.position();
        let core = &mut processor.core;
        let registers: Vec<u64> =
            (0..=255).filter(|r| ![66, 67].contains(r)).map(|r| core.registers[r]).collect();
        let rest = (core.pc, core.fcsr(), core.link, core.n_stalled, position);
        let privileged = core.privileged.as_ref().expect("a machine");
        let cycle = core.cycle();
        let cp0: Vec<u64> = (0..32).map(|n| privileged.cp0.read(n, 0, cycle)).collect();
        let mmu = core.memory.mmu().expect("a machine");
        let entries: Vec<TlbEntry> = (0..48).map(|n| *mmu.entry(n)).collect();
        let timer = (privileged.cp0.timer_at(), privileged.cp0.is_waiting);
        let outside: &dyn Any = &*privileged.outside;
        let (pages, board) = outside.downcast_ref::<TestBoard>().expect("a board").seen();
        let mut pages = pages.clone();
        core.memory.clone().take_written(|at, bytes| {
            pages.insert(at, Box::new(*bytes));
        });
        (rest, time::times(core), registers, (cp0, timer), entries, (board, pages))
    });
    let [a, b] = &seen;
    assert_eq!(a.0, b.0);
    assert_eq!(a.1, b.1, "times");
    assert_eq!(a.2.iter().zip(&b.2).position(|(a, b)| a != b), None, "registers");
    assert_eq!(a.3, b.3, "coprocessor 0");
    assert_eq!(a.4, b.4, "TLB");
    assert_eq!(a.5.0, b.5.0, "board");
    assert!(a.5.1 == b.5.1, "memory");
}

/// Does something between two runs, or runs on; the end, if that ends both.
fn act(
    [native, handlers]: [&mut Processor; 2],
    numbers: &mut Numbers,
    begin: u64,
) -> ControlFlow<()> {
    match numbers.below(14) {
        0 => {
            let breakpoints = [begin + 4 * numbers.below(70), KSEG0 + 0x184];
            native.set_breakpoints(breakpoints.into());
            handlers.set_breakpoints(breakpoints.into());
        }
        1 => {
            native.set_breakpoints([].into());
            handlers.set_breakpoints([].into());
        }
        2 => assert_eq!(native.step_back(), handlers.step_back()),
        3 => assert_eq!(native.run_back(), handlers.run_back()),
        4 => {
            let data = numbers.next().to_be_bytes();
            let at = SHARED + 8 * numbers.below(500);
            assert_eq!(native.core.load_bytes(at, &data), handlers.core.load_bytes(at, &data));
            native.note_change();
            handlers.note_change();
        }
        _ => {}
    }
    assert_same(native, handlers);
    let limit = native.core.cycle() + 1 + numbers.below(9000);
    let mut ends = [native.run(limit), handlers.run(limit)];
    assert_eq!(ends[0], ends[1]);
    assert_same(native, handlers);
    if ends[0] == MachineEnd::Breakpoint {
        let steps = [native.step(), handlers.step()];
        assert_eq!(steps[0], steps[1]);
        ends = steps.map(|end| end.unwrap_or(MachineEnd::Limit));
    }
    match ends[0] {
        MachineEnd::Limit => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]
    #[test]
    fn native_code_does_on_a_machine_what_the_handlers_do(seed in 1u64..) {
        let mut numbers = Numbers(seed);
        let case = case(&mut numbers);
        let [mut native, mut handlers] = [(); 2].map(|()| processor(&case));
        handlers.use_handlers();
        handlers.ask_each_time(true);
        if numbers.below(3) == 0 {
            assert!(native.keep_history() && handlers.keep_history());
        }
        let mut n_runs = 0;
        while native.core.cycle() < MOST_CYCLES && n_runs < 60 {
            n_runs += 1;
            if act([&mut native, &mut handlers], &mut numbers, case.begin).is_break() {
                break;
            }
        }
    }
}
