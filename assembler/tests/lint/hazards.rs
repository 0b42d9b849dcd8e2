//! C0501, C0502, C0503 in straight code: each distance and its legal neighbour.

use crate::kit::*;
use cp2_isa::{Arith, Exch};

/// A producer, a consumer and the least distance between them.
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
fn mtc_has_a_bypass_to_mfc() {
    silent(&[arith(Arith::Mtc, &[2, 1]), arith(Arith::Mfc, &[1, 1]), stop()]);
    // It also replaces older flags.
    silent(&[add(1, 2), arith(Arith::Mtc, &[2, 0]), arith(Arith::Mfc, &[3, 0]), stop()]);
    // But what `mfc` wrote is an arithmetic result.
    needs(&arith(Arith::Mfc, &[1, 0]), &arith(Arith::Mtc, &[1, 1]), 8);
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
    silent(&[recip_hi.clone(), arith(Arith::Recip, &[8, 2]), stop()]);
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
    assert_eq!(found[0].address, 8);
    assert_eq!(found[0].related[0].0, 4);
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
