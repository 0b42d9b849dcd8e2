//! The text of a file test: its lines, the directives in its comments, and the cases it is divided into. What directives say is in
//! `directive`.

use crate::Malformed;
pub(crate) use cp2_asm::cases::TestComment as Comment;
use cp2_asm::cases::TextCase;
use std::ops::Range;

/// File and its lines.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    /// Name of the file.
    pub(crate) name: &'a str,
    /// Bytes of the file at which the lines begin; one more entry for the end of the text.
    starts: Vec<usize>,
    text: &'a str,
    /// All directives of the file.
    pub(crate) comments: Vec<Comment<'a>>,
    /// Whether each line holds a directive and nothing else.
    alone: Vec<bool>,
}

/// Case of a file with its directives.
#[derive(Debug)]
pub(crate) struct Case<'a> {
    /// Name, lines and sources of the case.
    pub(crate) text: TextCase<'a>,
    /// Directives of the case.
    pub(crate) comments: Vec<Comment<'a>>,
    /// Directives that all cases of the file share.
    pub(crate) shared: Vec<Comment<'a>>,
}

impl<'a> Source<'a> {
    /// Creates a source from a text, and finds its directives.
    pub(crate) fn new(name: &'a str, text: &'a str) -> Self {
        let mut starts = vec![0];
        let mut comments = Vec::new();
        let mut alone = Vec::new();
        for (number, line) in text.split_inclusive('\n').enumerate() {
            let offset = starts[number];
            starts.push(offset + line.len());
            let found = Comment::of_line(line.trim_end_matches(['\n', '\r']), number, offset);
            alone.push(found.as_ref().is_some_and(|c| c.is_alone));
            comments.extend(found);
        }
        Self { name, starts, text, comments, alone }
    }

    /// Returns the number of lines of the text.
    pub(crate) fn lines(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the length of the text, in bytes.
    pub(crate) fn end(&self) -> usize {
        self.text.len()
    }

    /// Returns the range of a line with its end, in bytes of the file.
    pub(crate) fn range(&self, line: usize) -> Range<usize> {
        self.starts[line]..self.starts[line + 1]
    }

    /// Returns a line with its end.
    pub(crate) fn line(&self, line: usize) -> &'a str {
        &self.text[self.range(line)]
    }

    /// Returns the line of the program that a comment speaks of: its own, or the nearest above that is no directive.
    pub(crate) fn subject(&self, comment: &Comment<'_>) -> usize {
        match comment.is_alone {
            false => comment.line,
            true => (0..comment.line).rev().find(|&n| !self.alone[n]).unwrap_or(comment.line),
        }
    }

    /// Returns the number of lines from `from` to `to`, directives not counted.
    pub(crate) fn distance(&self, from: usize, to: usize) -> isize {
        let count = |range: Range<usize>| range.filter(|&n| !self.alone[n]).count() as isize;
        if to >= from { count(from..to) } else { -count(to..from) }
    }

    /// Returns the cases of the file, in order.
    pub(crate) fn cases(&self) -> Result<Vec<Case<'a>>, Vec<Malformed>> {
        let begins: Vec<&Comment<'a>> =
            self.comments.iter().filter(|c| c.keyword == "case").collect();
        let wrong = self.wrong_cases(&begins);
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let of = |range: &Range<usize>| -> Vec<Comment<'a>> {
            let is_inside = |c: &&Comment<'_>| range.contains(&c.line) && c.keyword != "case";
            self.comments.iter().filter(is_inside).cloned().collect()
        };
        let case =
            |text: TextCase<'a>| Case { comments: of(&text.lines), shared: of(&text.shared), text };
        Ok(TextCase::all(self.name, self.text, &self.comments).into_iter().map(case).collect())
    }

    fn wrong_cases(&self, begins: &[&Comment<'a>]) -> Vec<Malformed> {
        let mut wrong = Vec::new();
        for (k, begin) in begins.iter().enumerate() {
            let why = if begin.text.is_empty() {
                "a case needs a name"
            } else if !begin.is_alone {
                "`case:` needs a line of its own"
            } else if begins[..k].iter().any(|other| other.text == begin.text) {
                "another case has this name"
            } else {
                continue;
            };
            wrong.push(Malformed::new(begin.line, why));
        }
        wrong
    }
}
