//! What stands under the cursor: an operation, a directive, a register, a name.

use crate::analysis::Analysis;
use crate::directives::directive_form;
use crate::document::Document;
use crate::registers::{in_linear, register};
use crate::uri::path_of;
use crate::words::{is_name, name_of, word_at};
use cp2_asm::outline::{OutlineWord, WordKind};
use cp2_isa::Core;
use cp2_isa::doc::{entry, matching};
use gen_lsp_types::{Contents, Hover, MarkupContent, MarkupKind, Position};

/// Returns what is told of the word at a place. `others` are the texts that are assembled together with this one.
pub(crate) fn hover(
    core: &Core,
    document: &Document,
    (analysis, others): (Option<&Analysis>, &[(String, Document)]),
    position: Position,
) -> Option<Hover> {
    let words = document.words();
    let word = word_at(words, document.byte(position))?;
    let written = &document.text()[word.range.clone()];
    let at = (position.line as usize, written);
    let text = match word.kind {
        WordKind::Operation => operation(core, written)
            .or_else(|| name(document, words, written))
            .or_else(|| elsewhere(others, written))?,
        WordKind::Virtual => {
            let same = words.iter().filter(|other| other.region == word.region);
            let uses = same.filter(|other| name_of(document.text(), other) == written).count();
            let text = format!("`{written}`: virtual register, {uses} places in its region");
            text + &analysis.map(|analysis| in_linear(core, analysis, at)).unwrap_or_default()
        }
        WordKind::Register => register(core, analysis, at, word.region.is_some())?,
        _ if is_name(word) => {
            name(document, words, written).or_else(|| elsewhere(others, written))?
        }
        WordKind::Directive => directive(written)?,
        _ => return None,
    };
    let content = MarkupContent { kind: MarkupKind::Markdown, value: text };
    let range = Some(document.range(word.range.clone()));
    Some(Hover { contents: Contents::MarkupContent(content), range })
}

/// Returns the entry of an operation in the reference, for this core.
fn operation(core: &Core, name: &str) -> Option<String> {
    let rows = matching(name);
    let entries: Vec<_> = rows.iter().map(|row| entry(row, core)).collect();
    (!entries.is_empty()).then(|| format!("```text\n{}\n```", entries.join("\n").trim_end()))
}

/// Returns the line that gives a name its meaning, with the comment above it.
fn name(document: &Document, words: &[OutlineWord], wanted: &str) -> Option<String> {
    let found =
        words.iter().find(|other| other.defines && name_of(document.text(), other) == wanted)?;
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
        let told = name(document, document.words(), wanted)?;
        let file = path_of(uri).map_or(uri.clone(), |path| path.to_string_lossy().into_owned());
        Some(format!("{told}\n\nin {file}"))
    })
}

/// Returns what is told of a directive: its form and what it does.
fn directive(written: &str) -> Option<String> {
    let form = directive_form(written.trim_start_matches('.'))?;
    Some(format!("```cp2\n{}\n```\n\n{}", form.written, form.meaning))
}
