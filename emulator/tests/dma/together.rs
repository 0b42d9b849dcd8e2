//! CP2, the channel and the host in one clock.

use cp2_emu::cp2::FifoEntry;
use cp2_emu::dma::{
    ChannelCause, Descriptor, DmaRegister, LocalWalk, MemoryWalk, Pattern, RegisterError, cause,
    ctrl,
};
use cp2_emu::machine::{HostError, Machine, MachineConfig};
use cp2_emu::trace::NoObserver;
use cp2_emu::{Cp2, End, Engine, ReferenceEngine};
use cp2_isa::{Bundle, BundleAddress, BundleBits, Cycle, Exch, MemoryAddress, WordAddress, encode};

const TABLE: u32 = 0x10_0000;

/// Returns a bundle with one exchange operation.
fn exchange(op: Exch, values: &[i32]) -> BundleBits {
    let mut bundle = Bundle::NOP;
    bundle.exch.op = op;
    bundle.exch.values[..values.len()].copy_from_slice(values);
    encode(&bundle)
}

/// Returns a machine with a program at bundle 0 and a descriptor table.
fn machine(program: &[BundleBits], table: &[Descriptor]) -> Machine {
    machine_with(&[], program, table)
}

/// Returns a machine with these settings, a program at bundle 0 and a descriptor table.
fn machine_with(settings: &[&str], program: &[BundleBits], table: &[Descriptor]) -> Machine {
    let mut config = MachineConfig::preset("vm7").expect("a machine");
    for setting in settings {
        config.apply_set(setting).expect("a setting");
    }
    let mut machine = Machine::new(&config);
    machine.cp2.state.iram[..program.len()].copy_from_slice(program);
    for (k, d) in table.iter().enumerate() {
        let at = u64::from(TABLE) + 64 * k as u64;
        machine
            .memory
            .write_words(MemoryAddress(at), &d.encode().expect("fields"))
            .expect("memory");
    }
    let words: Vec<u64> = (0..8192).map(|k| 0x1000 + k).collect();
    machine.memory.write_words(MemoryAddress(0), &words).expect("memory");
    machine.write_register(DmaRegister::Baseaddr, TABLE).expect("a register");
    machine
}

fn start(machine: &mut Machine) {
    machine.write_register(DmaRegister::Ctrl, ctrl::START).expect("a register");
}

/// Returns a descriptor that moves beats from memory 0 on to local memory `at` of all sections.
fn get(at: u16, beats: u16) -> Descriptor {
    let memory = MemoryWalk::rows(MemoryAddress(0), beats.into(), 0, 1).expect("a row");
    Descriptor::get(memory, LocalWalk::linear(WordAddress(at), beats), [Pattern::ALL; 4])
}

/// Returns a kernel that loads from `address` `n` times, two bundles for each load.
fn loads(address: i32, n: usize) -> Vec<BundleBits> {
    let mut program = vec![exchange(Exch::Lwi, &[1, address]); n];
    program.push(exchange(Exch::Stopi, &[7]));
    program
}

#[test]
fn a_kernel_and_the_channel_in_different_banks_do_not_meet() {
    let mut m = machine(&loads(0, 400), &[get(4096, 64).stopping()]);
    start(&mut m);
    let run = ReferenceEngine.run_kernel(&mut m, BundleAddress(0), 10_000, &mut NoObserver);
    assert_eq!(run.end, End::Stopped(7));
    assert_eq!(run.stats.cycles, 401);
    assert_eq!(m.dma.stats().bank_conflicts(), 0);
    assert_eq!(m.cp2.state.lmem[4096 + 5][2], 0x1005);
    assert_eq!(Cycle(m.dma.stats().cycles()), m.cycle());
}

/// Two register writes take the host 20 cycles. The channel then takes 4 to start, 42 + 5 + 4 for its
/// descriptor, 4 to set up and 42 + 5 + 1 until its first beat is due, in cycle 127. The kernel loads in
/// cycles 20 to 419 and stops in 420; from there to the end of the drain 8 beats move.
#[test]
fn in_one_bank_the_channel_waits_and_the_kernel_does_not() {
    let mut m = machine(&loads(0, 400), &[get(0, 64).stopping()]);
    start(&mut m);
    let run = ReferenceEngine.run_kernel(&mut m, BundleAddress(0), 10_000, &mut NoObserver);
    assert_eq!(run.stats.cycles, 401);
    let conflicts = m.dma.stats().bank_conflicts();
    assert_eq!(conflicts, 420 - 127);
    assert_eq!(m.dma.stats().causes[ChannelCause::Beat as usize], 8);
    assert_eq!(ReferenceEngine.wait_for_dma(&mut m, Cycle(100_000)), Ok(true));
    assert_eq!(m.cp2.state.lmem[127][3], 0x1000 + 127);
    assert_eq!(m.dma.stats().bank_conflicts(), conflicts);
}

#[test]
fn the_core_decides_which_words_share_a_bank() {
    let conflicts = |settings: &[&str], at| {
        let mut m = machine_with(settings, &loads(0, 400), &[get(at, 64).stopping()]);
        start(&mut m);
        let run = ReferenceEngine.run_kernel(&mut m, BundleAddress(0), 10_000, &mut NoObserver);
        assert_eq!(run.stats.bank_accesses[0], 400);
        m.dma.stats().bank_conflicts()
    };
    let four = ["core.local_memory_words=4096", "core.banks=4"];
    assert_eq!((conflicts(&four, 1024 - 128), conflicts(&four, 1024)), (420 - 127, 0));
    assert_eq!((conflicts(&[], 1024), conflicts(&[], 4096)), (420 - 127, 0));
    let one = ["core.banks=1"];
    assert_eq!((conflicts(&one, 0), conflicts(&one, 4096)), (420 - 127, 420 - 127));
}

#[test]
fn the_channel_goes_round_the_end_of_the_local_memory_of_the_core() {
    for words in [1024, 4096, 8192] {
        let setting = format!("core.local_memory_words={words}");
        let mut m = machine_with(&[&setting], &[], &[get(words - 2, 2).stopping()]);
        start(&mut m);
        assert_eq!(ReferenceEngine.wait_for_dma(&mut m, Cycle(100_000)), Ok(true));
        let lmem = &m.cp2.state.lmem;
        let found = [words - 2, words - 1, 0, 1, 2].map(|word| lmem[usize::from(word)][1]);
        assert_eq!((lmem.len(), found), (words.into(), [0x1000, 0x1001, 0x1002, 0x1003, 0]));
    }
}

#[test]
fn a_conflict_costs_one_cycle_in_which_the_kernel_has_the_bank() {
    // A load in every second cycle: every beat waits at most one cycle.
    let mut program: Vec<_> =
        (0..400).map(|k| if k % 2 == 0 { exchange(Exch::Lwi, &[1, 0]) } else { 0 }).collect();
    program.push(exchange(Exch::Stopi, &[0]));
    let mut m = machine(&program, &[get(0, 64).stopping()]);
    start(&mut m);
    let run = ReferenceEngine.run_kernel(&mut m, BundleAddress(0), 10_000, &mut NoObserver);
    assert_eq!(run.stats.bank_accesses, [200, 0]);
    let causes = m.dma.stats().causes;
    assert_eq!(causes[ChannelCause::Beat as usize], 64);
    let conflicts = causes[ChannelCause::Conflict as usize];
    assert!((1..=64).contains(&conflicts), "{conflicts}");
}

#[test]
fn start_dma_releases_a_descriptor_and_check_dma_sees_it() {
    // Long enough for the descriptor to be there; then released; then read for 3 cycles.
    let mut program = vec![0; 120];
    program.push(exchange(Exch::CheckDma, &[1]));
    program.push(exchange(Exch::StartDma, &[]));
    program.extend([2, 3].map(|g| exchange(Exch::CheckDma, &[g])));
    program.extend(vec![0; 120]);
    program.push(exchange(Exch::CheckDma, &[4]));
    program.push(exchange(Exch::Stopi, &[0]));
    let mut m = machine(&program, &[get(4096, 4).synced().stopping()]);
    start(&mut m);
    let run = ReferenceEngine.run_kernel(&mut m, BundleAddress(0), 1000, &mut NoObserver);
    assert_eq!(run.end, End::Stopped(0));
    assert_eq!(m.cp2.state.gpr[1..5], [0b011, 0b101, 0b101, 0]);
    assert_eq!(m.cp2.state.lmem[4096][0], 0x1000);
}

#[test]
fn the_host_releases_with_a_bundle_through_the_fifo() {
    let mut m = machine(&[], &[get(0, 4).synced().interrupting().stopping()]);
    start(&mut m);
    assert_eq!(ReferenceEngine.wait_for_dma(&mut m, Cycle(10_000)), Ok(true));
    assert!(m.dma.is_waiting());
    m.cp2.fifo.push(FifoEntry::Execute(exchange(Exch::StartDma, &[]))).expect("room");
    // The first cycle of an entry into an empty FIFO only clears FE.
    for waits in [true, false] {
        assert_eq!(m.step(&mut NoObserver), Ok(()));
        assert_eq!(m.dma.is_waiting(), waits);
    }
    let limit = m.cycle() + 10_000;
    assert_eq!(ReferenceEngine.wait_for_dma(&mut m, limit), Ok(true));
    assert_eq!(m.read_register(DmaRegister::Intcause), Ok(cause::DESCRIPTOR));
    assert_eq!(m.cp2.state.lmem[7][1], 0x1007);
    let refused = m.write_register(DmaRegister::Status, 1);
    assert_eq!(refused, Err(HostError::Register(RegisterError::ReadOnly(DmaRegister::Status))));
}

#[test]
fn waiting_by_events_ends_in_the_cycle_of_waiting_by_cycles() {
    let table = [get(0, 40), get(4096, 40).stopping()];
    let (mut a, mut b) = (machine(&[], &table), machine(&[], &table));
    start(&mut a);
    start(&mut b);
    assert_eq!(ReferenceEngine.wait_for_dma(&mut a, Cycle(100_000)), Ok(true));
    while b.dma.is_busy() {
        assert_eq!(b.step(&mut NoObserver), Ok(()));
    }
    assert_eq!(a.cycle(), b.cycle());
    assert_eq!(a.dma.stats(), b.dma.stats());
    assert_eq!(a.cp2.state, b.cp2.state);
    let (mut c, limit) = (machine(&[], &table), Cycle(60));
    start(&mut c);
    assert_eq!(ReferenceEngine.wait_for_dma(&mut c, limit), Ok(false));
    assert_eq!((c.cycle(), c.dma.stats().cycles()), (limit, limit.0));
}

#[test]
fn a_kernel_alone_runs_on_the_machine_as_without_it() {
    let program = loads(5, 20);
    let mut m = machine(&program, &[]);
    let mut plain = Cp2::default();
    plain.state.iram[..program.len()].copy_from_slice(&program);
    let (on_machine, alone) = (
        ReferenceEngine.run_kernel(&mut m, BundleAddress(0), 1000, &mut NoObserver),
        plain.run_untraced(BundleAddress(0), 1000),
    );
    assert_eq!(on_machine, alone);
    assert_eq!(m.cp2.state, plain.state);
    let limited = ReferenceEngine.run_kernel(&mut m, BundleAddress(0), 5, &mut NoObserver);
    assert_eq!((limited.end, limited.stats.cycles), (End::CycleLimit(5), 5));
    assert!(matches!(
        ReferenceEngine.run_kernel(&mut m, BundleAddress(8000), 1000, &mut NoObserver).end,
        End::Fault(_)
    ));
}
