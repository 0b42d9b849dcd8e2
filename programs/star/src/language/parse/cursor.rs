//! Where in the tokens reading stands, and the mistakes so far. No grammar.

use super::super::token::{Token, TokenKind};
use super::super::tree::{PlacedName, TextSpan};
use crate::problems::Problems;
use cp2_asm::diagnostic::Diagnostic;
use cp2_asm::nearest;
use std::ops::Range;

/// A mistake that ends the reading of a statement.
pub(super) type Wrong = Box<Diagnostic>;

/// Words that are no names.
pub(in crate::language) const KEYWORDS: [&str; 19] = [
    "input",
    "output",
    "inout",
    "var",
    "procedure",
    "if",
    "else",
    "while",
    "for",
    "forall",
    "to",
    "in",
    "from",
    "require",
    "and",
    "or",
    "xor",
    "not",
    "insertions",
];

/// Brackets and blocks that may be open at once, so that no text exhausts the stack.
const DEPTH: u16 = 64;

/// Operators that an expression may have, for the same reason.
const OPERATORS: u16 = 256;

pub(super) struct Cursor<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
    depth: u16,
    problems: Problems,
    /// Operators of the expression so far.
    operators: u16,
    /// Comments in the middle of a statement, for the part behind it.
    pending: Vec<String>,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(tokens: Vec<Token<'t>>, file: u32) -> Self {
        let problems = Problems::new(file);
        Self { tokens, at: 0, depth: 0, problems, operators: 0, pending: Vec::new() }
    }

    /// Returns the tree, if there was no mistake.
    pub(super) fn finish<T>(self, tree: T) -> Result<T, Vec<Diagnostic>> {
        self.problems.finish(tree)
    }

    pub(super) fn note(&mut self, wrong: Diagnostic) {
        self.problems.note(wrong);
    }

    pub(super) fn token(&self) -> &Token<'t> {
        &self.tokens[self.at]
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.token().kind == TokenKind::End
    }

    /// Moves on, and returns the token that was there.
    pub(super) fn next(&mut self) -> Token<'t> {
        let token = self.tokens[self.at].clone();
        if !self.is_at_end() {
            let place = &mut self.tokens[self.at];
            let beside =
                place.trailing.take().into_iter().chain(std::mem::take(&mut place.leading));
            self.pending.extend(beside.map(str::to_owned));
            self.at += 1;
        }
        token
    }

    /// Whether a keyword or mark is next.
    pub(super) fn sees(&self, text: &str) -> bool {
        let token = self.token();
        token.text == text && matches!(token.kind, TokenKind::Word | TokenKind::Mark)
    }

    /// Moves over a keyword or mark, if it is next.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let is_there = self.sees(text);
        if is_there {
            self.next();
        }
        is_there
    }

    pub(super) fn want(&mut self, text: &'static str) -> Result<(), Wrong> {
        if self.take(text) { Ok(()) } else { Err(self.expected(&format!("`{text}`"), &[text])) }
    }

    /// Reads a name.
    pub(super) fn name(&mut self, what: &str) -> Result<PlacedName, Wrong> {
        let token = self.token();
        if token.kind != TokenKind::Word {
            return Err(self.expected(what, &[]));
        }
        if KEYWORDS.contains(&token.text) {
            let message =
                format!("expected {what}, and `{}` is a word of the language", token.text);
            return Err(Box::new(self.error("C1001", token.at.clone(), message)));
        }
        let token = self.next();
        Ok(PlacedName { text: token.text.to_owned(), at: TextSpan(token.at) })
    }

    /// Begin of the next token.
    pub(super) fn begin(&self) -> usize {
        self.token().at.start
    }

    /// Bytes from `begin` to the end of the last token.
    pub(super) fn since(&self, begin: usize) -> TextSpan {
        let end = self.at.checked_sub(1).map_or(begin, |last| self.tokens[last].at.end);
        TextSpan(begin..end.max(begin))
    }

    pub(super) fn error(
        &self,
        code: &'static str,
        at: Range<usize>,
        message: impl Into<String>,
    ) -> Diagnostic {
        self.problems.error(code, &at, message)
    }

    /// Creates the mistake that something else is next. `words` are those that could stand here, for the nearest one.
    pub(super) fn expected(&self, what: &str, words: &[&str]) -> Wrong {
        let token = self.token();
        let found = match token.kind {
            TokenKind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", token.text),
        };
        let message = format!("expected {what}, found {found}");
        let error = self.error("C1001", token.at.clone(), message);
        let near = nearest(token.text, words.iter().copied()).filter(|near| *near != token.text);
        Box::new(match near {
            Some(near) if token.kind == TokenKind::Word => {
                error.help(format!("did you mean `{near}`?"))
            }
            _ => error,
        })
    }

    /// Enters a bracket or block.
    pub(super) fn enter(&mut self) -> Result<(), Wrong> {
        if self.depth >= DEPTH {
            let message = format!("more than {DEPTH} brackets and blocks are open here");
            return Err(Box::new(self.error("C1001", self.token().at.clone(), message)));
        }
        self.depth += 1;
        Ok(())
    }

    /// Counts an operator of an expression, whose tree may be as deep as it has operators.
    pub(super) fn count_operator(&mut self) -> Result<(), Wrong> {
        self.operators += 1;
        if self.operators <= OPERATORS {
            return Ok(());
        }
        let message = format!(
            "the expression has more than {OPERATORS} operators, the limit; split it before this one"
        );
        Err(Box::new(self.error("C1001", self.token().at.clone(), message)))
    }

    /// Begins an expression that is no part of another one; returns where it begins.
    pub(super) fn begin_expression(&mut self) -> usize {
        self.operators = 0;
        self.begin()
    }

    pub(super) fn release(&mut self) {
        self.depth -= 1;
    }

    /// Depth now, for [`Self::return_to`].
    pub(super) fn depth(&self) -> u16 {
        self.depth
    }

    /// Returns to a depth after a mistake.
    pub(super) fn return_to(&mut self, depth: u16) {
        self.depth = depth;
    }

    /// Moves behind the statement in which a mistake stands: behind its `;` or block, or to the `}` of the block around it.
    pub(super) fn skip_statement(&mut self) {
        let mut open = 0_usize;
        while !self.is_at_end() {
            let is_last = match self.token().text {
                "}" if open == 0 => return,
                "{" => {
                    open += 1;
                    false
                }
                "}" => {
                    open -= 1;
                    open == 0
                }
                ";" => open == 0,
                "procedure" => return,
                _ => false,
            };
            self.next();
            if is_last && !self.sees("else") {
                return;
            }
        }
    }

    /// Moves to the next item of the program.
    pub(super) fn skip_item(&mut self) {
        self.depth = 0;
        let begin = self.at;
        self.skip_statement();
        if self.at == begin && self.sees("}") {
            self.next();
        }
    }

    /// Takes the comments before the next token, and whether an empty line stands before them.
    pub(super) fn comments(&mut self) -> (bool, Vec<String>) {
        let token = &mut self.tokens[self.at];
        let is_apart = token.is_apart && self.pending.is_empty();
        let trailing = token.trailing.take();
        let leading = trailing.into_iter().chain(std::mem::take(&mut token.leading));
        let mut all = std::mem::take(&mut self.pending);
        all.extend(leading.map(str::to_owned));
        (is_apart, all)
    }

    /// Takes the comment behind the last token.
    pub(super) fn trailing(&mut self) -> Option<String> {
        self.tokens[self.at].trailing.take().map(str::to_owned)
    }
}
