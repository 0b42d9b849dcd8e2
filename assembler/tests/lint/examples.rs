//! The examples of the codes do what they say, in source; marks in the source are obeyed.

use cp2_asm::assemble_str;
use cp2_asm::codes::Explanation;
use cp2_asm::image::Image;
use cp2_asm::lint::codes::{CODES, FIRST_UNDEFINED};
use cp2_asm::lint::{Options, lint, lint_for};
use cp2_isa::Core;

/// Codes that the linter reports for a source; those of the assembler if it refuses the source.
fn codes_of(source: &str) -> Vec<&'static str> {
    match assemble_str("example.s", source) {
        Ok(image) => lint(&image).iter().map(|finding| finding.code).collect(),
        Err(refused) => refused.diagnostics.iter().map(|diagnostic| diagnostic.code).collect(),
    }
}

/// The same with what depends on open rules.
fn undefined_of(source: &str) -> Vec<&'static str> {
    let image: Image = assemble_str("example.s", source).expect("an example assembles");
    let options = Options { undefined: true, ..Options::default() };
    lint_for(&image, &options).iter().map(|finding| finding.code).collect()
}

#[test]
fn examples_of_open_rules_are_reported_on_request() {
    let mut n_codes = 0;
    for code in CODES.iter().filter(|code| code.code >= FIRST_UNDEFINED) {
        let found = undefined_of(code.wrong);
        let open: Vec<_> = found.iter().filter(|c| **c >= FIRST_UNDEFINED).collect();
        assert_eq!(open, [&code.code], "{}:\n{}", code.code, code.wrong);
        let by_default: Vec<_> = found.into_iter().filter(|c| *c < FIRST_UNDEFINED).collect();
        assert_eq!(codes_of(code.wrong), by_default, "{}", code.code);
        let right = undefined_of(code.right);
        assert!(right.is_empty(), "{}: {right:?}\n{}", code.code, code.right);
        n_codes += 1;
    }
    assert_eq!(n_codes, 19);
}

#[test]
fn wrong_examples_are_reported() {
    let is_told = |code: &&Explanation| !code.wrong.is_empty() && code.code < FIRST_UNDEFINED;
    for code in CODES.iter().filter(is_told) {
        let expected = match code.code {
            // The assembler refuses it already.
            "C0506" => "C0450",
            other => other,
        };
        assert_eq!(codes_of(code.wrong), [expected], "{}:\n{}", code.code, code.wrong);
    }
}

#[test]
fn right_examples_are_not() {
    for code in CODES {
        assert!(codes_of(code.right).is_empty(), "{}: {:?}", code.code, codes_of(code.right));
    }
}

#[test]
fn marks_of_the_source_are_obeyed() {
    let early = |mark: &str| {
        format!(".kernel k\n    lwi f1, 0\n    psadd f2, f1, f1 {mark}\n    stopi 0\n")
    };
    assert_eq!(codes_of(&early("")), ["C0501"]);
    assert!(codes_of(&early("@allow(C0501)")).is_empty());
    assert_eq!(codes_of(&early("@allow(C0502)")), ["C0501"]);
    let block =
        ".kernel k\n.allow C0501\n    lwi f1, 0\n    psadd f2, f1, f1\n.endallow\n    stopi 0\n";
    assert!(codes_of(block).is_empty());
    let live =
        |registers: &str| format!(".kernel k\n.live {registers}\n    lwi f1, 0\n    stopi 0\n");
    assert_eq!(codes_of(&live("f2-f5")), ["C0504"]);
    assert!(codes_of(&live("f1")).is_empty());
}

#[test]
fn what_the_assembler_was_told_to_allow_is_allowed() {
    let source = "    jumpi out\n    stopi 1 @allow(C0450)\nout:\n    stopi 0\n";
    assert!(codes_of(source).is_empty(), "{:?}", codes_of(source));
}

#[test]
fn marks_survive_an_object_file() {
    let source = ".kernel k\n.live f2\n    lwi f1, 0\n    nop\n    psadd f2, f1, f1 @allow(C0501)\n    stopi 0\n";
    let image = assemble_str("a.s", source).unwrap();
    let object = cp2_asm::object_file::write(&image).unwrap();
    let back = cp2_asm::object_file::read(&object, &Core::CP2).unwrap();
    assert_eq!(lint(&image), []);
    assert_eq!(lint(&back), []);
}

/// Code blocks of a page: the word after the backticks, and the text.
fn blocks(page: &'static str) -> Vec<(&'static str, String)> {
    let parts: Vec<&str> = page.split("```").collect();
    let block =
        |part: &&'static str| part.split_once('\n').map(|(info, text)| (info, text.to_owned()));
    parts.iter().skip(1).step_by(2).filter_map(block).collect()
}

#[test]
fn examples_of_the_book() {
    let page = include_str!("../../../specs/src/lint.md");
    let blocks = blocks(page);
    assert_eq!(blocks.len(), 4);
    for (info, text) in blocks {
        let expected: Vec<&str> = info.strip_prefix("cp2-lint ").into_iter().collect();
        assert_eq!(codes_of(&text), expected, "{text}");
    }
}

#[test]
fn the_book_names_every_code() {
    let page = include_str!("../../../specs/src/lint.md");
    for code in CODES {
        assert!(page.contains(&format!("| {} |", code.code)), "{}", code.code);
    }
}

#[test]
fn the_list_of_differences_names_every_open_rule() {
    let page = include_str!("../../../specs/src/differences.md");
    for code in CODES.iter().filter(|code| code.code >= FIRST_UNDEFINED) {
        assert_eq!(page.matches(&format!("| {} |", code.code)).count(), 1, "{}", code.code);
    }
}
