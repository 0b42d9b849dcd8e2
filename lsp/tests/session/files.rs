//! Texts that include others: from the editor and from the disk, as they change and vanish; names over all of them.

use crate::client::{Client, place};
use crate::{asked_of, found};
use serde_json::{Value, json};
use std::path::Path;

const USING: &str =
    "        .kernel k\n.include \"def.inc\"\n        seti    g1, size\n        stopi   0\n";

/// A folder with a text that includes another one.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(included: &str) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        std::fs::write(folder.path("def.inc"), included).unwrap();
        folder
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn uri(&self, name: &str) -> String {
        format!("file://{}", self.path(name).display())
    }
}

/// Writes a file so that the time of its change is another one.
fn rewritten(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
}

#[test]
fn a_device_that_a_text_includes_is_refused() {
    let client = Client::new(&["utf-8"]);
    let endless = found(&client, "file:///k.s", ".include \"/dev/zero\"\n");
    assert!(endless.iter().any(|(_, _, message)| message.contains("regular file")), "{endless:?}");
}

#[test]
fn a_file_that_changes_or_vanishes_is_noticed() {
    let folder = Folder::new(".equ size, 8\n");
    let client = Client::new(&["utf-8"]);
    assert_eq!(found(&client, &folder.uri("k.s"), USING), []);
    // No message tells of the change: the server looks itself.
    rewritten(&folder.path("def.inc"), ".equ sizes, 8\n");
    let wrong = client.diagnostics(1);
    assert!(wrong[0]["message"].as_str().unwrap().contains("`size` is not defined"), "{wrong:?}");
    std::fs::write(folder.path("def.inc"), ".equ size, 8\n        nopp\n").unwrap();
    client.tell("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    let within = client.diagnostics(1);
    let range = json!({ "start": place(1, 0), "end": place(1, 18) });
    assert_eq!(within[0]["range"], range, "where the text is included: {within:?}");
    std::fs::remove_file(folder.path("def.inc")).unwrap();
    client.tell("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    let gone = client.diagnostics(1);
    assert_eq!(gone[0]["code"], "C0408", "{gone:?}");
    assert!(gone[0]["message"].as_str().unwrap().contains("cannot be read"), "{gone:?}");
    std::fs::write(folder.path("def.inc"), ".equ size, 8\n").unwrap();
    client.tell("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    assert_eq!(client.diagnostics(1), [Value::Null; 0]);
}

#[test]
fn a_text_that_is_open_is_included_as_it_is_there() {
    let folder = Folder::new("; nothing\n");
    let client = Client::new(&["utf-8"]);
    let wrong = found(&client, &folder.uri("k.s"), USING);
    assert_eq!(wrong.len(), 1, "{wrong:?}");
    client.open(&folder.uri("def.inc"), ".equ size, 8\n");
    assert_eq!(client.diagnostics_of(&folder.uri("k.s"), 1), [Value::Null; 0]);
    let document = json!({ "uri": folder.uri("def.inc"), "version": 2 });
    let change = json!([{ "text": ".equ sizes, 8\n" }]);
    let params = json!({ "textDocument": document, "contentChanges": change });
    client.tell("textDocument/didChange", params);
    assert_eq!(client.diagnostics_of(&folder.uri("k.s"), 1).len(), 1);
    client
        .tell("textDocument/didClose", json!({ "textDocument": { "uri": folder.uri("def.inc") } }));
    assert_eq!(client.diagnostics_of(&folder.uri("k.s"), 1).len(), 1, "as on the disk");
}

#[test]
fn names_of_included_texts_are_found_and_explained() {
    let folder = Folder::new(
        "; Words of a row.\n.equ size, 8\n.macro twice x\n        inci \\x, f1\n.endm\n",
    );
    let text = format!("{USING}        twice f2\n");
    let uri = folder.uri("k.s");
    let mut client = Client::new(&["utf-8"]);
    found(&client, &uri, &text);
    let defined = asked_of(&mut client, "definition", &uri, [2, 23]);
    assert_eq!(defined[0]["uri"], folder.uri("def.inc"));
    assert_eq!(defined[0]["range"]["start"], place(1, 5));
    let of_macro = asked_of(&mut client, "definition", &uri, [4, 10]);
    assert_eq!(of_macro[0]["range"]["start"], place(2, 7));
    let hover = asked_of(&mut client, "hover", &uri, [2, 23]);
    let told = hover["contents"]["value"].as_str().unwrap();
    assert!(told.contains("; Words of a row.") && told.contains("def.inc"), "{told}");
    let mut references = |uri: &str, [line, character]: [u32; 2]| {
        let params = json!({
            "textDocument": { "uri": uri }, "position": place(line, character),
            "context": { "includeDeclaration": true },
        });
        client.ask("textDocument/references", params).as_array().unwrap().len()
    };
    assert_eq!(references(&uri, [2, 23]), 2);
    let mut other = Client::new(&["utf-8"]);
    found(&other, &uri, &text);
    other.open(&folder.uri("def.inc"), &std::fs::read_to_string(folder.path("def.inc")).unwrap());
    let params = json!({
        "textDocument": { "uri": folder.uri("def.inc") }, "position": place(1, 6),
        "context": { "includeDeclaration": false },
    });
    let uses = other.ask("textDocument/references", params);
    assert_eq!((uses.as_array().unwrap().len(), &uses[0]["uri"]), (1, &json!(uri)));
}

#[test]
fn a_client_that_can_is_asked_to_watch_the_included_files() {
    let folder = Folder::new(".equ size, 8\n");
    let can = json!({ "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } } });
    let client = Client::with(&can);
    client.open(&folder.uri("k.s"), USING);
    let asked = client.asked_for("client/registerCapability");
    let registration = &asked["registrations"][0];
    assert_eq!(registration["method"], "workspace/didChangeWatchedFiles");
    assert_eq!(registration["registerOptions"]["watchers"][0]["globPattern"], "**/def.inc");
}

/// A text that makes sense where another one includes it alone.
const PART: &str = "        seti    g1, size\n        twice   f2\n        cadd    f1, f2\n";
const ROOT: &str = "        .kernel k\n.equ size, 8\n.macro twice x\n        cadd \\x, f1, f1\n.endm\n.include \"part.inc\"\n        stopi   0\n";

#[test]
fn an_included_text_alone_is_told_what_holds_anywhere() {
    let folder = Folder::new("; nothing\n");
    let client = Client::new(&["utf-8"]);
    let told = found(&client, &folder.uri("part.inc"), PART);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!((told[0].0, &*told[0].1), (2, "C0302"));
}

#[test]
fn an_included_text_is_told_as_a_part_of_the_text_that_includes_it() {
    let folder = Folder::new("; nothing\n");
    std::fs::write(folder.path("part.inc"), "; nothing\n").unwrap();
    std::fs::write(folder.path("root.s"), ROOT).unwrap();
    let wrong = PART.replace("size", "sizes");
    // The text that includes it is a file of the folder.
    let client = Client::new(&["utf-8"]);
    let told = found(&client, &folder.uri("part.inc"), &wrong);
    let codes: Vec<_> = told.iter().map(|(line, code, _)| (*line, &**code)).collect();
    assert_eq!(codes, [(0, "C0201"), (2, "C0302")], "{told:?}");
    // It is open, under another name, and is opened behind the part.
    let client = Client::new(&["utf-8"]);
    std::fs::remove_file(folder.path("root.s")).unwrap();
    assert_eq!(found(&client, &folder.uri("part.inc"), &wrong).len(), 1);
    client.open(&folder.uri("other.s"), ROOT);
    let again = client.diagnostics_of(&folder.uri("part.inc"), 1);
    assert_eq!(again.len(), 2, "{again:?}");
    // A change of the text that includes it is told in the part.
    let document = json!({ "uri": folder.uri("other.s"), "version": 2 });
    let change = json!([{ "text": ROOT.replace("size", "sizes") }]);
    client.tell(
        "textDocument/didChange",
        json!({ "textDocument": document, "contentChanges": change }),
    );
    let again = client.diagnostics_of(&folder.uri("part.inc"), 1);
    assert_eq!(again.len(), 1, "{again:?}");
    client
        .tell("textDocument/didClose", json!({ "textDocument": { "uri": folder.uri("other.s") } }));
    assert_eq!(client.diagnostics_of(&folder.uri("part.inc"), 1).len(), 1);
}

#[test]
fn bundles_of_an_included_text_have_the_cycles_of_their_program() {
    let folder = Folder::new("; nothing\n");
    std::fs::write(folder.path("root.s"), ROOT.replace("stopi", "nop\n        stopi")).unwrap();
    let mut client = Client::new(&["utf-8"]);
    let uri = folder.uri("part.inc");
    assert_eq!(found(&client, &uri, "        nop\n        seti    g1, size\n"), []);
    let range = json!({ "start": place(0, 0), "end": place(9, 0) });
    let params = json!({ "textDocument": { "uri": uri }, "range": range });
    let hints = client.ask("textDocument/inlayHint", params);
    assert_eq!(hints[1]["label"], "cycle 1, exchange", "{hints}");
}
