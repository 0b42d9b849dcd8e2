//! The example of the README, derived on paper, and the host that starts a kernel. Rules of flow and errors
//! are in `tests/files/flow.s`, latencies in `differential.rs`.

use cp2_emu::cp2::FifoEntry;
use cp2_emu::state::status;
use cp2_emu::{Cp2, End};
use cp2_tests::{machine, run};

/// Derived on paper: 3 bundles before the loop, 3 iterations of 3, then `cmul` in cycle 12, `sync` in
/// 13, which lets the next bundle issue 7 cycles later in 20, `sync` in 21, the store in 28, `stopi`
/// in 29: 30 cycles from 0 to 29. 6 of them are held by each `sync`. (5 + 6i) i = -6 + 5i.
#[test]
fn twelve_lines_take_thirty_cycles() {
    let (cp2, run) = run(include_str!("../examples/twelve.s"));
    assert_eq!(run.end, End::Stopped(42));
    assert_eq!((run.stats.cycles, run.stats.drain), (30, 7));
    // both, arithmetic only, exchange only, empty, nullified, held
    assert_eq!(run.stats.causes, [1, 4, 10, 3, 0, 12]);
    let complex = |re: f32, im: f32| u64::from(re.to_bits()) << 32 | u64::from(im.to_bits());
    for section in 0..4 {
        assert_eq!(cp2.state.lmem[100][section], complex(-6.0, 5.0));
        assert_eq!(cp2.state.lmem[101][section], complex(-12.0, 10.0));
    }
}

#[test]
fn the_host_loads_and_starts_a_kernel_through_the_fifo() {
    let kernel = machine("seti g1, 5\n nop\n nop\n stop g1").state.iram[..4].to_vec();
    let bundle = |text: &str| machine(text).state.iram[0];
    let mut cp2 = Cp2::default();
    // A bundle between, because the jump sets PC behind the next cycle.
    let mut entries: Vec<FifoEntry> =
        ["jumpi 100", "nop"].map(|text| FifoEntry::Execute(bundle(text))).to_vec();
    entries.extend(kernel.iter().map(|&w| FifoEntry::Store(w)));
    let run_100 = cp2_isa::encode(&cp2_isa::Bundle {
        exch: cp2_isa::Inst::new(cp2_isa::Exch::Runi, &[100]),
        ..cp2_isa::Bundle::NOP
    });
    entries.push(FifoEntry::Execute(run_100));
    let mut off = cp2_emu::trace::NoObserver;
    let mut waiting = entries.into_iter().peekable();
    let mut full_seen = false;
    let mut started = None;
    for cycle in 0..40 {
        // The host pushes as fast as it can, so the FIFO fills up.
        for _ in 0..8 {
            if let Some(&entry) = waiting.peek() {
                full_seen |= cp2.status() & status::FIFO_FULL != 0;
                if cp2.fifo.push(entry).is_ok() {
                    waiting.next();
                }
            }
        }
        cp2.step(&mut off).unwrap();
        if cp2.is_running() {
            started.get_or_insert(cycle);
        }
    }
    assert!(full_seen);
    // 7 entries are taken in cycles 1 to 7; `run` in cycle 7 lets the kernel issue in cycle 9.
    assert_eq!(started, Some(9));
    assert_eq!(cp2.state.stopcode, 5);
    assert_eq!(cp2.stats().cycles, 4);
    assert_eq!(cp2.status(), status::FIFO_EMPTY);
}
