//! File tests of several cases: each is a program by itself, told of at its own lines.

use crate::client::{Client, URI, at, place};
use crate::found;
use serde_json::json;

const CASES: &str = ".equ    n, 3
; case: one
        .kernel k
        nop
last:   cadd    f1, f2, f3
        stopi   0
; run:

; case: two
        .kernel k
last:   stopi   n
; run:
; end: stop 3

; case: three
        .kernel k
        cadd    f64, f1, f1     ; error: C0304
";

#[test]
fn the_example_of_a_file_test_has_its_own_findings_alone() {
    let text = include_str!("../../../examples/tested.s");
    let client = Client::new(&["utf-8"]);
    let findings = found(&client, "file:///tested.s", text);
    let told: Vec<_> = findings.iter().map(|(line, code, _)| (*line, &**code)).collect();
    let early = text.lines().position(|line| line.contains("cadd    f2, f1, f1")).unwrap() as u64;
    let unknown = text.lines().position(|line| line.contains("cadd    f64")).unwrap() as u64;
    assert_eq!(told, [(early, "C0501"), (unknown, "C0304")]);
}

#[test]
fn cases_have_hints_and_names_of_their_own() {
    let mut client = Client::opened(CASES);
    let findings = client.diagnostics(1);
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert_eq!(findings[0]["range"]["start"], place(16, 16));
    let hints = client.hints();
    let of_two: Vec<&String> = hints.iter().filter(|hint| hint.starts_with("10 ")).collect();
    assert_eq!(of_two, ["10 cycle 0, exchange"], "{hints:?}");
    assert!(hints.contains(&"4 cycle 1, arithmetic".to_owned()), "{hints:?}");
    let mut params = at(10, 0);
    params["context"] = json!({ "includeDeclaration": true });
    let places = client.ask("textDocument/references", params);
    assert_eq!(places.as_array().unwrap().len(), 1, "{places}");
    let defined = client.ask_at("definition", [10, 16]);
    assert_eq!(defined[0]["range"]["start"], place(0, 8), "what stands before all cases");
    let mut params = at(4, 0);
    params["newName"] = "end".into();
    let renamed = client.ask("textDocument/rename", params);
    assert_eq!(renamed["changes"][URI].as_array().unwrap().len(), 1, "{renamed}");
}

#[test]
fn parts_and_machines_of_cases_are_their_own() {
    let text = "; case: wide
; machine: core.fprs=128
        .requires more-fprs
        .kernel k
.include \"p.inc\"
        stopi   0
; file: p.inc
        cadd    f100, f1, f2
; lint: none
; case: narrow
        .kernel k
        cad     f1, f2
        stopi   0
; error: C0301
";
    let client = Client::opened(text);
    let findings = client.diagnostics(1);
    let told: Vec<_> =
        findings.iter().map(|f| (&f["range"]["start"]["line"], &f["code"])).collect();
    assert_eq!(told, [(&json!(11), &json!("C0301"))], "{findings:#?}");
    let part = text.replace("f100, f1, f2", "f100, f1");
    let findings = Client::opened(&part).diagnostics(1);
    assert_eq!(findings[0]["range"]["start"]["line"], 7, "in the part itself: {findings:#?}");
}

#[test]
fn a_comment_with_the_word_divides_no_program() {
    let client =
        Client::opened("        .kernel k\n; case: n is odd\n        stopi 0\nx:      nop\n");
    let findings = client.diagnostics(1);
    assert!(findings.iter().all(|f| f["severity"] != 1), "{findings:?}");
}
