//! The grammar of `.arg` and `.array`: what a kernel declares of itself.

use super::ast::{ArrayLine, Operand, Placement, Setting, Word};
use super::choice::{choice, comma, required_name};
use super::cursor::{Cursor, Parsed};
use super::expr::{blanks, expr, mark, name, token};
use nom::Parser;

/// Settings whose values are words.
const IN_WORDS: [&str; 2] = ["layout", "pack"];

/// Reads `NAME, REGISTER[, TYPE][, KEY=VALUE ...]`.
pub(super) fn argument(i: Cursor<'_>) -> Parsed<'_, Placement> {
    let (rest, name) = required_name(i, "the argument's name")?;
    let (mut rest, register) = choice(comma(rest)?)?;
    let (mut element, mut settings) = (None, Vec::new());
    while let Ok((after, _)) = mark(",").parse(rest) {
        rest = match setting(after)? {
            (after, Some(found)) => {
                settings.push(found);
                after
            }
            (_, None) => {
                let (after, word) = required_name(after, "a type, or a promise such as `min=16`")?;
                if element.is_some() || !settings.is_empty() {
                    return Err(after.expected("`=`"));
                }
                element = Some(word);
                after
            }
        };
    }
    Ok((rest, Placement::Argument(name, register, element, settings)))
}

/// Reads `NAME, DIRECTION`, with which the arguments of `.array` begin.
pub(crate) fn array_head(i: Cursor<'_>) -> Parsed<'_, (Word, Word)> {
    let (rest, name) = required_name(blanks(i)?.0, "the array's name")?;
    let (rest, direction) = required_name(comma(rest)?, "`in`, `out` or `inout`")?;
    Ok((rest, (name, direction)))
}

/// Reads `NAME, DIRECTION, TYPE, EXTENT[, EXTENT ...][, KEY=VALUE ...]`.
pub(super) fn array(i: Cursor<'_>) -> Parsed<'_, Placement> {
    let (rest, (name, direction)) = array_head(i)?;
    let (rest, element) = required_name(comma(rest)?, "the type of the elements")?;
    let (mut rest, first) = expr(comma(rest)?)?;
    let (mut shape, mut settings) = (vec![first], Vec::new());
    while let Ok((after, _)) = mark(",").parse(rest) {
        rest = match setting(after)? {
            (after, Some(found)) => {
                settings.push(found);
                after
            }
            (_, None) => {
                let (after, extent) = expr(after)?;
                if !settings.is_empty() {
                    return Err(after.expected("a setting such as `layout=blocks`"));
                }
                shape.push(extent);
                after
            }
        };
    }
    let line = ArrayLine { name, direction, element, shape, settings };
    Ok((rest, Placement::Array(Box::new(line))))
}

/// Reads `KEY=VALUE`, if that is what comes.
fn setting(i: Cursor<'_>) -> Parsed<'_, Option<Setting>> {
    let Ok((after, key)) = token(name).map(Cursor::word).parse(i) else { return Ok((i, None)) };
    let is_setting = after.text.starts_with('=') && !after.text.starts_with("==");
    if !is_setting {
        return Ok((i, None));
    }
    let (value, _) = mark("=").parse(after)?;
    if IN_WORDS.contains(&key.text.as_str()) {
        let is_part = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'/';
        let length = value.text.bytes().position(|b| !is_part(b)).unwrap_or(value.text.len());
        if length == 0 {
            return Err(value.expected("a word"));
        }
        let end = value.skip(length);
        let text = value.text[..length].to_owned();
        let word = Word { text, at: value.until(&end) };
        let (rest, ()) = blanks(end)?;
        return Ok((rest, Some(Setting { key, value: Operand::Named(word) })));
    }
    let (rest, value) = choice(value)?;
    Ok((rest, Some(Setting { key, value })))
}
