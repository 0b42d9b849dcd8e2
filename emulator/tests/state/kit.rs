//! Machines with work for their kernel and their channel, and their moments as values in which each field has a path.

use crate::random::SplitMix64;
use cp2_emu::cp2::FifoEntry;
use cp2_emu::dma::{
    Descriptor, DescriptorAction, DmaRegister, Gather, Get, GetWords, LocalStride, LocalWalk,
    MemoryWalk, NextDescriptor, Pattern, Put, PutWords, Stride, config, ctrl,
};
use cp2_emu::machine::MachineSnapshot;
use cp2_emu::trace::NoObserver;
use cp2_emu::{End, Machine, MachineConfig, dma};
use cp2_isa::{
    Bundle, BundleAddress, BundleBits, Exch, MemoryAddress, SECTIONS, WordAddress, encode,
};
use serde_json::Value;

/// Address of the descriptor table.
const TABLE: u32 = 0x8_0000;

/// Kernel that has results of every kind under way: registers, condition codes, flags, control registers, the mailbox, old
/// values of general registers, calls, loops and holds.
pub(crate) const KERNEL: &str = "\
        .kernel everything
        | seti a0, 0
        | seti a1, 640
        | seti n1, 6
        | seti g1, 12
        | seti g2, 3
        | do g1, last
        psadd f5, f6, f20 | ldo f8, (r0)+2
        c.eq.w cc1, f5, f6 | calli part
        mtc f6, fcsr | move comm, g2
        | do g2, inner
        cbutterfly2 f28, f30, f20 | seti g3, 7
inner:  psmul f7, f8, f20 | lwo f6, (r0)+1
        psneg f26, f7 | sdo f8, (r1)+2
        | start_dma
        | move g6, i1
        | check_dma g4
last:   psadd f22, f26, f5 | seti g3, 8
        mtc f7, fccr | move g5, comm
        | stopi 3
part:   psadd f9, f6, f20 | sync
        | ret
        | nop
";

fn memory_walk(s: &mut SplitMix64, beats: bool) -> MemoryWalk {
    let unit = if beats { 16 } else { 4 };
    let step = |s: &mut SplitMix64| unit * (s.below(40) as i32 - 8);
    MemoryWalk {
        base: MemoryAddress::from(0x2000 + unit as u32 * s.below(900) as u32),
        index: s.one_in(4).then(|| s.below(8) as u8),
        burst: s.of(&[0, 1, 2, 5, 8]),
        x: Stride { step: step(s), count: s.below(4) as u32 },
        y: Stride { step: step(s), count: s.below(4) as u32 },
    }
}

fn local_walk(s: &mut SplitMix64) -> LocalWalk {
    let stride = |s: &mut SplitMix64| LocalStride {
        step: s.of(&[0, 2, 2, 2, 1, 8, 4096, 8190]),
        count: s.below(6) as u16,
        reversed: s.one_in(8),
    };
    let base = WordAddress(s.of(&[0, 2, 8190, 4090]) + s.below(40) as u16);
    LocalWalk { base, index: s.one_in(6).then(|| s.below(8) as u8), x: stride(s), y: stride(s) }
}

fn sections(s: &mut SplitMix64, of_words: bool) -> [Pattern; SECTIONS] {
    match s.below(4) {
        0 if of_words => Pattern::dealt_words(1 + s.below(5) as u16),
        0 => Pattern::dealt(1 + s.below(3) as u16),
        1 => std::array::from_fn(|_| Pattern {
            base: s.below(6) as u16,
            inner: s.below(5) as u16,
            run: s.below(4) as u16,
            outer: s.below(9) as u16,
        }),
        _ if of_words => [Pattern::ALL_WORDS; SECTIONS],
        _ => [Pattern::ALL; SECTIONS],
    }
}

/// Returns a random descriptor of one of the six transfers.
pub(crate) fn transfer(s: &mut SplitMix64, kind: u64) -> Descriptor {
    let (beats, words) = (memory_walk(s, true), memory_walk(s, false));
    let (local, next, flow) = (local_walk(s), NextDescriptor::By(1), s.of(&[0, 1, 2, 3, 4, 4]));
    let action = match kind {
        0 => {
            let (single_words, sections) = (s.one_in(3), sections(s, false));
            DescriptorAction::Get(Get { memory: beats, local, single_words, sections, next })
        }
        1 => {
            let (mask, row_end_mask) = (s.of(&[0, 5]), s.of(&[0, 5, 8]));
            DescriptorAction::Put(Put { memory: beats, local, flow, mask, row_end_mask, next })
        }
        2 => {
            let from = beats;
            let to = MemoryWalk { base: MemoryAddress(0x1_0000), index: None, ..from };
            DescriptorAction::Copy(dma::Copy { from, to, next })
        }
        3 => DescriptorAction::GetWords(GetWords {
            memory: words,
            local,
            sections: sections(s, true),
            next,
        }),
        4 => DescriptorAction::PutWords(PutWords { memory: words, local, flow, next }),
        _ => {
            let (base, sections) = (s.one_in(2).then(|| s.below(8) as u8), sections(s, true));
            DescriptorAction::Gather(Gather { list: words, base, local, sections, next })
        }
    };
    Descriptor { interrupt: s.one_in(4), ..Descriptor::new(action) }
}

/// Returns random descriptors, of which some wait for the kernel and the last stops the channel.
pub(crate) fn chain(s: &mut SplitMix64) -> Vec<Descriptor> {
    let mut all = Vec::new();
    for _ in 0..6 {
        let kind = s.below(6);
        let (before, after) = (s.one_in(5), s.one_in(8));
        all.push(Descriptor { sync_before: before, sync_after: after, ..transfer(s, kind) });
    }
    all.push(transfer(s, 0).stopping());
    all
}

/// Returns a bundle with one exchange operation.
pub(crate) fn exchange(op: Exch, values: &[i32]) -> BundleBits {
    let mut bundle = Bundle::NOP;
    bundle.exch.op = op;
    bundle.exch.values[..values.len()].copy_from_slice(values);
    encode(&bundle)
}

/// Returns the bundles of a text of one kernel, which begins at address 0.
pub(crate) fn assembled(text: &str) -> Box<[BundleBits]> {
    let mut sources = cp2_asm::Sources::default();
    let root = sources.add("main.s", text);
    let mut loader = |_: &str, path: &str| Err(format!("no file {path}"));
    let assembled = cp2_asm::assemble(&mut sources, &[root], &mut loader);
    let (image, _) = assembled.unwrap_or_else(|e| panic!("{e:?}"));
    image.kernels[0].words.clone().into()
}

/// Returns a machine whose channel and kernel have begun.
pub(crate) fn machine(table: &[Descriptor], text: &str) -> Machine {
    let mut config = MachineConfig::preset("vm9").expect("a preset");
    config.enable("dma-words").expect("an extension");
    config.apply_set("memory.size_mib=1").expect("a size");
    machine_of(&config, table, text)
}

/// Returns a machine of a description whose channel and kernel have begun.
pub(crate) fn machine_of(config: &MachineConfig, table: &[Descriptor], text: &str) -> Machine {
    let words = assembled(text);
    let mut machine = Machine::new(config);
    let state = &mut machine.cp2.state;
    state.iram[..words.len()].copy_from_slice(&words);
    let number = |k: usize| ((k as u64 % 0x900) << 34) | ((k as u64 * 12) % 0x3000);
    for (k, quad) in state.lmem.iter_mut().enumerate() {
        *quad = std::array::from_fn(|section| number(4 * k + section));
    }
    state.ireg = std::array::from_fn(|k| ((k as u64) << 36) | (64 * k as u64));
    let words: Vec<u64> = (0..0x4000).map(number).collect();
    machine.memory.write_words(MemoryAddress(0), &words).expect("memory");
    for (k, d) in table.iter().enumerate() {
        let words = d.encode().expect("fields that fit");
        machine.memory.write_words((TABLE + 64 * k as u32).into(), &words).expect("memory");
    }
    let mut write = |register, value| machine.write_register(register, value).expect("a register");
    write(DmaRegister::Baseaddr, TABLE);
    write(DmaRegister::Addrlim, 0xf_0000);
    write(DmaRegister::Config, config::CHECK_LIMIT);
    write(DmaRegister::Ctrl, ctrl::START);
    machine.start_kernel(BundleAddress(0));
    machine
}

/// Lets a machine go on for a cycle. A fault ends the run of the kernel; the host sends bundles behind it.
pub(crate) fn step(machine: &mut Machine) {
    if machine.step(&mut NoObserver).is_err() {
        machine.finish_kernel(End::Interrupted);
    }
    if !machine.cp2.is_running() && machine.cycle().0.is_multiple_of(7) {
        let op = if machine.cycle().0.is_multiple_of(2) { Exch::Jumpi } else { Exch::Runi };
        // A full FIFO keeps the host waiting.
        let _ = machine.cp2.fifo.push(FifoEntry::Execute(exchange(op, &[0])));
    }
}

/// Returns the snapshot of a machine as a value.
pub(crate) fn value(machine: &Machine) -> Value {
    serde_json::to_value(machine.snapshot()).expect("a snapshot is a value")
}

/// Puts a machine into a snapshot, but for its memories, and returns whether it is taken.
pub(crate) fn restore(machine: &mut Machine, snapshot: &Value) -> bool {
    serde_json::from_value::<MachineSnapshot<'_>>(snapshot.clone())
        .is_ok_and(|snapshot| machine.restore(snapshot).is_ok())
}
