//! Diagnostics as text: the place and message in one line, then the source lines with carets.

use crate::diagnostic::{Diagnostic, Severity, Sources, Span};
use annotate_snippets::{Annotation, AnnotationKind, Element, Group, Level, Renderer, Snippet};

/// The decoration of rendered diagnostics: plain text, or colours for a terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Text without control characters.
    #[default]
    Plain,
    /// Text with ANSI escape sequences for colours, for terminals.
    Color,
}

/// Returns a diagnostic as text for people that ends with a newline: the message, the source lines with carets, notes
/// and advice.
///
/// The first line is `file:line:column: error: message [C0123]`; file, line and column are absent if the diagnostic has
/// no place.
pub fn render(diagnostic: &Diagnostic, sources: &Sources, style: Style) -> String {
    let (level, word) = match diagnostic.severity {
        Severity::Error => (Level::ERROR, "error"),
        Severity::Warning => (Level::WARNING, "warning"),
    };
    let head = match &diagnostic.span {
        Some(span) => format!("{}: {word}", place(span, sources)),
        None => word.to_owned(),
    };
    let title = format!("{} [{}]", diagnostic.message, diagnostic.code);
    let mut group = Group::with_title(level.with_name(head).primary_title(title));
    for element in snippets(diagnostic, sources) {
        group = group.element(element);
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note.clone()));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.clone()));
    }
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Color => Renderer::styled(),
    };
    let mut text = renderer.render(&[group]);
    text.push('\n');
    text
}

/// Returns diagnostics as text, each as [`render`] gives it, with an empty line between them.
pub fn render_all(diagnostics: &[Diagnostic], sources: &Sources, style: Style) -> String {
    let texts: Vec<_> = diagnostics.iter().map(|d| render(d, sources, style)).collect();
    texts.join("\n")
}

/// Returns the place where a span begins as `file:line:column`, line and column from 1. Panics if `sources` has no such
/// file.
pub fn place(span: &Span, sources: &Sources) -> String {
    let (line, column) = sources.line_column(span);
    format!("{}:{line}:{column}", sources.name(span.file))
}

/// The marked lines of one file.
struct Marked<'a> {
    file: u32,
    marks: Vec<(AnnotationKind, &'a Span, &'a str)>,
}

fn snippets<'a>(diagnostic: &'a Diagnostic, sources: &'a Sources) -> Vec<Element<'a>> {
    let Some(primary) = &diagnostic.span else { return Vec::new() };
    let first = (AnnotationKind::Primary, primary, diagnostic.label.as_str());
    let mut files = vec![Marked { file: primary.file, marks: vec![first] }];
    for (span, text) in &diagnostic.related {
        let mark = (AnnotationKind::Context, span, text.as_str());
        match files.iter_mut().find(|f| f.file == span.file) {
            Some(marked) => marked.marks.push(mark),
            None => files.push(Marked { file: span.file, marks: vec![mark] }),
        }
    }
    files.iter().map(|f| snippet(f, sources).into()).collect()
}

/// Returns the snippet of a file with its marks. Only the lines around the marks are given to the renderer: its time grows
/// with the text.
fn snippet<'a>(marked: &Marked<'a>, sources: &'a Sources) -> Snippet<'a, Annotation<'a>> {
    let text = sources.text(marked.file);
    let clamp = |byte: usize| {
        let mut byte = byte.min(text.len());
        while !text.is_char_boundary(byte) {
            byte -= 1;
        }
        byte
    };
    let ranges: Vec<_> = marked
        .marks
        .iter()
        .map(|(_, s, _)| clamp(s.range.start)..clamp(s.range.end.max(s.range.start)))
        .collect();
    let first = ranges.iter().map(|r| r.start).min().unwrap_or(0);
    let last = ranges.iter().map(|r| r.end).max().unwrap_or(0);
    let from = text[..first].rfind('\n').map_or(0, |i| i + 1);
    let to = text[last..].find('\n').map_or(text.len(), |i| i + last);
    let lines = text[from..to].strip_suffix('\r').unwrap_or(&text[from..to]);
    let line = text[..from].bytes().filter(|&b| b == b'\n').count() + 1;
    let annotations = marked.marks.iter().zip(&ranges).map(|((kind, _, label), range)| {
        // A mark may lie within the end of a line, which is no part of what is shown.
        let within = |byte: usize| (byte - from).min(lines.len());
        let span = kind.span(within(range.start)..within(range.end));
        if label.is_empty() { span } else { span.label(*label) }
    });
    let snippet = Snippet::source(lines).line_start(line).annotations(annotations);
    // The title has named the file of the primary place.
    let is_primary = marked.marks.iter().any(|m| m.0 == AnnotationKind::Primary);
    if is_primary { snippet } else { snippet.path(sources.name(marked.file)) }
}
