//! Texts that hold several programs: file tests, whose comments `; case: NAME` and `; file: NAME` divide them. Each case is a program by itself,
//! with its lines at the places that they have in the text. The comments of file tests are found here; what they check is the runner's.

use crate::without_comment;
use cp2_isa::machine::{MachineConfig, PRESETS};
use std::ops::Range;

/// Keywords of all comments that mean something in a file test.
pub const TEST_KEYWORDS: [&str; 26] = [
    "case", "file", "machine", "engine", "init", "rules", "error", "warning", "label", "related",
    "note", "help", "lint", "bundle", "symbol", "schedule", "run", "end", "cycles", "stats",
    "state", "arg", "load", "compare", "chain", "check",
];

/// Comment `; KEYWORD: TEXT` of a file test.
#[derive(Clone, Debug)]
pub struct TestComment<'a> {
    /// Keyword, the word before the colon.
    pub keyword: &'a str,
    /// Text behind the colon, without blanks around.
    pub text: &'a str,
    /// Range of the text in the file, in bytes.
    pub range: Range<usize>,
    /// Line of the comment, from 0.
    pub line: usize,
    /// Byte of its line at which the comment begins.
    pub start: usize,
    /// Whether nothing stands before the comment in its line.
    pub is_alone: bool,
}

impl<'a> TestComment<'a> {
    /// Returns the comment of a line with this number and this place in the file, if it has a keyword.
    pub fn of_line(line: &'a str, number: usize, offset: usize) -> Option<Self> {
        let code = without_comment(line);
        let start = line.len() - line[code.len()..].trim_start().len();
        let comment = line[start..].strip_prefix(';')?;
        let (keyword, rest) = comment.trim_start().split_once(':')?;
        let is_word = keyword.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
        let is_apart = rest.is_empty() || rest.starts_with([' ', '\t', '\r']);
        if keyword.is_empty() || !is_word || !is_apart {
            return None;
        }
        let text = rest.trim();
        let begin = line.len() - rest.trim_start().len();
        let range = offset + begin..offset + begin + text.len();
        let is_alone = code.trim().is_empty();
        Some(Self { keyword, text, range, line: number, start, is_alone })
    }

    /// Returns the comments with keywords of a text, in order.
    pub fn all(text: &'a str) -> Vec<Self> {
        let mut offset = 0;
        let of = |(number, line): (usize, &'a str)| {
            let begin = offset;
            offset += line.len();
            Self::of_line(line.trim_end_matches(['\n', '\r']), number, begin)
        };
        text.split_inclusive('\n').enumerate().filter_map(of).collect()
    }
}

/// Case of a text: all of it, or from a `case:` to the next together with what stands before the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextCase<'a> {
    /// Name of the case; empty if the text has no cases.
    pub name: &'a str,
    /// Lines of the case, from 0.
    pub lines: Range<usize>,
    /// Lines that all cases of the text share, from 0.
    pub shared: Range<usize>,
    /// Sources of the case, name and text, divided at its `file:` lines. In the place of lines that a source does not have are blanks, so that
    /// lines and bytes are counted as in the text.
    pub files: Vec<(String, String)>,
}

impl<'a> TextCase<'a> {
    /// Returns the cases of a text that is called `name`, by its comments.
    pub fn all(name: &str, text: &'a str, comments: &[TestComment<'a>]) -> Vec<Self> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let begins: Vec<_> = comments.iter().filter(|c| c.keyword == "case").collect();
        let first = begins.first().map_or(lines.len(), |c| c.line);
        let case = |name_of_case: &'a str, own: Range<usize>, shared: Range<usize>| {
            let is_in = |line: usize| shared.contains(&line) || own.contains(&line);
            let files = sources(name, &lines, comments, is_in);
            Self { name: name_of_case, lines: own, shared, files }
        };
        if begins.is_empty() {
            return vec![case("", 0..first, 0..0)];
        }
        let ends = begins.iter().skip(1).map(|c| c.line).chain([lines.len()]);
        begins.iter().zip(ends).map(|(c, end)| case(c.text, c.line..end, 0..first)).collect()
    }

    /// Returns the cases of a text that is a file test: it is divided, and another comment says what is expected of a part or how that runs.
    /// `None` of any other text, which is one program whatever its comments are.
    pub fn of_test(name: &str, text: &'a str) -> Option<Vec<Self>> {
        let comments = TestComment::all(text);
        is_test(&comments).then(|| Self::all(name, text, &comments))
    }

    /// Whether the case has a line, from 0, by itself or with the others.
    pub fn has_line(&self, line: usize) -> bool {
        self.lines.contains(&line) || self.shared.contains(&line)
    }

    /// Returns the sources that are assembled together: the first, and those that are named as sources.
    pub fn roots(&self) -> Vec<(String, String)> {
        let is_root = |(k, (name, _)): &(usize, &(String, String))| *k == 0 || name.ends_with(".s");
        self.files.iter().enumerate().filter(is_root).map(|(_, file)| file.clone()).collect()
    }

    /// Returns the source of the case that is included by this name.
    pub fn part(&self, name: &str) -> Option<&(String, String)> {
        self.files.iter().find(|(known, _)| known == name)
    }
}

/// Whether comments are those of a file test that is divided.
fn is_test(comments: &[TestComment<'_>]) -> bool {
    let divides = |c: &TestComment<'_>| ["case", "file"].contains(&c.keyword);
    comments.iter().any(|c| divides(c) && c.is_alone && !c.text.is_empty())
        && comments.iter().any(|c| !divides(c) && TEST_KEYWORDS.contains(&c.keyword))
}

/// Returns the lines, from 0, at which the cases of a file test begin; none of any other text.
pub fn case_begins(text: &str) -> Vec<usize> {
    let comments = TestComment::all(text);
    let begins = comments.iter().filter(|c| c.keyword == "case").map(|c| c.line).collect();
    if is_test(&comments) { begins } else { Vec::new() }
}

/// Returns the sources that some lines of a text make.
fn sources(
    name: &str,
    lines: &[&str],
    comments: &[TestComment<'_>],
    is_in: impl Fn(usize) -> bool,
) -> Vec<(String, String)> {
    let blank = |line: &str| {
        let code = line.trim_end_matches(['\n', '\r']);
        " ".repeat(code.len()) + &line[code.len()..]
    };
    let begun = |number: usize| {
        comments.iter().find(|c| c.line == number && c.keyword == "file").filter(|_| is_in(number))
    };
    let mut files = vec![(name.to_owned(), String::new())];
    let mut before = String::new();
    for (number, line) in lines.iter().enumerate() {
        if let Some(comment) = begun(number) {
            files.push((comment.text.to_owned(), before.clone() + &blank(line)));
        } else if let Some((_, text)) = files.last_mut() {
            if is_in(number) {
                *text += line;
            } else {
                *text += &blank(line);
            }
        }
        before += &blank(line);
    }
    files
}

/// Returns the machine that the text of `machine:` asks for, and whether it names one; if not, its core alone is meant.
///
/// # Errors
/// A sentence that says what is wrong with the text.
pub fn machine_of(text: &str) -> Result<(MachineConfig, bool), String> {
    let first = text.split_whitespace().next().unwrap_or_default();
    let is_named = !first.is_empty() && !first.contains('=');
    let name = if is_named { first } else { PRESETS[0].0 };
    let mut config = MachineConfig::preset(name).ok_or_else(|| {
        let names = PRESETS.map(|(name, _)| name).join(", ");
        format!("there is no machine `{name}`; the machines are {names}")
    })?;
    for setting in text.split_whitespace().skip(usize::from(is_named)) {
        if !is_named && !setting.starts_with("core.") {
            return Err(format!(
                "`{setting}`: expected `core.KEY=VALUE`; other keys need the name of a machine"
            ));
        }
        config.apply_set(setting).map_err(|e| e.to_string())?;
    }
    match text {
        "" => Err("expected the name of a machine or `core.KEY=VALUE`".to_owned()),
        _ => Ok((config, is_named)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        ".equ n, 1\n; case: a\n nop\n; file: p.inc\n.equ m, 2\n; run:\n; case: b\n stopi 0\n";

    #[test]
    fn sources_of_cases_have_their_bytes_at_the_places_of_the_text() {
        let cases = TextCase::of_test("t.s", TEXT).expect("a test");
        assert_eq!(cases.iter().map(|c| c.name).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(
            (&cases[0].lines, &cases[1].lines, &cases[1].shared),
            (&(1..6), &(6..8), &(0..1))
        );
        for case in &cases {
            for (name, text) in &case.files {
                for (at, c) in text.char_indices().filter(|(_, c)| !c.is_whitespace()) {
                    assert_eq!(TEXT[at..].chars().next(), Some(c), "{name}: {text}");
                }
            }
        }
        let has = |case: usize, file: usize, word: &str| cases[case].files[file].1.contains(word);
        assert!(
            has(0, 0, "nop") && has(0, 0, ".equ n") && !has(0, 0, "stopi") && !has(0, 0, "m, 2")
        );
        assert!(has(0, 1, "m, 2") && has(1, 0, "stopi") && cases[1].files.len() == 1);
        assert_eq!(cases[0].part("p.inc").map(|(name, _)| &**name), Some("p.inc"));
        assert_eq!(cases[0].roots().len(), 1);
        assert!(cases[0].has_line(0) && cases[1].has_line(0) && !cases[1].has_line(2));
    }

    #[test]
    fn comments_of_a_program_do_not_divide_it() {
        assert_eq!(TextCase::of_test("k.s", "; case: n is odd\n nop\n; note that: x\n"), None);
        assert_eq!(TextCase::of_test("k.s", "; run: g0=1\n nop\n"), None);
        assert!(TextCase::of_test("k.s", "; case: odd\n nop\n; run:\n").is_some());
    }
}
