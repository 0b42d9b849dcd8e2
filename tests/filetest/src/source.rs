//! The text of a file test: its lines, the directives in its comments, the cases it is divided into and
//! what of it each of them assembles. What directives say is in `directive`.

use crate::Malformed;
use cp2_asm::without_comment;
use std::ops::Range;

/// Directive: a comment `; KEYWORD: TEXT`.
#[derive(Clone, Debug)]
pub(crate) struct Comment<'a> {
    /// Keyword, the word before the colon.
    pub(crate) keyword: &'a str,
    /// Text behind the colon, without blanks around.
    pub(crate) text: &'a str,
    /// Range of the text in the file, in bytes.
    pub(crate) range: Range<usize>,
    /// Line of the comment, from 0.
    pub(crate) line: usize,
    /// Byte of its line at which the comment begins.
    pub(crate) start: usize,
    /// Whether nothing stands before the comment in its line.
    pub(crate) is_alone: bool,
}

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

/// Case of a file: all of it, or from a `case:` to the next with what stands before the first.
#[derive(Debug)]
pub(crate) struct Case<'a> {
    /// Name of the case; empty if the file has no cases.
    pub(crate) name: &'a str,
    /// Line at which the case begins, from 0.
    pub(crate) line: usize,
    /// Line behind the case, from 0.
    pub(crate) end: usize,
    /// Directives of the case.
    pub(crate) comments: Vec<Comment<'a>>,
    /// Directives that all cases of the file share.
    pub(crate) shared: Vec<Comment<'a>>,
    /// Sources that the case is made of: name and text, with the file's lines at their places.
    pub(crate) files: Vec<(String, String)>,
}

pub(crate) fn comment(line: &str, number: usize, offset: usize) -> Option<Comment<'_>> {
    let code = without_comment(line);
    let start = line.len() - line[code.len()..].trim_start().len();
    let comment = line[start..].strip_prefix(';')?;
    let body = comment.trim_start();
    let (keyword, rest) = body.split_once(':')?;
    let is_word = keyword.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    if keyword.is_empty() || !is_word || !(rest.is_empty() || rest.starts_with([' ', '\t', '\r'])) {
        return None;
    }
    let text = rest.trim();
    let begin = line.len() - rest.trim_start().len();
    let range = offset + begin..offset + begin + text.len();
    Some(Comment { keyword, text, range, line: number, start, is_alone: code.trim().is_empty() })
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
            let found = comment(line.trim_end_matches(['\n', '\r']), number, offset);
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
        let first = begins.first().map_or(self.lines(), |c| c.line);
        let of = |range: Range<usize>| -> Vec<Comment<'a>> {
            let is_inside = |c: &&Comment<'_>| range.contains(&c.line) && c.keyword != "case";
            self.comments.iter().filter(is_inside).cloned().collect()
        };
        if begins.is_empty() {
            let comments = of(0..first);
            let files = self.files(0..0, 0..first);
            return Ok(vec![Case {
                name: "",
                line: 0,
                end: first,
                comments,
                shared: vec![],
                files,
            }]);
        }
        let ends = begins.iter().skip(1).map(|c| c.line).chain([self.lines()]);
        let case = |(begin, end): (&&Comment<'a>, usize)| Case {
            name: begin.text,
            line: begin.line,
            end,
            comments: of(begin.line..end),
            shared: of(0..first),
            files: self.files(0..first, begin.line..end),
        };
        Ok(begins.iter().zip(ends).map(case).collect())
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

    /// Returns the sources of a case, divided at its `file:` lines. The lines of other cases are empty, so that places
    /// are those of the file.
    fn files(&self, shared: Range<usize>, own: Range<usize>) -> Vec<(String, String)> {
        let mut files = vec![(self.name.to_owned(), String::new())];
        let mut before = 0;
        for number in shared.chain(own) {
            let begun = self.comments.iter().find(|c| c.line == number && c.keyword == "file");
            if let Some(comment) = begun {
                files.push((comment.text.to_owned(), "\n".repeat(number + 1)));
            } else if let Some((_, text)) = files.last_mut() {
                text.push_str(&"\n".repeat(number - before));
                text.push_str(self.line(number));
            }
            before = number + 1;
        }
        files
    }
}
