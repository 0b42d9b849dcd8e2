//! What errors are like that no file test can show: many of them, colours, a byte order mark. Each error
//! with its text is in `tests/files/errors/`.

use crate::harness::run;

#[test]
fn a_byte_order_mark_is_no_column() {
    let outcome = run("\u{feff} foo\r\n");
    assert_eq!(outcome.places(), ["1:2 C0301"], "{}", outcome.rendered());
}

#[test]
fn a_hundred_errors_are_shown_and_the_rest_counted() {
    let text: String = (0..150).map(|i| format!(" cadd f1, f2, f{}\n", 100 + i)).collect();
    let outcome = run(&text);
    assert_eq!(outcome.diagnostics.len(), 100);
    let last = &outcome.diagnostics[99];
    assert_eq!(last.notes, ["50 more errors are not shown"]);
    assert_eq!(cp2_asm::diagnostic::count_errors(&outcome.diagnostics), 150);
}

#[test]
fn a_chain_of_later_definitions_may_have_any_length() {
    let chain: String = (0..20_000).map(|i| format!(".equ x_{i}, x_{} + 1\n", i + 1)).collect();
    let good = run(&format!("{chain}.equ x_20000, 0\n stopi x_0 - 20000\n"));
    assert_eq!(good.places(), Vec::<String>::new(), "{}", good.rendered());
    // The circle is found at its far end, however long it is.
    let circle = run(&format!("{chain}.equ x_20000, x_10000\n nop\n"));
    assert_eq!(circle.places(), ["10001:6 C0206"]);
}

#[test]
fn colour_changes_nothing_but_the_colour() {
    let outcome = run(" cadd f1, f2\n jumpi lop\n nop\nloop: stopi 0\n");
    for d in &outcome.diagnostics {
        let plain = cp2_asm::render::render(d, &outcome.sources, cp2_asm::render::Style::Plain);
        let color = cp2_asm::render::render(d, &outcome.sources, cp2_asm::render::Style::Color);
        assert_ne!(plain, color);
        let mut stripped = String::new();
        let mut escape = false;
        for c in color.chars() {
            match c {
                '\u{1b}' => escape = true,
                'm' if escape => escape = false,
                c if !escape => stripped.push(c),
                _ => {}
            }
        }
        assert_eq!(stripped, plain);
    }
}

#[test]
fn the_first_line_of_a_diagnostic_is_place_severity_message_and_code() {
    let text = run(" cadd f1, f2\n").rendered();
    assert_eq!(
        text.lines().next(),
        Some("main.s:1:2: error: `cadd` takes 3 operands, 2 given [C0302]")
    );
    let text = run("a: nop\n; file: b.s\n.global a\n.kernel b\na: nop\n").rendered();
    assert!(text.starts_with("main.s:1:1: warning: "), "{text}");
}
