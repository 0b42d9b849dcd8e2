//! Edits of what is offered: the part of the line that each word replaces, from which editors take what to filter it by.

use crate::document::Document;
use gen_lsp_types::{CompletionItem, Position, Range, TextEdit};

/// Gives each item the edit that it means: its text in place of the part before the caret that has a byte of the line as its begin. A label that
/// begins with marks replaces those that stand before that part already.
pub(crate) fn place_edits(
    document: &Document,
    position: Position,
    begin: usize,
    items: &mut [CompletionItem],
) {
    let before = document.line_before(position);
    for item in items {
        let begin = label_begin(before, begin, &item.label);
        place_edit(document, position, begin..before.len(), item);
    }
}

/// Gives an item the edit that writes its text in place of bytes of the line.
pub(crate) fn place_edit(
    document: &Document,
    position: Position,
    bytes: std::ops::Range<usize>,
    item: &mut CompletionItem,
) {
    let line = document.start_of_line(position.line as usize);
    let place = |byte: usize| document.position(line + byte);
    let range = Range { start: place(bytes.start), end: place(bytes.end) };
    let new_text = item.insert_text.take().unwrap_or_else(|| item.label.clone());
    item.text_edit = Some(TextEdit { range, new_text }.into());
}

/// Returns the place at which the longest begin of a label stands before the caret, if that is before `begin`; else `begin`.
fn label_begin(before: &str, begin: usize, label: &str) -> usize {
    let least = before.len().saturating_sub(label.len());
    let is_begin = |at: &usize| {
        before.is_char_boundary(*at)
            && label.get(..before.len() - at).is_some_and(|part| part == &before[*at..])
    };
    // A word in whose middle the label begins is another one.
    let is_apart = |at: &usize| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        !before[..*at].ends_with(is_part) || !before[*at..].starts_with(is_part)
    };
    (least..begin).find(|at| is_begin(at) && is_apart(at)).unwrap_or(begin)
}
