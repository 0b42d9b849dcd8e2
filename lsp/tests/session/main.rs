//! A client of the server: what it is told of texts that it opens and changes.

#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

mod actions;
mod cases;
mod client;
mod completion;
mod files;
mod hints;
mod names;
mod protocol;

use client::{Client, URI, at, place};
use serde_json::{Value, json};

/// A loop whose count is in a register, and whose stores may meet its loads.
pub(crate) const SCALE: &str = ".equ    first, 8
; Multiplies words.
        .kernel scale
        seti    a0, first
        move    a1, a0
.linear
        .loop   g2
        lwo     %x, (r0)+1
        psmul   %y, %x, f0
        swo     %y, (r1)+1
        .endloop
.endlinear
        stopi   0
";

#[test]
fn a_kernel_has_no_findings_and_hints_beside_its_lines() {
    let mut client = Client::opened(SCALE);
    assert_eq!(client.diagnostics(1), [Value::Null; 0]);
    // Promises are tried behind the findings.
    let promised = client.diagnostics(1);
    assert_eq!((promised.len(), &promised[0]["severity"]), (1, &json!(3)));
    assert_eq!(promised[0]["range"]["start"]["line"], 6);
    let message = promised[0]["message"].as_str().unwrap();
    assert!(
        message.contains("would make the interval") && message.contains(".disjoint r0, r1"),
        "{message}"
    );
    let hints = client.hints();
    let of_loop = hints.iter().find(|hint| hint.starts_with("6 ")).unwrap();
    assert!(of_loop.contains("interval") && of_loop.contains("of bound"), "{hints:?}");
    assert!(of_loop.contains("would make it") && of_loop.contains(".disjoint"), "{hints:?}");
    assert!(hints.contains(&"7 cycle 0, exchange".to_owned()), "{hints:?}");
    assert!(hints.iter().any(|hint| hint.starts_with("8 cycle ") && hint.ends_with("arithmetic")));
    assert!(hints.contains(&"3 cycle 0, exchange".to_owned()), "bundles of its own: {hints:?}");
    assert!(hints.contains(&"4 cycle 1, exchange".to_owned()), "{hints:?}");
    assert!(hints.iter().any(|hint| hint.starts_with("12 bundle ")), "behind a loop: {hints:?}");
}

#[test]
fn findings_follow_the_text() {
    let mut client = Client::opened(&SCALE.replace("psmul", "psmull"));
    let found = client.diagnostics(1);
    assert_eq!(found[0]["severity"], 1, "{found:?}");
    assert_eq!(found[0]["range"]["start"], place(8, 8));
    assert!(found[0]["code"].as_str().unwrap().starts_with('C'));
    assert!(found[0]["message"].as_str().unwrap().contains("did you mean `psmul`?"), "{found:?}");
    let range = json!({ "start": place(8, 13), "end": place(8, 14) });
    let changes = json!([{ "range": range, "text": "" }]);
    let document = json!({ "uri": URI, "version": 2 });
    let params = json!({ "textDocument": document, "contentChanges": changes });
    client.tell("textDocument/didChange", params);
    assert_eq!(client.diagnostics(2), [Value::Null; 0]);
    assert!(!client.hints().is_empty());
}

#[test]
fn operations_registers_and_names_are_explained() {
    let mut client = Client::opened(SCALE);
    client.diagnostics(1);
    let mut told = |line, character| {
        let hover = client.ask_at("hover", [line, character]);
        hover["contents"]["value"].as_str().unwrap_or_default().to_owned()
    };
    assert!(told(8, 9).contains("psmul") && told(8, 9).contains("latenc"), "{}", told(8, 9));
    assert!(told(8, 16).contains("virtual register") && told(8, 16).contains("last read"));
    assert!(told(3, 23).contains(".equ    first, 8"), "{}", told(3, 23));
    assert!(told(2, 18).contains("; Multiplies words."), "{}", told(2, 18));
    assert!(told(6, 16).contains("general register"), "{}", told(6, 16));
}

#[test]
fn structure_and_kinds_of_words_are_told() {
    let mut client = Client::opened(SCALE);
    let document = json!({ "textDocument": { "uri": URI } });
    let symbols = client.ask("textDocument/documentSymbol", document.clone());
    let names: Vec<&str> =
        symbols.as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["first", "scale"]);
    let tokens = client.ask("textDocument/semanticTokens/full", document);
    let numbers = tokens["data"].as_array().unwrap();
    assert_eq!(numbers[..5], [0, 0, 4, 3, 0].map(Value::from), ".equ is a keyword");
}

#[test]
fn what_cannot_be_answered_is_refused_with_a_sentence() {
    let mut client = Client::new(&[]);
    for (method, params, sentence) in [
        ("textDocument/hover", at(0, 0), "untitled:kernel is not open"),
        ("textDocument/hover", json!({}), "missing field"),
        ("textDocument/moniker", at(0, 0), "is not served"),
    ] {
        let refused = client.respond(method, params);
        let refused = serde_json::to_value(refused).unwrap();
        assert!(refused["error"]["message"].as_str().unwrap().contains(sentence), "{refused}");
    }
    // Messages that cannot be read are passed over.
    client.tell("textDocument/didOpen", json!({ "textDocument": 1 }));
    client.tell("textDocument/didChange", Value::Null);
}

/// Returns the bytes of a place of a text of ASCII.
fn byte(text: &str, place: &Value) -> usize {
    let [line, character] = ["line", "character"].map(|key| place[key].as_u64().unwrap() as usize);
    text.split_inclusive('\n').take(line).map(str::len).sum::<usize>() + character
}

/// Makes the changes of an answer in a text, the last one first.
pub(crate) fn edited(text: &str, edits: &Value) -> String {
    let mut text = text.to_owned();
    for edit in edits.as_array().unwrap().iter().rev() {
        let [start, end] = ["start", "end"].map(|key| byte(&text, &edit["range"][key]));
        text.replace_range(start..end, edit["newText"].as_str().unwrap());
    }
    text
}

#[test]
fn a_text_gets_its_layout() {
    let options = json!({ "tabSize": 8, "insertSpaces": true });
    let params = json!({ "textDocument": { "uri": URI }, "options": options });
    let neat = "        .kernel a\n        nop\n        psmul   f1, f2, f3\n        stopi   0\n";
    let messy = neat.replace("psmul   f1, f2", "psmul f1,f2");
    let mut client = Client::opened(&messy);
    let edits = client.ask("textDocument/formatting", params.clone());
    assert_eq!(edited(&messy, &edits), neat);
    let range = &edits[0]["range"];
    assert_eq!((&range["start"], &range["end"]), (&place(2, 0), &place(3, 0)), "others stay");
    assert_eq!(Client::opened(neat).ask("textDocument/formatting", params), json!([]));
}

#[test]
fn operands_are_told_while_they_are_written() {
    let mut client =
        Client::opened("last: if(cc1) psmadd f1, f2, f3 | lwo f4, ; a, b\n        .equ a, 1\n");
    let mut told = |line, character| {
        let help = client.ask_at("signatureHelp", [line, character]);
        (help["signatures"][0]["label"].clone(), help["activeParameter"].clone(), help)
    };
    assert_eq!(told(0, 30).1, 2);
    assert!(told(0, 25).0.as_str().unwrap().starts_with("psmadd "));
    let (label, active, help) = told(0, 41);
    assert!(label.as_str().unwrap().starts_with("lwo "), "{help}");
    assert_eq!(active, 1);
    let operand = &help["signatures"][0]["parameters"][1]["documentation"];
    assert!(operand.as_str().unwrap().contains("address An of a set"), "{help}");
    for (line, character) in [(0, 10), (0, 46), (1, 15)] {
        assert_eq!(told(line, character).2, Value::Null, "{line} {character}");
    }
}

#[test]
fn lenses_run_and_debug_kernels_and_test_expectations() {
    let text = "        .kernel one\n        stopi 0\n;; run: none\n; run: g0=1\n; end: stop 0\n        .kernel two\n        stopi 1\n";
    let mut client = Client::opened(text);
    let lenses = client.ask("textDocument/codeLens", json!({ "textDocument": { "uri": URI } }));
    let told: Vec<(u64, String)> = lenses
        .as_array()
        .unwrap()
        .iter()
        .map(|lens| {
            let command = &lens["command"];
            let text = format!("{} {}", command["command"], command["arguments"]);
            (lens["range"]["start"]["line"].as_u64().unwrap(), text)
        })
        .collect();
    let expected = [
        (0, "\"cp2.run\" [\"untitled:kernel\",\"one\"]"),
        (0, "\"cp2.debug\" [\"untitled:kernel\",\"one\"]"),
        (5, "\"cp2.run\" [\"untitled:kernel\",\"two\"]"),
        (5, "\"cp2.debug\" [\"untitled:kernel\",\"two\"]"),
        (3, "\"cp2.test\" [\"untitled:kernel\"]"),
    ];
    assert_eq!(told, expected.map(|(line, text)| (line, text.to_owned())));
}

/// Returns line, code and message of the findings of a text of version 1.
pub(crate) fn found(client: &Client, uri: &str, text: &str) -> Vec<(u64, String, String)> {
    client.open(uri, text);
    let told = |finding: &Value| {
        let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        (finding["range"]["start"]["line"].as_u64().unwrap(), text("code"), text("message"))
    };
    client.diagnostics(1).iter().map(told).collect()
}

/// Asks about a place of a text by its name.
pub(crate) fn asked_of(
    client: &mut Client,
    method: &str,
    uri: &str,
    [line, character]: [u32; 2],
) -> Value {
    let text = json!({ "uri": uri });
    let params = json!({ "textDocument": text, "position": place(line, character) });
    client.ask(&format!("textDocument/{method}"), params)
}

#[test]
fn machine_files_are_checked_and_their_keys_explained() {
    let vm7 = cp2_isa::MachineConfig::preset("vm7").unwrap().dump();
    let mut client = Client::new(&["utf-8"]);
    assert_eq!(found(&client, "file:///vm7.toml", &vm7), []);
    let wrong = "name = \"m\"\n[core]\nfprs = 7\nfprz = 8\n[cpu]\nclock_mhz = 0\n";
    let findings = found(&client, "file:///m.toml", wrong);
    let at = |line, part: &str| {
        findings.iter().any(|(at, _, message)| *at == line && message.contains(part))
    };
    assert!(at(2, "core.fprs is 7; it takes"), "{findings:?}");
    assert!(at(3, "core.fprz is not a key") && at(5, "cpu.clock_mhz is 0"), "{findings:?}");
    assert!(at(1, "core.banks is missing") && at(0, "memory.size_mib is missing"), "{findings:?}");
    let hover = asked_of(&mut client, "hover", "file:///m.toml", [2, 1]);
    let told = hover["contents"]["value"].as_str().unwrap();
    assert!(told.contains("core.fprs") && told.contains("vm9: 64"), "{told}");
    let name = asked_of(&mut client, "hover", "file:///m.toml", [0, 1]);
    assert!(name["contents"]["value"].as_str().unwrap().contains("name of the machine"), "{name}");
    let offered = asked_of(&mut client, "completion", "file:///m.toml", [3, 2]);
    let names: Vec<&str> =
        offered.as_array().unwrap().iter().map(|item| item["label"].as_str().unwrap()).collect();
    assert!(names.contains(&"banks") && !names.contains(&"fprs"), "{names:?}");
    let syntax = found(&client, "file:///n.toml", "[core]\nfprs = \n");
    assert_eq!((syntax[0].0, &*syntax[0].1), (1, "C0701"));
}

#[test]
fn workload_files_and_programs_of_the_star_machine_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("k.s"), SCALE).unwrap();
    let uri = format!("file://{}/w.toml", folder.path().display());
    let client = Client::new(&["utf-8"]);
    assert_eq!(found(&client, &uri, "[[variant]]\nsource = \"k.s\"\n"), []);
    let missing = found(&client, &format!("{uri}.toml"), "[[variant]]\nsource = \"none.s\"\n");
    assert_eq!(missing[0].0, 1, "{missing:?}");
    let unknown = found(&client, &format!("{uri}.2.toml"), "nam = \"w\"\n[[variant]]\n");
    assert_eq!((unknown[0].0, &*unknown[0].1), (0, "C0702"), "{unknown:?}");
    let star = cp2_star::shipped("paths").unwrap().text;
    let mut client = client;
    assert_eq!(found(&client, "file:///p.star", star), []);
    let wrong = found(&client, "file:///q.star", &format!("{star}\nnonsense\n"));
    assert!(!wrong.is_empty() && wrong[0].1.starts_with('C'), "{wrong:?}");
    let params = json!({ "textDocument": { "uri": "file:///p.star" }, "options": { "tabSize": 4, "insertSpaces": true } });
    assert_eq!(client.ask("textDocument/formatting", params), json!([]));
    assert_eq!(asked_of(&mut client, "hover", "file:///p.star", [0, 0]), Value::Null);
}

#[test]
fn keys_of_workload_files_are_explained_and_offered() {
    let text = "name = \"w\"\n[[variant]]\nsource = \"k.s\"\n\n[array.x]\nrandom = \"unifrom\"\nse\nshape = [4]\n[pass.page]\n\n";
    let uri = "file:///w.toml";
    let mut client = Client::new(&["utf-8"]);
    client.open(uri, text);
    let told = |client: &mut Client, at| {
        let hover = asked_of(client, "hover", uri, at);
        hover["contents"]["value"].as_str().unwrap_or_default().to_owned()
    };
    assert!(told(&mut client, [0, 1]).contains("that of the file if absent"));
    assert!(told(&mut client, [2, 1]).contains("one of source, object and shipped"));
    let random = told(&mut client, [5, 3]);
    assert!(
        random.contains("uniform, normal") && random.contains("did you mean `uniform`?"),
        "{random}"
    );
    assert_eq!(told(&mut client, [3, 0]), "");
    let offered = |client: &mut Client, at| -> Vec<String> {
        let items = asked_of(client, "completion", uri, at);
        let label = |item: &Value| item["label"].as_str().unwrap_or_default().to_owned();
        items.as_array().unwrap().iter().map(label).collect()
    };
    let keys = offered(&mut client, [6, 2]);
    assert!(keys.contains(&"seed".to_owned()) && !keys.contains(&"shape".to_owned()), "{keys:?}");
    let variant = offered(&mut client, [3, 0]);
    assert!(
        variant.contains(&"needs".to_owned()) && !variant.contains(&"source".to_owned()),
        "{variant:?}"
    );
    assert_eq!(offered(&mut client, [5, 9])[..2], ["\"uniform\"", "\"normal\""]);
    assert_eq!(offered(&mut client, [5, 11])[0], "uniform");
    assert!(offered(&mut client, [4, 1]).contains(&"[array.NAME]".to_owned()));
    assert_eq!(offered(&mut client, [9, 0]), [""; 0], "arrays of the user");
}

#[test]
fn loop_nests_are_checked_and_other_c_is_left_alone() {
    let nest = include_str!("../../../assembler/codes/C1101.right.c");
    let mut client = Client::new(&["utf-8"]);
    assert_eq!(found(&client, "file:///n.c", nest), []);
    for (name, wrong) in [
        ("C1101", include_str!("../../../assembler/codes/C1101.wrong.c")),
        ("C1106", include_str!("../../../assembler/codes/C1106.wrong.c")),
    ] {
        let findings = found(&client, &format!("file:///{name}.c"), wrong);
        assert!(findings.iter().any(|(_, code, _)| code == name), "{name}: {findings:?}");
    }
    let program = "#include <stdio.h>\nint main(void) { return 0; }\n";
    assert_eq!(found(&client, "file:///main.c", program), []);
    assert_eq!(asked_of(&mut client, "hover", "file:///n.c", [1, 4]), Value::Null);
}

#[test]
fn a_source_of_another_assembler_is_left_alone() {
    let gnu = "        .file \"a.c\"\n        .text\n        .globl main\nmain:   movq %rsp, %rbp\n        ret\n";
    let mut client = Client::new(&["utf-8"]);
    assert_eq!(found(&client, "file:///a.s", gnu), []);
    assert_eq!(asked_of(&mut client, "hover", "file:///a.s", [3, 9]), Value::Null);
    assert_eq!(asked_of(&mut client, "completion", "file:///a.s", [1, 9]), json!([]));
    let ours = format!("        .kernel k\n{gnu}");
    assert!(!found(&client, "file:///b.s", &ours).is_empty());
    assert!(!found(&client, "file:///c.s", "main:   movq f1, f2\n").is_empty());
}

#[test]
fn a_macro_that_calls_itself_is_the_only_finding() {
    let text =
        "        .macro again\n        again\n        .endm\n        .kernel k\n        again\n";
    let client = Client::new(&["utf-8"]);
    let findings = found(&client, "file:///k.s", text);
    let codes: Vec<&str> = findings.iter().map(|(_, code, _)| code.as_str()).collect();
    assert_eq!(codes, ["C0405"], "{findings:?}");
}

#[test]
fn a_value_of_a_loop_is_kept_from_the_cycle_in_which_it_can_be_read() {
    let text = SCALE.replace(".loop   g2", ".disjoint r0, r1\n        .loop   g2");
    let mut client = Client::opened(&text);
    client.diagnostics(1);
    let line = text.lines().position(|line| line.contains("lwo")).unwrap() as u32;
    let column = text.lines().nth(line as usize).unwrap().find('%').unwrap() as u32;
    let hover = client.ask_at("hover", [line, column]);
    let told = hover["contents"]["value"].as_str().unwrap();
    // A load is read three bundles behind, but by `psprmsgn` two behind.
    assert!(
        told.contains("registers of its loop: kept from cycle 2, last read in cycle 3"),
        "{told}"
    );
}
