//! Machine files: what is wrong with them, what their keys mean, and which keys may stand at a place.

use crate::document::Document;
use crate::toml_places::{TomlPlace, headers, keys, toml_place, values};
use cp2_asm::diagnostic::{Diagnostic, Sources, Span};
use cp2_isa::MachineConfig;
use cp2_isa::machine::{Key, KeyKind};
use gen_lsp_types::{CompletionItem, Contents, Hover, MarkupContent, MarkupKind, Position};
use std::collections::HashMap;
use std::ops::Range;

/// Meaning of the one key that stands before all sections.
const NAME: &str = "name of the machine, by which reports and recordings call it";

/// Returns what is wrong with the machine file that has the number 0 in `sources`, each at its key if the text has that.
pub(crate) fn findings(sources: &Sources) -> Vec<Diagnostic> {
    let text = sources.text(0);
    let places = cp2_toml::read(sources, 0, |reader, top| {
        let mut places: HashMap<String, Range<usize>> = HashMap::new();
        for (section, span) in top.keys() {
            places.insert(section.to_owned(), span);
            let of_section = top.get(section).filter(|_| Key::sections().contains(&section));
            if let Some(keys) = of_section.and_then(|value| reader.table(value, section, "a table"))
            {
                let key = |(key, span)| (format!("{section}.{key}"), span);
                places.extend(keys.keys().into_iter().map(key));
            }
        }
        places
    });
    let places = match places {
        Ok(places) => places,
        Err(diagnostics) => return diagnostics,
    };
    let Err(error) = MachineConfig::parse(text) else { return Vec::new() };
    let finding = |problem: &String| {
        let key = problem.split([' ', ':']).next().unwrap_or_default();
        let section = key.split('.').next().unwrap_or_default();
        let range = places.get(key).or_else(|| places.get(section)).cloned().unwrap_or(0..0);
        Diagnostic::error("", Span { file: 0, range }, problem.as_str())
    };
    error.problems.iter().map(finding).collect()
}

/// Returns the section whose header is the last before a line, from 0, if it is one of a machine file.
fn section_of(document: &Document, line: usize) -> Option<&'static str> {
    let name = document.header_above(line)?;
    Key::sections().into_iter().find(|section| *section == name)
}

/// Returns what is told of the key of a line.
pub(crate) fn hover(document: &Document, position: Position) -> Option<Hover> {
    let line = document.line(position.line as usize);
    let name = line.split_once('=')?.0.trim();
    if name == "name" && document.header_above(position.line as usize).is_none() {
        let value = format!("**name**: {NAME}.\n\nTakes a text.");
        let content = MarkupContent { kind: MarkupKind::Markdown, value };
        return Some(Hover { contents: Contents::MarkupContent(content), range: None });
    }
    let key = Key::named(section_of(document, position.line as usize)?, name)?;
    let mut text = format!("**{key}**: {}.\n\nTakes {}.", key.info().description, key.info().kind);
    for machine in ["vm7", "vm9"].into_iter().filter_map(MachineConfig::preset) {
        let number = machine.number(key);
        text += &format!(
            "\n\n{}: {} ({})",
            machine.name(),
            value_text(key, number.value),
            number.origin
        );
    }
    let content = MarkupContent { kind: MarkupKind::Markdown, value: text };
    Some(Hover { contents: Contents::MarkupContent(content), range: None })
}

fn value_text(key: Key, value: u32) -> String {
    match key.info().kind {
        KeyKind::Flag => (value == 1).to_string(),
        _ => value.to_string(),
    }
}

/// Returns what may stand at a place: headers of sections, values behind `=`, else the keys of the section that the text has not.
pub(crate) fn completion(document: &Document, position: Position) -> Vec<CompletionItem> {
    let line = position.line as usize;
    match toml_place(document, position) {
        None => Vec::new(),
        Some(TomlPlace::Header) => {
            let all: Vec<String> = Key::sections().iter().map(|s| format!("[{s}]")).collect();
            headers(document, position, &all)
        }
        Some(TomlPlace::Value(name)) => {
            let key = section_of(document, line).and_then(|section| Key::named(section, name));
            key.map_or_else(Vec::new, |key| values(document, position, &words_of(key), false))
        }
        Some(TomlPlace::Key) => keys(document, position, wanted_keys(document, line).into_iter()),
    }
}

/// Returns values that a key takes: the two of a flag, the powers of two, and what the known machines have of numbers.
fn words_of(key: Key) -> Vec<String> {
    match key.info().kind {
        KeyKind::Flag => ["true", "false"].map(str::to_owned).to_vec(),
        KeyKind::Power(first, last) => {
            let powers = (0..u32::BITS).map(|n| 1_u32 << n);
            powers.filter(|n| (first..=last).contains(n)).map(|n| n.to_string()).collect()
        }
        KeyKind::Range(..) | KeyKind::Multiple(..) => {
            let machines = ["vm7", "vm9"].into_iter().filter_map(MachineConfig::preset);
            let mut all: Vec<u32> = machines.map(|machine| machine.number(key).value).collect();
            all.dedup();
            all.iter().map(u32::to_string).collect()
        }
    }
}

/// Returns the keys that may stand in a line, from 0, each with what it takes and means.
fn wanted_keys(document: &Document, line: usize) -> Vec<(&'static str, String)> {
    let lines = 0..document.text().lines().count();
    let Some(section) = section_of(document, line) else {
        let is_name =
            |at: usize| document.line(at).split('=').next().is_some_and(|k| k.trim() == "name");
        let is_top = document.header_above(line).is_none();
        let is_wanted = is_top && !lines.into_iter().any(|at| at != line && is_name(at));
        let name = || ("name", format!("a text: {NAME}"));
        return is_wanted.then(name).into_iter().collect();
    };
    let known: Vec<&str> = lines
        .filter(|at| *at != line && section_of(document, *at) == Some(section))
        .filter_map(|at| Some(document.line(at).split_once('=')?.0.trim()))
        .collect();
    let all = Key::ALL.into_iter().map(|key| key.info());
    all.filter(|info| info.section == section && !known.contains(&info.name))
        .map(|info| (info.name, format!("{}: {}", info.kind, info.description)))
        .collect()
}

/// Returns what may stand in a TOML file that has no table yet by which it were known: the headers of sections and tables that begin one.
pub(crate) fn first_headers(document: &Document, position: Position) -> Vec<CompletionItem> {
    let Some(TomlPlace::Header) = toml_place(document, position) else { return Vec::new() };
    // A text with another table is none of cp2.
    let mut lines = document.text().lines().enumerate();
    if lines.any(|(at, line)| at != position.line as usize && line.trim_start().starts_with('[')) {
        return Vec::new();
    }
    let mut all: Vec<String> = Key::sections().iter().map(|s| format!("[{s}]")).collect();
    all.push("[[variant]]".to_owned());
    headers(document, position, &all)
}
