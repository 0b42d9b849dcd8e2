//! The examples of the pages on the language are what the book says they are.

use crate::harness::run;
use std::path::Path;

/// Returns the pages on the language.
fn pages() -> String {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../specs/src");
    let page = |name: &str| std::fs::read_to_string(book.join(name)).unwrap();
    page("syntax.md") + &page("linear.md")
}

/// Returns the code blocks of a page: what stands after the three backticks, and the text.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in page.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(info), None) => open = Some((info.to_owned(), String::new())),
            (Some(_), Some(_)) => all.extend(open.take()),
            (None, Some((_, text))) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    all
}

#[test]
fn examples_assemble_or_have_the_error_that_is_named() {
    let blocks = blocks(&pages());
    assert!(blocks.len() >= 6, "the page has lost its examples");
    for (info, text) in blocks {
        let outcome = run(&text);
        let codes: Vec<&str> = outcome.diagnostics.iter().map(|d| d.code).collect();
        match info.strip_prefix("cp2-error ") {
            Some(code) => assert_eq!(codes, [code], "{text}"),
            None => {
                assert_eq!(info, "cp2");
                assert!(
                    outcome.image.is_some() && codes.is_empty(),
                    "{text}\n{}",
                    outcome.rendered()
                );
            }
        }
    }
}

#[test]
fn the_page_names_every_directive() {
    let page = pages();
    let unknown = run(".nothing_like_it 1\n nop\n");
    let help = unknown.diagnostics[0].help.clone().unwrap_or_default();
    let listed = help.trim_start_matches("the directives are ").split(", ");
    for directive in listed {
        assert!(page.contains(directive), "{directive} is missing");
    }
}
