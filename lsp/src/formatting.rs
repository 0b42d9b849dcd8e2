//! The layout of `cp2 fmt`.

use crate::document::Document;
use crate::language::TextLanguage;
use cp2_asm::diagnostic::Sources;
use gen_lsp_types::TextEdit;

/// Returns the text of a document in its layout; `None` for TOML, and for a program of the STAR machine that cannot be read.
fn formatted(uri: &str, text: &str) -> Option<String> {
    match TextLanguage::of(uri, text) {
        TextLanguage::Assembly => Some(cp2_asm::formatted(text)),
        TextLanguage::Star => {
            let mut sources = Sources::default();
            sources.add(uri, text);
            let tree = cp2_star::language::parse(&sources, 0).ok()?;
            Some(cp2_asm::with_line_ends(text, cp2_star::language::format(&tree)))
        }
        _ => None,
    }
}

/// Returns the changes that give a document its layout: the lines between those that are alike at begin and end.
pub(crate) fn formatting(uri: &str, document: &Document) -> Vec<TextEdit> {
    let old = document.text();
    let Some(new) = formatted(uri, old) else { return Vec::new() };
    if old == new {
        return Vec::new();
    }
    let [old_lines, new_lines] =
        [old, &new].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let alike = |(a, b): &(&&str, &&str)| a == b;
    let head = old_lines.iter().zip(&new_lines).take_while(alike).count();
    let tails = old_lines[head..].iter().rev().zip(new_lines[head..].iter().rev());
    let tail = tails.take_while(alike).count();
    let bytes = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
    let begin = bytes(&old_lines[..head]);
    let end = old.len() - bytes(&old_lines[old_lines.len() - tail..]);
    let new_text = new_lines[head..new_lines.len() - tail].concat();
    vec![TextEdit { range: document.range(begin..end), new_text }]
}
