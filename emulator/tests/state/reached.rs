//! Moments that runs come to: all of them are taken, and a machine that is put into one goes on as the one that it is of.

use crate::kit;
use crate::random::SplitMix64;
use cp2_emu::machine::MachineSnapshot;

#[test]
fn every_moment_of_a_run_is_taken() {
    for seed in 0..12 {
        let mut s = SplitMix64(100 + seed);
        let mut machine = kit::machine(&kit::chain(&mut s), kit::KERNEL);
        let mut room = machine.clone();
        for _ in 0..1200 {
            kit::step(&mut machine);
            let text = serde_json::to_vec(&machine.snapshot()).expect("a snapshot is a value");
            let snapshot: MachineSnapshot<'_> = serde_json::from_slice(&text).expect("a snapshot");
            let taken = room.restore(snapshot);
            assert!(taken.is_ok(), "seed {seed}, {}", String::from_utf8_lossy(&text));
        }
    }
}

#[test]
fn a_machine_that_is_put_into_a_moment_goes_on_as_the_one_that_it_is_of() {
    for seed in 0..12 {
        let mut s = SplitMix64(200 + seed);
        let mut machine = kit::machine(&kit::chain(&mut s), kit::KERNEL);
        let mut other = machine.clone();
        for _ in 0..1 + s.below(1500) {
            kit::step(&mut machine);
        }
        let snapshot = kit::value(&machine);
        other.memory = machine.memory.clone();
        other.cp2.state.lmem.copy_from_slice(&machine.cp2.state.lmem);
        assert!(kit::restore(&mut other, &snapshot), "seed {seed}");
        for _ in 0..600 {
            kit::step(&mut machine);
            kit::step(&mut other);
        }
        assert!(kit::value(&machine) == kit::value(&other), "seed {seed}");
        assert!(machine.memory == other.memory && machine.cp2.state == other.cp2.state);
    }
}
