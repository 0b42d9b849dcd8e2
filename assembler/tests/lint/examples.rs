//! Source through assembler and linter: marks survive an object file, the pages of the book are right. That
//! marks are obeyed is in `tests/files/lint/`, the examples of the codes are in the tests of the assembler.

use cp2_asm::assemble_str;
use cp2_asm::codes::{self, Tool};
use cp2_isa::Core;
use cp2_lint::lint;

/// Returns the codes that the linter reports for a source; those of the assembler if it refuses the source.
fn codes_of(source: &str) -> Vec<&'static str> {
    match assemble_str("example.s", source) {
        Ok(image) => lint(&image).iter().map(|finding| finding.code).collect(),
        Err(refused) => refused.diagnostics.iter().map(|diagnostic| diagnostic.code).collect(),
    }
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

/// Returns the code blocks of a page: the word after the backticks, and the text.
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
    assert_eq!(blocks.len(), 6);
    for (info, text) in blocks {
        let expected: Vec<&str> = info.strip_prefix("cp2-lint ").into_iter().collect();
        assert_eq!(codes_of(&text), expected, "{text}");
    }
}

#[test]
fn the_book_names_every_code() {
    let page = include_str!("../../../specs/src/lint.md");
    for code in codes::of_linter() {
        assert!(page.contains(&format!("| {} |", code.code)), "{}", code.code);
    }
}

#[test]
fn the_list_of_differences_names_every_open_rule() {
    let page = include_str!("../../../specs/src/differences.md");
    for code in codes::all().filter(|code| code.tool == Tool::OpenRules) {
        assert_eq!(page.matches(&format!("| {} |", code.code)).count(), 1, "{}", code.code);
    }
}
