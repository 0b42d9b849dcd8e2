//! The registry of codes: complete, reachable, and its examples do what they say.

use crate::harness::run;
use cp2_asm::{codes, hex, object_file};
use cp2_isa::Core;
use std::collections::BTreeSet;
use std::path::Path;

/// Codes written as string literals in the sources below a folder, but for the registries.
fn codes_in(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            codes_in(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("codes.rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let literals = text.split('"').filter(|part| part.len() == 5 && part.starts_with("C0"));
            found.extend(literals.map(str::to_owned));
        }
    }
}

#[test]
fn the_codes_that_are_used_are_those_that_are_registered() {
    let mut used = BTreeSet::new();
    codes_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut used);
    used.retain(|code| !code.starts_with("C05"));
    let registered: BTreeSet<String> = codes::of_assembler().map(|e| e.code.to_owned()).collect();
    assert_eq!(used, registered);
}

#[test]
fn codes_ascend_and_have_a_text() {
    let all: Vec<_> = codes::all().collect();
    assert!(all.windows(2).all(|pair| pair[0].code < pair[1].code));
    for e in &all {
        assert!(!e.title.is_empty() && !e.title.ends_with('.'), "{}: {}", e.code, e.title);
        let text = e.text_for(&Core::CP2);
        assert!(text.len() > 30 && text.ends_with('.'), "{}: {text}", e.code);
        assert_eq!(codes::explain(e.code), Some(*e));
    }
    assert_eq!(codes::explain("C9999"), None);
}

#[test]
fn wrong_examples_have_exactly_their_code() {
    // A bug of the scheduler has no example.
    for e in codes::of_assembler().filter(|e| e.code != "C0609") {
        let found: BTreeSet<&str> = match e.code {
            "C0111" => {
                let failure = hex::read_str("wrong.hex", e.wrong, &Core::CP2).unwrap_err();
                failure.diagnostics.iter().map(|d| d.code).collect()
            }
            "C0460" => {
                [object_file::read(b"text", &Core::CP2).unwrap_err().diagnostic().code].into()
            }
            _ => run(e.wrong).diagnostics.iter().map(|d| d.code).collect(),
        };
        assert_eq!(found, BTreeSet::from([e.code]), "{}\n{}", e.wrong, run(e.wrong).rendered());
    }
}

#[test]
fn right_examples_have_nothing_to_say() {
    for e in codes::of_assembler().filter(|e| !e.right.is_empty()) {
        if e.code == "C0111" {
            assert!(hex::read_str("right.hex", e.right, &Core::CP2).is_ok());
            continue;
        }
        let outcome = run(e.right);
        assert!(outcome.image.is_some(), "{}: {}\n{}", e.code, e.right, outcome.rendered());
        assert_eq!(outcome.places(), Vec::<String>::new(), "{}", e.code);
    }
}

#[test]
fn every_code_has_a_label_at_its_caret() {
    for e in codes::of_assembler().filter(|e| !["C0460", "C0111", "C0609"].contains(&e.code)) {
        for d in run(e.wrong).diagnostics {
            assert!(!d.label.is_empty(), "{}", e.code);
        }
    }
}
