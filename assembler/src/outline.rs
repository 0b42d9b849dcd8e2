//! The words of a text, line by line, without assembling it: what editors colour, complete, look up and rename. A line that does not
//! parse has words too.

use crate::names::{is_named_register, numbered};
use crate::parse::{DIRECTIVES, keyword};
use crate::without_comment;
use std::ops::Range;

/// The kind of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordKind {
    /// A comment, from its mark to the end of the line.
    Comment,
    /// A string in quotes.
    Text,
    /// A number.
    Number,
    /// A directive, with its dot, or the `if` of a predicate.
    Directive,
    /// The operation of a half of a bundle, or the name of a macro that is called.
    Operation,
    /// A register of the machine, with its number: `f3`, `g2`, `a0`, `cc1`; or one by name.
    Register,
    /// A virtual register of linear code, with its `%`.
    Virtual,
    /// The name of a label, a constant, a kernel, an argument, an array or a macro.
    Symbol,
    /// A parameter of a macro, with its backslash.
    Parameter,
}

/// A word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineWord {
    /// Kind of the word.
    pub kind: WordKind,
    /// Bytes of the text.
    pub range: Range<usize>,
    /// Whether the line gives the name its meaning, as a label or `.equ` does.
    pub defines: bool,
    /// Number of the region of linear code in which the word stands, from 0; `None` outside of all.
    pub region: Option<usize>,
}

/// Directives whose first argument is a name to which they give a meaning.
const DEFINING: [&str; 5] = ["equ", "kernel", "arg", "array", "macro"];

/// Returns the names of all directives, without their dots.
pub fn directives() -> &'static [&'static str] {
    &DIRECTIVES
}

/// Returns the words of a text, in their order.
pub fn outline(text: &str) -> Vec<OutlineWord> {
    let mut words = Vec::new();
    let (mut regions, mut is_linear) = (0, false);
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let code = without_comment(line);
        let directive = keyword(code).map(|(word, ..)| word);
        if directive == Some("linear") && !is_linear {
            (regions, is_linear) = (regions + 1, true);
        }
        let region = is_linear.then(|| regions - 1);
        let of_line = Line { code, start, region, directive };
        of_line.words(&mut words);
        let comment = line.trim_end();
        if comment.len() > code.len() {
            let begin =
                code.len() + comment[code.len()..].len() - comment[code.len()..].trim_start().len();
            of_line.push(&mut words, WordKind::Comment, begin..comment.len());
        }
        is_linear &= directive != Some("endlinear");
        start += line.len();
    }
    words
}

/// A line without its comment.
struct Line<'a> {
    code: &'a str,
    /// Byte of the text at which the line begins.
    start: usize,
    region: Option<usize>,
    directive: Option<&'a str>,
}

impl Line<'_> {
    fn push(&self, words: &mut Vec<OutlineWord>, kind: WordKind, range: Range<usize>) {
        let range = self.start + range.start..self.start + range.end;
        words.push(OutlineWord { kind, range, defines: false, region: self.region });
    }

    fn words(&self, words: &mut Vec<OutlineWord>) {
        // An operation comes first, behind labels, a predicate or the bar; the name that a directive defines behind it.
        let (mut is_first, mut defines) = (true, false);
        let mut at = 0;
        while let Some(found) = next_word(self.code, at) {
            let word = &self.code[found.clone()];
            at = found.end;
            let behind = self.code[at..].trim_start();
            let is_label = is_first && behind.starts_with(':') && is_name(word);
            let kind = match word.as_bytes()[0] {
                b'"' => WordKind::Text,
                b'.' => WordKind::Directive,
                b'%' => WordKind::Virtual,
                b'\\' => WordKind::Parameter,
                b'0'..=b'9' => WordKind::Number,
                b'|' | b']' => {
                    is_first = true;
                    continue;
                }
                b'@' | b'[' => continue,
                _ if word == "if" && is_first => {
                    self.push(words, WordKind::Directive, found);
                    continue;
                }
                _ if is_first && numbered(word).is_some() => {
                    self.push(words, WordKind::Register, found);
                    continue;
                }
                _ if is_label => WordKind::Symbol,
                _ if is_first && self.directive.is_none() => WordKind::Operation,
                _ if numbered(word).is_some() || is_named_register(word) => WordKind::Register,
                _ => WordKind::Symbol,
            };
            self.push(words, kind, found);
            if let Some(word) = words.last_mut() {
                word.defines = is_label || (defines && kind == WordKind::Symbol);
            }
            defines = kind == WordKind::Directive
                && self.directive.is_some_and(|name| DEFINING.contains(&name));
            is_first &= is_label;
        }
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Returns the bytes of the next word of a line from a byte on: a string, a mark of a predicate or of the halves, or letters and digits with
/// the mark in front of them.
fn next_word(code: &str, from: usize) -> Option<Range<usize>> {
    let rest = code.get(from..)?;
    let begins = |c: char| c.is_ascii_alphanumeric() || "_.%\\\"|[]@".contains(c);
    let begin = from + rest.find(begins)?;
    let first = code.as_bytes()[begin];
    let end = match first {
        b'"' => code[begin + 1..].find('"').map_or(code.len(), |end| begin + end + 2),
        b'|' | b'[' | b']' | b'@' => begin + 1,
        _ => {
            let is_number = first.is_ascii_digit();
            let inside = |c: char| c.is_ascii_alphanumeric() || c == '_' || (is_number && c == '.');
            let body = &code[begin + 1..];
            begin + 1 + body.find(|c| !inside(c)).unwrap_or(body.len())
        }
    };
    Some(begin..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let show = |word: OutlineWord| {
            let mark = if word.defines { "!" } else { "" };
            let region = word.region.map(|n| format!("@{n}")).unwrap_or_default();
            format!("{:?}{mark}{region} {}", word.kind, &text[word.range])
        };
        outline(text).into_iter().map(show).collect()
    }

    #[test]
    fn words_have_kinds_places_and_regions() {
        let text = "
.equ    n, 4 ; four
top: next: psmadd f1, f2 | swi f{n}, n+1.5
.linear
        .loop   g2
        lwo     %x, (r0)+1   // load
.endlinear
if(cc1) jump    top
";
        let all = [
            "Directive .equ",
            "Symbol! n",
            "Number 4",
            "Comment ; four",
            "Symbol! top",
            "Symbol! next",
            "Operation psmadd",
            "Register f1",
            "Register f2",
            "Operation swi",
            "Symbol f",
            "Symbol n",
            "Symbol n",
            "Number 1.5",
            "Directive@0 .linear",
            "Directive@0 .loop",
            "Register@0 g2",
            "Operation@0 lwo",
            "Virtual@0 %x",
            "Register@0 r0",
            "Number@0 1",
            "Comment@0 // load",
            "Directive@0 .endlinear",
            "Directive if",
            "Register cc1",
            "Operation jump",
            "Symbol top",
        ];
        assert_eq!(shown(text), all);
    }

    #[test]
    fn lines_that_do_not_parse_have_words_too() {
        assert_eq!(shown("lwo %, (\"a"), ["Operation lwo", "Virtual %", "Text \"a"]);
        assert_eq!(shown("\\name: é \\"), ["Parameter \\name", "Parameter \\"]);
        assert_eq!(shown("#.equ x, 1"), ["Comment #.equ x, 1"]);
    }
}
