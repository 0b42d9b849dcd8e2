//! What the assembler and the linter have to say: a message with a place and a stable code. How a
//! code is explained at length is in `codes`, how a diagnostic is printed in `render`.

use std::ops::Range;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Likely a mistake; the program still assembles.
    Warning,
    /// No program results.
    Error,
}

/// A byte range of a source file, by the file's index in [`Sources`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// Index of the file.
    pub file: u32,
    /// Bytes.
    pub range: Range<usize>,
}

/// A diagnostic: a message about a place of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code, `C0123`.
    pub code: &'static str,
    /// Severity of the diagnostic.
    pub severity: Severity,
    /// Message: what is wrong, with the value and the limit.
    pub message: String,
    /// Place in the source; absent for an object without line information.
    pub span: Option<Span>,
    /// Text at the caret.
    pub label: String,
    /// Further places, each with a text.
    pub related: Vec<(Span, String)>,
    /// Facts that are not at a place.
    pub notes: Vec<String>,
    /// Advice: what to do.
    pub help: Option<String>,
    /// Number of errors behind this diagnostic, the last one, that are counted but not given, because there are too many of
    /// them; 0 in all others.
    pub left_out: usize,
}

/// Returns the number of errors, those that are only counted included.
pub fn count_errors(diagnostics: &[Diagnostic]) -> usize {
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    errors + diagnostics.iter().map(|d| d.left_out).sum::<usize>()
}

impl Diagnostic {
    /// Creates a diagnostic at a place.
    pub fn new(
        code: &'static str,
        severity: Severity,
        span: Option<Span>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code,
            severity,
            message: message.into(),
            span,
            label: String::new(),
            related: Vec::new(),
            notes: Vec::new(),
            help: None,
            left_out: 0,
        }
    }

    /// Creates an error at a place.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, Some(span), message)
    }

    /// Adds what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds the text at the caret.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds a further place.
    #[must_use]
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Self {
        self.related.push((span, text.into()));
        self
    }

    /// Adds a fact.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}

/// Returns the column, from 1, of what follows `before` in a line; a byte order mark is no character of the line.
pub fn column_after(before: &str) -> u32 {
    before.trim_start_matches('\u{feff}').chars().count() as u32 + 1
}

/// The texts that spans refer to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    files: Vec<(String, String)>,
}

impl Sources {
    /// Adds a file and returns its index.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> u32 {
        self.files.push((name.into(), text.into()));
        (self.files.len() - 1) as u32
    }

    /// Returns the name of a file.
    pub fn name(&self, file: u32) -> &str {
        &self.files[file as usize].0
    }

    /// Returns the text of a file.
    pub fn text(&self, file: u32) -> &str {
        &self.files[file as usize].1
    }

    /// Returns the text of the file with this name; `None` if there is no such file.
    pub fn text_of(&self, name: &str) -> Option<&str> {
        self.files.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
    }

    /// Returns the names of all files.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(name, _)| name.as_str())
    }

    /// Returns the line and the column of the start of a span, both from 1; columns count characters.
    pub fn line_column(&self, span: &Span) -> (u32, u32) {
        let before = &self.text(span.file)[..span.range.start];
        let line = before.bytes().filter(|&b| b == b'\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |i| i + 1);
        (line as u32, column_after(&before[start..]))
    }
}
