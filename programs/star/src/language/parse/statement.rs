//! The grammar of declarations and statements.

use super::super::token::TokenKind;
use super::super::tree::{
    BlockTree, Commented, DeclarationTree, DeclarationWord, ExpressionForm, ExpressionTree,
    StatementForm, StatementTree, TypeTree,
};
use super::cursor::{Cursor, Wrong};
use super::expression::expression;

/// Words of types.
pub(super) const TYPES: [&str; 5] = ["slice", "word", "table", "int", "bool"];

/// Reads `WORD NAME, ... : TYPE [from SOURCE];`.
pub(super) fn declaration(cursor: &mut Cursor<'_>) -> Result<DeclarationTree, Wrong> {
    let found = DeclarationWord::ALL.iter().find(|(_, text)| cursor.sees(text));
    let word = found.map_or(DeclarationWord::Var, |row| row.0);
    cursor.next();
    let mut names = vec![cursor.name("the name of a variable")?];
    while cursor.take(",") {
        names.push(cursor.name("the name of a variable")?);
    }
    cursor.want(":")?;
    let kind = kind(cursor)?;
    let source = match cursor.take("from") {
        true => Some(cursor.name("where the value comes from")?),
        false => None,
    };
    cursor.want(";")?;
    Ok(DeclarationTree { word, names, kind, source })
}

/// Reads a type.
pub(super) fn kind(cursor: &mut Cursor<'_>) -> Result<TypeTree, Wrong> {
    if !TYPES.iter().any(|word| cursor.sees(word)) {
        return Err(cursor.expected("a type (`slice`, `word`, `table`, `int`, `bool`)", &TYPES));
    }
    let word = cursor.name("a type")?;
    let length = match cursor.take("[") {
        true => {
            let length = expression(cursor)?;
            cursor.want("]")?;
            Some(length)
        }
        false => None,
    };
    Ok(TypeTree { word, length })
}

/// Reads statements in braces.
pub(super) fn block(cursor: &mut Cursor<'_>) -> Result<BlockTree, Wrong> {
    cursor.want("{")?;
    cursor.enter()?;
    let mut block = BlockTree { opening: cursor.trailing(), ..BlockTree::default() };
    loop {
        let (is_apart, leading) = cursor.comments();
        if cursor.sees("}") {
            block.tail = leading;
            cursor.next();
            cursor.release();
            return Ok(block);
        }
        if cursor.is_at_end() || cursor.sees("procedure") {
            return Err(cursor.expected("a statement or `}`", &[]));
        }
        let depth = cursor.depth();
        match statement(cursor) {
            Ok(part) => {
                let trailing = cursor.trailing();
                let is_apart = is_apart && !block.statements.is_empty();
                block.statements.push(Commented { is_apart, leading, part, trailing });
            }
            Err(wrong) => {
                cursor.note(*wrong);
                cursor.return_to(depth);
                cursor.skip_statement();
            }
        }
    }
}

fn statement(cursor: &mut Cursor<'_>) -> Result<StatementTree, Wrong> {
    let begin = cursor.begin();
    if cursor.sees("var") {
        let form = StatementForm::Variables(declaration(cursor)?);
        return Ok(StatementTree { at: cursor.since(begin), form });
    }
    if cursor.take("if") {
        return conditional(cursor, begin);
    }
    if cursor.take("while") {
        let condition = expression(cursor)?;
        let at = cursor.since(begin);
        return Ok(StatementTree { at, form: StatementForm::While(condition, block(cursor)?) });
    }
    if cursor.sees("for") || cursor.sees("forall") {
        return counted(cursor, begin);
    }
    if cursor.take("require") {
        return requirement(cursor, begin);
    }
    simple(cursor, begin)
}

fn conditional(cursor: &mut Cursor<'_>, begin: usize) -> Result<StatementTree, Wrong> {
    let condition = expression(cursor)?;
    let at = cursor.since(begin);
    let mut branches = vec![(condition, block(cursor)?)];
    let mut otherwise = None;
    while otherwise.is_none() && cursor.take("else") {
        if cursor.take("if") {
            let condition = expression(cursor)?;
            branches.push((condition, block(cursor)?));
        } else {
            otherwise = Some(block(cursor)?);
        }
    }
    Ok(StatementTree { at, form: StatementForm::If(branches, otherwise) })
}

fn counted(cursor: &mut Cursor<'_>, begin: usize) -> Result<StatementTree, Wrong> {
    let is_at_once = cursor.next().text == "forall";
    if !is_at_once && cursor.take("(") {
        let tail = cursor.name("the name of the tail of the arc")?;
        cursor.want(",")?;
        let head = cursor.name("the name of the head of the arc")?;
        cursor.want(",")?;
        let weight = cursor.name("the name of the weight of the arc")?;
        cursor.want(")")?;
        cursor.want("in")?;
        cursor.want("insertions")?;
        let at = cursor.since(begin);
        let form = StatementForm::Insertions([tail, head, weight], block(cursor)?);
        return Ok(StatementTree { at, form });
    }
    let variable = cursor.name("the name of the number of the pass")?;
    cursor.want(":=")?;
    let from = expression(cursor)?;
    cursor.want("to")?;
    let range = (from, expression(cursor)?);
    let at = cursor.since(begin);
    let form = StatementForm::For { is_at_once, variable, range, body: block(cursor)? };
    Ok(StatementTree { at, form })
}

fn requirement(cursor: &mut Cursor<'_>, begin: usize) -> Result<StatementTree, Wrong> {
    let condition = expression(cursor)?;
    cursor.want(",")?;
    if cursor.token().kind != TokenKind::Text {
        return Err(cursor.expected("a message in quotes", &[]));
    }
    let message = cursor.next().text.trim_matches('"').to_owned();
    cursor.want(";")?;
    Ok(StatementTree { at: cursor.since(begin), form: StatementForm::Require(condition, message) })
}

/// Reads an assignment or a call.
fn simple(cursor: &mut Cursor<'_>, begin: usize) -> Result<StatementTree, Wrong> {
    if cursor.token().kind != TokenKind::Word {
        return Err(cursor.expected("a statement", &[]));
    }
    let words = ["if", "while", "for", "forall", "require", "var"];
    let start = cursor.expected("`:=` or `(` behind the name", &words);
    let first = target(cursor)?;
    if cursor.take(":=") {
        let value = expression(cursor)?;
        cursor.want(";")?;
        let form = StatementForm::Assign(first, value);
        return Ok(StatementTree { at: cursor.since(begin), form });
    }
    match first.form {
        ExpressionForm::Apply(name, arguments) => {
            cursor.want(";")?;
            let form = StatementForm::Call(name, arguments);
            Ok(StatementTree { at: cursor.since(begin), form })
        }
        _ => {
            let mut wrong = cursor.expected("`:=` or `(` behind the name", &[]);
            wrong.help = start.help;
            Err(wrong)
        }
    }
}

/// Reads what stands before `:=`, or a call.
fn target(cursor: &mut Cursor<'_>) -> Result<ExpressionTree, Wrong> {
    let begin = cursor.begin_expression();
    let name = cursor.name("a statement")?;
    let form = match cursor.sees("(") {
        true => ExpressionForm::Apply(name, super::expression::arguments(cursor)?),
        false => ExpressionForm::Name(name.text),
    };
    Ok(ExpressionTree { at: cursor.since(begin), form })
}
