//! What runs after another need not make anew: the same counts, and programs that are assembled once.

use cp2_emu::MachineConfig;
use cp2_session::Environment;
use cp2_session::reuse::Shelf;
use cp2_session::workload::{OptionValue, OptionValues, Platform, Request, Tally};
use cp2_workloads::catalogue::find;
use std::sync::Arc;

fn tally(
    environment: &Environment,
    (place, name): (Platform, &str),
    settings: &[&str],
    vectors: u64,
) -> Tally {
    let workload = find(place, name).unwrap();
    let mut config = MachineConfig::preset("vm9").unwrap();
    settings.iter().for_each(|setting| config.apply_set(setting).unwrap());
    let mut values = OptionValues::default();
    values.set("vectors", OptionValue::Number(vectors));
    values.add_defaults(&workload.option_list());
    let core = *config.core();
    let machine = (place == Platform::Machine).then_some(config);
    let environment = environment.clone();
    let request = Request { values, core, machine, environment, ..Request::default() };
    workload.tally(request).unwrap()
}

#[test]
fn reuse_changes_no_count_and_assembles_once() {
    let shelf = Arc::new(Shelf::default());
    let all = |environment: &Environment| -> Vec<_> {
        let on_machine = ["memory.outstanding=1", "memory.outstanding=8", "memory.turn_clocks=0"]
            .map(|setting| tally(environment, (Platform::Machine, "fft64"), &[setting], 16));
        let alone = [4, 5, 4].map(|n| tally(environment, (Platform::Cp2, "fft64"), &[], n));
        let counts = on_machine.into_iter().chain(alone);
        counts.map(|t| (t.cycles, t.verdict.complaint, t.cost.map(|cost| cost.kernels))).collect()
    };
    let alone = Environment::new();
    let plain = all(&alone);
    let reusing = alone.reusing(&shelf);
    let (reused, again) = (all(&reusing), all(&reusing));
    assert_eq!((&plain, &plain), (&reused, &again));
    assert_ne!(plain[0].0, plain[1].0);
    // The text of the kernel is one; procedures may add others of their own.
    let assembled = shelf.assembled();
    assert!((1..=2).contains(&assembled), "{assembled}");
    assert!(alone.programs_used().is_none());
}

#[test]
fn other_cores_have_other_programs() {
    let shelf = Arc::new(Shelf::default());
    let used = |setting: &str| {
        let environment = Environment::new().reusing(&shelf);
        tally(&environment, (Platform::Cp2, "axpy"), &[setting], 1);
        environment.programs_used().unwrap()
    };
    let hashes = ["core.load_latency=3", "core.load_latency=9"].map(used);
    assert_ne!(hashes[0], hashes[1]);
    assert_eq!(used("core.load_latency=9"), hashes[1]);
}
