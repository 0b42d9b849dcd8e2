//! The reference engine's rules of flow, state and errors, each with its neighbour. Latencies are
//! in `differential.rs`.

use cp2_emu::cp2::{FaultKind, FifoEntry};
use cp2_emu::state::status;
use cp2_emu::{Cp2, End, Run};
use cp2_tests::{machine, run};

/// Word `address` of local memory in section 0.
fn word(cp2: &Cp2, address: usize) -> u64 {
    cp2.state.lmem[address][0]
}

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

/// Runs text whose bundles count in `a0` (each `count` line adds 1) and returns the count.
fn counted(text: &str) -> (u16, Run) {
    let text = text.replace("count", "updaddr (r0)+1");
    let (cp2, run) = run(&text);
    (cp2.state.a[0], run)
}

#[test]
fn the_bundle_after_end_belongs_to_the_loop() {
    let (count, run) = counted("doi 5, e\n count\ne: count\n count\n count\n stopi 0");
    assert_eq!(count, 5 * 3 + 1);
    assert_eq!(run.stats.cycles, 1 + 15 + 2);
}

#[test]
fn the_shortest_body_is_two_bundles() {
    let (count, _) = counted("doi 4, e\ne: count\n count\n stopi 0");
    assert_eq!(count, 8);
}

#[test]
fn count_zero_nullifies_one_bundle_and_skips_the_body() {
    let (count, run) = counted("doi 0, e\n count\n count\ne: count\n count\n count\n stopi 0");
    assert_eq!(count, 1);
    assert_eq!(run.stats.cycles, 4);
    assert_eq!(run.stats.causes, [0, 0, 3, 0, 1, 0]);
}

#[test]
fn loops_may_end_one_bundle_apart() {
    let text = "doi 3, o\n doi 2, i\ni: count\no: count\n nop\n stopi 0";
    let (count, run) = counted(text);
    assert_eq!(count, 3 * 4);
    assert_eq!(run.stats.cycles, 1 + 3 * (1 + 4 + 1) + 1);
}

#[test]
fn fifteen_loops_nest_and_the_sixteenth_replaces_the_innermost() {
    let nested = |depth: usize| {
        let mut text = String::new();
        (0..depth).for_each(|d| text += &format!("doi 1, e{d}\n"));
        (0..depth).rev().for_each(|d| text += &format!("e{d}: count\n"));
        run(&(text.replace("count", "updaddr (r0)+1") + "nop\n stopi 0"))
    };
    let (cp2, result) = nested(15);
    assert_eq!(result.end, End::Stopped(0));
    assert_eq!(cp2.state.status & status::LOOP_OVERFLOW, 0);
    let (cp2, _) = nested(16);
    assert_ne!(cp2.state.status & status::LOOP_OVERFLOW, 0);
}

#[test]
fn calls_return_behind_the_delay_slot() {
    let text = "calli f\n count\n count\n stopi 7\nf: ret\n count";
    let (count, run) = counted(text);
    assert_eq!(count, 3);
    assert_eq!(run.end, End::Stopped(7));
    assert_eq!(run.stats.cycles, 6);
}

#[test]
fn a_sixteenth_call_sets_the_overflow_bit() {
    let calls = |n: usize| {
        let mut text = String::new();
        (1..=n).for_each(|k| text += &format!("calli l{k}\n nop\nl{k}: nop\n"));
        run(&(text + "stopi 0")).0
    };
    assert_eq!(calls(15).state.status & status::CALL_OVERFLOW, 0);
    assert_ne!(calls(16).state.status & status::CALL_OVERFLOW, 0);
}

#[test]
fn empty_stacks_set_underflow_and_nothing_else() {
    let (cp2, result) = run("ret\n nop\n enddo\n stopi 0");
    assert_eq!(cp2.state.status, status::CALL_UNDERFLOW | status::LOOP_UNDERFLOW);
    assert_eq!(result.stats.cycles, 4);
}

#[test]
fn enddo_leaves_the_loop_at_once() {
    let (count, _) = counted("doi 9, e\n count\n enddo\n nop\ne: count\n count\n stopi 0");
    assert_eq!(count, 3);
}

#[test]
fn sync_lets_the_next_bundle_issue_seven_cycles_later() {
    let (cp2, result) =
        run("inci f1, 1\n inci f2, 1 | sync\n swi f1, 0\n swi f2, 1\n swi f2, 2\n stopi 0");
    assert_eq!(word(&cp2, 0), 0x1_0000_0001);
    assert_eq!(word(&cp2, 1), 0x1_0000_0001, "issued with the sync, 8 cycles before");
    assert_eq!(word(&cp2, 2), 0x1_0000_0001);
    assert_eq!(result.stats.cycles, 12);
    let (cp2, _) = run("inci f1, 1\n inci f2, 1 | sync\n swi f2, 1\n stopi 0");
    assert_eq!(word(&cp2, 1), 0, "the sync's own arithmetic has not landed for the next bundle");
}

#[test]
fn operations_of_the_stop_bundle_complete() {
    let (cp2, _) = run("inci f1, 3 | stopi 0");
    assert_eq!(cp2.state.fpr[1], [0x3_0000_0003; 4]);
}

#[test]
fn the_later_write_wins_a_collision_and_is_counted() {
    let (cp2, result) = run("inci f1, 3\n nop\n nop\n nop\n nop\n mtfpr f1, g1, all\n stopi 0");
    assert_eq!(cp2.state.fpr[1], [0; 4]);
    assert_eq!(result.stats.collisions, [1; 4]);
    let (cp2, result) = run("inci f1, 3\n nop\n nop\n nop\n mtfpr f1, g1, all\n stopi 0");
    assert_eq!(cp2.state.fpr[1], [0x3_0000_0003; 4], "the move landed one cycle before");
    assert_eq!(result.stats.collisions, [0; 4]);
}

#[test]
fn a_run_without_stop_ends_at_the_last_bundle() {
    let (_, result) = run("nop");
    let End::Fault(fault) = result.end else { panic!("{:?}", result.end) };
    assert_eq!(fault.kind, FaultKind::RanPastEnd(8191));
    assert_eq!(result.stats.cycles, 8192);
}

#[test]
fn the_limit_of_cycles_is_exact_and_loses_nothing() {
    let mut cp2 = machine("inci f1, 1\nhere: jumpi here\n nop");
    let run = cp2.run_untraced(0, 5);
    assert_eq!(run.end, End::CycleLimit(5));
    assert_eq!(run.stats.cycles, 5);
    assert_eq!(cp2.state.fpr[1], [0x1_0000_0001; 4]);
}

#[test]
fn a_subroutine_may_have_loops_wherever_it_stands() {
    let text = "doi 3, e\n calli f\n count\n nop\ne: nop\n nop\n stopi 0\nf: doi 2, i\n count\ni: count\n nop\n ret\n nop";
    let (count, run) = counted(text);
    assert_eq!(run.end, End::Stopped(0));
    assert_eq!(count, 3 * (1 + 2 * 2));
    // The same loop inside the body must end before it.
    let mut cp2 = machine("doi 2, 3\n nop\n nop\n nop\n nop\n stopi 0");
    cp2.state.iram[1] = machine("nop\n doi 2, 3\n nop\n nop\n nop\n nop").state.iram[1];
    let End::Fault(fault) = cp2.run_untraced(0, 100).end else { panic!() };
    assert_eq!(fault.kind, FaultKind::LoopNotNested(3, 3));
}

/// Found by the differential test: the flow jumps to `end` + 1 of a loop that is still active.
#[test]
fn a_control_operation_behind_the_end_is_refused_however_the_flow_came_there() {
    let mut cp2 = machine("doi 2, 3\n jumpi 5\n nop\n nop\n nop\n nop\n stopi 7");
    cp2.state.iram[4] = machine("sync").state.iram[0];
    cp2.state.iram[1] = machine("nop\n jumpi 4\n nop\n nop\n nop").state.iram[1];
    let End::Fault(fault) = cp2.run_untraced(0, 100).end else { panic!() };
    assert_eq!((fault.address, fault.cycle), (Some(4), 3));
    assert_eq!(fault.kind, FaultKind::ControlAtLoopEnd("sync"));
}

/// The fault of a program whose second bundle is `word`, with the state after the first.
fn fault_of(word: u64) -> (Cp2, FaultKind) {
    let mut cp2 = machine("inci f1, 1");
    cp2.state.iram[1] = word;
    let run = cp2.run_untraced(0, 100);
    let End::Fault(fault) = run.end else { panic!("{:?}", run.end) };
    assert_eq!((fault.address, fault.word, fault.cycle), (Some(1), word, 1));
    assert_eq!(run.stats.cycles, 1);
    (cp2, fault.kind)
}

#[test]
fn an_undefined_bundle_stops_with_nothing_half_executed() {
    // A valid `swi f1, 0` beside an unknown arithmetic opcode.
    let store = cp2_isa::encode(&cp2_isa::Bundle {
        exch: cp2_isa::Inst::new(cp2_isa::Exch::Swi, &[1, 0]),
        ..cp2_isa::Bundle::NOP
    });
    let (cp2, kind) = fault_of(store | 0x01 << 56);
    assert!(matches!(kind, FaultKind::Undefined(_)));
    assert_eq!(word(&cp2, 0), 0);
    assert_eq!(cp2.state.fpr[1], [0x1_0000_0001; 4], "what was issued before completes");
    let (_, kind) = fault_of(0x0a << 23);
    assert_eq!(kind, FaultKind::RunInKernel);
}

#[test]
fn a_jump_outside_instruction_memory_is_an_error() {
    for (target, outside) in [(8191u64, false), (8192, true), (1 << 40, true)] {
        let mut cp2 = machine("jump g1\n nop");
        cp2.state.gpr[1] = target;
        let run = cp2.run_untraced(0, 100);
        let End::Fault(fault) = run.end else { panic!("{:?}", run.end) };
        if outside {
            assert_eq!(fault.kind, FaultKind::TargetOutside(target, 8191));
        } else {
            assert_eq!(fault.kind, FaultKind::RanPastEnd(8191), "bundle 8191 is empty");
        }
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
    let mut off = cp2_emu::trace::Off;
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

#[test]
fn a_kernel_changes_only_the_rounding_mode_of_control() {
    let mut cp2 = machine("move control, g1\n move pc, g1\n move psp, g1\n move lsp, g1\n stopi 0");
    cp2.state.gpr[1] = u64::MAX;
    cp2.state.control = 1 << 15;
    let run = cp2.run_untraced(0, 100);
    assert_eq!(cp2.state.control, 1 << 15 | 3);
    assert_eq!(run.stats.cycles, 5);
}

#[test]
fn predicates_choose_sections_for_arithmetic_and_permute_only() {
    let text = "section f1\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n c.gt.w cc1, f1, f2\n\
                nop\n nop\n nop\n nop\n nop\n nop\n if(cc1) inci f3, 5 | lwi f4, 0\n\
                if(cc1) psprmsgn f5, f6, 0, 1, 2, 3\n stopi 0\n .lmem all\n .quad 9";
    let mut cp2 = machine(text);
    cp2.state.fpr[2] = [1; 4];
    cp2.state.fpr[6] = [8; 4];
    let run = cp2.run_untraced(0, 100);
    assert_eq!(cp2.state.fccr, [1, 1, 3, 3]);
    assert_eq!(cp2.state.fpr[3], [0, 0, 0x5_0000_0005, 0x5_0000_0005]);
    assert_eq!(cp2.state.fpr[4], [9; 4]);
    assert_eq!(cp2.state.fpr[5], [0, 0, 8, 8]);
    assert_eq!(run.stats.flops, [0; 4]);
}
