//! The fast and the portable engine with a DMA channel beside them, against the reference engine: registers, memories,
//! cycles and the counts of both after every piece of a run.

mod asked;
#[path = "../blocks/random.rs"]
#[allow(dead_code, reason = "nests of predicated operations are for `blocks`")]
mod nests;
mod random;
mod taken_back;
mod waiting;

use cp2_emu::cp2::FifoEntry;
use cp2_emu::dma::{Descriptor, DmaRegister, LocalWalk, MemoryWalk, Pattern, ctrl};
use cp2_emu::trace::{Event, NoObserver};
use cp2_emu::{Cp2, Difference, End, Engine, Goal, Machine, Pause, ReferenceEngine};
use cp2_fast::Translator;
use cp2_isa::{BANK_WORDS, Bundle, BundleAddress, Core, Exch, MemoryAddress, WordAddress, encode};
use cp2_kernels::fft;
use cp2_portable::Portable;
use cp2_session::load;
use cp2_tests::{SplitMix64, at_random};

const TABLE: u32 = 0x10_0000;
/// Address of memory from which on descriptors put what they take from local memory.
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

/// Returns two different numbers near 1.
fn near_one(k: usize) -> u64 {
    (0x3f80_0000 + 64 * k as u64) << 32 | (0x3f80_0000 + 96 * k as u64)
}

/// Returns a descriptor that moves `beats` beats from memory to local memory `at` of all sections.
fn get(at: u16, beats: u16) -> Descriptor {
    let memory = MemoryWalk::rows(MemoryAddress(0), beats.into(), 0, 1).expect("a row");
    Descriptor::get(memory, LocalWalk::linear(WordAddress(at), beats), [Pattern::ALL; 4])
}

fn put(at: u16, beats: u16) -> Descriptor {
    let memory = MemoryWalk::rows(RESULT.into(), beats.into(), 0, 1).expect("a row");
    Descriptor::put(memory, LocalWalk::linear(WordAddress(at), beats), 0)
}

/// Returns a machine with numbers near 1 everywhere, whose channel works through these descriptors.
fn machine(cp2: Cp2, table: &[Descriptor]) -> Machine {
    machine_of("vm7", cp2, table)
}

fn machine_of(name: &str, cp2: Cp2, table: &[Descriptor]) -> Machine {
    let mut config = at_random::config(name, cp2.core());
    config.enable("dma-words").expect("an extension that is off");
    let mut machine = Machine::new(&config);
    machine.cp2 = cp2;
    let state = &mut machine.cp2.state;
    for (k, quad) in state.lmem.iter_mut().chain(state.fpr.iter_mut()).enumerate() {
        *quad = [near_one(k); 4];
    }
    let words: Vec<u64> = (0..8192).map(|k| near_one(k + 77)).collect();
    machine.memory.write_words(MemoryAddress(0), &words).expect("memory");
    for (k, d) in table.iter().enumerate() {
        let at = u64::from(TABLE) + 64 * k as u64;
        machine
            .memory
            .write_words(MemoryAddress(at), &d.encode().expect("fields that fit"))
            .expect("memory");
    }
    machine.write_register(DmaRegister::Baseaddr, TABLE).expect("a register");
    machine.write_register(DmaRegister::Ctrl, ctrl::START).expect("a register");
    machine
}

fn assert_alike(fast: &Machine, reference: &Machine, place: &str) {
    assert_eq!(fast.cycle(), reference.cycle(), "{place}");
    assert_eq!(Difference::first(&reference.cp2.state, &fast.cp2.state), None, "{place}");
    assert_eq!(fast.cp2.stats(), reference.cp2.stats(), "{place}");
    assert_eq!(fast.cp2.status(), reference.cp2.status(), "{place}");
    assert_eq!(fast.dma.stats(), reference.dma.stats(), "{place}");
    assert_eq!(fast.dma.next_event(), reference.dma.next_event(), "{place}");
    assert_eq!(fast.dma.check(), reference.dma.check(), "{place}");
    assert_eq!(fast.dma.fault(), reference.dma.fault(), "{place}");
    for register in
        [DmaRegister::Status, DmaRegister::Intcause, DmaRegister::Curdsc, DmaRegister::Ctrl]
    {
        assert_eq!(fast.dma.register(register), reference.dma.register(register), "{place}");
    }
    assert!(fast.memory == reference.memory, "memory, {place}");
}

/// Runs a machine on both engines in pieces and compares after each. Returns the machine and the cycles that translated code
/// did.
fn compare(machine: Machine, entry: BundleAddress) -> (Machine, u64) {
    let (mut reference, mut machine) = (machine.clone(), machine);
    let mut fast = Translator::default();
    reference.start_kernel(entry);
    machine.start_kernel(entry);
    let mut until = 0;
    let mut pieces = PIECES.into_iter().cycle();
    let end = loop {
        assert!(until < LIMIT, "the kernel does not stop");
        until += pieces.next().unwrap_or(LIMIT);
        let expected = ReferenceEngine.advance_kernel(&mut reference, until, &mut NoObserver);
        assert_eq!(fast.advance_kernel(&mut machine, until, &mut NoObserver), expected);
        assert_alike(&machine, &reference, &format!("cycle {until}"));
        if let Some(end) = expected {
            break end;
        }
    };
    assert!(matches!(end, End::Stopped(_)), "{end:?}");
    assert_eq!(machine.finish_kernel(end.clone()), reference.finish_kernel(end));
    assert_alike(&machine, &reference, "end");
    (machine, fast.translated_cycles())
}

#[test]
fn a_kernel_that_lets_the_channel_go_on_runs_alike_and_translated() {
    let (cp2, entry) =
        load::machine_with(&cp2_session::Environment::new(), &Core::CP2, "rounds.s", ROUNDS)
            .expect("the kernel assembles");
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
    let text = fft::source(&Core::CP2, 256).expect("a length from LENGTHS");
    let (mut cp2, entry) =
        load::machine_with(&cp2_session::Environment::new(), &Core::CP2, "fft256.s", &text)
            .expect("the kernel assembles");
    cp2.state.gpr[1] = BANK_WORDS as u64;
    cp2.state.gpr[2] = 7;
    let table = [get(4096 + 2048, 1000), put(0, 512), get(2048, 900).stopping()];
    let (machine, translated) = compare(machine(cp2, &table), entry);
    assert!(machine.dma.stats().bank_conflicts() > 0);
    let cycles = machine.cp2.stats().cycles;
    assert!(!cp2_fast::is_supported() || translated > cycles / 4, "{translated} of {cycles}");
}

#[test]
fn a_kernel_beside_transfers_in_both_banks_is_nearly_all_translated() {
    let text = fft::source(&Core::CP2, 256).expect("a length from LENGTHS");
    let (mut cp2, entry) =
        load::machine_with(&cp2_session::Environment::new(), &Core::CP2, "fft256.s", &text)
            .expect("the kernel assembles");
    cp2.state.gpr[1] = 2048;
    cp2.state.gpr[2] = 7;
    // The kernel uses bank 0; the first transfer has bank 1 for itself, the second yields to it.
    let table = [get(4096, 2000), get(4096 - 128, 60).stopping()];
    let before = machine(cp2, &table);
    let (machine, _) = compare(before.clone(), entry);
    let cycles = machine.cp2.stats().cycles;
    assert!(machine.dma.next_event().is_none() && machine.dma.stats().bank_conflicts() > 0);
    // In one go: where a piece ends, the portable engine goes on to the next landmark.
    let (mut fast, mut machine) = (Translator::default(), before);
    machine.start_kernel(entry);
    assert!(fast.advance_kernel(&mut machine, LIMIT, &mut NoObserver).is_some());
    let translated = fast.translated_cycles();
    assert!(!cp2_fast::is_supported() || translated > cycles * 8 / 10, "{translated} of {cycles}");
}

/// Runs a random kernel beside random descriptors on both engines, in pieces of random lengths. Returns the cycles of the
/// run, those that were translated, and the conflicts for banks.
fn compare_random(seed: u64) -> [u64; 3] {
    let mut fast = Translator::default();
    let [cycles, conflicts] = compare_random_on(&mut fast, seed);
    compare_random_on(&mut Portable::default(), seed);
    [cycles, fast.translated_cycles(), conflicts]
}

/// Runs a random kernel beside random descriptors on one engine and on the reference engine, in pieces of random lengths.
/// Returns the cycles of the run, and the conflicts for banks.
fn compare_random_on(engine: &mut dyn Engine, seed: u64) -> [u64; 2] {
    let mut s = SplitMix64(seed);
    let text = match seed % 8 {
        3 => nests::kernel(&mut s, &nests::FEW),
        7 => nests::kernel(&mut s, &nests::MANY),
        _ => random::kernel(&mut s),
    };
    let table = random::descriptors(&mut s);
    let (cp2, entry) =
        load::machine_with(&cp2_session::Environment::new(), &Core::CP2, "random.s", &text)
            .expect("the kernel assembles");
    let cp2 = at_random::on_core(&at_random::core(&mut s), &cp2);
    let name = ["vm7", "vm9", "vm9-1200-800"][s.below(3) as usize];
    let mut reference = machine_of(name, cp2, &table);
    if s.below(4) > 0 {
        reference.cp2.state.fcsr.iter_mut().for_each(|fcsr| *fcsr |= 4);
        reference.cp2.state.status |= 1 << 16;
    }
    let mut machine = reference.clone();
    reference.start_kernel(entry);
    machine.start_kernel(entry);
    let mut until = 0;
    let end = loop {
        let most = [4, 40, 600, 6000][s.below(4) as usize];
        until += 1 + s.below(most);
        let expected = ReferenceEngine.advance_kernel(&mut reference, until, &mut NoObserver);
        let end = engine.advance_kernel(&mut machine, until, &mut NoObserver);
        assert_eq!(end, expected, "{}, seed {seed}", engine.name());
        assert_alike(&machine, &reference, &format!("seed {seed}, cycle {until}\n{text}"));
        match expected {
            Some(end) => break end,
            None if until > 20_000 => break End::CycleLimit(until),
            None => {}
        }
    };
    assert_eq!(machine.finish_kernel(end.clone()), reference.finish_kernel(end), "seed {seed}");
    assert_alike(&machine, &reference, &format!("seed {seed}, end"));
    let stats = reference.dma.stats();
    [reference.cp2.stats().cycles, stats.bank_conflicts()]
}

#[test]
fn random_kernels_beside_random_descriptors_run_alike() {
    let numbers = cp2_tests::program_numbers(400);
    let [cycles, translated, conflicts] = cp2_tests::sum_over(&numbers, compare_random);
    let n = numbers.count();
    println!("{n} machines, {cycles} cycles, translated {translated}, {conflicts} conflicts");
    assert!(conflicts > 1000, "{conflicts}");
    assert!(!cp2_fast::is_supported() || translated > cycles / 5, "{translated} of {cycles}");
}

/// Returns a bundle with one operation of the exchange slot.
fn bundle(op: Exch, values: &[i32]) -> cp2_isa::BundleBits {
    let mut bundle = Bundle::NOP;
    bundle.exch.op = op;
    bundle.exch.values[..values.len()].copy_from_slice(values);
    encode(&bundle)
}

/// Runs random pieces of a run on the portable and on the fast engine, each beside the reference engine, with the host's work
/// between the pieces.
fn host_random(seed: u64) -> [u64; 1] {
    host_random_on(&mut Portable::default(), seed);
    host_random_on(&mut Translator::default(), seed)
}

/// Runs random pieces of a run on one engine and on the reference engine, with the host's work between the pieces. Returns
/// how many runs of the kernel ended.
fn host_random_on(engine: &mut dyn Engine, seed: u64) -> [u64; 1] {
    let mut s = SplitMix64(seed ^ 0x5555_0000);
    let text = random::kernel(&mut s);
    let (cp2, entry) =
        load::machine_with(&cp2_session::Environment::new(), &Core::CP2, "random.s", &text)
            .expect("the kernel assembles");
    let cp2 = at_random::on_core(&at_random::core(&mut s), &cp2);
    let mut reference = machine_of("vm7", cp2, &random::descriptors(&mut s));
    let mut machine = reference.clone();
    let mut runs = 0;
    for _ in 0..60 {
        let most = [10, 300, 3000][s.below(3) as usize];
        let limit = reference.cycle() + 1 + s.below(most);
        let until_still = s.below(3) == 0;
        let before = reference.cp2.is_running();
        let mut goal = Goal { until_still, ..Goal::cycle(limit) };
        if s.one_in(2) {
            goal = goal.or_from(reference.cycle() + s.below(most));
        }
        let result = engine.advance(&mut machine, goal, &mut NoObserver);
        let now = machine.cycle();
        assert!(now <= limit, "seed {seed}");
        assert!(result != Ok(Pause::Cycle) || now >= goal.least(), "seed {seed}");
        while reference.cycle() < now {
            let still = until_still && reference.dma.next_event().is_none();
            assert!(!still, "seed {seed}: the channel was still before cycle {now}");
            assert_eq!(reference.step(&mut NoObserver), Ok(()), "seed {seed}");
        }
        if let Err(fault) = result {
            assert_eq!(reference.step(&mut NoObserver), Err(fault), "seed {seed}");
        }
        assert_alike(&machine, &reference, &format!("seed {seed}, cycle {now}\n{text}"));
        runs += u64::from(before && !reference.cp2.is_running());
        let word = match s.below(6) {
            0 | 1 => FifoEntry::Execute(bundle(Exch::Runi, &[entry.0.into()])),
            2 => FifoEntry::Execute(bundle(Exch::StartDma, &[])),
            3 => FifoEntry::Execute(bundle(Exch::Seti, &[1, 7])),
            4 => FifoEntry::Store(bundle(Exch::Updaddr, &[1 << 4])),
            _ => {
                for machine in [&mut reference, &mut machine] {
                    machine.dma.write(DmaRegister::Curdsc, 0).expect("a register");
                    machine.dma.write(DmaRegister::Ctrl, ctrl::START).expect("a register");
                }
                continue;
            }
        };
        let pushed = [&mut reference, &mut machine].map(|m| m.cp2.fifo.push(word).is_ok());
        assert_eq!(pushed[0], pushed[1]);
    }
    [runs]
}

#[test]
fn a_host_at_work_meets_the_same_machine_on_both_engines() {
    let [runs] = cp2_tests::sum_over(&cp2_tests::program_numbers(200), host_random);
    assert!(runs > 50, "{runs}");
}

#[test]
fn waiting_for_a_channel_that_is_refused_a_beat_ends_behind_that_cycle() {
    let text = fft::source(&Core::CP2, 256).expect("a length from LENGTHS");
    let (mut cp2, entry) =
        load::machine_with(&cp2_session::Environment::new(), &Core::CP2, "fft256.s", &text)
            .expect("the kernel assembles");
    (cp2.state.gpr[1], cp2.state.gpr[2]) = (2048, 7);
    let end = machine(cp2.clone(), &[]).memory.size().0 as u32;
    let memory = MemoryWalk::rows(MemoryAddress::from(end - 16 * 300), 900, 0, 1).expect("a row");
    let local = LocalWalk::linear(WordAddress(4096 + 2048), 900);
    let table = [get(4096, 200), Descriptor::get(memory, local, [Pattern::ALL; 4])];
    for engine in [&mut Portable::default() as &mut dyn Engine, &mut Translator::default()] {
        let mut expected = machine(cp2.clone(), &table);
        expected.start_kernel(entry);
        let mut found = expected.clone();
        let goal = Goal::still(expected.cycle() + LIMIT);
        assert_eq!(ReferenceEngine.advance(&mut expected, goal, &mut NoObserver), Ok(Pause::Still));
        assert_eq!(engine.advance(&mut found, goal, &mut NoObserver), Ok(Pause::Still));
        assert_alike(&found, &expected, engine.name());
        assert!(found.dma.fault().is_some() && found.dma.stats().bytes_get > 0);
    }
}

#[test]
fn limits_traces_and_single_steps_work_beside_the_channel() {
    let (cp2, entry) =
        load::machine_with(&cp2_session::Environment::new(), &Core::CP2, "rounds.s", ROUNDS)
            .expect("the kernel assembles");
    let mut traced = machine(cp2, &[get(128, 300), put(0, 64).stopping()]);
    let [mut limited, mut stepped, mut watched, mut beside] = [(); 4].map(|()| traced.clone());
    let mut fast = Translator::default();
    let (mut expected, mut events) = (Vec::<Event>::new(), Vec::<Event>::new());
    let mut note = |e: &Event| expected.push(e.clone());
    let run = ReferenceEngine.run_kernel(&mut traced, entry, LIMIT, &mut note);
    let mut note = |e: &Event| events.push(e.clone());
    assert_eq!(fast.run_kernel(&mut watched, entry, LIMIT, &mut note), run);
    assert!(!events.is_empty() && events == expected && fast.translated_cycles() == 0);
    assert_alike(&watched, &traced, "traced");

    let run = ReferenceEngine.run_kernel(&mut limited, entry, 1234, &mut NoObserver);
    assert_eq!(run.end, End::CycleLimit(1234));
    assert_eq!(fast.run_kernel(&mut beside, entry, 1234, &mut NoObserver), run);
    assert_alike(&beside, &limited, "limited");

    let run = traced.cp2.stats().clone();
    stepped.start_kernel(entry);
    let end = (1..).find_map(|until| fast.advance_kernel(&mut stepped, until, &mut NoObserver));
    let end = end.expect("the kernel stops");
    assert_eq!(stepped.finish_kernel(end).stats, run);
    assert_alike(&stepped, &traced, "stepped");
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let (cp2, entry) =
        load::machine_with(&cp2_session::Environment::new(), &Core::CP2, "rounds.s", ROUNDS)
            .expect("the kernel assembles");
    let machines: Vec<Machine> =
        (1..8).map(|k| machine(cp2.clone(), &[get(128, 40 * k), put(0, 64).stopping()])).collect();
    let results = [1, 2, 5].map(|threads| {
        let with_engine = |m: &Machine| (Translator::default(), m.clone());
        let mut machines: Vec<_> = machines.iter().map(with_engine).collect();
        let runs = cp2_fast::for_all(threads, &mut machines, |(fast, machine)| {
            fast.run_kernel(machine, entry, LIMIT, &mut NoObserver)
        });
        (runs, machines)
    });
    let (runs, first) = &results[0];
    for (other_runs, other) in &results[1..] {
        assert_eq!(runs, other_runs);
        for ((_, a), (_, b)) in first.iter().zip(other) {
            assert_alike(a, b, "another number of threads");
        }
    }
}
