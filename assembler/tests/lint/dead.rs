//! C0504: results that nobody reads, and those that somebody does.

use crate::kit::*;
use cp2_isa::{Arith, Exch};

#[test]
fn overwritten_before_a_read() {
    expect(&[load(1), load(1), nops(2), store(1), stop()], &[("C0504", 0)]);
    silent(&[load(1), load(2), nops(2), store(1), stop()]);
    expect(&[add(1, 2), add(1, 3), nops(7), store(1), stop()], &[("C0504", 0)]);
}

#[test]
fn read_between() {
    silent(&[load(1), nops(2), store(1), load(1), nops(2), store(1), stop()]);
}

#[test]
fn a_read_before_the_new_value_lands_counts() {
    // The store at distance 2 after the second load reads the first load's value: early (C0501),
    // but not dead.
    expect(&[load(1), nops(3), load(1), nops(1), store(1), stop()], &[("C0501", 6)]);
    // One later it reads the second's.
    expect(&[load(1), nops(3), load(1), nops(2), store(1), stop()], &[("C0504", 0)]);
}

#[test]
fn everything_lives_at_the_stop() {
    silent(&[load(1), load(2), set_g(3, 3), arith(Arith::C, &[2, 0, 1, 4, 5]), stop()]);
}

#[test]
fn live_out_names_what_counts() {
    let mut named = image(&[load(1), load(2), stop()]);
    named.hints.live_out.insert("k".into(), vec![2]);
    expect_image(&named, &[("C0504", 0)]);
    named.hints.live_out.insert("k".into(), vec![1, 2]);
    expect_image(&named, &[]);
    named.hints.live_out.clear();
    named.hints.live_out.insert("other".into(), vec![]);
    expect_image(&named, &[]);
}

#[test]
fn live_out_keeps_general_registers() {
    let mut named = image(&[set_g(1, 4), stop()]);
    named.hints.live_out.insert("k".into(), vec![]);
    expect_image(&named, &[]);
}

#[test]
fn read_on_one_path_is_enough() {
    // Zero iterations: the store does not happen; otherwise it does.
    silent(&[load(1), nops(2), do_g(1, 4), store(1), nops(1), load(1), stop()]);
    silent(&[load(1), nops(2), doi(3, 4), store(1), nops(1), load(1), stop()]);
}

#[test]
fn read_across_the_back_edge() {
    silent(&[doi(4, 4), store(1), load(1), nops(1), nops(1), nops(1), stop()]);
}

#[test]
fn predicated_write_ends_nothing() {
    silent(&[load(1), nops(2), when(1, &arith(Arith::Copy, &[1, 2])), nops(7), store(1), stop()]);
}

#[test]
fn halves() {
    let recip = |half: i32| arith(Arith::Recip, &[half, 8]);
    // Both halves, one after the other, are read as one.
    silent(&[recip(2), recip(3), nops(7), store(1), stop()]);
    expect(&[recip(2), recip(2), nops(7), store(1), stop()], &[("C0504", 0)]);
    // A whole register counts while one half is read.
    silent(&[add(1, 2), nops(7), recip(3), nops(7), store(1), stop()]);
}

#[test]
fn one_section_does_not_replace_all() {
    silent(&[load(1), nops(2), exch(Exch::Mtfpr, &[1, 0, 2]), nops(2), store(1), stop()]);
    expect(
        &[load(1), nops(2), exch(Exch::Mtfpr, &[1, 0, 4]), nops(2), store(1), stop()],
        &[("C0504", 0)],
    );
}

#[test]
fn pairs_count_as_a_whole() {
    // The second word of the pair is not wanted; that is how double loads are.
    silent(&[exch(Exch::Ldi, &[2, 0]), nops(2), add(5, 2), load(3), stop()]);
    expect(&[exch(Exch::Ldi, &[2, 0]), nops(2), exch(Exch::Ldi, &[2, 2]), stop()], &[("C0504", 0)]);
}

#[test]
fn sum_and_difference() {
    let both_results = arith(Arith::Psaddsub, &[1, 2, 3, 4]);
    let over = |f: i32| load(f);
    expect(&[both_results.clone(), nops(7), store(1), over(4), stop()], &[("C0504", 0)]);
    silent(&[both_results, nops(7), store(1), store(4), over(4), stop()]);
}

#[test]
fn condition_codes() {
    let compare = |cc: i32| arith(Arith::C, &[2, 0, cc, 10, 11]);
    expect(&[compare(1), compare(1), nops(6), when(1, &add(1, 2)), stop()], &[("C0504", 0)]);
    silent(&[compare(1), compare(2), nops(6), when(1, &add(1, 2)), stop()]);
    silent(&[compare(1), nops(6), when(1, &add(1, 2)), compare(1), stop()]);
    expect(&[compare(0), stop()], &[("C0504", 0)]);
}

#[test]
fn general_registers() {
    expect(&[set_g(1, 1), set_g(1, 2), stop()], &[("C0504", 0)]);
    silent(&[set_g(1, 1), exch(Exch::Move, &[2, 1]), set_g(1, 2), stop()]);
    // `stop g1` two bundles after the second `seti` still sees the first.
    expect(&[set_g(1, 1), set_g(1, 2), nops(1), exch(Exch::Stop, &[1])], &[("C0501", 3)]);
}

#[test]
fn side_effects_are_reason_enough() {
    // `getcoeff` steps the angle, reading COMM tells the host.
    silent(&[arith(Arith::Getcoeff, &[1]), arith(Arith::Getcoeff, &[1]), stop()]);
    let move_comm = exch(Exch::Move, &[1, 2 * 16 + 1]);
    silent(&[move_comm.clone(), move_comm, stop()]);
}

#[test]
fn unknown_code_may_read_everything() {
    silent(&[load(1), exch(Exch::Jump, &[1]), nops(1)]);
    silent(&[load(1), exch(Exch::Call, &[1]), nops(1), load(1), stop()]);
}

#[test]
fn a_callee_reads() {
    silent(&[load(1), calli(6), nops(2), load(1), stop(), store(1), ret(), nops(1)]);
    expect(
        &[load(1), calli(6), nops(2), load(1), stop(), store(2), ret(), nops(1)],
        &[("C0504", 0)],
    );
}

#[test]
fn late_results_survive() {
    // The sum lands after the load and is what the store reads.
    expect(&[add(1, 2), load(1), nops(6), store(1), stop()], &[("C0503", 1)]);
}
