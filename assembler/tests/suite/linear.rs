//! What the scheduler makes of linear code, and what it says where it cannot. That schedules are
//! right is tested elsewhere, with random programs.

use crate::harness::run;
use cp2_asm::sched::BlockReport;

/// The report of the first loop of a region with these lines.
fn loop_of(lines: &str) -> BlockReport {
    let text = format!(".linear\n{lines}\n.endlinear\n stopi 0\n");
    let regions = match cp2_asm::linear_regions("main.s", &text) {
        Ok(regions) => regions,
        Err(_) => panic!("{}", run(&text).rendered()),
    };
    regions[0].report.blocks.iter().find(|b| b.ii.is_some()).unwrap().clone()
}

const LOADS: &str = " .loop 64
 lwo %a, (r0)+1
 lwo %b, (r0)+1
 lwo %c, (r0)+1
 lwo %d, (r0)+1
 psmadd f0, %a, %c
 psmadd f1, %b, %d
 .endloop";

#[test]
fn loads_of_neighbouring_words_become_double_loads_on_an_even_address() {
    let plain = loop_of(LOADS);
    assert_eq!((plain.resource_bound, plain.exchanged), (4, [0, 0]));
    let paired = loop_of(&format!(" .even r0\n{LOADS}"));
    assert_eq!((paired.resource_bound, paired.exchanged), (2, [2, 0]));
    assert_eq!(paired.operations, [2, 2]);
}

#[test]
fn loads_stay_apart_where_their_words_or_registers_are_needed_between() {
    let odd_step = LOADS.replace("%d, (r0)+1", "%d, (r0)+2");
    assert_eq!(loop_of(&format!(" .even r0\n{odd_step}")).exchanged, [0, 0]);
    let store = LOADS
        .replace(" lwo %b", " swo f2, (r1)+0\n lwo %b")
        .replace(" lwo %d", " swo f2, (r1)+0\n lwo %d");
    assert_eq!(loop_of(&format!(" .even r0\n{store}")).exchanged, [0, 0]);
    let apart = format!(" .even r0\n .disjoint r0, r1\n{store}");
    assert_eq!(loop_of(&apart).exchanged, [2, 0]);
    let same = LOADS.replace("%b", "%a").replace("%d", "%c");
    assert_eq!(loop_of(&format!(" .even r0\n{same}")).exchanged, [0, 0]);
    let assigned = format!(" .even r0\n .assign %a, f8\n .assign %c, f11\n{LOADS}");
    assert_eq!(loop_of(&assigned).exchanged, [0, 0]);
}

#[test]
fn loads_stay_single_where_the_arithmetic_slot_is_fuller() {
    let more = LOADS.replace(" .endloop", " psadd f2, f2, %a\n psadd f3, f3, %b\n .endloop");
    assert_eq!(loop_of(&format!(" .even r0\n{more}")).exchanged, [0, 0]);
}

#[test]
fn moves_of_halves_become_permutations_where_the_arithmetic_slot_is_fuller() {
    let moves = loop_of(
        " .loop 64
 ldo %a:%b, (r0)+2
 swaphl %x, %a
 swaphl %y, %b
 copy %v, %x
 swaphl %w, %y
 psmadd f0, %v, %a
 psmadd f1, %w, %b
 .endloop",
    );
    assert_eq!(moves.exchanged, [0, 2]);
    assert_eq!((moves.operations, moves.resource_bound), ([2, 3], 3));
    let transposes = loop_of(
        " .disjoint r0, r1
 .loop 64
 ldo %a:%b, (r0)+2
 mtrans %x, %b, %a, %y
 if(cc1) mtrans %x, %a, %b, %y
 psadd %x, %x, f0
 psadd %y, %y, f0
 psmadd f1, %x, f0
 sdo %x:%y, (r1)+2
 .endloop",
    );
    assert_eq!((transposes.exchanged, transposes.resource_bound), ([0, 1], 4));
}

#[test]
fn promises_about_addresses_from_data_are_kept_by_the_checker() {
    let gather = " .scratch g14, g15
 .disjoint r1, r4, r8
 .loop g5, min=16, multiple=8
 lwo %near, (r1)+1
 mffpr g6, %near, s0
 move a8, g6
 lwo %x, (r8)
 psmul %y, %x, f0
 swo %y, (r4)+1
 .endloop";
    assert!(loop_of(gather).ii.is_some());
}

#[test]
fn a_promise_that_cannot_hold_is_blamed_on_its_line() {
    let text = ".linear\n .disjoint r2, r3\n .disjoint r0, r1\n move a1, a0\n lwo %x, (r0)+1\n \
                swo %x, (r1)+1\n.endlinear\n stopi 0\n";
    let outcome = run(text);
    assert_eq!(outcome.places(), ["3:2 C0610"], "{}", outcome.rendered());
    assert!(outcome.rendered().contains("`r0` and `r1` meet"), "{}", outcome.rendered());
}

#[test]
fn a_shortage_of_registers_says_by_how_many_and_which_lines() {
    let text = ".linear\n .keep f0-f61\n lwi %a, 0\n lwi %b, 1\n lwi %c, 2\n cadd %d, %b, %c\n \
                cadd %e, %d, %a\n cadd %f, %a, %b\n cadd %g, %f, %c\n cadd %h, %g, %e\n \
                swi %h, 2\n.endlinear\n stopi 0\n";
    let outcome = run(text);
    let told = outcome.rendered();
    assert!(told.contains("more than the 2 registers that are free for them"), "{told}");
    let related = &outcome.diagnostics[0].related;
    assert!((2..=3).contains(&related.len()), "{told}");
    assert!(related.iter().all(|(_, why)| why.contains("alive there")), "{told}");
}
