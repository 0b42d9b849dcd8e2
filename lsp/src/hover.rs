//! What stands under the cursor: an operation, a directive's finding, a virtual register, a name.

use crate::analysis::Analysis;
use crate::document::Document;
use crate::words::{is_name, name_of, word_at};
use cp2_asm::outline::{OutlineWord, WordKind, outline};
use cp2_isa::Core;
use cp2_isa::doc::{entry, matching};
use gen_lsp_types::{Contents, Hover, MarkupContent, MarkupKind, Position};

/// Returns what is told of the word at a place.
pub(crate) fn hover(
    core: &Core,
    document: &Document,
    analysis: Option<&Analysis>,
    position: Position,
) -> Option<Hover> {
    let words = outline(document.text());
    let word = word_at(&words, document.byte(position))?;
    let text = match word.kind {
        WordKind::Operation => operation(core, &document.text()[word.range.clone()])?,
        WordKind::Virtual => virtual_register(document, &words, word, analysis),
        _ if is_name(word) => name(document, &words, word)?,
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

/// Returns the lifetimes of a virtual register in pipelined loops, and the registers that a block has.
fn virtual_register(
    document: &Document,
    words: &[OutlineWord],
    word: &OutlineWord,
    analysis: Option<&Analysis>,
) -> String {
    let name = name_of(document.text(), word);
    let uses = words
        .iter()
        .filter(|other| other.region == word.region && name_of(document.text(), other) == name);
    let mut text = format!("`{name}`: virtual register, {} places in its region", uses.count());
    let region = analysis.zip(word.region);
    let region = region.and_then(|(analysis, number)| analysis.regions.get(number));
    let Some(analysed) = region else { return text };
    for block in &analysed.report.blocks {
        let values = block.pipeline.iter().flat_map(|pipeline| &pipeline.values);
        for value in values {
            let known = analysed.region.register_name(value.name);
            if known.trim_start_matches('%') != name.trim_start_matches('%') {
                continue;
            }
            text += &format!(
                "\n\nin {} of {} registers of its loop: lands in cycle {}, last read in cycle {}",
                value.registers.len(),
                block.registers,
                value.first,
                value.last,
            );
        }
    }
    text
}

/// Returns the line that gives a name its meaning, with the comment above it.
fn name(document: &Document, words: &[OutlineWord], word: &OutlineWord) -> Option<String> {
    let wanted = name_of(document.text(), word);
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
