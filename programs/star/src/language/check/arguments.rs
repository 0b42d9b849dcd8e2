//! Calls of the library and of procedures of the program.

use super::super::length::LengthFormula;
use super::super::tree::{ExpressionForm, ExpressionTree, PlacedName};
use super::super::typed::{CheckedStatementForm, NodeForm, TypedNode, ValueType, VariableRole};
use super::scope::Checker;
use crate::library::{LibraryProcedure, ParameterKind};

impl Checker {
    /// Checks that a statement may change a variable.
    pub(super) fn may_change(&mut self, slot: usize, at: &super::super::tree::TextSpan) -> bool {
        let variable = &self.variables[slot];
        let name = &variable.name;
        let (code, message) = match variable.role {
            VariableRole::Global(Some(_), false) => (
                "C1008",
                format!("`{name}` is an input; declare it as `inout`, or copy it to a variable"),
            ),
            VariableRole::Parameter(false) => {
                ("C1008", format!("`{name}` is a parameter without `var`, so it cannot be changed"))
            }
            VariableRole::Counted => {
                ("C1008", format!("`{name}` is counted by the loop, so it cannot be changed"))
            }
            _ => match &self.at_once {
                Some(at_once) if slot < at_once.first => (
                    "C1009",
                    format!(
                        "`{name}` is shared by all passes of `forall`; a pass changes its own variables and `COL`"
                    ),
                ),
                _ => return true,
            },
        };
        self.refuse(code, at, message);
        false
    }

    /// Checks an argument that a procedure changes: the name of a variable.
    pub(super) fn result(
        &mut self,
        tree: &ExpressionTree,
        wanted: &ValueType,
    ) -> Option<TypedNode> {
        if !matches!(tree.form, ExpressionForm::Name(_)) {
            self.refuse("C1008", &tree.at, "a result goes to a variable; write its name");
            return None;
        }
        let node = self.want(tree, wanted)?;
        match node.form {
            NodeForm::Load(slot) => self.may_change(slot, &tree.at).then_some(node),
            _ => {
                self.refuse("C1008", &tree.at, "a result goes to a variable, and this is a number");
                None
            }
        }
    }

    /// Checks a call of the library.
    pub(super) fn library(
        &mut self,
        procedure: LibraryProcedure,
        name: &PlacedName,
        arguments: &[ExpressionTree],
    ) -> Option<CheckedStatementForm> {
        let parameters = procedure.parameters();
        if arguments.len() != parameters.len() {
            self.refuse_count(name, &procedure.call(), parameters.len(), arguments.len());
            return None;
        }
        let mut width = None;
        if let LibraryProcedure::Tcopy1 | LibraryProcedure::Tcopy2 = procedure {
            width = self.formula(&arguments[2]);
        }
        let mut nodes = Vec::new();
        for (parameter, tree) in parameters.iter().zip(arguments) {
            let wanted = match parameter.kind {
                ParameterKind::Slice => ValueType::Slice,
                ParameterKind::Word => ValueType::Word(width.clone()),
                ParameterKind::Table => ValueType::Table(width.clone()),
                ParameterKind::WideTable => ValueType::Table(None),
                ParameterKind::Number => ValueType::Int,
            };
            let node = match parameter.is_result {
                true => self.result(tree, &wanted),
                false => self.want(tree, &wanted),
            };
            if let Some(ValueType::Word(length) | ValueType::Table(length)) =
                node.as_ref().map(|n| &n.kind)
                && matches!(parameter.kind, ParameterKind::Word | ParameterKind::Table)
            {
                width = width.or_else(|| length.clone());
            }
            nodes.push(node);
        }
        let nodes = nodes.into_iter().collect::<Option<Vec<TypedNode>>>()?;
        let results = parameters.iter().map(|parameter| parameter.is_result);
        self.check_apart(results, &nodes, arguments, false)
            .then_some(CheckedStatementForm::Library(procedure, nodes))
    }

    /// Checks a call of a procedure of the program.
    pub(super) fn call(
        &mut self,
        number: usize,
        name: &PlacedName,
        arguments: &[ExpressionTree],
    ) -> Option<CheckedStatementForm> {
        let parameters = self.signatures[number].parameters.clone();
        let is_result = |slot: &usize| self.variables[*slot].role == VariableRole::Parameter(true);
        let results: Vec<bool> = parameters.iter().map(is_result).collect();
        if arguments.len() != parameters.len() {
            let names: Vec<&str> =
                parameters.iter().map(|&slot| self.variables[slot].name.as_str()).collect();
            let call = format!("{}({})", name.text, names.join(", "));
            self.refuse_count(name, &call, parameters.len(), arguments.len());
            return None;
        }
        if self.at_once.is_some() {
            let message = "a pass of `forall` calls no procedure of the program, which could change what passes share";
            self.refuse("C1009", &name.at, message);
            return None;
        }
        self.calls.push((self.caller(), number, name.at.clone()));
        let mut nodes = Vec::new();
        for ((slot, tree), is_result) in parameters.iter().zip(arguments).zip(&results) {
            let wanted = self.variables[*slot].kind.clone();
            nodes.push(match is_result {
                true => self.result(tree, &wanted),
                false => self.want(tree, &wanted),
            });
        }
        let nodes = nodes.into_iter().collect::<Option<Vec<TypedNode>>>()?;
        let is_good = self.check_apart(results.into_iter(), &nodes, arguments, true);
        is_good.then_some(CheckedStatementForm::Call(number, nodes))
    }

    /// Checks that no variable takes two results, and with `is_whole` that none which takes one is given besides.
    fn check_apart(
        &mut self,
        results: impl Iterator<Item = bool>,
        nodes: &[TypedNode],
        trees: &[ExpressionTree],
        is_whole: bool,
    ) -> bool {
        let results: Vec<bool> = results.collect();
        let slot = |at: usize| match nodes[at].form {
            NodeForm::Load(slot) => Some(slot),
            _ => None,
        };
        for later in 0..nodes.len() {
            for earlier in 0..later {
                let counts = match is_whole {
                    true => results[earlier] || results[later],
                    false => results[earlier] && results[later],
                };
                if counts && slot(earlier).is_some() && slot(earlier) == slot(later) {
                    let message = "this variable is given twice, and one of them is changed";
                    self.refuse("C1008", &trees[later].at, message);
                    return false;
                }
            }
        }
        true
    }

    /// Returns the type of a weight.
    pub(super) fn weight_kind() -> ValueType {
        ValueType::Word(Some(LengthFormula::weight()))
    }
}
