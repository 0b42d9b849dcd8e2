//! Statements.

use super::super::tree::{
    BlockTree, ExpressionForm, ExpressionTree, PlacedName, StatementForm, StatementTree, TextSpan,
};
use super::super::typed::{
    CheckedStatement, CheckedStatementForm, Elementary, InsertionSlots, NodeForm, ValueType,
    VariableRole,
};
use super::scope::{AtOnce, CHANGES, Checker};
use crate::library::LibraryProcedure;

impl Checker {
    /// Checks the statements of a block; those with mistakes are left out.
    pub(super) fn block(&mut self, block: &BlockTree) -> Vec<CheckedStatement> {
        self.enter_block();
        let mut body = Vec::new();
        for statement in &block.statements {
            body.extend(self.statement(&statement.part));
        }
        self.leave_block();
        body
    }

    fn statement(&mut self, tree: &StatementTree) -> Option<CheckedStatement> {
        let form = match &tree.form {
            StatementForm::Variables(declaration) => {
                if let Some(source) = &declaration.source {
                    self.refuse(
                        "C1005",
                        &source.at,
                        "only an `input` or `inout` of the program has `from`",
                    );
                }
                let kind = self.kind(&declaration.kind);
                let names = declaration.names.iter();
                let slots = names.map(|name| self.declare(name, kind.clone(), VariableRole::Local));
                CheckedStatementForm::Declare(slots.collect())
            }
            StatementForm::Assign(target, value) => self.assignment(target, value)?,
            StatementForm::Call(name, arguments) => self.change(name, arguments)?,
            StatementForm::If(branches, otherwise) => {
                let mut all = Vec::new();
                for (condition, body) in branches {
                    let condition = self.want(condition, &ValueType::Bool);
                    all.push(condition.map(|condition| (condition, Vec::new())));
                    let body = self.block(body);
                    if let Some(Some(last)) = all.last_mut() {
                        last.1 = body;
                    }
                }
                let otherwise = otherwise.as_ref().map(|body| self.block(body)).unwrap_or_default();
                CheckedStatementForm::If(all.into_iter().collect::<Option<Vec<_>>>()?, otherwise)
            }
            StatementForm::While(condition, body) => {
                let condition = self.want(condition, &ValueType::Bool);
                let body = self.block(body);
                CheckedStatementForm::While(condition?, body)
            }
            StatementForm::For { is_at_once, variable, range, body } => {
                self.counted(*is_at_once, variable, range, body)?
            }
            StatementForm::Insertions(names, body) => self.insertions(names, body, &tree.at)?,
            StatementForm::Require(condition, message) => CheckedStatementForm::Require(
                self.want(condition, &ValueType::Bool)?,
                message.clone(),
            ),
        };
        Some(CheckedStatement { at: tree.at.0.clone(), form })
    }

    fn counted(
        &mut self,
        is_at_once: bool,
        variable: &PlacedName,
        range: &(ExpressionTree, ExpressionTree),
        body: &BlockTree,
    ) -> Option<CheckedStatementForm> {
        let from = self.want(&range.0, &ValueType::Int);
        let to = self.want(&range.1, &ValueType::Int);
        if is_at_once && self.at_once.is_some() {
            self.refuse("C1009", &variable.at, "a `forall` stands in no other one");
            return None;
        }
        self.enter_block();
        let slot = self.declare(variable, ValueType::Int, VariableRole::Counted);
        if is_at_once {
            self.at_once = Some(AtOnce { variable: slot, first: slot, tables: Vec::new() });
        }
        let body = self.block(body);
        self.leave_block();
        let at_once = if is_at_once { self.at_once.take() } else { None };
        let range = Box::new((from?, to?));
        Some(match at_once {
            Some(at_once) => CheckedStatementForm::ForAll(slot, range, body, at_once.tables),
            None => CheckedStatementForm::For(slot, range, body),
        })
    }

    fn insertions(
        &mut self,
        [tail, head, weight]: &[PlacedName; 3],
        body: &BlockTree,
        at: &TextSpan,
    ) -> Option<CheckedStatementForm> {
        if self.at_once.is_some() {
            self.refuse("C1009", at, "insertions follow each other, so they stand in no `forall`");
            return None;
        }
        self.enter_block();
        let slots = InsertionSlots {
            tail: self.declare(tail, ValueType::Int, VariableRole::Counted),
            head: self.declare(head, ValueType::Int, VariableRole::Counted),
            weight: self.declare(weight, Self::weight_kind(), VariableRole::Counted),
        };
        let body = self.block(body);
        self.leave_block();
        Some(CheckedStatementForm::Insertions(slots, body))
    }

    /// Returns the variable of this name for a statement that changes it.
    fn changed(&mut self, name: &str, at: &TextSpan) -> Option<usize> {
        match self.variable(name) {
            Some(slot) => self.may_change(slot, at).then_some(slot),
            None => {
                let names = self.variable_names();
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                self.refuse_unknown("variable", name, at, &names);
                None
            }
        }
    }

    fn assignment(
        &mut self,
        target: &ExpressionTree,
        value: &ExpressionTree,
    ) -> Option<CheckedStatementForm> {
        match &target.form {
            ExpressionForm::Name(name) => {
                if let ExpressionForm::Apply(function, arguments) = &value.form
                    && function.text == "STEP"
                    && self.variable("STEP").is_none()
                {
                    return self.step(name, &target.at, function, arguments);
                }
                let slot = self.changed(name, &target.at);
                let kind = slot.map(|slot| self.variables[slot].kind.clone());
                if let Some(ValueType::Table(_)) = kind {
                    self.refuse("C1005", &target.at, "a table is copied by `TCOPY(T, F);`");
                    return None;
                }
                let Some(kind) = kind else {
                    self.expression(value);
                    return None;
                };
                Some(CheckedStatementForm::Assign(slot?, self.want(value, &kind)?))
            }
            ExpressionForm::Apply(name, arguments) => self.part(name, arguments, value),
            _ => None,
        }
    }

    fn step(
        &mut self,
        name: &str,
        at: &TextSpan,
        function: &PlacedName,
        arguments: &[ExpressionTree],
    ) -> Option<CheckedStatementForm> {
        let [from] = arguments else {
            self.refuse_count(function, "i := STEP(X)", 1, arguments.len());
            return None;
        };
        let from = self.result_bits(from);
        let slot = self.changed(name, at)?;
        let kind = self.variables[slot].kind.clone();
        let is_number = self.check_kind(&ValueType::Int, &kind, at);
        is_number.then_some(CheckedStatementForm::Step(slot, from?))
    }

    /// Checks the name of a slice or word that a statement changes.
    fn result_bits(&mut self, tree: &ExpressionTree) -> Option<usize> {
        let ExpressionForm::Name(name) = &tree.form else {
            self.refuse("C1008", &tree.at, "a slice or word is changed here; write its name");
            return None;
        };
        let slot = self.changed(name, &tree.at)?;
        let kind = &self.variables[slot].kind;
        if matches!(kind, ValueType::Slice | ValueType::Word(_)) {
            return Some(slot);
        }
        let message = format!("expected a slice or a word, found a {kind}");
        self.refuse("C1005", &tree.at, message);
        None
    }

    /// Checks an assignment to a bit, a column or a row.
    fn part(
        &mut self,
        name: &PlacedName,
        arguments: &[ExpressionTree],
        value: &ExpressionTree,
    ) -> Option<CheckedStatementForm> {
        if self.variable(&name.text).is_some() {
            let [position] = arguments else {
                self.refuse_count(name, "Y(i)", 1, arguments.len());
                return None;
            };
            let tree = ExpressionTree {
                at: name.at.clone(),
                form: ExpressionForm::Name(name.text.clone()),
            };
            let slot = self.result_bits(&tree);
            let position = self.want(position, &ValueType::Int);
            let value = self.want(value, &ValueType::Int);
            return Some(CheckedStatementForm::AssignBit(slot?, position?, value?));
        }
        let elementary = Elementary::ALL.iter().find(|row| row.1 == name.text);
        let (is_row, call) = match elementary {
            Some((Elementary::Column, _, call)) => (false, call),
            Some((Elementary::Row, _, call)) => (true, call),
            Some(_) => {
                let message = format!(
                    "`{}` gives a value and takes none; a variable, `Y(i)`, `COL`, `ROW` do",
                    name.text
                );
                self.refuse("C1008", &name.at, message);
                return None;
            }
            None => {
                let names = self.variable_names();
                let known: Vec<&str> =
                    ["COL", "ROW"].into_iter().chain(names.iter().map(String::as_str)).collect();
                self.refuse_unknown("slice, word or target", &name.text, &name.at, &known);
                return None;
            }
        };
        let [position, table] = arguments else {
            self.refuse_count(name, call, 2, arguments.len());
            return None;
        };
        let position = self.want(position, &ValueType::Int)?;
        let slot = match self.at_once.is_some() {
            true => self.column_at_once(&position.form, is_row, table)?,
            false => match self.result(table, &ValueType::Table(None))?.form {
                NodeForm::Load(slot) => slot,
                _ => return None,
            },
        };
        if !is_row {
            let value = self.want(value, &ValueType::Slice)?;
            return Some(CheckedStatementForm::AssignColumn(slot, position, value));
        }
        let ValueType::Table(width) = self.variables[slot].kind.clone() else { return None };
        let value = self.want(value, &ValueType::Word(width))?;
        Some(CheckedStatementForm::AssignRow(slot, position, value))
    }

    /// Checks that a pass of `forall` writes the column of its own number.
    fn column_at_once(
        &mut self,
        position: &NodeForm,
        is_row: bool,
        table: &ExpressionTree,
    ) -> Option<usize> {
        let node = self.want(table, &ValueType::Table(None))?;
        let (NodeForm::Load(slot), Some(at_once)) = (node.form, &mut self.at_once) else {
            return None;
        };
        if slot >= at_once.first {
            return Some(slot);
        }
        let is_own = matches!(position, NodeForm::Load(variable) if *variable == at_once.variable);
        if is_row || !is_own {
            let message = "a pass of `forall` writes the column of its own number only";
            self.refuse("C1009", &table.at, message);
            return None;
        }
        if !at_once.tables.contains(&slot) {
            at_once.tables.push(slot);
        }
        // What else forbids a change holds here as well.
        let outer = self.at_once.take();
        let may = self.may_change(slot, &table.at);
        self.at_once = outer;
        may.then_some(slot)
    }

    /// Checks a statement that is a call.
    fn change(
        &mut self,
        name: &PlacedName,
        arguments: &[ExpressionTree],
    ) -> Option<CheckedStatementForm> {
        let text = name.text.as_str();
        if let Some(procedure) = LibraryProcedure::from_name(text) {
            return self.library(procedure, name, arguments);
        }
        let known = self.signatures.iter().position(|known| known.name.text == text);
        if let Some(number) = known {
            return self.call(number, name, arguments);
        }
        if let Some((_, call)) = CHANGES.iter().find(|row| row.0 == text) {
            return self.elementary_change(name, call, arguments);
        }
        if Elementary::ALL.iter().any(|row| row.1 == text) {
            self.refuse(
                "C1005",
                &name.at,
                format!("`{text}` gives a value and changes nothing; assign it"),
            );
            return None;
        }
        let procedures: Vec<String> =
            self.signatures.iter().map(|known| known.name.text.clone()).collect();
        let mut names: Vec<&str> = LibraryProcedure::all().map(LibraryProcedure::name).collect();
        names.extend(CHANGES.iter().map(|row| row.0));
        names.extend(procedures.iter().map(String::as_str));
        self.refuse_unknown("procedure", text, &name.at, &names);
        None
    }

    fn elementary_change(
        &mut self,
        name: &PlacedName,
        call: &str,
        arguments: &[ExpressionTree],
    ) -> Option<CheckedStatementForm> {
        let wanted = call.matches(',').count() + 1;
        if arguments.len() != wanted {
            self.refuse_count(name, call, wanted, arguments.len());
            return None;
        }
        match name.text.as_str() {
            "SET" => Some(CheckedStatementForm::Fill(self.result_bits(&arguments[0])?, true)),
            "CLR" => Some(CheckedStatementForm::Fill(self.result_bits(&arguments[0])?, false)),
            "FRST" => Some(CheckedStatementForm::KeepFirst(self.result_bits(&arguments[0])?)),
            "MASK" => {
                let slot = self.result_bits(&arguments[0]);
                Some(CheckedStatementForm::Mask(slot?, self.want(&arguments[1], &ValueType::Int)?))
            }
            "REP" => {
                let from = self.want(&arguments[0], &ValueType::Int);
                let to = self.want(&arguments[1], &ValueType::Int);
                let part = self.want(&arguments[2], &ValueType::Word(None));
                let slot = self.result_bits(&arguments[3])?;
                Some(CheckedStatementForm::Replace(slot, Box::new((from?, to?, part?))))
            }
            _ => {
                let message = "`STEP` gives the position that it clears: `i := STEP(X);`";
                self.refuse("C1005", &name.at, message);
                None
            }
        }
    }
}
