//! Tokens to the tree of a text. A mistake is noted, and reading goes on behind the statement in which it stands.

mod cursor;
mod expression;
mod pragma;
mod statement;
mod words;

use crate::problems::{Problems, Wrong};
use crate::token::{TokenKind, tokens};
use crate::tree::{FunctionTree, ParameterTree};
use cursor::Cursor;
pub(crate) use expression::ASSIGNMENTS;

/// Reads the text of a nest, which is one function. Returns the function, if there is one that could be read, and what
/// is wrong.
pub(crate) fn parse(text: &str, file: u32) -> (Option<FunctionTree>, Problems) {
    let mut cursor = Cursor::new(tokens(text, 0), file);
    let function = function(&mut cursor);
    let function = match function {
        Ok(function) => Some(function),
        Err(wrong) => {
            cursor.note(*wrong);
            None
        }
    };
    (function, cursor.into_problems())
}

fn function(cursor: &mut Cursor<'_>) -> Result<FunctionTree, Wrong> {
    let mut pragmas = Vec::new();
    loop {
        match cursor.token().kind {
            TokenKind::Pragma => pragmas.extend(pragma::pragma(cursor)?),
            TokenKind::Directive => {
                let token = cursor.next();
                let message = format!("`{}` is not part of the subset", token.text.trim_end());
                let error = cursor.error("C1108", &token.at, message);
                cursor.note(error.help("write numbers and sizes themselves"));
            }
            _ => break,
        }
    }
    while cursor.take("static") || cursor.take("inline") {}
    if !cursor.take("void") {
        return Err(cursor.expected(
            "a function without result, `void name(int N, float A[N])`",
            &["void", "static"],
        ));
    }
    let token = cursor.token().clone();
    if token.kind != TokenKind::Word || words::is_keyword(token.text) {
        return Err(cursor.expected("the name of the function", &[]));
    }
    cursor.next();
    cursor.want("(")?;
    let mut parameters = Vec::new();
    while !cursor.take(")") {
        if !parameters.is_empty() {
            cursor.want(",")?;
        }
        let (kind, is_constant) = words::type_words(cursor)?;
        let declarator = statement::declarator(cursor, false)?;
        parameters.push(ParameterTree { kind, is_constant, declarator });
    }
    cursor.want("{")?;
    let body = statement::block(cursor)?;
    if !cursor.is_at_end() {
        return Err(cursor.expected("the end of the text, for a text has one function", &[]));
    }
    Ok(FunctionTree { name: token.text.to_owned(), parameters, pragmas, body })
}
