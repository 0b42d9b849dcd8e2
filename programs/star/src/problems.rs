//! What is wrong with a text: the first mistakes by themselves, and how many more there are.

use cp2_asm::diagnostic::{Diagnostic, Span};
use std::ops::Range;

/// Most mistakes of a text that are told.
const MOST: usize = 50;

/// The mistakes of a text so far.
#[derive(Clone, Debug)]
pub(crate) struct Problems {
    file: u32,
    told: Vec<Diagnostic>,
    more: usize,
}

impl Problems {
    pub(crate) fn new(file: u32) -> Self {
        Self { file, told: Vec::new(), more: 0 }
    }

    /// Creates a mistake at a place, with the words of its code at the caret.
    pub(crate) fn error(
        &self,
        code: &'static str,
        at: &Range<usize>,
        message: impl Into<String>,
    ) -> Diagnostic {
        let span = Span { file: self.file, range: at.clone() };
        Diagnostic::error(code, span, message).label(cp2_asm::codes::caret(code))
    }

    pub(crate) fn refuse(
        &mut self,
        code: &'static str,
        at: &Range<usize>,
        message: impl Into<String>,
    ) {
        let problem = self.error(code, at, message);
        self.note(problem);
    }

    pub(crate) fn note(&mut self, problem: Diagnostic) {
        match self.told.len() < MOST {
            true => self.told.push(problem),
            false => self.more += 1,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.told.is_empty()
    }

    /// Returns a value, if nothing was wrong with the text.
    ///
    /// # Errors
    /// The mistakes in the order of the text; the last one says how many more there are.
    pub(crate) fn finish<T>(mut self, value: T) -> Result<T, Vec<Diagnostic>> {
        if self.told.is_empty() {
            return Ok(value);
        }
        self.told.sort_by_key(|problem| problem.span.as_ref().map(|span| span.range.start));
        cp2_asm::leave_out(&mut self.told, self.more);
        Err(self.told)
    }
}
