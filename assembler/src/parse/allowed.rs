//! The grammar of what a source allows: a code, and in quotes why.

use super::ast::{Allowed, Word};
use super::cursor::{Cursor, Fault, Parsed};
use super::expr::{blanks, name, token};
use nom::Parser;
use nom::bytes::complete::{tag, take_while};
use nom::sequence::delimited;

/// Reads a code, and the reason if there is one.
pub(super) fn allowed(i: Cursor<'_>) -> Parsed<'_, Allowed> {
    let (rest, code) = token(name).map(Cursor::word).parse(i)?;
    if !rest.text.starts_with('"') {
        return Ok((rest, Allowed { code, reason: None }));
    }
    let (rest, reason) = quoted(rest, "reason")?;
    Ok((rest, Allowed { code, reason: Some(reason) }))
}

/// Reads the text between quotes, the first of which is there.
pub(super) fn quoted<'a>(i: Cursor<'a>, what: &str) -> Parsed<'a, Word> {
    match delimited(mark_quote, take_while(|c| c != '"'), mark_quote).parse(i) {
        Ok((rest, text)) if !text.text.is_empty() => {
            let word = Word { text: text.text.to_owned(), at: i.until(&rest) };
            let (rest, ()) = blanks(rest)?;
            Ok((rest, word))
        }
        Ok((rest, _)) => {
            Err(Fault::new("C0103", i.until(&rest), format!("an empty {what}")).fatal())
        }
        Err(_) => {
            let at = i.offset..i.offset + i.text.len();
            let fault = Fault::new("C0103", at, "this quote is not closed on its line");
            Err(fault.help("close it with `\"`").fatal())
        }
    }
}

fn mark_quote(i: Cursor<'_>) -> Parsed<'_, Cursor<'_>> {
    tag("\"").parse(i)
}
