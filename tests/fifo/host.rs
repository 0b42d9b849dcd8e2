//! The host FIFO of `specs/timing.md`: in which cycle an entry is taken, what STATUS.FE shows, where `jump` and `run` lead.
//! What entries do otherwise is tested with kernels.

use cp2_emu::Cp2;
use cp2_emu::cp2::FifoEntry;
use cp2_emu::state::status;
use cp2_emu::trace::NoObserver;
use cp2_isa::{Bundle, BundleAddress, Cycle, Exch, Inst, MoveReg, RegFile, control, encode};
use cp2_tests::machine;

/// Returns an entry that executes one operation of the exchange slot.
fn execute(op: Exch, values: &[i32]) -> FifoEntry {
    FifoEntry::Execute(encode(&Bundle { exch: Inst::new(op, values), ..Bundle::NOP }))
}

/// Returns an entry that sets general register `k` to 1, so that one can see when it was taken.
fn mark(k: i32) -> FifoEntry {
    execute(Exch::Seti, &[k, 1])
}

fn push(cp2: &mut Cp2, entries: &[FifoEntry]) {
    entries.iter().for_each(|&entry| cp2.fifo.push(entry).expect("room in the FIFO"));
}

fn shows_empty(cp2: &Cp2) -> bool {
    cp2.status() & status::FIFO_EMPTY != 0
}

/// Steps up to before cycle `until`; returns the cycles in which general registers became 1, and FE changed.
fn observe(cp2: &mut Cp2, until: u64) -> Vec<(u64, String)> {
    let mut seen = Vec::new();
    while cp2.cycle() < Cycle(until) {
        let (Cycle(cycle), before, fe) = (cp2.cycle(), cp2.state.gpr, shows_empty(cp2));
        cp2.step(&mut NoObserver).expect("no fault");
        let taken = (0..16).filter(|&k| before[k] == 0 && cp2.state.gpr[k] == 1);
        seen.extend(taken.map(|k| (cycle, format!("g{k}"))));
        if fe != shows_empty(cp2) {
            seen.push((cycle, if fe { "FE falls" } else { "FE rises" }.to_owned()));
        }
    }
    seen
}

fn all(expected: &[(u64, &str)]) -> Vec<(u64, String)> {
    expected.iter().map(|&(cycle, what)| (cycle, what.to_owned())).collect()
}

/// Returns a machine whose kernel at 0 issues its `stopi` in the cycle `last` of its run.
fn kernel(last: usize) -> Cp2 {
    machine(&(" nop\n".repeat(last) + " stopi 5\n"))
}

#[test]
fn the_first_entry_into_an_empty_fifo_waits_a_cycle() {
    let mut cp2 = Cp2::default();
    assert_eq!(cp2.status(), status::FIFO_EMPTY);
    push(&mut cp2, &[mark(1), mark(2)]);
    assert!(shows_empty(&cp2), "nothing has happened yet");
    let first = observe(&mut cp2, 3);
    assert_eq!(first, all(&[(0, "FE falls"), (1, "g1"), (2, "g2"), (2, "FE rises")]));
    push(&mut cp2, &[mark(3)]);
    assert_eq!(observe(&mut cp2, 6), all(&[(3, "FE falls"), (4, "g3"), (4, "FE rises")]));
}

#[test]
fn an_entry_that_comes_before_the_last_is_taken_does_not_wait() {
    let mut cp2 = Cp2::default();
    push(&mut cp2, &[mark(1)]);
    assert_eq!(observe(&mut cp2, 1), all(&[(0, "FE falls")]));
    push(&mut cp2, &[mark(2)]);
    assert_eq!(observe(&mut cp2, 5), all(&[(1, "g1"), (2, "g2"), (2, "FE rises")]));
}

#[test]
fn fe_stays_while_a_kernel_runs_and_the_fifo_rests_behind_its_stop() {
    let mut cp2 = kernel(10);
    cp2.start(BundleAddress(0));
    observe(&mut cp2, 4);
    push(&mut cp2, &[mark(4), mark(5)]);
    let seen = observe(&mut cp2, 25);
    assert_eq!(seen, all(&[(17, "FE falls"), (18, "g4"), (19, "g5"), (19, "FE rises")]));
    assert_eq!(cp2.stats().cycles, 11, "the rest belongs to no run");
}

#[test]
fn a_kernel_reads_that_fe_stays() {
    let mut cp2 = machine(&(" nop\n".repeat(8) + " move g9, status\n stopi 5\n"));
    cp2.start(BundleAddress(0));
    push(&mut cp2, &[mark(4)]);
    observe(&mut cp2, 10);
    assert_eq!(cp2.state.gpr[9], status::RUN | status::FIFO_EMPTY);
}

#[test]
fn an_entry_left_by_run_is_taken_seven_cycles_behind_the_stop() {
    let mut cp2 = kernel(7);
    push(&mut cp2, &[execute(Exch::Runi, &[0]), mark(1), mark(2)]);
    // `run` in cycle 1, the kernel from 3 to its stop in 10.
    let seen = observe(&mut cp2, 20);
    assert_eq!(seen, all(&[(0, "FE falls"), (2, "g1"), (17, "g2"), (17, "FE rises")]));
    assert_eq!((cp2.stats().cycles, cp2.state.stopcode), (8, 5));
}

#[test]
fn an_entry_behind_sync_waits_as_well() {
    let mut cp2 = Cp2::default();
    push(&mut cp2, &[execute(Exch::Sync, &[]), mark(1)]);
    let seen = observe(&mut cp2, 10);
    assert_eq!(seen, all(&[(0, "FE falls"), (8, "g1"), (8, "FE rises")]));
    // Into an empty FIFO one cycle more.
    let mut cp2 = Cp2::default();
    push(&mut cp2, &[execute(Exch::Sync, &[])]);
    assert_eq!(observe(&mut cp2, 3), all(&[(0, "FE falls"), (1, "FE rises")]));
    push(&mut cp2, &[mark(1)]);
    assert_eq!(observe(&mut cp2, 12), all(&[(8, "FE falls"), (9, "g1"), (9, "FE rises")]));
}

#[test]
fn idle_is_who_would_take_an_entry_at_once() {
    let mut cp2 = kernel(3);
    cp2.start(BundleAddress(0));
    observe(&mut cp2, 4);
    assert!(!cp2.is_running() && cp2.is_done() && !cp2.is_idle());
    observe(&mut cp2, 9);
    assert!(!cp2.is_idle());
    observe(&mut cp2, 10);
    assert!(cp2.is_idle());
    cp2.start(BundleAddress(0));
    observe(&mut cp2, 15);
    cp2.start(BundleAddress(0));
    assert_eq!(observe(&mut cp2, 19), []);
    assert_eq!((cp2.is_running(), cp2.stats().cycles), (false, 4), "a start waits for nothing");
}

#[test]
fn run_reads_its_register_at_distance_three() {
    for (between, target) in [(1, 0), (2, 4)] {
        let mut cp2 = machine(" stopi 1\n nop\n nop\n nop\n stopi 2\n");
        let mut entries = vec![execute(Exch::Seti, &[1, 4])];
        entries.extend((0..between).map(|_| FifoEntry::Execute(0)));
        entries.push(execute(Exch::Run, &[1]));
        push(&mut cp2, &entries);
        observe(&mut cp2, 30);
        assert_eq!(cp2.state.stopcode, 1 + target / 4, "{between} entries between");
    }
}

#[test]
fn a_jump_sets_pc_one_cycle_behind_its_issue() {
    let store = |word| FifoEntry::Store(word);
    let mut cp2 = Cp2::default();
    cp2.state.pc = BundleAddress(20);
    push(&mut cp2, &[execute(Exch::Jumpi, &[100]), store(1), store(2), store(3)]);
    observe(&mut cp2, 10);
    assert_eq!([20, 21, 100, 101].map(|k| cp2.state.iram[k]), [1, 0, 2, 3]);
    assert_eq!(cp2.state.pc, BundleAddress(102));
    // A bundle behind it reads PC a cycle later than a store is placed.
    let mut cp2 = Cp2::default();
    let register = |file, number| MoveReg { file, number }.packed();
    let pc = register(RegFile::Control, control::PC);
    let to = |k| register(RegFile::Gpr, k);
    push(
        &mut cp2,
        &[
            execute(Exch::Move, &[to(1), pc]),
            execute(Exch::Jumpi, &[100]),
            execute(Exch::Move, &[to(2), pc]),
            store(7),
        ],
    );
    observe(&mut cp2, 10);
    assert_eq!((cp2.state.gpr[1], cp2.state.gpr[2], cp2.state.iram[100]), (0, 100, 7));
}

#[test]
fn a_jump_into_the_empty_fifo_still_sets_pc() {
    let mut cp2 = Cp2::default();
    push(&mut cp2, &[execute(Exch::Jumpi, &[100])]);
    observe(&mut cp2, 2);
    assert_eq!((cp2.state.pc, cp2.is_idle()), (BundleAddress(0), false));
    observe(&mut cp2, 3);
    assert_eq!((cp2.state.pc, cp2.is_idle()), (BundleAddress(100), true));
}

/// Decided in `specs/timing.md`: the kernel begins where `run` says.
#[test]
fn a_jump_behind_run_is_lost() {
    let mut cp2 = kernel(4);
    push(&mut cp2, &[execute(Exch::Runi, &[0]), execute(Exch::Jumpi, &[100])]);
    observe(&mut cp2, 20);
    assert_eq!((cp2.state.stopcode, cp2.stats().cycles), (5, 5));
}

#[test]
fn the_pipelines_go_on_while_bundles_are_stored() {
    let mut cp2 = Cp2::default();
    let mut off = NoObserver;
    let inci = machine(" inci f1, 1\n").state.iram[0];
    push(&mut cp2, &[FifoEntry::Execute(inci), FifoEntry::Store(1), FifoEntry::Store(2)]);
    // Executed in cycle 1, seen from cycle 9 on.
    for cycle in 0..12 {
        if cp2.cycle() == Cycle(4) {
            push(&mut cp2, &[FifoEntry::Store(3), FifoEntry::Store(4), FifoEntry::Store(5)]);
        }
        cp2.step(&mut off).expect("no fault");
        assert_eq!(cp2.state.fpr[1][0] != 0, cycle >= 9, "cycle {cycle}");
    }
    assert_eq!(cp2.state.iram[..6], [1, 2, 3, 4, 5, 0]);
}
