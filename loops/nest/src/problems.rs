//! Mistakes of a text: the first ones by themselves, and how many more there are.

use cp2_asm::diagnostic::{Diagnostic, Span};
use std::ops::Range;

/// Most mistakes of a text that are listed.
const MOST: usize = 50;

/// A mistake that ends the reading of a part of the text.
pub(crate) type Wrong = Box<Diagnostic>;

/// The mistakes of a text so far.
#[derive(Clone, Debug)]
pub(crate) struct Problems {
    file: u32,
    listed: Vec<Diagnostic>,
    more: usize,
}

impl Problems {
    pub(crate) fn new(file: u32) -> Self {
        Self { file, listed: Vec::new(), more: 0 }
    }

    /// Returns a place of the text, as diagnostics have it.
    pub(crate) fn span(&self, at: &Range<usize>) -> Span {
        Span { file: self.file, range: at.clone() }
    }

    /// Creates a mistake at a place, with the words of its code at the caret.
    pub(crate) fn error(
        &self,
        code: &'static str,
        at: &Range<usize>,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::error(code, self.span(at), message).label(cp2_asm::codes::caret(code))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    pub(crate) fn note(&mut self, problem: Diagnostic) {
        match self.listed.len() < MOST {
            true => self.listed.push(problem),
            false => self.more += 1,
        }
    }

    /// Returns a value, if nothing was wrong with the text.
    ///
    /// # Errors
    /// The mistakes in the order of the text; the last one says how many more there are.
    pub(crate) fn finish<T>(mut self, value: T) -> Result<T, Vec<Diagnostic>> {
        if self.listed.is_empty() {
            return Ok(value);
        }
        self.listed.sort_by_key(|problem| problem.span.as_ref().map(|span| span.range.start));
        cp2_asm::leave_out(&mut self.listed, self.more);
        Err(self.listed)
    }
}
