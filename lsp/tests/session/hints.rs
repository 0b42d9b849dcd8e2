//! Hints while a text is changed and has errors, and what is told of registers and loops.

use crate::SCALE;
use crate::client::{Client, URI, place};
use serde_json::{Value, json};

impl Client {
    /// Replaces all of the text.
    fn rewrite(&self, version: i32, text: &str) {
        let document = json!({ "uri": URI, "version": version });
        let params = json!({ "textDocument": document, "contentChanges": [{ "text": text }] });
        self.tell("textDocument/didChange", params);
    }
}

/// Returns the hints of a line, without its number.
fn of_line(hints: &[String], line: usize) -> Vec<&str> {
    let prefix = format!("{line} ");
    hints.iter().filter_map(|hint| hint.strip_prefix(&prefix)).collect()
}

#[test]
fn regions_that_did_not_change_keep_their_hints_where_an_error_is_elsewhere() {
    let second = SCALE.replace("first", "second").replace("scale", "again");
    let text = format!("{SCALE}{second}");
    let shift = SCALE.lines().count();
    let mut client = Client::opened(&text);
    client.diagnostics(1);
    client.diagnostics(1);
    let whole = client.hints();
    assert_eq!(of_line(&whole, 7 + shift), ["cycle 0, exchange"], "{whole:?}");
    assert!(of_line(&whole, 6 + shift)[0].contains("would make it"), "{whole:?}");
    // An operation of the first region is written wrong, a line is put before it, and its end is spoilt.
    let mut version = 1;
    for (changed, more) in [
        (text.replacen("psmul", "psmull", 1), 0),
        (
            text.replacen("; Multiplies", "        nop\n; Multiplies", 1)
                .replacen("psmul", "psmull", 1),
            1,
        ),
        (text.replacen(".endlinear", ".endlinea", 1), 0),
        (text.replacen("        seti    a0", "        setti   a0", 1), 0),
    ] {
        version += 1;
        client.rewrite(version, &changed);
        let errors = client.diagnostics(version);
        assert!(!errors.is_empty(), "{changed}");
        let hints = client.hints();
        for line in [6, 7, 8, 9] {
            let kept = of_line(&hints, line + shift + more);
            assert_eq!(kept, of_line(&whole, line + shift), "{changed}{hints:?}");
        }
        version += 1;
        client.rewrite(version, &text);
        client.diagnostics(version);
    }
}

#[test]
fn hints_are_never_those_of_another_text() {
    let mut client = Client::opened(SCALE);
    client.diagnostics(1);
    // Before the text is analysed: a line more above shifts, a line more within takes the hints away.
    client.rewrite(2, &format!("; one line more\n{SCALE}"));
    let shifted = client.hints();
    assert!(of_line(&shifted, 8).contains(&"cycle 0, exchange"), "{shifted:?}");
    client.diagnostics(2);
    let wrong = SCALE.replace("        psmul", "        psmull");
    client.rewrite(3, &wrong);
    assert!(!client.diagnostics(3).is_empty());
    let hints = client.hints();
    assert!([6, 7, 8, 9].iter().all(|line| of_line(&hints, *line).is_empty()), "{hints:?}");
    // The hint of a bundle before the error holds; that behind it is not known.
    assert_eq!(of_line(&hints, 3), ["cycle 0, exchange"], "{hints:?}");
    assert!(of_line(&hints, 12).is_empty(), "{hints:?}");
}

#[test]
fn bundles_and_loops_that_are_written_by_hand_have_their_cycles() {
    let text = "        .kernel k
        nop
        cadd    f1, f2, f3 | doi 4, last
        cmul    f4, f2, f3 | lwi f5, 0
last:   cadd    f6, f2, f3
        nop
        stopi   0
";
    let mut client = Client::opened(text);
    client.diagnostics(1);
    let hints = client.hints();
    assert_eq!(of_line(&hints, 1), ["cycle 0"]);
    assert_eq!(
        of_line(&hints, 2),
        ["cycle 1, arithmetic and exchange; interval 3, at least 2 by slots, 1 by dependences"]
    );
    assert_eq!(of_line(&hints, 3), ["cycle 0 of 3, arithmetic and exchange"]);
    assert_eq!(of_line(&hints, 4), ["cycle 1 of 3, arithmetic"]);
    assert_eq!(of_line(&hints, 6), ["bundle 5, exchange"]);
}

#[test]
fn cycles_are_not_counted_over_waits_and_inner_loops() {
    let text = "        .kernel k
        doi 4, outer
        nop
        doi 3, inner
        cmul    f4, f2, f3
inner:  nop
        cadd    f6, f2, f3
        nop
        sync
outer:  nop
        nop
        stopi   0
";
    let mut client = Client::opened(text);
    client.diagnostics(1);
    let hints = client.hints();
    assert_eq!(
        of_line(&hints, 1),
        ["cycle 0, exchange; 9 bundles, at least 2 cycles by slots"],
        "{hints:?}"
    );
    assert!(of_line(&hints, 3)[0].contains("; interval 3"), "{hints:?}");
    assert_eq!(of_line(&hints, 4), ["cycle 0 of 3, arithmetic"]);
    assert_eq!(of_line(&hints, 6), ["cycle 2 of 3, arithmetic"]);
    assert_eq!(of_line(&hints, 8), ["bundle 7, exchange"]);
}

#[test]
fn bundles_behind_an_error_in_a_region_have_no_hints() {
    let text = "        .kernel k
.linear
        lwo     %x, (r0)+1
        psadd   %x, %x, %zz
        swo     %x, (r1)+1
.endlinear
        seti    a0, 3
        stopi   0
";
    let mut client = Client::opened(text);
    assert!(!client.diagnostics(1).is_empty());
    let hints = client.hints();
    assert!([6, 7].iter().all(|line| of_line(&hints, *line).is_empty()), "{hints:?}");
}

#[test]
fn registers_of_the_machine_have_lifetime_and_pressure() {
    let text = "        .kernel k
        lwi     f1, 0
        lwi     f2, 1
        nop
        nop
        cadd    f3, f1, f2
        nop
        stopi   0
";
    let mut client = Client::opened(text);
    client.diagnostics(1);
    let mut told = |line, character| {
        let hover = client.ask_at("hover", [line, character]);
        hover["contents"]["value"].as_str().unwrap_or_default().to_owned()
    };
    let written = told(1, 16);
    assert!(
        written.contains("written in bundle 0 (line 2)")
            && written.contains("last read in bundle 4 (line 6)"),
        "{written}"
    );
    assert!(written.contains("0 of 64 FPRs"), "{written}");
    let read = told(5, 20);
    assert!(
        read.contains("written in bundle 0") && read.contains("2 of 64 FPRs hold a value"),
        "{read}"
    );
    assert!(told(5, 16).contains("not read behind that"), "{}", told(5, 16));
    let mut linear = Client::opened(SCALE);
    linear.diagnostics(1);
    let hover = linear.ask_at("hover", [8, 20]);
    let told = hover["contents"]["value"].as_str().unwrap_or_default();
    assert!(
        told.contains("hold values of the loop at this operation") && told.contains("of 64 FPRs"),
        "{told}"
    );
    let directive = linear.ask_at("hover", [6, 10]);
    assert!(
        directive["contents"]["value"].as_str().unwrap().contains(".loop COUNT[, min=N]"),
        "{directive}"
    );
}

#[test]
fn what_was_not_tried_is_told() {
    // A region that takes more work than a region is given.
    let body: String = (0..400)
        .map(|k| format!("        lwo %x{k}, (r0)+1\n        psmul %y{k}, %x{k}, f0\n        swo %y{k}, (r1)+1\n"))
        .collect();
    let text = format!(
        "        .kernel k\n.linear\n        .scratch g15\n        .loop   g2\n{body}        .endloop\n.endlinear\n        stopi 0\n"
    );
    let mut client = Client::opened(&text);
    client.diagnostics(1);
    let range = json!({ "start": place(3, 0), "end": place(3, 99) });
    let params = json!({ "textDocument": { "uri": URI }, "range": range });
    let hint = |client: &mut Client| -> Value {
        client.ask("textDocument/inlayHint", params.clone())[0].clone()
    };
    assert!(hint(&mut client)["tooltip"].as_str().unwrap().contains("are being tried"));
    client.diagnostics(1);
    let tried = hint(&mut client);
    assert!(tried["label"].as_str().unwrap().contains("interval"), "{tried}");
    assert!(!tried["tooltip"].as_str().unwrap().contains("are being tried"), "{tried}");
}

#[test]
fn dependences_from_turn_to_turn_bound_a_loop_that_is_written_by_hand() {
    // A sum of which each turn needs the one before: its result can be read eight bundles later.
    let text = "        .kernel k
        doi 4, last
        cadd    f1, f1, f2
        nop
        nop
        nop
        nop
        nop
        nop
        nop
last:   nop
        nop
        stopi   0
";
    let mut client = Client::opened(text);
    client.diagnostics(1);
    let hints = client.hints();
    assert_eq!(
        of_line(&hints, 1),
        ["cycle 0, exchange; interval 10, at least 1 by slots, 8 by dependences"]
    );
}

#[test]
fn a_loop_around_others_and_an_operation_that_another_one_does_have_hints() {
    let text = "        .kernel k
.linear
        .even   r0
        .loop   5
        .loop   64
        lwo     %a, (r0)+1
        lwo     %b, (r0)+1
        lwo     %c, (r0)+1
        lwo     %d, (r0)+1
        psmadd  f0, %a, %c
        psmadd  f1, %b, %d
        .endloop
        .endloop
.endlinear
        stopi   0
";
    let mut client = Client::opened(text);
    assert_eq!(client.diagnostics(1), [Value::Null; 0]);
    let hints = client.hints();
    let outer = of_line(&hints, 3);
    assert!(
        outer.len() == 1 && outer[0].contains(" bundles, around a loop of interval "),
        "{hints:?}"
    );
    for line in 5..9 {
        assert_eq!(of_line(&hints, line).len(), 1, "{hints:?}");
    }
    let merged = hints.iter().filter(|hint| hint.contains(", one with line ")).count();
    assert_eq!(merged, 2, "{hints:?}");
}

#[test]
fn lifetimes_go_over_the_back_edges_of_loops_and_wait_for_results() {
    let text = "        .kernel k
        seti    g1, 4
        lwi     f1, 0
        nop
        nop
        doi     4, last
        cadd    f3, f2, f1
        lwi     f2, 1
        nop
last:   nop
        nop
        stopi   0
";
    let mut client = Client::opened(text);
    client.diagnostics(1);
    let mut told = |line, character| {
        let hover = client.ask_at("hover", [line, character]);
        hover["contents"]["value"].as_str().unwrap_or_default().to_owned()
    };
    let written = told(7, 17);
    assert!(written.contains("last read in bundle 5 (line 7) of the next turn"), "{written}");
    let read = told(6, 21);
    assert!(
        read.contains("written in bundle 6 (line 8) of the turn before")
            && read.contains("or older than the kernel"),
        "{read}"
    );
}

#[test]
fn registers_beside_the_floating_point_ones_have_lifetimes_in_linear_code() {
    let mut client = Client::opened(SCALE);
    client.diagnostics(1);
    let mut told = |line, character| {
        let hover = client.ask_at("hover", [line, character]);
        hover["contents"]["value"].as_str().unwrap_or_default().to_owned()
    };
    let count = told(6, 16);
    assert!(count.contains("its value is older than the kernel"), "{count}");
    let set = told(7, 21);
    assert!(set.contains("written in bundle") && set.contains("1 bundle later"), "{set}");
}

#[test]
fn a_loop_that_ends_before_it_begins_has_no_interval() {
    let text = "        .kernel k
        nop
last:   nop
        nop
        doi 3, last
        cadd    f3, f2, f1
        nop
        stopi   0
";
    let mut client = Client::opened(text);
    client.diagnostics(1);
    assert_eq!(of_line(&client.hints(), 4), ["cycle 3, exchange"]);
    let hover = client.ask_at("hover", [5, 17]);
    assert!(hover["contents"]["value"].as_str().is_some_and(|told| told.contains("`f3`")));
}
