//! Recordings of a host that loads kernel over kernel, through the FIFO and directly, while kernels run and while none
//! does: what instruction memory held, and what its bundles have cost, on any number of threads.

use crate::opened;
use crate::parallel::{THREADS, set_threads};
use crate::played::{self, Played};
use cp2_emu::cp2::FifoEntry;
use cp2_emu::machine::Action;
use cp2_emu::trace::NoObserver;
use cp2_emu::{Cp2, Engine, Goal, Machine, MachineConfig};
use cp2_fast::Translator;
use cp2_isa::{Bundle, BundleAddress, BundleBits, Core, Cycle, Exch, Inst, encode};
use cp2_recording::{Header, Recorder, Recording, RecordingInMemory, Spacing, Verification};
use cp2_session::load;
use cp2_tests::SplitMix64;
use std::collections::BTreeMap;
use std::ops::Range;

/// Number of bundles of a kernel.
const LENGTH: usize = 50;

/// Returns the bundles of a kernel, one of several that go where another one may be.
fn kernel(s: &mut SplitMix64) -> Vec<BundleBits> {
    let mut text = ".kernel k\n".to_owned();
    for _ in 0..LENGTH - 2 {
        text += ["sync\n", "psadd f2, f3, f4\n", "inci f6, 1\n", "nop\n"][s.below(4) as usize];
    }
    text += "stopi 0\nnop\n";
    let environment = cp2_session::Environment::new();
    let loaded = load::machine_with(&environment, &Core::CP2, "k.s", &text);
    let (cp2, _): (Cp2, _) = loaded.expect("a kernel");
    cp2.state.iram[..LENGTH].to_vec()
}

fn exchange(op: Exch, values: &[i32]) -> FifoEntry {
    FifoEntry::Execute(encode(&Bundle { exch: Inst::new(op, values), ..Bundle::NOP }))
}

/// Host that drives a machine by an engine.
struct Host {
    machine: Machine,
    engine: Box<dyn Engine>,
}

impl Host {
    fn pass(&mut self, cycles: u64) {
        let goal = self.machine.cycle() + cycles;
        while self.machine.cycle() < goal {
            let advanced =
                self.engine.advance(&mut self.machine, Goal::cycle(goal), &mut NoObserver);
            advanced.expect("kernels that mean something");
        }
    }

    /// Sends an entry as soon as the FIFO takes it.
    fn send(&mut self, entry: FifoEntry) {
        while self.machine.act(Action::Send(entry)).is_err() {
            self.pass(1);
        }
    }

    fn load(&mut self, at: u16, bundles: &[BundleBits], s: &mut SplitMix64) {
        if s.one_in(2) {
            let action = Action::WriteBundles(BundleAddress(at), bundles.into());
            return self.machine.act(action).expect("instruction memory");
        }
        self.send(exchange(Exch::Jumpi, &[at.into()]));
        for bits in bundles {
            self.send(FifoEntry::Store(*bits));
            self.pass(s.below(3));
        }
    }
}

/// Returns the recording of a run.
fn recorded(seed: u64) -> Vec<u8> {
    let mut s = SplitMix64(seed);
    let config = MachineConfig::preset("vm7").expect("a machine");
    let header = Header {
        cp2: "test".to_owned(),
        command: format!("seed {seed}"),
        machine: Some(config.dump()),
        core: *config.core().numbers(),
        inputs: Vec::new(),
    };
    let shared = RecordingInMemory::default();
    let spacing = Spacing { leaf_bits: 9, nearest: 700, farthest: 1500 };
    let recorder = Recorder::spaced(Box::new(shared.clone()), &header, spacing).expect("memory");
    let engine = recorder.around(Box::new(Translator::default()));
    let mut host = Host { machine: Machine::new(&config), engine };
    let kernels: Vec<_> = (0..4).map(|_| kernel(&mut s)).collect();
    for at in [0, LENGTH as u16] {
        host.load(at, &kernels[0], &mut s);
    }
    for _ in 0..40 {
        let at = [0, LENGTH as u16][s.below(2) as usize];
        match s.below(5) {
            0 | 1 => host.load(at, &kernels[s.below(4) as usize], &mut s),
            2 | 3 => host.send(exchange(Exch::Runi, &[at.into()])),
            _ => host.send(exchange(Exch::Sync, &[])),
        }
        let most = [1, 5, 900][s.below(3) as usize];
        host.pass(s.below(most));
    }
    host.pass(3000);
    host.engine.release(&mut host.machine);
    recorder.finish().expect("memory");
    shared.take()
}

/// Compares the costs that a verification has counted on its way with those that are counted by going through the
/// recording: by content, of all cycles, and of a half of them. Returns the number of contents.
fn compare_costs(file: &[u8], place: &str) -> usize {
    let mut plain = opened(file);
    set_threads(&mut plain, 1);
    plain.verify().unwrap_or_else(|e| panic!("{place}, without costs: {e}"));
    let periods = plain.code_periods().expect("periods");
    let mut cycles: BTreeMap<Vec<BundleBits>, Vec<Range<Cycle>>> = BTreeMap::new();
    for period in periods.iter() {
        cycles.entry(period.bundles.to_vec()).or_default().push(period.cycles.clone());
    }
    let sets: Vec<&[Range<Cycle>]> = cycles.values().map(Vec::as_slice).collect();
    let all = *plain.cycles().start()..*plain.cycles().end();
    let sums = |recording: &mut Recording, sets: &[&[Range<Cycle>]]| {
        let sums = recording.profiles(sets).expect("costs");
        sums.iter().map(|sum| sum.bundles().to_vec()).collect::<Vec<_>>()
    };
    let expected = sums(&mut plain, &sets);
    // Part of a content's cycles is counted anew.
    let half = all.start..Cycle(all.start.0.midpoint(all.end.0));
    let others = [[all], [half]];
    let others: Vec<&[Range<Cycle>]> = others.iter().map(|set| &set[..]).collect();
    let expected_others = sums(&mut plain, &others);
    for n_threads in THREADS {
        let mut recording = opened(file);
        set_threads(&mut recording, n_threads);
        recording.verify_beside(|_| (), Verification::StatesAndCosts).expect("the same run");
        let place = format!("{place}, {n_threads} threads");
        assert_eq!(recording.code_periods().expect("periods"), periods, "{place}");
        assert!(sums(&mut recording, &sets) == expected, "{place}, by content");
        assert!(sums(&mut recording, &others) == expected_others, "{place}, whole and half");
    }
    cycles.len()
}

#[test]
fn kernels_that_are_loaded_over_others_are_told_apart_on_any_number_of_threads() {
    let contents: usize =
        (0..24).map(|seed| compare_costs(&recorded(seed), &format!("seed {seed}"))).sum();
    assert!(contents > 100, "{contents} contents");
}

#[test]
fn a_verification_counts_the_costs_that_a_run_through_the_recording_has() {
    for seed in 0..12 {
        let Played { file, .. } = played::play(90 + seed);
        compare_costs(&file, &format!("seed {seed}"));
    }
}
