//! Random programs by translations to the native machine's instructions, against the handlers of their operations: the
//! same state wherever a run stops.

use cp2_k64::core::Cpu;
use cp2_k64::engine::{CpuEngine, RunLimit, Stop};
use cp2_k64::isa::{Operation, Release, decode, rows};
use cp2_k64::memory::{Allowed, Memory};
use proptest::prelude::*;

const CODE: u64 = 0x1_2000_0000;
const DATA: u64 = 0x1_3000_0000;
const DATA_BYTES: u64 = 4 * 4096;
/// Registers that loops and addresses need: turns left, and bases of accesses.
const KEPT: [u32; 5] = [20, 21, 16, 17, 29];
/// Register with the address of data that nothing changes but stores that go astray.
const STEADY: u32 = 21;
/// Registers that are bases of accesses.
const BASES: [u32; 3] = [16, 17, 29];

/// Numbers by xorshift64*, for one word at a time of a program.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
    fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 33) % n
    }
    /// Returns a value for a register: whole numbers, corner cases, and bits of floating-point numbers.
    fn value(&mut self) -> u64 {
        let small = self.below(64) as i64 - 32;
        match self.below(8) {
            0 => small as u64,
            1 => 1 << self.below(64),
            2 => u64::from(self.next() as u32),
            3 => self.next() as i32 as u64,
            4 => (small as f64 * 0.37).to_bits(),
            5 => {
                let scale = [1e-300, 1e-155, 1e300, 1e160, 1e-20][self.below(5) as usize];
                (small as f64 * scale).to_bits() & !0xffff_ffff
                    | u64::from((small as f32 * scale.sqrt().sqrt() as f32).to_bits())
            }
            6 => [0, 1 << 63, f64::INFINITY.to_bits(), f64::NAN.to_bits(), 1, 0x7f80_0000]
                [self.below(6) as usize],
            _ => self.next(),
        }
    }
}

/// Whether an operation may stand anywhere in a program here.
fn is_free(operation: Operation) -> bool {
    let row = operation.row();
    let name = row.name;
    let leaves = ["Branches", "Jumps", "Coprocessor", "Privileged", "System"];
    let is_leaving = leaves.iter().any(|word| row.section.contains(word))
        || name.starts_with('b')
        || name.starts_with('j');
    let is_other = ["syscall", "eret", "wait", "cache", "rdhwr", "di", "ei"].contains(&name)
        || ["tlb", "mfc0", "dmfc0", "mtc0", "dmtc0"].iter().any(|n| name.starts_with(n))
        || name.ends_with("c2");
    !is_leaving && !is_other
}

/// Whether an operation accesses memory, by a base and a displacement or an index.
fn access(operation: Operation) -> Option<bool> {
    use Operation as Op;
    Some(match operation {
        Op::Lwxc1 | Op::Ldxc1 | Op::Luxc1 | Op::Swxc1 | Op::Sdxc1 | Op::Suxc1 => true,
        Op::Lb | Op::Lbu | Op::Lh | Op::Lhu | Op::Lw | Op::Lwu | Op::Ld => false,
        Op::Sb | Op::Sh | Op::Sw | Op::Sd | Op::Lwc1 | Op::Ldc1 | Op::Swc1 | Op::Sdc1 => false,
        Op::Lwl | Op::Lwr | Op::Ldl | Op::Ldr | Op::Swl | Op::Swr | Op::Sdl | Op::Sdr => false,
        Op::Ll | Op::Lld | Op::Sc | Op::Scd => false,
        _ => return None,
    })
}

/// Accesses of a program.
#[derive(Clone, Copy)]
struct Accesses {
    /// Displacements are smaller.
    reach: u64,
    /// Whether some are not aligned.
    is_loose: bool,
}

/// Returns a random instruction that is no branch; those that write a register that is kept are not among them.
fn instruction(numbers: &mut Numbers, accesses: Accesses) -> u32 {
    // One kind of operation for each third of the program: all, accesses, floating-point arithmetic.
    let kind = numbers.below(3);
    if kind == 1 && numbers.below(8) == 0 {
        // A base goes there and comes back, or does not.
        let (base, step) = (BASES[numbers.below(3) as usize], [8, 0xfff8, 256, 0xff00]);
        return 0x6400_0000 | base << 21 | base << 16 | step[numbers.below(4) as usize];
    }
    loop {
        let row = &rows()[numbers.below(rows().len() as u64) as usize];
        if !is_free(row.operation) || row.name.starts_with("pref") {
            continue;
        }
        let is_wanted = match kind {
            0 => true,
            1 => access(row.operation).is_some(),
            _ => row.name.ends_with(".d") || row.name.ends_with(".s") || row.name.starts_with("c."),
        };
        if !is_wanted {
            continue;
        }
        let mut word = row.fixed.value | numbers.next() as u32 & !row.fixed.mask;
        if kind == 2 {
            // Operands among the numbers that are loaded anew, the result among the others.
            word = (word & !(24 << 16 | 24 << 11) | 8 << 6) & !row.fixed.mask | row.fixed.value;
        }
        let word = match access(row.operation) {
            None => word,
            Some(is_indexed) => {
                let base = BASES[numbers.below(3) as usize];
                let word = word & !(31 << 21) | base << 21;
                if is_indexed {
                    // Register 0 as the index.
                    word & !(31 << 16)
                } else {
                    let unit = if accesses.is_loose && numbers.below(8) == 0 { 1 } else { 8 };
                    let displacement = (numbers.below(accesses.reach) / unit * unit) as u32;
                    let ends = [0, 0, 0, 7, 3];
                    let is_part = matches!(row.name, "lwl" | "lwr" | "ldl" | "ldr")
                        || matches!(row.name, "swl" | "swr" | "sdl" | "sdr");
                    let more = if is_part { ends[numbers.below(5) as usize] } else { 0 };
                    word & !0xffff | (displacement + more)
                }
            }
        };
        let fields = [word >> 16 & 31, word >> 11 & 31];
        let is_kept = fields.iter().any(|field| KEPT.contains(field));
        let is_float = row.name.contains('.') || row.name.ends_with("c1");
        // Traps would end most programs at once.
        let is_trap = row.name.starts_with('t') && numbers.below(40) > 0;
        let is_control = row.name == "ctc1" && numbers.below(8) > 0;
        let is_known = decode(word, Release::R2).is_some_and(|i| i.operation == row.operation);
        let is_written = is_kept && (!is_float || row.name.starts_with(['m', 'c']));
        if is_known && !is_trap && !is_control && !is_written {
            return word;
        }
    }
}

/// Returns a branch or jump, which stands at a place of the program, over so many instructions, its delay slot the first.
fn branch(numbers: &mut Numbers, at: u32, over: u32) -> Vec<u32> {
    let (a, b) = (numbers.below(32) as u32, numbers.below(32) as u32);
    match numbers.below(5) {
        // beq, bne, blez, bgtz, and likely.
        0 | 1 => {
            let opcode = [4, 5, 6, 7, 0x14, 0x15, 0x16, 0x17][numbers.below(8) as usize];
            let b = if opcode & 3 < 2 { b } else { 0 };
            vec![opcode << 26 | a << 21 | b << 16 | over]
        }
        // bltz, bgez, and likely, and linking.
        2 => {
            let kind = [0, 1, 2, 3, 16, 17, 18, 19][numbers.below(8) as usize];
            vec![1 << 26 | a << 21 | kind << 16 | over]
        }
        // j, jal.
        3 => {
            let target = (CODE >> 2) as u32 + at + 1 + over;
            vec![(2 + numbers.below(2) as u32) << 26 | target & 0x3ff_ffff]
        }
        // bal to the next but one; daddiu $31, $31, distance; jr or jalr $31.
        _ => {
            let distance = 4 * (2 + over);
            let jump = [0x03e0_0008, 0x03e0_0009 | 30 << 11][numbers.below(2) as usize];
            vec![0x0411_0001, 0, 0x67ff_0000 | distance, jump]
        }
    }
}

/// Writes a loop of random instructions, with branches and jumps forwards.
fn program(numbers: &mut Numbers, turns: u32, accesses: Accesses) -> Vec<u32> {
    const TURNS: u32 = 20;
    let mut words = vec![0x3400_0000 | TURNS << 16 | turns];
    let first = words.len();
    // A base may go on, so that accesses come to other pages and other alignments when the loop has been translated.
    let base = BASES[numbers.below(3) as usize];
    let step = [0, 8, 8, 8, 16, 4, 1][numbers.below(7) as usize];
    words.push(0x6400_0000 | base << 21 | base << 16 | step);
    // Numbers anew, since most turn into NaNs sooner or later.
    for register in 0..8 {
        let displacement = 8 * numbers.below(500) as u32;
        words.push(0xd400_0000 | STEADY << 21 | register << 16 | displacement);
    }
    for _ in 0..2 + numbers.below(6) {
        for _ in 0..numbers.below(12) {
            words.push(instruction(numbers, accesses));
        }
        let over = 2 + numbers.below(4) as u32;
        words.extend(branch(numbers, words.len() as u32, over));
        (0..over).for_each(|_| words.push(instruction(numbers, accesses)));
    }
    // bc1t or bc1f over one instruction.
    words.push(0x4500_0002 | (numbers.below(2) as u32) << 16);
    (0..3).for_each(|_| words.push(instruction(numbers, accesses)));
    // daddiu $20, $20, -1; bne $20, $0, first; a delay slot; break.
    words.push(0x6400_0000 | TURNS << 21 | TURNS << 16 | 0xffff);
    let back = (first as i32 - words.len() as i32 - 1) as u32 & 0xffff;
    words.push(0x1400_0000 | TURNS << 21 | back);
    words.push(instruction(numbers, accesses));
    words.push(13);
    words
}

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
    while limit < 100_000 {
        limit += 1 + numbers.below(3000);
        let until = RunLimit::instructions(limit);
        let mut stops = [engines[0].run(&mut native, until), engines[1].run(&mut handlers, until)];
        let (a, b) = (state(&mut native), state(&mut handlers));
        let place = a.0.iter().zip(&b.0).position(|(a, b)| a != b);
        assert_eq!((place, a.2), (None, b.2), "registers and {stops:?}");
        assert!(a.0 == b.0 && a.1 == b.1, "memory");
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
        let words = program(&mut numbers, 120, accesses);
        let seed = numbers.0;
        let cores = [&mut numbers, &mut Numbers(seed)].map(|numbers| core(&words, numbers, reach));
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
        0x3414_0080, // ori $20, $0, 128
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
        0x3414_0080, // ori $20, $0, 128
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
        0x3414_0080, // ori $20, $0, 128
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
        0x3414_0080, // ori $20, $0, 128
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
        0x3414_0080, // ori $20, $0, 128
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
