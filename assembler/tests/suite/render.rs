//! Diagnostics can be shown wherever their places lie and whatever the lines are made of.

use cp2_asm::diagnostic::{Diagnostic, Sources, Span};
use cp2_asm::render::{Style, render};
use proptest::prelude::*;

/// Returns texts of lines that end in every way, with tabs, wide and combining characters, a byte order mark and escapes.
fn texts() -> impl Strategy<Value = String> {
    let pieces =
        ["\r", "\n", "\r\n", "\t", " ", "a", "}", "é", "界", "\u{301}", "\u{feff}", "\u{1b}[31m"];
    proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..24)
        .prop_map(|pieces| pieces.concat())
}

/// Returns a place in a text: its ends are where characters begin, or the end of the text.
fn place(text: &str, [a, b]: [prop::sample::Index; 2]) -> Span {
    let begins: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let [a, b] = [a, b].map(|index| begins[index.index(begins.len())]);
    Span { file: 0, range: a.min(b)..a.max(b) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn every_place_in_every_text_is_shown(
        text in texts(),
        ends in any::<[[prop::sample::Index; 2]; 2]>(),
    ) {
        let mut sources = Sources::default();
        sources.add("a.s", text.clone());
        let [first, second] = ends.map(|ends| place(&text, ends));
        let diagnostic =
            Diagnostic::error("C0001", first, "first").label("here").related(second, "and here");
        let shown = render(&diagnostic, &sources, Style::Plain);
        prop_assert!(shown.contains("error: first [C0001]"), "{shown}");
        prop_assert!(shown.contains("here") && shown.contains("and here"), "{shown}");
        let raw = shown.chars().find(|c| c.is_control() && *c != '\n');
        prop_assert_eq!(raw, None, "a terminal would obey: {:?}", shown);
    }
}
