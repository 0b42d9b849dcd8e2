//! C0505 and C0506: hardware loops and delay slots.

use crate::kit::*;
use cp2_isa::Exch;

#[test]
fn an_ordinary_loop() {
    silent(&[doi(4, 2), nops(1), nops(1), nops(1), stop()]);
    silent(&[do_g(1, 2), nops(3), stop()]);
}

#[test]
fn jump_to_the_delay_slot() {
    // 0 jumpi 5: 3 doi, 4 end, 5 delay slot.
    expect(&[jumpi(5), nops(2), doi(4, 4), nops(2), stop()], &[("C0505", 0), ("C0509", 3)]);
    silent(&[jumpi(3), nops(2), doi(4, 4), nops(2), stop()]);
}

#[test]
fn jump_to_the_delay_slot_from_the_body() {
    let body = |to: i32| [doi(4, 5), jumpi(to), nops(1), nops(2), nops(1), nops(1), stop()];
    expect(&body(6), &[("C0505", 1), ("C0509", 3)][..1]);
    silent(&body(5));
    silent(&body(4));
}

#[test]
fn jump_into_an_inactive_loop() {
    let program = |to: i32| [jumpi(to), nops(1), doi(4, 5), nops(2), nops(1), nops(1), stop()];
    expect(&program(4), &[("C0505", 0), ("C0509", 2)]);
    silent(&program(2));
    // The same, with the loop reached from elsewhere.
    let both_ways = [
        doi(2, 4),
        nops(2),
        nops(1),
        nops(1),
        nops(1),
        doi(2, 8),
        nops(1),
        nops(2),
        nops(1),
        jumpi(1),
        nops(1),
    ];
    expect(&both_ways, &[("C0505", 11)]);
}

#[test]
fn jump_out_of_a_loop() {
    expect(
        &[doi(4, 4), jumpi(6), nops(1), nops(1), nops(1), nops(1), stop()],
        &[("C0505", 1), ("C0509", 3)][..1],
    );
    silent(&[doi(4, 5), enddo(), jumpi(7), nops(1), nops(1), nops(1), nops(1), stop()]);
}

#[test]
fn return_out_of_a_loop() {
    let program = |leave: Part| {
        [
            calli(3),
            nops(1),
            stop(),
            doi(4, 8),
            leave,
            ret(),
            nops(1),
            nops(1),
            nops(1),
            nops(1),
            ret(),
            nops(1),
        ]
    };
    // CP2 has no conditional jump: what comes after the return is never reached.
    expect(&program(nops(1)), &[("C0505", 5), ("C0509", 10)]);
    expect(&program(enddo()), &[("C0509", 10)]);
}

#[test]
fn body_outside_the_kernel() {
    expect(&[doi(4, 2), nops(2)], &[("C0505", 0), ("C0510", 2)]);
    silent(&[doi(4, 2), nops(3), stop()]);
}

#[test]
fn body_that_ends_before_it_starts() {
    expect(&[nops(2), doi(4, 1), nops(2), stop()], &[("C0505", 2)]);
    expect(&[nops(2), doi(4, 2), nops(2), stop()], &[("C0505", 2)]);
    silent(&[nops(2), doi(4, 3), nops(2), stop()]);
}

#[test]
fn inner_loop_must_end_first() {
    let nest = |outer: i32, inner: i32| [doi(3, outer), doi(2, inner), nops(6), stop()];
    expect(&nest(3, 3), &[("C0505", 1)]);
    expect(&nest(3, 4), &[("C0505", 1)]);
    silent(&nest(4, 3));
    silent(&nest(5, 3));
}

#[test]
fn inner_count_of_zero_needs_one_more() {
    let nest = |outer: i32| [doi(3, outer), do_g(2, 3), nops(6), stop()];
    expect(&nest(4), &[("C0505", 1)]);
    silent(&nest(5));
    silent(&[set_g(2, 7), nops(1), doi(3, 6), do_g(2, 5), nops(6), stop()]);
}

#[test]
fn too_many_loops() {
    let nest = |n: i32| {
        let dos = (0..n).map(|k| doi(2, 2 * n + 2 - k));
        dos.chain([nops(n as usize + 4), stop()]).collect::<Vec<_>>()
    };
    silent(&nest(15));
    expect(&nest(16), &[("C0505", 15)]);
}

#[test]
fn enddo_without_a_loop() {
    expect(&[enddo(), stop()], &[("C0505", 0)]);
    // A procedure may end its caller's loop.
    silent(&[
        doi(4, 5),
        calli(8),
        nops(1),
        nops(1),
        nops(1),
        nops(2),
        stop(),
        enddo(),
        ret(),
        nops(1),
    ]);
}

#[test]
fn control_in_a_delay_slot() {
    expect(&[jumpi(3), stop(), nops(1), stop()], &[("C0506", 1)]);
    expect(&[jumpi(3), jumpi(3), nops(1), stop()], &[("C0506", 1)]);
    expect(&[calli(3), sync(), stop(), ret(), nops(1)], &[("C0506", 1)]);
    silent(&[jumpi(3), nops(2), stop()]);
}

#[test]
fn control_at_the_end_of_a_loop() {
    expect(&[doi(4, 2), nops(1), sync(), nops(1), stop()], &[("C0506", 2)]);
    expect(&[doi(4, 2), nops(2), sync(), stop()], &[("C0506", 3)]);
    silent(&[doi(4, 3), nops(1), sync(), nops(2), stop()]);
}

#[test]
fn delay_slot_at_the_end_of_a_loop() {
    let program = |end: i32| [doi(4, end), nops(1), jumpi(1), nops(3)];
    expect(&program(3), &[("C0506", 2)]);
    silent(&program(4));
}

#[test]
fn run_in_a_kernel() {
    expect(&[exch(Exch::Runi, &[0])], &[("C0506", 0)]);
    silent(&[jumpi(0), nops(1)]);
}

#[test]
fn findings_of_refused_code_are_errors() {
    use cp2_asm::diagnostic::Severity;
    let found = findings(&image(&[jumpi(3), stop(), nops(1), stop()]));
    assert_eq!(found[0].severity, Severity::Error);
    let found = findings(&image(&[load(1), add(2, 1), stop()]));
    assert_eq!(found[0].severity, Severity::Warning);
}
