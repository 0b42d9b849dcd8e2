//! The one reporter of diagnostics: every phase tells it what is wrong, it keeps each thing once and
//! puts all of it in order.

use super::line::Line;
use crate::codes;
use crate::diagnostic::{Diagnostic, Severity};
use crate::parse::Fault;
use std::collections::HashSet;

/// The greatest number of errors that one call of the assembler returns; the others are only counted.
pub const MAX_ERRORS: usize = 100;

/// The reason why a part of the assembler does not do what it is asked; in a box, for a diagnostic is large.
pub(crate) type Refusal = Box<Diagnostic>;

/// Notes with the last diagnostic how many more errors follow it.
pub(crate) fn leave_out(diagnostics: &mut [Diagnostic], more: usize) {
    if let (Some(last), true) = (diagnostics.last_mut(), more > 0) {
        last.left_out = more;
        let plural = if more == 1 { " is" } else { "s are" };
        last.notes.push(format!("{more} more error{plural} not shown"));
    }
}

/// The diagnostics so far.
#[derive(Debug, Default)]
pub(crate) struct Reporter {
    diagnostics: Vec<Diagnostic>,
    reported: HashSet<String>,
}

/// A moment, to be told later whether there was an error since.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark(usize);

impl Reporter {
    /// Reports a diagnostic, once: iterations and expansions repeat what is wrong in their text.
    pub(crate) fn report(&mut self, mut d: Diagnostic) {
        if d.label.is_empty() {
            d.label = codes::caret(d.code).to_owned();
        }
        let place = match d.related.last() {
            Some((span, text)) if text.starts_with("in the expansion") => Some(span),
            _ => d.span.as_ref(),
        };
        if self.reported.insert(format!("{} {place:?} {}", d.code, d.message)) {
            self.diagnostics.push(d);
        }
    }

    /// Reports what a parser or an evaluation has found in a line.
    pub(crate) fn fault(&mut self, line: &Line, fault: Fault) {
        let mut d = line.loc(fault.at).error(fault.code, fault.message);
        if !fault.help.is_empty() {
            d = d.help(fault.help);
        }
        self.report(d);
    }

    /// Returns the moment at hand.
    pub(crate) fn now(&self) -> Mark {
        Mark(self.diagnostics.len())
    }

    /// Whether an error was reported after a moment.
    pub(crate) fn any_error_since(&self, mark: Mark) -> bool {
        self.diagnostics[mark.0..].iter().any(|d| d.severity == Severity::Error)
    }

    /// Returns the warnings in the order of their places; the errors instead, if there are any, cut off where there are too
    /// many.
    pub(crate) fn finish(mut self) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
        let place = |d: &Diagnostic| d.span.as_ref().map(|s| (s.file, s.range.start, s.range.end));
        self.diagnostics.sort_by(|a, b| (place(a), a.code).cmp(&(place(b), b.code)));
        if !self.any_error_since(Mark(0)) {
            return Ok(self.diagnostics);
        }
        let more = self.diagnostics.len().saturating_sub(MAX_ERRORS);
        self.diagnostics.truncate(MAX_ERRORS);
        leave_out(&mut self.diagnostics, more);
        Err(self.diagnostics)
    }
}
