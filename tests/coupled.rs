//! The fast engine with a DMA channel beside it, against the reference engine: registers, memories,
//! cycles and the counts of both after every piece of a run.

use cp2_emu::dma::{Descriptor, LocalWalk, MemoryWalk, Pattern, Register, ctrl};
use cp2_emu::trace::Off;
use cp2_emu::{Cp2, End, Machine, MachineConfig};
use cp2_fast::FastMachine;
use cp2_isa::BANK_WORDS;
use cp2_programs::{fft, load};

const TABLE: u32 = 0x10_0000;
/// Where descriptors put what they take from local memory.
const RESULT: u32 = 0x8_0000;
const LIMIT: u64 = 100_000;
/// Cycles of the pieces of a run, in turn.
const PIECES: [u64; 6] = [1, 700, 7, 3000, 64, 333];

/// Twelve rounds of work in bank 0, each of which lets the channel go on.
const ROUNDS: &str = "\
        .kernel rounds
        | seti g1, 12
        | seti g2, 150
        | seti a0, 0
        | seti a1, 64
        | do g1, last
        | do g2, inner
        psadd f5, f6, f20 | ldo f8, (r0)+2
        cmul f28, f30, f20
inner:  psmul f7, f8, f20 | lwo f6, (r0)+1
        psneg f26, f7 | sdo f8, (r1)+2
        | start_dma
        | check_dma g4
        | move i1, g4
        | move g6, i1
last:   psadd f22, f26, f5
        psadd f23, f26, f7
        | stopi 3
";

/// Two different numbers near 1.
fn near_one(k: usize) -> u64 {
    (0x3f80_0000 + 64 * k as u64) << 32 | (0x3f80_0000 + 96 * k as u64)
}

/// `beats` from memory to local memory `at` of all sections.
fn get(at: u16, beats: u16) -> Descriptor {
    let memory = MemoryWalk::rows(0, beats.into(), 0, 1).expect("a row");
    Descriptor::get(memory, LocalWalk::linear(at, beats), [Pattern::ALL; 4])
}

fn put(at: u16, beats: u16) -> Descriptor {
    let memory = MemoryWalk::rows(RESULT, beats.into(), 0, 1).expect("a row");
    Descriptor::put(memory, LocalWalk::linear(at, beats), 0)
}

/// A machine with numbers near 1 everywhere, whose channel works through these descriptors.
fn machine(cp2: Cp2, table: &[Descriptor]) -> Machine {
    let mut machine = Machine::new(MachineConfig::preset("vm7").expect("a machine"));
    machine.cp2 = cp2;
    let state = &mut machine.cp2.state;
    for (k, quad) in state.lmem.iter_mut().chain(state.fpr.iter_mut()).enumerate() {
        *quad = [near_one(k); 4];
    }
    let words: Vec<u64> = (0..8192).map(|k| near_one(k + 77)).collect();
    machine.memory.write_words(0, &words).expect("memory");
    for (k, d) in table.iter().enumerate() {
        let at = u64::from(TABLE) + 64 * k as u64;
        machine.memory.write_words(at, &d.encode().expect("fields that fit")).expect("memory");
    }
    machine.write_register(Register::Baseaddr, TABLE).expect("a register");
    machine.write_register(Register::Ctrl, ctrl::START).expect("a register");
    machine
}

fn assert_alike(fast: &Machine, reference: &Machine, place: &str) {
    assert_eq!(fast.cycle(), reference.cycle(), "{place}");
    assert!(fast.cp2.state == reference.cp2.state, "registers or local memory, {place}");
    assert_eq!(fast.cp2.stats(), reference.cp2.stats(), "{place}");
    assert_eq!(fast.cp2.status(), reference.cp2.status(), "{place}");
    assert_eq!(fast.dma.stats(), reference.dma.stats(), "{place}");
    assert_eq!(fast.dma.next_event(), reference.dma.next_event(), "{place}");
    assert!(fast.memory == reference.memory, "memory, {place}");
}

/// Runs a machine on both engines in pieces and compares after each. Gives the machine and the cycles
/// that translated code did.
fn compare(machine: Machine, entry: u16) -> (Machine, u64) {
    let mut reference = machine.clone();
    let mut fast = FastMachine::new(machine);
    reference.start_kernel(entry);
    fast.start_kernel(entry);
    let mut until = 0;
    let mut pieces = PIECES.into_iter().cycle();
    let end = loop {
        assert!(until < LIMIT, "the kernel does not stop");
        until += pieces.next().unwrap_or(LIMIT);
        let expected = reference.advance_kernel(until, &mut Off);
        assert_eq!(fast.advance_kernel(until, &mut Off), expected);
        assert_alike(&fast.machine, &reference, &format!("cycle {until}"));
        if let Some(end) = expected {
            break end;
        }
    };
    assert!(matches!(end, End::Stopped(_)), "{end:?}");
    assert_eq!(fast.finish_kernel(end.clone()), reference.finish_kernel(end));
    assert_alike(&fast.machine, &reference, "end");
    let translated = fast.translated_cycles();
    (fast.machine, translated)
}

#[test]
fn a_kernel_that_lets_the_channel_go_on_runs_alike_and_translated() {
    let (cp2, entry) = load::machine_with("rounds.s", ROUNDS).expect("the kernel assembles");
    let table = [
        get(4096, 64).synced(),
        get(128, 300).synced(),
        put(0, 64).synced_after(),
        get(5000, 20),
        put(4096, 64).synced().stopping(),
    ];
    let (machine, translated) = compare(machine(cp2, &table), entry);
    let stats = machine.dma.stats();
    assert!(stats.bank_conflicts() > 0 && machine.dma.next_event().is_none(), "{stats:?}");
    let cycles = machine.cp2.stats().cycles;
    assert!(!cp2_fast::is_supported() || translated > cycles / 4, "{translated} of {cycles}");
}

#[test]
fn an_fft_beside_a_busy_channel_runs_alike() {
    let text = fft::source(256).expect("a length from LENGTHS");
    let (mut cp2, entry) = load::machine_with("fft256.s", &text).expect("the kernel assembles");
    cp2.state.gpr[1] = BANK_WORDS as u64;
    cp2.state.gpr[2] = 7;
    let table = [get(4096 + 2048, 1000), put(0, 512), get(2048, 900).stopping()];
    let (machine, translated) = compare(machine(cp2, &table), entry);
    assert!(machine.dma.stats().bank_conflicts() > 0);
    let cycles = machine.cp2.stats().cycles;
    assert!(!cp2_fast::is_supported() || translated > cycles / 4, "{translated} of {cycles}");
}
