//! What stands under the cursor: an operation, a directive, a register, a name.

use crate::analysis::{AnalysedProgram, Analysis};
use crate::directives::directive_form;
use crate::document::Document;
use crate::made::MadeName;
use crate::registers::{in_linear, register, virtual_names};
use crate::uri::path_of;
use crate::words::{is_name, name_of, places, word_at};
use cp2_asm::outline::{OutlineWord, WordKind};
use cp2_isa::Core;
use cp2_isa::doc::{entry, matching};
use gen_lsp_types::{Contents, Hover, MarkupContent, MarkupKind, Position};
use std::ops::Range;

/// Most names that a name with holes is told to stand for.
const MOST: usize = 8;

/// Returns what is told of the word at a place. `others` are the texts that are assembled together with this one.
pub(crate) fn hover(
    core: &Core,
    document: &Document,
    (analysis, others): (Option<&Analysis>, &[(String, Document)]),
    position: Position,
) -> Option<Hover> {
    let (words, byte) = (document.words(), document.byte(position));
    let line = position.line as usize;
    let program = analysis.and_then(|analysis| analysis.program_at(line));
    if let Some(made) = document.made_at(byte) {
        let text = made_name(document, made, (program, position));
        return Some(hover_of(document, text, made.range.clone()));
    }
    let word = word_at(words, byte)?;
    let written = &document.text()[word.range.clone()];
    let at = (line, written);
    let text = match word.kind {
        WordKind::Operation => operation(core, written)
            .or_else(|| name(document, (words, Some(byte)), written))
            .or_else(|| elsewhere(others, written))?,
        WordKind::Virtual => {
            let uses = places(document, position).map_or(0, |found| found.all.len());
            let text = format!("`{written}`: virtual register, {} in its region", counted(uses));
            text + &program.map(|program| in_linear(program, at)).unwrap_or_default()
        }
        WordKind::Register => register(core, program, at, word.region.is_some())?,
        _ if is_name(word) => {
            name(document, (words, Some(byte)), written).or_else(|| elsewhere(others, written))?
        }
        WordKind::Directive => directive(written)?,
        _ => return None,
    };
    Some(hover_of(document, text, word.range.clone()))
}

fn hover_of(document: &Document, text: String, bytes: Range<usize>) -> Hover {
    let content = MarkupContent { kind: MarkupKind::Markdown, value: text };
    Hover { contents: Contents::MarkupContent(content), range: Some(document.range(bytes)) }
}

fn counted(places: usize) -> String {
    if places == 1 { "1 place".to_owned() } else { format!("{places} places") }
}

/// Returns what is told of a name with holes: what it stands for in its line, and where its names stand.
fn made_name(
    document: &Document,
    made: &MadeName,
    (program, position): (Option<&AnalysedProgram>, Position),
) -> String {
    let written = &document.text()[made.range.clone()];
    let kind = match made.kind {
        WordKind::Virtual => "virtual registers",
        WordKind::Operation => "macros or operations",
        _ => "names",
    };
    let uses = places(document, position).map_or(0, |found| found.all.len());
    let mut text =
        format!("`{written}`: {kind} that a repetition, a macro or braces make, {}", counted(uses));
    let line = position.line as usize;
    let Some(program) = program else { return text };
    let names = match made.kind {
        WordKind::Virtual => virtual_names(program, line),
        _ => program.image.symbols.iter().map(|symbol| symbol.name.clone()).collect(),
    };
    let names: Vec<String> = names.into_iter().filter(|name| made.matches(name)).collect();
    if names.is_empty() {
        return text;
    }
    let shown: Vec<String> = names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    text += &format!("\n\n{}", shown.join(", "));
    if names.len() > MOST {
        text += &format!(" and {} more", names.len() - MOST);
    }
    if let [name] = &names[..] {
        text += &in_linear(program, (line, name));
    }
    text
}

/// Returns the entry of an operation in the reference, for this core.
fn operation(core: &Core, name: &str) -> Option<String> {
    let rows = matching(name);
    let entries: Vec<_> = rows.iter().map(|row| entry(row, core)).collect();
    (!entries.is_empty()).then(|| format!("```text\n{}\n```", entries.join("\n").trim_end()))
}

/// Returns the line that gives a name its meaning where a byte is, with the comment above it.
fn name(
    document: &Document,
    (words, near): (&[OutlineWord], Option<usize>),
    wanted: &str,
) -> Option<String> {
    let is_known = |other: &OutlineWord| {
        near.is_none_or(|near| document.are_together(near, other.range.start))
            && document.made_at(other.range.start).is_none()
    };
    let found = words.iter().find(|other| {
        other.defines && name_of(document.text(), other) == wanted && is_known(other)
    })?;
    let line = document.line_of(found.range.start);
    let begin = (0..line)
        .rev()
        .take_while(|&above| {
            let text = document.line(above).trim_start();
            text.starts_with(';') || text.starts_with("//") || text.starts_with('#')
        })
        .last()
        .unwrap_or(line);
    let lines: Vec<_> = (begin..=line).map(|at| document.line(at).trim_end()).collect();
    Some(format!("```cp2\n{}\n```", lines.join("\n")))
}

/// Returns the line of another text that gives a name its meaning, with the comment above it and the name of its file.
fn elsewhere(others: &[(String, Document)], wanted: &str) -> Option<String> {
    others.iter().find_map(|(uri, document)| {
        let told = name(document, (document.words(), None), wanted)?;
        let file = path_of(uri).map_or(uri.clone(), |path| path.to_string_lossy().into_owned());
        Some(format!("{told}\n\nin {file}"))
    })
}

/// Returns what is told of a directive: its form and what it does.
fn directive(written: &str) -> Option<String> {
    let form = directive_form(written.trim_start_matches('.'))?;
    Some(format!("```cp2\n{}\n```\n\n{}", form.written, form.meaning))
}
