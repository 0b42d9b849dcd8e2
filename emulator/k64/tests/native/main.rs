//! Random programs by translations to the native machine's instructions, against the handlers of their operations: the
//! same state and the same time wherever a run stops; here those of Linux programs.

mod asking;
mod board;
mod generator;
mod machine;
mod time;

use cp2_k64::core::Cpu;
use cp2_k64::engine::{CpuEngine, RunLimit, Stop};
use cp2_k64::isa::Release;
use cp2_k64::memory::{Allowed, Memory};
use generator::{Accesses, Numbers, STEADY, instruction, program};
use proptest::prelude::*;

const CODE: u64 = 0x1_2000_0000;
const DATA: u64 = 0x1_3000_0000;
const DATA_BYTES: u64 = 4 * 4096;
/// Number of turns of loops: more than those after which every block has code.
const TURNS: u32 = 250;

fn core(words: &[u32], numbers: &mut Numbers, reach: u64) -> Cpu {
    let mut memory = Memory::new(1 << 20);
    let all = Allowed { read: true, write: true, execute: true };
    let read_only = Allowed { read: true, ..Allowed::default() };
    assert!(memory.map(CODE, 4096, all) && memory.map(DATA, DATA_BYTES, Allowed::DATA));
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    memory.write(CODE, &bytes).expect("a page");
    let data: Vec<u8> = (0..DATA_BYTES / 8).flat_map(|_| numbers.value().to_be_bytes()).collect();
    memory.write(DATA, &data).expect("pages");
    assert!(memory.protect(DATA + 4096, 4096, read_only));
    let mut core = Cpu::new(memory);
    for register in 1..64 {
        core.registers[register] = numbers.value();
    }
    // Accesses come from a page that may be written to one that may not, and to one that is not there, some of them soon.
    let before = |end: u64, numbers: &mut Numbers| {
        end - (reach.next_multiple_of(8) + 8 + 8 * numbers.below(100))
    };
    core.registers[16] = before(DATA + 4096, numbers);
    core.registers[17] = before(DATA + 12288, numbers);
    core.registers[29] = before(DATA + DATA_BYTES, numbers);
    core.registers[STEADY as u8] = DATA + 8192;
    core.pc = CODE;
    // FCSR: rounding, flags and enables; most often as the native machine can have it.
    let fcsr = [0, 0, 4, 4, 4, 4, 1, 0x0100_0004, 0x80, 3][numbers.below(10) as usize];
    core.set_fcsr(fcsr).expect("no trap");
    core
}

/// Returns all that a program can see.
fn state(core: &mut Cpu) -> (Vec<u64>, Vec<u8>, [u64; 4]) {
    let registers = (0..=255).filter(|r| ![66, 67].contains(r)).map(|r| core.registers[r]);
    let registers = registers.collect();
    let mut memory = core.memory.read(DATA, DATA_BYTES).expect("pages");
    memory.extend(core.memory.read(CODE, 4096).expect("a page"));
    let link = core.link.map_or(u64::MAX, |address| address);
    let rest = [core.pc, core.n_instructions, core.fcsr().into(), link];
    (registers, memory, rest)
}

/// Runs a program both ways, with stops on the way, and compares the states at each; the reason why it ended.
fn compare([mut native, mut handlers]: [Cpu; 2], numbers: &mut Numbers) -> Option<Stop> {
    let mut engines = [CpuEngine::new(Release::R2), CpuEngine::by_handlers(Release::R2)];
    let mut limit = 0;
    while limit < 150_000 {
        limit += 1 + numbers.below(3000);
        let cycle = native.cycle() + numbers.below(6000);
        let until = RunLimit { instructions: limit, cycle };
        let mut stops = [engines[0].run(&mut native, until), engines[1].run(&mut handlers, until)];
        let (a, b) = (state(&mut native), state(&mut handlers));
        let place = a.0.iter().zip(&b.0).position(|(a, b)| a != b);
        assert_eq!((place, a.2), (None, b.2), "registers and {stops:?}");
        assert!(a.0 == b.0 && a.1 == b.1, "memory");
        assert_eq!(time::times(&native), time::times(&handlers));
        assert_eq!(stops[0], stops[1]);
        if stops[0] == Stop::Breakpoint {
            let steps = [engines[0].step(&mut native), engines[1].step(&mut handlers)];
            assert_eq!(steps[0], steps[1]);
            stops = steps.map(|step| step.unwrap_or(Stop::Limit));
        }
        if stops[0] != Stop::Limit {
            return Some(stops[0]);
        }
        let seed = numbers.next();
        change(&mut native, &mut engines[0], &mut Numbers(seed | 1));
        change(&mut handlers, &mut engines[1], &mut Numbers(seed | 1));
    }
    None
}

/// Changes something between two runs, as debuggers and system calls do.
fn change(core: &mut Cpu, engine: &mut CpuEngine, numbers: &mut Numbers) {
    let page = DATA + 4096 * numbers.below(4);
    match numbers.below(12) {
        0 => engine.set_breakpoints([CODE + 4 * numbers.below(60)].into()),
        1 => engine.set_breakpoints([].into()),
        2 => assert!(core.memory.protect(page, 4096, Allowed::DATA)),
        3 => core.memory = core.memory.clone(),
        4 => core.memory.take_written(|_, _| {}),
        5 => {
            // Neither the counter's nor the loop's end.
            let accesses = Accesses { reach: 64, is_loose: false };
            let at = CODE + 4 * (12 + numbers.below(6));
            let old = core.memory.read(at, 4).expect("code");
            let is_branch = matches!(old[0] >> 2, 1..=7 | 0x11 | 0x14..=0x17 | 0x19);
            if !is_branch {
                let word = instruction(numbers, accesses);
                core.memory.write(at, &word.to_be_bytes()).expect("code");
            }
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]
    #[test]
    fn native_code_does_what_the_handlers_do(seed in 1u64..) {
        let mut numbers = Numbers(seed);
        let reach = [64, 2000][numbers.below(2) as usize];
        let accesses = Accesses { reach, is_loose: numbers.below(10) == 0 };
        let words = program(&mut numbers, (CODE, TURNS), accesses);
        let seed = numbers.0;
        let mut cores = [&mut numbers, &mut Numbers(seed)].map(|numbers| core(&words, numbers, reach));
        if let Some(costs) = time::costs(&mut numbers) {
            cores.iter_mut().for_each(|core| core.keep_time(costs.clone()));
        }
        compare(cores, &mut numbers);
    }
}

/// Runs a program both ways, with stops at random limits; returns the core after that.
fn run_both(words: &[u32], change: impl Fn(&mut Cpu)) -> Option<Stop> {
    let mut numbers = Numbers(7);
    let cores = [(); 2].map(|()| {
        let mut core = core(words, &mut Numbers(1), 64);
        change(&mut core);
        core
    });
    compare(cores, &mut numbers)
}

const BREAK: Option<Stop> =
    Some(Stop::Exception { exception: cp2_k64::exception::Exception::Break(0), is_delayed: false });

#[test]
fn the_first_inexact_result_of_native_code_sets_the_flag() {
    let words = [
        0x3414_00fa, // ori $20, $0, 250
        0x2a81_000a, // slti $1, $20, 10
        0x4621_4113, // movn.d $f4, $f8, $1: a divisor that gives an inexact quotient, in the last turns
        0x4624_0183, // div.d $f6, $f0, $f4
        0x4620_0280, // add.d $f10, $f0, $f0: exact
        0x4446_f800, // cfc1 $6, $31
        0x00e6_3825, // or $7, $7, $6
        0x6694_ffff, // daddiu $20, $20, -1
        0x1680_fff8, // bne $20, $0, back to the comparison
        0x4620_0187, // neg.d $f6, $f0
        0x0000_000d, // break
    ];
    let stop = run_both(&words, |core| {
        core.registers[32] = 1f64.to_bits();
        core.registers[36] = 2f64.to_bits();
        core.registers[40] = 3f64.to_bits();
        core.set_fcsr(0).expect("no trap");
    });
    assert_eq!(stop, BREAK);
}

#[test]
fn code_that_writes_code_is_translated_anew() {
    let words = [
        0x3414_00fa, // ori $20, $0, 250
        0x2a81_000a, // slti $1, $20, 10
        0x0221_800b, // movn $16, $17, $1: the address of the code, in the last turns
        0x8e23_0020, // lw $3, 32($17): the instruction that is changed then
        0x2463_0001, // addiu $3, $3, 1: its immediate
        0xae03_0020, // sw $3, 32($16)
        0x0000_0000, // nop
        0x0043_2021, // addu $4, $2, $3
        0x2402_0000, // addiu $2, $0, immediate
        0x6694_ffff, // daddiu $20, $20, -1
        0x1680_fff6, // bne $20, $0, back to the comparison
        0x0044_2825, // or $5, $2, $4
        0x0000_000d, // break
    ];
    let stop = run_both(&words, |core| {
        core.registers[16] = DATA;
        core.registers[17] = CODE;
    });
    assert_eq!(stop, BREAK);
}

/// Returns how a run ends with a store to the page that may not be written.
fn protected(address: u64, is_delayed: bool) -> Option<Stop> {
    let access = cp2_k64::exception::AccessKind::Store;
    let exception = cp2_k64::exception::Exception::Protected { address, access };
    Some(Stop::Exception { exception, is_delayed })
}

#[test]
fn pages_are_looked_at_anew_when_a_base_changes() {
    let words = [
        0x3414_00fa, // ori $20, $0, 250
        0x2a81_000a, // slti $1, $20, 10
        0x00e1_200b, // movn $4, $7, $1: the distance to the page that may not be written
        0xde02_0000, // ld $2, 0($16)
        0xfe02_0008, // sd $2, 8($16)
        0x0204_802d, // daddu $16, $16, $4
        0xfe02_0000, // sd $2, 0($16)
        0x0204_802f, // dsubu $16, $16, $4
        0x6694_ffff, // daddiu $20, $20, -1
        0x1680_fff7, // bne $20, $0, back to the comparison
        0x0000_0000, // nop
        0x0000_000d, // break
    ];
    let stop = run_both(&words, |core| {
        core.registers[16] = DATA;
        core.registers[4] = 0;
        core.registers[7] = 4096;
    });
    assert_eq!(stop, protected(DATA + 4096, false));
}

#[test]
fn a_right_to_load_is_none_to_store() {
    let words = [
        0x3414_00fa, // ori $20, $0, 250
        0x2a81_000a, // slti $1, $20, 10
        0xde02_0000, // ld $2, 0($16)
        0xde03_0008, // ld $3, 8($16)
        0x1020_0002, // beq $1, $0, over the store
        0x0000_0000, // nop
        0xfe02_0008, // sd $2, 8($16)
        0x6694_ffff, // daddiu $20, $20, -1
        0x1680_fff8, // bne $20, $0, back to the comparison
        0x0000_0000, // nop
        0x0000_000d, // break
    ];
    let stop = run_both(&words, |core| core.registers[16] = DATA + 4096);
    assert_eq!(stop, protected(DATA + 4104, false));
}

#[test]
fn a_fault_in_native_code_is_exact() {
    let words = [
        0x3414_00fa, // ori $20, $0, 250
        0x6610_0008, // daddiu $16, $16, 8
        0xde02_0000, // ld $2, 0($16)
        0x0043_1821, // addu $3, $2, $3
        0x1680_fffc, // bne $20, $0, back
        0xfe03_0008, // sd $3, 8($16), in its delay slot
        0x0000_000d, // break
    ];
    let stop = run_both(&words, |core| core.registers[16] = DATA + 2048);
    assert_eq!(stop, protected(DATA + 4096, true));
}
