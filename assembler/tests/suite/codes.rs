//! The table of codes: complete, ascending, and its examples do what they say, through assembler,
//! scheduler and linter.

use crate::harness::run;
use cp2_asm::codes::{self, CodeExample, DiagnosticCode, Tool};
use cp2_asm::image::Image;
use cp2_asm::{Severity, hex, object_file};
use cp2_isa::Core;
use cp2_lint::{Finding, Options, lint_for};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Collects the codes written as string literals in the sources below a folder, but for the table.
fn codes_in(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("codes") && !path.ends_with("tests") {
            codes_in(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let is_code = |part: &&str| part.len() == 5 && ["C0", "C1"].contains(&&part[..2]);
            let literals = text.split('"').filter(|part| part.is_ascii() && is_code(part));
            found.extend(literals.map(str::to_owned));
        }
    }
}

#[test]
fn the_codes_that_are_used_are_those_of_the_table() {
    // The code that has a name is written by it.
    let mut used = BTreeSet::from([codes::INSTRUCTION_MEMORY_FULL.to_owned()]);
    codes_in(&folder("."), &mut used);
    codes_in(&folder("../programs/descriptors/src"), &mut used);
    codes_in(&folder("../programs/workloads/src/file"), &mut used);
    codes_in(&folder("../session/src/sanitizer"), &mut used);
    codes_in(&folder("../programs/star/src"), &mut used);
    codes_in(&folder("../loops"), &mut used);
    let known: BTreeSet<String> = codes::all().map(|row| row.code.to_owned()).collect();
    assert_eq!(used, known);
}

#[test]
fn codes_ascend_and_have_a_text() {
    let all: Vec<_> = codes::all().collect();
    assert!(all.windows(2).all(|pair| pair[0].code < pair[1].code));
    for row in &all {
        assert!(!row.title.is_empty() && !row.title.ends_with('.'), "{}: {}", row.code, row.title);
        let text = row.text_for(&Core::CP2);
        assert!(text.len() > 30 && text.ends_with('.'), "{}: {text}", row.code);
        assert_eq!(codes::find(row.code), Some(*row));
        let by_number = match &row.code[..3] {
            "C05" => row.tool == Tool::Linter || row.tool == Tool::OpenRules,
            "C07" => row.tool == Tool::Descriptors,
            "C08" => row.tool == Tool::Sanitizer,
            "C09" => row.tool == Tool::Workloads,
            "C10" => row.tool == Tool::Star,
            "C11" => row.tool == Tool::Nests,
            _ => row.tool == Tool::Assembler,
        };
        assert!(by_number, "{}", row.code);
    }
    assert_eq!(codes::find("C9999"), None);
}

/// Every file of examples belongs to a row, which has both.
#[test]
fn no_example_is_left_over() {
    let ending = |example: &CodeExample| match example {
        CodeExample::Source { .. } => Some("s"),
        CodeExample::Hex { .. } => Some("hex"),
        CodeExample::Toml { .. } => Some("toml"),
        CodeExample::Star { .. } => Some("star"),
        CodeExample::Nest { .. } => Some("c"),
        CodeExample::None(_) => None,
    };
    let files = |row: &DiagnosticCode| -> Vec<String> {
        let name = |which, ending| format!("{}.{which}.{ending}", row.code);
        let both = |ending| vec![name("right", ending), name("wrong", ending)];
        ending(&row.example).map(both).unwrap_or_default()
    };
    let expected: BTreeSet<String> = codes::all().flat_map(files).collect();
    let there: BTreeSet<String> = std::fs::read_dir(folder("codes"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(there, expected);
}

/// Returns the codes of programs. Those of descriptors, of checked runs, of the STAR machine and of loop nests are
/// `cp2-descriptors`', `cp2-workloads`', `cp2-star`'s and `cp2-nest`'s to test.
fn of_programs() -> impl Iterator<Item = &'static DiagnosticCode> {
    let elsewhere = [Tool::Descriptors, Tool::Sanitizer, Tool::Workloads, Tool::Star, Tool::Nests];
    codes::all().filter(move |row| !elsewhere.contains(&row.tool))
}

/// Returns the image of an example that assembles.
fn image(row: &DiagnosticCode, text: &str) -> Image {
    if matches!(row.example, CodeExample::Hex { .. }) {
        return hex::read_str("example.hex", text, &Core::CP2).unwrap();
    }
    let outcome = run(text);
    match outcome.image {
        Some(image) => image,
        None => panic!("{}: {text}\n{}", row.code, outcome.rendered()),
    }
}

fn lints(row: &DiagnosticCode, text: &str, undefined: bool) -> Vec<Finding> {
    lint_for(&image(row, text), &Options { undefined, ..Options::default() })
}

/// Returns the codes with their severities that the tool of a row reports for a text.
fn said(row: &DiagnosticCode, text: &str) -> Vec<(&'static str, Severity)> {
    let diagnostics = match (row.tool, row.example) {
        (Tool::Assembler, CodeExample::Hex { .. }) => {
            let failure = hex::read_str("example.hex", text, &Core::CP2).err();
            failure.map(|failure| failure.diagnostics).unwrap_or_default()
        }
        (Tool::Linter | Tool::OpenRules, _) => {
            let found = lints(row, text, row.tool == Tool::OpenRules);
            return found.iter().map(|finding| (finding.code, finding.severity)).collect();
        }
        _ => run(text).diagnostics,
    };
    for d in &diagnostics {
        assert!(!d.label.is_empty(), "{}: nothing at the caret", row.code);
    }
    diagnostics.iter().map(|d| (d.code, d.severity)).collect()
}

#[test]
fn wrong_examples_have_exactly_their_code() {
    for row in of_programs() {
        let Some((wrong, _)) = row.example.texts() else { continue };
        let mut found: BTreeSet<_> = said(row, wrong).into_iter().collect();
        if row.tool == Tool::OpenRules {
            // What is reported without the request stays.
            for finding in lints(row, wrong, false) {
                assert!(found.remove(&(finding.code, finding.severity)), "{}", row.code);
            }
        }
        assert_eq!(found, BTreeSet::from([(row.code, row.severity)]), "{}\n{wrong}", row.code);
    }
}

#[test]
fn right_examples_have_nothing_to_say() {
    for row in of_programs() {
        let Some((_, right)) = row.example.texts() else { continue };
        image(row, right);
        assert_eq!(said(row, right), [], "{}\n{right}", row.code);
    }
}

/// An object that no text shows.
#[test]
fn a_damaged_object_has_its_code() {
    assert_eq!(object_file::read(b"text", &Core::CP2).unwrap_err().diagnostic().code, "C0460");
    assert!(matches!(codes::find("C0460").unwrap().example, CodeExample::None(_)));
}

#[test]
fn only_what_the_table_says_can_be_allowed() {
    for row in codes::all() {
        let outcome = |reason: &str| run(&format!("    nop @allow({}{reason})\n", row.code));
        assert_eq!(outcome(" \"why\"").image.is_some(), row.allowable, "{}", row.code);
        let is_bare = row.allowable && row.tool != Tool::Sanitizer;
        assert_eq!(outcome("").image.is_some(), is_bare, "{}", row.code);
    }
    for unknown in ["C0599", "C0451x", "nothing"] {
        assert_eq!(codes::allowable(unknown), Err(format!("there is no code `{unknown}`")));
    }
}
