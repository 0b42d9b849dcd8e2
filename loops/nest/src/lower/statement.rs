//! Loops, conditions and assignments.

use super::Lowering;
use super::scope::Meaning;
use super::value::value_operator;
use crate::affine::AffineForm;
use crate::model::{
    ArrayAccess, NestCondition, NestLoop, NestName, NestNode, NestStatement, ValueTree,
};
use crate::parse::ASSIGNMENTS;
use crate::problems::Wrong;
use crate::tree::{ExpressionKind, ExpressionTree, ForTree, StatementTree};
use std::ops::Range;

impl Lowering<'_> {
    /// Returns the parts of the body that a statement is.
    pub(super) fn statement(&mut self, tree: &StatementTree) -> Result<Vec<NestNode>, Wrong> {
        match tree {
            StatementTree::For(tree) => self.loop_of(tree).map(|node| vec![node]),
            StatementTree::If { condition, then, otherwise } => {
                self.choice(condition, then, otherwise.as_deref()).map(|node| vec![node])
            }
            StatementTree::Block(all) => {
                self.scope.open();
                let nodes = self.statements(all);
                self.unused_demand();
                self.scope.close();
                Ok(nodes)
            }
            StatementTree::Expression(tree) => self.assignment(tree).map(|node| vec![node]),
            StatementTree::Declaration { kind, declarators } => {
                self.declaration(*kind, declarators)
            }
            StatementTree::Pragma(pragma) => {
                self.pragma(pragma);
                Ok(Vec::new())
            }
        }
    }

    fn choice(
        &mut self,
        condition: &ExpressionTree,
        then: &StatementTree,
        otherwise: Option<&StatementTree>,
    ) -> Result<NestNode, Wrong> {
        let holds = self.condition(condition)?;
        let Some(fails) = holds.negated() else {
            let message = "a number of this condition is too large";
            return Err(Box::new(self.error("C1113", condition, message)));
        };
        let then = self.guarded(holds.clone(), then)?;
        let otherwise = match otherwise {
            Some(otherwise) => self.guarded(fails, otherwise)?,
            None => Vec::new(),
        };
        Ok(NestNode::If(holds, then, otherwise))
    }

    fn guarded(
        &mut self,
        condition: NestCondition,
        tree: &StatementTree,
    ) -> Result<Vec<NestNode>, Wrong> {
        self.guards.push(condition);
        self.scope.open();
        let nodes = self.statement(tree);
        self.scope.close();
        self.guards.pop();
        nodes
    }

    fn loop_of(&mut self, tree: &ForTree) -> Result<NestNode, Wrong> {
        self.unused_demand();
        if !tree.declares {
            let known = self.scope.find(&tree.name).map(|known| known.meaning);
            if known != Some(Meaning::Integer) {
                let message = format!("the index `{}` of the loop is not declared", tree.name);
                let error = self.problems.error("C1104", &tree.name_at, message);
                return Err(Box::new(error.help(format!("write `int {}`", tree.name))));
            }
        }
        self.check_step(tree)?;
        // The index is seen in the head already, where it is no value of a loop around.
        self.scope.open();
        self.scope.declare(&tree.name, Meaning::Integer, &tree.name_at);
        let bounds = self
            .bounds(&tree.begin, "max")
            .and_then(|lower| Ok((lower, self.upper(tree, &tree.condition)?)));
        self.scope.close();
        let (lower, upper) = bounds?;
        let name = NestName { name: tree.name.clone(), at: tree.at.clone() };
        let number = self.nest.loops.len();
        let around = self.loops.clone();
        self.nest.loops.push(NestLoop { name, lower, upper, around });
        self.count_part();
        self.scope.open();
        self.scope.declare(&tree.name, Meaning::Index(number), &tree.name_at);
        self.loops.push(number);
        self.position.push(0);
        let body = self.statement(&tree.body);
        self.position.pop();
        self.loops.pop();
        self.unused_demand();
        self.scope.close();
        Ok(NestNode::Loop(number, body?))
    }

    /// Checks that the index goes up by 1.
    fn check_step(&self, tree: &ForTree) -> Result<(), Wrong> {
        let index = tree.name.as_str();
        let is_index = |part: &ExpressionTree| matches!(&part.kind, ExpressionKind::Name(name) if name == index);
        let is_one = |part: &ExpressionTree| matches!(&part.kind, ExpressionKind::Number(text) if text == "1");
        let is_up = match &tree.step.kind {
            ExpressionKind::Postfix(sign, inner) | ExpressionKind::Unary(sign, inner) => {
                sign == "++" && is_index(inner)
            }
            ExpressionKind::Binary(sign, left, right) if sign == "+=" => {
                is_index(left) && is_one(right)
            }
            ExpressionKind::Binary(sign, left, right) if sign == "=" => {
                is_index(left)
                    && matches!(&right.kind, ExpressionKind::Binary(plus, a, b)
                        if plus == "+" && (is_index(a) && is_one(b) || is_one(a) && is_index(b)))
            }
            _ => false,
        };
        if is_up {
            return Ok(());
        }
        let step = self.text(&tree.step);
        let message = format!("the loop over `{index}` steps by `{step}`; loops step up by 1");
        let help = if step.contains('-') {
            format!(
                "let the loop run up, and write the last index less `{index}` in place of `{index}`"
            )
        } else {
            format!(
                "let the loop run by `{index}++`, and write a multiple of `{index}` in the indices"
            )
        };
        Err(Box::new(self.error("C1107", &tree.step, message).help(help)))
    }

    /// Returns the upper bounds that the condition of a loop says.
    fn upper(&self, tree: &ForTree, condition: &ExpressionTree) -> Result<Vec<AffineForm>, Wrong> {
        let index = tree.name.as_str();
        let is_index = |part: &ExpressionTree| matches!(&part.kind, ExpressionKind::Name(name) if name == index);
        if let ExpressionKind::Binary(sign, left, right) = &condition.kind {
            let bound = match sign.as_str() {
                "&&" => {
                    let mut all = self.upper(tree, left)?;
                    all.extend(self.upper(tree, right)?);
                    return Ok(all);
                }
                "<" if is_index(left) => Some((right, 1)),
                "<=" if is_index(left) => Some((right, 0)),
                ">" if is_index(right) => Some((left, 1)),
                ">=" if is_index(right) => Some((left, 0)),
                _ => None,
            };
            if let Some((bound, less)) = bound {
                let forms = self.bounds(bound, "min")?.into_iter();
                let less: Option<Vec<_>> = forms.map(|form| form.plus_number(-less)).collect();
                return less.ok_or_else(|| {
                    Box::new(self.error("C1113", bound, "this bound is too large"))
                });
            }
        }
        let message = format!("`{}` does not bound `{index}` from above", self.text(condition));
        let error = self.error("C1107", condition, message);
        Err(Box::new(error.help(format!("write `{index} < ...` or `{index} <= ...`"))))
    }

    fn assignment(&mut self, tree: &ExpressionTree) -> Result<NestNode, Wrong> {
        let ExpressionKind::Binary(sign, target, right) = &tree.kind else {
            return Err(self.no_statement(tree));
        };
        if !ASSIGNMENTS.contains(&sign.as_str()) {
            return Err(self.no_statement(tree));
        }
        let update = value_operator(sign.trim_end_matches('='));
        if sign != "=" && update.is_none() {
            let message = format!("`{sign}` is no assignment of numbers");
            let error = self.error("C1108", tree, message);
            return Err(Box::new(error.help("the assignments are = += -= *= /=")));
        }
        let written = self.target(target)?;
        let mut accesses = vec![written];
        if update.is_some() {
            let read = ArrayAccess { is_write: false, ..accesses[0].clone() };
            accesses.push(read);
        }
        let mut value = self.value(right, &mut accesses)?;
        if let Some(operator) = update {
            let before = Box::new(ValueTree::Element(1));
            value = ValueTree::Binary(operator, before, Box::new(value));
        }
        Ok(self.assign(accesses, value, update, &tree.at))
    }

    fn no_statement(&self, tree: &ExpressionTree) -> Wrong {
        let (is, help) = match &tree.kind {
            ExpressionKind::Call(..) => ("a call, which may change anything", "write what it does"),
            ExpressionKind::Postfix(..) => ("no assignment of the subset", "write `+= 1.0f`"),
            ExpressionKind::Unary(sign, _) if sign.len() == 2 => {
                ("no assignment of the subset", "write `+= 1.0f`")
            }
            _ => ("no assignment", "the assignments are = += -= *= /="),
        };
        let message = format!("`{}` is {is}", self.text(tree));
        Box::new(self.error("C1108", tree, message).help(help))
    }

    /// Returns the element that an assignment writes.
    fn target(&self, tree: &ExpressionTree) -> Result<ArrayAccess, Wrong> {
        if let ExpressionKind::Name(name) = &tree.kind {
            let help = match self.meaning(name, tree)? {
                Meaning::Index(_) | Meaning::Integer => "the loops alone change indices".to_owned(),
                Meaning::Parameter(_) => "sizes stay as they are given".to_owned(),
                Meaning::Scalar(_) => {
                    format!("a result is an array: `float {name}[1]`, and `{name}[0]` here")
                }
                Meaning::Array(_) => String::new(),
            };
            if !help.is_empty() {
                let message = format!("`{name}` cannot be assigned");
                return Err(Box::new(self.error("C1111", tree, message).help(help)));
            }
        }
        let access = self.access(tree, true)?;
        let array = &self.nest.arrays[access.array];
        if array.is_constant {
            let message = format!("`{}` is const", array.name.name);
            let error = self.error("C1111", tree, message);
            let declared = self.problems.span(&array.name.at);
            return Err(Box::new(error.related(declared, "declared here")));
        }
        Ok(access)
    }

    /// Adds an assignment to the nest.
    fn assign(
        &mut self,
        accesses: Vec<ArrayAccess>,
        value: ValueTree,
        update: Option<crate::model::ValueOperator>,
        at: &Range<usize>,
    ) -> NestNode {
        self.count_part();
        // Numbers count from 0, and those of loops have been counted already.
        let position = self.position.iter().map(|count| count - 1).collect();
        let statement = NestStatement {
            loops: self.loops.clone(),
            guards: self.guards.clone(),
            accesses,
            value,
            update,
            position,
            demanded: self.demanded.take(),
            at: at.clone(),
        };
        self.nest.statements.push(statement);
        NestNode::Assign(self.nest.statements.len() - 1)
    }

    /// Adds the assignment of the value that a declaration gives.
    pub(super) fn first_value(
        &mut self,
        array: usize,
        mut value: ValueTree,
        read: Vec<ArrayAccess>,
        at: &Range<usize>,
    ) -> NestNode {
        shift_elements(&mut value);
        let written = ArrayAccess { array, subscripts: Vec::new(), is_write: true, at: at.clone() };
        let accesses = std::iter::once(written).chain(read).collect();
        self.assign(accesses, value, None, at)
    }
}

/// Makes room for the element that is written, before those that are read.
fn shift_elements(value: &mut ValueTree) {
    match value {
        ValueTree::Element(number) => *number += 1,
        ValueTree::Negated(inner) => shift_elements(inner),
        ValueTree::Binary(_, left, right) => {
            shift_elements(left);
            shift_elements(right);
        }
        ValueTree::Call(_, _, values) => values.iter_mut().for_each(shift_elements),
        ValueTree::Number(..) | ValueTree::Whole(_) | ValueTree::Scalar(_) => {}
    }
}
