//! Diagnostics: messages of the assembler and the linter with a stable code and a place in a source. The explanation of
//! each code is in `codes`; printing is done elsewhere.

use std::ops::Range;

/// The severity of a diagnostic: whether a program results in spite of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The text is likely a mistake, but the program is assembled.
    Warning,
    /// The text is refused, and no program results.
    Error,
}

/// A span: a byte range of a source file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// Index of the file in [`Sources`].
    pub file: u32,
    /// Byte offsets in the text of the file, from 0; the end is exclusive.
    pub range: Range<usize>,
}

/// A diagnostic: an error or a warning of assembler or linter about a place in a source, with a stable code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code that names the kind of mistake, such as `C0301`.
    pub code: &'static str,
    /// Severity: error or warning.
    pub severity: Severity,
    /// Message in one line: what is wrong, with the value and the limit.
    pub message: String,
    /// Place in the source; `None` if the diagnostic belongs to no text, for example in an object without line
    /// information.
    pub span: Option<Span>,
    /// Text beside the caret that marks the place in the printed source line.
    pub label: String,
    /// Further places that matter, each with a text about it.
    pub related: Vec<(Span, String)>,
    /// Facts about the mistake that belong to no place.
    pub notes: Vec<String>,
    /// Advice on how to mend the mistake; `None` if there is none.
    pub help: Option<String>,
    /// Number of errors that are counted but not listed, because there are too many. Only the last diagnostic of a list
    /// has it; 0 in all others.
    pub left_out: usize,
}

/// Returns the number of errors in a list, including those that are only counted in [`Diagnostic::left_out`].
pub fn count_errors(diagnostics: &[Diagnostic]) -> usize {
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    errors + diagnostics.iter().map(|d| d.left_out).sum::<usize>()
}

impl Diagnostic {
    /// Creates a diagnostic at a place, without label, related places, notes and help.
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

    /// Creates a diagnostic of severity [`Severity::Error`] at a place.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, Some(span), message)
    }

    /// Returns the diagnostic with this advice on how to mend the mistake.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Returns the diagnostic with this text beside the caret.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Returns the diagnostic with one more related place and the text about it.
    #[must_use]
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Self {
        self.related.push((span, text.into()));
        self
    }

    /// Returns the diagnostic with one more fact in [`Diagnostic::notes`].
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}

/// Returns the column, from 1, of the character behind `before`, which is the line up to there. Columns count
/// characters; a byte order mark at the begin of the line does not count.
pub fn column_after(before: &str) -> u32 {
    before.trim_start_matches('\u{feff}').chars().count() as u32 + 1
}

/// The names and texts of source files, to which the file index of a [`Span`] refers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    files: Vec<(String, String)>,
}

impl Sources {
    /// Adds a file with its name and text, and returns its index, from 0.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> u32 {
        self.files.push((name.into(), text.into()));
        (self.files.len() - 1) as u32
    }

    /// Returns the name of the file with this index.
    ///
    /// # Panics
    /// Panics if there is no such file.
    pub fn name(&self, file: u32) -> &str {
        &self.files[file as usize].0
    }

    /// Returns the text of the file with this index.
    ///
    /// # Panics
    /// Panics if there is no such file.
    pub fn text(&self, file: u32) -> &str {
        &self.files[file as usize].1
    }

    /// Returns the text of the first file called `name`; `None` if there is no such file.
    pub fn text_of(&self, name: &str) -> Option<&str> {
        self.files.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
    }

    /// Returns the names of all files, in the order of their indices.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(name, _)| name.as_str())
    }

    /// Returns the line and the column at which a span begins, both from 1. Columns count characters; a byte order mark
    /// at the begin of the line does not count.
    pub fn line_column(&self, span: &Span) -> (u32, u32) {
        let before = &self.text(span.file)[..span.range.start];
        let line = before.bytes().filter(|&b| b == b'\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |i| i + 1);
        (line as u32, column_after(&before[start..]))
    }
}
