//! Pragmas of the tool: `#pragma loops map(...)`, `forbid(...)`, `assume(...)`. Those of others are passed over, as a
//! compiler does.

use super::cursor::Cursor;
use super::expression::plain_expression;
use crate::problems::Wrong;
use crate::token::{TokenKind, tokens};
use crate::tree::{PragmaTree, StatementTree};
use cp2_asm::nearest;

/// Begins of pragmas of the tool.
const KINDS: [&str; 3] = ["map", "forbid", "assume"];

/// Reads the pragma that is next as a statement; that of another tool as an empty one.
pub(super) fn statement(cursor: &mut Cursor<'_>) -> Result<StatementTree, Wrong> {
    let pragma = pragma(cursor)?;
    Ok(pragma.map_or(StatementTree::Block(Vec::new()), StatementTree::Pragma))
}

/// Reads the pragma that is next; `None` if it is one of another tool.
pub(super) fn pragma(cursor: &mut Cursor<'_>) -> Result<Option<PragmaTree>, Wrong> {
    let line = cursor.next();
    let (line_at, text) = (line.at.clone(), line.text);
    let file = cursor.error("C1112", &line_at, "").span.map_or(0, |span| span.file);
    let mut inner = Cursor::new(tokens(text, line_at.start), file);
    let first = inner.next();
    if first.text != "loops" {
        // A word that is nearly the tool's own would be passed over in silence.
        if nearest(first.text, ["loops"]).is_some() {
            let message = format!("`#pragma {}` is no pragma of loops", first.text);
            let error = cursor.error("C1112", &first.at, message);
            return Err(Box::new(error.help("did you mean `loops`?")));
        }
        return Ok(None);
    }
    let read = content(&mut inner)?;
    if !inner.is_at_end() {
        return Err(inner.expected("the end of the line", &[]));
    }
    Ok(Some(read))
}

fn content(inner: &mut Cursor<'_>) -> Result<PragmaTree, Wrong> {
    let begin = inner.begin();
    let word = inner.next();
    if !KINDS.contains(&word.text) {
        let message = format!(
            "`#pragma loops` is followed by map(...), forbid(...) or assume(...), found `{}`",
            word.text
        );
        let error = inner.error("C1112", &word.at, message);
        return Err(Box::new(match nearest(word.text, KINDS) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        }));
    }
    inner.want("(")?;
    if word.text == "assume" {
        let condition = plain_expression(inner)?;
        inner.want(")")?;
        return Ok(PragmaTree::Assume(condition));
    }
    let (mut names, mut forms) = (Vec::new(), Vec::new());
    loop {
        if word.text == "map" {
            forms.push(plain_expression(inner)?);
        } else {
            let name = inner.token().clone();
            if name.kind != TokenKind::Word {
                return Err(inner.expected("the name of a transformation", &[]));
            }
            inner.next();
            names.push((name.text.to_owned(), name.at));
        }
        if !inner.take(",") {
            break;
        }
    }
    inner.want(")")?;
    match word.text {
        "map" => Ok(PragmaTree::Map(forms, inner.since(begin))),
        _ => Ok(PragmaTree::Forbid(names)),
    }
}
