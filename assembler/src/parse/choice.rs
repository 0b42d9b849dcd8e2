//! What arguments of several directives are made of: a name, a comma, a choice.

use super::ast::{Operand, Word};
use super::cursor::{Cursor, Parsed, Refused};
use super::expr::{expr, mark, name, token};
use super::statement::register;
use crate::names;
use nom::Parser;

/// Reads a name, or returns an error that says what it is of.
pub(super) fn required_name<'a>(i: Cursor<'a>, what: &str) -> Parsed<'a, Word> {
    token(name).map(Cursor::word).parse(i).map_err(|_| i.expected(what))
}

/// Reads a comma, which has to come, and returns what stands behind it.
pub(super) fn comma<'a>(i: Cursor<'a>) -> Result<Cursor<'a>, nom::Err<Refused>> {
    mark(",").parse(i).map(|(rest, _)| rest).map_err(|_: nom::Err<Refused>| i.expected("`,`"))
}

/// Reads a word such as `all` or `both`, a register, or a number.
pub(super) fn choice(i: Cursor<'_>) -> Parsed<'_, Operand> {
    if let Ok((rest, r)) = token(register).parse(i) {
        return Ok((rest, Operand::Register(r)));
    }
    if let Ok((rest, word)) = token(name).parse(i)
        && (matches!(word.text, "both" | "none" | "abs" | "sections")
            || names::is_named_register(word.text))
    {
        return Ok((rest, Operand::Named(word.word())));
    }
    expr.map(Operand::Expr).parse(i)
}
