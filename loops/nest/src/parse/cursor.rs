//! Place in the tokens at which reading stands, and the mistakes so far. No grammar.

use crate::problems::{Problems, Wrong};
use crate::token::{Token, TokenKind};
use cp2_asm::diagnostic::Diagnostic;
use cp2_asm::nearest;
use std::ops::Range;

/// Brackets, blocks and loops that may be open at once, so that no text exhausts the stack.
const DEPTH: u16 = 64;

/// Operators that an expression may have, for the same reason.
const OPERATORS: u16 = 256;

pub(super) struct Cursor<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
    depth: u16,
    operators: u16,
    problems: Problems,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(tokens: Vec<Token<'t>>, file: u32) -> Self {
        Self { tokens, at: 0, depth: 0, operators: 0, problems: Problems::new(file) }
    }

    pub(super) fn into_problems(self) -> Problems {
        self.problems
    }

    pub(super) fn note(&mut self, wrong: Diagnostic) {
        self.problems.note(wrong);
    }

    pub(super) fn token(&self) -> &Token<'t> {
        &self.tokens[self.at]
    }

    /// Returns the token behind the next one.
    pub(super) fn second(&self) -> &Token<'t> {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)]
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.token().kind == TokenKind::End
    }

    /// Moves on, and returns the token that was next.
    pub(super) fn next(&mut self) -> Token<'t> {
        let token = self.tokens[self.at].clone();
        if !self.is_at_end() {
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
        let is_next = self.sees(text);
        if is_next {
            self.next();
        }
        is_next
    }

    pub(super) fn want(&mut self, text: &'static str) -> Result<(), Wrong> {
        if self.take(text) { Ok(()) } else { Err(self.expected(&format!("`{text}`"), &[text])) }
    }

    /// Begin of the next token.
    pub(super) fn begin(&self) -> usize {
        self.token().at.start
    }

    /// Bytes from `begin` to the end of the last token.
    pub(super) fn since(&self, begin: usize) -> Range<usize> {
        let end = self.at.checked_sub(1).map_or(begin, |last| self.tokens[last].at.end);
        begin..end.max(begin)
    }

    pub(super) fn error(
        &self,
        code: &'static str,
        at: &Range<usize>,
        message: impl Into<String>,
    ) -> Diagnostic {
        self.problems.error(code, at, message)
    }

    /// Creates the mistake that something else is next. `words` are those that could stand here, for the nearest one.
    pub(super) fn expected(&self, what: &str, words: &[&str]) -> Wrong {
        let token = self.token();
        let found = match token.kind {
            TokenKind::End => "the end of the text".to_owned(),
            TokenKind::Directive | TokenKind::Pragma => "a line of the preprocessor".to_owned(),
            _ => format!("`{}`", token.text),
        };
        let message = format!("expected {what}, found {found}");
        let error = self.error("C1101", &token.at, message);
        let near = nearest(token.text, words.iter().copied()).filter(|near| *near != token.text);
        Box::new(match near {
            Some(near) if token.kind == TokenKind::Word => {
                error.help(format!("did you mean `{near}`?"))
            }
            _ => error,
        })
    }

    /// Enters a bracket, block or loop.
    pub(super) fn enter(&mut self) -> Result<(), Wrong> {
        if self.depth >= DEPTH {
            let message = format!("more than {DEPTH} brackets, blocks and loops are open here");
            return Err(Box::new(self.error("C1101", &self.token().at.clone(), message)));
        }
        self.depth += 1;
        Ok(())
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

    /// Begins an expression that is no part of another one.
    pub(super) fn begin_expression(&mut self) {
        self.operators = 0;
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
        Err(Box::new(self.error("C1101", &self.token().at.clone(), message)))
    }

    /// Moves behind the statement in which a mistake stands: behind its `;` or block, or to the `}` of the block around it.
    pub(super) fn skip_statement(&mut self) {
        let (mut open, mut round) = (0_usize, 0_usize);
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
                "(" => {
                    round += 1;
                    false
                }
                ")" => {
                    round = round.saturating_sub(1);
                    false
                }
                ";" => open == 0 && round == 0,
                _ => false,
            };
            self.next();
            if is_last && !self.sees("else") {
                return;
            }
        }
    }
}
