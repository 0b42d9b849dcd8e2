//! Expected and found diagnostics: errors and warnings of the assembler, findings of the linter.

use crate::Failure;
use crate::edit::Edit;
use crate::source::{Comment, Source};
use cp2_asm::{Diagnostic, Severity, Sources, Span};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Keywords of directives that belong to the diagnostic before them.
pub(crate) const PARTS: [&str; 4] = ["label", "related", "note", "help"];

/// Place that a diagnostic points to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pointed {
    /// Name of a file other than the test; empty for the test itself.
    file: String,
    /// Line from 0; `None` if the diagnostic points nowhere.
    line: Option<usize>,
    /// First column, and that behind the last if it is in the same line; columns count from 1.
    columns: Option<(u32, Option<u32>)>,
}

/// A diagnostic, expected or found.
#[derive(Clone, Debug)]
pub(crate) struct Diagnosed {
    keyword: String,
    at: Pointed,
    code: String,
    /// Message, compared together with the parts; `None` if an expectation is about place and code alone.
    message: Option<String>,
    parts: Vec<(String, String)>,
    /// Comments of an expectation, by their places in the list they came from.
    comments: Vec<usize>,
}

impl Diagnosed {
    fn is_met_by(&self, found: &Self) -> bool {
        let columns = match (self.at.columns, found.at.columns) {
            (None, _) => true,
            (Some((first, None)), Some((begin, _))) => first == begin,
            (expected, actual) => expected == actual,
        };
        columns
            && (&self.keyword, &self.code) == (&found.keyword, &found.code)
            && (self.message.is_none()
                || (&self.message, &self.parts) == (&found.message, &found.parts))
    }

    /// Returns the directives of a found diagnostic. A directive below the line that it speaks of needs no line.
    fn directives(&self, explicit: bool) -> String {
        let mut place = String::new();
        if let (true, Some(line)) = (explicit, self.at.line) {
            let _ = match self.at.file.as_str() {
                "" => write!(place, "{}:", line + 1),
                file => write!(place, "{file}:{}:", line + 1),
            };
        }
        let _ = match self.at.columns {
            Some((first, Some(end))) => write!(place, "{first}-{end}"),
            Some((first, None)) => write!(place, "{first}"),
            None => write!(place, "-"),
        };
        let message = self.message.as_deref().unwrap_or_default();
        let mut text = format!("; {}: {place} {} {message}\n", self.keyword, self.code);
        for (keyword, part) in &self.parts {
            let _ = writeln!(text, ";   {keyword}: {part}");
        }
        text
    }
}

/// Joins the lines of a text into the one line that a directive has for it.
fn one_line(text: &str) -> String {
    text.replace('\n', " / ").trim().to_owned()
}

/// Returns the place of a span, as the test names it.
fn pointed(span: Option<&Span>, sources: &Sources, own: &[String]) -> Pointed {
    let Some(span) = span else {
        return Pointed { file: String::new(), line: None, columns: None };
    };
    let (line, column) = sources.line_column(span);
    let end = Span { file: span.file, range: span.range.end..span.range.end };
    let (end_line, end_column) = sources.line_column(&end);
    let name = sources.name(span.file);
    Pointed {
        file: if own.iter().any(|n| n == name) { String::new() } else { name.to_owned() },
        line: Some(line as usize - 1),
        columns: Some((column, (end_line == line && end_column > column).then_some(end_column))),
    }
}

/// Describes a related place: columns, and how many lines further if it is in another line.
fn related(at: &Pointed, from: &Pointed, source: &Source<'_>) -> String {
    let mut text = String::new();
    if !at.file.is_empty() {
        let _ = write!(text, "{}:{}:", at.file, at.line.unwrap_or_default() + 1);
    } else if let (Some(line), Some(main)) = (at.line, from.line.filter(|_| from.file.is_empty()))
        && line != main
    {
        let _ = write!(text, "{:+}:", source.distance(main, line));
    }
    let _ = match at.columns {
        Some((first, Some(end))) => write!(text, "{first}-{end}"),
        Some((first, None)) => write!(text, "{first}"),
        None => write!(text, "-"),
    };
    text
}

/// Converts a diagnostic that was found for the comparison; `own` are the names under which the test's text was
/// assembled.
pub(crate) fn found(
    diagnostic: &Diagnostic,
    is_finding: bool,
    (sources, own): (&Sources, &[String]),
    source: &Source<'_>,
) -> Diagnosed {
    let at = pointed(diagnostic.span.as_ref(), sources, own);
    let mut parts = Vec::new();
    let mut part = |keyword: &str, text: String| parts.push((keyword.to_owned(), one_line(&text)));
    if !diagnostic.label.is_empty() {
        part("label", diagnostic.label.clone());
    }
    for (span, text) in &diagnostic.related {
        let place = related(&pointed(Some(span), sources, own), &at, source);
        part("related", format!("{place} {text}"));
    }
    for note in &diagnostic.notes {
        part("note", note.clone());
    }
    if let Some(help) = &diagnostic.help {
        part("help", help.clone());
    }
    let keyword = match diagnostic.severity {
        _ if is_finding => "lint",
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    Diagnosed {
        keyword: keyword.to_owned(),
        at,
        code: diagnostic.code.to_owned(),
        message: Some(one_line(&diagnostic.message)),
        parts,
        comments: Vec::new(),
    }
}

/// Reads columns: `FIRST-END` or `FIRST`.
fn columns(text: &str) -> Option<(u32, Option<u32>)> {
    match text.split_once('-') {
        Some((first, end)) => Some((first.parse().ok()?, Some(end.parse().ok()?))),
        None => Some((text.parse().ok()?, None)),
    }
}

/// Reads an expectation: `[PLACE] CODE [MESSAGE]`.
pub(crate) fn expected(
    comment: &Comment<'_>,
    number: usize,
    source: &Source<'_>,
) -> Result<Diagnosed, String> {
    let is_code = |word: &str| {
        word.len() == 5 && word.starts_with('C') && word[1..].bytes().all(|b| b.is_ascii_digit())
    };
    let (first, rest) = comment.text.split_once(' ').unwrap_or((comment.text, ""));
    let (place, rest) =
        if is_code(first) { ("", comment.text) } else { (first, rest.trim_start()) };
    let (code, message) = rest.split_once(' ').unwrap_or((rest, ""));
    if !is_code(code) {
        return Err("expected `[COLUMN] CODE [MESSAGE]`, such as `12 C0302`, or `none`".to_owned());
    }
    let mut at =
        Pointed { file: String::new(), line: Some(source.subject(comment)), columns: None };
    let wrong =
        || format!("`{place}` is not a place; write COLUMN, LINE:COLUMN, FILE:LINE:COLUMN, or `-`");
    if place == "-" {
        at.line = None;
    } else if !place.is_empty() {
        let (line, column) = place.rsplit_once(':').unwrap_or(("", place));
        at.columns = Some(columns(column).ok_or_else(wrong)?);
        if !line.is_empty() {
            let (file, line) = line.rsplit_once(':').unwrap_or(("", line));
            let line: usize = line.parse().ok().filter(|&n| n > 0).ok_or_else(wrong)?;
            (at.file, at.line) = (file.to_owned(), Some(line - 1));
        }
    }
    Ok(Diagnosed {
        keyword: comment.keyword.to_owned(),
        at,
        code: code.to_owned(),
        message: (!message.is_empty()).then(|| message.trim().to_owned()),
        parts: Vec::new(),
        comments: vec![number],
    })
}

/// Adds what a directive of [`PARTS`] says to the expectation before it.
pub(crate) fn add_part(
    to: &mut Diagnosed,
    comment: &Comment<'_>,
    number: usize,
) -> Result<(), String> {
    if to.message.is_none() {
        return Err(format!(
            "`{}:` belongs to a message, but the `{}:` before it has no message",
            comment.keyword, to.keyword
        ));
    }
    to.parts.push((comment.keyword.to_owned(), comment.text.to_owned()));
    to.comments.push(number);
    Ok(())
}

/// Diagnostics of one place, expected and found.
#[derive(Default)]
struct Group<'a> {
    expected: Vec<&'a Diagnosed>,
    found: Vec<&'a Diagnosed>,
}

/// Case that diagnostics are compared for: its source, its comments and its end.
pub(crate) struct Around<'a, 'b> {
    pub(crate) source: &'a Source<'b>,
    /// Comments that the expectations came from.
    pub(crate) comments: &'a [Comment<'b>],
    /// Line behind the case, from 0.
    pub(crate) end: usize,
}

/// Compares expected and found diagnostics place by place. An edit puts what was found below the line in question.
pub(crate) fn compare(
    expected: &[Diagnosed],
    found: &[Diagnosed],
    around: &Around<'_, '_>,
) -> Vec<Failure> {
    let mut groups: BTreeMap<(String, Option<usize>), Group<'_>> = BTreeMap::new();
    let key = |d: &Diagnosed| (d.at.file.clone(), d.at.line);
    for one in expected {
        groups.entry(key(one)).or_default().expected.push(one);
    }
    for one in found {
        groups.entry(key(one)).or_default().found.push(one);
    }
    let mut failures = Vec::new();
    for ((file, line), Group { expected, found }) in groups {
        let is_met = expected.len() == found.len()
            && expected.iter().zip(&found).all(|(e, f)| e.is_met_by(f));
        if is_met {
            continue;
        }
        let below = line.filter(|_| file.is_empty());
        let mut message = String::new();
        for one in &found {
            let lines = one.directives(true);
            let _ =
                write!(message, "\n  found    {}", lines.trim_end().replace('\n', "\n           "));
        }
        let comments = || expected.iter().flat_map(|e| &e.comments).map(|&n| &around.comments[n]);
        for comment in comments() {
            let _ = write!(message, "\n  expected ; {}: {}", comment.keyword, comment.text);
        }
        if found.is_empty() {
            message += "\n  found    nothing";
        } else if expected.is_empty() {
            message += "\n  expected nothing";
        }
        let at = expected.iter().flat_map(|e| &e.comments).map(|&n| around.comments[n].line).min();
        let mut edits: Vec<Edit> = comments().map(|c| removal(c, around.source)).collect();
        let text: String = found.iter().map(|f| f.directives(below.is_none())).collect();
        edits.extend(insertion(below.map_or(around.end, |line| line + 1), text, around.source));
        failures.push(Failure {
            line: at.or(below).unwrap_or(around.end.saturating_sub(1)),
            message: format!("not the expected diagnostics{message}"),
            edits,
        });
    }
    failures
}

/// Creates an edit that takes a directive away, with its line if nothing else stands there.
pub(crate) fn removal(comment: &Comment<'_>, source: &Source<'_>) -> Edit {
    let range = source.range(comment.line);
    if comment.is_alone {
        return Edit::remove(range);
    }
    let code = source.line(comment.line)[..comment.start].trim_end().len();
    Edit::remove(range.start + code..comment.range.end)
}

/// Creates an edit that puts lines before a line, or at the end of the file.
pub(crate) fn insertion(line: usize, text: String, source: &Source<'_>) -> Option<Edit> {
    if text.is_empty() {
        return None;
    }
    let last = source.lines();
    let needs_end = line >= last && last > 0 && !source.line(last - 1).ends_with('\n');
    let text = if needs_end { format!("\n{}", text.trim_end()) } else { text };
    let at = if line >= last { source.end() } else { source.range(line).start };
    Some(Edit::insert(at, text))
}
