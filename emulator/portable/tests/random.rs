//! Random bundles on random cores beside a channel at work, against the reference engine: after every piece of a
//! run, and after every wait for the channel, everything is the same. More of them by
//! `CP2_BEGIN=1000 CP2_PROGRAMS=100000 cargo test --release -p cp2-portable --test random`.

#[path = "../../tests/common/random.rs"]
mod random;

use cp2_emu::cp2::FifoEntry;
use cp2_emu::cp2::seam::{InFlight, Landing};
use cp2_emu::dma::{
    Descriptor, DescriptorAction, DmaRegister, JumpKind, LocalWalk, MemoryWalk, NextDescriptor,
    Pattern, ctrl,
};
use cp2_emu::machine::what_differs;
use cp2_emu::trace::NoObserver;
use cp2_emu::{Cp2, Engine, Goal, Machine, MachineConfig, ReferenceEngine, RunResult};
use cp2_isa::machine::TOGGLES;
use cp2_isa::{
    Arith, Bundle, BundleAddress, BundleBits, Core, Effects, Exch, Extensions, Inst, MAX_OPERANDS,
    MemoryAddress, MoveReg, Operand, OperandKind, RegFile, Unit, WordAddress, encode,
};
use cp2_portable::Portable;
use random::SplitMix64;

const TABLE: u32 = 0x10_0000;

/// Returns a machine description: the unmodified CP2 once in three times, else other latencies, sizes and extensions.
fn config(s: &mut SplitMix64) -> MachineConfig {
    let mut config = MachineConfig::preset("vm7").expect("a preset");
    if s.one_in(3) {
        return config;
    }
    let most = if s.one_in(8) { 32 } else { 10 };
    let mut settings = vec![
        format!("core.arithmetic_latency={}", 2 + s.below(most - 1)),
        format!("core.load_latency={}", 2 + s.below(most / 2 - 1)),
        format!("core.psprmsgn_latency={}", 1 + s.below(most / 2)),
        format!("core.mtfpr_latency={}", 1 + s.below(most / 2)),
    ];
    if s.one_in(2) {
        settings.push(format!("core.local_memory_words={}", 1024 << s.below(6)));
    }
    for setting in settings {
        config.apply_set(&setting).expect("a number within its limits");
    }
    for toggle in TOGGLES {
        let is_of_core = toggle.extension().is_some();
        if is_of_core && s.one_in(2) {
            let name = match toggle.extension() {
                Some(Extensions::MORE_FPRS) => s.of(&["more-fprs=128", "more-fprs=256"]),
                _ => toggle.name,
            };
            config.enable(name).expect("an extension that is off");
        }
    }
    config
}

/// Returns an operand at random that the core has; registers are few as a rule, so that results meet.
fn operand(s: &mut SplitMix64, core: &Core, operand: &Operand) -> i32 {
    let (low, high) = operand.kind.range().into_inner();
    let span = (i64::from(high) - i64::from(low) + 1) as u64;
    let near = match operand.kind {
        _ if s.one_in(16) => span,
        OperandKind::Fpr(_) | OperandKind::FprPair(_) => 12,
        OperandKind::FprHalf(..) => 24,
        OperandKind::FprPermute(_)
        | OperandKind::AddressSet
        | OperandKind::SectionSet(_)
        | OperandKind::SharedSet => 4,
        _ => span,
    };
    for _ in 0..40 {
        let value = low.wrapping_add(s.below(near.min(span)) as i32);
        if operand.kind.is_defined(core, value) {
            return value;
        }
    }
    low
}

fn operands(s: &mut SplitMix64, core: &Core, all: &[Operand]) -> [i32; MAX_OPERANDS] {
    let mut values = [0; MAX_OPERANDS];
    for (value, of) in values.iter_mut().zip(all) {
        *value = operand(s, core, of);
    }
    values
}

/// Operations that keep numbers near 1 tame.
const TAME: [Arith; 10] = {
    use Arith as A;
    [
        A::Psmul,
        A::Cadd,
        A::Copy,
        A::Psneg,
        A::Cbutterfly,
        A::Mvmul,
        A::C,
        A::Psabs,
        A::Psaddsub,
        A::Nop,
    ]
};

/// Returns arithmetic operations, tame ones more often than others.
fn arithmetic(s: &mut SplitMix64, core: &Core) -> Inst<Arith> {
    let op = if s.one_in(3) { s.of(Arith::ALL) } else { s.of(&TAME) };
    Inst { op, values: operands(s, core, op.row().operands) }
}

/// Returns exchange operations that do not direct the flow.
fn exchange(s: &mut SplitMix64, core: &Core) -> Inst<Exch> {
    if s.one_in(20) {
        return with_the_channel(s);
    }
    let op = s.of(Exch::ALL);
    let row = op.row();
    let is_flow = row.effects.contains(Effects::CONTROL)
        || matches!(row.unit, Unit::Loop | Unit::Jump | Unit::Stop);
    let op = match op {
        _ if is_flow => Exch::Nop,
        Exch::Sync | Exch::StartDma | Exch::CheckDma if !s.one_in(4) => Exch::Nop,
        op => op,
    };
    Inst { op, values: operands(s, core, op.row().operands) }
}

/// Returns an operation that concerns the channel, or a write of an index register that a descriptor may read.
fn with_the_channel(s: &mut SplitMix64) -> Inst<Exch> {
    match s.below(3) {
        0 => Inst::new(Exch::StartDma, &[]),
        1 => Inst::new(Exch::CheckDma, &[4]),
        _ => {
            let index = MoveReg { file: RegFile::Ireg, number: s.below(4) as u8 };
            let from = MoveReg { file: RegFile::Gpr, number: 4 };
            Inst::new(Exch::Move, &[index.packed(), from.packed()])
        }
    }
}

fn bundle(s: &mut SplitMix64, core: &Core) -> Bundle {
    for _ in 0..20 {
        let cc = if s.one_in(3) { s.below(8) as u8 } else { 0 };
        let bundle = Bundle { cc, arith: arithmetic(s, core), exch: exchange(s, core) };
        if bundle.check(core).is_ok() {
            return bundle;
        }
    }
    Bundle::NOP
}

/// Returns a program of two nested loops, and `stopi`.
fn program(s: &mut SplitMix64, core: &Core) -> Vec<BundleBits> {
    let n = 12 + s.below(40) as usize;
    let mut bundles: Vec<Bundle> = (0..n).map(|_| bundle(s, core)).collect();
    let mut looped = |at: usize, count: u64, end: usize| {
        bundles[at].exch = Inst::new(Exch::Doi, &[count as i32, end as i32]);
    };
    let inner = 3 + s.below(n as u64 / 2 - 3) as usize;
    looped(1, 1 + s.below(5), n - 2);
    looped(inner, 1 + s.below(60), inner + 1 + s.below((n - 5 - inner) as u64) as usize);
    bundles.push(Bundle::NOP);
    bundles.push(Bundle { exch: Inst::new(Exch::Stopi, &[3]), ..Bundle::NOP });
    bundles.iter().map(encode).collect()
}

/// Returns a word of two different numbers near 1, or of others.
fn word(s: &mut SplitMix64, is_tame: bool) -> u64 {
    let bits = s.bits();
    if is_tame { bits & 0x803f_ffff_803f_ffff | 0x3f80_0000_3f80_0000 } else { bits }
}

/// Returns descriptors, of which some reach beyond the end of memory.
fn descriptors(s: &mut SplitMix64, core: &Core, end: u32) -> Vec<Descriptor> {
    let n = 1 + s.below(6);
    let mut all: Vec<Descriptor> = (0..n)
        .map(|_| {
            let beats = 1 + s.below(300) as u16;
            let at = WordAddress(s.below(core.lmem_words() as u64 - 700) as u16 & !1);
            let local = LocalWalk::linear(at, beats);
            let base = s.of(&[0, 0, 0, 0x8_0000, 0x8_0000, 0x8_0000, end - 16 * 64]);
            let memory = MemoryWalk::rows(base.into(), beats.into(), 0, 1).expect("a row");
            let mut descriptor = if s.one_in(2) {
                Descriptor::get(memory, local, [Pattern::ALL; 4])
            } else {
                Descriptor::put(memory, local, 0)
            };
            if s.one_in(8) {
                descriptor = Descriptor::jump(JumpKind::Relative, s.below(4) as u8);
            }
            if let DescriptorAction::Get(get) = &mut descriptor.action {
                get.memory.index = s.one_in(8).then(|| s.below(4) as u8);
                if s.one_in(8) {
                    get.next = NextDescriptor::Index(s.below(4) as u8);
                }
            }
            descriptor.sync_before = s.one_in(4);
            descriptor.sync_after = s.one_in(6);
            descriptor
        })
        .collect();
    if let Some(last) = all.last_mut() {
        last.stop = true;
    }
    all
}

fn machine(s: &mut SplitMix64) -> Machine {
    let config = config(s);
    let core = *config.core();
    let mut machine = Machine::new(&config);
    machine.cp2 = Cp2::new(core);
    if s.one_in(4) {
        machine.cp2.keep_profile();
    }
    let words = program(s, &core);
    let is_tame = !s.one_in(4);
    let (inexact, extra) = (s.below(4) > 0, s.one_in(6));
    let state = &mut machine.cp2.state;
    state.iram[..words.len()].copy_from_slice(&words);
    for quad in state.lmem.iter_mut().chain(state.fpr.iter_mut()) {
        *quad = std::array::from_fn(|_| word(s, is_tame));
    }
    for k in 0..16 {
        state.a[k].0 = s.bits() as u16 & core.address_mask();
        state.n[k] = s.below(9) as u16;
        state.m[k] = s.of(&[core.address_mask(), core.address_mask(), 0, 63]);
        state.gpr[k] = s.bits();
    }
    for own in &mut state.sa {
        *own = std::array::from_fn(|_| WordAddress(s.bits() as u16 & core.address_mask()));
    }
    for shared in &mut state.shared {
        *shared = word(s, is_tame);
    }
    state.ireg.iter_mut().for_each(|ireg| *ireg = s.below(4));
    (state.rstep, state.rmask) = (s.bits() as u16, s.bits() as u16);
    if inexact {
        state.fcsr = [4; 4];
        state.status |= 1 << 16;
    }
    state.control |= if extra { s.below(4) } else { 0 };
    let end = machine.memory.size().0 as u32;
    let table = descriptors(s, &core, end);
    for (k, descriptor) in table.iter().enumerate() {
        let words = descriptor.encode().expect("fields that fit");
        machine
            .memory
            .write_words(MemoryAddress(u64::from(TABLE) + 64 * k as u64), &words)
            .expect("memory");
    }
    let data: Vec<u64> = (0..4096).map(|_| word(s, is_tame)).collect();
    machine.memory.write_words(MemoryAddress(0), &data).expect("memory");
    machine.write_register(DmaRegister::Baseaddr, TABLE).expect("a register");
    machine.start_kernel(BundleAddress(0));
    machine
}

/// Returns what is under way, in some order, with zeros for what is not written; condition codes, which have more than one
/// form, are left out.
fn under_way(machine: &Machine) -> Vec<String> {
    let landings = machine.cp2.flight().landings.into_iter();
    let landings = landings.filter(|l| !matches!(l.landing, Landing::Conditions { .. }));
    let written = |mut result: InFlight| {
        if let Landing::Fpr { halves, value, .. } = &mut result.landing {
            for (s, value) in value.iter_mut().enumerate() {
                *value &= if result.enabled >> s & 1 == 1 { halves.mask() } else { 0 };
            }
        }
        format!("{result:?}")
    };
    let mut texts: Vec<String> = landings.map(written).collect();
    texts.sort();
    texts
}

/// Describes what differs between two machines.
fn difference(found: &Machine, expected: &Machine) -> Option<String> {
    let run = |machine: &Machine| RunResult {
        end: cp2_emu::End::Interrupted,
        stats: machine.cp2.stats().clone(),
    };
    let what = what_differs((&expected.cp2, &run(expected)), (&found.cp2, &run(found)));
    let same = [
        found.cycle() == expected.cycle(),
        found.cp2.status() == expected.cp2.status(),
        found.dma.stats() == expected.dma.stats(),
        found.dma.next_event() == expected.dma.next_event(),
        found.dma.check() == expected.dma.check(),
        found.memory == expected.memory,
    ];
    if under_way(found) != under_way(expected) {
        return Some(format!("under way {:#?}\n{:#?}", under_way(found), under_way(expected)));
    }
    what.or_else(|| same.contains(&false).then(|| format!("the channel: {same:?}")))
}

/// Runs a machine on an engine beside the reference engine, in pieces, with a host at work between them; gives its
/// cycles.
fn compare(engine: &mut Portable, seed: u64) -> u64 {
    let mut s = SplitMix64(seed);
    let mut expected = machine(&mut s);
    let mut found = expected.clone();
    let (begin, mut pieces) = (expected.cycle().0, 0);
    while expected.cycle().0 - begin < 2000 && pieces < 40 {
        pieces += 1;
        if s.one_in(8) {
            for machine in [&mut found, &mut expected] {
                machine.dma.write(DmaRegister::Curdsc, 0).expect("a register");
                machine.dma.write(DmaRegister::Ctrl, ctrl::START).expect("a register");
            }
        }
        let most = s.of(&[4, 40, 600, 3000]);
        let until_still = s.one_in(2);
        let cycle = expected.cycle() + 1 + s.below(most);
        let mut goal = Goal { until_still, ..Goal::cycle(cycle) };
        if s.one_in(3) {
            goal = goal.or_from(expected.cycle() + s.below(most));
        }
        let results = [&mut ReferenceEngine as &mut dyn Engine, engine]
            .into_iter()
            .zip([&mut expected, &mut found])
            .map(|(engine, machine)| engine.advance(machine, goal, &mut NoObserver))
            .collect::<Vec<_>>();
        let core = expected.cp2.core().changes().join(", ");
        let place = format!("seed {seed}, {goal:?}, {core}");
        assert_eq!(results[0], results[1], "{place}");
        let what = difference(&found, &expected);
        assert_eq!(what, None, "{place}");
        if results[0].is_err() {
            break;
        }
        let word = match s.below(8) {
            0 if !expected.cp2.is_running() => Inst::new(Exch::Runi, &[0]),
            1 => Inst::new(Exch::StartDma, &[]),
            _ => continue,
        };
        let word = FifoEntry::Execute(encode(&Bundle { exch: word, ..Bundle::NOP }));
        let pushed = [&mut found, &mut expected].map(|m| m.cp2.fifo.push(word).is_ok());
        assert_eq!(pushed[0], pushed[1], "{place}");
    }
    expected.cycle().0
}

#[test]
fn random_bundles_run_alike_beside_a_channel() {
    let number = |name: &str, usual| match std::env::var(name) {
        Ok(text) => text.parse().expect("a number"),
        Err(_) => usual,
    };
    let (begin, n) = (number("CP2_BEGIN", 0), number("CP2_PROGRAMS", 400));
    let mut engines = [Portable::default(), Portable::baseline()];
    let cycles: u64 =
        (begin..begin + n).map(|seed| compare(&mut engines[seed as usize % 2], seed)).sum();
    println!("{n} programs, {cycles} cycles");
    assert!(cycles > 300 * n, "{cycles}");
}
