//! Sources in one layout: columns, blanks and empty lines. Words and comments stay as they are, so the program does too.

use crate::parse::keyword;
use crate::without_comment;

/// Column of operations and directives, from 0; labels begin at 0.
const OPERATION: usize = 8;
/// Column of operands.
const OPERANDS: usize = 16;
/// First column of comments behind code.
const COMMENT: usize = 40;
/// Code that reaches this column has its comment behind it, and does not move those of the lines around it.
const WIDE: usize = 80;

/// Returns a source in the layout of `cp2 fmt`, which is the same for a source that has it already. Of a line:
///
/// - labels begin at column 0, operations, bars and directives at 8, operands of the first operation at 16;
/// - one blank stands around a bar and behind a comma; data and declarations keep more blanks behind commas, which make tables;
/// - a comment alone in its line begins at column 0 or 8, whichever it had: 0 if it began there; comments behind code stand in one
///   column as long as line follows line, at 40 or behind the longest code.
///
/// Empty lines come one at a time, none at the begin or the end. Strings and comments are not changed. A line that the assembler refuses is
/// laid out as far as its words tell.
///
/// Lines end as those of the source do, most of them if they do not agree.
pub fn formatted(source: &str) -> String {
    with_line_ends(source, laid_out_lines(source.strip_prefix('\u{feff}').unwrap_or(source)))
}

/// Returns a text whose lines end with a line feed with the line ends of a source: with a carriage return before the line feed if more lines of
/// the source have one than not.
pub fn with_line_ends(source: &str, text: String) -> String {
    let (all, returned) = (source.matches('\n').count(), source.matches("\r\n").count());
    if returned * 2 > all { text.replace('\n', "\r\n") } else { text }
}

fn laid_out_lines(source: &str) -> String {
    let mut lines: Vec<LaidOut> = Vec::new();
    for line in source.lines() {
        let line = LaidOut::of(line.trim_end(), lines.last());
        let is_wanted = |last: &LaidOut| !(line.is_empty() && last.is_empty());
        if lines.last().map_or(!line.is_empty(), is_wanted) {
            lines.push(line);
        }
    }
    while lines.last().is_some_and(LaidOut::is_empty) {
        lines.pop();
    }
    let mut out = String::new();
    for run in lines.chunk_by(|line, next| line.has_column && next.has_column) {
        let widths = run.iter().map(LaidOut::width).filter(|&width| width < WIDE);
        let column = widths.max().map_or(COMMENT, |width| COMMENT.max(width + 2));
        run.iter().for_each(|line| line.write(&mut out, column));
    }
    out
}

/// A line: its code, laid out, and its comment.
struct LaidOut {
    code: String,
    comment: String,
    /// Whether its comment stands in the column of those around it.
    has_column: bool,
}

impl LaidOut {
    /// Lays a line out that follows another one.
    fn of(line: &str, before: Option<&Self>) -> Self {
        let code = without_comment(line);
        let comment = line[code.len()..].trim().to_owned();
        let text = laid_out(code.trim());
        if !text.is_empty() || comment.is_empty() {
            let has_column = !comment.is_empty();
            return Self { code: text, comment, has_column };
        }
        let indent = line.len() - line.trim_start().len();
        // A comment far to the right goes on with that of the line before.
        let has_column = indent > OPERANDS && before.is_some_and(|line| line.has_column);
        let code = if indent == 0 { String::new() } else { " ".repeat(OPERATION) };
        Self { code, comment, has_column }
    }

    fn is_empty(&self) -> bool {
        self.code.is_empty() && self.comment.is_empty()
    }

    /// Returns the column behind the code.
    fn width(&self) -> usize {
        self.code.trim_end().chars().count()
    }

    fn write(&self, out: &mut String, column: usize) {
        if self.has_column {
            let code = self.code.trim_end();
            let gap = column.saturating_sub(self.width()).max(2);
            *out += code;
            out.extend(std::iter::repeat_n(' ', gap));
        } else {
            *out += &self.code;
        }
        *out += &self.comment;
        out.push('\n');
    }
}

/// Returns the code of a line in its columns.
fn laid_out(code: &str) -> String {
    let mut out = String::new();
    let mut rest = code;
    while let Some((label, after)) = label(rest) {
        let gap = if out.is_empty() { "" } else { " " };
        out = format!("{out}{gap}{label}:");
        rest = after.trim_start();
    }
    if rest.is_empty() {
        return out;
    }
    if !out.is_empty() {
        out.push(' ');
    }
    let mut out = format!("{out:OPERATION$}");
    let is_directive = rest.starts_with('.');
    let keeps_tables =
        is_directive && keyword(rest).is_some_and(|(word, ..)| TABLES.contains(&word));
    let halves = if is_directive { vec![rest] } else { halves(rest) };
    for (number, half) in halves.iter().enumerate() {
        let half = half.trim();
        let is_first = number == 0 || (number == 1 && halves[0].trim().is_empty());
        if number > 0 {
            out += if is_first { "| " } else { " | " };
        }
        let (predicate, operation) = predicate(half);
        if !predicate.is_empty() {
            out += &spaced(predicate, false);
            out.push(' ');
        }
        let end = operation.find([' ', '\t']).unwrap_or(operation.len());
        let (word, operands) = operation.split_at(end);
        out += word;
        let operands = spaced(operands.trim(), keeps_tables);
        if !operands.is_empty() {
            let width = out.chars().count();
            let is_column = is_first && predicate.is_empty();
            let gap = if is_column { OPERANDS.saturating_sub(width).max(1) } else { 1 };
            out.extend(std::iter::repeat_n(' ', gap));
            out += &operands;
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// Directives whose arguments may stand in columns of a table.
const TABLES: [&str; 6] = ["quad", "complex", "pair", "bundle", "array", "arg"];

/// Returns the name of a label at the begin of a text, and what follows its colon.
fn label(text: &str) -> Option<(&str, &str)> {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || "_\\{}".contains(c);
    let end = text.find(|c| !is_inside(c))?;
    let after = text[end..].trim_start().strip_prefix(':')?;
    (end > 0).then_some((&text[..end], after))
}

/// Returns the predicate of a bundle, and the rest.
fn predicate(text: &str) -> (&str, &str) {
    let is_one = text.strip_prefix("if").is_some_and(|rest| rest.trim_start().starts_with('('));
    let end = text.find(')').filter(|_| is_one).map_or(0, |end| end + 1);
    (&text[..end], text[end..].trim_start())
}

/// Returns the parts of a bundle between bars that are in no string.
fn halves(text: &str) -> Vec<&str> {
    let mut is_string = false;
    let split = |c: char| {
        is_string ^= c == '"';
        c == '|' && !is_string
    };
    text.split(split).collect()
}

/// Returns a text with one blank where it has some, none before a comma and inside of parentheses, one behind a comma, outside of strings; with tables what stands
/// behind commas keeps its distance.
fn spaced(text: &str, keeps_tables: bool) -> String {
    let mut out = String::new();
    let (mut is_string, mut blanks) = (false, 0);
    for c in text.chars() {
        if !is_string && (c == ' ' || c == '\t') {
            blanks += 1;
            continue;
        }
        if !is_string && c != ',' {
            let wanted = match out.chars().last() {
                Some(',') if keeps_tables => blanks.max(1),
                Some(',') => 1,
                Some('(') => 0,
                _ if c == ')' => 0,
                _ => blanks.min(1),
            };
            out.extend(std::iter::repeat_n(' ', wanted));
        }
        blanks = 0;
        is_string ^= c == '"';
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_end_as_those_of_the_source() {
        let of = |source: &str| formatted(source);
        assert_eq!(
            of("nop\r\n\r\n\r\n  x:nop ; one\r\n"),
            of("nop\n\nx: nop ; one\n").replace('\n', "\r\n")
        );
        assert_eq!(of("nop\r\nnop\n"), "        nop\n        nop\n");
        assert_eq!(of("nop"), "        nop\n");
        assert_eq!(of(&of("a:nop\r\n")), of("a:nop\r\n"));
    }

    #[test]
    fn lines_have_their_columns() {
        let source = "\u{feff}

; head
.kernel a
   n : .equ n,4 // four
  a: b: if( cc1 )cadd f1 ,f2,  f3|swi f1, \" | ,x\"  @allow(C0801 \"a  |  b\")   # no comment
\t| doi 3,last
nop ; one
        psadd   f1, f2, f3, f4, f5, f6, f7, f8 ; two
                                               ; and more
nop


        .complex 1, 2,   3,4
   ; inside
a_long_label: lwi f1,4


";
        let expected = "; head
        .kernel a
n:      .equ    n, 4                    // four
a: b:   if(cc1) cadd f1, f2, f3 | swi f1, \" | ,x\" @allow(C0801 \"a  |  b\") # no comment
        | doi   3, last
        nop                                     ; one
        psadd   f1, f2, f3, f4, f5, f6, f7, f8  ; two
                                                ; and more
        nop

        .complex 1, 2,   3, 4
        ; inside
a_long_label: lwi f1, 4
";
        assert_eq!(formatted(source), expected);
    }

    #[test]
    fn a_short_source_is_laid_out() {
        let source = "sum: psadd f1,f2 , f3|swi f4,  5;results\n\n\n\nstopi 0";
        let expected = "sum:    psadd   f1, f2, f3 | swi f4, 5  ;results\n\n        stopi   0\n";
        assert_eq!(formatted(source), expected);
    }

    /// Letters that make lines of all kinds, and their faults.
    const LETTERS: &str = "ab1 \t,:|;/\"#.%{}()\\\n";

    proptest! {
        #[test]
        fn words_stay_and_a_second_time_changes_nothing(
            picks in proptest::collection::vec(0..LETTERS.len(), 0..200),
        ) {
            let text: String = picks.iter().map(|&at| LETTERS.as_bytes()[at] as char).collect();
            let once = formatted(&text);
            prop_assert_eq!(&formatted(&once), &once);
            let bare = |text: &str| text.chars().filter(|c| !" \t\n".contains(*c)).collect::<String>();
            prop_assert_eq!(bare(&once), bare(&text));
        }
    }
}
