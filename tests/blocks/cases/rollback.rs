//! What is taken back of a block: passes of loops before the one in which a number becomes unusual.

use super::*;

/// Returns a kernel with a loop that adds to a word in every pass and then goes to the next one by two steps; the numbers
/// become unusual in some pass, so that passes before it are taken back.
fn adding(begin: i32, first: i32, second: i32) -> String {
    format!(
        "        .kernel adding
        | seti a0, {begin}
        | doi 200, last
        | lwo f0, (r0)+0
{}        psadd f1, f0, f2 | nop
        psadd f3, f3, f4 | nop
{}        | swo f1, (r0){first:+}
last:   | updaddr (r0){second:+}
        | nop
        | sync
        | stopi 0
",
        nops(8),
        nops(24)
    )
}

#[test]
fn a_step_round_the_end_of_memory_is_taken_back() {
    for (first, second) in [(4095, 4095), (-4096, -4095), (1, 2), (-1, -1), (-4000, -4000)] {
        let text = adding(2000, first, second);
        compare(&text, &overflowing(&text));
    }
}

/// Returns a machine whose sum in `f3` overflows after some 100 passes.
fn overflowing(text: &str) -> Cp2 {
    let mut cp2 = machine(text);
    let float = |x: f32| u64::from(x.to_bits());
    cp2.state.fpr[3] = [float(3.0e38) << 32 | float(1.0); 4];
    cp2.state.fpr[4] = [float(4.0e35) << 32 | float(1.0); 4];
    cp2
}

#[test]
fn words_at_an_address_that_is_set_anew_are_taken_back() {
    for change in ["seti a0, 300", "clr r0", "move a0, g3", "move a0, n1"] {
        let text = adding(2000, 0, 2).replace("updaddr (r0)+2", change);
        assert!(text.contains(change), "{text}");
        let mut cp2 = overflowing(&text);
        (cp2.state.gpr[3], cp2.state.n[1]) = (120, 77);
        compare(&text, &cp2);
    }
}

/// Returns a kernel that exchanges two words while `n` sums are waiting for their use, one of which goes to memory last.
fn exchanging(n: usize) -> String {
    use std::fmt::Write as _;
    let mut text = "        .kernel exchanging
        | seti n0, 1
        | seti a0, 100
        | doi 3, last
        | ldo f0, (r0)+0
"
    .to_owned();
    text += &nops(8);
    for k in 0..n {
        let _ = writeln!(text, "        psadd f{}, f60, f61 | nop", 2 + k);
    }
    text += &nops(8);
    text.push_str("        | swo f1, (r0)+1\n");
    for k in 1..n {
        let _ = writeln!(text, "        psadd f{0}, f60, f{0} | nop", 2 + k);
    }
    text += &nops(8);
    text.push_str("        psadd f60, f60, f62 | swo f2, (r0)-1\nlast:   | nop\n        | nop\n        | sync\n        | stopi 0\n");
    text
}

#[test]
fn a_word_that_a_load_still_wants_is_not_overwritten_early() {
    for n in 1..50 {
        let text = exchanging(n);
        compare(&text, &machine(&text));
    }
}
