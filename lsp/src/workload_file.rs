//! Workload files: what their keys mean and take, and which keys and words may stand at a place.

use crate::document::Document;
use crate::toml_places::{TomlPlace, headers, keys, toml_place, values};
use cp2_asm::nearest;
use cp2_isa::machine::TOGGLES;
use cp2_session::workload::Platform;
use cp2_workloads::catalogue;
use cp2_workloads::file::{WorkloadKey, WorkloadTable};
use gen_lsp_types::{CompletionItem, Contents, Hover, MarkupContent, MarkupKind, Position};

/// Headers of tables.
const HEADERS: [&str; 7] = [
    "[[variant]]",
    "[array.NAME]",
    "[arguments]",
    "[check]",
    "[[pass]]",
    "[pass.page]",
    "[[pass.call]]",
];

/// Returns the table in which a line, from 0, stands; `None` in tables whose keys are names of the user's own.
fn table_of(document: &Document, line: usize) -> Option<WorkloadTable> {
    let Some(name) = document.header_above(line) else { return Some(WorkloadTable::File) };
    match name {
        "variant" => Some(WorkloadTable::Variant),
        "check" => Some(WorkloadTable::Check),
        "pass" => Some(WorkloadTable::Pass),
        "pass.call" => Some(WorkloadTable::Call),
        _ => name.starts_with("array.").then_some(WorkloadTable::Array),
    }
}

fn key_of(document: &Document, line: usize, name: &str) -> Option<WorkloadKey> {
    table_of(document, line)?.keys().find(|key| key.name == name.trim())
}

/// Returns the words that a key takes: those of the language, or names that cp2 knows.
fn words_of(key: &WorkloadKey) -> Vec<String> {
    match (key.table, key.name) {
        (WorkloadTable::Variant, "shipped") => {
            let all = catalogue::workloads(Platform::Cp2);
            all.iter().map(|workload| workload.about().name).collect()
        }
        (WorkloadTable::Variant, "needs") => TOGGLES.map(|toggle| toggle.name.to_owned()).to_vec(),
        _ => key.words().into_iter().map(str::to_owned).collect(),
    }
}

/// Returns what is told of the key of a line, or of the word behind it that is none of those which the key takes.
pub(crate) fn hover(document: &Document, position: Position) -> Option<Hover> {
    let line = position.line as usize;
    let (name, value) = document.line(line).split_once('=')?;
    let key = key_of(document, line, name)?;
    let mut text = format!("**{}**: {}.\n\nTakes {}.", key.name, key.meaning, key.takes);
    let words = key.words();
    if !words.is_empty() {
        text += &format!("\n\nWords: {}.", words.join(", "));
        let word = value.split('#').next().unwrap_or_default().trim().trim_matches(['"', '\'']);
        let near = nearest(word, words.iter().copied()).filter(|_| !words.contains(&word));
        if let Some(near) = near {
            text += &format!("\n\n`{word}` is none of them; did you mean `{near}`?");
        }
    }
    let content = MarkupContent { kind: MarkupKind::Markdown, value: text };
    Some(Hover { contents: Contents::MarkupContent(content), range: None })
}

/// Returns what may stand at a place: headers of tables, words behind `=`, else the keys of the table that are not there yet.
pub(crate) fn completion(document: &Document, position: Position) -> Vec<CompletionItem> {
    let line = position.line as usize;
    match toml_place(document, position) {
        None => Vec::new(),
        Some(TomlPlace::Header) => headers(document, position, &HEADERS.map(str::to_owned)),
        Some(TomlPlace::Value(name)) => {
            let Some(key) = key_of(document, line, name) else { return Vec::new() };
            values(document, position, &words_of(&key), true)
        }
        Some(TomlPlace::Key) => {
            let Some(table) = table_of(document, line) else { return Vec::new() };
            let known = keys_of_table(document, line);
            let all = table.keys().filter(|key| !known.contains(&key.name));
            keys(
                document,
                position,
                all.map(|key| (key.name, format!("{}: {}", key.takes, key.meaning))),
            )
        }
    }
}

/// Returns the keys that the table of a line has in other lines.
fn keys_of_table(document: &Document, line: usize) -> Vec<&str> {
    let is_header = |at: &usize| document.line(*at).trim().starts_with('[');
    let count = document.text().lines().count();
    let begin = (0..=line.min(count)).rev().find(is_header).map_or(0, |at| at + 1);
    let end = (line + 1..count).find(is_header).unwrap_or(count);
    (begin..end)
        .filter(|at| *at != line)
        .filter_map(|at| Some(document.line(at).split_once('=')?.0.trim()))
        .collect()
}
