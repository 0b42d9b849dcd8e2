//! Expressions: types from the leaves up.

use super::super::length::LengthFormula;
use super::super::tree::{
    BinaryWord, ExpressionForm, ExpressionTree, PlacedName, TextSpan, UnaryWord,
};
use super::super::typed::{
    Elementary, IntegerComparison, IntegerOperator, NodeForm, TypedNode, ValueType,
};
use super::scope::{CHANGES, Checker};
use crate::library::LibraryProcedure;
use crate::machine::{BitVector, Logic};

/// Whether two lengths are surely different.
fn is_different(a: &Option<LengthFormula>, b: &Option<LengthFormula>) -> bool {
    matches!((a, b), (Some(a), Some(b)) if a.is_surely_not(b))
}

impl Checker {
    /// Checks an expression; `None` if a mistake was noted.
    pub(super) fn expression(&mut self, tree: &ExpressionTree) -> Option<TypedNode> {
        let (kind, form) = match &tree.form {
            ExpressionForm::Number(number) => (ValueType::Int, NodeForm::Int(*number)),
            ExpressionForm::Truth(truth) => (ValueType::Bool, NodeForm::Truth(*truth)),
            ExpressionForm::Bits(text) => {
                let bits = BitVector::from_text(text)?;
                let length = LengthFormula::number(bits.len() as i64);
                (ValueType::Word(Some(length)), NodeForm::Bits(bits))
            }
            ExpressionForm::Name(name) => self.name(name, &tree.at)?,
            ExpressionForm::Apply(name, arguments) => self.apply(name, arguments)?,
            ExpressionForm::Unary(word, of) => self.unary(*word, of)?,
            ExpressionForm::Binary(word, left, right) => self.binary(*word, left, right)?,
        };
        Some(TypedNode { at: tree.at.0.clone(), kind, form })
    }

    fn name(&mut self, name: &str, at: &TextSpan) -> Option<(ValueType, NodeForm)> {
        match (name, self.variable(name)) {
            ("n", _) => Some((ValueType::Int, NodeForm::Rows)),
            ("h", _) => Some((ValueType::Int, NodeForm::Weight)),
            (_, Some(slot)) => Some((self.variables[slot].kind.clone(), NodeForm::Load(slot))),
            _ => {
                let names = self.variable_names();
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                self.refuse_unknown("variable", name, at, &names);
                None
            }
        }
    }

    /// Checks an expression that has to have a type.
    pub(super) fn want(&mut self, tree: &ExpressionTree, wanted: &ValueType) -> Option<TypedNode> {
        let node = self.expression(tree)?;
        self.check_kind(&node.kind, wanted, &tree.at).then_some(node)
    }

    /// Checks that a type is the one that is wanted; unknown lengths fit.
    pub(super) fn check_kind(
        &mut self,
        found: &ValueType,
        wanted: &ValueType,
        at: &TextSpan,
    ) -> bool {
        let code = match (found, wanted) {
            (ValueType::Word(a), ValueType::Word(b))
            | (ValueType::Table(a), ValueType::Table(b)) => {
                if !is_different(a, b) {
                    return true;
                }
                "C1006"
            }
            _ if found == wanted => return true,
            _ => "C1005",
        };
        self.refuse(code, at, format!("expected a {wanted}, found a {found}"));
        false
    }

    fn unary(&mut self, word: UnaryWord, of: &ExpressionTree) -> Option<(ValueType, NodeForm)> {
        if word == UnaryWord::Minus {
            let zero =
                TypedNode { at: of.at.0.clone(), kind: ValueType::Int, form: NodeForm::Int(0) };
            let of = self.want(of, &ValueType::Int)?;
            let form = NodeForm::Integer(IntegerOperator::Subtract, Box::new((zero, of)));
            return Some((ValueType::Int, form));
        }
        let node = self.expression(of)?;
        match node.kind.clone() {
            ValueType::Bool => Some((ValueType::Bool, NodeForm::NotTruth(Box::new(node)))),
            kind @ (ValueType::Slice | ValueType::Word(_)) => {
                Some((kind, NodeForm::NotBits(Box::new(node))))
            }
            kind => {
                let message =
                    format!("`not` takes a slice, a word or a bool, and this is a {kind}");
                self.refuse("C1005", &of.at, message);
                None
            }
        }
    }

    fn binary(
        &mut self,
        word: BinaryWord,
        left: &ExpressionTree,
        right: &ExpressionTree,
    ) -> Option<(ValueType, NodeForm)> {
        let logic = match word {
            BinaryWord::And => Logic::And,
            BinaryWord::Or => Logic::Or,
            BinaryWord::Xor => Logic::Xor,
            _ => return self.numbers(word, left, right),
        };
        let (a, b) = (self.expression(left), self.expression(right));
        let (a, b) = (a?, b?);
        let text = word.text();
        let both = TextSpan(left.at.0.start..right.at.0.end);
        match (a.kind.clone(), b.kind.clone()) {
            (ValueType::Bool, ValueType::Bool) => {
                Some((ValueType::Bool, NodeForm::LogicTruth(logic, Box::new((a, b)))))
            }
            (ValueType::Slice, ValueType::Slice) => {
                Some((ValueType::Slice, NodeForm::Logic(logic, Box::new((a, b)))))
            }
            (ValueType::Word(m), ValueType::Word(k)) => {
                if is_different(&m, &k) {
                    let message = format!(
                        "`{text}` of a {} and a {}: both need the same length",
                        a.kind, b.kind
                    );
                    self.refuse("C1006", &both, message);
                    return None;
                }
                Some((ValueType::Word(m.or(k)), NodeForm::Logic(logic, Box::new((a, b)))))
            }
            (a, b) => {
                let message = format!(
                    "`{text}` takes two slices, two words or two bools, and these are a {a} and a {b}"
                );
                self.refuse("C1005", &both, message);
                None
            }
        }
    }

    fn numbers(
        &mut self,
        word: BinaryWord,
        left: &ExpressionTree,
        right: &ExpressionTree,
    ) -> Option<(ValueType, NodeForm)> {
        let (a, b) = (self.want(left, &ValueType::Int), self.want(right, &ValueType::Int));
        let both = Box::new((a?, b?));
        let integer = |operator| Some((ValueType::Int, NodeForm::Integer(operator, both.clone())));
        let compare =
            |comparison| Some((ValueType::Bool, NodeForm::Compare(comparison, both.clone())));
        match word {
            BinaryWord::Add => integer(IntegerOperator::Add),
            BinaryWord::Subtract => integer(IntegerOperator::Subtract),
            BinaryWord::Multiply => integer(IntegerOperator::Multiply),
            BinaryWord::Equal => compare(IntegerComparison::Equal),
            BinaryWord::Unequal => compare(IntegerComparison::Unequal),
            BinaryWord::Less => compare(IntegerComparison::Less),
            BinaryWord::LessEqual => compare(IntegerComparison::LessEqual),
            BinaryWord::Greater => compare(IntegerComparison::Greater),
            BinaryWord::GreaterEqual => compare(IntegerComparison::GreaterEqual),
            BinaryWord::And | BinaryWord::Or | BinaryWord::Xor => None,
        }
    }

    /// Checks a call that gives a value, or a bit of a slice or word.
    fn apply(
        &mut self,
        name: &PlacedName,
        arguments: &[ExpressionTree],
    ) -> Option<(ValueType, NodeForm)> {
        if let Some(slot) = self.variable(&name.text) {
            return self.bit(slot, name, arguments);
        }
        if let Some(&(elementary, _, call)) = Elementary::ALL.iter().find(|row| row.1 == name.text)
        {
            return self.elementary((elementary, call), name, arguments);
        }
        let is_statement =
            CHANGES.iter().find(|row| row.0 == name.text).map(|row| row.1.to_owned());
        let is_statement = is_statement
            .or_else(|| LibraryProcedure::from_name(&name.text).map(LibraryProcedure::call));
        let is_procedure = self.signatures.iter().any(|known| known.name.text == name.text);
        if let Some(call) =
            is_statement.or_else(|| is_procedure.then(|| format!("{}(...)", name.text)))
        {
            let message =
                format!("`{}` changes a variable, so it is a statement: `{call};`", name.text);
            self.refuse("C1005", &name.at, message);
            return None;
        }
        let names = self.variable_names();
        let functions = Elementary::ALL.iter().map(|row| row.1);
        let known: Vec<&str> = functions.chain(names.iter().map(String::as_str)).collect();
        self.refuse_unknown("function, slice or word", &name.text, &name.at, &known);
        None
    }

    fn bit(
        &mut self,
        slot: usize,
        name: &PlacedName,
        arguments: &[ExpressionTree],
    ) -> Option<(ValueType, NodeForm)> {
        let kind = &self.variables[slot].kind;
        if !matches!(kind, ValueType::Slice | ValueType::Word(_)) {
            let message = format!("`{}` is a {kind}; a slice or a word has bits `Y(i)`", name.text);
            self.refuse("C1005", &name.at, message);
            return None;
        }
        let [position] = arguments else {
            self.refuse_count(name, "Y(i)", 1, arguments.len());
            return None;
        };
        let position = self.want(position, &ValueType::Int)?;
        Some((ValueType::Int, NodeForm::Bit(slot, Box::new(position))))
    }

    pub(super) fn refuse_count(
        &mut self,
        name: &PlacedName,
        call: &str,
        wanted: usize,
        found: usize,
    ) {
        let message =
            format!("`{}` takes {wanted} arguments, `{call}`, and here are {found}", name.text);
        self.refuse("C1007", &name.at, message);
    }

    fn elementary(
        &mut self,
        (elementary, call): (Elementary, &str),
        name: &PlacedName,
        arguments: &[ExpressionTree],
    ) -> Option<(ValueType, NodeForm)> {
        use Elementary as E;
        let wanted = call.matches(',').count() + 1;
        if arguments.len() != wanted {
            self.refuse_count(name, call, wanted, arguments.len());
            return None;
        }
        let (kind, nodes) = match elementary {
            E::Find | E::Number => (ValueType::Int, vec![self.bits(&arguments[0])?]),
            E::Some | E::Zero => (ValueType::Bool, vec![self.bits(&arguments[0])?]),
            E::Convert => {
                let node = self.bits(&arguments[0])?;
                let kind = match &node.kind {
                    ValueType::Slice => ValueType::Word(Some(LengthFormula::rows())),
                    word => {
                        let wanted = ValueType::Word(Some(LengthFormula::rows()));
                        let word = word.clone();
                        self.check_kind(&word, &wanted, &arguments[0].at)
                            .then_some(ValueType::Slice)?
                    }
                };
                (kind, vec![node])
            }
            E::Trim => {
                let (from, to) = (self.formula(&arguments[0]), self.formula(&arguments[1]));
                let length = from
                    .zip(to)
                    .and_then(|(from, to)| to.plus(&from, -1)?.plus(&LengthFormula::number(1), 1));
                let ends = [0, 1].map(|at| self.want(&arguments[at], &ValueType::Int));
                let word = self.want(&arguments[2], &ValueType::Word(None))?;
                let [from, to] = ends;
                (ValueType::Word(length), vec![from?, to?, word])
            }
            E::Column | E::Row => {
                let position = self.want(&arguments[0], &ValueType::Int);
                let table = self.want(&arguments[1], &ValueType::Table(None))?;
                let kind = match &table.kind {
                    ValueType::Table(width) if elementary == E::Row => {
                        ValueType::Word(width.clone())
                    }
                    _ => ValueType::Slice,
                };
                (kind, vec![position?, table])
            }
            E::Add | E::Less => {
                let first = self.want(&arguments[0], &ValueType::Word(None))?;
                let second = self.want(&arguments[1], &first.kind.clone())?;
                let is_sum = elementary == E::Add;
                let kind = if is_sum { first.kind.clone() } else { ValueType::Bool };
                (kind, vec![first, second])
            }
        };
        Some((kind, NodeForm::Elementary(elementary, nodes)))
    }

    /// Checks an expression that has to be a slice or a word.
    fn bits(&mut self, tree: &ExpressionTree) -> Option<TypedNode> {
        let node = self.expression(tree)?;
        if matches!(node.kind, ValueType::Slice | ValueType::Word(_)) {
            return Some(node);
        }
        let message = format!("expected a slice or a word, found a {}", node.kind);
        self.refuse("C1005", &tree.at, message);
        None
    }
}
