//! Random loops that ask for a status until it changes: turns that are counted, against turns that are done.

use crate::generator::Numbers;
use crate::time;
use cp2_k64::cp0::number;
use cp2_k64::devices::Devices;
use cp2_k64::elf::{ElfProgram, Segment};
use cp2_k64::isa::Release;
use cp2_k64::machine::{MachineEnd, Processor};
use cp2_k64::memory::{Allowed, Memory, PAGE, PageBytes};
use cp2_k64::outside::{Halt, Outside, Question};
use cp2_k64::timing::InstructionCosts;
use proptest::prelude::*;
use std::any::Any;
use std::collections::BTreeMap;

const CODE: u64 = 0x0010_0000;
const KSEG0: u64 = 0xffff_ffff_8000_0000;
const KSEG1: u64 = 0xffff_ffff_a000_0000;
/// Address of the status of the device; its neighbour tells the cycle.
const DEVICE: u64 = 0x1800_0800;
/// Number of the register of coprocessor 2 that has the status.
const STATUS: u8 = 3;

/// Surroundings whose status is another from certain cycles on.
struct AskedBoard {
    devices: Devices,
    pages: BTreeMap<u64, Box<PageBytes>>,
    /// Cycles from which on the status has a value.
    changes: BTreeMap<u64, u64>,
    /// Cycle that was reached, the one that was asked for, and the one in which a fault comes.
    cycle: u64,
    asked: u64,
    fault: u64,
    stall: u64,
    n_questions: u64,
}

impl AskedBoard {
    fn status(&self) -> u64 {
        self.changes.range(..=self.cycle).next_back().map_or(0, |(_, value)| *value)
    }

    fn answer(&mut self, value: u64) -> u64 {
        self.stall += 3;
        self.n_questions += 1;
        value
    }
}

impl Outside for AskedBoard {
    fn page(&mut self, address: u64) -> Option<(Box<PageBytes>, Allowed)> {
        if address >= 4 << 20 {
            return self.devices.page(address);
        }
        let page = self.pages.entry(address).or_insert_with(|| Box::new([0; PAGE as usize]));
        Some((page.clone(), Allowed::ALL))
    }

    fn load(&mut self, address: u64, bytes: usize) -> Option<u64> {
        match (address, bytes) {
            (DEVICE, 4) => Some(self.answer(u64::from(self.status() as u32))),
            _ if address == DEVICE + 4 => Some(self.answer(self.cycle & 0xff)),
            _ => self.devices.load(address),
        }
    }

    fn store(&mut self, address: u64, _bytes: usize, value: u64) -> Option<()> {
        self.devices.store(address, value)
    }

    fn advance(&mut self, _memory: &mut Memory, cycle: u64) {
        self.cycle = self.cycle.max(cycle);
        self.asked = self.asked.max(cycle);
    }

    fn next_look(&self, now: u64) -> Option<u64> {
        Some(now + 128)
    }

    fn wait_for_answer(
        &mut self,
        _memory: &mut Memory,
        question: Question,
        bits: u64,
        limit: u64,
    ) -> Option<u64> {
        if ![Question::Coprocessor(STATUS), Question::Device(DEVICE)].contains(&question) {
            return None;
        }
        let now = self.status();
        let mut later = self.changes.range(self.cycle + 1..);
        let change = later.find(|(_, value)| (**value ^ now) & bits != 0);
        let end = change.map_or(limit, |(cycle, _)| *cycle).min(limit).min(self.fault);
        self.cycle = self.cycle.max(end);
        Some(end)
    }

    fn interrupts(&self) -> u8 {
        if self.status() & 1 == 0 { 1 << 3 } else { 0 }
    }

    fn halt(&self) -> Option<Halt> {
        let is_fault = self.asked >= self.fault;
        let fault = is_fault.then(|| Halt::Fault("a fault".into()));
        fault.or_else(|| self.devices.halt())
    }

    fn take_stall(&mut self) -> u64 {
        std::mem::take(&mut self.stall)
    }

    fn has_coprocessor(&self) -> bool {
        true
    }

    fn coprocessor_register(&mut self, number: u8) -> Option<u64> {
        let value = if number == STATUS { self.status() } else { self.cycle };
        Some(self.answer(value))
    }
}

fn encoded(opcode: u32, [rs, rt]: [u32; 2], immediate: u32) -> u32 {
    opcode << 26 | rs << 21 | rt << 16 | immediate & 0xffff
}

fn of_three(function: u32, [rs, rt, rd]: [u32; 3]) -> u32 {
    rs << 21 | rt << 16 | rd << 11 | function
}

/// Returns an instruction that asks, with the answer in register 2; register 16 has the address of the device.
fn asking(numbers: &mut Numbers) -> u32 {
    match numbers.below(12) {
        0..=4 => 0x4820_0000 | 2 << 16 | u32::from(STATUS) << 11,
        5 => 0x4800_0000 | 2 << 16 | u32::from(STATUS) << 11,
        6 => 0x4820_0000 | 2 << 16 | 4 << 11,
        7..=9 => encoded(0x23, [16, 2], 0),
        10 => encoded(0x27, [16, 2], 0),
        _ => encoded(0x23, [16, 2], 4),
    }
}

/// Returns an instruction of a turn that computes on registers 2 to 7; seldom one that does more.
fn computing(numbers: &mut Numbers) -> u32 {
    let [s, t, d] = [(); 3].map(|()| 2 + numbers.below(6) as u32);
    let amount = numbers.below(6) as u32;
    match numbers.below(40) {
        0..=12 => encoded(0x0c, [s, t], 1 << numbers.below(8) | 1 << numbers.below(8)),
        13 => encoded(0x19, [s, t], numbers.below(5) as u32),
        14 => encoded(0x0d, [s, t], numbers.below(5) as u32),
        15 => encoded(0x0b, [s, t], numbers.below(9) as u32),
        16..=18 => of_three(0x25, [s, 0, d]),
        19 => of_three([0x24, 0x25, 0x26, 0x2d, 0x2b][numbers.below(5) as usize], [s, t, d]),
        20..=22 => of_three([0x38, 0x3a][numbers.below(2) as usize], [0, t, d]) | amount << 6,
        23 => of_three([0, 2, 0x3b, 0x3e][numbers.below(4) as usize], [0, t, d]) | amount << 6,
        24..=26 => 31 << 26 | s << 21 | t << 16 | 2 << 11 | amount << 6 | 3,
        // A count of turns, a product, a load and a store of memory, Count.
        27 => encoded(0x19, [8, 8], 1),
        28 => of_three(0x1d, [s, t, 0]),
        29 => encoded(0x37, [17, t], 8),
        30 => encoded(0x3f, [17, t], 8),
        31 => 0x4000_0000 | t << 16 | 9 << 11,
        _ => 0,
    }
}

/// Returns a program: loops that ask, one after the other, each with branches back that look at a register.
fn program(numbers: &mut Numbers) -> Vec<u32> {
    let mut words = Vec::new();
    for _ in 0..1 + numbers.below(4) {
        let begin = words.len();
        let push = |words: &mut Vec<u32>, numbers: &mut Numbers, n: u64| {
            for _ in 0..numbers.below(n) {
                words.push(computing(numbers));
            }
        };
        push(&mut words, numbers, 3);
        words.push(asking(numbers));
        for _ in 0..1 + numbers.below(2) {
            push(&mut words, numbers, 4);
            words.push(encoded(0x0c, [2, 3], 1 << numbers.below(3)));
            let tested = [3, 3, 3, 2, 4][numbers.below(5) as usize];
            let back = begin as i64 - words.len() as i64 - 1;
            let opcode = [5, 5, 5, 4][numbers.below(4) as usize];
            words.push(encoded(opcode, [tested, 0], back as u32));
            words.push(if numbers.below(2) == 0 { 0 } else { computing(numbers) });
        }
        push(&mut words, numbers, 6);
    }
    // The end: lui $26, 0xb800; sb $0, 0x400($26).
    words.extend([0x3c1a_b800, 0xa340_0400, 0]);
    words
}

/// Returns a processor before a program, with a status that changes in random cycles.
fn processor(words: &[u32], costs: Option<&InstructionCosts>, seed: u64) -> Processor {
    let mut numbers = Numbers(seed);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    let size = bytes.len() as u64;
    let segment = Segment { address: KSEG0 + CODE, bytes, size, allowed: Allowed::ALL };
    let program = ElfProgram {
        entry: KSEG0 + CODE,
        segments: vec![segment],
        headers: 0,
        n_headers: 0,
        is_32_bit: false,
    };
    let mut cycle = 0;
    let changes: BTreeMap<u64, u64> = (0..24)
        .map(|_| {
            let most = [30, 900, 9000][numbers.below(3) as usize];
            cycle += 1 + numbers.below(most);
            (cycle, numbers.below(256))
        })
        .collect();
    let board = AskedBoard {
        devices: Devices::new(program.entry, Box::new(std::io::sink())),
        pages: BTreeMap::new(),
        changes,
        cycle: 0,
        asked: 0,
        fault: [u64::MAX, u64::MAX, numbers.below(60_000)][numbers.below(3) as usize],
        stall: 0,
        n_questions: 0,
    };
    let mut processor = Processor::new(&program, Box::new(board), Release::R2).expect("a machine");
    let core = &mut processor.core;
    core.registers[16] = KSEG1 + DEVICE;
    core.registers[17] = KSEG0 + CODE + 0x2000;
    if let Some(privileged) = &mut core.privileged {
        // Coprocessor 2, wide segments; the timer, and seldom interrupts of the board.
        let mask = [0, 0, 0, 0x8000, 0x0801][numbers.below(5) as usize];
        privileged.cp0.write(number::COMPARE, 0, 3000 + numbers.below(40_000), 0);
        privileged.cp0.write(number::STATUS, 0, 0x6000_00e0 | mask, 0);
        let cp0 = &privileged.cp0;
        core.memory.change_mmu(true, |mmu| cp0.set_mmu(mmu));
    }
    core.pc = KSEG0 + CODE;
    if let Some(costs) = costs {
        core.keep_time(costs.clone());
    }
    processor
}

fn n_questions(processor: &Processor) -> u64 {
    let outside: &dyn Any = &*processor.core.privileged.as_ref().expect("a machine").outside;
    outside.downcast_ref::<AskedBoard>().expect("the board").n_questions
}

/// Returns all that a program can see, and where the run is.
fn seen(processor: &mut Processor) -> impl PartialEq + std::fmt::Debug + use<> {
    let position = processor.position();
    let core = &mut processor.core;
    let registers: Vec<(u8, u64)> = (0..=255)
        .filter(|r| ![66, 67].contains(r))
        .map(|r| (r, core.registers[r]))
        .filter(|(_, value)| *value != 0)
        .collect();
    let memory = core.memory.read(KSEG0 + CODE + 0x2000, 16).ok();
    (core.pc, position, core.n_stalled, time::times(core), registers, memory)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]
    #[test]
    fn turns_that_are_counted_are_as_if_they_had_been_done(seed in 1u64..) {
        let mut numbers = Numbers(seed);
        let words = program(&mut numbers);
        let (costs, seed) = (time::costs(&mut numbers), numbers.next() | 1);
        let [mut counted, mut done] = [(); 2].map(|()| processor(&words, costs.as_ref(), seed));
        done.ask_each_time(true);
        for _ in 0..12 {
            let limit = done.core.cycle() + 1 + numbers.below(20_000);
            let ends = [counted.run(limit), done.run(limit)];
            assert_eq!(ends[0], ends[1]);
            if let MachineEnd::Fault(_) = ends[0] {
                // Where looks come is another matter: it may be told a turn earlier or later.
                let [a, b] = [&counted, &done].map(|p| p.position().instructions);
                assert!(a.abs_diff(b) <= 64, "{a} and {b} instructions");
                break;
            }
            assert_eq!(seen(&mut counted), seen(&mut done));
            if ends[0] != MachineEnd::Limit {
                break;
            }
        }
        assert!(n_questions(&counted) <= n_questions(&done));
    }
}

#[test]
fn a_wait_is_a_few_questions() {
    // dmfc2 $2, $3; andi $2, $2, 1; bne $2, $0, back.
    let asks = 0x4820_0000 | 2 << 16 | u32::from(STATUS) << 11;
    let words = [asks, encoded(0x0c, [2, 2], 1), encoded(5, [2, 0], -3_i32 as u32), 0];
    let words = [&words[..], &[0x3c1a_b800, 0xa340_0400, 0]].concat();
    let mut both = [(); 2].map(|()| processor(&words, None, 1));
    both[1].ask_each_time(true);
    for processor in &mut both {
        let privileged = processor.core.privileged.as_mut().expect("a machine");
        let outside: &mut dyn Any = &mut *privileged.outside;
        let board = outside.downcast_mut::<AskedBoard>().expect("the board");
        (board.changes, board.fault) = (BTreeMap::from([(0, 1), (100_000, 0)]), u64::MAX);
        privileged.cp0.write(number::STATUS, 0, 0x6000_00e0, 0);
        privileged.cp0.write(number::COMPARE, 0, 1 << 30, 0);
        assert_eq!(processor.run(u64::MAX), MachineEnd::Exit(0));
    }
    let [few, all] = [0, 1].map(|at| n_questions(&both[at]));
    assert!(few < 12 && all > 10_000, "{few} of {all} questions");
    let [counted, done] = &mut both;
    assert_eq!(seen(counted), seen(done));
}
