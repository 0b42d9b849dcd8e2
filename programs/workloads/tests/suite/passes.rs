//! What the page scheme tells of a procedure, its loads, kernels and stores, is what the channel and the
//! kernels did.

use crate::sharing;
use cp2_emu::MachineConfig;
use cp2_session::cost::Cost;
use cp2_session::workload::{OptionValues, Platform, Request};
use cp2_workloads::catalogue::find;

/// Runs a workload with the defaults of all options; returns its cost.
fn cost_of(name: &str, machine: &str) -> Cost {
    let workload = find(Platform::Machine, name).unwrap();
    let mut values = OptionValues::default();
    values.add_defaults(&workload.option_list());
    let config = MachineConfig::preset(machine).unwrap();
    let request = Request {
        values,
        core: *config.core(),
        machine: Some(config),
        environment: sharing(),
        ..Request::default()
    };
    workload.execute(request, &mut |_: usize, _: usize| {}).unwrap().cost.unwrap()
}

#[test]
fn passes_are_all_that_procedures_move_and_compute() {
    let alone = ["fft2d", "fft3d", "ft"];
    for name in
        ["fft64", "fft8192", "convolution", "resid", "interp", "mg"].into_iter().chain(alone)
    {
        let cost = cost_of(name, "vm9");
        let sum = |of: fn(&cp2_session::cost::passes::DataPass) -> u64| -> u64 {
            cost.passes.iter().map(of).sum()
        };
        let moved = cost.dma.bytes_get + cost.dma.bytes_put;
        assert!(!cost.passes.is_empty(), "{name}");
        assert_eq!(sum(|pass| pass.moved.bytes()), moved, "{name}");
        assert_eq!(sum(|pass| pass.counts.runs), cost.kernels.runs, "{name}");
        assert_eq!(sum(|pass| pass.counts.cycles), cost.kernels.cycles, "{name}");
        assert!(sum(|pass| pass.cycles) <= cost.cycles(), "{name}");
        let stored = sum(|pass| pass.moved.store_bytes);
        assert_eq!(stored, cost.dma.bytes_put, "{name}");
    }
}

/// 64 vectors of 8192 points in two passes, each of which loads and stores everything once; the first also the
/// factors of its blocks.
#[test]
fn a_long_transform_is_two_passes() {
    let cost = cost_of("fft8192", "vm9");
    let array = 64 * 8192 * 8;
    let [columns, rows] = &cost.passes[..] else { panic!("{:?}", cost.passes) };
    assert_eq!((columns.moved.store_bytes, rows.moved.store_bytes), (array, array));
    assert!(columns.moved.load_bytes + columns.moved.prepare_bytes > array);
    assert!(rows.name().contains("128"), "{}", rows.name());
}

/// 4 V-cycles of class S, 5 levels: an operator on a level is one pass, however often it is applied.
#[test]
fn passes_that_are_alike_stand_together() {
    let cost = cost_of("mg", "vm7");
    assert!(cost.passes.len() < 40, "{}", cost.passes.len());
    assert!(cost.passes.iter().any(|pass| pass.times == 4));
}
