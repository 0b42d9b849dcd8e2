//! The layout of `cp2 fmt`.

use crate::document::Document;
use gen_lsp_types::TextEdit;

/// Returns the changes that give a document its layout: the lines between those that are alike at begin and end.
pub(crate) fn formatting(document: &Document) -> Vec<TextEdit> {
    let (old, new) = (document.text(), cp2_asm::formatted(document.text()));
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
