//! Lenses above kernels and expectations: to run, to debug and to test them. What they start is the client's.

use crate::document::Document;
use cp2_asm::outline::WordKind;
use gen_lsp_types::{CodeLens, Command, Range};
use serde_json::json;

/// Commands of the client, each with its title; all take the address of the document, those of a kernel its name too.
const RUN: [&str; 2] = ["run", "cp2.run"];
const DEBUG: [&str; 2] = ["debug", "cp2.debug"];
const TEST: [&str; 2] = ["test", "cp2.test"];

/// Returns the lenses of a document: `run` and `debug` at each kernel, `test` at the first comment that is a directive of a file test.
pub(crate) fn lenses(uri: &str, document: &Document) -> Vec<CodeLens> {
    let text = document.text();
    let words = document.words();
    let lens = |range: Range, [title, command]: [&str; 2], kernel: Option<&str>| CodeLens {
        range,
        command: Some(Command {
            title: title.to_owned(),
            tooltip: None,
            command: command.to_owned(),
            arguments: Some(kernel.map_or(vec![json!(uri)], |name| vec![json!(uri), json!(name)])),
        }),
        data: None,
    };
    let mut all = Vec::new();
    for word in words.iter().filter(|word| word.defines) {
        let line = document.line(document.line_of(word.range.start));
        if line.trim_start().starts_with(".kernel") {
            let name = &text[word.range.clone()];
            let range = document.range(word.range.clone());
            all.extend([RUN, DEBUG].map(|command| lens(range, command, Some(name))));
        }
    }
    let mut comments = words.iter().filter(|word| word.kind == WordKind::Comment);
    let first = comments.find(|word| cp2_filetest::is_directive(&text[word.range.clone()]));
    if let Some(word) = first {
        all.push(lens(document.range(word.range.clone()), TEST, None));
    }
    all
}
