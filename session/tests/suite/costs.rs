//! What the costs of procedures are made of: bytes of descriptors, counts of kernels, rates of machines; and the engines.

use cp2_emu::dma::{
    Descriptor, DescriptorAction, Gather, GetWords, LocalWalk, MemoryWalk, NextDescriptor, Pattern,
    PutWords, Stride,
};
use cp2_emu::{MachineConfig, Stats};
use cp2_isa::Exch;
use cp2_session::cost::KnownRates;
use cp2_session::cost::passes::{DataPass, PageDescriptors, PassBytes};
use cp2_session::cost::timeline::KernelCounts;
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
