//! Nests within a loop that stays sequential: its index becomes a parameter, and each part of its body a nest of its own.

use crate::affine::{AffineForm, AffineSymbol};
use crate::model::{Nest, NestCondition, NestNode, NestStatement, ValueTree};

/// The parts of the body of an outermost loop, between which all threads wait for each other.
#[derive(Clone, Debug)]
pub struct PhasedNest {
    /// Number of the loop in the nest that it was.
    pub outer: usize,
    /// Parts in the order of the text, as nests that have the index of the loop as their last parameter.
    pub phases: Vec<Nest>,
    /// For each part the numbers of its statements in the nest that it was.
    pub statements: Vec<Vec<usize>>,
}

/// Replacement of the index of a loop by a parameter.
struct Replacement {
    outer: usize,
    parameter: usize,
}

impl Replacement {
    fn form(&self, form: &AffineForm) -> AffineForm {
        let index = AffineSymbol::Index(self.outer);
        let coefficient = form.coefficient(index);
        let parameter = AffineForm::symbol(AffineSymbol::Parameter(self.parameter));
        // Coefficients stay those of the form, so that none is too large.
        form.plus(&AffineForm::symbol(index), -coefficient)
            .and_then(|rest| rest.plus(&parameter, coefficient))
            .unwrap_or_else(|| form.clone())
    }

    fn forms(&self, forms: &mut [AffineForm]) {
        forms.iter_mut().for_each(|form| *form = self.form(form));
    }

    fn condition(&self, condition: &NestCondition) -> NestCondition {
        let all = |all: &[NestCondition]| all.iter().map(|one| self.condition(one)).collect();
        match condition {
            NestCondition::AtLeastZero(form) => NestCondition::AtLeastZero(self.form(form)),
            NestCondition::Zero(form) => NestCondition::Zero(self.form(form)),
            NestCondition::All(parts) => NestCondition::All(all(parts)),
            NestCondition::Any(parts) => NestCondition::Any(all(parts)),
        }
    }

    fn value(&self, value: &mut ValueTree) {
        match value {
            ValueTree::Whole(form) => *form = self.form(form),
            ValueTree::Negated(inner) => self.value(inner),
            ValueTree::Binary(_, left, right) => {
                self.value(left);
                self.value(right);
            }
            ValueTree::Call(_, _, values) => values.iter_mut().for_each(|value| self.value(value)),
            ValueTree::Number(..) | ValueTree::Scalar(_) | ValueTree::Element(_) => {}
        }
    }

    fn statement(&self, statement: &NestStatement) -> NestStatement {
        let mut statement = statement.clone();
        statement.loops.retain(|number| *number != self.outer);
        statement.guards = statement.guards.iter().map(|one| self.condition(one)).collect();
        for access in &mut statement.accesses {
            self.forms(&mut access.subscripts);
        }
        self.value(&mut statement.value);
        statement.position.remove(0);
        if let Some((forms, _)) = &mut statement.demanded {
            self.forms(forms);
        }
        statement
    }

    /// Returns a part of the body, with the numbers that its statements have in `kept`.
    fn node(&self, node: &NestNode, kept: &[usize]) -> NestNode {
        let all = |nodes: &[NestNode]| nodes.iter().map(|one| self.node(one, kept)).collect();
        match node {
            NestNode::Loop(number, body) => NestNode::Loop(*number, all(body)),
            NestNode::If(condition, then, otherwise) => {
                NestNode::If(self.condition(condition), all(then), all(otherwise))
            }
            NestNode::Assign(number) => {
                let place = kept.iter().position(|known| known == number);
                NestNode::Assign(place.unwrap_or_default())
            }
            NestNode::Declare(number) => NestNode::Declare(*number),
        }
    }
}

/// Returns the numbers of the statements in parts of a body.
fn statements(nodes: &[NestNode]) -> Vec<usize> {
    let of = |node: &NestNode| match node {
        NestNode::Loop(_, body) => statements(body),
        NestNode::If(_, then, otherwise) => [statements(then), statements(otherwise)].concat(),
        NestNode::Assign(number) => vec![*number],
        NestNode::Declare(_) => Vec::new(),
    };
    nodes.iter().flat_map(of).collect()
}

impl Nest {
    /// Returns the parts of the body of the outermost loop as nests; `None` if the body is more than one loop, or an array is
    /// declared within the loop.
    pub fn phases(&self) -> Option<PhasedNest> {
        let is_declared = |node: &&NestNode| !matches!(node, NestNode::Declare(_));
        let mut parts = self.body.iter().filter(is_declared);
        let (Some(NestNode::Loop(outer, body)), None) = (parts.next(), parts.next()) else {
            return None;
        };
        if body.iter().any(|node| matches!(node, NestNode::Declare(_))) {
            return None;
        }
        // What a condition within the loop declares is of this loop too.
        if self.arrays.iter().any(|array| array.local.as_deref() == Some(&[*outer][..])) {
            return None;
        }
        let replacement = Replacement { outer: *outer, parameter: self.parameters.len() };
        let mut made = PhasedNest { outer: *outer, phases: Vec::new(), statements: Vec::new() };
        for node in body {
            let kept = statements(std::slice::from_ref(node));
            if kept.is_empty() {
                continue;
            }
            made.phases.push(self.phase(&replacement, node, &kept));
            made.statements.push(kept);
        }
        Some(made)
    }

    /// Returns a part of the body of the outermost loop as a nest.
    fn phase(&self, replacement: &Replacement, node: &NestNode, kept: &[usize]) -> Nest {
        let mut nest = self.clone();
        let of = &self.loops[replacement.outer];
        nest.parameters.push(of.name.clone());
        let index = AffineForm::symbol(AffineSymbol::Parameter(replacement.parameter));
        let above = of.lower.iter().filter_map(|lower| index.plus(lower, -1));
        let below = of.upper.iter().filter_map(|upper| upper.plus(&index, -1));
        nest.context.extend(above.chain(below).map(NestCondition::AtLeastZero));
        for one in &mut nest.loops {
            replacement.forms(&mut one.lower);
            replacement.forms(&mut one.upper);
            one.around.retain(|number| *number != replacement.outer);
        }
        for array in &mut nest.arrays {
            if let Some(around) = &mut array.local {
                around.retain(|number| *number != replacement.outer);
            }
            // A part gets what the function declares for all parts.
            array.local.take_if(|around| around.is_empty());
        }
        nest.statements =
            kept.iter().map(|number| replacement.statement(&self.statements[*number])).collect();
        nest.body = vec![replacement.node(node, kept)];
        nest
    }
}
