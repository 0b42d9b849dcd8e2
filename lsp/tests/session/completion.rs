//! Words that may stand at a place.

use crate::SCALE;
use crate::asked_of;
use crate::client::Client;
use serde_json::{Value, json};

/// Returns what is offered at the end of a line of a text.
fn offered(text: &str, line: u32) -> Vec<String> {
    let mut client = Client::opened(text);
    let end = text.lines().nth(line as usize).unwrap_or_default().len() as u32;
    let items = client.ask_at("completion", [line, end]);
    let label = |item: &Value| item["label"].as_str().unwrap_or_default().to_owned();
    items.as_array().map(|all| all.iter().map(label).collect()).unwrap_or_default()
}

fn has(all: &[String], wanted: &[&str]) -> bool {
    wanted.iter().all(|word| all.iter().any(|other| other == word))
}

#[test]
fn words_that_fit_are_offered() {
    let mut client = Client::opened(&format!("{SCALE}\n        psmu\n        .\n"));
    let mut labels = |line, character| -> Vec<String> {
        let items = client.ask_at("completion", [line, character]);
        let label = |item: &Value| item["label"].as_str().unwrap().to_owned();
        items.as_array().unwrap().iter().map(label).collect()
    };
    assert!(labels(14, 12).contains(&"psmul".to_owned()));
    assert!(labels(15, 9).contains(&"endlinear".to_owned()));
    assert_eq!(labels(8, 17), ["x", "y"]);
    assert_eq!(labels(3, 23), ["first", "scale"]);
}

#[test]
fn halves_registers_and_attributes_are_offered() {
    let at_end = |line: &str| offered(&format!("        .kernel k\n{line}"), 1);
    assert_eq!(at_end("        li0 f1."), ["hi", "lo"]);
    let registers = at_end("        cadd f1, ");
    assert!(
        has(&registers, &["f0", "f63"]) && !has(&registers, &["f64"]) && !has(&registers, &["g1"])
    );
    assert!(has(&at_end("        do "), &["g0", "g15"]));
    let loads = at_end("        | ldo f2, ");
    assert!(has(&loads, &["(r0)", "(r15)"]), "{loads:?}");
    assert!(has(&at_end("        | ldo f2, (r3)+"), &["n3"]));
    let moves = at_end("        move ");
    assert!(has(&moves, &["g1", "a0", "rind", "psp"]), "{moves:?}");
    assert_eq!(
        at_end("        c."),
        ["t", "un", "lt", "le", "eq", "ne", "gt", "ge"].map(String::from)
    );
    assert!(has(&at_end("        c.lt."), &["s", "w", "ps", "pw"]));
    assert!(has(&at_end("        if(cc1) "), &["cadd", "nop"]));
    assert!(!has(&at_end("        if(cc1) "), &["stopi"]));
    let right = at_end("        cadd f1, f2, f3 | ");
    assert!(has(&right, &["ldo", "stopi"]) && !has(&right, &["cadd"]), "{right:?}");
    assert!(has(&at_end("        nop @"), &["allow"]));
    assert!(has(&at_end("        nop @allow("), &["C0501"]));
    assert!(has(&at_end("        .requires "), &["word-access", "more-fprs"]));
    assert!(has(&at_end("        .lmem "), &["all", "s0", "s3"]));
    assert_eq!(at_end("        .array x, "), ["in", "out", "inout"]);
    assert_eq!(at_end("        .array x, in, ")[..2], ["float32", "complex64"]);
    let sizes = at_end("        .array x, in, float32, 4, layout=all, ");
    assert!(has(&sizes, &["k", "g1", "pack=", "at="]) && !has(&sizes, &["layout="]), "{sizes:?}");
    assert_eq!(sizes[0], "k", "names of sizes come first");
    assert!(at_end("        nop ; ca").is_empty(), "a comment");
}

#[test]
fn promises_and_virtual_registers_are_offered_in_linear_code() {
    let at_end = |line: &str| {
        offered(&format!("        .kernel k\n.linear\n lwo %x, (r0)+1\n{line}\n.endlinear\n"), 3)
    };
    assert_eq!(at_end(" .loop g2, "), ["min=", "multiple=", "expected="]);
    assert_eq!(at_end(" .loop g2, min=4, "), ["multiple=", "expected="]);
    assert!(has(&at_end(" .loop "), &["g0", "g15"]));
    let apart = at_end(" .disjoint r0, ");
    assert!(has(&apart, &["r1", "abs", "sections"]) && !has(&apart, &["r0"]), "{apart:?}");
    assert!(has(&at_end(" .scratch "), &["g15"]) && has(&at_end(" .assign "), &["%x"]));
    let operands = at_end(" psmul %y, ");
    assert!(has(&operands, &["%x", "f0"]), "{operands:?}");
    assert_eq!(at_end(" psmul %y, %x."), ["hi", "lo"]);
}

#[test]
fn operations_that_the_core_lacks_are_not_offered() {
    let all = offered("        .kernel k\n        ", 1);
    assert!(has(&all, &["lwo", "cadd"]));
    let rows = cp2_isa::Exch::ALL.iter().map(|op| op.row());
    let names: std::collections::BTreeSet<&str> =
        rows.clone().filter(|row| row.extension.is_empty()).map(|row| row.name).collect();
    let lacking: Vec<&str> = rows
        .filter(|row| !row.extension.is_empty() && !names.contains(row.name))
        .map(|row| row.name)
        .collect();
    assert!(!lacking.is_empty());
    assert!(lacking.iter().all(|name| !has(&all, &[name])), "{lacking:?}");
}

#[test]
fn parameters_of_macros_are_offered_in_them() {
    let text = "        .kernel k\n.macro add2 x, y=f1\n        cadd f1, \\";
    assert_eq!(offered(text, 2), ["x", "y"]);
}

/// Returns the byte of an end of the range of an item's edit.
fn end_of_edit(item: &Value, end: &str) -> usize {
    item["textEdit"]["range"][end]["character"].as_u64().unwrap() as usize
}

/// Returns the lines that follow from what VS Code shows at `^` in the last line of a text. It shows an item if the text from the begin of
/// its edit to the caret is a subsequence of what the item is filtered by, whatever words the language has.
fn shown_in_vscode(uri: &str, text: &str) -> Vec<String> {
    let caret = text.rfind('^').unwrap();
    let text = text.replace('^', "");
    let number = text[..caret].matches('\n').count();
    let line = text.lines().nth(number).unwrap_or_default();
    let column = caret - text[..caret].rfind('\n').map_or(0, |at| at + 1);
    let mut client = Client::new(&["utf-8"]);
    client.open(uri, &text);
    let items = asked_of(&mut client, "completion", uri, [number as u32, column as u32]);
    let filtered = |item: &&Value| {
        let typed = line[end_of_edit(item, "start")..column].to_lowercase();
        let by = item["filterText"].as_str().or(item["label"].as_str()).unwrap().to_lowercase();
        let mut rest = by.chars();
        typed.chars().all(|c| rest.any(|other| other == c))
    };
    let edited = |item: &Value| {
        let [begin, end] = ["start", "end"].map(|end| end_of_edit(item, end));
        assert!(begin <= column && column <= end, "{item}");
        format!(
            "{}{}{}",
            &line[..begin],
            item["textEdit"]["newText"].as_str().unwrap(),
            &line[end..]
        )
    };
    let all = items.as_array().unwrap();
    assert!(all.iter().all(|item| item["textEdit"]["range"] != json!(null)), "{items}");
    all.iter().filter(filtered).map(edited).collect()
}

#[test]
fn an_editor_whose_words_have_dots_shows_what_is_offered() {
    for (line, wanted) in [
        ("li0 f1.^", "li0 f1.hi"),
        ("li0 f1.l^", "li0 f1.lo"),
        ("c.^", "c.lt"),
        ("c.lt.^ f1, f2", "c.lt.ps f1, f2"),
        (".loo^", ".loop"),
        (".^", ".endlinear"),
        ("psadd %y, %a^", "psadd %y, %abc"),
        ("psadd %y, ^", "psadd %y, %abc"),
        ("psadd %y, %^", "psadd %y, %abc"),
        ("psad^", "psadd"),
        ("nop @al^", "nop @allow"),
        ("nop @allow(C05^", "nop @allow(C0501"),
        ("if(^", "if(cc0"),
        ("if(c^) nop", "if(cc7) nop"),
        ("i^", "if(cc${1:1}) "),
        (".requires word-ac^", ".requires word-access"),
        ("li0 f1, k^", "li0 f1, k"),
    ] {
        let text = format!("k: nop\n.linear\n lwo %abc, (r0)+1\n {line}");
        let shown = shown_in_vscode("untitled:k", &text);
        assert!(shown.contains(&format!(" {wanted}")), "{line}: {shown:?}");
    }
}

#[test]
fn headers_and_values_of_toml_files_take_the_place_of_what_stands_there() {
    let machine = "name = \"m\"\n[cpu]\n";
    let workload = "[[variant]]\nsource = \"k.s\"\n[array.x]\n";
    for (before, line, wanted) in [
        (workload, "[^", "[array.NAME]"),
        (workload, "[^]", "[[variant]]"),
        (workload, "[[^", "[array.NAME]"),
        (workload, "[[^]]", "[[pass]]"),
        (workload, "[[^]]", "[check]"),
        (workload, "[[pass.c^]] # one", "[[pass.call]] # one"),
        (workload, "[array.^]", "[array.NAME]"),
        (workload, "[ pa^ge]", "[pass.page]"),
        (workload, "ra^", "random"),
        (workload, "random = ^", "random = \"uniform\""),
        (workload, "random = un^", "random = \"uniform\""),
        (workload, "random = \"^\"", "random = \"uniform\""),
        (workload, "random = \"un^", "random = \"uniform\""),
        (machine, "[^", "[core]"),
        (machine, "[[^]]", "[core]"),
        (machine, "[c^]", "[core]"),
        ("name = \"m\"\n", "[^", "[core]"),
        ("", "[^]", "[[variant]]"),
        ("[core]\n", "fpr^", "fprs"),
        ("[core]\n", "fprs = ^", "fprs = 64"),
        ("[extensions]\n", "word_access = t^", "word_access = true"),
    ] {
        let shown = shown_in_vscode("file:///m.toml", &format!("{before}{line}"));
        assert!(shown.contains(&wanted.to_owned()), "{line}: {shown:?}");
    }
    for (before, line) in [("[package]\n", "[^"), (machine, "# [^"), (machine, "[core] # [^")] {
        let shown = shown_in_vscode("file:///m.toml", &format!("{before}{line}"));
        assert_eq!(shown, [""; 0], "{line}");
    }
}
