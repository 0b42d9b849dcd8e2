//! Random kernels with memory operations in all modes of address sets, and random descriptors for the channel beside them.
//! How they run is compared in `coupled`.

use cp2_emu::dma::{
    Descriptor, DescriptorAction, Gather, Get, GetWords, JumpKind, LocalStride, LocalWalk,
    MemoryWalk, NextDescriptor, Pattern, Put, PutWords, Stride,
};
use cp2_isa::{MemoryAddress, WordAddress};
use cp2_tests::SplitMix64;
use std::fmt::Write as _;

const ARITHMETIC: [&str; 8] = [
    "nop",
    "psadd f5, f6, f20",
    "psmul f7, f8, f20",
    "cbutterfly2 f28, f30, f20",
    "copy f10, f8",
    "psneg f26, f7",
    "cmul f12, f13, f20",
    "psabs f14, f8",
];

/// Returns an operation of the exchange slot that stays in translated code.
fn memory_operation(s: &mut SplitMix64) -> String {
    let set = s.below(4);
    let reg = [6, 8, 12, 14][s.below(4) as usize];
    match s.below(9) {
        0 => format!("lwo f{reg}, (r{set})+{}", s.below(4)),
        1 => format!("ldo f{reg}, (r{set})+{}", 2 * s.below(3)),
        2 => format!("lwnp f{reg}, (r{set})+n{set}"),
        3 => format!("ldnm f{reg}, (r{set})-n{set}"),
        4 => format!("swo f26, (r{set})+{}", s.below(3)),
        5 => format!("sdo f26, (r{set})+2"),
        6 => format!("swnp f7, (r{set})+n{set}"),
        7 => format!("lwi f{reg}, {}", s.below(8192)),
        _ => format!("updaddr (r{set})+{}", s.below(9)),
    }
}

/// Returns a kernel of two nested loops, and some operations behind the inner one.
pub(crate) fn kernel(s: &mut SplitMix64) -> String {
    let (rounds, turns) = (1 + s.below(6), 1 + s.below(150));
    let mut text = String::from("        .kernel random\n");
    for set in 0..4 {
        let address = s.below(8192);
        let _ = writeln!(
            text,
            "        | seti a{set}, {address}\n        | seti n{set}, {}",
            s.below(64)
        );
        let mode = ["8191", "8191", "8191", "0", "63", "1023"][s.below(6) as usize];
        let _ = writeln!(text, "        | seti m{set}, {mode}");
    }
    let _ = writeln!(
        text,
        "        | seti g1, {rounds}\n        | seti g2, {turns}\n        | do g1, last"
    );
    if s.one_in(2) {
        let _ = writeln!(text, "        | move i{}, g{}", s.below(4), s.below(3));
    }
    text += "        | do g2, inner\n";
    let bundles = 3 + s.below(12);
    for k in 0..bundles {
        let label = if k + 2 == bundles { "inner:" } else { "" };
        let rare = if s.one_in(60) { "check_dma g4".to_owned() } else { memory_operation(s) };
        let exchange = if s.one_in(3) { "nop".to_owned() } else { rare };
        let _ = writeln!(text, "{label:<7} {} | {exchange}", s.of(&ARITHMETIC));
    }
    for _ in 0..s.below(4) {
        let operation =
            s.of(&["start_dma", "check_dma g4", "move g6, i1", "sync", "seti a1, 4000"]);
        let _ = writeln!(text, "        | {operation}");
    }
    text + "last:   psadd f22, f26, f5\n        psadd f23, f26, f7\n        | stopi 3\n"
}

fn memory_walk(s: &mut SplitMix64, beats: u32) -> MemoryWalk {
    let burst = 1 + s.below(u64::from(beats.min(32))) as u8;
    let x = 1 + s.below(4) as u32;
    let rows = beats.div_ceil(u32::from(burst) * x);
    let step = |s: &mut SplitMix64| 16 * s.below(300) as i32;
    MemoryWalk {
        base: MemoryAddress::from(16 * s.below(40_000) as u32),
        index: s.one_in(12).then(|| s.below(8) as u8),
        burst,
        x: Stride { step: step(s), count: x },
        y: Stride { step: step(s), count: rows },
    }
}

fn local_walk(s: &mut SplitMix64) -> LocalWalk {
    let stride = |s: &mut SplitMix64| LocalStride {
        step: [2, 2, 0, 8, 8190, 64, 4096][s.below(7) as usize],
        count: 1 + s.below(100) as u16,
        reversed: s.one_in(8),
    };
    LocalWalk {
        base: WordAddress(s.below(8192) as u16),
        index: s.one_in(16).then(|| s.below(8) as u8),
        x: stride(s),
        y: stride(s),
    }
}

/// Returns a descriptor with the same walks, as those of 32-bit words.
fn of_words(s: &mut SplitMix64, descriptor: Descriptor) -> Descriptor {
    let action = match descriptor.action {
        DescriptorAction::Get(Get { memory: list, local, sections, next, .. }) if s.one_in(16) => {
            DescriptorAction::Gather(Gather { list, base: None, local, sections, next })
        }
        DescriptorAction::Get(Get { memory, local, sections, next, .. }) => {
            DescriptorAction::GetWords(GetWords { memory, local, sections, next })
        }
        DescriptorAction::Put(Put { memory, local, flow, next, .. }) => {
            DescriptorAction::PutWords(PutWords { memory, local, flow, next })
        }
        other => other,
    };
    Descriptor { action, ..descriptor }
}

fn descriptor(s: &mut SplitMix64) -> Descriptor {
    let beats = 1 + s.below(600) as u32;
    let (memory, local) = (memory_walk(s, beats), local_walk(s));
    let mut made = match s.below(8) {
        0..4 => {
            let share = 1 + s.below(64) as u16;
            let sections = if s.one_in(3) { [Pattern::ALL; 4] } else { Pattern::dealt(share) };
            Descriptor::get(memory, local, sections)
        }
        4..7 => Descriptor::put(memory, local, s.below(5) as u8),
        _ => Descriptor::jump(JumpKind::Relative, s.below(8) as u8),
    };
    let (single, mask) = (s.one_in(4), s.below(16) as u8);
    match &mut made.action {
        DescriptorAction::Get(get) => get.single_words = single,
        DescriptorAction::Put(put) => {
            (put.mask, put.row_end_mask) = (if single { mask } else { 0 }, 0);
        }
        _ => {}
    }
    if let (true, DescriptorAction::Get(get)) = (s.one_in(16), &mut made.action) {
        get.next = NextDescriptor::Index(s.below(8) as u8);
    }
    if s.one_in(6) {
        made = of_words(s, made);
    }
    made.sync_before = s.one_in(4);
    made.sync_after = s.one_in(8);
    made.interrupt = s.one_in(4);
    made
}

/// Returns random descriptors, of which the last stops the channel.
pub(crate) fn descriptors(s: &mut SplitMix64) -> Vec<Descriptor> {
    let n = 1 + s.below(8);
    let mut table: Vec<_> = (0..n).map(|_| descriptor(s)).collect();
    if let Some(last) = table.last_mut() {
        last.stop = true;
    }
    table
}
