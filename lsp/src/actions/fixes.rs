//! Changes that the advice of a finding tells in words: what stands where is known from the code of the finding.

use crate::document::Document;
use cp2_asm::diagnostic::Diagnostic as Finding;
use cp2_asm::outline::{WordKind, outline};
use cp2_asm::{nearest, without_comment};
use cp2_isa::doc::matching;
use cp2_isa::{OperandKind, Row};
use std::ops::Range;

/// Column at which bundles and directives begin.
pub(super) const INDENT: &str = "        ";

/// A change: what it does, and the bytes of the text that get others.
pub(super) struct Fix {
    pub(super) title: String,
    pub(super) edits: Vec<(Range<usize>, String)>,
}

/// A finding with its place.
struct Found<'a> {
    document: &'a Document,
    finding: &'a Finding,
    /// Bytes that are marked.
    range: Range<usize>,
    line: usize,
}

/// Returns the change that mends a finding at some bytes, if its advice is one that can be followed by rule.
pub(super) fn fix(document: &Document, finding: &Finding, range: Range<usize>) -> Option<Fix> {
    let line = document.line_of(range.start);
    Found { document, finding, range, line }.fix()
}

fn one(title: impl Into<String>, range: Range<usize>, text: impl Into<String>) -> Option<Fix> {
    Some(Fix { title: title.into(), edits: vec![(range, text.into())] })
}

/// Returns the number before a word of a text, such as 2 before `bundles`.
fn number_before(text: &str, word: &str) -> Option<usize> {
    text[..text.find(word)?].split_whitespace().next_back()?.parse().ok()
}

/// Returns the number of commas of a text that stand in no parenthesis.
fn outer_commas(text: &str) -> usize {
    let mut depth = 0;
    let count = |c: &char| {
        depth += i32::from(*c == '(') - i32::from(*c == ')');
        *c == ',' && depth == 0
    };
    text.chars().filter(count).count()
}

/// Returns the first word of a text that stands in grave accents.
fn quoted(text: &str) -> Option<&str> {
    text.split('`').nth(1)
}

impl Found<'_> {
    fn fix(&self) -> Option<Fix> {
        match self.finding.code {
            "C0101" | "C0103" | "C0105" | "C0106" | "C0107" | "C0110" | "C0306" => self.of_syntax(),
            "C0307" | "C0310" | "C0312" | "C0455" | "C0508" | "C0512" => self.of_operands(),
            "C0402" => {
                let range = self.start_of(self.line)..self.start_of(self.line + 1);
                one(format!("Remove `{}`", self.marked().trim()), range, "")
            }
            "C0403" | "C0608" => self.closed(),
            "C0411" => self.below("stopi   0", "End the kernel with `stopi 0`"),
            "C0510" => self.below("stopi   0", "End with `stopi 0`"),
            "C0412" => {
                let is_data = self.help().starts_with("data go to local memory");
                is_data.then(|| self.above(".lmem all", "Put the data into local memory"))?
            }
            "C0450" => self.above("nop", "Put a `nop` between"),
            "C0505" => self
                .help()
                .contains("put an `enddo`")
                .then(|| self.above("enddo", "Put `enddo` before the jump"))?,
            "C0501" | "C0502" | "C0503" => self.later(number_before(self.help(), " bundle")?),
            "C0611" => self.later(number_before(self.help(), " times")?),
            "C0607" => self.scratch(),
            _ => self.choice(),
        }
    }

    fn help(&self) -> &str {
        self.finding.help.as_deref().unwrap_or_default()
    }

    fn marked(&self) -> &str {
        &self.document.text()[self.range.clone()]
    }

    fn start_of(&self, line: usize) -> usize {
        self.document.start_of_line(line)
    }

    /// Returns the code of the line of the finding, without its comment, and where it begins in the text.
    fn code(&self) -> (&str, usize) {
        (without_comment(self.document.line(self.line)).trim_end(), self.start_of(self.line))
    }

    /// Returns the place at which the bundle of the line begins: behind its labels.
    fn statement(&self) -> usize {
        let (code, begin) = self.code();
        let words = outline(code);
        let labels = words.iter().take_while(|word| word.kind == WordKind::Symbol && word.defines);
        let behind = labels.last().map_or(0, |word| word.range.end);
        let colon =
            code[behind..].find(':').filter(|_| behind > 0).map_or(behind, |at| behind + at + 1);
        let blanks = code[colon..].len() - code[colon..].trim_start().len();
        begin + colon + blanks
    }

    fn of_syntax(&self) -> Option<Fix> {
        let (code, begin) = self.code();
        let end = begin + code.len();
        match self.finding.code {
            "C0101" if self.finding.message.starts_with("expected `,`, `|`") => self.separated(),
            "C0103" => one("Close the quote", end..end, "\""),
            "C0105" => one("Write `nop`", self.range.clone(), "nop"),
            "C0106" => {
                let from = self.range.start;
                let close = self.document.text()[from..].find(')')? + from + 1;
                let predicate = self.document.text()[from..close].to_owned();
                let blanks =
                    self.document.text()[close..].chars().take_while(|c| *c == ' ').count();
                let front = self.statement();
                Some(Fix {
                    title: format!("Move `{predicate}` to the front of the bundle"),
                    edits: vec![
                        (front..front, predicate + " "),
                        (from..close + blanks, String::new()),
                    ],
                })
            }
            "C0107" => {
                let head = self.document.text()[..self.range.start].trim_end().len();
                one("Begin another bundle", head..self.range.end, format!("\n{INDENT}|"))
            }
            "C0110" => {
                let word: usize = self.document.text()[self.range.end..]
                    .chars()
                    .take_while(char::is_ascii_alphanumeric)
                    .count();
                one("Write `@allow`", self.range.start..self.range.end + word, "@allow")
            }
            "C0306" => self.swapped(),
            _ => None,
        }
    }

    /// Returns the change that puts a bar before the marked word if it is an operation of an exchange half, else a comma behind the operand before it.
    fn separated(&self) -> Option<Fix> {
        let at = self.range.start;
        let text = self.document.text();
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
        let word = &text[at..at + text[at..].find(|c| !is_part(c)).unwrap_or(text.len() - at)];
        if !matching(word).is_empty() {
            return one("Separate the halves with `|`", at..at, "| ");
        }
        let (code, begin) = self.code();
        let head = code.get(..at - begin)?.trim_end();
        let statement = &code[self.statement() - begin..at - begin];
        let half = statement.rsplit('|').next()?.trim_start();
        let half =
            half.split_once(')').filter(|_| half.starts_with("if")).map_or(half, |(_, rest)| rest);
        let (name, operands) = half.trim().split_once([' ', '\t'])?;
        let rest = code[at - begin..].split(['|', '@']).next()?;
        let count = 2 + outer_commas(operands) + outer_commas(rest);
        let is_whole = |row: &&'static Row| {
            let is_written = |kind| !matches!(kind, OperandKind::Condition | OperandKind::Format);
            row.operands.iter().filter(|operand| is_written(operand.kind)).count() == count
        };
        let behind = begin + head.len();
        let is_apart = !operands.trim().is_empty() && !head.ends_with(',');
        (is_apart && matching(name).iter().any(is_whole))
            .then(|| one("Insert a comma", behind..at, ", "))?
    }

    /// Returns the change that puts each half of the bundle on the other side of the bar.
    fn swapped(&self) -> Option<Fix> {
        let from = self.statement();
        let (code, begin) = self.code();
        let end = code.find('@').map_or(code.len(), |at| code[..at].trim_end().len());
        let bundle = code.get(from - begin..end)?;
        let (predicate, halves) = match bundle.starts_with("if") {
            true => bundle.split_at(bundle.find(')')? + 1),
            false => ("", bundle),
        };
        let (left, right) = halves.split_once('|')?;
        let parts = [predicate, right.trim(), "|", left.trim()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        one("Swap the halves", from..begin + end, parts.join(" "))
    }

    fn of_operands(&self) -> Option<Fix> {
        let (code, begin) = self.code();
        let end = begin + code.len();
        match self.finding.code {
            "C0307" => {
                let own = self.finding.message.rsplit(' ').next()?;
                one(format!("Write `{own}`"), self.range.clone(), own)
            }
            "C0310" => one("Keep the word: `@allow(C0310)`", end..end, " @allow(C0310)"),
            "C0312" => {
                let at = self.range.end;
                let title = format!("Take the address as a number: `{}+0`", self.marked());
                one(title, at..at, "+0")
            }
            "C0455" => {
                let rest = self.marked().strip_prefix("runi")?;
                let to = self.range.start..self.range.end - rest.len();
                one("Write `jumpi`", to, "jumpi")
            }
            "C0508" => {
                let marked = self.marked();
                let close = marked.find(')').filter(|_| marked.starts_with("if"))? + 1;
                let blanks = marked[close..].chars().take_while(|c| *c == ' ').count();
                let range = self.range.start..self.range.start + close + blanks;
                one(format!("Remove `{}`", &marked[..close]), range, "")
            }
            "C0512" => {
                let number = self.help().strip_prefix("write ")?.split(',').next()?;
                number.parse::<u32>().ok()?;
                let at = self.marked().rfind(char::is_whitespace)? + 1;
                self.marked()[at..].parse::<u32>().ok()?;
                let range = self.range.start + at..self.range.end;
                one(format!("Write {number}"), range, number)
            }
            _ => None,
        }
    }

    /// Returns the change that closes a block: a loop before the end of its region, others at the end of the text.
    fn closed(&self) -> Option<Fix> {
        let word = self.help().strip_prefix("end it with").and_then(quoted)?;
        let text = self.document.text();
        let lines = text.split('\n').count();
        let before = (word == ".endloop").then(|| {
            let mut below = self.line + 1..lines;
            below.find(|line| self.document.line(*line).trim_start().starts_with(".endlinear"))
        });
        let at = before.flatten().map_or(text.len(), |line| self.start_of(line));
        let lead = if at > 0 && !text[..at].ends_with('\n') { "\n" } else { "" };
        one(format!("End it with `{word}`"), at..at, format!("{lead}{INDENT}{word}\n"))
    }

    /// Returns the change that puts a line before that of the finding.
    fn above(&self, line: &str, title: &str) -> Option<Fix> {
        let at = self.start_of(self.line);
        one(title, at..at, format!("{INDENT}{line}\n"))
    }

    /// Returns the change that puts a line behind that of the finding.
    fn below(&self, line: &str, title: &str) -> Option<Fix> {
        let at = self.start_of(self.line) + self.document.line(self.line).len();
        one(title, at..at, format!("\n{INDENT}{line}"))
    }

    /// Returns the change that issues the bundle, or begins the region, so many bundles later.
    fn later(&self, bundles: usize) -> Option<Fix> {
        let at = self.start_of(self.line);
        let title = match bundles {
            1 => "Put a `nop` before".to_owned(),
            n => format!("Put {n} times `nop` before"),
        };
        one(title, at..at, format!("{INDENT}nop\n").repeat(bundles))
    }

    /// Returns the change that lends the scheduler a general register.
    fn scratch(&self) -> Option<Fix> {
        let (free, range, text) = scratch(self.document, self.line)?;
        one(format!("Lend the scheduler `{free}`"), range, text)
    }

    /// Returns the change to that of the choices in the advice which is nearest to the marked word.
    fn choice(&self) -> Option<Fix> {
        let told = [self.help(), self.finding.message.as_str()];
        let list = told.into_iter().find_map(|text| {
            let begin = ["the choices are ", "the functions are ", "the extensions are "];
            begin.into_iter().find_map(|begin| Some(text.split_once(begin)?.1))
        })?;
        let choices: Vec<&str> = list.split(", ").map(|word| word.trim_matches('`')).collect();
        let marked = self.marked();
        let word = marked.split('(').next().unwrap_or(marked);
        let near = nearest(word, choices.iter().copied())?;
        let range = self.range.start..self.range.start + word.len();
        one(format!("Write `{near}` in place of `{word}`"), range, near)
    }
}

/// Returns a general register that the text does not name, and the change that lends it to the scheduler in the region of a line, from 0.
pub(super) fn scratch(document: &Document, line: usize) -> Option<(String, Range<usize>, String)> {
    let (text, words) = (document.text(), document.words());
    let is_named = |name: &String| {
        words
            .iter()
            .any(|word| word.kind == WordKind::Register && text[word.range.clone()] == **name)
    };
    let free = (0..16).rev().map(|number| format!("g{number}")).find(|name| !is_named(name))?;
    let mut above = (0..line).rev();
    let is_head =
        |line: &usize| document.line(*line).split_whitespace().any(|word| word == ".linear");
    let at = document.start_of_line(above.find(is_head)? + 1);
    let lent = format!("{INDENT}.scratch {free}\n");
    Some((free, at..at, lent))
}
