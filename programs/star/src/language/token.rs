//! Tokens (nom), each with its bytes in the text, and comments beside them.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_till, take_while, take_while1};
use nom::combinator::{map, recognize, value, verify};
use nom::sequence::pair;
use nom::{IResult, Parser};
use std::ops::Range;

/// The kinds of tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// Name or keyword.
    Word,
    /// Digits, letters and `_` that begin with a digit.
    Number,
    /// Text between quotes.
    Text,
    /// Punctuation or an operator.
    Mark,
    /// A character or a run of characters that begins nothing.
    Unknown,
    /// The end of the text.
    End,
}

/// A token, and the comments between it and the token before.
#[derive(Clone, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: TokenKind,
    pub(super) text: &'t str,
    pub(super) at: Range<usize>,
    /// Comment that begins in the line of the token before.
    pub(super) trailing: Option<&'t str>,
    /// Comments in lines of their own.
    pub(super) leading: Vec<&'t str>,
    /// Whether an empty line stands before the token and its leading comments.
    pub(super) is_apart: bool,
}

const MARKS: [&str; 20] = [
    ":=", "<=", ">=", "/=", "(", ")", "[", "]", "{", "}", ",", ";", ":", "+", "-", "*", "=", "<",
    ">", "..",
];

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn mark(text: &str) -> IResult<&str, &str> {
    match MARKS.iter().find(|mark| text.starts_with(**mark)) {
        Some(found) => tag(*found).parse(text),
        None => Err(nom::Err::Error(nom::error::Error::new(text, nom::error::ErrorKind::Tag))),
    }
}

fn quoted(text: &str) -> IResult<&str, &str> {
    recognize((tag("\""), take_till(|c| c == '"' || c == '\n'), tag("\""))).parse(text)
}

fn name(text: &str) -> IResult<&str, &str> {
    let first =
        verify(take_while1(is_word), |word: &str| !word.starts_with(|c: char| c.is_ascii_digit()));
    recognize(pair(first, take_while(|c| c == '\''))).parse(text)
}

/// Reads the token that a text begins with.
fn token(text: &str) -> IResult<&str, (TokenKind, &str)> {
    alt((
        map(name, |text| (TokenKind::Word, text)),
        map(take_while1(is_word), |text| (TokenKind::Number, text)),
        map(quoted, |text| (TokenKind::Text, text)),
        map(mark, |text| (TokenKind::Mark, text)),
        map(unknown, |text| (TokenKind::Unknown, text)),
    ))
    .parse(text)
}

fn unknown(text: &str) -> IResult<&str, &str> {
    let is_strange = |c: char| {
        !is_word(c) && !c.is_ascii_whitespace() && c != '"' && !"()[]{},;:+-*=<>".contains(c)
    };
    alt((take_while1(is_strange), recognize(nom::character::complete::anychar))).parse(text)
}

fn comment(text: &str) -> IResult<&str, &str> {
    recognize(pair(value((), tag("//")), take_till(|c| c == '\n'))).parse(text)
}

/// Splits a text into tokens; the last one is the end.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut all = Vec::new();
    let mut rest = text.trim_start_matches('\u{feff}');
    let (mut lines, mut leading, mut trailing, mut is_apart) = (0, Vec::new(), None, false);
    loop {
        let after = rest.trim_start();
        lines += rest[..rest.len() - after.len()].matches('\n').count();
        rest = after;
        let begin = text.len() - rest.len();
        if let Ok((next, found)) = comment(rest) {
            is_apart |= lines > 1 && leading.is_empty();
            match lines == 0 && !all.is_empty() && leading.is_empty() {
                true => trailing = Some(found.trim_end()),
                false => leading.push(found.trim_end()),
            }
            (rest, lines) = (next, 0);
            continue;
        }
        is_apart |= lines > 1 && leading.is_empty();
        let (next, (kind, found)) = token(rest).unwrap_or((rest, (TokenKind::End, "")));
        let at = begin..begin + found.len();
        let is_end = kind == TokenKind::End;
        all.push(Token { kind, text: found, at, trailing, leading, is_apart });
        if is_end {
            return all;
        }
        (rest, lines, leading, trailing, is_apart) = (next, 0, Vec::new(), None, false);
    }
}
