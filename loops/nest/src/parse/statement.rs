//! Statements and declarations.

use super::cursor::Cursor;
use super::expression::expression;
use super::pragma;
use super::words::{REFUSED, is_keyword, is_type_word, type_words};
use crate::problems::Wrong;
use crate::token::TokenKind;
use crate::tree::{DeclaratorTree, ForTree, StatementTree, TypeTree};
use std::ops::Range;

/// Reads a name with its sizes, and its value if `takes_value`.
pub(super) fn declarator(
    cursor: &mut Cursor<'_>,
    takes_value: bool,
) -> Result<DeclaratorTree, Wrong> {
    let mut pointer: Option<Range<usize>> = None;
    while cursor.sees("*") || cursor.sees("&") || cursor.sees("(") {
        let token = cursor.next();
        pointer.get_or_insert(token.at);
    }
    while ["const", "restrict"].iter().any(|word| cursor.take(word)) {}
    let token = cursor.token().clone();
    if token.kind != TokenKind::Word || is_keyword(token.text) {
        return Err(cursor.expected("a name", &[]));
    }
    cursor.next();
    while pointer.is_some() && cursor.take(")") {
        if cursor.sees(")") || cursor.sees(",") {
            break;
        }
    }
    let mut sizes = Vec::new();
    while cursor.take("[") {
        while ["static", "restrict", "const"].iter().any(|word| cursor.take(word)) {}
        let size = if cursor.sees("]") { None } else { Some(expression(cursor)?) };
        sizes.push(size);
        cursor.want("]")?;
    }
    let value = if takes_value && cursor.take("=") { Some(expression(cursor)?) } else { None };
    Ok(DeclaratorTree { name: token.text.to_owned(), at: token.at, pointer, sizes, value })
}

/// Reads statements up to the `}` of their block. A mistake is noted, and reading goes on behind its statement.
pub(super) fn block(cursor: &mut Cursor<'_>) -> Result<Vec<StatementTree>, Wrong> {
    let mut all = Vec::new();
    cursor.enter()?;
    while !cursor.take("}") {
        if cursor.is_at_end() {
            return Err(cursor.expected("`}`", &[]));
        }
        if cursor.take(";") {
            continue;
        }
        let depth = cursor.depth();
        match statement(cursor) {
            Ok(statement) => all.push(statement),
            Err(wrong) => {
                cursor.note(*wrong);
                cursor.return_to(depth);
                cursor.skip_statement();
            }
        }
    }
    cursor.release();
    Ok(all)
}

fn statement(cursor: &mut Cursor<'_>) -> Result<StatementTree, Wrong> {
    let token = cursor.token().clone();
    match token.kind {
        TokenKind::Pragma => return pragma::statement(cursor),
        TokenKind::Directive => {
            let message = format!("`{}` is not part of the subset", token.text.trim_end());
            let error = cursor.error("C1108", &token.at, message);
            cursor.next();
            cursor.note(error.help("write numbers and sizes themselves"));
            return Ok(StatementTree::Block(Vec::new()));
        }
        TokenKind::Word => {}
        _ if cursor.take("{") => return block(cursor).map(StatementTree::Block),
        _ => {
            let expression = expression(cursor)?;
            cursor.want(";")?;
            return Ok(StatementTree::Expression(expression));
        }
    }
    if let Some((word, help)) = REFUSED.iter().find(|(word, _)| *word == token.text) {
        let message = format!("`{word}` is not part of the subset");
        return Err(Box::new(cursor.error("C1108", &token.at, message).help(*help)));
    }
    match token.text {
        "for" => loop_head(cursor).map(StatementTree::For),
        "if" => choice_statement(cursor),
        text if is_type_word(text) => declaration(cursor),
        _ => {
            let expression = expression(cursor)?;
            cursor.want(";")?;
            Ok(StatementTree::Expression(expression))
        }
    }
}

/// Reads a statement below a loop or condition.
fn inner(cursor: &mut Cursor<'_>) -> Result<Box<StatementTree>, Wrong> {
    if cursor.take(";") {
        return Ok(Box::new(StatementTree::Block(Vec::new())));
    }
    cursor.enter()?;
    let mut all = Vec::new();
    // A pragma belongs to the statement behind it.
    loop {
        let is_pragma = cursor.token().kind == TokenKind::Pragma;
        all.push(statement(cursor)?);
        if !is_pragma {
            break;
        }
    }
    cursor.release();
    let only = if all.len() == 1 { all.pop() } else { None };
    Ok(Box::new(only.unwrap_or(StatementTree::Block(all))))
}

fn declaration(cursor: &mut Cursor<'_>) -> Result<StatementTree, Wrong> {
    let (kind, _) = type_words(cursor)?;
    let mut declarators = vec![declarator(cursor, true)?];
    while cursor.take(",") {
        declarators.push(declarator(cursor, true)?);
    }
    cursor.want(";")?;
    Ok(StatementTree::Declaration { kind, declarators })
}

fn choice_statement(cursor: &mut Cursor<'_>) -> Result<StatementTree, Wrong> {
    cursor.next();
    cursor.want("(")?;
    let condition = expression(cursor)?;
    cursor.want(")")?;
    let then = inner(cursor)?;
    let otherwise = if cursor.take("else") { Some(inner(cursor)?) } else { None };
    Ok(StatementTree::If { condition, then, otherwise })
}

fn loop_head(cursor: &mut Cursor<'_>) -> Result<ForTree, Wrong> {
    let begin = cursor.begin();
    cursor.next();
    cursor.want("(")?;
    let declares = is_type_word(cursor.token().text);
    if declares {
        let type_begin = cursor.begin();
        let (kind, _) = type_words(cursor)?;
        if kind != TypeTree::Integer {
            let error =
                cursor.error("C1107", &cursor.since(type_begin), "an index of a loop is an int");
            return Err(Box::new(error.help("write `int`")));
        }
    }
    let token = cursor.token().clone();
    if token.kind != TokenKind::Word || is_keyword(token.text) {
        return Err(cursor.expected("the index of the loop, as in `int i = 0`", &["int"]));
    }
    cursor.next();
    cursor.want("=")?;
    let first = expression(cursor)?;
    cursor.want(";")?;
    let condition = expression(cursor)?;
    cursor.want(";")?;
    let step = expression(cursor)?;
    cursor.want(")")?;
    let at = cursor.since(begin);
    let body = inner(cursor)?;
    let (name, name_at) = (token.text.to_owned(), token.at);
    Ok(ForTree { declares, name, name_at, begin: first, condition, step, body, at })
}
