//! What the costs of procedures are made of: bytes of descriptors, counts of kernels, rates of machines; and the engines.

use cp2_emu::dma::{
    ChannelCause, Descriptor, DescriptorAction, DmaStats, Gather, GetWords, LocalWalk, MemoryWalk,
    NextDescriptor, Pattern, PutWords, Stride,
};
use cp2_emu::stats::Cause;
use cp2_emu::{MachineConfig, Stats};
use cp2_isa::{Cycle, Exch};
use cp2_session::cost::KnownRates;
use cp2_session::cost::passes::{DataPass, PageDescriptors, PassBytes};
use cp2_session::cost::timeline::{Cp2Activity, DmaActivity, HostActivity, KernelCounts, Timeline};
use cp2_session::{Engine, Environment};

/// Returns a walk of as many units as the product of its burst, bursts and rows.
fn walk([burst, x, y]: [u8; 3]) -> MemoryWalk {
    let stride = |count: u8| Stride { step: 64, count: count.into() };
    MemoryWalk { burst, x: stride(x), y: stride(y), ..MemoryWalk::default() }
}

/// Returns one descriptor of each kind, with the bytes that it moves from system memory and to it.
fn descriptors() -> Vec<(Descriptor, [u64; 2])> {
    let (local, next) = (LocalWalk::default(), NextDescriptor::By(1));
    let (sections, words) = (Pattern::only(0), Pattern::only_words(0));
    let memory = walk([3, 5, 2]);
    let get_words = GetWords { memory, local, sections: words, next };
    let put_words = PutWords { memory, local, flow: 0, next };
    let gather = Gather { list: memory, base: None, local, sections: words, next };
    vec![
        (Descriptor::get(walk([7, 1, 1]), local, sections), [7 * 16, 0]),
        (Descriptor::get(memory, local, sections), [30 * 16, 0]),
        (Descriptor::put(walk([11, 2, 1]), local, 0), [0, 22 * 16]),
        (Descriptor::copy(walk([1, 13, 1]), walk([13, 1, 1])), [13 * 16, 13 * 16]),
        (Descriptor::new(DescriptorAction::GetWords(get_words)), [30 * 4, 0]),
        (Descriptor::new(DescriptorAction::PutWords(put_words)), [0, 30 * 4]),
        // An entry of the list, and the word that it names.
        (Descriptor::new(DescriptorAction::Gather(gather)), [30 * 8, 0]),
    ]
}

#[test]
fn whatever_a_page_transfers_counts_once() {
    let all = descriptors();
    let lists: Vec<Vec<Descriptor>> = (0..3)
        .map(|k| {
            all.iter().cycle().skip(k).take(all.len() - 2 * k).map(|(d, _)| d.clone()).collect()
        })
        .collect();
    let bytes = |k: usize, to: usize| -> u64 {
        all.iter().cycle().skip(k).take(all.len() - 2 * k).map(|(_, bytes)| bytes[to]).sum()
    };
    let page: PageDescriptors<'_> = [&lists[0], &lists[1], &lists[2]];
    let mut moved = PassBytes::default();
    moved.add(page);
    let expected = PassBytes {
        prepare_bytes: bytes(0, 0),
        load_bytes: bytes(1, 0) + bytes(2, 0),
        store_bytes: bytes(0, 1) + bytes(1, 1) + bytes(2, 1),
    };
    assert_eq!(moved, expected);
    let sum = expected.prepare_bytes + expected.load_bytes + expected.store_bytes;
    assert_eq!(moved.bytes(), sum);
    let pass = DataPass::of([page, page, page].into_iter());
    assert_eq!((pass.pages, pass.times, pass.moved.bytes()), (3, 1, 3 * sum));
}

#[test]
fn counts_of_kernels_are_those_before_and_those_since() {
    let stats = |cycles, dma_checks| {
        let mut stats = Stats { cycles, ..Stats::default() };
        stats.exchange[Exch::CheckDma as usize] = dma_checks;
        stats.causes[Cause::Both as usize] = 10;
        stats.causes[Cause::Arithmetic as usize] = cycles / 5;
        stats.causes[Cause::Exchange as usize] = 3;
        stats
    };
    let mut before = KernelCounts::default();
    before.add(&stats(100, 7));
    let (mut after, mut later) = (before, KernelCounts::default());
    for run in [stats(30, 2), stats(5, 3)] {
        after.add(&run);
        later.add(&run);
    }
    let since = after.since(&before);
    assert_eq!((since, since.runs, since.cycles, since.dma_checks), (later, 2, 35, 5));
    // The fuller slot has 10 + 6 operations in one run, 10 + 3 in the other.
    assert_eq!(since.slot_operations, 29);
    let mut sum = before;
    sum.add_all(&since);
    assert_eq!(sum, after);
    assert!(before.are_before(&after) && !after.are_before(&before));
}

#[test]
fn rates_are_those_of_one_machine() {
    let environment = Environment::new();
    let rates = |name| KnownRates::new(&environment, &MachineConfig::preset(name).unwrap());
    assert_eq!(rates("vm7"), rates("vm7"));
    assert_ne!(rates("vm7"), rates("vm9"));
    // Which environment knows them makes no difference.
    let other = KnownRates::new(&Environment::new(), &MachineConfig::preset("vm7").unwrap());
    assert_eq!(other, rates("vm7"));
}

#[test]
fn engines_are_told_apart_by_name_and_in_a_line() {
    let mut lines = Vec::new();
    for engine in Engine::ALL {
        let line = engine.description();
        assert_eq!(Engine::from_name(engine.name()), Some(engine));
        assert!(line.contains(' ') && !line.contains('\n') && !line.ends_with('.'), "{line}");
        lines.push(line);
    }
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), Engine::ALL.len());
    assert_eq!(Engine::from_name("fastest"), None);
}

#[test]
fn a_timeline_is_complete_if_its_tracks_and_the_counts_of_the_channel_say_the_same() {
    let mut timeline = Timeline::new(Cycle(100));
    let (mut before, mut after) = (DmaStats::default(), DmaStats::default());
    for (k, (cp2, dma, host, cause)) in [
        (Cp2Activity::Kernel, DmaActivity::Load, HostActivity::WaitCp2, ChannelCause::Beat),
        (Cp2Activity::Idle, DmaActivity::SetUp, HostActivity::WaitDma, ChannelCause::Fetch),
        (Cp2Activity::Idle, DmaActivity::Unload, HostActivity::WaitDma, ChannelCause::Memory),
        (Cp2Activity::Kernel, DmaActivity::Sync, HostActivity::Program, ChannelCause::Sync),
        (Cp2Activity::Idle, DmaActivity::Idle, HostActivity::Command, ChannelCause::Idle),
    ]
    .into_iter()
    .enumerate()
    {
        let cycles = 10 + k as u64;
        timeline.record(cp2, dma, host, cycles);
        before.causes[cause as usize] = 7 * cycles;
        after.causes[cause as usize] = 8 * cycles;
    }
    assert!(timeline.is_complete(&before, &after));
    for k in 0..before.causes.len() {
        let mut other = after.clone();
        other.causes[k] += 1;
        assert!(!timeline.is_complete(&before, &other), "{k}");
    }
    let changes: [fn(&mut Timeline); 8] = [
        |t| t.cp2.spans[0].start = Cycle(101),
        |t| t.dma.spans[1].end = Cycle(120),
        |t| _ = t.host.spans.pop(),
        |t| _ = t.host.spans.remove(1),
        |t| t.overlapped += 1,
        |t| t.neither += 1,
        |t| t.start = Cycle(99),
        |t| t.end += 1,
    ];
    for (k, change) in changes.into_iter().enumerate() {
        let mut other = timeline.clone();
        change(&mut other);
        assert!(!other.is_complete(&before, &after), "{k}");
    }
}
