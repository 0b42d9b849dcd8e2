//! Tokens of a nest's text (nom), each with its bytes in the text. Comments and `#include` lines are passed over.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_till, take_until, take_while, take_while1};
use nom::character::complete::{anychar, digit0, digit1, one_of};
use nom::combinator::{map, opt, recognize, verify};
use nom::sequence::pair;
use nom::{IResult, Parser};
use std::ops::Range;

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// Name or keyword.
    Word,
    /// Number, whole or with a fraction, and whatever letters stand at its end.
    Number,
    /// Punctuation or an operator.
    Mark,
    /// Line of a pragma, without `#pragma`.
    Pragma,
    /// Line of the preprocessor that is neither `#include` nor `#pragma`.
    Directive,
    /// Characters that begin nothing.
    Unknown,
    /// The end of the text.
    End,
}

/// A token of the text.
#[derive(Clone, Debug)]
pub(crate) struct Token<'t> {
    pub(crate) kind: TokenKind,
    pub(crate) text: &'t str,
    pub(crate) at: Range<usize>,
}

const MARKS: [&str; 43] = [
    "<<=", ">>=", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "==", "!=", "<=",
    ">=", "&&", "||", "<<", ">>", "->", "(", ")", "[", "]", "{", "}", ",", ";", "+", "-", "*", "/",
    "%", "<", ">", "=", "!", "?", ":", "&", ".", "~",
];

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn word(text: &str) -> IResult<&str, &str> {
    verify(take_while1(is_word), |word: &str| !word.starts_with(|c: char| c.is_ascii_digit()))
        .parse(text)
}

fn number(text: &str) -> IResult<&str, &str> {
    let mantissa =
        alt((recognize((digit1, opt((tag("."), digit0)))), recognize((tag("."), digit1))));
    let exponent = (one_of("eE"), opt(one_of("+-")), digit1);
    recognize((mantissa, opt(exponent), take_while(is_word))).parse(text)
}

fn mark(text: &str) -> IResult<&str, &str> {
    match MARKS.iter().find(|mark| text.starts_with(**mark)) {
        Some(found) => tag(*found).parse(text),
        None => Err(nom::Err::Error(nom::error::Error::new(text, nom::error::ErrorKind::Tag))),
    }
}

/// Reads a line of the preprocessor, which goes on behind a `\` at its end.
fn directive(text: &str) -> IResult<&str, &str> {
    let mut end = text.len();
    for (at, _) in text.match_indices('\n') {
        if !text[..at].trim_end_matches('\r').ends_with('\\') {
            end = at;
            break;
        }
    }
    let (line, rest) = text.split_at(end);
    if line.starts_with('#') {
        return Ok((rest, line));
    }
    Err(nom::Err::Error(nom::error::Error::new(text, nom::error::ErrorKind::Tag)))
}

fn comment(text: &str) -> IResult<&str, &str> {
    alt((
        recognize(pair(tag("//"), take_till(|c| c == '\n'))),
        recognize((tag("/*"), take_until("*/"), tag("*/"))),
    ))
    .parse(text)
}

fn unknown(text: &str) -> IResult<&str, &str> {
    let is_strange = |c: char| !is_word(c) && !c.is_ascii_whitespace() && !c.is_ascii_punctuation();
    alt((take_while1(is_strange), recognize(anychar))).parse(text)
}

/// Reads the token that a text begins with.
fn token(text: &str) -> IResult<&str, (TokenKind, &str)> {
    alt((
        map(word, |text| (TokenKind::Word, text)),
        map(number, |text| (TokenKind::Number, text)),
        map(directive, |text| (TokenKind::Directive, text)),
        map(mark, |text| (TokenKind::Mark, text)),
        map(unknown, |text| (TokenKind::Unknown, text)),
    ))
    .parse(text)
}

/// Returns what follows a word of the preprocessor in its line, with the place where that begins.
fn behind<'t>(line: &'t str, word: &str) -> Option<(&'t str, usize)> {
    let inner = line[1..].trim_start();
    let rest = inner.strip_prefix(word)?;
    let is_whole = rest.is_empty() || !rest.starts_with(is_word);
    is_whole.then(|| (rest, line.len() - rest.len()))
}

/// Splits a text, which begins at the byte `begin` of a file, into tokens; the last one is the end.
pub(crate) fn tokens(text: &str, begin: usize) -> Vec<Token<'_>> {
    let mut all = Vec::new();
    let mut rest = text.trim_start_matches('\u{feff}');
    loop {
        rest = rest.trim_start();
        let place = text.len() - rest.len();
        if let Ok((next, _)) = comment(rest) {
            rest = next;
            continue;
        }
        let (next, (kind, found)) = token(rest).unwrap_or((rest, (TokenKind::End, "")));
        rest = next;
        let mut it = Token { kind, text: found, at: begin + place..begin + place + found.len() };
        if kind == TokenKind::Directive {
            if behind(found, "include").is_some() {
                continue;
            }
            if let Some((content, offset)) = behind(found, "pragma") {
                it.kind = TokenKind::Pragma;
                it.text = content;
                it.at.start += offset;
            }
        }
        let is_end = kind == TokenKind::End;
        all.push(it);
        if is_end {
            return all;
        }
    }
}
