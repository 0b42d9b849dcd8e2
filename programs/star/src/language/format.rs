//! The tree as text in the one way to write it: four blanks a level, one statement a line, comments where they stand.

use super::tree::{
    BinaryWord, BlockTree, DeclarationTree, DeclarationWord, ExpressionForm, ExpressionTree,
    ItemTree, NOT_STRENGTH, ProgramTree, SIGN_STRENGTH, StatementForm, TypeTree, UnaryWord,
};

/// Returns the text of a tree; the tree of the text is the same, and its text again.
pub fn format(tree: &ProgramTree) -> String {
    let mut writer = Writer::default();
    for item in &tree.items {
        writer.before(item.is_apart, &item.leading);
        match &item.part {
            ItemTree::Variables(declaration) => writer.line(&declaration_text(declaration)),
            ItemTree::Procedure(procedure) => {
                let parameters: Vec<String> = procedure
                    .parameters
                    .iter()
                    .map(|parameter| {
                        let var = if parameter.is_result { "var " } else { "" };
                        format!("{var}{}: {}", parameter.name.text, type_text(&parameter.kind))
                    })
                    .collect();
                let head = format!("procedure {}({})", procedure.name.text, parameters.join(", "));
                writer.block(&head, &procedure.body);
            }
        }
        writer.behind(item.trailing.as_deref());
    }
    writer.before(false, &tree.tail);
    writer.text
}

#[derive(Default)]
struct Writer {
    text: String,
    level: usize,
}

impl Writer {
    fn line(&mut self, text: &str) {
        self.text.extend(std::iter::repeat_n("    ", self.level));
        self.text += text;
        self.text.push('\n');
    }

    /// Writes the empty line and the comments before a part.
    fn before(&mut self, is_apart: bool, comments: &[String]) {
        if is_apart && !self.text.is_empty() {
            self.text.push('\n');
        }
        comments.iter().for_each(|comment| self.line(comment));
    }

    /// Writes a comment behind the last line.
    fn behind(&mut self, comment: Option<&str>) {
        if let Some(comment) = comment {
            self.text.truncate(self.text.trim_end().len());
            self.text += "  ";
            self.text += comment;
            self.text.push('\n');
        }
    }

    fn block(&mut self, head: &str, block: &BlockTree) {
        self.line(&format!("{head} {{"));
        self.inside(block);
    }

    /// Writes a block that begins in the line in which the block before ends.
    fn next_block(&mut self, head: &str, block: &BlockTree) {
        self.text.pop();
        self.text += &format!(" {head} {{\n");
        self.inside(block);
    }

    fn inside(&mut self, block: &BlockTree) {
        self.behind(block.opening.as_deref());
        self.level += 1;
        for statement in &block.statements {
            self.before(statement.is_apart, &statement.leading);
            self.statement(&statement.part.form);
            self.behind(statement.trailing.as_deref());
        }
        self.before(false, &block.tail);
        self.level -= 1;
        self.line("}");
    }

    fn statement(&mut self, form: &StatementForm) {
        match form {
            StatementForm::Variables(declaration) => self.line(&declaration_text(declaration)),
            StatementForm::Assign(target, value) => {
                self.line(&format!("{} := {};", text(target, 0), text(value, 0)));
            }
            StatementForm::Call(name, arguments) => {
                self.line(&format!("{}({});", name.text, list(arguments)));
            }
            StatementForm::If(branches, otherwise) => {
                for (place, (condition, block)) in branches.iter().enumerate() {
                    let condition = text(condition, 0);
                    match place {
                        0 => self.block(&format!("if {condition}"), block),
                        _ => self.next_block(&format!("else if {condition}"), block),
                    }
                }
                if let Some(block) = otherwise {
                    self.next_block("else", block);
                }
            }
            StatementForm::While(condition, block) => {
                self.block(&format!("while {}", text(condition, 0)), block);
            }
            StatementForm::For { is_at_once, variable, range, body } => {
                let word = if *is_at_once { "forall" } else { "for" };
                let (from, to) = (text(&range.0, 0), text(&range.1, 0));
                self.block(&format!("{word} {} := {from} to {to}", variable.text), body);
            }
            StatementForm::Insertions([tail, head, weight], body) => {
                let names = format!("{}, {}, {}", tail.text, head.text, weight.text);
                self.block(&format!("for ({names}) in insertions"), body);
            }
            StatementForm::Require(condition, message) => {
                self.line(&format!("require {}, \"{message}\";", text(condition, 0)));
            }
        }
    }
}

fn declaration_text(declaration: &DeclarationTree) -> String {
    let word = DeclarationWord::ALL.iter().find(|row| row.0 == declaration.word);
    let names: Vec<&str> = declaration.names.iter().map(|name| name.text.as_str()).collect();
    let source = declaration.source.as_ref();
    let source = source.map(|source| format!(" from {}", source.text)).unwrap_or_default();
    let (word, kind) = (word.map_or("", |row| row.1), type_text(&declaration.kind));
    format!("{word} {}: {kind}{source};", names.join(", "))
}

fn type_text(kind: &TypeTree) -> String {
    match &kind.length {
        Some(length) => format!("{}[{}]", kind.word.text, text(length, 0)),
        None => kind.word.text.clone(),
    }
}

fn list(expressions: &[ExpressionTree]) -> String {
    expressions.iter().map(|e| text(e, 0)).collect::<Vec<_>>().join(", ")
}

/// Returns the text of an expression, in parentheses if it binds less strongly than `least`.
fn text(expression: &ExpressionTree, least: u8) -> String {
    let within =
        |strength: u8, text: String| if strength < least { format!("({text})") } else { text };
    match &expression.form {
        ExpressionForm::Number(number) => number.to_string(),
        ExpressionForm::Bits(bits) => format!("0b{bits}"),
        ExpressionForm::Truth(truth) => truth.to_string(),
        ExpressionForm::Name(name) => name.clone(),
        ExpressionForm::Apply(name, arguments) => format!("{}({})", name.text, list(arguments)),
        ExpressionForm::Unary(UnaryWord::Not, of) => {
            within(NOT_STRENGTH, format!("not {}", text(of, NOT_STRENGTH)))
        }
        ExpressionForm::Unary(UnaryWord::Minus, of) => {
            within(SIGN_STRENGTH, format!("-{}", text(of, SIGN_STRENGTH)))
        }
        ExpressionForm::Binary(word, left, right) => binary(*word, left, right, &within),
    }
}

fn binary(
    word: BinaryWord,
    left: &ExpressionTree,
    right: &ExpressionTree,
    within: &dyn Fn(u8, String) -> String,
) -> String {
    let strength = word.strength();
    let left = text(left, strength);
    let right = text(right, strength + 1);
    match word {
        BinaryWord::Multiply => within(strength, format!("{left}*{right}")),
        _ => within(strength, format!("{left} {} {right}", word.text())),
    }
}
