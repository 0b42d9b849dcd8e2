//! C0501, C0502, C0503 in straight code: each distance and its legal neighbour.

use crate::kit::*;
use cp2_isa::{Arith, BundleAddress, Exch, MoveReg, RegFile, control};

/// Checks that a producer and a consumer need at least this distance between them.
#[track_caller]
fn needs(producer: &Part, consumer: &Part, distance: usize) {
    let program = |d: usize| [producer.clone(), nops(d - 1), consumer.clone(), stop()];
    if distance > 1 {
        expect(&program(distance - 1), &[("C0501", distance as u16 - 1)]);
        assert_eq!(distances(&program(distance - 1)), (distance as u32 - 1, distance as u32));
        assert_eq!(distances(&program(1)), (1, distance as u32));
    }
    silent(&program(distance));
    silent(&program(distance + 1));
}

fn store_other(f: i32) -> Part {
    exch(Exch::Swi, &[f, 8])
}

fn compare(cc: i32) -> Part {
    arith(Arith::C, &[2, 0, cc, 10, 11])
}

#[test]
fn arithmetic_result_takes_8() {
    needs(&add(1, 2), &add(3, 1), 8);
    needs(&add(1, 2), &store_other(1), 8);
    needs(&add(1, 2), &exch(Exch::Psprmsgn0, &[4, 1, 0, 1, 2, 3]), 8);
    needs(&add(1, 2), &exch(Exch::Mffpr, &[3, 1, 0]), 8);
    needs(&arith(Arith::Psaddsub, &[4, 2, 3, 1]), &add(3, 1), 8);
    needs(&arith(Arith::Mfc, &[1, 0]), &add(3, 1), 8);
}

#[test]
fn load_takes_3_and_2_to_permute() {
    needs(&load(1), &add(3, 1), 3);
    needs(&load(1), &store_other(1), 3);
    needs(&load(1), &exch(Exch::Mffpr, &[3, 1, 0]), 3);
    needs(&load(1), &exch(Exch::Psprmsgn0, &[4, 1, 0, 1, 2, 3]), 2);
    needs(&exch(Exch::Ldi, &[0, 8]), &add(3, 1), 3);
}

#[test]
fn other_writers_of_registers_take_3() {
    needs(&exch(Exch::Psprmsgn0, &[1, 8, 0, 1, 2, 3]), &add(3, 2), 3);
    needs(&exch(Exch::Psprmsgn1, &[40, 8, 0, 1, 2, 3]), &store_other(41), 3);
    needs(&exch(Exch::Mtfpr, &[1, 0, 4]), &add(3, 1), 3);
}

#[test]
fn condition_takes_7() {
    needs(&compare(1), &when(1, &add(3, 4)), 7);
    needs(&compare(2), &when(2, &exch(Exch::Psprmsgn0, &[4, 8, 0, 1, 2, 3])), 7);
    needs(&compare(3), &arith(Arith::Mfc, &[1, 1]), 7);
    needs(&arith(Arith::C, &[2, 2, 3, 10, 11]), &when(4, &add(3, 4)), 7);
    needs(&arith(Arith::Mtc, &[2, 1]), &when(5, &add(3, 4)), 7);
}

#[test]
fn predicate_of_another_condition_is_no_reader() {
    silent(&[compare(1), when(2, &add(3, 4)), stop()]);
    silent(&[compare(1), add(3, 4), stop()]);
    // `qsdot` ignores the predicate; that is another finding.
    expect(&[compare(1), when(1, &arith(Arith::Qsdot, &[1, 2, 4, 0])), stop()], &[("C0508", 1)]);
}

#[test]
fn flags_take_7_to_mfc() {
    needs(&add(1, 2), &arith(Arith::Mfc, &[3, 0]), 7);
    silent(&[arith(Arith::Copy, &[1, 2]), arith(Arith::Mfc, &[3, 0]), stop()]);
}

#[test]
fn mtc_takes_7_to_mfc() {
    needs(&mtc(1, 1), &arith(Arith::Mfc, &[3, 1]), 7);
    needs(&mtc(1, 0), &arith(Arith::Mfc, &[3, 0]), 7);
    // Flags that are raised behind it join what it writes.
    needs(&mtc(1, 0), &arith(Arith::Mfc, &[3, 0]), 7);
    expect(&[mtc(1, 0), nops(5), add(1, 2), arith(Arith::Mfc, &[3, 0]), stop()], &[("C0501", 7)]);
    // It replaces older flags, so they are not what a read means; it is.
    let program = |n: usize| [add(1, 2), mtc(2, 0), nops(n), arith(Arith::Mfc, &[3, 0]), stop()];
    expect(&program(5), &[("C0501", 7)]);
    silent(&program(6));
    // What `mfc` wrote is an arithmetic result.
    needs(&arith(Arith::Mfc, &[1, 0]), &mtc(1, 1), 8);
}

fn mtc(f: i32, creg: i32) -> Part {
    arith(Arith::Mtc, &[f, creg])
}

/// Creates `move g, status`.
fn read_status(g: i32) -> Part {
    exch(Exch::Move, &[g, MoveReg::STATUS.packed()])
}

/// Creates `move status, g`.
fn write_status(g: i32) -> Part {
    exch(Exch::Move, &[MoveReg::STATUS.packed(), g])
}

#[test]
fn flags_are_in_status_at_once_and_those_of_mtc_after_7() {
    silent(&[both(&add(1, 2), &read_status(1)), stop()]);
    silent(&[add(1, 2), read_status(1), stop()]);
    needs(&mtc(1, 0), &read_status(1), 7);
    // `mtc` to fccr leaves STATUS alone.
    silent(&[mtc(1, 1), read_status(1), stop()]);
    // Flags that are raised on the way are no reason to read early.
    expect(&[mtc(1, 0), add(1, 2), nops(4), read_status(1), stop()], &[("C0501", 6)]);
}

#[test]
fn a_move_to_status_before_a_mtc_lands_is_overwritten() {
    let program = |n: usize| [mtc(1, 0), nops(n), write_status(1), nops(9), read_status(2), stop()];
    for between in 0..5 {
        expect(&program(between), &[("C0503", between as u16 + 1)]);
        assert_eq!(distances(&program(between)), (between as u32 + 1, 6));
    }
    silent(&program(5));
    expect(&[both(&mtc(1, 0), &write_status(1)), stop()], &[("C0503", 0)]);
    // One bundle behind it the other write lands five cycles later.
    let found = findings(&image(&program(0)));
    assert!(found[0].message.contains("status.fpe is written out of order"), "{found:#?}");
    assert!(found[0].message.ends_with("writes it 5 cycles later"), "{found:#?}");
    // Flags and a `move` to STATUS are in order, in one bundle too.
    silent(&[both(&add(1, 2), &write_status(1)), read_status(1), stop()]);
    silent(&[mtc(1, 1), write_status(1), stop()]);
    // The `move` is what a read behind it means.
    expect(&[mtc(1, 0), write_status(1), read_status(2), stop()], &[("C0503", 1)]);
}

#[test]
fn bits_of_comm_take_2_to_status() {
    let comm = MoveReg::COMM.packed();
    needs(&exch(Exch::Move, &[comm, 1]), &read_status(2), 2);
    needs(&exch(Exch::Move, &[1, comm]), &read_status(2), 2);
    // COMM itself is one register.
    silent(&[exch(Exch::Move, &[comm, 1]), exch(Exch::Move, &[2, comm]), stop()]);
}

#[test]
fn the_angle_is_stepped_in_its_bundle() {
    let angle = control_register(control::RIND);
    silent(&[both(&arith(Arith::Getcoeff, &[1]), &exch(Exch::Move, &[1, angle])), stop()]);
    silent(&[both(&arith(Arith::Getcoeff, &[1]), &exch(Exch::Move, &[angle, 1])), stop()]);
}

fn control_register(number: u8) -> i32 {
    MoveReg { file: RegFile::Control, number }.packed()
}

#[test]
fn check_dma_is_seen_as_seti_is() {
    let check = exch(Exch::CheckDma, &[1]);
    silent(&[check.clone(), exch(Exch::Mtfpr, &[1, 1, 4]), stop()]);
    expect(&[check.clone(), do_g(1, 3), nops(3), stop()], &[("C0501", 1)]);
    silent(&[check.clone(), nops(1), do_g(1, 4), nops(3), stop()]);
    expect(&[check.clone(), nops(1), exch(Exch::Stop, &[1])], &[("C0501", 2)]);
    silent(&[check, nops(2), exch(Exch::Stop, &[1])]);
}

#[test]
fn run_reads_its_register_as_stop_does() {
    let program = |n: usize| [set_g(1, 9), nops(n), exch(Exch::Run, &[1])];
    expect(&program(1), &[("C0501", 2), ("C0506", 2)]);
    // In a kernel it is an error whatever the distance.
    expect(&program(2), &[("C0506", 3)]);
}

#[test]
fn general_register_takes_2_to_do_and_3_to_stop() {
    expect(&[set_g(1, 4), do_g(1, 3), nops(3), stop()], &[("C0501", 1)]);
    silent(&[set_g(1, 4), nops(1), do_g(1, 4), nops(3), stop()]);
    expect(&[set_g(1, 4), nops(1), exch(Exch::Stop, &[1])], &[("C0501", 2)]);
    silent(&[set_g(1, 4), nops(2), exch(Exch::Stop, &[1])]);
    expect(&[set_g(1, 9), exch(Exch::Call, &[1]), nops(1), stop()], &[("C0501", 1)]);
    silent(&[set_g(1, 9), nops(1), exch(Exch::Call, &[1]), nops(1), stop()]);
    silent(&[set_g(1, 9), exch(Exch::Jump, &[1]), nops(1)]);
    silent(&[set_g(1, 9), exch(Exch::Mtfpr, &[1, 1, 4]), stop()]);
}

#[test]
fn address_registers_have_a_bypass() {
    silent(&[exch(Exch::Clr, &[1]), exch(Exch::Lwnp, &[1, 1]), exch(Exch::Lwnp, &[2, 1]), stop()]);
}

#[test]
fn halves_are_told_apart() {
    let recip_hi = arith(Arith::Recip, &[3, 8]);
    // f1.hi is on its way; a comparison looks at f1.lo.
    silent(&[recip_hi.clone(), arith(Arith::C, &[2, 0, 1, 1, 2]), stop()]);
    silent(&[recip_hi.clone(), arith(Arith::Join32, &[4, 1]), stop()]);
    silent(&[recip_hi.clone(), arith(Arith::Rsqrt, &[8, 2]), stop()]);
    // `recip` computes from f1.lo, and raises the flags of f1.hi.
    expect(&[recip_hi.clone(), arith(Arith::Recip, &[8, 2]), stop()], &[("C0501", 1)]);
    expect(&[recip_hi.clone(), arith(Arith::C, &[2, 2, 1, 1, 2]), stop()], &[("C0501", 1)]);
    expect(&[recip_hi.clone(), arith(Arith::Split32, &[4, 1]), stop()], &[("C0501", 1)]);
    expect(&[recip_hi, arith(Arith::Recip, &[8, 3]), stop()], &[("C0501", 1)]);
}

#[test]
fn permutation_reads_only_the_words_it_moves() {
    silent(&[add(9, 2), exch(Exch::Psprmsgn0, &[4, 8, 0, 1, 0, 5]), stop()]);
    expect(&[add(9, 2), exch(Exch::Psprmsgn0, &[4, 8, 0, 1, 2, 5]), stop()], &[("C0501", 1)]);
}

#[test]
fn partial_writes_read_the_kept_part() {
    needs(&arith(Arith::Li3, &[1, 5]), &arith(Arith::Li2, &[1, 6]), 8);
    needs(&add(1, 2), &arith(Arith::Join16, &[1, 2]), 8);
    // `qsdot` keeps one half of its destination.
    needs(&arith(Arith::Recip, &[3, 8]), &arith(Arith::Qsdot, &[1, 4, 6, 0]), 8);
    expect(
        &[arith(Arith::Recip, &[3, 8]), arith(Arith::Qsdot, &[1, 4, 6, 1]), stop()],
        &[("C0504", 0)],
    );
}

#[test]
fn next_registers_are_read_too() {
    needs(&add(5, 2), &arith(Arith::Mvmadd, &[1, 4, 3]), 8);
    needs(&load(9), &exch(Exch::Sdi, &[8, 2]), 3);
}

#[test]
fn sections_are_told_apart() {
    silent(&[exch(Exch::Mtfpr, &[1, 0, 1]), exch(Exch::Mffpr, &[2, 1, 0]), stop()]);
    expect(
        &[exch(Exch::Mtfpr, &[1, 0, 1]), exch(Exch::Mffpr, &[2, 1, 1]), stop()],
        &[("C0501", 1)],
    );
    // A write of one section does not excuse the older write of all.
    expect(
        &[add(1, 2), nops(5), exch(Exch::Mtfpr, &[1, 0, 1]), exch(Exch::Mffpr, &[2, 1, 0]), stop()],
        &[("C0501", 7)],
    );
}

#[test]
fn a_bundle_reads_before_it_writes() {
    silent(&[both(&add(2, 1), &load(1)), stop()]);
    silent(&[add(1, 1), stop()]);
}

#[test]
fn a_read_means_the_last_write() {
    // The load replaced what the addition would have given, in order.
    silent(&[add(1, 2), nops(7), store_other(1), load(1), nops(2), add(3, 1), stop()]);
    // Under a predicate it may not have.
    let program = [add(1, 2), nops(3), when(1, &arith(Arith::Copy, &[1, 4])), nops(3), add(3, 1)];
    let found = findings(&image(&[program.to_vec(), vec![stop()]].concat()));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].address, BundleAddress(8));
    assert_eq!(found[0].related[0].0, BundleAddress(4));
}

#[test]
fn one_finding_for_the_registers_of_a_pair() {
    let found =
        findings(&image(&[exch(Exch::Ldi, &[8, 2]), arith(Arith::Psadd, &[1, 8, 9]), stop()]));
    assert_eq!(found.len(), 1);
    assert!(found[0].message.starts_with("f8 and f9 are read before"), "{}", found[0].message);
    assert!(found[0].help.starts_with("issue it 2 bundles later, at distance 3"));
}

#[test]
fn several_producers_make_one_finding_of_the_worst() {
    let program = [add(1, 2), nops(2), add(9, 2), add(3, 1), stop()];
    expect(&program, &[("C0501", 4)]);
    let found = findings(&image(&[add(1, 2), add(2, 3), arith(Arith::Psadd, &[4, 1, 2]), stop()]));
    assert_eq!(found.len(), 2, "two registers, two producers: {found:#?}");
}

/// Returns the message of the only finding, of a collision.
#[track_caller]
fn collision(parts: &[Part]) -> String {
    let found = findings(&image(parts));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].code, "C0502");
    found[0].message.clone()
}

#[test]
fn writes_that_land_together() {
    let program = |d: usize| [add(1, 2), nops(d - 1), load(1), nops(9), store(1), stop()];
    expect(&program(5), &[("C0502", 5)]);
    assert_eq!(distances(&program(5)), (5, 6));
    // One later the load lands after; the sum is never read then.
    expect(&program(6), &[("C0504", 0)]);
    let read_between = [add(1, 2), nops(7), store(1), load(1), nops(9), store(1), stop()];
    silent(&read_between);
}

#[test]
fn of_arithmetic_and_a_load_the_arithmetic_result_stays() {
    let with = |first: Part, second: Part| [first, nops(4), second, nops(9), store(1), stop()];
    let older = "two writes land on f1 in one cycle: this one is issued 5 cycles after the other, \
                 and the older, arithmetic result stays";
    assert_eq!(collision(&with(add(1, 2), load(1))), older);
    assert_eq!(collision(&with(arith(Arith::Mfc, &[1, 0]), load(1))), older);
    let where_cc = collision(&with(when(1, &add(1, 2)), load(1)));
    assert_eq!(where_cc, format!("{older} where cc1 is 1"));
    // Against the others the later issued one stays.
    let later = "two writes land on f1 in one cycle: this one is issued 5 cycles after the other, \
                 and this one stays";
    assert_eq!(collision(&with(add(1, 2), exch(Exch::Mtfpr, &[1, 1, 4]))), later);
    let permute = exch(Exch::Psprmsgn0, &[0, 8, 0, 1, 2, 3]);
    assert_eq!(collision(&with(add(1, 2), permute)), later);
    // An operation on a half defends that half.
    let half = collision(&with(arith(Arith::Recip, &[2, 8]), load(1)));
    assert_eq!(half, older.replace("f1", "f1.lo"));
    // The help moves the load one bundle on.
    let found = findings(&image(&with(add(1, 2), load(1))));
    assert_eq!(found[0].help, "issue it 1 bundle later, at distance 6");
    assert_eq!(found[0].related[0].1, "the other write; its result stays");
}

#[test]
fn writes_that_land_out_of_order() {
    let program = |d: usize| [add(1, 2), nops(d - 1), load(1), nops(9), store(1), stop()];
    expect(&program(1), &[("C0503", 1)]);
    assert_eq!(distances(&program(1)), (1, 6));
    expect(&program(4), &[("C0503", 4)]);
    let permute = exch(Exch::Psprmsgn0, &[0, 8, 0, 1, 2, 3]);
    expect(&[add(1, 2), permute.clone(), stop()], &[("C0503", 1)]);
    silent(&[add(4, 2), permute, stop()]);
}

#[test]
fn a_fast_write_before_a_slow_one_is_in_order() {
    silent(&[load(1), nops(2), add(3, 1), add(1, 2), stop()]);
    silent(&[load(1), nops(2), store(1), add(1, 2), stop()]);
}

#[test]
fn halves_do_not_collide() {
    let recip = |half: i32| arith(Arith::Recip, &[half, 8]);
    silent(&[recip(2), recip(3), nops(7), store(1), stop()]);
    expect(&[recip(3), nops(4), load(1), nops(3), store(1), stop()], &[("C0502", 5)]);
}

#[test]
fn sections_do_not_collide() {
    silent(&[exch(Exch::Mtfpr, &[1, 0, 0]), exch(Exch::Mtfpr, &[1, 2, 1]), stop()]);
}

#[test]
fn the_halves_of_a_bundle_write_one_register() {
    expect(&[both(&add(1, 2), &load(1)), nops(7), store(1), stop()], &[("C0503", 0)]);
    silent(&[both(&add(1, 2), &load(3)), nops(7), store(1), stop()]);
}

#[test]
fn angle_may_be_written_by_both_halves() {
    // `move rind, g1` wins over the step; that is a rule, not a hazard.
    let butterfly = arith(Arith::Cbutterfly, &[1, 2]);
    silent(&[both(&butterfly, &exch(Exch::Move, &[2 * 16 + 8, 1])), stop()]);
}

#[test]
fn software_pipeline_without_early_reads_is_silent() {
    // Load and use of the iteration before, in one bundle of a loop of four.
    silent(&[
        load(1),
        nops(2),
        doi(8, 6),
        both(&add(2, 1), &load(1)),
        nops(1),
        nops(1),
        nops(1),
        stop(),
    ]);
}
