//! Words that may stand at the cursor.

use crate::document::Document;
use crate::words::{is_name, name_of};
use cp2_asm::outline::{WordKind, outline};
use cp2_isa::doc::{form, matching};
use cp2_isa::{Arith, Exch, Row, Slot};
use gen_lsp_types::{CompletionItem, CompletionItemKind, Position};
use std::collections::BTreeSet;

/// Returns what may stand at a place: directives behind a dot, virtual registers behind `%`, operations at the begin of a half, else names
/// of the text.
pub(crate) fn completion(document: &Document, position: Position) -> Vec<CompletionItem> {
    let byte = document.byte(position);
    let before = document.line_before(position);
    let start = before
        .rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let (lead, mark) = (before[..start].trim_end(), before[..start].chars().next_back());
    let is_half = lead.is_empty() || lead.ends_with([':', '|', ']']);
    match mark {
        Some('.') => directives(),
        Some('%') => names(document, byte, true),
        _ if is_half => {
            operations(lead.contains('|')).chain(names(document, byte, false)).collect()
        }
        _ => names(document, byte, false),
    }
}

/// Creates what is offered: a word with its kind, and more about it.
pub(crate) fn item(
    label: &str,
    kind: CompletionItemKind,
    detail: Option<String>,
) -> CompletionItem {
    CompletionItem {
        label: label.to_owned(),
        kind: Some(kind),
        detail,
        ..CompletionItem::default()
    }
}

fn directives() -> Vec<CompletionItem> {
    let of = |name: &&str| item(name, CompletionItemKind::Keyword, None);
    cp2_asm::outline::directives().iter().map(of).collect()
}

/// Returns the operations; behind the bar those of the exchange half.
fn operations(is_right: bool) -> impl Iterator<Item = CompletionItem> {
    let all = Arith::ALL.iter().map(|op| op.row()).chain(Exch::ALL.iter().map(|op| op.row()));
    let fits = move |row: &&'static Row| !is_right || row.slot == Slot::Exchange;
    let names: BTreeSet<&'static str> = all.filter(fits).map(|row| row.name).collect();
    names.into_iter().map(|name| {
        let shape = matching(name).first().map(|row| form(row));
        item(name, CompletionItemKind::Function, shape)
    })
}

/// Returns the names of the text but for that which is being written: virtual registers of the region, or names with a meaning.
fn names(document: &Document, byte: usize, are_virtual: bool) -> Vec<CompletionItem> {
    let (text, words) = (document.text(), outline(document.text()));
    let here = |range: &std::ops::Range<usize>| range.start < byte && byte <= range.end;
    let region = words.iter().rfind(|word| word.range.start < byte).and_then(|word| word.region);
    let found: BTreeSet<&str> = words
        .iter()
        .filter(|word| !here(&word.range))
        .filter(|word| match are_virtual {
            true => word.kind == WordKind::Virtual && word.region == region,
            false => word.defines && is_name(word),
        })
        .map(|word| name_of(text, word).trim_start_matches('%'))
        .collect();
    found.into_iter().map(|name| item(name, CompletionItemKind::Variable, None)).collect()
}
