//! Texts at random: whatever they are, they are read or refused at a place within them.

use crate::reading::POLYNOMIAL;
use cp2_nest::nest_findings;
use proptest::prelude::*;

const WORDS: [&str; 46] = [
    "for",
    "(",
    ")",
    "int",
    "i",
    "=",
    "0",
    ";",
    "<",
    "N",
    "++",
    "a",
    "[",
    "]",
    "{",
    "}",
    "if",
    "else",
    "+=",
    "-",
    "*",
    "/",
    "1.5f",
    "max",
    "min",
    ",",
    "&&",
    "||",
    "!",
    "void",
    "float",
    "#pragma loops map(i)\n",
    "assume",
    "<<",
    "?",
    ":",
    "99999999999999999999",
    "é",
    "//\n",
    "/*",
    "\\\n",
    "#",
    "const",
    "complex",
    "->",
    "&",
];

fn check(text: &str) {
    for problem in nest_findings(text) {
        let span = problem.span.expect("a place");
        assert!(text.get(span.range.clone()).is_some(), "{:?} of {text}", span.range);
    }
}

proptest! {
    #[test]
    fn words_in_any_order_are_refused_at_a_place(picks in prop::collection::vec(0..WORDS.len(), 0..60)) {
        let words: Vec<_> = picks.into_iter().map(|pick| WORDS[pick]).collect();
        check(&format!("void f(int N, float a[N]) {{ {} }}", words.join(" ")));
        check(&words.join(" "));
    }

    #[test]
    fn a_text_with_a_part_replaced_is_read_or_refused(at in 0..POLYNOMIAL.len(), length in 0..20_usize, pick in 0..WORDS.len()) {
        let end = (at + length).min(POLYNOMIAL.len());
        check(&format!("{}{}{}", &POLYNOMIAL[..at], WORDS[pick], &POLYNOMIAL[end..]));
    }
}

#[test]
fn deep_texts_do_not_exhaust_the_stack() {
    for (open, close) in [
        ("(", ")"),
        ("-", ""),
        ("a[", "]"),
        ("{", "}"),
        ("1 ? ", ": 1"),
        ("a = ", ""),
        ("sqrt(", ")"),
    ] {
        let text = format!(
            "void f(int N, float a[N]) {{ a[0] = {}1{}; }}",
            open.repeat(5000),
            close.repeat(5000)
        );
        check(&text);
    }
    for head in ["for (int i = 0; i < N; i++) ", "if (N > 0) ", "if (N > 0) ; else ", "{ "] {
        check(&format!("void f(int N, float a[N]) {{ {} a[0] = 1.0f; }}", head.repeat(5000)));
    }
}
