//! The one reporter of diagnostics: every phase tells it what is wrong, it keeps each thing once and
//! puts all of it in order.

use super::line::Line;
use crate::codes;
use crate::diagnostic::{Diagnostic, Severity, Span};
use crate::parse::Fault;
use std::collections::{BinaryHeap, HashSet};

/// The greatest number of errors that one call of the assembler returns; the others are only counted.
pub const MAX_ERRORS: usize = 100;

/// The reason why a part of the assembler does not do what it is asked; in a box, for a diagnostic is large.
pub(crate) type Refusal = Box<Diagnostic>;

/// Notes with the last diagnostic how many more errors follow it.
pub fn leave_out(diagnostics: &mut [Diagnostic], more: usize) {
    if let (Some(last), true) = (diagnostics.last_mut(), more > 0) {
        last.left_out = more;
        let plural = if more == 1 { " is" } else { "s are" };
        last.notes.push(format!("{more} more error{plural} not shown"));
    }
}

/// The place by which diagnostics are put in order; those without one come first.
type Place = Option<(u32, usize, usize)>;

fn place(span: Option<&Span>) -> Place {
    span.map(|s| (s.file, s.range.start, s.range.end))
}

/// The diagnostics so far.
#[derive(Debug, Default)]
pub(crate) struct Reporter {
    diagnostics: Vec<Diagnostic>,
    reported: HashSet<String>,
    /// Places of the first [`MAX_ERRORS`] of the diagnostics, the last of these places on top.
    first: BinaryHeap<Place>,
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
        let origin = match d.related.last() {
            Some((span, text)) if text.starts_with("in the expansion") => Some(span),
            _ => d.span.as_ref(),
        };
        if self.reported.insert(format!("{} {origin:?} {}", d.code, d.message)) {
            self.first.push(place(d.span.as_ref()));
            if self.first.len() > MAX_ERRORS {
                self.first.pop();
            }
            self.diagnostics.push(d);
        }
    }

    /// Returns what a search among many names finds for an error at a place, or `None` if the error will only be counted:
    /// so the names are searched for about as many errors as are shown, however many there are.
    pub(crate) fn advice(
        &self,
        span: &Span,
        search: impl FnOnce() -> Option<String>,
    ) -> Option<String> {
        let is_counted = self.first.len() == MAX_ERRORS
            && self.first.peek().is_some_and(|last| *last < place(Some(span)));
        if is_counted { None } else { search() }
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
        let order = |d: &Diagnostic| (place(d.span.as_ref()), d.code);
        self.diagnostics.sort_by(|a, b| order(a).cmp(&order(b)));
        if !self.any_error_since(Mark(0)) {
            return Ok(self.diagnostics);
        }
        let more = self.diagnostics.len().saturating_sub(MAX_ERRORS);
        self.diagnostics.truncate(MAX_ERRORS);
        leave_out(&mut self.diagnostics, more);
        Err(self.diagnostics)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reports an error at each of some places; returns how often the names were searched.
    fn searches(places: impl Iterator<Item = usize>) -> usize {
        let (mut reporter, mut searches) = (Reporter::default(), 0);
        for at in places {
            let span = Span { file: 0, range: at..at + 1 };
            let help = reporter.advice(&span, || {
                searches += 1;
                Some(format!("did you mean {at}?"))
            });
            let d = Diagnostic::error("C0201", span, format!("{at}"));
            reporter.report(Diagnostic { help, ..d });
        }
        let shown = reporter.finish().expect_err("errors");
        assert_eq!(shown.len(), MAX_ERRORS);
        assert!(shown.iter().all(|d| d.help == Some(format!("did you mean {}?", d.message))));
        searches
    }

    #[test]
    fn names_are_searched_for_the_errors_that_are_shown() {
        assert_eq!(searches(0..10_000), MAX_ERRORS);
        // A later phase begins at the first line again.
        let phases = (0..10_000).map(|k| 2 * k + 1).chain((0..10_000).map(|k| 2 * k));
        assert!(searches(phases) < 3 * MAX_ERRORS);
        assert_eq!(searches((0..1000).rev()), 1000);
    }
}
