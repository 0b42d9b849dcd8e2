//! Tokens to the tree. A mistake is noted, and reading goes on behind the statement in which it stands.

mod cursor;
mod expression;
mod statement;

use super::token::tokens;
use super::tree::{
    Commented, DeclarationWord, ItemTree, ParameterTree, ProcedureTree, ProgramTree,
};
use cp2_asm::diagnostic::{Diagnostic, Sources};
pub(super) use cursor::KEYWORDS;
use cursor::{Cursor, Wrong};

/// Reads the text of a program. `file` is the number of the text in `sources`.
///
/// # Errors
/// The text does not follow the grammar: all diagnostics, in the order of the text.
pub fn parse(sources: &Sources, file: u32) -> Result<ProgramTree, Vec<Diagnostic>> {
    let mut cursor = Cursor::new(tokens(sources.text(file)), file);
    let mut tree = ProgramTree::default();
    while !cursor.is_at_end() {
        let (is_apart, leading) = cursor.comments();
        match item(&mut cursor) {
            Ok(part) => {
                let trailing = cursor.trailing();
                let is_apart = is_apart && !tree.items.is_empty();
                tree.items.push(Commented { is_apart, leading, part, trailing });
            }
            Err(wrong) => {
                cursor.note(*wrong);
                cursor.skip_item();
            }
        }
    }
    tree.tail = cursor.comments().1;
    cursor.finish(tree)
}

fn item(cursor: &mut Cursor<'_>) -> Result<ItemTree, Wrong> {
    if cursor.take("procedure") {
        return procedure(cursor).map(ItemTree::Procedure);
    }
    let word = DeclarationWord::ALL.iter().find(|(_, text)| cursor.sees(text));
    match word {
        Some(_) => statement::declaration(cursor).map(ItemTree::Variables),
        None => Err(cursor.expected(
            "a declaration (`input`, `output`, `inout`, `var`) or `procedure`",
            &["input", "output", "inout", "var", "procedure"],
        )),
    }
}

fn procedure(cursor: &mut Cursor<'_>) -> Result<ProcedureTree, Wrong> {
    let name = cursor.name("the name of the procedure")?;
    cursor.want("(")?;
    let mut parameters = Vec::new();
    while !cursor.take(")") {
        if !parameters.is_empty() {
            cursor.want(",")?;
        }
        let is_result = cursor.take("var");
        let name = cursor.name("a parameter")?;
        cursor.want(":")?;
        parameters.push(ParameterTree { is_result, name, kind: statement::kind(cursor)? });
    }
    Ok(ProcedureTree { name, parameters, body: statement::block(cursor)? })
}
