//! The grammar of expressions.

use super::super::token::TokenKind;
use super::super::tree::{
    BinaryWord, ExpressionForm, ExpressionTree, NOT_STRENGTH, PlacedName, SIGN_STRENGTH, TextSpan,
    UnaryWord,
};
use super::cursor::{Cursor, KEYWORDS, Wrong};

pub(super) fn expression(cursor: &mut Cursor<'_>) -> Result<ExpressionTree, Wrong> {
    cursor.begin_expression();
    climb(cursor, 0)
}

/// Reads operators that bind at least as strongly as `least`.
fn climb(cursor: &mut Cursor<'_>, least: u8) -> Result<ExpressionTree, Wrong> {
    cursor.enter()?;
    let begin = cursor.begin();
    let mut left = operand(cursor)?;
    while let Some(&(word, _, strength)) = BinaryWord::ALL.iter().find(|row| cursor.sees(row.1))
        && strength >= least
    {
        cursor.count_operator()?;
        cursor.next();
        let right = climb(cursor, strength + 1)?;
        let form = ExpressionForm::Binary(word, Box::new(left), Box::new(right));
        left = ExpressionTree { at: cursor.since(begin), form };
    }
    cursor.release();
    Ok(left)
}

fn operand(cursor: &mut Cursor<'_>) -> Result<ExpressionTree, Wrong> {
    let begin = cursor.begin();
    let unary = [("not", UnaryWord::Not, NOT_STRENGTH), ("-", UnaryWord::Minus, SIGN_STRENGTH)];
    for (text, word, strength) in unary {
        if cursor.take(text) {
            let form = ExpressionForm::Unary(word, Box::new(climb(cursor, strength)?));
            return Ok(ExpressionTree { at: cursor.since(begin), form });
        }
    }
    if cursor.take("(") {
        let mut inner = climb(cursor, 0)?;
        cursor.want(")")?;
        inner.at = cursor.since(begin);
        return Ok(inner);
    }
    let token = cursor.token().clone();
    match token.kind {
        TokenKind::Number => {
            let form = number(cursor, token.text)?;
            cursor.next();
            Ok(ExpressionTree { at: TextSpan(token.at), form })
        }
        TokenKind::Word if !KEYWORDS.contains(&token.text) => {
            cursor.next();
            let name = PlacedName { text: token.text.to_owned(), at: TextSpan(token.at) };
            let form = match (token.text, cursor.sees("(")) {
                (_, true) => ExpressionForm::Apply(name, arguments(cursor)?),
                ("true", _) => ExpressionForm::Truth(true),
                ("false", _) => ExpressionForm::Truth(false),
                _ => ExpressionForm::Name(name.text),
            };
            Ok(ExpressionTree { at: cursor.since(begin), form })
        }
        _ => Err(cursor.expected("an expression", &[])),
    }
}

/// Reads arguments in parentheses.
pub(super) fn arguments(cursor: &mut Cursor<'_>) -> Result<Vec<ExpressionTree>, Wrong> {
    cursor.want("(")?;
    let mut all = Vec::new();
    while !cursor.take(")") {
        if !all.is_empty() {
            cursor.want(",")?;
        }
        all.push(climb(cursor, 0)?);
    }
    Ok(all)
}

fn number(cursor: &Cursor<'_>, text: &str) -> Result<ExpressionForm, Wrong> {
    let wrong = |message: String, help: &str| {
        let error = cursor.error("C1002", cursor.token().at.clone(), message);
        Err(Box::new(if help.is_empty() { error } else { error.help(help) }))
    };
    let digits: String = text.chars().filter(|&c| c != '_').collect();
    if let Some(bits) = digits.strip_prefix("0b") {
        return match !bits.is_empty() && bits.bytes().all(|b| b == b'0' || b == b'1') {
            true => Ok(ExpressionForm::Bits(bits.to_owned())),
            false => {
                wrong(format!("`{text}` is no word of bits"), "behind `0b` stand `0` and `1` only")
            }
        };
    }
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        let help = "numbers are decimal; the bits of a word stand behind `0b`";
        return wrong(format!("`{text}` is not a number"), help);
    }
    match digits.parse() {
        Ok(number) => Ok(ExpressionForm::Number(number)),
        Err(_) => wrong(format!("`{text}` is too large; the limit is {}", i64::MAX), ""),
    }
}
