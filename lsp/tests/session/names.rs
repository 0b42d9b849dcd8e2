//! Names: where they get their meaning, where they stand, their rename; names that repetitions make among them.

use crate::client::{Client, URI, at, place};
use crate::{SCALE, found};
use serde_json::{Value, json};

#[test]
fn names_are_found_and_renamed_where_they_are_known() {
    let text = format!("{SCALE}{}", SCALE.replace("first", "second").replace("scale", "again"));
    let mut client = Client::opened(&text);
    let defined = client.ask_at("definition", [3, 23]);
    assert_eq!(defined[0]["range"]["start"], place(0, 8));
    let x = |line| json!([line, 16]);
    let mut params = at(7, 17);
    params["newName"] = "value".into();
    let renamed = client.ask("textDocument/rename", params.clone());
    let edits = renamed["changes"][URI].as_array().unwrap();
    let places: Vec<Value> = edits
        .iter()
        .map(|edit| json!([edit["range"]["start"]["line"], edit["range"]["start"]["character"]]))
        .collect();
    assert_eq!(places, [x(7), json!([8, 20])], "only in its region");
    assert_eq!(edits[0]["newText"], "%value");
    for (name, sentence) in [("%y", "stands in this text already"), ("a b", "is no name")] {
        params["newName"] = name.into();
        let refused = client.respond("textDocument/rename", params.clone());
        let refused = serde_json::to_value(refused).unwrap();
        assert!(refused["error"]["message"].as_str().unwrap().contains(sentence), "{refused}");
    }
    let mut params = at(0, 9);
    params["context"] = json!({ "includeDeclaration": true });
    assert_eq!(client.ask("textDocument/references", params).as_array().unwrap().len(), 2);
}

#[test]
fn a_register_beside_names_that_repetitions_make_is_not_renamed() {
    let text = "        .kernel k
.linear
        .rept   2, k
        lwo     %a{\\k}, (r0)+1
        .endr
        psadd   %z, %a0, %a0
        swo     %z, (r1)+1
.endlinear
        stopi   0
";
    let mut client = Client::opened(text);
    let mut params = at(5, 17);
    params["newName"] = "a1".into();
    let refused = serde_json::to_value(client.respond("textDocument/rename", params)).unwrap();
    let sentence = refused["error"]["message"].as_str().unwrap_or_default();
    assert!(
        sentence.contains("names that repetitions, macros or included files make"),
        "{refused}"
    );
}

#[test]
fn a_parameter_and_a_name_of_two_texts_are_not_renamed() {
    let refused = |client: &mut Client, uri: &str| {
        let place = json!({ "line": 0, "character": 0 });
        let params =
            json!({ "textDocument": { "uri": uri }, "position": place, "newName": "other" });
        let refused = client.respond("textDocument/rename", params);
        let refused = serde_json::to_value(refused).unwrap();
        refused["error"]["message"].as_str().unwrap_or_default().to_owned()
    };
    let macros = "n:      nop\n.macro twice n\n        inci f\\n, f1\n.endm\n        stopi 0\n";
    let sentence = refused(&mut Client::opened(macros), URI);
    assert!(sentence.contains("parameter of a macro or a repetition"), "{sentence}");
    let folder = tempfile::tempdir().unwrap();
    let uri = |name: &str| format!("file://{}", folder.path().join(name).display());
    let definitions = "here:   nop\n";
    std::fs::write(folder.path().join("def.inc"), definitions).unwrap();
    let mut client = Client::new(&["utf-8"]);
    let using = "        .kernel k\n.include \"def.inc\"\n        | runi here\n        stopi 0\n";
    found(&client, &uri("k.s"), using);
    client.open(&uri("def.inc"), definitions);
    let sentence = refused(&mut client, &uri("def.inc"));
    assert!(sentence.contains("k.s too"), "{sentence}");
}

/// A region whose registers and labels a repetition makes.
const MADE: &str = r"        .kernel k
.linear
        .rept   2, k
        lwo     %a{\k}, (r0)+1
        .endr
        psadd   %z, %a0, %a1
        swo     %z, (r1)+1
.endlinear
        .rept   2, k
l\k:    nop
        .endr
        jumpi   l1
top:    nop
        stopi   0
";

impl Client {
    /// Returns the lines and columns of an answer of places.
    fn places(&mut self, method: &str, [line, character]: [u32; 2]) -> Vec<[u64; 2]> {
        let mut params = at(line, character);
        params["context"] = json!({ "includeDeclaration": true });
        let places = self.ask(&format!("textDocument/{method}"), params);
        let start = |place: &Value| {
            let start = &place["range"]["start"];
            [&start["line"], &start["character"]].map(|n| n.as_u64().unwrap())
        };
        places.as_array().unwrap().iter().map(start).collect()
    }

    /// Returns why a name is not renamed.
    fn refused(&mut self, [line, character]: [u32; 2], name: &str) -> String {
        let mut params = at(line, character);
        params["newName"] = name.into();
        let answer = serde_json::to_value(self.respond("textDocument/rename", params)).unwrap();
        answer["error"]["message"].as_str().unwrap_or_default().to_owned()
    }
}

#[test]
fn registers_that_a_repetition_makes_are_found() {
    let mut client = Client::opened(MADE);
    // What the text stands for is known when its findings are.
    client.diagnostics(1);
    let found = client.diagnostics(1);
    assert!(found.iter().all(|finding| finding["severity"] != 1), "{found:?}");
    let [made, a0, a1] = [[3, 16], [5, 20], [5, 25]];
    assert_eq!(client.places("definition", [5, 21]), [made]);
    assert_eq!(client.places("references", [5, 21]), [made, a0]);
    assert_eq!(client.places("references", [3, 17]), [made, a0, a1]);
    let hover = client.ask_at("hover", [3, 17]);
    let told = hover["contents"]["value"].as_str().unwrap();
    assert!(told.contains("`%a{\\k}`") && told.contains("`%a0`, `%a1`"), "{told}");
    let hover = client.ask_at("hover", [5, 21]);
    let told = hover["contents"]["value"].as_str().unwrap();
    assert!(told.contains("2 places in its region"), "{told}");
}

#[test]
fn labels_that_a_repetition_makes_are_found_and_not_renamed() {
    let mut client = Client::opened(MADE);
    // What the text stands for is known when its findings are.
    client.diagnostics(1);
    assert_eq!(client.places("definition", [11, 16]), [[9, 0]]);
    assert_eq!(client.places("references", [9, 0]), [[9, 0], [11, 16]]);
    let sentence = client.refused([11, 16], "other");
    assert_eq!(
        sentence,
        "`l1` may be one of the names that `l\\k` in line 10 makes; rename it by hand"
    );
    let sentence = client.refused([9, 0], "other");
    assert_eq!(sentence, "`l\\k` stands for several names; rename them by hand");
    let sentence = client.refused([12, 0], "l0");
    assert_eq!(
        sentence,
        "`l0` may be one of the names that `l\\k` in line 10 makes; take another name"
    );
    assert_eq!(client.refused([12, 0], "last"), "");
    let hover = client.ask_at("hover", [9, 0]);
    let told = hover["contents"]["value"].as_str().unwrap();
    assert!(told.contains("`l0`, `l1`"), "{told}");
}

#[test]
fn a_register_whose_number_stands_in_a_hole_is_no_name() {
    let text = "        .kernel k
        .rept   2, i
        cadd    f{20+\\i}, f2, f\\i
        .endr
        .macro  sum a
        cadd    f\\a, f2, f3
        .endm
        sum     4
        stopi   0
";
    let mut client = Client::opened(text);
    let found = client.diagnostics(1);
    assert!(found.iter().all(|finding| finding["severity"] != 1), "{found:?}");
    for place in [[2, 16], [2, 30], [5, 16]] {
        assert_eq!(client.ask_at("prepareRename", place), Value::Null, "{place:?}");
        assert_eq!(client.places("references", place), [[0; 2]; 0], "{place:?}");
        let sentence = client.refused(place, "other");
        assert_eq!(sentence, "there is no name here that could be renamed");
    }
}
