//! Rules about what a schedule leaves to the bundle behind it and how often it executes what, each
//! beside the nearest schedule that breaks it. The engine says what that bundle finds.

use super::start::{behind, start};
use super::text::{region, schedule};
use crate::dice::Dice;
use cp2_asm::check::check;
use cp2_isa::{Core, encode};

const CP2: Core = Core::CP2;

/// Returns the messages of the checker about bundles that are to do what lines of linear code say.
fn messages(lines: &str, bundles: &str) -> Vec<String> {
    let region = region(&format!(".linear\n{lines}\n.endlinear\n"));
    let faults = check(&CP2, &region, &schedule(bundles)).err().unwrap_or_default();
    faults.into_iter().map(|fault| fault.to_string()).collect()
}

/// Returns an effect of bundles that the bundle right behind them does not see on the engine.
fn unseen(lines: &str, bundles: &str) -> Option<String> {
    let region = region(&format!(".linear\n{lines}\n.endlinear\n"));
    let (before, _) = start(&CP2, &region, &mut Dice::new(0)).expect("a start");
    let words: Vec<_> = schedule(bundles).iter().map(|placed| encode(&placed.bundle)).collect();
    behind(&CP2, &region, &words, &before, 1000).expect("an end").unseen
}

#[test]
fn a_region_ends_where_the_bundle_behind_it_sees_all_results() {
    // An operation in the slot of its unit, and the bundles from it to the end.
    for (line, slot, n) in [
        ("psadd f1, f2, f3", "0 -", 8),
        ("recip f1.lo, f2.hi", "0 -", 8),
        ("c.lt.s cc1, f1, f2", "0 -", 7),
        ("mtc f1, fccr", "0 -", 7),
        ("mtc f1, fcsr", "0 -", 7),
        ("lwi f1, 9", "- 0", 3),
        ("ldo f2, (r0)+2", "- 0", 3),
        ("mtfpr f1, g1, all", "- 0", 3),
        ("psprmsgn f2:f3, f4:f5, 2, 3, 0, 1", "- 0", 3),
        ("mffpr g4, f1, s0", "- 0", 3),
        ("move g4, g5", "- 0", 3),
        ("move a5, g4", "- 0", 1),
        ("seti n4, 2", "- 0", 1),
        ("swo f1, (r0)+1", "- 0", 1),
    ] {
        let bundles = |n: usize| format!("{slot}: {line}\n{} * - -: nop", n - 1);
        assert_eq!(messages(line, &bundles(n)), [""; 0], "{line} in {n} bundles");
        assert_eq!(unseen(line, &bundles(n)), None, "{line} in {n} bundles");
        if n > 1 {
            let faults = messages(line, &bundles(n - 1));
            assert!(faults[0].contains("the region ends"), "{line}: {faults:?}");
            let unseen = unseen(line, &bundles(n - 1));
            assert!(unseen.is_some(), "{line} in {} bundles", n - 1);
        }
        // Nobody may rely on a scratch register.
        if line.contains(" g4, ") {
            let scratch = format!(".scratch g4\n{line}");
            assert_eq!(messages(&scratch, &bundles(1)), [""; 0], "{line}");
        }
    }
}

#[test]
fn a_region_leaves_no_loop_behind() {
    let add = "psadd f1, f2, f3";
    // The inner loop has no iterations, and the flow goes on at bundle 12: the outer `end`, or the
    // bundle behind it.
    let around = |end: usize| {
        let loops = format!("- m: doi 1, {end}\n- m: doi 0, 10\n");
        format!("0 -: {add}\n7 * - -: nop\n{loops}{} * - -: nop", end - 8)
    };
    assert_eq!(messages(add, &around(12)), [""; 0]);
    assert_eq!(unseen(add, &around(12)), None);
    assert_eq!(messages(add, &around(11)), ["bundle 13: the flow leaves the region within a loop"]);
    assert!(unseen(add, &around(11)).is_some());
}

#[test]
fn a_bundle_that_an_empty_loop_skips_takes_its_cycle() {
    let add = "psadd f1, f2, f3";
    let mut n_right = 0;
    for n in 1..9 {
        let bundles = format!("0 -: {add}\n- m: doi 0, 2\n- -: nop\n{n} * - -: nop");
        let is_right = messages(add, &bundles).is_empty();
        assert_eq!(is_right, unseen(add, &bundles).is_none(), "{n} bundles");
        n_right += usize::from(is_right);
    }
    assert!((2..7).contains(&n_right), "{n_right}");
}

#[test]
fn a_load_of_a_word_may_become_one_of_the_word_and_its_neighbour() {
    for (word, register) in [(8, 10), (9, 11)] {
        let lines = format!("lwi %x, {word}\npsneg f2, %x");
        let bundles = |load: &str, from: u8| {
            format!("- 0: {load}\n2 * - -: nop\n1 -: psneg f2, f{from}\n7 * - -: nop")
        };
        assert_eq!(messages(&lines, &bundles("ldi f10, 8", register)), [""; 0], "{lines}");
        let other = messages(&lines, &bundles("ldi f10, 8", 21 - register));
        assert!(other[0].contains("(`psneg`) in turn 0 reads %x"), "{other:?}");
        let elsewhere = messages(&lines, &bundles("ldi f10, 10", register));
        assert!(elsewhere[0].contains("operation 0 (`lwi`) has become"), "{elsewhere:?}");
    }
}

#[test]
fn operations_execute_as_often_as_the_region_says() {
    // Nothing reads %x, and `xor` raises no flags.
    let dead = ".loop 3\nxor %x, f1, f2\n.endloop";
    let times = |n: usize| format!("{n} * 0 -: xor f9, f1, f2\n8 * - -: nop");
    assert_eq!(messages(dead, &times(3)), [""; 0]);
    assert_eq!(
        messages(dead, &times(2)),
        ["bundle 10: operation 0 (`xor`) executes 2 times instead of 3"]
    );
    assert_eq!(
        messages(dead, &times(4)),
        ["bundle 3: operation 0 (`xor`) executes more than 3 times"]
    );
    assert_eq!(
        messages("xor %x, f1, f2", "- -: nop"),
        ["bundle 1: operation 0 (`xor`) executes 0 times instead of 1"]
    );
    // What only moves a value may be left out and repeated.
    let moved = ".loop 3\ncopy %x, f1\n.endloop";
    for n in 1..6 {
        let times = format!("{n} * 0 -: copy f9, f1\n8 * - -: nop");
        assert_eq!(messages(moved, &times), [""; 0], "{n} times");
    }
}

#[test]
fn every_half_is_an_operation_of_the_region_or_one_that_a_schedule_needs() {
    let lines = "psadd f1, f2, f3";
    let beside = |sources: &str, line: &str| {
        messages(lines, &format!("0 -: {lines}\n{sources}: {line}\n8 * - -: nop"))
    };
    assert_eq!(beside("- -", "nop"), [""; 0]);
    for (line, is_arithmetic) in [
        ("copy f9, f2", true),
        ("psmul f9, f2, f3", true),
        ("lwo f9, (r0)+0", false),
        ("swo f2, (r0)+0", false),
        ("updaddr (r3)+1", false),
        ("stopi 0", false),
    ] {
        let name = line.split(' ').next().expect("a name");
        let by = |source: &str| {
            if is_arithmetic { format!("{source} -") } else { format!("- {source}") }
        };
        assert_eq!(beside("- -", line), [format!("bundle 1: `{name}` without a source")]);
        assert_eq!(
            beside(&by("7"), line),
            [format!("bundle 1: `{name}` comes from operation 7, which does not exist")]
        );
        let another = beside(&by("0"), line);
        let become_another = format!("bundle 1: operation 0 (`psadd`) has become `{line}`");
        assert_eq!(another[0], become_another);
        let made = beside(&by("m"), line);
        let is_needed = ["copy", "lwo", "updaddr"].contains(&name);
        let useless = format!("bundle 1: a schedule never adds `{name}`");
        assert_eq!(made.contains(&useless), !is_needed, "{made:?}");
    }
}

#[test]
fn a_region_ends_late_enough_after_a_late_write_of_a_general_register() {
    let line = "mffpr g4, f1, s0";
    let bundles = |n: usize| format!("20 * - -: nop\n- 0: {line}\n{n} * - -: nop");
    assert_eq!(messages(line, &bundles(2)), [""; 0]);
    let faults = messages(line, &bundles(1));
    assert!(faults[0].contains("bundles after a write to g4"), "{faults:?}");
}

#[test]
fn predicates_and_kept_registers_are_those_of_the_region() {
    let both = ["psadd f1, f2, f3", "if(cc1) psadd f1, f2, f3", "if(cc2) psadd f1, f2, f3"];
    for (expected, lines) in both.iter().enumerate() {
        for (found, line) in both.iter().enumerate() {
            let faults = messages(lines, &format!("0 -: {line}\n8 * - -: nop"));
            let told = format!("(`psadd`) obeys cc{found} instead of cc{expected}");
            assert_eq!(faults.iter().any(|fault| fault.contains(&told)), found != expected);
        }
    }
    let beside =
        |register: u8| format!("0 -: {}\nm -: copy f{register}, f2\n8 * - -: nop", both[0]);
    let kept = format!(".keep f9\n{}", both[0]);
    assert_eq!(messages(&kept, &beside(8)), [""; 0]);
    assert_eq!(messages(&kept, &beside(9)), ["bundle 1: writes f9, which `.keep` protects"]);
}

#[test]
fn faults_tell_the_age_of_a_value_that_the_right_operation_made() {
    let lines = ".loop 2\npsadd %y, f1, f2\npsmul %z, f1, f2\npsneg f3, %y\n.endloop";
    // Both iterations one behind the other; the bundle of the second `psneg`, and the register that it reads.
    let bundles = |at: usize, register: &str| {
        let negate = format!("2 -: psneg f3, {register}");
        let both = "0 -: psadd f10, f1, f2\n1 -: psmul f11, f1, f2";
        let (before, behind) = (at - 11, 24 - at);
        format!(
            "{both}\n6 * - -: nop\n2 -: psneg f3, f10\n{both}\n{before} * - -: nop\n{negate}\n{behind} * - -: nop"
        )
    };
    let expected = "expected the result of operation 0 (`psadd`) in turn 1";
    assert_eq!(messages(lines, &bundles(17, "f10")), [""; 0]);
    let old = messages(lines, &bundles(16, "f10"));
    assert_eq!(
        old[0],
        format!(
            "bundle 16: operation 2 (`psneg`) in turn 1 reads %y (in f10) 1 turns old: {expected}, found the result of operation 0 (`psadd`) in turn 0"
        )
    );
    let other = messages(lines, &bundles(18, "f11"));
    assert_eq!(
        other[0],
        format!(
            "bundle 18: operation 2 (`psneg`) in turn 1 reads %y (in f11): {expected}, found the result of operation 1 (`psmul`) in turn 1"
        )
    );
    let old_other = messages(lines, &bundles(17, "f11"));
    assert_eq!(
        old_other[0],
        format!(
            "bundle 17: operation 2 (`psneg`) in turn 1 reads %y (in f11): {expected}, found the result of operation 1 (`psmul`) in turn 0"
        )
    );
}

/// A value that predicates merge 60 times is a graph of 2^60 paths.
#[test]
fn a_fault_about_a_value_of_many_merges_is_short() {
    let turn =
        ["c.lt.s cc1, f4, f5", "if(cc1) copy f1, f2", "c.lt.s cc2, f4, f5", "if(cc2) copy f2, f1"];
    let operations = turn.repeat(30);
    let wait = "7 * - -: nop";
    let all = operations.iter().enumerate().map(|(i, op)| format!("{i} -: {op}\n{wait}\n"));
    let bundles =
        |last| all.clone().collect::<String>() + &format!("120 -: psneg f3, {last}\n{wait}");
    let lines = operations.join("\n") + "\npsneg f3, f1";
    assert_eq!(messages(&lines, &bundles("f1")), [""; 0]);
    let faults = messages(&lines, &bundles("f2"));
    assert!(faults[0].contains("a value made of others"), "{faults:?}");
    assert!(faults.iter().all(|fault| fault.len() < 10_000), "{}", faults[0].len());
}
