//! Hazards along the paths of loops, calls and `sync`; paths that cannot be taken stay silent.

use crate::kit::*;
use cp2_isa::{BundleAddress, Exch};

#[test]
fn back_edge_of_a_loop() {
    // f1 is written at the end of the body and read at its start.
    let body = |pad: usize| {
        let end = (3 + pad) as i32;
        [nops(1), doi(4, end), add(2, 1), nops(pad), nops(1), load(1), nops(2), stop()]
    };
    // doi at 1, body from 2: read at 2, load at 4 + pad = end + 1.
    let found = findings(&image(&body(0)));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!((found[0].code, found[0].address), ("C0501", BundleAddress(2)));
    let distances = found[0].distances.unwrap();
    assert_eq!((distances.found, distances.needed), (1, 3));
    assert!(found[0].message.contains("back edge"), "{}", found[0].message);
    assert!(found[0].help.starts_with("put 2 bundles more"), "{}", found[0].help);
}

#[test]
fn back_edge_with_enough_distance() {
    // Two bundles after the load in the body.
    silent(&[doi(4, 4), add(2, 1), nops(1), load(1), nops(1), nops(1), stop()]);
    expect(&[doi(4, 3), add(2, 1), nops(1), load(1), nops(1), stop()], &[("C0501", 1)]);
}

#[test]
fn one_iteration_has_no_back_edge() {
    silent(&[doi(1, 3), add(2, 1), nops(1), load(1), nops(1), stop()]);
}

#[test]
fn accumulator_in_a_short_loop() {
    let loop_of = |n: usize| [doi(9, n as i32 - 1), add(1, 1), nops(n - 1), stop()];
    expect(&loop_of(7), &[("C0501", 1)]);
    assert_eq!(distances(&loop_of(7)), (7, 8));
    silent(&loop_of(8));
}

#[test]
fn two_iterations_go_back_once() {
    // At the third iteration the result would be too late, but there are only two.
    let program = |n: i32| [add(1, 2), doi(n, 3), nops(2), nops(1), add(3, 1), stop()];
    // 0 add, 1 doi, 2-4 body (end 3), 5 read: distance 4 + 3 (n - 1).
    expect(&program(1), &[("C0501", 5)]);
    assert_eq!(distances(&program(1)), (5, 8));
    silent(&program(2));
}

#[test]
fn producer_in_the_body_of_a_loop_of_two() {
    // The load in the body's last bundle; one bundle behind the loop reads. Only the last
    // iteration leads there.
    expect(&[doi(2, 1), nops(1), load(1), add(2, 1), stop()], &[("C0501", 3)]);
    silent(&[doi(2, 1), nops(1), load(1), nops(2), add(2, 1), stop()]);
}

#[test]
fn leaving_early_is_not_possible() {
    // Nine iterations of two bundles lie between; no path is shorter.
    silent(&[add(1, 2), doi(9, 2), nops(1), nops(1), add(3, 1), stop()]);
}

#[test]
fn known_count_has_no_zero_path() {
    // With no iteration the distance would be 3.
    silent(&[add(1, 2), doi(3, 4), nops(3), nops(1), add(3, 1), stop()]);
    expect(&[add(1, 2), do_g(1, 4), nops(3), nops(1), add(3, 1), stop()], &[("C0501", 6)]);
    assert_eq!(distances(&[add(1, 2), do_g(1, 4), nops(4), add(3, 1), stop()]), (3, 8));
}

#[test]
fn count_from_a_known_register() {
    // g1 is 3 for certain.
    silent(&[set_g(1, 3), add(1, 2), do_g(1, 5), nops(3), nops(1), add(3, 1), stop()]);
    expect(
        &[set_g(1, 0), add(1, 2), do_g(1, 5), nops(3), nops(1), add(3, 1), stop()],
        &[("C0501", 7), ("C0509", 3)][..1],
    );
}

#[test]
fn nullified_bundle_does_nothing() {
    // `doi 0`: the load is nullified and not late.
    let program = [doi(0, 2), load(1), nops(1), nops(1), add(2, 1), stop()];
    expect(&program, &[("C0509", 1)]);
}

#[test]
fn nested_loops() {
    // Inner loop of 2 x 2 bundles lies between the write and the read: 6 cycles in all.
    let program = |inner: i32| {
        [doi(5, 6), add(1, 2), doi(inner, 3), nops(1), nops(1), add(3, 1), nops(1), nops(1), stop()]
    };
    expect(&program(2), &[("C0501", 5)]);
    assert_eq!(distances(&program(2)), (6, 8));
    silent(&program(3));
}

#[test]
fn call_and_return() {
    // 0 add, 1 calli 8, 2 slot, 3 read, 4 stop; 8: body of the procedure.
    let program = |n: usize| {
        [add(1, 2), calli(6), nops(1), add(3, 1), stop(), nops(1), nops(n), ret(), nops(1)]
    };
    expect(&program(2), &[("C0501", 3)]);
    assert_eq!(distances(&program(2)), (7, 8));
    silent(&program(3));
}

#[test]
fn call_into_the_callee() {
    expect(&[load(1), calli(4), nops(1), stop(), add(2, 1), ret(), nops(1)], &[]);
    expect(&[nops(1), calli(4), load(1), stop(), add(2, 1), ret(), nops(1)], &[("C0501", 4)]);
}

#[test]
fn return_to_the_right_caller() {
    // Two callers: after the first the result is read too early, the second is not concerned.
    let program = [
        calli(8),
        nops(1),
        add(2, 1),
        calli(8),
        nops(1),
        nops(2),
        stop(),
        nops(1),
        ret(),
        load(1),
        nops(1),
    ];
    expect(&program, &[("C0501", 2)]);
    // 0 load in the delay slot of the first call; only the path through that call has it.
    let mixed =
        [calli(9), load(1), nops(1), calli(9), nops(1), add(2, 1), stop(), nops(2), ret(), nops(1)];
    silent(&mixed);
}

#[test]
fn jump_and_its_delay_slot() {
    expect(&[jumpi(4), load(1), nops(1), nops(1), add(2, 1), stop()], &[("C0501", 4)]);
    silent(&[jumpi(4), load(1), nops(2), nops(2), add(2, 1), stop()]);
}

#[test]
fn sync_lets_everything_land() {
    silent(&[add(1, 2), sync(), add(3, 1), stop()]);
    silent(&[load(1), sync(), add(3, 1), stop()]);
    // But not the arithmetic half of its own bundle: it has waited 7 cycles only.
    let own = both(&add(1, 2), &sync());
    expect(&[own.clone(), add(3, 1), stop()], &[("C0501", 1)]);
    assert_eq!(distances(&[own.clone(), add(3, 1), stop()]), (7, 8));
    silent(&[own, nops(1), add(3, 1), stop()]);
}

#[test]
fn sync_in_a_loop() {
    silent(&[doi(4, 3), add(1, 1), sync(), nops(1), nops(1), stop()]);
}

#[test]
fn unknown_jump_ends_the_walk() {
    silent(&[exch(Exch::Jump, &[3]), load(1), add(2, 1), stop()]);
    // After a call through a register nothing is known either.
    silent(&[load(1), exch(Exch::Call, &[3]), nops(1), add(2, 1), stop()]);
}

#[test]
fn enddo_and_jump_leave_the_loop() {
    // 0 doi, 1 load, 2 enddo, 3 jumpi 8, 4 slot, 5 nop, 6 end, 7 last, 8 read, 9 stop
    let program = [
        doi(4, 6),
        load(1),
        enddo(),
        jumpi(8),
        nops(1),
        nops(1),
        nops(1),
        nops(1),
        add(2, 1),
        stop(),
    ];
    expect(&program, &[]);
    let near = [doi(4, 6), enddo(), jumpi(8), load(1), nops(4), add(2, 1), stop()];
    expect(&near, &[("C0501", 8)]);
}
