//! The checker's own idea of the machine where two rules meet: schedules of a few operations, put
//! together by hand, each beside one that is wrong by one bundle.
#![allow(clippy::unwrap_used, reason = "tests")]

use cp2_asm::check::check;
use cp2_asm::linear::Region;
use cp2_asm::linear_regions;
use cp2_asm::sched::{ScheduledBundle, SlotOrigin};
use cp2_isa::{Bundle, Core};

const EMPTY: ScheduledBundle =
    ScheduledBundle { bundle: Bundle::NOP, arith: SlotOrigin::Nothing, exch: SlotOrigin::Nothing };

/// Returns a region and, for each of its operations, the bundle that the schedule has it in, alone.
fn operations(lines: &str) -> (Region, Vec<ScheduledBundle>) {
    let text = format!(".linear\n{lines}\n.endlinear\n stopi 0\n");
    let scheduled = linear_regions("test.s", &text).unwrap().remove(0);
    let alone = |op: usize| {
        let source = SlotOrigin::Op(op);
        let is = |placed: &&ScheduledBundle| placed.arith == source || placed.exch == source;
        let whole = scheduled.bundles.iter().find(is).unwrap();
        let mut placed = EMPTY;
        placed.bundle.cc = whole.bundle.cc;
        if whole.arith == source {
            (placed.bundle.arith, placed.arith) = (whole.bundle.arith, source);
        } else {
            (placed.bundle.exch, placed.exch) = (whole.bundle.exch, source);
        }
        placed
    };
    let all = (0..scheduled.region.ops.len()).map(alone).collect();
    (scheduled.region, all)
}

/// Whether operations in these bundles, counted from 0, do what the lines say.
fn is_right(lines: &str, cycles: &[usize]) -> bool {
    let (region, all) = operations(lines);
    assert_eq!(all.len(), cycles.len());
    let mut bundles = vec![EMPTY; cycles.iter().max().unwrap() + 9];
    for (placed, &cycle) in all.iter().zip(cycles) {
        let bundle = &mut bundles[cycle];
        if placed.exch == SlotOrigin::Nothing {
            (bundle.bundle.arith, bundle.arith) = (placed.bundle.arith, placed.arith);
        } else {
            (bundle.bundle.exch, bundle.exch) = (placed.bundle.exch, placed.exch);
        }
    }
    check(&Core::CP2, &region, &bundles).is_ok()
}

#[test]
fn of_arithmetic_and_a_load_that_land_together_the_arithmetic_result_stays() {
    // Written last, the load should stay: from distance 6 on it does.
    let load_last = "copy f1, f2\n lwi f1, 9\n copy f3, f1";
    assert!(!is_right(load_last, &[0, 5, 8]));
    assert!(is_right(load_last, &[0, 6, 9]));
    // Written first, it should not: up to distance 5 it does not.
    let load_first = "lwi f1, 9\n copy f1, f2\n copy f3, f1";
    assert!(is_right(load_first, &[5, 0, 8]));
    assert!(!is_right(load_first, &[6, 0, 9]));
}

#[test]
fn against_mtfpr_the_later_issued_result_stays() {
    let last = "copy f1, f2\n mtfpr f1, g1, all\n copy f3, f1";
    assert!(!is_right(last, &[0, 4, 8]));
    assert!(is_right(last, &[0, 5, 8]));
    let first = "mtfpr f1, g1, all\n copy f1, f2\n copy f3, f1";
    assert!(is_right(first, &[4, 0, 8]));
    assert!(!is_right(first, &[5, 0, 8]));
}

#[test]
fn an_operation_on_a_half_defends_that_half() {
    let lines = "lwi f1, 9\n recip f1.lo, f2.lo\n copy f3, f1";
    assert!(is_right(lines, &[5, 0, 8]));
    assert!(!is_right(lines, &[6, 0, 9]));
}

#[test]
fn a_permutation_sees_a_load_that_loses() {
    let lines = "lwi f1, 9\n psprmsgn0 f4, f1, 0, 1, 2, 3\n copy f1, f2\n copy f3, f1";
    assert!(is_right(lines, &[5, 7, 0, 8]));
    assert!(!is_right(lines, &[5, 8, 0, 9]));
}

#[test]
fn mfc_sees_a_condition_code_when_it_has_landed() {
    let lines = "mtc f1, fccr\n mfc f2, fccr";
    assert!(is_right(lines, &[0, 7]));
    assert!(!is_right(lines, &[0, 6]));
    assert!(!is_right(lines, &[0, 1]));
}

#[test]
fn a_move_from_the_angle_sees_the_step_beside_it() {
    assert!(is_right("getcoeff f1\n move g1, rind", &[0, 0]));
    assert!(!is_right("move g1, rind\n getcoeff f1", &[0, 0]));
    assert!(is_right("move g1, rind\n getcoeff f1", &[0, 1]));
    // A `move` to it wins over the step.
    assert!(is_right("getcoeff f1\n move rind, g1", &[0, 0]));
    assert!(!is_right("move rind, g1\n getcoeff f1", &[0, 0]));
}
