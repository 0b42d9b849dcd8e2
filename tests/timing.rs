//! Worked examples of `specs/timing.md`, each with the neighbour that is one bundle too early, on both
//! engines. Bundles stand one behind the other, with ` / ` between them; `...4` is four empty ones.

use cp2_emu::cp2::FaultKind;
use cp2_emu::state::status;
use cp2_emu::{Cp2, End, Run, State};
use cp2_fast::{Fast, Host, what_differs};
use cp2_isa::{Bundle, Exch, Inst, MoveReg, RegFile, Undefined, encode};

/// The largest finite number in both halves: its square overflows, with the flags O and I.
const HUGE: u64 = 0x7f7f_ffff_7f7f_ffff;
/// Flags O and I where STATUS.FPE has them.
const OVERFLOW: u64 = 5;
/// The word that the examples load from address 9.
const WORD: u64 = 0x1234_5678_9abc_def0;

/// A machine that holds the bundles at address 0 and a `stopi 0` behind them. `f2` is a number of its
/// own, `f60` squared overflows, word 9 is [`WORD`].
fn machine(bundles: &str) -> Cp2 {
    let mut text = String::new();
    for bundle in bundles.split(" / ") {
        match bundle.strip_prefix("...") {
            Some(count) => text += &" nop\n".repeat(count.parse().expect("a count")),
            None => text += &format!("{bundle}\n"),
        }
    }
    let mut cp2 = cp2_tests::machine(&(text + " stopi 0\n"));
    cp2.state.fpr[2] = [0x3f80_0000_4000_0000; 4];
    cp2.state.fpr[60] = [HUGE; 4];
    cp2.state.lmem[9] = [WORD; 4];
    cp2
}

/// Runs a machine on the reference engine; the fast engine has to agree.
fn run_machine(cp2: &Cp2) -> (State, Run) {
    let mut reference = cp2.clone();
    let expected = reference.run_untraced(0, 10_000);
    for host in [Host::Avx2, Host::Avx512] {
        let mut fast = Fast::on(Some(host), cp2.clone());
        let run = fast.run_untraced(0, 10_000);
        assert_eq!(what_differs((&reference, &expected), (&fast.cp2, &run)), None, "{host:?}");
    }
    (reference.state, expected)
}

/// The state after the bundles and the counts, on a machine that is prepared first.
fn run_with(bundles: &str, prepare: impl Fn(&mut State)) -> (State, Run) {
    let mut cp2 = machine(bundles);
    prepare(&mut cp2.state);
    let (state, run) = run_machine(&cp2);
    assert_eq!(run.end, End::Stopped(0), "{bundles}");
    (state, run)
}

fn state_of(bundles: &str) -> State {
    run_with(bundles, |_| {}).0
}

fn fpe(status: u64) -> u64 {
    status >> 16 & 0x3f
}

#[test]
fn an_arithmetic_result_stays_where_a_load_lands_in_the_same_cycle() {
    let collision = "copy f1, f2 / ...4 / lwi f1, 9 / ...2 / copy f3, f1";
    let (state, run) = run_with(collision, |_| {});
    assert_eq!(state.fpr[3], state.fpr[2]);
    assert_eq!(run.stats.collisions, [1; 4]);
    for (bundles, last) in [
        ("copy f1, f2 / ...3 / lwi f1, 9 / ...3 / copy f3, f1", 2),
        ("copy f1, f2 / ...5 / lwi f1, 9 / ...2 / copy f3, f1", 63),
    ] {
        let (state, run) = run_with(bundles, |s| s.fpr[63] = [WORD; 4]);
        assert_eq!(state.fpr[3], state.fpr[last], "{bundles}");
        assert_eq!(run.stats.collisions, [0; 4]);
    }
    // What the load brings is one bundle too late for the operation before.
    let early =
        run_with("copy f1, f2 / ...4 / lwi f1, 9 / ...1 / copy f3, f1", |s| s.fpr[1] = [7; 4]);
    assert_eq!(early.0.fpr[3], [7; 4]);
}

#[test]
fn mfc_stays_against_a_load_too() {
    let state = state_of("mfc f1, fccr / ...4 / lwi f1, 9 / ...2 / copy f3, f1");
    assert_eq!(state.fpr[3], [1; 4]);
}

#[test]
fn a_double_load_loses_only_the_register_that_an_arithmetic_result_reaches() {
    let (state, run) =
        run_with("copy f1, f2 / ...4 / ldi f0, 8 / ...2 / copy f3, f1 / copy f4, f0", |s| {
            s.lmem[8] = [5; 4];
        });
    assert_eq!((state.fpr[3], state.fpr[4]), (state.fpr[2], [5; 4]));
    assert_eq!(run.stats.collisions, [1; 4]);
}

#[test]
fn a_permutation_sees_the_load_that_loses() {
    let text =
        "copy f1, f2 / ...4 / lwi f1, 9 / nop / psprmsgn f10, f0, 2, 3, 2, 3 / nop / copy f3, f1";
    let state = state_of(text);
    assert_eq!(state.fpr[10], [WORD; 4]);
    assert_eq!(state.fpr[3], state.fpr[2]);
    let early = text.replace("nop / psprm", "psprm");
    assert_eq!(state_of(&early).fpr[10], [0; 4]);
    let late = text.replace("nop / psprm", "nop / nop / psprm");
    assert_eq!(state_of(&late).fpr[10], state.fpr[2]);
}

#[test]
fn the_later_issued_of_an_arithmetic_result_and_a_move_or_permutation_stays() {
    for (write, value) in [("mtfpr f1, g1, all", 77), ("psprmsgn f0, f60, 0, 1, 0, 1", HUGE)] {
        let text = format!("copy f1, f2 / ...4 / {write} / ...2 / copy f3, f1");
        let (state, run) = run_with(&text, |s| s.gpr[1] = 77);
        assert_eq!(state.fpr[3], [value; 4], "{write}");
        assert_eq!(run.stats.collisions, [1; 4]);
        let (state, run) = run_with(&text.replace("...4", "...3"), |s| s.gpr[1] = 77);
        assert_eq!(state.fpr[1], state.fpr[2], "{write} one bundle before");
        assert_eq!(run.stats.collisions, [0; 4]);
    }
}

#[test]
fn a_move_to_one_section_collides_there_only() {
    let text = "copy f1, f2 / ...4 / mtfpr f1, g1, s2 / ...2 / copy f3, f1";
    let (state, run) = run_with(text, |s| s.gpr[1] = 77);
    let two = state.fpr[2][0];
    assert_eq!(state.fpr[3], [two, two, 77, two]);
    assert_eq!(run.stats.collisions, [0, 0, 1, 0]);
}

#[test]
fn an_elementary_function_defends_its_half_against_a_load() {
    let text = "recip f1.lo, f2.lo / ...4 / lwi f1, 9 / ...2 / copy f3, f1";
    let half = u64::from(0.5f32.to_bits());
    let (state, run) = run_with(text, |_| {});
    assert_eq!(state.fpr[3], [WORD & !0xffff_ffff | half; 4]);
    assert_eq!(run.stats.collisions, [1; 4]);
    // A move that is issued later takes both halves.
    let moved = text.replace("lwi f1, 9", "mtfpr f1, g1, all");
    assert_eq!(run_with(&moved, |s| s.gpr[1] = 77).0.fpr[3], [77; 4]);
    // The load one bundle later overwrites both halves.
    let later = text.replace("...4", "...5");
    assert_eq!(state_of(&later).fpr[3], [WORD; 4]);
}

#[test]
fn mfc_sees_what_has_landed() {
    let state =
        run_with("mtc f1, fccr / ...5 / mfc f3, fccr / mfc f4, fccr", |s| s.fpr[1] = [2; 4]).0;
    assert_eq!((state.fpr[3], state.fpr[4]), ([1; 4], [3; 4]));
}

#[test]
fn flags_join_what_a_mtc_in_flight_writes() {
    let text = "mtc f1, fcsr / psmul f10, f60, f60 / ...5 / mfc f3, fcsr / mfc f4, fcsr";
    let state = run_with(text, |s| s.fpr[1] = [4; 4]).0;
    assert_eq!((state.fpr[3], state.fpr[4]), ([4; 4], [0x5014; 4]));
    let before = "psmul f10, f60, f60 / mtc f1, fcsr / ...5 / mfc f3, fcsr / mfc f4, fcsr";
    let state = run_with(before, |s| s.fpr[1] = [4; 4]).0;
    assert_eq!((state.fpr[3], state.fpr[4]), ([0x5014; 4], [4; 4]));
}

#[test]
fn status_has_the_flags_of_its_own_bundle() {
    let text = "nop | move g1, status / psmul f10, f60, f60 | move g2, status / move g3, status";
    let state = state_of(text);
    assert_eq!([1, 2, 3].map(|g| fpe(state.gpr[g])), [0, OVERFLOW, OVERFLOW]);
    // A section that does not execute raises nothing.
    let state = state_of("if(cc1) psmul f10, f60, f60 | move g1, status");
    assert_eq!(fpe(state.gpr[1]), 0);
}

#[test]
fn a_move_to_status_overrides_the_flags_of_its_bundle_and_nothing_else() {
    let state = run_with("psmul f10, f60, f60 | move status, g1 / move g2, status", |s| {
        s.gpr[1] = !(0x15 << 16);
    });
    assert_eq!(fpe(state.0.gpr[2]), 0x2a);
    assert_eq!(state.0.status, 0x2a << 16 | 0xf << 23);
    let mut prepared = machine("psmul f10, f60, f60 | move status, status");
    prepared.state.status = 0x20 << 16;
    assert_eq!(fpe(run_machine(&prepared).0.status), 0x20 | OVERFLOW, "it reads them first");
}

#[test]
fn mtc_to_fcsr_replaces_the_flags_of_status_when_it_lands() {
    let text = "mtc f1, fcsr / psmul f10, f60, f60 / ...4 / move g1, status / move g2, status";
    let prepare = |s: &mut State| {
        s.status = 0x20 << 16;
        s.fpr[1] = [4; 4];
    };
    let state = run_with(text, prepare).0;
    assert_eq!([1, 2].map(|g| fpe(state.gpr[g])), [0x25, 0x05]);
    // Nothing of a `mtc` to FCCR, and nothing before it lands.
    let state = run_with(&text.replace("fcsr", "fccr"), prepare).0;
    assert_eq!([1, 2].map(|g| fpe(state.gpr[g])), [0x25, 0x25]);
    // What was raised in front of it is gone.
    let state = run_with(
        "psmul f10, f60, f60 / mtc f1, fcsr / ...5 / move g1, status / move g2, status",
        prepare,
    )
    .0;
    assert_eq!([1, 2].map(|g| fpe(state.gpr[g])), [0x25, 0x01]);
}

#[test]
fn flags_raised_in_the_last_bundle_before_a_mtc_lands_stay_and_those_behind_too() {
    for (before, behind) in [(4, 0), (5, 0), (6, 0)] {
        let text = format!("mtc f1, fcsr / ...{before} / psmul f10, f60, f60 / ...{behind} / ...8");
        let state = run_with(&text, |s| {
            s.fpr[1] = [4; 4];
            s.status = 0x20 << 16;
        });
        assert_eq!(fpe(state.0.status), 0x05, "{text}");
    }
}

#[test]
fn a_mtc_replaces_by_the_flags_of_the_sections_that_execute_it() {
    let values = |s: &mut State| {
        s.fpr[1] = [1 << 2, 1 << 3, 1 << 4, 0x2000 | 1 << 5];
        s.status = 0x20 << 16;
    };
    let with = |codes: [u8; 4]| {
        let state = run_with("if(cc1) mtc f1, fcsr / ...6 / move g1, status", |s| {
            values(s);
            s.fccr = codes;
        });
        assert_eq!(state.0.fcsr[0] == 4, codes[0] == 3);
        fpe(state.0.gpr[1])
    };
    assert_eq!(with([3, 3, 3, 3]), 0b1111);
    assert_eq!(with([3, 1, 1, 3]), 0b1001);
    assert_eq!(with([1, 1, 1, 1]), 0, "replaced by nothing");
}

#[test]
fn a_move_to_status_stays_from_six_bundles_behind_a_mtc_on() {
    let near = "mtc f1, fcsr / move status, g1 / move g2, status / ...4 / move g3, status";
    let prepare = |s: &mut State| {
        s.fpr[1] = [4; 4];
        s.gpr[1] = 0x10 << 16;
    };
    let state = run_with(near, prepare).0;
    assert_eq!([2, 3].map(|g| fpe(state.gpr[g])), [0x10, 0x01]);
    for between in 0..8 {
        let text =
            format!("mtc f1, fcsr / ...{between} / move status, g1 / ...8 / move g2, status");
        let expected = if between < 5 { 0x01 } else { 0x10 };
        assert_eq!(fpe(run_with(&text, prepare).0.gpr[2]), expected, "{between} bundles between");
    }
}

/// Decided in `specs/timing.md`: what a `mtc` under way has collected is not taken back by a `move`.
#[test]
fn a_mtc_brings_back_flags_that_a_move_to_status_has_cleared() {
    let text = "mtc f1, fcsr / psmul f10, f60, f60 / move status, g0 / move g1, status / ...3 / move g2, status";
    let state = state_of(text);
    assert_eq!([1, 2].map(|g| fpe(state.gpr[g])), [0, OVERFLOW]);
    let text = "mtc f1, fcsr / psmul f10, f60, f60 | move status, g0 / move g1, status / ...4 / move g2, status";
    let state = state_of(text);
    assert_eq!([1, 2].map(|g| fpe(state.gpr[g])), [0, OVERFLOW]);
}

#[test]
fn each_of_two_mtc_replaces_with_what_was_raised_behind_it() {
    let text = "mtc f1, fcsr / psmul f10, f60, f60 / mtc f3, fcsr / ...4 / move g1, status / nop / move g2, status";
    let state = run_with(text, |s| {
        s.fpr[1] = [0x80; 4];
        s.fpr[3] = [0x08; 4];
    });
    assert_eq!([1, 2].map(|g| fpe(state.0.gpr[g])), [0x25, 0x02]);
}

#[test]
fn the_mailbox_bits_follow_two_bundles_behind() {
    let bits = |status: u64| status >> 3 & 3;
    let written = state_of("move comm, g1 / move g2, status / move g3, status");
    assert_eq!([2, 3].map(|g| bits(written.gpr[g])), [0, 1]);
    let prepare = |s: &mut State| {
        s.status = status::COMM_K64;
        s.comm = 77;
    };
    let read = run_with("move g1, comm / move g2, status / move g3, status", prepare).0;
    assert_eq!((read.gpr[1], [2, 3].map(|g| bits(read.gpr[g]))), (77, [2, 0]));
    // The register itself has no delay.
    let both = run_with("move comm, g1 / move g2, comm", |s| s.gpr[1] = 5).0;
    assert_eq!((both.gpr[2], bits(both.status)), (5, 1));
    let one = run_with("move comm, comm / ...1 / move g1, status", prepare).0;
    assert_eq!((one.comm, bits(one.gpr[1])), (77, 1));
}

#[test]
fn a_move_to_stopcode_is_refused_with_address_and_word() {
    assert!(cp2_asm::assemble_str("t.s", " move stopcode, g1\n stopi 0\n").is_err());
    let from = MoveReg { file: RegFile::Gpr, number: 1 };
    let exch = Inst::new(Exch::Move, &[MoveReg::STOPCODE.packed(), from.packed()]);
    let word = encode(&Bundle { exch, ..Bundle::NOP });
    let mut cp2 = machine("copy f1, f2 / nop");
    cp2.state.iram[1] = word;
    let (state, run) = run_machine(&cp2);
    let End::Fault(fault) = run.end else { panic!("{:?}", run.end) };
    assert_eq!(fault.kind, FaultKind::Undefined(Undefined::StopcodeWritten));
    assert_eq!((fault.address, fault.word, fault.cycle), (Some(1), word, 1));
    assert_eq!((state.stopcode, state.fpr[1]), (0, state.fpr[2]));
    // To read it is fine.
    let state = run_with("move g1, stopcode", |s| s.stopcode = 1 << 40).0;
    assert_eq!((state.gpr[1], state.stopcode), (1 << 40, 0));
}

#[test]
fn pc_is_the_address_that_issues_next() {
    let text =
        "jumpi t / move g1, pc / ...3 / t: doi 2, e / e: move g2, pc / move g3, pc / move g4, pc";
    let state = state_of(text);
    assert_eq!([1, 2, 3, 4].map(|g| state.gpr[g]), [5, 7, 8, 9]);
    let mut cp2 = machine(text);
    let run = cp2.run_untraced(0, 5);
    assert_eq!(run.end, End::CycleLimit(5));
    assert_eq!(cp2.state.gpr[3], 6, "the loop's start");
}

#[test]
fn pc_in_the_slot_of_calls_and_returns() {
    let text = "calli f / move g1, pc / move g2, pc / jumpi end / nop / f: ret / move g3, pc / end: move g4, pc";
    let state = state_of(text);
    assert_eq!([1, 2, 3, 4].map(|g| state.gpr[g]), [5, 3, 2, 8]);
    let state = run_with("jump g5 / move g1, pc / ...3 / nop", |s| s.gpr[5] = 4).0;
    assert_eq!(state.gpr[1], 4);
}

/// What a `move` from a register gives in the iterations of a loop, in its three bundles in turn.
fn in_each_bundle(register: &str, count: usize) -> Vec<u64> {
    let mut given = vec![];
    for bundle in 1..=3 {
        let moves: Vec<String> = (1..=3)
            .map(|k| if k == bundle { format!("move g1, {register}") } else { "nop".into() })
            .collect();
        let text = format!("doi {count}, e / {} / e: {} / {}", moves[0], moves[1], moves[2]);
        for iteration in 1..=count as u64 {
            let mut cp2 = machine(&text);
            cp2.run_untraced(0, 1 + 3 * (iteration - 1) + bundle);
            given.push(cp2.state.gpr[1]);
        }
        assert_eq!(state_of(&text).gpr[1], given[given.len() - 1]);
    }
    given
}

#[test]
fn loop_registers_are_read_behind_the_decision_of_the_bundle() {
    assert_eq!(in_each_bundle("lc", 3), [3, 2, 1, 2, 1, 0, 2, 1, 0]);
    assert_eq!(in_each_bundle("lc", 4), [4, 3, 2, 1, 3, 2, 1, 0, 3, 2, 1, 0]);
    assert_eq!(in_each_bundle("lsp", 3), [1, 1, 1, 1, 1, 0, 1, 1, 0]);
    let la = 1 << 16 | 2;
    assert_eq!(in_each_bundle("la", 2), [la, la, la, 0, la, 0]);
}

#[test]
fn the_first_bundle_behind_do_and_call_counts_the_new_one() {
    let state = state_of(
        "doi 2, e / move g1, lsp / e: move g2, lsp / nop / calli f / move g3, psp / jumpi z / nop / f: ret / move g4, psp / z: nop",
    );
    assert_eq!([1, 2, 3, 4].map(|g| state.gpr[g]), [1, 0, 1, 0]);
}

#[test]
fn a_write_to_lc_counts_for_the_decision_of_the_next_bundle() {
    let iterations = |text: &str, count: u64| {
        let (state, _) = run_with(text, |s| s.gpr[1] = count);
        u64::from(state.a[3])
    };
    let at_end = "doi 9, e / updaddr (r3)+1 / e: move lc, g1 / nop";
    let before = "doi 9, e / move lc, g1 / e: updaddr (r3)+1 / nop";
    let behind = "doi 9, e / updaddr (r3)+1 / e: nop / move lc, g1";
    assert_eq!([at_end, before, behind].map(|text| iterations(text, 1)), [2, 1, 2]);
    assert_eq!(iterations(before, 0), 1, "0 acts as 1");
    assert_eq!(iterations(at_end, 0), 2);
    // 32 bits of the value count.
    assert_eq!(iterations(before, 1 << 32 | 1), 1);
}

#[test]
fn in_the_last_iteration_the_loop_registers_are_those_of_the_loop_around() {
    // The inner loop leaves in its `end`: what is written there shortens the outer one.
    let text = |place: usize| {
        let mut inner = ["nop", "nop", "nop"];
        inner[place] = "move lc, g1";
        let [first, end, behind] = inner;
        format!(
            "doi 9, o / doi 1, i / {first} / i: {end} / {behind} / updaddr (r3)+1 / o: nop / nop"
        )
    };
    let iterations = |place| run_with(&text(place), |s| s.gpr[1] = 1).0.a[3];
    assert_eq!([0, 1, 2].map(iterations), [9, 1, 1]);
    // Outside loops it goes nowhere.
    let state = run_with(
        "doi 1, e / nop / e: move lc, g1 / move la, g1 / move g2, lc / move g3, la",
        |s| {
            s.gpr[1] = 0x0005_0007;
        },
    );
    assert_eq!((state.0.gpr[2], state.0.gpr[3], state.0.loops.len()), (0, 0, 0));
}

#[test]
fn the_way_back_is_the_end_of_no_loop() {
    let text = "doi 2, e / nop / e: move la, g1 / updaddrnp (r3)+n3 / updaddrnp (r4)+n4 / nop";
    let (state, run) = run_with(text, |s| s.gpr[1] = 1 << 16 | 3);
    assert_eq!((state.a[3], state.a[4]), (2, 1));
    // doi, 1, 2, 3, then 1, 2, 3, 4, 5 and the stop.
    assert_eq!((run.stats.cycles, state.loops.len()), (10, 0));
    // One bundle later is compared: the loop ends there.
    let (state, _) = run_with(text, |s| s.gpr[1] = 1 << 16 | 4);
    assert_eq!((state.a[3], state.a[4]), (2, 1));
    // A delay slot that makes itself the end is not compared either.
    let jump = "doi 2, e / jumpi x / move la, g1 / nop / e: nop / nop / x: enddo / nop";
    let (state, run) = run_with(jump, |s| s.gpr[1] = 1 << 16 | 2);
    assert_eq!((run.stats.cycles, state.status, state.loops.len()), (6, 0, 0));
}

#[test]
fn a_count_of_zero_leaves_the_stack_and_loe_alone_with_fifteen_loops_too() {
    let nested = |last: &str| {
        let mut text: String = (0..15).map(|k| format!("doi 1, e{k} / ")).collect();
        text += &format!("{last} / nop / i: nop / move g1, lsp / move g2, status");
        text += &(0..15).rev().map(|k| format!(" / e{k}: nop")).collect::<String>();
        state_of(&(text + " / nop"))
    };
    let with_zero = nested("doi 0, i");
    assert_eq!((with_zero.gpr[1], with_zero.status & status::LOOP_OVERFLOW), (0, 0));
    assert_eq!(with_zero.gpr[2] & status::LOOP_OVERFLOW, 0);
    assert_ne!(nested("doi 1, i").status & status::LOOP_OVERFLOW, 0);
}

#[test]
fn rind_beside_its_step_is_the_stepped_angle() {
    let prepare = |s: &mut State| {
        (s.rind, s.rstep, s.rmask) = (8, 3, 0xffff);
        s.gpr[3] = 100;
    };
    for op in ["getcoeff f1", "cbutterfly f1, f20"] {
        let state = run_with(&format!("{op} | move g1, rind / move g2, rind"), prepare).0;
        assert_eq!([1, 2].map(|g| state.gpr[g]), [11, 11], "{op}");
        // The bundle before still has the old angle.
        let state = run_with(&format!("move g1, rind / {op}"), prepare).0;
        assert_eq!((state.gpr[1], state.rind), (8, 11));
        let state = run_with(&format!("{op} | move rind, g3 / move g2, rind"), prepare).0;
        assert_eq!((state.gpr[2], state.rind), (100, 100), "the move wins");
        let state = run_with(&format!("{op} | move rind, rind"), prepare).0;
        assert_eq!(state.rind, 11);
    }
    // The operation itself has the coefficient of the old angle.
    let states = ["getcoeff f1 | move g1, rind", "getcoeff f1 | move rind, g3", "getcoeff f1"]
        .map(|text| run_with(text, prepare).0.fpr[1]);
    assert!(states.iter().all(|f| *f == states[0]));
    // A step in no section is a step.
    let state = run_with("if(cc1) getcoeff f1 | move g1, rind", prepare).0;
    assert_eq!((state.gpr[1], state.fpr[1]), (11, [0; 4]));
}

#[test]
fn check_dma_has_the_distances_of_seti() {
    let with_dma = |bundles: &str| {
        let mut cp2 = machine(bundles);
        cp2.dma_state = 3;
        cp2.state.gpr[4] = 9;
        let run = cp2.run_untraced(0, 1000);
        (cp2.state, run)
    };
    for (between, seen) in [(0, 9), (1, 9), (2, 3)] {
        let (_, run) = with_dma(&format!("check_dma g4 / ...{between} / stop g4"));
        assert_eq!(run.end, End::Stopped(seen), "stop at {}", between + 1);
    }
    for (between, seen) in [(0, 9), (1, 3)] {
        let text =
            format!("check_dma g4 / ...{between} / do g4, e / updaddr (r3)+1 / e: nop / nop");
        assert_eq!(with_dma(&text).0.a[3], seen, "do at {}", between + 1);
    }
    assert_eq!(with_dma("check_dma g4 / move g5, g4").0.gpr[5], 3);
    assert_eq!(with_dma("check_dma g4 / jump g4 / nop").1.stats.cycles, 4);
}

#[test]
fn stack_registers_are_not_written_and_read_zero_outside_loops() {
    let state = run_with(
        "move lsp, g1 / move psp, g1 / move pc, g1 / move lc, g1 / move la, g1 / move g2, lc / move g3, la / move g4, lsp / move g5, psp",
        |s| {
            s.gpr[1] = 7;
        },
    );
    assert_eq!([2, 3, 4, 5].map(|g| state.0.gpr[g]), [0; 4]);
    assert_eq!(state.1.stats.cycles, 10);
}
