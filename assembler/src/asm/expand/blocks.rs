//! Where macros, repetitions and conditions end. What is done with them is in `expand`.

use crate::asm::line::{Line, Loc};
use crate::diagnostic::Diagnostic;
use crate::parse;
use std::rc::Rc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OpenBlock {
    Macro,
    Rept,
    If,
    Else,
}

impl OpenBlock {
    fn opener(self) -> &'static str {
        match self {
            Self::Macro => ".macro",
            Self::Rept => ".rept",
            Self::If => ".if",
            Self::Else => ".else",
        }
    }

    fn closer(self) -> &'static str {
        match self {
            Self::Macro => ".endm",
            Self::Rept => ".endr",
            Self::If | Self::Else => ".endif",
        }
    }
}

/// For each line that opens or divides a block: the line that divides or ends it.
#[derive(Debug)]
pub(super) struct Blocks(Vec<usize>);

impl Blocks {
    /// Returns the blocks of a run of lines, and what is wrong with them.
    pub(super) fn of(lines: &[Rc<Line>]) -> (Self, Vec<Diagnostic>) {
        let matcher = Matcher::of(lines);
        (Self(matcher.partner), matcher.found)
    }

    /// Returns the line that divides or ends the block that a line opens or divides; the first for others.
    pub(super) fn partner(&self, line: usize) -> usize {
        self.0[line]
    }

    /// Returns the line that ends the block that a line opens, behind all its branches.
    pub(super) fn end(&self, line: usize) -> usize {
        let mut end = self.0[line];
        while let Some(&next) = self.0.get(end)
            && next > end
        {
            end = next;
        }
        end
    }
}

struct Matcher {
    open: Vec<(OpenBlock, usize)>,
    partner: Vec<usize>,
    found: Vec<Diagnostic>,
}

impl Matcher {
    fn of(lines: &[Rc<Line>]) -> Self {
        let mut matcher =
            Self { open: Vec::new(), partner: vec![0; lines.len()], found: Vec::new() };
        for (i, line) in lines.iter().enumerate() {
            if let Some((word, start, alone)) = parse::keyword(line.code()) {
                let loc = || line.loc(start..start + 1 + word.len());
                matcher.line(lines, i, word, alone, &loc);
            }
        }
        for (block, i) in std::mem::take(&mut matcher.open) {
            matcher.partner[i] = lines.len();
            matcher.unclosed(block, &lines[i]);
        }
        matcher
    }

    fn unclosed(&mut self, block: OpenBlock, line: &Line) {
        let message = format!("`{}` is never closed", block.opener());
        let d = line.whole().error("C0403", message);
        self.found.push(d.help(format!("end it with `{}`", block.closer())));
    }

    fn line(
        &mut self,
        lines: &[Rc<Line>],
        i: usize,
        word: &str,
        alone: bool,
        loc: &dyn Fn() -> Loc,
    ) {
        let closes = match word {
            "macro" => return self.open.push((OpenBlock::Macro, i)),
            "rept" => return self.open.push((OpenBlock::Rept, i)),
            "if" => return self.open.push((OpenBlock::If, i)),
            "endm" => ".endm",
            "endr" => ".endr",
            "endif" => ".endif",
            "else" => ".else",
            _ => return,
        };
        if !alone {
            let d = loc().error("C0101", format!("a label before `{closes}`"));
            self.found.push(d.help("put the label on a line of its own"));
        }
        if word == "else" {
            match self.open.last().copied() {
                Some((OpenBlock::If, opener)) => {
                    self.partner[opener] = i;
                    self.open.pop();
                    self.open.push((OpenBlock::Else, i));
                }
                open => self.misfit(closes, open.map(|o| o.0), loc),
            }
            return;
        }
        match self.open.iter().rposition(|(block, _)| block.closer() == closes) {
            Some(matching) => {
                for (block, opener) in self.open.split_off(matching + 1) {
                    self.partner[opener] = i;
                    self.unclosed(block, &lines[opener]);
                }
                if let Some((_, opener)) = self.open.pop() {
                    self.partner[opener] = i;
                }
            }
            None => {
                let open = self.open.pop();
                if let Some((_, opener)) = open {
                    self.partner[opener] = i;
                }
                self.misfit(closes, open.map(|o| o.0), loc);
            }
        }
    }

    fn misfit(&mut self, closes: &str, open: Option<OpenBlock>, loc: &dyn Fn() -> Loc) {
        let message = match open {
            Some(OpenBlock::Else) if closes == ".else" => "a second `.else`".into(),
            Some(open) => format!("`{closes}` where `{}` is open", open.opener()),
            None => format!("`{closes}` without an open block"),
        };
        let d = loc().error("C0402", message);
        self.found.push(match open {
            Some(open) => d.help(format!("`{}` ends with `{}`", open.opener(), open.closer())),
            None => d,
        });
    }
}
