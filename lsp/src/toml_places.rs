//! What stands at a place of a TOML file: a header, a key or a value, and the edits that put something else there.

use crate::completion::{item, place_edit};
use crate::document::Document;
use gen_lsp_types::{CompletionItem, CompletionItemKind, Position};

/// Part of a line of a TOML file that a caret stands in.
pub(crate) enum TomlPlace<'a> {
    /// Header of a table, with its brackets.
    Header,
    /// Key before a `=`, or one that has none yet.
    Key,
    /// Value behind the `=` of a key.
    Value(&'a str),
}

/// Returns what a place of a TOML file is; `None` in a comment.
pub(crate) fn toml_place(document: &Document, position: Position) -> Option<TomlPlace<'_>> {
    let before = document.line_before(position).trim_start();
    let mut quotes = 0;
    let is_comment = before.chars().any(|c| {
        quotes += u32::from(c == '"');
        c == '#' && quotes % 2 == 0
    });
    if is_comment {
        return None;
    }
    Some(match before.split_once('=') {
        _ if before.starts_with('[') => TomlPlace::Header,
        Some((key, _)) => TomlPlace::Value(key.trim()),
        None => TomlPlace::Key,
    })
}

/// Returns headers, each of which takes the place of the one that stands around the caret, with the brackets that it has there.
pub(crate) fn headers(
    document: &Document,
    position: Position,
    all: &[String],
) -> Vec<CompletionItem> {
    let before = document.line_before(position);
    let behind = &document.line(position.line as usize)[before.len()..];
    let begin = before.len() - before.trim_start().len();
    // The name and the brackets behind the caret, which the editor may have closed.
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let brackets = behind.trim_start_matches(is_name);
    let closed = brackets.trim_start_matches([']', ' ']);
    let is_closed = brackets.trim_start().starts_with(']');
    let rest = if is_closed { closed } else { brackets };
    let end = before.len() + behind[..behind.len() - rest.len()].trim_end().len();
    // Editors filter by what stands before the caret, whatever brackets that has.
    let typed = &before[begin..];
    let lead = &typed[..typed.len() - typed.trim_start_matches(['[', ' ']).len()];
    let of = |header: &String| {
        let mut item = item(header, CompletionItemKind::Module, None);
        item.filter_text = Some(format!("{lead}{}", header.trim_matches(['[', ']'])));
        place_edit(document, position, begin..end.max(before.len()), &mut item);
        item
    };
    all.iter().map(of).collect()
}

/// Returns keys, each with what is told of it, in place of the one that is being written.
pub(crate) fn keys<'a>(
    document: &Document,
    position: Position,
    all: impl Iterator<Item = (&'a str, String)>,
) -> Vec<CompletionItem> {
    let before = document.line_before(position);
    let begin = before.len() - before.trim_start().len();
    all.map(|(name, detail)| {
        let mut item = item(name, CompletionItemKind::Property, Some(detail));
        place_edit(document, position, begin..before.len(), &mut item);
        item
    })
    .collect()
}

/// Returns values in place of the one that is being written; texts with their quotes, of which those that stand there already stay.
pub(crate) fn values(
    document: &Document,
    position: Position,
    all: &[String],
    are_texts: bool,
) -> Vec<CompletionItem> {
    let before = document.line_before(position);
    let behind = &document.line(position.line as usize)[before.len()..];
    let equals = before.find('=').map_or(before.len(), |at| at + 1);
    let value = &before[equals..];
    let is_open = are_texts && value.matches('"').count() % 2 == 1;
    let begin = match value.rfind(['"', ',', '[']) {
        Some(at) if is_open || !value[at..].starts_with('"') => equals + at + 1,
        _ => equals,
    };
    let begin = begin + (before[begin..].len() - before[begin..].trim_start().len());
    let of = |word: &String| {
        let label = if is_open || !are_texts { word.clone() } else { format!("\"{word}\"") };
        let mut item = item(&label, CompletionItemKind::EnumMember, None);
        if is_open && !behind.contains('"') {
            item.insert_text = Some(format!("{word}\""));
        }
        item.filter_text = Some(word.clone());
        place_edit(document, position, begin..before.len(), &mut item);
        item
    };
    all.iter().map(of).collect()
}
