//! Changes that are offered: each mends what it is offered for.

use crate::client::{Client, URI, place};
use crate::{SCALE, edited};
use serde_json::{Value, json};

impl Client {
    /// Returns the titles of what may be done at a line, and the texts that follow from each.
    pub(crate) fn actions(&mut self, text: &str, line: u32) -> Vec<(String, String)> {
        let range = json!({ "start": place(line, 0), "end": place(line, 0) });
        let context = json!({ "diagnostics": [] });
        let params = json!({ "textDocument": { "uri": URI }, "range": range, "context": context });
        let actions = self.ask("textDocument/codeAction", params);
        let show = |action: &Value| {
            let edits = &action["edit"]["changes"][URI];
            (action["title"].as_str().unwrap().to_owned(), edited(text, edits))
        };
        actions.as_array().unwrap().iter().map(show).collect()
    }
}

#[test]
fn a_proposed_word_is_written() {
    let wrong = SCALE.replace("psmul", "psmull").replace(".endloop", ".endlop");
    let mut client = Client::opened(&wrong);
    client.diagnostics(1);
    let [(title, text)] = &client.actions(&wrong, 10)[..] else { panic!() };
    assert_eq!(title, "Write `.endloop` in place of `.endlop`");
    assert_eq!(*text, SCALE.replace("psmul", "psmull"));
    assert!(client.actions(&wrong, 3).is_empty());
}

#[test]
fn a_finding_is_allowed_and_a_promise_is_made() {
    let early = "        .kernel early\n        cmul    f3, f1, f2\n        cadd    f6, f3, f4 ; soon\n        stopi   0\n";
    let mut client = Client::opened(early);
    assert!(!client.diagnostics(1).is_empty());
    let allowed = client.actions(early, 2);
    let (title, text) = &allowed.iter().find(|(title, _)| title.contains("C0501")).unwrap();
    assert_eq!(title, "Allow C0501 here");
    assert!(text.contains("f4 @allow(C0501) ; soon"), "{text}");
    // A loop whose count is in a register needs another one when it is pipelined, which comes with the promise.
    for (scale, line, with) in [
        (SCALE.replace(".linear\n", ".linear\n        .scratch g15\n"), 7, ""),
        (SCALE.to_owned(), 6, ", with `.scratch g15`"),
    ] {
        let mut client = Client::opened(&scale);
        client.diagnostics(1);
        client.diagnostics(1);
        let promises = client.actions(&scale, line);
        let (title, text) = promises.iter().find(|(title, _)| title.contains(".disjoint")).unwrap();
        let part = format!(".disjoint r0, r1{with}: interval ");
        assert!(title.starts_with("Promise ") && title.contains(&part), "{title}");
        assert!(text.contains("        .scratch g15\n"), "{text}");
        assert!(text.contains("        .disjoint r0, r1\n        .loop   g2"), "{text}");
        let again = Client::opened(text);
        assert_eq!(again.diagnostics(1), [Value::Null; 0]);
    }
}

#[test]
fn two_findings_that_ask_for_one_change_offer_it_once() {
    let wrong = "        .kernel k\n        swi     f1, 3 | cadd f1, f2, f3\n        stopi   0\n";
    let mut client = Client::opened(wrong);
    assert_eq!(client.diagnostics(1).len(), 2);
    let titles: Vec<String> =
        client.actions(wrong, 1).into_iter().map(|(title, _)| title).collect();
    assert_eq!(titles, ["Swap the halves"]);
}

#[test]
fn a_comma_that_is_missing_is_not_taken_for_a_bar() {
    let titles = |line: &str| {
        let text = format!("        .kernel k\n        {line}\n        stopi   0\n");
        let mut client = Client::opened(&text);
        assert!(!client.diagnostics(1).is_empty(), "{line}");
        client.actions(&text, 1)
    };
    for (line, wanted) in [
        ("psmadd  f1 f2, f3", "psmadd  f1, f2, f3"),
        ("psmadd  f1, f2  f3", "psmadd  f1, f2, f3"),
        ("nop | ldo f1 (r0)+1", "nop | ldo f1, (r0)+1"),
    ] {
        let offered = titles(line);
        let [(title, text)] = &offered[..] else { panic!("{line}: {offered:?}") };
        assert_eq!(title, "Insert a comma", "{line}");
        assert!(text.contains(&format!("        {wanted}\n")), "{text}");
        assert!(Client::opened(text).diagnostics(1).iter().all(|found| found["severity"] != 1));
    }
    assert_eq!(titles("psmadd  f1, f2, f3 ldo f4, (r0)+1")[0].0, "Separate the halves with `|`");
    assert_eq!(titles("psmadd  f1, f2, f3 f4"), []);
    assert_eq!(titles("psmadd  f1, f2, f3 nothing"), []);
}

/// Codes of the assembler and the linter whose advice can be followed by rule.
const MENDED: [&str; 31] = [
    "C0101", "C0103", "C0105", "C0106", "C0107", "C0110", "C0201", "C0301", "C0306", "C0307",
    "C0310", "C0312", "C0401", "C0402", "C0403", "C0411", "C0412", "C0423", "C0450", "C0455",
    "C0501", "C0502", "C0503", "C0505", "C0508", "C0510", "C0512", "C0607", "C0608", "C0611",
    "C0514",
];

#[test]
fn what_advice_proposes_mends_the_finding() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../assembler/codes");
    let mut missed = Vec::new();
    for code in MENDED.into_iter().filter(|code| *code != "C0514") {
        let text = std::fs::read_to_string(folder.join(format!("{code}.wrong.s"))).unwrap();
        let mut client = Client::opened(&text);
        let found = client.diagnostics(1);
        let finding = found.iter().find(|finding| finding["code"] == code).unwrap();
        let line = finding["range"]["start"]["line"].as_u64().unwrap() as u32;
        let offered = client.actions(&text, line);
        let others: Vec<&(String, String)> =
            offered.iter().filter(|(title, _)| !title.starts_with("Allow ")).collect();
        let is_mended = others.iter().any(|(_, text)| {
            let again = Client::opened(text).diagnostics(1);
            again.iter().all(|finding| finding["code"] != code)
        });
        if !is_mended {
            missed.push((code, offered));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn no_offered_change_breaks_a_text() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../assembler/codes");
    let mut n_offered = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if !path.to_string_lossy().ends_with(".wrong.s") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let mut client = Client::opened(&text);
        let errors =
            |found: &[Value]| found.iter().filter(|finding| finding["severity"] == 1).count();
        let before = client.diagnostics(1);
        for line in 0..text.lines().count() as u32 {
            for (title, changed) in client.actions(&text, line) {
                let after = Client::opened(&changed).diagnostics(1);
                let told = format!("{}: {title}\n{changed}{after:#?}", path.display());
                assert!(errors(&after) <= errors(&before).max(1), "{told}");
                assert_ne!(changed, text, "{told}");
                n_offered += 1;
            }
        }
    }
    assert!(n_offered > 40, "{n_offered}");
}
