//! Expressions with all operators of C, by precedence.

use super::cursor::Cursor;
use crate::problems::Wrong;
use crate::token::TokenKind;
use crate::tree::{ExpressionKind, ExpressionTree};

/// Operators between two operands, from those that bind least.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", "<=", ">", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// Operators that assign.
pub(crate) const ASSIGNMENTS: [&str; 11] =
    ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="];

/// Reads an expression, an assignment if it is one.
pub(super) fn expression(cursor: &mut Cursor<'_>) -> Result<ExpressionTree, Wrong> {
    cursor.begin_expression();
    assignment(cursor)
}

fn assignment(cursor: &mut Cursor<'_>) -> Result<ExpressionTree, Wrong> {
    let begin = cursor.begin();
    let left = choice(cursor)?;
    let Some(operator) = ASSIGNMENTS.into_iter().find(|text| cursor.sees(text)) else {
        return Ok(left);
    };
    cursor.count_operator()?;
    cursor.next();
    cursor.enter()?;
    let right = assignment(cursor)?;
    cursor.release();
    let kind = ExpressionKind::Binary(operator.to_owned(), Box::new(left), Box::new(right));
    Ok(ExpressionTree { kind, at: cursor.since(begin) })
}

/// Reads an expression without assignment; that with `?` is read to its end.
pub(super) fn choice(cursor: &mut Cursor<'_>) -> Result<ExpressionTree, Wrong> {
    let begin = cursor.begin();
    let condition = level(cursor, 0)?;
    if !cursor.take("?") {
        return Ok(condition);
    }
    cursor.enter()?;
    choice(cursor)?;
    cursor.want(":")?;
    choice(cursor)?;
    cursor.release();
    let kind = ExpressionKind::Refused("a choice by `?:`");
    Ok(ExpressionTree { kind, at: cursor.since(begin) })
}

fn level(cursor: &mut Cursor<'_>, depth: usize) -> Result<ExpressionTree, Wrong> {
    let Some(operators) = LEVELS.get(depth) else { return unary(cursor) };
    let begin = cursor.begin();
    let mut left = level(cursor, depth + 1)?;
    while let Some(operator) = operators.iter().find(|text| cursor.sees(text)) {
        cursor.count_operator()?;
        cursor.next();
        let right = level(cursor, depth + 1)?;
        let kind = ExpressionKind::Binary((*operator).to_owned(), Box::new(left), Box::new(right));
        left = ExpressionTree { kind, at: cursor.since(begin) };
    }
    Ok(left)
}

fn unary(cursor: &mut Cursor<'_>) -> Result<ExpressionTree, Wrong> {
    let begin = cursor.begin();
    let operators = ["-", "+", "!", "~", "*", "&", "++", "--"];
    if let Some(operator) = operators.into_iter().find(|text| cursor.sees(text)) {
        cursor.count_operator()?;
        cursor.next();
        cursor.enter()?;
        let operand = unary(cursor)?;
        cursor.release();
        let kind = ExpressionKind::Unary(operator.to_owned(), Box::new(operand));
        return Ok(ExpressionTree { kind, at: cursor.since(begin) });
    }
    if cursor.sees("(") && super::words::is_type_word(cursor.second().text) {
        cursor.next();
        while super::words::is_type_word(cursor.token().text) {
            cursor.next();
        }
        while cursor.take("*") {}
        cursor.want(")")?;
        cursor.enter()?;
        unary(cursor)?;
        cursor.release();
        return Ok(ExpressionTree { kind: ExpressionKind::Cast, at: cursor.since(begin) });
    }
    postfix(cursor)
}

fn postfix(cursor: &mut Cursor<'_>) -> Result<ExpressionTree, Wrong> {
    let begin = cursor.begin();
    let mut all = primary(cursor)?;
    loop {
        let kind = if cursor.take("[") {
            cursor.count_operator()?;
            cursor.enter()?;
            let index = assignment(cursor)?;
            cursor.release();
            cursor.want("]")?;
            ExpressionKind::Index(Box::new(all), Box::new(index))
        } else if cursor.sees("++") || cursor.sees("--") {
            cursor.count_operator()?;
            ExpressionKind::Postfix(cursor.next().text.to_owned(), Box::new(all))
        } else if cursor.take(".") || cursor.take("->") {
            cursor.count_operator()?;
            cursor.next();
            ExpressionKind::Refused("a member of a structure")
        } else {
            return Ok(all);
        };
        all = ExpressionTree { kind, at: cursor.since(begin) };
    }
}

fn primary(cursor: &mut Cursor<'_>) -> Result<ExpressionTree, Wrong> {
    let begin = cursor.begin();
    let token = cursor.token().clone();
    let kind = match token.kind {
        TokenKind::Number => {
            cursor.next();
            ExpressionKind::Number(token.text.to_owned())
        }
        TokenKind::Word if !super::words::is_keyword(token.text) => {
            cursor.next();
            if cursor.take("(") {
                ExpressionKind::Call(token.text.to_owned(), arguments(cursor)?)
            } else {
                ExpressionKind::Name(token.text.to_owned())
            }
        }
        TokenKind::Mark if token.text == "(" => {
            cursor.next();
            cursor.enter()?;
            let inner = assignment(cursor)?;
            cursor.release();
            cursor.want(")")?;
            inner.kind
        }
        _ => return Err(cursor.expected("a number, a name or `(`", &[])),
    };
    Ok(ExpressionTree { kind, at: cursor.since(begin) })
}

fn arguments(cursor: &mut Cursor<'_>) -> Result<Vec<ExpressionTree>, Wrong> {
    let mut all = Vec::new();
    cursor.enter()?;
    while !cursor.take(")") {
        if !all.is_empty() {
            cursor.want(",")?;
        }
        all.push(assignment(cursor)?);
    }
    cursor.release();
    Ok(all)
}

/// Reads a condition or index of a pragma.
pub(super) fn plain_expression(cursor: &mut Cursor<'_>) -> Result<ExpressionTree, Wrong> {
    cursor.begin_expression();
    choice(cursor)
}
