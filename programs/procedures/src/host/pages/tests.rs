//! Tests of the order in which pages are moved and computed.

use super::*;
use cp2_emu::dma::{LocalWalk, MemoryWalk, Pattern, Stride};
use cp2_isa::BundleAddress;

/// Returns a page whose transfers are told apart by their bursts: load k, unload 20 + k, prepare 40 + k.
fn page(k: u8, prepares: bool) -> Page {
    let walk = |burst| MemoryWalk { burst, x: Stride { step: 16, count: 1 }, ..Default::default() };
    let get = |n| Descriptor::get(walk(n), LocalWalk::default(), Pattern::dealt(1));
    let call = Call::new(BundleAddress(0), Vec::new());
    let prepare = if prepares { vec![get(40 + k)] } else { Vec::new() };
    let commands = vec![Command::Run(call)];
    Page { prepare, load: vec![get(k)], commands, unload: vec![get(20 + k)] }
}

fn bursts(pages: &[Page]) -> Vec<(Option<usize>, Vec<u8>)> {
    let burst = |d: &Descriptor| match &d.action {
        cp2_emu::dma::DescriptorAction::Get(get) => get.memory.burst,
        _ => 0,
    };
    let of = |s: &PageStep| (s.kernel, s.transfers.iter().map(burst).collect());
    steps(pages).iter().map(of).collect()
}

#[test]
fn unloading_and_loading_surround_the_kernels() {
    let pages: Vec<_> = (0..3).map(|k| page(k, false)).collect();
    let expected = [
        (None, vec![0]),
        (Some(0), vec![1]),
        (Some(1), vec![20, 2]),
        (Some(2), vec![21]),
        (None, vec![22]),
    ];
    assert_eq!(bursts(&pages), expected);
}

#[test]
fn cp2_stands_still_while_a_page_is_prepared() {
    let pages = [page(0, true), page(1, true)];
    let expected = [
        (None, vec![40, 0]),
        (Some(0), vec![1]),
        (None, vec![20, 41]),
        (Some(1), vec![]),
        (None, vec![21]),
    ];
    assert_eq!(bursts(&pages), expected);
}
